/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-spaces.h"

#include <string.h>

static gboolean
is_space (const char *text)
{
  return memcmp (text, ATTN_SPACE, ATTN_SPACE_LENGTH) == 0;
}

/* Returns the first position after @begin at which a "▁" follows another character, or @end if
 * there is none. */
static gsize
find_cut (const char *text,
          gsize       begin,
          gsize       end)
{
  gsize i = begin;

  while (i + ATTN_SPACE_LENGTH <= end && is_space (text + i))
    i += ATTN_SPACE_LENGTH;
  if (i == end)
    return end;

  const char *found = memmem (text + i, end - i, ATTN_SPACE, ATTN_SPACE_LENGTH);
  return found != NULL ? (gsize) (found - text) : end;
}

/**
 * attn_spaces_begin_pieces:
 *
 * Returns: whether "▁" is a piece and no piece has a "▁" behind another character: then no piece
 *   crosses the places that [func@attn_spaces_cut] finds, and a text can be cut there without any
 *   change to its pieces
 */
gboolean
attn_spaces_begin_pieces (const AttnVocabulary *vocabulary)
{
  guint32 id;

  for (gsize i = 0; i < attn_vocabulary_get_size (vocabulary); i++)
    {
      const char *piece = attn_vocabulary_get_piece (vocabulary, i);
      gsize length = piece != NULL ? strlen (piece) : 0;

      if (length > 0 && find_cut (piece, 0, length) < length)
        return FALSE;
    }
  return attn_vocabulary_lookup (vocabulary, ATTN_SPACE, &id);
}

/**
 * attn_spaces_cut:
 * @words: (inout) (element-type AttnWord): each word is cut where a "▁" follows another character
 */
void
attn_spaces_cut (const char *text,
                 GArray     *words)
{
  g_autoptr (GArray) whole = g_array_copy (words);

  g_array_set_size (words, 0);
  for (guint i = 0; i < whole->len; i++)
    {
      AttnWord word = g_array_index (whole, AttnWord, i);

      for (AttnWord part = { word.begin, 0 }; part.begin < word.end; part.begin = part.end)
        {
          part.end = find_cut (text, part.begin, word.end);
          g_array_append_val (words, part);
        }
    }
}
