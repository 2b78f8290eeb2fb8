/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Splits a template into lexical tokens, here called marks, and strips white space around tags as
 * Jinja does. */

#include "config.h"

#include "attn-jinja-syntax.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define MAX_BRACKETS 100

/**
 * Scanner:
 * @is_line_start: whether a line begins at @at, as far as that can be told from what was read last
 */
typedef struct
{
  AttnJinjaRun *run;
  GArray *marks;
  const char *at;
  gboolean is_line_start;
  char brackets[MAX_BRACKETS];
  gsize n_brackets;
} Scanner;

static void
add (Scanner           *scanner,
     AttnJinjaMarkType  type,
     const char        *text,
     gsize              n_bytes)
{
  AttnJinjaMark mark = { type, attn_jinja_run_dup (scanner->run, text, n_bytes),
                         scanner->run->line };

  g_array_append_val (scanner->marks, mark);
}

/* Advances the scanner to @to and counts the lines in between. */
static void
advance (Scanner    *scanner,
         const char *to)
{
  scanner->is_line_start = to > scanner->at && to[-1] == '\n';
  for (; scanner->at < to; scanner->at++)
    scanner->run->line += *scanner->at == '\n';
}

static const char *
skip_spaces (const char *at)
{
  while (attn_jinja_is_space (g_utf8_get_char (at)))
    at = g_utf8_next_char (at);
  return at;
}

/* Adds the text before a tag. With a "-" in the tag, all white space at the end of the text is
 * stripped; before a block or a comment, white space that is alone on its line is stripped too,
 * unless the tag has a "+". */
static void
add_data (Scanner    *scanner,
          const char *end,
          char        sign,
          gboolean    is_variable)
{
  const char *start = scanner->at, *last = end;

  if (sign == '-')
    while (last > start &&
           attn_jinja_is_space (g_utf8_get_char (g_utf8_find_prev_char (start, last))))
      last = g_utf8_find_prev_char (start, last);
  else if (sign != '+' && !is_variable)
    {
      const char *line = g_strrstr_len (start, end - start, "\n");

      line = line != NULL ? line + 1 : start;
      if ((line > start || scanner->is_line_start) && skip_spaces (line) >= end)
        last = line;
    }
  if (last > start)
    add (scanner, ATTN_JINJA_MARK_DATA, start, (gsize) (last - start));
  advance (scanner, end);
}

/* Returns the position after the end of a tag at @at, and after the white space that the tag
 * strips; NULL if no tag ends at @at. */
static const char *
find_end (const char *at,
          const char *end)
{
  gboolean is_variable = *end == '}';
  char sign = *at == '-' || (*at == '+' && !is_variable) ? *at : '\0';

  if (!g_str_has_prefix (at + (sign != '\0'), end))
    return NULL;
  at += (sign != '\0') + strlen (end);
  if (sign == '-')
    return skip_spaces (at);
  return at + (sign == '\0' && !is_variable && *at == '\n');
}

static gboolean
fail (Scanner    *scanner,
      const char *found,
      const char *expected)
{
  attn_jinja_fail (scanner->run, ATTN_ERROR_FORMAT, _("“%s” found, expected “%s”"), found,
                   expected);
  return FALSE;
}

static gboolean
fail_end (Scanner    *scanner,
          const char *expected)
{
  attn_jinja_fail (scanner->run, ATTN_ERROR_FORMAT,
                   _("the end of the template found, expected “%s”"), expected);
  return FALSE;
}

static gboolean
scan_comment (Scanner *scanner)
{
  for (const char *at = scanner->at; *at != '\0'; at++)
    {
      const char *end = find_end (at, "#}");

      if (end != NULL)
        {
          advance (scanner, end);
          return TRUE;
        }
    }
  return fail_end (scanner, "#}");
}

/* Returns the position after a word and the white space around it, or NULL if @word is not at
 * @at. */
static const char *
find_word (const char *at,
           const char *word)
{
  at = skip_spaces (at);
  return g_str_has_prefix (at, word) ? skip_spaces (at + strlen (word)) : NULL;
}

/* Adds the text between {% raw %} and {% endraw %} unchanged. @at: the end of the first of these
 * tags */
static gboolean
scan_raw (Scanner    *scanner,
          const char *at)
{
  advance (scanner, at);
  for (const char *tag = strstr (at, "{%"); tag != NULL; tag = strstr (tag + 1, "{%"))
    {
      char sign = tag[2] == '-' || tag[2] == '+' ? tag[2] : '\0';
      const char *word = find_word (tag + 2 + (sign != '\0'), "endraw");
      const char *end = word != NULL ? find_end (word, "%}") : NULL;

      if (end == NULL)
        continue;
      add_data (scanner, tag, sign, FALSE);
      advance (scanner, end);
      return TRUE;
    }
  return fail_end (scanner, "{% endraw %}");
}

static gboolean
scan_escape (Scanner     *scanner,
             const char **at,
             GString     *text)
{
  static const char letters[] = "abfnrtv\\'\"";
  static const char characters[] = "\a\b\f\n\r\t\v\\'\"";
  char letter = *(*at)++;
  const char *known = letter != '\0' ? strchr (letters, letter) : NULL;
  gsize n_digits = letter == 'x' ? 2 : letter == 'u' ? 4
                                   : letter == 'U'   ? 8
                                                     : 0;
  gunichar character = 0;

  if (letter == '\n')
    return TRUE;
  if (known != NULL)
    {
      g_string_append_c (text, characters[known - letters]);
      return TRUE;
    }
  if (n_digits == 0 && !(letter >= '0' && letter <= '7') && letter != 'N')
    {
      g_string_append_c (text, '\\');
      --*at;
      return TRUE;
    }
  if (n_digits > 0)
    for (; n_digits > 0 && g_ascii_isxdigit (**at); n_digits--)
      character = character << 4 | (gunichar) g_ascii_xdigit_value (*(*at)++);
  else
    for (--*at; n_digits < 3 && **at >= '0' && **at <= '7'; n_digits++)
      character = character << 3 | (gunichar) g_ascii_xdigit_value (*(*at)++);
  if (letter == 'N' || (letter > '7' && n_digits > 0) || character == 0 ||
      !g_unichar_validate (character))
    {
      const char found[] = { '\\', letter, '\0' };

      return fail (scanner, found, "\\u….");
    }
  g_string_append_unichar (text, character);
  return TRUE;
}

static gboolean
scan_string (Scanner *scanner)
{
  char quote = *scanner->at;
  const char *at = scanner->at + 1;
  g_autoptr (GString) text = g_string_new (NULL);

  while (*at != quote)
    if (*at == '\0')
      return fail_end (scanner, quote == '"' ? "\"" : "'");
    else if (*at != '\\')
      g_string_append_c (text, *at++);
    else if (at[1] == '\0')
      return fail_end (scanner, quote == '"' ? "\"" : "'");
    else if (at++, !scan_escape (scanner, &at, text))
      return FALSE;
  add (scanner, ATTN_JINJA_MARK_STRING, text->str, text->len);
  advance (scanner, at + 1);
  return TRUE;
}

/* Skips digits of a number, which may be separated by single underscores. */
static const char *
skip_digits (const char *at,
             gboolean    is_hexadecimal)
{
  while (is_hexadecimal ? g_ascii_isxdigit (*at) : g_ascii_isdigit (*at))
    at += at[1] == '_' && (is_hexadecimal ? g_ascii_isxdigit (at[2]) : g_ascii_isdigit (at[2])) ? 2
                                                                                                : 1;
  return at;
}

static void
scan_number (Scanner *scanner)
{
  const char *start = scanner->at, *at = skip_digits (start, FALSE), *mantissa;
  char letter = g_ascii_tolower (start[1]);
  gboolean is_float = FALSE;

  if (start[0] == '0' && letter != '\0' && strchr ("xob", letter) != NULL &&
      g_ascii_isxdigit (start[2]))
    at = skip_digits (start + 2, TRUE);
  else if (start[-1] != '.') /* "a.0.1" has two indices */
    {
      if (*at == '.' && g_ascii_isdigit (at[1]))
        {
          at = skip_digits (at + 1, FALSE);
          is_float = TRUE;
        }
      mantissa = at;
      if (g_ascii_tolower (*at) == 'e')
        at += at[1] == '+' || at[1] == '-' ? 2 : 1;
      if (at > mantissa && g_ascii_isdigit (*at))
        {
          at = skip_digits (at, FALSE);
          is_float = TRUE;
        }
      else
        at = mantissa;
    }
  g_autofree char *digits = g_strndup (start, (gsize) (at - start));
  g_auto (GStrv) parts = g_strsplit (digits, "_", -1);
  g_autofree char *joined = g_strjoinv ("", parts);
  add (scanner, is_float ? ATTN_JINJA_MARK_FLOAT : ATTN_JINJA_MARK_INTEGER, joined,
       strlen (joined));
  advance (scanner, at);
}

static gboolean
is_name (gunichar character)
{
  return character == '_' || g_unichar_isalnum (character);
}

static gboolean
scan_operator (Scanner *scanner)
{
  static const char * const operators[] = { "**", "//", "==", "!=", ">=", "<=", "+", "-", "*",
                                            "/", "%", "~", "[", "]", "(", ")", "{", "}",
                                            ">", "<", "=", ".", ":", "|", ",", ";" };
  static const char closing[] = ")]}", opening[] = "([{";

  for (gsize i = 0; i < G_N_ELEMENTS (operators); i++)
    {
      const char *at = operators[i], *close;

      if (!g_str_has_prefix (scanner->at, at))
        continue;
      if (strchr (opening, *at) != NULL)
        {
          if (scanner->n_brackets == MAX_BRACKETS)
            return fail (scanner, at, ")");
          scanner->brackets[scanner->n_brackets++] = closing[strchr (opening, *at) - opening];
        }
      else if ((close = strchr (closing, *at)) != NULL)
        {
          const char expected[] = {
            scanner->n_brackets > 0 ? scanner->brackets[scanner->n_brackets - 1] : '\0', '\0'
          };

          if (*expected != *close)
            return fail (scanner, at, expected);
          scanner->n_brackets--;
        }
      add (scanner, ATTN_JINJA_MARK_OPERATOR, at, strlen (at));
      advance (scanner, scanner->at + strlen (at));
      return TRUE;
    }
  const char *next = g_utf8_next_char (scanner->at);
  g_autofree char *found = g_strndup (scanner->at, (gsize) (next - scanner->at));
  return fail (scanner, found, "%}");
}

/* Scans a tag of a template up to its end. Within an open bracket the end of a tag is not
 * recognized. */
static gboolean
scan_tag (Scanner           *scanner,
          const char        *end,
          AttnJinjaMarkType  end_type)
{
  scanner->n_brackets = 0;
  while (*scanner->at != '\0' && attn_jinja_run_spend (scanner->run, 1))
    {
      gunichar character = g_utf8_get_char (scanner->at);
      const char *behind = scanner->n_brackets == 0 ? find_end (scanner->at, end) : NULL;

      if (behind != NULL)
        {
          add (scanner, end_type, end, strlen (end));
          advance (scanner, behind);
          return TRUE;
        }
      if (attn_jinja_is_space (character))
        advance (scanner, skip_spaces (scanner->at));
      else if (character == '"' || character == '\'')
        {
          if (!scan_string (scanner))
            return FALSE;
        }
      else if (g_ascii_isdigit (*scanner->at))
        scan_number (scanner);
      else if (is_name (character))
        {
          const char *at = scanner->at;

          while (is_name (g_utf8_get_char (at)))
            at = g_utf8_next_char (at);
          add (scanner, ATTN_JINJA_MARK_NAME, scanner->at, (gsize) (at - scanner->at));
          advance (scanner, at);
        }
      else if (!scan_operator (scanner))
        return FALSE;
    }
  return fail_end (scanner, end);
}

static gboolean
scan_next (Scanner *scanner)
{
  const char *tag = scanner->at;

  while (*tag != '\0' && !(*tag == '{' && tag[1] != '\0' && strchr ("{%#", tag[1]) != NULL))
    tag++;
  char sign = *tag != '\0' && (tag[2] == '-' || tag[2] == '+') ? tag[2] : '\0';
  add_data (scanner, tag, *tag != '\0' ? sign : '+', tag[0] != '\0' && tag[1] == '{');
  if (*tag == '\0')
    return TRUE;

  const char *inside = tag + 2 + (sign != '\0');
  const char *word = tag[1] == '%' ? find_word (inside, "raw") : NULL;
  if (word != NULL && (g_str_has_prefix (word, "%}") || g_str_has_prefix (word, "-%}")))
    return scan_raw (scanner, *word == '-' ? skip_spaces (word + 3) : word + 2);
  if (tag[1] != '#')
    add (scanner,
         tag[1] == '{' ? ATTN_JINJA_MARK_VARIABLE_BEGIN : ATTN_JINJA_MARK_BLOCK_BEGIN, tag, 2);
  advance (scanner, inside);
  return tag[1] == '#'   ? scan_comment (scanner)
         : tag[1] == '{' ? scan_tag (scanner, "}}", ATTN_JINJA_MARK_VARIABLE_END)
                         : scan_tag (scanner, "%}", ATTN_JINJA_MARK_BLOCK_END);
}

/**
 * attn_jinja_scan:
 * @source: a template in UTF-8
 *
 * Returns: (transfer full) (element-type AttnJinjaMark): the marks of the template, the last one
 *   %ATTN_JINJA_MARK_END; if the run failed, the marks up to the place of the failure
 */
GArray *
attn_jinja_scan (AttnJinjaRun *run,
                 const char   *source)
{
  g_autoptr (GString) text = g_string_new (source);
  Scanner scanner = { .run = run, .is_line_start = TRUE };

  g_string_replace (text, "\r\n", "\n", 0);
  g_string_replace (text, "\r", "\n", 0);
  if (text->len > 0 && text->str[text->len - 1] == '\n')
    g_string_truncate (text, text->len - 1);
  scanner.marks = g_array_new (FALSE, FALSE, sizeof (AttnJinjaMark));
  scanner.at = text->str;
  run->line = 1;
  while (*scanner.at != '\0' && scan_next (&scanner))
    ;
  add (&scanner, ATTN_JINJA_MARK_END, "", 0);
  return scanner.marks;
}
