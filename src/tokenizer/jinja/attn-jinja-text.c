/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Converts values to text: as str() and repr() of Python do, and with the operator "%". */

#include "config.h"

#include "attn-jinja-value.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#define MAX_DIGITS 17

/* Tells whether a character is white space, which the filter "trim" removes, as str.isspace() of
 * Python does. */
gboolean
attn_jinja_is_space (gunichar character)
{
  return g_unichar_isspace (character) || character == 0x0b || character == 0x85 ||
         (character >= 0x1c && character <= 0x1f);
}

/* Prints a number with the fewest digits that are read back as the same number, with an exponent
 * below 1e-4 and from 1e16 on, as Python does. */
static void
print_float (double   number,
             GString *text)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE] = "";

  if (!isfinite (number))
    {
      g_string_append (text, isnan (number) ? "nan" : number > 0 ? "inf"
                                                                 : "-inf");
      return;
    }
  for (int n = 1; n <= MAX_DIGITS && (*digits == '\0' || g_ascii_strtod (digits, NULL) != number);
       n++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%de", n - 1);
      g_ascii_formatd (digits, sizeof digits, format, number);
    }
  char *mark = strchr (digits, 'e');
  gint64 exponent = g_ascii_strtoll (mark + 1, NULL, 10);
  if (exponent < -4 || exponent >= 16)
    {
      g_string_append (text, digits);
      return;
    }
  *mark = '\0';
  char *first = digits + (*digits == '-');
  if (first > digits)
    g_string_append_c (text, '-');
  gint64 n_digits = (gint64) strlen (first) - (first[1] == '.');
  if (first[1] == '.')
    memmove (first + 1, first + 2, strlen (first + 2) + 1);
  for (gint64 i = MIN (exponent, 0); i <= MAX (exponent + 1, n_digits - 1); i++)
    {
      if (i == exponent + 1)
        g_string_append_c (text, '.');
      g_string_append_c (text, i >= 0 && i < n_digits ? first[i] : '0');
    }
}

/* Prints a text in quotes, with escapes, as repr() of Python does. */
static void
print_quoted (const char *value,
              GString    *text)
{
  char quote = strchr (value, '\'') != NULL && strchr (value, '"') == NULL ? '"' : '\'';

  g_string_append_c (text, quote);
  for (; *value != '\0'; value = g_utf8_next_char (value))
    {
      gunichar character = g_utf8_get_char (value);

      if (character == '\\' || character == (guchar) quote)
        g_string_append_printf (text, "\\%c", (char) character);
      else if (character == '\n' || character == '\r' || character == '\t')
        g_string_append (text, character == '\n' ? "\\n" : character == '\r' ? "\\r"
                                                                             : "\\t");
      else if (character == ' ' || (g_unichar_isprint (character) &&
                                    !attn_jinja_is_space (character)))
        g_string_append_unichar (text, character);
      else if (character < 0x100)
        g_string_append_printf (text, "\\x%02x", character);
      else
        g_string_append_printf (text, character < 0x10000 ? "\\u%04x" : "\\U%08x", character);
    }
  g_string_append_c (text, quote);
}

static void
print_list (AttnJinjaRun        *run,
            const AttnJinjaList *list,
            GString             *text)
{
  gboolean is_tuple = list->form == ATTN_JINJA_FORM_TUPLE;

  g_string_append_c (text, is_tuple ? '(' : '[');
  for (gsize i = 0; i < list->n_items && run->error == NULL; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      attn_jinja_print_repr (run, list->items[i], text);
    }
  g_string_append (text, !is_tuple ? "]" : list->n_items == 1 ? ",)"
                                                              : ")");
}

static void
print_map (AttnJinjaRun       *run,
           const AttnJinjaMap *map,
           GString            *text)
{
  g_string_append_c (text, '{');
  for (gsize i = 0; i < map->n_items && run->error == NULL; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      attn_jinja_print_repr (run, map->keys[i], text);
      g_string_append (text, ": ");
      attn_jinja_print_repr (run, map->values[i], text);
    }
  g_string_append_c (text, '}');
}

/**
 * attn_jinja_print_repr:
 * @text: (inout): the value is appended to it as repr() of Python writes it, texts in quotes
 *
 * Ends the run with an error for a value without such a text, such as a generator.
 */
void
attn_jinja_print_repr (AttnJinjaRun   *run,
                       AttnJinjaValue  value,
                       GString        *text)
{
  gsize length = text->len;

  if (!attn_jinja_run_enter (run))
    ;
  else if (attn_jinja_is (value, ATTN_JINJA_STRING))
    print_quoted (value.text, text);
  else if (attn_jinja_is (value, ATTN_JINJA_MAP))
    print_map (run, value.map, text);
  else if (attn_jinja_is (value, ATTN_JINJA_LIST) && value.list->form <= ATTN_JINJA_FORM_TUPLE)
    print_list (run, value.list, text);
  else if (attn_jinja_is (value, ATTN_JINJA_UNDEFINED))
    g_string_append (text, "Undefined");
  else
    attn_jinja_print (run, value, text);
  attn_jinja_run_spend_bytes (run, (text->len - length));
  attn_jinja_run_leave (run);
}

/* Appends a value to @text as a template writes it, texts without quotes. */
void
attn_jinja_print (AttnJinjaRun   *run,
                  AttnJinjaValue  value,
                  GString        *text)
{
  switch (value.type)
    {
    case ATTN_JINJA_ABSENT:
    case ATTN_JINJA_UNDEFINED:
      break;
    case ATTN_JINJA_NONE:
      g_string_append (text, "None");
      break;
    case ATTN_JINJA_BOOLEAN:
      g_string_append (text, value.truth ? "True" : "False");
      break;
    case ATTN_JINJA_INTEGER:
      g_string_append_printf (text, "%" G_GINT64_FORMAT, value.integer);
      break;
    case ATTN_JINJA_FLOAT:
      print_float (value.number, text);
      break;
    case ATTN_JINJA_STRING:
      attn_jinja_run_spend_bytes (run, strlen (value.text));
      g_string_append (text, value.text);
      break;
    case ATTN_JINJA_LIST:
      if (value.list->form <= ATTN_JINJA_FORM_TUPLE)
        {
          attn_jinja_print_repr (run, value, text);
          break;
        }
      attn_jinja_fail_type (run, value, "{{ }}");
      break;
    case ATTN_JINJA_MAP:
      attn_jinja_print_repr (run, value, text);
      break;
    case ATTN_JINJA_NAMESPACE:
    case ATTN_JINJA_LOOP:
    case ATTN_JINJA_FUNCTION:
    default:
      attn_jinja_fail_type (run, value, "{{ }}");
      break;
    }
}

/* Returns a value as the text that a template writes for it. (transfer none) */
char *
attn_jinja_to_text (AttnJinjaRun   *run,
                    AttnJinjaValue  value)
{
  g_autoptr (GString) text = NULL;

  if (attn_jinja_is (value, ATTN_JINJA_STRING))
    return (char *) value.text;
  text = g_string_new (NULL);
  attn_jinja_print (run, value, text);
  return attn_jinja_run_dup (run, text->str, text->len);
}

/* Prints a number without its fraction, for "%d". */
static void
print_whole (AttnJinjaRun   *run,
             AttnJinjaValue  value,
             GString        *text)
{
  gint64 integer;

  if (attn_jinja_get_integer (value, &integer))
    g_string_append_printf (text, "%" G_GINT64_FORMAT, integer);
  else if (attn_jinja_is (value, ATTN_JINJA_FLOAT) && isfinite (value.number))
    g_string_append_printf (text, "%.0f", trunc (value.number));
  else
    attn_jinja_fail_type (run, value, "%d");
}

/**
 * attn_jinja_fill:
 * @format: a text with %s, %r, %d, %i, %%
 * @values: a tuple of the values that are put in their places, or the only one
 *
 * Widths and precisions, which no published template has, are refused.
 */
AttnJinjaValue
attn_jinja_fill (AttnJinjaRun   *run,
                 const char     *format,
                 AttnJinjaValue  values)
{
  gboolean is_tuple =
      attn_jinja_is (values, ATTN_JINJA_LIST) && values.list->form == ATTN_JINJA_FORM_TUPLE;
  const AttnJinjaValue *items = is_tuple ? values.list->items : &values;
  gsize n_items = is_tuple ? values.list->n_items : 1, n_used = 0;
  GString *text = g_string_new (NULL);

  for (; *format != '\0' && attn_jinja_run_spend (run, 1); format++)
    {
      if (*format != '%')
        g_string_append_c (text, *format);
      else if (*++format == '%')
        g_string_append_c (text, '%');
      else if (*format == '\0' || strchr ("srdi", *format) == NULL || n_used == n_items)
        {
          attn_jinja_fail (run, ATTN_ERROR_UNSUPPORTED,
                           _("%%%s found, expected %%s, %%r or %%d and a value for each"), format);
          break;
        }
      else if (*format == 's')
        attn_jinja_print (run, items[n_used++], text);
      else if (*format == 'r')
        attn_jinja_print_repr (run, items[n_used++], text);
      else
        print_whole (run, items[n_used++], text);
    }
  if (n_used < n_items && !attn_jinja_is (values, ATTN_JINJA_MAP))
    attn_jinja_fail_type (run, values, "%");
  return attn_jinja_take_text (run, text);
}
