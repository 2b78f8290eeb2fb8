/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the picture of a recording and the grid of its patches, which are squares of the picture
 * and the last keys. */

#include "config.h"

#include "attn-recording-picture.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-error.h"

#define GRID  "grid"
#define IMAGE "image"

/* Reads “grid”, two whole numbers: rows and columns of patches. The patches are the last keys, and
 * keys before them are leading tokens such as [CLS]. */
static gboolean
read_grid (AttnRecording    *recording,
           const AttnArray  *array,
           GError          **error)
{
  const char *path = attn_array_file_get_path (recording->file);
  AttnModelInfo *info = &recording->model.info;
  float sides[2] = { 0.0f, 0.0f };

  if (array->dtype == ATTN_DTYPE_UNICODE || attn_array_get_n_elements (array) != 2 ||
      !attn_array_read (array, 0, 2, sides, NULL))
    return attn_fail (error, ATTN_ERROR_SHAPE,
                      _("%s: “%s” of %zu elements found, expected the rows and columns of patches"),
                      path, GRID, attn_array_get_n_elements (array));
  if (!(sides[0] >= 1.0f && sides[1] >= 1.0f && sides[0] <= G_MAXINT16 &&
        sides[1] <= G_MAXINT16 && floorf (sides[0]) == sides[0] && floorf (sides[1]) == sides[1] &&
        (gsize) sides[0] * (gsize) sides[1] <= recording->n_keys))
    return attn_fail (error, ATTN_ERROR_SHAPE,
                      _("%s: “%s” of %g x %g patches found, expected whole numbers and at most the "
                        "%zu keys"),
                      path, GRID, (double) sides[0], (double) sides[1], recording->n_keys);
  info->n_patch_rows = (gsize) sides[0];
  info->n_patch_columns = (gsize) sides[1];
  info->n_leading_tokens = recording->n_keys - info->n_patch_rows * info->n_patch_columns;
  return TRUE;
}

/* Tells whether the labels of the recording are "0", "1", …, which stand for missing labels. */
static gboolean
are_numbers (const char * const *labels)
{
  for (gsize i = 0; labels[i] != NULL; i++)
    {
      g_autofree char *number = g_strdup_printf ("%zu", i);

      if (!g_str_equal (labels[i], number))
        return FALSE;
    }
  return TRUE;
}

/* Makes labels for @n tokens: the number for tokens before the patches, then "ROW,COLUMN" for the
 * patches. */
static char **
name_patches (const AttnModelInfo *info,
              gsize                n)
{
  char **labels = g_new0 (char *, n + 1);

  for (gsize i = 0; i < n; i++)
    {
      gsize patch = i - MIN (i, info->n_leading_tokens);

      labels[i] = i < info->n_leading_tokens
                      ? g_strdup_printf ("%zu", i)
                      : g_strdup_printf ("%zu,%zu", patch / info->n_patch_columns,
                                         patch % info->n_patch_columns);
    }
  return labels;
}

/* Labels patches by row and column where the recording has no labels: keys, and queries if there
 * are as many of them, since they are then the same tokens. */
static void
name_tokens (AttnRecording *recording)
{
  AttnModel *model = &recording->model;
  AttnTokens *tokens = model->recorded_tokens;

  if (are_numbers ((const char * const *) model->recorded_keys))
    {
      g_strfreev (model->recorded_keys);
      model->recorded_keys = name_patches (&model->info, recording->n_keys);
    }
  if (tokens->n_tokens == recording->n_keys && are_numbers ((const char * const *) tokens->labels))
    {
      g_autofree guint32 *ids = attn_tokens_dup_ids (tokens);
      g_auto (GStrv) labels = name_patches (&model->info, tokens->n_tokens);

      model->recorded_tokens = attn_tokens_new_from_ids (ids, tokens->n_tokens, labels);
      attn_tokens_unref (tokens);
    }
}

/* Tells from the shape of an array of pixels how its rows, columns and channels (red, green, blue)
 * lie. Returns FALSE for a shape that is no picture. @steps: (out): elements from one row, column
 * and channel to the next */
static gboolean
find_planes (const AttnArray *array,
             gsize           *height,
             gsize           *width,
             gsize            steps[3])
{
  const gsize *shape = array->shape;
  gboolean is_grey = array->n_dims == 2;
  gboolean is_last = array->n_dims == 3 && (shape[2] == 3 || shape[2] == 4 || shape[2] == 1);
  gboolean is_first = !is_last && array->n_dims == 3 && (shape[0] == 3 || shape[0] == 1);

  if (!is_grey && !is_last && !is_first)
    return FALSE;
  *height = shape[is_first ? 1 : 0];
  *width = shape[is_first ? 2 : 1];
  steps[0] = is_last ? *width * shape[2] : *width;
  steps[1] = is_last ? shape[2] : 1;
  steps[2] = is_last    ? (shape[2] == 1 ? 0 : 1)
             : is_first ? (shape[0] == 1 ? 0 : *height * *width)
                        : 0;
  return *height > 0 && *width > 0;
}

/* Reads the picture from an array of pixels. Its values go from 0 to 255 if they are integers or
 * one is above 1, else from 0 to 1. */
static gboolean
read_pixels (AttnRecording    *recording,
             const AttnArray  *array,
             GError          **error)
{
  const char *path = attn_array_file_get_path (recording->file);
  gboolean is_real = array->dtype <= ATTN_DTYPE_F64;
  gsize height, width, steps[3];
  float largest = 0.0f;

  if (!find_planes (array, &height, &width, steps))
    {
      g_autofree char *shape = attn_shape_to_string (array->n_dims, array->shape);

      return attn_fail (error, ATTN_ERROR_SHAPE,
                        _("%s: “%s” of shape %s found, expected [height, width, 3], [3, height, "
                          "width], [height, width], or the path of a picture"),
                        path, IMAGE, shape);
    }
  g_autoptr (AttnTensor) pixels = attn_array_to_tensor (array, error);
  AttnImage *image = pixels != NULL ? attn_image_new (width, height, error) : NULL;
  if (image == NULL)
    return FALSE;
  for (gsize i = 0; i < attn_tensor_get_n_elements (pixels); i++)
    largest = MAX (largest, pixels->data[i]);
  float factor = is_real && largest <= 1.0f ? 255.0f : 1.0f;
  for (gsize y = 0; y < height; y++)
    for (gsize x = 0; x < width; x++)
      for (gsize channel = 0; channel < 3; channel++)
        {
          float value =
              factor * pixels->data[y * steps[0] + x * steps[1] + channel * steps[2]] + 0.5f;

          image->rgb[3 * (y * width + x) + channel] =
              (guint8) (value > 0.0f ? MIN (value, 255.0f) : 0.0f);
        }
  recording->model.image = image;
  return TRUE;
}

/**
 * attn_recording_load_picture:
 * @recording: (inout): with its sizes and labels set
 * @error: return location: %ATTN_ERROR_SHAPE for arrays of another shape, %ATTN_ERROR_FORMAT for a
 *   grid without a picture, %ATTN_ERROR_MEMORY
 *
 * If the file has a “grid”, the rows and columns of patches, its last keys are these patches, row
 * by row, and “image” is their picture: an array of pixels, or the path of a file, which may be
 * relative to the recording's folder. A file is not read here but by the code that displays it.
 */
gboolean
attn_recording_load_picture (AttnRecording  *recording,
                             GError        **error)
{
  const AttnArray *grid = attn_array_file_lookup (recording->file, GRID);
  const AttnArray *image = attn_array_file_lookup (recording->file, IMAGE);
  g_auto (GStrv) paths = NULL;

  if (grid == NULL)
    return TRUE;
  if (image == NULL)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: “%s” found and no “%s”, expected the picture of these patches"),
                      attn_array_file_get_path (recording->file), GRID, IMAGE);
  if (!read_grid (recording, grid, error))
    return FALSE;
  name_tokens (recording);
  if (image->dtype != ATTN_DTYPE_UNICODE)
    return read_pixels (recording, image, error);
  paths = attn_array_dup_strings (image, error);
  if (paths == NULL)
    return FALSE;
  if (g_strv_length (paths) != 1 || *paths[0] == '\0')
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: “%s” of %u texts found, expected the path of one picture"),
                      attn_array_file_get_path (recording->file), IMAGE, g_strv_length (paths));
  g_autofree char *folder = g_path_get_dirname (recording->model.path);
  recording->model.image_path = g_path_is_absolute (paths[0])
                                    ? g_strdup (paths[0])
                                    : g_build_filename (folder, paths[0], NULL);
  return TRUE;
}
