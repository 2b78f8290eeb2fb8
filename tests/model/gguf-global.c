/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "gguf-global.h"

#include <string.h>

#include "../format/gguf-fixture.h"

/* Names within a layer, and of what exists once: gguf-py/gguf/tensor_mapping.py, and
 * modify_tensors() of Gemma4Model. */
static const char * const modules[][2] = {
  { "embed_tokens.weight", "token_embd.weight" },
  { "embed_tokens_per_layer.weight", "per_layer_token_embd.weight" },
  { "per_layer_model_projection.weight", "per_layer_model_proj.weight" },
  { "per_layer_projection_norm.weight", "per_layer_proj_norm.weight" },
  { "norm.weight", "output_norm.weight" },
  { "self_attn.q_proj.weight", "attn_q.weight" },
  { "self_attn.k_proj.weight", "attn_k.weight" },
  { "self_attn.v_proj.weight", "attn_v.weight" },
  { "self_attn.o_proj.weight", "attn_output.weight" },
  { "self_attn.q_norm.weight", "attn_q_norm.weight" },
  { "self_attn.k_norm.weight", "attn_k_norm.weight" },
  { "input_layernorm.weight", "attn_norm.weight" },
  { "post_attention_layernorm.weight", "post_attention_norm.weight" },
  { "pre_feedforward_layernorm.weight", "ffn_norm.weight" },
  { "post_feedforward_layernorm.weight", "post_ffw_norm.weight" },
  { "post_feedforward_layernorm_1.weight", "post_ffw_norm_1.weight" },
  { "post_feedforward_layernorm_2.weight", "post_ffw_norm_2.weight" },
  { "pre_feedforward_layernorm_2.weight", "pre_ffw_norm_2.weight" },
  { "mlp.gate_proj.weight", "ffn_gate.weight" },
  { "mlp.up_proj.weight", "ffn_up.weight" },
  { "mlp.down_proj.weight", "ffn_down.weight" },
  { "router.proj.weight", "ffn_gate_inp.weight" },
  { "router.scale", "ffn_gate_inp.scale" },
  { "router.per_expert_scale", "ffn_down_exps.scale" },
  { "experts.gate_up_proj", "ffn_gate_up_exps.weight" },
  { "experts.down_proj", "ffn_down_exps.weight" },
  { "per_layer_input_gate.weight", "inp_gate.weight" },
  { "per_layer_projection.weight", "proj.weight" },
  { "post_per_layer_input_norm.weight", "post_norm.weight" },
  { "layer_scalar", "layer_output_scale.weight" },
};

gboolean
gguf_is_global (JsonObject *config)
{
  return json_object_has_member (config, "global_head_dim");
}

/**
 * gguf_add_global:
 * @tensors: (element-type Tensor): @array is added to them
 */
void
gguf_add_global (JsonObject      *config,
                 const AttnArray *array,
                 GPtrArray       *tensors)
{
  const char *at = strstr (array->name, "layers.");
  Tensor *tensor = g_new0 (Tensor, 1);
  gsize i = 0, n = attn_array_get_n_elements (array);
  g_autofree char *layer =
      at != NULL ? g_strndup (at + 7, strcspn (at + 7, ".")) : NULL;
  const char *name = at != NULL ? at + 7 + strlen (layer) + 1 : array->name;

  while (at != NULL ? strcmp (modules[i][0], name) != 0 : !g_str_has_suffix (name, modules[i][0]))
    g_assert_cmpuint (++i, <, G_N_ELEMENTS (modules));
  tensor->name = layer != NULL ? g_strdup_printf ("blk.%s.%s", layer, modules[i][1])
                               : g_strdup (modules[i][1]);
  tensor->is_vector = array->n_dims == 1;
  tensor->n_columns = array->shape[array->n_dims - 1];
  tensor->n_rows = n / tensor->n_columns;
  tensor->n_experts = array->n_dims == 3 ? array->shape[0] : 0;
  tensor->data = g_new (float, n);
  g_assert_true (attn_array_read (array, 0, n, tensor->data, NULL));
  g_ptr_array_add (tensors, tensor);
}

static gsize
get (JsonObject *config,
     const char *member)
{
  return json_object_has_member (config, member) && !json_object_get_null_member (config, member)
             ? (gsize) json_object_get_int_member (config, member)
             : 0;
}

/* A frequency is divided by 1, or by so much that nothing turns: generate_extra_tensors(). */
static void
add_freqs (JsonObject *config,
           GPtrArray  *tensors)
{
  JsonObject *ropes = json_object_get_object_member (config, "rope_parameters");
  JsonObject *rope = json_object_get_object_member (ropes, "full_attention");
  gsize n = get (config, "global_head_dim") / 2;
  gsize n_turned = (gsize) ((double) n * json_object_get_double_member (rope,
                                                                        "partial_rotary_factor"));
  Tensor *tensor = g_new0 (Tensor, 1);

  tensor->name = g_strdup ("rope_freqs.weight");
  tensor->is_vector = TRUE;
  tensor->n_rows = 1;
  tensor->n_columns = n;
  tensor->data = g_new (float, n);
  for (gsize i = 0; i < n; i++)
    tensor->data[i] = i < n_turned ? 1.0f : 1e30f;
  g_ptr_array_add (tensors, tensor);
}

/**
 * gguf_put_globals:
 * @tensors: (element-type Tensor): what the metadata do not hold is added to them
 *
 * set_gguf_parameters() of Gemma4Model.
 *
 * Returns: how many pairs of key and value are now in @pairs
 */
guint
gguf_put_globals (JsonObject *config,
                  GPtrArray  *tensors,
                  GByteArray *pairs)
{
  JsonObject *ropes = json_object_get_object_member (config, "rope_parameters");
  JsonArray *types = json_object_get_array_member (config, "layer_types");
  gsize n_layers = get (config, "num_hidden_layers");
  gsize n_shared = get (config, "num_kv_shared_layers");
  gsize n_keys = get (config, "num_key_value_heads");
  gsize n_global_keys = get (config, "num_global_key_value_heads");
  gsize inner = get (config, "intermediate_size");
  const struct
  {
    const char *key;
    gsize value;
  } sizes[] = {
    { "gemma4.block_count", n_layers },
    { "gemma4.context_length", get (config, "max_position_embeddings") },
    { "gemma4.embedding_length", get (config, "hidden_size") },
    { "gemma4.attention.head_count", get (config, "num_attention_heads") },
    { "gemma4.attention.key_length", get (config, "global_head_dim") },
    { "gemma4.attention.value_length", get (config, "global_head_dim") },
    { "gemma4.attention.key_length_swa", get (config, "head_dim") },
    { "gemma4.attention.value_length_swa", get (config, "head_dim") },
    { "gemma4.rope.dimension_count", get (config, "global_head_dim") },
    { "gemma4.rope.dimension_count_swa", get (config, "head_dim") },
    { "gemma4.attention.sliding_window", get (config, "sliding_window") },
    { "gemma4.attention.shared_kv_layers", n_shared },
    { "gemma4.embedding_length_per_layer_input", get (config, "hidden_size_per_layer_input") },
    { "gemma4.expert_count", get (config, "num_experts") },
    { "gemma4.expert_used_count", get (config, "top_k_experts") },
    { "gemma4.expert_feed_forward_length", get (config, "moe_intermediate_size") },
  };
  const struct
  {
    const char *key;
    double value;
  } numbers[] = {
    { "gemma4.attention.layer_norm_rms_epsilon",
      json_object_get_double_member (config, "rms_norm_eps") },
    { "gemma4.final_logit_softcapping",
      json_object_get_double_member (config, "final_logit_softcapping") },
    { "gemma4.rope.freq_base",
      json_object_get_double_member (json_object_get_object_member (ropes, "full_attention"),
                                     "rope_theta") },
    { "gemma4.rope.freq_base_swa",
      json_object_get_double_member (json_object_get_object_member (ropes, "sliding_attention"),
                                     "rope_theta") },
  };
  guint n = 2;

  gguf_put_key (pairs, "general.architecture", GGUF_STRING);
  gguf_put_string (pairs, "gemma4");
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    if (sizes[i].value > 0 || strstr (sizes[i].key, "expert") == NULL)
      {
        gguf_put_key (pairs, sizes[i].key, GGUF_U32);
        gguf_put (pairs, sizes[i].value, 4);
        n++;
      }
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++, n++)
    {
      gguf_put_key (pairs, numbers[i].key, GGUF_F32);
      gguf_put_f32 (pairs, (float) numbers[i].value);
    }
  gguf_put_array (pairs, "gemma4.attention.sliding_window_pattern", GGUF_BOOL, n_layers);
  for (guint i = 0; i < n_layers; i++)
    gguf_put (pairs,
              i + 1 < n_layers &&
                  g_str_equal (json_array_get_string_element (types, i), "sliding_attention"),
              1);
  if (n_global_keys > 0)
    gguf_put_array (pairs, "gemma4.attention.head_count_kv", GGUF_U32, n_layers);
  else
    gguf_put_key (pairs, "gemma4.attention.head_count_kv", GGUF_U32);
  for (guint i = 0; i < (n_global_keys > 0 ? n_layers : 1); i++)
    gguf_put (pairs,
              n_global_keys > 0 && g_str_equal (json_array_get_string_element (types, i),
                                                "full_attention")
                  ? n_global_keys
                  : n_keys,
              4);
  n++;
  if (n_shared > 0)
    gguf_put_array (pairs, "gemma4.feed_forward_length", GGUF_U32, n_layers);
  else
    gguf_put_key (pairs, "gemma4.feed_forward_length", GGUF_U32);
  for (guint i = 0; i < (n_shared > 0 ? n_layers : 1); i++)
    gguf_put (pairs, i + n_shared < n_layers ? inner : 2 * inner, 4);
  add_freqs (config, tensors);
  return n + 1;
}
