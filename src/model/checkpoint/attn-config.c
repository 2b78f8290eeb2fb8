/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-config-private.h"
#include "attn-error.h"
#include "attn-json.h"

/* Names as in the Hugging Face configurations. */
static const struct
{
  const char *name;
  AttnActivation activation;
} activations[] = {
  { "gelu", ATTN_ACTIVATION_GELU },
  { "gelu_python", ATTN_ACTIVATION_GELU },
  { "gelu_new", ATTN_ACTIVATION_GELU_TANH },
  { "gelu_fast", ATTN_ACTIVATION_GELU_TANH },
  { "gelu_pytorch_tanh", ATTN_ACTIVATION_GELU_TANH },
  { "quick_gelu", ATTN_ACTIVATION_GELU_FAST },
  { "relu", ATTN_ACTIVATION_RELU },
  { "silu", ATTN_ACTIVATION_SILU },
  { "swish", ATTN_ACTIVATION_SILU },
  { "tanh", ATTN_ACTIVATION_TANH },
};

static gboolean
read_activation (JsonObject  *object,
                 const char  *where,
                 AttnConfig  *config,
                 GError     **error)
{
  const char *member = config->family->activation_member;
  const char *name;

  if (member == NULL)
    member = attn_config_find_alias (object, "activation_function hidden_act activation");
  if (!attn_json_get_string (object, where, member, config->family->activation, &name, error))
    return FALSE;

  g_autoptr (GString) known = g_string_new (NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (activations); i++)
    {
      if (strcmp (activations[i].name, name) == 0)
        {
          config->activation = activations[i].activation;
          config->head_activation =
              config->family->has_gelu_head ? ATTN_ACTIVATION_GELU : config->activation;
          return TRUE;
        }
      g_string_append_printf (known, "%s%s", i > 0 ? ", " : "", activations[i].name);
    }
  return attn_fail (error, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected one of %s"),
                    where, member, name, known->str);
}

static gboolean
read_sizes (JsonObject  *object,
            const char  *where,
            AttnConfig  *config,
            GError     **error)
{
  const AttnFamily *family = config->family;
  const struct
  {
    const char *names;
    gsize maximum;
    gsize fallback;
    gsize *value;
  } members[] = {
    { "n_layer num_hidden_layers n_layers", MAX_LAYERS, family->sizes.n_layers, &config->n_layers },
    { "n_head num_attention_heads n_heads", MAX_WIDTH, family->sizes.n_heads, &config->n_heads },
    { "num_key_value_heads", MAX_WIDTH, family->sizes.n_key_heads, &config->n_key_heads },
    { "head_dim", MAX_WIDTH, family->sizes.head_width, &config->head_width },
    { "n_embd hidden_size n_embed dim", MAX_WIDTH, family->sizes.width, &config->width },
    { "word_embed_proj_dim", MAX_WIDTH, 0, &config->embedding_width },
    { "n_inner intermediate_size ffn_dim hidden_dim", MAX_WIDTH * 4, family->sizes.inner_width,
      &config->inner_width },
    { "vocab_size", MAX_VOCABULARY, family->sizes.vocabulary_size, &config->vocabulary_size },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    if (!attn_json_get_size (object, where, attn_config_find_alias (object, members[i].names), 1,
                             members[i].maximum, members[i].fallback, members[i].value, error))
      return FALSE;
  if (json_object_has_member (object, "num_key_value_heads") &&
      json_object_get_null_member (object, "num_key_value_heads"))
    config->n_key_heads = 0;
  return TRUE;
}

/* The sizes that follow from others where they are not given, and what must hold between them. */
static gboolean
complete_sizes (const char  *where,
                AttnConfig  *config,
                GError     **error)
{
  if (config->head_width == 0)
    {
      if (config->width % config->n_heads != 0)
        return attn_fail (error, ATTN_ERROR_SHAPE,
                          _("%s: %zu heads found, expected a number that divides the width, %zu"),
                          where, config->n_heads, config->width);
      config->head_width = config->width / config->n_heads;
    }
  if (config->n_key_heads == 0)
    config->n_key_heads = config->n_heads;
  if (config->n_heads % config->n_key_heads != 0)
    return attn_fail (error, ATTN_ERROR_SHAPE,
                      _("%s: %zu key/value heads found, expected a number that divides the %zu "
                        "heads"),
                      where, config->n_key_heads, config->n_heads);
  if (config->n_heads * config->head_width > MAX_WIDTH)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("%s: %zu heads of width %zu found, expected at most %d numbers in all"),
                      where, config->n_heads, config->head_width, MAX_WIDTH);
  if (config->embedding_width == 0)
    config->embedding_width = config->width;
  if (config->inner_width == 0)
    config->inner_width = 4 * config->width;
  config->layers = g_new0 (AttnLayer, config->n_layers);
  return TRUE;
}

static gboolean
read_positions (JsonObject  *object,
                const char  *where,
                AttnConfig  *config,
                GError     **error)
{
  const AttnFamily *family = config->family;
  const char *kind;
  gsize context;

  if (!attn_json_get_size (object, where, "n_ctx", 1, MAX_POSITIONS, family->sizes.n_positions,
                           &context, error) ||
      !attn_json_get_size (object, where,
                           attn_config_find_alias (
                               object, "n_positions max_position_embeddings seq_length"),
                           1, MAX_POSITIONS, context, &config->n_positions, error) ||
      (family->counts_offset &&
       !attn_json_get_size (object, where, "pad_token_id", 0, MAX_VOCABULARY,
                            family->position_offset - 1, &config->padding_id, error)) ||
      !attn_json_get_string (object, where, "position_embedding_type", "absolute", &kind, error))
    return FALSE;
  if (family->positions == ATTN_POSITIONS_LEARNED && strcmp (kind, "absolute") != 0)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: “position_embedding_type”: %s found, expected absolute"), where, kind);

  config->has_padding = family->counts_offset;
  config->position_offset =
      family->counts_offset ? config->padding_id + 1 : family->position_offset;
  if (!family->counts_offset)
    config->n_position_rows = config->n_positions + config->position_offset;
  else
    {
      config->n_position_rows = config->n_positions;
      config->n_positions -= MIN (config->n_positions, config->position_offset);
    }
  if (config->n_positions == 0)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("%s: “max_position_embeddings”: %zu found, expected more than the %zu "
                        "before the first position"),
                      where, config->n_position_rows,
                      config->position_offset);
  return TRUE;
}

/* Which layers have the window, by the list that newer configurations bring. */
static gboolean
read_layer_types (JsonArray   *types,
                  const char  *where,
                  gsize        window,
                  AttnConfig  *config,
                  GError     **error)
{
  if (json_array_get_length (types) != config->n_layers)
    return attn_fail (error, ATTN_ERROR_SHAPE,
                      _("%s: “layer_types”: %u found, expected one for each of the %zu layers"),
                      where, json_array_get_length (types), config->n_layers);
  for (guint i = 0; i < config->n_layers; i++)
    {
      JsonNode *node = json_array_get_element (types, i);
      const char *found = json_node_get_value_type (node) == G_TYPE_STRING
                              ? json_node_get_string (node)
                              : json_node_type_name (node);

      if (strcmp (found, "sliding_attention") == 0 && window > 0)
        config->layers[i].window = window;
      else if (strcmp (found, "full_attention") != 0)
        return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                          window > 0 ? _("%s: “layer_types”: %s found for layer %u, expected "
                                         "full_attention or sliding_attention")
                                     : _("%s: “layer_types”: %s found for layer %u, expected "
                                         "full_attention"),
                          where, found, i);
    }
  return TRUE;
}

static gboolean
read_windows (JsonObject  *object,
              const char  *where,
              AttnConfig  *config,
              GError     **error)
{
  const AttnFamily *family = config->family;
  gboolean is_upper = family->windows == ATTN_WINDOWS_UPPER;
  gboolean is_lower = family->windows == ATTN_WINDOWS_LOWER;
  gsize limit = 0, period = is_lower ? 2 : 0, window;
  gboolean has_window;
  JsonArray *types;

  if (family->windows == ATTN_WINDOWS_NONE)
    return TRUE;
  if (!attn_json_get_size (object, where, "sliding_window", 1, G_MAXINT, family->sizes.window,
                           &window, error) ||
      !attn_json_get_boolean (object, where, "use_sliding_window",
                              family->windows < ATTN_WINDOWS_UPPER, &has_window, error) ||
      ((is_upper || is_lower) && !attn_json_get_size (object, where, "max_window_layers", 0,
                                                      G_MAXINT, 28, &limit, error)) ||
      (family->windows == ATTN_WINDOWS_PERIODIC &&
       !attn_json_get_size (object, where,
                            attn_config_find_alias (
                                object, "sliding_window_pattern _sliding_window_pattern"),
                            1, G_MAXINT, family->window_period, &period, error)) ||
      !attn_json_get_array (object, where, "layer_types", &types, error))
    return FALSE;
  if (!has_window || (json_object_has_member (object, "sliding_window") &&
                      json_object_get_null_member (object, "sliding_window")))
    window = 0;
  if (types != NULL)
    return read_layer_types (types, where, window, config, error);
  for (gsize i = is_upper ? limit : 0; i < config->n_layers; i++)
    if ((period == 0 || (i + 1) % period != 0) && !(is_lower && i >= limit))
      config->layers[i].window = window;
  return TRUE;
}

/* Layers that have no experts though the others do. */
static gboolean
read_dense_layers (JsonObject  *object,
                   const char  *where,
                   AttnConfig  *config,
                   GError     **error)
{
  JsonArray *dense;
  gsize step;

  if (!attn_json_get_size (object, where, "decoder_sparse_step", 1, MAX_LAYERS, 1, &step, error) ||
      !attn_json_get_array (object, where, "mlp_only_layers", &dense, error))
    return FALSE;
  for (gsize i = 0; i < config->n_layers; i++)
    config->layers[i].has_experts = (i + 1) % step == 0;
  for (guint i = 0; dense != NULL && i < json_array_get_length (dense); i++)
    {
      JsonNode *node = json_array_get_element (dense, i);
      gint64 layer = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_int (node) : -1;

      if (layer >= 0 && layer < (gint64) config->n_layers)
        config->layers[layer].has_experts = FALSE;
    }
  return TRUE;
}

static gboolean
read_experts (JsonObject  *object,
              const char  *where,
              AttnConfig  *config,
              GError     **error)
{
  const AttnFamilyExperts *usual = &config->family->experts;
  gsize shared_width = 0;

  if (usual->n > 0 &&
      (!attn_json_get_size (object, where,
                            attn_config_find_alias (object, "num_experts num_local_experts"), 1,
                            MAX_EXPERTS, usual->n, &config->n_experts, error) ||
       !attn_json_get_size (object, where, "num_experts_per_tok", 1, config->n_experts,
                            MIN (usual->n_used, config->n_experts), &config->n_used_experts,
                            error) ||
       !attn_json_get_size (object, where, "moe_intermediate_size", 1, MAX_WIDTH * 4,
                            usual->width > 0 ? usual->width : config->inner_width,
                            &config->expert_width, error) ||
       (usual->shared_width > 0 &&
        !attn_json_get_size (object, where, "shared_expert_intermediate_size", 1, MAX_WIDTH * 4,
                             usual->shared_width, &shared_width, error)) ||
       !attn_json_get_boolean (object, where, "norm_topk_prob", usual->is_normalized,
                               &config->normalizes_experts, error) ||
       !read_dense_layers (object, where, config, error)))
    return FALSE;
  for (gsize i = 0; i < config->n_layers; i++)
    config->layers[i].inner_width =
        config->layers[i].has_experts ? shared_width : config->inner_width;
  return TRUE;
}

/* Which layers turn by which embedding. */
static void
choose_ropes (AttnConfig *config)
{
  for (gsize i = 0; i < config->n_layers; i++)
    {
      AttnLayer *layer = &config->layers[i];

      layer->rope = config->ropes[0].width == 0                       ? ATTN_NO_ROPE
                    : layer->window > 0 && config->ropes[1].width > 0 ? 1
                                                                      : 0;
    }
}

/* A cap that is null is none, whatever the family's usual one. */
static gboolean
read_cap (JsonObject  *object,
          const char  *where,
          const char  *member,
          double       fallback,
          double      *cap,
          GError     **error)
{
  if (json_object_has_member (object, member) && json_object_get_null_member (object, member))
    fallback = 0.0;
  return fallback == 0.0 && !attn_config_has_value (object, member)
             ? TRUE
             : attn_config_read_number (object, where, member, 1e-3, 1e9, fallback, cap, error);
}

static gboolean
read_scales (JsonObject  *object,
             const char  *where,
             AttnConfig  *config,
             GError     **error)
{
  const AttnFamily *family = config->family;
  const char *member =
      attn_config_find_alias (object, "layer_norm_epsilon layer_norm_eps rms_norm_eps");
  double head_width = (double) config->head_width;
  gboolean has_score_scale;
  gboolean is_tied;

  if (!attn_json_get_boolean (object, where, "scale_attn_weights", TRUE, &has_score_scale,
                              error) ||
      !attn_json_get_boolean (object, where, "scale_attn_by_inverse_layer_idx", FALSE,
                              &config->has_layer_scale, error) ||
      !attn_json_get_boolean (object, where, "tie_word_embeddings", !family->has_own_logits,
                              &is_tied, error) ||
      !attn_config_read_number (object, where, member, 0.0, 1.0, family->norm_epsilon,
                                &config->norm_epsilon, error) ||
      !attn_config_read_number (object, where, "query_pre_attn_scalar", 1e-3, 1e9,
                                family->query_scalar > 0.0 ? family->query_scalar : head_width,
                                &config->query_scalar, error) ||
      !read_cap (object, where, "attn_logit_softcapping", family->score_cap, &config->score_cap,
                 error) ||
      !read_cap (object, where, "final_logit_softcapping", family->logit_cap, &config->logit_cap,
                 error))
    return FALSE;
  config->has_own_logits = !is_tied;
  if (!has_score_scale)
    config->query_scalar = 1.0;
  return TRUE;
}

/* The tensors that the family names, without those that the configuration switches off. */
static gboolean
read_roles (JsonObject  *object,
            const char  *where,
            AttnConfig  *config,
            GError     **error)
{
  const AttnFamily *family = config->family;
  const guint64 final_norm =
      ATTN_ROLE_BIT (ATTN_ROLE_FINAL_NORM_SCALE) | ATTN_ROLE_BIT (ATTN_ROLE_FINAL_NORM_BIAS);
  const guint64 projections =
      ATTN_ROLE_BIT (ATTN_ROLE_PROJECT_IN) | ATTN_ROLE_BIT (ATTN_ROLE_PROJECT_OUT);
  gboolean is_pre_norm;
  gboolean is_parallel;
  gboolean lacks_final_norm;
  const struct
  {
    const char *member;
    gboolean fallback;
    guint64 roles;
  } switches[] = {
    { "attention_bias", family->has_attention_bias, ATTN_ATTENTION_BIASES },
    { "mlp_bias", family->has_inner_bias, ATTN_INNER_BIASES },
    { "enable_bias", TRUE, ATTN_ATTENTION_BIASES | ATTN_INNER_BIASES },
    { "qk_layernorm", family->has_query_key_norm, ATTN_QUERY_KEY_NORMS },
    { "qkv_bias", TRUE, ATTN_ATTENTION_BIASES },
  };

  for (AttnRole role = 0; role < ATTN_N_ROLES; role++)
    {
      g_autofree char *name = attn_family_dup_name (family, FALSE, role, 0);

      if (name != NULL)
        config->roles |= ATTN_ROLE_BIT (role);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (switches); i++)
    {
      gboolean is_on;

      if (!attn_json_get_boolean (object, where, switches[i].member, switches[i].fallback, &is_on,
                                  error))
        return FALSE;
      if (!is_on)
        config->roles &= ~switches[i].roles;
    }

  if (!attn_json_get_boolean (object, where, "do_layer_norm_before", TRUE, &is_pre_norm, error) ||
      !attn_json_get_boolean (object, where, "use_parallel_residual", TRUE, &is_parallel, error) ||
      !attn_json_get_boolean (object, where, "_remove_final_layer_norm", FALSE, &lacks_final_norm,
                              error))
    return FALSE;
  config->order = family->order;
  if (config->order == ATTN_ORDER_PRE_NORM && !is_pre_norm)
    config->order = ATTN_ORDER_POST_NORM;
  if (config->order == ATTN_ORDER_PARALLEL && !is_parallel &&
      attn_config_has_role (config, ATTN_ROLE_INNER_NORM_SCALE))
    config->order = ATTN_ORDER_PRE_NORM;
  if (config->order == ATTN_ORDER_POST_NORM || lacks_final_norm)
    config->roles &= ~final_norm;
  if (!attn_config_has_role (config, ATTN_ROLE_PROJECT_IN))
    config->embedding_width = config->width;
  if (config->embedding_width == config->width)
    config->roles &= ~projections;
  return TRUE;
}

/* Members that change the computation in ways that this program does not follow. */
static gboolean
check_unsupported (JsonObject  *object,
                   const char  *where,
                   AttnConfig  *config,
                   GError     **error)
{
  static const struct
  {
    const char *member;
    gboolean expected;
  } members[] = {
    { "apply_residual_connection_post_layernorm", FALSE },
    { "layer_norm_elementwise_affine", TRUE },
    { "add_cross_attention", FALSE },
    { "use_bidirectional_attention", FALSE },
  };
  gboolean is_decoder;

  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    {
      gboolean value;

      if (!attn_json_get_boolean (object, where, members[i].member, members[i].expected, &value,
                                  error))
        return FALSE;
      if (value == members[i].expected)
        continue;
      return attn_fail (error, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected %s"), where,
                        members[i].member, value ? "true" : "false", value ? "false" : "true");
    }
  if (!attn_json_get_boolean (object, where, "is_decoder", !config->family->is_bidirectional,
                              &is_decoder, error))
    return FALSE;
  config->is_causal = !config->family->is_bidirectional || is_decoder;
  return TRUE;
}

static gboolean
read_family (JsonObject  *object,
             const char  *where,
             AttnConfig  *config,
             GError     **error)
{
  const char *model_type;
  g_autofree char *known = g_strjoinv (", ", (char **) attn_family_get_names (FALSE));

  if (!attn_json_get_string (object, where, "model_type", NULL, &model_type, error))
    return FALSE;
  if (model_type == NULL)
    return attn_fail (error, ATTN_ERROR_FORMAT, _("%s: no “model_type” found, expected one of %s"),
                      where, known);
  config->family = attn_family_lookup (model_type, FALSE);
  if (config->family == NULL)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: “model_type”: %s found, expected one of %s"), where, model_type,
                      known);
  config->norm = config->family->norm;
  config->is_input_major = config->family->is_input_major;
  config->qkv_layout = config->family->qkv_layout;
  return TRUE;
}

/**
 * attn_config_read:
 * @object: as in a config.json
 * @where: what messages begin with
 * @config: (out caller-allocates): what it says, for attn_config_clear() whatever the outcome
 * @error: return location: errors of [func@attn_config_load] but those of the file
 */
gboolean
attn_config_read (JsonObject  *object,
                  const char  *where,
                  AttnConfig  *config,
                  GError     **error)
{
  JsonObject *text;

  memset (config, 0, sizeof *config);
  if (!read_family (object, where, config, error) ||
      !attn_json_get_object (object, where, "text_config", &text, error))
    return FALSE;
  /* A model of pictures and text keeps what it says of the text apart. */
  if (text != NULL)
    object = text;
  if (!read_sizes (object, where, config, error) || !complete_sizes (where, config, error) ||
      !read_positions (object, where, config, error) ||
      !attn_config_read_rope (object, where, config, error) ||
      !read_windows (object, where, config, error) ||
      !read_experts (object, where, config, error) ||
      !read_activation (object, where, config, error) ||
      !read_scales (object, where, config, error) || !read_roles (object, where, config, error) ||
      !check_unsupported (object, where, config, error))
    return FALSE;
  choose_ropes (config);
  return TRUE;
}

/**
 * attn_config_load:
 * @path: a config.json
 * @config: (out caller-allocates): what it says
 * @error: return location: #GFileError, %ATTN_ERROR_FORMAT for what is no JSON object or a member
 *   of another type, %ATTN_ERROR_LIMIT for numbers out of range, %ATTN_ERROR_UNSUPPORTED for a
 *   family or activation that is not in the table, %ATTN_ERROR_SHAPE for heads that do not divide
 *   the width or each other
 */
gboolean
attn_config_load (const char  *path,
                  AttnConfig  *config,
                  GError     **error)
{
  g_autoptr (JsonNode) root = attn_json_load (path, error);
  g_autofree char *where = g_filename_display_name (path);

  if (root == NULL)
    return FALSE;
  if (!JSON_NODE_HOLDS_OBJECT (root))
    return attn_fail (error, ATTN_ERROR_FORMAT, _("%s: %s found, expected an object"), where,
                      json_node_type_name (root));

  return attn_config_read (json_node_get_object (root), where, config, error);
}

/* What a configuration holds beyond its own size. */
void
attn_config_clear (AttnConfig *config)
{
  for (gsize i = 0; i < ATTN_N_ROPES; i++)
    {
      g_clear_pointer (&config->ropes[i].factors, g_free);
      g_clear_pointer (&config->ropes[i].long_factors, g_free);
    }
  g_clear_pointer (&config->layers, g_free);
}

/**
 * attn_config_get_position_scheme:
 *
 * Returns: (transfer none): how positions enter, as the command line says it; a window passes it
 *   through gettext
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

  if (config->family->positions == ATTN_POSITIONS_LEARNED)
    /* Translators: the embeddings of positions are learned */
    return N_("learned");
  if (config->family->positions == ATTN_POSITIONS_ALIBI)
    return "ALiBi";
  return rotary_names[config->ropes[0].scaling];
}
