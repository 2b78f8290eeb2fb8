/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-painter-private.h"

#include "attn-cairo.h"
#include "attn-heatmap.h"

/* The number of visible cells above which a panel is an image in a PDF. */
#define MAX_RECTANGLES 20000

/* The size of cells, in points, below which a panel is an image in a PDF. */
#define SMALLEST_RECTANGLE 0.5

/* The largest image in a PDF, in pixels along the longer side. Cells are magnified to whole pixels
 * as far as this allows. */
#define MAX_IMAGE_PIXELS  2048
#define MAX_MAGNIFICATION 8

/* Draws runs of cells as rectangles. Viewers antialias the edge between two adjacent rectangles,
 * and the paper would shine through. So each run, neighbouring cells of one colour, extends below
 * the next one at its right and the next row, which are painted over it. */
static void
draw_runs (cairo_t           *cr,
           const AttnMark    *mark,
           const AttnVisible *visible)
{
  AttnRgb palette[ATTN_PALETTE_SIZE];

  attn_style_get_palette (mark->style, palette);
  for (gsize row = visible->rows.first; row < visible->rows.end; row++)
    {
      double y = visible->y + (row - visible->rows.first) * visible->cell_height;
      gsize start = visible->columns.first;

      while (start < visible->columns.end)
        {
          AttnRgb color = palette[attn_mark_get_index (mark, row, start)];
          gsize end = start + 1;

          while (end < visible->columns.end &&
                 attn_rgb_equal (color, palette[attn_mark_get_index (mark, row, end)]))
            end++;
          attn_cairo_set_color (cr, color);
          cairo_rectangle (cr, visible->x + (start - visible->columns.first) * visible->cell_width,
                           y,
                           (end - start + (end < visible->columns.end ? 0.5 : 0)) *
                               visible->cell_width,
                           (row + 1 < visible->rows.end ? 1.5 : 1) * visible->cell_height);
          cairo_fill (cr);
          start = end;
        }
    }
}

static void
draw_image (cairo_t           *cr,
            const AttnMark    *mark,
            const AttnVisible *visible)
{
  gsize n_columns = visible->columns.end - visible->columns.first;
  gsize n_rows = visible->rows.end - visible->rows.first;
  g_autoptr (cairo_surface_t) surface =
      attn_heatmap_paint_cells (mark, visible,
                                attn_heatmap_get_useful_pixels (mark, MAX_IMAGE_PIXELS),
                                MAX_MAGNIFICATION);
  int width = cairo_image_surface_get_width (surface);
  int height = cairo_image_surface_get_height (surface);

  if (cairo_surface_status (surface) != CAIRO_STATUS_SUCCESS)
    return;
  cairo_save (cr);
  cairo_translate (cr, visible->x, visible->y);
  cairo_scale (cr, n_columns * visible->cell_width / width, n_rows * visible->cell_height / height);
  cairo_set_source_surface (cr, surface, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
  cairo_rectangle (cr, 0, 0, width, height);
  cairo_fill (cr);
  cairo_restore (cr);
}

/* Draws the cells of a panel as rectangles, with cells of one colour joined along the rows. Large
 * panels are drawn as an image. */
void
attn_painter_draw_vector_heatmap (cairo_t        *cr,
                                  const AttnMark *mark)
{
  AttnVisible visible = attn_visible_get (mark);
  gsize n_cells =
      (visible.rows.end - visible.rows.first) * (visible.columns.end - visible.columns.first);

  cairo_save (cr);
  cairo_rectangle (cr, mark->rectangle.x, mark->rectangle.y, mark->rectangle.width,
                   mark->rectangle.height);
  cairo_clip (cr);
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_NONE);
  if (n_cells <= MAX_RECTANGLES &&
      MIN (visible.cell_width, visible.cell_height) >= SMALLEST_RECTANGLE)
    draw_runs (cr, mark, &visible);
  else
    draw_image (cr, mark, &visible);
  cairo_restore (cr);
}

/* Draws the colours of a colour bar, beginning at its lower end, each from its place to the upper
 * end, so that there are no seams. */
void
attn_painter_draw_vector_colorbar (cairo_t        *cr,
                                   const AttnMark *mark)
{
  const AttnRgb *table = attn_style_get_table (mark->style);
  const AttnRectangle *rectangle = &mark->rectangle;

  for (guint i = 0; i < ATTN_COLORMAP_SIZE; i++)
    {
      double share = (double) (ATTN_COLORMAP_SIZE - i) / ATTN_COLORMAP_SIZE;

      if (i > 0 && attn_rgb_equal (table[i], table[i - 1]))
        continue;
      attn_cairo_set_color (cr, table[i]);
      if (mark->angle != 0)
        cairo_rectangle (cr, rectangle->x + rectangle->width * (1 - share), rectangle->y,
                         rectangle->width * share, rectangle->height);
      else
        cairo_rectangle (cr, rectangle->x, rectangle->y, rectangle->width,
                         rectangle->height * share);
      cairo_fill (cr);
    }
}

/* Traces the visible sides of a region as lines, joined at common corners. */
void
attn_painter_trace_sides (cairo_t        *cr,
                          const AttnMark *mark)
{
  const AttnRectangle *r = &mark->rectangle;
  AttnPoint corners[5];

  cairo_new_path (cr);
  if (mark->sides == ATTN_SIDE_ALL)
    {
      cairo_rectangle (cr, r->x, r->y, r->width, r->height);
      return;
    }
  cairo_set_line_cap (cr, CAIRO_LINE_CAP_SQUARE);
  attn_scene_get_corners (r, corners);
  for (guint side = 0; side < 4; side++)
    if ((mark->sides & 1u << side) != 0)
      {
        cairo_move_to (cr, corners[side].x, corners[side].y);
        cairo_line_to (cr, corners[side + 1].x, corners[side + 1].y);
      }
}
