/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How a figure looks. A plain value: copy it, change it, pass it on. */

#pragma once

#include "attn-colormap.h"

G_BEGIN_DECLS

/**
 * AttnStyle:
 * @low: value at the lower end of the colour bar
 * @high: value at its upper end
 * @tick: step between the colour bar's ticks
 * @font_family: interned string, see g_intern_string(); "Sans" by default
 * @font_size: of token labels and ticks, in points; titles and caption are larger by fixed ratios
 * @n_digits: significant digits of the numbers in cells
 * @foreground: text, lines and frames
 * @background: behind everything; painted only if @has_background
 * @has_background: off lets the window show through, on for exported figures
 * @shows_tokens: token labels along the axes, where there is room
 * @shows_values: numbers in the cells, where there is room
 */
typedef struct
{
  AttnColormap colormap;
  double low;
  double high;
  double tick;
  const char *font_family;
  double font_size;
  guint n_digits;
  AttnRgb foreground;
  AttnRgb background;
  gboolean has_background;
  gboolean shows_titles;
  gboolean shows_caption;
  gboolean shows_colorbar;
  gboolean shows_tokens;
  gboolean shows_values;
} AttnStyle;

/* Where @value lies between the ends of the colour bar, 0 to 1 and beyond; NaN for NaN. Where the
 * range is empty or upside down, 0 below its lower end and 1 from there on. */
static inline double
attn_style_get_position (const AttnStyle *style,
                         double           value)
{
  if (style->high > style->low)
    return (value - style->low) * (1 / (style->high - style->low));
  return value != value ? value : value >= style->low;
}

AttnStyle attn_style_default   (void);
AttnRgb   attn_style_get_color (const AttnStyle *style,
                                double           value);

G_END_DECLS
