/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-style.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-contrast.h"
#include "attn-error.h"

const char * const attn_range_scope_names[] = {
  [ATTN_RANGE_SCOPE_GRID] = "grid",
  [ATTN_RANGE_SCOPE_ROW] = "row",
  [ATTN_RANGE_SCOPE_PANEL] = "panel",
  NULL,
};

/**
 * attn_style_default:
 *
 * Returns: black without a background, coolwarm from 0 to 1 with a tick every 0.2, every part of
 *   the figure shown
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
    .scale = ATTN_SCALE_LINEAR,
    .range = ATTN_RANGE_AUTOMATIC,
    .range_scope = ATTN_RANGE_SCOPE_GRID,
    .clip = 1,
    .marks_overflow = TRUE,
    .heat_opacity = 0.6,
    .masked_color = { 192, 192, 192 },
  };
}

/**
 * attn_style_get_difference:
 *
 * Returns: @style for panels of differences: red above 0, white at 0, blue below, with 0 in the
 *   middle of the scale, whose ends are those of the data where @style has fixed ones
 */
AttnStyle
attn_style_get_difference (const AttnStyle *style)
{
  AttnStyle difference = *style;

  difference.colormap = ATTN_COLORMAP_RDBU;
  difference.is_reversed = TRUE;
  difference.scale = ATTN_SCALE_SYMMETRIC;
  if (style->range == ATTN_RANGE_FIXED || style->range == ATTN_RANGE_AUTOMATIC)
    difference.range = ATTN_RANGE_DATA;
  return difference;
}

/**
 * attn_style_get_scale:
 *
 * Returns: the scale from @style's low to its high value. Scales and ranges that depend on the data
 *   come from [func@attn_range_resolve].
 */
AttnScale
attn_style_get_scale (const AttnStyle *style)
{
  return attn_scale_new (style->scale, style->low, style->high, NULL);
}

/**
 * attn_style_get_table:
 *
 * Returns: (array fixed-size=256): the colours from the lower to the upper end of the colour bar
 */
const AttnRgb *
attn_style_get_table (const AttnStyle *style)
{
  return attn_colormap_get_table (style->colormap, style->is_reversed);
}

/**
 * attn_style_get_distinct:
 * @index: index of a head, a curve or a column of bars
 *
 * Returns: a colour of [func@attn_contrast_get_distinct], for a dark ground if the style's text is
 *   light
 */
AttnRgb
attn_style_get_distinct (const AttnStyle *style,
                         gsize            index)
{
  /* Black is the colour that stands out from a light text: the text is on a dark background. */
  gboolean is_on_dark = attn_contrast_get_text (style->foreground).red == 0;

  return attn_contrast_get_distinct (index, is_on_dark);
}

/**
 * attn_style_get_palette:
 * @palette: (out): the 256 colours of the map, the colour of NaN, and that of masked cells
 */
void
attn_style_get_palette (const AttnStyle *style,
                        AttnRgb          palette[ATTN_PALETTE_SIZE])
{
  memcpy (palette, attn_style_get_table (style), ATTN_COLORMAP_SIZE * sizeof *palette);
  palette[ATTN_PALETTE_NAN] = ATTN_COLOR_NAN;
  palette[ATTN_PALETTE_MASKED] = style->masked_color;
}

/**
 * attn_style_get_paper:
 *
 * Returns: @style for a file: black on white if @style has no background. On the screen such a
 *   style lets the window show through, and its text has the window's colour
 */
AttnStyle
attn_style_get_paper (const AttnStyle *style)
{
  AttnStyle paper = *style;

  if (paper.has_background)
    return paper;
  paper.has_background = TRUE;
  paper.background = (AttnRgb) { 255, 255, 255 };
  paper.foreground = (AttnRgb) { 0, 0, 0 };
  return paper;
}
