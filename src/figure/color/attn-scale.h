/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Maps a value to its place between the ends of the colour bar. A scale is a plain value; facts
 * about the data are computed once, see attn-range.h, and passed in. */

#pragma once

#include <glib.h>

#include "attn-colormap.h"

G_BEGIN_DECLS

/**
 * AttnScaleKind:
 * @ATTN_SCALE_LINEAR: equal steps
 * @ATTN_SCALE_LOG: equal factors; 0 and below lie under its lower end
 * @ATTN_SCALE_RATIO: a weight times the number of keys that its query sees, which is 1 if a row
 *   is uniform; equal factors, 1 in the middle
 * @ATTN_SCALE_SYMMETRIC: equal steps, 0 in the middle
 * @ATTN_SCALE_PERCENTILE: the rank of a value among all that are shown
 */
typedef enum
{
  ATTN_SCALE_LINEAR,
  ATTN_SCALE_LOG,
  ATTN_SCALE_RATIO,
  ATTN_SCALE_SYMMETRIC,
  ATTN_SCALE_PERCENTILE,
} AttnScaleKind;

#define ATTN_N_SCALES 5

/**
 * AttnRangeKind:
 * @ATTN_RANGE_FIXED: from a low to a high value that the user has chosen
 * @ATTN_RANGE_DATA: from the smallest to the largest value
 * @ATTN_RANGE_CLIPPED: from the smallest to the largest value, but for a share of the values at
 *   each end
 * @ATTN_RANGE_VISIBLE: from the smallest to the largest of the values within the viewport
 * @ATTN_RANGE_AUTOMATIC: from a low to a high value that the figure has by itself; where nearly all
 *   values lie outside, from the smallest to the largest
 */
typedef enum
{
  ATTN_RANGE_FIXED,
  ATTN_RANGE_DATA,
  ATTN_RANGE_CLIPPED,
  ATTN_RANGE_VISIBLE,
  ATTN_RANGE_AUTOMATIC,
} AttnRangeKind;

#define ATTN_N_RANGES 5

/* One more than the number of colours: between two quantiles all values have the same colour. */
#define ATTN_N_QUANTILES (ATTN_COLORMAP_SIZE + 1)

/**
 * AttnQuantiles:
 * @knots: ascending: the smallest value, the values at 1/256, 2/256, ... of the ranks, the largest
 *   value
 *
 * Immutable, in an atomically reference-counted box.
 */
typedef struct
{
  double knots[ATTN_N_QUANTILES];
} AttnQuantiles;

/**
 * AttnScale:
 * @low: value at the lower end
 * @high: value at the upper end
 * @quantiles: (nullable): for %ATTN_SCALE_PERCENTILE; not owned
 */
typedef struct
{
  AttnScaleKind kind;
  double low;
  double high;
  AttnQuantiles *quantiles;

  /*< private >*/
  double offset;
  double factor; /* factor from value to position on the scale; 0 if the range is empty or
                  * reversed */
} AttnScale;

/**
 * AttnTick:
 * @position: on the scale, 0 to 1
 * @label: the value, with a point, whatever the locale
 */
typedef struct
{
  double value;
  double position;
  char label[24];
} AttnTick;

AttnScale      attn_scale_new                 (AttnScaleKind    kind,
                                               double           low,
                                               double           high,
                                               AttnQuantiles   *quantiles);
double         attn_scale_get_curved_position (const AttnScale *scale,
                                               double           value);
GArray        *attn_scale_get_ticks           (const AttnScale *scale,
                                               guint            max_ticks);

/* (array zero-terminated=1): names of the kinds of scales on the command line and in files, indexed
 * by the enum. */
extern const char * const attn_scale_kind_names[];
extern const char * const attn_range_kind_names[];

AttnQuantiles *attn_quantiles_new             (const float     *sorted,
                                               gsize            n_values);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnQuantiles, g_atomic_rc_box_release)

/* Tells whether a colour scale is linear. */
static inline gboolean
attn_scale_is_straight (const AttnScale *scale)
{
  return scale->kind == ATTN_SCALE_LINEAR || scale->kind == ATTN_SCALE_SYMMETRIC;
}

/* Returns the place of @value between the ends of the scale: 0 to 1, or beyond; NaN for NaN. If the
 * range is empty or reversed, 0 below its lower end and 1 from there on. */
static inline double
attn_scale_get_position (const AttnScale *scale,
                         double           value)
{
  if (!attn_scale_is_straight (scale))
    return attn_scale_get_curved_position (scale, value);
  if (scale->factor > 0)
    return (value - scale->offset) * scale->factor;
  return value != value ? value : value >= scale->low;
}

/* Returns the colour of @value as an index in a table of 256 colours, followed by the colour of
 * NaN. */
static inline guint
attn_scale_get_index (const AttnScale *scale,
                      double           value)
{
  double index = attn_scale_get_position (scale, value) * ATTN_COLORMAP_SIZE;

  return index >= ATTN_COLORMAP_SIZE - 1 ? ATTN_COLORMAP_SIZE - 1
       : index >= 0 ? (guint) index
       : index < 0 ? 0 : ATTN_COLORMAP_SIZE;
}

G_END_DECLS
