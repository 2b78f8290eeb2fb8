/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Attention with one line an element, as attn-csv.c writes what is no matrix.
 *
 *   layer,head,query,key,value
 *   0,0,It,It,1
 *   0,0,It,I,0
 *
 * Nothing says how long a dimension is, and a label does not say which index is meant, for a text
 * has its words more than once. What says so is the order, in which the last index changes with
 * every line, the one before it when that begins anew, and so on. */

#include "config.h"

#include "attn-csv-private.h"

#include <math.h>
#include <string.h>

#include "attn-memory.h"

#define MAX_DIMS 4

static const char * const headers[][MAX_DIMS + 2] = {
  { "layer", "head", "query", "key", "value" },
  { "head", "query", "key", "value" },
  { "layer", "head", "token", "feature", "value" },
};

/* @ids: [n_dims, n_rows], for each line the labels of its indices as indices into @names */
typedef struct
{
  const char * const *dimensions;
  guint n_dims;
  gsize n_rows;
  guint32 *ids;
  float *values;
  GPtrArray *names;
  GHashTable *id_by_name;
  gsize shape[MAX_DIMS];
} Table;

static void
clear_table (Table *table)
{
  g_free (table->ids);
  g_free (table->values);
  g_clear_pointer (&table->names, g_ptr_array_unref);
  g_clear_pointer (&table->id_by_name, g_hash_table_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Table, clear_table)

static gboolean
is_header (AttnCsvScan         scan,
           const char * const *names)
{
  AttnCsvCell cell = { .is_last = FALSE };

  for (guint i = 0; names[i] != NULL; i++)
    if (cell.is_last || !attn_csv_scan_cell (&scan, &cell) || cell.is_quoted ||
        cell.length != strlen (names[i]) || memcmp (cell.text, names[i], cell.length) != 0)
      return FALSE;
  return cell.is_last;
}

/* The lines below the header; 0 unless each has a cell for each name. */
static gsize
count_rows (AttnCsvScan scan,
            guint       n_dims)
{
  gsize n_rows = 0;

  while (attn_csv_find_row (&scan))
    {
      AttnCsvCell cell;
      guint n_cells = 0;

      do
        if (!attn_csv_scan_cell (&scan, &cell) || ++n_cells > n_dims + 1)
          return 0;
      while (!cell.is_last);
      if (n_cells != n_dims + 1)
        return 0;
      n_rows++;
    }
  return n_rows > 0 ? n_rows - 1 : 0;
}

static guint32
get_id (Table             *table,
        const AttnCsvCell *cell)
{
  g_autofree char *name = attn_csv_dup_label (cell);
  gpointer id;

  if (g_hash_table_lookup_extended (table->id_by_name, name, NULL, &id))
    return GPOINTER_TO_UINT (id);
  g_hash_table_insert (table->id_by_name, name, GUINT_TO_POINTER (table->names->len));
  g_ptr_array_add (table->names, g_steal_pointer (&name));
  return table->names->len - 1;
}

static gboolean
fill (Table        *table,
      AttnCsvScan   scan,
      const char   *path,
      GError      **error)
{
  AttnCsvCell cell;

  for (guint i = 0; i <= table->n_dims; i++)
    attn_csv_scan_cell (&scan, &cell);
  for (gsize row = 0; row < table->n_rows && attn_csv_find_row (&scan); row++)
    {
      gsize line = scan.line;

      for (guint i = 0; i < table->n_dims; i++)
        {
          attn_csv_scan_cell (&scan, &cell);
          table->ids[i * table->n_rows + row] = get_id (table, &cell);
        }
      attn_csv_scan_cell (&scan, &cell);
      if (!attn_csv_fill_cell (path, &cell, line, table->n_dims, &table->values[row], error))
        return FALSE;
    }
  return TRUE;
}

/* Whether each line has the labels that its place in an array of this shape has. */
static gboolean
has_shape (const Table *table)
{
  gsize stride = table->n_rows;

  for (guint i = 0; i < table->n_dims; i++)
    {
      const guint32 *ids = table->ids + i * table->n_rows;

      stride /= table->shape[i];
      for (gsize row = 0; row < table->n_rows; row++)
        if (ids[row] != ids[row / stride % table->shape[i] * stride])
          return FALSE;
    }
  return TRUE;
}

/* Whether the last dimension can be so long, with @n_block elements in it and the one before. */
static gboolean
try_length (Table *table,
            gsize  n_block,
            gsize  length)
{
  table->shape[table->n_dims - 1] = length;
  table->shape[table->n_dims - 2] = n_block / length;
  return n_block % length == 0 && has_shape (table);
}

/* Layers and heads have a label each, so that the first of them lasts as long as any. Below them a
 * square comes first, else the shortest of the last dimension that the labels allow. */
static gboolean
find_shape (Table *table)
{
  gsize n_block = table->n_rows;

  for (guint i = 0; i + 2 < table->n_dims; i++)
    {
      const guint32 *ids = table->ids + i * table->n_rows;
      gsize n = 1;

      while (n < n_block && ids[n] == ids[0])
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
add_dimension (AttnArrayFile  *file,
               const Table    *table,
               guint           dimension,
               gsize           stride,
               GError        **error)
{
  g_autofree char *name = g_strconcat (table->dimensions[dimension], "_labels", NULL);
  g_autoptr (GPtrArray) labels = g_ptr_array_new ();

  for (gsize i = 0; i < table->shape[dimension]; i++)
    g_ptr_array_add (labels,
                     g_ptr_array_index (table->names,
                                        table->ids[dimension * table->n_rows + i * stride]));
  g_ptr_array_add (labels, NULL);
  return attn_csv_add_labels (file, name, labels, error);
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
      g_ptr_array_add (dimensions, (char *) table->dimensions[i]);
      stride /= table->shape[i];
      if (!add_dimension (file, table, i, stride, error))
        return FALSE;
    }
  g_ptr_array_add (dimensions, NULL);
  return attn_csv_add_labels (file, "dimensions", dimensions, error);
}

/**
 * attn_csv_read_long:
 * @start: where the text begins
 * @is_long: (out): whether this is attention in long form; @file is as it was where it is not
 * @error: return location: %ATTN_ERROR_FORMAT for a value that is no number, %ATTN_ERROR_MEMORY
 *
 * Reads what [func@attn_csv_write] makes of attention: to an array named "", and labels.
 *
 * Returns: %FALSE if it is long and cannot be read
 */
gboolean
attn_csv_read_long (AttnArrayFile      *file,
                    const AttnCsvScan  *start,
                    gboolean           *is_long,
                    GError            **error)
{
  const char *path = attn_array_file_get_path (file);
  AttnCsvScan scan = *start;
  g_auto (Table) table = { 0 };

  *is_long = FALSE;
  scan.separator = ',';
  if (!attn_csv_find_row (&scan))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (headers) && table.dimensions == NULL; i++)
    if (is_header (scan, headers[i]))
      table.dimensions = headers[i];
  if (table.dimensions == NULL)
    return TRUE;
  while (table.dimensions[table.n_dims + 1] != NULL)
    table.n_dims++;
  table.n_rows = count_rows (scan, table.n_dims);
  /* As many different labels, too, fit 32 bits. */
  if (table.n_rows == 0 || table.n_rows > G_MAXUINT32 / MAX_DIMS)
    return TRUE;

  /* A line takes at least two bytes a cell of the file: this cannot overflow. */
  gsize n_bytes = table.n_rows * sizeof (float);
  if (!attn_memory_check (n_bytes * (table.n_dims + 1), path, error))
    return FALSE;
  table.values = g_malloc (n_bytes);
  table.ids = g_malloc (n_bytes * table.n_dims);
  table.names = g_ptr_array_new_with_free_func (g_free);
  table.id_by_name = g_hash_table_new (g_str_hash, g_str_equal);
  if (!fill (&table, scan, path, error))
    return FALSE;
  *is_long = find_shape (&table);
  return !*is_long || add_array (file, &table, error);
}
