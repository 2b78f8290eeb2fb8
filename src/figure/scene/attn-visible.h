/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Finds the visible cells of a panel for SVG and PDF, in which cells rather than pixels are drawn.
 * Private to src/figure. */

#pragma once

#include <math.h>

#include "attn-scene.h"

G_BEGIN_DECLS

/**
 * AttnVisible:
 * @rows: the rows that are visible, at least in part
 * @columns: the columns that are
 * @cell_width: points
 * @x: points: left edge of the first column, which may lie outside of the panel
 */
typedef struct
{
  AttnSpan rows;
  AttnSpan columns;
  double cell_width;
  double cell_height;
  double x;
  double y;
} AttnVisible;

/* Finds the visible cells, also those visible in part, among @n cells. @start, @extent: the edge
 * and the size of the viewport, as fractions of the panel */
static inline AttnSpan
attn_visible_get_span (double start,
                       double extent,
                       gsize  n)
{
  gsize first = MIN ((gsize) (MAX (start, 0) * n + 1e-6), n - 1);
  gsize end = MIN ((gsize) MAX (ceil ((start + extent) * n - 1e-6), 0), n);

  return (AttnSpan) { first, MAX (end, first + 1) };
}

/* Finds the visible cells of a heatmap, and their place. @mark: of kind ATTN_MARK_HEATMAP */
static inline AttnVisible
attn_visible_get (const AttnMark *mark)
{
  gsize n_rows = attn_panel_get_n_rows (mark->panel);
  gsize n_columns = attn_panel_get_n_columns (mark->panel);
  const AttnViewport *viewport = &mark->viewport;
  AttnSpan rows = attn_visible_get_span (viewport->y, viewport->height, n_rows);
  AttnSpan columns = attn_visible_get_span (viewport->x, viewport->width, n_columns);
  double cell_width = mark->rectangle.width / (viewport->width * n_columns);
  double cell_height = mark->rectangle.height / (viewport->height * n_rows);

  return (AttnVisible) {
    .rows = rows,
    .columns = columns,
    .cell_width = cell_width,
    .cell_height = cell_height,
    .x = mark->rectangle.x + (columns.first - viewport->x * n_columns) * cell_width,
    .y = mark->rectangle.y + (rows.first - viewport->y * n_rows) * cell_height,
  };
}

G_END_DECLS
