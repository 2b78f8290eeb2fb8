/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-post-processor.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>

#include "attn-component.h"
#include "attn-error.h"
#include "attn-json.h"

/* What every step of the reading needs. */
typedef struct
{
  const char *where;
  const AttnVocabulary *vocabulary;
  AttnPostProcessor *processor;
} Reader;

static gboolean
refuse_format (const Reader  *reader,
               const char    *found,
               GError       **error)
{
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: post-processor with %s found, expected special tokens around one text"),
                    reader->where, found);
}

static gboolean
append_id (const Reader  *reader,
           GArray        *ids,
           JsonNode      *node,
           GError       **error)
{
  gint64 value = -1;

  if (node != NULL && json_node_get_value_type (node) == G_TYPE_INT64)
    value = json_node_get_int (node);
  if (value < 0 || value > G_MAXINT32 ||
      (reader->vocabulary != NULL &&
       attn_vocabulary_get_piece (reader->vocabulary, value) == NULL))
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: post-processor with token id %" PRId64 " found, expected one of the "
                        "vocabulary"),
                      reader->where, value);

  guint32 id = value;
  g_array_append_val (ids, id);
  return TRUE;
}

/* A processor in a sequence works on what the one before left: its tokens go outside of the
 * others. */
static void
wrap (Reader *reader,
      GArray *prefix,
      GArray *suffix)
{
  g_array_prepend_vals (reader->processor->prefix, prefix->data, prefix->len);
  g_array_append_vals (reader->processor->suffix, suffix->data, suffix->len);
}

/* "cls": ["<s>", 0] */
static gboolean
append_pair (Reader      *reader,
             JsonObject  *object,
             const char  *member,
             GArray      *ids,
             GError     **error)
{
  JsonArray *pair;

  if (!attn_json_get_array (object, reader->where, member, &pair, error))
    return FALSE;
  if (pair == NULL || json_array_get_length (pair) != 2)
    return refuse_format (reader, _("a special token that is not a pair"), error);
  return append_id (reader, ids, json_array_get_element (pair, 1), error);
}

static gboolean
read_bert (gpointer     stage,
           JsonObject  *object,
           int          kind,
           const char  *where,
           GError     **error)
{
  Reader *reader = stage;
  g_autoptr (GArray) prefix = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) suffix = g_array_new (FALSE, FALSE, sizeof (guint32));

  if (!append_pair (reader, object, "cls", prefix, error) ||
      !append_pair (reader, object, "sep", suffix, error))
    return FALSE;
  wrap (reader, prefix, suffix);
  return TRUE;
}

/* "special_tokens": { "<s>": { "id": "<s>", "ids": [1], "tokens": ["<s>"] } } */
static gboolean
append_special (Reader      *reader,
                JsonObject  *specials,
                JsonObject  *piece,
                GArray      *ids,
                GError     **error)
{
  JsonObject *special = NULL;
  JsonArray *array = NULL;
  const char *name;

  if (!attn_json_get_string (piece, reader->where, "id", "", &name, error))
    return FALSE;
  if (specials != NULL &&
      !attn_json_get_object (specials, reader->where, name, &special, error))
    return FALSE;
  if (special != NULL && !attn_json_get_array (special, reader->where, "ids", &array, error))
    return FALSE;
  if (array == NULL)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: special token “%s” found in the post-processor, expected one whose "
                        "ids it lists"),
                      reader->where, name);
  for (guint i = 0; i < json_array_get_length (array); i++)
    if (!append_id (reader, ids, json_array_get_element (array, i), error))
      return FALSE;
  return TRUE;
}

/* "single": [{ "SpecialToken": { "id": "<s>" } }, { "Sequence": { "id": "A" } }] */
static gboolean
read_template (gpointer     stage,
               JsonObject  *object,
               int          kind,
               const char  *where,
               GError     **error)
{
  Reader *reader = stage;
  g_autoptr (GArray) prefix = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) suffix = g_array_new (FALSE, FALSE, sizeof (guint32));
  JsonArray *pieces;
  JsonObject *specials;
  gboolean has_text = FALSE;

  if (!attn_json_get_array (object, reader->where, "single", &pieces, error) ||
      !attn_json_get_object (object, reader->where, "special_tokens", &specials, error))
    return FALSE;
  for (guint i = 0; pieces != NULL && i < json_array_get_length (pieces); i++)
    {
      JsonNode *node = json_array_get_element (pieces, i);
      JsonObject *special = NULL;
      JsonObject *text = NULL;

      if (!JSON_NODE_HOLDS_OBJECT (node))
        return refuse_format (reader, _("a template of something else than objects"), error);
      if (!attn_json_get_object (json_node_get_object (node), reader->where, "SpecialToken",
                                 &special, error) ||
          !attn_json_get_object (json_node_get_object (node), reader->where, "Sequence", &text,
                                 error))
        return FALSE;
      if ((special == NULL) == (text == NULL) || (text != NULL && has_text))
        return refuse_format (reader, _("a template other than tokens, text, tokens"), error);
      if (special != NULL &&
          !append_special (reader, specials, special, has_text ? suffix : prefix, error))
        return FALSE;
      has_text = has_text || text != NULL;
    }
  if (!has_text)
    return refuse_format (reader, _("a template without the text"), error);
  wrap (reader, prefix, suffix);
  return TRUE;
}

/* ByteLevel trims offsets, and ours keep the space with its token. */
static gboolean
read_nothing (gpointer     stage,
              JsonObject  *object,
              int          kind,
              const char  *where,
              GError     **error)
{
  return TRUE;
}

static const AttnComponentType components[] = {
  { "BertProcessing", 0, read_bert },
  { "ByteLevel", 0, read_nothing },
  { "RobertaProcessing", 0, read_bert },
  { "Sequence", .sequence = "processors" },
  { "TemplateProcessing", 0, read_template },
  { NULL },
};

/**
 * attn_post_processor_new:
 * @node: (nullable): the post-processor of a tokenizer.json; none, or null, adds nothing
 * @where: the file
 * @vocabulary: (nullable): the ids that there are; %NULL where any will do
 * @error: return location for %ATTN_ERROR_FORMAT, and %ATTN_ERROR_UNSUPPORTED for a type that is
 *   not known
 */
AttnPostProcessor *
attn_post_processor_new (JsonNode              *node,
                         const char            *where,
                         const AttnVocabulary  *vocabulary,
                         GError               **error)
{
  g_autoptr (AttnPostProcessor) processor = g_new0 (AttnPostProcessor, 1);
  Reader reader = { where, vocabulary, processor };

  processor->prefix = g_array_new (FALSE, FALSE, sizeof (guint32));
  processor->suffix = g_array_new (FALSE, FALSE, sizeof (guint32));
  if (node != NULL && !JSON_NODE_HOLDS_NULL (node) &&
      !attn_component_read (node, components, &reader, where, _("post-processor"), error))
    return NULL;
  return g_steal_pointer (&processor);
}

void
attn_post_processor_free (AttnPostProcessor *processor)
{
  g_array_unref (processor->prefix);
  g_array_unref (processor->suffix);
  g_free (processor);
}
