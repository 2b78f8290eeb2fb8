/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is said of attention weights in numbers. */

#pragma once

#include "attn-tensor.h"

G_BEGIN_DECLS

/**
 * AttnMeasures:
 * @sink_score: of key 0: its weight averaged over the rows (Gu et al. 2024, arXiv 2410.10781,
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

AttnMeasures attn_measures_compute (const AttnTensor *weights,
                                    const AttnTensor *baseline,
                                    gboolean          is_causal);

G_END_DECLS
