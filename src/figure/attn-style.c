/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-style.h"

/**
 * attn_style_default:
 *
 * Returns: black on white without the white, coolwarm from 0 to 1 with a tick every 0.2, everything
 * shown
 */
AttnStyle
attn_style_default (void)
{
  return (AttnStyle) {
    .colormap = ATTN_COLORMAP_COOLWARM,
    .low = 0,
    .high = 1,
    .tick = 0.2,
    .font_family = g_intern_static_string ("Sans"),
    .font_size = 9,
    .n_digits = 2,
    .foreground = { 0, 0, 0 },
    .background = { 255, 255, 255 },
    .has_background = FALSE,
    .shows_titles = TRUE,
    .shows_caption = TRUE,
    .shows_colorbar = TRUE,
    .shows_tokens = TRUE,
    .shows_values = TRUE,
  };
}

/**
 * attn_style_get_color:
 * @value: a value of a panel
 *
 * Returns: the colour in which it is drawn, on screen and in every file
 */
AttnRgb
attn_style_get_color (const AttnStyle *style,
                      double           value)
{
  return attn_colormap_get (style->colormap, attn_style_get_position (style, value));
}
