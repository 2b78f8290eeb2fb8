/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Turns the input of a layer into its queries, keys and values, as the scores use them. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-linear.h"
#include "attn-ops.h"
#include "attn-pass.h"
#include "attn-rotary.h"

/* The epsilon of norms of latent vectors, whatever epsilon the configuration gives. */
#define LATENT_EPSILON 1e-6

/**
 * attn_pass_run_linear_part:
 * @from: [T, n_in]
 * @weight: the matrix's role in the current layer; its bias is added, if the model has it
 * @activation: (nullable): applied to the result
 * @to: [T, stride]; the result is added to what is there if it is the residual stream
 * @offset: floats before the result in a row of @to
 * @stride: floats from a row of @to to the next
 *
 * Multiplies the computed tokens' rows by a matrix.
 */
void
attn_pass_run_linear_part (const AttnPass       *pass,
                           AttnBuffer            from,
                           gsize                 n_in,
                           AttnRole              weight,
                           const AttnActivation *activation,
                           AttnBuffer            to,
                           gsize                 offset,
                           gsize                 n_out,
                           gsize                 stride)
{
  AttnLinear linear = {
    .x = pass->buffers[from],
    .n_rows = pass->n_tokens,
    .n_in = n_in,
    .n_out = n_out,
    .weight = pass->parameters[weight].weight,
    .array = attn_weights_get (pass->weights, weight, pass->layer),
    .paired_width = attn_weights_get_paired_width (pass->weights, weight),
    .scratch = pass->buffers[ATTN_BUFFER_TILES],
    .n_scratch = attn_pass_get_tile (pass->config),
    .is_alone = pass->is_alone,
    .is_input_major = pass->config->is_input_major,
    .bias = pass->parameters[weight].bias,
    .activation = activation,
    .accumulates = to == ATTN_BUFFER_RESIDUAL,
    .out = pass->buffers[to] + offset,
    .out_stride = stride,
  };

  if (attn_pass_need (pass, linear.array))
    attn_linear_run (&linear, pass->n_workers);
}

/**
 * attn_pass_run_linear:
 *
 * Does what [func@attn_pass_run_linear_part] does, with a result that fills whole rows of @to, [T,
 * n_out].
 */
void
attn_pass_run_linear (const AttnPass       *pass,
                      AttnBuffer            from,
                      gsize                 n_in,
                      AttnRole              weight,
                      const AttnActivation *activation,
                      AttnBuffer            to,
                      gsize                 n_out)
{
  attn_pass_run_linear_part (pass, from, n_in, weight, activation, to, 0, n_out, n_out);
}

/**
 * attn_pass_set_components:
 * @components: (out caller-allocates): views of the current layer's queries, keys and values in
 *   %ATTN_BUFFER_QKV
 */
void
attn_pass_set_components (const AttnPass *pass,
                          AttnVectors     components[ATTN_N_COMPONENTS])
{
  const AttnConfig *config = pass->config;
  const AttnLayer *layer = &config->layers[pass->layer];
  gsize head_width = layer->head_width;
  gsize n_queries = config->n_heads * head_width;
  gsize n_keys = layer->n_key_heads * head_width;
  gsize n_values = layer->n_key_heads * layer->value_width;
  gboolean is_by_head = config->qkv_layout == ATTN_QKV_BY_HEAD;
  gsize n_shared = config->n_heads / layer->n_key_heads;
  const gsize offsets[][ATTN_N_COMPONENTS] = {
    [ATTN_QKV_BY_COMPONENT] = { 0, n_queries, n_queries + n_keys },
    [ATTN_QKV_BY_HEAD] = { 0, n_shared * head_width, (n_shared + 1) * head_width },
  };

  for (gsize i = 0; i < ATTN_N_COMPONENTS; i++)
    {
      gboolean is_query = i == ATTN_COMPONENT_QUERY;
      gsize width = i == ATTN_COMPONENT_VALUE ? layer->value_width : head_width;

      components[i] = (AttnVectors) {
        .data = pass->buffers[ATTN_BUFFER_QKV] + offsets[config->qkv_layout][i],
        .n_heads = is_query ? config->n_heads : layer->n_key_heads,
        .n_tokens = pass->n_tokens,
        .width = width,
        .head_stride = is_by_head && !is_query ? (n_shared + 2) * head_width : width,
        .token_stride = n_queries + n_keys + n_values,
        .n_shared = is_query ? 1 : n_shared,
        .n_grouped = is_by_head && is_query ? n_shared : 0,
        .group_gap = 2 * head_width,
      };
    }
}

/* Applies the norm of queries, keys or values: to each vector, with weights for each head, shared
 * weights or none; or to all heads of a token as one vector. */
static void
normalize_vectors (const AttnPass       *pass,
                   const AttnVectors    *vectors,
                   const AttnParameters *parameters)
{
  AttnNorm norm = pass->config->norm;
  float epsilon = (float) pass->config->norm_epsilon;
  gboolean is_whole = pass->config->family->has_whole_query_key_norm;
  gsize n_heads = is_whole ? 1 : vectors->n_heads;
  gsize width = is_whole ? vectors->n_heads * vectors->width : vectors->width;
  gsize step = pass->config->family->has_own_query_key_norms ? width : 0;
  float offset = norm == ATTN_NORM_RMS_OFFSET ? 1.0f : 0.0f;

  for (gsize token = 0; token < vectors->n_tokens; token++)
    for (gsize head = 0; head < n_heads; head++)
      {
        float *x = attn_vectors_get (vectors, head, token);
        const float *scale = parameters->weight != NULL ? parameters->weight + head * step : NULL;
        const float *bias = parameters->bias != NULL ? parameters->bias + head * step : NULL;

        if (norm == ATTN_NORM_LAYER)
          attn_ops_layer_norm (x, width, scale, bias, epsilon, x);
        else
          attn_ops_rms_norm (x, width, scale, offset, epsilon, x);
      }
}

/* Normalizes the queries, keys and values of some tokens. @user_data: the components */
static void
normalize_components (const AttnPass *pass,
                      gsize           first_row,
                      gsize           n_rows,
                      gpointer        user_data)
{
  const AttnVectors *components = user_data;
  const AttnParameters none = { 0 };
  AttnVectors query = attn_pass_cut_rows (&components[ATTN_COMPONENT_QUERY], first_row, n_rows);
  AttnVectors key = attn_pass_cut_rows (&components[ATTN_COMPONENT_KEY], first_row, n_rows);
  AttnVectors value = attn_pass_cut_rows (&components[ATTN_COMPONENT_VALUE], first_row, n_rows);

  normalize_vectors (pass, &query, &pass->parameters[ATTN_ROLE_QUERY_NORM]);
  /* Keys and values that another layer provides are normalized already. */
  if (pass->config->layers[pass->layer].source != pass->layer)
    return;
  normalize_vectors (pass, &key, &pass->parameters[ATTN_ROLE_KEY_NORM]);
  if (pass->config->family->has_value_norm)
    normalize_vectors (pass, &value, &none);
}

/**
 * attn_pass_normalize_components:
 * @components: (inout): queries, keys and values of the current layer, which has norms for them
 */
void
attn_pass_normalize_components (const AttnPass    *pass,
                                const AttnVectors  components[ATTN_N_COMPONENTS])
{
  attn_pass_run_rows (pass, pass->config->n_heads * components->width, normalize_components,
                      (gpointer) components);
}

static void
rotate_components (const AttnPass *pass,
                   gsize           first_row,
                   gsize           n_rows,
                   gpointer        user_data)
{
  const AttnVectors *components = user_data;
  int rope = pass->config->layers[pass->layer].rope;
  gsize width = pass->config->ropes[rope].width;
  gsize n_nope = pass->config->head_width - pass->config->qk_rope_head_dim;
  gboolean is_paired = pass->config->positions == ATTN_POSITIONS_ROTARY_PAIRED;

  for (gsize text = 0; text < pass->n_texts; text++)
    {
      gsize begin = MAX (first_row, attn_pass_get_begin (pass, text));
      gsize end = MIN (first_row + n_rows, attn_pass_get_end (pass, text));

      if (begin >= end)
        continue;
      AttnVectors query =
          attn_pass_cut_rows (&components[ATTN_COMPONENT_QUERY], begin, end - begin);
      AttnVectors key = attn_pass_cut_rows (&components[ATTN_COMPONENT_KEY], begin, end - begin);
      const float *table = attn_pass_get_rotation (pass, rope) +
                           (begin - attn_pass_get_begin (pass, text)) * width;

      query.data += n_nope;
      key.data += n_nope;
      attn_rotary_apply (&query, width, is_paired, table);
      if (pass->config->layers[pass->layer].source == pass->layer)
        attn_rotary_apply (&key, width, is_paired, table);
    }
}

/**
 * attn_pass_rotate_components:
 * @components: (inout): queries and keys of the current layer, which has a rotary embedding, and
 *   values, which are not turned
 */
void
attn_pass_rotate_components (const AttnPass    *pass,
                             const AttnVectors  components[ATTN_N_COMPONENTS])
{
  attn_pass_run_rows (pass, pass->config->n_heads * components->width, rotate_components,
                      (gpointer) components);
}

static void
clamp_projected (const AttnPass *pass,
                 gsize           first_row,
                 gsize           n_rows,
                 gpointer        user_data)
{
  const AttnConfig *config = pass->config;
  gsize width = (config->n_heads + config->n_key_heads) * config->head_width +
                config->n_key_heads * config->value_width;
  float *x = pass->buffers[ATTN_BUFFER_QKV] + first_row * width;
  float limit = (float) config->projection_limit;

  for (gsize i = 0; i < n_rows * width; i++)
    x[i] = CLAMP (x[i], -limit, limit);
}

static void
normalize_latent (const AttnPass *pass,
                  gsize           width,
                  AttnRole        norm)
{
  attn_pass_normalize (pass, ATTN_BUFFER_LATENT, width, LATENT_EPSILON,
                       &pass->parameters[norm], ATTN_BUFFER_LATENT);
}

/* Puts together keys and values from the parts that were projected separately. All heads share the
 * rotated part of the keys. */
static void
spread_latents (const AttnPass *pass,
                gsize           first_row,
                gsize           n_rows,
                gpointer        user_data)
{
  const AttnConfig *config = pass->config;
  const AttnVectors *components = user_data;
  gsize n_rope = config->qk_rope_head_dim;
  gsize n_nope = config->head_width - n_rope;
  gsize n_value = config->value_width;

  for (gsize row = first_row; row < first_row + n_rows; row++)
    {
      const float *from = pass->buffers[ATTN_BUFFER_EXPANDED] +
                          row * config->n_key_heads * (n_nope + n_value);
      const float *rope_part = pass->buffers[ATTN_BUFFER_LATENT] + row * n_rope;

      for (gsize head = 0; head < config->n_key_heads; head++, from += n_nope + n_value)
        {
          float *key = attn_vectors_get (&components[ATTN_COMPONENT_KEY], head, row);

          memcpy (key, from, n_nope * sizeof *key);
          memcpy (key + n_nope, rope_part, n_rope * sizeof *key);
          memcpy (attn_vectors_get (&components[ATTN_COMPONENT_VALUE], head, row), from + n_nope,
                  n_value * sizeof *key);
        }
    }
}

/* Expands latent vectors to keys or values with a matrix for each head. The result is the same as
 * with one matrix for all heads. */
static void
expand_heads (const AttnPass *pass,
              AttnRole        role,
              gsize           n_expanded)
{
  const AttnConfig *config = pass->config;
  gboolean is_key = role == ATTN_ROLE_K_B;
  gsize n_nope = config->head_width - config->qk_rope_head_dim;
  gsize n_head = n_nope + config->value_width;

  if (!attn_pass_need (pass, attn_weights_get (pass->weights, role, pass->layer)))
    return;
  for (gsize head = 0; head < config->n_heads; head++)
    {
      const AttnArray *array = attn_weights_get_head (pass->weights, role, pass->layer, head);
      AttnLinear linear = {
        .x = pass->buffers[ATTN_BUFFER_LATENT],
        .n_rows = pass->n_tokens,
        .n_in = config->kv_lora_rank,
        .n_out = is_key ? n_nope : config->value_width,
        .weight = attn_array_peek_float32 (array),
        .array = array,
        .scratch = pass->buffers[ATTN_BUFFER_TILES],
        .n_scratch = attn_pass_get_tile (config),
        .is_alone = pass->is_alone,
        .is_input_major = is_key,
        .out = pass->buffers[ATTN_BUFFER_EXPANDED] + head * n_head + (is_key ? 0 : n_nope),
        .out_stride = n_expanded,
      };

      attn_linear_run (&linear, pass->n_workers);
    }
}

/* Projects queries, keys and values through latent vectors (DeepSeek-AI 2024, arXiv 2405.04434,
 * section 2.1). The result has the same layout as without latent vectors. */
static void
project_by_latents (const AttnPass *pass,
                    AttnBuffer      from,
                    gsize           n_qkv)
{
  const AttnConfig *config = pass->config;
  gsize kv_lora_rank = config->kv_lora_rank;
  gsize q_lora_rank = config->q_lora_rank;
  gsize n_queries = config->n_heads * config->head_width;
  gsize n_expanded = n_qkv - n_queries - config->n_key_heads * config->qk_rope_head_dim;
  AttnVectors components[ATTN_N_COMPONENTS];

  attn_pass_set_components (pass, components);
  if (q_lora_rank > 0)
    {
      attn_pass_run_linear (pass, from, config->width, ATTN_ROLE_Q_A, NULL,
                            ATTN_BUFFER_LATENT, q_lora_rank);
      normalize_latent (pass, q_lora_rank, ATTN_ROLE_Q_A_NORM);
    }
  attn_pass_run_linear_part (pass, q_lora_rank > 0 ? ATTN_BUFFER_LATENT : from,
                             q_lora_rank > 0 ? q_lora_rank : config->width, ATTN_ROLE_QUERY,
                             NULL, ATTN_BUFFER_QKV, 0, n_queries, n_qkv);
  attn_pass_run_linear (pass, from, config->width, ATTN_ROLE_KV_A, NULL, ATTN_BUFFER_LATENT,
                        kv_lora_rank);
  normalize_latent (pass, kv_lora_rank, ATTN_ROLE_KV_A_NORM);
  if (attn_config_has_role (config, ATTN_ROLE_KV_B))
    attn_pass_run_linear (pass, ATTN_BUFFER_LATENT, kv_lora_rank, ATTN_ROLE_KV_B, NULL,
                          ATTN_BUFFER_EXPANDED, n_expanded);
  else
    {
      expand_heads (pass, ATTN_ROLE_K_B, n_expanded);
      expand_heads (pass, ATTN_ROLE_V_B, n_expanded);
    }
  attn_pass_run_linear (pass, from, config->width, ATTN_ROLE_K_ROPE, NULL, ATTN_BUFFER_LATENT,
                        config->qk_rope_head_dim);
  attn_pass_run_rows (pass, n_qkv, spread_latents, components);
}

/* Separates the queries from the output gates, which alternate head by head in the product of one
 * matrix. */
static void
spread_gates (const AttnPass *pass,
              gsize           first_row,
              gsize           n_rows,
              gpointer        user_data)
{
  const AttnConfig *config = pass->config;
  const AttnVectors *query = user_data;
  gsize width = config->head_width;
  gsize n = config->n_heads * width;

  for (gsize row = first_row; row < first_row + n_rows; row++)
    {
      const float *from = pass->buffers[ATTN_BUFFER_EXPANDED] + 2 * row * n;
      float *gate = pass->buffers[ATTN_BUFFER_OUTPUT_GATE] + row * n;

      for (gsize head = 0; head < config->n_heads; head++, from += 2 * width)
        {
          memcpy (attn_vectors_get (query, head, row), from, width * sizeof *from);
          memcpy (gate + head * width, from + width, width * sizeof *from);
        }
    }
}

static void
project_queries (const AttnPass *pass,
                 AttnBuffer      from,
                 gsize           n_queries,
                 gsize           n_qkv)
{
  gsize width = pass->config->width;
  AttnVectors components[ATTN_N_COMPONENTS];

  if (!pass->config->family->has_output_gate)
    {
      attn_pass_run_linear_part (pass, from, width, ATTN_ROLE_QUERY, NULL, ATTN_BUFFER_QKV, 0,
                                 n_queries, n_qkv);
      return;
    }
  attn_pass_set_components (pass, components);
  attn_pass_run_linear (pass, from, width, ATTN_ROLE_QUERY, NULL, ATTN_BUFFER_EXPANDED,
                        2 * n_queries);
  attn_pass_run_rows (pass, n_qkv, spread_gates, &components[ATTN_COMPONENT_QUERY]);
}

/* Copies the keys to the values in layers where both are the same. */
static void
copy_keys (const AttnPass *pass,
           gsize           first_row,
           gsize           n_rows,
           gpointer        user_data)
{
  AttnVectors components[ATTN_N_COMPONENTS];

  attn_pass_set_components (pass, components);
  const AttnVectors *key = &components[ATTN_COMPONENT_KEY];
  for (gsize row = first_row; row < first_row + n_rows; row++)
    memcpy (attn_vectors_get (&components[ATTN_COMPONENT_VALUE], 0, row),
            attn_vectors_get (key, 0, row), key->n_heads * key->width * sizeof (float));
}

/* Copies a layer's concatenated keys and values to the store for later layers, or from the store to
 * a layer that reuses them. */
static void
copy_shared (const AttnPass *pass,
             gboolean        is_source)
{
  AttnVectors components[ATTN_N_COMPONENTS];

  attn_pass_set_components (pass, components);
  const AttnVectors *key = &components[ATTN_COMPONENT_KEY];
  gsize n = 2 * key->n_heads * key->width;
  AttnLayer widest = attn_config_get_widest (pass->config);
  float *shared = pass->buffers[ATTN_BUFFER_SHARED];

  if (pass->config->layers[pass->layer].window > 0)
    shared += pass->n_tokens * widest.n_key_heads * (widest.head_width + widest.value_width);
  for (gsize row = 0; row < pass->n_tokens; row++)
    {
      float *own = attn_vectors_get (key, 0, row);

      if (is_source)
        memcpy (shared + row * n, own, n * sizeof *own);
      else
        memcpy (own, shared + row * n, n * sizeof *own);
    }
}

/**
 * attn_pass_share:
 *
 * Copies the keys and values of the current layer, as the scores use them, for higher layers that
 * have none of their own, if there are any.
 */
void
attn_pass_share (const AttnPass *pass)
{
  if (pass->config->layers[pass->layer].is_source)
    copy_shared (pass, TRUE);
}

/**
 * attn_pass_project:
 * @from: [T, D], the input of the layer
 *
 * Computes queries, keys and values in %ATTN_BUFFER_QKV, by one matrix product, by three or through
 * latent vectors, and clamps them if the model has a limit.
 */
void
attn_pass_project (const AttnPass *pass,
                   AttnBuffer      from)
{
  const AttnConfig *config = pass->config;
  const AttnLayer *layer = &config->layers[pass->layer];
  gsize n_queries = config->n_heads * layer->head_width;
  gsize n_keys = layer->n_key_heads * layer->head_width;
  gsize n_values = layer->n_key_heads * layer->value_width;
  gsize n_qkv = n_queries + n_keys + n_values;

  if (config->kv_lora_rank > 0)
    project_by_latents (pass, from, n_qkv);
  else if (attn_config_has_role (config, ATTN_ROLE_QKV))
    attn_pass_run_linear (pass, from, config->width, ATTN_ROLE_QKV, NULL, ATTN_BUFFER_QKV, n_qkv);
  else
    {
      project_queries (pass, from, n_queries, n_qkv);
      if (layer->source != pass->layer)
        {
          copy_shared (pass, FALSE);
          return;
        }
      attn_pass_run_linear_part (pass, from, config->width, ATTN_ROLE_KEY, NULL, ATTN_BUFFER_QKV,
                                 n_queries, n_keys, n_qkv);
      if (layer->has_key_values)
        attn_pass_run_rows (pass, n_qkv, copy_keys, NULL);
      else
        attn_pass_run_linear_part (pass, from, config->width, ATTN_ROLE_VALUE, NULL,
                                   ATTN_BUFFER_QKV, n_queries + n_keys, n_values, n_qkv);
    }
  if (config->projection_limit > 0.0)
    attn_pass_run_rows (pass, n_qkv, clamp_projected, NULL);
}

/**
 * attn_pass_set_cross_components:
 * @components: (out caller-allocates): where to find the queries of the decoder, keys and values of
 *   the encoder's tokens, as attn_pass_project_cross() leaves them
 */
void
attn_pass_set_cross_components (const AttnPass *pass,
                                AttnVectors     components[ATTN_N_COMPONENTS])
{
  const AttnConfig *config = pass->config;
  gsize n_keys = config->n_key_heads * config->head_width;
  gsize n_queries = config->n_heads * config->head_width;
  gsize n_shared = config->n_heads / config->n_key_heads;

  for (gsize i = 0; i < ATTN_N_COMPONENTS; i++)
    {
      gboolean is_query = i == ATTN_COMPONENT_QUERY;
      gboolean is_value = i == ATTN_COMPONENT_VALUE;
      gsize width = is_value ? config->value_width : config->head_width;

      components[i] = (AttnVectors) {
        .data = pass->buffers[is_query ? ATTN_BUFFER_QKV : ATTN_BUFFER_CROSS] +
                (is_value ? n_keys : 0),
        .n_heads = is_query ? config->n_heads : config->n_key_heads,
        .n_tokens = is_query ? pass->n_tokens : pass->encoded->shape[0],
        .width = width,
        .head_stride = width,
        .token_stride =
            is_query ? n_queries : n_keys + config->n_key_heads * config->value_width,
        .n_shared = is_query ? 1 : n_shared,
      };
    }
}

/* Projects the encoder's tokens to keys or values. */
static void
project_encoded (const AttnPass *pass,
                 AttnRole        weight,
                 gsize           offset,
                 gsize           n_out,
                 gsize           stride)
{
  const AttnLinear linear = {
    .x = pass->encoded->data,
    .n_rows = pass->encoded->shape[0],
    .n_in = pass->config->width,
    .n_out = n_out,
    .weight = pass->parameters[weight].weight,
    .array = attn_weights_get (pass->weights, weight, pass->layer),
    .scratch = pass->buffers[ATTN_BUFFER_TILES],
    .n_scratch = attn_pass_get_tile (pass->config),
    .is_alone = pass->is_alone,
    .is_input_major = pass->config->is_input_major,
    .bias = pass->parameters[weight].bias,
    .out = pass->buffers[ATTN_BUFFER_CROSS] + offset,
    .out_stride = stride,
  };

  if (attn_pass_need (pass, linear.array))
    attn_linear_run (&linear, pass->n_workers);
}

/**
 * attn_pass_project_cross:
 * @from: [T, D], what the queries are made of
 *
 * Computes queries of the decoder's tokens, and keys and values of the encoder's unless the cache
 * has them.
 */
void
attn_pass_project_cross (const AttnPass *pass,
                         AttnBuffer      from)
{
  const AttnConfig *config = pass->config;
  gsize n_keys = config->n_key_heads * config->head_width;
  gsize n_values = config->n_key_heads * config->value_width;

  attn_pass_run_linear (pass, from, config->width, ATTN_ROLE_CROSS_QUERY, NULL, ATTN_BUFFER_QKV,
                        config->n_heads * config->head_width);
  if (attn_pass_knows_source (pass))
    return;
  project_encoded (pass, ATTN_ROLE_CROSS_KEY, 0, n_keys, n_keys + n_values);
  project_encoded (pass, ATTN_ROLE_CROSS_VALUE, n_keys, n_values, n_keys + n_values);
}

/**
 * attn_pass_gate_output:
 *
 * Multiplies the output of the current layer's heads by the sigmoid of its gates, where the model
 * has them.
 */
void
attn_pass_gate_output (const AttnPass *pass)
{
  gsize n = pass->n_tokens * pass->config->n_heads * pass->config->head_width;
  float *context = pass->buffers[ATTN_BUFFER_CONTEXT];
  const float *gate = pass->buffers[ATTN_BUFFER_OUTPUT_GATE];

  for (gsize i = 0; pass->config->family->has_output_gate && i < n; i++)
    context[i] /= 1.0f + expf (-gate[i]);
}
