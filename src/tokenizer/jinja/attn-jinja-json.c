/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The filter "tojson" as transformers defines it: writes the same as json.dumps() of Python. */

#include "config.h"

#include "attn-jinja-library.h"

#include <math.h>
#include <string.h>

/**
 * Writer:
 * @indent: (nullable): what a line begins with, once for each level; %NULL to write a single line
 */
typedef struct
{
  AttnJinjaRun *run;
  GString *text;
  gboolean is_ascii;
  gboolean is_sorted;
  const char *indent;
  const char *item_separator;
  const char *key_separator;
  gsize level;
} Writer;

static void
write_unit (Writer *writer,
            guint   unit)
{
  g_string_append_printf (writer->text, "\\u%04x", unit);
}

static void
write_string (Writer     *writer,
              const char *string)
{
  static const char letters[] = "btn fr";

  g_string_append_c (writer->text, '"');
  for (; *string != '\0' && attn_jinja_run_spend (writer->run, 1);
       string = g_utf8_next_char (string))
    {
      gunichar character = g_utf8_get_char (string);

      if (character == '"' || character == '\\')
        g_string_append_printf (writer->text, "\\%c", (char) character);
      else if (character >= '\b' && character <= '\r' && character != '\v')
        g_string_append_printf (writer->text, "\\%c", letters[character - '\b']);
      else if (character < ' ' || (writer->is_ascii && character > '~' && character < 0x10000))
        write_unit (writer, character);
      else if (writer->is_ascii && character >= 0x10000)
        {
          write_unit (writer, 0xd800 + ((character - 0x10000) >> 10));
          write_unit (writer, 0xdc00 + (character & 0x3ff));
        }
      else
        g_string_append_unichar (writer->text, character);
    }
  g_string_append_c (writer->text, '"');
}

static void
begin_line (Writer *writer)
{
  if (writer->indent == NULL)
    return;
  g_string_append_c (writer->text, '\n');
  for (gsize i = 0; i < writer->level && attn_jinja_run_spend (writer->run, 1); i++)
    g_string_append (writer->text, writer->indent);
}

static void
write_scalar (Writer         *writer,
              AttnJinjaValue  value)
{
  if (attn_jinja_is (value, ATTN_JINJA_STRING))
    write_string (writer, value.text);
  else if (attn_jinja_is (value, ATTN_JINJA_NONE))
    g_string_append (writer->text, "null");
  else if (attn_jinja_is (value, ATTN_JINJA_BOOLEAN))
    g_string_append (writer->text, value.truth ? "true" : "false");
  else if (attn_jinja_is (value, ATTN_JINJA_FLOAT) && !isfinite (value.number))
    g_string_append (writer->text, isnan (value.number) ? "NaN"
                                   : value.number > 0   ? "Infinity"
                                                        : "-Infinity");
  else if (attn_jinja_is (value, ATTN_JINJA_INTEGER) || attn_jinja_is (value, ATTN_JINJA_FLOAT))
    attn_jinja_print (writer->run, value, writer->text);
  else
    attn_jinja_fail_type (writer->run, value, "tojson");
}

/* Writes the key of a map, which becomes a string in JSON whatever its type is. */
static void
write_key (Writer         *writer,
           AttnJinjaValue  key)
{
  gboolean is_string = attn_jinja_is (key, ATTN_JINJA_STRING);

  g_string_append (writer->text, is_string ? "" : "\"");
  write_scalar (writer, key);
  g_string_append (writer->text, is_string ? "" : "\"");
}

static int
compare_items (gconstpointer a,
               gconstpointer b,
               gpointer      run)
{
  const AttnJinjaValue *items[] = { a, b };

  return attn_jinja_compare (run, items[0]->list->items[0], items[1]->list->items[0]);
}

static void
write_value (Writer         *writer,
             AttnJinjaValue  value)
{
  gboolean is_map = attn_jinja_is (value, ATTN_JINJA_MAP);
  const AttnJinjaList *items = NULL;

  if (is_map)
    {
      AttnJinjaValue pairs = attn_jinja_items (writer->run, value.map, ATTN_JINJA_FORM_LIST);

      items = pairs.list;
      if (writer->is_sorted && items->n_items > 1)
        g_qsort_with_data (items->items, (gint) items->n_items, sizeof *items->items,
                           compare_items, writer->run);
    }
  else if (attn_jinja_is (value, ATTN_JINJA_LIST) && value.list->form <= ATTN_JINJA_FORM_TUPLE)
    items = value.list;
  if (items == NULL)
    {
      write_scalar (writer, value);
      return;
    }
  g_string_append_c (writer->text, is_map ? '{' : '[');
  writer->level++;
  for (gsize i = 0; i < items->n_items && attn_jinja_run_enter (writer->run); i++)
    {
      AttnJinjaValue item = items->items[i];

      g_string_append (writer->text, i > 0 ? writer->item_separator : "");
      begin_line (writer);
      if (is_map)
        {
          write_key (writer, item.list->items[0]);
          g_string_append (writer->text, writer->key_separator);
          item = item.list->items[1];
        }
      write_value (writer, item);
      attn_jinja_run_leave (writer->run);
    }
  writer->level--;
  if (items->n_items > 0)
    begin_line (writer);
  g_string_append_c (writer->text, is_map ? '}' : ']');
}

/* Implements the filter "tojson", whose arguments are ensure_ascii, indent, separators,
 * sort_keys. */
AttnJinjaValue
attn_jinja_to_json (AttnJinjaRun              *run,
                    AttnJinjaValue             subject,
                    const AttnJinjaValue      *arguments,
                    const AttnJinjaCall *call  G_GNUC_UNUSED)
{
  AttnJinjaValue separators = arguments[2];
  Writer writer = { .run = run, .text = g_string_new (NULL), .key_separator = ": " };
  gint64 width;

  writer.is_ascii = attn_jinja_is_true (arguments[0]);
  writer.is_sorted = attn_jinja_is_true (arguments[3]);
  if (attn_jinja_is (arguments[1], ATTN_JINJA_STRING))
    writer.indent = arguments[1].text;
  else if (attn_jinja_get_integer (arguments[1], &width))
    writer.indent =
        attn_jinja_operate (run, "*", attn_jinja_string (" "), attn_jinja_integer (width)).text;
  writer.item_separator = writer.indent != NULL ? "," : ", ";
  if (attn_jinja_is (separators, ATTN_JINJA_LIST) && separators.list->n_items == 2)
    {
      writer.item_separator = attn_jinja_to_text (run, separators.list->items[0]);
      writer.key_separator = attn_jinja_to_text (run, separators.list->items[1]);
    }
  write_value (&writer, subject);
  return attn_jinja_take_text (run, writer.text);
}
