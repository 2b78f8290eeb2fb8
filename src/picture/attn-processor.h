/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Prepares pictures for a model: resizes and crops them and scales their numbers, as the
 * checkpoint's preprocessor_config.json says. */

#pragma once

#include "attn-image.h"
#include "attn-resample.h"
#include "attn-tensor.h"

G_BEGIN_DECLS

/**
 * AttnProcessor:
 * @resizes: whether pictures are resized
 * @filter: the filter for resizing
 * @shortest_edge: the new length of the shorter side in pixels, the other side in proportion; if 0,
 *   @height and @width are the new sides
 * @multiple: if not 0, both sides become multiples of it, with about the same proportions, and the
 *   three members before are not used
 * @least: with @multiple, the fewest pixels that the picture gets
 * @most: with @multiple, the most pixels that it gets
 * @crop_height: the height of the middle part that is kept, 0 for the whole picture
 * @crop_width: its width
 * @factor: the factor that the numbers of a pixel, 0 to 255, are multiplied by; 1 for none
 * @mean: for each channel a number that is then subtracted
 * @deviation: for each channel a number that the difference is divided by
 *
 * Steps by which pictures are prepared for a model, in their order: resize, crop, rescale
 * (@factor), normalise (@mean, @deviation).
 */
typedef struct
{
  gboolean resizes;
  AttnFilter filter;
  gsize shortest_edge;
  gsize height;
  gsize width;
  gsize multiple;
  gsize least;
  gsize most;
  gsize crop_height;
  gsize crop_width;
  double factor;
  double mean[3];
  double deviation[3];
} AttnProcessor;

gboolean    attn_processor_load    (const char           *path,
                                    const char           *family,
                                    AttnProcessor        *processor,
                                    GError              **error);
AttnTensor *attn_processor_prepare (const AttnProcessor  *processor,
                                    const AttnImage      *image,
                                    AttnImage           **prepared,
                                    AttnBox              *box,
                                    GError              **error);

G_END_DECLS
