/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-json-writer.h"

#include <math.h>

static void
append_string (GString    *text,
               const char *value)
{
  g_autofree char *valid = g_utf8_make_valid (value, -1);

  g_string_append_c (text, '"');
  for (const char *p = valid; *p != '\0'; p++)
    {
      if (*p == '"' || *p == '\\')
        g_string_append_printf (text, "\\%c", *p);
      else if (*p == '\n')
        g_string_append (text, "\\n");
      else if ((guchar) *p < 0x20 || *p == 0x7f)
        g_string_append_printf (text, "\\u%04x", (guchar) *p);
      else
        g_string_append_c (text, *p);
    }
  g_string_append_c (text, '"');
}

static void
start_line (AttnJsonWriter *writer)
{
  if (!writer->is_pretty)
    return;
  g_string_append_c (writer->text, '\n');
  for (guint i = 0; i < writer->depth; i++)
    g_string_append (writer->text, "  ");
}

/* Writes everything before a value: the comma, the line break, the indentation and the name of the
 * member. */
static void
start_value (AttnJsonWriter *writer,
             const char     *member)
{
  if (writer->needs_comma)
    g_string_append_c (writer->text, ',');
  if (writer->depth > 0)
    start_line (writer);
  if (member != NULL)
    {
      append_string (writer->text, member);
      g_string_append (writer->text, writer->is_pretty ? ": " : ":");
    }
  writer->needs_comma = TRUE;
}

static void
begin (AttnJsonWriter *writer,
       const char     *member,
       char            bracket)
{
  start_value (writer, member);
  g_string_append_c (writer->text, bracket);
  writer->depth++;
  writer->needs_comma = FALSE;
}

static void
end (AttnJsonWriter *writer,
     char            bracket)
{
  writer->depth--;
  if (writer->needs_comma)
    start_line (writer);
  g_string_append_c (writer->text, bracket);
  writer->needs_comma = TRUE;
}

/**
 * attn_json_writer_begin_object:
 * @member: (nullable): the name of the object in the object around it; %NULL for an element of an
 *   array and for the root
 *
 * Begins an object. Everything written until [func@attn_json_writer_end_object] is a member of it.
 */
void
attn_json_writer_begin_object (AttnJsonWriter *writer,
                               const char     *member)
{
  begin (writer, member, '{');
}

void
attn_json_writer_end_object (AttnJsonWriter *writer)
{
  end (writer, '}');
}

/**
 * attn_json_writer_begin_array:
 * @member: (nullable): as for [func@attn_json_writer_begin_object]
 *
 * Begins an array. Everything written until [func@attn_json_writer_end_array] is an element of it.
 */
void
attn_json_writer_begin_array (AttnJsonWriter *writer,
                              const char     *member)
{
  begin (writer, member, '[');
}

void
attn_json_writer_end_array (AttnJsonWriter *writer)
{
  end (writer, ']');
}

/**
 * attn_json_writer_add_string:
 * @value: (nullable): text, in which bytes that are not UTF-8 are replaced; if %NULL, nothing is
 *   written
 */
void
attn_json_writer_add_string (AttnJsonWriter *writer,
                             const char     *member,
                             const char     *value)
{
  if (value == NULL)
    return;
  start_value (writer, member);
  append_string (writer->text, value);
}

/**
 * attn_json_writer_add_strings:
 * @values: (array zero-terminated=1) (nullable): the strings of an array; %NULL for an empty one
 */
void
attn_json_writer_add_strings (AttnJsonWriter     *writer,
                              const char         *member,
                              const char * const *values)
{
  begin (writer, member, '[');
  for (gsize i = 0; values != NULL && values[i] != NULL; i++)
    attn_json_writer_add_string (writer, NULL, values[i]);
  end (writer, ']');
}

/**
 * attn_json_writer_add_span:
 *
 * Writes two integers, @first and @last, as an array.
 */
void
attn_json_writer_add_span (AttnJsonWriter *writer,
                           const char     *member,
                           gint64          first,
                           gint64          last)
{
  begin (writer, member, '[');
  attn_json_writer_add_integer (writer, NULL, first);
  attn_json_writer_add_integer (writer, NULL, last);
  end (writer, ']');
}

void
attn_json_writer_add_integer (AttnJsonWriter *writer,
                              const char     *member,
                              gint64          value)
{
  start_value (writer, member);
  g_string_append_printf (writer->text, "%" G_GINT64_FORMAT, value);
}

/**
 * attn_json_writer_add_number:
 *
 * Writes a number with as few digits as are needed to read back the same number. Infinities and
 * NaN, which JSON does not have, are written as null.
 */
void
attn_json_writer_add_number (AttnJsonWriter *writer,
                             const char     *member,
                             double          value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  for (int n_digits = 1; n_digits <= 17; n_digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", n_digits);
      g_ascii_formatd (buffer, sizeof buffer, format, value);
      if (g_ascii_strtod (buffer, NULL) == value)
        break;
    }
  start_value (writer, member);
  g_string_append (writer->text, isfinite (value) ? buffer : "null");
}

void
attn_json_writer_add_boolean (AttnJsonWriter *writer,
                              const char     *member,
                              gboolean        value)
{
  start_value (writer, member);
  g_string_append (writer->text, value ? "true" : "false");
}
