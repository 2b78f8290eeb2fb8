/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-figure-view-private.h"

#include <math.h>

#define SCROLL_FACTOR 1.25 /* a notch of the wheel */
#define KEY_FACTOR    1.5
#define KEY_STEP      0.2 /* of the shown part */

static void
set_pointer (AttnFigureView *self,
             gboolean        has_pointer,
             double          x,
             double          y)
{
  self->has_pointer = has_pointer;
  self->pointer_x = x;
  self->pointer_y = y;
  attn_figure_view_update_hit (self);
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
  set_pointer (self, FALSE, 0, 0);
}

static gboolean
scroll_cb (AttnFigureView *self,
           double          dx,
           double          dy)
{
  if (dy != 0)
    attn_figure_view_zoom (self, pow (SCROLL_FACTOR, -dy));
  return dy != 0;
}

static void
zoom_begin_cb (AttnFigureView   *self,
               GdkEventSequence *sequence,
               GtkGesture       *gesture)
{
  self->gesture_viewport = self->viewport;
}

static void
zoom_changed_cb (AttnFigureView *self,
                 double          scale,
                 GtkGesture     *gesture)
{
  double x, y;

  if (gtk_gesture_get_bounding_box_center (gesture, &x, &y))
    attn_figure_view_zoom_at (self, self->gesture_viewport, scale, x, y);
}

static void
drag_begin_cb (AttnFigureView *self,
               double          x,
               double          y,
               GtkGesture     *gesture)
{
  if (attn_viewport_is_fit (&self->viewport) ||
      !attn_figure_view_find_panel (self, x, y, &self->gesture_panel))
    {
      gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  self->gesture_viewport = self->viewport;
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), "grabbing");
}

/* The cell that was taken hold of stays under the pointer. */
static void
drag_update_cb (AttnFigureView *self,
                double          offset_x,
                double          offset_y)
{
  AttnViewport viewport = attn_viewport_pan (self->gesture_viewport,
                                             -offset_x / self->gesture_panel.width,
                                             -offset_y / self->gesture_panel.height);

  attn_figure_view_set_viewport (self, &viewport);
}

static void
drag_end_cb (AttnFigureView *self)
{
  gtk_widget_set_cursor (GTK_WIDGET (self), NULL);
}

static void
pressed_cb (AttnFigureView *self,
            int             n_press)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (n_press == 2)
    attn_figure_view_fit (self);
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
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
  g_signal_connect_swapped (scroll, "scroll", G_CALLBACK (scroll_cb), self);
  gtk_widget_add_controller (widget, scroll);

  GtkGesture *zoom = gtk_gesture_zoom_new ();
  g_signal_connect_swapped (zoom, "begin", G_CALLBACK (zoom_begin_cb), self);
  g_signal_connect_swapped (zoom, "scale-changed", G_CALLBACK (zoom_changed_cb), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (zoom));

  GtkGesture *click = gtk_gesture_click_new ();
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));

  GtkGesture *drag = gtk_gesture_drag_new ();
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  g_signal_connect_swapped (drag, "drag-end", G_CALLBACK (drag_end_cb), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
}

static gboolean
zoom_key_cb (GtkWidget *widget,
             GVariant  *arguments,
             gpointer   user_data)
{
  attn_figure_view_zoom (ATTN_FIGURE_VIEW (widget), g_variant_get_double (arguments));
  return TRUE;
}

static gboolean
pan_key_cb (GtkWidget *widget,
            GVariant  *arguments,
            gpointer   user_data)
{
  double dx, dy;

  g_variant_get (arguments, "(dd)", &dx, &dy);
  attn_figure_view_pan (ATTN_FIGURE_VIEW (widget), dx, dy);
  return TRUE;
}

static gboolean
fit_key_cb (GtkWidget *widget,
            GVariant  *arguments,
            gpointer   user_data)
{
  attn_figure_view_fit (ATTN_FIGURE_VIEW (widget));
  return TRUE;
}

void
attn_figure_view_add_bindings (GtkWidgetClass *klass)
{
  static const guint closer[] = { GDK_KEY_plus, GDK_KEY_equal, GDK_KEY_KP_Add };
  static const guint further[] = { GDK_KEY_minus, GDK_KEY_KP_Subtract };
  static const guint fit[] = { GDK_KEY_0, GDK_KEY_KP_0 };
  static const struct
  {
    guint key;
    double dx;
    double dy;
  } arrows[] = {
    { GDK_KEY_Left, -KEY_STEP, 0 },
    { GDK_KEY_Right, KEY_STEP, 0 },
    { GDK_KEY_Up, 0, -KEY_STEP },
    { GDK_KEY_Down, 0, KEY_STEP },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (closer); i++)
    gtk_widget_class_add_binding (klass, closer[i], 0, zoom_key_cb, "d", KEY_FACTOR);
  for (gsize i = 0; i < G_N_ELEMENTS (further); i++)
    gtk_widget_class_add_binding (klass, further[i], 0, zoom_key_cb, "d", 1 / KEY_FACTOR);
  for (gsize i = 0; i < G_N_ELEMENTS (fit); i++)
    gtk_widget_class_add_binding (klass, fit[i], 0, fit_key_cb, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (arrows); i++)
    gtk_widget_class_add_binding (klass, arrows[i].key, 0, pan_key_cb, "(dd)", arrows[i].dx,
                                  arrows[i].dy);
}
