/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Methods of texts, with the semantics of Python, and helpers that filters use as well. */

#include "config.h"

#include "attn-jinja-library.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* -- Parts -- */

static gboolean
is_stripped (const char *characters,
             gunichar    character)
{
  return characters != NULL ? g_utf8_strchr (characters, -1, character) != NULL
                            : attn_jinja_is_space (character);
}

/* Strips characters from the ends of a text. @characters: the characters to strip; white space if
 * absent or None */
AttnJinjaValue
attn_jinja_strip (AttnJinjaRun   *run,
                  const char     *text,
                  AttnJinjaValue  characters,
                  gboolean        at_start,
                  gboolean        at_end)
{
  const char *gone = NULL, *end = text + strlen (text);

  if (attn_jinja_is (characters, ATTN_JINJA_STRING))
    gone = characters.text;
  else if (characters.type > ATTN_JINJA_NONE)
    return attn_jinja_fail_type (run, characters, "strip");
  while (at_start && text < end && is_stripped (gone, g_utf8_get_char (text)))
    text = g_utf8_next_char (text);
  while (at_end && text < end &&
         is_stripped (gone, g_utf8_get_char (g_utf8_find_prev_char (text, end))))
    end = g_utf8_find_prev_char (text, end);
  return attn_jinja_copy_text (run, text, (gsize) (end - text));
}

/* Replaces @old by @new_text within a text. @n_times: the most replacements; negative for all */
AttnJinjaValue
attn_jinja_replace (AttnJinjaRun *run,
                    const char   *text,
                    const char   *old,
                    const char   *new_text,
                    gint64        n_times)
{
  GString *replaced = g_string_new (NULL);
  gsize n_old = strlen (old), n_new = strlen (new_text);

  for (; n_times != 0 && attn_jinja_run_spend_bytes (run, n_new); n_times -= n_times > 0)
    {
      const char *found = strstr (text, old);

      if (found == NULL)
        break;
      g_string_append_len (replaced, text, found - text);
      g_string_append (replaced, new_text);
      text = found + n_old;
      if (n_old > 0)
        continue;
      /* An empty text is found before each character and at the end. */
      if (*text == '\0')
        break;
      g_string_append_unichar (replaced, g_utf8_get_char (text));
      text = g_utf8_next_char (text);
    }
  g_string_append (replaced, text);
  return attn_jinja_take_text (run, replaced);
}

typedef gunichar (*Change) (gunichar character);

/* Changes the case of each character. Characters that become several in another case, such as "ß",
 * are not handled; templates contain none. */
static AttnJinjaValue
change (AttnJinjaRun *run,
        const char   *text,
        Change        change_first,
        Change        change_rest)
{
  GString *changed = g_string_new (NULL);

  for (gboolean is_first = TRUE; *text != '\0'; text = g_utf8_next_char (text))
    {
      gunichar character = g_utf8_get_char (text);

      g_string_append_unichar (changed,
                               is_first ? change_first (character) : change_rest (character));
      is_first = FALSE;
    }
  return attn_jinja_take_text (run, changed);
}

AttnJinjaValue
attn_jinja_lower (AttnJinjaRun *run,
                  const char   *text)
{
  return change (run, text, g_unichar_tolower, g_unichar_tolower);
}

AttnJinjaValue
attn_jinja_upper (AttnJinjaRun *run,
                  const char   *text)
{
  return change (run, text, g_unichar_toupper, g_unichar_toupper);
}

AttnJinjaValue
attn_jinja_capitalize (AttnJinjaRun *run,
                       const char   *text)
{
  return change (run, text, g_unichar_totitle, g_unichar_tolower);
}

static gboolean
is_line_end (gunichar character)
{
  return (character >= '\n' && character <= '\r') || (character >= 0x1c && character <= 0x1e) ||
         character == 0x85 || character == 0x2028 || character == 0x2029;
}

/* Splits a text into lines. @with_ends: whether the lines keep their line breaks */
AttnJinjaValue
attn_jinja_split_lines (AttnJinjaRun *run,
                        const char   *text,
                        gboolean      with_ends)
{
  AttnJinjaValue lines = attn_jinja_list (run, ATTN_JINJA_FORM_LIST);

  while (*text != '\0' && run->error == NULL)
    {
      const char *end = text, *next;

      while (*end != '\0' && !is_line_end (g_utf8_get_char (end)))
        end = g_utf8_next_char (end);
      next = *end == '\0' ? end : g_utf8_next_char (end);
      next += *end == '\r' && *next == '\n';
      attn_jinja_list_add (
          run, lines.list,
          attn_jinja_copy_text (run, text, (gsize) ((with_ends ? next : end) - text)));
      text = next;
    }
  return lines;
}

/* -- Methods -- */

/* Returns the text of an argument, or NULL if it is not a text, which makes the run fail */
static const char *
want_text (AttnJinjaRun   *run,
           AttnJinjaValue  value,
           const char     *what)
{
  if (attn_jinja_is (value, ATTN_JINJA_STRING))
    return value.text;
  attn_jinja_fail_type (run, value, what);
  return NULL;
}

ATTN_JINJA_APPLY (strip)
{
  return attn_jinja_strip (run, subject.text, arguments[0], TRUE, TRUE);
}

ATTN_JINJA_APPLY (strip_start)
{
  return attn_jinja_strip (run, subject.text, arguments[0], TRUE, FALSE);
}

ATTN_JINJA_APPLY (strip_end)
{
  return attn_jinja_strip (run, subject.text, arguments[0], FALSE, TRUE);
}

ATTN_JINJA_APPLY (lower)
{
  return attn_jinja_lower (run, subject.text);
}

ATTN_JINJA_APPLY (upper)
{
  return attn_jinja_upper (run, subject.text);
}

ATTN_JINJA_APPLY (capitalize)
{
  return attn_jinja_capitalize (run, subject.text);
}

/* Puts letters of a text in title case, but in lower case behind another letter. */
ATTN_JINJA_APPLY (title)
{
  GString *text = g_string_new (NULL);
  gboolean is_inside = FALSE;

  for (const char *at = subject.text; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar character = g_utf8_get_char (at);

      g_string_append_unichar (text, is_inside ? g_unichar_tolower (character)
                                               : g_unichar_totitle (character));
      is_inside = g_unichar_isalpha (character);
    }
  return attn_jinja_take_text (run, text);
}

ATTN_JINJA_APPLY (replace)
{
  const char *old = want_text (run, arguments[0], "replace");
  const char *text = want_text (run, arguments[1], "replace");
  gint64 n_times = attn_jinja_want_integer (run, arguments[2], -1, "replace");

  return run->error == NULL ? attn_jinja_replace (run, subject.text, old, text, n_times)
                            : attn_jinja_undefined (NULL);
}

typedef gboolean (*IsThere) (const char *text,
                             const char *end);

/* Tells whether a text begins or ends with another text, or with one of a tuple of texts. */
static AttnJinjaValue
is_at_end (AttnJinjaRun         *run,
           AttnJinjaValue        subject,
           const AttnJinjaValue *arguments,
           const char           *what,
           IsThere               is_there)
{
  gboolean is_tuple = attn_jinja_is (arguments[0], ATTN_JINJA_LIST) &&
                      arguments[0].list->form == ATTN_JINJA_FORM_TUPLE;
  const AttnJinjaValue *items = is_tuple ? arguments[0].list->items : arguments;
  gsize n_items = is_tuple ? arguments[0].list->n_items : 1;

  for (gsize i = 0; i < n_items; i++)
    {
      const char *end = want_text (run, items[i], what);

      if (end != NULL && is_there (subject.text, end))
        return attn_jinja_boolean (TRUE);
    }
  return attn_jinja_boolean (FALSE);
}

ATTN_JINJA_APPLY (starts_with)
{
  return is_at_end (run, subject, arguments, "startswith", g_str_has_prefix);
}

ATTN_JINJA_APPLY (ends_with)
{
  return is_at_end (run, subject, arguments, "endswith", g_str_has_suffix);
}

ATTN_JINJA_APPLY (remove_prefix)
{
  const char *end = want_text (run, arguments[0], "removeprefix");

  return end != NULL && g_str_has_prefix (subject.text, end)
             ? attn_jinja_string (subject.text + strlen (end))
             : subject;
}

ATTN_JINJA_APPLY (remove_suffix)
{
  const char *end = want_text (run, arguments[0], "removesuffix");

  return end != NULL && g_str_has_suffix (subject.text, end)
             ? attn_jinja_copy_text (run, subject.text, strlen (subject.text) - strlen (end))
             : subject;
}

/* Returns the position of one text in another, in characters, or -1 if it does not occur. */
static gint64
find (AttnJinjaRun         *run,
      AttnJinjaValue        subject,
      const AttnJinjaValue *arguments,
      gboolean              from_end)
{
  const char *text = want_text (run, arguments[0], "find");
  const char *found = NULL;

  if (text != NULL && attn_jinja_run_spend_bytes (run, strlen (subject.text)))
    found = from_end ? g_strrstr (subject.text, text) : strstr (subject.text, text);
  return found != NULL ? g_utf8_pointer_to_offset (subject.text, found) : -1;
}

ATTN_JINJA_APPLY (find_first)
{
  return attn_jinja_integer (find (run, subject, arguments, FALSE));
}

ATTN_JINJA_APPLY (find_last)
{
  return attn_jinja_integer (find (run, subject, arguments, TRUE));
}

ATTN_JINJA_APPLY (find_index)
{
  gint64 index = find (run, subject, arguments, FALSE);

  return index >= 0 ? attn_jinja_integer (index) : attn_jinja_fail_type (run, subject, "index");
}

ATTN_JINJA_APPLY (count_text)
{
  const char *text = want_text (run, arguments[0], "count");
  gint64 n = 0;

  if (text == NULL || *text == '\0')
    return attn_jinja_integer (g_utf8_strlen (subject.text, -1) + 1);
  for (const char *at = strstr (subject.text, text); at != NULL && attn_jinja_run_spend (run, 1);
       at = strstr (at + strlen (text), text))
    n++;
  return attn_jinja_integer (n);
}

ATTN_JINJA_APPLY (join)
{
  const AttnJinjaList *items = attn_jinja_walk (run, arguments[0]);
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < items->n_items && attn_jinja_run_spend_bytes (run, strlen (subject.text));
       i++)
    {
      const char *item = want_text (run, items->items[i], "join");

      g_string_append (text, i > 0 ? subject.text : "");
      g_string_append (text, item != NULL ? item : "");
    }
  return attn_jinja_take_text (run, text);
}

/* Splits a text at white space. No part is empty. */
static AttnJinjaValue
split_words (AttnJinjaRun *run,
             const char   *text,
             gint64        n_splits)
{
  AttnJinjaValue words = attn_jinja_list (run, ATTN_JINJA_FORM_LIST);

  for (; run->error == NULL; n_splits -= n_splits > 0)
    {
      const char *end;

      while (attn_jinja_is_space (g_utf8_get_char (text)))
        text = g_utf8_next_char (text);
      if (*text == '\0')
        break;
      if (n_splits == 0)
        {
          attn_jinja_list_add (run, words.list, attn_jinja_string (text));
          break;
        }
      for (end = text; *end != '\0' && !attn_jinja_is_space (g_utf8_get_char (end));)
        end = g_utf8_next_char (end);
      attn_jinja_list_add (run, words.list,
                           attn_jinja_copy_text (run, text, (gsize) (end - text)));
      text = end;
    }
  return words;
}

ATTN_JINJA_APPLY (split)
{
  gint64 n_splits = attn_jinja_want_integer (run, arguments[1], -1, "split");
  AttnJinjaValue pieces = attn_jinja_list (run, ATTN_JINJA_FORM_LIST);
  const char *text = subject.text, *separator, *found;

  if (attn_jinja_is_absent (arguments[0]))
    return split_words (run, text, n_splits);
  separator = want_text (run, arguments[0], "split");
  if (separator == NULL || *separator == '\0')
    return attn_jinja_fail_type (run, arguments[0], "split");
  for (; n_splits != 0 && run->error == NULL && (found = strstr (text, separator)) != NULL;
       n_splits -= n_splits > 0)
    {
      attn_jinja_list_add (run, pieces.list,
                           attn_jinja_copy_text (run, text, (gsize) (found - text)));
      text = found + strlen (separator);
    }
  attn_jinja_list_add (run, pieces.list, attn_jinja_string (text));
  return pieces;
}

/* Splits a text from its end. The result differs from split() only if the number of splits is
 * limited. */
ATTN_JINJA_APPLY (split_from_end)
{
  gint64 n_splits = attn_jinja_want_integer (run, arguments[1], -1, "rsplit");
  AttnJinjaValue backwards = attn_jinja_list (run, ATTN_JINJA_FORM_LIST);
  AttnJinjaValue pieces = attn_jinja_list (run, ATTN_JINJA_FORM_LIST);
  const char *separator, *end = subject.text + strlen (subject.text), *found;

  if (n_splits < 0)
    return split (run, subject, arguments, call);
  if (attn_jinja_is_absent (arguments[0]))
    return attn_jinja_fail_type (run, arguments[0], "rsplit");
  separator = want_text (run, arguments[0], "rsplit");
  if (separator == NULL || *separator == '\0')
    return attn_jinja_fail_type (run, arguments[0], "rsplit");
  for (; n_splits > 0 && attn_jinja_run_spend_bytes (run, (gsize) (end - subject.text)) &&
         (found = g_strrstr_len (subject.text, end - subject.text, separator)) != NULL;
       n_splits--)
    {
      const char *piece = found + strlen (separator);

      attn_jinja_list_add (run, backwards.list,
                           attn_jinja_copy_text (run, piece, (gsize) (end - piece)));
      end = found;
    }
  attn_jinja_list_add (run, pieces.list,
                       attn_jinja_copy_text (run, subject.text, (gsize) (end - subject.text)));
  for (gsize i = backwards.list->n_items; i > 0; i--)
    attn_jinja_list_add (run, pieces.list, backwards.list->items[i - 1]);
  return pieces;
}

/* Splits a text into three: the part before a separator, the separator, and the part after it. */
static AttnJinjaValue
part (AttnJinjaRun   *run,
      AttnJinjaValue  subject,
      AttnJinjaValue  separator,
      gboolean        from_end)
{
  const char *text = want_text (run, separator, "partition");
  const char *found = NULL;
  AttnJinjaValue empty = attn_jinja_string (""), pieces;

  if (text == NULL || *text == '\0')
    return attn_jinja_fail_type (run, separator, "partition");
  found = from_end ? g_strrstr (subject.text, text) : strstr (subject.text, text);
  pieces = attn_jinja_pair (
      run,
      found != NULL ? attn_jinja_copy_text (run, subject.text, (gsize) (found - subject.text))
      : from_end    ? empty
                    : subject,
      found != NULL ? separator : empty);
  attn_jinja_list_add (run, pieces.list,
                       found != NULL ? attn_jinja_string (found + strlen (text))
                       : from_end    ? subject
                                     : empty);
  return pieces;
}

ATTN_JINJA_APPLY (partition)
{
  return part (run, subject, arguments[0], FALSE);
}

ATTN_JINJA_APPLY (partition_from_end)
{
  return part (run, subject, arguments[0], TRUE);
}

ATTN_JINJA_APPLY (split_lines)
{
  return attn_jinja_split_lines (run, subject.text, attn_jinja_is_true (arguments[0]));
}

/* Tells whether a text is not empty and @is_right is true for all of its characters. */
static AttnJinjaValue
is_all (const char *text, gboolean (*is_right) (gunichar character))
{
  gboolean is = *text != '\0';

  for (; *text != '\0'; text = g_utf8_next_char (text))
    is &= is_right (g_utf8_get_char (text));
  return attn_jinja_boolean (is);
}

ATTN_JINJA_APPLY (is_digits)
{
  return is_all (subject.text, g_unichar_isdigit);
}

ATTN_JINJA_APPLY (is_letters)
{
  return is_all (subject.text, g_unichar_isalpha);
}

ATTN_JINJA_APPLY (is_alphanumeric)
{
  return is_all (subject.text, g_unichar_isalnum);
}

ATTN_JINJA_APPLY (is_spaces)
{
  return is_all (subject.text, attn_jinja_is_space);
}

/* Tells whether a text has letters with a case, and @is_right is true for all such letters. */
static AttnJinjaValue
is_case (const char *text, gboolean (*is_right) (gunichar character))
{
  gboolean has_letter = FALSE;

  for (; *text != '\0'; text = g_utf8_next_char (text))
    {
      gunichar character = g_utf8_get_char (text);
      gboolean has_case = g_unichar_isupper (character) || g_unichar_islower (character);

      if (has_case && !is_right (character))
        return attn_jinja_boolean (FALSE);
      has_letter |= has_case;
    }
  return attn_jinja_boolean (has_letter);
}

ATTN_JINJA_APPLY (is_lower)
{
  return is_case (subject.text, g_unichar_islower);
}

ATTN_JINJA_APPLY (is_upper)
{
  return is_case (subject.text, g_unichar_isupper);
}

/* Pads a text with a fill character to a width. */
static AttnJinjaValue
pad (AttnJinjaRun         *run,
     AttnJinjaValue        subject,
     const AttnJinjaValue *arguments,
     gboolean              at_start)
{
  gint64 width = attn_jinja_want_integer (run, arguments[0], 0, "ljust");
  gboolean is_usual = attn_jinja_is_absent (arguments[1]);
  const char *fill = is_usual ? " " : want_text (run, arguments[1], "ljust");
  gint64 n = width - g_utf8_strlen (subject.text, -1);
  GString *text = g_string_new (at_start ? NULL : subject.text);

  for (; fill != NULL && n > 0 && attn_jinja_run_spend (run, 1); n--)
    g_string_append (text, fill);
  g_string_append (text, at_start ? subject.text : "");
  return attn_jinja_take_text (run, text);
}

ATTN_JINJA_APPLY (pad_end)
{
  return pad (run, subject, arguments, FALSE);
}

ATTN_JINJA_APPLY (pad_start)
{
  return pad (run, subject, arguments, TRUE);
}

/* Implements the method format() of a text: inserts values for {}, {0} and {name}. Other forms of
 * fields are refused. */
ATTN_JINJA_APPLY (fill_braces)
{
  GString *text = g_string_new (NULL);
  gsize n_used = 0;

  for (const char *at = subject.text; *at != '\0' && attn_jinja_run_spend (run, 1); at++)
    {
      gsize length = *at == '{' ? strcspn (at + 1, "}") : 0;
      g_autofree char *name = g_strndup (at + 1, MIN (length, strlen (at) - 1));
      AttnJinjaValue value = { .type = ATTN_JINJA_ABSENT };
      guint64 index = n_used;

      if ((*at == '{' || *at == '}') && at[1] == *at)
        g_string_append_c (text, *at++);
      else if (*at != '{')
        g_string_append_c (text, *at);
      else
        {
          if (*name == '\0' || g_ascii_string_to_unsigned (name, 10, 0, G_MAXUINT, &index, NULL))
            {
              n_used += *name == '\0';
              if (index < call->values->n_items)
                value = call->values->items[index];
            }
          else
            attn_jinja_map_get (run, call->named, attn_jinja_string (name), &value);
          if (at[1 + length] != '}' || value.type == ATTN_JINJA_ABSENT)
            {
              attn_jinja_fail (run, ATTN_ERROR_UNSUPPORTED,
                               _("“%s” found, expected {}, {0} or {name} and a value for each"),
                               at);
              break;
            }
          attn_jinja_print (run, value, text);
          at += 1 + length;
        }
    }
  return attn_jinja_take_text (run, text);
}

static const AttnJinjaRow text_methods[] = {
  { "strip", strip, 0, { "chars" } },
  { "lstrip", strip_start, 0, { "chars" } },
  { "rstrip", strip_end, 0, { "chars" } },
  { "lower", lower, 0, { NULL } },
  { "casefold", lower, 0, { NULL } },
  { "upper", upper, 0, { NULL } },
  { "capitalize", capitalize, 0, { NULL } },
  { "title", title, 0, { NULL } },
  { "replace", replace, 2, { "old", "new", "count" } },
  { "startswith", starts_with, 1, { "prefix" } },
  { "endswith", ends_with, 1, { "suffix" } },
  { "removeprefix", remove_prefix, 1, { "prefix" } },
  { "removesuffix", remove_suffix, 1, { "suffix" } },
  { "find", find_first, 1, { "sub" } },
  { "rfind", find_last, 1, { "sub" } },
  { "index", find_index, 1, { "sub" } },
  { "count", count_text, 1, { "sub" } },
  { "join", join, 1, { "iterable" } },
  { "split", split, 0, { "sep", "maxsplit" } },
  { "rsplit", split_from_end, 0, { "sep", "maxsplit" } },
  { "partition", partition, 1, { "sep" } },
  { "rpartition", partition_from_end, 1, { "sep" } },
  { "splitlines", split_lines, 0, { "keepends" } },
  { "isdigit", is_digits, 0, { NULL } },
  { "isalpha", is_letters, 0, { NULL } },
  { "isalnum", is_alphanumeric, 0, { NULL } },
  { "isspace", is_spaces, 0, { NULL } },
  { "islower", is_lower, 0, { NULL } },
  { "isupper", is_upper, 0, { NULL } },
  { "ljust", pad_end, 1, { "width", "fillchar" } },
  { "rjust", pad_start, 1, { "width", "fillchar" } },
  { "format", fill_braces, 0, { "*" } },
};

/* Returns the row of the table of methods with the given name, or NULL */
const AttnJinjaRow *
attn_jinja_find_string_method (const char *name)
{
  return attn_jinja_find_row (text_methods, G_N_ELEMENTS (text_methods), name);
}
