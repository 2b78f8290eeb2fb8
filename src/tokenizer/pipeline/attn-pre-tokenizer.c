/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-pre-tokenizer.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-tokenizer-component.h"
#include "attn-error.h"
#include "attn-spaces.h"
#include "attn-splitter.h"

/* The pattern by which GPT-2 cuts a text into words: encoder.py. */
#define GPT2_PATTERN \
  "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"

#define PUNCTUATION "[!-/:-@\\[-`{-~]|\\p{P}"

/* In the tokenizers library, the engine that matches this pattern counts joiners (U+200C, U+200D)
 * as word characters. */
#define WORD_CHARACTERS ATTN_SPLITTER_WORDS "\\x{200C}\\x{200D}"
#define WHITESPACE_PATTERN \
  "[" WORD_CHARACTERS "]+|(?:(?!" ATTN_SPLITTER_WHITE_SPACE ")[^" WORD_CHARACTERS "])+"

static const AttnTokenizerComponentType behaviors[] = {
  { "Isolated", ATTN_SPLIT_ISOLATED },
  { "Removed", ATTN_SPLIT_REMOVED },
  { "MergedWithPrevious", ATTN_SPLIT_MERGED_WITH_PREVIOUS },
  { "MergedWithNext", ATTN_SPLIT_MERGED_WITH_NEXT },
  { "Contiguous", ATTN_SPLIT_CONTIGUOUS },
  { NULL },
};

static const AttnTokenizerComponentType schemes[] = {
  { "always", ATTN_PREFIX_ALWAYS },
  { "first", ATTN_PREFIX_FIRST },
  { "never", ATTN_PREFIX_NEVER },
  { NULL },
};

/* A step of the pre-tokenizer, which replaces spaces, then cuts the text. */
typedef struct
{
  AttnPrefix prefix;
  char *space;            /* replacement for a space in words; NULL to keep spaces */
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
  guint n_byte_level_steps; /* number of steps when ByteLevel was appended */
};

static void
clear_step (gpointer data)
{
  Step *step = data;

  g_free (step->space);
  g_clear_pointer (&step->splitter, attn_splitter_free);
}

static gboolean
append_splitter (AttnPreTokenizer *pre_tokenizer,
                 AttnSplitter     *splitter)
{
  Step step = { ATTN_PREFIX_NEVER, NULL, splitter };

  if (splitter != NULL)
    g_array_append_val (pre_tokenizer->steps, step);
  return splitter != NULL;
}

/* Appends a cut at a pattern that is known to be valid: a constant of this file or a character. */
static void
append_pattern (AttnPreTokenizer  *pre_tokenizer,
                const char        *pattern,
                AttnSplitBehavior  behavior)
{
  append_splitter (pre_tokenizer, attn_splitter_new (pattern, behavior, FALSE, "", NULL));
}

/**
 * attn_pre_tokenizer_append_split:
 * @pattern: a regular expression; each match is a word, and so is each stretch between two matches
 * @where: name of the file in error messages
 * @error: return location for %ATTN_ERROR_UNSUPPORTED, for a pattern that PCRE cannot do
 *
 * Appends a step that cuts words at the matches of a pattern.
 */
gboolean
attn_pre_tokenizer_append_split (AttnPreTokenizer  *pre_tokenizer,
                                 const char        *pattern,
                                 const char        *where,
                                 GError           **error)
{
  return append_splitter (pre_tokenizer,
                          attn_splitter_new (pattern, ATTN_SPLIT_ISOLATED, FALSE, where, error));
}

/**
 * attn_pre_tokenizer_append_byte_level:
 * @adds_prefix_space: whether a word that does not begin with a space is given one
 * @uses_regex: whether words are cut by GPT-2's pattern
 *
 * Appends the step ByteLevel: the words are taken as bytes from then on.
 */
void
attn_pre_tokenizer_append_byte_level (AttnPreTokenizer *pre_tokenizer,
                                      gboolean          adds_prefix_space,
                                      gboolean          uses_regex)
{
  Step space = { ATTN_PREFIX_ALWAYS, NULL, NULL };

  if (adds_prefix_space)
    g_array_append_val (pre_tokenizer->steps, space);
  if (uses_regex)
    append_pattern (pre_tokenizer, GPT2_PATTERN, ATTN_SPLIT_ISOLATED);
  pre_tokenizer->is_byte_level = TRUE;
  pre_tokenizer->n_byte_level_steps = pre_tokenizer->steps->len;
}

/**
 * attn_pre_tokenizer_append_metaspace:
 * @space: what spaces become, such as "▁"
 * @prefix: which words get @space in front
 * @splits: whether each @space begins a word
 *
 * Appends the step Metaspace, which replaces spaces by a visible character.
 */
void
attn_pre_tokenizer_append_metaspace (AttnPreTokenizer *pre_tokenizer,
                                     const char       *space,
                                     AttnPrefix        prefix,
                                     gboolean          splits)
{
  Step step = { prefix, g_strdup (space), NULL };
  g_autofree char *pattern = g_regex_escape_string (space, -1);

  g_array_append_val (pre_tokenizer->steps, step);
  if (splits)
    append_pattern (pre_tokenizer, pattern, ATTN_SPLIT_MERGED_WITH_NEXT);
}

/**
 * attn_pre_tokenizer_append_spaces:
 *
 * Appends a step that cuts a text at spaces and drops them: those of str.split() of Python, which
 * include the separators U+001C to U+001F.
 */
void
attn_pre_tokenizer_append_spaces (AttnPreTokenizer *pre_tokenizer)
{
  append_pattern (pre_tokenizer, "[" ATTN_SPLITTER_SPACES "\\x1C-\\x1F]+", ATTN_SPLIT_REMOVED);
}

/**
 * attn_pre_tokenizer_append_white_space:
 *
 * Appends a step that cuts a text at the white space of Unicode and drops it.
 */
void
attn_pre_tokenizer_append_white_space (AttnPreTokenizer *pre_tokenizer)
{
  append_pattern (pre_tokenizer, ATTN_SPLITTER_WHITE_SPACE "+", ATTN_SPLIT_REMOVED);
}

/**
 * attn_pre_tokenizer_append_bert:
 *
 * Appends steps that cut a text at white space and drop it, and make each punctuation character a
 * word.
 */
void
attn_pre_tokenizer_append_bert (AttnPreTokenizer *pre_tokenizer)
{
  attn_pre_tokenizer_append_white_space (pre_tokenizer);
  append_pattern (pre_tokenizer, PUNCTUATION, ATTN_SPLIT_ISOLATED);
}

static void
read_byte_level (AttnTokenizerComponent *component)
{
  attn_pre_tokenizer_append_byte_level (
      component->stage, attn_json_read_boolean (&component->json, "add_prefix_space", TRUE),
      attn_json_read_boolean (&component->json, "use_regex", TRUE));
}

/* Reads a Metaspace step. Older files have "add_prefix_space" instead of "prepend_scheme". */
static void
read_metaspace (AttnTokenizerComponent *component)
{
  gboolean adds_prefix_space = attn_json_read_boolean (&component->json, "add_prefix_space", TRUE);
  gboolean splits = attn_json_read_boolean (&component->json, "split", TRUE);
  const char *space = attn_json_read_string (&component->json, "replacement", ATTN_SPACE);
  const char *scheme = attn_json_read_string (&component->json, "prepend_scheme", "always");
  int prefix =
      attn_tokenizer_component_find_kind (&component->json, schemes, scheme, _("prepend scheme"));

  if (g_utf8_strlen (space, -1) != 1)
    attn_json_fail (&component->json, ATTN_ERROR_FORMAT,
                    _("%s: Metaspace with replacement “%s” found, expected one character"),
                    component->json.where, space);
  attn_pre_tokenizer_append_metaspace (
      component->stage, space, adds_prefix_space ? (AttnPrefix) prefix : ATTN_PREFIX_NEVER, splits);
}

static int
get_behavior (AttnTokenizerComponent *component,
              const char             *fallback)
{
  const char *name = attn_json_read_string (&component->json, "behavior", fallback);

  return attn_tokenizer_component_find_kind (&component->json, behaviors, name,
                                             _("split behavior"));
}

static void
read_punctuation (AttnTokenizerComponent *component)
{
  append_pattern (component->stage, PUNCTUATION, get_behavior (component, "Isolated"));
}

static void
read_digits (AttnTokenizerComponent *component)
{
  gboolean is_individual = attn_json_read_boolean (&component->json, "individual_digits", FALSE);

  append_pattern (component->stage, "\\p{N}",
                  is_individual ? ATTN_SPLIT_ISOLATED : ATTN_SPLIT_CONTIGUOUS);
}

static void
read_split (AttnTokenizerComponent *component)
{
  int behavior = get_behavior (component, "");
  gboolean is_inverted = attn_json_read_boolean (&component->json, "invert", FALSE);

  append_splitter (component->stage,
                   attn_splitter_new_from_json (component, behavior, is_inverted));
}

static void
read_bert (AttnTokenizerComponent *component)
{
  attn_pre_tokenizer_append_bert (component->stage);
}

/* Reads the pre-tokenizer's step Whitespace: matches of its pattern are the words. */
static void
read_whitespace (AttnTokenizerComponent *component)
{
  append_splitter (component->stage,
                   attn_splitter_new (WHITESPACE_PATTERN, ATTN_SPLIT_REMOVED, TRUE, "", NULL));
}

static void
read_whitespace_split (AttnTokenizerComponent *component)
{
  attn_pre_tokenizer_append_white_space (component->stage);
}

static const AttnTokenizerComponentType components[] = {
  { "BertPreTokenizer", 0, read_bert },
  { "ByteLevel", 0, read_byte_level },
  { "Digits", 0, read_digits },
  { "Metaspace", 0, read_metaspace },
  { "Punctuation", 0, read_punctuation },
  { "Sequence", .sequence = "pretokenizers" },
  { "Split", 0, read_split },
  { "Whitespace", 0, read_whitespace },
  { "WhitespaceSplit", 0, read_whitespace_split },
  { NULL },
};

/**
 * attn_pre_tokenizer_new:
 * @node: (nullable): the pre-tokenizer of a tokenizer.json; %NULL, or null in the file, does not
 *   cut
 * @where: name of the file in error messages
 * @error: return location for %ATTN_ERROR_FORMAT, and %ATTN_ERROR_UNSUPPORTED for a type or a
 *   pattern that is not known
 *
 * Reads the steps by which a text is cut into words.
 */
AttnPreTokenizer *
attn_pre_tokenizer_new (JsonNode    *node,
                        const char  *where,
                        GError     **error)
{
  g_autoptr (AttnPreTokenizer) pre_tokenizer = g_new0 (AttnPreTokenizer, 1);

  pre_tokenizer->steps = g_array_new (FALSE, FALSE, sizeof (Step));
  g_array_set_clear_func (pre_tokenizer->steps, clear_step);
  if (!attn_tokenizer_component_read (node, components, pre_tokenizer, where, _("pre-tokenizer"),
                                      error))
    return NULL;
  /* A pattern after ByteLevel would be matched against the byte-level alphabet, which has digits in
   * place of other bytes. */
  if (pre_tokenizer->is_byte_level &&
      pre_tokenizer->steps->len > pre_tokenizer->n_byte_level_steps)
    return attn_fail_null (
        error, ATTN_ERROR_UNSUPPORTED,
        _("%s: another pre-tokenizer after ByteLevel found, expected ByteLevel last"), where);
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

static gboolean
needs_prefix (const Step           *step,
              const AttnMappedText *text,
              const AttnWord       *word,
              gboolean              is_first)
{
  const char *space = step->space != NULL ? step->space : " ";
  gsize length = strlen (space);

  if (step->prefix == ATTN_PREFIX_DUMMY)
    return is_first;
  if (step->prefix == ATTN_PREFIX_NEVER || (step->prefix == ATTN_PREFIX_FIRST && !is_first))
    return FALSE;
  return text->text[word->begin] != ' ' &&
         (word->end - word->begin < length ||
          memcmp (text->text + word->begin, space, length) != 0);
}

/* Appends a word and replaces its spaces by @space, unless that is NULL. */
static void
append_spaced (AttnMappedText       *edited,
               const AttnMappedText *text,
               const AttnWord       *word,
               const char           *space)
{
  gsize done = word->begin;
  const char *found;

  while (space != NULL && (found = memchr (text->text + done, ' ', word->end - done)) != NULL)
    {
      gsize next = found - text->text;

      attn_mapped_text_append_copy (edited, text, done, next);
      attn_mapped_text_replace (edited, text, next, next + 1, space, strlen (space));
      done = next + 1;
    }
  attn_mapped_text_append_copy (edited, text, done, word->end);
}

/* Replaces the spaces in every word, and inserts a replaced space before each word that needs a
 * prefix. */
static void
edit_spaces (const Step     *step,
             AttnMappedText *text,
             gboolean        is_first,
             GArray         *words)
{
  AttnMappedText edited;

  attn_mapped_text_start_edit (&edited, text->length + words->len);
  for (guint i = 0; i < words->len; i++)
    {
      AttnWord *word = &g_array_index (words, AttnWord, i);
      gsize begin = edited.length;
      gsize origin_begin, origin_end;

      attn_mapped_text_get_origin (text, word->begin, word->end, &origin_begin, &origin_end);
      /* With the scheme "first", the tokenizers library treats no word as the first one if the
       * normalizer removed the beginning of the text. */
      if (needs_prefix (step, text, word,
                        is_first && word->begin == 0 &&
                            (step->prefix != ATTN_PREFIX_FIRST || origin_begin == 0)))
        attn_mapped_text_insert (&edited, text, word->begin,
                                 step->space != NULL ? step->space : " ");
      append_spaced (&edited, text, word, step->space);
      *word = (AttnWord) { begin, edited.length };
    }
  attn_mapped_text_finish_edit (text, &edited);
}

/**
 * attn_pre_tokenizer_split:
 * @text: the text; it is edited where the tokenizer adds or replaces a space
 * @is_first: whether it is the beginning of what the user wrote
 * @words: (element-type AttnWord): replaced by the words, in order, none of them empty
 * @error: return location for %ATTN_ERROR_LIMIT
 *
 * Cuts a text into words by all steps of a pre-tokenizer, one after the other.
 */
gboolean
attn_pre_tokenizer_split (const AttnPreTokenizer  *pre_tokenizer,
                          AttnMappedText          *text,
                          gboolean                 is_first,
                          GArray                  *words,
                          GError                 **error)
{
  AttnWord whole = { 0, text->length };

  g_array_set_size (words, 0);
  if (text->length == 0)
    return TRUE;
  g_array_append_val (words, whole);
  for (guint i = 0; i < pre_tokenizer->steps->len; i++)
    {
      const Step *step = &g_array_index (pre_tokenizer->steps, Step, i);
      g_autoptr (GArray) before = NULL;

      if (step->prefix != ATTN_PREFIX_NEVER || step->space != NULL)
        edit_spaces (step, text, is_first, words);
      if (step->splitter == NULL)
        continue;
      before = g_array_copy (words);
      g_array_set_size (words, 0);
      for (guint j = 0; j < before->len; j++)
        {
          const AttnWord *word = &g_array_index (before, AttnWord, j);

          if (!attn_splitter_split (step->splitter, text->text, word->begin, word->end, words,
                                    error))
            return FALSE;
        }
    }
  return TRUE;
}
