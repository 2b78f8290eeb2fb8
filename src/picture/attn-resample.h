/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Resizes pictures with the same results as Pillow. */

#pragma once

#include "attn-image.h"

G_BEGIN_DECLS

/**
 * AttnFilter:
 *
 * Filters by the numbers that Pillow gives them.
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
 * A part of a picture, in its pixels from the upper left corner on.
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
