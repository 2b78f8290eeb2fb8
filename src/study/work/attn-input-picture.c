/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-input-picture.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-array.h"
#include "attn-error.h"

/* An array as it is. */
static AttnTensor *
load_array (const char  *path,
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
  if (array->n_dims != 3)
    {
      g_autofree char *shape = attn_shape_to_string (array->n_dims, array->shape);

      return attn_fail_null (error, ATTN_ERROR_SHAPE,
                             _("%s: shape %s found, expected [channels, height, width]"), where,
                             shape);
    }
  g_autoptr (AttnTensor) pixels = attn_array_to_tensor (array, error);
  for (gsize i = 0; pixels != NULL && i < attn_tensor_get_n_elements (pixels); i++)
    if (!isfinite (pixels->data[i]))
      return attn_fail_null (error, ATTN_ERROR_FORMAT,
                             _("%s: %g found at %zu, expected finite numbers"), where,
                             pixels->data[i], i);
  return g_steal_pointer (&pixels);
}

/**
 * attn_input_load_pixels:
 * @input: a picture
 * @model: one of pictures
 * @error: return location: #GFileError, %ATTN_ERROR_FORMAT and %ATTN_ERROR_SHAPE for a file of
 *   something else, %ATTN_ERROR_LIMIT
 *
 * Returns: (transfer full) (nullable): [channels, height, width], as the model takes it
 */
AttnTensor *
attn_input_load_pixels (const AttnInput  *input,
                        const AttnModel  *model,
                        GError          **error)
{
  return load_array (input->pixels, error);
}
