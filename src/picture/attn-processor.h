/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Prepares a picture for a model as the checkpoint's preprocessor_config.json says. */

#pragma once

#include "attn-image.h"
#include "attn-resample.h"
#include "attn-tensor.h"

G_BEGIN_DECLS

/**
 * AttnProcessor:
 * @shortest_edge: what the shorter side becomes, the other in proportion; 0 for @height and @width
 * @multiple: that both sides become one of, with the nearest proportions, 0 for the rest of these
 * @least: pixels that it becomes then, at least
 * @most: and at most
 * @crop_height: of the middle that is left, 0 for all, as @crop_width
 * @factor: that the numbers of a pixel are multiplied by, 1 where they are not
 * @mean: of each channel, subtracted after that
 * @deviation: of each channel, divided by
 *
 * Steps in their order: resize, crop, rescale, normalise.
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
