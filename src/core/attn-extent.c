/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-extent.h"

#include "attn-clones.h"

#define N_LANES 32

#define INLINE static inline __attribute__ ((always_inline))

/* The extent of every 32nd value, once for each of the 32 lanes in which values are scanned side by
 * side: compilers do not vectorize a single running minimum. */
typedef struct
{
  float lowest[N_LANES];
  float highest[N_LANES];
  gint32 is_nan[N_LANES]; /* all bits set if so */
} Lanes;

INLINE void
scan_step (const float *values,
           Lanes       *lanes)
{
  for (guint lane = 0; lane < N_LANES; lane++)
    {
      float value = values[lane];

      lanes->lowest[lane] = value < lanes->lowest[lane] ? value : lanes->lowest[lane];
      lanes->highest[lane] = value > lanes->highest[lane] ? value : lanes->highest[lane];
      lanes->is_nan[lane] |= -(value != value);
    }
}

/* Scans at least N_LANES values. The last step scans the last N_LANES values, some of which the
 * step before it has scanned too: that changes no minimum or maximum, and scanning the last values
 * of a row one by one would take as long as all others. */
ATTN_CLONES (static, void, scan_lanes,
             (const float *values, gsize n, AttnExtent *extent),
             (values, n, extent))
{
  Lanes lanes;

  for (guint lane = 0; lane < N_LANES; lane++)
    {
      lanes.lowest[lane] = INFINITY;
      lanes.highest[lane] = -INFINITY;
      lanes.is_nan[lane] = 0;
    }
  for (gsize i = 0; i + N_LANES <= n; i += N_LANES)
    scan_step (values + i, &lanes);
  scan_step (values + n - N_LANES, &lanes);
#pragma GCC unroll 8
  for (guint width = N_LANES / 2; width > 0; width /= 2)
    for (guint i = 0; i < width; i++)
      {
        lanes.lowest[i] = MIN (lanes.lowest[i], lanes.lowest[i + width]);
        lanes.highest[i] = MAX (lanes.highest[i], lanes.highest[i + width]);
        lanes.is_nan[i] |= lanes.is_nan[i + width];
      }
  extent->lowest = lanes.lowest[0];
  extent->highest = lanes.highest[0];
  extent->has_nan = lanes.is_nan[0] != 0;
}

/* Returns the lowest of at least N_LANES values that is above 0, or infinity if none is. */
ATTN_CLONES (static, float, find_lowest_positive,
             (const float *values, gsize n),
             (values, n))
{
  float lowest[N_LANES];

  for (guint lane = 0; lane < N_LANES; lane++)
    lowest[lane] = INFINITY;
  for (gsize i = 0; i < n; i += N_LANES)
    {
      const float *step = values + MIN (i, n - N_LANES);

      for (guint lane = 0; lane < N_LANES; lane++)
        lowest[lane] = step[lane] > 0 && step[lane] < lowest[lane] ? step[lane] : lowest[lane];
    }
  for (guint lane = 1; lane < N_LANES; lane++)
    lowest[0] = MIN (lowest[0], lowest[lane]);
  return lowest[0];
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
 * @extent: (inout): the extent of the values before, %ATTN_EXTENT_EMPTY to begin with
 * @values: (array length=n): more values
 *
 * Adds @values to the extent. Infinities, which no color scale can reach, do not count as the
 * lowest or highest value, but set has_infinity or has_minus_infinity.
 */
void
attn_extent_add (AttnExtent  *extent,
                 const float *values,
                 gsize        n)
{
  AttnExtent part = ATTN_EXTENT_EMPTY;

  if (n >= N_LANES)
    {
      scan_lanes (values, n, &part);
      /* A softmax gives weights above 0, except where a small one is rounded to 0. */
      part.lowest_positive = part.lowest > 0 ? part.lowest : find_lowest_positive (values, n);
    }
  else
    for (gsize i = 0; i < n; i++)
      scan_one (values[i], &part);
  /* The bounds are infinite if some values are infinite, or if all are NaN. The values are then
   * scanned again one by one, without the infinite ones. */
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
 * Makes @extent the extent of its own values and those of @other together.
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
