/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Translates the metadata of a GGUF file into the members of a config.json, so that
 * attn_config_read() reads both. The keys and their meaning are those of gguf-py/gguf/constants.py
 * and llama_model::load_hparams() of llama.cpp. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-config-gguf-private.h"
#include "attn-error.h"

/* Keys of the metadata without "ARCHITECTURE." before them, and the members of config.json that
 * they become. A missing key leaves its member out, unless llama.cpp has another default than the
 * family's row. */
static const struct
{
  const char *key;
  const char *member;
  AttnGgufKind kind;
  gboolean is_required;
} members[] = {
  { "block_count", "num_hidden_layers", ATTN_GGUF_SIZE, TRUE },
  { "embedding_length", "hidden_size", ATTN_GGUF_SIZE, TRUE },
  { "feed_forward_length", "intermediate_size", ATTN_GGUF_SIZE, TRUE },
  { "context_length", "max_position_embeddings", ATTN_GGUF_SIZE, TRUE },
  { "attention.head_count", "num_attention_heads", ATTN_GGUF_SIZE, TRUE },
  { "attention.head_count_kv", "num_key_value_heads", ATTN_GGUF_SIZE, FALSE },
  { "attention.key_length", "head_dim", ATTN_GGUF_SIZE, FALSE },
  { "vocab_size", "vocab_size", ATTN_GGUF_SIZE, FALSE },
  { "rope.dimension_count", "rotary_dim", ATTN_GGUF_SIZE, FALSE },
  { "rope.freq_base", "rope_theta", ATTN_GGUF_NUMBER, FALSE },
  { "attention.sliding_window", "sliding_window", ATTN_GGUF_SIZE, FALSE },
  { "attention.sliding_window_pattern", "sliding_window_pattern", ATTN_GGUF_SIZE, FALSE },
  { "rope.freq_base_swa", "rope_local_base_freq", ATTN_GGUF_NUMBER, FALSE },
  { "attn_logit_softcapping", "attn_logit_softcapping", ATTN_GGUF_NUMBER, FALSE },
  { "final_logit_softcapping", "final_logit_softcapping", ATTN_GGUF_NUMBER, FALSE },
  { "embedding_scale", "embedding_multiplier", ATTN_GGUF_NUMBER, FALSE },
  { "residual_scale", "residual_multiplier", ATTN_GGUF_NUMBER, FALSE },
  { "logit_scale", "logits_scaling", ATTN_GGUF_NUMBER, FALSE }, /* a divisor of the logits */
  { "logit_scale", "logit_scale", ATTN_GGUF_NUMBER, FALSE },    /* a factor of them; no family reads
                                                                 * both divisor and factor */
  { "attention.clamp_kqv", "clip_qkv", ATTN_GGUF_NUMBER, FALSE },
  { "attention.max_alibi_bias", "alibi_bias_max", ATTN_GGUF_NUMBER, FALSE },
  { "expert_count", "num_experts", ATTN_GGUF_SIZE, FALSE },
  { "expert_used_count", "num_experts_per_tok", ATTN_GGUF_SIZE, FALSE },
  { "expert_feed_forward_length", "moe_intermediate_size", ATTN_GGUF_SIZE, FALSE },
  { "expert_shared_feed_forward_length", "shared_expert_intermediate_size", ATTN_GGUF_SIZE, FALSE },
  { "expert_weights_norm", "norm_topk_prob", ATTN_GGUF_BOOLEAN, FALSE },
  { "use_parallel_residual", "use_parallel_residual", ATTN_GGUF_BOOLEAN, FALSE },
  { "full_attention_interval", "full_attention_interval", ATTN_GGUF_SIZE, FALSE },
  { "ssm.conv_kernel", "linear_conv_kernel_dim", ATTN_GGUF_SIZE, FALSE },
  { "ssm.state_size", "linear_key_head_dim", ATTN_GGUF_SIZE, FALSE },
  { "ssm.group_count", "linear_num_key_heads", ATTN_GGUF_SIZE, FALSE },
  { "ssm.time_step_rank", "linear_num_value_heads", ATTN_GGUF_SIZE, FALSE },
  { "nextn_predict_layers", "num_nextn_predict_layers", ATTN_GGUF_SIZE, FALSE },
};

/* Translates the numbers of heads and their widths, with the defaults of llama.cpp, from the
 * metadata of a GGUF file. */
static void
take_heads (AttnGgufReader *reader)
{
  g_autofree char *value_key = attn_gguf_reader_make_key (reader, "attention.value_length");
  g_autofree char *scale_key = attn_gguf_reader_make_key (reader, "attention.scale");
  gsize width = attn_gguf_reader_get_size (reader, "hidden_size");
  gsize n_heads = MAX (attn_gguf_reader_get_size (reader, "num_attention_heads"), 1);
  gsize head_width = attn_gguf_reader_get_size (reader, "head_dim");
  double scale = attn_json_read_number (&reader->values, scale_key, 0.0);

  if (!attn_config_has_value (reader->object, "num_key_value_heads"))
    json_object_set_int_member (reader->object, "num_key_value_heads", (gint64) n_heads);
  if (reader->family->latents.kv_lora_rank > 0)
    {
      attn_gguf_reader_take_latents (reader);
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
  /* Gemma's model of 27B parameters scales its scores by another number than the smaller models;
   * only its number of layers tells it from them. */
  if (scale > 0.0)
    json_object_set_double_member (reader->object, "query_pre_attn_scalar", 1.0 / (scale * scale));
  else if (reader->family->query_scalar > 0.0 && head_width > 0)
    {
      gboolean is_large = attn_gguf_reader_get_size (reader, "num_hidden_layers") ==
                          reader->family->large_layers;

      json_object_set_int_member (reader->object, "query_pre_attn_scalar",
                                  (gint64) (is_large ? width / n_heads : head_width));
    }
}

/* Sets “vocab_size”, if the metadata do not have it, to the number of tokens in the metadata's
 * tokenizer, or else to the number of rows of the token embedding. */
static gboolean
take_vocabulary (AttnGgufReader  *reader,
                 GError         **error)
{
  g_autofree char *name =
      attn_family_dup_name (reader->family, ATTN_STACK_ONLY, TRUE, ATTN_ROLE_TOKEN_EMBEDDING,
                            ATTN_SLOT_WEIGHT, 0);
  const AttnArray *embedding = attn_array_file_lookup (reader->file, name);
  const AttnGgufString *strings;
  gsize n_tokens = attn_gguf_reader_get_size (reader, "vocab_size");
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

/* Switches on all optional tensors of the family. adapt_roles() switches off those that the file
 * does not have. */
static void
set_switches (AttnGgufReader *reader)
{
  static const char * const switches[] = { "attention_bias", "mlp_bias", "qk_layernorm" };

  for (gsize i = 0; i < G_N_ELEMENTS (switches); i++)
    json_object_set_boolean_member (reader->object, switches[i], TRUE);
  /* In a file without a matrix of the logits, the token embedding is also that matrix. */
  json_object_set_boolean_member (reader->object, "tie_word_embeddings", TRUE);
}

static gboolean
has_slot (const AttnGgufReader *reader,
          AttnRole              role,
          AttnSlot              slot)
{
  g_autofree char *name = attn_family_dup_name (reader->family, ATTN_STACK_ONLY, TRUE, role,
                                                slot, 0);

  return name != NULL && attn_array_file_lookup (reader->file, name) != NULL;
}

static gboolean
has_role (const AttnGgufReader *reader,
          AttnRole              role)
{
  return has_slot (reader, role, ATTN_SLOT_WEIGHT);
}

/* Tells from the norms in the file, as llama.cpp does, whether attention and feed-forward layer
 * have the same input (parallel), and whether they share one norm. */
static void
take_order (AttnGgufReader *reader)
{
  gboolean has_both = has_role (reader, ATTN_ROLE_ATTENTION_NORM) &&
                      has_role (reader, ATTN_ROLE_MLP_NORM);

  if (!reader->family->shares_parallel_norm)
    return;
  if (reader->family->order == ATTN_ORDER_PARALLEL)
    json_object_set_int_member (reader->object, "num_ln_in_parallel_attn", has_both ? 2 : 1);
  else
    json_object_set_boolean_member (reader->object, "use_parallel_residual", !has_both);
}

/* Sets the scaling factors of MiniCPM, which its early GGUF files lack, to those of its models of
 * 2024. */
static void
take_depth_scale (AttnGgufReader *reader)
{
  if (!reader->family->has_depth_scale ||
      attn_config_has_value (reader->object, "embedding_multiplier"))
    return;
  json_object_set_double_member (reader->object, "scale_emb", 12.0);
  json_object_set_double_member (reader->object, "scale_depth", 1.4);
  json_object_set_int_member (reader->object, "dim_model_base", 256);
}

/* Tells from the tensors in the file whether layers of linear attention have one fused matrix, as
 * in older files, or two separate ones, and requires these. */
static void
choose_delta_roles (const AttnGgufReader *reader,
                    AttnConfig           *config)
{
  static const AttnRole choices[][3] = {
    { ATTN_ROLE_DELTA_QKV_GATE, ATTN_ROLE_DELTA_QKV, ATTN_ROLE_DELTA_GATE },
    { ATTN_ROLE_DELTA_STRENGTH_DECAY, ATTN_ROLE_DELTA_STRENGTH, ATTN_ROLE_DELTA_DECAY },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (choices); i++)
    {
      AttnRoles one = ATTN_ROLE_BIT (choices[i][0]);
      AttnRoles two = ATTN_ROLE_BIT (choices[i][1]) | ATTN_ROLE_BIT (choices[i][2]);

      config->roles[ATTN_SLOT_WEIGHT] |= one | two;
      config->roles[ATTN_SLOT_WEIGHT] &= ~(has_role (reader, choices[i][0]) ? two : one);
    }
}

/* Requires the weights and biases of roles of a layer. adapt_roles() drops biases that the file
 * does not have. */
static void
add_roles (AttnConfig *config,
           AttnRoles   roles)
{
  for (AttnSlot slot = 0; slot < ATTN_N_SLOTS; slot++)
    config->roles[slot] |= roles;
}

/* Adapts the tensors that the file must have to those that it has. Its first layer tells whether
 * queries, keys and values share a matrix, and whether optional biases and norms exist. GGUF files
 * never have the head of a masked language model, so its logits are dropped, too. */
static void
adapt_roles (const AttnGgufReader *reader,
             AttnConfig           *config)
{
  static const AttnRole head_roles[] = { ATTN_ROLE_HEAD, ATTN_ROLE_HEAD_NORM, ATTN_ROLE_LOGITS };
  const AttnRoles fused = ATTN_ROLE_BIT (ATTN_ROLE_QKV);
  const AttnRoles separate = ATTN_ROLE_BIT (ATTN_ROLE_QUERY) | ATTN_ROLE_BIT (ATTN_ROLE_KEY) |
                             ATTN_ROLE_BIT (ATTN_ROLE_VALUE);
  const AttnFamily *family = reader->family;
  /* Factors of the experts' weights are scales of the experts' last matrix in a GGUF file, so no
   * tensor has their role. */
  const AttnRoles factors =
      ATTN_ROLE_BIT (ATTN_ROLE_EXPERT_FACTORS) |
      (has_role (reader, ATTN_ROLE_LAYER_FACTOR) ? 0 : ATTN_ROLE_BIT (ATTN_ROLE_LAYER_FACTOR));
  const AttnRoles heads =
      ATTN_ROLE_BIT (ATTN_ROLE_K_B) | ATTN_ROLE_BIT (ATTN_ROLE_V_B);
  gboolean has_head = attn_config_has_role (config, ATTN_ROLE_HEAD);
  gboolean is_fused = has_role (reader, ATTN_ROLE_QKV) && !family->has_paired_rows &&
                      family->delta.kernel_width == 0;
  AttnRoles optional[ATTN_N_SLOTS] = { 0 };

  for (gsize i = 0; has_head && i < G_N_ELEMENTS (head_roles); i++)
    attn_config_drop_role (config, head_roles[i]);
  if (attn_config_has_role (config, ATTN_ROLE_EXPERT_GATE_UP))
    {
      attn_config_drop_role (config, ATTN_ROLE_EXPERT_GATE_UP);
      add_roles (config, ATTN_ROLE_BIT (ATTN_ROLE_EXPERT_GATE) |
                             ATTN_ROLE_BIT (ATTN_ROLE_EXPERT_UP));
    }
  if (family->latents.kv_lora_rank == 0)
    {
      add_roles (config, fused | separate);
      config->roles[ATTN_SLOT_WEIGHT] &= is_fused ? ~separate : ~fused;
    }
  else if (!has_role (reader, ATTN_ROLE_KV_B))
    {
      attn_config_drop_role (config, ATTN_ROLE_KV_B);
      config->roles[ATTN_SLOT_WEIGHT] |= heads;
    }
  config->roles[ATTN_SLOT_WEIGHT] &= ~factors;
  if (family->delta.kernel_width > 0)
    choose_delta_roles (reader, config);
  if (!family->has_attention_bias || family->may_lack_attention_bias)
    optional[ATTN_SLOT_BIAS] |= ATTN_ATTENTION_ROLES;
  if (!family->has_mlp_bias)
    optional[ATTN_SLOT_BIAS] |= ATTN_MLP_ROLES;
  for (AttnSlot slot = 0; slot < ATTN_N_SLOTS && !family->has_query_key_norm; slot++)
    optional[slot] |= ATTN_QUERY_KEY_NORMS;
  for (AttnRole role = ATTN_FIRST_LAYER_ROLE; role < ATTN_N_ROLES; role++)
    for (AttnSlot slot = 0; slot < ATTN_N_SLOTS; slot++)
      if ((optional[slot] & ATTN_ROLE_BIT (role)) != 0 && !has_slot (reader, role, slot))
        config->roles[slot] &= ~ATTN_ROLE_BIT (role);
}

/* Tells apart the families with latent keys, which share an architecture, by “expert_gating_func”,
 * the function that scores experts: 1 for a softmax, 2 for sigmoids. In early files, which lack
 * this key, GLM is recognized by its size, as in llama.cpp. */
static void
tell_latents (AttnGgufReader *reader)
{
  g_autofree char *function_key = attn_gguf_reader_make_key (reader, "expert_gating_func");
  gsize function = attn_json_read_size (&reader->values, function_key, 0, 2, 0);
  gsize n_layers = attn_gguf_reader_read_size (reader, "block_count", 0);
  gsize n_tokens = attn_gguf_reader_read_size (reader, "vocab_size", 0);
  gboolean is_glm = n_tokens == 154880 && (n_layers == 47 || n_layers == 48);

  if (function == 2 || (function == 0 && is_glm))
    reader->family = attn_family_lookup (is_glm ? "glm4_moe_lite" : "deepseek_v3", FALSE);
}

/* Chooses between families that have the same architecture in GGUF files. Sets an error if the file
 * has experts and its family has none. */
static void
check_kind (AttnGgufReader *reader)
{
  g_autofree char *experts_key = attn_gguf_reader_make_key (reader, "expert_count");
  g_autofree char *window_key = attn_gguf_reader_make_key (reader, "attention.sliding_window");
  gsize n_experts = attn_json_read_size (&reader->values, experts_key, 0, G_MAXINT32, 0);

  if (reader->family->latents.kv_lora_rank > 0)
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

/* Refuses keys about attention and positions that are not in the lists of those that are read or
 * have no effect, since an unknown key might change the result. */
static void
check_keys (AttnGgufReader *reader)
{
  static const char * const others[] = {
    "attention.causal",
    "attention.layer_norm_epsilon",
    "attention.layer_norm_rms_epsilon",
    "attention.value_length",
    "attention.scale",
    "rope.dimension_sections", /* concerns tokens of pictures only */
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
    ATTN_GGUF_YARN_LOG_MULTIPLIER,
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
  gboolean has_latents = reader->family->latents.kv_lora_rank > 0;
  g_autofree char *prefix = attn_gguf_reader_make_key (reader, "");
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
                 (has_latents && g_strv_contains (latent_others, key)) ||
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
find_family (AttnGgufReader *reader)
{
  g_autofree char *known = g_strjoinv (", ", (char **) attn_family_get_names (TRUE));
  const char *architecture = attn_json_read_string (&reader->values, "general.architecture", NULL);
  const char *type = attn_json_read_string (&reader->values, "general.type", "model");

  /* A GGUF file of another type, such as “adapter”, also names the architecture of its model, so
   * the architecture does not tell it from a model. */
  if (!g_str_equal (type, "model"))
    attn_json_fail (&reader->values, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected %s"),
                    reader->values.where, "general.type", type, "model");
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
take_all (AttnGgufReader  *reader,
          GError         **error)
{
  /* Keys of metadata that may be a list with a number for each layer, in families whose layers
   * differ; attn_gguf_reader_take_globals() reads these lists. */
  static const char * const by_layer[] = { "feed_forward_length", "attention.head_count_kv",
                                           "attention.sliding_window_pattern", NULL };
  g_autofree char *causal_key = attn_gguf_reader_make_key (reader, "attention.causal");
  gboolean is_causal =
      attn_json_read_boolean (&reader->values, causal_key, !reader->family->is_bidirectional);

  json_object_set_string_member (reader->object, "model_type", reader->family->model_type);
  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    if (reader->family->globals.head_width == 0 || !g_strv_contains (by_layer, members[i].key))
      attn_gguf_reader_take (reader, members[i].key, members[i].member, members[i].kind,
                             members[i].is_required &&
                                 /* A family with experts does not require the width of the
                                  * feed-forward layer, which layers with experts do not use. */
                                 !(reader->family->experts.n > 0 &&
                                   strcmp (members[i].key, "feed_forward_length") == 0));
  /* The key of the norms' epsilon has another name for RMS norms than for layer norms. */
  const char *epsilon_name = reader->family->norm == ATTN_NORM_LAYER
                                 ? "attention.layer_norm_epsilon"
                                 : "attention.layer_norm_rms_epsilon";
  attn_gguf_reader_take (reader, epsilon_name, "layer_norm_epsilon", ATTN_GGUF_NUMBER, TRUE);
  /* The number of layers in the metadata includes surplus ones for predicting several tokens at
   * once, which are left out. */
  gsize n_surplus = attn_gguf_reader_get_size (reader, "num_nextn_predict_layers");
  json_object_set_int_member (reader->object, "num_hidden_layers",
                              (gint64) attn_gguf_reader_get_size (reader, "num_hidden_layers") -
                                  (gint64) n_surplus);
  take_heads (reader);
  attn_gguf_reader_take_rope_scaling (reader);
  json_object_set_boolean_member (reader->object, "is_decoder", is_causal);
  if (!json_object_has_member (reader->object, "norm_topk_prob"))
    json_object_set_boolean_member (reader->object, "norm_topk_prob",
                                    reader->family->experts.is_normalized_in_gguf);
  if (!json_object_has_member (reader->object, "rope_theta"))
    json_object_set_double_member (reader->object, "rope_theta", 10000.0);
  set_switches (reader);
  take_order (reader);
  take_depth_scale (reader);
  attn_gguf_reader_take_delta (reader);
  if (reader->family->globals.head_width > 0)
    attn_gguf_reader_take_globals (reader);
  return attn_json_finish (&reader->values, error) && take_vocabulary (reader, error);
}

/**
 * attn_config_load_gguf:
 * @file: a GGUF file
 * @config: (out caller-allocates): the configuration in its metadata, for attn_config_clear()
 * @error: return location: %ATTN_ERROR_FORMAT for a key that is missing or of another type,
 *   %ATTN_ERROR_UNSUPPORTED for an architecture that is not in the table, one of several files, a
 *   mixture of experts or a rotary scaling that is not known, errors of [func@attn_config_load]
 *
 * Reads a configuration from the file's metadata. The activation is the family's default, for the
 * metadata do not name it.
 */
gboolean
attn_config_load_gguf (AttnArrayFile  *file,
                       AttnConfig     *config,
                       GError        **error)
{
  g_autoptr (JsonObject) object = json_object_new ();
  AttnJsonReader json = { object, attn_array_file_get_path (file) };
  AttnGgufReader reader = {
    .file = file,
    .metadata = attn_array_file_get_gguf (file),
    .object = object,
  };

  memset (config, 0, sizeof *config);
  if (reader.metadata == NULL)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: other first bytes found, expected those of the GGUF format"),
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
      !attn_config_read (&json, ATTN_STACK_ONLY, config, error))
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
  return attn_gguf_reader_take_rope_factors (&reader, config, error);
}
