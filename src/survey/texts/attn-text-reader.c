/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-text-reader.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-csv-scan.h"
#include "attn-error.h"
#include "attn-fasta.h"
#include "attn-json.h"
#include "attn-text.h"

/* Name of the object member or table column with the target, the text that a decoder is to
 * generate. */
#define TARGET "target"

/**
 * AttnTextReader:
 * @content: bytes of the file, mapped or in memory
 * @next: end of what was read, except in tables
 * @read: reads the next text of the kind of file; *text is %NULL if it is not wanted
 * @number: number of the text that is being read, for messages
 * @fasta: reads a file of sequences
 * @csv: reads a table; it is at the cell that was read last
 * @csv_column: number of the column that holds the texts
 * @target_column: number of the column that is called “target”; %G_MAXSIZE if there is none
 * @target: (nullable): target of the text that was read last
 */
struct _AttnTextReader
{
  GBytes *content;
  AttnTextForm form;
  const char *next;
  const char *end;
  gboolean (*read) (AttnTextReader *reader,
                    gboolean is_wanted,
                    char **text,
                    GError **error);
  guint64 number;
  AttnFasta fasta;
  AttnCsv csv;
  gsize csv_column;
  gsize target_column;
  char *target;
};

/* Reads the next line of the file. *line does not include the line break. */
static gboolean
next_line (AttnTextReader  *reader,
           const char     **line,
           gsize           *length)
{
  if (reader->next == reader->end)
    return FALSE;

  const char *newline = memchr (reader->next, '\n', (gsize) (reader->end - reader->next));
  const char *end = newline != NULL ? newline : reader->end;

  *line = reader->next;
  *length = (gsize) (end - reader->next);
  if (*length > 0 && (*line)[*length - 1] == '\r')
    (*length)--;
  reader->next = newline != NULL ? newline + 1 : reader->end;
  return TRUE;
}

static char *
name_text (const AttnTextReader *reader)
{
  return g_strdup_printf (_("%s: text %zu"), reader->form.where, reader->number);
}

static gboolean
take_text (const AttnTextReader  *reader,
           const char            *text,
           gsize                  length,
           char                 **taken,
           GError               **error)
{
  g_autofree char *where = name_text (reader);

  if (!attn_text_check_utf8 (where, text, length, error))
    return FALSE;
  *taken = g_strndup (text, length);
  return TRUE;
}

static gboolean
read_line (AttnTextReader  *reader,
           gboolean         is_wanted,
           char           **text,
           GError         **error)
{
  const char *line;
  gsize length;

  return next_line (reader, &line, &length) &&
         (!is_wanted || take_text (reader, line, length, text, error));
}

static gboolean
read_object (AttnTextReader  *reader,
             gboolean         is_wanted,
             char           **text,
             GError         **error)
{
  const char *field = reader->form.field != NULL ? reader->form.field : "text";
  const char *line;
  gsize length;

  if (!next_line (reader, &line, &length))
    return FALSE;
  /* An empty line counts as a text without tokens, as it does in plain text. */
  if (!is_wanted || length == 0)
    {
      *text = is_wanted ? g_strdup ("") : NULL;
      return TRUE;
    }

  g_autofree char *where = name_text (reader);
  g_autoptr (JsonNode) node = attn_json_parse (where, line, (gssize) length, error);
  if (node == NULL)
    return FALSE;
  AttnJsonReader json = attn_json_begin (node, where);
  *text = g_strdup (attn_json_read_string (&json, field, NULL));
  if (reader->form.has_target)
    reader->target = g_strdup (attn_json_read_string (&json, TARGET, NULL));
  if (*text == NULL)
    attn_json_fail (&json, ATTN_ERROR_FORMAT,
                    _("%s: no “%s” found, expected the text there (see --field)"), where, field);
  return attn_json_finish (&json, error);
}

static gboolean
read_sequence (AttnTextReader  *reader,
               gboolean         is_wanted,
               char           **text,
               GError         **error)
{
  g_autofree char *sequence = NULL;
  gboolean is_there = attn_fasta_next (&reader->fasta, &sequence, error);

  reader->next = reader->fasta.next;
  if (is_there && is_wanted)
    *text = g_steal_pointer (&sequence);
  return is_there;
}

static gboolean
fail_csv (const AttnTextReader  *reader,
          GError               **error)
{
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: row %zu: a quote that is not closed found, expected quotes as in RFC "
                      "4180"),
                    reader->form.where, reader->csv.row);
}

static gboolean
read_row (AttnTextReader  *reader,
          gboolean         is_wanted,
          char           **text,
          GError         **error)
{
  gboolean has_cell = FALSE;

  do
    {
      if (!attn_csv_next (&reader->csv))
        return reader->csv.is_broken ? fail_csv (reader, error) : FALSE;
      gboolean is_target = reader->csv.column == reader->target_column;
      if (reader->csv.column != reader->csv_column && !is_target)
        continue;
      has_cell |= !is_target;
      if (!is_wanted)
        continue;
      g_autofree char *cell = attn_csv_dup_label (&reader->csv);
      if (!take_text (reader, cell, strlen (cell), is_target ? &reader->target : text, error))
        return FALSE;
    }
  while (!reader->csv.is_last);
  return has_cell || attn_fail (error, ATTN_ERROR_FORMAT,
                                _("%s: row %zu: no column %zu found, expected one with the text"),
                                reader->form.where, reader->csv.row, reader->csv_column);
}

static gboolean
find_column (AttnTextReader  *reader,
             GError         **error)
{
  const char *column = reader->form.column;
  gboolean is_found = FALSE;
  guint64 number;

  if (column == NULL || g_ascii_string_to_unsigned (column, 10, 0, G_MAXINT32, &number, NULL))
    {
      reader->csv_column = column != NULL ? (gsize) number : 0;
      return TRUE;
    }
  while (attn_csv_next (&reader->csv))
    {
      g_autofree char *name = attn_csv_dup_label (&reader->csv);

      if (!is_found && g_str_equal (name, column))
        {
          reader->csv_column = reader->csv.column;
          is_found = TRUE;
        }
      else if (reader->form.has_target && g_str_equal (name, TARGET))
        reader->target_column = reader->csv.column;
      if (reader->csv.is_last)
        break;
    }
  return is_found ||
         attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: no “%s” found in the first row, expected the column of the texts"),
                    reader->form.where, column);
}

/**
 * attn_text_reader_new:
 * @content: bytes of the file; the reader takes a reference
 * @form: format of the file; copied, without its strings
 * @error: return location for %ATTN_ERROR_FORMAT if a table does not have the column
 *
 * A byte order mark at the beginning is skipped.
 *
 * Returns: (transfer full) (nullable): a reader in front of the first text
 */
AttnTextReader *
attn_text_reader_new (GBytes              *content,
                      const AttnTextForm  *form,
                      GError             **error)
{
  g_autoptr (AttnTextReader) reader = g_new0 (AttnTextReader, 1);
  const char *path = form->path != NULL ? form->path : "";
  gsize length;
  const char *text = g_bytes_get_data (content, &length);

  reader->content = g_bytes_ref (content);
  reader->form = *form;
  reader->target_column = G_MAXSIZE;
  reader->next = length > 0 ? text : "";
  reader->end = reader->next + length;
  reader->next += attn_text_get_mark (reader->next, length);
  length = (gsize) (reader->end - reader->next);
  if (attn_text_has_suffix (path, ".csv"))
    {
      reader->read = read_row;
      reader->csv = attn_csv_begin (reader->next, length);
      return find_column (reader, error) ? g_steal_pointer (&reader) : NULL;
    }
  if (attn_fasta_recognise (path, reader->next, length))
    {
      reader->read = read_sequence;
      reader->fasta = attn_fasta_begin (form->where, reader->next, length);
    }
  else
    reader->read = attn_text_has_suffix (path, ".jsonl") ? read_object : read_line;
  return g_steal_pointer (&reader);
}

void
attn_text_reader_free (AttnTextReader *reader)
{
  if (reader == NULL)
    return;
  g_bytes_unref (reader->content);
  g_free (reader->target);
  g_free (reader);
}

/**
 * attn_text_reader_next:
 * @number: number of the text, counted from 0, for messages
 * @is_wanted: %FALSE to skip the text
 * @text: (out) (transfer full) (nullable): the text; %NULL if it is not wanted
 * @error: return location for %ATTN_ERROR_FORMAT and %ATTN_ERROR_LIMIT
 *
 * Returns: %FALSE if there are no more texts, or with @error set if the text cannot be read
 */
gboolean
attn_text_reader_next (AttnTextReader  *reader,
                       guint64          number,
                       gboolean         is_wanted,
                       char           **text,
                       GError         **error)
{
  reader->number = number;
  g_clear_pointer (&reader->target, g_free);
  return reader->read (reader, is_wanted, text, error);
}

/**
 * attn_text_reader_get_target:
 *
 * Returns: (transfer none) (nullable): the target in the file for the text that was read last,
 *   which is what a decoder is to generate; %NULL if there is none
 */
const char *
attn_text_reader_get_target (const AttnTextReader *reader)
{
  return reader->target;
}

/**
 * attn_text_reader_count_rest:
 *
 * Returns: number of bytes of the file that were not read yet
 */
gsize
attn_text_reader_count_rest (const AttnTextReader *reader)
{
  return (gsize) (reader->end - (reader->csv.start != NULL ? reader->csv.next : reader->next));
}
