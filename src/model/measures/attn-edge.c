/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-edge.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-attention.h"
#include "attn-error.h"
#include "attn-trace-private.h"
#include "attn-transformer.h"
#include "attn-visible-keys.h"

void
attn_edge_free (AttnEdge *edge)
{
  g_free (edge->parts);
  g_free (edge->order);
  g_free (edge);
}

/**
 * attn_edge_get_pair:
 *
 * Returns: the number of the rotary pair that @feature is in; @rotary_width of @edge for a feature
 *   that is not turned
 */
gsize
attn_edge_get_pair (const AttnEdge *edge,
                    gsize           feature)
{
  if (feature < edge->n_nope || feature - edge->n_nope >= edge->rotary_width)
    return edge->rotary_width;
  feature -= edge->n_nope;
  return edge->is_paired ? feature / 2 : feature % (edge->rotary_width / 2);
}

static void
set_rotation (AttnEdge  *edge,
              AttnModel *model,
              gsize      layer)
{
  const AttnConfig *config = &((const AttnTransformer *) model)->config;

  if (model->info.is_recording || config->layers[layer].rope == ATTN_NO_ROPE)
    return;
  edge->rotary_width = config->ropes[config->layers[layer].rope].width;
  edge->n_nope = config->head_width - config->qk_rope_head_dim;
  edge->is_paired = config->positions == ATTN_POSITIONS_ROTARY_PAIRED;
}

static int
compare_parts (gconstpointer a,
               gconstpointer b,
               gpointer      parts)
{
  double first = fabs (((const double *) parts)[*(const gsize *) a]);
  double second = fabs (((const double *) parts)[*(const gsize *) b]);

  return first > second ? -1 : first < second;
}

/**
 * attn_edge_new:
 * @head: number of a query head
 * @interventions: (nullable) (element-type AttnIntervention): those in force, which may cut the
 *   score
 * @query: a position
 * @key: a position
 * @queries: [H, T, d] of @layer, as %ATTN_QUANTITY_QUERY of a trace
 * @keys: [Hk, T, d], as %ATTN_QUANTITY_KEY
 *
 * Returns: (transfer full): the head's score of @query and @key, as a sum over the features
 */
AttnEdge *
attn_edge_new (AttnModel        *model,
               gsize             layer,
               gsize             head,
               const GPtrArray  *interventions,
               gsize             query,
               gsize             key,
               const AttnTensor *queries,
               const AttnTensor *keys)
{
  const AttnScoreRules *rules = attn_model_get_rules (model, layer);
  AttnEdge *edge = g_new0 (AttnEdge, 1);
  gsize n = queries->shape[2];
  gsize key_head = head / (queries->shape[0] / keys->shape[0]);
  const float *q = queries->data + (head * queries->shape[1] + query) * n;
  const float *k = keys->data + (key_head * keys->shape[1] + key) * n;
  gsize first;
  gsize end;
  attn_rules_get_visible_keys (rules, keys->shape[1], query, &first, &end);
  gboolean is_hidden =
      key < first || key >= end ||
      attn_interventions_are_cut (interventions, layer, head, query, key, first, end);

  edge->n_features = n;
  edge->parts = g_new (double, n);
  edge->order = g_new (gsize, n);
  set_rotation (edge, model, layer);
  for (gsize i = 0; i < n; i++)
    {
      edge->order[i] = i;
      edge->parts[i] = (double) rules->factor * q[i] * k[i];
      edge->sum += edge->parts[i];
      edge->rotary_part +=
          attn_edge_get_pair (edge, i) < edge->rotary_width ? edge->parts[i] : 0.0;
    }
  g_qsort_with_data (edge->order, (gint) n, sizeof *edge->order, compare_parts, edge->parts);
  edge->score = rules->logit_softcap > 0.0f
                    ? rules->logit_softcap * tanh (edge->sum / rules->logit_softcap)
                    : edge->sum;
  if (attn_score_rules_have_bias (rules))
    edge->slope = attn_attention_get_bias (rules, head, queries->shape[0], query, key);
  edge->score = is_hidden ? -INFINITY : edge->score + edge->slope;
  return edge;
}

/**
 * attn_edge_compute:
 * @baseline: trace of the text without interventions; keeps the residual stream of some layer below
 * @head: number of a query head
 * @interventions: (element-type AttnIntervention): those in force, which may change queries and
 *   keys or cut the score
 * @query: a position
 * @key: a position
 * @error: return location: %ATTN_ERROR_UNSUPPORTED for a recording without queries and keys; errors
 *   of [func@attn_trace_compute_weights]
 *
 * Returns: (transfer full) (nullable): the head's score of @query and @key, as a sum over the
 *   features
 */
AttnEdge *
attn_edge_compute (AttnTrace     *baseline,
                   gsize          layer,
                   gsize          head,
                   GPtrArray     *interventions,
                   gsize          query,
                   gsize          key,
                   GCancellable  *cancellable,
                   GError       **error)
{
  const AttnModelInfo *info = &baseline->model->info;
  g_autoptr (AttnTensor) queries = NULL;
  g_autoptr (AttnTensor) keys = NULL;

  g_return_val_if_fail (layer < info->n_layers && head < info->n_heads, NULL);

  if (info->is_recording && !info->has_queries_and_keys)
    return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                           _("%s: recorded weights found, expected queries and keys"),
                           baseline->model->path);
  if (!attn_trace_get_vectors (baseline, layer, interventions, NULL, cancellable, &queries, &keys,
                               error))
    return NULL;
  g_return_val_if_fail (query < queries->shape[1] && key < keys->shape[1], NULL);
  return attn_edge_new (baseline->model, layer, head, interventions, query, key, queries,
                        keys);
}
