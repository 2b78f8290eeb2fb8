/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The texts of a grid, filled in from the study's templates or made up where it has none. Private
 * to src/study. */

#pragma once

#include "attn-cell.h"

G_BEGIN_DECLS

/**
 * AttnTitles:
 * @study: whose texts
 * @models: (array length=n_models): names of the models, the study's first first
 * @n_tokens: (nullable) (array): how many tokens each input has
 */
typedef struct
{
  const AttnStudy *study;
  const char **models;
  gsize n_models;
  const gsize *n_tokens;
} AttnTitles;

char *attn_titles_build_caption (const AttnTitles  *titles,
                                 const AttnCell    *first,
                                 GError           **error);
char *attn_titles_build_figure_caption (const AttnStudy *study,
                                 gsize             layer,
                                 int               head,
                                 GError          **error);
char *attn_titles_build_figure_title (const AttnStudy *study,
                                 gsize             layer,
                                 int               head,
                                 GError          **error);
char *attn_titles_build_title   (const AttnTitles  *titles,
                                 const AttnCell    *cell,
                                 GError           **error);
char *attn_titles_build_heading (const AttnTitles  *titles,
                                 const AttnCell    *cell,
                                 AttnDimension      dimension);
char *attn_titles_build_name    (const AttnTitles  *titles,
                                 const AttnCell    *cell);

G_END_DECLS
