/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the sizes of a family whose tokens are the patches of a picture. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-config-private.h"

#define MAX_PIXELS   65536
#define MAX_CHANNELS 64
#define MAX_TOKENS   4096

/* Reads a height and a width in pixels from an array of two numbers, or from one number for
 * both. */
static void
read_pair (AttnJsonReader *json,
           const char     *member,
           gsize           fallback,
           gsize           pair[2])
{
  JsonNode *node = json_object_get_member (json->object, member);
  JsonArray *array =
      node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  pair[0] = pair[1] = fallback;
  if (array == NULL)
    {
      pair[0] = pair[1] = attn_json_read_size (json, member, 1, MAX_PIXELS, fallback);
      return;
    }
  for (guint i = 0; i < 2; i++)
    {
      JsonNode *item =
          json_array_get_length (array) == 2 ? json_array_get_element (array, i) : NULL;
      gint64 value = item != NULL && json_node_get_value_type (item) == G_TYPE_INT64
                         ? json_node_get_int (item)
                         : 0;

      if (value < 1 || value > MAX_PIXELS)
        {
          attn_json_fail (json, ATTN_ERROR_FORMAT,
                          _("%s: “%s”: another array found, expected height and width, from 1 to "
                            "%d"),
                          json->where, member, MAX_PIXELS);
          return;
        }
      pair[i] = (gsize) value;
    }
}

/* Computes the width of the feed-forward layer from its ratio to the model's width. If the layer
 * has a gate, the width is two thirds of the product, rounded up to a multiple of 8, as in
 * Dinov2SwiGLUFFN of transformers 4.57. */
static void
read_mlp (AttnJsonReader *json,
          AttnConfig     *config)
{
  gsize ratio = attn_json_read_size (json, "mlp_ratio", 1, 64, config->family->pictures.mlp_ratio);
  gboolean is_gated = attn_json_read_boolean (json, "use_swiglu_ffn", FALSE);

  config->mlp_width = config->width * ratio;
  if (is_gated)
    {
      config->mlp_width = (config->mlp_width * 2 / 3 + 7) / 8 * 8;
      config->activation = ATTN_ACTIVATION_SILU;
    }
  else
    attn_config_drop_role (config, ATTN_ROLE_GATE);
  for (gsize i = 0; i < config->n_layers; i++)
    config->layers[i].mlp_width = config->mlp_width;
}

/* Reads which matrices of the attention have no bias, so that a checkpoint may lack it. */
static void
read_biases (AttnJsonReader *json,
             AttnConfig     *config)
{
  const struct
  {
    const char *member;
    AttnRole role;
    gboolean fallback;
  } members[] = {
    { "query_bias", ATTN_ROLE_QUERY, TRUE },
    { "key_bias", ATTN_ROLE_KEY, !config->family->pictures.lacks_key_bias },
    { "value_bias", ATTN_ROLE_VALUE, TRUE },
    { "proj_bias", ATTN_ROLE_OUTPUT, TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    if (!attn_json_read_boolean (json, members[i].member, members[i].fallback))
      attn_config_set_slot (config, members[i].role, ATTN_SLOT_BIAS, FALSE);
}

/* Checks the head width for rotary embeddings of patches. A frequency takes four numbers of a head:
 * two that are rotated by the row, and two by the column. */
static void
check_rotation (AttnJsonReader *json,
                AttnConfig     *config)
{
  if (config->ropes[0].width == 0)
    return;
  if (config->head_width % 4 != 0)
    attn_json_fail (json, ATTN_ERROR_SHAPE,
                    _("%s: heads of width %zu found, expected a multiple of 4 for angles by row "
                      "and column"),
                    json->where, config->head_width);
  if (config->ropes[0].width != config->head_width ||
      config->ropes[0].scaling != ATTN_ROPE_SCALING_NONE)
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED,
                    _("%s: a stretched rotary embedding found, expected the plain one for "
                      "patches"),
                    json->where);
}

/* Reads the names of a classifier's labels, {"0": "tabby cat", "1": "hat"}. Returns: how many
 * labels there are; if the configuration does not say, 2, as in transformers. */
static gsize
read_labels (AttnJsonReader *json,
             AttnPictures   *pictures)
{
  JsonObject *labels = attn_json_read_object (json, "id2label");
  gsize n = labels != NULL ? json_object_get_size (labels) : 0;
  g_auto (GStrv) names = n > 0 ? g_new0 (char *, n + 1) : NULL;

  if (n == 0)
    return attn_json_read_size (json, "num_labels", 1, MAX_VOCABULARY, 2);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *number = g_strdup_printf ("%zu", i);
      JsonNode *node = json_object_get_member (labels, number);

      if (node == NULL || json_node_get_value_type (node) != G_TYPE_STRING)
        {
          attn_json_fail (json, ATTN_ERROR_FORMAT,
                          _("%s: “id2label”: no name of label %zu found, expected one for each of "
                            "0 to %zu"),
                          json->where, i, n - 1);
          return n;
        }
      names[i] = g_strdup (json_node_get_string (node));
      for (char *at = names[i]; *at != '\0'; at++)
        *at = g_ascii_iscntrl (*at) ? ' ' : *at;
    }
  pictures->labels = g_steal_pointer (&names);
  return n;
}

/* Reads how many patches are merged to one token of a text, the size of the squares within which
 * patches attend, and the layers in which they attend to the whole picture. */
static void
read_groups (AttnJsonReader *json,
             AttnConfig     *config)
{
  const AttnFamilyPictures *usual = &config->family->pictures;
  AttnPictures *pictures = &config->pictures;
  JsonArray *whole = attn_json_read_array (json, "fullatt_block_indexes");

  pictures->merge = attn_json_read_size (json, "spatial_merge_size", 1, 64, usual->merge);
  pictures->n_frames =
      attn_json_read_size (json, "temporal_patch_size", 1, MAX_CHANNELS, usual->n_frames);
  if (usual->window_size == 0)
    return;
  gsize size = attn_json_read_size (json, "window_size", 1, MAX_PIXELS, usual->window_size);
  pictures->square = MAX (size / pictures->patch_size / pictures->merge, 1);
  for (gsize i = 0; i < config->n_layers; i++)
    config->layers[i].has_squares = whole != NULL || i % 8 != 7;
  for (guint i = 0; whole != NULL && i < json_array_get_length (whole); i++)
    {
      JsonNode *node = json_array_get_element (whole, i);
      gint64 layer = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_int (node) : -1;

      if (layer >= 0 && layer < (gint64) config->n_layers)
        config->layers[layer].has_squares = FALSE;
    }
}

/* Reads the number of learned positions, which must be the square of a number, for they are a grid
 * of as many rows as columns. */
static void
read_grid (AttnJsonReader *json,
           AttnPictures   *pictures)
{
  gsize n = attn_json_read_size (json, "num_position_embeddings", 1, MAX_POSITIONS, 2304);

  pictures->n_rows = pictures->n_columns = (gsize) sqrt ((double) n);
  if (pictures->n_rows * pictures->n_columns != n)
    attn_json_fail (json, ATTN_ERROR_SHAPE,
                    _("%s: “num_position_embeddings”: %zu found, expected the square of a number"),
                    json->where, n);
}

/**
 * attn_config_read_pictures:
 * @config: (inout): of a family of pictures, with the roles of its tensors set
 *
 * Reads the sizes of a picture and of its patches, how many tokens these are, and the labels of a
 * classifier.
 */
void
attn_config_read_pictures (AttnJsonReader *json,
                           AttnConfig     *config)
{
  const AttnFamilyPictures *usual = &config->family->pictures;
  AttnPictures *pictures = &config->pictures;
  gsize image[2], patch[2];

  read_pair (json, "image_size", usual->image_size, image);
  read_pair (json, "patch_size", usual->patch_size, patch);
  pictures->n_channels =
      attn_json_read_size (json,
                           attn_config_find_alias (json->object,
                                                   "num_channels in_channels in_chans"),
                           1, MAX_CHANNELS, usual->n_channels);
  if (patch[0] != patch[1])
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED,
                    _("%s: “patch_size”: %zu x %zu found, expected squares"), json->where, patch[0],
                    patch[1]);
  if (image[0] < patch[0] || image[1] < patch[0])
    attn_json_fail (json, ATTN_ERROR_SHAPE,
                    _("%s: “image_size”: %zu x %zu found, expected at least one patch of %zu"),
                    json->where, image[0], image[1], patch[0]);
  if (usual->interpolation != ATTN_INTERPOLATION_NONE && image[0] != image[1])
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED,
                    _("%s: “image_size”: %zu x %zu found, expected a square"), json->where,
                    image[0], image[1]);
  pictures->patch_size = patch[0];
  pictures->height = image[0];
  pictures->width = image[1];
  pictures->n_rows = image[0] / patch[0];
  pictures->n_columns = image[1] / patch[0];
  pictures->pooling = usual->pooling;
  pictures->n_frames = pictures->merge = 1;
  if (usual->merge > 0)
    read_groups (json, config);
  pictures->n_registers =
      attn_config_has_role (config, ATTN_ROLE_REGISTERS)
          ? attn_json_read_size (json, "num_register_tokens", 0, MAX_TOKENS, 4)
          : 0;
  if (pictures->n_registers == 0)
    attn_config_drop_role (config, ATTN_ROLE_REGISTERS);
  pictures->n_leading = attn_config_has_role (config, ATTN_ROLE_CLASS_TOKEN) +
                        attn_config_has_role (config, ATTN_ROLE_SECOND_TOKEN);
  read_biases (json, config);
  check_rotation (json, config);
  if (usual->mlp_ratio > 0)
    read_mlp (json, config);
  else if (usual->merge == 0 && !attn_json_read_boolean (json, "use_gated_mlp", FALSE))
    attn_config_drop_role (config, ATTN_ROLE_GATE);
  if (usual->interpolation == ATTN_INTERPOLATION_LINEAR)
    read_grid (json, pictures);
  config->n_position_rows = pictures->n_leading + pictures->n_rows * pictures->n_columns;
  config->n_positions = config->n_position_rows + pictures->n_registers;
  config->vocabulary_size = read_labels (json, pictures);
}
