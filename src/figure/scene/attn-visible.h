/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which cells of a panel a viewport shows, for those who draw cells instead of pixels. Private to
 * src/figure. */

#pragma once

#include <math.h>

#include "attn-scene.h"

G_BEGIN_DECLS

/**
 * AttnVisible:
 * @first_row: first row that is visible, at least in part
 * @end_row: the row behind the last one
 * @cell_width: points
 * @x: points: left edge of the first column, which may lie outside of the panel
 */
typedef struct
{
  gsize first_row;
  gsize end_row;
  gsize first_column;
  gsize end_column;
  double cell_width;
  double cell_height;
  double x;
  double y;
} AttnVisible;

static inline AttnVisible
attn_visible_get (const AttnMark *mark)
{
  gsize n_rows = attn_panel_get_n_rows (mark->panel);
  gsize n_columns = attn_panel_get_n_columns (mark->panel);
  const AttnViewport *viewport = &mark->viewport;
  AttnVisible visible = {
    .first_row = MIN ((gsize) (viewport->y * n_rows + 1e-6), n_rows - 1),
    .end_row = MIN ((gsize) ceil ((viewport->y + viewport->height) * n_rows - 1e-6), n_rows),
    .first_column = MIN ((gsize) (viewport->x * n_columns + 1e-6), n_columns - 1),
    .end_column =
        MIN ((gsize) ceil ((viewport->x + viewport->width) * n_columns - 1e-6), n_columns),
    .cell_width = mark->rectangle.width / (viewport->width * n_columns),
    .cell_height = mark->rectangle.height / (viewport->height * n_rows),
  };

  visible.end_row = MAX (visible.end_row, visible.first_row + 1);
  visible.end_column = MAX (visible.end_column, visible.first_column + 1);
  visible.x = mark->rectangle.x +
              (visible.first_column - viewport->x * n_columns) * visible.cell_width;
  visible.y = mark->rectangle.y + (visible.first_row - viewport->y * n_rows) * visible.cell_height;
  return visible;
}

G_END_DECLS
