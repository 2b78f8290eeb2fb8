/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Determines what the tensor of a role must be: its names, its shape, and the layers that have
 * it. */

#include "config.h"

#include <string.h>

#include "attn-config-private.h"
#include "attn-weights-private.h"

/* Returns 2 for the matrix of a role or 1 for a vector, and sets @shape to its sizes. The weight of
 * a linear layer is [out, in], or [in, out] if the family stores it transposed. */
guint
attn_weights_get_shape (const AttnConfig *config,
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
  gsize n_pixels = pictures->n_channels * pictures->n_frames * pictures->patch_size *
                   pictures->patch_size;
  const AttnSeeing *seeing = &config->seeing;
  gsize seen_width = seeing->n_layers * width * pictures->merge * pictures->merge;
  gboolean is_input_major = config->sight != NULL && config->sight->is_input_major;
  gsize n_pooled = pictures->pooling == ATTN_POOLING_FIRST_AND_MEAN ? 2 : 1;
  const struct
  {
    gsize out;
    gsize in; /* 0 for the role of a vector */
    gboolean is_linear;
  } shapes[ATTN_N_ROLES] = {
    [ATTN_ROLE_TOKEN_EMBEDDING] = { vocabulary_size, embedding_width, FALSE },
    [ATTN_ROLE_POSITION_EMBEDDING] = { config->n_position_rows, narrow_width, FALSE },
    [ATTN_ROLE_TYPE_EMBEDDING] = { 1, narrow_width, FALSE }, /* at least one row */
    [ATTN_ROLE_PATCHES] = { width, n_pixels, FALSE },
    [ATTN_ROLE_CLASS_TOKEN] = { width, 0, FALSE },
    [ATTN_ROLE_SECOND_TOKEN] = { width, 0, FALSE },
    [ATTN_ROLE_REGISTERS] = { pictures->n_registers, width, FALSE },
    [ATTN_ROLE_CONVOLUTION] = { width, config->sounds.n_bins, FALSE },
    [ATTN_ROLE_SECOND_CONVOLUTION] = { width, width, FALSE },
    [ATTN_ROLE_PROJECTOR_NORM] = { width, 0, FALSE },
    [ATTN_ROLE_PROJECTOR_IN] = { seeing->inner_width, seen_width, FALSE },
    [ATTN_ROLE_PROJECTOR_OUT] = { is_input_major ? seen_width : seeing->text_width,
                                  is_input_major            ? seeing->text_width
                                  : seeing->inner_width > 0 ? seeing->inner_width
                                                            : seen_width,
                                  FALSE },
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
  gsize out = shapes[role].out > 0 ? shapes[role].out : width; /* norms that are not in the table */
  gsize in = slot == ATTN_SLOT_WEIGHT ? shapes[role].in : 0;
  gboolean is_swapped = in > 0 && shapes[role].is_linear && config->is_input_major;

  shape[0] = is_swapped ? in : out;
  shape[1] = is_swapped ? out : in;
  return in > 0 ? 2 : 1;
}

/* Tells whether a role (gate, up or down) is, in one layer, a matrix of the shared expert, through
 * which every token passes; such matrices have no biases. */
static gboolean
is_of_shared_expert (const AttnConfig *config,
                     AttnRole          role,
                     gsize             layer)
{
  return role >= ATTN_ROLE_GATE && role <= ATTN_ROLE_DOWN && layer < config->n_layers &&
         config->layers[layer].has_experts && !config->family->experts.is_beside;
}

/* Replaces “%g” and “%i” in a tensor's name by the group of layers and the layer in the group whose
 * weights @layer uses, in a model that passes through its layers repeatedly (ALBERT). Takes
 * ownership of @name. */
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

/* Returns: (transfer full) (nullable): the name of the tensor in the checkpoint's format; %NULL if
 * the family does not have it */
char *
attn_weights_dup_name (const AttnConfig *config,
                       AttnRole          role,
                       AttnSlot          slot,
                       gsize             layer)
{
  if (is_of_shared_expert (config, role, layer))
    return attn_family_dup_shared_name (config->family, config->is_gguf, role, layer);

  char *name = attn_config_dup_name (config, role, slot, layer);

  return name != NULL && config->family->repeats_groups ? number_group (config, name, layer)
                                                        : name;
}

/* Tells whether the role belongs to the attention of a layer, which is either softmax attention or
 * linear attention, so that a layer has only the roles of one of these. */
static gboolean
is_of_mixer (AttnRole role)
{
  return (role >= ATTN_ROLE_QKV && role <= ATTN_ROLE_OUTPUT) ||
         (role >= ATTN_ROLE_SINKS && role <= ATTN_ROLE_V_B) ||
         role >= ATTN_ROLE_DELTA_QKV;
}

/* Tells whether the role makes keys. A layer that uses the keys of another layer has no such
 * tensor. */
static gboolean
is_of_keys (AttnRole role)
{
  return role == ATTN_ROLE_KEY || role == ATTN_ROLE_KEY_NORM;
}

/* Tells whether a layer needs the weight, or the bias, of a role. @layer is ignored for roles that
 * exist once. */
gboolean
attn_weights_has_slot (const AttnConfig *config,
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

/* Finds a tensor under any of the names that programs save it by: with a prefix, which the names of
 * a model with a head have, or without, as in a bare model. Some checkpoints name other tensors
 * differently: norms of old BERT and of Falcon models, queries without a latent vector, a T5's or
 * DINOv2's matrix without a gate, a DeiT's labels, and an embedding that encoder and decoder
 * share. */
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

  const char *prefixes = weights->config.prefix;
  for (const char *prefix = prefixes; array == NULL && *prefix != '\0';)
    {
      gsize n = strcspn (prefix, " ");
      g_autofree char *long_name = g_malloc (n + strlen (name) + 1);

      memcpy (long_name, prefix, n);
      strcpy (long_name + n, name);
      array = attn_array_file_lookup (weights->file, long_name);
      prefix += n + (prefix[n] == ' ');
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
