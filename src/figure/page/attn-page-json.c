/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Appends the basic parts of a page's data: strings, numbers, floats of 16 bits; and checks the
 * size of the page. */

#include "config.h"

#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-error.h"
#include "attn-page-private.h"

/* The largest size of a page in bytes: larger ones are slow to open and too large for mail. */
#define MAX_BYTES 20e6

static gboolean
is_plain (gunichar c)
{
  return c >= 0x20 && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&' &&
         !(c >= 0x7f && c <= 0x9f) && c != 0x2028 && c != 0x2029 && (c & 0xfffe) != 0xfffe &&
         !(c >= 0xfdd0 && c <= 0xfdef);
}

/* Appends a string as JSON that cannot be taken for markup: "<", control characters and
 * noncharacters are escaped. */
void
attn_page_append_string (GString    *json,
                         const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  g_string_append_c (json, '"');
  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (is_plain (c))
        g_string_append_unichar (json, c);
      else if (c < 0x10000)
        g_string_append_printf (json, "\\u%04x", c);
      else
        g_string_append_printf (json, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
    }
  g_string_append_c (json, '"');
}

/* Appends a number with all its digits. It must be finite, as JSON has neither infinity nor NaN. */
void
attn_page_append_number (GString *json,
                         double   value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (json, isfinite (value) ? g_ascii_dtostr (buffer, sizeof buffer, value) : "null");
}

/* Rounds to IEEE 754-2008 binary16: to nearest, ties to even, and to infinity beyond its range. */
guint16
attn_page_round_to_half (float value)
{
  guint16 sign = signbit (value) ? 0x8000 : 0;
  double size = fabs ((double) value);
  int exponent;

  if (isnan (value))
    return 0x7e00;
  if (size == 0)
    return sign;
  frexp (size, &exponent);
  /* The exponent of the last binary place of the number: at least -24, that of subnormal
   * numbers. */
  int unit = MAX (exponent - 11, -24);
  double steps = nearbyint (ldexp (size, -unit));
  double rounded = ldexp (steps, unit);
  if (rounded > 65504)
    return sign | 0x7c00;
  if (rounded < 0x1p-14)
    return sign | (guint16) steps;
  double fraction = frexp (rounded, &exponent);
  return sign | (guint16) ((exponent + 14) << 10 | ((int) (fraction * 2048) - 1024));
}

float
attn_page_get_half (guint16 half)
{
  int exponent = half >> 10 & 0x1f;
  int fraction = half & 0x3ff;
  double size = exponent == 0x1f ? (fraction != 0 ? NAN : INFINITY)
                : exponent > 0   ? ldexp (1024 + fraction, exponent - 25)
                                 : ldexp (fraction, -24);

  return (float) ((half & 0x8000) != 0 ? -size : size);
}

/* Fails if a page of @n_bytes is too large. */
gboolean
attn_page_check_size (double   n_bytes,
                      GError **error)
{
  if (n_bytes <= MAX_BYTES)
    return TRUE;
  g_autofree char *found = g_format_size ((guint64) MIN (n_bytes, 1e18));
  g_autofree char *allowed = g_format_size ((guint64) MAX_BYTES);
  return attn_fail (error, ATTN_ERROR_LIMIT,
                    _("web page: %s found, expected at most %s; fewer tokens or panels make it "
                      "smaller"),
                    found, allowed);
}
