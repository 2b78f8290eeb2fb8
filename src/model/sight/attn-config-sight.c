/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads how the pictures of a vision-language model become tokens of a text: mostly from the root
 * of config.json, outside the objects of the vision encoder and the language model. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-config-private.h"

/* Adds a layer of the vision encoder whose output the projector gets: 1 for the first, 0 for the
 * embedding before it; negative numbers count from the end, -1 for the last. */
static void
add_layer (AttnJsonReader *json,
           AttnConfig     *config,
           gint64          layer)
{
  AttnSeeing *seeing = &config->seeing;
  gint64 n = (gint64) config->n_layers;
  gint64 number = layer < 0 ? n + 1 + layer : layer;

  if (number < 0 || number > n)
    attn_json_fail (json, ATTN_ERROR_LIMIT,
                    _("%s: “vision_feature_layer”: %d found, expected one of the %zu layers for "
                      "pictures"),
                    json->where, (int) CLAMP (layer, G_MININT, G_MAXINT), config->n_layers);
  else
    seeing->layers[seeing->n_layers++] = (gsize) number;
}

/* Reads “vision_feature_layer”: the number of the layer of the vision encoder whose output the
 * projector gets, or a list of several. */
static void
read_layers (AttnJsonReader *json,
             AttnConfig     *config)
{
  const char *member = "vision_feature_layer";
  JsonNode *node = json_object_get_member (json->object, member);
  JsonArray *array =
      node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  guint n = array != NULL ? json_array_get_length (array) : 1;
  gboolean is_good = n >= 1 && n <= ATTN_SIGHT_MAX_LAYERS;

  for (guint i = 0; is_good && i < n; i++)
    {
      JsonNode *item = array != NULL ? json_array_get_element (array, i) : node;
      gboolean is_usual = item == NULL || JSON_NODE_HOLDS_NULL (item);

      if (!is_usual && json_node_get_value_type (item) != G_TYPE_INT64)
        is_good = FALSE;
      else
        add_layer (json, config, is_usual ? config->sight->layer : json_node_get_int (item));
    }
  if (!is_good)
    attn_json_fail (json, ATTN_ERROR_FORMAT,
                    _("%s: “%s”: something else found, expected a whole number or up to %d of "
                      "them"),
                    json->where, member, ATTN_SIGHT_MAX_LAYERS);
}

/* Reads whether the class token before a picture's patches also becomes a token of the text
 * (“full”) or not (“default”). */
static void
read_selection (AttnJsonReader *json,
                AttnConfig     *config)
{
  const char *strategy = attn_json_read_string (json, "vision_feature_select_strategy", "default");

  config->seeing.keeps_class = strcmp (strategy, "full") == 0 && config->pictures.n_leading > 0;
  if (strcmp (strategy, "default") != 0 && strcmp (strategy, "full") != 0)
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected one of %s"),
                    json->where, "vision_feature_select_strategy", strategy, "default, full");
  else if (strcmp (strategy, "default") == 0 && config->pictures.n_leading != 1)
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED,
                    _("%s: “vision_feature_select_strategy”: default found, which leaves out the "
                      "first token, expected a family of pictures with one before the patches"),
                    json->where);
}

/* Reads the size of the squares of patches that are averaged to one token each, which gives about
 * the requested number of tokens. Patches beyond the last whole square are left out. */
static void
read_pool (AttnJsonReader *json,
           AttnConfig     *config)
{
  gsize n_patches = config->pictures.n_rows;
  gsize n_tokens = attn_json_read_size (json, "mm_tokens_per_image", 1, MAX_WIDTH,
                                        config->sight->pooled_tokens);
  gsize side = (gsize) floor (sqrt ((double) n_tokens));

  if (side > n_patches || n_patches != config->pictures.n_columns)
    attn_json_fail (json, ATTN_ERROR_SHAPE,
                    _("%s: “mm_tokens_per_image”: %zu found, expected at most as many as patches, "
                      "of which there are %zu x %zu"),
                    json->where, n_tokens, n_patches, config->pictures.n_columns);
  config->seeing.pool = MAX (n_patches / side, 1);
}

/* Reads the layers of the vision encoder whose output further projectors turn into vectors, which
 * are added to the picture's tokens behind the first layers of the language model. */
static void
read_deep (AttnJsonReader *json,
           JsonObject     *half,
           AttnConfig     *config)
{
  AttnSeeing *seeing = &config->seeing;
  JsonObject *root = json->object;

  json->object = half;
  JsonArray *array = attn_json_read_array (json, "deepstack_visual_indexes");
  guint n = array != NULL ? json_array_get_length (array) : 0;
  gboolean is_good = n <= ATTN_SIGHT_MAX_LAYERS;
  for (guint i = 0; is_good && i < n; i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      gint64 layer =
          json_node_get_value_type (node) == G_TYPE_INT64 ? json_node_get_int (node) : -1;

      is_good = layer >= 0 && layer < (gint64) config->n_layers;
      seeing->deep_layers[seeing->n_deep++] = is_good ? (gsize) layer : 0;
    }
  if (!is_good)
    attn_json_fail (json, ATTN_ERROR_LIMIT,
                    _("%s: “deepstack_visual_indexes”: another array found, expected up to %d of "
                      "the %zu layers for pictures"),
                    json->where, ATTN_SIGHT_MAX_LAYERS, config->n_layers);
  json->object = root;
}

/* Returns the width D of the language model, from its part of the configuration, by default that of
 * its family. */
static gsize
read_text_width (AttnJsonReader  *json,
                 JsonObject      *root,
                 const AttnSight *sight)
{
  const char *type = attn_json_read_inner_string (json, "text_config", "model_type");
  const AttnFamily *family = attn_family_lookup (type != NULL ? type : sight->text_type, FALSE);
  JsonObject *own = attn_json_read_object (json, "text_config");

  if (own == NULL && sight->is_flat)
    own = root;
  if (own == NULL || family == NULL)
    return 1;
  json->object = own;
  gsize width = attn_json_read_size (
      json, attn_config_find_alias (own, "n_embd hidden_size n_embed dim d_model"), 1, MAX_WIDTH,
      family->sizes.width);
  json->object = root;
  return width;
}

/* Reads “mrope_section”: how many angles of the language model's rotary embedding depend on the
 * time, the row and the column of a picture's token. */
static void
read_sections (AttnJsonReader *json,
               AttnConfig     *config)
{
  AttnRope *rope = &config->ropes[0];
  JsonObject *half = json->object;
  JsonObject *scaling =
      attn_json_read_object (json, attn_config_find_alias (half, "rope_scaling rope_parameters"));
  gsize n = 0;

  if (scaling == NULL || !attn_config_has_value (scaling, "mrope_section"))
    return;
  json->object = scaling;
  JsonArray *array = attn_json_read_array (json, "mrope_section");
  gboolean is_good = array != NULL && json_array_get_length (array) == 3;
  for (guint i = 0; is_good && i < 3; i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      gint64 value =
          json_node_get_value_type (node) == G_TYPE_INT64 ? json_node_get_int (node) : -1;

      is_good = value >= 0 && value <= MAX_WIDTH;
      rope->sections[i] = is_good ? (gsize) value : 0;
      n += rope->sections[i];
    }
  rope->is_interleaved = attn_json_read_boolean (json, "mrope_interleaved", FALSE);
  if (!is_good || n != rope->width / 2)
    attn_json_fail (json, ATTN_ERROR_SHAPE,
                    _("%s: “mrope_section”: another array found, expected three numbers that are "
                      "%zu together, half the width of the rotary embedding"),
                    json->where, rope->width / 2);
  json->object = half;
}

/**
 * attn_config_read_sight:
 * @json: at the object of the half that @config describes, such as “vision_config”
 * @root: the root of config.json
 * @config: (inout): of one half of a vision-language model, with its sizes set
 *
 * Reads how a picture becomes tokens of a text into @seeing of #AttnConfig, and for the half for
 * texts the sections of its rotary embedding.
 */
void
attn_config_read_sight (AttnJsonReader *json,
                        JsonObject     *root,
                        AttnConfig     *config)
{
  const AttnSight *sight = config->sight;
  AttnSeeing *seeing = &config->seeing;
  JsonObject *half = json->object;

  json->object = root;
  seeing->image_token = attn_json_read_size (
      json, attn_config_find_alias (root, "image_token_index image_token_id"), 0,
      MAX_VOCABULARY, sight->image_token);
  if (config->stack == ATTN_STACK_VISION)
    {
      seeing->text_width = read_text_width (json, root, sight);
      if (attn_config_has_role (config, ATTN_ROLE_PROJECTOR_IN))
        {
          seeing->inner_width =
              config->pictures.merge > 1
                  ? config->width * config->pictures.merge * config->pictures.merge
                  : seeing->text_width;
          seeing->activation = attn_config_find_activation (
              json, "projector_hidden_act",
              attn_json_read_string (json, "projector_hidden_act", "gelu"));
        }
      read_layers (json, config);
      seeing->pool = config->pictures.merge;
      if (sight->pooled_tokens > 0)
        read_pool (json, config);
      if (sight->has_class)
        read_selection (json, config);
      if (sight->deep_names[0] != NULL)
        read_deep (json, half, config);
      if (!attn_json_read_boolean (json, "multimodal_projector_bias", TRUE))
        for (AttnRole role = ATTN_ROLE_PROJECTOR_IN; role <= ATTN_ROLE_PROJECTOR_OUT; role++)
          attn_config_set_slot (config, role, ATTN_SLOT_BIAS, FALSE);
    }
  json->object = half;
  if (config->stack != ATTN_STACK_VISION)
    read_sections (json, config);
}
