/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads attention from a table with one line for each element, which attn-csv.c writes for arrays
 * that are not matrices.
 *
 *   layer,head,query,key,value
 *   0,0,It,It,1
 *   0,0,It,I,0
 *
 * The table does not contain the shape, and a label does not identify an index, since a word can
 * occur in a text several times. The shape follows from the order of the lines: the last index
 * changes with every line, the one before it when the last one starts again, and so on. */

#include "config.h"

#include "attn-csv-scan.h"

#include <math.h>
#include <string.h>

#include "attn-memory.h"

#define MAX_DIMS 4

static const char * const headers[][MAX_DIMS + 2] = {
  { "layer", "head", "query", "key", "value" },
  { "head", "query", "key", "value" },
  { "layer", "head", "token", "feature", "value" },
};

/* The table as it is read. @dimensions: the names of the indices, from the header; @n_rows: the
 * lines below the header; @labels: [n_dims, n_rows]: the index of each line in each dimension, as a
 * label. Equal labels share one string in @strings. */
typedef struct
{
  const char * const *dimensions;
  guint n_dims;
  gsize n_rows;
  gsize shape[MAX_DIMS];
  char **labels;
  float *values;
  GStringChunk *strings;
} Table;

static void
clear_table (Table *table)
{
  g_free (table->labels);
  g_free (table->values);
  g_string_chunk_free (table->strings);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Table, clear_table)

static const char * const *
find_header (AttnCsv start,
             gsize   n_columns)
{
  for (guint i = 0; i < G_N_ELEMENTS (headers); i++)
    {
      AttnCsv csv = start;
      gboolean is_same = g_strv_length ((char **) headers[i]) == n_columns;

      while (is_same && attn_csv_next (&csv) && csv.row == 0)
        is_same = !csv.is_quoted && csv.length == strlen (headers[i][csv.column]) &&
                  memcmp (csv.text, headers[i][csv.column], csv.length) == 0;
      if (is_same)
        return headers[i];
    }
  return NULL;
}

static gboolean
fill (Table       *table,
      AttnCsv      csv,
      const char  *path,
      GError     **error)
{
  while (attn_csv_next (&csv))
    if (csv.row > 0 && csv.column < table->n_dims)
      {
        g_autofree char *label = attn_csv_dup_label (&csv);
        gsize place = csv.column * table->n_rows + csv.row - 1;

        table->labels[place] = g_string_chunk_insert_const (table->strings, label);
      }
    else if (csv.row > 0 && !attn_csv_read_float (&csv, path, &table->values[csv.row - 1], error))
      return FALSE;
  return TRUE;
}

/* Tells whether the table can be an array of table->shape: lines with the same index in a dimension
 * must have the same label for it. */
static gboolean
has_shape (const Table *table)
{
  gsize stride = table->n_rows;

  for (guint i = 0; i < table->n_dims; i++)
    {
      char **labels = table->labels + i * table->n_rows;

      stride /= table->shape[i];
      for (gsize row = 0; row < table->n_rows; row++)
        if (labels[row] != labels[row / stride % table->shape[i] * stride])
          return FALSE;
    }
  return TRUE;
}

/* Sets the table's shape so that the last dimension has @length indices, and the last two together
 * @n_block lines. Tells whether the labels fit this shape. */
static gboolean
try_length (Table *table,
            gsize  n_block,
            gsize  length)
{
  table->shape[table->n_dims - 1] = length;
  table->shape[table->n_dims - 2] = n_block / length;
  return n_block % length == 0 && has_shape (table);
}

/* Determines a shape that fits the labels. Labels of layers and heads occur only once, so the first
 * run of equal labels gives the number of lines of a layer or head. For the last two dimensions a
 * square is tried first, as attention within one text has, and then the shortest last dimension
 * that fits. */
static gboolean
find_shape (Table *table)
{
  gsize n_block = table->n_rows;

  for (guint i = 0; i + 2 < table->n_dims; i++)
    {
      char **labels = table->labels + i * table->n_rows;
      gsize n = 1;

      while (n < n_block && labels[n] == labels[0])
        n++;
      if (n_block % n != 0)
        return FALSE;
      table->shape[i] = n_block / n;
      n_block = n;
    }

  gsize side = (gsize) lround (sqrt ((double) n_block));
  if (side * side == n_block && try_length (table, n_block, side))
    return TRUE;
  for (gsize length = 1; length <= n_block; length++)
    if (try_length (table, n_block, length))
      return TRUE;
  return FALSE;
}

static gboolean
add_array (AttnArrayFile  *file,
           Table          *table,
           GError        **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_take (g_steal_pointer (&table->values),
                                               table->n_rows * sizeof (float));
  g_autoptr (GPtrArray) dimensions = g_ptr_array_new ();
  gsize stride = table->n_rows;

  if (!attn_array_file_add (
          file, attn_array_new ("", ATTN_DTYPE_F32, table->n_dims, table->shape, bytes, NULL),
          error))
    return FALSE;
  for (guint i = 0; i < table->n_dims; i++)
    {
      g_autofree char *name = g_strconcat (table->dimensions[i], "_labels", NULL);
      g_autoptr (GPtrArray) labels = g_ptr_array_new ();

      g_ptr_array_add (dimensions, (char *) table->dimensions[i]);
      stride /= table->shape[i];
      for (gsize k = 0; k < table->shape[i]; k++)
        g_ptr_array_add (labels, table->labels[i * table->n_rows + k * stride]);
      g_ptr_array_add (labels, NULL);
      if (!attn_csv_add_labels (file, name, labels, error))
        return FALSE;
    }
  g_ptr_array_add (dimensions, NULL);
  return attn_csv_add_labels (file, "dimensions", dimensions, error);
}

/**
 * attn_csv_read_long:
 * @start: a scan that stands before the first cell
 * @n_rows: the rows of the text, each with @n_columns cells
 * @is_long: (out): whether the text is attention with one line for each element. If not, nothing is
 *   added to @file.
 * @error: return location: %ATTN_ERROR_FORMAT for a value that is no number, %ATTN_ERROR_MEMORY
 *
 * Reads attention in the form that [func@attn_csv_write] writes for more than two dimensions. Adds
 * an array named "" and the labels of each dimension to @file.
 *
 * Returns: %FALSE with an error if the text has this form but cannot be read; otherwise %TRUE
 */
gboolean
attn_csv_read_long (AttnArrayFile  *file,
                    AttnCsv         start,
                    gsize           n_rows,
                    gsize           n_columns,
                    gboolean       *is_long,
                    GError        **error)
{
  const char *path = attn_array_file_get_path (file);
  const char * const *dimensions = find_header (start, n_columns);

  *is_long = dimensions != NULL && start.separator == ',' && n_rows > 1;
  if (!*is_long)
    return TRUE;

  g_auto (Table) table = { .dimensions = dimensions,
                           .n_dims = n_columns - 1,
                           .n_rows = n_rows - 1,
                           .strings = g_string_chunk_new (1024) };
  /* The product cannot overflow, since each label takes at least two bytes of the file. */
  gsize n_label_bytes = table.n_dims * table.n_rows * sizeof (char *);
  table.values = attn_memory_try_alloc (table.n_rows * sizeof (float), path, error);
  table.labels =
      table.values != NULL ? attn_memory_try_alloc (n_label_bytes, path, error) : NULL;
  if (table.labels == NULL)
    return FALSE;
  if (!fill (&table, start, path, error))
    return FALSE;
  *is_long = find_shape (&table);
  return !*is_long || add_array (file, &table, error);
}
