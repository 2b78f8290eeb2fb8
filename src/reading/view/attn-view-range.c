/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-view-range.h"

#include <math.h>

#include "attn-range.h"

/**
 * attn_view_range_find:
 * @panel: index of the only panel that is shown, or -1 for all
 * @viewport: the part of every panel that is shown
 * @low: (out): the smallest value there
 * @high: (out): the largest
 *
 * Masked cells do not count, nor do differences, which have a range of their own. Looks at every
 * cell that is shown once, of a long panel at what is there to be drawn.
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
  AttnExtent extent = ATTN_EXTENT_EMPTY;

  for (gsize i = 0; i < n; i++)
    if (grid->cells[i].panel != NULL && !grid->cells[i].is_difference &&
        (panel < 0 || (gsize) panel == i))
      attn_range_scan_view (grid->cells[i].panel, viewport, &extent);
  *low = extent.has_minus_infinity ? -INFINITY : extent.lowest;
  *high = extent.has_infinity ? INFINITY : extent.highest;
  return *low < *high;
}
