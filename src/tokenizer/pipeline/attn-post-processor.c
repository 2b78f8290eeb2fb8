/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-post-processor.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>

#include "attn-tokenizer-component.h"
#include "attn-error.h"

/* A post-processor that is being read. @vocabulary: (nullable): vocabulary with the allowed token
 * ids */
typedef struct
{
  AttnPostProcessor *processor;
  const AttnVocabulary *vocabulary;
} Stage;

static void
refuse_format (AttnTokenizerComponent *component,
               const char             *found)
{
  attn_json_fail (&component->json, ATTN_ERROR_FORMAT,
                  _("%s: post-processor with %s found, expected special tokens around one text"),
                  component->json.where, found);
}

static void
append_id (AttnTokenizerComponent *component,
           GArray                 *ids,
           JsonNode               *node)
{
  const Stage *stage = component->stage;
  gboolean is_number = node != NULL && json_node_get_value_type (node) == G_TYPE_INT64;
  gint64 value = is_number ? json_node_get_int (node) : -1;
  guint32 id = value;

  if (value >= 0 && value <= G_MAXINT32 &&
      (stage->vocabulary == NULL || attn_vocabulary_get_piece (stage->vocabulary, id) != NULL))
    g_array_append_val (ids, id);
  else
    attn_json_fail (&component->json, ATTN_ERROR_FORMAT,
                    _("%s: post-processor with token id %" PRId64 " found, expected one of the "
                      "vocabulary"),
                    component->json.where, value);
}

/* Puts special tokens around the tokens that earlier processors of a sequence put around the
 * text. */
static void
wrap (AttnTokenizerComponent *component,
      GArray                 *prefix,
      GArray                 *suffix)
{
  AttnPostProcessor *processor = ((Stage *) component->stage)->processor;

  g_array_prepend_vals (processor->prefix, prefix->data, prefix->len);
  g_array_append_vals (processor->suffix, suffix->data, suffix->len);
}

/* Reads a special token and its id in a post-processor: "cls": ["<s>", 0]. */
static void
append_pair (AttnTokenizerComponent *component,
             const char             *member,
             GArray                 *ids)
{
  JsonArray *pair = attn_json_read_array (&component->json, member);

  if (pair == NULL || json_array_get_length (pair) != 2)
    refuse_format (component, _("a special token that is not a pair"));
  else
    append_id (component, ids, json_array_get_element (pair, 1));
}

static void
read_bert (AttnTokenizerComponent *component)
{
  g_autoptr (GArray) prefix = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) suffix = g_array_new (FALSE, FALSE, sizeof (guint32));

  append_pair (component, "cls", prefix);
  append_pair (component, "sep", suffix);
  wrap (component, prefix, suffix);
}

/* Reads "special_tokens": { "<s>": { "id": "<s>", "ids": [1], "tokens": ["<s>"] } } and appends the
 * ids of special token @name. */
static void
append_special (AttnTokenizerComponent *component,
                const char             *name,
                GArray                 *ids)
{
  AttnTokenizerComponent special = *component;
  JsonArray *array = NULL;

  special.json.object = attn_json_read_object (&special.json, "special_tokens");
  if (special.json.object != NULL)
    special.json.object = attn_json_read_object (&special.json, name);
  if (special.json.object != NULL)
    array = attn_json_read_array (&special.json, "ids");
  component->json.error = special.json.error;
  if (array == NULL)
    attn_json_fail (&component->json, ATTN_ERROR_FORMAT,
                    _("%s: special token “%s” found in the post-processor, expected one whose "
                      "ids it lists"),
                    component->json.where, name);
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    append_id (component, ids, json_array_get_element (array, i));
}

/* Reads "single": [{ "SpecialToken": { "id": "<s>" } }, { "Sequence": { "id": "A" } }]. "A" is the
 * text, around which the special tokens stand. */
static void
read_template (AttnTokenizerComponent *component)
{
  g_autoptr (GArray) prefix = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) suffix = g_array_new (FALSE, FALSE, sizeof (guint32));
  JsonArray *pieces = attn_json_read_array (&component->json, "single");
  gboolean has_text = FALSE;

  for (guint i = 0; pieces != NULL && i < json_array_get_length (pieces); i++)
    {
      JsonNode *node = json_array_get_element (pieces, i);
      AttnTokenizerComponent piece = *component;

      if (!JSON_NODE_HOLDS_OBJECT (node))
        {
          refuse_format (component, _("a template of something else than objects"));
          return;
        }
      piece.json.object = json_node_get_object (node);
      const char *name = attn_json_read_inner_string (&piece.json, "SpecialToken", "id");
      gboolean is_text = attn_json_read_object (&piece.json, "Sequence") != NULL;
      component->json.error = piece.json.error;
      if ((name != NULL) == is_text || (is_text && has_text))
        refuse_format (component, _("a template other than tokens, text, tokens"));
      else if (name != NULL)
        append_special (component, name, has_text ? suffix : prefix);
      has_text = has_text || is_text;
    }
  if (!has_text)
    refuse_format (component, _("a template without the text"));
  wrap (component, prefix, suffix);
}

/* Ignores the post-processor ByteLevel. It trims spaces from offsets, whereas here a token keeps
 * its space. */
static void
read_nothing (AttnTokenizerComponent *component)
{
}

static const AttnTokenizerComponentType components[] = {
  { "BertProcessing", 0, read_bert },
  { "ByteLevel", 0, read_nothing },
  { "RobertaProcessing", 0, read_bert },
  { "Sequence", .sequence = "processors" },
  { "TemplateProcessing", 0, read_template },
  { NULL },
};

/**
 * attn_post_processor_new:
 * @node: (nullable): the post-processor of a tokenizer.json; %NULL, or null in the file, adds
 *   nothing
 * @where: name of the file in error messages
 * @vocabulary: (nullable): has the token ids that are allowed; %NULL to allow any
 * @error: return location for %ATTN_ERROR_FORMAT, and %ATTN_ERROR_UNSUPPORTED for a type that is
 *   not known
 *
 * Reads which special tokens a tokenizer puts around a text.
 */
AttnPostProcessor *
attn_post_processor_new (JsonNode              *node,
                         const char            *where,
                         const AttnVocabulary  *vocabulary,
                         GError               **error)
{
  g_autoptr (AttnPostProcessor) processor = g_new0 (AttnPostProcessor, 1);
  Stage stage = { processor, vocabulary };

  processor->prefix = g_array_new (FALSE, FALSE, sizeof (guint32));
  processor->suffix = g_array_new (FALSE, FALSE, sizeof (guint32));
  return attn_tokenizer_component_read (node, components, &stage, where, _("post-processor"), error)
             ? g_steal_pointer (&processor)
             : NULL;
}

void
attn_post_processor_free (AttnPostProcessor *processor)
{
  g_array_unref (processor->prefix);
  g_array_unref (processor->suffix);
  g_free (processor);
}
