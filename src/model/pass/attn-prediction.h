/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a model says next, and what a change makes of it. */

#pragma once

#include "attn-trace.h"

G_BEGIN_DECLS

/**
 * AttnPredictionEffect:
 * @kl: KL(p ‖ q) in bits; exactly 0 where both passes end in the same bits
 * @total_variation: half the sum of |p − q|
 * @loss: −log2 of the probability of the token that really follows, before and after; of a model
 *   that sees both ways, of the token itself; NaN where none follows
 * @rank: of that token among all, 1 for the most probable, before and after; 0 where none follows
 *
 * Of one position: p before the change, q after it.
 */
typedef struct
{
  double kl;
  double total_variation;
  double loss[2];
  gsize rank[2];
} AttnPredictionEffect;

AttnTensor *attn_trace_compute_logits (const AttnTrace  *trace,
                                       gsize             first_row,
                                       gsize             n_rows,
                                       GCancellable     *cancellable,
                                       GError          **error);
gboolean    attn_prediction_compare      (const AttnTrace  *before,
                                       const AttnTrace  *after,
                                       gsize             n_top,
                                       AttnPredictionEffect       *effects,
                                       gint64           *top_ids,
                                       float            *top_probabilities,
                                       GCancellable     *cancellable,
                                       GError          **error);

G_END_DECLS
