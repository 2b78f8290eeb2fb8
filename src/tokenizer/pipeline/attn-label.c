/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-label.h"

static void
append_hex (GString    *label,
            const char *bytes,
            gsize       n_bytes)
{
  for (gsize i = 0; i < n_bytes; i++)
    g_string_append_printf (label, "\\x%02X", (guint8) bytes[i]);
}

/* Tells whether a label shows a character by its bytes in hexadecimal: controls, spaces that look
 * like the plain one, format characters such as direction marks, and those that XML does not allow.
 * Joiners are kept since emoji and ligatures need them. */
static gboolean
is_hidden (gunichar character)
{
  if (character == 0x200C || character == 0x200D)
    return FALSE;
  switch (g_unichar_type (character))
    {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT:
    case G_UNICODE_SPACE_SEPARATOR:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
    case G_UNICODE_SURROGATE:
      return TRUE;
    default:
      return (character & 0xFFFE) == 0xFFFE;
    }
}

/* Appends the character at @bytes; returns its length in bytes. @is_visible: set to TRUE if it does
 * not have a width of zero */
static gsize
append_character (GString    *label,
                  const char *bytes,
                  gsize       n_bytes,
                  gboolean   *is_visible)
{
  gunichar character = g_utf8_get_char_validated (bytes, n_bytes);
  gsize length = 1;

  /* Results -1 and -2 mean bytes that are not a valid character; NUL is also reported as incomplete
   * (-2). */
  if (character < (gunichar) -2)
    length = MIN ((gsize) g_utf8_skip[(guint8) *bytes], n_bytes);
  else
    character = 0;

  if (character == ' ')
    g_string_append (label, "␣");
  else if (character == '\n')
    g_string_append (label, "↵");
  else if (character == '\t')
    g_string_append (label, "⇥");
  else if (is_hidden (character))
    append_hex (label, bytes, length);
  else
    g_string_append_len (label, bytes, length);

  if (is_hidden (character) || !g_unichar_iszerowidth (character))
    *is_visible = TRUE;
  return length;
}

/**
 * attn_label_new:
 * @bytes: (array length=n_bytes): any bytes, at least one
 *
 * Returns: (transfer full): valid UTF-8 without controls. A space is "␣", a newline "↵", a tab "⇥";
 *   other controls, invisible characters and bytes that are not a whole character are "\xE2".
 */
char *
attn_label_new (const char *bytes,
                gsize       n_bytes)
{
  GString *label = g_string_sized_new (n_bytes + 8);
  gboolean is_visible = FALSE;

  for (gsize i = 0; i < n_bytes;)
    i += append_character (label, bytes + i, n_bytes - i, &is_visible);

  /* A label of only joiners or combining marks would look empty: the bytes are shown in hexadecimal
   * instead. */
  if (!is_visible)
    {
      g_string_truncate (label, 0);
      append_hex (label, bytes, n_bytes);
    }
  return g_string_free (label, FALSE);
}

/**
 * attn_label_new_number:
 *
 * Returns: (transfer full): the label "#17", for an id whose text is not known
 */
char *
attn_label_new_number (guint32 id)
{
  return g_strdup_printf ("#%u", id);
}
