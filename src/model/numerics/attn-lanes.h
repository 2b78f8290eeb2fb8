/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Helpers for loops over the numbers of a row, in such a form that the compiler vectorizes them. */

#pragma once

#include <glib.h>
#include <string.h>

#include "attn-clones.h"

G_BEGIN_DECLS

#define ATTN_INLINE static inline __attribute__ ((always_inline))

/* The number of lanes in which sums and maxima are kept. The lanes let the compiler vectorize
 * additions without changing their order, and keep long sums accurate, as each lane adds up a 32nd
 * of the numbers. */
#define N_LANES 32

ATTN_INLINE float
float_from_bits (guint32 bits)
{
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

ATTN_INLINE guint32
bits_from_float (float value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  return bits;
}

/* Returns the sum of the lanes (numbers of a vector register), added in pairs. */
ATTN_INLINE float
reduce_sum (float *lanes)
{
#pragma GCC unroll 8
  for (gsize width = N_LANES / 2; width > 0; width /= 2)
    for (gsize i = 0; i < width; i++)
      lanes[i] += lanes[i + width];
  return lanes[0];
}

/* Returns the maximum of the lanes (numbers of a vector register), ignoring NaN. */
ATTN_INLINE float
reduce_maximum (float *lanes)
{
#pragma GCC unroll 8
  for (gsize width = N_LANES / 2; width > 0; width /= 2)
    for (gsize i = 0; i < width; i++)
      lanes[i] = lanes[i + width] > lanes[i] ? lanes[i + width] : lanes[i];
  return lanes[0];
}

G_END_DECLS
