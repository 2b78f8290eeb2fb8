/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-figure-view-private.h"

#include <math.h>

/* Never closer than this many cells of the largest panel. */
#define CLOSEST_CELLS 2.0

#define KINETIC_LONGEST_FRAME 0.1 /* seconds: a stall is not a leap */

/* --- Places ----------------------------------------------------------------------------------- */

static void
scale_rectangle (AttnRectangle *rectangle)
{
  rectangle->x *= ATTN_FIGURE_VIEW_SCALE;
  rectangle->y *= ATTN_FIGURE_VIEW_SCALE;
  rectangle->width *= ATTN_FIGURE_VIEW_SCALE;
  rectangle->height *= ATTN_FIGURE_VIEW_SCALE;
}

/* Where a panel of the grid is, in widget pixels. */
gboolean
attn_figure_view_get_panel_rectangle (AttnFigureView *self,
                                      int             group,
                                      AttnRectangle  *panel)
{
  AttnScene *scene = attn_figure_view_get_scene (self);
  int shown = attn_figure_view_to_scene (self, group);

  if (scene == NULL || shown < 0 || !attn_scene_get_heatmap (scene, shown, panel, NULL))
    return FALSE;
  scale_rectangle (panel);
  return TRUE;
}

/* Where a cell is, in widget pixels; FALSE while it is not shown. */
gboolean
attn_figure_view_get_cell_rectangle (AttnFigureView       *self,
                                     const AttnCellCursor *cursor,
                                     AttnRectangle        *cell)
{
  AttnScene *scene = attn_figure_view_get_scene (self);
  int shown = attn_figure_view_to_scene (self, cursor->group);

  if (scene == NULL || shown < 0 ||
      !attn_scene_get_cell (scene, shown, cursor->row, cursor->column, cell))
    return FALSE;
  scale_rectangle (cell);
  return TRUE;
}

/* Finds the panel at a point, in widget pixels. */
gboolean
attn_figure_view_find_panel (AttnFigureView *self,
                             double          x,
                             double          y,
                             int            *group,
                             AttnRectangle  *panel)
{
  AttnScene *scene = attn_figure_view_get_scene (self);
  int shown = -1;

  if (scene != NULL)
    shown = attn_scene_find_heatmap (scene, x / ATTN_FIGURE_VIEW_SCALE,
                                     y / ATTN_FIGURE_VIEW_SCALE);
  if (shown < 0)
    return FALSE;
  *group = attn_figure_view_from_scene (self, shown);
  return attn_figure_view_get_panel_rectangle (self, *group, panel);
}

/* The panel that is meant where none is named: the one under the pointer, or the cursor's. */
static int
get_meant_panel (AttnFigureView *self)
{
  AttnRectangle panel;
  int group;

  if (self->views.maximized >= 0)
    return self->views.maximized;
  if (!self->reads_cursor && self->has_pointer &&
      attn_figure_view_find_panel (self, self->pointer_x, self->pointer_y, &group, &panel))
    return group;
  return self->cursor.group;
}

static gsize
get_most_cells (AttnFigureView *self)
{
  gsize most = 1;

  for (gsize i = 0; self->grid != NULL && i < self->grid->n_rows * self->grid->n_columns; i++)
    {
      AttnPanel *panel = self->grid->cells[i].panel;

      if (panel != NULL)
        most = MAX (most, MAX (attn_panel_get_n_rows (panel), attn_panel_get_n_columns (panel)));
    }
  return most;
}

static double
get_smallest_extent (AttnFigureView *self)
{
  return MIN (CLOSEST_CELLS / get_most_cells (self), 1);
}

/* --- Changing what is shown ------------------------------------------------------------------- */

/* Shows @views, which are cleared, and remembers what was shown. */
void
attn_figure_view_change_views (AttnFigureView *self,
                               AttnViews      *views,
                               const char     *step)
{
  if (!attn_views_equal (views, &self->views))
    {
      gboolean is_other = views->maximized != self->views.maximized;

      attn_view_history_leave (self->history, &self->views, step, g_get_monotonic_time ());
      attn_views_assign (&self->views, views);
      if (is_other)
        g_clear_pointer (&self->alone, attn_grid_unref);
      attn_figure_view_drop_scene (self);
      attn_figure_view_update_hit (self);
      g_signal_emit (self, attn_figure_view_signals[ATTN_FIGURE_VIEW_VIEWPORT_CHANGED], 0);
    }
  attn_views_clear (views);
}

/* Shows a part of a panel, or of all that move with it. */
void
attn_figure_view_show_part (AttnFigureView     *self,
                            int                 group,
                            const AttnViewport *viewport,
                            const char         *step)
{
  AttnViews views;

  attn_views_init (&views);
  attn_views_assign (&views, &self->views);
  attn_views_set (&views, group, viewport);
  attn_figure_view_change_views (self, &views, step);
}

/**
 * attn_figure_view_get_viewport:
 *
 * Returns: the part of every panel that is shown, or was before they began to move one by one
 */
AttnViewport
attn_figure_view_get_viewport (AttnFigureView *view)
{
  return view->views.shared;
}

/**
 * attn_figure_view_dup_views:
 *
 * Returns: (transfer full) (nullable) (element-type AttnViewport): the part of each panel that is
 *   shown, where that is not the same of all
 */
GArray *
attn_figure_view_dup_views (AttnFigureView *view)
{
  const GArray *own = view->views.own;

  for (guint i = 0; own != NULL && i < own->len; i++)
    if (!attn_viewport_equal (&view->views.shared, &g_array_index (own, AttnViewport, i)))
      return g_array_copy (view->views.own);
  return NULL;
}

/**
 * attn_figure_view_set_viewport:
 * @viewport: the part to show of all panels
 */
void
attn_figure_view_set_viewport (AttnFigureView     *view,
                               const AttnViewport *viewport)
{
  attn_figure_view_show_part (view, ATTN_VIEWS_ALL, viewport, NULL);
}

/**
 * attn_figure_view_set_views:
 * @shared: the part to show of all panels
 * @own: (nullable) (element-type AttnViewport): the part of each, which counts while there are as
 *   many as panels; they no longer move together then
 *
 * No panel is maximised.
 */
void
attn_figure_view_set_views (AttnFigureView     *view,
                            const AttnViewport *shared,
                            const GArray       *own)
{
  gsize n_panels = view->grid != NULL ? view->grid->n_rows * view->grid->n_columns : 0;
  AttnViews views;

  attn_views_init (&views);
  attn_views_set (&views, ATTN_VIEWS_ALL, shared);
  if (own != NULL && own->len == n_panels)
    {
      attn_views_unlink (&views, n_panels);
      for (guint i = 0; i < own->len; i++)
        attn_views_set (&views, i, &g_array_index (own, AttnViewport, i));
    }
  attn_figure_view_change_views (view, &views, NULL);
}

/* Zooms from @from so that the cell at the point, in widget pixels, stays under it in its panel and
 * in all that move with it; about the middle of the panels if the point is on none. */
void
attn_figure_view_zoom_at (AttnFigureView     *self,
                          const AttnViewport *from,
                          double              factor,
                          double              x,
                          double              y)
{
  double x_fraction = 0.5;
  double y_fraction = 0.5;
  AttnRectangle panel;
  int group = ATTN_VIEWS_ALL;

  if (attn_figure_view_find_panel (self, x, y, &group, &panel))
    {
      x_fraction = (x - panel.x) / panel.width;
      y_fraction = (y - panel.y) / panel.height;
    }
  AttnViewport viewport = from != NULL ? *from : attn_views_get (&self->views, group);
  viewport =
      attn_viewport_zoom (viewport, factor, x_fraction, y_fraction, get_smallest_extent (self));
  attn_figure_view_show_part (self, group, &viewport, "zoom");
}

/* About the cell of the cursor. */
static gboolean
zoom_at_cursor (AttnFigureView *self,
                double          factor)
{
  AttnRectangle cell;

  if (!attn_figure_view_get_cell_rectangle (self, &self->cursor, &cell))
    return FALSE;
  attn_figure_view_zoom_at (self, NULL, factor, cell.x + cell.width / 2,
                            cell.y + cell.height / 2);
  return TRUE;
}

/**
 * attn_figure_view_zoom:
 * @factor: above 1 for closer
 *
 * Zooms at what is read: the pointer if it is on a panel, the cursor if the keyboard was used last.
 * Else about the middle.
 */
void
attn_figure_view_zoom (AttnFigureView *view,
                       double          factor)
{
  double x = view->has_pointer ? view->pointer_x : -1;
  double y = view->has_pointer ? view->pointer_y : -1;

  attn_figure_view_stop_kinetic (view);
  if (!(view->reads_cursor || !view->has_hit) || !zoom_at_cursor (view, factor))
    attn_figure_view_zoom_at (view, NULL, factor, x, y);
}

/**
 * attn_figure_view_pan:
 * @dx: fraction of the shown part, to the right
 * @dy: fraction of the shown part, down
 */
void
attn_figure_view_pan (AttnFigureView *view,
                      double          dx,
                      double          dy)
{
  int group = get_meant_panel (view);
  AttnViewport viewport = attn_viewport_pan (attn_views_get (&view->views, group), dx, dy);

  attn_figure_view_stop_kinetic (view);
  attn_figure_view_show_part (view, group, &viewport, "pan");
}

/**
 * attn_figure_view_fit:
 *
 * Shows the whole of all panels.
 */
void
attn_figure_view_fit (AttnFigureView *view)
{
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  attn_figure_view_stop_kinetic (view);
  attn_figure_view_set_viewport (view, &fit);
}

/**
 * attn_figure_view_zoom_to_pixels:
 *
 * Shows cells of a whole number of device pixels: one value, one pixel where there are more cells
 * than pixels. What is in the middle, or read, stays there.
 */
void
attn_figure_view_zoom_to_pixels (AttnFigureView *view)
{
  int group = get_meant_panel (view);
  AttnRectangle rectangle;
  double scale = gtk_widget_get_scale_factor (GTK_WIDGET (view));

  attn_figure_view_stop_kinetic (view);
  for (int i = 0; group < 0 && view->grid != NULL &&
                  i < (int) (view->grid->n_rows * view->grid->n_columns);
       i++)
    if (view->grid->cells[i].panel != NULL)
      group = i;
  if (!attn_figure_view_get_panel_rectangle (view, group, &rectangle))
    return;

  AttnPanel *panel = view->grid->cells[group].panel;
  double n_rows = attn_panel_get_n_rows (panel);
  double n_columns = attn_panel_get_n_columns (panel);
  double width = rectangle.width * scale;
  double height = rectangle.height * scale;
  double pixels = MAX (ceil (width / n_columns - 1e-9), ceil (height / n_rows - 1e-9));
  AttnViewport old = attn_views_get (&view->views, group);
  double x = old.x + old.width / 2;
  double y = old.y + old.height / 2;

  if (view->cursor.group == group)
    {
      x = (view->cursor.column + 0.5) / n_columns;
      y = (view->cursor.row + 0.5) / n_rows;
    }
  AttnViewport viewport = { 0, 0, MIN (width / (n_columns * pixels), 1),
                            MIN (height / (n_rows * pixels), 1) };
  viewport.x = x - viewport.width / 2;
  viewport.y = y - viewport.height / 2;
  attn_figure_view_show_part (view, group, &viewport, NULL);
}

/* Moves the shown part as little as it takes to have a cell in it. */
static double
include (double start,
         double extent,
         double from,
         double to)
{
  if (from < start)
    return from;
  if (to > start + extent)
    return MIN (to - extent, from);
  return start;
}

/* Shows a cell that is not shown. */
void
attn_figure_view_show_cell (AttnFigureView       *self,
                            const AttnCellCursor *cell)
{
  AttnPanel *panel = attn_cell_cursor_get_panel (self->grid, cell->group);
  AttnViews views;

  if (panel == NULL)
    return;

  double n_rows = attn_panel_get_n_rows (panel);
  double n_columns = attn_panel_get_n_columns (panel);
  AttnViewport viewport = attn_views_get (&self->views, cell->group);
  viewport.x = include (viewport.x, viewport.width, cell->column / n_columns,
                        (cell->column + 1) / n_columns);
  viewport.y = include (viewport.y, viewport.height, cell->row / n_rows, (cell->row + 1) / n_rows);

  attn_views_init (&views);
  attn_views_assign (&views, &self->views);
  if (views.maximized >= 0)
    views.maximized = cell->group;
  attn_views_set (&views, cell->group, &viewport);
  attn_figure_view_change_views (self, &views, "cursor");
}

/* --- One panel or all ------------------------------------------------------------------------- */

gboolean
attn_figure_view_is_linked (AttnFigureView *view)
{
  return view->views.own == NULL;
}

/**
 * attn_figure_view_set_linked:
 * @is_linked: whether all panels show the same part; otherwise the one under the pointer moves
 *   alone
 */
void
attn_figure_view_set_linked (AttnFigureView *view,
                             gboolean        is_linked)
{
  AttnViews views;

  if (is_linked == attn_figure_view_is_linked (view))
    return;
  attn_views_init (&views);
  attn_views_assign (&views, &view->views);
  if (is_linked)
    attn_views_link (&views, get_meant_panel (view));
  else
    attn_views_unlink (&views, view->grid != NULL ? view->grid->n_rows * view->grid->n_columns : 0);
  attn_figure_view_change_views (view, &views, NULL);
}

/**
 * attn_figure_view_get_maximized:
 *
 * Returns: index of the only panel that is shown, or -1
 */
int
attn_figure_view_get_maximized (AttnFigureView *view)
{
  return view->views.maximized;
}

/**
 * attn_figure_view_set_maximized:
 * @group: index of the panel to show alone, or -1 for all of them
 */
void
attn_figure_view_set_maximized (AttnFigureView *view,
                                int             group)
{
  AttnViews views;

  if (group >= 0 && attn_cell_cursor_get_panel (view->grid, group) == NULL)
    return;
  attn_figure_view_stop_kinetic (view);
  attn_views_init (&views);
  attn_views_assign (&views, &view->views);
  views.maximized = MAX (group, -1);
  attn_figure_view_change_views (view, &views, NULL);
}

/**
 * attn_figure_view_toggle_maximized:
 *
 * Shows the panel under the pointer or that of the cursor alone, or all again.
 */
void
attn_figure_view_toggle_maximized (AttnFigureView *view)
{
  int group = get_meant_panel (view);

  if (view->views.maximized >= 0)
    group = -1;
  else if (group < 0)
    group = attn_cell_cursor_move_panel (ATTN_CELL_CURSOR_NONE, view->grid, 1).group;
  attn_figure_view_set_maximized (view, group);
}

/* --- Back and forward ------------------------------------------------------------------------- */

gboolean
attn_figure_view_can_go_back (AttnFigureView *view)
{
  return attn_view_history_has_back (view->history);
}

gboolean
attn_figure_view_can_go_forward (AttnFigureView *view)
{
  return attn_view_history_has_forward (view->history);
}

static void
travel (AttnFigureView *self, gboolean (*go) (AttnViewHistory *, AttnViews *))
{
  attn_figure_view_stop_kinetic (self);
  if (go (self->history, &self->views))
    {
      attn_views_resize (&self->views,
                         self->grid != NULL ? self->grid->n_rows * self->grid->n_columns : 0);
      g_clear_pointer (&self->alone, attn_grid_unref);
      attn_figure_view_drop_scene (self);
      attn_figure_view_update_hit (self);
    }
  g_signal_emit (self, attn_figure_view_signals[ATTN_FIGURE_VIEW_VIEWPORT_CHANGED], 0);
}

/**
 * attn_figure_view_go_back:
 *
 * Shows what was shown before.
 */
void
attn_figure_view_go_back (AttnFigureView *view)
{
  travel (view, attn_view_history_go_back);
}

void
attn_figure_view_go_forward (AttnFigureView *view)
{
  travel (view, attn_view_history_go_forward);
}

/* --- Moving on by itself ---------------------------------------------------------------------- */

static gboolean
tick_cb (GtkWidget     *widget,
         GdkFrameClock *clock,
         gpointer       user_data)
{
  AttnFigureView *self = ATTN_FIGURE_VIEW (widget);
  gint64 now = gdk_frame_clock_get_frame_time (clock);
  double elapsed = MIN ((now - self->tick_time) / 1e6, KINETIC_LONGEST_FRAME);
  AttnViewport old = attn_views_get (&self->views, self->gesture_group);
  double dx, dy;

  self->tick_time = now;
  gboolean goes_on = attn_kinetic_step (&self->kinetic, MAX (elapsed, 0), &dx, &dy);
  AttnViewport viewport = attn_viewport_pan (old, -dx / self->gesture_panel.width,
                                             -dy / self->gesture_panel.height);
  /* Nothing to see beyond the edge. */
  if (elapsed > 0 && attn_viewport_equal (&viewport, &old))
    goes_on = FALSE;
  if (!goes_on)
    self->tick = 0;
  attn_figure_view_show_part (self, self->gesture_group, &viewport, "pan");
  return goes_on ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

/* To be called when the hand has let go while moving. */
void
attn_figure_view_start_kinetic (AttnFigureView *self)
{
  if (self->tick != 0)
    return;
  self->tick_time = g_get_monotonic_time ();
  self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), tick_cb, NULL, NULL);
}

void
attn_figure_view_stop_kinetic (AttnFigureView *self)
{
  if (self->tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->tick);
  self->tick = 0;
  attn_kinetic_stop (&self->kinetic);
}

/**
 * attn_figure_view_is_moving:
 *
 * Returns: whether what is shown moves on by itself
 */
gboolean
attn_figure_view_is_moving (AttnFigureView *view)
{
  return view->tick != 0;
}
