/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-pre-tokenizer.h"

#include <glib/gi18n-lib.h>

#include "attn-component.h"
#include "attn-error.h"
#include "attn-json.h"
#include "attn-splitter.h"
#include "attn-subword.h"

/* GPT-2, encoder.py. */
#define GPT2_PATTERN \
  "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"

enum
{
  TYPE_BYTE_LEVEL,
  TYPE_DIGITS,
  TYPE_SEQUENCE,
  TYPE_SPLIT,
};

static const char *const types[] = {
  [TYPE_BYTE_LEVEL] = "ByteLevel",
  [TYPE_DIGITS] = "Digits",
  [TYPE_SEQUENCE] = "Sequence",
  [TYPE_SPLIT] = "Split",
  NULL,
};

static const char *const behaviors[] = {
  [ATTN_SPLIT_ISOLATED] = "Isolated",
  [ATTN_SPLIT_REMOVED] = "Removed",
  [ATTN_SPLIT_MERGED_WITH_PREVIOUS] = "MergedWithPrevious",
  [ATTN_SPLIT_MERGED_WITH_NEXT] = "MergedWithNext",
  [ATTN_SPLIT_CONTIGUOUS] = "Contiguous",
  NULL,
};

/* One step: first the space, then the cut. */
typedef struct
{
  gboolean adds_prefix_space;
  AttnSplitter *splitter; /* NULL for a step that does not cut */
} Step;

/**
 * AttnPreTokenizer:
 *
 * Immutable; any thread may use it.
 */
struct _AttnPreTokenizer
{
  GArray *steps;
  gboolean is_byte_level;
};

static gboolean read_pre_tokenizer (AttnPreTokenizer  *pre_tokenizer,
                                    JsonNode          *node,
                                    const char        *where,
                                    GError           **error);

static void
clear_step (gpointer data)
{
  g_clear_pointer (&((Step *) data)->splitter, attn_splitter_free);
}

static gboolean
append_splitter (AttnPreTokenizer *pre_tokenizer,
                 AttnSplitter     *splitter)
{
  Step step = { FALSE, splitter };

  if (splitter == NULL)
    return FALSE;
  g_array_append_val (pre_tokenizer->steps, step);
  return TRUE;
}

static gboolean
read_byte_level (AttnPreTokenizer  *pre_tokenizer,
                 JsonObject        *object,
                 const char        *where,
                 GError           **error)
{
  Step space = { TRUE, NULL };
  gboolean adds_prefix_space, uses_regex;

  if (!attn_json_get_boolean (object, where, "add_prefix_space", TRUE, &adds_prefix_space, error) ||
      !attn_json_get_boolean (object, where, "use_regex", TRUE, &uses_regex, error))
    return FALSE;
  pre_tokenizer->is_byte_level = TRUE;
  if (adds_prefix_space)
    g_array_append_val (pre_tokenizer->steps, space);
  return !uses_regex ||
         append_splitter (pre_tokenizer, attn_splitter_new (GPT2_PATTERN, ATTN_SPLIT_ISOLATED,
                                                            FALSE, where, error));
}

static gboolean
read_digits (AttnPreTokenizer  *pre_tokenizer,
             JsonObject        *object,
             const char        *where,
             GError           **error)
{
  gboolean is_individual;

  if (!attn_json_get_boolean (object, where, "individual_digits", FALSE, &is_individual, error))
    return FALSE;
  return append_splitter (pre_tokenizer,
                          attn_splitter_new ("\\p{N}", is_individual ? ATTN_SPLIT_ISOLATED :
                                             ATTN_SPLIT_CONTIGUOUS, FALSE, where, error));
}

static gboolean
read_split (AttnPreTokenizer  *pre_tokenizer,
            JsonObject        *object,
            const char        *where,
            GError           **error)
{
  const char *name;
  gboolean is_inverted;

  if (!attn_json_get_string (object, where, "behavior", "", &name, error) ||
      !attn_json_get_boolean (object, where, "invert", FALSE, &is_inverted, error))
    return FALSE;
  for (int behavior = 0; behaviors[behavior] != NULL; behavior++)
    if (g_str_equal (behaviors[behavior], name))
      return append_splitter (
          pre_tokenizer, attn_splitter_new_from_json (object, behavior, is_inverted, where, error));

  g_autofree char *known = g_strjoinv (", ", (char **) behaviors);
  g_set_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
               _("%s: split behavior “%s” found, expected one of %s"), where, name, known);
  return FALSE;
}

static gboolean
read_sequence (AttnPreTokenizer  *pre_tokenizer,
               JsonObject        *object,
               const char        *where,
               GError           **error)
{
  JsonArray *array;

  if (!attn_json_get_array (object, where, "pretokenizers", &array, error))
    return FALSE;
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    if (!read_pre_tokenizer (pre_tokenizer, json_array_get_element (array, i), where, error))
      return FALSE;
  return TRUE;
}

static gboolean
read_pre_tokenizer (AttnPreTokenizer  *pre_tokenizer,
                    JsonNode          *node,
                    const char        *where,
                    GError           **error)
{
  JsonObject *object;
  int type;

  if (!attn_component_get_object (node, where, _("pre-tokenizer"), &object, error))
    return FALSE;
  type = attn_component_find_type (object, where, _("pre-tokenizer"), types, error);

  /* Behind ByteLevel a pattern would see the alphabet, which has digits where the text has none. */
  if (type >= 0 && pre_tokenizer->is_byte_level)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
                   _("%s: pre-tokenizer “%s” behind ByteLevel found, expected ByteLevel last"),
                   where, types[type]);
      return FALSE;
    }
  switch (type)
    {
    case TYPE_BYTE_LEVEL:
      return read_byte_level (pre_tokenizer, object, where, error);
    case TYPE_DIGITS:
      return read_digits (pre_tokenizer, object, where, error);
    case TYPE_SEQUENCE:
      return read_sequence (pre_tokenizer, object, where, error);
    case TYPE_SPLIT:
      return read_split (pre_tokenizer, object, where, error);
    default:
      return FALSE;
    }
}

/**
 * attn_pre_tokenizer_new:
 * @node: (nullable): the pre-tokenizer of a tokenizer.json; none, or null, does not cut
 * @where: the file
 * @error: return location for %ATTN_ERROR_FORMAT, and %ATTN_ERROR_UNSUPPORTED for a type or a
 *   pattern that is not known
 */
AttnPreTokenizer *
attn_pre_tokenizer_new (JsonNode    *node,
                        const char  *where,
                        GError     **error)
{
  g_autoptr (AttnPreTokenizer) pre_tokenizer = g_new0 (AttnPreTokenizer, 1);

  pre_tokenizer->steps = g_array_new (FALSE, FALSE, sizeof (Step));
  g_array_set_clear_func (pre_tokenizer->steps, clear_step);
  if (node != NULL && !JSON_NODE_HOLDS_NULL (node) &&
      !read_pre_tokenizer (pre_tokenizer, node, where, error))
    return NULL;
  return g_steal_pointer (&pre_tokenizer);
}

void
attn_pre_tokenizer_free (AttnPreTokenizer *pre_tokenizer)
{
  g_array_unref (pre_tokenizer->steps);
  g_free (pre_tokenizer);
}

/**
 * attn_pre_tokenizer_is_byte_level:
 *
 * Returns: whether the words are to be taken as bytes, which the vocabulary spells in the
 *   byte-level alphabet
 */
gboolean
attn_pre_tokenizer_is_byte_level (const AttnPreTokenizer *pre_tokenizer)
{
  return pre_tokenizer->is_byte_level;
}

/* Puts a space in front of every word that does not begin with one. */
static void
add_prefix_spaces (AttnMappedText *text,
                   GArray         *words)
{
  AttnMappedText edited;

  attn_mapped_text_start_edit (&edited, text->length + words->len);
  for (guint i = 0; i < words->len; i++)
    {
      AttnSpan *word = &g_array_index (words, AttnSpan, i);
      gsize begin = edited.length;
      gsize origin_begin, origin_end;

      attn_mapped_text_get_origin (text, word->begin, word->end, &origin_begin, &origin_end);
      if (text->text[word->begin] != ' ')
        attn_mapped_text_append (&edited, " ", 1, origin_begin, origin_begin);
      attn_mapped_text_append_copy (&edited, text, word->begin, word->end);
      *word = (AttnSpan){ begin, edited.length };
    }
  attn_mapped_text_finish_edit (text, &edited);
}

/**
 * attn_pre_tokenizer_split:
 * @text: the text; it is edited where the tokenizer adds a space
 * @words: (element-type AttnSpan): replaced by the words, in order, none of them empty
 * @error: return location for %ATTN_ERROR_LIMIT
 */
gboolean
attn_pre_tokenizer_split (const AttnPreTokenizer  *pre_tokenizer,
                          AttnMappedText          *text,
                          GArray                  *words,
                          GError                 **error)
{
  AttnSpan whole = { 0, text->length };

  g_array_set_size (words, 0);
  if (text->length == 0)
    return TRUE;
  g_array_append_val (words, whole);
  for (guint i = 0; i < pre_tokenizer->steps->len; i++)
    {
      const Step *step = &g_array_index (pre_tokenizer->steps, Step, i);
      g_autoptr (GArray) before = NULL;

      if (step->adds_prefix_space)
        add_prefix_spaces (text, words);
      if (step->splitter == NULL)
        continue;
      before = g_array_copy (words);
      g_array_set_size (words, 0);
      for (guint j = 0; j < before->len; j++)
        {
          const AttnSpan *word = &g_array_index (before, AttnSpan, j);

          if (!attn_splitter_split (step->splitter, text->text, word->begin, word->end, words,
                                    error))
            return FALSE;
        }
    }
  return TRUE;
}
