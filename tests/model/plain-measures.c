/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "plain-measures.h"

#include <math.h>

/* The reference for attn-measures.h: one measure at a time, as it is defined. Sums are in double
 * precision. A NaN among the cells that a measure reads makes it NaN. */

/**
 * attn_measure_sink_score:
 * @weights: [T, S]
 * @key: below S and below T
 *
 * The weight on @key averaged over the query rows that see it: the sum over rows divided by T -
 * @key (Gu et al. 2024, arXiv 2410.10781, section 3). A head is said to have a sink where this
 * exceeds 0.3.
 */
double
attn_measure_sink_score (const AttnTensor *weights,
                         gsize             key)
{
  g_return_val_if_fail (weights->n_dims == 2 && key < weights->shape[0] && key < weights->shape[1],
                        NAN);

  double sum = 0.0;
  for (gsize row = 0; row < weights->shape[0]; row++)
    sum += weights->data[row * weights->shape[1] + key];
  return sum / (double) (weights->shape[0] - key);
}

/**
 * attn_measure_row_entropy:
 * @weights: [T, S]
 * @row: below T
 *
 * Returns: -sum w log2 w over the keys, in bits; a weight of 0 counts 0
 */
double
attn_measure_row_entropy (const AttnTensor *weights,
                          gsize             row)
{
  g_return_val_if_fail (weights->n_dims == 2 && row < weights->shape[0], NAN);

  const float *cells = weights->data + row * weights->shape[1];
  double sum = 0.0;
  for (gsize i = 0; i < weights->shape[1]; i++)
    if (cells[i] != 0.0f)
      sum += cells[i] * log2 (cells[i]);
  /* A row on one key is 0 bits, not -0. */
  return sum == 0.0 ? 0.0 : -sum;
}

/**
 * attn_measure_mean_entropy:
 * @weights: [T, S]
 *
 * Returns: the entropy of a row, in bits, averaged over the rows
 */
double
attn_measure_mean_entropy (const AttnTensor *weights)
{
  double sum = 0.0;

  for (gsize row = 0; row < weights->shape[0]; row++)
    sum += attn_measure_row_entropy (weights, row);
  return sum / (double) weights->shape[0];
}

static gboolean
have_same_shape (const AttnTensor *a,
                 const AttnTensor *b)
{
  return a->n_dims == 2 && b->n_dims == 2 && a->shape[0] == b->shape[0] &&
         a->shape[1] == b->shape[1];
}

/**
 * attn_measure_largest_difference:
 * @weights: [T, S]
 * @baseline: [T, S]
 *
 * Returns: the largest |weight - baseline| of all cells
 */
double
attn_measure_largest_difference (const AttnTensor *weights,
                                 const AttnTensor *baseline)
{
  g_return_val_if_fail (have_same_shape (weights, baseline), NAN);

  gsize n = attn_tensor_get_n_elements (weights);
  double largest = 0.0;
  for (gsize i = 0; i < n; i++)
    {
      double difference = fabs ((double) weights->data[i] - (double) baseline->data[i]);

      if (isnan (difference))
        return NAN;
      largest = MAX (largest, difference);
    }
  return largest;
}

/**
 * attn_measure_total_variation:
 * @weights: [T, S]
 * @baseline: [T, S]
 *
 * Returns: half the sum of |weight - baseline| over a row, 0 to 1, averaged over the rows
 */
double
attn_measure_total_variation (const AttnTensor *weights,
                              const AttnTensor *baseline)
{
  g_return_val_if_fail (have_same_shape (weights, baseline), NAN);

  gsize n = attn_tensor_get_n_elements (weights);
  double sum = 0.0;
  for (gsize i = 0; i < n; i++)
    sum += fabs ((double) weights->data[i] - (double) baseline->data[i]);
  return sum / 2.0 / (double) weights->shape[0];
}
