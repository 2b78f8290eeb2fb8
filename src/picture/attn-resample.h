/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Resizes pictures with the same results as the Python library Pillow. */

#pragma once

#include "attn-image.h"

G_BEGIN_DECLS

/**
 * AttnFilter:
 *
 * The filters for resizing, with the same numbers as in Pillow.
 */
typedef enum
{
  ATTN_FILTER_NEAREST = 0,
  ATTN_FILTER_LANCZOS = 1,
  ATTN_FILTER_BILINEAR = 2,
  ATTN_FILTER_BICUBIC = 3,
  ATTN_FILTER_BOX = 4,
  ATTN_FILTER_HAMMING = 5,
} AttnFilter;

#define ATTN_N_FILTERS 6

/**
 * AttnBox:
 *
 * A rectangle in a picture, whose sides are counted in pixels from the upper left corner of the
 * picture.
 */
typedef struct
{
  double left;
  double top;
  double right;
  double bottom;
} AttnBox;

AttnImage *attn_image_resize (const AttnImage  *image,
                              AttnFilter        filter,
                              gsize             width,
                              gsize             height,
                              const AttnBox    *box,
                              GError          **error);

G_END_DECLS
