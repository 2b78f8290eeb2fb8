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

/* The most significant digits that tell two numbers apart: the float32 values that they are
 * computed from have hardly more. */
#define MOST_DIGITS 6

/**
 * attn_text_parse_number:
 * @text: a number such as "0.5" or "5e-1", with nothing behind it but spaces
 * @value: (out): the number
 *
 * Returns: whether @text is such a number; %FALSE also for infinities, "nan" and hexadecimal
 *   numbers
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
 * @text: (inout): a number as printf() writes it; changed in place
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
 * Returns: (transfer full): @weight with @n_digits significant digits, also if the last are zeros
 *   ("0.5000"); with an exponent only below 1e-4 ("1.000e-5"). NaN is "NaN".
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
  /* Writes negative zero without its sign, as plain 0. */
  g_ascii_formatd (buffer, sizeof buffer, format, weight == 0 ? 0.0 : weight);
  /* The format "%#.1g" can end in a decimal point without digits behind it: that point is
   * removed. */
  gsize length = strlen (buffer);
  if (length > 0 && buffer[length - 1] == '.')
    buffer[length - 1] = '\0';
  attn_text_trim_exponent (buffer);
  return g_strdup (buffer);
}

/**
 * attn_text_find_digits:
 * @before: a number
 * @after: a number that is written beside it
 * @n_digits: the significant digits that are enough where they tell the numbers apart
 *
 * Returns: as many digits, from @n_digits on, as [func@attn_text_format_weight] needs to write the
 *   two numbers differently; 0 if they are the same in every digit that counts
 */
guint
attn_text_find_digits (double before,
                       double after,
                       guint  n_digits)
{
  for (; n_digits <= MOST_DIGITS; n_digits++)
    {
      g_autofree char *first = attn_text_format_weight (before, n_digits);
      g_autofree char *second = attn_text_format_weight (after, n_digits);

      if (!g_str_equal (first, second))
        return n_digits;
    }
  return 0;
}

/**
 * attn_text_format_factor:
 * @factor: the factor ε that attention is multiplied by
 *
 * Returns: (transfer full): the factor as figures show it, always with an exponent: "5e-1",
 *   "1e-10", "1e0", "2.5e-3". It has as few digits as are needed to read back the same number.
 */
char *
attn_text_format_factor (double factor)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  /* A double that was read from at most 15 decimal digits is written by 15 digits exactly, the last
   * ones zeros (C11, DBL_DIG). So the search for the fewest digits begins with 15. */
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
 * @factor: the factor ε that attention is multiplied by
 *
 * Returns: (transfer full): the factor as the window's controls show it, in the fewest characters:
 *   "0.5", "1.1", "1e-6". Figures show it as [func@attn_text_format_factor] returns it.
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
 * Returns: (transfer full): @message, with a capital letter at the beginning if it begins with a
 *   word; if it begins with a path or the name of a tensor, such as "a.csv" or "h.0.attn", it is
 *   not changed
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
 * @path: (type filename): in the file system's bytes, which need not be UTF-8
 *
 * Returns: (transfer full): the path as text for a saved document: @path itself if it is UTF-8;
 *   otherwise "file:" and its bytes as in a URI, such as "file:/models/caf%E9".
 *   [func@attn_text_unescape_path] gives every path back.
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
 * @text: text that [func@attn_text_escape_path] has returned
 *
 * Returns: (transfer full) (type filename): the path; @text itself if it has a "%" that is not
 *   followed by two hexadecimal digits of a byte other than 0
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
 * @kept: the ASCII control characters that are not replaced, such as newline
 *
 * Makes text from a file safe to print: its control characters could be commands to the terminal.
 *
 * Returns: (transfer full): @text with a visible character in place of each control character: for
 *   one of ASCII its picture, such as ␛ for escape, and U+FFFD for U+0080 to U+009F
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
 * Returns: the bytes of the byte order mark, which is no part of the text, at the beginning of
 *   @text: 3, or 0 if there is none
 */
gsize
attn_text_get_mark (const char *text,
                    gsize       length)
{
  return length >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/**
 * attn_text_has_suffix:
 * @text: a text such as the name of a file
 * @suffix: in ASCII, such as ".csv"
 *
 * Returns: whether @text ends in @suffix, in upper or lower case
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
 * @names: (array zero-terminated=1): the names of the values 0, 1 and so on
 * @text: one of the names, in upper or lower case
 * @value: (out): a pointer to an int or an enumeration, which is set to the index of @text in
 *   @names; not changed on failure
 * @error: return location for %ATTN_ERROR_ARGUMENT, which lists the names
 *
 * Returns: whether @text is one of the names
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
 * @where: the beginning of the message, such as "--text" or the name of a file
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
