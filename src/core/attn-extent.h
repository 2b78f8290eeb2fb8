/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The extent of values, such as the weights of an attention map: their lowest and highest value and
 * the like, which a color scale needs, found in one pass. */

#pragma once

#include <glib.h>
#include <math.h>

G_BEGIN_DECLS

/**
 * AttnExtent:
 * @lowest: the smallest finite value; above @highest if there is none
 * @highest: the largest finite value
 * @lowest_positive: the smallest finite value above 0, for a logarithmic scale; %INFINITY if there
 *   is none
 * @has_masked: whether cells were left out because they are masked
 */
typedef struct
{
  float lowest;
  float highest;
  float lowest_positive;
  gboolean has_minus_infinity;
  gboolean has_infinity;
  gboolean has_nan;
  gboolean has_masked;
} AttnExtent;

#define ATTN_EXTENT_EMPTY ((AttnExtent) { INFINITY, -INFINITY, INFINITY })

void attn_extent_add (AttnExtent *extent,
                      const float *values,
                      gsize n);
void attn_extent_merge (AttnExtent *extent,
                        const AttnExtent *other);

G_END_DECLS
