/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which tensor of a checkpoint has which role. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-config-private.h"
#include "attn-error.h"
#include "attn-packed.h"
#include "attn-scaled.h"
#include "attn-weights-private.h"

/* Sizes that a role's tensor must have. A linear weight is [out, in] until the family says
 * otherwise. */
static guint
get_shape (const AttnConfig *config,
           AttnRole          role,
           AttnSlot          slot,
           gsize             layer,
           gsize             shape[2])
{
  const AttnFamilyDelta *delta = &config->delta;
  const AttnLayer *own = &config->layers[layer];
  gsize n_queries = config->n_heads * own->head_width;
  gsize n_query_rows = config->family->has_output_gate ? 2 * n_queries : n_queries;
  gsize n_keys = own->n_key_heads * own->head_width;
  gsize n_values = own->n_key_heads * own->value_width;
  gsize qk_nope_head_dim = config->head_width - config->qk_rope_head_dim;
  gsize n_kept = delta->n_value_heads * delta->value_width;
  gsize n_mixed = 2 * delta->n_key_heads * delta->key_width + n_kept;
  gsize n_up = n_keys - config->n_key_heads * config->qk_rope_head_dim + n_values;
  gsize kv_lora_rank = config->kv_lora_rank;
  gsize q_lora_rank = config->q_lora_rank;
  gsize width = config->width;
  gsize head_width = own->head_width;
  gsize embedding_width = config->embedding_width;
  gsize narrow_width = config->family->embeds_narrowly ? embedding_width : width;
  gsize mlp_width = own->mlp_width;
  gsize layer_width = config->layer_width;
  gsize expert_width = config->expert_width;
  gboolean is_whole = config->family->has_whole_query_key_norm ||
                      config->family->has_own_query_key_norms;
  gsize vocabulary_size = config->vocabulary_size;
  const AttnPictures *pictures = &config->pictures;
  gsize n_pixels = pictures->n_channels * pictures->patch_size * pictures->patch_size;
  gsize n_pooled = pictures->pooling == ATTN_POOLING_FIRST_AND_MEAN ? 2 : 1;
  const struct
  {
    gsize out;
    gsize in; /* 0 for a vector */
    gboolean is_linear;
  } shapes[ATTN_N_ROLES] = {
    [ATTN_ROLE_TOKEN_EMBEDDING] = { vocabulary_size, embedding_width, FALSE },
    [ATTN_ROLE_POSITION_EMBEDDING] = { config->n_position_rows, narrow_width, FALSE },
    [ATTN_ROLE_TYPE_EMBEDDING] = { 1, narrow_width, FALSE }, /* at least */
    [ATTN_ROLE_PATCHES] = { width, n_pixels, FALSE },
    [ATTN_ROLE_CLASS_TOKEN] = { width, 0, FALSE },
    [ATTN_ROLE_SECOND_TOKEN] = { width, 0, FALSE },
    [ATTN_ROLE_REGISTERS] = { pictures->n_registers, width, FALSE },
    [ATTN_ROLE_CONVOLUTION] = { width, config->sounds.n_bins, FALSE },
    [ATTN_ROLE_SECOND_CONVOLUTION] = { width, width, FALSE },
    [ATTN_ROLE_EMBEDDING_NORM] = { narrow_width, 0, FALSE },
    [ATTN_ROLE_LAYER_EMBEDDING] = { vocabulary_size, config->n_layers * layer_width, FALSE },
    [ATTN_ROLE_RELATIVE_BIAS] = { config->n_buckets, config->n_heads, FALSE },
    [ATTN_ROLE_PROJECT_IN] = { width, embedding_width, TRUE },
    [ATTN_ROLE_PROJECT_OUT] = { embedding_width, width, TRUE },
    [ATTN_ROLE_HEAD] = { narrow_width, width, TRUE },
    [ATTN_ROLE_HEAD_NORM] = { narrow_width, 0, FALSE },
    [ATTN_ROLE_SECOND_LOGITS] = { vocabulary_size, width, FALSE },
    [ATTN_ROLE_LOGITS] = { vocabulary_size, n_pooled * embedding_width, FALSE },
    [ATTN_ROLE_QKV] = { n_queries + n_keys + n_values, width, TRUE },
    [ATTN_ROLE_QUERY] = { n_query_rows, q_lora_rank > 0 ? q_lora_rank : width, TRUE },
    [ATTN_ROLE_KEY] = { n_keys, width, TRUE },
    [ATTN_ROLE_VALUE] = { n_values, width, TRUE },
    [ATTN_ROLE_QUERY_NORM] = { is_whole ? n_queries : head_width, 0, FALSE },
    [ATTN_ROLE_KEY_NORM] = { is_whole ? n_keys : head_width, 0, FALSE },
    [ATTN_ROLE_OUTPUT] = { width, config->n_heads * own->value_width, TRUE },
    [ATTN_ROLE_CROSS_QUERY] = { n_queries, width, TRUE },
    [ATTN_ROLE_CROSS_KEY] = { n_keys, width, TRUE },
    [ATTN_ROLE_CROSS_VALUE] = { n_values, width, TRUE },
    [ATTN_ROLE_CROSS_OUTPUT] = { width, config->n_heads * own->value_width, TRUE },
    [ATTN_ROLE_SINKS] = { config->n_heads, 0, FALSE },
    [ATTN_ROLE_Q_A] = { q_lora_rank, width, TRUE },
    [ATTN_ROLE_Q_A_NORM] = { q_lora_rank, 0, FALSE },
    [ATTN_ROLE_KV_A] = { kv_lora_rank, width, TRUE },
    [ATTN_ROLE_K_ROPE] = { config->qk_rope_head_dim, width, TRUE },
    [ATTN_ROLE_KV_A_NORM] = { kv_lora_rank, 0, FALSE },
    [ATTN_ROLE_KV_B] = { n_up, kv_lora_rank, TRUE },
    [ATTN_ROLE_K_B] = { kv_lora_rank, qk_nope_head_dim, FALSE },
    [ATTN_ROLE_V_B] = { config->value_width, kv_lora_rank, FALSE },
    [ATTN_ROLE_GATE] = { mlp_width, width, TRUE },
    [ATTN_ROLE_UP] = { mlp_width, width, TRUE },
    [ATTN_ROLE_DOWN] = { width, mlp_width, TRUE },
    [ATTN_ROLE_LAYER_INPUT] = { layer_width, width, TRUE },
    [ATTN_ROLE_LAYER_INPUT_NORM] = { layer_width, 0, FALSE },
    [ATTN_ROLE_LAYER_GATE] = { layer_width, width, TRUE },
    [ATTN_ROLE_LAYER_OUTPUT] = { width, layer_width, TRUE },
    [ATTN_ROLE_LAYER_FACTOR] = { 1, 0, FALSE },
    [ATTN_ROLE_ROUTER] = { config->n_experts, width, TRUE },
    [ATTN_ROLE_ROUTER_CORRECTION] = { config->n_experts, 0, FALSE },
    [ATTN_ROLE_EXPERT_GATE] = { expert_width, width, TRUE },
    [ATTN_ROLE_EXPERT_UP] = { expert_width, width, TRUE },
    [ATTN_ROLE_EXPERT_DOWN] = { width, expert_width, TRUE },
    [ATTN_ROLE_EXPERT_GATE_UP] = { 2 * expert_width, width, TRUE },
    [ATTN_ROLE_SHARED_GATE] = { 1, width, TRUE },
    [ATTN_ROLE_EXPERT_FACTORS] = { config->n_experts, 0, FALSE },
    [ATTN_ROLE_DELTA_QKV] = { n_mixed, width, TRUE },
    [ATTN_ROLE_DELTA_GATE] = { n_kept, width, TRUE },
    [ATTN_ROLE_DELTA_QKV_GATE] = { n_mixed + n_kept, width, TRUE },
    [ATTN_ROLE_DELTA_STRENGTH] = { delta->n_value_heads, width, TRUE },
    [ATTN_ROLE_DELTA_DECAY] = { delta->n_value_heads, width, TRUE },
    [ATTN_ROLE_DELTA_STRENGTH_DECAY] = { 2 * delta->n_value_heads, width, TRUE },
    [ATTN_ROLE_DELTA_KERNEL] = { n_mixed, delta->kernel_width, FALSE },
    [ATTN_ROLE_DELTA_RATE] = { delta->n_value_heads, 0, FALSE },
    [ATTN_ROLE_DELTA_SHIFT] = { delta->n_value_heads, 0, FALSE },
    [ATTN_ROLE_DELTA_NORM] = { delta->value_width, 0, FALSE },
    [ATTN_ROLE_DELTA_OUTPUT] = { width, n_kept, TRUE },
  };
  gsize out = shapes[role].out > 0 ? shapes[role].out : width; /* the other norms */
  gsize in = slot == ATTN_SLOT_WEIGHT ? shapes[role].in : 0;
  gboolean is_swapped = in > 0 && shapes[role].is_linear && config->is_input_major;

  shape[0] = is_swapped ? in : out;
  shape[1] = is_swapped ? out : in;
  return in > 0 ? 2 : 1;
}

/* Tells whether the layer has it of the expert that every token goes through, whose matrices have
 * no biases. */
static gboolean
is_of_shared_expert (const AttnConfig *config,
                     AttnRole          role,
                     gsize             layer)
{
  return role >= ATTN_ROLE_GATE && role <= ATTN_ROLE_DOWN && layer < config->n_layers &&
         config->layers[layer].has_experts && !config->family->experts.is_beside;
}

/* Takes @name for the group and the layer in it that the layer is a pass through. */
static char *
number_group (const AttnConfig *config,
              char             *name,
              gsize             layer)
{
  gsize n_passes = config->n_layers / config->n_group_layers;
  gsize group = layer / config->n_group_layers * config->n_groups / n_passes;
  g_autofree char *first = g_strdup_printf ("%zu", group);
  g_autofree char *second = g_strdup_printf ("%zu", layer % config->n_group_layers);
  GString *own = g_string_new (name);

  g_string_replace (own, "%g", first, 1);
  g_string_replace (own, "%i", second, 1);
  g_free (name);
  return g_string_free (own, FALSE);
}

/* Returns: (transfer full) (nullable): the name of the tensor in the checkpoint's own form; %NULL
 * for one that the family does not have */
char *
attn_weights_dup_name (const AttnConfig *config,
                       AttnRole          role,
                       AttnSlot          slot,
                       gsize             layer)
{
  if (is_of_shared_expert (config, role, layer))
    return attn_family_dup_shared_name (config->family, config->is_gguf, role, layer);

  char *name = attn_family_dup_name (config->family, config->stack, config->is_gguf, role, slot,
                                     layer);
  return name != NULL && config->family->repeats_groups ? number_group (config, name, layer)
                                                        : name;
}

static gboolean
is_of_experts (AttnRole role)
{
  return role >= ATTN_ROLE_EXPERT_GATE && role <= ATTN_ROLE_EXPERT_GATE_UP;
}

/* Tells whether only layers with attention weights have it, or only those without, in the place of
 * that. */
static gboolean
is_of_mixer (AttnRole role)
{
  return (role >= ATTN_ROLE_QKV && role <= ATTN_ROLE_OUTPUT) ||
         (role >= ATTN_ROLE_SINKS && role <= ATTN_ROLE_V_B) ||
         role >= ATTN_ROLE_DELTA_QKV;
}

/* Tells whether it makes keys, or values; a layer that takes those of another lacks it. */
static gboolean
is_of_keys (AttnRole role)
{
  return role == ATTN_ROLE_KEY || role == ATTN_ROLE_KEY_NORM;
}

/* Tells whether the layer brings the tensor; @layer is ignored for the roles that exist once. */
static gboolean
has_slot (const AttnConfig *config,
          AttnRole          role,
          AttnSlot          slot,
          gsize             layer)
{
  if (!attn_config_has_slot (config, role, slot) ||
      (layer == 0 && config->family->lacks_first_norm && role == ATTN_ROLE_ATTENTION_NORM) ||
      (slot == ATTN_SLOT_BIAS && is_of_shared_expert (config, role, layer)))
    return FALSE;
  if (is_of_mixer (role) && (role >= ATTN_ROLE_DELTA_QKV) != config->layers[layer].is_delta)
    return FALSE;
  if (role >= ATTN_FIRST_LAYER_ROLE &&
      ((config->layers[layer].source != layer && (is_of_keys (role) || role == ATTN_ROLE_VALUE)) ||
       (config->layers[layer].has_key_values && role == ATTN_ROLE_VALUE)))
    return FALSE;
  if (config->q_lora_rank == 0 && role >= ATTN_ROLE_Q_A && role <= ATTN_ROLE_Q_A_NORM)
    return FALSE;
  if (role == ATTN_ROLE_SHARED_GATE || (role >= ATTN_ROLE_GATE && role <= ATTN_ROLE_DOWN))
    return config->layers[layer].mlp_width > 0 &&
           (role != ATTN_ROLE_SHARED_GATE || config->layers[layer].has_experts);
  return role < ATTN_ROLE_ROUTER || role >= ATTN_ROLE_DELTA_QKV ||
         config->layers[layer].has_experts;
}

/* Programs save the bare model or the one with a head; the latter's names carry the prefix. Old
 * BERT checkpoints call the scale and bias of a norm by other names, Falcons with two norms side by
 * side each of them, queries that are made of no latent vector have another name, as has the one
 * matrix of a T5 or of a DINOv2 without gates, the labels of a DeiT may be read from one token or
 * from two, and an encoder and a decoder may share their embedding. */
const AttnArray *
attn_weights_lookup (const AttnWeights *weights,
                     const char        *name)
{
  static const char * const spellings[][2] = {
    { "LayerNorm.weight", "LayerNorm.gamma" },
    { "LayerNorm.bias", "LayerNorm.beta" },
    { ".input_layernorm.", ".ln_attn." },
    { ".post_attention_layernorm.", ".ln_mlp." },
    { ".attn_norm_2.", ".attn_norm." },
    { ".q_b_proj.", ".q_proj." },
    { ".attn_q_b.", ".attn_q." },
    { ".DenseReluDense.wi_1.", ".DenseReluDense.wi." },
    { ".mlp.weights_in.", ".mlp.fc1." },
    { ".mlp.weights_out.", ".mlp.fc2." },
    { "cls_classifier.", "classifier." },
    { "encoder.embed_tokens.weight", "shared.weight" },
    { "decoder.embed_tokens.weight", "shared.weight" },
  };
  const AttnArray *array = attn_array_file_lookup (weights->file, name);

  g_auto (GStrv) prefixes = g_strsplit (weights->config.family->prefix, " ", -1);
  for (char **prefix = prefixes; array == NULL && *prefix != NULL; prefix++)
    {
      g_autofree char *long_name = g_strconcat (*prefix, name, NULL);
      array = attn_array_file_lookup (weights->file, long_name);
    }
  for (gsize i = 0; array == NULL && i < G_N_ELEMENTS (spellings); i++)
    {
      const char *at = strstr (name, spellings[i][0]);
      g_autofree char *other =
          at != NULL ? g_strdup_printf ("%.*s%s%s", (int) (at - name), name, spellings[i][1],
                                        at + strlen (spellings[i][0]))
                     : NULL;

      if (other != NULL)
        array = attn_weights_lookup (weights, other);
    }
  if (array != NULL)
    g_hash_table_add (weights->found, (gpointer) array);
  return array;
}

static const AttnArray *
lookup (gconstpointer  weights,
        const char    *name)
{
  return attn_weights_lookup (weights, name);
}

/* The tensor, as a scheme packs it or with its scales where it has any. *found is %NULL where there
 * is no such tensor. */
static gboolean
find_scaled (AttnWeights      *weights,
             const char       *name,
             const AttnArray **found,
             GError          **error)
{
  const AttnConfig *config = &weights->config;
  const AttnQuantization *quantization = &config->quantization;
  AttnArray *made;

  if (!attn_schemes_find (quantization, name, lookup, weights, &made, error) ||
      (made == NULL && !attn_scaled_find (quantization, config->is_gguf, name, lookup, weights,
                                          &made, error)))
    {
      g_prefix_error (error, "%s: ", attn_array_file_get_path (weights->file));
      return FALSE;
    }
  *found = made != NULL ? made : attn_weights_lookup (weights, name);
  if (made != NULL)
    g_ptr_array_add (weights->parts, made);
  return TRUE;
}

static gboolean
check_array (const AttnWeights  *weights,
             const AttnArray    *array,
             const char         *name,
             guint               n_dims,
             const gsize        *shape,
             GError            **error)
{
  const char *path = attn_array_file_get_path (weights->file);
  g_autofree char *expected = attn_shape_to_string (n_dims, shape);

  if (array == NULL)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: no tensor “%s” found, expected one of shape %s"), path, name,
                      expected);
  if (array->n_dims != n_dims || memcmp (array->shape, shape, n_dims * sizeof *shape) != 0)
    {
      g_autofree char *found = attn_shape_to_string (array->n_dims, array->shape);
      return attn_fail (error, ATTN_ERROR_SHAPE,
                        _("%s: tensor “%s”: shape %s found, expected %s as the configuration says"),
                        path, name, found, expected);
    }
  if (array->dtype > ATTN_DTYPE_F64 && array->dtype != ATTN_DTYPE_F8_E4M3 &&
      array->dtype != ATTN_DTYPE_F8_E5M2 && array->scales == NULL &&
      array->packed == NULL && !attn_dtype_is_block (array->dtype))
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: tensor “%s”: dtype %s found, expected F32, F16, BF16, F64, F8_E4M3 "
                        "or F8_E5M2, or I8 with scales"),
                      path,
                      name, attn_dtype_get_name (array->dtype));
  return TRUE;
}

/* Tells whether it stands between the last layer and the logits; a checkpoint without a head lacks
 * it. */
static gboolean
is_of_head (AttnRole role)
{
  return role >= ATTN_ROLE_HEAD && role <= ATTN_ROLE_LOGITS;
}

/* Tells whether the checkpoint holds the bare model, or a family's model that is often saved with
 * the head of another task. */
static gboolean
may_lack_head (const AttnWeights *weights)
{
  g_autofree char *name =
      attn_weights_dup_name (&weights->config, ATTN_ROLE_TOKEN_EMBEDDING, ATTN_SLOT_WEIGHT, 0);

  return weights->config.pictures.patch_size > 0 ||
         attn_config_has_role (&weights->config, ATTN_ROLE_HEAD) ||
         attn_array_file_lookup (weights->file, name) != NULL ||
         attn_array_file_lookup (weights->file, "shared.weight") != NULL;
}

/* @n items of the first dimension, from @first on. @shape: of the part, of the same elements */
static AttnArray *
cut (const AttnArray  *array,
     gsize             first,
     gsize             n,
     guint             n_dims,
     const gsize      *shape,
     GError          **error)
{
  gsize n_all_bytes = g_bytes_get_size (array->bytes);
  gsize n_bytes = array->is_strided ? array->strides[0] * array->item_size
                                    : n_all_bytes / array->shape[0];
  gsize n_part = array->is_strided ? n_all_bytes - first * n_bytes : n * n_bytes;
  g_autoptr (GBytes) bytes = g_bytes_new_from_bytes (array->bytes, first * n_bytes, n_part);
  AttnArray *part =
      array->is_strided
          ? attn_array_new_strided (array->name, array->dtype, n_dims, shape,
                                    array->strides + array->n_dims - n_dims, bytes, error)
          : attn_array_new (array->name, array->dtype, n_dims, shape, bytes, error);

  if (part != NULL)
    part->is_swapped = array->is_swapped;
  return part;
}

static AttnArray *
slice (const AttnArray  *array,
       gsize             index,
       GError          **error)
{
  return cut (array, index, 1, array->n_dims - 1, array->shape + 1, error);
}

/* Some rows of a matrix with their scales, or some numbers of a vector. */
static const AttnArray *
take_rows (AttnWeights      *weights,
           const AttnArray  *array,
           gsize             first,
           gsize             n,
           GError          **error)
{
  if (array->packed != NULL)
    {
      AttnArray *rows = attn_packed_take_rows (array, first, n);

      g_ptr_array_add (weights->parts, rows);
      return rows;
    }

  const gsize shape[] = { n, array->n_dims > 1 ? array->shape[1] : 0 };
  const AttnArray *scales = array->scales;
  gsize n_scale_rows = array->n_scale_rows;
  gboolean has_one = scales != NULL && n_scale_rows >= array->shape[0];
  g_autoptr (AttnArray) part = cut (array, first, n, array->n_dims, shape, error);
  g_autoptr (AttnArray) own_scales = NULL;

  if (part == NULL)
    return NULL;
  if (scales != NULL && !has_one)
    {
      gsize scale_shape[ATTN_ARRAY_MAX_DIMS];

      if (first % n_scale_rows != 0)
        return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                               _("%s: tensor “%s”: a scale for each %zu rows found, expected a "
                                 "number that divides the %zu rows of a half"),
                               attn_array_file_get_path (weights->file), array->name,
                               n_scale_rows, n);
      memcpy (scale_shape, scales->shape, sizeof scale_shape);
      scale_shape[0] = (n + n_scale_rows - 1) / n_scale_rows;
      own_scales = cut (scales, first / n_scale_rows, scale_shape[0], scales->n_dims, scale_shape,
                        error);
      if (own_scales == NULL ||
          (scales->scales != NULL &&
           !attn_array_set_scales (own_scales, scales->scales, scale_shape[0], scale_shape[1],
                                   error)))
        return NULL;
      scales = own_scales;
    }
  if (scales != NULL && !attn_array_set_scales (part, scales, has_one ? n : n_scale_rows,
                                                array->n_scale_columns, error))
    return NULL;
  g_ptr_array_add (weights->parts, part);
  return g_steal_pointer (&part);
}

/* One expert's part of an array of all. */
static const AttnArray *
take_part (AttnWeights      *weights,
           const AttnArray  *array,
           gsize             expert,
           GError          **error)
{
  g_autoptr (AttnArray) part = slice (array, expert, error);
  g_autoptr (AttnArray) scales =
      part != NULL && array->scales != NULL ? slice (array->scales, expert, error) : NULL;

  if (part == NULL || (array->scales != NULL &&
                       (scales == NULL || !attn_array_set_scales (part, scales, array->n_scale_rows,
                                                                  array->n_scale_columns, error))))
    return NULL;
  g_ptr_array_add (weights->parts, part);
  return g_steal_pointer (&part);
}

/* The tensor's name of an expert or a head. */
static char *
number_name (const char *name,
             gsize       index)
{
  g_autofree char *number = g_strdup_printf ("%zu", index);
  g_autoptr (GString) own_name = g_string_new (name);

  g_string_replace (own_name, "%e", number, 1);
  return g_string_free (g_steal_pointer (&own_name), FALSE);
}

/* Finds the matrices by which each head projects a latent vector: one tensor of all. */
static gboolean
find_heads (AttnWeights  *weights,
            AttnRole      role,
            gsize         layer,
            GError      **error)
{
  const AttnConfig *config = &weights->config;
  gsize n = config->n_heads;
  g_autofree char *name = attn_weights_dup_name (config, role, ATTN_SLOT_WEIGHT, layer);
  const AttnArray *array = attn_weights_lookup (weights, name);
  gsize shape[3] = { n };
  guint n_dims = get_shape (config, role, ATTN_SLOT_WEIGHT, layer, shape + 1);

  if (!check_array (weights, array, name, n_dims + 1, shape, error))
    return FALSE;
  if (weights->heads[layer] == NULL)
    weights->heads[layer] = g_new0 (const AttnArray *, 2 * n);
  weights->arrays[attn_weights_get_index (role, layer)][ATTN_SLOT_WEIGHT] = array;
  for (gsize i = 0; i < n; i++)
    {
      const AttnArray *part = take_part (weights, array, i, error);

      if (part == NULL)
        return FALSE;
      weights->heads[layer][attn_weights_get_head_index (config, role, i)] = part;
    }
  return TRUE;
}

/* Where the tensors of @name, one an expert or one of all, are not there, what some programs save
 * in their place: one of all experts, gates above what they gate. @half: (out): 0 for what is
 * above, 1 for what is below, 2 for the whole */
static char *
dup_fused_name (const AttnWeights *weights,
                const char        *name,
                gsize             *half)
{
  static const struct
  {
    const char *usual;
    const char *fused;
    gsize half;
  } spellings[] = {
    { "experts.%e.gate_proj.weight", "experts.gate_up_proj", 0 },
    { "experts.%e.up_proj.weight", "experts.gate_up_proj", 1 },
    { "experts.%e.down_proj.weight", "experts.down_proj", 2 },
    { "ffn_gate_exps.weight", "ffn_gate_up_exps.weight", 0 },
    { "ffn_up_exps.weight", "ffn_gate_up_exps.weight", 1 },
  };
  g_autofree char *first_name = number_name (name, 0);

  if (attn_weights_lookup (weights, first_name) != NULL)
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (spellings); i++)
    if (g_str_has_suffix (name, spellings[i].usual))
      {
        gsize n = strlen (name) - strlen (spellings[i].usual);
        char *fused = g_strdup_printf ("%.*s%s", (int) n, name, spellings[i].fused);

        *half = spellings[i].half;
        if (attn_weights_lookup (weights, fused) != NULL)
          return fused;
        g_free (fused);
      }
  return NULL;
}

/* @shape: of the role in one tensor of all experts */
static gboolean
find_fused (AttnWeights      *weights,
            const char       *name,
            gsize             half,
            const gsize       shape[3],
            const AttnArray **whole,
            const AttnArray **experts,
            GError          **error)
{
  const gsize all_shape[] = { shape[0], half < 2 ? 2 * shape[1] : shape[1], shape[2] };

  if (!find_scaled (weights, name, whole, error) ||
      !check_array (weights, *whole, name, 3, all_shape, error))
    return FALSE;
  weights->has_tiles |= attn_array_peek_float32 (*whole) == NULL;
  for (gsize i = 0; i < shape[0]; i++)
    {
      const AttnArray *part = take_part (weights, *whole, i, error);

      experts[i] = part == NULL || half == 2
                       ? part
                       : take_rows (weights, part, half * shape[1], shape[1], error);
      if (experts[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

/* A tensor an expert, or one of all. */
static gboolean
find_experts (AttnWeights  *weights,
              AttnRole      role,
              AttnSlot      slot,
              gsize         layer,
              GError      **error)
{
  const AttnConfig *config = &weights->config;
  gsize n = config->n_experts;
  g_autofree char *name = attn_weights_dup_name (config, role, slot, layer);
  gsize shape[3] = { n };
  guint n_dims = get_shape (config, role, slot, layer, shape + 1);
  const AttnArray **whole = &weights->arrays[attn_weights_get_index (role, layer)][slot];
  const AttnArray **experts;
  g_autofree char *fused_name = NULL;
  gsize half = 2;

  if (weights->experts[layer] == NULL)
    weights->experts[layer] = g_new0 (const AttnArray *, ATTN_N_EXPERT_TENSORS *n);
  experts = weights->experts[layer] + attn_weights_get_expert_index (config, role, slot, 0);
  fused_name = dup_fused_name (weights, name, &half);
  if (fused_name != NULL)
    return find_fused (weights, fused_name, half, shape, whole, experts, error);
  if (strstr (name, "%e") == NULL)
    {
      const AttnArray *array;

      if (!find_scaled (weights, name, &array, error))
        return FALSE;
      if (config->has_input_major_experts && n_dims == 2 && array != NULL && array->scales == NULL)
        {
          gsize n_out = shape[1];

          shape[1] = shape[2];
          shape[2] = n_out;
        }
      if (!check_array (weights, array, name, n_dims + 1, shape, error))
        return FALSE;
      weights->has_tiles |= attn_array_peek_float32 (array) == NULL;
      *whole = array;
      for (gsize i = 0; i < n; i++)
        {
          experts[i] = take_part (weights, array, i, error);
          if (experts[i] == NULL)
            return FALSE;
        }
      return TRUE;
    }
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *own_name = number_name (name, i);

      if (!find_scaled (weights, own_name, &experts[i], error) ||
          !check_array (weights, experts[i], own_name, n_dims, shape + 1, error) ||
          (slot == ATTN_SLOT_WEIGHT &&
           !attn_weights_adapt (weights, own_name, role, 0, 0, &experts[i], error)))
        return FALSE;
      weights->has_tiles |= attn_array_peek_float32 (experts[i]) == NULL;
    }
  return TRUE;
}

/* The weights of a norm of queries or keys, those of each head its own: a tensor a head, or one of
 * all, [heads, d]. They become one vector. */
static gboolean
find_head_norms (AttnWeights  *weights,
                 AttnRole      role,
                 AttnSlot      slot,
                 gsize         layer,
                 const char   *name,
                 GError      **error)
{
  gsize width = weights->config.head_width;
  gsize all_shape[2];
  get_shape (&weights->config, role, slot, layer, all_shape);
  gsize n = all_shape[0];
  const gsize shape[] = { n / width, width };
  gboolean is_one = strstr (name, "%e") == NULL;
  gsize n_arrays = is_one ? 1 : shape[0];
  g_autofree float *numbers = g_new (float, n);

  for (gsize i = 0; i < n_arrays; i++)
    {
      g_autofree char *own_name = number_name (name, i);
      const AttnArray *array = attn_weights_lookup (weights, own_name);

      if (!check_array (weights, array, own_name, is_one ? 2 : 1, shape + !is_one, error) ||
          !attn_array_read (array, 0, n / n_arrays, numbers + i * width, error))
        return FALSE;
    }
  g_autoptr (GBytes) bytes = g_bytes_new_take (g_steal_pointer (&numbers), n * sizeof (float));
  AttnArray *all = attn_array_new (name, ATTN_DTYPE_F32, 1, all_shape, bytes, error);
  if (all == NULL)
    return FALSE;
  g_ptr_array_add (weights->parts, all);
  weights->arrays[attn_weights_get_index (role, layer)][slot] = all;
  return TRUE;
}

/* The other role of a tensor that has two, the one's rows above the other's; ATTN_N_ROLES where
 * @role has one of its own. */
static AttnRole
find_partner (const AttnConfig *config,
              AttnRole          role,
              AttnSlot          slot,
              gsize             layer,
              const char       *name)
{
  static const AttnRole pairs[][2] = { { ATTN_ROLE_GATE, ATTN_ROLE_UP },
                                       { ATTN_ROLE_KV_A, ATTN_ROLE_K_ROPE } };

  for (gsize i = 0; i < 2 * G_N_ELEMENTS (pairs); i++)
    {
      AttnRole other = pairs[i / 2][1 - i % 2];

      if (role != pairs[i / 2][i % 2] || !attn_config_has_slot (config, other, slot))
        continue;
      g_autofree char *other_name = attn_weights_dup_name (config, other, slot, layer);
      if (g_strcmp0 (name, other_name) == 0)
        return other;
    }
  return ATTN_N_ROLES;
}

/* Takes a tensor of a picture's embedding as a vector or a matrix: these are stored with leading
 * dimensions of 1, and what makes the patches as a convolution, [D, channels, height, width]. */
static const AttnArray *
flatten (AttnWeights      *weights,
         const AttnArray  *array,
         AttnRole          role,
         guint             n_dims,
         const gsize      *shape,
         GError          **error)
{
  const AttnPictures *pictures = &weights->config.pictures;
  const gsize kernel[] = { shape[0], pictures->n_channels, pictures->patch_size,
                           pictures->patch_size };
  guint n_ones = 0;

  while (n_ones < array->n_dims && array->shape[n_ones] == 1)
    n_ones++;
  guint n_more = array->n_dims - MIN (array->n_dims, n_dims);
  gboolean fits = role == ATTN_ROLE_PATCHES
                      ? array->n_dims == 4 && memcmp (array->shape, kernel, sizeof kernel) == 0
                      : n_more > 0 && n_ones >= n_more &&
                            memcmp (array->shape + n_more, shape, n_dims * sizeof *shape) == 0;
  if (!fits)
    return array;

  g_autoptr (AttnArray) flat =
      attn_array_new (array->name, array->dtype, n_dims, shape, array->bytes, error);
  if (flat == NULL)
    return NULL;
  flat->is_swapped = array->is_swapped;
  g_ptr_array_add (weights->parts, flat);
  return g_steal_pointer (&flat);
}

/* Tells whether a model of pictures has it before its first layer. */
static gboolean
is_of_picture (const AttnConfig *config,
               AttnRole          role)
{
  return config->pictures.patch_size > 0 &&
         (role == ATTN_ROLE_POSITION_EMBEDDING ||
          (role >= ATTN_ROLE_PATCHES && role <= ATTN_ROLE_REGISTERS));
}

/* The name that the tensor has in the layout of Hugging Face, which adapters use; %NULL without an
 * adapter. */
static char *
dup_plain_name (const AttnWeights *weights,
                AttnRole           role,
                AttnSlot           slot,
                gsize              layer)
{
  AttnConfig plain = weights->config;

  plain.is_gguf = FALSE;
  return weights->adapter != NULL ? attn_weights_dup_name (&plain, role, slot, layer) : NULL;
}

static gboolean
find_array (AttnWeights  *weights,
            AttnRole      role,
            AttnSlot      slot,
            gsize         layer,
            GError      **error)
{
  const AttnConfig *config = &weights->config;

  if (!has_slot (config, role, slot, layer))
    return TRUE;
  if (is_of_experts (role))
    return find_experts (weights, role, slot, layer, error);
  if (role == ATTN_ROLE_K_B || role == ATTN_ROLE_V_B)
    return find_heads (weights, role, layer, error);

  g_autofree char *name = attn_weights_dup_name (config, role, slot, layer);
  g_autofree char *plain_name = dup_plain_name (weights, role, slot, layer);
  const AttnArray *array;
  gsize shape[3];
  guint n_dims = get_shape (config, role, slot, layer, shape);
  AttnRole partner = find_partner (config, role, slot, layer, name);
  gsize other_shape[2] = { 0 };
  gsize n_own = shape[0];

  if (*name == '\0')
    return TRUE;
  if ((role == ATTN_ROLE_QUERY_NORM || role == ATTN_ROLE_KEY_NORM) &&
      config->family->has_own_query_key_norms)
    return find_head_norms (weights, role, slot, layer, name, error);
  if (!find_scaled (weights, name, &array, error))
    return FALSE;
  if (role == ATTN_ROLE_TOKEN_EMBEDDING && slot == ATTN_SLOT_WEIGHT)
    weights->embedding = array;
  if (!attn_weights_replace (weights, plain_name, role, &array, error))
    return FALSE;
  if (partner < ATTN_N_ROLES)
    get_shape (config, partner, slot, layer, other_shape);
  shape[0] += other_shape[0];

  /* A GGUF file has it as a vector. */
  if (role == ATTN_ROLE_SHARED_GATE && array != NULL && array->n_dims == 1)
    {
      shape[0] = config->width;
      n_dims = 1;
    }

  /* As a convolution of one channel. */
  if (role == ATTN_ROLE_DELTA_KERNEL && array != NULL && array->n_dims == 3)
    {
      shape[2] = shape[1];
      shape[1] = 1;
      n_dims = 3;
    }

  /* Three frames of each channel. */
  if ((role == ATTN_ROLE_CONVOLUTION || role == ATTN_ROLE_SECOND_CONVOLUTION) &&
      slot == ATTN_SLOT_WEIGHT)
    {
      shape[2] = ATTN_CONVOLUTION_TAPS;
      n_dims = 3;
    }

  /* As a row. */
  if (role == ATTN_ROLE_LOGITS && slot == ATTN_SLOT_BIAS && array != NULL && array->n_dims == 2)
    {
      shape[1] = shape[0];
      shape[0] = 1;
      n_dims = 2;
    }

  /* Tied: the logits are products with the embedding, but for what an adapter does to that. */
  if (array == NULL && role == ATTN_ROLE_LOGITS && slot == ATTN_SLOT_WEIGHT &&
      !config->has_own_logits)
    array = weights->embedding;
  if (array == NULL && role == ATTN_ROLE_SECOND_LOGITS)
    return TRUE;
  if (array == NULL && is_of_head (role) && may_lack_head (weights))
    {
      weights->has_logits = FALSE;
      return TRUE;
    }
  /* One tensor has the inputs of all layers. */
  if (role == ATTN_ROLE_LAYER_INPUT)
    shape[0] *= config->n_layers;
  if (role == ATTN_ROLE_LAYER_EMBEDDING && array != NULL && array->n_dims == 2)
    shape[0] = MAX (array->shape[0], shape[0]);
  /* One row of it is used, however many kinds of token there are. */
  if (role == ATTN_ROLE_TYPE_EMBEDDING && array != NULL && array->n_dims == 2)
    shape[0] = MAX (array->shape[0], 1);
  if (slot == ATTN_SLOT_WEIGHT && array != NULL && is_of_picture (config, role) &&
      array->packed == NULL && array->scales == NULL &&
      (array = flatten (weights, array, role, n_dims, shape, error)) == NULL)
    return FALSE;
  if (!check_array (weights, array, name, n_dims, shape, error))
    return FALSE;
  if (partner < ATTN_N_ROLES)
    array = take_rows (weights, array, role > partner ? other_shape[0] : 0, n_own, error);
  else if (role == ATTN_ROLE_LAYER_INPUT)
    array = take_rows (weights, array, layer * n_own, n_own, error);
  gsize n_rows = partner < ATTN_N_ROLES || role == ATTN_ROLE_LAYER_INPUT ? shape[0] : 0;
  gsize first_row = role == ATTN_ROLE_LAYER_INPUT ? layer * n_own
                    : role > partner              ? other_shape[0]
                                                  : 0;
  if (slot == ATTN_SLOT_WEIGHT &&
      !attn_weights_adapt (weights, plain_name, role, first_row, n_rows, &array, error))
    return FALSE;
  weights->arrays[attn_weights_get_index (role, layer)][slot] = array;
  return array != NULL;
}

static gboolean
find_role (AttnWeights  *weights,
           AttnRole      role,
           gsize         layer,
           GError      **error)
{
  for (AttnSlot slot = 0; slot < ATTN_N_SLOTS; slot++)
    if (!find_array (weights, role, slot, layer, error))
      return FALSE;
  return TRUE;
}

/**
 * attn_weights_find:
 * @weights: (inout): with its file and its configuration, and room for the arrays
 * @error: return location for errors of [func@attn_weights_new]
 *
 * Finds the tensor of each role and checks its name, shape and element type.
 */
gboolean
attn_weights_find (AttnWeights  *weights,
                   GError      **error)
{
  for (AttnRole role = 0; role < ATTN_FIRST_LAYER_ROLE; role++)
    if (!find_role (weights, role, 0, error))
      return FALSE;
  for (gsize layer = 0; layer < weights->config.n_layers; layer++)
    for (AttnRole role = ATTN_FIRST_LAYER_ROLE; role < ATTN_N_ROLES; role++)
      if (!find_role (weights, role, layer, error))
        return FALSE;
  return TRUE;
}
