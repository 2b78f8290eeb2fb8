/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The forward pass: the one there is, whatever the family. */

#pragma once

#include <gio/gio.h>

#include "attn-attention.h"
#include "attn-model.h"
#include "attn-progress.h"
#include "attn-trace.h"

G_BEGIN_DECLS

#define ATTN_N_LAYER_QUANTITIES 6

/**
 * AttnKept:
 *
 * What is kept of one layer, in the order of the bits of #AttnQuantity: residual, query, key,
 * value, scores, weights. %NULL for what is not.
 */
typedef struct
{
  AttnTensor *tensors[ATTN_N_LAYER_QUANTITIES];
} AttnKept;

/**
 * AttnForward:
 * @ids: (array length=n_ids): checked token ids
 * @interventions: (nullable): checked, too
 * @keep: what to keep of @layers
 * @layers: (nullable): %NULL for all
 * @heads: (nullable): heads to keep scores and weights of, %NULL for all; if not, only the last of
 *   @layers is kept and no logits
 * @first_layer: where to begin
 * @residual: (nullable): [T, D] entering @first_layer; %NULL if that is 0, for the embeddings
 * @first_token: p: the tokens before it are known from @prefix and not computed. Only for a causal
 *   model, without interventions, with residuals, keys and values of all layers kept and nothing
 *   else.
 * @prefix: (nullable): [L], what another pass kept of the layers, whose first p tokens are the same
 * @first_columns: (nullable): (inout): [L, H, T], the weights on key 0; those of the tokens before
 *   p are set already
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
  gsize first_token;
  const AttnKept *prefix;
  float *first_columns;
} AttnForward;

gsize    attn_forward_estimate (const AttnModel     *model,
                                gsize                n_tokens);
void     attn_forward_set_rules (const AttnModel    *model,
                                gsize                layer,
                                AttnAttention       *attention);
gboolean attn_forward_run      (const AttnForward   *forward,
                                AttnKept            *kept,
                                float               *sink_scores,
                                AttnTensor         **logits,
                                const AttnProgress  *progress,
                                GCancellable        *cancellable,
                                GError             **error);
void     attn_kept_clear       (AttnKept            *kept);
AttnTensor **attn_kept_place   (AttnKept            *kept,
                                AttnQuantity         quantity);
AttnTensor *attn_kept_get      (const AttnKept      *kept,
                                AttnQuantity         quantity);

G_END_DECLS
