/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Measures the effect of hundreds of changes, such as one for each head, on the predictions for a
 * text. The unchanged text is computed once, a pass begins at the layer of its change, and logits
 * are compared without storing probabilities. */

#include "config.h"

#include "attn-effect-meter.h"

#include <math.h>

#include "attn-ops.h"
#include "attn-parallel.h"
#include "attn-prediction.h"
#include "attn-threads.h"
#include "attn-trace-private.h"

/**
 * AttnEffectMeter:
 * @trace: the residual streams that enter each layer and leave the last one
 * @rows: the positions whose predictions are compared
 * @logits: [rows, V] of the unchanged text
 * @encoder: (nullable): the encoder that changes act on, if the text is its decoder's
 * @source: (nullable): what @encoder reads
 */
struct _AttnEffectMeter
{
  AttnSpan rows;
  AttnTrace *trace;
  AttnTensor *logits;
  AttnModel *encoder;
  AttnTokens *source;
};

/**
 * attn_effect_meter_new:
 * @ids: (array length=n_ids): token ids; no special tokens are added
 * @rows: the positions whose predictions are compared, at least one
 * @baseline: (nullable): a trace without interventions; what it has of the same ids is not computed
 *   again
 * @error: return location: %ATTN_ERROR_UNSUPPORTED for a model without a language-model head and
 *   for a recording, %ATTN_ERROR_MEMORY, %G_IO_ERROR_CANCELLED
 *
 * Takes memory for [rows, V] and [L, T, D] float32.
 *
 * Returns: (transfer full) (nullable): a meter with the predictions for the unchanged text
 */
AttnEffectMeter *
attn_effect_meter_new (AttnModel        *model,
                       const guint32    *ids,
                       gsize             n_ids,
                       AttnSpan          rows,
                       const AttnTrace  *baseline,
                       GCancellable     *cancellable,
                       GError          **error)
{
  const AttnTraceRequest request = {
    .ids = ids,
    .n_ids = n_ids,
    .keep = ATTN_QUANTITY_RESIDUAL | ATTN_QUANTITY_FINAL,
  };
  g_autoptr (AttnEffectMeter) effects = g_new0 (AttnEffectMeter, 1);

  effects->rows = rows;
  effects->trace = attn_trace_compute (model, &request, baseline, NULL, cancellable, error);
  effects->logits = effects->trace != NULL
                        ? attn_trace_compute_logits (effects->trace, rows.first,
                                                     rows.end - rows.first, cancellable, error)
                        : NULL;
  return effects->logits != NULL ? g_steal_pointer (&effects) : NULL;
}

/**
 * attn_effect_meter_set_encoder:
 * @effects: a meter of the decoder that belongs to @encoder
 * @source: what @encoder reads
 *
 * Makes changes act on the encoder instead of the decoder; see [func@attn_model_bind_decoder].
 */
void
attn_effect_meter_set_encoder (AttnEffectMeter *effects,
                               AttnModel       *encoder,
                               AttnTokens      *source)
{
  effects->encoder = attn_model_ref (encoder);
  effects->source = attn_tokens_ref (source);
}

void
attn_effect_meter_free (AttnEffectMeter *effects)
{
  if (effects == NULL)
    return;
  g_clear_pointer (&effects->logits, attn_tensor_unref);
  g_clear_pointer (&effects->trace, attn_trace_unref);
  g_clear_pointer (&effects->encoder, attn_model_unref);
  g_clear_pointer (&effects->source, attn_tokens_unref);
  g_free (effects);
}

typedef struct
{
  const AttnEffectMeter *effects;
  const AttnTensor *logits; /* logits after the change */
  AttnMeanEffect *rows;     /* [rows], the effect on the prediction at each position */
} Comparison;

static void
compare_row (gsize    row,
             gsize    worker,
             gpointer user_data)
{
  const Comparison *comparison = user_data;
  const AttnTrace *trace = comparison->effects->trace;
  gsize n = comparison->logits->shape[1];
  const float *p = comparison->effects->logits->data + row * n;
  const float *q = comparison->logits->data + row * n;
  gsize position = comparison->effects->rows.first + row;
  gsize target = position + (trace->model->info.predicts_next ? 1 : 0);
  AttnMeanEffect *effect = &comparison->rows[row];
  double sums[2];

  effect->kl = attn_ops_compare_logits (p, q, n, sums) / G_LN2;
  effect->loss = NAN;
  if (target < trace->n_ids && !trace->model->info.needs_picture)
    effect->loss = ((sums[1] - q[trace->ids[target]]) - (sums[0] - p[trace->ids[target]])) / G_LN2;
}

/* Runs the pass with the change. If the change acts on an encoder, the encoder reads its source
 * anew, and the decoder's pass is run without interventions. */
static AttnTrace *
compute_changed (const AttnEffectMeter  *effects,
                 GPtrArray              *interventions,
                 GCancellable           *cancellable,
                 GError                **error)
{
  const AttnTrace *baseline = effects->trace;
  AttnTraceRequest request = {
    .ids = baseline->ids,
    .n_ids = baseline->n_ids,
    .interventions = interventions,
    .keep = ATTN_QUANTITY_FINAL,
  };

  if (effects->encoder == NULL)
    return attn_trace_compute (baseline->model, &request, baseline, NULL, cancellable, error);
  request.interventions = NULL;
  g_autoptr (AttnModel) model = attn_model_bind_decoder (effects->encoder, effects->source,
                                                         interventions, cancellable, error);
  return model != NULL ? attn_trace_compute (model, &request, NULL, NULL, cancellable, error)
                       : NULL;
}

/**
 * attn_effect_meter_compute:
 * @interventions: (element-type AttnIntervention): the change
 * @effect: (out): what it does to the predictions, as a mean over the positions
 * @error: return location: errors of [func@attn_trace_compute]
 *
 * Layers below the first changed one are not computed.
 */
gboolean
attn_effect_meter_compute (AttnEffectMeter  *effects,
                           GPtrArray        *interventions,
                           AttnMeanEffect   *effect,
                           GCancellable     *cancellable,
                           GError          **error)
{
  gsize n = effects->rows.end - effects->rows.first;
  g_autofree AttnMeanEffect *rows = g_new (AttnMeanEffect, n);
  g_autoptr (AttnTrace) trace = compute_changed (effects, interventions, cancellable, error);
  g_autoptr (AttnTensor) logits =
      trace != NULL
          ? attn_trace_compute_logits (trace, effects->rows.first, n, cancellable, error)
          : NULL;
  Comparison comparison = { effects, logits, rows };
  gsize n_targets = 0;

  if (logits == NULL)
    return FALSE;
  attn_parallel_run (n, attn_threads_get (), compare_row, &comparison);
  *effect = (AttnMeanEffect) { 0.0, 0.0 };
  for (gsize row = 0; row < n; row++)
    {
      effect->kl += rows[row].kl / (double) n;
      if (isnan (rows[row].loss))
        continue;
      effect->loss += rows[row].loss;
      n_targets++;
    }
  effect->loss = n_targets > 0 ? effect->loss / (double) n_targets : NAN;
  return TRUE;
}
