/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computes scores, attention weights and the context, which is the sum of values by weights, from
 * queries, keys and values. */

#pragma once

#include <gio/gio.h>

#include "attn-tensor.h"
#include "attn-vectors.h"

G_BEGIN_DECLS

/**
 * AttnScoreRules:
 * @factor: what the products of queries and keys are multiplied by, 1 / sqrt (d)
 * @is_causal: whether a query sees only keys up to itself
 * @window: how many keys, up to itself, a query sees if @is_causal, 0 for all
 * @blocks: (nullable) (array length=n_blocks): ranges of tokens, as the first and the one behind
 *   the last, that see each other both ways, whatever the mask says
 * @spans: (nullable) (array length=n_spans): for each of the first queries, the first key that it
 *   sees and the one behind the last, whatever the mask says
 * @logit_softcap: c, above 0: scores become c tanh (s / c); 0 for no cap
 * @alibi: a in the slope 2^(-a i / n) of head i of n, times which it adds the distance, negative
 *   for earlier keys, to its scores; 0 for none
 * @has_coarse_alibi: whether slopes times positions are rounded to bfloat16, of query and key
 *   separately, and added times @factor
 * @distances: (nullable) (array): [H, 2 n + 1], what each head adds to the score of a key at a
 *   distance of -n to n behind its query, and for keys farther away what it adds at the nearest of
 *   these distances
 * @n_distances: n, the largest distance in @distances
 * @sinks: (nullable) (array length=H): for each head a score that belongs to no key and takes a
 *   share of the softmax in every row, so that the weights of a row sum to less than 1
 *
 * The rules of a layer: the keys that a query sees, and how its products with them become scores.
 */
typedef struct
{
  float factor;
  gboolean is_causal;
  gsize window;
  const gsize (*blocks)[2];
  gsize n_blocks;
  const gsize (*spans)[2];
  gsize n_spans;
  float logit_softcap;
  float alibi;
  gboolean has_coarse_alibi;
  const float *distances;
  gsize n_distances;
  const float *sinks;
} AttnScoreRules;

/**
 * AttnWeightsRows:
 * @text: number of the text, where several are computed together
 * @first_row: position of the query of the first row
 * @n_columns: keys that the rows may see; the cells behind these are masked and not set
 * @window: keys up to itself that a query sees, 0 for all
 * @stride: floats from a row to the next
 * @weights: [n_rows, n_columns], masked cells exactly 0
 *
 * Some rows of one map of attention weights, as a callback is shown them; they are not kept after
 * the call.
 */
typedef struct
{
  gsize text;
  gsize layer;
  gsize head;
  gsize first_row;
  gsize n_rows;
  gsize n_columns;
  gsize window;
  gsize stride;
  const float *weights;
} AttnWeightsRows;

typedef void (*AttnWeightsFunc) (const AttnWeightsRows *rows,
                                 gpointer               user_data);

/**
 * AttnAttention:
 * @query: [H, T', d], of all tokens or of some successive ones
 * @key: [Hk, T, d]
 * @value: [Hk, T, e], used where there is a @context
 * @first_query: position of the first of the queries; under a causal mask, T' + @first_query must
 *   not exceed T
 * @rules: rules of the layer
 * @heads: (nullable): the heads to compute, %NULL for all
 * @scores: (nullable): [heads, T', T], filled; masked cells -INFINITY
 * @weights: (nullable): [heads, T', T], filled; masked cells exactly 0
 * @context: (nullable): [T', H e], filled: the weighted values of all heads side by side
 * @first_column: (nullable): [H, T'], filled for the heads computed: each row's weight on key 0
 * @interventions: (nullable) (element-type AttnIntervention): those that cut scores of the layer in
 *   @seen are applied
 * @look: (nullable): is shown the weights of each head as they are computed, in any thread
 * @seen: text and layer of the rows for @look
 * @n_workers: how many threads at most
 * @scratch: room for [func@attn_attention_get_scratch] floats
 */
typedef struct
{
  AttnVectors query;
  AttnVectors key;
  AttnVectors value;
  gsize first_query;
  AttnScoreRules rules;
  const AttnIndexSet *heads;
  AttnTensor *scores;
  AttnTensor *weights;
  float *context;
  float *first_column;
  const GPtrArray *interventions;
  AttnWeightsFunc look;
  gpointer look_data;
  AttnWeightsRows seen;
  gsize n_workers;
  float *scratch;
  GCancellable *cancellable;
} AttnAttention;

/* Tells whether scores have a bias by the distance between their tokens. */
static inline gboolean
attn_score_rules_have_bias (const AttnScoreRules *rules)
{
  return rules->alibi > 0.0f || rules->distances != NULL;
}

double attn_attention_get_bias   (const AttnScoreRules *rules,
                                  gsize                head,
                                  gsize                n_heads,
                                  gsize                query,
                                  gsize                key);
gsize attn_attention_get_scratch (gsize                n_queries,
                                  gsize                n_keys,
                                  gsize                n_workers);
gboolean attn_attention_compute (AttnAttention  *attention,
                                 GError        **error);
void  attn_attention_run         (const AttnAttention *attention);
AttnTensor *attn_attention_new_weights (const AttnScoreRules *rules,
                                        const gsize           shape[3],
                                        GError              **error);
void  attn_attention_rescale     (const AttnTensor    *scores,
                                  gsize                head,
                                  float                factor,
                                  const AttnScoreRules *rules,
                                  gsize                n_workers,
                                  AttnTensor          *weights,
                                  gsize                index);
void  attn_attention_rescale_rows (const AttnTensor   *scores,
                                  gsize                head,
                                  float                factor,
                                  const AttnScoreRules *rules,
                                  gsize                first_row,
                                  gsize                n_rows,
                                  AttnTensor          *weights,
                                  gsize                index,
                                  double             *entropy);
void  attn_attention_rescale_means (const AttnTensor  *scores,
                                  const float         *factors,
                                  gsize                n_means,
                                  const AttnScoreRules *rules,
                                  gsize                n_workers,
                                  AttnTensor         **means);
void  attn_attention_average     (const AttnTensor    *weights,
                                  gsize                n_workers,
                                  AttnTensor          *mean);

G_END_DECLS
