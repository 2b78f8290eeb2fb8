/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-contrast.h"

#include <math.h>

/* The relative luminance at which black and white text have the same contrast (WCAG 2: contrast (L
 * + 0.05) / 0.05 equals 1.05 / (L + 0.05)). */
#define MIDDLE_LUMINANCE 0.179

/* Colours of Okabe and Ito 2008, "Color Universal Design", without black, the colour of text, and
 * without yellow, which cannot be seen on white. */
static const AttnRgb colors[] = {
  { 0x00, 0x72, 0xb2 },
  { 0xd5, 0x5e, 0x00 },
  { 0x00, 0x9e, 0x73 },
  { 0xcc, 0x79, 0xa7 },
  { 0xe6, 0x9f, 0x00 },
  { 0x56, 0xb4, 0xe9 },
};

G_STATIC_ASSERT (ATTN_N_DISTINCT == 3 * G_N_ELEMENTS (colors));

static double
to_linear (guint8 channel)
{
  double c = channel / 255.0;

  return c <= 0.04045 ? c / 12.92 : pow ((c + 0.055) / 1.055, 2.4);
}

static double
from_linear (double c)
{
  return c <= 0.0031308 ? 12.92 * c : 1.055 * pow (c, 1 / 2.4) - 0.055;
}

/* Mixes a channel of a colour with black or white, and rounds the result towards black or white. */
static guint8
mix_channel (guint8   channel,
             double   share,
             gboolean with_white)
{
  double c = 255 * from_linear ((1 - share) * to_linear (channel) + (with_white ? share : 0));

  return (guint8) CLAMP (with_white ? ceil (c) : floor (c), 0, 255);
}

/**
 * attn_contrast_mix:
 * @color: sRGB
 * @share: that of black or white, from 0 to 1
 * @with_white: whether @color is mixed with white, not with black
 *
 * Mixes light: the luminance of the mixture is that share of the way to 0 or to 1, or a little
 * further, never less.
 */
AttnRgb
attn_contrast_mix (AttnRgb  color,
                   double   share,
                   gboolean with_white)
{
  return (AttnRgb) {
    mix_channel (color.red, share, with_white),
    mix_channel (color.green, share, with_white),
    mix_channel (color.blue, share, with_white),
  };
}

/**
 * attn_contrast_get_luminance:
 *
 * Returns: the relative luminance of a sRGB colour (WCAG 2), from 0 for black to 1 for white
 */
double
attn_contrast_get_luminance (AttnRgb color)
{
  return 0.2126 * to_linear (color.red) + 0.7152 * to_linear (color.green) +
         0.0722 * to_linear (color.blue);
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
  return attn_contrast_get_luminance (color) > MIDDLE_LUMINANCE ? (AttnRgb) { 0, 0, 0 }
                                                                : (AttnRgb) { 255, 255, 255 };
}

/**
 * attn_contrast_get_distinct:
 * @index: of a head, a curve or a column of bars
 * @is_on_dark: the ground is dark, as in a dark window
 *
 * Six colours that people with any kind of colour vision tell apart; from the seventh on the same
 * ones darker, then lighter, %ATTN_N_DISTINCT in all, and again. On a dark ground all are lighter,
 * by a share of white in each round.
 */
AttnRgb
attn_contrast_get_distinct (gsize    index,
                            gboolean is_on_dark)
{
  static const double kept_on_light[] = { 1, 0.55, 0.55 };
  static const double white_on_light[] = { 0, 0, 0.45 };
  static const double white_on_dark[] = { 0.45, 0.2, 0.7 };
  AttnRgb color = colors[index % G_N_ELEMENTS (colors)];
  gsize round = index % ATTN_N_DISTINCT / G_N_ELEMENTS (colors);
  double kept = is_on_dark ? 1 - white_on_dark[round] : kept_on_light[round];
  double added = 255 * (is_on_dark ? white_on_dark : white_on_light)[round];

  return (AttnRgb) {
    (guint8) lround (kept * color.red + added),
    (guint8) lround (kept * color.green + added),
    (guint8) lround (kept * color.blue + added),
  };
}
