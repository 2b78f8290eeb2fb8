/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The look of a figure. A plain value: copy it, change it, pass it on. */

#pragma once

#include "attn-colormap.h"
#include "attn-scale.h"

G_BEGIN_DECLS

/**
 * AttnRangeScope:
 * @ATTN_RANGE_SCOPE_GRID: all panels share one scale and one colour bar
 * @ATTN_RANGE_SCOPE_ROW: the panels of a row of the grid share one
 * @ATTN_RANGE_SCOPE_PANEL: each panel has a scale and a colour bar of its own
 */
typedef enum
{
  ATTN_RANGE_SCOPE_GRID,
  ATTN_RANGE_SCOPE_ROW,
  ATTN_RANGE_SCOPE_PANEL,
} AttnRangeScope;

#define ATTN_N_RANGE_SCOPES 3

/**
 * AttnStyle:
 * @low: value at the lower end of the colour bar, for %ATTN_RANGE_FIXED and %ATTN_RANGE_AUTOMATIC
 * @high: value at its upper end
 * @tick: step between the colour bar's ticks, for a linear scale from @low to @high
 * @font_family: interned string, see g_intern_string(); "Sans" by default
 * @font_size: of token labels and ticks, in points; titles and caption are larger by fixed ratios
 * @n_digits: decimals of the numbers in small cells; large ones have as many more as tell a
 *   thousandth of the scale
 * @foreground: text, lines and frames
 * @background: behind everything; painted only if @has_background
 * @has_background: off lets the window show through, on for exported figures
 * @shows_tokens: token labels along the axes, where there is room
 * @shows_positions: before each token label, the position of the token in its input
 * @shows_values: numbers in the cells, where there is room
 * @is_reversed: the colour map from its upper to its lower end
 * @scale: how values become positions on the colour bar
 * @range: which values the ends of the colour bar have
 * @range_scope: which panels have these ends in common
 * @clip: percent of the values left out at each end, for %ATTN_RANGE_CLIPPED
 * @marks_overflow: triangles at the ends of the colour bar where values lie beyond them
 * @has_masked_color: masked cells in @masked_color; off gives them the colour of 0
 * @shows_key: below the colour bar, the colours of NaN and of masked cells, where they occur
 * @heat_opacity: how opaque the cells' colours are over a picture: 1 hides the picture
 * @has_smooth_heat: these colours blend from the middle of a cell to the middle of the next
 * @largest_label: on a screen: points to which token labels grow with the cells; 0 on paper, where
 *   they are no larger than @font_size
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

  gboolean is_reversed;
  AttnScaleKind scale;
  AttnRangeKind range;
  AttnRangeScope range_scope;
  double clip;
  gboolean marks_overflow;
  gboolean has_masked_color;
  AttnRgb masked_color;
  gboolean shows_key;
  gboolean shows_positions;
  double heat_opacity;
  gboolean has_smooth_heat;
  double largest_label;
} AttnStyle;

/* Indices in a palette, a colour map with two more colours: that of NaN, and that of masked
 * cells. */
#define ATTN_PALETTE_NAN    ATTN_COLORMAP_SIZE
#define ATTN_PALETTE_MASKED (ATTN_COLORMAP_SIZE + 1)
#define ATTN_PALETTE_SIZE   (ATTN_COLORMAP_SIZE + 2)

AttnStyle      attn_style_default     (void);
AttnStyle      attn_style_get_paper    (const AttnStyle *style);
AttnStyle      attn_style_get_difference (const AttnStyle *style);
AttnScale      attn_style_get_scale   (const AttnStyle *style);
const AttnRgb *attn_style_get_table   (const AttnStyle *style);
AttnRgb        attn_style_get_distinct (const AttnStyle *style,
                                        gsize            index);
void           attn_style_get_palette (const AttnStyle *style,
                                       AttnRgb          palette[ATTN_PALETTE_SIZE]);

/* (array zero-terminated=1): names of the scopes of a range on the command line and in files,
 * indexed by AttnRangeScope */
extern const char * const attn_range_scope_names[];

G_END_DECLS
