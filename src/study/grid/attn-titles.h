/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Titles and captions of a grid, from the study's templates or by default. Private to src/study. */

#pragma once

#include "attn-cell.h"

G_BEGIN_DECLS

/**
 * AttnTitles:
 * @study: the study whose titles and caption are built
 * @models: (array length=n_models): names of the models, the study's first first; see
 *   [func@attn_titles_name_models]
 * @n_tokens: (nullable) (array): how many tokens each input has
 * @heads: (nullable) (array): the head that is shown of each layer, if each layer has its own
 * @n_heads: number of heads in a layer of the study's first model
 * @n_key_heads: number of key heads in a layer of that model, or 0 if it is not known
 * @token: (nullable): the label of the study's token, see [func@attn_quantities_dup_label]
 * @versus: (nullable): the label of the token whose logit is subtracted
 * @last_token: (nullable): the label of the token at which the logit difference below the panels is
 *   taken, if that is the same token for all inputs
 * @mapped_layers: (nullable): layers of the first model that have attention weights, %NULL for all
 * @is_of_all: whether texts are about all panels alike, so that they name patches, too, from the
 *   input of the cell that they are built from
 */
typedef struct
{
  const AttnStudy *study;
  const char * const *models;
  gsize n_models;
  const gsize *n_tokens;
  const int *heads;
  gsize n_heads;
  gsize n_key_heads;
  const char *token;
  const char *versus;
  const char *last_token;
  const AttnIndexSet *mapped_layers;
  gboolean is_of_all;
} AttnTitles;

/* Names of axes of the mean in titles, such as "Head Dimension" and "Rotation". */
extern const char * const attn_titles_axes[];  /* of AttnAxis */
extern const char * const attn_titles_sites[]; /* of AttnSite */

char **attn_titles_name_models  (AttnModel * const *models,
                                 gsize              n_models);
char *attn_titles_build_caption (const AttnTitles  *titles,
                                 const AttnCell    *first,
                                 GError           **error);
char *attn_titles_add_attention (char              *caption,
                                 const AttnModelInfo *info);
char *attn_titles_fill_in       (const AttnStudy   *study,
                                 gsize              layer,
                                 int                head,
                                 const char        *where,
                                 const char        *template,
                                 GError           **error);
char *attn_titles_build_title   (const AttnTitles  *titles,
                                 const AttnCell    *cell,
                                 GError           **error);
char *attn_titles_build_heading (const AttnTitles  *titles,
                                 const AttnCell    *cell,
                                 AttnDimension      dimension);
char *attn_titles_build_name    (const AttnTitles  *titles,
                                 const AttnCell    *cell);
char *attn_titles_build_operation (const AttnTitles *titles,
                                 const AttnCell    *cell);
void  attn_titles_append_operation (GString         *text,
                                 AttnOperation       operation,
                                 const char         *component,
                                 gsize               input,
                                 const AttnIndexSet *keys);
gboolean attn_titles_is_source  (const AttnTitles   *titles,
                                 const AttnCell     *cell);
gboolean attn_titles_is_changed (const AttnTitles   *titles,
                                 const AttnCell     *cell);
void  attn_titles_append_unusual (GString           *text,
                                 const AttnTitles   *titles,
                                 const AttnCell     *cell);
void  attn_titles_append_scope  (GString            *text,
                                 const char         *what,
                                 const AttnIndexSet *set);

G_END_DECLS
