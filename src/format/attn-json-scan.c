/* SPDX-License-Identifier: GPL-3.0-or-later */

/* json-glib 1.6 reads more than JSON (comments, several roots, assignments), recurses as deep as
 * the brackets go, cuts a string at \u0000 and asserts that surrogates come in pairs. The scan lets
 * only those words through that RFC 8259 has; whether they stand in the right order is left to
 * json-glib. */

#include "config.h"

#include "attn-json-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"

/* tokenizer.json files reach about 10. */
#define MAX_DEPTH 64

typedef struct
{
  const char *where;
  const char *text;
  const char *end;
  const char *p;
  guint depth;
  gsize n_roots;
  GError **error;
} Scan;

static gboolean
fail (Scan       *scan,
      AttnError   code,
      const char *what)
{
  gsize line = 1;

  for (const char *p = scan->text; p < scan->p; p++)
    line += *p == '\n';
  g_set_error (scan->error, ATTN_ERROR, code, "%s:%zu: %s", scan->where, line,
               what);
  return FALSE;
}

/* Four hexadecimal digits behind "\u"; -1 where there are none. */
static int
read_code_unit (const char *p,
                const char *end)
{
  int unit = 0;

  if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
    return -1;
  for (int i = 2; i < 6; i++)
    {
      int digit = g_ascii_xdigit_value (p[i]);

      if (digit < 0)
        return -1;
      unit = unit * 16 + digit;
    }
  return unit;
}

static gboolean
scan_unicode_escape (Scan *scan)
{
  int unit = read_code_unit (scan->p, scan->end);

  if (unit < 0)
    return fail (scan, ATTN_ERROR_FORMAT,
                 _("“\\u” found, expected four hexadecimal digits behind it"));
  if (unit == 0)
    return fail (scan, ATTN_ERROR_UNSUPPORTED, _("“\\u0000” found, expected text without NUL"));
  scan->p += 6;
  if (unit < 0xd800 || unit > 0xdfff)
    return TRUE;

  int low = read_code_unit (scan->p, scan->end);
  if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff)
    return fail (scan, ATTN_ERROR_FORMAT, _("half a surrogate pair found, expected both"));
  scan->p += 6;
  return TRUE;
}

/* @p stands behind the opening quote; UTF-8 has been checked. */
static gboolean
scan_string (Scan *scan)
{
  while (scan->p < scan->end && *scan->p != '"')
    {
      if ((guchar) *scan->p < 0x20)
        return fail (scan, ATTN_ERROR_FORMAT,
                     _("a control character found in a string, expected an escape"));
      if (*scan->p != '\\')
        scan->p++;
      else if (scan->end - scan->p >= 2 && scan->p[1] == 'u')
        {
          if (!scan_unicode_escape (scan))
            return FALSE;
        }
      else if (scan->end - scan->p >= 2 && strchr ("\"\\/bfnrt", scan->p[1]) != NULL)
        scan->p += 2;
      else
        return fail (scan, ATTN_ERROR_FORMAT,
                     _("an unknown escape found in a string, expected JSON"));
    }
  if (scan->p == scan->end)
    return fail (scan, ATTN_ERROR_FORMAT,
                 _("the end found in a string, expected a quotation mark"));
  scan->p++;
  return TRUE;
}

static const char *
skip_digits (const char *p,
             const char *end)
{
  while (p < end && g_ascii_isdigit (*p))
    p++;
  return p;
}

/* Returns the end of the number at @p, or @p itself where there is none. */
static const char *
skip_number (const char *p,
             const char *end)
{
  const char *start = p;
  const char *digits = p < end && *p == '-' ? p + 1 : p;

  p = skip_digits (digits, end);
  if (p == digits || (*digits == '0' && p > digits + 1))
    return start;
  if (p < end && *p == '.')
    {
      digits = p + 1;
      p = skip_digits (digits, end);
      if (p == digits)
        return start;
    }
  if (p < end && (*p == 'e' || *p == 'E'))
    {
      digits = p + 1;
      if (digits < end && (*digits == '+' || *digits == '-'))
        digits++;
      p = skip_digits (digits, end);
      if (p == digits)
        return start;
    }
  return p;
}

static gboolean
scan_word (Scan *scan)
{
  static const char * const words[] = { "true", "false", "null" };
  const char *end = skip_number (scan->p, scan->end);

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      gsize length = strlen (words[i]);

      if ((gsize) (scan->end - scan->p) >= length && memcmp (scan->p, words[i], length) == 0)
        end = scan->p + length;
    }
  if (end == scan->p ||
      (end < scan->end && (g_ascii_isalnum (*end) || strchr (".+-_", *end) != NULL)))
    return fail (scan, ATTN_ERROR_FORMAT, _("something unknown found, expected a JSON value"));
  scan->p = end;
  return TRUE;
}

static gboolean
open_bracket (Scan *scan)
{
  if (++scan->depth > MAX_DEPTH)
    {
      g_autofree char *what =
          g_strdup_printf (_("more than %d nested brackets found, expected fewer"), MAX_DEPTH);
      return fail (scan, ATTN_ERROR_LIMIT, what);
    }
  scan->p++;
  return TRUE;
}

static gboolean
scan_token (Scan *scan)
{
  if (scan->depth == 0 && scan->n_roots++ > 0)
    return fail (scan, ATTN_ERROR_FORMAT, _("more found behind the value, expected the end"));
  switch (*scan->p)
    {
    case '{':
    case '[':
      return open_bracket (scan);
    case '}':
    case ']':
      if (scan->depth == 0)
        return fail (scan, ATTN_ERROR_FORMAT, _("a closing bracket found, expected a JSON value"));
      scan->depth--;
      scan->p++;
      return TRUE;
    case '"':
      scan->p++;
      return scan_string (scan);
    case ',':
    case ':':
      scan->p++;
      return TRUE;
    default:
      return scan_word (scan);
    }
}

/**
 * attn_json_scan:
 * @where: what messages begin with
 * @text: (array length=length): not necessarily terminated
 * @error: return location: %ATTN_ERROR_FORMAT, %ATTN_ERROR_LIMIT for brackets nested too deep,
 *   %ATTN_ERROR_UNSUPPORTED for a NUL escaped in a string
 *
 * Returns: whether json-glib may see @text
 */
gboolean
attn_json_scan (const char  *where,
                const char  *text,
                gsize        length,
                GError     **error)
{
  Scan scan = { .where = where, .text = text, .end = text + length, .p = text, .error = error };
  const char *valid_end;

  /* g_utf8_validate_len stops at a NUL, too. */
  if (!g_utf8_validate_len (text, length, &valid_end))
    {
      scan.p = valid_end;
      return fail (&scan, ATTN_ERROR_FORMAT,
                   *valid_end == '\0' ? _("a NUL byte found, expected text")
                                      : _("bytes that are not UTF-8 found, expected text"));
    }
  while (scan.p < scan.end)
    {
      if (strchr (" \t\r\n", *scan.p) != NULL)
        scan.p++;
      else if (!scan_token (&scan))
        return FALSE;
    }
  if (scan.depth > 0)
    return fail (&scan, ATTN_ERROR_FORMAT, _("the end found, expected a closing bracket"));
  if (scan.n_roots == 0)
    return fail (&scan, ATTN_ERROR_FORMAT, _("nothing found, expected a JSON value"));
  return TRUE;
}
