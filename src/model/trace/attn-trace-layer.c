/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computes the weights of a layer from the residual stream that a trace keeps. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-source.h"
#include "attn-trace-private.h"

/**
 * attn_trace_compute_layer:
 * @trace: a trace that keeps the residual stream of @layer
 * @layer: the layer to compute the weights of
 * @heads: (nullable): the heads to compute, %NULL for all
 * @interventions: (nullable) (element-type AttnIntervention): those that @trace was computed with
 * @cancellable: (nullable)
 * @error: return location: %ATTN_ERROR_ARGUMENT for a layer that the trace keeps no residual stream
 *   of and for heads that the model does not have, %ATTN_ERROR_MEMORY, %G_IO_ERROR_CANCELLED
 *
 * One layer's attention and nothing else is computed, and nothing of it stays with the trace: a
 * walk over all layers costs one attention a layer on top of the pass that made the trace, and
 * holds the weights of one layer at a time. Any thread may call.
 *
 * Returns: (transfer full) (nullable): [heads asked for, T, T] float32
 */
AttnTensor *
attn_trace_compute_layer (const AttnTrace     *trace,
                          gsize                layer,
                          const AttnIndexSet  *heads,
                          GPtrArray           *interventions,
                          GCancellable        *cancellable,
                          GError             **error)
{
  const AttnModelInfo *info = &trace->model->info;
  AttnTensor *residual = NULL;

  if (layer >= info->n_layers ||
      attn_kept_get (&trace->layers[layer], ATTN_QUANTITY_RESIDUAL) == NULL)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("layer %zu: no residual stream found, expected a pass that keeps it"),
                           layer);
  if (!attn_model_check_map (trace->model, layer, error) ||
      !attn_index_set_check (heads, info->n_heads, _("heads"), error) ||
      !attn_interventions_prepare (interventions, cancellable, error))
    return NULL;

  g_autoptr (AttnIndexSet) layers = attn_index_set_new_range (layer, layer);
  g_autofree AttnKept *kept = g_new0 (AttnKept, info->n_layers);
  g_autofree float *sink_scores = g_new (float, info->n_layers * info->n_heads);
  gsize first_layer = attn_trace_find_residual (trace, layer, &residual);
  const AttnForward forward = {
    .model = trace->model,
    .ids = trace->ids,
    .n_ids = trace->n_ids,
    .interventions = interventions,
    .keep = ATTN_QUANTITY_WEIGHTS,
    .layers = layers,
    .heads = heads,
    .first_layer = first_layer,
    .residual = residual,
    .is_changed = residual != NULL,
    .kept = kept,
    .sink_scores = sink_scores,
    .cancellable = cancellable,
  };
  AttnTensor *weights = NULL;
  if (attn_model_run (&forward, error))
    weights = attn_tensor_ref (attn_kept_get (&kept[layer], ATTN_QUANTITY_WEIGHTS));
  attn_kept_clear (&kept[layer]);
  return weights;
}
