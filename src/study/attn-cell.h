/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a study asks for at one place of its grid. Private to src/study. */

#pragma once

#include "attn-study.h"

G_BEGIN_DECLS

/**
 * AttnCell:
 * @input: index of the input
 * @components: which are acted on here
 * @epsilon: factor of a scale
 */
typedef struct
{
  gsize input;
  gboolean components[ATTN_N_COMPONENTS];
  double epsilon;
} AttnCell;

gboolean   attn_cell_get_grid_size       (const AttnStudy  *study,
                                          gsize            *n_rows,
                                          gsize            *n_columns,
                                          GError          **error);
AttnCell   attn_cell_get                 (const AttnStudy  *study,
                                          gsize             row,
                                          gsize             column);
GPtrArray *attn_cell_build_interventions (const AttnCell   *cell,
                                          const AttnStudy  *study,
                                          gsize             layer);
gboolean   attn_interventions_touch      (const GPtrArray  *interventions,
                                          gsize             layer);
gboolean   attn_interventions_start_below (const GPtrArray *interventions,
                                          gsize             layer);

G_END_DECLS
