/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Explains why a query attends to a key: its score as a sum over the features of both vectors. */

#pragma once

#include "attn-trace.h"

G_BEGIN_DECLS

/**
 * AttnEdge:
 * @n_features: d
 * @parts: (array length=n_features): what each feature adds to the score: q_f k_f times the factor
 *   of the layer, 1 / sqrt (d)
 * @order: (array length=n_features): numbers of the features, that with the largest part first,
 *   whatever its sign
 * @rotary_width: R: how many features the rotary embedding turns in pairs; 0 in a model that has
 *   none
 * @n_nope: features before the first that is turned
 * @is_paired: whether feature 2 i is turned with 2 i + 1, else i with i + R / 2
 * @rotary_part: sum of the parts of the features that are turned
 * @sum: sum of all parts
 * @slope: what the distance adds to the score (ALiBi or the like), 0 in a model without such biases
 * @score: what the softmax takes: @sum, capped where the model does that, and @slope; −INFINITY
 *   where the query does not see the key
 */
typedef struct
{
  gsize n_features;
  double *parts;
  gsize *order;
  gsize rotary_width;
  gsize n_nope;
  gboolean is_paired;
  double rotary_part;
  double sum;
  double slope;
  double score;
} AttnEdge;

AttnEdge *attn_edge_new      (AttnModel        *model,
                              gsize             layer,
                              gsize             head,
                              const GPtrArray  *interventions,
                              gsize             query,
                              gsize             key,
                              const AttnTensor *queries,
                              const AttnTensor *keys);
AttnEdge *attn_edge_compute  (AttnTrace       *baseline,
                              gsize            layer,
                              gsize            head,
                              GPtrArray       *interventions,
                              gsize            query,
                              gsize            key,
                              GCancellable    *cancellable,
                              GError         **error);
gsize     attn_edge_get_pair (const AttnEdge  *edge,
                              gsize            feature);
void      attn_edge_free     (AttnEdge        *edge);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnEdge, attn_edge_free)

G_END_DECLS
