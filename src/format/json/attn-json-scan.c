/* SPDX-License-Identifier: GPL-3.0-or-later */

/* json-glib 1.6 reads more than JSON (comments, several roots, assignments), recurses as deep as
 * the brackets go, cuts a string at \u0000 and asserts that surrogates come in pairs. The scan lets
 * only those words through that RFC 8259 has; whether they stand in the right order is left to
 * json-glib, and of members that are left out of its tree to who walks them. */

#include "config.h"

#include "attn-json-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"

/* tokenizer.json files reach about 10. */
#define MAX_DEPTH 64

/* What is left out: @name is the last string of the root or of one of its members, @is_inside
 * whether that member is the object of @omit, @open what is being left out, @n_copied how much of
 * the text is done with. */
typedef struct
{
  const char *where;
  const char *text;
  const char *end;
  const char *p;
  guint depth;
  gsize n_roots;
  AttnJsonOmit *omit;
  const char *name;
  gsize name_length;
  gboolean is_inside;
  AttnJsonWalk *open;
  gsize n_copied;
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
  return attn_fail (scan->error, code, "%s:%zu: %s", scan->where, line, what);
}

/* Four hexadecimal digits behind "\u"; -1 where there are none. */
int
attn_json_read_code_unit (const char *p,
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
  int unit = attn_json_read_code_unit (scan->p, scan->end);

  if (unit < 0)
    return fail (scan, ATTN_ERROR_FORMAT,
                 _("“\\u” found, expected four hexadecimal digits behind it"));
  if (unit == 0)
    return fail (scan, ATTN_ERROR_UNSUPPORTED, _("“\\u0000” found, expected text without NUL"));
  scan->p += 6;
  if (unit < 0xd800 || unit > 0xdfff)
    return TRUE;

  int low = attn_json_read_code_unit (scan->p, scan->end);
  if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff)
    return fail (scan, ATTN_ERROR_FORMAT, _("half a surrogate pair found, expected both"));
  scan->p += 6;
  return TRUE;
}

/* @p stands behind the opening quote; UTF-8 has been checked. */
static gboolean
scan_string (Scan *scan)
{
  for (;;)
    {
      while (scan->p < scan->end && *scan->p != '"' && *scan->p != '\\' &&
             (guchar) *scan->p >= 0x20)
        scan->p++;
      if (scan->p == scan->end || *scan->p == '"')
        break;
      if ((guchar) *scan->p < 0x20)
        return fail (scan, ATTN_ERROR_FORMAT,
                     _("a control character found in a string, expected an escape"));
      if (scan->end - scan->p >= 2 && scan->p[1] == 'u')
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

const char *
attn_json_skip_space (const char *p,
                      const char *end)
{
  while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
    p++;
  return p;
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
const char *
attn_json_skip_number (const char *p,
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
  const char *end = attn_json_skip_number (scan->p, scan->end);

  for (guint i = 0; i < G_N_ELEMENTS (words) && end == scan->p; i++)
    {
      gsize length = strlen (words[i]);

      if ((gsize) (scan->end - scan->p) >= length && memcmp (scan->p, words[i], length) == 0)
        end = scan->p + length;
    }
  if (end == scan->p || (end < scan->end && (g_ascii_isalnum (*end) || *end == '.' || *end == '+' ||
                                             *end == '-' || *end == '_')))
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

/* Behind the colon of a member's name. */
static void
open_member (Scan *scan)
{
  AttnJsonOmit *omit = scan->omit;

  if (scan->depth == 1)
    scan->is_inside = strlen (omit->object) == scan->name_length &&
                      memcmp (omit->object, scan->name, scan->name_length) == 0;
  for (gsize i = 0; scan->depth == 2 && scan->is_inside && omit->members[i] != NULL; i++)
    if (strlen (omit->members[i]) == scan->name_length &&
        memcmp (omit->members[i], scan->name, scan->name_length) == 0)
      {
        scan->open = &omit->walks[i];
        scan->open->text = scan->open->p = scan->p;
      }
}

/* Before the comma or the bracket behind a member's value. Its newlines are kept, so that messages
 * about the rest name the right line. */
static void
close_member (Scan *scan)
{
  GString *rest = scan->omit->rest;
  const char *begin = scan->open->text;

  scan->open->end = scan->p;
  g_string_append_len (rest, scan->text + scan->n_copied, begin - scan->text - scan->n_copied);
  g_string_append (rest, "null");
  while ((begin = memchr (begin, '\n', scan->p - begin)) != NULL)
    {
      g_string_append_c (rest, '\n');
      begin++;
    }
  scan->n_copied = scan->p - scan->text;
  scan->open = NULL;
}

static gboolean
scan_token (Scan *scan)
{
  const char *start = scan->p;

  if (scan->depth == 0 && scan->n_roots++ > 0)
    return fail (scan, ATTN_ERROR_FORMAT, _("more found behind the value, expected the end"));
  if (scan->open != NULL && scan->depth == 2 && strchr (",}]", *start) != NULL)
    close_member (scan);
  switch (*start)
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
      if (!scan_string (scan))
        return FALSE;
      scan->name = start + 1;
      scan->name_length = scan->p - start - 2;
      return TRUE;
    case ':':
      scan->p++;
      if (scan->omit != NULL && scan->depth <= 2 && scan->open == NULL && scan->name != NULL)
        open_member (scan);
      return TRUE;
    case ',':
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
 * @omit: (nullable): members that json-glib is not to see; its walks and its rest are filled in
 * @error: return location: %ATTN_ERROR_FORMAT, %ATTN_ERROR_LIMIT for brackets nested too deep,
 *   %ATTN_ERROR_UNSUPPORTED for a NUL escaped in a string
 *
 * Returns: whether json-glib may see @text, or the rest of it
 */
gboolean
attn_json_scan (const char    *where,
                const char    *text,
                gsize          length,
                AttnJsonOmit  *omit,
                GError       **error)
{
  Scan scan = { .where = where, .text = text, .end = text + length, .p = text };
  const char *valid_end;

  scan.omit = omit;
  scan.error = error;
  /* g_utf8_validate_len stops at a NUL, too. */
  if (!g_utf8_validate_len (text, length, &valid_end))
    {
      scan.p = valid_end;
      return fail (&scan, ATTN_ERROR_FORMAT,
                   *valid_end == '\0' ? _("a NUL byte found, expected text")
                                      : _("bytes that are not UTF-8 found, expected text"));
    }
  while ((scan.p = attn_json_skip_space (scan.p, scan.end)) < scan.end)
    if (!scan_token (&scan))
      return FALSE;
  if (scan.depth > 0)
    return fail (&scan, ATTN_ERROR_FORMAT, _("the end found, expected a closing bracket"));
  if (scan.n_roots == 0)
    return fail (&scan, ATTN_ERROR_FORMAT, _("nothing found, expected a JSON value"));
  if (omit != NULL)
    g_string_append_len (omit->rest, text + scan.n_copied, length - scan.n_copied);
  return TRUE;
}
