/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "gguf-delta.h"

#include <math.h>
#include <string.h>

static gsize
get (JsonObject *config,
     const char *member)
{
  return (gsize) json_object_get_int_member (config, member);
}

static Tensor *
new_tensor (const char *layer,
            const char *module,
            gsize       n_rows,
            gsize       n_columns)
{
  Tensor *tensor = g_new0 (Tensor, 1);

  tensor->name = g_strdup_printf ("blk.%s.%s", layer, module);
  tensor->is_vector = n_rows == 0;
  tensor->n_rows = MAX (n_rows, 1);
  tensor->n_columns = n_columns;
  tensor->data = g_new (float, tensor->n_rows *n_columns);
  return tensor;
}

/* Value heads in turns: the first of each key head, then the second of each. @width: numbers of a
 * head, in each of @n_outer runs. _LinearAttentionVReorderBase of conversion/qwen.py */
static void
tile (JsonObject *config,
      gsize       n_outer,
      gsize       width,
      float      *data)
{
  gsize n_keys = get (config, "linear_num_key_heads");
  gsize n_heads = get (config, "linear_num_value_heads");
  gsize n_shared = n_heads / n_keys;
  g_autofree float *tiled = g_new (float, n_heads *width);

  for (gsize outer = 0; outer < n_outer; outer++, data += n_heads * width)
    {
      for (gsize head = 0; head < n_heads; head++)
        memcpy (tiled + (head % n_shared * n_keys + head / n_shared) * width, data + head * width,
                width * sizeof *tiled);
      memcpy (data, tiled, n_heads * width * sizeof *tiled);
    }
}

/* in_proj_qkvz: all queries, all keys and all values, and in a tensor of their own the gates. */
static void
sort_apart (JsonObject  *config,
            const float *from,
            gsize        n_columns,
            float       *qkv,
            float       *gate)
{
  gsize n_heads = get (config, "linear_num_key_heads");
  gsize n_key = get (config, "linear_key_head_dim");
  gsize n_value = get (config, "linear_num_value_heads") / n_heads *
                  get (config, "linear_value_head_dim");
  float *starts[] = { qkv, qkv + n_heads * n_key * n_columns, qkv + 2 * n_heads * n_key * n_columns,
                      gate };
  const gsize rows[] = { n_key, n_key, n_value, n_value };

  for (gsize head = 0; head < n_heads; head++)
    for (gsize part = 0; part < G_N_ELEMENTS (rows); part++)
      {
        gsize n = rows[part] * n_columns;

        memcpy (starts[part] + head * n, from, n * sizeof *from);
        from += n;
      }
}

/* Experts of which the gates stand above what they gate. */
static gboolean
add_fused_experts (const AttnArray *array,
                   const char      *layer,
                   const char      *module,
                   GPtrArray       *tensors)
{
  gboolean is_down = strcmp (module, "mlp.experts.down_proj") == 0;

  if (!is_down && strcmp (module, "mlp.experts.gate_up_proj") != 0)
    return FALSE;
  Tensor *tensor =
      new_tensor (layer, is_down ? "ffn_down_exps.weight" : "ffn_gate_up_exps.weight",
                  array->shape[0] * array->shape[1], array->shape[2]);
  tensor->n_experts = array->shape[0];
  g_assert_true (
      attn_array_read (array, 0, attn_array_get_n_elements (array), tensor->data, NULL));
  g_ptr_array_add (tensors, tensor);
  return TRUE;
}

/**
 * gguf_add_delta:
 * @tensors: (element-type Tensor)
 *
 * Returns: whether @array was of a layer of linear attention, or of its experts in one tensor, and
 *   is now among @tensors
 */
gboolean
gguf_add_delta (JsonObject      *config,
                const AttnArray *array,
                GPtrArray       *tensors)
{
  static const struct
  {
    const char *module;
    const char *name;
  } modules[] = {
    { "in_proj_qkvz.weight", "attn_qkv.weight" },
    { "in_proj_ba.weight", "ssm_ba.weight" },
    { "in_proj_qkv.weight", "attn_qkv.weight" },
    { "in_proj_z.weight", "attn_gate.weight" },
    { "in_proj_b.weight", "ssm_beta.weight" },
    { "in_proj_a.weight", "ssm_alpha.weight" },
    { "conv1d.weight", "ssm_conv1d.weight" },
    { "A_log", "ssm_a" },
    { "dt_bias", "ssm_dt.bias" },
    { "norm.weight", "ssm_norm.weight" },
    { "out_proj.weight", "ssm_out.weight" },
  };
  const char *at = strstr (array->name, "layers.");
  gsize i = 0;

  if (!json_object_has_member (config, "linear_num_key_heads") || at == NULL)
    return FALSE;
  at += strlen ("layers.");
  g_autofree char *layer = g_strndup (at, strcspn (at, "."));
  at += strlen (layer) + 1;
  if (add_fused_experts (array, layer, at, tensors))
    return TRUE;
  if (!g_str_has_prefix (at, "linear_attn."))
    return FALSE;
  at += strlen ("linear_attn.");
  while (strcmp (modules[i].module, at) != 0)
    g_assert_cmpuint (++i, <, G_N_ELEMENTS (modules));

  gboolean is_tiled = g_str_has_prefix (json_object_get_string_member (config, "model_type"),
                                        "qwen3_5");
  gsize value_width = get (config, "linear_value_head_dim");
  gsize n_values = get (config, "linear_num_value_heads") * value_width;
  gsize n_keys = 2 * get (config, "linear_num_key_heads") * get (config, "linear_key_head_dim");
  gsize n = attn_array_get_n_elements (array);
  gsize n_columns = array->shape[array->n_dims - 1];
  g_autofree float *data = g_new (float, n);
  g_assert_true (attn_array_read (array, 0, n, data, NULL));
  if (strcmp (at, "in_proj_qkvz.weight") == 0)
    {
      Tensor *qkv = new_tensor (layer, modules[i].name, n_keys + n_values, n_columns);
      Tensor *gate = new_tensor (layer, "attn_gate.weight", n_values, n_columns);

      sort_apart (config, data, n_columns, qkv->data, gate->data);
      g_ptr_array_add (tensors, qkv);
      g_ptr_array_add (tensors, gate);
      return TRUE;
    }
  Tensor *tensor = new_tensor (layer, modules[i].name, array->n_dims > 1 ? array->shape[0] : 0,
                               n_columns);
  memcpy (tensor->data, data, n * sizeof *data);
  for (gsize j = 0; strcmp (at, "A_log") == 0 && j < n; j++)
    tensor->data[j] = -expf (tensor->data[j]);
  if (is_tiled && (strcmp (at, "in_proj_qkv.weight") == 0 || strcmp (at, "conv1d.weight") == 0))
    tile (config, 1, value_width * n_columns, tensor->data + n_keys * n_columns);
  else if (is_tiled && strcmp (at, "out_proj.weight") == 0)
    tile (config, array->shape[0], value_width, tensor->data);
  else if (is_tiled && strcmp (at, "in_proj_z.weight") == 0)
    tile (config, 1, value_width * n_columns, tensor->data);
  else if (is_tiled && strcmp (at, "norm.weight") != 0)
    tile (config, 1, array->n_dims > 1 ? n_columns : 1, tensor->data);
  g_ptr_array_add (tensors, tensor);
  return TRUE;
}

/**
 * gguf_count_deltas:
 * @names: (out caller-allocates): keys of the metadata behind the architecture
 *
 * Returns: how many there are of them
 */
guint
gguf_count_deltas (JsonObject  *config,
                   const char **names,
                   gsize       *values)
{
  static const char * const pairs[][2] = {
    { "ssm.conv_kernel", "linear_conv_kernel_dim" },
    { "ssm.state_size", "linear_key_head_dim" },
    { "ssm.group_count", "linear_num_key_heads" },
    { "ssm.time_step_rank", "linear_num_value_heads" },
  };
  guint n = 0;

  if (!json_object_has_member (config, "linear_num_key_heads"))
    return 0;
  for (; n < G_N_ELEMENTS (pairs); n++)
    {
      names[n] = pairs[n][0];
      values[n] = get (config, pairs[n][1]);
    }
  names[n] = "ssm.inner_size";
  values[n++] = get (config, "linear_num_value_heads") * get (config, "linear_value_head_dim");
  names[n] = "full_attention_interval";
  values[n++] = json_object_has_member (config, "full_attention_interval")
                    ? get (config, "full_attention_interval")
                    : 4;
  return n;
}
