/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The metadata of a GGUF file in the words of a config.json, so that one reader sees to both. Keys
 * and what they mean: gguf-py/gguf/constants.py and llama_model::load_hparams() of llama.cpp. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-config-private.h"
#include "attn-error.h"
#include "attn-gguf.h"

typedef enum
{
  KIND_SIZE,
  KIND_NUMBER,
  KIND_BOOLEAN,
} Kind;

/* Behind "ARCHITECTURE.". What is left out stays out, but for what the families' rows and llama.cpp
 * take differently. */
static const struct
{
  const char *key;
  const char *member;
  Kind kind;
  gboolean is_required;
} members[] = {
  { "block_count", "num_hidden_layers", KIND_SIZE, TRUE },
  { "embedding_length", "hidden_size", KIND_SIZE, TRUE },
  { "feed_forward_length", "intermediate_size", KIND_SIZE, TRUE },
  { "context_length", "max_position_embeddings", KIND_SIZE, TRUE },
  { "attention.head_count", "num_attention_heads", KIND_SIZE, TRUE },
  { "attention.head_count_kv", "num_key_value_heads", KIND_SIZE, FALSE },
  { "attention.key_length", "head_dim", KIND_SIZE, FALSE },
  { "vocab_size", "vocab_size", KIND_SIZE, FALSE },
  { "rope.dimension_count", "rotary_dim", KIND_SIZE, FALSE },
  { "rope.freq_base", "rope_theta", KIND_NUMBER, FALSE },
  { "attention.sliding_window", "sliding_window", KIND_SIZE, FALSE },
  { "attention.sliding_window_pattern", "sliding_window_pattern", KIND_SIZE, FALSE },
  { "rope.freq_base_swa", "rope_local_base_freq", KIND_NUMBER, FALSE },
  { "attn_logit_softcapping", "attn_logit_softcapping", KIND_NUMBER, FALSE },
  { "final_logit_softcapping", "final_logit_softcapping", KIND_NUMBER, FALSE },
  { "embedding_scale", "embedding_multiplier", KIND_NUMBER, FALSE },
  { "residual_scale", "residual_multiplier", KIND_NUMBER, FALSE },
  { "logit_scale", "logits_scaling", KIND_NUMBER, FALSE }, /* a divisor */
  { "logit_scale", "logit_scale", KIND_NUMBER, FALSE },    /* a factor; a family has either */
  { "attention.clamp_kqv", "clip_qkv", KIND_NUMBER, FALSE },
  { "attention.max_alibi_bias", "alibi_bias_max", KIND_NUMBER, FALSE },
  { "expert_count", "num_experts", KIND_SIZE, FALSE },
  { "expert_used_count", "num_experts_per_tok", KIND_SIZE, FALSE },
  { "expert_feed_forward_length", "moe_intermediate_size", KIND_SIZE, FALSE },
  { "expert_shared_feed_forward_length", "shared_expert_intermediate_size", KIND_SIZE, FALSE },
  { "expert_weights_norm", "norm_topk_prob", KIND_BOOLEAN, FALSE },
  { "use_parallel_residual", "use_parallel_residual", KIND_BOOLEAN, FALSE },
  { "full_attention_interval", "full_attention_interval", KIND_SIZE, FALSE },
  { "ssm.conv_kernel", "linear_conv_kernel_dim", KIND_SIZE, FALSE },
  { "ssm.state_size", "linear_key_head_dim", KIND_SIZE, FALSE },
  { "ssm.group_count", "linear_num_key_heads", KIND_SIZE, FALSE },
  { "ssm.time_step_rank", "linear_num_value_heads", KIND_SIZE, FALSE },
  { "nextn_predict_layers", "num_nextn_predict_layers", KIND_SIZE, FALSE },
};

/* Of families whose keys are made of latent vectors. @fallback: what llama.cpp takes in the place
 * of 0 or nothing, -1 for none */
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

#define YARN_LOG_MULTIPLIER "rope.scaling.yarn_log_multiplier"

/* One file on its way to a configuration. */
typedef struct
{
  const AttnArrayFile *file;
  const AttnGgufMetadata *metadata;
  AttnJsonReader values; /* of @metadata */
  const AttnFamily *family;
  JsonObject *object;
} Reader;

static char *
make_key (const Reader *reader,
          const char   *key)
{
  return g_strconcat (reader->family->architecture, ".", key, NULL);
}

/* Sets the member, if the metadata have the key. */
static void
take_value (Reader     *reader,
            const char *name,
            const char *member,
            Kind        kind,
            gboolean    is_required)
{
  g_autofree char *key = make_key (reader, name);
  gsize size;

  if (!json_object_has_member (reader->values.object, key))
    {
      if (is_required)
        attn_json_fail (&reader->values, ATTN_ERROR_FORMAT,
                        _("%s: no “%s” found, expected it in the metadata of the model"),
                        reader->values.where, key);
      return;
    }
  switch (kind)
    {
    case KIND_SIZE:
      size = attn_json_read_size (&reader->values, key, 0, G_MAXINT32, 0);
      /* 0 is how some programs write that there is none. */
      if (size > 0 || is_required)
        json_object_set_int_member (reader->object, member, (gint64) size);
      else
        json_object_set_null_member (reader->object, member);
      break;
    case KIND_NUMBER:
      json_object_set_double_member (reader->object, member,
                                     attn_json_read_number (&reader->values, key, 0.0));
      break;
    case KIND_BOOLEAN:
      json_object_set_boolean_member (reader->object, member,
                                      attn_json_read_boolean (&reader->values, key, FALSE));
      break;
    }
}

static gsize
get_size_member (const Reader *reader,
                 const char   *member)
{
  return attn_config_has_value (reader->object, member)
             ? (gsize) json_object_get_int_member (reader->object, member)
             : 0;
}

static gsize
read_size (Reader     *reader,
           const char *name,
           gsize       fallback)
{
  g_autofree char *key = make_key (reader, name);

  return attn_json_read_size (&reader->values, key, 0, G_MAXINT32, fallback);
}

/* The widths of latent vectors and of what they become. Newer files say of keys and values what
 * they are while they are latent, and by other keys what they are of a head. */
static void
take_latents (Reader *reader)
{
  g_autofree char *scale_key = make_key (reader, "expert_weights_scale");
  double scale = attn_json_read_number (&reader->values, scale_key, 0.0);
  gsize key_width =
      read_size (reader, "attention.key_length_mla", get_size_member (reader, "head_dim"));
  gsize value_width = read_size (reader, "attention.value_length_mla",
                                 read_size (reader, "attention.value_length", key_width));

  take_value (reader, "attention.kv_lora_rank", "kv_lora_rank", KIND_SIZE, TRUE);
  take_value (reader, "rope.dimension_count", "qk_rope_head_dim", KIND_SIZE, TRUE);
  gsize turned_width = get_size_member (reader, "qk_rope_head_dim");
  if (key_width <= turned_width)
    attn_json_fail (&reader->values, ATTN_ERROR_SHAPE,
                    _("%s: a rotary embedding of width %zu found, expected an even number up to "
                      "the head width, %zu"),
                    reader->values.where, turned_width, key_width);
  json_object_set_int_member (reader->object, "qk_nope_head_dim",
                              (gint64) (key_width - MIN (key_width, turned_width)));
  json_object_set_int_member (reader->object, "v_head_dim", (gint64) value_width);
  for (gsize i = 0; i < G_N_ELEMENTS (latent_members); i++)
    {
      gsize size = read_size (reader, latent_members[i].key, 0);

      if (size == 0 && latent_members[i].fallback < 0)
        json_object_set_null_member (reader->object, latent_members[i].member);
      else
        json_object_set_int_member (reader->object, latent_members[i].member,
                                    size > 0 ? (gint64) size : latent_members[i].fallback);
    }
  if (get_size_member (reader, "num_experts") == 0)
    json_object_set_int_member (reader->object, "first_k_dense_replace", MAX_LAYERS);
  json_object_set_double_member (reader->object, "routed_scaling_factor",
                                 scale != 0.0 ? scale : 1.0);
}

/* What llama.cpp takes where the metadata are silent. */
static void
take_heads (Reader *reader)
{
  g_autofree char *value_key = make_key (reader, "attention.value_length");
  g_autofree char *scale_key = make_key (reader, "attention.scale");
  gsize width = get_size_member (reader, "hidden_size");
  gsize n_heads = MAX (get_size_member (reader, "num_attention_heads"), 1);
  gsize head_width = get_size_member (reader, "head_dim");
  double scale = attn_json_read_number (&reader->values, scale_key, 0.0);

  if (!attn_config_has_value (reader->object, "num_key_value_heads"))
    json_object_set_int_member (reader->object, "num_key_value_heads", (gint64) n_heads);
  if (reader->family->latents.width > 0)
    {
      take_latents (reader);
      return;
    }
  if (head_width == 0 && width % n_heads == 0)
    head_width = width / n_heads;
  if (head_width > 0)
    json_object_set_int_member (reader->object, "head_dim", (gint64) head_width);

  gsize value_width =
      attn_json_read_size (&reader->values, value_key, 1, G_MAXINT32, head_width);
  if (value_width != head_width)
    attn_json_fail (&reader->values, ATTN_ERROR_UNSUPPORTED,
                    _("%s: “%s”: %zu found, expected %zu, the width of a key"),
                    reader->values.where, value_key, value_width, head_width);
  /* Nothing but the number of layers tells Gemma's 27B, whose scores are scaled by another number,
   * from its siblings. */
  if (scale > 0.0)
    json_object_set_double_member (reader->object, "query_pre_attn_scalar", 1.0 / (scale * scale));
  else if (reader->family->query_scalar > 0.0 && head_width > 0)
    json_object_set_int_member (
        reader->object, "query_pre_attn_scalar",
        (gint64) (get_size_member (reader, "num_hidden_layers") == reader->family->large_layers
                      ? width / n_heads
                      : head_width));
}

/* As many tokens as the vocabulary has, or else as the embedding has rows. */
static gboolean
take_vocabulary (Reader  *reader,
                 GError **error)
{
  g_autofree char *name =
      attn_family_dup_name (reader->family, TRUE, ATTN_ROLE_TOKEN_EMBEDDING, 0);
  const AttnArray *embedding = attn_array_file_lookup (reader->file, name);
  const AttnGgufString *strings;
  gsize n_tokens = get_size_member (reader, "vocab_size");
  gsize n_strings = 0;

  if (n_tokens > 0)
    return TRUE;
  if (!attn_gguf_metadata_get_strings (reader->metadata, "tokenizer.ggml.tokens", &strings,
                                       &n_strings, error))
    return FALSE;
  n_tokens = n_strings > 0 ? n_strings : embedding != NULL ? embedding->shape[0]
                                                           : 1;
  json_object_set_int_member (reader->object, "vocab_size", (gint64) MIN (n_tokens, G_MAXINT64));
  return TRUE;
}

/* Without a type, a factor is linear; files of 2023 call it by another name. What llama_context
 * takes where the metadata are silent: frequencies are mixed in full for yarn alone, and where they
 * are mixed the magnitude is yarn's own. */
static void
take_rope_scaling (Reader *reader)
{
  g_autofree char *type_key = make_key (reader, "rope.scaling.type");
  g_autofree char *original_key = make_key (reader, "rope.scaling.original_context_length");
  const char *type = attn_json_read_string (&reader->values, type_key, "linear");
  gsize n_original =
      attn_json_read_size (&reader->values, original_key, 1, G_MAXINT32,
                           get_size_member (reader, "max_position_embeddings"));
  double factor = 0.0, extrapolated = -1.0, magnitude = 1.0, plain_magnitude = 1.0, fast = 32.0,
         slow = 1.0, share = 0.0;
  const struct
  {
    const char *name;
    double *value;
  } numbers[] = {
    { "rope.scale_linear", &factor },
    { "rope.scaling.factor", &factor },
    { "rope.scaling.attn_factor", &magnitude },
    { "rope.scaling.yarn_ext_factor", &extrapolated },
    { "rope.scaling.yarn_attn_factor", &plain_magnitude },
    { "rope.scaling.yarn_beta_fast", &fast },
    { "rope.scaling.yarn_beta_slow", &slow },
    { YARN_LOG_MULTIPLIER, &share },
  };
  gboolean is_latent = reader->family->latents.width > 0;

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autofree char *key = make_key (reader, numbers[i].name);

      /* Of latent keys they would change the scale of the scores, too. */
      if (is_latent && strstr (key, "_factor") != NULL)
        attn_config_read_number (&reader->values, key, 1.0, 1.0, 1.0);
      else
        *numbers[i].value = attn_json_read_number (&reader->values, key, *numbers[i].value);
    }
  gboolean is_yarn = strcmp (type, "yarn") == 0;
  gboolean is_plain =
      strcmp (type, "none") == 0 ||
      (strcmp (type, "longrope") == 0 &&
       attn_array_file_lookup (reader->file, "rope_factors_long.weight") != NULL);
  if (!is_plain && strcmp (type, "linear") != 0 && !is_yarn)
    attn_json_fail (&reader->values, ATTN_ERROR_UNSUPPORTED,
                    _("%s: “%s”: %s found, expected none, linear or yarn"),
                    reader->values.where, type_key, type);

  if (factor == 0.0 || is_plain)
    factor = 1.0;
  if (extrapolated < 0.0)
    extrapolated = is_yarn ? 1.0 : 0.0;
  magnitude *= extrapolated == 0.0 ? plain_magnitude : 1.0 + 0.1 * log (MAX (factor, 1.0));
  if (factor == 1.0 && magnitude == 1.0)
    return;

  JsonObject *scaling = json_object_new ();
  gboolean is_mixed = extrapolated != 0.0 || magnitude != 1.0;
  json_object_set_string_member (scaling, "rope_type", is_mixed ? "yarn" : "linear");
  json_object_set_double_member (scaling, "factor", factor);
  json_object_set_int_member (scaling, "original_max_position_embeddings", (gint64) n_original);
  if (is_mixed)
    {
      if (!is_latent)
        json_object_set_double_member (scaling, "attention_factor", magnitude);
      else if (share == 0.0)
        attn_json_fail (&reader->values, ATTN_ERROR_FORMAT,
                        _("%s: no “%s” found, expected it in the metadata of the model"),
                        reader->values.where, YARN_LOG_MULTIPLIER);
      else
        {
          /* A tenth of what config.json has, where it stands twice. */
          json_object_set_double_member (scaling, "mscale", 10.0 * share);
          json_object_set_double_member (scaling, "mscale_all_dim", 10.0 * share);
        }
      json_object_set_double_member (scaling, "extrapolation_factor", extrapolated);
      json_object_set_double_member (scaling, "beta_fast", fast);
      json_object_set_double_member (scaling, "beta_slow", slow);
    }
  json_object_set_object_member (reader->object, "rope_scaling", scaling);
}

/* Everything that the family's row can switch on; what the file lacks is switched off later. */
static void
set_switches (Reader *reader)
{
  static const char * const switches[] = { "attention_bias", "mlp_bias", "qk_layernorm" };

  for (gsize i = 0; i < G_N_ELEMENTS (switches); i++)
    json_object_set_boolean_member (reader->object, switches[i], TRUE);
  /* The logits' matrix is there or it is the embedding. */
  json_object_set_boolean_member (reader->object, "tie_word_embeddings", TRUE);
}

static gboolean
has_role (const Reader *reader,
          AttnRole      role)
{
  g_autofree char *name = attn_family_dup_name (reader->family, TRUE, role, 0);

  return name != NULL && attn_array_file_lookup (reader->file, name) != NULL;
}

/* What llama.cpp tells by the norms that are there: whether the halves of a layer stand in
 * parallel, and by how many norms. */
static void
take_order (Reader *reader)
{
  gboolean has_both = has_role (reader, ATTN_ROLE_ATTENTION_NORM_SCALE) &&
                      has_role (reader, ATTN_ROLE_INNER_NORM_SCALE);

  if (!reader->family->shares_parallel_norm)
    return;
  if (reader->family->order == ATTN_ORDER_PARALLEL)
    json_object_set_int_member (reader->object, "num_ln_in_parallel_attn", has_both ? 2 : 1);
  else
    json_object_set_boolean_member (reader->object, "use_parallel_residual", !has_both);
}

/* What the first files of MiniCPM leave out is that of the models of 2024. */
static void
take_depth_scale (Reader *reader)
{
  if (!reader->family->has_depth_scale ||
      attn_config_has_value (reader->object, "embedding_multiplier"))
    return;
  json_object_set_double_member (reader->object, "scale_emb", 12.0);
  json_object_set_double_member (reader->object, "scale_depth", 1.4);
  json_object_set_int_member (reader->object, "dim_model_base", 256);
}

/* A number a layer, where the metadata have one for all of them, too. */
static gsize *
dup_sizes (Reader     *reader,
           const char *name,
           gsize       fallback)
{
  g_autofree char *key = make_key (reader, name);
  JsonNode *node = json_object_get_member (reader->values.object, key);
  gsize n_layers = get_size_member (reader, "num_hidden_layers");
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

/* Which layers have no attention weights, if each is named. */
static void
take_delta_layers (Reader *reader)
{
  static const char name[] = "attention.recurrent_layers";
  g_autofree char *key = make_key (reader, name);
  gsize n_layers = get_size_member (reader, "num_hidden_layers");

  if (!json_object_has_member (reader->values.object, key) || n_layers > MAX_LAYERS)
    return;
  g_autofree gsize *are_delta = dup_sizes (reader, name, 0);
  JsonArray *types = json_array_new ();
  for (gsize i = 0; i < n_layers; i++)
    json_array_add_string_element (types, are_delta[i] != 0 ? "linear_attention"
                                                            : "full_attention");
  json_object_set_array_member (reader->object, "layer_types", types);
}

/* Of layers without attention weights, which they are and the width of a value head. */
static void
take_delta (Reader *reader)
{
  g_autofree char *key = make_key (reader, "ssm.inner_size");
  gsize n_heads = get_size_member (reader, "linear_num_value_heads");

  if (reader->family->delta.kernel_width == 0)
    return;
  take_delta_layers (reader);
  if (n_heads == 0)
    return;
  gsize width = attn_json_read_size (&reader->values, key, 1, G_MAXINT32,
                                     n_heads * get_size_member (reader, "linear_key_head_dim"));
  if (width % n_heads != 0)
    attn_json_fail (&reader->values, ATTN_ERROR_SHAPE,
                    _("%s: “%s”: %zu found, expected a multiple of the %zu heads"),
                    reader->values.where, key, width, n_heads);
  json_object_set_int_member (reader->object, "linear_value_head_dim",
                              (gint64) MAX (width / n_heads, 1));
}

/* The rotary embeddings of layers without a window and of those with one. By tensor, the first
 * turns some of its numbers by nothing. */
static void
take_global_ropes (Reader *reader,
                   gsize   head_width,
                   gsize   local_width)
{
  gsize width = read_size (reader, "rope.dimension_count", head_width);
  gsize turned = read_size (reader, "rope.dimension_count_swa", local_width);
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

/* Of a family whose layers without a window have heads of their own: sizes by layer. */
static void
take_globals (Reader *reader)
{
  gsize n_layers = get_size_member (reader, "num_hidden_layers");
  gsize head_width = get_size_member (reader, "head_dim");
  gsize local_width = read_size (reader, "attention.key_length_swa", head_width);
  gsize n_heads = get_size_member (reader, "num_attention_heads");
  g_autofree gsize *windows = NULL, *key_heads = NULL, *inner_widths = NULL;
  gboolean has_values = TRUE, is_double = FALSE;
  gsize n_shared = read_size (reader, "attention.shared_kv_layers", 0);

  /* Refused later. */
  if (n_layers == 0 || n_layers > MAX_LAYERS)
    return;
  windows = dup_sizes (reader, "attention.sliding_window_pattern", 0);
  key_heads = dup_sizes (reader, "attention.head_count_kv", n_heads);
  inner_widths = dup_sizes (reader, "feed_forward_length", 0);
  JsonArray *types = json_array_new ();
  JsonObject *layers = json_object_new ();
  for (gsize i = 0; i < n_layers; i++)
    {
      JsonObject *layer = json_object_new ();
      g_autofree char *number = g_strdup_printf ("%zu", i);
      g_autofree char *name = attn_family_dup_name (reader->family, TRUE, ATTN_ROLE_VALUE, i);
      gboolean has_own = i + n_shared < n_layers;

      json_array_add_string_element (types, windows[i] != 0 ? "sliding_attention"
                                                            : "full_attention");
      json_object_set_int_member (layer, "head_dim",
                                  (gint64) (windows[i] != 0 ? local_width : head_width));
      json_object_set_int_member (layer, "num_key_value_heads", (gint64) key_heads[i]);
      json_object_set_object_member (layers, number, layer);
      if (windows[i] == 0 && has_own)
        has_values = has_values && attn_array_file_lookup (reader->file, name) != NULL;
      is_double = is_double || (!has_own && inner_widths[i] == 2 * inner_widths[0]);
      if (inner_widths[i] != (is_double && !has_own ? 2 : 1) * inner_widths[0])
        attn_json_fail (&reader->values, ATTN_ERROR_UNSUPPORTED,
                        _("%s: a feed-forward layer of width %zu found in layer %zu, expected %zu"),
                        reader->values.where, inner_widths[i], i, inner_widths[0]);
    }
  json_object_set_array_member (reader->object, "layer_types", types);
  json_object_set_object_member (reader->object, "per_layer_config", layers);
  json_object_set_int_member (reader->object, "head_dim", (gint64) local_width);
  json_object_set_int_member (reader->object, "num_key_value_heads",
                              (gint64) key_heads[0]);
  json_object_set_int_member (reader->object, "intermediate_size",
                              (gint64) inner_widths[0]);
  json_object_set_int_member (reader->object, "num_kv_shared_layers", (gint64) n_shared);
  json_object_set_boolean_member (reader->object, "attention_k_eq_v", !has_values);
  json_object_set_boolean_member (reader->object, "use_double_wide_mlp", is_double);
  json_object_set_boolean_member (reader->object, "enable_moe_block",
                                  get_size_member (reader, "num_experts") > 0);
  json_object_set_int_member (reader->object, "hidden_size_per_layer_input",
                              (gint64) read_size (reader, "embedding_length_per_layer_input", 0));
  take_global_ropes (reader, head_width, local_width);
}

/* What layers without attention weights have in one matrix or in two: older files in one. */
static void
choose_delta_roles (const Reader *reader,
                    AttnConfig   *config)
{
  static const AttnRole choices[][3] = {
    { ATTN_ROLE_DELTA_QKV_GATE, ATTN_ROLE_DELTA_QKV, ATTN_ROLE_DELTA_GATE },
    { ATTN_ROLE_DELTA_STRENGTH_DECAY, ATTN_ROLE_DELTA_STRENGTH, ATTN_ROLE_DELTA_DECAY },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (choices); i++)
    {
      AttnRoles one = ATTN_ROLE_BIT (choices[i][0]);
      AttnRoles two = ATTN_ROLE_BIT (choices[i][1]) | ATTN_ROLE_BIT (choices[i][2]);

      config->roles = (config->roles | one | two) & ~(has_role (reader, choices[i][0]) ? two : one);
    }
}

/* One matrix for queries, keys and values where the first layer has it, else three; a head of
 * masked language models is never there, nor are then its logits; a bias or a norm of queries and
 * keys that not every model of the family has is there if the first layer has it. */
static void
adapt_roles (const Reader *reader,
             AttnConfig   *config)
{
  const AttnRoles fused = ATTN_ROLE_BIT (ATTN_ROLE_QKV) | ATTN_ROLE_BIT (ATTN_ROLE_QKV_BIAS);
  const AttnRoles separate =
      ATTN_ROLE_BIT (ATTN_ROLE_QUERY) | ATTN_ROLE_BIT (ATTN_ROLE_QUERY_BIAS) |
      ATTN_ROLE_BIT (ATTN_ROLE_KEY) | ATTN_ROLE_BIT (ATTN_ROLE_KEY_BIAS) |
      ATTN_ROLE_BIT (ATTN_ROLE_VALUE) | ATTN_ROLE_BIT (ATTN_ROLE_VALUE_BIAS);
  const AttnRoles gate_up = ATTN_ROLE_BIT (ATTN_ROLE_EXPERT_GATE_UP) |
                            ATTN_ROLE_BIT (ATTN_ROLE_EXPERT_GATE_UP_BIAS);
  const AttnFamily *family = reader->family;
  /* What multiplies the experts' weights is read as what multiplies their last matrix. */
  const AttnRoles factors =
      ATTN_ROLE_BIT (ATTN_ROLE_EXPERT_FACTORS) |
      (has_role (reader, ATTN_ROLE_LAYER_FACTOR) ? 0 : ATTN_ROLE_BIT (ATTN_ROLE_LAYER_FACTOR));
  const AttnRoles heads =
      ATTN_ROLE_BIT (ATTN_ROLE_HEAD_KEYS) | ATTN_ROLE_BIT (ATTN_ROLE_HEAD_VALUES);
  gboolean is_fused = has_role (reader, ATTN_ROLE_QKV) && !family->has_paired_rows &&
                      family->delta.kernel_width == 0;
  AttnRoles optional = 0;

  if (attn_config_has_role (config, ATTN_ROLE_HEAD))
    config->roles &= ~(ATTN_ROLE_BIT (ATTN_ROLE_HEAD) | ATTN_ROLE_BIT (ATTN_ROLE_HEAD_BIAS) |
                       ATTN_ROLE_BIT (ATTN_ROLE_HEAD_NORM_SCALE) |
                       ATTN_ROLE_BIT (ATTN_ROLE_HEAD_NORM_BIAS) | ATTN_ROLE_BIT (ATTN_ROLE_LOGITS) |
                       ATTN_ROLE_BIT (ATTN_ROLE_LOGITS_BIAS));
  if (attn_config_has_role (config, ATTN_ROLE_EXPERT_GATE_UP))
    {
      config->roles &= ~gate_up;
      config->roles |= ATTN_ROLE_BIT (ATTN_ROLE_EXPERT_GATE) | ATTN_ROLE_BIT (ATTN_ROLE_EXPERT_UP) |
                       ATTN_ROLE_BIT (ATTN_ROLE_EXPERT_GATE_BIAS) |
                       ATTN_ROLE_BIT (ATTN_ROLE_EXPERT_UP_BIAS);
    }
  if (family->latents.width == 0)
    {
      config->roles |= fused | separate;
      config->roles &= is_fused ? ~separate : ~fused;
    }
  else if (!has_role (reader, ATTN_ROLE_KEY_UP))
    {
      config->roles &= ~ATTN_ROLE_BIT (ATTN_ROLE_KEY_UP);
      config->roles |= heads;
    }
  config->roles &= ~factors;
  if (family->delta.kernel_width > 0)
    choose_delta_roles (reader, config);
  optional |= family->has_attention_bias && !family->may_lack_attention_bias
                  ? 0
                  : ATTN_ATTENTION_BIASES;
  optional |= family->has_inner_bias ? 0 : ATTN_INNER_BIASES;
  optional |= family->has_query_key_norm ? 0 : ATTN_QUERY_KEY_NORMS;
  for (AttnRole role = 0; role < ATTN_N_ROLES; role++)
    if ((optional & ATTN_ROLE_BIT (role)) != 0 && !has_role (reader, role))
      config->roles &= ~ATTN_ROLE_BIT (role);
}

/* A tensor that divides the frequencies of a rotary embedding. *factors stays as it is if there is
 * none. */
static gboolean
read_rope_factors (const Reader    *reader,
                   const AttnRope  *rope,
                   const char      *name,
                   float          **factors,
                   GError         **error)
{
  const AttnArray *array = attn_array_file_lookup (reader->file, name);
  gsize n_factors = rope->width / 2;

  if (array == NULL || rope->width == 0)
    return TRUE;
  if (array->n_dims != 1 || array->shape[0] != n_factors)
    {
      g_autofree char *found = attn_shape_to_string (array->n_dims, array->shape);

      return attn_fail (error, ATTN_ERROR_SHAPE,
                        _("%s: tensor “%s”: shape %s found, expected [%zu], half the width of the "
                          "rotary embedding"),
                        reader->values.where, array->name, found, n_factors);
    }
  *factors = g_new (float, n_factors);
  if (!attn_array_read (array, 0, n_factors, *factors, error))
    return FALSE;
  for (gsize i = 0; i < n_factors; i++)
    if (!((*factors)[i] >= 1e-6f && (*factors)[i] <= 1e6f) && (*factors)[i] != ATTN_NO_TURN)
      return attn_fail (error, ATTN_ERROR_LIMIT, _("%s: tensor “%s”: %g found, expected %g to %g"),
                        reader->values.where, array->name, (*factors)[i], 1e-6, 1e6);
  return TRUE;
}

/* By tensors llama.cpp holds the scaling of Llama 3, and LongRoPE, whose magnitude is a key of its
 * own. */
static gboolean
take_rope_factors (const Reader  *reader,
                   AttnConfig    *config,
                   GError       **error)
{
  AttnRope *rope = &config->ropes[0];
  float *short_factors = NULL;

  if (!read_rope_factors (reader, rope, "rope_factors_long.weight", &rope->long_factors, error) ||
      !read_rope_factors (reader, rope,
                          rope->long_factors != NULL ? "rope_factors_short.weight"
                                                     : "rope_freqs.weight",
                          &short_factors, error))
    {
      g_free (short_factors);
      return FALSE;
    }
  rope->factors = short_factors;
  if (rope->long_factors != NULL)
    {
      g_autofree char *expected = g_strdup_printf ("[%zu]", rope->width / 2);
      g_autofree char *key = make_key (reader, "rope.scaling.original_context_length");
      AttnJsonReader values = reader->values;

      if (rope->factors == NULL)
        return attn_fail (error, ATTN_ERROR_FORMAT,
                          _("%s: no tensor “%s” found, expected one of shape %s"),
                          values.where, "rope_factors_short.weight", expected);
      rope->scaling = ATTN_ROPE_SCALING_LONGROPE;
      rope->n_original =
          attn_json_read_size (&values, key, 1, G_MAXINT32, config->n_positions);
      return attn_json_finish (&values, error);
    }
  if (rope->factors != NULL && rope->scaling == ATTN_ROPE_SCALING_NONE)
    rope->scaling = ATTN_ROPE_SCALING_FACTORS;
  return TRUE;
}

/* By the function that chooses experts, 1 for a softmax and 2 for sigmoids. The first files are
 * silent about it: among them GLM is told by its size, as llama.cpp does. */
static void
tell_latents (Reader *reader)
{
  g_autofree char *function_key = make_key (reader, "expert_gating_func");
  gsize function = attn_json_read_size (&reader->values, function_key, 0, 2, 0);
  gsize n_layers = read_size (reader, "block_count", 0);
  gboolean is_glm =
      read_size (reader, "vocab_size", 0) == 154880 && (n_layers == 47 || n_layers == 48);

  if (function == 2 || (function == 0 && is_glm))
    reader->family = attn_family_lookup (is_glm ? "glm4_moe_lite" : "deepseek_v3", FALSE);
}

/* llama.cpp computes on models of other kinds that share an architecture's name. */
static void
check_kind (Reader *reader)
{
  g_autofree char *experts_key = make_key (reader, "expert_count");
  g_autofree char *window_key = make_key (reader, "attention.sliding_window");
  gsize n_experts = attn_json_read_size (&reader->values, experts_key, 0, G_MAXINT32, 0);

  if (reader->family->latents.width > 0)
    tell_latents (reader);
  if (n_experts > 0 && strcmp (reader->family->model_type, "llama") == 0)
    reader->family = attn_family_lookup ("mixtral", FALSE);
  if (json_object_has_member (reader->values.object, window_key) &&
      strcmp (reader->family->model_type, "olmo2") == 0)
    reader->family = attn_family_lookup ("olmo3", FALSE);
  if (n_experts > 0 && reader->family->experts.n == 0)
    attn_json_fail (&reader->values, ATTN_ERROR_UNSUPPORTED,
                    _("%s: “%s”: a mixture of %zu experts found, expected a model without"),
                    reader->values.where, experts_key, n_experts);
}

/* Keys of attention and positions that are read below or change nothing here; one that is not
 * listed may change the result. */
static void
check_keys (Reader *reader)
{
  static const char * const others[] = {
    "attention.causal",
    "attention.layer_norm_epsilon",
    "attention.layer_norm_rms_epsilon",
    "attention.value_length",
    "attention.scale",
    "rope.dimension_sections", /* of pictures */
    "rope.scale_linear",
    "rope.scaling.type",
    "rope.scaling.factor",
    "rope.scaling.attn_factor",
    "rope.scaling.original_context_length",
    "rope.scaling.finetuned",
    "rope.scaling.yarn_ext_factor",
    "rope.scaling.yarn_attn_factor",
    "rope.scaling.yarn_beta_fast",
    "rope.scaling.yarn_beta_slow",
    NULL,
  };
  static const char * const latent_others[] = {
    "attention.kv_lora_rank",
    "attention.q_lora_rank",
    "attention.key_length_mla",
    "attention.value_length_mla",
    YARN_LOG_MULTIPLIER,
    NULL,
  };
  static const char * const global_others[] = {
    "attention.key_length_swa",
    "attention.value_length_swa",
    "attention.shared_kv_layers",
    "rope.dimension_count_swa",
    NULL,
  };
  gboolean has_delta = reader->family->delta.kernel_width > 0;
  g_autofree char *prefix = make_key (reader, "");
  g_autoptr (GList) keys = json_object_get_members (reader->values.object);

  for (GList *l = keys; l != NULL; l = l->next)
    {
      const char *key = l->data;
      gboolean is_known;

      if (!g_str_has_prefix (key, prefix))
        continue;
      key += strlen (prefix);
      is_known = (!g_str_has_prefix (key, "attention.") && !g_str_has_prefix (key, "rope.")) ||
                 g_strv_contains (others, key) ||
                 (has_delta && strcmp (key, "attention.recurrent_layers") == 0) ||
                 (reader->family->latents.width > 0 && g_strv_contains (latent_others, key)) ||
                 (reader->family->globals.head_width > 0 && g_strv_contains (global_others, key));
      for (gsize i = 0; i < G_N_ELEMENTS (members) && !is_known; i++)
        is_known = strcmp (key, members[i].key) == 0;
      if ((strcmp (key, "attention.clamp_kqv") == 0 && !reader->family->has_projection_limit) ||
          (strcmp (key, "attention.max_alibi_bias") == 0 && reader->family->alibi == 0.0))
        is_known = FALSE;
      if (!is_known)
        attn_json_fail (&reader->values, ATTN_ERROR_UNSUPPORTED,
                        _("%s: “%s” found, expected only keys whose effect is known"),
                        reader->values.where, (const char *) l->data);
    }
}

static void
find_family (Reader *reader)
{
  g_autofree char *known = g_strjoinv (", ", (char **) attn_family_get_names (TRUE));
  const char *architecture = attn_json_read_string (&reader->values, "general.architecture", NULL);

  if (architecture == NULL)
    attn_json_fail (&reader->values, ATTN_ERROR_FORMAT,
                    _("%s: no “general.architecture” found, expected one of %s"),
                    reader->values.where, known);
  else
    reader->family = attn_family_lookup (architecture, TRUE);
  if (reader->family == NULL)
    attn_json_fail (&reader->values, ATTN_ERROR_UNSUPPORTED,
                    _("%s: “general.architecture”: %s found, expected one of %s"),
                    reader->values.where, architecture, known);
}

static gboolean
take_all (Reader  *reader,
          GError **error)
{
  /* Numbers that some families have one of for each layer. */
  static const char * const by_layer[] = { "feed_forward_length", "attention.head_count_kv",
                                           "attention.sliding_window_pattern", NULL };
  g_autofree char *causal_key = make_key (reader, "attention.causal");
  gboolean is_causal =
      attn_json_read_boolean (&reader->values, causal_key, !reader->family->is_bidirectional);

  json_object_set_string_member (reader->object, "model_type", reader->family->model_type);
  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    if (reader->family->globals.head_width == 0 || !g_strv_contains (by_layer, members[i].key))
      take_value (reader, members[i].key, members[i].member, members[i].kind,
                  members[i].is_required &&
                      /* Where each layer has experts, none has a layer of that width. */
                      !(reader->family->experts.n > 0 &&
                        strcmp (members[i].key, "feed_forward_length") == 0));
  /* Layer norms and the others have keys of their own. */
  take_value (reader,
              reader->family->norm == ATTN_NORM_LAYER ? "attention.layer_norm_epsilon"
                                                      : "attention.layer_norm_rms_epsilon",
              "layer_norm_epsilon", KIND_NUMBER, TRUE);
  /* Layers for other purposes are counted, too. */
  gsize n_surplus = get_size_member (reader, "num_nextn_predict_layers");
  json_object_set_int_member (reader->object, "num_hidden_layers",
                              (gint64) get_size_member (reader, "num_hidden_layers") -
                                  (gint64) n_surplus);
  take_heads (reader);
  take_rope_scaling (reader);
  json_object_set_boolean_member (reader->object, "is_decoder", is_causal);
  if (!json_object_has_member (reader->object, "norm_topk_prob"))
    json_object_set_boolean_member (reader->object, "norm_topk_prob",
                                    reader->family->experts.is_normalized_in_gguf);
  if (!json_object_has_member (reader->object, "rope_theta"))
    json_object_set_double_member (reader->object, "rope_theta", 10000.0);
  set_switches (reader);
  take_order (reader);
  take_depth_scale (reader);
  take_delta (reader);
  if (reader->family->globals.head_width > 0)
    take_globals (reader);
  return attn_json_finish (&reader->values, error) && take_vocabulary (reader, error);
}

/**
 * attn_config_load_gguf:
 * @file: a GGUF file
 * @config: (out caller-allocates): what its metadata say, for attn_config_clear()
 * @error: return location: %ATTN_ERROR_FORMAT for a key that is missing or of another type,
 *   %ATTN_ERROR_UNSUPPORTED for an architecture that is not in the table, one of several files, a
 *   mixture of experts or a rotary scaling that is not known, errors of [func@attn_config_load]
 *
 * The activation is the family's, for the metadata do not name it.
 */
gboolean
attn_config_load_gguf (AttnArrayFile  *file,
                       AttnConfig     *config,
                       GError        **error)
{
  g_autoptr (JsonObject) object = json_object_new ();
  AttnJsonReader json = { object, attn_array_file_get_path (file) };
  Reader reader = {
    .file = file,
    .metadata = attn_array_file_get_gguf (file),
    .object = object,
  };

  memset (config, 0, sizeof *config);
  if (reader.metadata == NULL)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: another beginning found, expected that of the GGUF format"),
                      json.where);
  reader.values =
      (AttnJsonReader) { attn_gguf_metadata_get_values (reader.metadata), json.where };
  find_family (&reader);
  if (reader.family != NULL)
    {
      check_kind (&reader);
      check_keys (&reader);
    }
  if (!attn_json_finish (&reader.values, error) || !take_all (&reader, error) ||
      !attn_config_read (&json, config, error))
    return FALSE;

  config->is_gguf = TRUE;
  config->is_input_major = FALSE;
  config->has_input_major_experts = FALSE;
  config->qkv_layout = ATTN_QKV_BY_COMPONENT;
  config->has_paired_rows = reader.family->has_paired_rows;
  config->has_tiled_values = reader.family->has_tiled_values;
  if (config->norm == ATTN_NORM_RMS_OFFSET)
    config->norm = ATTN_NORM_RMS;
  adapt_roles (&reader, config);
  if (config->has_paired_rows && config->ropes[0].width != config->head_width)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: a rotary embedding of width %zu found, expected the head width, %zu"),
                      json.where, config->ropes[0].width, config->head_width);
  return take_rope_factors (&reader, config, error);
}
