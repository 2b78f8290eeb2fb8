/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-figure-view-private.h"

#include <math.h>

#define SCROLL_FACTOR 1.25 /* a notch of the wheel */
#define SCROLL_STEP   0.15 /* of the shown part, a notch of the wheel that moves */

/* Pixels: a hand is not steadier. */
#define CLICK_REACH 4.0

/* Pixels: a smaller rectangle is a slip. */
#define SMALLEST_RECTANGLE 6.0

static double
get_seconds (void)
{
  return g_get_monotonic_time () / 1e6;
}

static gboolean
is_on_diagram (AttnFigureView *self)
{
  AttnScene *scene = attn_figure_view_get_scene (self);
  int head, token;

  return scene != NULL && self->grid->diagram != NULL &&
         attn_scene_hit_diagram (scene, self->pointer_x / ATTN_FIGURE_VIEW_SCALE,
                                 self->pointer_y / ATTN_FIGURE_VIEW_SCALE,
                                 ATTN_FIGURE_DIAGRAM_REACH, &head, &token);
}

/* Over a region that can be resized, the pointer says how; over the diagram, that it is clicked. */
static void
update_mouse_cursor (AttnFigureView *self)
{
  static const char * const names[] = {
    [ATTN_HANDLE_INSIDE] = "move",
    [ATTN_HANDLE_TOP_LEFT] = "nw-resize",
    [ATTN_HANDLE_TOP] = "n-resize",
    [ATTN_HANDLE_TOP_RIGHT] = "ne-resize",
    [ATTN_HANDLE_RIGHT] = "e-resize",
    [ATTN_HANDLE_BOTTOM_RIGHT] = "se-resize",
    [ATTN_HANDLE_BOTTOM] = "s-resize",
    [ATTN_HANDLE_BOTTOM_LEFT] = "sw-resize",
    [ATTN_HANDLE_LEFT] = "w-resize",
  };
  AttnRegionHit hit;

  if (self->drag != ATTN_FIGURE_DRAG_NOTHING || self->tool == ATTN_FIGURE_TOOL_ZOOM)
    return;
  if (self->tool == ATTN_FIGURE_TOOL_MOVE)
    {
      gtk_widget_set_cursor_from_name (GTK_WIDGET (self), is_on_diagram (self) ? "pointer" : NULL);
      return;
    }
  gtk_widget_set_cursor_from_name (
      GTK_WIDGET (self),
      attn_figure_view_hit_region (self, self->pointer_x, self->pointer_y, &hit)
          ? names[hit.handle]
          : "crosshair");
}

static void
set_pointer (AttnFigureView *self,
             gboolean        has_pointer,
             double          x,
             double          y)
{
  /* The same place again is the figure that moved, not the hand. */
  if (has_pointer && hypot (x - self->pointer_x, y - self->pointer_y) > 0.5)
    self->reads_cursor = FALSE;
  self->has_pointer = has_pointer;
  self->pointer_x = x;
  self->pointer_y = y;
  attn_figure_view_update_hit (self);
  if (has_pointer)
    update_mouse_cursor (self);
  if (self->drag == ATTN_FIGURE_DRAG_ZOOM)
    gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
motion_cb (AttnFigureView *self,
           double          x,
           double          y)
{
  set_pointer (self, TRUE, x, y);
}

static void
leave_cb (AttnFigureView *self)
{
  set_pointer (self, FALSE, self->pointer_x, self->pointer_y);
}

/* The wheel zooms; with Shift or Alt, and sideways, it moves. */
static gboolean
scroll_cb (AttnFigureView     *self,
           double              dx,
           double              dy,
           GtkEventController *controller)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state (controller);

  attn_figure_view_stop_kinetic (self);
  if ((state & GDK_SHIFT_MASK) != 0)
    attn_figure_view_pan (self, (dx + dy) * SCROLL_STEP, 0);
  else if ((state & GDK_ALT_MASK) != 0)
    attn_figure_view_pan (self, dx * SCROLL_STEP, dy * SCROLL_STEP);
  else if (dy != 0)
    attn_figure_view_zoom_at (self, NULL, pow (SCROLL_FACTOR, -dy),
                              self->has_pointer ? self->pointer_x : -1,
                              self->has_pointer ? self->pointer_y : -1);
  else if (dx != 0)
    attn_figure_view_pan (self, dx * SCROLL_STEP, 0);
  return dx != 0 || dy != 0;
}

/* A gesture without fingers has no last event to ask either. */
static gboolean
find_fingers (GtkGesture *gesture,
              double     *x,
              double     *y)
{
  return gtk_gesture_is_active (gesture) && gtk_gesture_get_bounding_box_center (gesture, x, y);
}

static void
zoom_begin_cb (AttnFigureView   *self,
               GdkEventSequence *sequence,
               GtkGesture       *gesture)
{
  double x, y;
  AttnRectangle panel;
  int group = ATTN_VIEWS_ALL;

  attn_figure_view_stop_kinetic (self);
  self->drag = ATTN_FIGURE_DRAG_NOTHING;
  if (find_fingers (gesture, &x, &y))
    attn_figure_view_find_panel (self, x, y, &group, &panel);
  self->gesture_viewport = attn_views_get (&self->views, group);
}

static void
zoom_changed_cb (AttnFigureView *self,
                 double          scale,
                 GtkGesture     *gesture)
{
  double x, y;

  /* Without fingers, in the middle. */
  if (!find_fingers (gesture, &x, &y))
    {
      x = gtk_widget_get_width (GTK_WIDGET (self)) / 2.0;
      y = gtk_widget_get_height (GTK_WIDGET (self)) / 2.0;
    }
  attn_figure_view_zoom_at (self, &self->gesture_viewport, scale, x, y);
}

static void
drag_begin_cb (AttnFigureView *self,
               double          x,
               double          y,
               GtkGesture     *gesture)
{
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  gboolean is_zoom = self->tool == ATTN_FIGURE_TOOL_ZOOM ||
                     (self->tool == ATTN_FIGURE_TOOL_MOVE && (state & GDK_SHIFT_MASK) != 0);

  attn_figure_view_stop_kinetic (self);
  self->has_moved = FALSE;
  self->drag = ATTN_FIGURE_DRAG_NOTHING;
  self->gesture_x = x;
  self->gesture_y = y;
  if (self->tool == ATTN_FIGURE_TOOL_REGION)
    {
      attn_figure_view_begin_region (self, x, y);
      return;
    }
  if (!attn_figure_view_find_panel (self, x, y, &self->gesture_group, &self->gesture_panel))
    return;
  self->gesture_viewport = attn_views_get (&self->views, self->gesture_group);
  if (is_zoom)
    self->drag = ATTN_FIGURE_DRAG_ZOOM;
  else if (!attn_viewport_is_fit (&self->gesture_viewport))
    self->drag = ATTN_FIGURE_DRAG_PAN;
}

static void
drag_update_cb (AttnFigureView *self,
                double          offset_x,
                double          offset_y)
{
  double x = self->gesture_x + offset_x;
  double y = self->gesture_y + offset_y;
  AttnViewport viewport;

  if (!self->has_moved && hypot (offset_x, offset_y) > CLICK_REACH)
    {
      self->has_moved = TRUE;
      if (self->drag == ATTN_FIGURE_DRAG_PAN)
        gtk_widget_set_cursor_from_name (GTK_WIDGET (self), "grabbing");
    }
  if (!self->has_moved)
    return;
  switch (self->drag)
    {
    case ATTN_FIGURE_DRAG_PAN:
      /* The cell that was taken hold of stays under the pointer. */
      viewport = attn_viewport_pan (self->gesture_viewport, -offset_x / self->gesture_panel.width,
                                    -offset_y / self->gesture_panel.height);
      attn_kinetic_follow (&self->kinetic, get_seconds (), x, y);
      attn_figure_view_show_part (self, self->gesture_group, &viewport, "pan");
      break;
    case ATTN_FIGURE_DRAG_ZOOM:
      self->pointer_x = x;
      self->pointer_y = y;
      gtk_widget_queue_draw (GTK_WIDGET (self));
      break;
    case ATTN_FIGURE_DRAG_REGION:
      attn_figure_view_update_region (self, x, y);
      break;
    case ATTN_FIGURE_DRAG_NOTHING:
    default:
      break;
    }
}

/* Shows what lies between where the hand took hold and where it let go, in whole as far as the
 * panel goes. */
static void
zoom_to_rectangle (AttnFigureView *self,
                   double          offset_x,
                   double          offset_y)
{
  const AttnRectangle *panel = &self->gesture_panel;
  const AttnViewport *old = &self->gesture_viewport;
  double left = CLAMP ((MIN (0, offset_x) + self->gesture_x - panel->x) / panel->width, 0, 1);
  double right = CLAMP ((MAX (0, offset_x) + self->gesture_x - panel->x) / panel->width, 0, 1);
  double top = CLAMP ((MIN (0, offset_y) + self->gesture_y - panel->y) / panel->height, 0, 1);
  double bottom = CLAMP ((MAX (0, offset_y) + self->gesture_y - panel->y) / panel->height, 0, 1);
  AttnPanel *cells = attn_cell_cursor_get_panel (self->grid, self->gesture_group);

  if (cells == NULL || (right - left) * panel->width < SMALLEST_RECTANGLE ||
      (bottom - top) * panel->height < SMALLEST_RECTANGLE)
    return;

  AttnViewport viewport = {
    old->x + left * old->width,
    old->y + top * old->height,
    MAX ((right - left) * old->width, 1.0 / attn_panel_get_n_columns (cells)),
    MAX ((bottom - top) * old->height, 1.0 / attn_panel_get_n_rows (cells)),
  };
  attn_figure_view_show_part (self, self->gesture_group, &viewport, NULL);
}

static void
drag_end_cb (AttnFigureView *self,
             double          offset_x,
             double          offset_y)
{
  AttnFigureDrag drag = self->drag;

  self->drag = ATTN_FIGURE_DRAG_NOTHING;
  if (drag == ATTN_FIGURE_DRAG_REGION)
    attn_figure_view_end_region (self, self->has_moved);
  else if (drag == ATTN_FIGURE_DRAG_ZOOM && self->has_moved)
    {
      zoom_to_rectangle (self, offset_x, offset_y);
      attn_figure_view_set_tool (self, ATTN_FIGURE_TOOL_MOVE);
      gtk_widget_queue_draw (GTK_WIDGET (self));
    }
  else if (drag == ATTN_FIGURE_DRAG_PAN)
    {
      gtk_widget_set_cursor (GTK_WIDGET (self), NULL);
      if (self->has_moved && attn_kinetic_release (&self->kinetic, get_seconds ()))
        attn_figure_view_start_kinetic (self);
    }
}

static void
drag_cancel_cb (AttnFigureView *self)
{
  if (self->drag == ATTN_FIGURE_DRAG_REGION)
    attn_figure_view_end_region (self, FALSE);
  if (self->drag == ATTN_FIGURE_DRAG_PAN)
    gtk_widget_set_cursor (GTK_WIDGET (self), NULL);
  self->drag = ATTN_FIGURE_DRAG_NOTHING;
  attn_kinetic_stop (&self->kinetic);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* The panel whose title is at a point in widget pixels, or -1. */
static int
find_title (AttnFigureView *self,
            double          x,
            double          y)
{
  AttnScene *scene = attn_figure_view_get_scene (self);

  x /= ATTN_FIGURE_VIEW_SCALE;
  y /= ATTN_FIGURE_VIEW_SCALE;
  for (gsize i = 0; scene != NULL && i < attn_scene_get_n_marks (scene); i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);
      AttnRectangle panel;

      if (g_strcmp0 (mark->role, "title") == 0 &&
          attn_scene_get_heatmap (scene, mark->group, &panel, NULL) && x >= panel.x &&
          x < panel.x + panel.width && y < panel.y &&
          y >= mark->rectangle.y - 1.2 * mark->font_size)
        return attn_figure_view_from_scene (self, mark->group);
    }
  return -1;
}

static void
pressed_cb (AttnFigureView *self,
            int             n_press,
            double          x,
            double          y)
{
  AttnRectangle panel;
  int group;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (n_press != 2 || self->tool == ATTN_FIGURE_TOOL_REGION)
    return;

  int title = find_title (self, x, y);
  if (title >= 0)
    attn_figure_view_set_maximized (self, self->views.maximized >= 0 ? -1 : title);
  else if (attn_figure_view_find_panel (self, x, y, &group, &panel))
    g_signal_emit (self, attn_figure_view_signals[ATTN_FIGURE_VIEW_ACTIVATED], 0);
  else
    attn_figure_view_fit (self);
}

/* The cell at a point, in widget pixels, of the panels of the grid. */
static gboolean
find_hit (AttnFigureView *self,
          double          x,
          double          y,
          AttnHit        *hit)
{
  AttnScene *scene = attn_figure_view_get_scene (self);

  if (scene == NULL || !attn_scene_hit (scene, x / ATTN_FIGURE_VIEW_SCALE,
                                        y / ATTN_FIGURE_VIEW_SCALE,
                                        attn_figure_view_get_pixels (self), hit))
    return FALSE;
  hit->group = attn_figure_view_from_scene (self, hit->group);
  return TRUE;
}

/* A button that was let go where it was pressed down. */
static void
released_cb (AttnFigureView *self,
             int             n_press,
             double          x,
             double          y,
             GtkGesture     *gesture)
{
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  AttnHit hit;

  if (n_press != 1 || self->has_moved || self->grid == NULL)
    return;
  if (!find_hit (self, x, y, &hit))
    {
      g_signal_emit (self, attn_figure_view_signals[ATTN_FIGURE_VIEW_BESIDE_CLICKED], 0,
                     x / ATTN_FIGURE_VIEW_SCALE, y / ATTN_FIGURE_VIEW_SCALE);
      return;
    }
  attn_figure_view_click_cell (self, &hit, state);
  if ((state & (GDK_CONTROL_MASK | GDK_SHIFT_MASK)) == 0 && self->tool == ATTN_FIGURE_TOOL_MOVE)
    g_signal_emit (self, attn_figure_view_signals[ATTN_FIGURE_VIEW_CLICKED], 0);
}

/* Of the cell at a point, in widget pixels. */
void
attn_figure_view_ask_menu (AttnFigureView *self,
                           double          x,
                           double          y)
{
  g_signal_emit (self, attn_figure_view_signals[ATTN_FIGURE_VIEW_MENU_ASKED], 0, x, y);
}

/* The other button. */
static void
menu_pressed_cb (AttnFigureView *self,
                 int             n_press,
                 double          x,
                 double          y)
{
  AttnHit hit;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (find_hit (self, x, y, &hit))
    attn_figure_view_point_cell (self, &hit);
  attn_figure_view_ask_menu (self, x, y);
}

void
attn_figure_view_add_controllers (AttnFigureView *self)
{
  GtkWidget *widget = GTK_WIDGET (self);

  GtkEventController *motion = gtk_event_controller_motion_new ();
  g_signal_connect_swapped (motion, "enter", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), self);
  gtk_widget_add_controller (widget, motion);

  GtkEventController *scroll =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  g_signal_connect_swapped (scroll, "scroll", G_CALLBACK (scroll_cb), self);
  gtk_widget_add_controller (widget, scroll);

  GtkGesture *zoom = gtk_gesture_zoom_new ();
  g_signal_connect_swapped (zoom, "begin", G_CALLBACK (zoom_begin_cb), self);
  g_signal_connect_swapped (zoom, "scale-changed", G_CALLBACK (zoom_changed_cb), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (zoom));

  GtkGesture *click = gtk_gesture_click_new ();
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  g_signal_connect_swapped (click, "released", G_CALLBACK (released_cb), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));

  GtkGesture *menu = gtk_gesture_click_new ();
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (menu), GDK_BUTTON_SECONDARY);
  g_signal_connect_swapped (menu, "pressed", G_CALLBACK (menu_pressed_cb), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (menu));

  GtkGesture *drag = gtk_gesture_drag_new ();
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  g_signal_connect_swapped (drag, "drag-end", G_CALLBACK (drag_end_cb), self);
  g_signal_connect_swapped (drag, "cancel", G_CALLBACK (drag_cancel_cb), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
}
