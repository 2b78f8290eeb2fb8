/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What lies over the scene and is drawn at every motion: the cell under the pointer, the cursor,
 * chosen rows, tokens that were found, the handles of a region and what is being drawn. */

#include "config.h"

#include "attn-figure-view-private.h"

#include <math.h>

#include "attn-accent.h"

/* Pixels. */
#define CURSOR_SMALLEST 9.0
#define EDGE_GAP        1.0
#define EDGE_WIDTH      4.0

/* More marks than this in a panel say nothing. */
#define MAX_MARKS 400

static void
set_gray (cairo_t *cr,
          double   gray)
{
  cairo_set_source_rgb (cr, gray, gray, gray);
}

/* The colour in which the theme marks what is selected. */
static void
set_accent (AttnFigureView *self,
            cairo_t        *cr)
{
  GdkRGBA accent = attn_accent_get (GTK_WIDGET (self));

  gdk_cairo_set_source_rgba (cr, &accent);
}

/* A line in white within black, which can be seen on every colour. */
static void
stroke_twice (cairo_t *cr,
              double   width)
{
  cairo_set_line_width (cr, width + 2);
  set_gray (cr, 0);
  cairo_stroke_preserve (cr);
  cairo_set_line_width (cr, width);
  set_gray (cr, 1);
  cairo_stroke (cr);
}

static double
snap (double position)
{
  return floor (position) + 0.5;
}

/* Where the cells between two corners are, in widget pixels, cut off at the panel's edge; FALSE if
 * nothing of them is shown. */
static gboolean
get_cells (AttnFigureView   *self,
           int               group,
           const AttnRegion *cells,
           AttnRectangle    *rectangle)
{
  AttnPanel *panel = attn_cell_cursor_get_panel (self->grid, group);
  AttnViewport viewport = attn_views_get (&self->views, group);
  AttnRectangle place;

  if (panel == NULL || !attn_figure_view_get_panel_rectangle (self, group, &place))
    return FALSE;

  double n_rows = attn_panel_get_n_rows (panel);
  double n_columns = attn_panel_get_n_columns (panel);
  double left = (cells->first_column / n_columns - viewport.x) / viewport.width;
  double right = ((cells->last_column + 1) / n_columns - viewport.x) / viewport.width;
  double top = (cells->first_row / n_rows - viewport.y) / viewport.height;
  double bottom = ((cells->last_row + 1) / n_rows - viewport.y) / viewport.height;
  if (left >= 1 || right <= 0 || top >= 1 || bottom <= 0)
    return FALSE;
  left = CLAMP (left, 0, 1);
  right = CLAMP (right, 0, 1);
  top = CLAMP (top, 0, 1);
  bottom = CLAMP (bottom, 0, 1);
  *rectangle = (AttnRectangle) {
    place.x + left * place.width,
    place.y + top * place.height,
    (right - left) * place.width,
    (bottom - top) * place.height,
  };
  return TRUE;
}

static void
add_box (cairo_t             *cr,
         const AttnRectangle *box)
{
  double left = snap (box->x);
  double top = snap (box->y);

  cairo_rectangle (cr, left, top, MAX (snap (box->x + box->width) - left, 1),
                   MAX (snap (box->y + box->height) - top, 1));
}

static AttnRectangle
enlarge (AttnRectangle box,
         double        smallest)
{
  double dx = MAX (smallest - box.width, 0) / 2;
  double dy = MAX (smallest - box.height, 0) / 2;

  return (AttnRectangle) { box.x - dx, box.y - dy, box.width + 2 * dx, box.height + 2 * dy };
}

/* A line along the upper and lower, or left and right, edges of a row or column, and a bar outside
 * the panel. */
static void
draw_band (AttnFigureView      *self,
           cairo_t             *cr,
           const AttnRectangle *panel,
           const AttnRectangle *band,
           gboolean             is_row,
           gboolean             is_dashed)
{
  static const double dashes[] = { 4, 4 };

  if (is_row ? band->height >= 4 : band->width >= 4)
    {
      /* Of a chosen row white beside black, of a token that was found black and white in turn. */
      for (guint i = 0; i < 2; i++)
        {
          double inwards = is_dashed ? 0 : i == 0 ? 1
                                                  : -1;
          double x = snap (band->x + (is_row ? 0 : i * band->width));
          double y = snap (band->y + (is_row ? i * band->height : 0));

          cairo_set_line_width (cr, 1);
          cairo_move_to (cr, x, y);
          cairo_rel_line_to (cr, is_row ? band->width : 0, is_row ? 0 : band->height);
          set_gray (cr, 0);
          cairo_stroke (cr);
          cairo_move_to (cr, x, y + inwards);
          cairo_rel_line_to (cr, is_row ? band->width : 0, is_row ? 0 : band->height);
          if (is_dashed)
            cairo_set_dash (cr, dashes, G_N_ELEMENTS (dashes), 0);
          set_gray (cr, 1);
          cairo_stroke (cr);
          cairo_set_dash (cr, NULL, 0, 0);
        }
    }
  set_accent (self, cr);
  if (is_row)
    cairo_rectangle (cr, panel->x + panel->width + EDGE_GAP, band->y, EDGE_WIDTH,
                     MAX (band->height, 1));
  else
    cairo_rectangle (cr, band->x, panel->y - EDGE_GAP - EDGE_WIDTH, MAX (band->width, 1),
                     EDGE_WIDTH);
  cairo_fill (cr);
}

static void
draw_search_of_panel (AttnFigureView *self,
                      cairo_t        *cr,
                      int             group)
{
  AttnPanel *panel = attn_cell_cursor_get_panel (self->grid, group);
  AttnRectangle place, band;
  guint n_marks = 0;

  if (panel == NULL || !attn_figure_view_get_panel_rectangle (self, group, &place))
    return;

  gsize n_rows = attn_panel_get_n_rows (panel);
  gsize n_columns = attn_panel_get_n_columns (panel);
  for (gsize row = 0; row < n_rows && n_marks < MAX_MARKS; row++)
    {
      AttnRegion cells = { NULL, row, row, 0, n_columns - 1, FALSE };

      if (!attn_token_search_has_row (self->search, group, row) ||
          !get_cells (self, group, &cells, &band))
        continue;
      draw_band (self, cr, &place, &band, TRUE, TRUE);
      n_marks++;
    }
  for (gsize column = 0; column < n_columns && n_marks < 2 * MAX_MARKS; column++)
    {
      AttnRegion cells = { NULL, 0, n_rows - 1, column, column, FALSE };

      if (!attn_token_search_has_column (self->search, group, column) ||
          !get_cells (self, group, &cells, &band))
        continue;
      draw_band (self, cr, &place, &band, FALSE, TRUE);
      n_marks++;
    }
}

static void
draw_search (AttnFigureView *self,
             cairo_t        *cr)
{
  for (gsize i = 0; i < self->grid->n_rows * self->grid->n_columns; i++)
    draw_search_of_panel (self, cr, (int) i);
}

/* Rows that follow each other are one band. */
static void
draw_selection (AttnFigureView *self,
                cairo_t        *cr)
{
  int group = attn_row_selection_get_group (self->selection);
  AttnPanel *panel = attn_cell_cursor_get_panel (self->grid, group);
  gsize n;
  const gsize *rows = attn_row_selection_get_rows (self->selection, &n);
  AttnRectangle place, band;

  if (panel == NULL || !attn_figure_view_get_panel_rectangle (self, group, &place))
    return;
  for (gsize i = 0; i < n;)
    {
      AttnRegion cells = { NULL, rows[i], rows[i], 0, attn_panel_get_n_columns (panel) - 1,
                           FALSE };

      for (i++; i < n && rows[i] == cells.last_row + 1; i++)
        cells.last_row = rows[i];
      if (get_cells (self, group, &cells, &band))
        draw_band (self, cr, &place, &band, TRUE, FALSE);
    }
}

/* Black, white, black: unlike the cell under the pointer, and to be seen on every colour. */
static void
draw_cursor (AttnFigureView *self,
             cairo_t        *cr)
{
  AttnRegion cell = { NULL, self->cursor.row, self->cursor.row, self->cursor.column,
                      self->cursor.column, FALSE };
  AttnRectangle box;

  if (!get_cells (self, self->cursor.group, &cell, &box))
    return;
  box = enlarge (box, CURSOR_SMALLEST);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_MITER);
  add_box (cr, &box);
  stroke_twice (cr, 4);
  add_box (cr, &box);
  cairo_set_line_width (cr, 1.5);
  set_gray (cr, 0);
  cairo_stroke (cr);
}

static void
draw_zoom_rectangle (AttnFigureView *self,
                     cairo_t        *cr)
{
  AttnRectangle box = {
    MIN (self->gesture_x, self->pointer_x),
    MIN (self->gesture_y, self->pointer_y),
    fabs (self->pointer_x - self->gesture_x),
    fabs (self->pointer_y - self->gesture_y),
  };
  const AttnRectangle *panel = &self->gesture_panel;
  double right = MIN (box.x + box.width, panel->x + panel->width);
  double bottom = MIN (box.y + box.height, panel->y + panel->height);

  box.x = MAX (box.x, panel->x);
  box.y = MAX (box.y, panel->y);
  box.width = MAX (right - box.x, 0);
  box.height = MAX (bottom - box.y, 0);
  add_box (cr, &box);
  stroke_twice (cr, 1);
}

static void
draw_band_region (AttnFigureView *self,
                  cairo_t        *cr)
{
  AttnRectangle box;

  if (!get_cells (self, self->band_group, &self->band, &box))
    return;
  add_box (cr, &box);
  stroke_twice (cr, 1.5);
}

/* Lines along rows and columns leave the labels of pins legible. */
static void
spare_labels (AttnFigureView *self,
              cairo_t        *cr)
{
  AttnScene *scene = attn_figure_view_get_scene (self);

  cairo_rectangle (cr, 0, 0, gtk_widget_get_width (GTK_WIDGET (self)),
                   gtk_widget_get_height (GTK_WIDGET (self)));
  for (gsize i = 0; i < attn_scene_get_n_marks (scene); i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->kind == ATTN_MARK_RECTANGLE && mark->is_filled &&
          g_strcmp0 (mark->role, "pin-label") == 0)
        cairo_rectangle (cr, mark->rectangle.x * ATTN_FIGURE_VIEW_SCALE,
                         mark->rectangle.y * ATTN_FIGURE_VIEW_SCALE,
                         mark->rectangle.width * ATTN_FIGURE_VIEW_SCALE,
                         mark->rectangle.height * ATTN_FIGURE_VIEW_SCALE);
    }
  cairo_set_fill_rule (cr, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_clip (cr);
}

/* Draws what lies over the scene. */
void
attn_figure_view_draw_over (AttnFigureView *self,
                            GtkSnapshot    *snapshot)
{
  AttnScene *scene = attn_figure_view_get_scene (self);
  GtkWidget *widget = GTK_WIDGET (self);
  gboolean has_selection = attn_row_selection_get_group (self->selection) >= 0;

  if (!self->has_hit && self->cursor.group < 0 && !has_selection && self->search == NULL &&
      !self->has_band && !self->has_picked && self->drag != ATTN_FIGURE_DRAG_ZOOM)
    return;

  graphene_rect_t bounds = GRAPHENE_RECT_INIT (0, 0, gtk_widget_get_width (widget),
                                               gtk_widget_get_height (widget));
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &bounds);
  cairo_save (cr);
  if (self->search != NULL || has_selection)
    spare_labels (self, cr);
  if (self->search != NULL)
    draw_search (self, cr);
  if (has_selection)
    draw_selection (self, cr);
  cairo_restore (cr);
  cairo_save (cr);
  cairo_scale (cr, ATTN_FIGURE_VIEW_SCALE, ATTN_FIGURE_VIEW_SCALE);
  if (self->has_read)
    {
      AttnHit shown = self->read;

      shown.group = attn_figure_view_to_scene (self, shown.group);
      attn_painter_draw_highlight (self->painter, scene, &shown, cr);
    }
  if (self->has_picked && attn_figure_view_to_scene (self, self->picked.group) >= 0)
    attn_painter_draw_handles (self->painter, scene,
                               attn_figure_view_to_scene (self, self->picked.group),
                               self->picked.region, cr);
  cairo_restore (cr);
  if (self->cursor.group >= 0)
    draw_cursor (self, cr);
  if (self->has_band)
    draw_band_region (self, cr);
  if (self->drag == ATTN_FIGURE_DRAG_ZOOM && self->has_moved)
    draw_zoom_rectangle (self, cr);
  cairo_destroy (cr);
}
