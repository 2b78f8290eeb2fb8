/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-raster.h"

#include <math.h>

/* The part of a cell below which a span that reaches into the next cell does so only by
 * rounding. */
#define CELL_EPSILON 1e-6

/* The largest number of pixels of an axis, which must fit in an int. */
#define MAX_PIXELS 1e9

#define MAX_LEVEL 20

static AttnRasterAxis
make_axis (double start,
           double extent,
           double viewport_start,
           double viewport_extent,
           gsize  n_cells)
{
  AttnRasterAxis axis = {
    .start = start,
    .extent = MAX (extent, 1e-3),
    .first = viewport_start * n_cells,
    .n_shown = viewport_extent * n_cells,
    .n_cells = n_cells,
  };
  double first_pixel = ceil (axis.start - 0.5);
  double end_pixel = ceil (axis.start + axis.extent - 0.5);

  axis.first_pixel = (int) CLAMP (first_pixel, -MAX_PIXELS, MAX_PIXELS);
  axis.n_pixels = (int) CLAMP (end_pixel - first_pixel, 1, MAX_PIXELS);
  axis.is_reduced = axis.n_shown > axis.extent * (1 + CELL_EPSILON);
  return axis;
}

/**
 * attn_raster_new:
 * @heatmap: a mark of kind %ATTN_MARK_HEATMAP
 * @pixels_per_point: device pixels per scene unit
 * @x_offset: device pixels of the scene's origin
 * @y_offset: the same, downwards
 */
AttnRaster
attn_raster_new (const AttnMark *heatmap,
                 double          pixels_per_point,
                 double          x_offset,
                 double          y_offset)
{
  const AttnRectangle *rectangle = &heatmap->rectangle;
  const AttnViewport *viewport = &heatmap->viewport;
  AttnRaster raster = {
    .columns =
        make_axis (rectangle->x * pixels_per_point + x_offset, rectangle->width * pixels_per_point,
                   viewport->x, viewport->width, attn_panel_get_n_columns (heatmap->panel)),
    .rows =
        make_axis (rectangle->y * pixels_per_point + y_offset, rectangle->height * pixels_per_point,
                   viewport->y, viewport->height, attn_panel_get_n_rows (heatmap->panel)),
  };

  /* A reduced cell is at most one pixel wide, so that a bright cell in it is at most one pixel
   * off. */
  if (raster.columns.is_reduced && raster.rows.is_reduced)
    {
      double cells_per_pixel = MIN (raster.columns.n_shown / raster.columns.extent,
                                    raster.rows.n_shown / raster.rows.extent);
      raster.level = (guint) CLAMP (floor (log2 (cells_per_pixel)), 0, MAX_LEVEL);
    }
  return raster;
}

static double
get_cell_position (const AttnRasterAxis *axis,
                   double                position)
{
  return axis->first + (position - axis->start) / axis->extent * axis->n_shown;
}

/**
 * attn_raster_get_span:
 * @axis: the columns or the rows of @raster
 * @pixel: from first_pixel on, below first_pixel + n_pixels
 *
 * Where cells are larger than pixels, the span is one cell: the one under the centre of the pixel.
 * Otherwise it is every cell that the pixel touches, rounded outwards to cells of the raster's
 * level; the pixels at both ends take what a panel's edge between two pixels would leave over.
 *
 * Returns: the cells under the pixel
 */
AttnSpan
attn_raster_get_span (const AttnRaster     *raster,
                      const AttnRasterAxis *axis,
                      int                   pixel)
{
  double last_cell = axis->n_cells - 1;
  double lowest = CLAMP (floor (axis->first + CELL_EPSILON), 0, last_cell);
  double highest = CLAMP (ceil (axis->first + axis->n_shown - CELL_EPSILON) - 1, lowest, last_cell);

  if (!axis->is_reduced)
    {
      double cell = floor (get_cell_position (axis, pixel + 0.5) + CELL_EPSILON);
      gsize first = (gsize) CLAMP (cell, lowest, highest);
      return (AttnSpan) { first, first + 1 };
    }

  int last_pixel = axis->first_pixel + axis->n_pixels - 1;
  double from =
      pixel <= axis->first_pixel ? lowest : floor (get_cell_position (axis, pixel) + CELL_EPSILON);
  double to = pixel >= last_pixel ? highest
                                  : ceil (get_cell_position (axis, pixel + 1.0) - CELL_EPSILON) - 1;
  gsize a = (gsize) CLAMP (from, lowest, highest);
  gsize b = (gsize) CLAMP (to, a, highest);

  return (AttnSpan) { a >> raster->level << raster->level,
                      MIN (((b >> raster->level) + 1) << raster->level, axis->n_cells) };
}

/**
 * attn_raster_find:
 * @position: device pixels
 *
 * Returns: the pixel of the axis that holds @position, or the nearest
 */
int
attn_raster_find (const AttnRasterAxis *axis,
                  double                position)
{
  return (int) CLAMP (floor (position), axis->first_pixel, axis->first_pixel + axis->n_pixels - 1);
}
