/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-trace.h"

#include <math.h>
#include <string.h>

#include "attn-source.h"
#include "attn-trace-private.h"

/* The least number of common first tokens for which it pays to continue from another trace. */
#define MIN_COMMON 32

/**
 * attn_trace_find_residual:
 * @residual: (out) (transfer none) (nullable): [T, D] entering the layer that is returned, %NULL if
 *   that is 0 and the pass has to begin with the embeddings
 *
 * Returns: the highest layer up to @layer whose residual stream is kept and where a pass can begin
 */
gsize
attn_trace_find_residual (const AttnTrace  *trace,
                          gsize             layer,
                          AttnTensor      **residual)
{
  for (layer = attn_model_info_find_start (&trace->model->info, layer);; layer--)
    {
      *residual = attn_kept_get (&trace->layers[layer], ATTN_QUANTITY_RESIDUAL);
      if (*residual != NULL || layer == 0)
        return layer;
    }
}

static gboolean
has_same_input (const AttnTrace        *trace,
                const AttnModel        *model,
                const AttnTraceRequest *request)
{
  return trace->is_baseline && trace->model == model && trace->n_ids == request->n_ids &&
         memcmp (trace->ids, request->ids, request->n_ids * sizeof *request->ids) == 0;
}

/* Returns the lowest layer that must be computed: the first layer of which a quantity is kept or
 * changed. @layers is ignored if no quantity of a layer is requested. */
static gsize
find_first_layer (const AttnTraceRequest *request,
                  gsize                   n_layers)
{
  gsize first = attn_interventions_find_first_layer (request->interventions);

  if (request->keep & ~ATTN_QUANTITIES_OF_END)
    first = MIN (first, attn_index_set_get_first (request->layers));
  return MIN (first, n_layers - 1);
}

static gboolean
check_request (const AttnModel         *model,
               const AttnTraceRequest  *request,
               GError                 **error)
{
  return attn_model_check_ids (model, request->ids, request->n_ids, error) &&
         attn_index_set_check (request->layers, model->info.n_layers, "layers", error) &&
         attn_interventions_check (request->interventions, model, request->n_ids, error);
}

static gboolean
has_changes (const AttnTraceRequest *request)
{
  return attn_interventions_find_first_layer (request->interventions) != G_MAXSIZE;
}

/* Copies from @baseline the lowest layers that have all requested quantities. Returns the first
 * layer that lacks some, or L. */
static gsize
take_layers (const AttnTrace        *baseline,
             const AttnTraceRequest *request,
             AttnTrace              *trace)
{
  const guint quantities = request->keep & ~ATTN_QUANTITIES_OF_END;
  gsize n_layers = trace->model->info.n_layers;

  for (gsize layer = 0; layer < n_layers; layer++)
    {
      if (!attn_index_set_contains (request->layers, layer))
        continue;
      guint own = attn_model_has_map (trace->model, layer)
                      ? quantities
                      : quantities & (guint) ATTN_QUANTITIES_OF_STREAM;

      for (gsize i = 0; i < ATTN_N_LAYER_QUANTITIES; i++)
        if ((own & 1u << i) != 0 && baseline->layers[layer].tensors[i] == NULL)
          return layer;
      for (gsize i = 0; i < ATTN_N_LAYER_QUANTITIES; i++)
        if ((own & 1u << i) != 0)
          trace->layers[layer].tensors[i] = attn_tensor_ref (baseline->layers[layer].tensors[i]);
    }
  return n_layers;
}

/* Counts the first tokens that both texts have in common, less one if nothing else would be left to
 * compute. */
static gsize
count_common (const AttnTrace        *trace,
              const AttnTraceRequest *request)
{
  gsize n = 0;

  while (n < trace->n_ids && n < request->n_ids && trace->ids[n] == request->ids[n])
    n++;
  return MIN (n, request->n_ids - 1);
}

/* Tells whether a trace of a causal model can provide the first tokens of a text that begins alike,
 * so that only the following tokens must be computed. */
static gboolean
can_continue (const AttnTrace        *trace,
              const AttnModel        *model,
              const AttnTraceRequest *request)
{
  const AttnModelInfo *info = &model->info;

  if (!trace->is_baseline || trace->model != model ||
      request->keep != ATTN_QUANTITIES_TO_CONTINUE || !info->can_continue ||
      (info->depends_on_length && trace->n_ids != request->n_ids) ||
      count_common (trace, request) < MIN_COMMON || has_changes (request))
    return FALSE;

  /* The request must keep all layers up to its last one, and the trace must have kept these. */
  gsize n_kept = attn_index_set_count (request->layers, info->n_layers);
  if (attn_index_set_count (request->layers, n_kept) != n_kept)
    return FALSE;
  for (gsize layer = 0; layer < n_kept; layer++)
    if (attn_kept_get (&trace->layers[layer], ATTN_QUANTITY_RESIDUAL) == NULL ||
        attn_kept_get (&trace->layers[layer], ATTN_QUANTITY_KEY) == NULL ||
        attn_kept_get (&trace->layers[layer], ATTN_QUANTITY_VALUE) == NULL)
      return FALSE;
  return TRUE;
}

static void
copy_first_columns (const AttnTrace *from,
                    AttnTrace       *to,
                    gsize            n_tokens)
{
  const AttnModelInfo *info = &from->model->info;

  for (gsize i = 0; i < info->n_layers * info->n_heads; i++)
    memcpy (to->first_columns->data + i * to->n_ids, from->first_columns->data + i * from->n_ids,
            n_tokens * sizeof (float));
}

static AttnTrace *
trace_new (AttnModel               *model,
           const AttnTraceRequest  *request,
           GError                 **error)
{
  const AttnModelInfo *info = &model->info;
  const gsize shape[] = { info->n_layers, info->n_heads, request->n_ids };
  g_autoptr (AttnTensor) sink_scores = attn_tensor_new (2, shape, error);
  AttnTensor *first_columns = sink_scores != NULL ? attn_tensor_new_unset (3, shape, error) : NULL;

  if (first_columns == NULL)
    return NULL;
  for (gsize i = 0; i < shape[0] * shape[1]; i++)
    sink_scores->data[i] = NAN;

  AttnTrace *trace = g_new0 (AttnTrace, 1);
  g_atomic_ref_count_init (&trace->ref_count);
  g_mutex_init (&trace->lock);
  trace->model = attn_model_ref (model);
  trace->ids = g_memdup2 (request->ids, request->n_ids * sizeof *request->ids);
  trace->n_ids = request->n_ids;
  trace->is_baseline = !has_changes (request);
  trace->layers = g_new0 (AttnKept, info->n_layers);
  trace->sink_scores = g_steal_pointer (&sink_scores);
  trace->first_columns = first_columns;
  return trace;
}

/**
 * attn_trace_compute:
 * @model: the model
 * @request: what to compute; copied
 * @baseline: (nullable): a trace without interventions. If it is of the same ids, what it has of
 *   the layers below the first requested or changed one is taken from it. If its ids begin alike,
 *   it and @request keep %ATTN_QUANTITIES_TO_CONTINUE of all layers up to the last, and the model
 *   is causal, only the tokens from the first different one on are computed. Else it is ignored.
 * @progress: (nullable): told once a layer
 * @cancellable: (nullable): polled for each layer and head
 * @error: return location: %ATTN_ERROR_LIMIT for ids the model does not take, %ATTN_ERROR_ARGUMENT
 *   for layers or interventions it does not have, %ATTN_ERROR_MEMORY, %G_IO_ERROR_CANCELLED
 *
 * Memory: activations are reused from layer to layer; what is kept grows with the number of layers
 * kept, scores and weights with the square of the tokens. All of it is counted before any is taken.
 * Any thread may call.
 *
 * Returns: (transfer full) (nullable): the trace
 */
AttnTrace *
attn_trace_compute (AttnModel               *model,
                    const AttnTraceRequest  *request,
                    const AttnTrace         *baseline,
                    const AttnProgress      *progress,
                    GCancellable            *cancellable,
                    GError                 **error)
{
  const AttnModelInfo *info = &model->info;

  if (!check_request (model, request, error) ||
      !attn_interventions_prepare (request->interventions, cancellable, error))
    return NULL;

  g_autoptr (AttnTrace) trace = trace_new (model, request, error);
  if (trace == NULL)
    return NULL;

  AttnForward forward = {
    .model = model,
    .ids = trace->ids,
    .n_ids = trace->n_ids,
    .interventions = request->interventions,
    .keep = request->keep,
    .layers = request->layers,
    .first_columns = trace->first_columns->data,
    .kept = trace->layers,
    .sink_scores = trace->sink_scores->data,
    .logits = &trace->logits,
    .final = &trace->final,
    .progress = progress,
    .cancellable = cancellable,
  };
  AttnTensor *residual = NULL;
  if (baseline != NULL && has_same_input (baseline, model, request))
    {
      gsize first = find_first_layer (request, info->n_layers);

      if (!has_changes (request))
        {
          gsize n_taken = take_layers (baseline, request, trace);

          first = MAX (first, MIN (n_taken, info->n_layers - 1));
        }
      forward.first_layer = attn_trace_find_residual (baseline, first, &residual);
      forward.residual = residual;
      memcpy (trace->sink_scores->data, baseline->sink_scores->data,
              forward.first_layer * info->n_heads * sizeof (float));
      memcpy (trace->first_columns->data, baseline->first_columns->data,
              forward.first_layer * info->n_heads * trace->n_ids * sizeof (float));
    }
  else if (baseline != NULL && can_continue (baseline, model, request))
    {
      forward.first_token = count_common (baseline, request);
      forward.prefix = baseline->layers;
      copy_first_columns (baseline, trace, forward.first_token);
    }
  if (!attn_model_run (&forward, error))
    return NULL;
  return g_steal_pointer (&trace);
}

AttnTrace *
attn_trace_ref (AttnTrace *trace)
{
  g_atomic_ref_count_inc (&trace->ref_count);
  return trace;
}

void
attn_trace_unref (AttnTrace *trace)
{
  if (!g_atomic_ref_count_dec (&trace->ref_count))
    return;
  for (gsize layer = 0; layer < trace->model->info.n_layers; layer++)
    attn_kept_clear (&trace->layers[layer]);
  attn_kept_clear (&trace->shown);
  g_clear_pointer (&trace->logits, attn_tensor_unref);
  g_clear_pointer (&trace->final, attn_tensor_unref);
  attn_tensor_unref (trace->sink_scores);
  g_mutex_clear (&trace->lock);
  attn_tensor_unref (trace->first_columns);
  g_free (trace->layers);
  g_free (trace->ids);
  attn_model_unref (trace->model);
  g_free (trace);
}

/**
 * attn_trace_get:
 * @quantity: a single quantity
 * @layer: number of the layer; ignored for logits and the final residual stream
 *
 * Returns: (transfer full) (nullable): the tensor, in the shape that #AttnQuantity says, or %NULL
 *   if the request did not keep it
 */
AttnTensor *
attn_trace_get (const AttnTrace *trace,
                AttnQuantity     quantity,
                gsize            layer)
{
  AttnTensor *tensor;

  if (quantity & ATTN_QUANTITIES_OF_END)
    tensor = quantity == ATTN_QUANTITY_LOGITS ? trace->logits : trace->final;
  else
    {
      g_return_val_if_fail (layer < trace->model->info.n_layers, NULL);
      tensor = attn_kept_get (&trace->layers[layer], quantity);
    }
  return tensor != NULL ? attn_tensor_ref (tensor) : NULL;
}

/**
 * attn_trace_get_sink_scores:
 *
 * Returns: (transfer full): [L, H], the sink score of key 0 of each head; NaN for layers that
 *   neither the trace nor its baseline computed
 */
AttnTensor *
attn_trace_get_sink_scores (const AttnTrace *trace)
{
  return attn_tensor_ref (trace->sink_scores);
}
