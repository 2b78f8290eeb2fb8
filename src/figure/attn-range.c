/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-range.h"

#include <math.h>
#include <string.h>

/* A value this far beyond an end, relative to the range, is there by rounding. */
#define END_EPSILON 1e-6

/* A logarithmic scale that the data chooses shows at most six decades: weights go down to 1e-38,
 * where there is nothing to see. */
#define LOG_SHARE 1e-6

/* What a ratio's scale shows at least, around 1. */
#define SMALLEST_RATIO 2.0

/* Panels that share a scale, and what has been found out about them. */
typedef struct
{
  gsize first;
  gsize n_cells;
  gboolean is_ratio;
  gboolean is_difference; /* of the cells, those that are differences; else the others */
  GPtrArray *panels;      /* element-type AttnPanel, owned: what has been looked at */
  AttnExtent extent;
  AttnQuantiles *quantiles; /* (nullable): not yet asked for, or nothing to rank */
  double clip;              /* percent, of the two below */
  double clipped_low;
  double clipped_high;
} Group;

typedef struct
{
  GMutex mutex;
  GPtrArray *groups;
  gsize n_cells;
  AttnPanel **sources; /* of the panels below */
  AttnPanel **ratios;
} Cache;

static void
free_group (gpointer data)
{
  Group *group = data;

  g_ptr_array_unref (group->panels);
  g_clear_pointer (&group->quantiles, attn_quantiles_unref);
  g_free (group);
}

gpointer
attn_range_cache_new (gsize n_cells)
{
  Cache *cache = g_new0 (Cache, 1);

  g_mutex_init (&cache->mutex);
  cache->groups = g_ptr_array_new_with_free_func (free_group);
  cache->n_cells = n_cells;
  cache->sources = g_new0 (AttnPanel *, n_cells);
  cache->ratios = g_new0 (AttnPanel *, n_cells);
  return cache;
}

void
attn_range_cache_free (gpointer cache)
{
  Cache *self = cache;

  for (gsize i = 0; i < self->n_cells; i++)
    {
      g_clear_pointer (&self->sources[i], attn_panel_unref);
      g_clear_pointer (&self->ratios[i], attn_panel_unref);
    }
  g_free (self->sources);
  g_free (self->ratios);
  g_ptr_array_unref (self->groups);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

/* Each weight times the number of keys that its query sees. */
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

static AttnPanel *
make_ratio (AttnPanel *panel)
{
  gsize n_rows = attn_panel_get_n_rows (panel);
  gsize n_columns = attn_panel_get_n_columns (panel);
  const gsize shape[] = { n_rows, n_columns };
  g_autofree AttnSpan *spans = g_new (AttnSpan, n_rows);

  for (gsize row = 0; row < n_rows; row++)
    spans[row] = attn_panel_get_visible (panel, row);
  if (attn_panel_is_long (panel))
    {
      const AttnRowSource source = { read_ratios, attn_panel_ref (panel),
                                     (GDestroyNotify) attn_panel_unref };

      return attn_panel_new_long (n_rows, n_columns, &source, ATTN_MASK_NONE, spans,
                                  attn_panel_get_row_labels (panel),
                                  attn_panel_get_column_labels (panel));
    }

  g_autoptr (AttnTensor) ratios = attn_tensor_new_unset (2, shape, NULL);
  if (ratios == NULL || !read_ratios (panel, 0, n_rows, ratios->data, NULL))
    return NULL;
  return attn_panel_new_with_visibility (ratios, spans, attn_panel_get_row_labels (panel),
                                         attn_panel_get_column_labels (panel));
}

/* Under the lock. */
static AttnPanel *
get_drawn (Cache         *cache,
           AttnPanel     *panel,
           gsize          index,
           AttnScaleKind  kind)
{
  if (kind != ATTN_SCALE_RATIO || panel == NULL)
    return panel;
  if (cache->sources[index] != panel)
    {
      g_clear_pointer (&cache->sources[index], attn_panel_unref);
      g_clear_pointer (&cache->ratios[index], attn_panel_unref);
      cache->ratios[index] = make_ratio (panel);
      cache->sources[index] = attn_panel_ref (panel);
    }
  return cache->ratios[index] != NULL ? cache->ratios[index] : panel;
}

/**
 * attn_range_get_drawn:
 * @index: of a cell of the grid, row-major
 * @kind: kind of the scale
 *
 * Returns: (transfer none) (nullable): the panel whose values stand on the scale: the cell's own,
 *   and for %ATTN_SCALE_RATIO one of its weights times the number of keys that each query sees. It
 *   lives as long as the grid. Made on first use.
 */
AttnPanel *
attn_range_get_drawn (AttnGrid      *grid,
                      gsize          index,
                      AttnScaleKind  kind)
{
  Cache *cache = grid->cache;

  g_return_val_if_fail (index < cache->n_cells, NULL);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&cache->mutex);
  return get_drawn (cache, grid->cells[index].panel, index, kind);
}

/* Rows and columns of a panel. */
typedef struct
{
  AttnSpan rows;
  AttnSpan columns;
} Part;

/* What of a row is in @part and not masked. */
static AttnSpan
get_span (AttnPanel  *panel,
          const Part *part,
          gsize       row)
{
  AttnSpan span = attn_panel_get_visible (panel, row);

  span.first = MAX (span.first, part->columns.first);
  span.end = MAX (MIN (span.end, part->columns.end), span.first);
  return span;
}

/* Of @n cells from the start of a viewport, those that are shown at least in part. */
static AttnSpan
get_shown (double start,
           double extent,
           gsize  n)
{
  gsize first = MIN ((gsize) (MAX (start, 0) * n + 1e-6), n - 1);
  gsize end = MIN ((gsize) MAX (ceil ((start + extent) * n - 1e-6), 0), n);

  return (AttnSpan) { first, MAX (end, first + 1) };
}

/* Of a long panel what is there to be drawn decides: the cells themselves, else the largest of what is
 * shown and the smallest of what was read for it, since halved cells do not have their smallest. */
static void
scan_long_part (AttnPanel  *panel,
                const Part *part,
                AttnExtent *extent)
{
  g_auto (AttnPanelTile) tile = { 0 };
  AttnExtent own = ATTN_EXTENT_EMPTY;

  attn_panel_get_tile (panel, 0, part->rows, part->columns, &tile);
  if (tile.values == NULL)
    return;

  gsize width = tile.values->shape[1];
  gsize end_row = ((part->rows.end - 1) >> tile.level) + 1;
  AttnSpan all = { part->columns.first >> tile.level,
                   ((part->columns.end - 1) >> tile.level) + 1 };

  for (gsize row = part->rows.first >> tile.level; row < end_row; row++)
    {
      AttnSpan span = tile.level == 0 ? get_span (panel, part, row) : all;

      attn_extent_add (&own,
                       tile.values->data + (row - tile.first_row) * width + span.first -
                           tile.first_column,
                       span.end - span.first);
    }
  if (tile.level > 0)
    {
      double highest = own.highest;

      own = tile.extent;
      if (!attn_panel_is_signed (panel) && highest >= own.lowest)
        own.highest = MIN (own.highest, highest);
    }
  own.has_masked = attn_panel_has_masked (panel);
  attn_extent_merge (extent, &own);
}

static void
scan_panel (AttnPanel  *panel,
            AttnExtent *extent)
{
  AttnExtent own;

  attn_panel_get_extent (panel, &own);
  attn_extent_merge (extent, &own);
}

/**
 * attn_range_scan_view:
 * @viewport: the part of @panel that is shown
 * @extent: (inout): of other panels, to begin with %ATTN_EXTENT_EMPTY
 *
 * Adds what is shown and not masked. Of a long panel that is as good as what is there to be drawn, and
 * nothing is read for it.
 */
void
attn_range_scan_view (AttnPanel          *panel,
                      const AttnViewport *viewport,
                      AttnExtent         *extent)
{
  const AttnTensor *values = attn_panel_get_values (panel);
  const Part part = {
    get_shown (viewport->y, viewport->height, attn_panel_get_n_rows (panel)),
    get_shown (viewport->x, viewport->width, attn_panel_get_n_columns (panel)),
  };

  if (attn_viewport_is_fit (viewport))
    {
      scan_panel (panel, extent);
      return;
    }
  if (values == NULL)
    {
      scan_long_part (panel, &part, extent);
      return;
    }
  for (gsize row = part.rows.first; row < part.rows.end; row++)
    {
      AttnSpan span = get_span (panel, &part, row);

      attn_extent_add (extent, values->data + row * values->shape[1] + span.first,
                       span.end - span.first);
    }
  extent->has_masked |= attn_panel_has_masked (panel);
}

/* A float's bits as a number that grows with it. */
static guint32
to_key (float value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  return bits & 0x80000000 ? ~bits : bits | 0x80000000;
}

static float
from_key (guint32 key)
{
  guint32 bits = key & 0x80000000 ? key & 0x7fffffff : ~key;
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

/* Radix sort by 11 bits at a time: millions of weights in a blink. */
static void
sort_keys (guint32 *keys,
           guint32 *scratch,
           gsize    n)
{
  const guint n_bits = 11;
  const guint32 mask = (1 << n_bits) - 1;
  g_autofree gsize *starts = g_new (gsize, mask + 1);
  guint32 *from = keys;
  guint32 *to = scratch;

  for (guint shift = 0; shift < 33; shift += n_bits)
    {
      gsize start = 0;

      memset (starts, 0, (mask + 1) * sizeof *starts);
      for (gsize i = 0; i < n; i++)
        starts[from[i] >> shift & mask]++;
      for (guint32 digit = 0; digit <= mask; digit++)
        {
          gsize count = starts[digit];

          starts[digit] = start;
          start += count;
        }
      for (gsize i = 0; i < n; i++)
        to[starts[from[i] >> shift & mask]++] = from[i];
      guint32 *swap = from;
      from = to;
      to = swap;
    }
  memcpy (keys, from, n * sizeof *keys);
}

/* Of a long panel, so many values stand for the rest that a panel that is not long could have. */
static gsize
get_step (AttnPanel *panel)
{
  gsize n_rows = attn_panel_get_n_rows (panel);
  gsize n_columns = attn_panel_get_n_columns (panel);

  return attn_panel_is_long (panel) ? n_rows / (attn_panel_get_max_cells () / n_columns + 1) + 1 : 1;
}

static gsize
get_n_ranked (AttnPanel *panel)
{
  return attn_panel_get_n_columns (panel) / get_step (panel) + 1;
}

/* The finite values of all panels, ascending; NULL if there are none or not the memory. */
static float *
sort_values (const Group *group,
             gsize       *n_values)
{
  gsize capacity = 0;
  gsize n = 0;

  for (guint i = 0; i < group->panels->len; i++)
    {
      AttnPanel *panel = g_ptr_array_index (group->panels, i);

      capacity += attn_panel_get_n_rows (panel) * get_n_ranked (panel);
    }

  g_autofree guint32 *keys = g_try_new (guint32, capacity);
  g_autofree guint32 *scratch = g_try_new (guint32, capacity);
  if (keys == NULL || scratch == NULL)
    return NULL;
  for (guint i = 0; i < group->panels->len; i++)
    {
      AttnPanel *panel = g_ptr_array_index (group->panels, i);

      g_auto (AttnPanelReader) reader = { .panel = panel, .passes = TRUE };
      gsize step = get_step (panel);

      for (gsize row = 0; row < attn_panel_get_n_rows (panel); row++)
        {
          AttnSpan span = attn_panel_get_visible (panel, row);
          const float *values = attn_panel_reader_get_row (&reader, row);

          /* Of a long panel each row begins elsewhere, so that no column is preferred. */
          for (gsize column = span.first + row % step; column < span.end; column += step)
            {
              float value = values[column];

              if (isfinite (value))
                keys[n++] = to_key (value + 0.0f); /* -0 becomes 0 */
            }
        }
    }
  *n_values = n;
  if (n == 0)
    return NULL;
  sort_keys (keys, scratch, n);

  float *sorted = (float *) scratch;
  for (gsize i = 0; i < n; i++)
    sorted[i] = from_key (keys[i]);
  return (float *) (gpointer) g_steal_pointer (&scratch);
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

/* Sorts the values if their order is needed and not known. */
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

  g_autofree float *sorted = sort_values (group, &n_values);
  if (sorted == NULL)
    return;
  g_clear_pointer (&group->quantiles, attn_quantiles_unref);
  group->quantiles = attn_quantiles_new (sorted, n_values);
  group->clip = clip;
  group->clipped_low = get_percentile (sorted, n_values, clip);
  group->clipped_high = get_percentile (sorted, n_values, 100 - clip);
}

/* Under the lock: what of a cell is on the scale of @group, if anything is. */
static AttnPanel *
get_member (const Group *group,
            AttnGrid    *grid,
            gsize        index)
{
  if (!grid->cells[index].is_difference != !group->is_difference)
    return NULL;
  return get_drawn (grid->cache, grid->cells[index].panel, index,
                    group->is_ratio ? ATTN_SCALE_RATIO : ATTN_SCALE_LINEAR);
}

static gboolean
is_current (const Group *group,
            AttnGrid    *grid)
{
  guint n = 0;

  for (gsize i = group->first; i < group->first + group->n_cells; i++)
    {
      AttnPanel *panel = get_member (group, grid, i);

      if (panel == NULL)
        continue;
      if (n >= group->panels->len || g_ptr_array_index (group->panels, n) != panel)
        return FALSE;
      n++;
    }
  return n == group->panels->len;
}

static Group *
get_group (AttnGrid *grid,
           gsize     first,
           gsize     n_cells,
           gboolean  is_ratio,
           gboolean  is_difference)
{
  Cache *cache = grid->cache;

  for (guint i = 0; i < cache->groups->len; i++)
    {
      Group *known = g_ptr_array_index (cache->groups, i);

      if (known->first != first || known->n_cells != n_cells || known->is_ratio != is_ratio ||
          known->is_difference != is_difference)
        continue;
      if (is_current (known, grid))
        return known;
      g_ptr_array_remove_index_fast (cache->groups, i);
      break;
    }

  Group *group = g_new0 (Group, 1);
  group->first = first;
  group->n_cells = n_cells;
  group->is_ratio = is_ratio;
  group->is_difference = is_difference;
  group->panels = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_panel_unref);
  group->extent = ATTN_EXTENT_EMPTY;
  for (gsize i = first; i < first + n_cells; i++)
    {
      AttnPanel *panel = get_member (group, grid, i);

      if (panel == NULL)
        continue;
      g_ptr_array_add (group->panels, attn_panel_ref (panel));
      scan_panel (panel, &group->extent);
    }
  g_ptr_array_add (cache->groups, group);
  return group;
}

/* Of the values that the viewports show. What is not a number or masked counts wherever it is, so
 * that the key of its colours stays. */
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

/* Whether a part of the data decides, and not all of it, about which the group knows already. */
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

/* The ends that the data gives, before they are fitted to the kind of the scale. */
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

/* Both ends above 0 and not the same. */
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

static AttnScale
make_scale (const Group      *group,
            const AttnExtent *extent,
            const AttnStyle  *style)
{
  gboolean is_fixed = style->range == ATTN_RANGE_FIXED;
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
      /* 0 to 1 are the ends of weights, not of a ratio. The data's upper end decides alone: with a
       * sink, most of a row is next to nothing. */
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

static gboolean
resolve (AttnGrid           *grid,
         gsize               first,
         gsize               n_cells,
         gboolean            is_difference,
         const AttnStyle    *style,
         const AttnViewport *viewports,
         AttnRange          *range)
{
  Cache *cache = grid->cache;

  g_return_val_if_fail (first + n_cells <= cache->n_cells, FALSE);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&cache->mutex);
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
  *range = (AttnRange) { .scale = make_scale (group, extent, style) };
  if (range->scale.quantiles != NULL)
    attn_quantiles_ref (range->scale.quantiles);

  double low = range->scale.low;
  double high = range->scale.high;
  gboolean is_relative = !attn_scale_is_straight (&range->scale);
  double slack_low = END_EPSILON * (is_relative ? fabs (low) : fabs (high - low));
  double slack_high = END_EPSILON * (is_relative ? fabs (high) : fabs (high - low));
  range->has_under = extent->has_minus_infinity || extent->lowest < low - slack_low;
  range->has_over = extent->has_infinity || extent->highest > high + slack_high;
  range->has_nan = extent->has_nan;
  range->has_masked = extent->has_masked;
  return group->panels->len > 0;
}

/**
 * attn_range_resolve:
 * @first: index of the first cell, row-major
 * @n_cells: how many cells share the scale
 * @style: which kind of scale and range
 * @viewports: (array) (nullable): which part of each cell of the grid is shown, row-major, for
 *   %ATTN_RANGE_VISIBLE; %NULL for all
 * @range: (out caller-allocates): the scale; clear it with [func@attn_range_clear]
 *
 * Costs a pass over the values on first use, unless the panels know them, and a sort where their order
 * is needed; the grid keeps the answer, but passes over the values in the viewports each time that
 * these decide. Ranks are always those among all values. Cells that are differences do not count. A
 * logarithmic scale that has no ends above 0 takes them from the data, six decades at most; a ratio's,
 * where the style's ends are those of weights, goes as far as the data does. Any thread may call.
 */
void
attn_range_resolve (AttnGrid           *grid,
                    gsize               first,
                    gsize               n_cells,
                    const AttnStyle    *style,
                    const AttnViewport *viewports,
                    AttnRange          *range)
{
  resolve (grid, first, n_cells, FALSE, style, viewports, range);
}

/**
 * attn_range_resolve_differences:
 * @style: that of differences, see [func@attn_style_get_difference]
 * @viewports: (array) (nullable): as there
 * @range: (out caller-allocates): their scale
 *
 * The same for those of the cells that are differences.
 *
 * Returns: whether there are any
 */
gboolean
attn_range_resolve_differences (AttnGrid           *grid,
                                gsize               first,
                                gsize               n_cells,
                                const AttnStyle    *style,
                                const AttnViewport *viewports,
                                AttnRange          *range)
{
  return resolve (grid, first, n_cells, TRUE, style, viewports, range);
}

/**
 * attn_range_count:
 *
 * Returns: how many ranges the cells of @grid share, so many each, in their order
 */
gsize
attn_range_count (const AttnGrid  *grid,
                  const AttnStyle *style)
{
  switch (style->range_scope)
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
 * attn_range_needs_pass:
 *
 * Returns: whether the ranges of @style cost a pass over a long panel that those of @known did not
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
 * Finds out what the ranges of the figure need to know about all of its values, so that nobody who
 * draws it has to.
 */
void
attn_range_prepare (AttnGrid        *grid,
                    const AttnStyle *style)
{
  const AttnStyle difference_style = attn_style_get_difference (style);
  gsize n_ranges = attn_range_count (grid, style);
  gsize n_shared = grid->n_rows * grid->n_columns / n_ranges;

  for (gsize i = 0; i < n_ranges; i++)
    {
      g_auto (AttnRange) range = { 0 };
      g_auto (AttnRange) difference_range = { 0 };

      attn_range_resolve (grid, i * n_shared, n_shared, style, NULL, &range);
      attn_range_resolve_differences (grid, i * n_shared, n_shared, &difference_style, NULL,
                                      &difference_range);
    }
}

/* Has a cell of another grid share what is drawn of it. */
void
attn_range_cache_share (AttnGrid *grid,
                        gsize     index,
                        AttnGrid *other,
                        gsize     other_index)
{
  Cache *from = grid->cache;
  Cache *to = other->cache;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&from->mutex);

  if (from->ratios[index] == NULL)
    return;
  g_clear_pointer (&to->sources[other_index], attn_panel_unref);
  g_clear_pointer (&to->ratios[other_index], attn_panel_unref);
  to->sources[other_index] = attn_panel_ref (from->sources[index]);
  to->ratios[other_index] = attn_panel_ref (from->ratios[index]);
}

void
attn_range_clear (AttnRange *range)
{
  g_clear_pointer (&range->scale.quantiles, attn_quantiles_unref);
}
