/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-callout.h"

#include <math.h>

#include "attn-layout.h"
#include "attn-lettering.h"
#include "attn-markup.h"
#include "attn-painter.h"
#include "attn-readout.h"

/* Sizes in widget pixels. */
#define GAP         3.0
#define PADDING     3.0
#define TICK_SIZE   7.0
#define TEXT_SIZE   12.0
#define LINE_HEIGHT 18.0
#define BESIDE      16.0 /* distance from the pointer to the readout beside it, pixels */
#define EDGE        4.0  /* distance from the readout to the edge of the figure, pixels */
#define ROUNDING    6.0
#define PREVIEW     240.0 /* side of the enlarged panel in the readout of a thumbnail, pixels */
#define MAP_PAGE    3.6   /* margin around the overview map of a panel, pixels */

/* font size of labels in points if the scene has no label */
#define USUAL_LABEL 8.0 /* points */

static void
set_color (cairo_t *cr,
           AttnRgb  color)
{
  cairo_set_source_rgb (cr, color.red / 255.0, color.green / 255.0, color.blue / 255.0);
}

/* Tells whether a box covers one of the titles. @box: in pixels of the window, as the titles are */
static gboolean
covers_title (const GArray        *titles,
              const AttnRectangle *box)
{
  for (guint i = 0; i < titles->len; i++)
    {
      const AttnRectangle *title = &g_array_index (titles, AttnRectangle, i);

      if (box->x < title->x + title->width && title->x < box->x + box->width &&
          box->y < title->y + title->height && title->y < box->y + box->height)
        return TRUE;
    }
  return FALSE;
}

/* --- Labels of the current row and column ----------------------------------------------------- */

/* Returns a label of a panel, or NULL if its rows or columns have no labels. */
static const AttnMark *
find_label (const AttnScene *scene,
            int              group,
            const char      *role)
{
  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->group == group && g_strcmp0 (mark->role, role) == 0)
        return mark;
    }
  return NULL;
}

/* Finds the panel whose labels those of panel @shown stand for: @shown itself or, as panels beside
 * or above each other share labels, another one in its row or column of the grid. Returns @shown if
 * none has labels. */
static int
find_labelled (const AttnScene  *scene,
               int               shown,
               gboolean          is_row,
               const AttnMark  **label)
{
  int n_columns = (int) scene->grid->n_columns;
  int step = is_row ? 1 : n_columns;
  int first = is_row ? shown / n_columns * n_columns : shown % n_columns;
  int n = is_row ? n_columns : (int) scene->grid->n_rows;
  const char *role = is_row ? "row-label" : "column-label";

  *label = find_label (scene, shown, role);
  for (int i = 0; i < n && *label == NULL; i++)
    if ((*label = find_label (scene, first + i * step, role)) != NULL)
      return first + i * step;
  return shown;
}

/* Returns the middle of a row or column, where its label stands in the scene; if that is out of
 * sight, the middle of the visible part. @cell: the visible part */
static double
find_middle (const AttnMark      *heatmap,
             const AttnRectangle *cell,
             gsize                index,
             gboolean             is_row)
{
  const AttnRectangle *panel = &heatmap->rectangle;
  const AttnViewport *viewport = &heatmap->viewport;
  gsize n = is_row ? attn_panel_get_n_rows (heatmap->panel)
                   : attn_panel_get_n_columns (heatmap->panel);
  double start = is_row ? panel->y : panel->x;
  double extent = is_row ? panel->height : panel->width;
  double place = ((double) index + 0.5) / (double) n;
  double part = is_row ? (place - viewport->y) / viewport->height
                       : (place - viewport->x) / viewport->width;

  if (part >= 0 && part <= 1)
    return start + part * extent;
  return is_row ? cell->y + cell->height / 2 : cell->x + cell->width / 2;
}

/* Returns the distance from one visible row or column to the next, in points. */
static double
get_pitch (const AttnMark *heatmap,
           gboolean        is_row)
{
  return is_row ? heatmap->rectangle.height / ((double) attn_panel_get_n_rows (heatmap->panel) *
                                               heatmap->viewport.height)
                : heatmap->rectangle.width / ((double) attn_panel_get_n_columns (heatmap->panel) *
                                              heatmap->viewport.width);
}

/* Draws the complete label in bold on its own background, over the label of the scene. Where the
 * scene has no room for labels, there is none that would cover a title. */
static void
draw_label (const AttnPlaces *places,
            const GArray     *titles,
            const AttnHit    *read,
            gboolean          is_row,
            cairo_t          *cr)
{
  const AttnScene *scene = places->scene;
  const AttnMark *label;
  int shown = attn_places_to_scene (places, read->group);
  int group = shown >= 0 ? find_labelled (scene, shown, is_row, &label) : -1;
  const AttnMark *heatmap = group >= 0 ? attn_scene_get_heatmap (scene, group) : NULL;
  AttnRectangle cell;

  if (heatmap == NULL || !attn_scene_get_cell (scene, group, read->row, read->column, &cell))
    return;

  const AttnRectangle *panel = &heatmap->rectangle;
  const char * const *texts = is_row ? attn_panel_get_row_labels (heatmap->panel)
                                     : attn_panel_get_column_labels (heatmap->panel);
  gsize index = is_row ? read->row : read->column;
  g_autofree char *text = texts != NULL ? attn_markup_from_text (texts[index])
                                        : g_strdup_printf ("%zu", index);
  g_autofree char *bold = g_strdup_printf ("<b>%s</b>", text);
  const char *family = scene->style.font_family;
  double scale = places->scale;
  double size = (label != NULL ? label->font_size : USUAL_LABEL) * scale;
  double width = attn_lettering_measure (family, bold, size) + 2 * PADDING;
  gboolean is_turned = !is_row && label != NULL && label->angle == 90;
  double height = size * ATTN_LETTERING_HEIGHT + PADDING;
  /* The background of a label is not taller than a narrow row, or than the letters: it would cover
   * the labels beside it. */
  if (is_row || is_turned)
    height = CLAMP (get_pitch (heatmap, is_row) * scale, size, height);
  gboolean is_dark = scene->style.foreground.green < 128;
  double middle = find_middle (heatmap, &cell, index, is_row);
  double x = is_row ? panel->x * scale - GAP - width
                    : middle * scale - (is_turned ? height : width) / 2;
  double y = is_row                        ? middle * scale - height / 2
             : scene->grid->has_top_labels ? panel->y * scale - GAP - (is_turned ? width : height)
                                           : (panel->y + panel->height) * scale + GAP;
  double right = scene->width * scale - (is_turned ? height : width);

  x = CLAMP (x, 0, MAX (right, 0));
  const AttnRectangle ground = { x - places->window.x, y - places->window.y,
                                 is_turned ? height : width, is_turned ? width : height };
  if (covers_title (titles, &ground))
    return;
  set_color (cr, scene->style.foreground);
  cairo_rectangle (cr, x, y, is_turned ? height : width, is_turned ? width : height);
  cairo_fill (cr);
  cairo_save (cr);
  cairo_set_source_rgb (cr, is_dark, is_dark, is_dark);
  if (is_turned)
    cairo_translate (cr, x + height / 2 + size * ATTN_LETTERING_MIDDLE, y + width - PADDING);
  else
    cairo_translate (cr, x + PADDING, y + height / 2 + size * ATTN_LETTERING_MIDDLE);
  if (is_turned)
    cairo_rotate (cr, -G_PI / 2);
  attn_lettering_show (cr, family, bold, size, ATTN_ANCHOR_START);
  cairo_restore (cr);
}

/* --- The mark on the colour bar --------------------------------------------------------------- */

/* Marks the value of the current cell on its colour bar by a triangle and a line. */
static void
draw_tick (const AttnPlaces *places,
           const AttnHit    *read,
           cairo_t          *cr)
{
  const AttnScene *scene = places->scene;
  int shown = attn_places_to_scene (places, read->group);
  const AttnMark *heatmap = shown >= 0 ? attn_scene_get_heatmap (scene, shown) : NULL;
  AttnPanel *drawn = heatmap != NULL ? attn_mark_get_drawn (heatmap) : NULL;
  double scale = places->scale;

  if (drawn == NULL || !attn_panel_has_rows (drawn, (AttnSpan) { read->row, read->row + 1 }) ||
      !attn_panel_is_visible (drawn, read->row, read->column))
    return;
  double position = attn_scale_get_position (
      &heatmap->scale, attn_panel_get_value (drawn, read->row, read->column));
  if (isnan (position))
    return;
  position = CLAMP (position, 0, 1);
  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *bar = attn_scene_get_mark (scene, i);
      const AttnRectangle *box = &bar->rectangle;
      AttnPoint corners[3];

      if (bar->kind != ATTN_MARK_COLORBAR || bar->style != heatmap->style ||
          bar->scale.kind != heatmap->scale.kind || bar->scale.low != heatmap->scale.low ||
          bar->scale.high != heatmap->scale.high)
        continue;
      gboolean is_level = bar->angle == 90;
      double x = is_level ? box->x + position * box->width : box->x;
      double y = is_level ? box->y : box->y + (1 - position) * box->height;
      AttnRectangle triangle = { x * scale, y * scale, TICK_SIZE, TICK_SIZE };
      triangle.x -= is_level ? TICK_SIZE / 2 : TICK_SIZE + 1;
      triangle.y -= is_level ? TICK_SIZE + 1 : TICK_SIZE / 2;
      attn_scene_get_triangle (&triangle, is_level ? 180 : 270, corners);
      cairo_new_path (cr);
      for (guint corner = 0; corner < 3; corner++)
        cairo_line_to (cr, corners[corner].x, corners[corner].y);
      cairo_close_path (cr);
      set_color (cr, scene->style.foreground);
      cairo_fill (cr);
      for (int is_white = 0; is_white <= 1; is_white++)
        {
          cairo_move_to (cr, x * scale, y * scale);
          cairo_rel_line_to (cr, is_level ? 0 : box->width * scale,
                             is_level ? box->height * scale : 0);
          cairo_set_line_width (cr, is_white ? 1 : 3);
          cairo_set_source_rgb (cr, is_white, is_white, is_white);
          cairo_stroke (cr);
        }
      return;
    }
}

/* --- The readout beside the pointer ----------------------------------------------------------- */

/* Draws a whole panel without labels and title, beside the pointer. */
static void
draw_panel (const AttnPlaces    *places,
            int                  group,
            const AttnRectangle *box,
            cairo_t             *cr)
{
  g_autoptr (AttnGrid) alone = attn_grid_take_panel (places->grid, (gsize) group);
  g_autoptr (AttnPainter) painter = attn_painter_new ();
  const AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnStyle style = places->scene->style;

  style.shows_titles = style.shows_caption = style.shows_colorbar = style.shows_tokens = FALSE;
  style.shows_values = FALSE;
  g_autoptr (AttnScene) scene = attn_layout_figure (
      alone, &style, &fit, box->width / places->scale, box->height / places->scale);
  cairo_save (cr);
  cairo_translate (cr, round (box->x), round (box->y));
  cairo_scale (cr, places->scale, places->scale);
  attn_painter_draw (painter, scene, cr, places->pixels);
  cairo_restore (cr);
}

/* Draws the overview map: the whole panel in a corner, with a frame around the visible part. */
static void
draw_map (const AttnPlaces *places,
          cairo_t          *cr)
{
  AttnRectangle map;
  int group;

  if (!attn_places_get_map (places, &group, &map))
    return;
  const AttnViewport view = attn_views_get (places->views, group);
  const AttnRectangle page = { map.x - MAP_PAGE, map.y - MAP_PAGE, map.width + 2 * MAP_PAGE,
                               map.height + 2 * MAP_PAGE };
  cairo_rectangle (cr, map.x - 1, map.y - 1, map.width + 2, map.height + 2);
  cairo_set_source_rgb (cr, 0, 0, 0);
  cairo_fill (cr);
  cairo_save (cr);
  cairo_rectangle (cr, map.x, map.y, map.width, map.height);
  cairo_clip (cr);
  draw_panel (places, group, &page, cr);
  for (int is_white = 0; is_white <= 1; is_white++)
    {
      cairo_rectangle (cr, map.x + view.x * map.width, map.y + view.y * map.height,
                       MAX (view.width * map.width, 3), MAX (view.height * map.height, 3));
      cairo_set_line_width (cr, is_white ? 1.5 : 4);
      cairo_set_source_rgb (cr, is_white, is_white, is_white);
      cairo_stroke (cr);
    }
  cairo_restore (cr);
}

/* Returns the place of words of a given size beside the pointer: below it, or above it at the lower
 * edge of the window. If they would cover a title there, they move towards the other side of the
 * pointer until they do not. */
static AttnRectangle
place_readout (const AttnPlaces       *places,
               const GArray           *titles,
               const AttnReadingState *state,
               double                  width,
               double                  height)
{
  double right = places->window.width - EDGE;
  double bottom = places->window.height - EDGE;
  double below = state->y + BESIDE;
  double above = state->y - BESIDE - height;
  double first = below + height > bottom ? above : below;
  double last = first == above ? below : above;
  double x = state->x + BESIDE + width > right ? state->x - BESIDE - width : state->x + BESIDE;
  AttnRectangle box = { MAX (x, EDGE), MAX (first, EDGE), width, height };
  const AttnRectangle usual = box;

  for (double moved = 0; covers_title (titles, &box); moved++)
    {
      box.y = first + (last > first ? moved : -moved);
      if (moved > fabs (last - first) || box.y < EDGE || box.y + height > bottom)
        return usual;
    }
  return box;
}

static void
draw_readout (const AttnPlaces       *places,
              const GArray           *titles,
              const AttnReadingState *state,
              cairo_t                *cr)
{
  const char *family = places->scene->style.font_family;
  g_autofree char *value = attn_readout_describe_brief (state->grid, state->hit);
  g_autofree char *cell = attn_readout_describe_pair (state->grid, state->hit, state->place);
  g_autofree char *value_text = attn_markup_from_text (value);
  g_autofree char *cell_text = attn_markup_from_text (cell);
  g_autofree char *bold = g_strdup_printf ("<b>%s</b>", value_text);
  double width = MAX (attn_lettering_measure (family, bold, TEXT_SIZE),
                      attn_lettering_measure (family, cell_text, TEXT_SIZE)) +
                 4 * PADDING;
  AttnRectangle panel;
  gboolean has_preview = attn_places_are_thumbnails (places) &&
                         attn_places_get_panel (places, state->hit->group, &panel) &&
                         panel.width < PREVIEW &&
                         !attn_panel_is_long (state->grid->cells[state->hit->group].panel);
  double height = 2 * LINE_HEIGHT + 2 * PADDING + (has_preview ? PREVIEW : 0);
  width = has_preview ? MAX (width, PREVIEW + 4 * PADDING) : width;
  AttnRectangle box = place_readout (places, titles, state, width, height);
  double x = box.x;
  double y = box.y;

  cairo_new_sub_path (cr);
  for (int corner = 0; corner < 4; corner++)
    cairo_arc (cr, corner == 1 || corner == 2 ? x + ROUNDING : x + width - ROUNDING,
               corner < 2 ? y + height - ROUNDING : y + ROUNDING, ROUNDING, corner * G_PI / 2,
               (corner + 1) * G_PI / 2);
  cairo_close_path (cr);
  cairo_set_source_rgba (cr, 0.1, 0.1, 0.1, 0.92);
  cairo_fill (cr);
  cairo_set_source_rgb (cr, 1, 1, 1);
  for (int line = 0; line < 2; line++)
    {
      cairo_save (cr);
      cairo_translate (cr, x + 2 * PADDING, y + PADDING + (line + 0.72) * LINE_HEIGHT);
      attn_lettering_show (cr, family, line == 0 ? cell_text : bold, TEXT_SIZE,
                           ATTN_ANCHOR_START);
      cairo_restore (cr);
    }
  if (has_preview)
    draw_panel (places, state->hit->group,
                &(AttnRectangle) { x + (width - PREVIEW) / 2, y + PADDING + 2 * LINE_HEIGHT,
                                   PREVIEW, PREVIEW },
                cr);
}

/**
 * attn_callout_draw:
 * @cr: what to draw on; its unit is a widget pixel
 */
void
attn_callout_draw (AttnReading *reading,
                   cairo_t     *cr)
{
  AttnPlaces places = attn_reading_get_places (reading);
  AttnReadingState state = attn_reading_get (reading);

  if (places.scene == NULL)
    return;
  draw_map (&places, cr);
  if (state.hit == NULL)
    return;
  g_autoptr (GArray) titles = attn_places_list_titles (&places);
  cairo_save (cr);
  cairo_translate (cr, -places.window.x, -places.window.y);
  if (places.scene->style.shows_tokens && !attn_places_are_thumbnails (&places))
    {
      draw_label (&places, titles, state.hit, TRUE, cr);
      draw_label (&places, titles, state.hit, FALSE, cr);
    }
  draw_tick (&places, state.hit, cr);
  cairo_restore (cr);
  if (state.is_pointed && state.place != NULL)
    draw_readout (&places, titles, &state, cr);
}
