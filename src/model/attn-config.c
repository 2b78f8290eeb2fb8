/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-json.h"

/* Far above every model there is, and small enough that a product of two of them times the size of
 * a float fits a gsize, and 4 MAX_WIDTH an int. */
#define MAX_LAYERS     65536
#define MAX_WIDTH      (1 << 24)
#define MAX_POSITIONS  (1 << 28)
#define MAX_VOCABULARY (1 << 28)

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

/* The first name that the object has; configurations of the same family use one or the other. */
static const char *
find_alias (JsonObject *object,
            const char *name,
            const char *alias)
{
  if (!json_object_has_member (object, name) || json_object_get_null_member (object, name))
    if (json_object_has_member (object, alias))
      return alias;
  return name;
}

static gboolean
read_activation (JsonObject  *object,
                 const char  *where,
                 AttnConfig  *config,
                 GError     **error)
{
  const char *member = find_alias (object, "activation_function", "hidden_act");
  const char *name;

  if (!attn_json_get_string (object, where, member, config->family->activation, &name, error))
    return FALSE;

  g_autoptr (GString) known = g_string_new (NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (activations); i++)
    {
      if (strcmp (activations[i].name, name) == 0)
        {
          config->activation = activations[i].activation;
          return TRUE;
        }
      g_string_append_printf (known, "%s%s", i > 0 ? ", " : "", activations[i].name);
    }
  g_set_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
               _("%s: “%s”: %s found, expected one of %s"), where, member, name, known->str);
  return FALSE;
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
    const char *name;
    const char *alias;
    gsize maximum;
    gsize fallback;
    gsize *value;
  } members[] = {
    { "n_layer", "num_hidden_layers", MAX_LAYERS, family->n_layers, &config->n_layers },
    { "n_head", "num_attention_heads", MAX_WIDTH, family->n_heads, &config->n_heads },
    { "n_embd", "hidden_size", MAX_WIDTH, family->width, &config->width },
    { "n_inner", "intermediate_size", MAX_WIDTH * 4, 0, &config->inner_width },
    { "vocab_size", "vocab_size", MAX_VOCABULARY, family->vocabulary_size,
      &config->vocabulary_size },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    if (!attn_json_get_size (object, where, find_alias (object, members[i].name, members[i].alias),
                             1, members[i].maximum, members[i].fallback, members[i].value, error))
      return FALSE;

  gsize context;
  if (!attn_json_get_size (object, where, "n_ctx", 1, MAX_POSITIONS, family->n_positions, &context,
                           error))
    return FALSE;
  return attn_json_get_size (object, where,
                             find_alias (object, "n_positions", "max_position_embeddings"), 1,
                             MAX_POSITIONS, context, &config->n_positions, error);
}

static gboolean
read_scales (JsonObject  *object,
             const char  *where,
             AttnConfig  *config,
             GError     **error)
{
  const char *member = find_alias (object, "layer_norm_epsilon", "layer_norm_eps");
  gboolean is_tied;

  if (!attn_json_get_boolean (object, where, "scale_attn_weights", TRUE, &config->has_score_scale,
                              error) ||
      !attn_json_get_boolean (object, where, "scale_attn_by_inverse_layer_idx", FALSE,
                              &config->has_layer_scale, error) ||
      !attn_json_get_boolean (object, where, "tie_word_embeddings", TRUE, &is_tied, error) ||
      !attn_json_get_number (object, where, member, config->family->norm_epsilon,
                             &config->norm_epsilon, error))
    return FALSE;
  config->has_own_logits = !is_tied;
  if (!(config->norm_epsilon >= 0.0 && config->norm_epsilon <= 1.0))
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT, _("%s: “%s”: %g found, expected 0 to 1"),
                   where, member, config->norm_epsilon);
      return FALSE;
    }
  return TRUE;
}

static gboolean
read_family (JsonObject  *object,
             const char  *where,
             AttnConfig  *config,
             GError     **error)
{
  const char *model_type;
  g_autofree char *known = g_strjoinv (", ", (char **) attn_family_get_names ());

  if (!attn_json_get_string (object, where, "model_type", NULL, &model_type, error))
    return FALSE;
  if (model_type == NULL)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                   _("%s: no “model_type” found, expected one of %s"), where, known);
      return FALSE;
    }
  config->family = attn_family_lookup (model_type);
  if (config->family == NULL)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
                   _("%s: “model_type”: %s found, expected one of %s"), where, model_type, known);
      return FALSE;
    }
  return TRUE;
}

/**
 * attn_config_load:
 * @path: a config.json
 * @config: (out caller-allocates): what it says
 * @error: return location: #GFileError, %ATTN_ERROR_FORMAT for what is no JSON object or a member
 *   of another type, %ATTN_ERROR_LIMIT for numbers out of range, %ATTN_ERROR_UNSUPPORTED for a
 *   family or activation that is not in the table, %ATTN_ERROR_SHAPE for heads that do not divide
 *   the width
 */
gboolean
attn_config_load (const char  *path,
                  AttnConfig  *config,
                  GError     **error)
{
  g_autoptr (JsonNode) root = attn_json_load (path, error);

  if (root == NULL)
    return FALSE;
  if (!JSON_NODE_HOLDS_OBJECT (root))
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT, _("%s: %s found, expected an object"),
                   path, json_node_type_name (root));
      return FALSE;
    }

  JsonObject *object = json_node_get_object (root);
  memset (config, 0, sizeof *config);
  if (!read_family (object, path, config, error) || !read_sizes (object, path, config, error) ||
      !read_activation (object, path, config, error) || !read_scales (object, path, config, error))
    return FALSE;

  if (config->width % config->n_heads != 0)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_SHAPE,
                   _("%s: %zu heads found, expected a number that divides the width, %zu"),
                   path, config->n_heads, config->width);
      return FALSE;
    }
  config->n_key_heads = config->n_heads;
  config->head_width = config->width / config->n_heads;
  if (config->inner_width == 0)
    config->inner_width = 4 * config->width;
  return TRUE;
}
