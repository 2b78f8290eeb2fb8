/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computes the scores of a layer without the model's mask, from the queries and keys that a trace
 * keeps. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-trace-private.h"

/**
 * attn_trace_compute_unmasked_scores:
 * @trace: a trace that keeps queries and keys of @layer
 * @layer: number of the layer
 * @cancellable: (nullable)
 * @error: return location: %ATTN_ERROR_UNSUPPORTED for a trace without queries and keys of the
 *   layer, %ATTN_ERROR_MEMORY, %G_IO_ERROR_CANCELLED
 *
 *     S = Q K^T / sqrt (d)
 *
 * with the factor, the cap and the slopes that the model has, and neither its causal mask nor its
 * window: the scores that each head would give to keys that the model never lets it see. Any thread
 * may call.
 *
 * Returns: (transfer full) (nullable): [H, T, T] float32
 */
AttnTensor *
attn_trace_compute_unmasked_scores (const AttnTrace  *trace,
                                    gsize             layer,
                                    GCancellable     *cancellable,
                                    GError          **error)
{
  gsize n_heads = trace->model->info.n_heads;
  const gsize shape[] = { n_heads, trace->n_ids,
                          attn_model_count_keys (trace->model, trace->n_ids) };
  g_autoptr (AttnTensor) query = attn_trace_get (trace, ATTN_QUANTITY_QUERY, layer);
  g_autoptr (AttnTensor) key = attn_trace_get (trace, ATTN_QUANTITY_KEY, layer);

  if (query == NULL || key == NULL)
    return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                           _("layer %zu: no queries and keys found, expected them for attention "
                             "without the mask of the model"),
                           layer);

  g_autoptr (AttnTensor) scores = attn_tensor_new (3, shape, error);
  if (scores == NULL)
    return NULL;

  AttnAttention attention = {
    .query = attn_vectors_wrap (query, n_heads),
    .key = attn_vectors_wrap (key, n_heads),
    .rules = *attn_model_get_rules (trace->model, layer),
    .scores = scores,
    .cancellable = cancellable,
  };
  attention.rules.is_causal = FALSE;
  attention.rules.window = 0;
  return attn_attention_compute (&attention, error) ? g_steal_pointer (&scores) : NULL;
}
