/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-matrix.h"

#include <glib/gi18n-lib.h>

#include "attn-array-format.h"
#include "attn-error.h"

/**
 * attn_matrix_is_one:
 * @reference: path of a model or of a file of arrays
 *
 * Returns: whether it refers to one matrix in a file: a table (.csv, .tsv), a .npy or a .npz file
 *   whose only array has two dimensions, or a named array of two dimensions. A file that cannot be
 *   read counts as one if it is a table.
 */
gboolean
attn_matrix_is_one (const AttnModelReference *reference)
{
  const char *path = reference->path;

  if (path == NULL || g_file_test (path, G_FILE_TEST_IS_DIR))
    return FALSE;

  if (reference->array == NULL && (!attn_array_format_has (path, ATTN_ARRAY_FORMAT_RECORDING) ||
                                   attn_array_format_has (path, ATTN_ARRAY_FORMAT_MODEL)))
    return FALSE;

  g_autoptr (AttnArrayFile) file = attn_model_reference_load_arrays (reference, NULL);
  gsize n_arrays;
  if (file == NULL)
    return attn_array_format_has (path, ATTN_ARRAY_FORMAT_TEXT);
  const AttnArray *array = attn_array_file_find_single (file, &n_arrays);
  return array != NULL && array->n_dims == 2;
}

/* Returns the labels of @array if the file has labels for it, as files of the command `compute`
 * with several panels have, else the labels of the whole file. */
static char **
dup_labels (const AttnArrayFile *file,
            const AttnArray     *array,
            const char          *side,
            const char          *name,
            gsize                n)
{
  g_autofree char *own = g_strconcat (array->name, "_", side, NULL);
  char **labels = attn_array_file_dup_n_labels (file, own, n);

  return labels != NULL ? labels : attn_array_file_dup_n_labels (file, name, n);
}

/**
 * attn_matrix_load:
 * @error: return location: errors of [func@attn_model_reference_load_arrays]; %ATTN_ERROR_SHAPE
 *   unless there is exactly one array, of two dimensions, neither of them 0
 *
 * Labels are the header and the index column of a table, or in an .npz file the arrays "NAME_rows"
 * and "NAME_columns", or else "row_labels" and "column_labels".
 *
 * Returns: (transfer full) (nullable): the matrix with its labels
 */
AttnMatrixFile *
attn_matrix_load (const AttnModelReference  *reference,
                  GError                   **error)
{
  g_autoptr (AttnArrayFile) file = attn_model_reference_load_arrays (reference, error);
  gsize n_arrays;

  if (file == NULL)
    return NULL;
  const AttnArray *array = attn_array_file_find_single (file, &n_arrays);
  if (array == NULL)
    return attn_fail_null (error, ATTN_ERROR_SHAPE, _("%s: %zu arrays found, expected one"),
                           attn_array_file_get_path (file), n_arrays);
  if (array->n_dims != 2 || array->shape[0] == 0 || array->shape[1] == 0)
    return attn_fail_null (error, ATTN_ERROR_SHAPE,
                           _("%s: an array of %u dimensions and %zu elements found, expected rows "
                             "and columns"),
                           attn_array_file_get_path (file), array->n_dims,
                           attn_array_get_n_elements (array));

  g_autoptr (AttnMatrixFile) matrix = g_new0 (AttnMatrixFile, 1);
  matrix->name = g_strdup (array->name);
  matrix->values = attn_array_to_tensor (array, error);
  matrix->row_labels = dup_labels (file, array, "rows", "row_labels", array->shape[0]);
  matrix->column_labels = dup_labels (file, array, "columns", "column_labels", array->shape[1]);
  return matrix->values != NULL ? g_steal_pointer (&matrix) : NULL;
}

void
attn_matrix_free (AttnMatrixFile *matrix)
{
  if (matrix == NULL)
    return;
  g_free (matrix->name);
  g_clear_pointer (&matrix->values, attn_tensor_unref);
  g_strfreev (matrix->row_labels);
  g_strfreev (matrix->column_labels);
  g_free (matrix);
}
