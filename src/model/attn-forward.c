/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-forward.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attn-attention.h"
#include "attn-error.h"
#include "attn-linear.h"
#include "attn-memory.h"
#include "attn-model-private.h"
#include "attn-ops.h"
#include "attn-parallel.h"
#include "attn-threads.h"

/* T tokens, D width, I inner width, H heads, Hk key heads, d head width, V vocabulary. */

#define ALIGNMENT 64
/* Rows of the embedding that are converted at a time for the logits. */
#define LOGITS_ROWS ((gsize) 4096)

/* Every buffer of a pass, planned before the first is taken and used again in each layer. */
typedef enum
{
  BUFFER_RESIDUAL,     /* [T, D] */
  BUFFER_NORMED,       /* [T, D] */
  BUFFER_QKV,          /* [T, (H + 2 Hk) d] */
  BUFFER_CONTEXT,      /* [T, H d] */
  BUFFER_INNER,        /* [T, I] */
  BUFFER_FIRST_COLUMN, /* [H, T] */
  BUFFER_ATTENTION,    /* two blocks of rows a worker */
  BUFFER_WEIGHTS,      /* tensors of a layer that are not stored as float32 */
  N_BUFFERS,
} Buffer;

typedef struct
{
  const AttnForward *forward;
  const AttnConfig *config;
  const AttnWeights *weights;
  const float *tensors[ATTN_N_ROLES]; /* of the layer at hand */
  AttnKept *kept;
  float *sink_scores;
  GCancellable *cancellable;
  gsize n_tokens;
  gsize n_workers;
  gsize last_layer;
  gboolean has_logits;
  float *memory;
  float *buffers[N_BUFFERS];
} Pass;

/* Sizes that do not fit are more than any limit. */
static void
add_size (gsize *total,
          gsize  a,
          gsize  b)
{
  gsize product;

  if (!g_size_checked_mul (&product, a, b) || !g_size_checked_add (total, *total, product))
    *total = G_MAXSIZE;
}

/* Floats of each buffer; G_MAXSIZE for one that does not fit. */
static void
plan_buffers (const AttnModel *model,
              gsize            n_tokens,
              gsize            n_workers,
              gsize            sizes[N_BUFFERS])
{
  const AttnConfig *config = attn_model_get_config (model);
  gsize n_queries = config->n_heads * config->head_width;
  gsize n_keys = config->n_key_heads * config->head_width;

  memset (sizes, 0, N_BUFFERS * sizeof *sizes);
  add_size (&sizes[BUFFER_RESIDUAL], n_tokens, config->width);
  add_size (&sizes[BUFFER_NORMED], n_tokens, config->width);
  add_size (&sizes[BUFFER_QKV], n_tokens, n_queries + 2 * n_keys);
  add_size (&sizes[BUFFER_CONTEXT], n_tokens, n_queries);
  add_size (&sizes[BUFFER_INNER], n_tokens, config->inner_width);
  add_size (&sizes[BUFFER_FIRST_COLUMN], n_tokens, config->n_heads);
  add_size (&sizes[BUFFER_ATTENTION], attn_attention_get_scratch (n_tokens, 1), n_workers);
  sizes[BUFFER_WEIGHTS] = attn_weights_get_scratch (attn_model_get_weights (model));
}

static gsize
get_total (const gsize sizes[N_BUFFERS])
{
  gsize n_floats = 0;
  gsize n_bytes = 0;

  for (gsize i = 0; i < N_BUFFERS; i++)
    {
      add_size (&n_floats, sizes[i], 1);
      add_size (&n_floats, ALIGNMENT / sizeof (float), 1);
    }
  add_size (&n_bytes, n_floats, sizeof (float));
  return n_bytes;
}

/* Bytes that the trace will keep. */
static gsize
compute_kept (const AttnForward *forward,
              gboolean           has_logits)
{
  const AttnConfig *config = attn_model_get_config (forward->model);
  gsize n_heads = attn_index_set_count (forward->heads, config->n_heads);
  gsize n_tokens = forward->n_ids;
  gsize n_vectors = 0;
  gsize n_maps = 0;
  gsize n_bytes = 0;

  if (forward->keep & ATTN_QUANTITY_RESIDUAL)
    n_vectors += config->width;
  if (forward->keep & ATTN_QUANTITY_QUERY)
    n_vectors += config->n_heads * config->head_width;
  if (forward->keep & ATTN_QUANTITY_KEY)
    n_vectors += config->n_key_heads * config->head_width;
  if (forward->keep & ATTN_QUANTITY_VALUE)
    n_vectors += config->n_key_heads * config->head_width;
  if (forward->keep & ATTN_QUANTITY_SCORES)
    n_maps += n_heads;
  if (forward->keep & ATTN_QUANTITY_WEIGHTS)
    n_maps += n_heads;

  gsize n_floats = 0;
  add_size (&n_floats, n_tokens, n_vectors);
  add_size (&n_floats, n_tokens * n_tokens, n_maps);
  add_size (&n_bytes, n_floats,
            sizeof (float) * attn_index_set_count (forward->layers, config->n_layers));
  if (has_logits)
    add_size (&n_bytes, n_tokens, sizeof (float) * config->vocabulary_size);
  return n_bytes;
}

static gboolean
allocate (Pass    *pass,
          GError **error)
{
  const AttnForward *forward = pass->forward;
  gsize sizes[N_BUFFERS];

  plan_buffers (forward->model, pass->n_tokens, pass->n_workers, sizes);
  if (pass->has_logits)
    {
      const AttnArray *array = attn_weights_get (pass->weights, ATTN_ROLE_LOGITS, 0);

      if (attn_array_peek_float32 (array) == NULL)
        sizes[BUFFER_WEIGHTS] =
            MAX (sizes[BUFFER_WEIGHTS], MIN (LOGITS_ROWS, array->shape[0]) * array->shape[1]);
    }

  gsize n_bytes = get_total (sizes);
  gsize n_all = n_bytes;
  add_size (&n_all, compute_kept (forward, pass->has_logits), 1);
  g_autofree char *what =
      g_strdup_printf (_("a forward pass over %zu tokens"), pass->n_tokens);
  if (!attn_memory_check (n_all, what, error))
    return FALSE;

  n_bytes = (n_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  pass->memory = aligned_alloc (ALIGNMENT, n_bytes);
  if (pass->memory == NULL)
    {
      g_autofree char *needed = g_format_size (n_bytes);
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_MEMORY,
                   _("%s: %s of memory needed, expected that the machine has it free"), what,
                   needed);
      return FALSE;
    }

  gsize offset = 0;
  const gsize unit = ALIGNMENT / sizeof (float);
  for (gsize i = 0; i < N_BUFFERS; i++)
    {
      pass->buffers[i] = pass->memory + offset;
      offset += (sizes[i] + unit - 1) / unit * unit;
    }
  return TRUE;
}

/* Residual stream entering the first layer of the pass: from the trace, or token plus position. */
static gboolean
begin (Pass    *pass,
       GError **error)
{
  const AttnForward *forward = pass->forward;
  const AttnArray *tokens = attn_weights_get (pass->weights, ATTN_ROLE_TOKEN_EMBEDDING, 0);
  const AttnArray *positions = attn_weights_get (pass->weights, ATTN_ROLE_POSITION_EMBEDDING, 0);
  float *position = pass->buffers[BUFFER_NORMED];
  gsize width = pass->config->width;

  if (forward->residual != NULL)
    {
      memcpy (pass->buffers[BUFFER_RESIDUAL], forward->residual->data,
              pass->n_tokens * width * sizeof (float));
      return TRUE;
    }
  for (gsize i = 0; i < pass->n_tokens; i++)
    {
      float *row = pass->buffers[BUFFER_RESIDUAL] + i * width;

      if (!attn_array_read (tokens, forward->ids[i] * width, width, row, error) ||
          !attn_array_read (positions, i * width, width, position, error))
        return FALSE;
      attn_ops_add (row, position, width);
    }
  return TRUE;
}

static void
normalize (const Pass  *pass,
           const float *scale,
           const float *bias)
{
  gsize width = pass->config->width;

  for (gsize i = 0; i < pass->n_tokens; i++)
    attn_ops_layer_norm (pass->buffers[BUFFER_RESIDUAL] + i * width, width, scale, bias,
                         (float) pass->config->norm_epsilon,
                         pass->buffers[BUFFER_NORMED] + i * width);
}

static void
run_linear (const Pass           *pass,
            Buffer                from,
            gsize                 n_in,
            AttnRole              weight,
            const AttnActivation *activation,
            Buffer                to,
            gsize                 n_out)
{
  AttnLinear linear = {
    .x = pass->buffers[from],
    .n_rows = pass->n_tokens,
    .n_in = n_in,
    .n_out = n_out,
    .weight = pass->tensors[weight],
    .is_input_major = pass->config->family->is_input_major,
    .bias = pass->tensors[weight + 1], /* each weight's bias is the next role */
    .activation = activation,
    .accumulates = to == BUFFER_RESIDUAL,
    .out = pass->buffers[to],
    .out_stride = n_out,
  };

  attn_linear_run (&linear, pass->n_workers);
}

/* Makes the tensor if the layer keeps the quantity; *tensor is %NULL if not. */
static gboolean
keep (const Pass    *pass,
      gsize          layer,
      AttnQuantity   quantity,
      guint          n_dims,
      const gsize   *shape,
      AttnTensor   **tensor,
      GError       **error)
{
  const AttnForward *forward = pass->forward;

  *tensor = NULL;
  if (!(forward->keep & quantity) || !attn_index_set_contains (forward->layers, layer))
    return TRUE;
  *tensor = attn_tensor_new (n_dims, shape, error);
  pass->kept[layer].tensors[g_bit_nth_lsf (quantity, -1)] = *tensor;
  return *tensor != NULL;
}

static gboolean
keep_residual (const Pass  *pass,
               gsize        layer,
               GError     **error)
{
  const gsize shape[] = { pass->n_tokens, pass->config->width };
  AttnTensor *tensor;

  if (!keep (pass, layer, ATTN_QUANTITY_RESIDUAL, 2, shape, &tensor, error))
    return FALSE;
  if (tensor != NULL)
    memcpy (tensor->data, pass->buffers[BUFFER_RESIDUAL], shape[0] * shape[1] * sizeof (float));
  return TRUE;
}

static gboolean
keep_vectors (const Pass         *pass,
              gsize               layer,
              AttnQuantity        quantity,
              const AttnVectors  *vectors,
              GError            **error)
{
  const gsize shape[] = { vectors->n_heads, vectors->n_tokens, vectors->width };
  AttnTensor *tensor;

  if (!keep (pass, layer, quantity, 3, shape, &tensor, error))
    return FALSE;
  if (tensor != NULL)
    attn_vectors_copy (vectors, tensor->data);
  return TRUE;
}

/* The interventions that act at a site of this layer, in the order of their list. */
static void
intervene (const Pass        *pass,
           gsize              layer,
           AttnSite           site,
           const AttnVectors  components[ATTN_N_COMPONENTS])
{
  const GPtrArray *interventions = pass->forward->interventions;

  for (guint i = 0; interventions != NULL && i < interventions->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (interventions, i);

      if (intervention->site == site && attn_index_set_contains (intervention->layers, layer))
        attn_vectors_intervene (&components[intervention->component], intervention);
    }
}

/* Where queries, keys and values lie in a row of their common product: head after head. */
static void
set_components (const Pass  *pass,
                AttnVectors  components[ATTN_N_COMPONENTS])
{
  const AttnConfig *config = pass->config;
  gsize n_queries = config->n_heads * config->head_width;
  gsize n_keys = config->n_key_heads * config->head_width;
  const gsize offsets[ATTN_N_COMPONENTS] = { 0, n_queries, n_queries + n_keys };

  for (gsize i = 0; i < ATTN_N_COMPONENTS; i++)
    {
      gboolean is_query = i == ATTN_COMPONENT_QUERY;

      components[i] = (AttnVectors) {
        .data = pass->buffers[BUFFER_QKV] + offsets[i],
        .n_heads = is_query ? config->n_heads : config->n_key_heads,
        .n_tokens = pass->n_tokens,
        .width = config->head_width,
        .head_stride = config->head_width,
        .token_stride = n_queries + 2 * n_keys,
        .n_shared = is_query ? 1 : config->n_heads / config->n_key_heads,
      };
    }
}

static void
set_sink_scores (const Pass *pass,
                 gsize       layer)
{
  const AttnConfig *config = pass->config;

  for (gsize head = 0; head < config->n_heads; head++)
    {
      const float *column = pass->buffers[BUFFER_FIRST_COLUMN] + head * pass->n_tokens;
      double sum = 0.0;

      for (gsize i = 0; i < pass->n_tokens; i++)
        sum += column[i];
      if (attn_index_set_contains (pass->forward->heads, head))
        pass->sink_scores[layer * config->n_heads + head] = (float) (sum / (double) pass->n_tokens);
    }
}

static gboolean
run_attention (const Pass  *pass,
               gsize        layer,
               gboolean     has_context,
               GError     **error)
{
  const AttnConfig *config = pass->config;
  const gsize shape[] = { attn_index_set_count (pass->forward->heads, config->n_heads),
                          pass->n_tokens, pass->n_tokens };
  AttnVectors components[ATTN_N_COMPONENTS];

  /* A family with a query/key norm or a rotary embedding has that between two sites. */
  set_components (pass, components);
  for (AttnSite site = ATTN_SITE_PROJECTION; site <= ATTN_SITE_ROTATED; site++)
    intervene (pass, layer, site, components);

  AttnAttention attention = {
    .query = components[ATTN_COMPONENT_QUERY],
    .key = components[ATTN_COMPONENT_KEY],
    .value = components[ATTN_COMPONENT_VALUE],
    .factor = attn_forward_get_score_factor (pass->forward->model, layer),
    .is_causal = config->family->is_causal,
    .heads = pass->forward->heads,
    .context = has_context ? pass->buffers[BUFFER_CONTEXT] : NULL,
    .first_column = pass->buffers[BUFFER_FIRST_COLUMN],
    .n_workers = pass->n_workers,
    .scratch = pass->buffers[BUFFER_ATTENTION],
    .cancellable = pass->cancellable,
  };

  /* Below the last layer the context needs every head. */
  if (has_context)
    attention.heads = NULL;
  if (!keep_vectors (pass, layer, ATTN_QUANTITY_QUERY, &attention.query, error) ||
      !keep_vectors (pass, layer, ATTN_QUANTITY_KEY, &attention.key, error) ||
      !keep_vectors (pass, layer, ATTN_QUANTITY_VALUE, &attention.value, error) ||
      !keep (pass, layer, ATTN_QUANTITY_SCORES, 3, shape, &attention.scores, error) ||
      !keep (pass, layer, ATTN_QUANTITY_WEIGHTS, 3, shape, &attention.weights, error))
    return FALSE;
  attn_attention_run (&attention);
  if (g_cancellable_set_error_if_cancelled (pass->cancellable, error))
    return FALSE;
  set_sink_scores (pass, layer);
  return TRUE;
}

static gboolean
run_layer (Pass    *pass,
           gsize    layer,
           GError **error)
{
  const AttnConfig *config = pass->config;
  gsize n_queries = config->n_heads * config->head_width;
  gsize n_qkv = n_queries + 2 * config->n_key_heads * config->head_width;
  gboolean is_last = layer == pass->last_layer && !pass->has_logits;

  if (!keep_residual (pass, layer, error) ||
      !attn_weights_read_layer (pass->weights, layer, pass->buffers[BUFFER_WEIGHTS], pass->tensors,
                                error))
    return FALSE;

  normalize (pass, pass->tensors[ATTN_ROLE_ATTENTION_NORM_SCALE],
             pass->tensors[ATTN_ROLE_ATTENTION_NORM_BIAS]);
  run_linear (pass, BUFFER_NORMED, config->width, ATTN_ROLE_QKV, NULL, BUFFER_QKV, n_qkv);
  if (!run_attention (pass, layer, !is_last, error))
    return FALSE;
  if (is_last)
    return TRUE;

  run_linear (pass, BUFFER_CONTEXT, n_queries, ATTN_ROLE_OUTPUT, NULL, BUFFER_RESIDUAL,
              config->width);
  normalize (pass, pass->tensors[ATTN_ROLE_INNER_NORM_SCALE],
             pass->tensors[ATTN_ROLE_INNER_NORM_BIAS]);
  run_linear (pass, BUFFER_NORMED, config->width, ATTN_ROLE_UP, &config->activation, BUFFER_INNER,
              config->inner_width);
  if (g_cancellable_set_error_if_cancelled (pass->cancellable, error))
    return FALSE;
  run_linear (pass, BUFFER_INNER, config->inner_width, ATTN_ROLE_DOWN, NULL, BUFFER_RESIDUAL,
              config->width);
  return TRUE;
}

/* logits = norm (x) E^T. A matrix that is not stored as float32 is converted some rows at a time.
 * */
static AttnTensor *
compute_logits (Pass    *pass,
                GError **error)
{
  const AttnConfig *config = pass->config;
  const AttnArray *array = attn_weights_get (pass->weights, ATTN_ROLE_LOGITS, 0);
  const float *mapped = attn_array_peek_float32 (array);
  gsize width = config->width;
  gsize n_rows = mapped != NULL ? config->vocabulary_size : LOGITS_ROWS;
  const gsize shape[] = { pass->n_tokens, config->vocabulary_size };
  g_autoptr (AttnTensor) logits = attn_tensor_new (2, shape, error);
  g_autofree float *norm = g_new (float, 2 * width);

  if (logits == NULL ||
      !attn_array_read (attn_weights_get (pass->weights, ATTN_ROLE_FINAL_NORM_SCALE, 0), 0, width,
                        norm, error) ||
      !attn_array_read (attn_weights_get (pass->weights, ATTN_ROLE_FINAL_NORM_BIAS, 0), 0, width,
                        norm + width, error))
    return NULL;
  normalize (pass, norm, norm + width);

  for (gsize row = 0; row < config->vocabulary_size; row += n_rows)
    {
      gsize n = MIN (n_rows, config->vocabulary_size - row);
      float *converted = pass->buffers[BUFFER_WEIGHTS];

      if (g_cancellable_set_error_if_cancelled (pass->cancellable, error) ||
          (mapped == NULL && !attn_array_read (array, row * width, n * width, converted, error)))
        return NULL;
      AttnLinear linear = {
        .x = pass->buffers[BUFFER_NORMED],
        .n_rows = pass->n_tokens,
        .n_in = width,
        .n_out = n,
        .weight = mapped != NULL ? mapped : converted,
        .out = logits->data + row,
        .out_stride = config->vocabulary_size,
      };
      attn_linear_run (&linear, pass->n_workers);
    }
  return g_steal_pointer (&logits);
}

static gsize
find_last_layer (const AttnForward *forward,
                 gboolean           has_logits,
                 gsize              n_layers)
{
  gsize last = n_layers - 1;

  while (!has_logits && last > 0 && !attn_index_set_contains (forward->layers, last))
    last--;
  return last;
}

static gboolean
run_layers (Pass                *pass,
            const AttnProgress  *progress,
            GError             **error)
{
  gsize first = pass->forward->first_layer;

  for (gsize layer = first; layer <= pass->last_layer; layer++)
    {
      g_autofree char *stage =
          g_strdup_printf (_("Computing layer %zu of %zu"), layer + 1,
                           pass->last_layer + 1);

      attn_progress_report (progress, stage,
                            (double) (layer - first) / (double) (pass->last_layer + 1 - first));
      if (g_cancellable_set_error_if_cancelled (pass->cancellable, error) ||
          !run_layer (pass, layer, error))
        return FALSE;
    }
  return TRUE;
}

/**
 * attn_forward_run:
 * @forward: what to compute; checked by the caller
 * @kept: (inout) (array): [L], %NULL everywhere; filled for the layers that are kept, also before
 *   an error
 * @sink_scores: (inout): [L, H], set for the layers that are computed
 * @logits: (out) (optional): [T, V], if @forward keeps them
 * @cancellable: (nullable): polled for each layer and block of query rows
 * @error: return location: %ATTN_ERROR_MEMORY, %G_IO_ERROR_CANCELLED
 *
 * GPT-2 as in Radford et al. 2019: x += attention (norm (x)), x += W2 gelu (W1 norm (x)), logits =
 * norm (x) E^T. Any thread may call.
 */
gboolean
attn_forward_run (const AttnForward   *forward,
                  AttnKept            *kept,
                  float               *sink_scores,
                  AttnTensor         **logits,
                  const AttnProgress  *progress,
                  GCancellable        *cancellable,
                  GError             **error)
{
  gboolean has_logits = (forward->keep & ATTN_QUANTITY_LOGITS) != 0;
  Pass pass = {
    .forward = forward,
    .config = attn_model_get_config (forward->model),
    .weights = attn_model_get_weights (forward->model),
    .kept = kept,
    .sink_scores = sink_scores,
    .cancellable = cancellable,
    .n_tokens = forward->n_ids,
    .n_workers = attn_threads_get (),
    .has_logits = has_logits,
  };

  pass.last_layer = find_last_layer (forward, has_logits, pass.config->n_layers);
  gboolean is_done =
      allocate (&pass, error) && begin (&pass, error) && run_layers (&pass, progress, error);
  if (is_done && has_logits)
    {
      *logits = compute_logits (&pass, error);
      is_done = *logits != NULL;
    }
  free (pass.memory);
  return is_done;
}

/**
 * attn_forward_estimate:
 *
 * Returns: bytes that a pass over @n_tokens needs for itself, whatever it keeps; %G_MAXSIZE if more
 *   than fits
 */
gsize
attn_forward_estimate (const AttnModel *model,
                       gsize            n_tokens)
{
  gsize sizes[N_BUFFERS];

  plan_buffers (model, n_tokens, attn_threads_get (), sizes);
  return get_total (sizes);
}

/**
 * attn_forward_get_score_factor:
 *
 * Returns: what the products of queries and keys are multiplied by in @layer: 1 / sqrt (d), or as
 *   the configuration says
 */
float
attn_forward_get_score_factor (const AttnModel *model,
                               gsize            layer)
{
  const AttnConfig *config = attn_model_get_config (model);
  double factor = 1.0;

  if (config->has_score_scale)
    factor /= sqrt ((double) config->head_width);
  if (config->has_layer_scale)
    factor /= (double) (layer + 1);
  return (float) factor;
}

void
attn_kept_clear (AttnKept *kept)
{
  for (gsize i = 0; i < ATTN_N_LAYER_QUANTITIES; i++)
    g_clear_pointer (&kept->tensors[i], attn_tensor_unref);
}

/**
 * attn_kept_get:
 *
 * Returns: (transfer none) (nullable): what is kept of @quantity, which is one of a layer
 */
AttnTensor *
attn_kept_get (const AttnKept *kept,
               AttnQuantity    quantity)
{
  return kept->tensors[g_bit_nth_lsf (quantity, -1)];
}
