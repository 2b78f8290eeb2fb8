/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads a config.json. A member may have several names, one for each family, all of which are read;
 * a missing member has the family's default. */

#include "config.h"

#include "attn-config.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-config-private.h"
#include "attn-error.h"

/* Reads the sizes that may differ between encoder and decoder of a model: layers, heads, inner
 * width, vocabulary. */
static void
read_stack_sizes (AttnJsonReader *json,
                  AttnConfig     *config)
{
  gboolean is_decoder = config->stack == ATTN_STACK_DECODER;
  const struct
  {
    const char *names[2]; /* names of the configuration's member for the encoder, and for the
                           * decoder */
    gsize maximum;
    gsize *value;
  } members[] = {
    { { "encoder_layers", "num_decoder_layers decoder_layers" }, MAX_LAYERS, &config->n_layers },
    { { "encoder_attention_heads", "decoder_attention_heads" }, MAX_WIDTH, &config->n_heads },
    { { "encoder_ffn_dim", "decoder_ffn_dim" }, MAX_WIDTH * 4, &config->mlp_width },
    { { "vocab_size", "decoder_vocab_size" }, MAX_VOCABULARY, &config->vocabulary_size },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    *members[i].value = attn_json_read_size (
        json, attn_config_find_alias (json->object, members[i].names[is_decoder]), 1,
        members[i].maximum, *members[i].value);
}

/* Reads the token with which a decoder's input begins, by default the padding token. */
static void
read_start (AttnJsonReader *json,
            AttnConfig     *config)
{
  const char *member =
      attn_config_find_alias (json->object, "decoder_start_token_id pad_token_id");

  if (config->stack == ATTN_STACK_DECODER && attn_config_has_value (json->object, member))
    config->start_token =
        (gssize) attn_json_read_size (json, member, 0, config->vocabulary_size - 1, 0);
}

static void
read_sizes (AttnJsonReader *json,
            AttnConfig     *config)
{
  const AttnFamily *family = config->family;
  const struct
  {
    const char *names;
    gsize maximum;
    gsize fallback;
    gsize *value;
  } members[] = {
    { "n_layer num_hidden_layers n_layers num_layers depth", MAX_LAYERS, family->sizes.n_layers,
      &config->n_layers },
    { "n_head num_attention_heads n_heads num_heads", MAX_WIDTH, family->sizes.n_heads,
      &config->n_heads },
    { "num_key_value_heads num_kv_heads n_head_kv", MAX_WIDTH, family->sizes.n_key_heads,
      &config->n_key_heads },
    { "head_dim d_kv", MAX_WIDTH, family->sizes.head_width, &config->head_width },
    { "n_embd hidden_size n_embed dim d_model", MAX_WIDTH, family->sizes.width, &config->width },
    { "word_embed_proj_dim embedding_size", MAX_WIDTH, family->sizes.embedding_width,
      &config->embedding_width },
    { "n_inner intermediate_size ffn_dim hidden_dim ffn_hidden_size d_ff", MAX_WIDTH * 4,
      family->sizes.mlp_width, &config->mlp_width },
    { "vocab_size", MAX_VOCABULARY, family->sizes.vocabulary_size, &config->vocabulary_size },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    *members[i].value =
        attn_json_read_size (json, attn_config_find_alias (json->object, members[i].names), 1,
                             members[i].maximum, members[i].fallback);
  config->start_token = -1;
  config->n_groups = config->n_group_layers = 1;
  if (family->repeats_groups)
    {
      config->n_groups =
          attn_json_read_size (json, "num_hidden_groups", 1, config->n_layers, 1);
      config->n_group_layers = attn_json_read_size (json, "inner_group_num", 1,
                                                    MAX (MAX_LAYERS / config->n_layers, 1), 1);
      config->n_layers *= config->n_group_layers;
    }
  if (attn_family_has_decoder (family))
    {
      read_stack_sizes (json, config);
      read_start (json, config);
    }
  if (attn_config_is_null (json->object, "num_key_value_heads"))
    config->n_key_heads = 0;
  if (family->has_multi_query && !attn_config_has_value (json->object, "num_key_value_heads") &&
      !attn_json_read_boolean (json, "new_decoder_architecture", FALSE))
    config->n_key_heads = attn_json_read_boolean (json, "multi_query", TRUE) ? 1 : 0;
}

/* Reads the sizes of latent vectors (DeepSeek) and of the queries, keys and values projected from
 * them, which replace the sizes of the heads. */
static void
read_latents (AttnJsonReader *json,
              AttnConfig     *config)
{
  const AttnFamilyLatents *usual = &config->family->latents;

  if (usual->kv_lora_rank == 0)
    return;
  gsize qk_nope_head_dim =
      attn_json_read_size (json, "qk_nope_head_dim", 1, MAX_WIDTH, usual->qk_nope_head_dim);
  config->qk_rope_head_dim =
      attn_json_read_size (json, "qk_rope_head_dim", 1, MAX_WIDTH, usual->qk_rope_head_dim);
  config->value_width = attn_json_read_size (json, "v_head_dim", 1, MAX_WIDTH, usual->v_head_dim);
  config->kv_lora_rank =
      attn_json_read_size (json, "kv_lora_rank", 1, MAX_WIDTH, usual->kv_lora_rank);
  if (!attn_config_is_null (json->object, "q_lora_rank"))
    config->q_lora_rank =
        attn_json_read_size (json, "q_lora_rank", 1, MAX_WIDTH, usual->q_lora_rank);
  config->head_width = qk_nope_head_dim + config->qk_rope_head_dim;
  config->n_key_heads = config->n_heads;
  if (!attn_json_read_boolean (json, "rope_interleave", TRUE))
    config->positions = ATTN_POSITIONS_ROTARY;
}

/* Derives sizes that the configuration does not give from those that it gives, and checks that all
 * fit each other. */
static void
complete_sizes (AttnJsonReader *json,
                AttnConfig     *config)
{
  if (config->head_width == 0)
    {
      if (config->width % config->n_heads != 0)
        attn_json_fail (json, ATTN_ERROR_SHAPE,
                        _("%s: %zu heads found, expected a number that divides the width, %zu"),
                        json->where, config->n_heads, config->width);
      config->head_width = config->width / config->n_heads;
    }
  if (config->n_key_heads == 0)
    config->n_key_heads = config->n_heads;
  if (config->n_heads % config->n_key_heads != 0)
    attn_json_fail (json, ATTN_ERROR_SHAPE,
                    _("%s: %zu key/value heads found, expected a number that divides the %zu "
                      "heads"),
                    json->where, config->n_key_heads, config->n_heads);
  if (config->value_width == 0)
    config->value_width = config->head_width;
  if (config->qk_rope_head_dim == 0)
    config->qk_rope_head_dim = config->head_width;
  gsize widest = MAX (config->head_width, config->value_width);
  if (config->n_heads * widest > MAX_WIDTH)
    attn_json_fail (json, ATTN_ERROR_LIMIT,
                    _("%s: %zu heads of width %zu found, expected at most %d numbers in all"),
                    json->where, config->n_heads, widest, MAX_WIDTH);
  if (config->embedding_width == 0)
    config->embedding_width = config->width;
  if (config->mlp_width == 0)
    config->mlp_width = 4 * config->width;
  config->layers = g_new0 (AttnLayer, config->n_layers);
  for (gsize i = 0; i < config->n_layers; i++)
    config->layers[i] = (AttnLayer) {
      .n_key_heads = config->n_key_heads,
      .head_width = config->head_width,
      .value_width = config->value_width,
      .source = i,
    };
}

/* The largest number of buckets (ranges) that distances between tokens may be divided into, and the
 * largest @max_distance of #AttnConfig. */
#define MAX_BUCKETS  4096
#define MAX_DISTANCE 65536

static void
read_positions (AttnJsonReader *json,
                AttnConfig     *config)
{
  const AttnFamily *family = config->family;
  const char *member = attn_config_find_alias (
      json->object, "n_positions max_position_embeddings seq_length max_seq_len");
  const char *kind = attn_json_read_string (json, "position_embedding_type", "absolute");
  gsize context =
      attn_json_read_size (json, "n_ctx", 1, MAX_POSITIONS, family->sizes.n_positions);

  config->n_positions = attn_json_read_size (json, member, 1, MAX_POSITIONS, context);
  if (family->counts_offset)
    config->padding_id = attn_json_read_size (json, "pad_token_id", 0, MAX_VOCABULARY,
                                              family->position_offset - 1);
  if (family->chooses_positions)
    attn_config_choose_positions (json, config);
  else if (family->positions == ATTN_POSITIONS_LEARNED && strcmp (kind, "absolute") != 0)
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED,
                    _("%s: “position_embedding_type”: %s found, expected absolute"), json->where,
                    kind);

  if (family->positions == ATTN_POSITIONS_RELATIVE)
    {
      config->n_positions = family->sizes.n_positions;
      config->n_buckets =
          attn_json_read_size (json, "relative_attention_num_buckets", 4, MAX_BUCKETS, 32);
      config->max_distance = attn_json_read_size (json, "relative_attention_max_distance",
                                                  config->n_buckets, MAX_DISTANCE,
                                                  MAX (128, config->n_buckets));
    }
  if (family->has_slowest_sine)
    config->padding_id = attn_json_read_size (json, "pad_token_id", 0, MAX_VOCABULARY,
                                              family->position_offset - 1);
  config->has_padding = family->counts_offset || family->has_slowest_sine;
  config->position_offset =
      config->has_padding ? config->padding_id + 1 : family->position_offset;
  if (!family->counts_offset)
    config->n_position_rows = config->n_positions + config->position_offset;
  else
    {
      config->n_position_rows = config->n_positions;
      config->n_positions -= MIN (config->n_positions, config->position_offset);
    }
  if (config->n_positions == 0)
    attn_json_fail (json, ATTN_ERROR_LIMIT,
                    _("%s: “max_position_embeddings”: %zu found, expected more than the %zu "
                      "before the first position"),
                    json->where, config->n_position_rows, config->position_offset);
}

/* Reads settings of attention: ALiBi, if it replaces the family's usual positions, and
 * “attn_config”, the object in which MosaicML's models have these settings. */
static void
read_attention (AttnJsonReader *json,
                AttnConfig     *config)
{
  const AttnFamily *family = config->family;
  JsonObject *root = json->object;
  JsonObject *own = attn_json_read_object (json, "attn_config");

  if (own != NULL)
    {
      json->object = own;
      attn_config_expect (json, "alibi", TRUE);
      attn_config_expect (json, "prefix_lm", FALSE);
      attn_config_expect (json, "qk_ln", FALSE);
      attn_config_expect (json, "rope", FALSE);
    }
  if (attn_json_read_boolean (json, "alibi", config->positions == ATTN_POSITIONS_ALIBI) &&
      family->alibi > 0.0)
    config->positions = ATTN_POSITIONS_ALIBI;
  if (config->positions == ATTN_POSITIONS_ALIBI)
    config->alibi =
        attn_config_read_number (json, "alibi_bias_max", 1e-3, 1e3, family->alibi);
  if (family->has_projection_limit && attn_config_has_value (json->object, "clip_qkv"))
    config->projection_limit = attn_config_read_number (json, "clip_qkv", 1e-6, 1e9, 1.0);
  if (own != NULL && attn_config_has_value (own, "softmax_scale"))
    {
      double scale = attn_config_read_number (json, "softmax_scale", 1e-6, 1e6, 1.0);

      config->query_scalar = 1.0 / (scale * scale);
    }
  json->object = root;
}

/* Reads the layers of a mixture-of-experts model that have no experts. */
static void
read_dense_layers (AttnJsonReader *json,
                   AttnConfig     *config)
{
  gsize step = attn_json_read_size (json, "decoder_sparse_step", 1, MAX_LAYERS, 1);
  gsize n_first = attn_json_read_size (json, "first_k_dense_replace", 0, MAX_LAYERS,
                                       config->family->experts.n_dense);
  JsonArray *dense = attn_json_read_array (json, "mlp_only_layers");
  JsonArray *types = attn_json_read_array (json, "mlp_layer_types");

  for (gsize i = 0; i < config->n_layers; i++)
    {
      JsonNode *node = types != NULL && i < json_array_get_length (types)
                           ? json_array_get_element (types, (guint) i)
                           : NULL;

      config->layers[i].has_experts =
          node != NULL ? json_node_get_value_type (node) == G_TYPE_STRING &&
                             strcmp (json_node_get_string (node), "sparse") == 0
                       : (i + 1) % step == 0 && i >= n_first;
    }
  for (guint i = 0; dense != NULL && i < json_array_get_length (dense); i++)
    {
      JsonNode *node = json_array_get_element (dense, i);
      gint64 layer = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_int (node) : -1;

      if (layer >= 0 && layer < (gint64) config->n_layers)
        config->layers[layer].has_experts = FALSE;
    }
}

/* Reads how experts are chosen and weighted: the number of groups of experts to choose from, and
 * the factor of the weights. */
static void
read_groups (AttnJsonReader *json,
             AttnConfig     *config)
{
  const AttnFamilyExperts *usual = &config->family->experts;
  const char *method = attn_json_read_string (json, "topk_method", "");
  gboolean has_groups = usual->n_groups > 0 && strcmp (method, "greedy") != 0;

  config->routed_scaling_factor = 1.0;
  if (usual->routed_scaling_factor > 0.0)
    config->routed_scaling_factor =
        attn_config_read_number (json, "routed_scaling_factor", 1e-6, 1e6,
                                 usual->routed_scaling_factor);
  config->n_expert_groups =
      has_groups ? attn_json_read_size (json, "n_group", 1, config->n_experts, usual->n_groups) : 1;
  config->n_used_groups = has_groups
                              ? attn_json_read_size (json, "topk_group", 1,
                                                     config->n_expert_groups,
                                                     MIN (usual->n_used_groups,
                                                          config->n_expert_groups))
                              : 1;
  if (config->n_experts % MAX (config->n_expert_groups, 1) != 0)
    attn_json_fail (json, ATTN_ERROR_SHAPE,
                    _("%s: %zu groups found, expected a number that divides the %zu experts"),
                    json->where, config->n_expert_groups, config->n_experts);
}

static void
read_experts (AttnJsonReader *json,
              AttnConfig     *config)
{
  const AttnFamilyExperts *usual = &config->family->experts;
  const char *member = attn_config_find_alias (
      json->object, "num_experts num_local_experts n_routed_experts");
  gsize shared_width = 0;

  if (usual->n > 0 &&
      (!usual->is_beside || attn_json_read_boolean (json, "enable_moe_block", FALSE)))
    {
      config->n_experts = attn_json_read_size (json, member, 1, MAX_EXPERTS, usual->n);
      config->n_used_experts =
          attn_json_read_size (json,
                               attn_config_find_alias (json->object,
                                                       "num_experts_per_tok top_k_experts"),
                               1, config->n_experts,
                               MIN (usual->n_used, config->n_experts));
      config->expert_width =
          attn_json_read_size (json, "moe_intermediate_size", 1, MAX_WIDTH * 4,
                               usual->width > 0 ? usual->width : config->mlp_width);
      if (usual->shared_width > 0)
        shared_width = attn_json_read_size (json, "shared_expert_intermediate_size", 1,
                                            MAX_WIDTH * 4, usual->shared_width);
      if (usual->n_shared > 0 && !attn_config_is_null (json->object, "n_shared_experts"))
        shared_width = config->expert_width * attn_json_read_size (json, "n_shared_experts", 1,
                                                                   256, usual->n_shared);
      read_groups (json, config);
      config->normalizes_experts =
          attn_json_read_boolean (json, "norm_topk_prob", usual->is_normalized);
      config->has_input_major_experts = usual->is_input_major;
      if (usual->swiglu_alpha > 0.0)
        {
          config->swiglu_alpha =
              attn_config_read_number (json, "swiglu_alpha", 1e-3, 1e3, usual->swiglu_alpha);
          config->swiglu_limit =
              attn_config_read_number (json, "swiglu_limit", 1e-3, 1e9, usual->swiglu_limit);
        }
      read_dense_layers (json, config);
    }
  for (gsize i = 0; i < config->n_layers; i++)
    config->layers[i].mlp_width =
        config->layers[i].has_experts && !usual->is_beside ? shared_width : config->mlp_width;
}

/* Reads the scaling factors of Granite, MiniCPM and Cohere, each under its own names. */
static void
read_multipliers (AttnJsonReader *json,
                  AttnConfig     *config)
{
  const AttnFamily *family = config->family;
  /* Whisper's configurations have “scale_embedding”, too, but its published code ignores it. */
  gboolean may_scale = attn_family_has_decoder (family) && family->sounds.n_bins == 0;
  double residual_multiplier = 1.0, logit_divisor = 1.0;

  config->residual_multiplier = config->logit_scale = 1.0;
  config->embedding_multiplier =
      family->has_embedding_scale ||
              (may_scale &&
               attn_json_read_boolean (json, "scale_embedding", family->scales_embedding))
          ? sqrt ((double) config->width)
          : 1.0;
  if (family->scales_tied_logits && !config->has_own_logits)
    config->logit_scale = 1.0 / sqrt ((double) config->width);
  if (family->logit_scale > 0.0)
    config->logit_scale =
        attn_config_read_number (json, "logit_scale", 1e-6, 1e6, family->logit_scale);
  if (!family->has_multipliers)
    return;
  if (family->has_depth_scale)
    {
      residual_multiplier = attn_config_read_number (json, "scale_depth", 1e-6, 1e6, 1.0) /
                            sqrt ((double) config->n_layers);
      logit_divisor = (double) config->width /
                      (double) attn_json_read_size (json, "dim_model_base", 1, MAX_WIDTH, 1);
    }
  double score_factor = attn_config_read_number (json, "attention_multiplier", 1e-6, 1e6,
                                                 1.0 / sqrt (config->query_scalar));
  config->embedding_multiplier = attn_config_read_number (
      json, attn_config_find_alias (json->object, "embedding_multiplier scale_emb"), 1e-6, 1e6,
      1.0);
  config->residual_multiplier =
      attn_config_read_number (json, "residual_multiplier", 1e-6, 1e6, residual_multiplier);
  config->logit_scale =
      1.0 / attn_config_read_number (json, "logits_scaling", 1e-6, 1e6, logit_divisor);
  config->query_scalar = 1.0 / (score_factor * score_factor);
}

/* Reads the soft limit c of scores or logits, see @attn_logit_softcap, or 0 for none. A member that
 * is null means none, even if the family has a default. */
static double
read_softcap (AttnJsonReader *json,
              const char     *member,
              double          fallback)
{
  if (attn_config_is_null (json->object, member))
    fallback = 0.0;
  return fallback == 0.0 && !attn_config_has_value (json->object, member)
             ? 0.0
             : attn_config_read_number (json, member, 1e-3, 1e9, fallback);
}

static void
read_scales (AttnJsonReader *json,
             AttnConfig     *config)
{
  const AttnFamily *family = config->family;
  const char *member =
      attn_config_find_alias (json->object,
                              "layer_norm_epsilon layer_norm_eps rms_norm_eps norm_epsilon "
                              "norm_eps");
  double head_width = (double) config->head_width;

  config->has_layer_scale = attn_json_read_boolean (json, "scale_attn_by_inverse_layer_idx", FALSE);
  config->has_own_logits =
      !attn_json_read_boolean (json, "tie_word_embeddings", !family->has_own_logits);
  config->norm_epsilon =
      attn_config_read_number (json, member, 0.0, 1.0, family->norm_epsilon);
  config->query_scalar =
      attn_config_read_number (json, "query_pre_attn_scalar", 1e-3, 1e9,
                               family->query_scalar > 0.0 ? family->query_scalar : head_width);
  if (family->has_plain_scores || !attn_json_read_boolean (json, "scale_attn_weights", TRUE))
    config->query_scalar = 1.0;
  config->attn_logit_softcap =
      read_softcap (json, "attn_logit_softcapping", family->attn_logit_softcap);
  config->final_logit_softcap =
      read_softcap (json, "final_logit_softcapping", family->final_logit_softcap);
}

/* Finds the family of one half of a vision-language model, the vision encoder or the language
 * model, from the “vision_config” or “text_config” of its configuration. */
static const AttnFamily *
find_half (AttnJsonReader  *json,
           const AttnSight *sight,
           AttnStack        stack)
{
  gboolean is_vision = stack == ATTN_STACK_VISION;
  const char *member = is_vision ? "vision_config" : "text_config";
  const char *name = attn_json_read_inner_string (json, member, "model_type");

  if (!attn_config_has_value (json->object, member) && (is_vision || !sight->is_flat))
    attn_json_fail (json, ATTN_ERROR_FORMAT,
                    _("%s: no “%s” found, expected one in the configuration of a model that sees"),
                    json->where, member);
  if (name == NULL)
    name = is_vision ? sight->vision_type : sight->text_type;
  const AttnFamily *family = attn_family_lookup (name, FALSE);
  if (family != NULL && (family->pictures.patch_size > 0) == is_vision)
    return family;
  attn_json_fail (json, ATTN_ERROR_UNSUPPORTED,
                  is_vision ? _("%s: “vision_config”: “%s” found, expected a family of pictures")
                            : _("%s: “text_config”: “%s” found, expected a family of texts"),
                  json->where, name);
  return NULL;
}

/* Finds the row of the table of vision-language models, or NULL for another model. Some model types
 * are also those of a model of texts; they have vision only if the configuration has
 * “vision_config”. */
static const AttnSight *
find_sight (AttnJsonReader *json,
            const char     *model_type)
{
  const AttnSight *sight = model_type != NULL ? attn_sight_lookup (model_type) : NULL;

  return sight == NULL || attn_config_has_value (json->object, "vision_config") ||
                 attn_family_lookup (model_type, FALSE) == NULL
             ? sight
             : NULL;
}

static void
read_family (AttnJsonReader *json,
             AttnConfig     *config)
{
  const char *model_type = attn_json_read_string (json, "model_type", NULL);
  g_autofree char *known = g_strjoinv (", ", (char **) attn_sight_get_families ());

  config->sight = find_sight (json, model_type);
  if (config->sight != NULL)
    config->family = find_half (json, config->sight, config->stack);
  else
    config->family = model_type != NULL ? attn_family_lookup (model_type, FALSE) : NULL;
  if (config->family != NULL && config->stack == ATTN_STACK_TEXT)
    config->family = attn_family_lookup (config->family->text_family, FALSE);
  if (model_type == NULL)
    attn_json_fail (json, ATTN_ERROR_FORMAT, _("%s: no “model_type” found, expected one of %s"),
                    json->where, known);
  else if (config->family == NULL)
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED,
                    _("%s: “model_type”: %s found, expected one of %s"), json->where, model_type,
                    known);
  if (config->family == NULL)
    return;
  config->prefix = config->family->prefix;
  if (config->sight != NULL)
    config->prefix = config->stack == ATTN_STACK_VISION ? config->sight->vision_prefix
                                                        : config->sight->text_prefix;
  config->norm = config->family->norm;
  config->is_input_major = config->family->is_input_major;
  config->qkv_layout = config->family->qkv_layout;
  config->positions = config->family->positions;
}

/**
 * attn_config_read:
 * @json: at the root of a config.json
 * @stack: the stack of layers whose configuration is read
 * @config: (out caller-allocates): to be cleared with attn_config_clear() even on failure
 * @error: return location: errors of [func@attn_config_load], except those of reading a file
 */
gboolean
attn_config_read (AttnJsonReader  *json,
                  AttnStack        stack,
                  AttnConfig      *config,
                  GError         **error)
{
  /* Members of the root of config.json that also hold for the object of a half (encoder or decoder,
   * vision or text), unless the object has its own. */
  static const char * const shared[] = { "tie_word_embeddings", "quantization_config",
                                         "quantization" };

  memset (config, 0, sizeof *config);
  config->stack = stack;
  read_family (json, config);
  /* The configuration of a model of pictures and texts has one object for the vision half and one
   * for the text half. */
  gboolean has_pictures = config->family != NULL && config->family->pictures.patch_size > 0;
  JsonObject *root = json->object;
  JsonObject *text =
      attn_json_read_object (json, has_pictures ? "vision_config" : "text_config");
  if (text != NULL)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (shared); i++)
        {
          JsonNode *node = json_object_get_member (json->object, shared[i]);

          if (!json_object_has_member (text, shared[i]) && node != NULL)
            json_object_set_member (text, shared[i], json_node_copy (node));
        }
      json->object = text;
    }
  if (!attn_json_finish (json, error))
    return FALSE;
  attn_schemes_read_config (json, &config->quantization);
  read_sizes (json, config);
  read_latents (json, config);
  complete_sizes (json, config);
  read_positions (json, config);
  read_scales (json, config);
  read_attention (json, config);
  attn_config_read_windows (json, config);
  read_experts (json, config);
  if (config->family->globals.head_width > 0)
    attn_config_read_globals (json, config);
  attn_config_read_rope (json, config);
  attn_config_read_activation (json, config);
  attn_config_read_roles (json, config);
  if (has_pictures)
    attn_config_read_pictures (json, config);
  if (config->sight != NULL)
    attn_config_read_sight (json, root, config);
  if (config->family->sounds.n_bins > 0)
    attn_config_read_sounds (json, config);
  if (config->family->has_mask_dropout)
    attn_config_read_residues (json, config);
  attn_config_check_unsupported (json, config);
  attn_config_read_layer_ropes (json, config);
  read_multipliers (json, config);
  return attn_json_finish (json, error);
}

/* Reads how matrices are quantized from the first existing file beside @path that may tell it, such
 * as quantize_config.json. */
static gboolean
load_beside (const char        *path,
             AttnQuantization  *quantization,
             GError           **error)
{
  g_autofree char *directory = g_path_get_dirname (path);
  const char *name;

  for (gsize i = 0; (name = attn_schemes_get_beside (i)) != NULL; i++)
    {
      g_autofree char *beside = g_build_filename (directory, name, NULL);

      if (!g_file_test (beside, G_FILE_TEST_EXISTS))
        continue;

      g_autoptr (JsonNode) root = attn_json_load (beside, error);
      g_autofree char *where = g_filename_display_name (beside);
      if (root == NULL)
        return FALSE;
      AttnJsonReader json = attn_json_begin (root, where);
      attn_schemes_read_beside (&json, i, quantization);
      return attn_json_finish (&json, error);
    }
  return TRUE;
}

/**
 * attn_config_load:
 * @path: a config.json; if it does not say how matrices are quantized, a quantize_config.json or
 *   hf_quant_config.json beside it may
 * @stack: the stack of layers whose configuration is read
 * @config: (out caller-allocates): the configuration, for attn_config_clear()
 * @error: return location: #GFileError, %ATTN_ERROR_FORMAT for what is no JSON object or a member
 *   of another type, %ATTN_ERROR_LIMIT for numbers out of range, %ATTN_ERROR_UNSUPPORTED for a
 *   family or activation that is not in the table, %ATTN_ERROR_SHAPE for heads that do not divide
 *   the width or each other
 */
gboolean
attn_config_load (const char  *path,
                  AttnStack    stack,
                  AttnConfig  *config,
                  GError     **error)
{
  g_autoptr (JsonNode) root = attn_json_load (path, error);
  g_autofree char *where = g_filename_display_name (path);

  if (root == NULL)
    return FALSE;
  AttnJsonReader json = attn_json_begin (root, where);
  return attn_config_read (&json, stack, config, error) &&
         (attn_schemes_has_config (&json) || load_beside (path, &config->quantization, error));
}

/* Frees everything that a configuration owns, but not the structure itself. */
void
attn_config_clear (AttnConfig *config)
{
  for (gsize i = 0; i < ATTN_N_ROPES; i++)
    {
      g_clear_pointer (&config->ropes[i].factors, g_free);
      g_clear_pointer (&config->ropes[i].long_factors, g_free);
    }
  g_clear_pointer (&config->layers, g_free);
  g_clear_pointer (&config->quantization.rules, attn_scheme_rules_free);
  g_clear_pointer (&config->pictures.labels, g_strfreev);
}

/**
 * attn_config_get_position_scheme:
 *
 * Returns: (transfer none): how the model takes in positions, in English, "rotary, YaRN scaling";
 *   windows translate it with gettext
 */
const char *
attn_config_get_position_scheme (const AttnConfig *config)
{
  static const char * const rotary_names[] = {
    /* Translators: how a model takes in the positions of tokens; names in capitals stay */
    [ATTN_ROPE_SCALING_NONE] = N_("rotary"),
    [ATTN_ROPE_SCALING_LINEAR] = N_("rotary, linear scaling"),
    [ATTN_ROPE_SCALING_DYNAMIC] = N_("rotary, dynamic scaling"),
    [ATTN_ROPE_SCALING_LLAMA3] = N_("rotary, llama3 scaling"),
    [ATTN_ROPE_SCALING_YARN] = N_("rotary, YaRN scaling"),
    [ATTN_ROPE_SCALING_LONGROPE] = N_("rotary, LongRoPE scaling"),
    [ATTN_ROPE_SCALING_FACTORS] = N_("rotary, scaled by frequency"),
  };

  if (config->positions == ATTN_POSITIONS_LEARNED)
    /* Translators: the embeddings of positions are learned */
    return N_("learned");
  if (config->positions == ATTN_POSITIONS_ALIBI)
    return "ALiBi";
  if (config->positions == ATTN_POSITIONS_SINES)
    /* Translators: positions are told by sines of several frequencies */
    return N_("sinusoidal");
  if (config->positions == ATTN_POSITIONS_RELATIVE)
    /* Translators: of each distance between two tokens a number is learned */
    return N_("relative");
  return rotary_names[config->ropes[0].scaling];
}
