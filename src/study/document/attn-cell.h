/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Settings of a study that one cell of its grid, a panel, uses. */

#pragma once

#include "attn-model.h"
#include "attn-study.h"

G_BEGIN_DECLS

/**
 * AttnCellSide:
 * @ATTN_CELL_ALONE: the grid compares nothing
 * @ATTN_CELL_A: the first of two that are compared; in a comparison of interventions the baseline
 * @ATTN_CELL_B: the second of two that are compared
 * @ATTN_CELL_DIFFERENCE: B - A
 * @ATTN_CELL_BASELINE: the cell is in the column of the baseline of a grid that compares nothing
 */
typedef enum
{
  ATTN_CELL_ALONE,
  ATTN_CELL_A,
  ATTN_CELL_B,
  ATTN_CELL_DIFFERENCE,
  ATTN_CELL_BASELINE,
} AttnCellSide;

/**
 * AttnCell:
 * @input: index of the input
 * @model: index of the model, 0 for the study's first
 * @layer: the layer whose weights are shown
 * @head: the head whose weights are shown, or %ATTN_HEAD_MEAN
 * @axis: axis over which a mean operation averages
 * @site: where in the attention the operation acts
 * @components: components that the operation acts on in this cell; none for a cut
 * @epsilon: factor of a scale
 * @side: side of a comparison; a cell of the difference B - A has its other members from B
 */
typedef struct
{
  gsize input;
  gsize model;
  gsize layer;
  int head;
  AttnAxis axis;
  AttnSite site;
  gboolean components[ATTN_N_COMPONENTS];
  double epsilon;
  AttnCellSide side;
} AttnCell;

gsize      attn_cell_count               (const AttnStudy      *study,
                                          const AttnModelInfo  *info,
                                          AttnDimension         dimension);
void       attn_cell_set                 (AttnCell             *cell,
                                          const AttnStudy      *study,
                                          const AttnIndexSet   *mapped,
                                          AttnDimension         dimension,
                                          gsize                 index);
gboolean   attn_cell_check_number        (gsize                 number,
                                          gsize                 n,
                                          const char           *what,
                                          GError              **error);
gboolean   attn_cell_get_grid_size       (const AttnStudy      *study,
                                          const AttnModelInfo  *info,
                                          gsize                *n_rows,
                                          gsize                *n_columns,
                                          GError              **error);
AttnCell   attn_cell_get_first           (const AttnStudy      *study,
                                          gsize                 layer,
                                          int                   head);
AttnCell   attn_cell_get                 (const AttnStudy      *study,
                                          const AttnIndexSet   *mapped,
                                          gsize                 layer,
                                          int                   head,
                                          gsize                 row,
                                          gsize                 column);
AttnCell   attn_cell_get_side            (const AttnCell       *cell,
                                          const AttnStudy      *study,
                                          const AttnIndexSet   *mapped,
                                          AttnCellSide          side);
gboolean   attn_cell_has_all_but_epsilon (const AttnCell       *cell,
                                          const AttnCell       *other);
gboolean   attn_cell_is_baseline         (const AttnCell       *cell,
                                          const AttnStudy      *study);
void       attn_cell_need_epsilons       (AttnStudy            *study);
void       attn_cell_need_members        (AttnStudy            *study);
AttnIndexSet *attn_cell_dup_heads        (const AttnCell       *cell,
                                          const AttnStudy      *study);
void       attn_cell_add_operation       (const AttnCell       *cell,
                                          const AttnStudy      *study,
                                          GPtrArray            *interventions);
gboolean   attn_cell_is_source           (const AttnCell       *cell,
                                          const AttnStudy      *study,
                                          gsize                 input);
GPtrArray *attn_cell_build_interventions (const AttnCell       *cell,
                                          const AttnStudy      *study);

G_END_DECLS
