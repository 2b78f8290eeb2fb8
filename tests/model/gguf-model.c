/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "../save-arrays.h"
#include "gguf-model.h"
#include "gguf-global.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "../format/gguf-fixture.h"
#include "model-fixture.h"

#define BLOCK 32

/* What llama.cpp calls an architecture, and what its converter does to it:
 * gguf-py/gguf/constants.py and the classes of convert_hf_to_gguf.py. */
static const struct
{
  const char *model_type;
  const char *architecture;
  gboolean is_transposed; /* Conv1D */
  gboolean is_permuted;
  gboolean has_offset_norm; /* 1 + w */
  gboolean is_by_head;      /* query, key and value a head, to be sorted apart */
  gboolean has_rms;
} kinds[] = {
  { "gpt2", "gpt2", .is_transposed = TRUE },
  { "llama", "llama", .is_permuted = TRUE, .has_rms = TRUE },
  { "mistral", "llama", .is_permuted = TRUE, .has_rms = TRUE },
  { "qwen2", "qwen2", .has_rms = TRUE },
  { "qwen3", "qwen3", .has_rms = TRUE },
  { "gemma", "gemma", .has_offset_norm = TRUE, .has_rms = TRUE },
  { "gemma2", "gemma2", .has_offset_norm = TRUE, .has_rms = TRUE },
  { "gemma3_text", "gemma3", .has_offset_norm = TRUE, .has_rms = TRUE },
  { "gemma4", "gemma4", .has_rms = TRUE },
  { "gemma4_text", "gemma4", .has_rms = TRUE },
  { "mixtral", "llama", .is_permuted = TRUE, .has_rms = TRUE },
  { "qwen2_moe", "qwen2moe", .has_rms = TRUE },
  { "qwen3_moe", "qwen3moe", .has_rms = TRUE },
  { "gpt_oss", "gpt-oss", .has_rms = TRUE },
  { "olmo2", "olmo2", .has_rms = TRUE },
  { "olmo3", "olmo2", .has_rms = TRUE },
  { "smollm3", "smollm3", .is_permuted = TRUE, .has_rms = TRUE },
  { "granite", "granite", .is_permuted = TRUE, .has_rms = TRUE },
  { "starcoder2", "starcoder2" },
  { "olmo", "olmo", .is_permuted = TRUE },
  { "phi3", "phi3", .has_rms = TRUE },
  { "stablelm", "stablelm" },
  { "glm", "chatglm", .has_rms = TRUE },
  { "glm4", "glm4", .has_rms = TRUE },
  { "cohere", "command-r" },
  { "cohere2", "cohere2" },
  { "minicpm", "minicpm", .is_permuted = TRUE, .has_rms = TRUE },
  { "falcon", "falcon", .is_by_head = TRUE },
  { "mpt", "mpt" },
  { "gpt_bigcode", "starcoder" },
  { "phi", "phi2" },
  { "gpt_neox", "gptneox", .is_by_head = TRUE },
  { "bloom", "bloom", .is_by_head = TRUE },
  { "bert", "bert" },
  { "modernbert", "modern-bert" },
  { "deepseek_v2", "deepseek2", .has_rms = TRUE },
  { "deepseek_v3", "deepseek2", .has_rms = TRUE },
  { "glm4_moe_lite", "deepseek2", .has_rms = TRUE },
  { "qwen3_next", "qwen3next", .has_offset_norm = TRUE, .has_rms = TRUE },
  { "qwen3_5", "qwen35", .has_offset_norm = TRUE, .has_rms = TRUE },
  { "qwen3_5_moe", "qwen35moe", .has_offset_norm = TRUE, .has_rms = TRUE },
};

/* The names of modules, without what comes before the first dot but one of a layer;
 * gguf-py/gguf/tensor_mapping.py. */
static const char * const modules[][2] = {
  { "wte", "token_embd" },
  { "embed_tokens", "token_embd" },
  { "embed_in", "token_embd" },
  { "word_embeddings", "token_embd" },
  { "embeddings.word_embeddings", "token_embd" },
  { "wpe", "position_embd" },
  { "embeddings.position_embeddings", "position_embd" },
  { "embeddings.token_type_embeddings", "token_types" },
  { "embeddings.LayerNorm", "token_embd_norm" },
  { "word_embeddings_layernorm", "token_embd_norm" },
  { "ln_f", "output_norm" },
  { "norm", "output_norm" },
  { "norm_f", "output_norm" },
  { "embeddings.tok_embeddings", "token_embd" },
  { "embeddings.norm", "token_embd_norm" },
  { "final_norm", "output_norm" },
  { "blk.attn_norm", "attn_norm" },
  { "blk.attn.Wo", "attn_output" },
  { "blk.mlp_norm", "ffn_norm" },
  { "blk.mlp.Wi", "ffn_up" },
  { "blk.mlp.Wo", "ffn_down" },
  { "final_layernorm", "output_norm" },
  { "final_layer_norm", "output_norm" },
  { "lm_head", "output" },
  { "embed_out", "output" },
  { "blk.ln_1", "attn_norm" },
  { "blk.norm_1", "attn_norm" },
  { "blk.ln_mlp", "attn_norm" },
  { "blk.ln_attn", "attn_norm_2" },
  { "blk.attn.Wqkv", "attn_qkv" },
  { "blk.self_attn.qkv_proj", "attn_qkv" },
  { "blk.self_attn.q_layernorm", "attn_q_norm" },
  { "blk.self_attn.k_layernorm", "attn_k_norm" },
  { "blk.attn.out_proj", "attn_output" },
  { "blk.norm_2", "ffn_norm" },
  { "blk.post_self_attn_layernorm", "post_attention_norm" },
  { "blk.post_mlp_layernorm", "post_ffw_norm" },
  { "blk.mlp.gate_up_proj", "ffn_up" },
  { "blk.ffn.up_proj", "ffn_up" },
  { "blk.ffn.down_proj", "ffn_down" },
  { "blk.input_layernorm", "attn_norm" },
  { "blk.attn.c_attn", "attn_qkv" },
  { "blk.attention.query_key_value", "attn_qkv" },
  { "blk.self_attention.query_key_value", "attn_qkv" },
  { "blk.self_attn.q_proj", "attn_q" },
  { "blk.self_attn.k_proj", "attn_k" },
  { "blk.self_attn.v_proj", "attn_v" },
  { "blk.attention.self.query", "attn_q" },
  { "blk.attention.self.key", "attn_k" },
  { "blk.attention.self.value", "attn_v" },
  { "blk.self_attn.q_norm", "attn_q_norm" },
  { "blk.self_attn.k_norm", "attn_k_norm" },
  { "blk.self_attn.sinks", "attn_sinks" },
  { "blk.attn.c_proj", "attn_output" },
  { "blk.self_attn.o_proj", "attn_output" },
  { "blk.self_attn.dense", "attn_output" },
  { "blk.attention.dense", "attn_output" },
  { "blk.self_attention.dense", "attn_output" },
  { "blk.attention.output.dense", "attn_output" },
  { "blk.attention.output.LayerNorm", "attn_output_norm" },
  { "blk.ln_2", "ffn_norm" },
  { "blk.post_attention_layernorm", "ffn_norm" },
  { "blk.pre_feedforward_layernorm", "ffn_norm" },
  { "blk.post_feedforward_layernorm", "post_ffw_norm" },
  { "blk.mlp.gate_proj", "ffn_gate" },
  { "blk.mlp.gate", "ffn_gate_inp" },
  { "blk.mlp.router", "ffn_gate_inp" },
  { "blk.block_sparse_moe.gate", "ffn_gate_inp" },
  { "blk.experts.w1", "ffn_gate_exps" },
  { "blk.experts.w2", "ffn_down_exps" },
  { "blk.experts.w3", "ffn_up_exps" },
  { "blk.experts.gate_proj", "ffn_gate_exps" },
  { "blk.experts.down_proj", "ffn_down_exps" },
  { "blk.experts.up_proj", "ffn_up_exps" },
  { "blk.mlp.shared_expert.gate_proj", "ffn_gate_shexp" },
  { "blk.mlp.shared_expert.down_proj", "ffn_down_shexp" },
  { "blk.mlp.shared_expert.up_proj", "ffn_up_shexp" },
  { "blk.mlp.shared_expert_gate", "ffn_gate_inp_shexp" },
  { "blk.self_attn.q_a_proj", "attn_q_a" },
  { "blk.self_attn.q_a_layernorm", "attn_q_a_norm" },
  { "blk.self_attn.q_b_proj", "attn_q_b" },
  { "blk.self_attn.kv_a_proj_with_mqa", "attn_kv_a_mqa" },
  { "blk.self_attn.kv_a_layernorm", "attn_kv_a_norm" },
  { "blk.self_attn.kv_b_proj", "attn_kv_b" },
  { "blk.mlp.gate.e_score_correction_bias", "exp_probs_b.bias" },
  { "blk.mlp.shared_experts.gate_proj", "ffn_gate_shexp" },
  { "blk.mlp.shared_experts.down_proj", "ffn_down_shexp" },
  { "blk.mlp.shared_experts.up_proj", "ffn_up_shexp" },
  { "blk.mlp.c_fc", "ffn_up" },
  { "blk.mlp.up_proj", "ffn_up" },
  { "blk.mlp.fc1", "ffn_up" },
  { "blk.mlp.dense_h_to_4h", "ffn_up" },
  { "blk.intermediate.dense", "ffn_up" },
  { "blk.mlp.c_proj", "ffn_down" },
  { "blk.mlp.down_proj", "ffn_down" },
  { "blk.mlp.fc2", "ffn_down" },
  { "blk.mlp.dense_4h_to_h", "ffn_down" },
  { "blk.output.dense", "ffn_down" },
  { "blk.output.LayerNorm", "layer_output_norm" },
};

typedef struct
{
  gsize kind;
  gsize n_heads;
  gsize n_key_heads;
  JsonObject *config;
  GPtrArray *tensors;
} Converter;

static void
free_tensor (gpointer data)
{
  Tensor *tensor = data;

  g_free (tensor->name);
  g_free (tensor->data);
  g_free (tensor);
}

static gboolean
is_of_expert (const char *name)
{
  return strstr (name, "experts.") != NULL && strstr (name, "shared_experts.") == NULL;
}

/* Whole name of the module in the file, or NULL for what the converter drops. */
static char *
map_name (const Converter *converter,
          const char      *name)
{
  static const char * const prefixes[] = { "transformer.", "model.language_model.",
                                           "language_model.model.",
                                           "model.",
                                           "gpt_neox.", "bert." };
  static const char * const layers[] = { "h.", "layers.", "encoder.layer.", "blocks." };
  g_autofree char *layer = NULL;
  const char *suffix = g_str_has_suffix (name, "sinks") || g_str_has_suffix (name, "_bias")
                           ? name + strlen (name)
                           : strrchr (name, '.');

  for (gsize i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (name, prefixes[i]))
      {
        name += strlen (prefixes[i]);
        break;
      }
  for (gsize i = 0; i < G_N_ELEMENTS (layers); i++)
    if (g_str_has_prefix (name, layers[i]))
      {
        name += strlen (layers[i]);
        layer = g_strndup (name, strcspn (name, "."));
        name += strlen (layer) + 1;
        break;
      }

  /* "mlp.experts.3.gate_proj": the number is where it goes, not what it is called. */
  const char *experts = is_of_expert (name) ? strstr (name, "experts.") : NULL;
  const char *norms = strstr (name, ".norms.");
  if (experts != NULL)
    name = experts;
  if (norms != NULL)
    suffix = norms;
  g_autofree char *part = experts != NULL
                              ? g_strdup_printf ("experts%.*s",
                                                 (int) (suffix - strchr (experts + 8, '.')),
                                                 strchr (experts + 8, '.'))
                              : g_strndup (name, (gsize) (suffix - name));
  g_autofree char *module = g_strconcat (layer != NULL ? "blk." : "", part, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (modules); i++)
    {
      const char *mapped = modules[i][1];

      if (strcmp (module, modules[i][0]) != 0)
        continue;
      if (strcmp (module, "blk.self_attn.sinks") == 0)
        return g_strdup_printf ("blk.%s.%s.weight", layer, mapped);
      if ((strcmp (kinds[converter->kind].architecture, "olmo2") == 0 ||
           strcmp (kinds[converter->kind].architecture, "gpt-oss") == 0 ||
           (kinds[converter->kind].has_offset_norm &&
            strcmp (kinds[converter->kind].model_type, "gemma") != 0)) &&
          strcmp (module, "blk.post_attention_layernorm") == 0)
        mapped = "post_attention_norm";
      if (norms != NULL)
        return g_strdup_printf ("blk.%s.%s.weight", layer, mapped);
      return layer != NULL ? g_strdup_printf ("blk.%s.%s%s", layer, mapped, suffix)
                           : g_strconcat (mapped, suffix, NULL);
    }
  /* A head, and the causal masks of old checkpoints. */
  if (!g_str_has_prefix (name, "cls.") && !g_str_has_prefix (name, "head.") &&
      !g_str_has_prefix (name, "decoder."))
    g_assert_true (g_str_has_suffix (name, "attn.bias") ||
                   g_str_has_suffix (name, "attn.masked_bias"));
  return NULL;
}

/* Row @order (i) of the old becomes row i. */
static void
reorder_rows (Tensor *tensor,
              gsize   n_rows,
              gsize  *order)
{
  gsize n = tensor->n_rows * tensor->n_columns / n_rows;
  float *data = g_new (float, n_rows *n);

  for (gsize row = 0; row < n_rows; row++)
    memcpy (data + row * n, tensor->data + order[row] * n, n * sizeof *data);
  g_free (tensor->data);
  tensor->data = data;
}

/* weights.reshape (n_head, 2, d / 2, ...).swapaxes (1, 2) */
static void
permute (Tensor *tensor,
         gsize   n_heads)
{
  gsize n_rows = tensor->is_vector ? tensor->n_columns : tensor->n_rows;
  gsize n_half = n_rows / n_heads / 2;
  g_autofree gsize *order = g_new (gsize, n_rows);

  for (gsize head = 0; head < n_heads; head++)
    for (gsize i = 0; i < n_half; i++)
      for (gsize half = 0; half < 2; half++)
        order[(head * n_half + i) * 2 + half] = (head * 2 + half) * n_half + i;
  reorder_rows (tensor, n_rows, order);
}

/* qkv.reshape (n_head_kv, n_head / n_head_kv + 2, d, ...), then all [:, :-2], all [:, -2], all
 * [:, -1] */
static void
sort_apart (Tensor *tensor,
            gsize   n_heads,
            gsize   n_key_heads)
{
  gsize n_rows = tensor->is_vector ? tensor->n_columns : tensor->n_rows;
  gsize n_shared = n_heads / n_key_heads;
  gsize width = n_rows / (n_heads + 2 * n_key_heads);
  g_autofree gsize *order = g_new (gsize, n_rows);
  gsize *at = order;

  for (gsize part = 0; part < 3; part++)
    for (gsize head = 0; head < n_key_heads; head++)
      for (gsize i = 0; i < (part == 0 ? n_shared : 1) * width; i++)
        *at++ = (head * (n_shared + 2) + (part == 0 ? 0 : n_shared + part - 1)) * width + i;
  reorder_rows (tensor, n_rows, order);
}

static void
transpose (Tensor *tensor)
{
  float *data = g_new (float, tensor->n_rows * tensor->n_columns);

  for (gsize row = 0; row < tensor->n_rows; row++)
    for (gsize column = 0; column < tensor->n_columns; column++)
      data[column * tensor->n_rows + row] = tensor->data[row * tensor->n_columns + column];
  g_free (tensor->data);
  tensor->data = data;
  gsize n_rows = tensor->n_rows;
  tensor->n_rows = tensor->n_columns;
  tensor->n_columns = n_rows;
}

/* Experts of which each has a row of the gate, then one of what it gates; matrices as [in, out].
 * modify_tensors() of GptOssModel. */
static gboolean
add_all_experts (Converter       *converter,
                 const AttnArray *array)
{
  const char *layer = strstr (array->name, "layers.");
  const char *at = strstr (array->name, "mlp.experts.");

  if (at == NULL || strcmp (kinds[converter->kind].model_type, "gpt_oss") != 0)
    return FALSE;
  at += strlen ("mlp.experts.");
  gboolean is_vector = array->n_dims == 2;
  gboolean is_down = g_str_has_prefix (at, "down");
  gsize n_parts = is_down ? 1 : 2;
  gsize n_in = is_vector ? 1 : array->shape[1];
  gsize n_out = array->shape[array->n_dims - 1];
  g_autoptr (AttnTensor) all = attn_array_to_tensor (array, NULL);

  for (gsize part = 0; part < n_parts; part++)
    {
      Tensor *tensor = g_new0 (Tensor, 1);
      const char *module = is_down ? "down" : part == 0 ? "gate"
                                                        : "up";
      float *out = tensor->data = g_new (float, array->shape[0] * n_in * n_out / n_parts);

      tensor->name = g_strdup_printf ("blk.%c.ffn_%s_exps.%s", layer[strlen ("layers.")], module,
                                      is_vector ? "bias" : "weight");
      tensor->n_experts = is_vector ? 0 : array->shape[0];
      tensor->n_rows = is_vector ? array->shape[0] : array->shape[0] * n_out / n_parts;
      tensor->n_columns = is_vector ? n_out / n_parts : n_in;
      for (gsize expert = 0; expert < array->shape[0]; expert++)
        for (gsize row = part; row < n_out; row += n_parts)
          for (gsize column = 0; column < n_in; column++)
            *out++ = all->data[(expert * n_in + column) * n_out + row];
      g_ptr_array_add (converter->tensors, tensor);
    }
  return TRUE;
}

static void
add_tensor (Converter       *converter,
            const AttnArray *array)
{
  g_autoptr (GError) error = NULL;
  Tensor *tensor;

  if (gguf_is_global (converter->config))
    {
      gguf_add_global (converter->config, array, converter->tensors);
      return;
    }
  if (add_all_experts (converter, array) ||
      gguf_add_delta (converter->config, array, converter->tensors))
    return;
  if (g_str_has_suffix (array->name, ".bias") && strstr (array->name, "self_attn") != NULL &&
      !json_object_get_boolean_member_with_default (converter->config, "attention_bias", TRUE))
    return;
  char *name = map_name (converter, array->name);
  if (name == NULL)
    return;
  tensor = g_new0 (Tensor, 1);
  tensor->name = name;
  tensor->is_vector = array->n_dims == 1;
  tensor->n_rows = tensor->is_vector ? 1 : array->shape[0];
  tensor->n_columns = array->shape[array->n_dims - 1];
  gsize n = tensor->n_rows * tensor->n_columns;
  tensor->data = g_new (float, n);
  g_assert_true (attn_array_read (array, 0, n, tensor->data, &error));

  if (kinds[converter->kind].is_transposed && strstr (array->name, ".c_") != NULL &&
      !tensor->is_vector)
    transpose (tensor);
  if (kinds[converter->kind].is_permuted && strstr (name, "attn_q.") != NULL)
    permute (tensor, converter->n_heads);
  if (kinds[converter->kind].is_permuted && strstr (name, "attn_k.") != NULL)
    permute (tensor, converter->n_key_heads);
  if (kinds[converter->kind].is_by_head && strstr (name, "attn_qkv.") != NULL)
    sort_apart (tensor, converter->n_heads, converter->n_key_heads);
  for (gsize i = 0; kinds[converter->kind].has_offset_norm && i < n; i++)
    if (g_str_has_suffix (array->name, "norm.weight"))
      tensor->data[i] += 1.0f;
  if (is_of_expert (array->name))
    tensor->n_experts = 1;
  if (strstr (array->name, ".norms.") != NULL)
    tensor->is_vector = FALSE;
  /* The experts of a layer stand in the file in the order of their numbers. */
  for (guint i = 0; i < converter->tensors->len; i++)
    {
      Tensor *all = converter->tensors->pdata[i];
      gsize n_all = all->n_rows * all->n_columns;

      if (strcmp (all->name, name) != 0)
        continue;
      all->data = g_renew (float, all->data, n_all + n);
      memcpy (all->data + n_all, tensor->data, n * sizeof (float));
      all->n_rows += tensor->n_rows;
      all->n_experts += tensor->n_experts;
      free_tensor (tensor);
      return;
    }
  g_ptr_array_add (converter->tensors, tensor);
}

/* Puts keys and values behind the queries they belong to, as one tensor. */
static void
fuse_qkv (Converter *converter)
{
  for (guint i = 0; i < converter->tensors->len; i++)
    {
      Tensor *query = converter->tensors->pdata[i];
      char *at = strstr (query->name, "attn_q.");

      if (at == NULL)
        continue;
      for (gsize part = 0; part < 2; part++)
        {
          at[strlen ("attn_")] = part == 0 ? 'k' : 'v';
          for (guint j = 0; j < converter->tensors->len; j++)
            {
              Tensor *other = converter->tensors->pdata[j];
              gsize n = query->n_rows * query->n_columns;
              gsize n_other = other->n_rows * other->n_columns;

              if (other == query || strcmp (other->name, query->name) != 0)
                continue;
              query->data = g_renew (float, query->data, n + n_other);
              memcpy (query->data + n, other->data, n_other * sizeof (float));
              if (query->is_vector)
                query->n_columns += n_other;
              else
                query->n_rows += other->n_rows;
              g_ptr_array_remove_index (converter->tensors, j);
              break;
            }
        }
      at[strlen ("attn_")] = 'q';
      g_auto (GStrv) parts = g_strsplit (query->name, "attn_q.", 2);
      g_free (query->name);
      query->name = g_strjoinv ("attn_qkv.", parts);
      i = (guint) -1;
    }
}

/* One tensor of all heads' keys, transposed, and one of their values: modify_tensors() of
 * DeepseekV2Model. */
static void
split_latents (Converter *converter)
{
  gsize n_heads = converter->n_heads;
  gsize n_key = (gsize) json_object_get_int_member (converter->config, "qk_nope_head_dim");
  gsize n_value = (gsize) json_object_get_int_member (converter->config, "v_head_dim");

  converter->n_key_heads = 1;
  for (guint i = 0; i < converter->tensors->len; i++)
    {
      Tensor *both = converter->tensors->pdata[i];
      char *at = strstr (both->name, "attn_kv_b.");
      gsize n = both->n_columns;

      if (at == NULL)
        continue;
      g_autofree char *layer = g_strndup (both->name, (gsize) (at - both->name));
      for (gsize part = 0; part < 2; part++)
        {
          Tensor *tensor = g_new0 (Tensor, 1);
          gsize n_part = part == 0 ? n_key : n_value;

          tensor->name = g_strdup_printf ("%sattn_%c_b.weight", layer, "kv"[part]);
          tensor->n_experts = n_heads;
          tensor->n_rows = n_heads * (part == 0 ? n : n_value);
          tensor->n_columns = part == 0 ? n_key : n;
          tensor->data = g_new (float, n_heads *n_part *n);
          for (gsize head = 0; head < n_heads; head++)
            for (gsize row = 0; row < n_part; row++)
              for (gsize column = 0; column < n; column++)
                tensor->data[head * n_part * n +
                             (part == 0 ? column * n_key + row : row * n + column)] =
                    both->data[(head * (n_key + n_value) + part * n_key + row) * n + column];
          g_ptr_array_add (converter->tensors, tensor);
        }
      g_ptr_array_remove_index (converter->tensors, i--);
    }
}

static Tensor *
find_tensor (Converter  *converter,
             const char *name)
{
  for (guint i = 0; i < converter->tensors->len; i++)
    if (strcmp (((Tensor *) converter->tensors->pdata[i])->name, name) == 0)
      return converter->tensors->pdata[i];
  return NULL;
}

/* The rows of each expert's gate, then those of what it gates. */
static void
fuse_experts (Converter *converter)
{
  for (guint i = 0; i < converter->tensors->len; i++)
    {
      Tensor *gate = converter->tensors->pdata[i];
      gsize n = gate->n_rows * gate->n_columns / MAX (gate->n_experts, 1);
      g_auto (GStrv) parts = g_strsplit (gate->name, "ffn_gate_exps.", 2);

      if (parts[1] == NULL)
        continue;
      g_autofree char *up_name = g_strjoinv ("ffn_up_exps.", parts);
      Tensor *up = find_tensor (converter, up_name);
      float *data = g_new (float, 2 * n * gate->n_experts);
      for (gsize expert = 0; expert < gate->n_experts; expert++)
        {
          memcpy (data + 2 * expert * n, gate->data + expert * n, n * sizeof *data);
          memcpy (data + (2 * expert + 1) * n, up->data + expert * n, n * sizeof *data);
        }
      g_free (gate->data);
      gate->data = data;
      gate->n_rows *= 2;
      g_free (gate->name);
      gate->name = g_strjoinv ("ffn_gate_up_exps.", parts);
      g_ptr_array_remove (converter->tensors, up);
      i = (guint) -1;
    }
}

static void
add_vector (Converter   *converter,
            char        *name,
            gsize        n,
            const float *numbers)
{
  Tensor *tensor = g_new0 (Tensor, 1);

  tensor->name = name;
  tensor->is_vector = TRUE;
  tensor->n_rows = 1;
  tensor->n_columns = n;
  tensor->data = g_memdup2 (numbers, n * sizeof *numbers);
  g_ptr_array_add (converter->tensors, tensor);
}

/* By powers of two, so that the products are the numbers as they were. */
static void
scale_weights (Converter *converter)
{
  for (guint i = converter->tensors->len; i-- > 0;)
    {
      Tensor *tensor = converter->tensors->pdata[i];
      gsize n_scales = MAX (tensor->n_experts, 1);
      gsize n = tensor->n_rows * tensor->n_columns / n_scales;
      gsize n_stem = strlen (tensor->name) - MIN (strlen (tensor->name), strlen (".weight"));
      g_autofree float *scales = g_new (float, n_scales);

      if (tensor->is_vector || strcmp (tensor->name + n_stem, ".weight") != 0 ||
          !g_str_has_prefix (tensor->name, "blk.") || strstr (tensor->name, "gate_inp") != NULL)
        continue;
      for (gsize part = 0; part < n_scales; part++)
        {
          scales[part] = ldexpf (1.0f, (int) (i + part) % 7 - 4);
          for (gsize k = 0; k < n; k++)
            tensor->data[part * n + k] /= scales[part];
        }
      add_vector (converter, g_strdup_printf ("%.*s.scale", (int) n_stem, tensor->name), n_scales,
                  scales);
      add_vector (converter, g_strdup_printf ("%.*s.input_scale", (int) n_stem, tensor->name),
                  n_scales, scales);
    }
}

/* The factors of generate_extra_tensors() of LlamaModel. */
static void
add_rope_freqs (Converter *converter)
{
  JsonObject *config = converter->config;
  JsonObject *scaling = json_object_has_member (config, "rope_scaling")
                            ? json_object_get_object_member (config, "rope_scaling")
                            : NULL;

  if (g_strcmp0 (scaling != NULL
                     ? json_object_get_string_member_with_default (scaling, "rope_type", "")
                     : "",
                 "llama3") != 0)
    return;
  double width = (double) json_object_get_int_member (config, "head_dim");
  double base = json_object_get_double_member_with_default (config, "rope_theta", 10000.0);
  double factor = json_object_get_double_member (scaling, "factor");
  double low = json_object_get_double_member (scaling, "low_freq_factor");
  double high = json_object_get_double_member (scaling, "high_freq_factor");
  double n_original =
      (double) json_object_get_int_member (scaling, "original_max_position_embeddings");
  Tensor *tensor = g_new0 (Tensor, 1);

  tensor->name = g_strdup ("rope_freqs.weight");
  tensor->is_vector = TRUE;
  tensor->n_rows = 1;
  tensor->n_columns = (gsize) width / 2;
  tensor->data = g_new (float, tensor->n_columns);
  for (gsize i = 0; i < tensor->n_columns; i++)
    {
      double wavelength = 2.0 * G_PI * pow (base, 2.0 * (double) i / width);
      double smooth = (n_original / wavelength - low) / (high - low);

      if (wavelength < n_original / high)
        tensor->data[i] = 1.0f;
      else if (wavelength > n_original / low)
        tensor->data[i] = (float) factor;
      else
        tensor->data[i] = (float) (1.0 / ((1.0 - smooth) / factor + smooth));
    }
  g_ptr_array_add (converter->tensors, tensor);
}

static void
add_factors (Converter  *converter,
             JsonObject *scaling,
             const char *member,
             const char *name)
{
  JsonArray *factors = json_object_get_array_member (scaling, member);
  Tensor *tensor = g_new0 (Tensor, 1);

  tensor->name = g_strdup (name);
  tensor->is_vector = TRUE;
  tensor->n_rows = 1;
  tensor->n_columns = json_array_get_length (factors);
  tensor->data = g_new (float, tensor->n_columns);
  for (guint i = 0; i < tensor->n_columns; i++)
    tensor->data[i] = (float) json_array_get_double_element (factors, i);
  g_ptr_array_add (converter->tensors, tensor);
}

/* generate_extra_tensors() of Phi3MiniModel. */
static void
add_rope_factors (Converter *converter)
{
  JsonObject *config = converter->config;
  JsonObject *scaling = json_object_has_member (config, "rope_scaling")
                            ? json_object_get_object_member (config, "rope_scaling")
                            : NULL;

  if (scaling == NULL || !json_object_has_member (scaling, "long_factor"))
    return;
  add_factors (converter, scaling, "long_factor", "rope_factors_long.weight");
  add_factors (converter, scaling, "short_factor", "rope_factors_short.weight");
}

static gsize
get_size (JsonObject *config,
          const char *names,
          gsize       fallback)
{
  g_auto (GStrv) parts = g_strsplit (names, " ", -1);

  for (char **part = parts; *part != NULL; part++)
    if (json_object_has_member (config, *part) && !json_object_get_null_member (config, *part))
      return (gsize) json_object_get_int_member (config, *part);
  return fallback;
}

static guint
put_u32 (GByteArray *pairs,
         const char *architecture,
         const char *key,
         gsize       value)
{
  g_autofree char *full = g_strconcat (architecture, ".", key, NULL);

  gguf_put_key (pairs, full, GGUF_U32);
  gguf_put (pairs, value, 4);
  return 1;
}

static guint
put_float (GByteArray *pairs,
           const char *architecture,
           const char *key,
           double      value)
{
  g_autofree char *full = g_strconcat (architecture, ".", key, NULL);

  gguf_put_key (pairs, full, GGUF_F32);
  gguf_put_f32 (pairs, (float) value);
  return 1;
}

static guint
put_rope (const Converter *converter,
          GByteArray      *pairs,
          const char      *architecture,
          gsize            head_width)
{
  JsonObject *config = converter->config;
  JsonObject *own = json_object_has_member (config, "rope_parameters")
                        ? json_object_get_object_member (config, "rope_parameters")
                        : config;
  double share = json_object_get_double_member_with_default (
      own,
      json_object_has_member (config, "rotary_pct") ? "rotary_pct" : "partial_rotary_factor",
      json_object_has_member (config, "kv_lora_rank")               ? 1.0
      : g_str_has_prefix (kinds[converter->kind].model_type, "glm") ? 0.5
      : g_str_equal (kinds[converter->kind].model_type, "stablelm") ? 0.25
                                                                    : 1.0);
  guint n = put_u32 (pairs, architecture, "rope.dimension_count",
                     (gsize) (share * (double) head_width));
  JsonObject *scaling;

  if (json_object_has_member (own, "rope_theta"))
    n += put_float (pairs, architecture, "rope.freq_base",
                    json_object_get_double_member (own, "rope_theta"));
  else if (g_str_equal (kinds[converter->kind].model_type, "cohere"))
    n += put_float (pairs, architecture, "rope.freq_base", 500000.0);
  if (!json_object_has_member (config, "rope_scaling"))
    return n;
  scaling = json_object_get_object_member (config, "rope_scaling");
  if (json_object_has_member (scaling, "long_factor") &&
      json_object_has_member (config, "original_max_position_embeddings"))
    {
      gsize original = get_size (config, "original_max_position_embeddings", 0);
      gsize longest = get_size (config, "max_position_embeddings", 0);

      n += put_float (pairs, architecture, "rope.scaling.attn_factor",
                      sqrt (1.0 + log ((double) longest / (double) original) /
                                      log ((double) original)));
      return n + put_u32 (pairs, architecture, "rope.scaling.original_context_length", original);
    }
  const char *type = json_object_get_string_member_with_default (
      scaling, json_object_has_member (scaling, "type") ? "type" : "rope_type", "");
  if (strcmp (type, "linear") != 0 && strcmp (type, "yarn") != 0)
    return n;
  g_autofree char *type_key = g_strconcat (architecture, ".rope.scaling.type", NULL);
  gguf_put_key (pairs, type_key, GGUF_STRING);
  gguf_put_string (pairs, type);
  n += 1 + put_float (pairs, architecture, "rope.scaling.factor",
                      json_object_get_double_member (scaling, "factor"));
  if (json_object_has_member (scaling, "beta_fast"))
    n += put_float (pairs, architecture, "rope.scaling.yarn_beta_fast",
                    json_object_get_double_member (scaling, "beta_fast"));
  if (json_object_has_member (scaling, "original_max_position_embeddings"))
    n += put_u32 (pairs, architecture, "rope.scaling.original_context_length",
                  get_size (scaling, "original_max_position_embeddings", 0));
  return n;
}

/* set_gguf_parameters() of DeepseekV2Model, and before it had latent keys of all heads at once. */
static guint
put_latents (JsonObject *config,
             const char *type,
             gboolean    is_split,
             const char *name,
             GByteArray *pairs)
{
  JsonObject *scaling = json_object_has_member (config, "rope_scaling")
                            ? json_object_get_object_member (config, "rope_scaling")
                            : NULL;
  gsize n_latent = get_size (config, "kv_lora_rank", 0);
  gsize n_turned = get_size (config, "qk_rope_head_dim", 0);
  gsize n_key = n_turned + get_size (config, "qk_nope_head_dim", 0);
  gsize n_value = get_size (config, "v_head_dim", 0);
  guint n = 0;
  const struct
  {
    const char *key;
    gsize value; /* 0 where it is not written */
  } sizes[] = {
    { "attention.kv_lora_rank", n_latent },
    { "attention.q_lora_rank", get_size (config, "q_lora_rank", 0) },
    { "attention.key_length", is_split ? n_latent + n_turned : n_key },
    { "attention.value_length", is_split ? n_latent : n_value },
    { "attention.key_length_mla", is_split ? n_key : 0 },
    { "attention.value_length_mla", is_split ? n_value : 0 },
    { "leading_dense_block_count", get_size (config, "first_k_dense_replace", 1) },
    { "expert_shared_count", get_size (config, "n_shared_experts", 0) },
    { "expert_group_count", get_size (config, "n_group", 0) },
    { "expert_group_used_count", get_size (config, "topk_group", 0) },
    { "expert_gating_func", strcmp (type, "deepseek_v2") == 0 ? 0 : 2 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    n += sizes[i].value > 0 ? put_u32 (pairs, name, sizes[i].key, sizes[i].value) : 0;
  n += put_float (pairs, name, "expert_weights_scale",
                  json_object_get_double_member (config, "routed_scaling_factor"));
  if (json_object_get_boolean_member_with_default (config, "norm_topk_prob", FALSE))
    {
      g_autofree char *key = g_strconcat (name, ".expert_weights_norm", NULL);

      gguf_put_key (pairs, key, GGUF_BOOL);
      gguf_put (pairs, TRUE, 1);
      n++;
    }
  if (scaling != NULL)
    n += put_float (pairs, name, "rope.scaling.yarn_log_multiplier",
                    0.1 * json_object_get_double_member (scaling, "mscale_all_dim"));
  return n;
}

/* What a few architectures have of their own. */
static guint
put_attention (JsonObject *config,
               const char *type,
               const char *name,
               GByteArray *pairs)
{
  JsonObject *own = json_object_has_member (config, "attn_config")
                        ? json_object_get_object_member (config, "attn_config")
                        : config;
  guint n = 0;

  if (json_object_has_member (own, "clip_qkv"))
    n += put_float (pairs, name, "attention.clamp_kqv",
                    json_object_get_double_member (own, "clip_qkv"));
  if (json_object_has_member (own, "alibi_bias_max"))
    n += put_float (pairs, name, "attention.max_alibi_bias",
                    json_object_get_double_member (own, "alibi_bias_max"));
  if (g_str_has_prefix (type, "cohere"))
    n += put_float (pairs, name, "logit_scale",
                    json_object_get_double_member_with_default (config, "logit_scale", 0.0625));
  if ((g_str_has_prefix (type, "phi3") || g_str_has_prefix (type, "cohere")) &&
      json_object_has_member (config, "sliding_window"))
    n += put_u32 (pairs, name, "attention.sliding_window", get_size (config, "sliding_window", 0));
  if (strcmp (type, "cohere2") == 0)
    n += put_u32 (pairs, name, "attention.sliding_window_pattern",
                  get_size (config, "sliding_window_pattern", 4));
  if (strcmp (type, "modernbert") == 0)
    {
      n += put_u32 (pairs, name, "attention.sliding_window",
                    get_size (config, "local_attention", 0));
      n += put_u32 (pairs, name, "attention.sliding_window_pattern",
                    get_size (config, "global_attn_every_n_layers", 3));
      n += put_float (pairs, name, "rope.freq_base",
                      json_object_get_double_member_with_default (config, "global_rope_theta",
                                                                  160000.0));
    }
  if (strcmp (type, "stablelm") == 0)
    {
      gguf_put_key (pairs, "stablelm.use_parallel_residual", GGUF_BOOL);
      gguf_put (pairs, TRUE, 1);
      n++;
    }
  if (strcmp (type, "minicpm") == 0)
    {
      double n_layers = (double) get_size (config, "num_hidden_layers", 0);
      double width = (double) get_size (config, "hidden_size", 0);

      n += put_float (pairs, name, "embedding_scale",
                      json_object_get_double_member (config, "scale_emb"));
      n += put_float (pairs, name, "residual_scale",
                      json_object_get_double_member (config, "scale_depth") / sqrt (n_layers));
      n += put_float (pairs, name, "logit_scale",
                      width / (double) get_size (config, "dim_model_base", 1));
    }
  return n;
}

static guint
put_pairs (const Converter  *converter,
           const GgufRecipe *recipe,
           GByteArray       *pairs)
{
  JsonObject *config = converter->config;
  const char *type = kinds[converter->kind].model_type;
  const char *name =
      recipe->architecture != NULL ? recipe->architecture : kinds[converter->kind].architecture;
  gsize width = get_size (config, "n_embd hidden_size d_model", 0);
  gsize head_width =
      get_size (config, "head_dim qk_rope_head_dim", width / converter->n_heads);
  const char *delta_names[6];
  gsize delta_values[6];
  const char *epsilon = json_object_has_member (config, "layer_norm_epsilon") ? "layer_norm_epsilon"
                        : json_object_has_member (config, "layer_norm_eps")   ? "layer_norm_eps"
                        : json_object_has_member (config, "norm_epsilon")     ? "norm_epsilon"
                                                                              : "rms_norm_eps";
  guint n = 1;

  gguf_put_key (pairs, "general.architecture", GGUF_STRING);
  gguf_put_string (pairs, name);
  n += put_u32 (pairs, name, "block_count",
                get_size (config, "n_layer num_hidden_layers n_layers", 0));
  n += put_u32 (pairs, name, "context_length",
                get_size (config,
                          "n_ctx n_positions max_position_embeddings seq_length max_seq_len",
                          2048));
  n += put_u32 (pairs, name, "embedding_length", width);
  if (strcmp (type, "qwen3_5_moe") != 0)
    n += put_u32 (pairs, name, "feed_forward_length",
                  get_size (config, "n_inner intermediate_size", 4 * width));
  for (guint i = gguf_count_deltas (config, delta_names, delta_values); i-- > 0;)
    n += put_u32 (pairs, name, delta_names[i], delta_values[i]);
  n += put_u32 (pairs, name, "attention.head_count", converter->n_heads);
  if (json_object_has_member (config, "num_key_value_heads") ||
      converter->n_key_heads != converter->n_heads)
    n += put_u32 (pairs, name, "attention.head_count_kv", converter->n_key_heads);
  n += put_float (pairs, name,
                  kinds[converter->kind].has_rms ? "attention.layer_norm_rms_epsilon"
                                                 : "attention.layer_norm_epsilon",
                  json_object_get_double_member_with_default (config, epsilon, 1e-5));
  if (json_object_has_member (config, "head_dim"))
    {
      n += put_u32 (pairs, name, "attention.key_length", head_width);
      n += put_u32 (pairs, name, "attention.value_length", head_width);
    }
  if (strcmp (type, "gpt2") != 0 && strcmp (type, "bloom") != 0 && strcmp (type, "bert") != 0 &&
      strcmp (type, "mpt") != 0 && strcmp (type, "gpt_bigcode") != 0)
    n += put_rope (converter, pairs, name, head_width);
  if (strcmp (type, "gpt_neox") == 0)
    {
      gguf_put_key (pairs, "gptneox.use_parallel_residual", GGUF_BOOL);
      gguf_put (pairs, json_object_get_boolean_member (config, "use_parallel_residual"), 1);
      n++;
    }
  if (g_str_has_suffix (type, "bert"))
    {
      g_autofree char *key = g_strconcat (name, ".attention.causal", NULL);

      gguf_put_key (pairs, key, GGUF_BOOL);
      gguf_put (pairs, FALSE, 1);
      n++;
    }
  if (json_object_has_member (config, "kv_lora_rank"))
    n += put_latents (config, type, recipe->splits_latents, name, pairs);
  if (json_object_has_member (config, "num_experts") || strcmp (type, "mixtral") == 0 ||
      json_object_has_member (config, "n_routed_experts") || strcmp (type, "gpt_oss") == 0)
    {
      n += put_u32 (pairs, name, "expert_count",
                    get_size (config, "num_experts num_local_experts n_routed_experts", 0));
      n += put_u32 (pairs, name, "expert_used_count", get_size (config, "num_experts_per_tok", 0));
    }
  if (json_object_has_member (config, "moe_intermediate_size"))
    n += put_u32 (pairs, name, "expert_feed_forward_length",
                  get_size (config, "moe_intermediate_size", 0));
  if (json_object_has_member (config, "shared_expert_intermediate_size"))
    n += put_u32 (pairs, name, "expert_shared_feed_forward_length",
                  get_size (config, "shared_expert_intermediate_size", 0));
  n += put_attention (config, type, name, pairs);
  if (strcmp (type, "olmo3") == 0 || strcmp (type, "gpt_oss") == 0)
    n += put_u32 (pairs, name, "attention.sliding_window", get_size (config, "sliding_window", 0));
  if (strcmp (type, "granite") == 0)
    {
      n += put_float (pairs, name, "embedding_scale",
                      json_object_get_double_member (config, "embedding_multiplier"));
      n += put_float (pairs, name, "residual_scale",
                      json_object_get_double_member (config, "residual_multiplier"));
      n += put_float (pairs, name, "attention.scale",
                      json_object_get_double_member (config, "attention_multiplier"));
      n += put_float (pairs, name, "logit_scale",
                      json_object_get_double_member (config, "logits_scaling"));
    }
  if (strcmp (type, "gemma3_text") == 0)
    {
      n += put_u32 (pairs, name, "attention.sliding_window",
                    get_size (config, "sliding_window", 0));
      n += put_u32 (pairs, name, "attention.sliding_window_pattern",
                    get_size (config, "sliding_window_pattern", 0));
      n += put_float (pairs, name, "rope.freq_base_swa",
                      json_object_get_double_member (config, "rope_local_base_freq"));
      n += put_float (pairs, name, "final_logit_softcapping",
                      json_object_get_double_member (config, "final_logit_softcapping"));
    }
  if (strcmp (type, "gemma2") == 0)
    {
      n += put_u32 (pairs, name, "attention.sliding_window",
                    get_size (config, "sliding_window", 0));
      n += put_float (pairs, name, "attn_logit_softcapping",
                      json_object_get_double_member (config, "attn_logit_softcapping"));
      n += put_float (pairs, name, "final_logit_softcapping",
                      json_object_get_double_member (config, "final_logit_softcapping"));
    }
  if (recipe->writes_scale)
    n += put_float (pairs, name, "attention.scale",
                    1.0 / sqrt (json_object_get_double_member (config, "query_pre_attn_scalar")));
  if (recipe->split_count > 0)
    {
      gguf_put_key (pairs, "split.count", GGUF_U16);
      gguf_put (pairs, recipe->split_count, 2);
      n++;
    }
  return n + (recipe->extra != NULL ? recipe->extra (pairs) : 0);
}

static float
half_to_float (guint16 half)
{
  g_autoptr (GBytes) bytes = g_bytes_new (&half, sizeof half);
  float value;

  attn_dtype_to_float32 (ATTN_DTYPE_F16, g_bytes_get_data (bytes, NULL), 1, &value);
  return value;
}

/* quantize_row_q8_0_ref(): a scale in half precision, and whole numbers up to 127. */
static void
quantize_block (const float *x,
                guint16     *scale,
                gint8       *numbers)
{
  float largest = 0.0f;

  for (gsize i = 0; i < BLOCK; i++)
    largest = MAX (largest, fabsf (x[i]));
  *scale = half_from_float (largest / 127.0f);
  float step = half_to_float (*scale);
  for (gsize i = 0; i < BLOCK; i++)
    numbers[i] = step > 0.0f ? (gint8) CLAMP (roundf (x[i] / step), -127.0f, 127.0f) : 0;
}

static void
put_data (GByteArray   *out,
          const Tensor *tensor,
          guint32       type)
{
  gsize n = tensor->n_rows * tensor->n_columns;

  for (gsize i = 0; type == GGML_F32 && i < n; i++)
    gguf_put_f32 (out, tensor->data[i]);
  for (gsize i = 0; type == GGML_Q8_0 && i < n; i += BLOCK)
    {
      guint16 scale;
      gint8 numbers[BLOCK];

      quantize_block (tensor->data + i, &scale, numbers);
      gguf_put (out, scale, 2);
      g_byte_array_append (out, (const guint8 *) numbers, BLOCK);
    }
}

static guint32
choose_type (const Tensor     *tensor,
             const GgufRecipe *recipe)
{
  gboolean is_whole = !tensor->is_vector && tensor->n_columns % BLOCK == 0;

  return is_whole ? recipe->type : (guint32) GGML_F32;
}

static AttnArrayFile *
load_weights (const char *directory)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (directory, "model.safetensors", NULL);
  AttnArrayFile *file = attn_array_file_load (path, &error);

  g_assert_no_error (error);
  return file;
}

/**
 * gguf_convert:
 * @directory: a checkpoint of one file
 *
 * Returns: (transfer full): the bytes of the GGUF file
 */
GByteArray *
gguf_convert (const char       *directory,
              const GgufRecipe *recipe)
{
  g_autofree char *config_path = g_build_filename (directory, "config.json", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_assert_true (json_parser_load_from_file (parser, config_path, NULL));
  JsonObject *config = json_node_get_object (json_parser_get_root (parser));
  const char *model_type = json_object_get_string_member (config, "model_type");
  g_autoptr (AttnArrayFile) file = load_weights (directory);
  g_autoptr (GPtrArray) tensors = g_ptr_array_new_with_free_func (free_tensor);
  g_autoptr (GByteArray) pairs = g_byte_array_new ();
  g_autoptr (GByteArray) data = g_byte_array_new ();
  GByteArray *out = g_byte_array_new ();
  Converter converter = { .config = config, .tensors = tensors };

  while (strcmp (kinds[converter.kind].model_type, model_type) != 0)
    g_assert_cmpuint (++converter.kind, <, G_N_ELEMENTS (kinds));
  converter.n_heads = get_size (config, "n_head num_attention_heads n_heads", 0);
  converter.n_key_heads = get_size (config, "num_key_value_heads", converter.n_heads);
  if (strcmp (model_type, "gpt_bigcode") == 0 || strcmp (model_type, "falcon") == 0)
    converter.n_key_heads = json_object_has_member (config, "new_decoder_architecture")
                                ? get_size (config, "num_kv_heads", 0)
                                : 1;
  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    add_tensor (&converter, attn_array_file_get_nth (file, i));
  if (recipe->fuses_qkv)
    fuse_qkv (&converter);
  if (recipe->splits_latents)
    split_latents (&converter);
  if (recipe->fuses_experts)
    fuse_experts (&converter);
  if (recipe->scales_weights)
    scale_weights (&converter);
  if (!gguf_is_global (config))
    add_rope_freqs (&converter);
  add_rope_factors (&converter);
  for (guint i = tensors->len; recipe->split_count == 2 && i-- > 0;)
    if (g_str_has_prefix (((Tensor *) tensors->pdata[i])->name, "blk.1") !=
        (recipe->split_number == 1))
      g_ptr_array_remove_index (tensors, i);

  guint n_pairs = gguf_is_global (config) ? gguf_put_globals (config, tensors, pairs)
                                          : put_pairs (&converter, recipe, pairs);
  gguf_begin (out, 3, tensors->len, n_pairs);
  g_byte_array_append (out, pairs->data, pairs->len);
  for (guint i = 0; i < tensors->len; i++)
    {
      const Tensor *tensor = tensors->pdata[i];
      gsize n_experts = MAX (tensor->n_experts, 1);
      const guint64 dims[] = { tensor->n_columns, tensor->n_rows / n_experts, n_experts };
      gboolean is_row = strstr (tensor->name, "inp_shexp") != NULL;
      guint n_dims = tensor->n_experts > 0 ? 3 : tensor->is_vector || is_row ? 1
                                                                             : 2;

      gguf_pad (data, 32);
      gguf_put_tensor (out, tensor->name, n_dims, dims,
                       choose_type (tensor, recipe), data->len);
      put_data (data, tensor, choose_type (tensor, recipe));
    }
  gguf_pad (out, 32);
  g_byte_array_append (out, data->data, data->len);
  return out;
}

/**
 * gguf_snap:
 * @directory: a checkpoint of one file, whose linear weights lie as [out, in]
 *
 * Rounds its matrices to numbers that Q8_0 holds as they are.
 */
void
gguf_snap (const char *directory)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (directory, "model.safetensors", NULL);
  g_autoptr (AttnArrayFile) file = load_weights (directory);
  g_autoptr (AttnArrayFile) snapped = attn_array_file_new (path);

  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (file, i);
      AttnTensor *tensor = attn_array_to_tensor (array, &error);
      gsize n = attn_array_get_n_elements (array);

      for (gsize at = 0; array->n_dims == 2 && array->shape[1] % BLOCK == 0 && at < n; at += BLOCK)
        {
          guint16 scale;
          gint8 numbers[BLOCK];

          quantize_block (tensor->data + at, &scale, numbers);
          for (gsize j = 0; j < BLOCK; j++)
            tensor->data[at + j] = half_to_float (scale) * numbers[j];
        }
      attn_array_file_add (snapped, attn_array_new_from_tensor (array->name, tensor), &error);
      attn_tensor_unref (tensor);
      g_assert_no_error (error);
    }
  save_arrays (snapped, path, &error);
  g_assert_no_error (error);
}
