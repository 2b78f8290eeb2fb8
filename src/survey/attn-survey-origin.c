/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads from the results of a survey its model, its texts, and the inputs from which its patches
 * copied activations. */

#include "config.h"

#include "attn-survey-data-private.h"

#include <json-glib/json-glib.h>
#include <string.h>

/* Replaces a path by @other if @other comes first in byte order, so that the order in which parts
 * of a survey are merged does not matter. */
static void
set_path (char       **path,
          const char  *other)
{
  if (other == NULL || !g_utf8_validate (other, -1, NULL) ||
      (*path != NULL && strcmp (*path, other) <= 0))
    return;
  g_free (*path);
  *path = g_strdup (other);
}

/**
 * attn_survey_data_take_paths:
 * @model_path: (nullable) (type filename): absolute path, as the two others
 * @adapter_path: (nullable) (type filename)
 * @texts_path: (nullable) (type filename)
 *
 * Stores each path, unless @data has a path there that comes before it in byte order.
 */
void
attn_survey_data_take_paths (AttnSurveyData *data,
                             const char     *model_path,
                             const char     *adapter_path,
                             const char     *texts_path)
{
  set_path (&data->model_path, model_path);
  set_path (&data->adapter_path, adapter_path);
  set_path (&data->texts_path, texts_path);
}

/**
 * attn_survey_data_set_origin:
 * @model_path: (nullable) (type filename)
 * @adapter_path: (nullable) (type filename): path of the adapter that changes the model's weights
 * @texts_path: (nullable) (type filename)
 *
 * Stores where model and texts are, so that the user can open a text of the survey in the window
 * later.
 */
void
attn_survey_data_set_origin (AttnSurveyData *data,
                             const char     *model_path,
                             const char     *adapter_path,
                             const char     *texts_path)
{
  g_autofree char *model =
      model_path != NULL ? g_canonicalize_filename (model_path, NULL) : NULL;
  g_autofree char *texts =
      texts_path != NULL && !g_str_equal (texts_path, "-")
          ? g_canonicalize_filename (texts_path, NULL)
          : NULL;

  g_autofree char *adapter =
      adapter_path != NULL ? g_canonicalize_filename (adapter_path, NULL) : NULL;

  attn_survey_data_take_paths (data, model, adapter, texts);
}

/* Parses the JSON description in a survey's file. @member: (nullable): name of an object in the
 * description, such as "texts"; %NULL for the whole description. Returns: (transfer full)
 * (nullable): %NULL if it has no such object */
static JsonObject *
parse_json (const AttnSurveyData *data,
            const char           *member)
{
  g_autoptr (JsonNode) node = json_from_string (data->json, NULL);
  JsonObject *object =
      node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  JsonNode *inner =
      object != NULL && member != NULL ? json_object_get_member (object, member) : NULL;

  if (member != NULL)
    object = inner != NULL && JSON_NODE_HOLDS_OBJECT (inner) ? json_node_get_object (inner) : NULL;
  return object != NULL ? json_object_ref (object) : NULL;
}

static char *
dup_string (JsonObject *object,
            const char *member)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, member) : NULL;

  return node != NULL && JSON_NODE_HOLDS_VALUE (node) ? g_strdup (json_node_get_string (node))
                                                      : NULL;
}

static guint64
read_number (JsonObject *object,
             const char *member)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, member) : NULL;

  return node != NULL && JSON_NODE_HOLDS_VALUE (node) ? (guint64) MAX (json_node_get_int (node), 0)
                                                      : 0;
}

/**
 * attn_survey_data_get_texts:
 * @spec: (out caller-allocates): file, length and framing of the texts as the survey read them. The
 *   path belongs to @data, the other strings to the caller
 */
void
attn_survey_data_get_texts (const AttnSurveyData *data,
                            AttnTextsSpec        *spec)
{
  g_autoptr (JsonObject) texts = parse_json (data, "texts");
  JsonNode *packed = texts != NULL ? json_object_get_member (texts, "packed") : NULL;
  gboolean has_chat = texts != NULL && json_object_has_member (texts, "chat");
  JsonNode *special = texts != NULL ? json_object_get_member (texts, "special_tokens") : NULL;

  *spec = (AttnTextsSpec) {
    .path = data->texts_path,
    .field = dup_string (texts, "field"),
    .column = dup_string (texts, "column"),
    .length = data->length,
    .is_packed = packed != NULL && json_node_get_boolean (packed),
    .framing = has_chat                                             ? ATTN_FRAMING_CHAT
               : special != NULL && json_node_get_boolean (special) ? ATTN_FRAMING_SPECIAL
                                                                    : ATTN_FRAMING_NONE,
    .skip = read_number (texts, "skip"),
    .limit = read_number (texts, "limit"),
    .n_random = read_number (texts, "random"),
    .seed = (guint32) read_number (texts, "seed"),
  };
}

/**
 * attn_survey_data_get_seconds:
 *
 * Returns: seconds from one token to the next, if the survey is of the encoder of a model of
 *   sounds, whose tokens are parts of the sound; else 0
 */
double
attn_survey_data_get_seconds (const AttnSurveyData *data)
{
  g_autoptr (JsonObject) texts = parse_json (data, "texts");
  g_autofree char *attention = attn_survey_data_dup_attention (data);
  JsonNode *node = texts != NULL ? json_object_get_member (texts, "seconds") : NULL;
  double seconds = node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_double (node) : 0.0;

  return g_strcmp0 (attention, "encoder") == 0 && seconds > 0.0 && seconds < 1e6 ? seconds : 0.0;
}

/**
 * attn_survey_data_dup_attention:
 *
 * Returns: (transfer full) (nullable): the name of the attention that was surveyed, such as
 *   "encoder"; %NULL for a model that has only one
 */
char *
attn_survey_data_dup_attention (const AttnSurveyData *data)
{
  g_autoptr (JsonObject) object = parse_json (data, NULL);

  return dup_string (object, "attention");
}

/**
 * attn_survey_data_dup_checksum:
 *
 * Returns: (transfer full) (nullable): checksum of the texts, see [func@attn_texts_get_checksum]
 */
char *
attn_survey_data_dup_checksum (const AttnSurveyData *data)
{
  g_autoptr (JsonObject) texts = parse_json (data, "texts");

  return dup_string (texts, "checksum");
}

/**
 * attn_survey_data_dup_fingerprint:
 *
 * Returns: (transfer full) (nullable): fingerprint of the model, [func@attn_model_get_fingerprint]
 */
char *
attn_survey_data_dup_fingerprint (const AttnSurveyData *data)
{
  g_autoptr (JsonObject) survey = parse_json (data, NULL);

  return dup_string (survey, "fingerprint");
}

/* Reads an array of token ids. A value that is no number counts as 0. @node: the array */
static GArray *
read_ids (JsonNode *node)
{
  JsonArray *array = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonNode *value = json_array_get_element (array, i);
      guint32 id = JSON_NODE_HOLDS_VALUE (value) ? (guint32) json_node_get_int (value) : 0;

      g_array_append_val (ids, id);
    }
  return ids;
}

/**
 * attn_survey_data_list_inputs:
 *
 * Returns: (transfer full) (element-type GArray): the token ids (#guint32) of each input that
 *   patches copied activations from; an empty array for an input that no patch used; no arrays at
 *   all if there was no patch
 */
GPtrArray *
attn_survey_data_list_inputs (const AttnSurveyData *data)
{
  g_autoptr (JsonObject) survey = parse_json (data, NULL);
  JsonNode *node = survey != NULL ? json_object_get_member (survey, ATTN_SURVEY_INPUTS) : NULL;
  JsonArray *array =
      node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  GPtrArray *inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    g_ptr_array_add (inputs, read_ids (json_array_get_element (array, i)));
  return inputs;
}
