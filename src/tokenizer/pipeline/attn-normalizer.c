/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-normalizer.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-tokenizer-component.h"
#include "attn-error.h"
#include "attn-memory.h"
#include "attn-splitter.h"
#include "attn-spaces.h"

typedef struct Step Step;

/* A step of a normalizer. @content: the text to prepend, or the replacement of a match; @splitter:
 * finds the matches to replace, as words */
struct Step
{
  gboolean (*apply) (const Step *step,
                     AttnMappedText *text,
                     GError **error);
  GNormalizeMode mode;
  char *content;
  AttnSplitter *splitter;
  AttnCharsmap *charsmap;
};

/**
 * AttnNormalizer:
 *
 * Immutable; any thread may use it.
 */
struct _AttnNormalizer
{
  GArray *steps;
};

static void
clear_step (gpointer data)
{
  Step *step = data;

  g_free (step->content);
  g_clear_pointer (&step->splitter, attn_splitter_free);
  g_clear_pointer (&step->charsmap, attn_charsmap_free);
}

/* Tells whether @character never combines with the one before it, so that the texts before and
 * after this place can be normalized separately. Marks combine, and so do the vowels and final
 * consonants of Hangul, also in the decomposition of a compatibility character. */
static gboolean
begins_part (gunichar character,
             gboolean is_compatible)
{
  gunichar parts[G_UNICHAR_MAX_DECOMPOSITION_LENGTH];

  if (character < 0x300)
    return TRUE;
  if (g_unichar_fully_decompose (character, is_compatible, parts, G_N_ELEMENTS (parts)) > 0)
    character = parts[0];
  return !g_unichar_ismark (character) && g_unichar_combining_class (character) == 0 &&
         !(character >= 0x1160 && character <= 0x11FF);
}

static gsize
find_character_end (const AttnMappedText *text,
                    gsize                 begin)
{
  return begin + g_utf8_skip[(guint8) text->text[begin]];
}

static gsize
find_part_end (const AttnMappedText *text,
               gsize                 begin,
               gboolean              is_compatible)
{
  gsize end = begin;

  do
    end = find_character_end (text, end);
  while (end < text->length && !begins_part (g_utf8_get_char (text->text + end), is_compatible));
  return end;
}

static gboolean
apply_form (const Step      *step,
            AttnMappedText  *text,
            GError         **error)
{
  gboolean is_compatible = step->mode == G_NORMALIZE_NFKC || step->mode == G_NORMALIZE_NFKD;
  AttnMappedText edited;

  attn_mapped_text_start_edit (&edited, text->length);
  for (gsize begin = 0, end; begin < text->length; begin = end)
    {
      end = find_part_end (text, begin, is_compatible);
      /* A single byte, which is ASCII, is copied. This includes NUL, where g_utf8_normalize() would
       * stop. */
      if (end - begin == 1)
        {
          attn_mapped_text_append_copy (&edited, text, begin, end);
          continue;
        }
      g_autofree char *part = g_utf8_normalize (text->text + begin, end - begin, step->mode);
      attn_mapped_text_replace (&edited, text, begin, end, part, strlen (part));
    }
  attn_mapped_text_finish_edit (text, &edited);
  return TRUE;
}

/* Returns the lower case of a character, including Roman numerals and circled letters, which are no
 * letters to GLib. */
static gunichar
lower_character (gunichar character)
{
  if (character >= 0x2160 && character <= 0x216F)
    return character + 0x10;
  if (character >= 0x24B6 && character <= 0x24CF)
    return character + 0x1A;
  return g_unichar_tolower (character);
}

static gboolean
apply_lowercase (const Step      *step,
                 AttnMappedText  *text,
                 GError         **error)
{
  AttnMappedText edited;

  attn_mapped_text_start_edit (&edited, text->length);
  for (gsize begin = 0, end; begin < text->length; begin = end)
    {
      gunichar character = g_utf8_get_char (text->text + begin);
      char lower[12];
      gsize length = g_unichar_to_utf8 (lower_character (character), lower);

      /* U+0130, the dotted capital I, is the only character whose lower case is two characters. */
      if (character == 0x130)
        length = g_strlcpy (lower, "i\xCC\x87", sizeof lower);
      end = find_character_end (text, begin);
      attn_mapped_text_replace (&edited, text, begin, end, lower, length);
    }
  attn_mapped_text_finish_edit (text, &edited);
  return TRUE;
}

static gboolean
apply_prepend (const Step      *step,
               AttnMappedText  *text,
               GError         **error)
{
  AttnMappedText edited;

  attn_mapped_text_start_edit (&edited, text->length + strlen (step->content));
  attn_mapped_text_insert (&edited, text, 0, step->content);
  attn_mapped_text_append_copy (&edited, text, 0, text->length);
  attn_mapped_text_finish_edit (text, &edited);
  return TRUE;
}

/* Tells whether a character is in one of the Chinese blocks of BERT's tokenization.py. The gap that
 * the tokenizers library has in them is kept, since checkpoints were trained with it. */
static gboolean
is_chinese (gunichar character)
{
  static const gunichar blocks[][2] = {
    { 0x3400, 0x4DBF },
    { 0x4E00, 0x9FFF },
    { 0xF900, 0xFAFF },
    { 0x20000, 0x2A6DF },
    { 0x2A700, 0x2B73F },
    { 0x2B740, 0x2B81F },
    { 0x2B920, 0x2CEAF },
    { 0x2F800, 0x2FA1F },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (blocks); i++)
    if (character >= blocks[i][0] && character <= blocks[i][1])
      return TRUE;
  return FALSE;
}

/* Puts spaces around each Chinese character. */
static gboolean
apply_space_chinese (const Step      *step,
                     AttnMappedText  *text,
                     GError         **error)
{
  AttnMappedText edited;

  attn_mapped_text_start_edit (&edited, text->length);
  for (gsize begin = 0, end; begin < text->length; begin = end)
    {
      gboolean is_word = is_chinese (g_utf8_get_char (text->text + begin));

      end = find_character_end (text, begin);
      if (is_word)
        attn_mapped_text_insert (&edited, text, begin, " ");
      attn_mapped_text_append_copy (&edited, text, begin, end);
      if (is_word)
        attn_mapped_text_insert (&edited, text, end, " ");
    }
  attn_mapped_text_finish_edit (text, &edited);
  return TRUE;
}

/* Checks the length of the text after a step of the normalizer, since each replacement in a chain
 * can double it. */
static gboolean
check_length (gsize    length,
              GError **error)
{
  if (length <= ATTN_MAPPED_TEXT_MAX_LENGTH)
    return attn_memory_check (length * ATTN_MAPPED_TEXT_BYTES, _("the normalised text"), error);

  return attn_fail (error, ATTN_ERROR_LIMIT,
                    _("text: %zu bytes after normalisation found, expected at most %zu"), length,
                    ATTN_MAPPED_TEXT_MAX_LENGTH);
}

static gboolean
apply_replace (const Step      *step,
               AttnMappedText  *text,
               GError         **error)
{
  g_autoptr (GArray) matches = g_array_new (FALSE, FALSE, sizeof (AttnWord));
  gsize length = strlen (step->content);
  AttnMappedText edited;
  gsize done = 0;

  if (!attn_splitter_split (step->splitter, text->text, 0, text->length, matches, error) ||
      !check_length (text->length + matches->len * length, error))
    return FALSE;
  attn_mapped_text_start_edit (&edited, text->length);
  for (guint i = 0; i < matches->len; i++)
    {
      const AttnWord *match = &g_array_index (matches, AttnWord, i);

      attn_mapped_text_append_copy (&edited, text, done, match->begin);
      attn_mapped_text_replace (&edited, text, match->begin, match->end, step->content, length);
      done = match->end;
    }
  attn_mapped_text_append_copy (&edited, text, done, text->length);
  attn_mapped_text_finish_edit (text, &edited);
  return TRUE;
}

static gboolean
apply_charsmap (const Step      *step,
                AttnMappedText  *text,
                GError         **error)
{
  return attn_charsmap_apply (step->charsmap, text, error);
}

static void
append_step (AttnNormalizer *normalizer,
             Step            step)
{
  g_array_append_val (normalizer->steps, step);
}

/* Appends a step that replaces matches, or does nothing if @splitter is NULL, as its pattern was
 * refused. */
static void
append_replace (AttnNormalizer *normalizer,
                AttnSplitter   *splitter,
                const char     *content)
{
  if (splitter != NULL)
    append_step (normalizer, (Step) { .apply = apply_replace,
                                      .splitter = splitter,
                                      .content = g_strdup (content) });
}

/**
 * attn_normalizer_append_replace:
 * @pattern: a regular expression that is known to be valid
 * @content: what is put in place of each match
 *
 * Appends a step that replaces each match of a pattern.
 */
void
attn_normalizer_append_replace (AttnNormalizer *normalizer,
                                const char     *pattern,
                                const char     *content)
{
  /* Inverted and with ATTN_SPLIT_REMOVED, the splitter removes the text between matches: its words
   * are the matches. */
  append_replace (normalizer, attn_splitter_new (pattern, ATTN_SPLIT_REMOVED, TRUE, "", NULL),
                  content);
}

/**
 * attn_normalizer_append_form:
 *
 * Appends a step that composes or decomposes characters, as @mode says.
 */
void
attn_normalizer_append_form (AttnNormalizer *normalizer,
                             GNormalizeMode  mode)
{
  append_step (normalizer, (Step) { .apply = apply_form, .mode = mode });
}

static void
append_lowercase (AttnNormalizer *normalizer)
{
  append_step (normalizer, (Step) { .apply = apply_lowercase });
}

/**
 * attn_normalizer_append_bert:
 * @options: which steps of BERT's normalizer are appended
 *
 * Appends the steps of BERT's normalizer.
 */
void
attn_normalizer_append_bert (AttnNormalizer        *normalizer,
                             const AttnBertOptions *options)
{
  if (options->cleans_text)
    {
      attn_normalizer_append_replace (normalizer,
                                      "(?![\\t\\n\\r])[\\p{Cc}\\p{Cf}\\p{Co}\\x{FFFD}]", "");
      attn_normalizer_append_replace (normalizer, ATTN_SPLITTER_WHITE_SPACE, " ");
    }
  if (options->spaces_chinese)
    append_step (normalizer, (Step) { .apply = apply_space_chinese });
  if (options->strips_accents)
    {
      attn_normalizer_append_form (normalizer, G_NORMALIZE_NFD);
      attn_normalizer_append_replace (normalizer, "\\p{Mn}", "");
    }
  if (options->lowercases)
    append_lowercase (normalizer);
}

/**
 * attn_normalizer_append_charsmap:
 * @charsmap: (transfer full): the replacements that the step makes
 *
 * Appends a step that does SentencePiece's precompiled replacements.
 */
void
attn_normalizer_append_charsmap (AttnNormalizer *normalizer,
                                 AttnCharsmap   *charsmap)
{
  append_step (normalizer, (Step) { .apply = apply_charsmap, .charsmap = charsmap });
}

static void
read_bert (AttnTokenizerComponent *component)
{
  gboolean lowercases = attn_json_read_boolean (&component->json, "lowercase", TRUE);
  const AttnBertOptions options = {
    .cleans_text = attn_json_read_boolean (&component->json, "clean_text", TRUE),
    .spaces_chinese = attn_json_read_boolean (&component->json, "handle_chinese_chars", TRUE),
    .strips_accents = attn_json_read_boolean (&component->json, "strip_accents", lowercases),
    .lowercases = lowercases,
  };

  attn_normalizer_append_bert (component->stage, &options);
}

static void
read_precompiled (AttnTokenizerComponent *component)
{
  const char *text = attn_json_read_string (&component->json, "precompiled_charsmap", "");
  AttnCharsmap *charsmap = NULL;

  if (component->json.error == NULL)
    charsmap = attn_charsmap_new_from_base64 (text, component->json.where, &component->json.error);
  if (charsmap != NULL)
    attn_normalizer_append_charsmap (component->stage, charsmap);
}

static void
read_strip (AttnTokenizerComponent *component)
{
  if (attn_json_read_boolean (&component->json, "strip_left", TRUE))
    attn_normalizer_append_replace (component->stage, "\\A" ATTN_SPLITTER_WHITE_SPACE "+", "");
  /* The pattern takes linear time: it only starts at the beginning of a run of spaces, and the
   * possessive quantifier prevents backtracking. */
  if (attn_json_read_boolean (&component->json, "strip_right", TRUE))
    attn_normalizer_append_replace (
        component->stage,
        "(?<!" ATTN_SPLITTER_WHITE_SPACE ")" ATTN_SPLITTER_WHITE_SPACE "++\\z", "");
}

static void
read_strip_accents (AttnTokenizerComponent *component)
{
  attn_normalizer_append_replace (component->stage, "\\p{M}", "");
}

static void
read_prepend (AttnTokenizerComponent *component)
{
  const char *content = attn_json_read_string (&component->json, "prepend", "");

  append_step (component->stage,
               (Step) { .apply = apply_prepend, .content = g_strdup (content) });
}

static void
read_replace (AttnTokenizerComponent *component)
{
  const char *content = attn_json_read_string (&component->json, "content", "");

  append_replace (component->stage,
                  attn_splitter_new_from_json (component, ATTN_SPLIT_REMOVED, TRUE), content);
}

static void
read_form (AttnTokenizerComponent *component)
{
  attn_normalizer_append_form (component->stage, (GNormalizeMode) component->kind);
}

static void
read_lowercase (AttnTokenizerComponent *component)
{
  append_lowercase (component->stage);
}

static const AttnTokenizerComponentType components[] = {
  { "BertNormalizer", 0, read_bert },
  { "Lowercase", 0, read_lowercase },
  { "NFC", G_NORMALIZE_NFC, read_form },
  { "NFD", G_NORMALIZE_NFD, read_form },
  { "NFKC", G_NORMALIZE_NFKC, read_form },
  { "NFKD", G_NORMALIZE_NFKD, read_form },
  { "Precompiled", 0, read_precompiled },
  { "Prepend", 0, read_prepend },
  { "Replace", 0, read_replace },
  { "Sequence", .sequence = "normalizers" },
  { "Strip", 0, read_strip },
  { "StripAccents", 0, read_strip_accents },
  { NULL },
};

/**
 * attn_normalizer_new:
 * @node: (nullable): the normalizer of a tokenizer.json; %NULL, or null in the file, changes
 *   nothing
 * @where: name of the file in error messages
 * @error: return location for %ATTN_ERROR_FORMAT, and %ATTN_ERROR_UNSUPPORTED for a type or a
 *   pattern that is not known
 *
 * Reads the steps of a normalizer.
 */
AttnNormalizer *
attn_normalizer_new (JsonNode    *node,
                     const char  *where,
                     GError     **error)
{
  g_autoptr (AttnNormalizer) normalizer = g_new0 (AttnNormalizer, 1);

  normalizer->steps = g_array_new (FALSE, FALSE, sizeof (Step));
  g_array_set_clear_func (normalizer->steps, clear_step);
  return attn_tokenizer_component_read (node, components, normalizer, where, _("normalizer"), error)
             ? g_steal_pointer (&normalizer)
             : NULL;
}

void
attn_normalizer_free (AttnNormalizer *normalizer)
{
  g_array_unref (normalizer->steps);
  g_free (normalizer);
}

/**
 * attn_normalizer_apply:
 * @text: the text to change; it still knows where each of its bytes comes from in the original
 * @error: return location for %ATTN_ERROR_LIMIT, and %ATTN_ERROR_MEMORY where the text grows too
 *   long
 *
 * Applies all steps of a normalizer to a text, one after the other.
 */
gboolean
attn_normalizer_apply (const AttnNormalizer  *normalizer,
                       AttnMappedText        *text,
                       GError               **error)
{
  for (guint i = 0; i < normalizer->steps->len && text->length > 0; i++)
    {
      const Step *step = &g_array_index (normalizer->steps, Step, i);

      if (!step->apply (step, text, error) || !check_length (text->length, error))
        return FALSE;
    }
  return TRUE;
}
