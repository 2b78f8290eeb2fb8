/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-view-range.h"

#include <math.h>

/* The rows or columns of @n that the fractions @start to @start + @extent show, at least in part. */
static void
find_part (gsize   n,
           double  start,
           double  extent,
           gsize  *first,
           gsize  *end)
{
  /* A viewport that ends at a cell's edge does not show the next one, however it is rounded. */
  *first = CLAMP (floor (start * n + 1e-6), 0, n - 1);
  *end = CLAMP (ceil ((start + extent) * n - 1e-6), *first + 1, n);
}

static void
add_panel (AttnPanel          *panel,
           const AttnViewport *viewport,
           double             *low,
           double             *high)
{
  g_auto (AttnPanelReader) reader = { .panel = panel };
  gsize first_row, end_row, first_column, end_column;

  find_part (attn_panel_get_n_rows (panel), viewport->y, viewport->height, &first_row, &end_row);
  find_part (attn_panel_get_n_columns (panel), viewport->x, viewport->width, &first_column, &end_column);
  if (attn_viewport_is_fit (viewport))
    {
      AttnExtent extent;

      attn_panel_get_extent (panel, &extent);
      *low = fmin (*low, extent.has_minus_infinity ? -INFINITY : extent.lowest);
      *high = fmax (*high, extent.has_infinity ? INFINITY : extent.highest);
      return;
    }
  for (gsize row = first_row; row < end_row; row++)
    {
      AttnSpan span = attn_panel_get_visible (panel, row);
      const float *values = attn_panel_reader_get_row (&reader, row);

      for (gsize column = MAX (first_column, span.first); column < MIN (end_column, span.end);
           column++)
        {
          double value = values[column];

          /* Not a number is neither. */
          *low = fmin (*low, value);
          *high = fmax (*high, value);
        }
    }
}

/**
 * attn_view_range_find:
 * @panel: index of the only panel that is shown, or -1 for all
 * @viewport: the part of every panel that is shown
 * @low: (out): the smallest value there
 * @high: (out): the largest
 *
 * Masked cells do not count, nor do differences, which have a range of their own. Looks at every
 * cell that is shown once.
 *
 * Returns: whether there are two different values
 */
gboolean
attn_view_range_find (AttnGrid           *grid,
                      int                 panel,
                      const AttnViewport *viewport,
                      double             *low,
                      double             *high)
{
  gsize n = grid->n_rows * grid->n_columns;

  *low = INFINITY;
  *high = -INFINITY;
  for (gsize i = 0; i < n; i++)
    if (grid->cells[i].panel != NULL && !grid->cells[i].is_difference &&
        (panel < 0 || (gsize) panel == i))
      add_panel (grid->cells[i].panel, viewport, low, high);
  return *low < *high;
}
