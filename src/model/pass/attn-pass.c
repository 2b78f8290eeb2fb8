/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-pass.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-attention.h"
#include "attn-blas.h"
#include "attn-error.h"
#include "attn-linear.h"
#include "attn-memory.h"
#include "attn-pages.h"
#include "attn-threads.h"

#define ALIGNMENT 64

/* Adds a * b to *total, a number of bytes, or sets *total to G_MAXSIZE on overflow. */
static void
add_size (gsize *total,
          gsize  a,
          gsize  b)
{
  gsize product;

  if (!g_size_checked_mul (&product, a, b) || !g_size_checked_add (total, *total, product))
    *total = G_MAXSIZE;
}

/* Returns the width of the widest feed-forward layer. */
static gsize
get_mlp_width (const AttnConfig *config)
{
  return MAX (config->expert_width, attn_config_get_widest (config).mlp_width);
}

/**
 * attn_pass_get_tile:
 *
 * Returns: how many floats a tile, a part of a matrix that is converted to float32 at a time, has:
 *   at least one row of any matrix of the model
 */
gsize
attn_pass_get_tile (const AttnConfig *config)
{
  AttnLayer widest = attn_config_get_widest (config);
  gsize n = MAX (get_mlp_width (config),
                 config->n_heads * MAX (widest.head_width, widest.value_width));

  n = MAX (n, MAX (config->kv_lora_rank, config->q_lora_rank));
  n = MAX (n, config->delta.n_value_heads * config->delta.value_width);

  return MAX (MAX (n, config->width), MAX (config->embedding_width, ATTN_LINEAR_TILE));
}

/* Enlarges the buffers of a pass to the sizes for layers of linear attention, which share them with
 * the other layers of the model. */
static void
plan_delta (const AttnFamilyDelta *delta,
            gsize                  n_tokens,
            gsize                  n_workers,
            gsize                  sizes[ATTN_N_BUFFERS])
{
  gsize n_values = delta->n_value_heads * delta->value_width;
  gsize n_mixed = attn_delta_get_mixed_width (delta);
  gsize n_memory = 2 * delta->key_width + delta->value_width;
  const gsize rows[][2] = {
    { ATTN_BUFFER_QKV, n_mixed },
    { ATTN_BUFFER_MIXED, n_mixed },
    { ATTN_BUFFER_EXPANDED, n_mixed + n_values },
    { ATTN_BUFFER_CONTEXT, n_values },
    { ATTN_BUFFER_OUTPUT_GATE, n_values },
    { ATTN_BUFFER_STRENGTHS, 2 * delta->n_value_heads },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      gsize n = 0;

      add_size (&n, n_tokens, rows[i][1]);
      sizes[rows[i][0]] = MAX (sizes[rows[i][0]], n);
    }
  add_size (&sizes[ATTN_BUFFER_KERNEL], n_mixed, delta->kernel_width);
  add_size (&n_memory, delta->key_width, delta->value_width);
  add_size (&sizes[ATTN_BUFFER_MEMORY], n_workers, n_memory);
}

/* Computes how many floats each buffer has for @n_tokens computed tokens that attend to @n_seen
 * tokens, and for @n_encoded tokens of an encoder. G_MAXSIZE means that a size overflows. */
static void
plan_buffers (const AttnConfig  *config,
              const AttnWeights *weights,
              gsize              n_tokens,
              gsize              n_seen,
              gsize              n_encoded,
              gsize              n_workers,
              gsize              sizes[ATTN_N_BUFFERS])
{
  AttnLayer layer = attn_config_get_widest (config);
  gsize n_queries = config->n_heads * layer.head_width;
  gsize n_keys = layer.n_key_heads * layer.head_width;
  gsize n_values = layer.n_key_heads * layer.value_width;
  gsize n_rope = config->n_key_heads * config->qk_rope_head_dim;
  gsize widest = MAX (config->width, config->embedding_width);

  memset (sizes, 0, ATTN_N_BUFFERS * sizeof *sizes);
  add_size (&sizes[ATTN_BUFFER_RESIDUAL], n_tokens, config->width);
  add_size (&sizes[ATTN_BUFFER_NORMED], n_tokens, widest);
  add_size (&sizes[ATTN_BUFFER_QKV], n_tokens, n_queries + n_keys + n_values);
  if (config->kv_lora_rank > 0)
    {
      add_size (&sizes[ATTN_BUFFER_LATENT], n_tokens,
                MAX (MAX (config->kv_lora_rank, config->q_lora_rank),
                     config->qk_rope_head_dim));
      add_size (&sizes[ATTN_BUFFER_EXPANDED], n_tokens, n_keys - n_rope + n_values);
    }
  add_size (&sizes[ATTN_BUFFER_CONTEXT], n_tokens, config->n_heads * layer.value_width);
  if (config->family->globals.head_width > 0)
    add_size (&sizes[ATTN_BUFFER_SHARED], n_tokens, 2 * (n_keys + n_values));
  if (config->layer_width > 0)
    {
      add_size (&sizes[ATTN_BUFFER_LAYER_INPUT], n_tokens, config->layer_width);
      add_size (&sizes[ATTN_BUFFER_LAYER_GATE], n_tokens, config->layer_width);
    }
  if (config->family->has_output_gate)
    {
      add_size (&sizes[ATTN_BUFFER_EXPANDED], n_tokens, 2 * n_queries);
      add_size (&sizes[ATTN_BUFFER_OUTPUT_GATE], n_tokens, n_queries);
    }
  if (config->delta.kernel_width > 0)
    plan_delta (&config->delta, n_tokens, n_workers, sizes);
  add_size (&sizes[ATTN_BUFFER_MLP], n_tokens, get_mlp_width (config));
  if (config->n_experts > 0)
    {
      add_size (&sizes[ATTN_BUFFER_ROUTED], n_tokens, config->n_experts);
      add_size (&sizes[ATTN_BUFFER_EXPERT], n_tokens, config->width);
      add_size (&sizes[ATTN_BUFFER_EXPERT_OUT], n_tokens, config->width);
      if (config->family->experts.is_beside)
        add_size (&sizes[ATTN_BUFFER_EXPERT_SUM], n_tokens, config->width);
      add_size (&sizes[ATTN_BUFFER_EXPERT_BIAS], 1, MAX (config->width, 2 * config->expert_width));
    }
  add_size (&sizes[ATTN_BUFFER_FIRST_COLUMN], n_tokens, config->n_heads);
  add_size (&sizes[ATTN_BUFFER_ATTENTION],
            attn_attention_get_scratch (MIN (n_tokens, n_seen), MAX (n_seen, n_encoded), 1),
            n_workers);
  add_size (&sizes[ATTN_BUFFER_CROSS], n_encoded, n_keys + n_values);
  if (attn_config_has_role (config, ATTN_ROLE_OUTPUT_NORM) ||
      attn_config_has_role (config, ATTN_ROLE_OUTPUT_SCALE) ||
      attn_config_has_role (config, ATTN_ROLE_HEAD) || config->n_experts > 0 ||
      config->residual_multiplier != 1.0)
    add_size (&sizes[ATTN_BUFFER_BRANCH], n_tokens, widest);
  if (attn_config_has_role (config, ATTN_ROLE_PROJECT_IN) || config->layer_width > 0)
    add_size (&sizes[ATTN_BUFFER_EMBEDDED], n_tokens, config->embedding_width);
  if (attn_config_has_role (config, ATTN_ROLE_EXPERT_GATE_UP))
    add_size (&sizes[ATTN_BUFFER_GATE], n_tokens, 2 * get_mlp_width (config));
  else if (attn_config_has_role (config, ATTN_ROLE_GATE) || config->n_experts > 0)
    add_size (&sizes[ATTN_BUFFER_GATE], n_tokens, get_mlp_width (config));
  add_size (&sizes[ATTN_BUFFER_ROTATION], MIN (n_tokens, n_seen),
            config->ropes[0].width + config->ropes[1].width);
  sizes[ATTN_BUFFER_WEIGHTS] = attn_weights_get_scratch (weights);
  if (attn_weights_has_tiles (weights))
    add_size (&sizes[ATTN_BUFFER_TILES], n_workers, attn_pass_get_tile (config));
}

static gsize
get_total (const gsize sizes[ATTN_N_BUFFERS])
{
  gsize n_floats = 0;
  gsize n_bytes = 0;

  for (gsize i = 0; i < ATTN_N_BUFFERS; i++)
    {
      add_size (&n_floats, sizes[i], 1);
      add_size (&n_floats, ALIGNMENT / sizeof (float), 1);
    }
  add_size (&n_bytes, n_floats, sizeof (float));
  return n_bytes;
}

/* Computes the bytes of the tensors, logits included, that the pass keeps for a trace. */
static gsize
compute_kept (const AttnPass *pass)
{
  const AttnForward *forward = pass->forward;
  const AttnConfig *config = pass->config;
  AttnLayer layer = attn_config_get_widest (config);
  gsize n_heads = attn_index_set_count (forward->heads, config->n_heads);
  gsize n_tokens = forward->n_ids;
  gsize n_columns = attn_model_count_keys (forward->model, n_tokens);
  gsize n_vectors = 0;
  gsize n_maps = 0;
  gsize n_bytes = 0;

  if (forward->keep & ATTN_QUANTITY_RESIDUAL)
    n_vectors += config->width;
  if (forward->keep & ATTN_QUANTITY_QUERY)
    n_vectors += config->n_heads * layer.head_width;
  if (forward->keep & ATTN_QUANTITY_KEY)
    n_vectors += layer.n_key_heads * layer.head_width;
  if (forward->keep & ATTN_QUANTITY_VALUE)
    n_vectors += layer.n_key_heads * layer.value_width;
  if (forward->keep & ATTN_QUANTITY_OUTPUT)
    n_vectors += config->n_heads * layer.value_width;
  if (forward->keep & ATTN_QUANTITY_ATTENTION)
    n_vectors += config->width;
  if (forward->keep & ATTN_QUANTITY_MLP)
    n_vectors += config->width;
  if (forward->keep & ATTN_QUANTITY_SCORES)
    n_maps += n_heads;
  if (forward->keep & ATTN_QUANTITY_WEIGHTS)
    n_maps += n_heads;

  gsize n_floats = 0;
  add_size (&n_floats, MAX (n_tokens, n_columns), n_vectors);
  add_size (&n_floats, n_tokens * n_columns, n_maps);
  add_size (&n_bytes, n_floats,
            sizeof (float) * attn_index_set_count (forward->layers, config->n_layers));
  if (pass->has_logits)
    add_size (&n_bytes, forward->n_logit_rows > 0 ? forward->n_logit_rows : n_tokens,
              sizeof (float) * config->vocabulary_size);
  if (forward->keep & ATTN_QUANTITY_FINAL)
    add_size (&n_bytes, n_tokens, sizeof (float) * config->width);
  return n_bytes;
}

/**
 * attn_pass_allocate:
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Takes the memory of all buffers, which attn_pass_free() gives back, after it has checked that
 * they and the tensors that the trace keeps fit in memory.
 */
gboolean
attn_pass_allocate (AttnPass  *pass,
                    GError   **error)
{
  gsize sizes[ATTN_N_BUFFERS];
  gboolean is_clear;

  plan_buffers (pass->config, pass->weights, pass->n_tokens, pass->n_seen,
                pass->encoded != NULL ? pass->encoded->shape[0] : 0, pass->n_workers, sizes);
  /* The output of attention or MLP needs its own buffer if it is changed or kept before it is added
   * to the residual stream. */
  for (gsize layer = 0; layer < pass->config->n_layers; layer++)
    if (sizes[ATTN_BUFFER_BRANCH] == 0 &&
        ((pass->forward->keep & (ATTN_QUANTITY_ATTENTION | ATTN_QUANTITY_MLP)) != 0 ||
         attn_interventions_act_on (pass->forward->interventions, ATTN_COMPONENT_MLP, layer)))
      add_size (&sizes[ATTN_BUFFER_BRANCH], pass->n_tokens, pass->config->width);
  if (pass->has_logits)
    {
      const AttnArray *array = attn_weights_get (pass->weights, ATTN_ROLE_LOGITS, 0);

      if (attn_array_peek_float32 (array) == NULL)
        {
          sizes[ATTN_BUFFER_TILES] = 0;
          add_size (&sizes[ATTN_BUFFER_TILES], pass->n_workers, attn_pass_get_tile (pass->config));
        }
    }

  gsize n_bytes = get_total (sizes);
  gsize n_all = n_bytes;
  add_size (&n_all, compute_kept (pass), 1);
  add_size (&n_all, pass->n_tokens,
            attn_weights_get_changed_width (pass->weights) * sizeof (float));
  g_autofree char *what =
      g_strdup_printf (_("a forward pass over %zu tokens"), pass->n_tokens);
  if (!attn_blas_check (pass->n_workers, error) || !attn_memory_check (n_all, what, error))
    return FALSE;

  pass->memory = attn_pages_take (n_bytes, 0, what, &is_clear, error);
  pass->n_bytes = n_bytes;
  if (pass->memory == NULL)
    return FALSE;

  gsize offset = 0;
  const gsize unit = ALIGNMENT / sizeof (float);
  for (gsize i = 0; i < ATTN_N_BUFFERS; i++)
    {
      pass->buffers[i] = pass->memory + offset;
      offset += (sizes[i] + unit - 1) / unit * unit;
    }
  return TRUE;
}

/**
 * attn_pass_free:
 *
 * Gives back the memory of the buffers, if it was taken, and ends the thread that reads weights
 * ahead.
 */
void
attn_pass_free (AttnPass *pass)
{
  g_clear_pointer (&pass->ahead, attn_read_ahead_free);
  attn_pages_release (pass->memory, pass->n_bytes, 0);
}

/**
 * attn_pass_estimate:
 * @model: an #AttnTransformer
 *
 * Returns: bytes of the buffers of a pass over @n_tokens, without the tensors that it keeps for a
 *   trace; %G_MAXSIZE if the number does not fit in a gsize
 */
gsize
attn_pass_estimate (const AttnModel *model,
                    gsize            n_tokens)
{
  const AttnTransformer *transformer = (const AttnTransformer *) model;
  gsize sizes[ATTN_N_BUFFERS];

  plan_buffers (&transformer->config, transformer->weights, n_tokens, n_tokens,
                transformer->source != NULL ? transformer->source->n_ids : 0,
                attn_threads_get (), sizes);
  gsize n_bytes = get_total (sizes);
  add_size (&n_bytes, n_tokens,
            attn_weights_get_changed_width (transformer->weights) * sizeof (float));
  return n_bytes;
}
