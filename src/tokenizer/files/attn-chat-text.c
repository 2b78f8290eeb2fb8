/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-chat-text.h"

#include <string.h>

static const char *
skip_space (const char *at)
{
  return at + strspn (at, " \t\n");
}

/* Behind the string that begins at @at, or NULL. A backslash at the end of a line takes the newline
 * with it. */
static const char *
add_string (const char *at,
            GString    *out)
{
  static const struct
  {
    char code;
    char character;
  } codes[] = {
    { 'n', '\n' }, { 't', '\t' }, { '\\', '\\' }, { '\'', '\'' }, { '"', '"' }, { '\n', '\0' }
  };
  char quote = *at++;

  for (; *at != quote; at++)
    {
      gsize code = 0;

      if (*at == '\0')
        return NULL;
      if (*at != '\\')
        {
          g_string_append_c (out, *at);
          continue;
        }
      for (at++; code < G_N_ELEMENTS (codes) && codes[code].code != *at;)
        code++;
      if (code == G_N_ELEMENTS (codes))
        return NULL;
      if (codes[code].character != '\0')
        g_string_append_c (out, codes[code].character);
    }
  return at + 1;
}

/**
 * attn_chat_add_literal:
 * @at: of a template: strings in quotes, and the variable "today", joined by + or ~
 * @today: (nullable): what that stands for
 * @out: where the text goes
 *
 * Returns: whether there is nothing else up to the end of the expression
 */
gboolean
attn_chat_add_literal (const char *at,
                       const char *today,
                       GString    *out)
{
  for (at = skip_space (at);; at = skip_space (at + 1))
    {
      if (*at == '"' || *at == '\'')
        at = add_string (at, out);
      else if (today != NULL && g_str_has_prefix (at, "today"))
        {
          g_string_append (out, today);
          at += strlen ("today");
        }
      else
        return FALSE;
      if (at == NULL)
        return FALSE;
      at = skip_space (at);
      if (*at != '+' && *at != '~')
        break;
    }
  at += *at == '-';
  return g_str_has_prefix (at, "%}") || g_str_has_prefix (at, "}}");
}

/* Whether the tag is an if that does not hold where there is nothing but a message of the user. */
static gboolean
is_refused (const char *tag)
{
  static const char * const conditions[] = { "tools or documents", "developer_preamble" };

  tag = skip_space (tag + strlen ("{%") + (tag[2] == '-'));
  if (!g_str_has_prefix (tag, "if "))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (conditions); i++)
    if (g_str_has_prefix (tag + strlen ("if "), conditions[i]) &&
        g_str_has_prefix (skip_space (tag + strlen ("if ") + strlen (conditions[i])), "%}"))
      return TRUE;
  return FALSE;
}

/* Behind the tag that ends what @tag begins, or NULL. */
static const char *
find_end (const char *tag)
{
  for (guint depth = 0; tag != NULL; tag = strstr (tag + 1, "{%"))
    {
      const char *word = skip_space (tag + strlen ("{%") + (tag[2] == '-'));

      depth += g_str_has_prefix (word, "if ") || g_str_has_prefix (word, "for ");
      depth -= g_str_has_prefix (word, "endif") || g_str_has_prefix (word, "endfor");
      if (depth == 0)
        {
          tag = strstr (tag, "%}");
          return tag != NULL ? tag + strlen ("%}") : NULL;
        }
    }
  return NULL;
}

/**
 * attn_chat_add_plain:
 * @at: of a template: plain text with parts that depend on tools, documents and messages of the
 *   system, none of which there are
 * @end: what it is written up to, outside of these parts
 * @out: where the text goes, with space around tags as transformers has it rendered
 *
 * Returns: whether there is nothing else up to @end
 */
gboolean
attn_chat_add_plain (const char *at,
                     const char *end,
                     GString    *out)
{
  while (!g_str_has_prefix (at, end))
    {
      if (*at == '\0' || g_str_has_prefix (at, "{{") || g_str_has_prefix (at, "{#") ||
          (g_str_has_prefix (at, "{%") && !is_refused (at)))
        return FALSE;
      if (!g_str_has_prefix (at, "{%"))
        {
          g_string_append_c (out, *at++);
          continue;
        }
      const char *space = at[2] == '-' ? " \t\n" : " \t";
      gsize length = out->len;
      while (length > 0 && strchr (space, out->str[length - 1]) != NULL)
        length--;
      /* Spaces in front of a tag go only where they begin the line. */
      if (at[2] == '-' || length == 0 || out->str[length - 1] == '\n')
        g_string_truncate (out, length);
      at = find_end (at);
      if (at == NULL)
        return FALSE;
      if (at[-3] == '-')
        at = skip_space (at);
      else if (*at == '\n')
        at++;
    }
  return TRUE;
}
