/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Maps device pixels to the cells of a panel. Both the painter and the hit test use it, so that the
 * cell under the pointer is the one that is painted there. Private to src/figure. */

#pragma once

#include "attn-scene.h"

G_BEGIN_DECLS

/**
 * AttnRasterAxis:
 * @start: device pixels, where the shown part begins; need not be whole
 * @extent: length of the shown part in device pixels, above 0
 * @first: cells before the shown part; need not be whole
 * @n_shown: cells in the shown part; need not be whole
 * @n_cells: all cells of the panel along this axis
 * @first_pixel: the first pixel whose centre is within the shown part
 * @n_pixels: number of pixels whose centres are, but at least 1
 * @is_reduced: several cells share a pixel
 */
typedef struct
{
  double start;
  double extent;
  double first;
  double n_shown;
  gsize n_cells;
  int first_pixel;
  int n_pixels;
  gboolean is_reduced;
} AttnRasterAxis;

/**
 * AttnRaster:
 * @level: which reduced level of the panel to read, see attn_panel_get_level()
 */
typedef struct
{
  AttnRasterAxis columns;
  AttnRasterAxis rows;
  guint level;
} AttnRaster;

AttnRaster attn_raster_new      (const AttnMark       *heatmap,
                                 double                pixels_per_point,
                                 double                x_offset,
                                 double                y_offset);
AttnSpan   attn_raster_get_span (const AttnRaster     *raster,
                                 const AttnRasterAxis *axis,
                                 int                   pixel);
int        attn_raster_find     (const AttnRasterAxis *axis,
                                 double                position);

G_END_DECLS
