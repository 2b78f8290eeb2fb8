/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-palette-match.h"

#include <string.h>

/* The score of a typed word by how it occurs in the name of an entry of the palette; a word of
 * larger score fits better. */
enum
{
  WORTH_NOTHING,
  WORTH_LETTERS, /* the word's letters occur in their order, scattered over the name */
  WORTH_SHORT,   /* the word's letters occur in order in one word of the name that begins with the
                  * first letter */
  WORTH_INSIDE,  /* the typed word is within a word */
  WORTH_START,   /* it is at the start of a word */
  WORTH_WORD,    /* it is a whole word */
};

/* Typed words of fewer letters are not matched as scattered letters, which nearly every name would
 * contain. */
#define FEWEST_LETTERS 3

/* Accents of Latin, Greek and Cyrillic letters, as characters of their own: the Unicode block
 * Combining Diacritical Marks. */
#define FIRST_ACCENT 0x300
#define LAST_ACCENT  0x36f

/* Returns the text without differences of case and without accents, which are often not typed:
 * “tete” finds “Tête”. Marks of other scripts, which make other letters, stay. */
static char *
fold (const char *text)
{
  g_autofree char *parts = g_utf8_normalize (text, -1, G_NORMALIZE_ALL);
  g_autoptr (GString) bare = g_string_new (NULL);

  for (const char *c = parts; c != NULL && *c != '\0'; c = g_utf8_next_char (c))
    {
      gunichar letter = g_utf8_get_char (c);

      if (letter < FIRST_ACCENT || letter > LAST_ACCENT)
        g_string_append_unichar (bare, letter);
    }
  g_autofree char *whole = g_utf8_normalize (bare->str, -1, G_NORMALIZE_ALL_COMPOSE);
  return g_utf8_casefold (whole, -1);
}

static gboolean
has_letters (const char *name,
             const char *word)
{
  for (; *word != '\0' && name != NULL; word = g_utf8_next_char (word))
    {
      name = g_utf8_strchr (name, -1, g_utf8_get_char (word));
      if (name != NULL)
        name = g_utf8_next_char (name);
    }
  return name != NULL;
}

static gboolean
is_in_word (gunichar letter)
{
  return g_unichar_isalnum (letter);
}

/* Tells whether a word of @name begins with the first letter of @word and contains its other
 * letters in their order, as "Colour" does for "color". */
static gboolean
has_short_word (const char *name,
                const char *word)
{
  g_auto (GStrv) parts = g_regex_split_simple ("\\W+", name, 0, 0);
  gsize start = (gsize) (g_utf8_next_char (word) - word);

  for (gsize i = 0; parts[i] != NULL; i++)
    if (strncmp (parts[i], word, start) == 0 && has_letters (parts[i], word))
      return TRUE;
  return FALSE;
}

static guint
match_word (const char *name,
            const char *word)
{
  guint worth = WORTH_NOTHING;

  for (const char *place = strstr (name, word); place != NULL;
       place = strstr (g_utf8_next_char (place), word))
    {
      gboolean begins =
          place == name || !is_in_word (g_utf8_get_char (g_utf8_prev_char (place)));
      gboolean ends = !is_in_word (g_utf8_get_char (place + strlen (word)));

      worth = MAX (worth, begins && ends ? WORTH_WORD : begins ? WORTH_START
                                                               : WORTH_INSIDE);
    }
  if (worth == WORTH_NOTHING && g_utf8_strlen (word, -1) >= FEWEST_LETTERS &&
      has_letters (name, word))
    worth = has_short_word (name, word) ? WORTH_SHORT : WORTH_LETTERS;
  return worth;
}

/**
 * attn_palette_match:
 * @typed: the text that the user typed: words in any order, in UTF-8
 * @name: the name of an entry, in UTF-8
 *
 * Returns: how well @name fits, larger for better: 0 if a word of @typed is not in it, not even
 *   with other letters between its own; 1 if nothing was typed; at least %ATTN_PALETTE_CLEAR if
 *   each word is in it whole or as the beginnings of words, and none with its letters scattered.
 *   A name that begins with @typed fits better than one that fits equally otherwise
 */
guint
attn_palette_match (const char *typed,
                    const char *name)
{
  g_autofree char *folded_name = fold (name);
  g_autofree char *folded_typed = fold (typed);
  g_auto (GStrv) words = g_strsplit_set (folded_typed, " \t", -1);
  guint sum = 0;
  gboolean is_clear = TRUE;

  g_strstrip (folded_typed);
  if (*folded_typed == '\0')
    return 1;
  for (gsize i = 0; words[i] != NULL; i++)
    {
      guint worth = *words[i] != '\0' ? match_word (folded_name, words[i]) : WORTH_WORD;

      if (worth == WORTH_NOTHING)
        return 0;
      sum += *words[i] != '\0' ? 2 * worth : 0;
      is_clear = is_clear && worth != WORTH_LETTERS;
    }
  return sum + g_str_has_prefix (folded_name, folded_typed) + (is_clear ? ATTN_PALETTE_CLEAR : 0);
}
