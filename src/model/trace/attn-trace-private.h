/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Members of a trace that the files computing from it share. Private to src/model. */

#pragma once

#include "attn-model-private.h"

G_BEGIN_DECLS

/**
 * AttnTrace:
 * @layers: (array): [L], the quantities that the request asked to keep
 * @logits: (nullable): [T, V]
 * @final: (nullable): [T, D]
 * @sink_scores: [L, H], NaN where a layer was not computed
 * @first_columns: [L, H, T], of the layers that were computed: each row's weight on key 0
 *
 * Immutable but for the members behind @lock, which keep what was computed last on request.
 */
struct _AttnTrace
{
  gatomicrefcount ref_count;
  AttnModel *model;
  guint32 *ids;
  gsize n_ids;
  gboolean is_baseline;
  AttnKept *layers;
  AttnTensor *logits;
  AttnTensor *final;
  AttnTensor *sink_scores;
  AttnTensor *first_columns;

  GMutex lock; /* protects the members that follow */
  gsize shown_layer;
  AttnKept shown; /* quantities of the layer last shown, computed on request since @layers lacks
                   * them */
};

gsize    attn_trace_find_residual (const AttnTrace        *trace,
                                   gsize                   layer,
                                   AttnTensor            **residual);
gboolean attn_trace_get_vectors   (AttnTrace              *baseline,
                                   gsize                   layer,
                                   GPtrArray              *interventions,
                                   const AttnProgress     *progress,
                                   GCancellable           *cancellable,
                                   AttnTensor            **queries,
                                   AttnTensor            **keys,
                                   GError                **error);

G_END_DECLS
