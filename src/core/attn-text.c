/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-text.h"

#include <float.h>
#include <glib/gi18n-lib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attn-error.h"

#define PATH_SCHEME "file:"

/**
 * attn_text_parse_number:
 * @text: a number such as "0.5" or "5e-1", with nothing behind it but spaces
 * @value: (out): the number
 *
 * Returns: %FALSE for anything else, infinities, "nan" and hexadecimal included
 */
gboolean
attn_text_parse_number (const char *text,
                        double     *value)
{
  char *end;

  double number = g_ascii_strtod (text, &end);
  if (end == text || !isfinite (number))
    return FALSE;
  /* g_ascii_strtod() also accepts hexadecimal numbers, which are refused here. */
  for (const char *c = text; c < end; c++)
    if (*c == 'x' || *c == 'X')
      return FALSE;
  while (g_ascii_isspace (*end))
    end++;
  if (*end != '\0')
    return FALSE;
  *value = number;
  return TRUE;
}

/**
 * attn_text_trim_exponent:
 * @text: (inout): a number as printf() writes it; changed
 *
 * Shortens its exponent: "1e-07" becomes "1e-7", "2e+05" becomes "2e5". A number without an
 * exponent stays.
 */
void
attn_text_trim_exponent (char *text)
{
  char *exponent = strchr (text, 'e');

  if (exponent == NULL)
    return;

  char *digits = exponent + 1;
  char *out = digits;
  if (*digits == '-')
    out++;
  if (*digits == '-' || *digits == '+')
    digits++;
  while (*digits == '0' && digits[1] != '\0')
    digits++;
  memmove (out, digits, strlen (digits) + 1);
}

/**
 * attn_text_format_weight:
 * @weight: a number
 * @n_digits: significant digits
 *
 * Returns: (transfer full): @weight with @n_digits significant digits, zeros kept ("0.5000");
 *   without an exponent from 1e-4 up ("1.000e-5"). NaN is "NaN".
 */
char *
attn_text_format_weight (double weight,
                         guint  n_digits)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  char format[16];

  if (isnan (weight))
    return g_strdup ("NaN");
  g_snprintf (format, sizeof format, weight == 0 ? "%%.%uf" : "%%#.%ug",
              weight == 0 ? MAX (n_digits, 1) - 1 : n_digits);
  /* A zero below 0 is a zero. */
  g_ascii_formatd (buffer, sizeof buffer, format, weight == 0 ? 0.0 : weight);
  /* "%#.1g" may end in a point without digits. */
  gsize length = strlen (buffer);
  if (length > 0 && buffer[length - 1] == '.')
    buffer[length - 1] = '\0';
  attn_text_trim_exponent (buffer);
  return g_strdup (buffer);
}

/**
 * attn_text_format_factor:
 * @factor: a factor ε
 *
 * Returns: (transfer full): the factor as the figures write it: "5e-1", "1e-10", "1e0", "2.5e-3",
 *   with as few digits as read back to the same number
 */
char *
attn_text_format_factor (double factor)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  /* A number of at most 15 decimal digits is recovered with 15 digits, of which the last ones are
   * zeros (C11, DBL_DIG). */
  for (int n_digits = DBL_DIG - 1; n_digits < 17; n_digits++)
    {
      char format[16];

      g_snprintf (format, sizeof format, "%%.%de", n_digits);
      g_ascii_formatd (buffer, sizeof buffer, format, factor);
      if (g_ascii_strtod (buffer, NULL) == factor)
        break;
    }

  char *exponent = strchr (buffer, 'e');
  char *end = exponent;
  while (end != NULL && end[-1] == '0' && memchr (buffer, '.', (gsize) (end - buffer)) != NULL)
    end--;
  if (end != NULL && end[-1] == '.')
    end--;
  if (end != NULL)
    memmove (end, exponent, strlen (exponent) + 1);
  attn_text_trim_exponent (buffer);
  return g_strdup (buffer);
}

/**
 * attn_text_format_epsilon:
 * @factor: a factor ε
 *
 * Returns: (transfer full): the factor as the window writes it, in the fewest characters: "0.5",
 *   "1.1", "1e-6"; [func@attn_text_format_factor] is how a figure has it
 */
char *
attn_text_format_epsilon (double factor)
{
  char *text = attn_text_format_factor (factor);
  char plain[G_ASCII_DTOSTR_BUF_SIZE];

  for (int n_decimals = 0; n_decimals < 6; n_decimals++)
    {
      char format[16];

      g_snprintf (format, sizeof format, "%%.%df", n_decimals);
      g_ascii_formatd (plain, sizeof plain, format, factor);
      if (g_ascii_strtod (plain, NULL) != factor || strlen (plain) > strlen (text))
        continue;
      g_free (text);
      return g_strdup (plain);
    }
  return text;
}

/**
 * attn_text_capitalise:
 *
 * Returns: (transfer full): a message that begins with a word begins with a capital; one that
 *   begins with a path or the name of a tensor stays as it is
 */
char *
attn_text_capitalise (const char *message)
{
  const char *end = message;

  while (g_ascii_islower (*end))
    end++;
  if (end == message || (*end != ' ' && *end != ':'))
    return g_strdup (message);
  return g_strdup_printf ("%c%s", g_ascii_toupper (message[0]), message + 1);
}

/**
 * attn_text_escape_path:
 * @path: (type filename): as the file system has it
 *
 * Returns: (transfer full): @path itself if it is UTF-8; otherwise "file:" and its bytes as in a
 *   URI, such as "file:/models/caf%E9". [func@attn_text_unescape_path] gives every path back.
 */
char *
attn_text_escape_path (const char *path)
{
  if (g_utf8_validate (path, -1, NULL) && !g_str_has_prefix (path, PATH_SCHEME))
    return g_strdup (path);

  g_autofree char *escaped = g_uri_escape_string (path, "/", FALSE);
  return g_strconcat (PATH_SCHEME, escaped, NULL);
}

/**
 * attn_text_unescape_path:
 * @text: as from [func@attn_text_escape_path]
 *
 * Returns: (transfer full) (type filename): the path; @text where a "%" is not followed by the two
 *   digits of a byte other than 0
 */
char *
attn_text_unescape_path (const char *text)
{
  char *path = g_str_has_prefix (text, PATH_SCHEME)
                   ? g_uri_unescape_string (text + strlen (PATH_SCHEME), NULL)
                   : NULL;

  return path != NULL ? path : g_strdup (text);
}

/**
 * attn_text_show_controls:
 * @text: UTF-8
 * @kept: of the control characters of ASCII those that stay, such as "\n"
 *
 * Control characters in text from a file could be commands to the terminal on which it is printed.
 *
 * Returns: (transfer full): @text with a visible character for each control character: its picture
 *   for those of ASCII, such as ␛, U+FFFD for U+0080 to U+009F
 */
char *
attn_text_show_controls (const char *text,
                         const char *kept)
{
  GString *shown = g_string_new (NULL);

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (c < 0x20 && strchr (kept, (int) c) == NULL)
        c += 0x2400;
      else if (c == 0x7f)
        c = 0x2421;
      else if (c > 0x7f && c < 0xa0)
        c = 0xfffd;
      g_string_append_unichar (shown, c);
    }
  return g_string_free (shown, FALSE);
}

/**
 * attn_text_get_mark:
 * @text: [length], as read from a file
 *
 * Returns: how many bytes of a byte order mark, which is no part of the text, it begins with: 3
 *   or 0
 */
gsize
attn_text_get_mark (const char *text,
                    gsize       length)
{
  return length >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/**
 * attn_text_has_suffix:
 * @text: such as the name of a file
 * @suffix: ASCII
 *
 * Returns: whether @text ends in @suffix, in capitals or not
 */
gboolean
attn_text_has_suffix (const char *text,
                      const char *suffix)
{
  gsize length = strlen (text);
  gsize n = strlen (suffix);

  return length >= n && g_ascii_strcasecmp (text + length - n, suffix) == 0;
}

/**
 * attn_text_parse_name:
 * @names: (array zero-terminated=1): by value, from 0
 * @text: one of them, in any case
 * @value: (out): an int, or an enumeration: the place of @text among @names; left alone on failure
 * @error: return location for %ATTN_ERROR_ARGUMENT, which lists the names
 *
 * Returns: whether @text is one of them
 */
gboolean
attn_text_parse_name (const char * const  *names,
                      const char          *text,
                      gpointer             value,
                      GError             **error)
{
  for (int i = 0; names[i] != NULL; i++)
    if (g_ascii_strcasecmp (names[i], text) == 0)
      {
        *(int *) value = i;
        return TRUE;
      }

  g_autofree char *list = g_strjoinv (", ", (char **) names);
  return attn_fail (error, ATTN_ERROR_ARGUMENT, _("“%s” found, expected one of %s"), text, list);
}

/**
 * attn_text_check_utf8:
 * @where: what the message begins with, such as "--text" or the name of a file
 * @text: (array length=length): any bytes
 * @error: return location for %ATTN_ERROR_FORMAT
 */
gboolean
attn_text_check_utf8 (const char  *where,
                      const char  *text,
                      gsize        length,
                      GError     **error)
{
  const char *end;

  return g_utf8_validate_len (text, length, &end) ||
         attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: byte 0x%02X at %zu found, expected UTF-8 text"), where, (guint8) *end,
                    (gsize) (end - text));
}
