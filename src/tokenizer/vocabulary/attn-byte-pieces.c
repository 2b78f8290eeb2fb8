/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-byte-pieces.h"

#include <string.h>

#include "attn-tokenizer.h"
#include "attn-trie.h"

/**
 * attn_byte_pieces_parse:
 *
 * Returns: the byte, 0 to 255, that a piece such as "<0xE2>" stands for; -1 for any other piece
 */
int
attn_byte_pieces_parse (const char *piece)
{
  if (strlen (piece) != 6 || memcmp (piece, "<0x", 3) != 0 || piece[5] != '>' ||
      !g_ascii_isxdigit (piece[3]) || !g_ascii_isxdigit (piece[4]))
    return -1;
  return g_ascii_xdigit_value (piece[3]) << 4 | g_ascii_xdigit_value (piece[4]);
}

/**
 * attn_byte_pieces_find:
 * @ids: (out caller-allocates) (array fixed-size=256): the id of each byte's piece, or
 *   %ATTN_TRIE_NO_ID
 */
void
attn_byte_pieces_find (const AttnVocabulary *vocabulary,
                       guint32              *ids)
{
  for (int byte = 0; byte < 256; byte++)
    {
      char piece[8];

      g_snprintf (piece, sizeof piece, "<0x%02X>", byte);
      ids[byte] = ATTN_TRIE_NO_ID;
      attn_vocabulary_lookup (vocabulary, piece, &ids[byte]);
    }
}

/**
 * attn_byte_pieces_append:
 * @tokens: (element-type AttnToken): receives a token for each byte of @text from @begin to @end
 *
 * Returns: %FALSE, with nothing appended, where a byte has no piece
 */
gboolean
attn_byte_pieces_append (const guint32 *ids,
                         const char    *text,
                         gsize          begin,
                         gsize          end,
                         GArray        *tokens)
{
  for (gsize i = begin; i < end; i++)
    if (ids[(guint8) text[i]] == ATTN_TRIE_NO_ID)
      return FALSE;
  for (gsize i = begin; i < end; i++)
    {
      AttnToken token = { ids[(guint8) text[i]], i, i + 1, FALSE };

      g_array_append_val (tokens, token);
    }
  return TRUE;
}
