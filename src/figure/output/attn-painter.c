/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-painter.h"

#include <math.h>

#include "attn-cairo.h"
#include "attn-heatmap.h"
#include "attn-lettering.h"
#include "attn-painter-private.h"
#include "attn-pictures.h"
#include "attn-raster.h"

typedef struct
{
  AttnHeatmapKey key;
  cairo_surface_t *surface;
} Image;

/**
 * AttnPainter:
 *
 * Keeps the pixels of the panels of the scene that it drew last. Used by one thread.
 */
struct _AttnPainter
{
  GPtrArray *images; /* element-type Image */
  gboolean waits;
  GPtrArray *missing; /* element-type AttnPanelPart: parts of panels that were missing in the scene
                       * drawn last */
  AttnPictures *pictures;
};

/* Transform from points of the scene to whole device pixels. */
typedef struct
{
  double scale; /* device pixels per scene unit */
  double x;     /* x of the scene's origin in device pixels */
  double y;
  double device_scale; /* number of device pixels per unit of the target: 2 on a HiDPI screen */
  gboolean is_vector;
} Device;

static void
free_image (gpointer data)
{
  Image *image = data;

  attn_panel_unref (image->key.panel);
  attn_panel_tile_clear (&image->key.tile);
  g_clear_pointer (&image->key.scale.quantiles, g_atomic_rc_box_release);
  cairo_surface_destroy (image->surface);
  g_free (image);
}

/**
 * attn_painter_new:
 *
 * Returns: (transfer full): a painter that keeps no pixels yet
 */
AttnPainter *
attn_painter_new (void)
{
  AttnPainter *painter = g_new0 (AttnPainter, 1);

  painter->images = g_ptr_array_new_with_free_func (free_image);
  painter->pictures = attn_pictures_new ();
  painter->missing = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_panel_part_free);
  return painter;
}

/**
 * attn_painter_free:
 * @painter: (transfer full)
 */
void
attn_painter_free (AttnPainter *painter)
{
  g_ptr_array_unref (painter->images);
  attn_pictures_free (painter->pictures);
  g_ptr_array_unref (painter->missing);
  g_free (painter);
}

/**
 * attn_painter_set_waits:
 * @waits: whether [func@attn_painter_draw] has long panels, which keep only some cells in memory,
 *   read the cells that the scene shows at full resolution; if not, it draws what is in memory,
 *   reduced cells among it, and
 *   [func@attn_painter_get_missing] says what is missing. Off to begin with.
 */
void
attn_painter_set_waits (AttnPainter *painter,
                        gboolean     waits)
{
  painter->waits = waits;
}

/**
 * attn_painter_get_missing:
 *
 * Returns: (transfer none) (element-type AttnPanelPart): the parts of long panels that the scene
 *   drawn last shows coarser than its pixels are; valid until the next scene is drawn
 */
GPtrArray *
attn_painter_get_missing (AttnPainter *painter)
{
  return painter->missing;
}

static void
add_missing (AttnPainter          *painter,
             const AttnHeatmapKey *key)
{
  const AttnPanelPart part = { attn_panel_ref (key->panel), key->raster.level, key->rows,
                               key->columns };

  g_ptr_array_add (painter->missing, g_memdup2 (&part, sizeof part));
}

static Device
get_device (cairo_t *cr,
            double   pixels_per_point)
{
  cairo_matrix_t matrix;
  cairo_surface_type_t type = cairo_surface_get_type (cairo_get_group_target (cr));

  cairo_get_matrix (cr, &matrix);
  double device_scale = matrix.xx > 0 ? pixels_per_point / matrix.xx : 1;
  return (Device) {
    .scale = pixels_per_point,
    .x = matrix.x0 * device_scale,
    .y = matrix.y0 * device_scale,
    .device_scale = device_scale,
    .is_vector = type == CAIRO_SURFACE_TYPE_PDF || type == CAIRO_SURFACE_TYPE_PS ||
                 type == CAIRO_SURFACE_TYPE_SVG,
  };
}

/* Returns the image of a heatmap: the image drawn for the last scene if its key, all that its
 * pixels depend on, is equal; else a new image. */
static cairo_surface_t *
get_surface (AttnPainter      *painter,
             GPtrArray        *images,
             const AttnMark   *mark,
             const AttnRaster *raster)
{
  AttnHeatmapKey key = attn_heatmap_key_new (mark, raster, painter->waits);
  Image *image = NULL;

  if (key.is_coarse)
    add_missing (painter, &key);
  key.raster.columns.start -= raster->columns.first_pixel;
  key.raster.columns.first_pixel = 0;
  key.raster.rows.start -= raster->rows.first_pixel;
  key.raster.rows.first_pixel = 0;
  for (guint i = 0; i < painter->images->len && image == NULL; i++)
    if (attn_heatmap_key_equal (&((Image *) g_ptr_array_index (painter->images, i))->key, &key))
      image = g_ptr_array_steal_index_fast (painter->images, i);
  if (image == NULL)
    {
      image = g_new0 (Image, 1);
      image->key = key;
      attn_panel_ref (image->key.panel);
      if (key.scale.quantiles != NULL)
        g_atomic_rc_box_acquire (key.scale.quantiles);
      image->surface = attn_heatmap_paint (&key);
    }
  else
    attn_panel_tile_clear (&key.tile);
  g_ptr_array_add (images, image);
  return image->surface;
}

/* Scales @cr so that one unit is one device pixel. */
static void
begin_pixels (cairo_t      *cr,
              const Device *device)
{
  cairo_save (cr);
  cairo_identity_matrix (cr);
  cairo_scale (cr, 1 / device->device_scale, 1 / device->device_scale);
}

static void
draw_heatmap (AttnPainter    *painter,
              GPtrArray      *images,
              cairo_t        *cr,
              const Device   *device,
              const AttnMark *mark)
{
  AttnRaster raster = attn_raster_new (mark, device->scale, device->x, device->y);
  cairo_surface_t *surface = get_surface (painter, images, mark, &raster);

  /* Cairo could not make an image of that size: the cells are drawn as on a target without
   * pixels. */
  if (cairo_surface_status (surface) != CAIRO_STATUS_SUCCESS)
    {
      attn_painter_draw_vector_heatmap (cr, mark);
      return;
    }
  begin_pixels (cr, device);
  cairo_set_source_surface (cr, surface, raster.columns.first_pixel, raster.rows.first_pixel);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
  cairo_rectangle (cr, raster.columns.first_pixel, raster.rows.first_pixel, raster.columns.n_pixels,
                   raster.rows.n_pixels);
  cairo_fill (cr);
  cairo_restore (cr);
}

/* Rounds a rectangle to whole device pixels, as the edges of a heatmap are. */
static AttnRectangle
snap (const Device        *device,
      const AttnRectangle *rectangle)
{
  double left = ceil (rectangle->x * device->scale + device->x - 0.5);
  double top = ceil (rectangle->y * device->scale + device->y - 0.5);
  double right = ceil ((rectangle->x + rectangle->width) * device->scale + device->x - 0.5);
  double bottom = ceil ((rectangle->y + rectangle->height) * device->scale + device->y - 0.5);

  return (AttnRectangle) { left, top, right - left, bottom - top };
}

/* Draws a picture that is an input of the model, clipped to the cells. */
static void
draw_picture (AttnPainter    *painter,
              cairo_t        *cr,
              const Device   *device,
              const AttnMark *mark)
{
  const AttnViewport *viewport = &mark->viewport;
  /* A smooth image of the values is not cached: each layout of the figure makes a new image, so
   * that a cached one would never be used again. */
  AttnPictures *pictures = g_str_equal (mark->role, "heat") ? NULL : painter->pictures;
  const AttnRectangle whole = {
    mark->rectangle.x - viewport->x / viewport->width * mark->rectangle.width,
    mark->rectangle.y - viewport->y / viewport->height * mark->rectangle.height,
    mark->rectangle.width / viewport->width,
    mark->rectangle.height / viewport->height,
  };

  cairo_save (cr);
  if (device->is_vector)
    attn_pictures_draw (pictures, cr, mark->image, mark->opacity, &mark->rectangle, &whole, FALSE);
  else
    {
      AttnRectangle part = snap (device, &mark->rectangle);
      AttnRectangle all = snap (device, &whole);

      begin_pixels (cr, device);
      attn_pictures_draw (pictures, cr, mark->image, mark->opacity, &part, &all, TRUE);
      cairo_restore (cr);
    }
  cairo_restore (cr);
}

/* Rounds the width of a line to whole device pixels. */
static double
snap_width (const Device *device,
            double        width)
{
  return MAX (round (width * device->scale), 1);
}

/* Draws a colour bar: vertical with the lower end at the bottom, or horizontal with it at the
 * left. */
static void
draw_colorbar (cairo_t        *cr,
               const Device   *device,
               const AttnMark *mark)
{
  const AttnRectangle *exact = &mark->rectangle;
  AttnRectangle bar = snap (device, exact);
  const AttnRgb *table = attn_style_get_table (mark->style);
  gboolean is_level = mark->angle != 0;
  double start = is_level ? exact->x * device->scale + device->x
                          : exact->y * device->scale + device->y;
  double length = (is_level ? exact->width : exact->height) * device->scale;
  double first = is_level ? bar.x : bar.y;

  begin_pixels (cr, device);
  for (double p = first; p < first + (is_level ? bar.width : bar.height); p++)
    {
      double position = (p + 0.5 - start) / length;
      double index = CLAMP ((is_level ? position : 1 - position) * ATTN_COLORMAP_SIZE, 0,
                            ATTN_COLORMAP_SIZE - 1);

      attn_cairo_set_color (cr, table[(guint) index]);
      if (is_level)
        cairo_rectangle (cr, p, bar.y, 1, MAX (bar.height, 1));
      else
        cairo_rectangle (cr, bar.x, p, MAX (bar.width, 1), 1);
      cairo_fill (cr);
    }
  cairo_restore (cr);
}

static void
set_ink (cairo_t        *cr,
         const AttnMark *mark)
{
  cairo_set_source_rgba (cr, mark->color.red / 255.0, mark->color.green / 255.0,
                         mark->color.blue / 255.0, mark->opacity);
}

/* Sets the dashes of a line or curve. @scale: units of @cr per point */
static void
set_dashes (cairo_t        *cr,
            const AttnMark *mark,
            double          scale)
{
  const double dashes[] = { mark->dashes[0] * scale, mark->dashes[1] * scale };

  cairo_set_dash (cr, dashes, mark->dashes[0] > 0 ? 2 : 0, 0);
}

/* Draws a rectangle with its frame outside, where it covers no cell; on targets without pixels it
 * overlaps the edge a little, so that no paper shines through. */
static void
draw_rectangle (cairo_t        *cr,
                const Device   *device,
                const AttnMark *mark)
{
  const AttnRectangle *rectangle = &mark->rectangle;

  set_ink (cr, mark);
  if (device->is_vector)
    {
      double half = mark->is_filled ? 0 : mark->line_width / 4;

      cairo_rectangle (cr, rectangle->x - half, rectangle->y - half, rectangle->width + 2 * half,
                       rectangle->height + 2 * half);
      cairo_set_line_width (cr, mark->line_width);
      if (mark->is_filled)
        cairo_fill (cr);
      else
        cairo_stroke (cr);
      return;
    }

  AttnRectangle box = snap (device, rectangle);
  double line = mark->is_filled ? 0 : snap_width (device, mark->line_width);

  begin_pixels (cr, device);
  cairo_set_fill_rule (cr, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_rectangle (cr, box.x - line, box.y - line, box.width + 2 * line, box.height + 2 * line);
  if (!mark->is_filled)
    cairo_rectangle (cr, box.x, box.y, box.width, box.height);
  cairo_fill (cr);
  cairo_restore (cr);
}

/* Draws a triangle, as at an end of a colour bar beyond which there are values. Its base is as wide
 * as the bar, rounded to pixels as the bar is. */
static void
draw_triangle (cairo_t         *cr,
               const Device    *device,
               const AttnStyle *style,
               const AttnMark  *mark)
{
  AttnRectangle box = mark->rectangle;
  double line = mark->line_width;

  cairo_save (cr);
  if (!device->is_vector)
    {
      box = snap (device, &box);
      line = MAX (line * device->scale, 1);
      cairo_identity_matrix (cr);
      cairo_scale (cr, 1 / device->device_scale, 1 / device->device_scale);
    }
  AttnPoint corners[3];
  attn_scene_get_triangle (&box, mark->angle, corners);
  cairo_new_path (cr);
  for (guint i = 0; i < 3; i++)
    cairo_line_to (cr, corners[i].x, corners[i].y);
  cairo_close_path (cr);
  attn_cairo_set_color (cr, mark->color);
  cairo_fill_preserve (cr);
  attn_cairo_set_color (cr, style->foreground);
  cairo_set_line_width (cr, line);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  if (mark->line_width > 0)
    cairo_stroke (cr);
  cairo_new_path (cr);
  cairo_restore (cr);
}

/* Draws the sides of a region, in the middle of the edges between cells, and on the same whole
 * pixels as the cells. */
static void
draw_sides (cairo_t        *cr,
            const Device   *device,
            const AttnMark *mark,
            double          line_width)
{
  double line = snap_width (device, line_width);
  AttnRectangle box = snap (device, &mark->rectangle);
  AttnPoint corners[5];

  if (device->is_vector)
    {
      cairo_save (cr);
      cairo_set_line_width (cr, line_width);
      attn_painter_trace_sides (cr, mark);
      cairo_stroke (cr);
      cairo_restore (cr);
      return;
    }
  attn_scene_get_corners (&box, corners);
  begin_pixels (cr, device);
  for (guint side = 0; side < 4; side++)
    if ((mark->sides & 1u << side) != 0)
      {
        double x = MIN (corners[side].x, corners[side + 1].x);
        double y = MIN (corners[side].y, corners[side + 1].y);

        cairo_rectangle (cr, x - floor (line / 2), y - floor (line / 2),
                         line + (side % 2 == 0 ? box.width : 0),
                         line + (side % 2 == 0 ? 0 : box.height));
      }
  cairo_fill (cr);
  cairo_restore (cr);
}

/* Draws the outline of a region. A pin has a white line in the middle of its black one. */
static void
draw_region (cairo_t        *cr,
             const Device   *device,
             const AttnMark *mark)
{
  attn_cairo_set_color (cr, mark->color);
  draw_sides (cr, device, mark, mark->line_width);
  if (!g_str_equal (mark->role, "pin"))
    return;
  attn_cairo_set_color (cr, (AttnRgb) { 255, 255, 255 });
  draw_sides (cr, device, mark, mark->line_width * ATTN_PIN_SHARE);
}

/* Draws a line: horizontal and vertical ones as whole device pixels, others as strokes. */
static void
draw_line (cairo_t        *cr,
           const Device   *device,
           const AttnMark *mark)
{
  const AttnRectangle *rectangle = &mark->rectangle;
  gboolean is_level = rectangle->height == 0;

  set_ink (cr, mark);
  if (device->is_vector || (!is_level && rectangle->width != 0))
    {
      cairo_save (cr);
      set_dashes (cr, mark, 1);
      cairo_move_to (cr, rectangle->x, rectangle->y);
      cairo_rel_line_to (cr, rectangle->width, rectangle->height);
      cairo_set_line_width (cr, mark->line_width);
      cairo_stroke (cr);
      cairo_restore (cr);
      return;
    }

  AttnRectangle box = snap (device, rectangle);
  double line = snap_width (device, mark->line_width);
  double x = is_level ? box.x : round (rectangle->x * device->scale + device->x - line / 2);
  double y = is_level ? round (rectangle->y * device->scale + device->y - line / 2) : box.y;

  begin_pixels (cr, device);
  if (mark->dashes[0] > 0)
    {
      set_dashes (cr, mark, device->scale);
      cairo_set_line_width (cr, line);
      cairo_move_to (cr, x + (is_level ? 0 : line / 2), y + (is_level ? line / 2 : 0));
      cairo_rel_line_to (cr, is_level ? box.width : 0, is_level ? 0 : box.height);
      cairo_stroke (cr);
    }
  else
    {
      cairo_rectangle (cr, x, y, is_level ? box.width : line, is_level ? line : box.height);
      cairo_fill (cr);
    }
  cairo_restore (cr);
}

static void
draw_curve (cairo_t        *cr,
            const AttnMark *mark)
{
  cairo_save (cr);
  set_ink (cr, mark);
  set_dashes (cr, mark, 1);
  cairo_set_line_width (cr, mark->line_width);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  /* A text drawn before leaves a current point in Cairo, from which a line would start. */
  cairo_new_path (cr);
  for (gsize i = 0; i < mark->n_points; i++)
    if (isnan (mark->points[i].y))
      cairo_new_sub_path (cr);
    else
      cairo_line_to (cr, mark->points[i].x, mark->points[i].y);
  cairo_stroke (cr);
  cairo_restore (cr);
}

static void
draw_text (cairo_t         *cr,
           const AttnStyle *style,
           const AttnMark  *mark)
{
  cairo_save (cr);
  set_ink (cr, mark);
  cairo_translate (cr, mark->rectangle.x, mark->rectangle.y);
  cairo_rotate (cr, -mark->angle * G_PI / 180);
  attn_lettering_show (cr, style->font_family, mark->markup, mark->font_size, mark->anchor);
  cairo_restore (cr);
}

/* Tells whether any part of @box is within the area to which drawing on @cr is clipped. */
static gboolean
is_drawn (cairo_t             *cr,
          const AttnRectangle *box)
{
  double left, top, right, bottom;

  cairo_clip_extents (cr, &left, &top, &right, &bottom);
  return box->x < right && box->x + box->width > left && box->y < bottom &&
         box->y + box->height > top;
}

/**
 * attn_painter_draw:
 * @scene: what to draw
 * @cr: what to draw on; its matrix may move and scale equally in both directions, nothing else
 * @pixels_per_point: device pixels per scene unit, the matrix and the screen's scale factor
 *   together
 *
 * Cells, frames and ticks are drawn on whole device pixels: the centre of a pixel decides which
 * cell it shows, and where several cells share a pixel, it shows the largest. On PDF the cells are
 * vectors.
 */
void
attn_painter_draw (AttnPainter     *painter,
                   const AttnScene *scene,
                   cairo_t         *cr,
                   double           pixels_per_point)
{
  const AttnStyle *style = &scene->style;
  g_autoptr (GPtrArray) images = g_ptr_array_new_with_free_func (free_image);

  g_return_if_fail (pixels_per_point > 0);

  g_ptr_array_set_size (painter->missing, 0);
  if (cairo_status (cr) != CAIRO_STATUS_SUCCESS)
    return;

  Device device = get_device (cr, pixels_per_point);
  cairo_save (cr);
  if (style->has_background)
    {
      attn_cairo_set_color (cr, style->background);
      cairo_rectangle (cr, 0, 0, scene->width, scene->height);
      cairo_fill (cr);
    }
  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      switch (mark->kind)
        {
        case ATTN_MARK_HEATMAP:
          if (device.is_vector)
            attn_painter_draw_vector_heatmap (cr, mark);
          else if (is_drawn (cr, &mark->rectangle))
            draw_heatmap (painter, images, cr, &device, mark);
          break;
        case ATTN_MARK_COLORBAR:
          if (device.is_vector)
            attn_painter_draw_vector_colorbar (cr, mark);
          else
            draw_colorbar (cr, &device, mark);
          break;
        case ATTN_MARK_RECTANGLE:
          draw_rectangle (cr, &device, mark);
          break;
        case ATTN_MARK_LINE:
          draw_line (cr, &device, mark);
          break;
        case ATTN_MARK_CURVE:
          draw_curve (cr, mark);
          break;
        case ATTN_MARK_TEXT:
          draw_text (cr, style, mark);
          break;
        case ATTN_MARK_TRIANGLE:
          draw_triangle (cr, &device, style, mark);
          break;
        case ATTN_MARK_REGION:
          draw_region (cr, &device, mark);
          break;
        case ATTN_MARK_PICTURE:
          draw_picture (painter, cr, &device, mark);
          break;
        default:
          g_assert_not_reached ();
        }
    }
  cairo_restore (cr);
  g_ptr_array_unref (painter->images);
  painter->images = g_steal_pointer (&images);
}
