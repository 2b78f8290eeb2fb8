/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-range.h"

#include <math.h>

#include "attn-range-private.h"

/* The distance beyond an end of the range, relative to the range, below which a value is there by
 * rounding. */
#define END_EPSILON 1e-6

/* A logarithmic range that comes from the data spans at most six decades: weights go down to 1e-38,
 * but differences between such small ones are of no interest. */
#define LOG_SHARE 1e-6

/* The share of values outside the default ends of a range above which the ends come from the data,
 * as the figure would otherwise show nothing. In the published map of layers and tokens three
 * quarters of the values lie outside, as intended. */
#define OUTSIDE_SHARE 0.9

/* The smallest range of a scale of ratios, as a factor around 1. */
#define SMALLEST_RATIO 2.0

/* Panels that share a scale, and the facts about their values that are known so far. */
typedef struct
{
  gsize first;
  gsize n_cells;
  gboolean is_ratio;
  gboolean is_difference; /* whether the panels of the group show differences, or values */
  GPtrArray *panels;      /* element-type AttnPanel: the panels whose values share the scale */
  AttnExtent extent;
  AttnQuantiles *quantiles; /* (nullable): quantiles of the values; %NULL if not computed yet, or if
                             * no values can be ranked */
  gboolean has_share;       /* the next three are known */
  double share_low;         /* the ends for which they are */
  double share_high;
  gboolean is_outside;
  double clip; /* percent of the values left out at each end, for the next two members */
  double clipped_low;
  double clipped_high;
} Group;

static void
free_group (gpointer data)
{
  Group *group = data;

  g_ptr_array_unref (group->panels);
  g_clear_pointer (&group->quantiles, g_atomic_rc_box_release);
  g_free (group);
}

/* Reads rows of weights multiplied by the number of keys that the query attends to. */
static gboolean
read_ratios (gpointer   data,
             gsize      first_row,
             gsize      n_rows,
             float     *rows,
             GError   **error)
{
  AttnPanel *panel = data;
  gsize n_columns = attn_panel_get_n_columns (panel);

  if (!attn_panel_read_rows (panel, first_row, n_rows, rows, error))
    return FALSE;
  for (gsize row = 0; row < n_rows; row++)
    {
      AttnSpan span = attn_panel_get_visible (panel, first_row + row);
      float n = (float) (span.end - span.first);

      for (gsize column = 0; column < n_columns; column++)
        rows[row * n_columns + column] *= n;
    }
  return TRUE;
}

/* Makes a panel of weights times the number of keys that each query attends to, which is 1 for
 * uniform attention. For a long panel it is long, too. Returns %NULL if there is not enough
 * memory. */
static AttnPanel *
make_ratio (AttnPanel *panel)
{
  gsize n_rows = attn_panel_get_n_rows (panel);
  gsize n_columns = attn_panel_get_n_columns (panel);
  const gsize shape[] = { n_rows, n_columns };
  g_autofree AttnSpan *spans = g_new (AttnSpan, n_rows);
  AttnPanel *result;

  for (gsize row = 0; row < n_rows; row++)
    spans[row] = attn_panel_get_visible (panel, row);
  if (attn_panel_is_long (panel))
    {
      const AttnRowSource source = { read_ratios, attn_panel_ref (panel),
                                     (GDestroyNotify) attn_panel_unref };

      result = attn_panel_new_long (n_rows, n_columns, &source, ATTN_MASK_NONE, spans,
                                    attn_panel_get_row_labels (panel),
                                    attn_panel_get_column_labels (panel));
      attn_panel_copy_holes (result, panel);
      return result;
    }

  g_autoptr (AttnTensor) ratios = attn_tensor_new_unset (2, shape, NULL);
  if (ratios == NULL || !read_ratios (panel, 0, n_rows, ratios->data, NULL))
    return NULL;
  result = attn_panel_new_with_visibility (ratios, spans, attn_panel_get_row_labels (panel),
                                           attn_panel_get_column_labels (panel));
  attn_panel_copy_holes (result, panel);
  return result;
}

/* Returns the panel whose values a cell draws; for a scale of ratios that is not the cell's own.
 * Call with the grid's mutex locked. */
static AttnPanel *
get_drawn (AttnGridCell *cell,
           gboolean      is_ratio)
{
  if (!is_ratio || cell->panel == NULL)
    return cell->panel;
  if (cell->ratio == NULL)
    cell->ratio = make_ratio (cell->panel);
  return cell->ratio != NULL ? cell->ratio : cell->panel;
}

/**
 * attn_range_get_drawn:
 * @index: index of a cell of the grid, row-major
 * @kind: kind of the scale
 *
 * Returns: (transfer none) (nullable): the panel whose values stand on the scale: the cell's own,
 *   or for %ATTN_SCALE_RATIO a panel of its weights times the number of keys that each query sees.
 *   It lives as long as the grid. Made on first use.
 */
AttnPanel *
attn_range_get_drawn (AttnGrid      *grid,
                      gsize          index,
                      AttnScaleKind  kind)
{
  g_return_val_if_fail (index < grid->n_rows * grid->n_columns, NULL);

  if (grid->whole != NULL &&
      grid->whole->cells[grid->group + index].panel == grid->cells[index].panel)
    return attn_range_get_drawn (grid->whole, grid->group + index, kind);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&grid->mutex);
  return get_drawn (&grid->cells[index], kind == ATTN_SCALE_RATIO);
}

static double
get_percentile (const float *sorted,
                gsize        n_values,
                double       percent)
{
  double rank = CLAMP (percent, 0, 100) / 100 * (n_values - 1);
  gsize below = (gsize) rank;
  gsize above = MIN (below + 1, n_values - 1);

  return sorted[below] + (rank - below) * ((double) sorted[above] - sorted[below]);
}

/* Ranks the values of a group if the scale or the range needs ranks that are not known yet. */
static void
rank_group (Group           *group,
            const AttnStyle *style)
{
  double clip = isfinite (style->clip) ? CLAMP (style->clip, 0, 49.999) : 0;
  gsize n_values;

  if (style->scale != ATTN_SCALE_PERCENTILE && style->range != ATTN_RANGE_CLIPPED)
    return;
  if (group->quantiles != NULL && group->clip == clip)
    return;

  g_autofree float *sorted = attn_range_sort_values (group->panels, &n_values);
  if (sorted == NULL)
    return;
  g_clear_pointer (&group->quantiles, g_atomic_rc_box_release);
  group->quantiles = attn_quantiles_new (sorted, n_values);
  group->clip = clip;
  group->clipped_low = get_percentile (sorted, n_values, clip);
  group->clipped_high = get_percentile (sorted, n_values, 100 - clip);
}

/* Returns the panel of a cell that is on the scale of @group, or %NULL if the cell belongs to the
 * other scale. Call it with the grid's mutex locked. */
static AttnPanel *
get_member (const Group *group,
            AttnGrid    *grid,
            gsize        index)
{
  AttnGridCell *cell = &grid->cells[index];

  return !cell->is_difference == !group->is_difference ? get_drawn (cell, group->is_ratio) : NULL;
}

/* Returns the facts about the cells that share a scale, for which the first call passes over their
 * values. Call with the grid's mutex locked. */
static Group *
get_group (AttnGrid *grid,
           gsize     first,
           gsize     n_cells,
           gboolean  is_ratio,
           gboolean  is_difference)
{
  if (grid->ranges == NULL)
    grid->ranges = g_ptr_array_new_with_free_func (free_group);
  for (guint i = 0; i < grid->ranges->len; i++)
    {
      Group *known = g_ptr_array_index (grid->ranges, i);

      if (known->first == first && known->n_cells == n_cells && known->is_ratio == is_ratio &&
          known->is_difference == is_difference)
        return known;
    }

  const AttnViewport all = ATTN_VIEWPORT_FIT;
  Group *group = g_new0 (Group, 1);
  *group = (Group) { first, n_cells, is_ratio, is_difference, g_ptr_array_new (),
                     ATTN_EXTENT_EMPTY };
  for (gsize i = first; i < first + n_cells; i++)
    {
      AttnPanel *panel = get_member (group, grid, i);

      if (panel == NULL)
        continue;
      g_ptr_array_add (group->panels, panel);
      attn_range_scan_view (panel, &all, &group->extent);
    }
  g_ptr_array_add (grid->ranges, group);
  return group;
}

/* Finds the smallest and largest of the values that the viewports show. NaN and masked cells count
 * even if not visible, so that the key of their colours stays. */
static AttnExtent
scan_shown (const Group        *group,
            AttnGrid           *grid,
            const AttnViewport *viewports)
{
  AttnExtent extent = ATTN_EXTENT_EMPTY;

  for (gsize i = group->first; i < group->first + group->n_cells; i++)
    {
      AttnPanel *panel = get_member (group, grid, i);

      if (panel != NULL)
        attn_range_scan_view (panel, &viewports[i], &extent);
    }
  extent.has_nan = group->extent.has_nan;
  extent.has_masked = group->extent.has_masked;
  return extent;
}

/* Tells whether the range depends on the visible values alone while some values are not visible. */
static gboolean
needs_scan (const Group        *group,
            const AttnStyle    *style,
            const AttnViewport *viewports)
{
  if (style->range != ATTN_RANGE_VISIBLE || style->scale == ATTN_SCALE_PERCENTILE ||
      viewports == NULL)
    return FALSE;
  for (gsize i = group->first; i < group->first + group->n_cells; i++)
    if (!attn_viewport_is_fit (&viewports[i]))
      return TRUE;
  return FALSE;
}

/* Computes the ends of the range from the data, before they are adjusted to the kind of scale. */
static void
get_data_ends (const Group      *group,
               const AttnExtent *extent,
               const AttnStyle  *style,
               double           *low,
               double           *high)
{
  if (extent->lowest > extent->highest)
    {
      *low = 0;
      *high = 1;
    }
  else if (style->range == ATTN_RANGE_CLIPPED && group->quantiles != NULL)
    {
      *low = group->clipped_low;
      *high = group->clipped_high;
    }
  else
    {
      *low = extent->lowest;
      *high = extent->highest;
    }
}

/* Makes both ends of a logarithmic range positive and different. */
static void
fit_log_ends (const AttnExtent *extent,
              double           *low,
              double           *high)
{
  if (!(*high > 0))
    *high = extent->highest > 0 ? extent->highest : 1;
  if (!(*low > 0))
    *low = extent->lowest_positive < *high ? extent->lowest_positive : 0;
  *low = MAX (*low, *high * LOG_SHARE);
  if (!(*low < *high))
    *low = *high / 10;
}

/* Tells whether nearly all visible values lie outside the ends of the style's range, which then are
 * for a figure with other values. The values of long panels are not counted. */
static gboolean
are_outside (Group  *group,
             double  low,
             double  high)
{
  gsize n_values = 0;
  gsize n_outside = 0;

  if (group->extent.lowest >= low && group->extent.highest <= high)
    return FALSE;
  if (group->has_share && group->share_low == low && group->share_high == high)
    return group->is_outside;
  for (guint i = 0; i < group->panels->len; i++)
    {
      AttnPanel *panel = g_ptr_array_index (group->panels, i);
      const AttnTensor *values = attn_panel_is_long (panel) ? NULL : attn_panel_get_values (panel);

      for (gsize row = 0; values != NULL && row < attn_panel_get_n_rows (panel); row++)
        {
          AttnSpan span = attn_panel_get_visible (panel, row);
          const float *cells = values->data + row * values->shape[1];

          for (gsize column = span.first; column < span.end; column++)
            {
              n_values += isfinite (cells[column]);
              n_outside += isfinite (cells[column]) &&
                           (cells[column] < (float) low || cells[column] > (float) high);
            }
        }
    }
  group->has_share = TRUE;
  group->share_low = low;
  group->share_high = high;
  group->is_outside = (double) n_outside > OUTSIDE_SHARE * (double) n_values;
  return group->is_outside;
}

/* Tells whether the ends of the range are those of the style, not of the data. */
static gboolean
has_own_ends (Group           *group,
              const AttnStyle *style)
{
  return style->range == ATTN_RANGE_FIXED ||
         (style->range == ATTN_RANGE_AUTOMATIC &&
          (style->scale != ATTN_SCALE_LINEAR || !are_outside (group, style->low, style->high)));
}

static AttnScale
make_scale (const Group      *group,
            const AttnExtent *extent,
            const AttnStyle  *style,
            gboolean          is_fixed)
{
  double low = style->low;
  double high = style->high;

  if (style->scale == ATTN_SCALE_PERCENTILE)
    return attn_scale_new (style->scale, 0, 1, group->quantiles);
  if (!is_fixed)
    get_data_ends (group, extent, style, &low, &high);
  switch (style->scale)
    {
    case ATTN_SCALE_LOG:
      if (!is_fixed || !(low > 0 && high > low))
        fit_log_ends (extent, &low, &high);
      break;
    case ATTN_SCALE_RATIO:
      /* The ends 0 to 1 are meant for weights, not for ratios. Only the upper end of the data is
       * used: if a token takes most of the attention (a sink), the rest of a row is nearly 0. */
      if (is_fixed && !(low > 0) && !(high > 1))
        high = extent->highest;
      high = isfinite (high) ? MAX (high, SMALLEST_RATIO) : SMALLEST_RATIO;
      low = is_fixed && low > 0 && low < 1 ? low : 1 / high;
      break;
    case ATTN_SCALE_SYMMETRIC:
      if (!is_fixed && low == 0 && high == 0)
        high = 1;
      break;
    case ATTN_SCALE_LINEAR:
    case ATTN_SCALE_PERCENTILE:
    default:
      if (!is_fixed && low == high)
        {
          high = MAX (low, 0);
          low = MIN (low, 0);
          high = low == high ? 1 : high;
        }
      break;
    }
  return attn_scale_new (style->scale, low, high, NULL);
}

/**
 * attn_range_resolve:
 * @first: index of the first cell, row-major
 * @n_cells: how many cells share the scale
 * @is_difference: %TRUE if of these cells those count that are differences; %FALSE for the others
 * @style: which kind of scale and range; for differences [func@attn_style_get_difference]
 * @viewports: (array) (nullable): which part of each cell of the grid is shown, row-major, for
 *   %ATTN_RANGE_VISIBLE; %NULL for all
 * @range: (out caller-allocates): the scale; clear it with [func@attn_range_clear]
 *
 * Costs a pass over the values on first use, unless the panels know them, and a sort where their
 * order is needed; the grid keeps the answer, but for %ATTN_RANGE_VISIBLE it passes over the values
 * in the viewports each time. Ranks are always those among all values. A logarithmic scale that has
 * no ends above 0 takes them from the data, six decades at most; a scale of ratios goes as far as
 * the data does where the style's ends are those of weights. Without a cell that counts, the scale
 * is that of the style, or from 0 to 1. Any thread may call.
 */
void
attn_range_resolve (AttnGrid           *grid,
                    gsize               first,
                    gsize               n_cells,
                    gboolean            is_difference,
                    const AttnStyle    *style,
                    const AttnViewport *viewports,
                    AttnRange          *range)
{
  g_return_if_fail (first + n_cells <= grid->n_rows * grid->n_columns);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&grid->mutex);
  Group *group =
      get_group (grid, first, n_cells, style->scale == ATTN_SCALE_RATIO, is_difference);
  AttnExtent shown;
  const AttnExtent *extent = &group->extent;

  if (needs_scan (group, style, viewports))
    {
      shown = scan_shown (group, grid, viewports);
      extent = &shown;
    }
  rank_group (group, style);
  gboolean is_fixed = has_own_ends (group, style);
  *range = (AttnRange) { .scale = make_scale (group, extent, style, is_fixed),
                         .is_fixed = is_fixed };
  if (range->scale.quantiles != NULL)
    g_atomic_rc_box_acquire (range->scale.quantiles);

  double low = range->scale.low;
  double high = range->scale.high;
  gboolean is_relative = !attn_scale_is_straight (&range->scale);
  double slack_low = END_EPSILON * (is_relative ? fabs (low) : fabs (high - low));
  double slack_high = END_EPSILON * (is_relative ? fabs (high) : fabs (high - low));
  range->has_under = extent->has_minus_infinity || extent->lowest < low - slack_low;
  range->has_over = extent->has_infinity || extent->highest > high + slack_high;
  range->has_nan = extent->has_nan;
  range->has_masked = extent->has_masked;
}

/**
 * attn_range_count:
 *
 * Returns: how many scales the cells of @grid have, as the scope of @style says; each scale has the
 *   same number of cells, which follow one another row by row
 */
gsize
attn_range_count (const AttnGrid  *grid,
                  const AttnStyle *style)
{
  switch (MAX (style->range_scope, grid->scope))
    {
    case ATTN_RANGE_SCOPE_PANEL:
      return grid->n_rows * grid->n_columns;
    case ATTN_RANGE_SCOPE_ROW:
      return grid->n_rows;
    default:
      return 1;
    }
}

/**
 * attn_range_follows_data:
 *
 * Returns: whether some scale of @grid has the ends of the data, since nearly all of it lies
 *   outside the ends that the figure has by itself
 */
gboolean
attn_range_follows_data (AttnGrid        *grid,
                         const AttnStyle *style)
{
  gsize n_ranges = attn_range_count (grid, style);
  gsize n_shared = grid->n_rows * grid->n_columns / n_ranges;
  gboolean follows = FALSE;

  for (gsize i = 0; i < n_ranges && !follows && style->range == ATTN_RANGE_AUTOMATIC; i++)
    {
      g_auto (AttnRange) range = { 0 };

      attn_range_resolve (grid, i * n_shared, n_shared, FALSE, style, NULL, &range);
      follows = !range.is_fixed;
    }
  return follows;
}

/**
 * attn_range_needs_pass:
 *
 * Returns: whether the ranges of @style cost a pass over all values of a long panel that computing
 *   those of @known has not made already
 */
gboolean
attn_range_needs_pass (AttnGrid        *grid,
                       const AttnStyle *style,
                       const AttnStyle *known)
{
  gboolean is_ranked =
      style->scale == ATTN_SCALE_PERCENTILE || style->range == ATTN_RANGE_CLIPPED;
  gboolean is_alike =
      style->scale == known->scale && style->range == known->range &&
      style->clip == known->clip && style->range_scope == known->range_scope;

  if (is_alike || (!is_ranked && style->scale != ATTN_SCALE_RATIO))
    return FALSE;
  for (gsize i = 0; i < grid->n_rows * grid->n_columns; i++)
    if (grid->cells[i].panel != NULL && attn_panel_is_long (grid->cells[i].panel))
      return TRUE;
  return FALSE;
}

/**
 * attn_range_prepare:
 *
 * Computes what [func@attn_range_resolve] needs of all values of @grid, which keeps the results:
 * drawing the figure then passes over no values. Call it in a worker.
 */
void
attn_range_prepare (AttnGrid        *grid,
                    const AttnStyle *style)
{
  const AttnStyle difference_style = attn_style_get_difference (style);
  gsize n_ranges = attn_range_count (grid, style);
  gsize n_shared = grid->n_rows * grid->n_columns / n_ranges;

  for (gsize i = 0; i < 2 * n_ranges; i++)
    {
      g_auto (AttnRange) range = { 0 };
      gboolean is_difference = i >= n_ranges;

      attn_range_resolve (grid, i % n_ranges * n_shared, n_shared, is_difference,
                          is_difference ? &difference_style : style, NULL, &range);
    }
}

/**
 * attn_range_clear:
 *
 * Frees the quantiles of the scale.
 */
void
attn_range_clear (AttnRange *range)
{
  g_clear_pointer (&range->scale.quantiles, g_atomic_rc_box_release);
}
