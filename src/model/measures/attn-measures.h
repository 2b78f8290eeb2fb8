/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Measures of a map of attention weights: its sink score, its entropy and its difference from a
 * baseline. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The largest excess over 1 that the sum of a row of recorded weights may have, and the largest
 * magnitude of a negative weight: bfloat16 rounds each weight by up to 0.2 %, and the third decimal
 * of a table rounds those of twenty keys by up to 1 % together. */
#define ATTN_MEASURES_SUM_TOLERANCE 0.01

/**
 * AttnMeasures:
 * @sink_score: the weight on key 0, averaged over the rows (Gu et al. 2024, arXiv 2410.10781,
 *   section 3). A head is said to have a sink where this exceeds 0.3.
 * @mean_entropy: -sum w log2 w over the keys of a row, in bits, averaged over the rows
 * @largest_difference: the largest |weight - baseline| of all cells
 * @total_variation: half the sum of |weight - baseline| over a row, 0 to 1, averaged over the rows
 */
typedef struct
{
  double sink_score;
  double mean_entropy;
  double largest_difference;
  double total_variation;
} AttnMeasures;

/* The number of cells of a map below which waking a thread to measure them costs more than it
 * saves. */
#define ATTN_MEASURES_MIN_CELLS ((gsize) 1 << 15)

/* The number of rows of which the rows added at a time should be a multiple, except for the last
 * rows, so that sums do not depend on how many are added at a time. */
#define ATTN_MEASURES_BLOCK_ROWS ((gsize) 64)

void   attn_measures_add         (AttnMeasures       *sums,
                                  const float        *weights,
                                  const float        *baseline,
                                  gsize               first_row,
                                  gsize               n_rows,
                                  gsize               n_columns,
                                  gboolean            is_causal);
void   attn_measures_add_block   (AttnMeasures       *sums,
                                  const float        *weights,
                                  const float        *baseline,
                                  gsize               first_row,
                                  gsize               n_rows,
                                  gsize               n_columns,
                                  gboolean            is_causal,
                                  const double       *entropy);
void   attn_measures_merge       (AttnMeasures       *sums,
                                  const AttnMeasures *other);
void   attn_measures_finish      (AttnMeasures       *sums,
                                  gsize               n_rows);
double attn_measures_get_entropy (const float        *weights,
                                  gsize               n);
gboolean attn_measures_are_distributions (const float *weights,
                                  gsize               first_row,
                                  gsize               n_rows,
                                  gsize               n_columns,
                                  gboolean            is_causal);

G_END_DECLS
