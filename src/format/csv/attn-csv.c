/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Writes CSV according to RFC 4180: an array of two dimensions as a matrix (left), any other with
 * one line for each element and its indices (right).
 *
 *   ,It,I            layer,head,query,key,value
 *   It,1,0           0,0,0,0,1
 *   I,0.25,0.75      0,0,1,0,0.25
 */

#include "config.h"

#include "attn-readers.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-array-private.h"
#include "attn-csv-scan.h"
#include "attn-error.h"
#include "attn-memory.h"

/* The approximate bytes of memory for a number with its indices, such as "-1.17549435e-38,"; a
 * growing string can take twice its length. */
#define BYTES_PER_NUMBER 32

/* The number of elements that are converted to floats at a time. */
#define CHUNK 1024

static void
append_field (GString    *csv,
              const char *text,
              gboolean    must_quote)
{
  if (must_quote || text[strcspn (text, ",\"\r\n")] != '\0')
    {
      g_auto (GStrv) parts = g_strsplit (text, "\"", -1);
      g_autofree char *doubled = g_strjoinv ("\"\"", parts);

      g_string_append_printf (csv, "\"%s\"", doubled);
    }
  else
    g_string_append (csv, text);
}

/* Appends a label of a matrix. It is quoted if a reader could take it, or a part of it, for a
 * number, a separator, a byte order mark or a comment. */
static void
append_label (GString    *csv,
              const char *label)
{
  const AttnCsv cell = { .text = label, .length = strlen (label) };
  double value;

  append_field (csv, label,
                attn_csv_get_number (&cell, &value) || strpbrk (label, ";\t") != NULL ||
                    g_str_has_prefix (label, "\xef\xbb\xbf") || g_str_has_prefix (label, "# "));
}

/* Appends a number with nine significant digits, which are enough to tell any two float32 apart. */
static void
append_number (GString *csv,
               float    value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (value))
    g_string_append (csv, "NaN");
  else
    g_string_append (csv, g_ascii_formatd (buffer, sizeof buffer, "%.9g", value));
}

/* Returns the labels of the rows or columns (@axis) that the file has for the array @name alone, or
 * else those for all arrays, named @general_name. Returns NULL if there are not @n of either. */
static char **
dup_axis_labels (const AttnArrayFile *file,
                 const char          *name,
                 const char          *axis,
                 const char          *general_name,
                 gsize                n)
{
  g_autofree char *own_name = g_strconcat (name, "_", axis, NULL);
  char **labels = attn_array_file_dup_n_labels (file, own_name, n);

  return labels != NULL ? labels : attn_array_file_dup_n_labels (file, general_name, n);
}

static gboolean
write_matrix (GString              *csv,
              const AttnArrayFile  *file,
              const AttnArray      *array,
              GError              **error)
{
  gsize n_rows = array->shape[0];
  gsize n_columns = array->shape[1];
  g_auto (GStrv) row_labels = dup_axis_labels (file, array->name, "rows", "row_labels", n_rows);
  g_auto (GStrv) column_labels =
      dup_axis_labels (file, array->name, "columns", "column_labels", n_columns);
  g_autofree float *row_values = g_new (float, n_columns);

  if (column_labels != NULL)
    {
      for (gsize column = 0; column < n_columns; column++)
        {
          if (column > 0 || row_labels != NULL)
            g_string_append_c (csv, ',');
          append_label (csv, column_labels[column]);
        }
      g_string_append_c (csv, '\n');
    }
  for (gsize row = 0; row < n_rows; row++)
    {
      if (!attn_array_read (array, row * n_columns, n_columns, row_values, error))
        return FALSE;
      if (row_labels != NULL)
        append_label (csv, row_labels[row]);
      for (gsize column = 0; column < n_columns; column++)
        {
          if (column > 0 || row_labels != NULL)
            g_string_append_c (csv, ',');
          /* A first number 0 is written as "0.0", since a reader could take a row or column that
           * begins with "0" for a header or index 0, 1, 2, ... */
          if (row == 0 && column == 0 && row_labels == NULL && row_values[0] == 0.0f)
            g_string_append (csv, "0.0");
          else
            append_number (csv, row_values[column]);
        }
      g_string_append_c (csv, '\n');
    }
  return TRUE;
}

/* Returns the names of the array's dimensions: the labels "dimensions" of the file, or else those
 * of attention, such as "query" and "key". */
static char **
dup_dimensions (const AttnArrayFile *file,
                guint                n_dims)
{
  static const char * const attention[] = { "layer", "head", "query", "key" };
  char **names = attn_array_file_dup_n_labels (file, "dimensions", n_dims);

  if (names != NULL)
    return names;
  names = g_new0 (char *, n_dims + 1);
  for (guint i = 0; i < n_dims; i++)
    if (n_dims == 1)
      names[i] = g_strdup ("index");
    else if (n_dims <= G_N_ELEMENTS (attention))
      names[i] = g_strdup (attention[G_N_ELEMENTS (attention) - n_dims + i]);
    else
      names[i] = g_strdup_printf ("dimension_%u", i);
  return names;
}

/* Writes one line for each element. @labels: for each dimension its labels, or NULL to write its
 * indices as numbers */
static gboolean
write_elements (GString          *csv,
                const AttnArray  *array,
                char            **labels[],
                GError          **error)
{
  gsize index[ATTN_ARRAY_MAX_DIMS] = { 0 };
  gsize n_elements = attn_array_get_n_elements (array);
  float values[CHUNK];

  for (gsize n = 0; n < n_elements; n++)
    {
      if (n % CHUNK == 0 && !attn_array_read (array, n, MIN (CHUNK, n_elements - n), values, error))
        return FALSE;
      for (guint i = 0; i < array->n_dims; i++)
        {
          if (labels[i] != NULL)
            append_field (csv, labels[i][index[i]], FALSE);
          else
            g_string_append_printf (csv, "%zu", index[i]);
          g_string_append_c (csv, ',');
        }
      append_number (csv, values[n % CHUNK]);
      g_string_append_c (csv, '\n');
      for (guint i = array->n_dims; i-- > 0 && ++index[i] == array->shape[i];)
        index[i] = 0;
    }
  return TRUE;
}

static gboolean
write_long (GString              *csv,
            const AttnArrayFile  *file,
            const AttnArray      *array,
            GError              **error)
{
  g_auto (GStrv) dimensions = dup_dimensions (file, array->n_dims);
  char **labels[ATTN_ARRAY_MAX_DIMS] = { NULL };

  for (guint i = 0; i < array->n_dims; i++)
    {
      g_autofree char *name = g_strconcat (dimensions[i], "_labels", NULL);

      labels[i] = attn_array_file_dup_n_labels (file, name, array->shape[i]);
      append_field (csv, dimensions[i], FALSE);
      g_string_append_c (csv, ',');
    }
  g_string_append (csv, "value\n");
  gboolean is_written = write_elements (csv, array, labels, error);
  for (guint i = 0; i < array->n_dims; i++)
    g_strfreev (labels[i]);
  return is_written;
}

/**
 * attn_csv_write:
 * @file: a file with one array of numbers
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Makes a CSV file. A matrix gets a header line if the file has labels named "column_labels" or
 * "NAME_columns", NAME being the array's, and an index column if it has "row_labels" or
 * "NAME_rows". Any other array is written in long form, one line for each element: the columns have
 * the names in the labels "dimensions", else the last of "layer", "head", "query" and "key", and an
 * index is replaced by its label if there are labels named after the dimension, such as
 * "layer_labels". Labels of a matrix that look like numbers are quoted. Numbers have nine digits
 * and a decimal point in every locale; NaN is "NaN".
 *
 * Returns: (transfer full) (nullable): the content of the file
 */
GBytes *
attn_csv_write (const AttnArrayFile  *file,
                GError              **error)
{
  gsize n_arrays;
  const AttnArray *array = attn_array_file_find_single (file, &n_arrays);

  g_return_val_if_fail (array != NULL, NULL);

  gsize n_numbers = attn_array_get_n_elements (array);
  if (array->n_dims != 2 && !g_size_checked_mul (&n_numbers, n_numbers, 2))
    n_numbers = G_MAXSIZE;
  if (!attn_memory_check (n_numbers > G_MAXSIZE / BYTES_PER_NUMBER ? G_MAXSIZE
                                                                   : n_numbers * BYTES_PER_NUMBER,
                          _(".csv file"), error))
    return NULL;

  g_autoptr (GString) csv = g_string_new (NULL);
  gboolean is_written = array->n_dims == 2 ? write_matrix (csv, file, array, error)
                                           : write_long (csv, file, array, error);
  return is_written ? g_string_free_to_bytes (g_steal_pointer (&csv)) : NULL;
}
