/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-normalizer.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-bert.h"
#include "attn-component.h"
#include "attn-error.h"
#include "attn-json.h"
#include "attn-memory.h"
#include "attn-splitter.h"
#include "attn-subword.h"

enum
{
  TYPE_LOWERCASE,
  TYPE_NFC,
  TYPE_NFD,
  TYPE_NFKC,
  TYPE_NFKD,
  TYPE_PRECOMPILED,
  TYPE_PREPEND,
  TYPE_REPLACE,
  TYPE_STRIP_ACCENTS,

  /* The parts of BertNormalizer; no file names them. */
  TYPE_CLEAN,
  TYPE_SPACE_CHINESE,
  TYPE_STRIP_NONSPACING,
};

typedef struct
{
  int type;
  char *content;          /* what is prepended, or put in place of a match */
  AttnSplitter *splitter; /* matches of what is replaced, each a word */
  AttnCharsmap *charsmap;
} Step;

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

static void
append_type (AttnNormalizer *normalizer,
             int             type)
{
  Step step = { .type = type };

  g_array_append_val (normalizer->steps, step);
}

static gboolean
append_replace (AttnNormalizer *normalizer,
                AttnSplitter   *splitter,
                const char     *content)
{
  Step step = { .type = TYPE_REPLACE, .splitter = splitter };

  if (splitter == NULL)
    return FALSE;
  step.content = g_strdup (content);
  g_array_append_val (normalizer->steps, step);
  return TRUE;
}

static gboolean
read_bert (gpointer     stage,
           JsonObject  *object,
           int          kind,
           const char  *where,
           GError     **error)
{
  AttnBertOptions options;

  if (!attn_json_get_boolean (object, where, "clean_text", TRUE, &options.cleans_text, error) ||
      !attn_json_get_boolean (object, where, "handle_chinese_chars", TRUE, &options.spaces_chinese,
                              error) ||
      !attn_json_get_boolean (object, where, "lowercase", TRUE, &options.lowercases, error) ||
      !attn_json_get_boolean (object, where, "strip_accents", options.lowercases,
                              &options.strips_accents, error))
    return FALSE;
  attn_normalizer_append_bert (stage, &options);
  return TRUE;
}

static gboolean
read_precompiled (gpointer     stage,
                  JsonObject  *object,
                  int          kind,
                  const char  *where,
                  GError     **error)
{
  AttnCharsmap *charsmap;
  const char *text;

  if (!attn_json_get_string (object, where, "precompiled_charsmap", "", &text, error))
    return FALSE;
  charsmap = attn_charsmap_new_from_base64 (text, where, error);
  if (charsmap == NULL)
    return FALSE;
  attn_normalizer_append_charsmap (stage, charsmap);
  return TRUE;
}

static gboolean
read_strip (gpointer     stage,
            JsonObject  *object,
            int          kind,
            const char  *where,
            GError     **error)
{
  gboolean strips_left, strips_right;

  if (!attn_json_get_boolean (object, where, "strip_left", TRUE, &strips_left, error) ||
      !attn_json_get_boolean (object, where, "strip_right", TRUE, &strips_right, error))
    return FALSE;
  if (strips_left &&
      !attn_normalizer_append_replace (stage, "\\A" ATTN_SPLITTER_WHITE_SPACE "+", "", where,
                                       error))
    return FALSE;
  /* Possessive and looked at from the beginning of a row: linear where a row ends early. */
  return !strips_right ||
         attn_normalizer_append_replace (stage, "(?<!" ATTN_SPLITTER_WHITE_SPACE ")" ATTN_SPLITTER_WHITE_SPACE "++\\z", "", where, error);
}

static gboolean
read_prepend (gpointer     stage,
              JsonObject  *object,
              int          kind,
              const char  *where,
              GError     **error)
{
  const char *content;

  if (!attn_json_get_string (object, where, "prepend", "", &content, error))
    return FALSE;

  Step step = { .type = TYPE_PREPEND, .content = g_strdup (content) };
  g_array_append_val (((AttnNormalizer *) stage)->steps, step);
  return TRUE;
}

static gboolean
read_replace (gpointer     stage,
              JsonObject  *object,
              int          kind,
              const char  *where,
              GError     **error)
{
  const char *content;

  if (!attn_json_get_string (object, where, "content", "", &content, error))
    return FALSE;
  /* Inverted and removed: what is left as words are the matches. */
  return append_replace (
      stage, attn_splitter_new_from_json (object, ATTN_SPLIT_REMOVED, TRUE, where, error),
      content);
}

static gboolean
read_plain (gpointer     stage,
            JsonObject  *object,
            int          kind,
            const char  *where,
            GError     **error)
{
  append_type (stage, kind);
  return TRUE;
}

static const AttnComponentType components[] = {
  { "BertNormalizer", 0, read_bert },
  { "Lowercase", TYPE_LOWERCASE, read_plain },
  { "NFC", TYPE_NFC, read_plain },
  { "NFD", TYPE_NFD, read_plain },
  { "NFKC", TYPE_NFKC, read_plain },
  { "NFKD", TYPE_NFKD, read_plain },
  { "Precompiled", 0, read_precompiled },
  { "Prepend", 0, read_prepend },
  { "Replace", 0, read_replace },
  { "Sequence", .sequence = "normalizers" },
  { "Strip", 0, read_strip },
  { "StripAccents", TYPE_STRIP_ACCENTS, read_plain },
  { NULL },
};

/**
 * attn_normalizer_new:
 * @node: (nullable): the normalizer of a tokenizer.json; none, or null, changes nothing
 * @where: the file
 * @error: return location for %ATTN_ERROR_FORMAT, and %ATTN_ERROR_UNSUPPORTED for a type or a
 *   pattern that is not known
 */
AttnNormalizer *
attn_normalizer_new (JsonNode    *node,
                     const char  *where,
                     GError     **error)
{
  g_autoptr (AttnNormalizer) normalizer = g_new0 (AttnNormalizer, 1);

  normalizer->steps = g_array_new (FALSE, FALSE, sizeof (Step));
  g_array_set_clear_func (normalizer->steps, clear_step);
  if (node != NULL && !JSON_NODE_HOLDS_NULL (node) &&
      !attn_component_read (node, components, normalizer, where, _("normalizer"), error))
    return NULL;
  return g_steal_pointer (&normalizer);
}

void
attn_normalizer_free (AttnNormalizer *normalizer)
{
  g_array_unref (normalizer->steps);
  g_free (normalizer);
}

/**
 * attn_normalizer_append_nfc:
 *
 * Characters are composed where Unicode has a composed one.
 */
void
attn_normalizer_append_nfc (AttnNormalizer *normalizer)
{
  append_type (normalizer, TYPE_NFC);
}

/**
 * attn_normalizer_append_bert:
 * @options: what BERT's normalizer is to do
 */
void
attn_normalizer_append_bert (AttnNormalizer        *normalizer,
                             const AttnBertOptions *options)
{
  if (options->cleans_text)
    append_type (normalizer, TYPE_CLEAN);
  if (options->spaces_chinese)
    append_type (normalizer, TYPE_SPACE_CHINESE);
  if (options->strips_accents)
    {
      append_type (normalizer, TYPE_NFD);
      append_type (normalizer, TYPE_STRIP_NONSPACING);
    }
  if (options->lowercases)
    append_type (normalizer, TYPE_LOWERCASE);
}

/**
 * attn_normalizer_append_charsmap:
 * @charsmap: (transfer full): the replacements
 */
void
attn_normalizer_append_charsmap (AttnNormalizer *normalizer,
                                 AttnCharsmap   *charsmap)
{
  Step step = { .type = TYPE_PRECOMPILED, .charsmap = charsmap };

  g_array_append_val (normalizer->steps, step);
}

/**
 * attn_normalizer_append_replace:
 * @pattern: a regular expression
 * @content: what is put in place of its matches
 * @where: the file
 * @error: return location for %ATTN_ERROR_UNSUPPORTED
 */
gboolean
attn_normalizer_append_replace (AttnNormalizer  *normalizer,
                                const char      *pattern,
                                const char      *content,
                                const char      *where,
                                GError         **error)
{
  return append_replace (
      normalizer, attn_splitter_new (pattern, ATTN_SPLIT_REMOVED, TRUE, where, error), content);
}

/* Whether @character never joins what stands before it: such a place cuts a text into parts that
 * can be normalized on their own. Marks join, and so do the vowels and final consonants of Hangul,
 * also those that a compatibility character stands for. */
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
find_part_end (const AttnMappedText *text,
               gsize                 begin,
               gboolean              is_compatible)
{
  gsize end = begin;

  do
    end += g_utf8_skip[(guint8) text->text[end]];
  while (end < text->length && !begins_part (g_utf8_get_char (text->text + end), is_compatible));
  return end;
}

static void
append_part (AttnMappedText       *edited,
             const AttnMappedText *text,
             gsize                 begin,
             gsize                 end,
             const char           *replacement,
             gsize                 length)
{
  gsize origin_begin, origin_end;

  if (length == end - begin && memcmp (text->text + begin, replacement, length) == 0)
    {
      attn_mapped_text_append_copy (edited, text, begin, end);
      return;
    }
  attn_mapped_text_get_origin (text, begin, end, &origin_begin, &origin_end);
  attn_mapped_text_append (edited, replacement, length, origin_begin, origin_end);
}

static void
apply_form (AttnMappedText *text,
            GNormalizeMode  mode)
{
  gboolean is_compatible = mode == G_NORMALIZE_NFKC || mode == G_NORMALIZE_NFKD;
  AttnMappedText edited;

  attn_mapped_text_start_edit (&edited, text->length);
  for (gsize begin = 0; begin < text->length;)
    {
      gsize end = find_part_end (text, begin, is_compatible);

      /* ASCII, NUL included, which g_utf8_normalize() takes for the end. */
      if (end - begin == 1)
        {
          attn_mapped_text_append_copy (&edited, text, begin, end);
        }
      else
        {
          g_autofree char *part = g_utf8_normalize (text->text + begin, end - begin, mode);

          append_part (&edited, text, begin, end, part, strlen (part));
        }
      begin = end;
    }
  attn_mapped_text_finish_edit (text, &edited);
}

/* GLib leaves out what is no letter but has a lower case: Roman numerals and circled letters. */
static gunichar
lower_character (gunichar character)
{
  if (character >= 0x2160 && character <= 0x216F)
    return character + 0x10;
  if (character >= 0x24B6 && character <= 0x24CF)
    return character + 0x1A;
  return g_unichar_tolower (character);
}

/* One character at a time: lower case, or nothing in place of a mark. */
static void
apply_to_characters (AttnMappedText *text,
                     int             type)
{
  AttnMappedText edited;

  attn_mapped_text_start_edit (&edited, text->length);
  for (gsize begin = 0; begin < text->length;)
    {
      gunichar character = g_utf8_get_char (text->text + begin);
      gsize end = begin + g_utf8_skip[(guint8) text->text[begin]];
      char lower[12];
      gsize length = 0;

      if (type == TYPE_LOWERCASE)
        length = g_unichar_to_utf8 (lower_character (character), lower);
      else if (type == TYPE_STRIP_NONSPACING ? g_unichar_type (character) != G_UNICODE_NON_SPACING_MARK : !g_unichar_ismark (character))
        length = g_unichar_to_utf8 (character, lower);
      /* The one letter whose lower case is two characters: a dotted capital I. */
      if (type == TYPE_LOWERCASE && character == 0x130)
        length = g_strlcpy (lower, "i\xCC\x87", sizeof lower);
      append_part (&edited, text, begin, end, lower, length);
      begin = end;
    }
  attn_mapped_text_finish_edit (text, &edited);
}

static void
apply_prepend (AttnMappedText *text,
               const char     *content)
{
  AttnMappedText edited;
  gsize origin_begin, origin_end;

  attn_mapped_text_start_edit (&edited, text->length + strlen (content));
  attn_mapped_text_get_origin (text, 0, 1, &origin_begin, &origin_end);
  attn_mapped_text_append (&edited, content, strlen (content), origin_begin, origin_begin);
  attn_mapped_text_append_copy (&edited, text, 0, text->length);
  attn_mapped_text_finish_edit (text, &edited);
}

/* A row of replacements can double the text each time. */
static gboolean
check_length (gsize    length,
              GError **error)
{
  if (length <= ATTN_MAPPED_TEXT_MAX_LENGTH)
    return attn_memory_check (length * ATTN_MAPPED_TEXT_BYTES, _("the normalized text"), error);

  return attn_fail (error, ATTN_ERROR_LIMIT,
                    _("text: %zu bytes after normalization found, expected at most %zu"), length,
                    ATTN_MAPPED_TEXT_MAX_LENGTH);
}

static gboolean
apply_replace (AttnMappedText  *text,
               const Step      *step,
               GError         **error)
{
  g_autoptr (GArray) matches = g_array_new (FALSE, FALSE, sizeof (AttnSpan));
  gsize length = strlen (step->content);
  AttnMappedText edited;
  gsize done = 0;

  if (!attn_splitter_split (step->splitter, text->text, 0, text->length, matches, error) ||
      !check_length (text->length + matches->len * length, error))
    return FALSE;
  attn_mapped_text_start_edit (&edited, text->length);
  for (guint i = 0; i < matches->len; i++)
    {
      const AttnSpan *match = &g_array_index (matches, AttnSpan, i);

      attn_mapped_text_append_copy (&edited, text, done, match->begin);
      append_part (&edited, text, match->begin, match->end, step->content, length);
      done = match->end;
    }
  attn_mapped_text_append_copy (&edited, text, done, text->length);
  attn_mapped_text_finish_edit (text, &edited);
  return TRUE;
}

static gboolean
apply_step (const Step      *step,
            AttnMappedText  *text,
            GError         **error)
{
  switch (step->type)
    {
    case TYPE_NFC:
      apply_form (text, G_NORMALIZE_NFC);
      return TRUE;
    case TYPE_NFD:
      apply_form (text, G_NORMALIZE_NFD);
      return TRUE;
    case TYPE_NFKC:
      apply_form (text, G_NORMALIZE_NFKC);
      return TRUE;
    case TYPE_NFKD:
      apply_form (text, G_NORMALIZE_NFKD);
      return TRUE;
    case TYPE_PRECOMPILED:
      return attn_charsmap_apply (step->charsmap, text, error);
    case TYPE_PREPEND:
      apply_prepend (text, step->content);
      return TRUE;
    case TYPE_REPLACE:
      return apply_replace (text, step, error);
    case TYPE_CLEAN:
      attn_bert_clean (text);
      return TRUE;
    case TYPE_SPACE_CHINESE:
      attn_bert_space_chinese (text);
      return TRUE;
    default:
      apply_to_characters (text, step->type);
      return TRUE;
    }
}

/**
 * attn_normalizer_apply:
 * @text: the text to change; its bytes keep the place that they have in the original
 * @error: return location for %ATTN_ERROR_LIMIT, and %ATTN_ERROR_MEMORY where the text grows too
 *   long
 */
gboolean
attn_normalizer_apply (const AttnNormalizer  *normalizer,
                       AttnMappedText        *text,
                       GError               **error)
{
  for (guint i = 0; i < normalizer->steps->len && text->length > 0; i++)
    if (!apply_step (&g_array_index (normalizer->steps, Step, i), text, error) ||
        !check_length (text->length, error))
      return FALSE;
  return TRUE;
}
