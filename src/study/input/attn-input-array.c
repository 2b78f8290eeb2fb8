/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-input-array.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-array.h"
#include "attn-error.h"

/**
 * attn_input_load_array:
 * @path: path of a file that holds one array
 * @n_dims: number of dimensions of the array
 * @dims: names of these dimensions for error messages, such as "[channels, height, width]"
 * @error: return location: #GFileError, %ATTN_ERROR_FORMAT for a file of another format or numbers
 *   that are not finite, %ATTN_ERROR_SHAPE for another array
 *
 * Reads an array that a model takes without preparation, such as pixels.
 *
 * Returns: (transfer full) (nullable): the array, not empty
 */
AttnTensor *
attn_input_load_array (const char  *path,
                       guint        n_dims,
                       const char  *dims,
                       GError     **error)
{
  g_autoptr (AttnArrayFile) file = attn_array_file_load (path, error);
  g_autofree char *where = g_filename_display_name (path);

  if (file == NULL)
    return NULL;
  if (attn_array_file_get_n_arrays (file) != 1)
    return attn_fail_null (error, ATTN_ERROR_FORMAT, _("%s: %zu arrays found, expected one"), where,
                           attn_array_file_get_n_arrays (file));

  const AttnArray *array = attn_array_file_get_nth (file, 0);
  if (array->n_dims != n_dims)
    {
      g_autofree char *shape = attn_shape_to_string (array->n_dims, array->shape);

      return attn_fail_null (error, ATTN_ERROR_SHAPE, _("%s: shape %s found, expected %s"), where,
                             shape, dims);
    }
  if (attn_array_get_n_elements (array) == 0)
    return attn_fail_null (error, ATTN_ERROR_SHAPE, _("%s: an empty array found, expected %s"),
                           where, dims);
  g_autoptr (AttnTensor) tensor = attn_array_to_tensor (array, error);
  for (gsize i = 0; tensor != NULL && i < attn_tensor_get_n_elements (tensor); i++)
    if (!isfinite (tensor->data[i]))
      return attn_fail_null (error, ATTN_ERROR_FORMAT,
                             _("%s: %g found at %zu, expected finite numbers"), where,
                             tensor->data[i], i);
  return g_steal_pointer (&tensor);
}
