/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The model's prediction of the next token, and the change that an intervention makes to it. */

#pragma once

#include "attn-trace.h"

G_BEGIN_DECLS

/**
 * AttnAnswer:
 * @token: t, an id; -1 for the token that really follows
 * @versus: t', an id; -1 where nothing is compared
 *
 * Two tokens whose logits are compared.
 */
typedef struct
{
  gint64 token;
  gint64 versus;
} AttnAnswer;

#define ATTN_ANSWER_NONE ((AttnAnswer) { -1, -1 })

/**
 * AttnPredictionEffect:
 * @kl: KL(p ‖ q) in bits; exactly 0 where both passes have the same logits
 * @total_variation: half the sum of |p − q|
 * @loss: −log2 of the probability of the token that really follows, before and after; of a model
 *   that sees both ways, of the token itself; NaN where none follows
 * @rank: rank of that token among all tokens, 1 for the most probable, before and after; 0 where
 *   none follows
 * @logit_difference: logit of t − logit of t', before and after; NaN where t and t' are not chosen
 *
 * The effect at one position; p is the prediction before the change, q that after it.
 */
typedef struct
{
  double kl;
  double total_variation;
  double loss[2];
  gsize rank[2];
  double logit_difference[2];
} AttnPredictionEffect;

/**
 * AttnPredictionRequest:
 * @first_row: the first position
 * @n_rows: n, how many positions
 * @answer: the tokens whose logits are compared
 * @n_top: k, how many of the most probable tokens to list of each position, at most V
 */
typedef struct
{
  gsize first_row;
  gsize n_rows;
  AttnAnswer answer;
  gsize n_top;
} AttnPredictionRequest;

/**
 * AttnPredictionTop:
 * @ids: [2, n, k]: the most probable tokens before and after, the most probable first
 * @probabilities: [2, n, k]: of each token in the pass it is listed of
 * @others: (nullable): [2, n, k]: of each token in the other pass
 *
 * Arrays that the caller provides.
 */
typedef struct
{
  gint64 *ids;
  float *probabilities;
  float *others;
} AttnPredictionTop;

AttnTensor *attn_trace_compute_logits (const AttnTrace  *trace,
                                       gsize             first_row,
                                       gsize             n_rows,
                                       GCancellable     *cancellable,
                                       GError          **error);
gboolean    attn_trace_compute_difference (const AttnTrace  *trace,
                                       gsize             row,
                                       const AttnAnswer *answer,
                                       double           *difference,
                                       GCancellable     *cancellable,
                                       GError          **error);
gboolean    attn_answer_check         (const AttnAnswer *answer,
                                       const AttnModel  *model,
                                       GError          **error);
gboolean    attn_prediction_compare   (const AttnTrace  *before,
                                       const AttnTrace  *after,
                                       const AttnPredictionRequest *request,
                                       AttnPredictionEffect *effects,
                                       const AttnPredictionTop *top,
                                       GCancellable     *cancellable,
                                       GError          **error);

G_END_DECLS
