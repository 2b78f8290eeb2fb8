/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Steps of computing the range of a scale, from its lowest to its highest value. Private to
 * src/figure. */

#pragma once

#include "attn-range.h"

G_BEGIN_DECLS

float *attn_range_sort_values (const GPtrArray *panels,
                               gsize           *n_values);

G_END_DECLS
