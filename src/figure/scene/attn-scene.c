/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-scene.h"

#include <math.h>

#include "attn-raster.h"

/* The widths in points of ticks, and of other lines that are not given a width. */
#define TICK_WIDTH 0.5

static void
free_mark (gpointer data)
{
  AttnMark *mark = data;

  g_clear_pointer (&mark->panel, attn_panel_unref);
  g_clear_pointer (&mark->drawn, attn_panel_unref);
  g_clear_pointer (&mark->image, attn_image_unref);
  g_clear_pointer (&mark->scale.quantiles, g_atomic_rc_box_release);
  g_free (mark->markup);
  g_free (mark->points);
  g_free (mark->id);
  g_free (mark);
}

/**
 * attn_scene_new:
 * @width: points
 * @height: points
 * @style: copied
 * @grid: (nullable): the panels that are shown
 *
 * Returns: (transfer full): an empty scene. It is filled by its maker and immutable once other
 *   threads see it.
 */
AttnScene *
attn_scene_new (double           width,
                double           height,
                const AttnStyle *style,
                AttnGrid        *grid)
{
  AttnScene *scene = g_new0 (AttnScene, 1);

  scene->width = width;
  scene->height = height;
  scene->style = *style;
  scene->difference_style = attn_style_get_difference (style);
  scene->grid = grid != NULL ? attn_grid_ref (grid) : NULL;
  scene->marks = g_ptr_array_new_with_free_func (free_mark);
  scene->heatmaps = g_ptr_array_new ();
  scene->regions = g_ptr_array_new ();
  return scene;
}

/**
 * attn_scene_add:
 * @group: see #AttnMark
 * @role: see #AttnMark
 *
 * Later marks are drawn over earlier ones.
 *
 * Returns: (transfer none): a mark in the style's foreground for the caller to fill in; the scene
 *   takes over its @panel and its @drawn (a reference each), its @markup, its @points and its @id
 */
AttnMark *
attn_scene_add (AttnScene    *scene,
                AttnMarkKind  kind,
                int           group,
                const char   *role)
{
  AttnMark *mark = g_new0 (AttnMark, 1);

  mark->kind = kind;
  mark->group = group;
  mark->role = role;
  mark->head = -1;
  mark->token = -1;
  mark->color = scene->style.foreground;
  mark->opacity = 1;
  mark->viewport = ATTN_VIEWPORT_FIT;
  mark->style = &scene->style;
  mark->scale = attn_style_get_scale (&scene->style);
  g_ptr_array_add (scene->marks, mark);
  if (kind == ATTN_MARK_HEATMAP)
    g_ptr_array_add (scene->heatmaps, mark);
  if (kind == ATTN_MARK_REGION)
    g_ptr_array_add (scene->regions, mark);
  return mark;
}

/**
 * attn_scene_add_values:
 * @scale: how values become colours; copied
 * @is_difference: whether the values are differences, which have other colours
 *
 * Adds a mark of kind %ATTN_MARK_HEATMAP or %ATTN_MARK_COLORBAR.
 *
 * Returns: (transfer none): the mark
 */
AttnMark *
attn_scene_add_values (AttnScene       *scene,
                       AttnMarkKind     kind,
                       int              group,
                       const char      *role,
                       const AttnScale *scale,
                       gboolean         is_difference)
{
  AttnMark *mark = attn_scene_add (scene, kind, group, role);

  if (is_difference)
    mark->style = &scene->difference_style;
  mark->scale = *scale;
  if (scale->quantiles != NULL)
    g_atomic_rc_box_acquire (scale->quantiles);
  return mark;
}

/**
 * attn_scene_add_text:
 * @markup: (transfer full): see #AttnMark
 * @x: points, of the anchor point
 * @y: points, of the baseline
 * @size: points
 * @angle: degrees, counter-clockwise
 *
 * Adds text on one line.
 *
 * Returns: (transfer none): the mark
 */
AttnMark *
attn_scene_add_text (AttnScene  *scene,
                     int         group,
                     const char *role,
                     char       *markup,
                     double      x,
                     double      y,
                     double      size,
                     AttnAnchor  anchor,
                     double      angle)
{
  AttnMark *mark = attn_scene_add (scene, ATTN_MARK_TEXT, group, role);

  mark->markup = markup;
  mark->rectangle.x = x;
  mark->rectangle.y = y;
  mark->font_size = size;
  mark->anchor = anchor;
  mark->angle = angle;
  return mark;
}

/**
 * attn_scene_add_line:
 * @dx: points, from @x to the other end
 * @dy: points, from @y to the other end
 *
 * Adds a straight line.
 *
 * Returns: (transfer none): the mark, as thick as a tick
 */
AttnMark *
attn_scene_add_line (AttnScene  *scene,
                     int         group,
                     const char *role,
                     double      x,
                     double      y,
                     double      dx,
                     double      dy)
{
  AttnMark *mark = attn_scene_add (scene, ATTN_MARK_LINE, group, role);

  mark->rectangle = (AttnRectangle) { x, y, dx, dy };
  mark->line_width = TICK_WIDTH;
  return mark;
}

/**
 * attn_scene_get_corners:
 * @corners: (out): clockwise from the top left, which comes first and last
 *
 * The side between corners i and i + 1 is 1 << i of #AttnSides.
 */
void
attn_scene_get_corners (const AttnRectangle *box,
                        AttnPoint            corners[5])
{
  for (guint i = 0; i < 5; i++)
    corners[i] = (AttnPoint) { i == 1 || i == 2 ? box->x + box->width : box->x,
                               i == 2 || i == 3 ? box->y + box->height : box->y };
}

/**
 * attn_scene_get_triangle:
 * @box: which the triangle fills
 * @angle: where it points, see #AttnMark
 * @corners: (out): one end of its base, its tip, the other end
 */
void
attn_scene_get_triangle (const AttnRectangle *box,
                         double               angle,
                         AttnPoint            corners[3])
{
  gboolean is_level = angle == 90 || angle == 270;
  gboolean is_backward = angle == 90 || angle == 0; /* towards smaller coordinates */
  double base_x = is_backward ? box->x + box->width : box->x;
  double base_y = is_backward ? box->y + box->height : box->y;

  corners[0] = is_level ? (AttnPoint) { base_x, box->y } : (AttnPoint) { box->x, base_y };
  corners[1] = is_level ? (AttnPoint) { 2 * box->x + box->width - base_x, box->y + box->height / 2 }
                        : (AttnPoint) { box->x + box->width / 2,
                                        2 * box->y + box->height - base_y };
  corners[2] = is_level ? (AttnPoint) { base_x, box->y + box->height }
                        : (AttnPoint) { box->x + box->width, base_y };
}

/**
 * attn_scene_free:
 * @scene: (transfer full)
 */
void
attn_scene_free (AttnScene *scene)
{
  g_ptr_array_unref (scene->heatmaps);
  g_ptr_array_unref (scene->regions);
  g_ptr_array_unref (scene->marks);
  g_clear_pointer (&scene->grid, attn_grid_unref);
  g_free (scene);
}

static gboolean
contains (const AttnRectangle *box,
          double               x,
          double               y)
{
  return x >= box->x && x < box->x + box->width && y >= box->y && y < box->y + box->height;
}

static const AttnMark *
get_heatmap_at (const AttnScene *scene,
                double           x,
                double           y)
{
  for (guint i = scene->heatmaps->len; i > 0; i--)
    {
      const AttnMark *mark = g_ptr_array_index (scene->heatmaps, i - 1);

      if (contains (&mark->rectangle, x, y))
        return mark;
    }
  return NULL;
}

/* Finds the largest of rows x columns cells, or for differences the one farthest from 0; the first
 * if several are equal. It is NaN or masked only if all cells are. Of a long panel whose rows would
 * have to be computed, it is the first cell. */
static void
find_largest (AttnPanel *panel,
              AttnSpan   rows,
              AttnSpan   columns,
              AttnHit   *hit)
{
  g_auto (AttnPanelReader) reader = { .panel = panel };
  float largest = NAN;
  gboolean is_found = FALSE;

  hit->row = hit->first_row = rows.first;
  hit->column = columns.first;
  hit->is_unread = !attn_panel_has_rows (panel, rows);
  if (hit->is_unread)
    return;
  for (gsize row = rows.first; row < rows.end; row++)
    {
      AttnSpan span = attn_panel_get_visible (panel, row);
      const float *values = attn_panel_reader_get_row (&reader, row);

      for (gsize column = MAX (columns.first, span.first); column < MIN (columns.end, span.end);
           column++)
        {
          float value = values[column];
          gboolean is_larger = attn_panel_is_signed (panel)
                                   ? attn_panel_pick_farther (largest, value) != largest
                                   : value > largest;

          if (!is_found || (!isnan (value) && (is_larger || isnan (largest))))
            {
              is_found = TRUE;
              largest = value;
              hit->row = row;
              hit->column = column;
            }
        }
    }
}

/**
 * attn_scene_hit:
 * @x: points
 * @y: points
 * @pixels_per_point: resolution at which the scene was painted, its origin on a whole device pixel
 * @hit: (out): the cell at this place
 *
 * Asks the heatmap marks in the way in which the painter does: the answer is the cell whose colour
 * the device pixel at (@x, @y) has, or the first cell under it while a long panel does not have the
 * rows in memory, see [func@attn_panel_has_rows]. The time depends on the number of cells under one
 * pixel only.
 *
 * Returns: whether there is a panel at (@x, @y)
 */
gboolean
attn_scene_hit (const AttnScene *scene,
                double           x,
                double           y,
                double           pixels_per_point,
                AttnHit         *hit)
{
  const AttnMark *mark = get_heatmap_at (scene, x, y);

  g_return_val_if_fail (pixels_per_point > 0, FALSE);

  if (mark == NULL)
    return FALSE;

  AttnRaster raster = attn_raster_new (mark, pixels_per_point, 0, 0);
  AttnSpan rows = attn_raster_get_span (&raster, &raster.rows,
                                        attn_raster_find (&raster.rows, y * pixels_per_point));
  AttnSpan columns = attn_raster_get_span (
      &raster, &raster.columns, attn_raster_find (&raster.columns, x * pixels_per_point));
  hit->group = mark->group;
  hit->n_rows = rows.end - rows.first;
  hit->n_columns = columns.end - columns.first;
  find_largest (attn_mark_get_drawn (mark), rows, columns, hit);
  return TRUE;
}

/**
 * attn_scene_get_heatmap:
 * @group: index of a panel
 *
 * Returns: (transfer none) (nullable): the mark of the panel: where it is, which part of it is
 *   shown, and the scale of its values; %NULL if the scene does not have it
 */
const AttnMark *
attn_scene_get_heatmap (const AttnScene *scene,
                        int              group)
{
  for (guint i = 0; i < scene->heatmaps->len; i++)
    {
      const AttnMark *mark = g_ptr_array_index (scene->heatmaps, i);

      if (mark->group == group)
        return mark;
    }
  return NULL;
}

/**
 * attn_scene_find_heatmap:
 * @x: points
 * @y: points
 *
 * Returns: index of the panel at this place, row-major, or -1 if there is none
 */
int
attn_scene_find_heatmap (const AttnScene *scene,
                         double           x,
                         double           y)
{
  const AttnMark *mark = get_heatmap_at (scene, x, y);

  return mark != NULL ? mark->group : -1;
}

/* Computes, in points, where the visible ones of the rows or columns @first to @last begin and end.
 * @n: number of all rows or columns. Returns %FALSE if none of them is visible. */
static gboolean
get_cell_range (double  start,
                double  extent,
                double  viewport_start,
                double  viewport_extent,
                gsize   first,
                gsize   last,
                gsize   n,
                double *from,
                double *to)
{
  double begin = ((double) first / n - viewport_start) / viewport_extent;
  double end = ((double) (last + 1) / n - viewport_start) / viewport_extent;

  if (first >= n || end <= 0 || begin >= 1)
    return FALSE;
  *from = start + MAX (begin, 0) * extent;
  *to = start + MIN (end, 1) * extent;
  return TRUE;
}

/**
 * attn_scene_get_cells:
 * @group: index of a panel
 * @cells: a rectangle of its cells
 * @rectangle: (out): where the cells are, as far as the viewport shows them
 *
 * Returns: %FALSE if the scene has no such panel, the panel no such cells, or the viewport does not
 *   show them
 */
gboolean
attn_scene_get_cells (const AttnScene  *scene,
                      int               group,
                      const AttnRegion *cells,
                      AttnRectangle    *rectangle)
{
  const AttnMark *mark = attn_scene_get_heatmap (scene, group);
  double left, right, top, bottom;

  if (mark == NULL)
    return FALSE;

  const AttnViewport *viewport = &mark->viewport;
  if (!get_cell_range (mark->rectangle.x, mark->rectangle.width, viewport->x, viewport->width,
                       cells->first_column, cells->last_column,
                       attn_panel_get_n_columns (mark->panel), &left, &right) ||
      !get_cell_range (mark->rectangle.y, mark->rectangle.height, viewport->y, viewport->height,
                       cells->first_row, cells->last_row, attn_panel_get_n_rows (mark->panel), &top,
                       &bottom))
    return FALSE;
  *rectangle = (AttnRectangle) { left, top, right - left, bottom - top };
  return TRUE;
}

/**
 * attn_scene_get_cell:
 * @group: index of a panel
 * @row: query index
 * @column: key index
 *
 * As [func@attn_scene_get_cells], for one cell.
 */
gboolean
attn_scene_get_cell (const AttnScene *scene,
                     int              group,
                     gsize            row,
                     gsize            column,
                     AttnRectangle   *rectangle)
{
  const AttnRegion cell = {
    .first_row = row, .last_row = row, .first_column = column, .last_column = column
  };

  return attn_scene_get_cells (scene, group, &cell, rectangle);
}

/**
 * attn_mark_get_index:
 * @heatmap: a mark of kind %ATTN_MARK_HEATMAP
 *
 * Returns: the colour of a cell as an index in the palette of the mark's style, see
 *   [func@attn_style_get_palette]
 */
guint
attn_mark_get_index (const AttnMark *heatmap,
                     gsize           row,
                     gsize           column)
{
  AttnPanel *drawn = attn_mark_get_drawn (heatmap);

  if (!attn_panel_is_visible (drawn, row, column))
    return heatmap->style->has_masked_color ? ATTN_PALETTE_MASKED
                                            : attn_scale_get_index (&heatmap->scale, 0);
  return attn_scale_get_index (&heatmap->scale, attn_panel_get_value (drawn, row, column));
}

/**
 * attn_scene_get_region:
 * @group: index of a panel
 * @region: index among its regions
 *
 * Returns: (transfer none) (nullable): the mark of the region: where it is, as far as it is shown,
 *   and which of its sides are shown; %NULL if there is no such region or the viewport shows
 *   nothing of it
 */
const AttnMark *
attn_scene_get_region (const AttnScene *scene,
                       int              group,
                       gsize            region)
{
  for (guint i = 0; i < scene->regions->len; i++)
    {
      const AttnMark *mark = g_ptr_array_index (scene->regions, i);

      if (mark->group == group && mark->region == region)
        return mark;
    }
  return NULL;
}

/* Returns the nearer of two parallel sides of a region if it is within @tolerance of @position, or
 * 0. Sides that are not in @shown do not count. */
static AttnSides
get_near_side (double    position,
               double    start,
               double    end,
               double    tolerance,
               AttnSides start_side,
               AttnSides end_side,
               AttnSides shown)
{
  double to_start = (shown & start_side) != 0 ? fabs (position - start) : INFINITY;
  double to_end = (shown & end_side) != 0 ? fabs (position - end) : INFINITY;

  if (MIN (to_start, to_end) > tolerance)
    return 0;
  return to_start < to_end ? start_side : end_side;
}

/**
 * attn_scene_hit_region:
 * @x: points
 * @y: points
 * @tolerance: points around a region's sides and corners that still count as them
 * @hit: (out): the region, and the sides by which dragging from there would resize it
 *
 * Corners and sides of any region come before the inside of another; of several regions there, the
 * one that is drawn last is hit. Sides that the viewport cuts off are not hit. A pin is only ever
 * hit inside.
 *
 * Returns: whether there is a region at this place
 */
gboolean
attn_scene_hit_region (const AttnScene *scene,
                       double           x,
                       double           y,
                       double           tolerance,
                       AttnRegionHit   *hit)
{
  gboolean has_hit = FALSE;

  for (guint i = scene->regions->len; i > 0; i--)
    {
      const AttnMark *mark = g_ptr_array_index (scene->regions, i - 1);
      const AttnRectangle *box = &mark->rectangle;
      gboolean is_pin = g_str_equal (mark->role, "pin");
      AttnSides sides = 0;

      if (x < box->x - tolerance || x > box->x + box->width + tolerance || y < box->y - tolerance ||
          y > box->y + box->height + tolerance)
        continue;
      if (!is_pin)
        sides = get_near_side (x, box->x, box->x + box->width, tolerance, ATTN_SIDE_LEFT,
                               ATTN_SIDE_RIGHT, mark->sides) |
                get_near_side (y, box->y, box->y + box->height, tolerance, ATTN_SIDE_TOP,
                               ATTN_SIDE_BOTTOM, mark->sides);

      if (sides == 0 && (!contains (box, x, y) || has_hit))
        continue;
      *hit = (AttnRegionHit) { mark->group, mark->region, sides };
      has_hit = TRUE;
      if (sides != 0)
        break;
    }
  return has_hit;
}

/* Returns the distance of a point from a line, which goes from (x, y) of @line to (x + width, y +
 * height). */
static double
get_distance (const AttnRectangle *line,
              double               x,
              double               y)
{
  double square = line->width * line->width + line->height * line->height;
  double t = square > 0
                 ? ((x - line->x) * line->width + (y - line->y) * line->height) / square
                 : 0;

  t = CLAMP (t, 0, 1);
  return hypot (x - line->x - t * line->width, y - line->y - t * line->height);
}

/**
 * attn_scene_hit_diagram:
 * @x: points
 * @y: points
 * @tolerance: points beside a line that still count as the line
 * @head: (out): index among the heads of the grid's diagram, or -1
 * @token: (out): index among the tokens of the diagram, or -1
 *
 * In the box of a head, @token is -1, and in the box of a token, @head is; a line has both. Boxes
 * come before lines; of several lines, the nearest is hit.
 *
 * Returns: whether there is a box or a line of the diagram at this place
 */
gboolean
attn_scene_hit_diagram (const AttnScene *scene,
                        double           x,
                        double           y,
                        double           tolerance,
                        int             *head,
                        int             *token)
{
  double nearest = tolerance;
  gboolean has_hit = FALSE;

  *head = -1;
  *token = -1;
  for (guint i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);
      const AttnRectangle *r = &mark->rectangle;
      gboolean is_line = mark->kind == ATTN_MARK_LINE;

      if (mark->group != ATTN_GROUP_DIAGRAM || (mark->head < 0 && mark->token < 0))
        continue;
      if (is_line && get_distance (r, x, y) <= nearest)
        nearest = get_distance (r, x, y);
      else if (mark->kind != ATTN_MARK_RECTANGLE || !contains (r, x, y))
        continue;
      *head = mark->head;
      *token = mark->token;
      has_hit = TRUE;
      if (!is_line)
        break;
    }
  return has_hit;
}

/**
 * attn_scene_hit_point:
 * @x: points
 * @y: points
 * @tolerance: how far off the point may be, in points
 * @hit: (out): the cell that the point stands for
 *
 * Returns: whether there is a point of a chart so near; of several, @hit is that of the nearest
 */
gboolean
attn_scene_hit_point (const AttnScene *scene,
                      double           x,
                      double           y,
                      double           tolerance,
                      AttnHit         *hit)
{
  double nearest = tolerance * tolerance;
  gboolean is_hit = FALSE;

  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);
      double dx = mark->rectangle.x + mark->rectangle.width / 2 - x;
      double dy = mark->rectangle.y + mark->rectangle.height / 2 - y;

      if (mark->kind != ATTN_MARK_RECTANGLE || !g_str_equal (mark->role, "point") ||
          dx * dx + dy * dy > nearest)
        continue;
      nearest = dx * dx + dy * dy;
      *hit = (AttnHit) { .group = (int) mark->region,
                         .row = (gsize) mark->head,
                         .column = (gsize) mark->token,
                         .n_rows = 1,
                         .n_columns = 1,
                         .first_row = (gsize) mark->head };
      is_hit = TRUE;
    }
  return is_hit;
}
