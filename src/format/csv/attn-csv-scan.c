/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-csv-scan.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-memory.h"
#include "attn-text.h"

/* The most bytes of a cell that is read as a number. */
#define MAX_NUMBER_BYTES 400

/**
 * attn_csv_begin:
 * @text: UTF-8 without zeros, with or without a byte order mark; it must live longer than the scan
 *
 * Returns: a scan that stands before the first cell; cells are separated by commas unless the
 *   caller sets another separator
 */
AttnCsv
attn_csv_begin (const char *text,
                gsize       length)
{
  gsize n_mark = attn_text_get_mark (text, length);

  return (AttnCsv) { .start = text + n_mark,
                     .end = text + length,
                     .next = text + n_mark,
                     .separator = ',',
                     .row = G_MAXSIZE,
                     .is_last = TRUE };
}

static gboolean
is_end_of_line (char c)
{
  return c == '\n' || c == '\r';
}

/**
 * attn_csv_next:
 *
 * Goes to the next cell of the text. Lines end in LF, CR LF or CR; empty lines are skipped.
 *
 * Returns: whether there is another cell; %FALSE also for one whose quotes are wrong, with
 *   @is_broken set
 */
gboolean
attn_csv_next (AttnCsv *csv)
{
  const char *p = csv->next;
  const char *end = csv->end;

  csv->column++;
  if (csv->is_last)
    {
      while (p < end && is_end_of_line (*p))
        p++;
      csv->line = p;
      csv->row++;
      csv->column = 0;
      if (p == end)
        return FALSE;
    }

  csv->is_quoted = p < end && *p == '"';
  p += csv->is_quoted;
  csv->text = p;
  if (csv->is_quoted)
    {
      while (p < end && (*p != '"' || (p + 1 < end && p[1] == '"')))
        p += *p == '"' ? 2 : 1;
      csv->length = p - csv->text;
      csv->is_broken = p == end || (++p < end && *p != csv->separator && !is_end_of_line (*p));
      if (csv->is_broken)
        return FALSE;
    }
  else
    {
      while (p < end && *p != csv->separator && !is_end_of_line (*p))
        p++;
      csv->length = p - csv->text;
    }
  csv->is_last = p == end || *p != csv->separator;
  csv->next = p + (p < end);
  return TRUE;
}

/**
 * attn_csv_count_lines:
 * @p: a position in the text
 *
 * Returns: the number of the line that @p is in, counted from 1. For messages only, since all text
 *   before @p is read.
 */
gsize
attn_csv_count_lines (const AttnCsv *csv,
                      const char    *p)
{
  gsize line = 1;

  while (p-- > csv->start)
    line += *p == '\n' || (*p == '\r' && p[1] != '\n');
  return line;
}

gboolean
attn_csv_is_empty (const AttnCsv *csv)
{
  return csv->length == 0 && !csv->is_quoted;
}

/**
 * attn_csv_get_number:
 * @value: (out): the cell's number, which has a decimal point in every locale; NaN for an empty
 *   cell
 *
 * Returns: whether the cell is a number; %FALSE for a label: any other text, a hexadecimal number,
 *   or one too large for a double
 */
gboolean
attn_csv_get_number (const AttnCsv *csv,
                     double        *value)
{
  const char *text = csv->text;
  gsize length = csv->length;
  char buffer[MAX_NUMBER_BYTES + 1];
  char *stop;

  for (; length > 0 && g_ascii_isspace (*text); length--)
    text++;
  while (length > 0 && g_ascii_isspace (text[length - 1]))
    length--;
  *value = NAN;
  if (length == 0 || length > MAX_NUMBER_BYTES)
    return length == 0 && !csv->is_quoted;
  memcpy (buffer, text, length);
  buffer[length] = '\0';

  *value = g_ascii_strtod (buffer, &stop);
  if (stop != buffer + length)
    return FALSE;
  /* Refuses texts such as "0x1p3" and "nan(1)", which strtod() reads as well as decimal numbers,
   * "inf" and "nan". */
  if (buffer[strspn (buffer, "0123456789.+-eE")] == '\0')
    return isfinite (*value);
  return strpbrk (buffer, "0123456789(") == NULL;
}

/**
 * attn_csv_read_float:
 * @path: the beginning of the message
 * @out: (out): the cell's number
 * @error: return location for %ATTN_ERROR_FORMAT
 */
gboolean
attn_csv_read_float (const AttnCsv  *csv,
                     const char     *path,
                     float          *out,
                     GError        **error)
{
  double value;

  if (attn_csv_get_number (csv, &value))
    {
      *out = value;
      if (!isinf (*out) || isinf (value))
        return TRUE;
    }

  g_autofree char *text = g_utf8_substring (csv->text, 0,
                                            MIN (g_utf8_strlen (csv->text, csv->length), 40));
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: line %zu, cell %zu: “%s” found, expected a number that fits float32, "
                      "with a decimal point"),
                    path, attn_csv_count_lines (csv, csv->text), csv->column + 1,
                    text);
}

/**
 * attn_csv_dup_label:
 *
 * Returns: (transfer full): the cell's text, without the quotes around it, and with each doubled
 *   quote in it made one
 */
char *
attn_csv_dup_label (const AttnCsv *csv)
{
  char *label = g_strndup (csv->text, csv->length);
  char *out = label;

  for (const char *p = label; csv->is_quoted && (*out = *p) != '\0'; out++)
    p += *p == '"' ? 2 : 1;
  return label;
}

/**
 * attn_csv_add_labels:
 * @name: the name of the labels, such as "row_labels"
 * @labels: strings, followed by %NULL
 * @error: return location for %ATTN_ERROR_MEMORY, since each element of an array of text takes as
 *   much memory as the longest
 */
gboolean
attn_csv_add_labels (AttnArrayFile  *file,
                     const char     *name,
                     GPtrArray      *labels,
                     GError        **error)
{
  const char * const *strings = (const char * const *) labels->pdata;
  g_autofree char *where = g_strdup_printf ("%s: %s", attn_array_file_get_path (file), name);
  gsize n_bytes = sizeof (guint32);

  for (gsize i = 0; strings[i] != NULL; i++)
    n_bytes = MAX (n_bytes, sizeof (guint32) * g_utf8_strlen (strings[i], -1));
  if (!g_size_checked_mul (&n_bytes, n_bytes, labels->len))
    n_bytes = G_MAXSIZE;
  return attn_memory_check (n_bytes, where, error) &&
         attn_array_file_add (file, attn_array_new_strings (name, strings), error);
}
