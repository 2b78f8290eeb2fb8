/* SPDX-License-Identifier: GPL-3.0-or-later */

/* CSV after RFC 4180: a matrix as a matrix, anything else as one line an element with its indices.
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
#include "attn-csv-private.h"
#include "attn-error.h"
#include "attn-memory.h"

/* "-1.17549435e-38," and what indices take, roughly. */
#define BYTES_PER_NUMBER 16

/* Elements converted at a time. */
#define CHUNK 1024

static void
append_quoted (GString    *csv,
               const char *text)
{
  g_string_append_c (csv, '"');
  for (const char *p = text; *p != '\0'; p++)
    {
      if (*p == '"')
        g_string_append_c (csv, '"');
      g_string_append_c (csv, *p);
    }
  g_string_append_c (csv, '"');
}

static void
append_field (GString    *csv,
              const char *text)
{
  if (text[strcspn (text, ",\"\r\n")] == '\0')
    g_string_append (csv, text);
  else
    append_quoted (csv, text);
}

/* A label of a matrix has quotes, too, where it would be read as a number, or what it holds as what
 * separates the cells. */
static void
append_label (GString    *csv,
              const char *label)
{
  if (attn_csv_is_number (label) || strpbrk (label, ";\t") != NULL ||
      g_str_has_prefix (label, "\xef\xbb\xbf"))
    append_quoted (csv, label);
  else
    append_field (csv, label);
}

/* Nine digits tell any two float32 apart. */
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

/* Labels under one of the two names, if there are as many as indices. */
static char **
dup_labels (const AttnArrayFile *file,
            const char          *general_name,
            const char          *special_name,
            gsize                n_labels)
{
  const char *names[] = { special_name, general_name };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_auto (GStrv) labels = attn_array_file_dup_labels (file, names[i]);

      if (labels != NULL && g_strv_length (labels) == n_labels)
        return g_steal_pointer (&labels);
    }
  return NULL;
}

static gboolean
write_matrix (GString              *csv,
              const AttnArrayFile  *file,
              const AttnArray      *array,
              GError              **error)
{
  gsize n_rows = array->shape[0];
  gsize n_columns = array->shape[1];
  g_autofree char *rows_name = g_strconcat (array->name, "_rows", NULL);
  g_autofree char *columns_name = g_strconcat (array->name, "_columns", NULL);
  g_auto (GStrv) row_labels = dup_labels (file, "row_labels", rows_name, n_rows);
  g_auto (GStrv) column_labels = dup_labels (file, "column_labels", columns_name, n_columns);
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
          append_number (csv, row_values[column]);
        }
      g_string_append_c (csv, '\n');
    }
  return TRUE;
}

/* Names of the dimensions: what the file says in "dimensions", else attention's own. */
static char **
dup_dimensions (const AttnArrayFile *file,
                guint                n_dims)
{
  static const char * const attention[] = { "layer", "head", "query", "key" };
  g_auto (GStrv) named = attn_array_file_dup_labels (file, "dimensions");

  if (named != NULL && g_strv_length (named) == n_dims)
    return g_steal_pointer (&named);

  char **names = g_new0 (char *, n_dims + 1);
  for (guint i = 0; i < n_dims; i++)
    if (n_dims == 1)
      names[i] = g_strdup ("index");
    else if (n_dims <= G_N_ELEMENTS (attention))
      names[i] = g_strdup (attention[G_N_ELEMENTS (attention) - n_dims + i]);
    else
      names[i] = g_strdup_printf ("dimension_%u", i);
  return names;
}

static void
append_indices (GString      *csv,
                guint         n_dims,
                const gsize  *index,
                char        **labels[])
{
  for (guint i = 0; i < n_dims; i++)
    {
      if (labels[i] != NULL)
        append_field (csv, labels[i][index[i]]);
      else
        g_string_append_printf (csv, "%zu", index[i]);
      g_string_append_c (csv, ',');
    }
}

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
      append_indices (csv, array->n_dims, index, labels);
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
  gboolean is_written;

  for (guint i = 0; i < array->n_dims; i++)
    {
      g_autofree char *name = g_strconcat (dimensions[i], "_labels", NULL);

      labels[i] = dup_labels (file, name, name, array->shape[i]);
      append_field (csv, dimensions[i]);
      g_string_append_c (csv, ',');
    }
  g_string_append (csv, "value\n");
  is_written = write_elements (csv, array, labels, error);
  for (guint i = 0; i < array->n_dims; i++)
    g_strfreev (labels[i]);
  return is_written;
}

/**
 * attn_csv_write:
 * @error: return location: %ATTN_ERROR_ARGUMENT unless the file holds one array of numbers,
 *   %ATTN_ERROR_MEMORY
 *
 * A matrix has a header line if the file holds labels named "column_labels" or "NAME_columns", and
 * an index column if it holds "row_labels" or "NAME_rows". Any other array is written in long form:
 * the columns are named by labels named "dimensions", else "layer", "head", "query", "key" from the
 * right, and an index is replaced by its label if there are labels named after the dimension, such
 * as "layer_labels". Labels of a matrix that look like numbers have quotes. Numbers have nine
 * digits and a point in every locale; NaN is "NaN".
 *
 * Returns: (transfer full) (nullable): the file's bytes
 */
GBytes *
attn_csv_write (const AttnArrayFile  *file,
                GError              **error)
{
  const AttnArray *array = attn_array_file_get_single (file, ".csv", error);

  if (array == NULL)
    return NULL;

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
