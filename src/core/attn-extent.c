/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-extent.h"

#include "attn-clones.h"

#define N_LANES 16

/* Scans several values at a time, with a separate minimum and maximum for each lane, since
 * compilers do not vectorize a running minimum. Returns the number of values scanned. */
ATTN_CLONES (static, gsize, scan_lanes,
             (const float *values, gsize n, AttnExtent *extent),
             (values, n, extent))
{
  float lowest[N_LANES], highest[N_LANES], positive[N_LANES];
  gint32 is_nan[N_LANES] = { 0 };
  gsize i = 0;

  for (guint lane = 0; lane < N_LANES; lane++)
    {
      lowest[lane] = INFINITY;
      highest[lane] = -INFINITY;
      positive[lane] = INFINITY;
    }
  for (; i + N_LANES <= n; i += N_LANES)
    for (guint lane = 0; lane < N_LANES; lane++)
      {
        float value = values[i + lane];
        float candidate = value > 0 ? value : INFINITY;

        lowest[lane] = value < lowest[lane] ? value : lowest[lane];
        highest[lane] = value > highest[lane] ? value : highest[lane];
        positive[lane] = candidate < positive[lane] ? candidate : positive[lane];
        is_nan[lane] |= value != value;
      }
  for (guint lane = 0; lane < N_LANES; lane++)
    {
      extent->lowest = MIN (extent->lowest, lowest[lane]);
      extent->highest = MAX (extent->highest, highest[lane]);
      extent->lowest_positive = MIN (extent->lowest_positive, positive[lane]);
      extent->has_nan |= is_nan[lane];
    }
  return i;
}

static void
scan_one (float       value,
          AttnExtent *extent)
{
  extent->lowest = value < extent->lowest ? value : extent->lowest;
  extent->highest = value > extent->highest ? value : extent->highest;
  if (value > 0 && value < extent->lowest_positive)
    extent->lowest_positive = value;
  extent->has_nan |= value != value;
}

/**
 * attn_extent_add:
 * @extent: what is known already, %ATTN_EXTENT_EMPTY to begin with
 * @values: (array length=n): more values
 *
 * Infinities, which no scale reaches, are no ends but are told.
 */
void
attn_extent_add (AttnExtent  *extent,
                 const float *values,
                 gsize        n)
{
  AttnExtent part = ATTN_EXTENT_EMPTY;

  for (gsize i = scan_lanes (values, n, &part); i < n; i++)
    scan_one (values[i], &part);
  /* The bounds are infinite if there are infinite values, or only NaN. The values are then scanned
   * again one by one. */
  if (isinf (part.lowest) || isinf (part.highest))
    {
      part = ATTN_EXTENT_EMPTY;
      for (gsize i = 0; i < n; i++)
        {
          part.has_minus_infinity |= values[i] == -INFINITY;
          part.has_infinity |= values[i] == INFINITY;
          part.has_nan |= isnan (values[i]) != 0;
          if (isfinite (values[i]))
            scan_one (values[i], &part);
        }
    }
  attn_extent_merge (extent, &part);
}

/**
 * attn_extent_merge:
 *
 * Makes @extent that of the values of both.
 */
void
attn_extent_merge (AttnExtent       *extent,
                   const AttnExtent *other)
{
  extent->lowest = MIN (extent->lowest, other->lowest);
  extent->highest = MAX (extent->highest, other->highest);
  extent->lowest_positive = MIN (extent->lowest_positive, other->lowest_positive);
  extent->has_minus_infinity |= other->has_minus_infinity;
  extent->has_infinity |= other->has_infinity;
  extent->has_nan |= other->has_nan;
  extent->has_masked |= other->has_masked;
}
