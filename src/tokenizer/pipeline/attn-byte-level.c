/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-byte-level.h"

/* GPT-2, encoder.py, bytes_to_unicode(): the printable bytes of Latin-1 map to themselves, the 68
 * others (0 to 32, 127 to 160, and 173) to U+0100 onwards in ascending order. */
#define FIRST_SUBSTITUTE 0x100
#define N_LOW            33
#define N_MIDDLE         34
#define N_SUBSTITUTES    (N_LOW + N_MIDDLE + 1)

/**
 * attn_byte_level_get_char:
 *
 * Returns: the character that stands for @byte
 */
gunichar
attn_byte_level_get_char (guint8 byte)
{
  if (byte < N_LOW)
    return FIRST_SUBSTITUTE + byte;
  if (byte >= 127 && byte < 127 + N_MIDDLE)
    return FIRST_SUBSTITUTE + N_LOW + (byte - 127);
  if (byte == 173)
    return FIRST_SUBSTITUTE + N_LOW + N_MIDDLE;
  return byte;
}

/**
 * attn_byte_level_get_byte:
 *
 * Returns: the byte that @character stands for, or -1 for a character outside the alphabet
 */
int
attn_byte_level_get_byte (gunichar character)
{
  if (character < FIRST_SUBSTITUTE)
    return attn_byte_level_get_char (character) == character ? (int) character : -1;
  if (character >= FIRST_SUBSTITUTE + N_SUBSTITUTES)
    return -1;

  int index = character - FIRST_SUBSTITUTE;
  if (index < N_LOW)
    return index;
  return index < N_LOW + N_MIDDLE ? 127 + index - N_LOW : 173;
}

/**
 * attn_byte_level_decode:
 * @piece: UTF-8
 * @bytes: a buffer to which the bytes that @piece stands for are appended
 *
 * Returns: %FALSE, with nothing appended, where @piece has a character outside the alphabet
 */
gboolean
attn_byte_level_decode (const char *piece,
                        GString    *bytes)
{
  gsize length = bytes->len;

  for (const char *p = piece; *p != '\0'; p = g_utf8_next_char (p))
    {
      int byte = attn_byte_level_get_byte (g_utf8_get_char (p));

      if (byte < 0)
        {
          g_string_truncate (bytes, length);
          return FALSE;
        }
      g_string_append_c (bytes, (char) byte);
    }
  return TRUE;
}
