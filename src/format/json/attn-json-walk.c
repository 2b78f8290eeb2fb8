/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-json-walk.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-json-private.h"

/**
 * attn_json_walk_init:
 * @where: what messages begin with
 * @text: (array length=length): JSON in UTF-8; neither is copied
 * @error: return location: as for [func@attn_json_parse], but for words in the wrong order
 */
gboolean
attn_json_walk_init (AttnJsonWalk  *walk,
                     const char    *where,
                     const char    *text,
                     gsize          length,
                     GError       **error)
{
  *walk = (AttnJsonWalk) { .where = where, .text = text, .end = text + length, .p = text };
  return attn_json_scan (where, text, length, NULL, error);
}

static gboolean
fail (AttnJsonWalk *walk)
{
  walk->is_broken = TRUE;
  return FALSE;
}

/**
 * attn_json_walk_is_at:
 * @first: a character
 *
 * Returns: whether what comes next begins with @first; consumes nothing
 */
gboolean
attn_json_walk_is_at (AttnJsonWalk *walk,
                      char          first)
{
  walk->p = attn_json_skip_space (walk->p, walk->end);
  return !walk->is_broken && walk->p < walk->end && *walk->p == first;
}

static gboolean
take (AttnJsonWalk *walk,
      char          character)
{
  if (!attn_json_walk_is_at (walk, character))
    return fail (walk);
  walk->p++;
  return TRUE;
}

/**
 * attn_json_walk_enter:
 * @bracket: '{' or '['
 *
 * Goes into an object or an array, before its first element.
 */
gboolean
attn_json_walk_enter (AttnJsonWalk *walk,
                      char          bracket)
{
  walk->needs_comma = FALSE;
  return take (walk, bracket);
}

/**
 * attn_json_walk_next:
 * @bracket: '}' or ']'
 *
 * Goes to the next element, or out behind the @bracket where there is none.
 *
 * Returns: whether there is one
 */
gboolean
attn_json_walk_next (AttnJsonWalk *walk,
                     char          bracket)
{
  if (attn_json_walk_is_at (walk, bracket))
    {
      walk->p++;
      walk->needs_comma = TRUE;
      return FALSE;
    }
  return !walk->is_broken && (!walk->needs_comma || take (walk, ','));
}

/* The scan has seen that the escape at @p is one. */
static void
append_escape (AttnJsonWalk *walk,
               GString      *string)
{
  static const char names[] = "bfnrt";
  static const char values[] = "\b\f\n\r\t";
  const char *name = strchr (names, walk->p[1]);
  gunichar character;

  if (walk->p[1] != 'u')
    {
      g_string_append_c (string, name != NULL ? values[name - names] : walk->p[1]);
      walk->p += 2;
      return;
    }
  character = attn_json_read_code_unit (walk->p, walk->end);
  walk->p += 6;
  if (character >= 0xd800 && character < 0xdc00)
    {
      character = 0x10000 + ((character - 0xd800) << 10) +
                  (attn_json_read_code_unit (walk->p, walk->end) - 0xdc00);
      walk->p += 6;
    }
  g_string_append_unichar (string, character);
}

/**
 * attn_json_walk_read_string:
 * @string: (nullable): set to the string; %NULL to pass it over
 */
gboolean
attn_json_walk_read_string (AttnJsonWalk *walk,
                            GString      *string)
{
  if (string != NULL)
    g_string_truncate (string, 0);
  if (!take (walk, '"'))
    return FALSE;
  while (*walk->p != '"')
    {
      const char *start = walk->p;

      while (*walk->p != '"' && *walk->p != '\\')
        walk->p++;
      if (string != NULL)
        g_string_append_len (string, start, walk->p - start);
      if (*walk->p == '"')
        break;
      if (string != NULL)
        append_escape (walk, string);
      else
        walk->p += 2;
    }
  walk->p++;
  walk->needs_comma = TRUE;
  return TRUE;
}

/**
 * attn_json_walk_read_name:
 * @name: (nullable): set to the name of a member; %NULL to pass it over
 *
 * Goes to the member's value.
 */
gboolean
attn_json_walk_read_name (AttnJsonWalk *walk,
                          GString      *name)
{
  return attn_json_walk_read_string (walk, name) && take (walk, ':');
}

/**
 * attn_json_walk_read_integer:
 * @value: (out): a whole number of 63 bits and a sign
 */
gboolean
attn_json_walk_read_integer (AttnJsonWalk *walk,
                             gint64       *value)
{
  const char *start = attn_json_skip_space (walk->p, walk->end);
  const char *end = attn_json_skip_number (start, walk->end);
  gint64 number = 0;

  if (walk->is_broken || end == start)
    return fail (walk);
  for (const char *p = *start == '-' ? start + 1 : start; p < end; p++)
    if (!g_ascii_isdigit (*p) || number > (G_MAXINT64 - (*p - '0')) / 10)
      return fail (walk);
    else
      number = number * 10 + (*p - '0');
  *value = *start == '-' ? -number : number;
  walk->p = end;
  walk->needs_comma = TRUE;
  return TRUE;
}

/**
 * attn_json_walk_read_number:
 * @value: (out): any number
 */
gboolean
attn_json_walk_read_number (AttnJsonWalk *walk,
                            double       *value)
{
  const char *start = attn_json_skip_space (walk->p, walk->end);
  const char *end = attn_json_skip_number (start, walk->end);

  if (walk->is_broken || end == start)
    return fail (walk);

  g_autofree char *number = g_strndup (start, end - start);
  *value = g_ascii_strtod (number, NULL);
  walk->p = end;
  walk->needs_comma = TRUE;
  return TRUE;
}

/**
 * attn_json_walk_finish:
 * @error: return location for %ATTN_ERROR_FORMAT
 *
 * Returns: whether the value was read to its end
 */
gboolean
attn_json_walk_finish (AttnJsonWalk  *walk,
                       GError       **error)
{
  walk->p = attn_json_skip_space (walk->p, walk->end);
  if (!walk->is_broken && walk->p == walk->end)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_FORMAT, "%s: %s", walk->where,
                    _("something unknown found, expected a JSON value"));
}
