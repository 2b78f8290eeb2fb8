/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-contrast.h"

#include <math.h>

/* The relative luminance at which black and white text have the same contrast (WCAG 2: contrast (L
 * + 0.05) / 0.05 equals 1.05 / (L + 0.05)). */
#define MIDDLE_LUMINANCE 0.179

static double
to_linear (guint8 channel)
{
  double c = channel / 255.0;

  return c <= 0.04045 ? c / 12.92 : pow ((c + 0.055) / 1.055, 2.4);
}

/**
 * attn_contrast_get_text:
 * @color: behind the text, sRGB
 *
 * Returns: black or white, whichever stands out from it (WCAG 2, relative luminance)
 */
AttnRgb
attn_contrast_get_text (AttnRgb color)
{
  double luminance = 0.2126 * to_linear (color.red) + 0.7152 * to_linear (color.green) +
                     0.0722 * to_linear (color.blue);

  return luminance > MIDDLE_LUMINANCE ? (AttnRgb) { 0, 0, 0 } : (AttnRgb) { 255, 255, 255 };
}
