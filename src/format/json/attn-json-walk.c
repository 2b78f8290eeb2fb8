/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads JSON as RFC 8259 defines it, strictly, except that NUL in strings and deeply nested values
 * are refused. */

#include "config.h"

#include "attn-json-walk.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* The deepest nesting of brackets. A tokenizer.json reaches about 10 levels. */
#define MAX_DEPTH 64

static gboolean
fail (AttnJsonWalk *walk,
      AttnError     code,
      const char   *problem)
{
  if (walk->problem == NULL)
    {
      walk->problem = problem;
      walk->code = code;
    }
  return FALSE;
}

static gboolean
fail_value (AttnJsonWalk *walk)
{
  const char *problem = _("something unknown found, expected a JSON value");

  if (walk->p == walk->end)
    problem = walk->depth > 0 ? _("the end of the text found, expected a closing bracket")
                              : _("nothing found, expected a JSON value");
  return fail (walk, ATTN_ERROR_FORMAT, problem);
}

/* Sets @error to the problem that @walk has met, with its line in the text. Always returns
 * FALSE. */
static gboolean
report (const AttnJsonWalk  *walk,
        GError             **error)
{
  gsize line = 1;

  for (const char *p = walk->text; p < walk->p; p++)
    line += *p == '\n';
  return attn_fail (error, walk->code, "%s:%zu: %s", walk->where, line, walk->problem);
}

/* Returns the first byte of a text that is NUL or not ASCII, or @end. Looks at eight bytes at once,
 * which is quicker. */
static const char *
skip_ascii (const char *p,
            const char *end)
{
  const guint64 ones = G_GUINT64_CONSTANT (0x0101010101010101);
  guint64 word;

  for (; end - p >= (gssize) sizeof word; p += sizeof word)
    {
      memcpy (&word, p, sizeof word);
      if (((word | ((word - ones) & ~word)) & (ones << 7)) != 0)
        break;
    }
  while (p < end && *p != '\0' && (guchar) *p < 0x80)
    p++;
  return p;
}

/* Returns the first byte of a text that is NUL or not UTF-8, or NULL if there is none. GLib
 * validates only the runs of bytes that are not ASCII, since it is slower. */
static const char *
find_wrong (const char *text,
            const char *end)
{
  for (const char *p = skip_ascii (text, end), *next, *stop; p < end; p = skip_ascii (next, end))
    {
      for (next = p; next < end && (guchar) *next >= 0x80; next++)
        ;
      if (next == p || !g_utf8_validate_len (p, next - p, &stop))
        return next == p ? p : stop;
    }
  return NULL;
}

/**
 * attn_json_walk_init:
 * @where: the beginning of messages, such as the file's path
 * @text: (array length=length): JSON; like @where it is not copied and must live as long as @walk
 * @error: return location for %ATTN_ERROR_FORMAT if @text has bytes that are not UTF-8, or NUL
 */
gboolean
attn_json_walk_init (AttnJsonWalk  *walk,
                     const char    *where,
                     const char    *text,
                     gsize          length,
                     GError       **error)
{
  *walk = (AttnJsonWalk) { .where = where, .text = text, .end = text + length, .p = text };
  const char *wrong = find_wrong (text, walk->end);
  if (wrong == NULL)
    return TRUE;
  walk->p = wrong;
  fail (walk, ATTN_ERROR_FORMAT,
        *walk->p == '\0' ? _("a NUL byte found, expected text")
                         : _("bytes that are not UTF-8 found, expected text"));
  return report (walk, error);
}

static void
skip_space (AttnJsonWalk *walk)
{
  const char *p = walk->p, *end = walk->end;

  while (p < end && (guchar) *p <= ' ' && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
    p++;
  if (walk->problem == NULL)
    walk->p = p;
}

/**
 * attn_json_walk_is_at:
 * @first: a character
 *
 * Returns: whether the next element of the text begins with @first, such as '['. Only space before
 *   it is consumed.
 */
gboolean
attn_json_walk_is_at (AttnJsonWalk *walk,
                      char          first)
{
  if (walk->p < walk->end && (guchar) *walk->p <= ' ')
    skip_space (walk);
  return walk->problem == NULL && walk->p < walk->end && *walk->p == first;
}

static gboolean
take (AttnJsonWalk *walk,
      char          character)
{
  if (!attn_json_walk_is_at (walk, character))
    return fail_value (walk);
  walk->p++;
  return TRUE;
}

/**
 * attn_json_walk_enter:
 * @bracket: '{' or '['
 *
 * Goes into an object or an array, to before its first member or element.
 */
gboolean
attn_json_walk_enter (AttnJsonWalk *walk,
                      char          bracket)
{
  if (walk->depth == MAX_DEPTH)
    return fail (walk, ATTN_ERROR_LIMIT,
                 _("more than 64 nested brackets found, expected fewer"));
  walk->depth++;
  walk->needs_comma = FALSE;
  return take (walk, bracket);
}

/**
 * attn_json_walk_next:
 * @bracket: '}' or ']'
 *
 * Goes to the next member or element of an object or array, or behind the closing @bracket if there
 * is none.
 *
 * Returns: whether there is another
 */
gboolean
attn_json_walk_next (AttnJsonWalk *walk,
                     char          bracket)
{
  if (!attn_json_walk_is_at (walk, bracket))
    return walk->problem == NULL && (!walk->needs_comma || take (walk, ','));
  walk->p++;
  walk->depth--;
  walk->needs_comma = TRUE;
  return FALSE;
}

/* Reads "\u" and the number of four hexadecimal digits after it. Returns -1 if the text has
 * anything else there. */
static int
read_code_unit (AttnJsonWalk *walk)
{
  int unit = 0;

  if (walk->end - walk->p < 6 || walk->p[0] != '\\' || walk->p[1] != 'u')
    return -1;
  for (int i = 2; i < 6; i++)
    {
      if (!g_ascii_isxdigit (walk->p[i]))
        return -1;
      unit = unit * 16 + g_ascii_xdigit_value (walk->p[i]);
    }
  walk->p += 6;
  return unit;
}

/* Reads an escape in a string, such as "\t" or "\u00e9". @string: (nullable): the character is
 * appended to it */
static gboolean
read_escape (AttnJsonWalk *walk,
             GString      *string)
{
  static const char names[] = "\"\\/bfnrt";
  static const char values[] = "\"\\/\b\f\n\r\t";
  const char *name = walk->end - walk->p > 1 ? strchr (names, walk->p[1]) : NULL;
  gboolean is_unicode = walk->end - walk->p > 1 && walk->p[1] == 'u';

  if (name != NULL)
    {
      if (string != NULL)
        g_string_append_c (string, values[name - names]);
      walk->p += 2;
      return TRUE;
    }
  if (!is_unicode)
    return fail (walk, ATTN_ERROR_FORMAT,
                 _("an unknown escape found in a string, expected JSON"));

  int unit = read_code_unit (walk);
  if (unit < 0)
    return fail (walk, ATTN_ERROR_FORMAT,
                 _("“\\u” found, expected four hexadecimal digits after it"));
  if (unit == 0)
    return fail (walk, ATTN_ERROR_UNSUPPORTED, _("“\\u0000” found, expected text without NUL"));
  if (unit >= 0xd800 && unit <= 0xdfff)
    {
      int low = unit < 0xdc00 ? read_code_unit (walk) : -1;

      if (low < 0xdc00 || low > 0xdfff)
        return fail (walk, ATTN_ERROR_FORMAT, _("half a surrogate pair found, expected both"));
      unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    }
  if (string != NULL)
    g_string_append_unichar (string, unit);
  return TRUE;
}

/**
 * attn_json_walk_read_string:
 * @string: (nullable): set to the string, without quotes and escapes; %NULL to skip it
 */
gboolean
attn_json_walk_read_string (AttnJsonWalk *walk,
                            GString      *string)
{
  if (string != NULL)
    g_string_truncate (string, 0);
  if (!take (walk, '"'))
    return FALSE;
  for (;;)
    {
      const char *start = walk->p, *end = walk->end, *p = start;

      while (p < end && *p != '"' && *p != '\\' && (guchar) *p >= 0x20)
        p++;
      walk->p = p;
      if (string != NULL)
        g_string_append_len (string, start, p - start);
      if (walk->p == walk->end)
        return fail (walk, ATTN_ERROR_FORMAT,
                     _("the end of the text found within a string, expected a quotation mark"));
      if (*walk->p == '"')
        break;
      if (*walk->p != '\\')
        return fail (walk, ATTN_ERROR_FORMAT,
                     _("a control character found in a string, expected an escape"));
      if (!read_escape (walk, string))
        return FALSE;
    }
  walk->p++;
  walk->needs_comma = TRUE;
  return TRUE;
}

/**
 * attn_json_walk_read_name:
 * @name: (nullable): set to the name of the next member of an object; %NULL to skip it
 *
 * Reads the name and goes to the member's value.
 */
gboolean
attn_json_walk_read_name (AttnJsonWalk *walk,
                          GString      *name)
{
  return attn_json_walk_read_string (walk, name) && take (walk, ':');
}

/**
 * attn_json_walk_read_word:
 * @word: the word that must come next: "true", "false" or "null"
 */
gboolean
attn_json_walk_read_word (AttnJsonWalk *walk,
                          const char   *word)
{
  gsize length = strlen (word);

  if (!attn_json_walk_is_at (walk, *word) || (gsize) (walk->end - walk->p) < length ||
      memcmp (walk->p, word, length) != 0)
    return fail_value (walk);
  walk->p += length;
  walk->needs_comma = TRUE;
  return TRUE;
}

/* Consumes at least one digit. Fails if there is none. */
static gboolean
skip_digits (AttnJsonWalk *walk)
{
  const char *start = walk->p;

  while (walk->p < walk->end && g_ascii_isdigit (*walk->p))
    walk->p++;
  return walk->p > start || fail_value (walk);
}

/* Consumes the next character of the text if it is @a or @b. Returns whether it was consumed. */
static gboolean
accept (AttnJsonWalk *walk,
        char          a,
        char          b)
{
  if (walk->p == walk->end || (*walk->p != a && *walk->p != b))
    return FALSE;
  walk->p++;
  return TRUE;
}

/**
 * attn_json_walk_read_digits:
 * @start: (out) (transfer none): the beginning of a number in the text, which extends to before @p
 *   of @walk
 *
 * Reads a number of any size without converting it.
 */
gboolean
attn_json_walk_read_digits (AttnJsonWalk  *walk,
                            const char   **start)
{
  skip_space (walk);
  if (walk->problem != NULL)
    return FALSE;

  *start = walk->p;
  accept (walk, '-', '-');
  if (!accept (walk, '0', '0') && !skip_digits (walk))
    return FALSE;
  if (accept (walk, '.', '.') && !skip_digits (walk))
    return FALSE;
  if (accept (walk, 'e', 'E'))
    {
      accept (walk, '+', '-');
      if (!skip_digits (walk))
        return FALSE;
    }
  walk->needs_comma = TRUE;
  return TRUE;
}

/**
 * attn_json_walk_read_integer:
 * @value: (out): an integer of 63 bits and a sign; any other number is an error
 */
gboolean
attn_json_walk_read_integer (AttnJsonWalk *walk,
                             gint64       *value)
{
  gint64 number = 0;
  const char *start;

  if (!attn_json_walk_read_digits (walk, &start))
    return FALSE;
  for (const char *p = *start == '-' ? start + 1 : start; p < walk->p; p++)
    {
      if (!g_ascii_isdigit (*p) || number > (G_MAXINT64 - (*p - '0')) / 10)
        return fail_value (walk);
      number = number * 10 + (*p - '0');
    }
  *value = *start == '-' ? -number : number;
  return TRUE;
}

/**
 * attn_json_walk_read_number:
 * @value: (out): the next number, an integer or not
 */
gboolean
attn_json_walk_read_number (AttnJsonWalk *walk,
                            double       *value)
{
  const char *start;

  if (!attn_json_walk_read_digits (walk, &start))
    return FALSE;

  g_autofree char *digits = g_strndup (start, walk->p - start);
  *value = g_ascii_strtod (digits, NULL);
  return TRUE;
}

/**
 * attn_json_walk_skip:
 *
 * Skips the next value, of any type, with all that is in it.
 */
gboolean
attn_json_walk_skip (AttnJsonWalk *walk)
{
  const char *start;
  char first;

  skip_space (walk);
  if (walk->problem != NULL || walk->p == walk->end)
    return fail_value (walk);
  first = *walk->p;
  if (first == '"')
    return attn_json_walk_read_string (walk, NULL);
  if (first == 't' || first == 'f' || first == 'n')
    return attn_json_walk_read_word (walk, first == 't'   ? "true"
                                           : first == 'f' ? "false"
                                                          : "null");
  if (first != '{' && first != '[')
    return attn_json_walk_read_digits (walk, &start);

  char end = first == '{' ? '}' : ']';
  attn_json_walk_enter (walk, first);
  while (attn_json_walk_next (walk, end))
    if ((first == '{' && !attn_json_walk_read_name (walk, NULL)) || !attn_json_walk_skip (walk))
      return FALSE;
  return walk->problem == NULL;
}

/**
 * attn_json_walk_finish:
 * @error: return location for the first problem, with its line: %ATTN_ERROR_FORMAT for text that is
 *   not JSON or not the type that was asked for, %ATTN_ERROR_LIMIT for brackets nested more than 64
 *   deep, %ATTN_ERROR_UNSUPPORTED for "\u0000" in a string
 *
 * Returns: whether the text was read to its end without a problem
 */
gboolean
attn_json_walk_finish (AttnJsonWalk  *walk,
                       GError       **error)
{
  skip_space (walk);
  if (walk->problem == NULL && walk->p == walk->end)
    return TRUE;
  fail (walk, ATTN_ERROR_FORMAT, _("more text found after the value, expected the end"));
  return report (walk, error);
}
