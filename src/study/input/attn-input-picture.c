/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-input-picture.h"

#include <float.h>
#include <math.h>

#include "attn-error.h"
#include "attn-image-read.h"
#include "attn-input-array.h"
#include "attn-processor.h"

/* Largest side of a picture in a figure, in pixels: 180 mm at 140 dots per inch. */
#define MAX_SHOWN 1024

/* Converts pixel values to 8 bits for display: by undoing the processor's normalisation with mean
 * and deviation, or without a processor by scaling the smallest to 0 and the largest to 255. */
static AttnImage *
show_array (const AttnTensor     *pixels,
            const AttnProcessor  *processor,
            GError              **error)
{
  gsize n = pixels->shape[1] * pixels->shape[2];
  AttnImage *image = attn_image_new (pixels->shape[2], pixels->shape[1], error);
  float smallest = pixels->data[0], largest = pixels->data[0];

  for (gsize i = 0; i < pixels->shape[0] * n; i++)
    {
      smallest = MIN (smallest, pixels->data[i]);
      largest = MAX (largest, pixels->data[i]);
    }
  for (gsize i = 0; image != NULL && i < 3 * n; i++)
    {
      gsize channel = i % 3 < pixels->shape[0] ? i % 3 : 0;
      double value = pixels->data[channel * n + i / 3];

      value = processor != NULL
                  ? (value * processor->deviation[channel] + processor->mean[channel]) /
                        processor->factor
                  : (value - smallest) / MAX (largest - smallest, FLT_MIN) * 255.0;
      image->rgb[i] = (guint8) CLAMP (value + 0.5, 0.0, 255.0);
    }
  return image;
}

/* Returns the part of @image that whole patches cover, in full resolution. @prepared: the picture
 * as the model gets it, which is the part @box of @image */
static AttnImage *
show_picture (const AttnImage      *image,
              const AttnImage      *prepared,
              const AttnBox        *box,
              const AttnModelInfo  *info,
              GError              **error)
{
  gsize patch = info->patch_size;
  gsize height = prepared->height / patch * patch, width = prepared->width / patch * patch;
  double across = (box->right - box->left) / (double) prepared->width;
  double down = (box->bottom - box->top) / (double) prepared->height;
  const AttnBox part = { box->left, box->top, box->left + across * (double) width,
                         box->top + down * (double) height };
  const AttnBox own = { 0.0, 0.0, (double) width, (double) height };
  gsize most = MAX (MAX_SHOWN / MAX (MAX (height, width), 1), 1);
  gsize times = (gsize) CLAMP (floor (MAX (across, down) + 0.5), 1.0, (double) most);
  gboolean is_within = part.left >= 0.0 && part.top >= 0.0 &&
                       part.right <= (double) image->width &&
                       part.bottom <= (double) image->height;

  if (height == 0 || width == 0)
    return attn_image_ref ((AttnImage *) prepared);
  return is_within ? attn_image_resize (image, ATTN_FILTER_LANCZOS, times * width, times * height,
                                        &part, error)
                   : attn_image_resize (prepared, ATTN_FILTER_BOX, width, height, &own, error);
}

/**
 * attn_input_load_picture:
 * @input: an input that has pictures
 * @index: index of the picture to load
 * @model: a model that takes pictures
 * @image: (out) (transfer full): the picture as the figure shows it, cut to what whole patches
 *   cover
 * @error: return location: #GFileError, %ATTN_ERROR_FORMAT and %ATTN_ERROR_SHAPE for a file that is
 *   not a picture or such an array, %ATTN_ERROR_UNSUPPORTED for a processor that is not known,
 *   %ATTN_ERROR_LIMIT, %ATTN_ERROR_MEMORY
 *
 * Reads a picture and prepares it as the model's processor says, or reads an array without
 * preparation.
 *
 * Returns: (transfer full) (nullable): the pixels that the model takes, [channels, height, width]
 */
AttnTensor *
attn_input_load_picture (const AttnInput  *input,
                         gsize             index,
                         const AttnModel  *model,
                         AttnImage       **image,
                         GError          **error)
{
  const AttnModelInfo *info = attn_model_get_info (model);
  const char *path = attn_model_get_path (model);
  AttnProcessor processor;

  if (input->pixels != NULL)
    {
      gboolean is_known = attn_processor_load (path, info->family, &processor, NULL);
      g_autoptr (AttnTensor) pixels =
          attn_input_load_array (input->pixels[index], 3, "[channels, height, width]", error);

      if (pixels == NULL)
        return NULL;
      g_autoptr (AttnImage) whole =
          show_array (pixels, is_known && pixels->shape[0] == 3 ? &processor : NULL, error);
      const AttnBox box = { 0.0, 0.0, (double) pixels->shape[2], (double) pixels->shape[1] };
      *image = whole != NULL ? show_picture (whole, whole, &box, info, error) : NULL;
      return *image != NULL ? g_steal_pointer (&pixels) : NULL;
    }

  g_autoptr (AttnImage) read = NULL;
  g_autoptr (AttnImage) prepared = NULL;
  AttnBox box;
  if (!attn_processor_load (path, info->family, &processor, error) ||
      (read = attn_image_read (input->images[index], error)) == NULL)
    return NULL;
  g_autoptr (AttnTensor) pixels =
      attn_processor_prepare (&processor, read, &prepared, &box, error);
  *image = pixels != NULL ? show_picture (read, prepared, &box, info, error) : NULL;
  return *image != NULL ? g_steal_pointer (&pixels) : NULL;
}
