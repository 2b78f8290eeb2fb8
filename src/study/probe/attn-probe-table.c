/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-probe-table.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-csv-scan.h"
#include "attn-error.h"
#include "attn-file.h"
#include "attn-text.h"

const char * const attn_probe_column_names[] = { "question", "answer", "exact_answer", "label",
                                                 NULL };

/* Command-line options that name the columns, in the order of #AttnProbeColumn, for error
 * messages. */
static const char * const options[] = { "question-column", "answer-column", "exact-answer-column",
                                        "label-column" };

#define NO_COLUMN G_MAXSIZE

/* Largest number of characters of a label, or of the columns' names, that an error message
 * quotes. */
#define MOST_OF_LABEL 40
#define MOST_OF_NAMES 200

static void
free_row (gpointer data)
{
  AttnProbeRow *row = data;

  g_free (row->question);
  g_free (row->answer);
  g_free (row->exact_answer);
  g_free (row);
}

void
attn_probe_table_free (AttnProbeTable *table)
{
  if (table == NULL)
    return;
  g_free (table->where);
  g_free (table->checksum);
  g_ptr_array_unref (table->rows);
  g_free (table);
}

static char *
cut (const char *text,
     glong       n_most)
{
  return g_utf8_substring (text, 0, MIN (g_utf8_strlen (text, -1), n_most));
}

/* Reads the file at @path, which is checked to be UTF-8, and begins @csv on its bytes. */
static GBytes *
open_table (const char  *path,
            const char  *where,
            AttnCsv     *csv,
            GError     **error)
{
  gsize length;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                   _("%s: no such file found, expected a table"), where);
      return NULL;
    }
  g_autoptr (GBytes) bytes = attn_file_read_text (path, error);
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  if (bytes == NULL || !attn_text_check_utf8 (where, text, length, error))
    return NULL;
  *csv = attn_csv_begin (text, length);
  if (attn_text_has_suffix (path, ".tsv"))
    csv->separator = '\t';
  return g_steal_pointer (&bytes);
}

static gboolean
fail_quotes (const char     *where,
             const AttnCsv  *csv,
             GError        **error)
{
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: row %zu: a quote that is not closed found, expected quotes as in RFC "
                      "4180"),
                    where,
                    csv->row);
}

/* Returns the cells of the first row, which are the names of the columns. */
static char **
read_names (const char  *where,
            AttnCsv     *csv,
            GError     **error)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  gsize n = 0;

  do
    {
      if (!attn_csv_next (csv))
        break;
      g_autofree char *name = attn_csv_dup_label (csv);
      g_strv_builder_add (names, g_strstrip (name));
      n++;
    }
  while (!csv->is_last);
  if (csv->is_broken)
    {
      fail_quotes (where, csv, error);
      return NULL;
    }
  if (n > 0)
    return g_strv_builder_end (names);
  return attn_fail_null (error, ATTN_ERROR_FORMAT,
                         _("%s: nothing found, expected a first row that names the columns"),
                         where);
}

/**
 * attn_probe_table_list_columns:
 * @path: (type filename): path of a .csv or .tsv file
 * @error: return location for %ATTN_ERROR_FORMAT and errors of reading a file
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): the names of the columns, from the
 *   first row
 */
char **
attn_probe_table_list_columns (const char  *path,
                               GError     **error)
{
  g_autofree char *where = g_filename_display_name (path);
  AttnCsv csv;
  g_autoptr (GBytes) bytes = open_table (path, where, &csv, error);

  return bytes != NULL ? read_names (where, &csv, error) : NULL;
}

static gboolean
fail_column (const char  *where,
             char       **names,
             const char  *column,
             const char  *option,
             GError     **error)
{
  g_autofree char *all = g_strjoinv (", ", names);
  g_autofree char *shown = cut (all, MOST_OF_NAMES);

  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: %s found in the first row, expected a column “%s” (see --%s)"), where,
                    shown, column, option);
}

/* Finds the indices in @names of the columns that a probe needs. @places: (out): an index for each
 * #AttnProbeColumn */
static gboolean
find_columns (const char          *where,
              char               **names,
              const char * const  *columns,
              gsize               *places,
              GError             **error)
{
  for (gsize i = 0; i < ATTN_PROBE_N_COLUMNS; i++)
    {
      places[i] = NO_COLUMN;
      for (gsize k = 0; names[k] != NULL; k++)
        {
          if (!g_str_equal (names[k], columns[i]))
            continue;
          if (places[i] != NO_COLUMN)
            return attn_fail (error, ATTN_ERROR_FORMAT,
                              _("%s: “%s” found twice in the first row, expected it once"), where,
                              columns[i]);
          places[i] = k;
        }
      if (places[i] == NO_COLUMN)
        return fail_column (where, names, columns[i], options[i], error);
    }
  return TRUE;
}

static gboolean
read_label (const char     *where,
            const AttnCsv  *csv,
            AttnProbeRow   *row,
            GError        **error)
{
  g_autofree char *text = attn_csv_dup_label (csv);
  g_autofree char *shown = cut (text, MOST_OF_LABEL);
  double value;

  if (attn_csv_get_number (csv, &value) && (value == 0.0 || value == 1.0))
    {
      row->label = value == 1.0;
      return TRUE;
    }
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: row %zu: label “%s” found, expected 0 or 1"), where, csv->row, shown);
}

/* Reads the next row of the table. Returns NULL at its end, or if @error is set. */
static AttnProbeRow *
read_row (const char          *where,
          AttnCsv             *csv,
          const gsize         *places,
          const char * const  *columns,
          GError             **error)
{
  AttnProbeRow *row = g_new0 (AttnProbeRow, 1);
  char **texts[] = { &row->question, &row->answer, &row->exact_answer };
  gboolean has_label = FALSE;
  gboolean is_good = attn_csv_next (csv);

  if (!is_good && csv->is_broken)
    fail_quotes (where, csv, error);
  while (is_good)
    {
      for (gsize i = 0; is_good && i < ATTN_PROBE_N_COLUMNS; i++)
        {
          if (csv->column != places[i])
            continue;
          if (i == ATTN_PROBE_COLUMN_LABEL)
            {
              has_label = TRUE;
              is_good = read_label (where, csv, row, error);
              continue;
            }
          g_free (*texts[i]);
          *texts[i] = attn_csv_dup_label (csv);
        }
      if (!is_good || csv->is_last)
        break;
      is_good = attn_csv_next (csv) || fail_quotes (where, csv, error);
    }
  for (gsize i = 0; is_good && i < ATTN_PROBE_N_COLUMNS; i++)
    if (i == ATTN_PROBE_COLUMN_LABEL ? !has_label : *texts[i] == NULL)
      is_good = attn_fail (error, ATTN_ERROR_FORMAT,
                           _("%s: row %zu: %zu cells found, expected one of “%s” among them"),
                           where, csv->row, csv->column + 1, columns[i]);
  if (is_good)
    {
      g_strstrip (row->exact_answer);
      return row;
    }
  free_row (row);
  return NULL;
}

/**
 * attn_probe_table_load:
 * @path: (type filename): path of a .csv file after RFC 4180, or of a .tsv file, in UTF-8
 * @columns: (array fixed-size=4): names of the columns, in the order of #AttnProbeColumn
 * @error: return location for %ATTN_ERROR_FORMAT: a column that is not there, a label that is
 *   neither 0 nor 1; and errors of reading a file
 *
 * Rows are counted in messages from 1, the row below the names of the columns.
 *
 * Returns: (transfer full) (nullable): the table
 */
AttnProbeTable *
attn_probe_table_load (const char          *path,
                       const char * const  *columns,
                       GError             **error)
{
  g_autoptr (AttnProbeTable) table = g_new0 (AttnProbeTable, 1);
  gsize places[ATTN_PROBE_N_COLUMNS];
  GError *local_error = NULL;
  AttnProbeRow *row;
  AttnCsv csv;

  table->where = g_filename_display_name (path);
  table->rows = g_ptr_array_new_with_free_func (free_row);
  g_autoptr (GBytes) bytes = open_table (path, table->where, &csv, error);
  g_auto (GStrv) names = bytes != NULL ? read_names (table->where, &csv, error) : NULL;
  if (names == NULL || !find_columns (table->where, names, columns, places, error))
    return NULL;
  table->checksum = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  while ((row = read_row (table->where, &csv, places, columns, &local_error)) != NULL)
    {
      table->n_labels[row->label]++;
      g_ptr_array_add (table->rows, row);
    }
  if (local_error != NULL)
    {
      g_propagate_error (error, local_error);
      return NULL;
    }
  return g_steal_pointer (&table);
}

/**
 * attn_probe_table_check:
 * @n_least: smallest number of rows with label 0, and of rows with label 1
 * @error: return location for %ATTN_ERROR_ARGUMENT
 */
gboolean
attn_probe_table_check (const AttnProbeTable  *table,
                        gsize                  n_least,
                        GError               **error)
{
  for (guint label = 0; label < 2; label++)
    if (table->n_labels[label] < n_least)
      return attn_fail (error, ATTN_ERROR_ARGUMENT,
                        _("%s: label %u found in %zu of %u rows, expected it in at least %zu, one "
                          "a fold"),
                        table->where, label, table->n_labels[label], table->rows->len, n_least);
  return TRUE;
}
