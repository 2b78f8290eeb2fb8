/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-array.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-array-private.h"
#include "attn-error.h"
#include "attn-gguf-private.h"
#include "attn-json.h"

/* The most names of arrays that a message lists, and the most characters that it shows of each
 * name. */
#define N_LISTED           8
#define N_SHOWN_CHARACTERS 64

const char * const attn_table_header_names[] = {
  [ATTN_TABLE_HEADER_AUTO] = "auto",
  [ATTN_TABLE_HEADER_NONE] = "none",
  [ATTN_TABLE_HEADER_ROW] = "row",
  [ATTN_TABLE_HEADER_COLUMN] = "column",
  [ATTN_TABLE_HEADER_BOTH] = "both",
  NULL,
};

/**
 * AttnArrayFile:
 *
 * The content of a file: named arrays in the order in which they stand in the file, and metadata,
 * which are texts by key. Reference-counted; one thread fills it, and then any thread may read it.
 */
struct _AttnArrayFile
{
  gatomicrefcount ref_count;
  char *path;
  GPtrArray *arrays;   /* of AttnArray, owned */
  GPtrArray *left_out; /* of AttnArray, owned: arrays of the file that were not selected */
  const AttnArray *selected;
  GHashTable *by_name;    /* table from the names of arrays to AttnArray, both owned by @arrays */
  GHashTable *metadata;   /* of strings */
  AttnGgufMetadata *gguf; /* (nullable): only for a GGUF file */
  GDestroyNotify free_gguf;
  gboolean is_outline;
  AttnTableHeader header;
};

static void
free_array (gpointer array)
{
  attn_array_free (array);
}

/**
 * attn_array_file_new:
 * @path: (nullable) (type filename): the path of the file, for messages
 *
 * Returns: (transfer full): a file without arrays
 */
AttnArrayFile *
attn_array_file_new (const char *path)
{
  AttnArrayFile *file = g_new0 (AttnArrayFile, 1);

  g_atomic_ref_count_init (&file->ref_count);
  file->path = path != NULL ? g_filename_display_name (path) : g_strdup ("");
  file->arrays = g_ptr_array_new_with_free_func (free_array);
  file->left_out = g_ptr_array_new_with_free_func (free_array);
  file->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  file->metadata = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return file;
}

/* Makes a file an outline, before it is read: only the names, types and shapes of its arrays are
 * read, not the elements. */
void
attn_array_file_set_outline (AttnArrayFile *file)
{
  file->is_outline = TRUE;
}

gboolean
attn_array_file_is_outline (const AttnArrayFile *file)
{
  return file->is_outline;
}

void
attn_array_file_set_header (AttnArrayFile   *file,
                            AttnTableHeader  header)
{
  file->header = header;
}

AttnTableHeader
attn_array_file_get_header (const AttnArrayFile *file)
{
  return file->header;
}

AttnArrayFile *
attn_array_file_ref (AttnArrayFile *file)
{
  g_atomic_ref_count_inc (&file->ref_count);
  return file;
}

void
attn_array_file_unref (AttnArrayFile *file)
{
  if (!g_atomic_ref_count_dec (&file->ref_count))
    return;
  g_hash_table_unref (file->by_name);
  g_hash_table_unref (file->metadata);
  g_ptr_array_unref (file->arrays);
  g_ptr_array_unref (file->left_out);
  if (file->gguf != NULL)
    file->free_gguf (file->gguf);
  g_free (file->path);
  g_free (file);
}

/**
 * attn_array_file_get_path:
 *
 * Returns: (transfer none): the path that the file was loaded from, in UTF-8 for messages; "" if it
 *   was made in memory
 */
const char *
attn_array_file_get_path (const AttnArrayFile *file)
{
  return file->path;
}

gsize
attn_array_file_get_n_arrays (const AttnArrayFile *file)
{
  return file->arrays->len;
}

/**
 * attn_array_file_get_nth:
 * @index: below the number of arrays, which are in the order in which they stand in the file
 *
 * Returns: (transfer none): the array with that number
 */
const AttnArray *
attn_array_file_get_nth (const AttnArrayFile *file,
                         gsize                index)
{
  g_return_val_if_fail (index < file->arrays->len, NULL);

  return g_ptr_array_index (file->arrays, index);
}

/**
 * attn_array_file_lookup:
 *
 * Returns: (transfer none) (nullable): the array with that name, or %NULL if the file has none
 */
const AttnArray *
attn_array_file_lookup (const AttnArrayFile *file,
                        const char          *name)
{
  return g_hash_table_lookup (file->by_name, name);
}

/**
 * attn_array_file_get_metadata:
 *
 * Returns: (transfer none) (nullable): the text of the file's metadata with that key, or %NULL if
 *   there is none
 */
const char *
attn_array_file_get_metadata (const AttnArrayFile *file,
                              const char          *key)
{
  return g_hash_table_lookup (file->metadata, key);
}

/**
 * attn_array_file_get_gguf:
 *
 * Returns: (transfer none) (nullable): the metadata of a GGUF file, which can also be numbers and
 *   arrays; %NULL for a file of another format
 */
const AttnGgufMetadata *
attn_array_file_get_gguf (const AttnArrayFile *file)
{
  return file->gguf;
}

/* Sets the metadata of a GGUF file, which are freed with @file. */
void
attn_array_file_take_gguf (AttnArrayFile    *file,
                           AttnGgufMetadata *metadata,
                           GDestroyNotify    free_metadata)
{
  file->gguf = metadata;
  file->free_gguf = free_metadata;
}

static int
compare_strings (gconstpointer a,
                 gconstpointer b)
{
  return strcmp (*(char * const *) a, *(char * const *) b);
}

/**
 * attn_array_file_dup_metadata_keys:
 *
 * Returns: (transfer full) (array zero-terminated=1): the keys of all metadata, sorted by their
 *   bytes
 */
char **
attn_array_file_dup_metadata_keys (const AttnArrayFile *file)
{
  GPtrArray *keys = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, file->metadata);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_ptr_array_add (keys, g_strdup (key));
  g_ptr_array_sort (keys, compare_strings);
  g_ptr_array_add (keys, NULL);
  return (char **) g_ptr_array_free (keys, FALSE);
}

static char **
dup_strings_of_json (const char *text)
{
  g_autoptr (JsonNode) root = attn_json_parse ("", text, -1, NULL);

  if (root == NULL || !JSON_NODE_HOLDS_ARRAY (root))
    return NULL;

  JsonArray *array = json_node_get_array (root);
  g_autoptr (GPtrArray) strings = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      if (json_node_get_value_type (node) != G_TYPE_STRING)
        return NULL;
      g_ptr_array_add (strings, json_node_dup_string (node));
    }
  g_ptr_array_add (strings, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&strings), FALSE);
}

/**
 * attn_array_file_dup_labels:
 * @name: the name of the labels, such as "row_labels"
 *
 * Labels are an array of texts in a format that can have one, such as .npz. In other formats, such
 * as .safetensors, they are metadata that hold a JSON list of strings.
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): the labels with that name, or
 *   %NULL if the file has none
 */
char **
attn_array_file_dup_labels (const AttnArrayFile *file,
                            const char          *name)
{
  const AttnArray *array = attn_array_file_lookup (file, name);
  const char *text = attn_array_file_get_metadata (file, name);

  if (array != NULL && array->dtype == ATTN_DTYPE_UNICODE)
    return attn_array_dup_strings (array, NULL);
  return text != NULL ? dup_strings_of_json (text) : NULL;
}

/**
 * attn_array_file_dup_n_labels:
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): the labels with that name; %NULL
 *   if there are not exactly @n, since they could then stand at wrong rows or columns
 */
char **
attn_array_file_dup_n_labels (const AttnArrayFile *file,
                              const char          *name,
                              gsize                n)
{
  g_auto (GStrv) labels = attn_array_file_dup_labels (file, name);

  return labels != NULL && g_strv_length (labels) == n ? g_steal_pointer (&labels) : NULL;
}

/**
 * attn_array_file_add:
 * @array: (transfer full): freed if it cannot be added
 * @error: return location for %ATTN_ERROR_FORMAT
 *
 * Returns: whether it was added; %FALSE if the file already has an array with that name
 */
gboolean
attn_array_file_add (AttnArrayFile  *file,
                     AttnArray      *array,
                     GError        **error)
{
  if (g_hash_table_contains (file->by_name, array->name))
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                   _("%s: array “%s” found twice, expected each name once"),
                   file->path[0] != '\0' ? file->path : _("new file"), array->name);
      attn_array_free (array);
      return FALSE;
    }
  g_ptr_array_add (file->arrays, array);
  g_hash_table_insert (file->by_name, array->name, array);
  return TRUE;
}

/**
 * attn_array_file_add_numbers:
 * @dtype: a type whose elements have whole bytes
 * @numbers: the elements in C order, the last dimension fastest; copied
 * @error: return location for %ATTN_ERROR_FORMAT, and errors of [func@attn_array_new]
 *
 * Makes an array of numbers in memory and adds it to @file.
 */
gboolean
attn_array_file_add_numbers (AttnArrayFile  *file,
                             const char     *name,
                             AttnDtype       dtype,
                             guint           n_dims,
                             const gsize    *shape,
                             gconstpointer   numbers,
                             GError        **error)
{
  gsize n_bytes = attn_dtype_get_size (dtype);

  for (guint i = 0; i < n_dims; i++)
    n_bytes *= shape[i];
  g_autoptr (GBytes) bytes = g_bytes_new (numbers, n_bytes);
  AttnArray *array = attn_array_new (name, dtype, n_dims, shape, bytes, error);

  return array != NULL && attn_array_file_add (file, array, error);
}

/**
 * attn_array_file_set_metadata:
 * @value: (nullable): UTF-8 text, or %NULL to remove @key
 */
void
attn_array_file_set_metadata (AttnArrayFile *file,
                              const char    *key,
                              const char    *value)
{
  if (value != NULL)
    g_hash_table_insert (file->metadata, g_strdup (key), g_strdup (value));
  else
    g_hash_table_remove (file->metadata, key);
}

/**
 * attn_array_file_find_single:
 * @n_arrays: (out): the number of arrays of numbers; arrays of text are labels and do not count
 *
 * Returns: (transfer none) (nullable): the array that was selected, or else the only array of
 *   numbers; %NULL if there are several or none
 */
const AttnArray *
attn_array_file_find_single (const AttnArrayFile *file,
                             gsize               *n_arrays)
{
  const AttnArray *found = NULL;

  *n_arrays = 1;
  if (file->selected != NULL)
    return file->selected;
  *n_arrays = 0;
  for (guint i = 0; i < file->arrays->len; i++)
    {
      const AttnArray *array = g_ptr_array_index (file->arrays, i);

      if (array->dtype != ATTN_DTYPE_UNICODE)
        found = (*n_arrays)++ == 0 ? array : NULL;
    }
  return found;
}

static gboolean
is_of_numbers (const AttnArray *array)
{
  return array->dtype != ATTN_DTYPE_UNICODE && array->n_dims > 0;
}

/**
 * attn_array_file_dup_names:
 * @n_arrays: (out): the number of arrays of numbers, without those of a single number (0
 *   dimensions)
 *
 * Returns: (transfer full): the names of the first of these arrays as a list for messages
 */
char *
attn_array_file_dup_names (const AttnArrayFile *file,
                           gsize               *n_arrays)
{
  g_autoptr (GString) names = g_string_new (NULL);

  *n_arrays = 0;
  for (guint i = 0; i < file->arrays->len; i++)
    {
      const AttnArray *array = g_ptr_array_index (file->arrays, i);

      if (!is_of_numbers (array) || (*n_arrays)++ >= N_LISTED)
        continue;
      g_autofree char *name = g_utf8_make_valid (array->name, -1);
      gboolean is_long = g_utf8_strlen (name, -1) > N_SHOWN_CHARACTERS;
      if (is_long)
        *g_utf8_offset_to_pointer (name, N_SHOWN_CHARACTERS) = '\0';
      g_string_append_printf (names, "%s“%s%s”", *n_arrays > 1 ? ", " : "", name,
                              is_long ? "…" : "");
    }
  if (*n_arrays > N_LISTED)
    g_string_append (names, ", …");
  return g_string_free (g_steal_pointer (&names), FALSE);
}

/**
 * attn_array_file_select:
 * @name: the name of an array of numbers
 * @error: return location for %ATTN_ERROR_ARGUMENT, whose message lists the arrays that the file
 *   has
 *
 * Chooses one array of numbers, as the user has asked, and leaves all others out of @file. Arrays
 * of text and single numbers stay.
 */
gboolean
attn_array_file_select (AttnArrayFile  *file,
                        const char     *name,
                        GError        **error)
{
  const AttnArray *wanted = attn_array_file_lookup (file, name);
  gsize n_arrays;

  if (wanted == NULL || !is_of_numbers (wanted))
    {
      g_autofree char *names = attn_array_file_dup_names (file, &n_arrays);

      return attn_fail (error, ATTN_ERROR_ARGUMENT,
                        _("%s: array “%s” asked for and %zu arrays found (%s), expected the name "
                          "of one of them"),
                        file->path, name, n_arrays, names);
    }
  for (guint i = file->arrays->len; i-- > 0;)
    {
      const AttnArray *array = g_ptr_array_index (file->arrays, i);

      if (array == wanted || !is_of_numbers (array))
        continue;
      g_hash_table_remove (file->by_name, array->name);
      g_ptr_array_add (file->left_out, g_ptr_array_steal_index (file->arrays, i));
    }
  file->selected = wanted;
  return TRUE;
}

/**
 * attn_array_file_get_selected:
 *
 * Returns: (transfer none) (nullable): the array that [func@attn_array_file_select] has chosen;
 *   %NULL if no choice was made
 */
const AttnArray *
attn_array_file_get_selected (const AttnArrayFile *file)
{
  return file->selected;
}
