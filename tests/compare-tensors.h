/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The largest difference between two tensors of one size. */

#pragma once

#include <math.h>

#include "attn-tensor.h"

/* Scores that are masked in both are equal; what has no number in either is infinitely apart. */
static inline double
compare_tensors (const AttnTensor *a,
                 const AttnTensor *b)
{
  double largest = 0.0;

  g_assert_cmpuint (attn_tensor_get_n_elements (a), ==, attn_tensor_get_n_elements (b));
  for (gsize i = 0; i < attn_tensor_get_n_elements (a); i++)
    {
      double difference =
          a->data[i] == b->data[i] ? 0.0 : fabs ((double) a->data[i] - b->data[i]);

      largest = isnan (difference) ? INFINITY : MAX (largest, difference);
    }
  return largest;
}
