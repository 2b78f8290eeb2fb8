/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Translates those metadata of a GGUF file into members of a config.json that only families with
 * latent keys, with layers of linear attention, or with heads of different widths have. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "attn-config-gguf-private.h"
#include "attn-error.h"

/* Keys of the metadata that families with latent keys and values have, and their members in
 * config.json. @fallback: the value that llama.cpp uses if the key is 0 or missing, -1 for none */
static const struct
{
  const char *key;
  const char *member;
  int fallback;
} latent_members[] = {
  { "attention.q_lora_rank", "q_lora_rank", -1 },
  { "expert_shared_count", "n_shared_experts", -1 },
  { "leading_dense_block_count", "first_k_dense_replace", 0 },
  { "expert_group_count", "n_group", 1 },
  { "expert_group_used_count", "topk_group", 1 },
};

/* Translates the widths of latent vectors and of the keys and values projected from them. In newer
 * files “attention.key_length” is of the latent vector, and “attention.key_length_mla” of a
 * head. */
void
attn_gguf_reader_take_latents (AttnGgufReader *reader)
{
  g_autofree char *scale_key = attn_gguf_reader_make_key (reader, "expert_weights_scale");
  double scale = attn_json_read_number (&reader->values, scale_key, 0.0);
  gsize head_width = attn_gguf_reader_get_size (reader, "head_dim");
  gsize key_width = attn_gguf_reader_read_size (reader, "attention.key_length_mla", head_width);
  gsize value_width = attn_gguf_reader_read_size (reader, "attention.value_length", key_width);

  value_width = attn_gguf_reader_read_size (reader, "attention.value_length_mla", value_width);

  attn_gguf_reader_take (reader, "attention.kv_lora_rank", "kv_lora_rank", ATTN_GGUF_SIZE, TRUE);
  attn_gguf_reader_take (reader, "rope.dimension_count", "qk_rope_head_dim", ATTN_GGUF_SIZE, TRUE);
  gsize qk_rope_head_dim = attn_gguf_reader_get_size (reader, "qk_rope_head_dim");
  if (key_width <= qk_rope_head_dim)
    attn_json_fail (&reader->values, ATTN_ERROR_SHAPE,
                    _("%s: a rotary embedding of width %zu found, expected an even number up to "
                      "the head width, %zu"),
                    reader->values.where, qk_rope_head_dim, key_width);
  json_object_set_int_member (reader->object, "qk_nope_head_dim",
                              (gint64) (key_width - MIN (key_width, qk_rope_head_dim)));
  json_object_set_int_member (reader->object, "v_head_dim", (gint64) value_width);
  for (gsize i = 0; i < G_N_ELEMENTS (latent_members); i++)
    {
      gsize size = attn_gguf_reader_read_size (reader, latent_members[i].key, 0);

      if (size == 0 && latent_members[i].fallback < 0)
        json_object_set_null_member (reader->object, latent_members[i].member);
      else
        json_object_set_int_member (reader->object, latent_members[i].member,
                                    size > 0 ? (gint64) size : latent_members[i].fallback);
    }
  if (attn_gguf_reader_get_size (reader, "num_experts") == 0)
    json_object_set_int_member (reader->object, "first_k_dense_replace", MAX_LAYERS);
  json_object_set_double_member (reader->object, "routed_scaling_factor",
                                 scale != 0.0 ? scale : 1.0);
}

/* Returns a number for each layer, from an array in the metadata or from one number for all
 * layers. */
static gsize *
dup_sizes (AttnGgufReader *reader,
           const char     *name,
           gsize           fallback)
{
  g_autofree char *key = attn_gguf_reader_make_key (reader, name);
  JsonNode *node = json_object_get_member (reader->values.object, key);
  gsize n_layers = attn_gguf_reader_get_size (reader, "num_hidden_layers");
  gsize *sizes = g_new (gsize, n_layers);
  g_autofree float *numbers = NULL;
  gsize n = 0;

  if (node == NULL || !JSON_NODE_HOLDS_ARRAY (node))
    {
      gsize size = attn_json_read_size (&reader->values, key, 0, MAX_WIDTH, fallback);

      for (gsize i = 0; i < n_layers; i++)
        sizes[i] = size;
      return sizes;
    }
  if (reader->values.error == NULL)
    attn_gguf_metadata_dup_floats (reader->metadata, key, &numbers, &n, &reader->values.error);
  if (n < n_layers)
    attn_json_fail (&reader->values, ATTN_ERROR_SHAPE,
                    _("%s: “%s”: %zu found, expected one for each of the %zu layers"),
                    reader->values.where, key, n, n_layers);
  for (gsize i = 0; i < n_layers; i++)
    {
      float number = i < n ? numbers[i] : 0.0f;

      if (!(number >= 0.0f && number <= (float) MAX_WIDTH))
        attn_json_fail (&reader->values, ATTN_ERROR_LIMIT,
                        _("%s: “%s”: %g found as number %u, expected %g to %g"),
                        reader->values.where, key, number, (guint) i, 0.0, (double) MAX_WIDTH);
      sizes[i] = number >= 0.0f && number <= (float) MAX_WIDTH ? (gsize) number : 0;
    }
  return sizes;
}

/* Translates the list of layers with linear attention into “layer_types”, if the metadata have such
 * a list. */
static void
take_delta_layers (AttnGgufReader *reader)
{
  static const char name[] = "attention.recurrent_layers";
  g_autofree char *key = attn_gguf_reader_make_key (reader, name);
  gsize n_layers = attn_gguf_reader_get_size (reader, "num_hidden_layers");

  if (!json_object_has_member (reader->values.object, key) || n_layers > MAX_LAYERS)
    return;
  g_autofree gsize *are_delta = dup_sizes (reader, name, 0);
  JsonArray *types = json_array_new ();
  for (gsize i = 0; i < n_layers; i++)
    json_array_add_string_element (types, are_delta[i] != 0 ? "linear_attention"
                                                            : "full_attention");
  json_object_set_array_member (reader->object, "layer_types", types);
}

/* Translates which layers have linear attention, and the width of their value heads. */
void
attn_gguf_reader_take_delta (AttnGgufReader *reader)
{
  g_autofree char *key = attn_gguf_reader_make_key (reader, "ssm.inner_size");
  gsize n_heads = attn_gguf_reader_get_size (reader, "linear_num_value_heads");

  if (reader->family->delta.kernel_width == 0)
    return;
  take_delta_layers (reader);
  if (n_heads == 0)
    return;
  gsize key_width = attn_gguf_reader_get_size (reader, "linear_key_head_dim");
  gsize width = attn_json_read_size (&reader->values, key, 1, G_MAXINT32, n_heads * key_width);
  if (width % n_heads != 0)
    attn_json_fail (&reader->values, ATTN_ERROR_SHAPE,
                    _("%s: “%s”: %zu found, expected a multiple of the %zu heads"),
                    reader->values.where, key, width, n_heads);
  json_object_set_int_member (reader->object, "linear_value_head_dim",
                              (gint64) MAX (width / n_heads, 1));
}

/* Sets the rotary embeddings of layers without a window (“full_attention”) and of those with one.
 * In layers without a window, the tensor “rope_freqs.weight” leaves a part of the numbers
 * unrotated. */
static void
take_global_ropes (AttnGgufReader *reader,
                   gsize           head_width,
                   gsize           local_width)
{
  gsize width = attn_gguf_reader_read_size (reader, "rope.dimension_count", head_width);
  gsize turned = attn_gguf_reader_read_size (reader, "rope.dimension_count_swa", local_width);
  JsonObject *ropes = json_object_new ();
  JsonObject *local = json_object_new ();
  g_autofree char *expected = g_strdup_printf ("[%zu]", head_width / 2);

  if (width != head_width)
    attn_json_fail (&reader->values, ATTN_ERROR_UNSUPPORTED,
                    _("%s: a rotary embedding of width %zu found, expected the head width, %zu"),
                    reader->values.where, width, head_width);
  if (attn_array_file_lookup (reader->file, "rope_freqs.weight") == NULL)
    attn_json_fail (&reader->values, ATTN_ERROR_FORMAT,
                    _("%s: no tensor “%s” found, expected one of shape %s"),
                    reader->values.where, "rope_freqs.weight", expected);
  json_object_set_double_member (local, "partial_rotary_factor",
                                 (double) turned / (double) MAX (local_width, 1));
  json_object_set_object_member (ropes, "full_attention", json_object_new ());
  json_object_set_object_member (ropes, "sliding_attention", local);
  json_object_set_object_member (reader->object, "rope_parameters", ropes);
  json_object_remove_member (reader->object, "rotary_dim");
}

/* Translates the sizes of each layer for a family whose layers without an attention window have
 * heads of another width. */
void
attn_gguf_reader_take_globals (AttnGgufReader *reader)
{
  gsize n_layers = attn_gguf_reader_get_size (reader, "num_hidden_layers");
  gsize head_width = attn_gguf_reader_get_size (reader, "head_dim");
  gsize local_width = attn_gguf_reader_read_size (reader, "attention.key_length_swa", head_width);
  gsize n_heads = attn_gguf_reader_get_size (reader, "num_attention_heads");
  g_autofree gsize *windows = NULL, *key_heads = NULL, *mlp_widths = NULL;
  gboolean has_values = TRUE, is_double = FALSE;
  gsize n_shared = attn_gguf_reader_read_size (reader, "attention.shared_kv_layers", 0);

  /* attn_config_read() refuses such a number of layers later, with a message. */
  if (n_layers == 0 || n_layers > MAX_LAYERS)
    return;
  windows = dup_sizes (reader, "attention.sliding_window_pattern", 0);
  key_heads = dup_sizes (reader, "attention.head_count_kv", n_heads);
  mlp_widths = dup_sizes (reader, "feed_forward_length", 0);
  JsonArray *types = json_array_new ();
  JsonObject *layers = json_object_new ();
  for (gsize i = 0; i < n_layers; i++)
    {
      JsonObject *layer = json_object_new ();
      g_autofree char *number = g_strdup_printf ("%zu", i);
      g_autofree char *name =
          attn_family_dup_name (reader->family, ATTN_STACK_ONLY, TRUE, ATTN_ROLE_VALUE,
                                ATTN_SLOT_WEIGHT, i);
      gboolean has_own = i + n_shared < n_layers;

      json_array_add_string_element (types, windows[i] != 0 ? "sliding_attention"
                                                            : "full_attention");
      json_object_set_int_member (layer, "head_dim",
                                  (gint64) (windows[i] != 0 ? local_width : head_width));
      json_object_set_int_member (layer, "num_key_value_heads", (gint64) key_heads[i]);
      json_object_set_object_member (layers, number, layer);
      if (windows[i] == 0 && has_own)
        has_values = has_values && attn_array_file_lookup (reader->file, name) != NULL;
      is_double = is_double || (!has_own && mlp_widths[i] == 2 * mlp_widths[0]);
      if (mlp_widths[i] != (is_double && !has_own ? 2 : 1) * mlp_widths[0])
        attn_json_fail (&reader->values, ATTN_ERROR_UNSUPPORTED,
                        _("%s: a feed-forward layer of width %zu found in layer %zu, expected %zu"),
                        reader->values.where, mlp_widths[i], i, mlp_widths[0]);
    }
  json_object_set_array_member (reader->object, "layer_types", types);
  json_object_set_object_member (reader->object, "per_layer_config", layers);
  json_object_set_int_member (reader->object, "head_dim", (gint64) local_width);
  json_object_set_int_member (reader->object, "num_key_value_heads",
                              (gint64) key_heads[0]);
  json_object_set_int_member (reader->object, "intermediate_size",
                              (gint64) mlp_widths[0]);
  json_object_set_int_member (reader->object, "num_kv_shared_layers", (gint64) n_shared);
  json_object_set_boolean_member (reader->object, "attention_k_eq_v", !has_values);
  json_object_set_boolean_member (reader->object, "use_double_wide_mlp", is_double);
  json_object_set_boolean_member (reader->object, "enable_moe_block",
                                  attn_gguf_reader_get_size (reader, "num_experts") > 0);
  json_object_set_int_member (
      reader->object, "hidden_size_per_layer_input",
      (gint64) attn_gguf_reader_read_size (reader, "embedding_length_per_layer_input", 0));
  take_global_ropes (reader, head_width, local_width);
}
