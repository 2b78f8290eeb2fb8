/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A trace: everything that one forward pass has kept, from which passes with changes start. */

#pragma once

#include <gio/gio.h>

#include "attn-deferred.h"
#include "attn-intervention.h"
#include "attn-model.h"
#include "attn-progress.h"
#include "attn-tensor.h"

G_BEGIN_DECLS

/**
 * AttnQuantity:
 * @ATTN_QUANTITY_RESIDUAL: residual stream entering a layer, after the interventions on it, [T, D]
 * @ATTN_QUANTITY_QUERY: queries as the scores use them, [H, T, d]
 * @ATTN_QUANTITY_KEY: keys as the scores use them, [Hk, T, d]
 * @ATTN_QUANTITY_VALUE: values, [Hk, T, d]
 * @ATTN_QUANTITY_SCORES: scores before softmax, masked cells -INFINITY, [H, T, T]
 * @ATTN_QUANTITY_WEIGHTS: attention weights, masked cells exactly 0, [H, T, T]
 * @ATTN_QUANTITY_OUTPUT: output of each head before the output projection, [H, T, e], e the width
 *   of a value
 * @ATTN_QUANTITY_ATTENTION: what the attention adds to the residual stream, [T, D], behind the
 *   norm and the factor that some models have there
 * @ATTN_QUANTITY_MLP: what the MLP adds to the residual stream, [T, D], likewise
 * @ATTN_QUANTITY_LOGITS: next-token logits, [T, vocabulary]
 * @ATTN_QUANTITY_FINAL: residual stream leaving the last layer, before the final norm, [T, D]
 */
typedef enum
{
  ATTN_QUANTITY_RESIDUAL  = 1 << 0,
  ATTN_QUANTITY_QUERY     = 1 << 1,
  ATTN_QUANTITY_KEY       = 1 << 2,
  ATTN_QUANTITY_VALUE     = 1 << 3,
  ATTN_QUANTITY_SCORES    = 1 << 4,
  ATTN_QUANTITY_WEIGHTS   = 1 << 5,
  ATTN_QUANTITY_OUTPUT    = 1 << 6,
  ATTN_QUANTITY_ATTENTION = 1 << 7,
  ATTN_QUANTITY_MLP       = 1 << 8,
  ATTN_QUANTITY_LOGITS    = 1 << 9,
  ATTN_QUANTITY_FINAL     = 1 << 10,
} AttnQuantity;

/* Quantities that belong to no layer and need the whole pass, whatever layers are kept. */
#define ATTN_QUANTITIES_OF_END (ATTN_QUANTITY_LOGITS | ATTN_QUANTITY_FINAL)

/* Quantities for which more of a layer must be computed than its attention weights. */
#define ATTN_QUANTITIES_BEHIND_MAPS \
  (ATTN_QUANTITY_OUTPUT | ATTN_QUANTITY_ATTENTION | ATTN_QUANTITY_MLP)

/* Quantities of the residual stream, which layers of linear attention have, too. */
#define ATTN_QUANTITIES_OF_STREAM \
  (ATTN_QUANTITY_RESIDUAL | ATTN_QUANTITY_ATTENTION | ATTN_QUANTITY_MLP)

/* Quantities of each layer that a trace must keep so that a trace of another text can continue
 * where the texts diverge; see [func@attn_trace_compute]. */
#define ATTN_QUANTITIES_TO_CONTINUE \
  (ATTN_QUANTITY_RESIDUAL | ATTN_QUANTITY_KEY | ATTN_QUANTITY_VALUE)

/**
 * AttnTraceRequest:
 * @ids: (array length=n_ids): token ids; no special tokens are added
 * @interventions: (nullable) (element-type AttnIntervention): applied in the order of the array;
 *   %NULL for the baseline
 * @keep: what the trace keeps of @layers, a combination of #AttnQuantity
 * @layers: (nullable): the layers to keep it of, %NULL for all. Layers above the last one are not
 *   computed unless logits or the final residual stream are kept.
 *
 * The sink score of key 0 is kept of every layer and head that is computed, whatever @keep says.
 */
typedef struct
{
  const guint32 *ids;
  gsize n_ids;
  GPtrArray *interventions;
  AttnQuantity keep;
  AttnIndexSet *layers;
} AttnTraceRequest;

typedef struct _AttnTrace AttnTrace;

AttnTrace  *attn_trace_compute   (AttnModel               *model,
                                  const AttnTraceRequest  *request,
                                  const AttnTrace         *baseline,
                                  const AttnProgress      *progress,
                                  GCancellable            *cancellable,
                                  GError                 **error);
AttnTrace  *attn_trace_ref       (AttnTrace               *trace);
void        attn_trace_unref     (AttnTrace               *trace);
AttnTensor *attn_trace_get       (const AttnTrace         *trace,
                                  AttnQuantity             quantity,
                                  gsize                    layer);
AttnTensor *attn_trace_compute_weights (AttnTrace         *baseline,
                                  gsize                    layer,
                                  const AttnIndexSet      *heads,
                                  GPtrArray               *interventions,
                                  const AttnProgress      *progress,
                                  GCancellable            *cancellable,
                                  GError                 **error);
AttnTensor *attn_trace_defer_weights (AttnTrace           *baseline,
                                  gsize                    layer,
                                  const AttnIndexSet      *heads,
                                  GPtrArray               *interventions,
                                  const AttnProgress      *progress,
                                  GCancellable            *cancellable,
                                  AttnDeferred           **deferred,
                                  GError                 **error);
AttnTensor *attn_trace_compute_mean (AttnTrace            *baseline,
                                  gsize                    layer,
                                  GPtrArray               *interventions,
                                  const AttnProgress      *progress,
                                  GCancellable            *cancellable,
                                  GError                 **error);
gboolean    attn_trace_compute_means (AttnTrace           *baseline,
                                  gsize                    layer,
                                  GPtrArray              **interventions,
                                  gsize                    n,
                                  const AttnProgress      *progress,
                                  GCancellable            *cancellable,
                                  AttnTensor             **means,
                                  GError                 **error);
double      attn_trace_get_sink    (AttnTrace            *baseline,
                                    gsize                 layer,
                                    gsize                 head);
gboolean    attn_trace_get_factors (AttnTrace            *baseline,
                                  gsize                    layer,
                                  gsize                    head,
                                  GPtrArray               *interventions,
                                  double                  *queries,
                                  double                  *keys);
AttnTensor *attn_trace_compute_scores (AttnTrace          *baseline,
                                  gsize                    layer,
                                  gsize                    head,
                                  GCancellable            *cancellable,
                                  GError                 **error);
AttnTensor *attn_trace_compute_layer (const AttnTrace     *trace,
                                  gsize                    layer,
                                  const AttnIndexSet      *heads,
                                  GPtrArray               *interventions,
                                  GCancellable            *cancellable,
                                  GError                 **error);
AttnTensor *attn_trace_compute_unmasked_scores (const AttnTrace *trace,
                                  gsize                    layer,
                                  GCancellable            *cancellable,
                                  GError                 **error);
AttnTensor *attn_trace_get_sink_scores (const AttnTrace   *trace);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnTrace, attn_trace_unref)

G_END_DECLS
