/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A grid: rows x columns of panels with their titles. */

#pragma once

#include "attn-panel.h"

G_BEGIN_DECLS

/**
 * AttnGridCell:
 * @panel: (nullable): the matrix; %NULL leaves the place empty
 * @baseline: (nullable): the same without the intervention, to compare with
 * @title: (nullable): Pango markup of which <i> is used, shown above the panel
 * @name: plain text that names the panel, for assistive technology and as the name of its group in
 *   SVG
 */
typedef struct
{
  AttnPanel *panel;
  AttnPanel *baseline;
  char *title;
  char *name;
} AttnGridCell;

/**
 * AttnGrid:
 * @cells: (array): row-major, @n_rows x @n_columns
 * @caption: (nullable): Pango markup below the grid
 * @value_label: what the values are: the label of the colour bar, "Attention Weight"
 *
 * Filled by its maker, then immutable. Reference-counted; any thread may use it.
 */
typedef struct
{
  gsize n_rows;
  gsize n_columns;
  AttnGridCell *cells;
  char *caption;
  char *value_label;

  /*< private >*/
  gatomicrefcount ref_count;
} AttnGrid;

AttnGrid     *attn_grid_new      (gsize      n_rows,
                                  gsize      n_columns);
AttnGrid     *attn_grid_ref      (AttnGrid  *grid);
void          attn_grid_unref    (AttnGrid  *grid);
AttnGridCell *attn_grid_get_cell (AttnGrid  *grid,
                                  gsize      row,
                                  gsize      column);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnGrid, attn_grid_unref)

G_END_DECLS
