/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-splitter.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-spaces.h"

/**
 * AttnSplitter:
 *
 * Immutable; any thread may use it.
 */
struct _AttnSplitter
{
  GRegex *regex;
  AttnSplitBehavior behavior;
  gboolean is_inverted;
};

/* The collector of the words of one text, in their order. */
typedef struct
{
  AttnSplitBehavior behavior;
  GArray *words;      /* AttnWord */
  guint n_before;     /* number of words in the array that belong to earlier texts */
  gboolean was_match; /* whether the last stretch of the text was a match */
} Sink;

static void
sink_append (Sink  *sink,
             gsize  begin,
             gsize  end)
{
  AttnWord span = { begin, end };

  g_array_append_val (sink->words, span);
}

static void
sink_stretch (Sink     *sink,
              gsize     begin,
              gsize     end,
              gboolean  is_match)
{
  AttnWord *last = NULL;
  gboolean joins = FALSE;

  if (begin == end)
    return;
  if (sink->words->len > sink->n_before)
    last = &g_array_index (sink->words, AttnWord, sink->words->len - 1);

  switch (sink->behavior)
    {
    case ATTN_SPLIT_ISOLATED:
      break;
    case ATTN_SPLIT_REMOVED:
      if (is_match)
        return;
      break;
    case ATTN_SPLIT_MERGED_WITH_PREVIOUS:
      joins = is_match && !sink->was_match;
      break;
    case ATTN_SPLIT_MERGED_WITH_NEXT:
      joins = !is_match && sink->was_match;
      break;
    case ATTN_SPLIT_CONTIGUOUS:
      joins = is_match == sink->was_match;
      break;
    }

  if (joins && last != NULL)
    last->end = end;
  else
    sink_append (sink, begin, end);
  sink->was_match = is_match;
}

/* Appends an escape \s or \w as the characters that it stands for. Patterns of a tokenizer.json are
 * written for the engine Oniguruma, whose \w also contains the superscripts and fractions of
 * Latin-1. Returns FALSE if the escape is another one, or is negated within a class. */
static gboolean
append_class (GString    *flat,
              const char *escape,
              gboolean    is_inside)
{
  gboolean is_negated = g_ascii_isupper (escape[1]);
  const char *characters;

  switch (g_ascii_tolower (escape[1]))
    {
    case 's':
      characters = ATTN_SPLITTER_SPACES;
      break;
    case 'w':
      characters = ATTN_SPLITTER_WORDS "\\x{B2}\\x{B3}\\x{B9}\\x{BC}-\\x{BE}";
      break;
    default:
      return FALSE;
    }
  if (is_inside && is_negated)
    return FALSE;
  if (!is_inside)
    g_string_append (flat, is_negated ? "[^" : "[");
  g_string_append (flat, characters);
  if (!is_inside)
    g_string_append_c (flat, ']');
  return TRUE;
}

/* Rewrites nested character classes, such as "[^(\s|[.,])]", which PCRE does not support: it
 * would take the inner bracket for a character. An inner class adds its characters to the outer
 * one, so its brackets are removed. Returns NULL if an inner class is negated or classes are
 * intersected. */
static char *
translate_pattern (const char *pattern)
{
  g_autoptr (GString) flat = g_string_new (NULL);
  guint depth = 0;

  for (const char *p = pattern; *p != '\0'; p++)
    {
      const char *posix_end = g_str_has_prefix (p, "[:") ? strstr (p, ":]") : NULL;

      if (*p == '\\' && append_class (flat, p, depth > 0))
        p++;
      else if (*p == '\\' && p[1] != '\0')
        {
          g_string_append_len (flat, p++, 2);
        }
      else if (depth > 0 && posix_end != NULL)
        {
          g_string_append_len (flat, p, posix_end + 2 - p);
          p = posix_end + 1;
        }
      else if (*p == '[')
        {
          if (depth > 0 && p[1] == '^')
            return NULL;
          if (depth++ == 0)
            g_string_append_c (flat, '[');
        }
      else if (*p == ']' && depth > 0)
        {
          if (--depth == 0)
            g_string_append_c (flat, ']');
        }
      else if (depth > 0 && g_str_has_prefix (p, "&&"))
        {
          return NULL;
        }
      else
        {
          g_string_append_c (flat, *p);
        }
    }
  return g_string_free (g_steal_pointer (&flat), FALSE);
}

/**
 * attn_splitter_new:
 * @pattern: a regular expression; \s, \w, \d and \p{...} are those of Unicode
 * @is_inverted: whether the stretches between matches are taken for the matches, and the reverse
 * @where: name of the file in error messages
 * @error: return location for %ATTN_ERROR_UNSUPPORTED, for a pattern that the engine cannot do
 *
 * Compiles a regular expression at whose matches texts are to be cut.
 */
AttnSplitter *
attn_splitter_new (const char         *pattern,
                   AttnSplitBehavior   behavior,
                   gboolean            is_inverted,
                   const char         *where,
                   GError            **error)
{
  g_autofree char *flat = translate_pattern (pattern);
  GRegex *regex = flat != NULL ? g_regex_new (flat, G_REGEX_OPTIMIZE, 0, NULL) : NULL;

  if (regex == NULL)
    return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                           _("%s: pattern “%s” found, expected a regular expression that PCRE can "
                             "do"),
                           where, pattern);

  AttnSplitter *splitter = g_new0 (AttnSplitter, 1);
  splitter->regex = regex;
  splitter->behavior = behavior;
  splitter->is_inverted = is_inverted;
  /* The first match compiles the pattern to machine code inside the GRegex, so it is done before
   * other threads can use it. */
  g_regex_match_full (regex, "", 0, 0, 0, NULL, NULL);
  return splitter;
}

/**
 * attn_splitter_new_from_json:
 * @component: has a "pattern", { "Regex": "\\s+" } or { "String": " " }
 *
 * Returns: (transfer full) (nullable): the splitter; %NULL with %ATTN_ERROR_FORMAT or
 *   %ATTN_ERROR_UNSUPPORTED as the error of @component
 */
AttnSplitter *
attn_splitter_new_from_json (AttnTokenizerComponent *component,
                             AttnSplitBehavior       behavior,
                             gboolean                is_inverted)
{
  const char *regex = attn_json_read_inner_string (&component->json, "pattern", "Regex");
  const char *string = attn_json_read_inner_string (&component->json, "pattern", "String");
  g_autofree char *escaped = string != NULL ? g_regex_escape_string (string, -1) : NULL;

  if ((regex == NULL) == (string == NULL))
    attn_json_fail (&component->json, ATTN_ERROR_FORMAT,
                    _("%s: component without a pattern found, expected Regex or String"),
                    component->json.where);
  if (component->json.error != NULL)
    return NULL;
  return attn_splitter_new (regex != NULL ? regex : escaped, behavior, is_inverted,
                            component->json.where, &component->json.error);
}

void
attn_splitter_free (AttnSplitter *splitter)
{
  g_regex_unref (splitter->regex);
  g_free (splitter);
}

/**
 * attn_splitter_split:
 * @text: valid UTF-8
 * @begin: first byte to look at; the pattern sees nothing before it
 * @end: one past the last, at most %G_MAXINT behind @begin
 * @words: (element-type AttnWord): an array to which the words are appended, none of them empty
 * @error: return location for %ATTN_ERROR_LIMIT, where the pattern needs more steps than the engine
 *   allows
 *
 * Cuts a part of a text at the matches of the pattern.
 */
gboolean
attn_splitter_split (const AttnSplitter  *splitter,
                     const char          *text,
                     gsize                begin,
                     gsize                end,
                     GArray              *words,
                     GError             **error)
{
  Sink sink = { splitter->behavior, words, words->len, FALSE };
  g_autoptr (GMatchInfo) info = NULL;
  g_autoptr (GError) local_error = NULL;
  gsize done = begin;

  g_regex_match_full (splitter->regex, text + begin, end - begin, 0, 0, &info, &local_error);
  while (local_error == NULL && g_match_info_matches (info))
    {
      int first, last;

      g_match_info_fetch_pos (info, 0, &first, &last);
      sink_stretch (&sink, done, begin + first, splitter->is_inverted);
      sink_stretch (&sink, begin + first, begin + last, !splitter->is_inverted);
      done = begin + last;
      g_match_info_next (info, &local_error);
    }
  if (local_error != NULL)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("text: from byte %zu on a stretch found that takes the tokenizer’s "
                        "regular expression too many steps, expected a shorter one"),
                      done);
  sink_stretch (&sink, done, end, splitter->is_inverted);
  return TRUE;
}
