/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-gguf-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>

#include "attn-error.h"

/* Checks that at least @n_bytes of the GGUF file remain to be read. @what: what is read, for the
 * message */
gboolean
attn_gguf_cursor_require (AttnGgufCursor *cursor,
                          guint64         n_bytes,
                          const char     *what)
{
  gsize n_left = cursor->size - cursor->position;

  if (n_bytes <= n_left)
    return TRUE;
  return attn_fail (cursor->error, ATTN_ERROR_FORMAT,
                    _("%s: %zu bytes left in the file for %s, expected at least %" PRIu64),
                    cursor->path, n_left, what, n_bytes);
}

/* Reads a number of @n_bytes bytes, at most 8, the lowest byte first. */
gboolean
attn_gguf_cursor_read_uint (AttnGgufCursor *cursor,
                            guint           n_bytes,
                            const char     *what,
                            guint64        *value)
{
  if (!attn_gguf_cursor_require (cursor, n_bytes, what))
    return FALSE;
  *value = 0;
  for (guint i = 0; i < n_bytes; i++)
    *value |= (guint64) cursor->data[cursor->position++] << (8 * i);
  return TRUE;
}

/* Reads a string: its length (64 bits) and its bytes, which are not checked to be UTF-8. */
gboolean
attn_gguf_cursor_read_string (AttnGgufCursor *cursor,
                              const char     *what,
                              AttnGgufString *string)
{
  guint64 length;

  if (!attn_gguf_cursor_read_uint (cursor, 8, what, &length) ||
      !attn_gguf_cursor_require (cursor, length, what))
    return FALSE;
  string->data = (const char *) cursor->data + cursor->position;
  string->length = length;
  cursor->position += length;
  return TRUE;
}

/* Returns a copy of the next string of the file, which is a key or the name of a tensor, or NULL
 * with an error if it is empty, too long or not UTF-8. */
char *
attn_gguf_cursor_dup_name (AttnGgufCursor *cursor,
                           const char     *what)
{
  AttnGgufString string;

  if (!attn_gguf_cursor_read_string (cursor, what, &string))
    return NULL;
  if (string.length == 0 || string.length > ATTN_GGUF_MAX_NAME_BYTES ||
      !g_utf8_validate_len (string.data, string.length, NULL))
    return attn_fail_null (cursor->error, ATTN_ERROR_FORMAT,
                           _("%s: %zu bytes found as %s, expected UTF-8 text of 1 to %d bytes "
                             "without zeros"),
                           cursor->path, string.length, what,
                           ATTN_GGUF_MAX_NAME_BYTES);
  return g_strndup (string.data, string.length);
}
