/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-heatmap.h"

#include <math.h>
#include <string.h>

#include "attn-cairo.h"

/* Attribute of functions that are vectorized in any build type, as their loops take most of the
 * time of a frame. */
#define KERNEL __attribute__ ((optimize ("O3")))

static guint32
pack (AttnRgb color)
{
  return (guint32) color.red << 16 | (guint32) color.green << 8 | color.blue;
}

static gboolean
axes_equal (const AttnRasterAxis *a,
            const AttnRasterAxis *b)
{
  return a->start == b->start && a->extent == b->extent && a->first == b->first &&
         a->n_shown == b->n_shown && a->n_cells == b->n_cells && a->n_pixels == b->n_pixels;
}

gboolean
attn_heatmap_key_equal (const AttnHeatmapKey *a,
                        const AttnHeatmapKey *b)
{
  return a->panel == b->panel && a->tile.values == b->tile.values && a->table == b->table &&
         a->scale.kind == b->scale.kind && a->scale.low == b->scale.low &&
         a->scale.high == b->scale.high && a->scale.quantiles == b->scale.quantiles &&
         a->has_masked_color == b->has_masked_color &&
         attn_rgb_equal (a->masked_color, b->masked_color) &&
         axes_equal (&a->raster.columns, &b->raster.columns) &&
         axes_equal (&a->raster.rows, &b->raster.rows);
}

/* Finds the colours of a row of values on a scale whose positions take time to compute. Neighbours
 * often have the same value: the colour of the last value is reused. */
static void
color_curved_row (const AttnScale *scale,
                  const guint32   *table,
                  const float     *values,
                  guint32         *pixels,
                  gsize            n)
{
  for (gsize i = 0; i < n; i++)
    pixels[i] = i > 0 && values[i] == values[i - 1]
                    ? pixels[i - 1]
                    : table[attn_scale_get_index (scale, values[i])];
}

/* Finds the colours of a row of values, as attn_scale_get_index() does. */
KERNEL static void
color_row (const AttnScale *scale,
           const guint32   *table,
           const float     *values,
           guint32         *pixels,
           gsize            n)
{
  const double offset = scale->offset;
  const double factor = scale->factor;

  if (!attn_scale_is_straight (scale) || !(factor > 0))
    {
      color_curved_row (scale, table, values, pixels, n);
      return;
    }
  for (gsize i = 0; i < n; i++)
    {
      double index = (values[i] - offset) * factor * ATTN_COLORMAP_SIZE;

      pixels[i] = index >= ATTN_COLORMAP_SIZE - 1 ? table[ATTN_COLORMAP_SIZE - 1]
                  : index >= 0                    ? table[(guint) index]
                  : index < 0                     ? table[0]
                                                  : table[ATTN_COLORMAP_SIZE];
    }
}

/* Sets largest[i] to the larger of largest[i] and row[i], or to the number of the two that is not
 * NaN. */
KERNEL static void
maximize_row (float       *largest,
              const float *row,
              gsize        n)
{
  for (gsize i = 0; i < n; i++)
    largest[i] = row[i] > largest[i] ? row[i] : largest[i];
}

/* Returns the largest value of a row, or -INFINITY if it has none. */
static float
find_largest_in_span (const float *values,
                      gsize        first,
                      gsize        end)
{
  float largest = values[first];

  for (gsize i = first + 1; i < end; i++)
    largest = values[i] > largest ? values[i] : largest;
  return largest;
}

/* For differences: sets farthest[i] to row[i] if that is farther from 0. NaN means that there is no
 * value so far. */
KERNEL static void
pick_farther_row (float       *farthest,
                  const float *row,
                  gsize        n)
{
  for (gsize i = 0; i < n; i++)
    farthest[i] = attn_panel_pick_farther (farthest[i], row[i]);
}

static float
find_farthest_in_span (const float *values,
                       gsize        first,
                       gsize        end)
{
  float farthest = values[first];

  for (gsize i = first + 1; i < end; i++)
    farthest = attn_panel_pick_farther (farthest, values[i]);
  return farthest;
}

/* Returns the columns of a tile that are not masked in one of its rows. */
static AttnSpan
get_seen (const AttnPanel     *panel,
          const AttnPanelTile *tile,
          gsize                row)
{
  AttnSpan span = attn_panel_get_visible_at (panel, tile->level, tile->first_row + row);
  gsize first = tile->first_column;
  gsize end = first + tile->values->shape[1];

  span.first = CLAMP (span.first, first, end) - first;
  span.end = CLAMP (span.end, first, end) - first;
  return span;
}

/* Returns the columns of a tile from the first to the last that is not masked in at least one of
 * @rows. */
static AttnSpan
get_seen_by_any (const AttnPanel     *panel,
                 const AttnPanelTile *tile,
                 const AttnSpan      *rows)
{
  AttnSpan all = { G_MAXSIZE, 0 };

  for (gsize row = rows->first; row < rows->end; row++)
    {
      AttnSpan span = get_seen (panel, tile, row);

      if (span.first == span.end)
        continue;
      all.first = MIN (all.first, span.first);
      all.end = MAX (all.end, span.end);
    }
  return all;
}

/* Returns the value of a pixel for which maximize_row() and pick_farther_row() found none: 0 if all
 * its cells are masked, -INFINITY if one has this value, else NaN. */
static float
find_rest (const AttnPanel     *panel,
           const AttnPanelTile *tile,
           const AttnSpan      *rows,
           const AttnSpan      *columns)
{
  float rest = 0;

  for (gsize row = rows->first; row < rows->end; row++)
    {
      AttnSpan span = get_seen (panel, tile, row);
      const float *values = tile->values->data + row * tile->values->shape[1];

      for (gsize column = MAX (columns->first, span.first);
           column < MIN (columns->end, span.end); column++)
        {
          if (!isnan (values[column]))
            return -INFINITY;
          rest = NAN;
        }
    }
  return rest;
}

/* Returns for each pixel along an axis of the image the span of cells of the tile that the pixel
 * shows. */
static AttnSpan *
get_spans (const AttnRaster     *raster,
           const AttnRasterAxis *axis,
           guint                 shift,
           gsize                 offset)
{
  AttnSpan *spans = g_new (AttnSpan, axis->n_pixels);

  for (int i = 0; i < axis->n_pixels; i++)
    {
      AttnSpan span = attn_raster_get_span (raster, axis, axis->first_pixel + i);

      spans[i] = (AttnSpan) { (span.first >> shift) - offset,
                              ((span.end - 1) >> shift) + 1 - offset };
    }
  return spans;
}

/* Reduces the cells in @rows to a row of pixels: each is the largest value of the cells under it,
 * or for differences the one farthest from 0. Masked cells are left out; a pixel outside of @seen,
 * with masked cells alone, is 0. */
static void
reduce_row (const AttnPanel     *panel,
            const AttnPanelTile *tile,
            const AttnSpan      *rows,
            const AttnSpan      *columns,
            const AttnSpan      *seen,
            int                  n_pixels,
            float               *scratch,
            float               *out)
{
  const AttnTensor *values = tile->values;
  gboolean is_signed = attn_panel_is_signed (panel);
  gsize from = columns[0].first;
  gsize to = columns[n_pixels - 1].end;
  const float *source = values->data + rows->first * values->shape[1];

  if (rows->end > rows->first + 1 || columns[0].end > columns[0].first + 1 ||
      columns[n_pixels / 2].end > columns[n_pixels / 2].first + 1 ||
      columns[n_pixels - 1].end > columns[n_pixels - 1].first + 1)
    {
      for (gsize i = from; i < to; i++)
        scratch[i] = is_signed ? NAN : -INFINITY;
      for (gsize row = rows->first; row < rows->end; row++)
        {
          AttnSpan span = get_seen (panel, tile, row);
          gsize first = MAX (span.first, from);
          gsize end = MIN (span.end, to);

          if (first >= end)
            continue;
          const float *visible = values->data + row * values->shape[1] + first;
          if (is_signed)
            pick_farther_row (scratch + first, visible, end - first);
          else
            maximize_row (scratch + first, visible, end - first);
        }
      source = scratch;
    }
  for (int i = 0; i < n_pixels; i++)
    if (columns[i].first >= seen->end || columns[i].end <= seen->first)
      out[i] = 0;
    else if (is_signed)
      out[i] = find_farthest_in_span (source, columns[i].first, columns[i].end);
    else
      out[i] = find_largest_in_span (source, columns[i].first, columns[i].end);
  if (source != scratch)
    return;
  for (int i = 0; i < n_pixels; i++)
    if (is_signed ? isnan (out[i]) : out[i] == -INFINITY)
      out[i] = find_rest (panel, tile, rows, &columns[i]);
}

/* Returns the gap between unmasked columns of a tile: the columns that are masked in all of
 * @rows. */
static AttnSpan
get_hole (const AttnPanel     *panel,
          const AttnPanelTile *tile,
          const AttnSpan      *rows)
{
  AttnSpan hole = attn_panel_get_hole_at (
      panel, tile->level,
      (AttnSpan) { rows->first + tile->first_row, rows->end + tile->first_row });
  gsize first = tile->first_column;

  return (AttnSpan) { MAX (hole.first, first) - first, MAX (hole.end, first) - first };
}

/* Paints the pixels under which all cells are masked in @color. */
static void
mask_row (const AttnSpan *columns,
          const AttnSpan *seen,
          const AttnSpan *hole,
          guint32         color,
          guint32        *pixels,
          int             n)
{
  for (int i = 0; i < n; i++)
    if (columns[i].first >= seen->end || columns[i].end <= seen->first ||
        (columns[i].first >= hole->first && columns[i].end <= hole->end))
      pixels[i] = color;
}

/* Paints a whole surface in the colour of NaN, as no values can be read. */
static void
paint_nothing (cairo_surface_t *surface)
{
  cairo_t *cr = cairo_create (surface);

  attn_cairo_set_color (cr, ATTN_COLOR_NAN);
  cairo_paint (cr);
  cairo_destroy (cr);
}

/* Paints a panel pixel by pixel. A row of pixels that shows the same rows of cells as the previous
 * row of pixels is copied. */
cairo_surface_t *
attn_heatmap_paint (const AttnHeatmapKey *key)
{
  int width = key->raster.columns.n_pixels;
  int height = key->raster.rows.n_pixels;
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);

  if (cairo_surface_status (surface) != CAIRO_STATUS_SUCCESS)
    return surface;

  const AttnPanelTile *tile = &key->tile;
  const AttnTensor *values = tile->values;
  if (values == NULL)
    {
      paint_nothing (surface);
      return surface;
    }

  g_autofree AttnSpan *columns =
      get_spans (&key->raster, &key->raster.columns, tile->level, tile->first_column);
  g_autofree AttnSpan *rows =
      get_spans (&key->raster, &key->raster.rows, tile->level, tile->first_row);
  g_autofree float *scratch = g_new (float, values->shape[1]);
  g_autofree float *line = g_new (float, width);
  guint32 table[ATTN_COLORMAP_SIZE + 1];
  gboolean has_masked = key->has_masked_color && attn_panel_has_masked (key->panel);
  guint8 *data = cairo_image_surface_get_data (surface);
  int stride = cairo_image_surface_get_stride (surface);

  for (guint i = 0; i < ATTN_COLORMAP_SIZE; i++)
    table[i] = pack (key->table[i]);
  table[ATTN_COLORMAP_SIZE] = pack (ATTN_COLOR_NAN);
  for (int y = 0; y < height; y++)
    {
      guint8 *pixels = data + (gsize) y * stride;

      if (y > 0 && rows[y].first == rows[y - 1].first && rows[y].end == rows[y - 1].end)
        {
          memcpy (pixels, pixels - stride, (gsize) width * sizeof (guint32));
          continue;
        }

      AttnSpan seen = get_seen_by_any (key->panel, tile, &rows[y]);
      reduce_row (key->panel, tile, &rows[y], columns, &seen, width, scratch, line);
      color_row (&key->scale, table, line, (guint32 *) pixels, width);
      AttnSpan hole = get_hole (key->panel, tile, &rows[y]);
      if (has_masked)
        mask_row (columns, &seen, &hole, pack (key->masked_color), (guint32 *) pixels, width);
    }
  cairo_surface_mark_dirty (surface);
  return surface;
}

/* Returns the span of cells that the pixels of an image show along an axis. */
static AttnSpan
get_axis_part (const AttnRaster     *raster,
               const AttnRasterAxis *axis)
{
  int last_pixel = axis->first_pixel + axis->n_pixels - 1;

  return (AttnSpan) { attn_raster_get_span (raster, axis, axis->first_pixel).first,
                      attn_raster_get_span (raster, axis, last_pixel).end };
}

/* Gets a tile, values of a part of the panel at some level of reduction, from which to draw the
 * cells in @rows and @columns. If @waits, first computes the cells at @level. Returns %TRUE if the
 * tile is as fine as @level. */
gboolean
attn_heatmap_take_tile (AttnPanel     *panel,
                        guint          level,
                        AttnSpan       rows,
                        AttnSpan       columns,
                        gboolean       waits,
                        AttnPanelTile *tile)
{
  AttnPanelTile fine;

  if (attn_panel_get_tile (panel, level, rows, columns, tile))
    return TRUE;
  if (!waits || !attn_panel_load_tile (panel, level, rows, columns, NULL, NULL, &fine, NULL))
    return FALSE;
  attn_panel_tile_clear (tile);
  *tile = fine;
  return TRUE;
}

/* Returns all facts on which the pixels of a heatmap depend. The caller clears the tile in them
 * with attn_panel_tile_clear(). */
AttnHeatmapKey
attn_heatmap_key_new (const AttnMark   *mark,
                      const AttnRaster *raster,
                      gboolean          waits)
{
  const AttnStyle *style = mark->style;
  AttnHeatmapKey key = {
    .panel = attn_mark_get_drawn (mark),
    .raster = *raster,
    .rows = get_axis_part (raster, &raster->rows),
    .columns = get_axis_part (raster, &raster->columns),
    .scale = mark->scale,
    .table = attn_style_get_table (style),
    .has_masked_color = style->has_masked_color,
    .masked_color = style->masked_color,
  };

  key.is_coarse =
      !attn_heatmap_take_tile (key.panel, raster->level, key.rows, key.columns, waits, &key.tile);
  return key;
}

/* Paints the visible cells, none of them cut, as an image: magnified to the same number of whole
 * pixels each, or reduced if there are more than @max_pixels along the longer side. */
cairo_surface_t *
attn_heatmap_paint_cells (const AttnMark    *mark,
                          const AttnVisible *visible,
                          gsize              max_pixels,
                          gsize              max_magnification)
{
  gsize n_columns = visible->columns.end - visible->columns.first;
  gsize n_rows = visible->rows.end - visible->rows.first;
  gsize magnification = CLAMP (max_pixels / MAX (n_columns, n_rows), 1, max_magnification);
  AttnMark whole = *mark;
  gsize total_columns = attn_panel_get_n_columns (mark->panel);
  gsize total_rows = attn_panel_get_n_rows (mark->panel);

  whole.rectangle = (AttnRectangle) {
    0,
    0,
    MIN (n_columns * magnification, max_pixels),
    MIN (n_rows * magnification, max_pixels),
  };
  whole.viewport = (AttnViewport) {
    (double) visible->columns.first / total_columns,
    (double) visible->rows.first / total_rows,
    (double) n_columns / total_columns,
    (double) n_rows / total_rows,
  };

  AttnRaster raster = attn_raster_new (&whole, 1, 0, 0);
  AttnHeatmapKey key = attn_heatmap_key_new (&whole, &raster, TRUE);
  cairo_surface_t *surface = attn_heatmap_paint (&key);
  attn_panel_tile_clear (&key.tile);
  return surface;
}

/* Returns how many pixels an image of a panel needs along its longer side: enough for print, at
 * most @limit. A thumbnail of hundreds of tokens is reduced to that size. */
gsize
attn_heatmap_get_useful_pixels (const AttnMark *mark,
                                gsize           limit)
{
  const double pixels_per_point = 600.0 / 72.0;
  double side = MAX (mark->rectangle.width, mark->rectangle.height);

  return (gsize) CLAMP (side * pixels_per_point, 64, limit);
}
