/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads settings that differ from layer to layer: the attention window, the rotary embedding, and
 * linear attention. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-config-private.h"
#include "attn-error.h"

/* The largest number of heads of linear attention, of numbers in a head, and of tokens that its
 * convolution covers. The product of two of these fits an int. */
#define MAX_DELTA_SIZE (1 << 15)

/* Sets each layer's kind of attention by “layer_types”, a list that newer configurations have: with
 * a window, linear, or full. */
static void
read_layer_types (AttnJsonReader *json,
                  JsonArray      *types,
                  gsize           window,
                  AttnConfig     *config)
{
  guint n_types = json_array_get_length (types);
  gboolean has_delta = config->family->delta.kernel_width > 0;

  if (n_types != config->n_layers)
    attn_json_fail (json, ATTN_ERROR_SHAPE,
                    _("%s: “layer_types”: %u found, expected one for each of the %zu layers"),
                    json->where, n_types, config->n_layers);
  for (guint i = 0; i < MIN (n_types, config->n_layers); i++)
    {
      JsonNode *node = json_array_get_element (types, i);
      const char *found = json_node_get_value_type (node) == G_TYPE_STRING
                              ? json_node_get_string (node)
                              : json_node_type_name (node);

      if (strcmp (found, "sliding_attention") == 0 && window > 0)
        config->layers[i].window = window;
      else if (strcmp (found, "linear_attention") == 0 && has_delta)
        config->layers[i].is_delta = TRUE;
      else if (strcmp (found, "full_attention") != 0)
        attn_json_fail (json, ATTN_ERROR_UNSUPPORTED,
                        has_delta    ? _("%s: “layer_types”: %s found for layer %u, expected "
                                         "full_attention or linear_attention")
                        : window > 0 ? _("%s: “layer_types”: %s found for layer %u, expected "
                                         "full_attention or sliding_attention")
                                     : _("%s: “layer_types”: %s found for layer %u, expected "
                                         "full_attention"),
                        json->where, found, i);
    }
}

/* Reads which layers have a window from “attention_types”, such as [[["global", "local"], 12]]:
 * types of layers that are repeated 12 times, “local” with a window. */
static void
read_attention_types (AttnJsonReader *json,
                      AttnConfig     *config)
{
  gsize window =
      attn_json_read_size (json, "window_size", 1, G_MAXINT, config->family->sizes.window);
  JsonArray *types = attn_json_read_array (json, "attention_types");
  gsize n_named = 0;

  for (gsize i = 1; types == NULL && i < config->n_layers; i += 2)
    config->layers[i].window = window;
  for (guint i = 0; types != NULL && i < json_array_get_length (types); i++)
    {
      JsonNode *node = json_array_get_element (types, i);
      JsonArray *pair = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
      gboolean is_pair = pair != NULL && json_array_get_length (pair) == 2 &&
                         JSON_NODE_HOLDS_ARRAY (json_array_get_element (pair, 0)) &&
                         JSON_NODE_HOLDS_VALUE (json_array_get_element (pair, 1));
      JsonArray *kinds = is_pair ? json_array_get_array_element (pair, 0) : NULL;
      guint n_kinds = kinds != NULL ? json_array_get_length (kinds) : 0;
      gint64 n = is_pair && n_kinds > 0 ? json_array_get_int_element (pair, 1) : 0;

      for (gint64 j = 0; j < n && n_named < config->n_layers; j++)
        for (guint k = 0; k < n_kinds && n_named < config->n_layers; k++)
          {
            JsonNode *kind = json_array_get_element (kinds, k);

            if (json_node_get_value_type (kind) == G_TYPE_STRING &&
                strcmp (json_node_get_string (kind), "local") == 0)
              config->layers[n_named].window = window;
            n_named++;
          }
    }
  if (types != NULL && n_named != config->n_layers)
    attn_json_fail (json, ATTN_ERROR_SHAPE,
                    _("%s: “attention_types”: %zu found, expected one for each of the %zu layers"),
                    json->where, n_named, config->n_layers);
}

/* Reads which layers have linear attention, and the sizes of these layers. */
static void
read_delta (AttnJsonReader *json,
            AttnConfig     *config)
{
  AttnFamilyDelta *delta = &config->delta;
  const AttnFamilyDelta *usual = &config->family->delta;
  JsonArray *types = attn_json_read_array (json, "layer_types");
  const struct
  {
    const char *member;
    gsize fallback;
    gsize *value;
  } members[] = {
    { "linear_num_key_heads", usual->n_key_heads, &delta->n_key_heads },
    { "linear_num_value_heads", usual->n_value_heads, &delta->n_value_heads },
    { "linear_key_head_dim", usual->key_width, &delta->key_width },
    { "linear_value_head_dim", usual->value_width, &delta->value_width },
    { "linear_conv_kernel_dim", usual->kernel_width, &delta->kernel_width },
    { "full_attention_interval", usual->period, &delta->period },
  };
  gsize n_with_weights = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    *members[i].value =
        attn_json_read_size (json, members[i].member, 1, MAX_DELTA_SIZE, members[i].fallback);
  if (delta->n_value_heads % MAX (delta->n_key_heads, 1) != 0)
    attn_json_fail (json, ATTN_ERROR_SHAPE,
                    _("%s: %zu value heads of linear attention found, expected a multiple of the "
                      "%zu key heads"),
                    json->where, delta->n_value_heads, delta->n_key_heads);
  if (delta->n_value_heads * MAX (delta->key_width, delta->value_width) > MAX_WIDTH / 4)
    attn_json_fail (json, ATTN_ERROR_LIMIT,
                    _("%s: %zu heads of width %zu found, expected at most %d numbers in all"),
                    json->where, delta->n_value_heads, MAX (delta->key_width, delta->value_width),
                    MAX_WIDTH / 4);
  if (types != NULL)
    read_layer_types (json, types, 0, config);
  for (gsize i = 0; i < config->n_layers; i++)
    {
      if (types == NULL)
        config->layers[i].is_delta = (i + 1) % MAX (delta->period, 1) != 0;
      n_with_weights += config->layers[i].is_delta ? 0 : 1;
    }
  if (n_with_weights == 0)
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED,
                    _("%s: linear attention found in each of the %zu layers, expected attention "
                      "weights in at least one"),
                    json->where, config->n_layers);
}

/**
 * attn_config_read_windows:
 * @config: (inout): with its layers allocated
 *
 * Reads the width of each layer's attention window, and which layers have linear attention.
 */
void
attn_config_read_windows (AttnJsonReader *json,
                          AttnConfig     *config)
{
  const AttnFamily *family = config->family;
  gboolean is_upper = family->windows == ATTN_WINDOWS_UPPER;
  gboolean is_lower = family->windows == ATTN_WINDOWS_LOWER;
  gboolean is_behind = family->windows == ATTN_WINDOWS_BEHIND_FIRST;
  gsize limit = 0, period = is_lower ? 2 : 0;

  if (family->delta.kernel_width > 0)
    read_delta (json, config);
  if (family->windows == ATTN_WINDOWS_NAMED)
    read_attention_types (json, config);
  if (family->windows == ATTN_WINDOWS_NONE || family->windows == ATTN_WINDOWS_NAMED)
    return;
  const char *member = attn_config_find_alias (
      json->object, is_behind ? "local_attention sliding_window" : "sliding_window");
  gboolean has_window = attn_json_read_boolean (
      json, "use_sliding_window", family->windows < ATTN_WINDOWS_UPPER || is_behind);
  /* Version 5 of transformers writes 0 for a window that is switched off. */
  gsize window =
      attn_json_read_size (json, member, has_window ? 1 : 0, G_MAXINT, family->sizes.window);
  JsonArray *types = attn_json_read_array (json, "layer_types");
  if (is_upper || is_lower)
    limit = attn_json_read_size (json, "max_window_layers", 0, G_MAXINT, 28);
  if (family->windows == ATTN_WINDOWS_PERIODIC || is_behind)
    period = attn_json_read_size (
        json,
        attn_config_find_alias (json->object, "global_attn_every_n_layers sliding_window_pattern "
                                              "_sliding_window_pattern"),
        1, G_MAXINT, family->window_period);
  /* A window in both directions covers half its size on each side of the token, and the token
   * itself; @window of #AttnLayer counts the keys on one side and the token. */
  if (is_behind || (family->chooses_direction &&
                    attn_json_read_boolean (json, "use_bidirectional_attention", FALSE)))
    window = window / 2 + 1;
  if (!has_window || attn_config_is_null (json->object, "sliding_window"))
    window = 0;
  if (types != NULL)
    read_layer_types (json, types, window, config);
  for (gsize i = is_upper ? limit : 0; types == NULL && i < config->n_layers; i++)
    if ((period == 0 || (is_behind ? i : i + 1) % period != 0) && !(is_lower && i >= limit))
      config->layers[i].window = window;
}

/* Reads the head sizes of one layer, such as {"head_dim": 16, "num_key_value_heads": 1}. */
static void
read_layer_heads (AttnJsonReader *json,
                  JsonObject     *object,
                  AttnLayer      *layer)
{
  JsonObject *root = json->object;
  g_autoptr (GList) names = json_object_get_members (object);

  json->object = object;
  for (GList *l = names; l != NULL; l = l->next)
    if (strcmp (l->data, "head_dim") != 0 && strcmp (l->data, "num_key_value_heads") != 0)
      attn_json_fail (json, ATTN_ERROR_UNSUPPORTED,
                      _("%s: “per_layer_config”: “%s” found, expected head_dim or "
                        "num_key_value_heads"),
                      json->where, (const char *) l->data);
  layer->head_width = attn_json_read_size (json, "head_dim", 1, MAX_WIDTH, layer->head_width);
  layer->n_key_heads =
      attn_json_read_size (json, "num_key_value_heads", 1, MAX_WIDTH, layer->n_key_heads);
  layer->value_width = layer->head_width;
  json->object = root;
}

/* Reads the head sizes of layers without a window: from “per_layer_config” by the layer's number,
 * as in newer configurations, or from members for all such layers. */
static void
read_global_heads (AttnJsonReader *json,
                   AttnConfig     *config)
{
  JsonObject *layers = attn_json_read_object (json, "per_layer_config");
  g_autoptr (GList) names = layers != NULL ? json_object_get_members (layers) : NULL;
  gsize width = attn_json_read_size (json, "global_head_dim", 1, MAX_WIDTH,
                                     config->family->globals.head_width);
  gsize n_key_heads = config->n_key_heads;

  if (attn_json_read_boolean (json, "attention_k_eq_v", FALSE))
    n_key_heads = attn_json_read_size (json, "num_global_key_value_heads", 1, MAX_WIDTH,
                                       n_key_heads);
  for (gsize i = 0; layers == NULL && i < config->n_layers; i++)
    if (config->layers[i].window == 0)
      {
        config->layers[i].head_width = config->layers[i].value_width = width;
        config->layers[i].n_key_heads = n_key_heads;
      }
  for (GList *l = names; l != NULL; l = l->next)
    {
      JsonNode *node = json_object_get_member (layers, l->data);
      guint64 number;

      if (!g_ascii_string_to_unsigned (l->data, 10, 0, config->n_layers - 1, &number, NULL) ||
          !JSON_NODE_HOLDS_OBJECT (node))
        attn_json_fail (json, ATTN_ERROR_FORMAT,
                        _("%s: “per_layer_config”: “%s” found, expected numbers of layers, each "
                          "with an object"),
                        json->where, (const char *) l->data);
      else
        read_layer_heads (json, json_node_get_object (node), &config->layers[number]);
    }
}

static void
check_layer_heads (AttnJsonReader *json,
                   AttnConfig     *config)
{
  gsize widths[2] = { 0 };

  for (gsize i = 0; i < config->n_layers; i++)
    {
      AttnLayer *layer = &config->layers[i];
      gsize *width = &widths[layer->window > 0];

      if (*width == 0)
        *width = layer->head_width;
      if (layer->head_width != *width)
        attn_json_fail (json, ATTN_ERROR_SHAPE,
                        _("%s: heads of width %zu found in layer %zu, expected %zu, as in the "
                          "others that see as many keys"),
                        json->where, layer->head_width, i, *width);
      if (config->n_heads % layer->n_key_heads != 0)
        attn_json_fail (json, ATTN_ERROR_SHAPE,
                        _("%s: %zu key/value heads found, expected a number that divides the %zu "
                          "heads"),
                        json->where, layer->n_key_heads, config->n_heads);
      if (config->n_heads * layer->head_width > MAX_WIDTH)
        attn_json_fail (json, ATTN_ERROR_LIMIT,
                        _("%s: %zu heads of width %zu found, expected at most %d numbers in all"),
                        json->where, config->n_heads, layer->head_width, MAX_WIDTH);
    }
}

/* Reads how many of the last layers use the keys and values of another layer: the nearest earlier
 * one that has keys of its own and also has a window, or also has none. */
static void
read_sources (AttnJsonReader *json,
              AttnConfig     *config)
{
  gsize n_shared = attn_json_read_size (json, "num_kv_shared_layers", 0, config->n_layers, 0);
  gboolean is_double = attn_json_read_boolean (json, "use_double_wide_mlp", FALSE);
  gsize first = config->n_layers - n_shared;

  for (gsize i = first; i < config->n_layers; i++)
    {
      AttnLayer *layer = &config->layers[i];
      gsize source = first;

      while (source > 0 && (config->layers[source - 1].window > 0) != (layer->window > 0))
        source--;
      if (source == 0)
        {
          attn_json_fail (json, ATTN_ERROR_UNSUPPORTED,
                          _("%s: “num_kv_shared_layers”: %zu found, expected a layer below layer "
                            "%zu that sees as many keys and has keys of its own"),
                          json->where, n_shared, i);
          return;
        }
      layer->source = source - 1;
      layer->n_key_heads = config->layers[source - 1].n_key_heads;
      config->layers[source - 1].is_source = TRUE;
      if (is_double)
        layer->mlp_width *= 2;
    }
}

/**
 * attn_config_read_globals:
 * @config: (inout): with its windows and experts set
 *
 * Reads the settings of a family with #AttnFamilyGlobals (Gemma 4): head sizes of layers without a
 * window, layers that use the keys of others, and the width of the embedding of each layer.
 */
void
attn_config_read_globals (AttnJsonReader *json,
                          AttnConfig     *config)
{
  const char *sight = attn_json_read_string (json, "use_bidirectional_attention", "vision");
  gboolean has_key_values = attn_json_read_boolean (json, "attention_k_eq_v", FALSE);

  /* The value “vision” means that tokens of a text see only those before them, and tokens of a
   * picture see the whole picture. Other values are not implemented. */
  if (strcmp (sight, "vision") != 0)
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected one of %s"),
                    json->where, "use_bidirectional_attention", sight, "vision");
  /* The published code gives the last layer no window, even if “layer_types” says so. */
  config->layers[config->n_layers - 1].window = 0;
  read_global_heads (json, config);
  check_layer_heads (json, config);
  for (gsize i = 0; i < config->n_layers; i++)
    config->layers[i].has_key_values = has_key_values && config->layers[i].window == 0;
  read_sources (json, config);
  if (!attn_config_is_null (json->object, "hidden_size_per_layer_input"))
    config->layer_width = attn_json_read_size (json, "hidden_size_per_layer_input", 0, MAX_WIDTH,
                                               config->family->globals.layer_width);
}

/**
 * attn_config_get_widest:
 *
 * Returns: a layer with the largest number of key heads, head width, value width and inner width of
 *   any layer, for buffers that fit all; its other members are 0
 */
AttnLayer
attn_config_get_widest (const AttnConfig *config)
{
  AttnLayer widest = { 0 };

  for (gsize i = 0; i < config->n_layers; i++)
    {
      const AttnLayer *layer = &config->layers[i];

      widest.n_key_heads = MAX (widest.n_key_heads, layer->n_key_heads);
      widest.head_width = MAX (widest.head_width, layer->head_width);
      widest.value_width = MAX (widest.value_width, layer->value_width);
      widest.mlp_width = MAX (widest.mlp_width, layer->mlp_width);
    }
  return widest;
}

/**
 * attn_config_read_layer_ropes:
 * @config: (inout): with its windows and rotary embeddings set
 *
 * Sets which of the rotary embeddings each layer has, and which layers have none.
 */
void
attn_config_read_layer_ropes (AttnJsonReader *json,
                              AttnConfig     *config)
{
  gsize period = config->family->no_rope_interval;
  JsonArray *turned = period > 0 ? attn_json_read_array (json, "no_rope_layers") : NULL;
  guint n_turned = turned != NULL ? json_array_get_length (turned) : 0;

  if (period > 0)
    period = attn_json_read_size (json, "no_rope_layer_interval", 1, G_MAXINT, period);
  if (turned != NULL && n_turned < config->n_layers)
    attn_json_fail (json, ATTN_ERROR_SHAPE,
                    _("%s: “no_rope_layers”: %u found, expected one for each of the %zu layers"),
                    json->where, n_turned, config->n_layers);
  for (gsize i = 0; i < config->n_layers; i++)
    {
      AttnLayer *layer = &config->layers[i];
      JsonNode *node = i < n_turned ? json_array_get_element (turned, (guint) i) : NULL;
      gboolean is_turned = node != NULL
                               ? JSON_NODE_HOLDS_VALUE (node) && json_node_get_int (node) != 0
                               : period == 0 || (i + 1) % period != 0;

      if (config->family->turns_windows_only && layer->window == 0)
        is_turned = FALSE;

      layer->rope = config->ropes[0].width == 0 || !is_turned         ? ATTN_NO_ROPE
                    : layer->window > 0 && config->ropes[1].width > 0 ? 1
                                                                      : 0;
    }
}
