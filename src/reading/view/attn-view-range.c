/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-view-range.h"

#include <math.h>

#include "attn-range.h"

/* The share of weights, DIM_SHARE, that must lie in the lowest DIM_PART of the colour range for the
 * figure to count as dim. */
#define DIM_PART  0.05
#define DIM_SHARE 0.90

/* Numbers of rows: panels with fewer than LONG_INPUT are not dim, as their diagonal shows; of
 * panels with more, SAMPLED_ROWS rows are examined. */
#define LONG_INPUT   64
#define SAMPLED_ROWS 32 /* number of sampled rows of all panels together, but no fewer than
                         * LEAST_ROWS of each */
#define LEAST_ROWS   4

/* The share of a colour bar that remains between its ends, however near one is dragged to the
 * other. */
#define SMALLEST_PART 0.02

/**
 * attn_view_range_find:
 * @panel: index of the only panel that is shown, or -1 for all
 * @viewport: the part of every panel that is shown
 * @low: (out): the smallest value in that part
 * @high: (out): the largest value in that part
 *
 * Masked cells do not count, nor do differences, which have a range of their own. Looks once at
 * every cell that is shown; of a long panel only at what is in memory to be drawn.
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

/**
 * attn_view_range_is_dim:
 *
 * Looks at some rows of each panel.
 *
 * Returns: whether nearly all weights of long inputs lie in the lowest twentieth of a linear range,
 *   so that the figure has nearly one colour
 */
gboolean
attn_view_range_is_dim (AttnGrid        *grid,
                        const AttnStyle *style)
{
  double edge = style->low + DIM_PART * (style->high - style->low);
  gsize n_panels = grid->n_rows * grid->n_columns;
  gsize n_sampled = MAX (SAMPLED_ROWS / n_panels, LEAST_ROWS);
  gsize n = 0;
  gsize n_dim = 0;

  if (style->scale != ATTN_SCALE_LINEAR || grid->is_binary ||
      (style->range != ATTN_RANGE_FIXED && style->range != ATTN_RANGE_AUTOMATIC))
    return FALSE;
  for (gsize i = 0; i < n_panels; i++)
    {
      AttnPanel *panel = grid->cells[i].panel;
      gsize n_rows = panel != NULL && !grid->cells[i].is_difference ? attn_panel_get_n_rows (panel)
                                                                    : 0;

      if (n_rows < LONG_INPUT || attn_panel_is_long (panel))
        continue;
      const AttnTensor *values = attn_panel_get_values (panel);
      for (gsize row = 0; row < n_rows; row += MAX (n_rows / n_sampled, 1))
        {
          AttnSpan span = attn_panel_get_visible (panel, row);
          const float *weights = values->data + row * values->shape[1];

          for (gsize column = span.first; column < span.end; column++)
            n_dim += weights[column] < edge;
          n += span.end - span.first;
        }
    }
  return n > 0 && n_dim >= DIM_SHARE * n;
}

static double
get_value (const AttnScale *scale,
           double           position)
{
  return scale->kind == ATTN_SCALE_LOG
             ? scale->low * pow (scale->high / scale->low, position)
             : scale->low + position * (scale->high - scale->low);
}

/**
 * attn_view_range_drag:
 * @scale: the scale of a colour bar
 * @from: where the drag began on the bar, 0 at its lower end to 1
 * @to: where the pointer is now, which may be beyond the ends
 * @low: (out): the lower end of the range in which the value at which the drag began is under the
 *   pointer, while the end farther from it stays
 * @high: (out): the upper end of that range
 *
 * Returns: whether there is such a range: there is none on a scale of ranks or ratios or on a
 *   symmetric one, nor if the pointer is at the end that stays
 */
gboolean
attn_view_range_drag (const AttnScale *scale,
                      double           from,
                      double           to,
                      double          *low,
                      double          *high)
{
  gboolean is_log = scale->kind == ATTN_SCALE_LOG && scale->low > 0;
  double ends[2] = { scale->low, scale->high };
  gboolean moves_high = from >= 0.5;
  double held = get_value (scale, from);

  if ((scale->kind != ATTN_SCALE_LINEAR && !is_log) || !(scale->high > scale->low) ||
      (moves_high ? to : 1 - to) < SMALLEST_PART)
    return FALSE;
  for (guint i = 0; i < 2 && is_log; i++)
    ends[i] = log (ends[i]);
  if (is_log)
    held = log (held);
  if (moves_high)
    ends[1] = ends[0] + (held - ends[0]) / to;
  else
    ends[0] = ends[1] - (ends[1] - held) / (1 - to);
  /* The value is rounded to two digits, as a drag is not more precise. */
  double digit = is_log ? 0 : pow (10, floor (log10 (ends[1] - ends[0])) - 1);
  for (guint i = 0; i < 2; i++)
    {
      double end = is_log ? exp (ends[i]) : ends[i];

      *(i == 0 ? low : high) = digit > 0 && i == (guint) moves_high ? round (end / digit) * digit
                                                                    : end;
    }
  return *high > *low && isfinite (*high) && isfinite (*low);
}
