/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The forward pass of a checkpoint, from token ids to attention weights and logits, by the same
 * code for all families. */

#pragma once

#include "attn-attention.h"
#include "attn-kept.h"
#include "attn-past.h"

G_BEGIN_DECLS

/**
 * AttnStates:
 * @text: number of the text, where several are computed together
 * @layer: the layer of the vectors; L, the number of layers, for %ATTN_QUANTITY_FINAL
 * @quantity: what the vectors are: residual, query, key, value, attention, MLP or final
 * @vectors: of all tokens of the text; residual streams and what is added to them have one head
 *
 * Vectors of one text in a layer, as a callback is shown them. They are not kept after the call.
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
 * @keep: the quantities to keep of @layers
 * @layers: (nullable): %NULL for all
 * @heads: (nullable): heads to keep scores and weights of, %NULL for all; if some are named, only
 *   the last of @layers is kept and no logits
 * @first_layer: the layer to begin with; L, the number of layers, for nothing but the logits of
 *   @residual, whose rows may then be of any tokens
 * @residual: (nullable): [T, D] entering @first_layer; %NULL if that is 0, for the embeddings
 * @is_changed: whether @residual is as the interventions of @first_layer have left it, so that
 *   they do not act on it again
 * @first_token: p: the tokens before it are known from @prefix or @past and not computed. With
 *   @prefix only for a causal model, without interventions, with residuals, keys and values of all
 *   layers kept and nothing else.
 * @prefix: (nullable): [L], what a pass over another text with the same first p tokens kept of the
 *   layers
 * @past: (nullable): (inout): the cache that the tokens before p left, in place of @prefix, of any
 *   causal model and with any interventions; the tokens from p on are added. Has room for @n_ids.
 *   An error leaves it of no use until attn_past_forget().
 * @first_columns: (nullable): (inout): [L, H, T], the attention weights on key 0; those of the
 *   queries before p are set already
 * @kept: (inout) (array): [L], the kept tensors, all %NULL but those that an earlier pass kept; set
 *   for the layers in @layers, after an error only for those before it
 * @sink_scores: (inout) (nullable): [L, H], the mean weight on key 0, set for the layers that are
 *   computed
 * @logits: (nullable): where to put the logits, [T, V], if @keep has them
 * @logit_ids: (nullable) (array length=n_logit_ids): tokens of the vocabulary to compute logits of,
 *   in place of all; @logits is then [T, n_logit_ids]
 * @n_logit_rows: how many of the last tokens to compute logits of, 0 for all
 * @final: (nullable): where to put the residual stream that leaves the last layer, [T, D], if @keep
 *   has it
 * @cancellable: (nullable): polled for each layer and block of query rows
 * @ends: (nullable) (array length=n_texts): the index behind the last token of each of several
 *   texts, which stand in @ids one after the other; each is computed as if it were alone, and
 *   nothing is kept but logits
 * @look: (nullable): is shown the attention weights of each text, layer and head
 * @see: (nullable): is shown the quantities in @seen of each text and of each of @layers, in the
 *   calling thread
 * @residuals: (nullable) (array): [L], where to copy the residual stream that enters a layer,
 *   before an intervention acts on it: [tokens of all texts, D] each; %NULL for layers whose stream
 *   is not wanted
 * @last_rows: (nullable): [texts, D], where to copy what leaves the last layer at the last token of
 *   each text. After its attention the last layer then computes those tokens alone, and no others
 *   are kept or shown
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
