/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The forward pass of a checkpoint, the same for all families. */

#pragma once

#include "attn-attention.h"
#include "attn-kept.h"
#include "attn-past.h"

G_BEGIN_DECLS

/**
 * AttnStates:
 * @text: number of the text, where several are computed together
 * @layer: whose; L for %ATTN_QUANTITY_FINAL
 * @quantity: residual, query, key, value, attention, MLP or final
 * @vectors: of all tokens of the text; residual streams and what is added to them are one head
 *
 * What one text leaves in a layer, just computed and not kept.
 */
typedef struct
{
  gsize text;
  gsize layer;
  AttnQuantity quantity;
  AttnVectors vectors;
} AttnStates;

typedef void (*AttnStatesFunc) (const AttnStates *states,
                                gpointer          user_data);

/**
 * AttnForward:
 * @ids: (array length=n_ids): checked token ids
 * @interventions: (nullable): checked, too
 * @keep: what to keep of @layers
 * @layers: (nullable): %NULL for all
 * @heads: (nullable): heads to keep scores and weights of, %NULL for all; if not, only the last of
 *   @layers is kept and no logits
 * @first_layer: where to begin; L for nothing but the logits of @residual, whose rows then are any
 * @residual: (nullable): [T, D] entering @first_layer; %NULL if that is 0, for the embeddings
 * @is_changed: whether @residual is as the interventions of @first_layer have left it, so that
 *   they do not act on it again
 * @first_token: p: the tokens before it are known from @prefix or @past and not computed. With
 *   @prefix only for a causal model, without interventions, with residuals, keys and values of all
 *   layers kept and nothing else.
 * @prefix: (nullable): [L], what another pass kept of the layers, whose first p tokens are the same
 * @past: (nullable): (inout): what the tokens before p left, of any causal model and with any
 *   interventions, in place of @prefix; what those from p on leave is added. Has room for @n_ids.
 *   An error leaves it of no use until attn_past_forget().
 * @first_columns: (nullable): (inout): [L, H, T], the weights on key 0; those of the tokens before
 *   p are set already
 * @kept: (inout) (array): [L], %NULL but for what need not be kept again; filled for the layers
 *   that are kept, also before an error
 * @sink_scores: (inout) (nullable): [L, H], set for the layers that are computed
 * @logits: (nullable): where to put the logits, [T, V], if @keep has them
 * @logit_ids: (nullable) (array length=n_logit_ids): of which tokens alone: [T, n_logit_ids]
 * @n_logit_rows: of how many of the last tokens, 0 for all
 * @final: (nullable): the same for the residual stream that leaves the last layer, [T, D]
 * @cancellable: (nullable): polled for each layer and block of query rows
 * @ends: (nullable) (array length=n_texts): where each of several texts that stand in @ids one
 *   behind the other ends; each is computed as if it were alone, and nothing is kept but logits
 * @look: (nullable): is shown the attention weights of each text, layer and head
 * @see: (nullable): is shown the quantities in @seen of each text and of each of @layers, in the
 *   calling thread
 * @residuals: (nullable) (array): [L], where to copy the residual stream that enters a layer,
 *   before anything acts on it: [tokens of all texts, D] each; %NULL for layers that it is not
 *   wanted of
 * @last_rows: (nullable): [texts, D], where to copy what leaves the last layer at the last token of
 *   each text. Behind its attention that layer then computes those tokens alone: nothing else of it
 *   is kept or shown
 * @n_workers: how many threads at most, 0 for as many as attn_threads_get() says
 */
typedef struct
{
  AttnModel *model;
  const guint32 *ids;
  gsize n_ids;
  GPtrArray *interventions;
  AttnQuantity keep;
  const AttnIndexSet *layers;
  const AttnIndexSet *heads;
  gsize first_layer;
  const AttnTensor *residual;
  gboolean is_changed;
  gsize first_token;
  const AttnKept *prefix;
  AttnPast *past;
  float *first_columns;
  AttnKept *kept;
  float *sink_scores;
  AttnTensor **logits;
  const guint32 *logit_ids;
  gsize n_logit_ids;
  gsize n_logit_rows;
  AttnTensor **final;
  const AttnProgress *progress;
  GCancellable *cancellable;
  const gsize *ends;
  gsize n_texts;
  AttnWeightsFunc look;
  gpointer look_data;
  AttnStatesFunc see;
  gpointer see_data;
  guint seen;
  AttnTensor * const *residuals;
  AttnTensor *last_rows;
  gsize n_workers;
} AttnForward;

gboolean attn_forward_run (const AttnForward   *forward, GError **error);

G_END_DECLS
