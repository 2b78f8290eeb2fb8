/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-figure-view.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-accent.h"
#include "attn-callout.h"
#include "attn-figure-keys.h"
#include "attn-heading.h"
#include "attn-overlay.h"
#include "attn-painter.h"
#include "attn-readout.h"
#include "attn-signal.h"

/* The smallest size of the widget in pixels: a smaller figure cannot be read. */
#define MINIMUM_WIDTH  260
#define MINIMUM_HEIGHT 240

/* The resolution of text of normal size, in dots per inch, and the largest scale of the desktop's
 * text by which text in the figure is enlarged. */
#define USUAL_RESOLUTION   96.0
#define LARGEST_TEXT_SCALE 2.0

#define SCROLL_FACTOR 1.25 /* zoom for a notch of the wheel */
#define SCROLL_STEP   0.15 /* distance that a notch of the wheel scrolls, as a share of the visible
                            * part */
#define LONGEST_FRAME 0.1  /* longest step of time of an animation in seconds, even if a frame takes
                            * longer */

struct _AttnFigureView
{
  GtkWidget parent_instance;

  AttnReading *reading;
  AttnPainter *painter;
  GskRenderNode *node; /* (nullable): render node with the drawing of the scene, cached */
  guint tick;          /* source id of the callback that animates the figure, or 0 */
  gint64 tick_time;
  gboolean is_pressed; /* whether the pointer's button was pressed once and is not yet released */
};

enum
{
  SIGNAL_PAINTED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnFigureView, attn_figure_view, GTK_TYPE_WIDGET)

/* --- The text that assistive technology reads ------------------------------------------------- */

static void
scene_changed_cb (AttnFigureView *self)
{
  g_clear_pointer (&self->node, gsk_render_node_unref);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Describes the figure, or the cell under the cursor, to assistive technology. */
static void
update_accessible (AttnFigureView *self)
{
  AttnGrid *grid = attn_reading_get (self->reading).grid;
  const AttnHit *read = attn_reading_get (self->reading).hit;
  g_autofree char *description = NULL;

  if (grid == NULL)
    description = g_strdup (_("No figure"));
  else if (read != NULL)
    {
      g_autofree char *cell = attn_readout_describe_cell (grid, read);
      g_autofree char *value = attn_readout_describe_value (grid, read);

      description = g_strdup_printf ("%s: %s", cell, value);
    }
  else
    description = g_strdup_printf (_("%zu × %zu panels of attention weights"), grid->n_rows,
                                   grid->n_columns);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, _("Figure"),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
}

static void
update_mouse_cursor (AttnFigureView *self)
{
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self),
                                   attn_reading_get_pointer_name (self->reading));
}

/* --- Drawing of the figure -------------------------------------------------------------------- */

static void
draw_scene (AttnFigureView   *self,
            const AttnPlaces *places,
            graphene_rect_t   bounds)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &bounds);

  cairo_translate (cr, -places->window.x, -places->window.y);
  cairo_scale (cr, places->scale, places->scale);
  attn_painter_draw (self->painter, places->scene, cr, places->pixels);
  cairo_destroy (cr);
  self->node = gtk_snapshot_free_to_node (snapshot);
  attn_reading_load (self->reading, attn_painter_get_missing (self->painter));
  g_signal_emit (self, signals[SIGNAL_PAINTED], 0);
}

/* Draws the figure. The scene is cached as a render node; only the overlay, such as the cursor, is
 * drawn again when the pointer moves. */
static void
attn_figure_view_snapshot (GtkWidget   *widget,
                           GtkSnapshot *snapshot)
{
  AttnFigureView *self = ATTN_FIGURE_VIEW (widget);
  AttnPlaces places = attn_reading_get_places (self->reading);
  GdkRGBA color = attn_accent_get (widget);
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (0, 0, gtk_widget_get_width (widget),
                                               gtk_widget_get_height (widget));

  if (places.scene == NULL)
    return;
  if (self->node == NULL)
    draw_scene (self, &places, bounds);
  if (self->node != NULL)
    gtk_snapshot_append_node (snapshot, self->node);

  cairo_pattern_t *accent = cairo_pattern_create_rgb (color.red, color.green, color.blue);
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &bounds);
  attn_overlay_draw (self->reading, accent, cr);
  attn_callout_draw (self->reading, cr);
  cairo_destroy (cr);
  cairo_pattern_destroy (accent);
}

static void
attn_figure_view_measure (GtkWidget      *widget,
                          GtkOrientation  orientation,
                          int             for_size,
                          int            *minimum,
                          int            *natural,
                          int            *minimum_baseline,
                          int            *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? MINIMUM_WIDTH : MINIMUM_HEIGHT;
  *natural = *minimum;
}

/* Returns the scale of text in the figure. Desktops enlarge text by raising the resolution of
 * fonts. */
static double
get_text_scale (GtkWidget *widget)
{
  double resolution =
      pango_cairo_context_get_resolution (gtk_widget_get_pango_context (widget));

  return resolution > 0 ? CLAMP (resolution / USUAL_RESOLUTION, 1, LARGEST_TEXT_SCALE) : 1;
}

static void
update_screen (AttnFigureView *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GdkRGBA color;

  if (self->reading == NULL)
    return;
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &color);
  const AttnScreen screen = {
    gtk_widget_get_width (widget),
    gtk_widget_get_height (widget),
    gtk_widget_get_scale_factor (widget),
    { (guint8) lround (color.red * 255), (guint8) lround (color.green * 255),
      (guint8) lround (color.blue * 255) },
    get_text_scale (widget),
  };
  attn_reading_set_screen (self->reading, &screen);
}

static void
attn_figure_view_size_allocate (GtkWidget *widget,
                                int        width,
                                int        height,
                                int        baseline)
{
  update_screen (ATTN_FIGURE_VIEW (widget));
}

static void
attn_figure_view_css_changed (GtkWidget         *widget,
                              GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (attn_figure_view_parent_class)->css_changed (widget, change);
  update_screen (ATTN_FIGURE_VIEW (widget));
}

/* --- Pointer and keys on the figure ----------------------------------------------------------- */

static void
motion_cb (AttnFigureView *self,
           double          x,
           double          y)
{
  attn_reading_point (self->reading, TRUE, x, y);
  update_mouse_cursor (self);
}

static void
leave_cb (AttnFigureView *self)
{
  attn_reading_point (self->reading, FALSE, 0, 0);
}

/* Zooms with the wheel. With Shift or Alt, or if it is turned sideways, the wheel scrolls. */
static gboolean
scroll_cb (AttnFigureView     *self,
           double              dx,
           double              dy,
           GtkEventController *controller)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state (controller);

  if ((state & GDK_SHIFT_MASK) != 0)
    attn_reading_do (self->reading, ATTN_COMMAND_PAN, 0, (dx + dy) * SCROLL_STEP);
  else if ((state & GDK_ALT_MASK) != 0 || (dy == 0 && dx != 0))
    attn_reading_do (self->reading, ATTN_COMMAND_PAN, dy * SCROLL_STEP, dx * SCROLL_STEP);
  else if (dy != 0)
    attn_reading_do (self->reading, ATTN_COMMAND_ZOOM_AT_POINTER, pow (SCROLL_FACTOR, -dy), 0);
  return dx != 0 || dy != 0;
}

/* Zooms by @factor around the point between the two fingers, or the middle of the view if the
 * gesture has ended. @factor is 0 at the beginning of a gesture. */
static void
pinch (AttnFigureView *self,
       double          factor,
       GtkGesture     *gesture)
{
  double x, y;

  if (!gtk_gesture_is_active (gesture) || !gtk_gesture_get_bounding_box_center (gesture, &x, &y))
    {
      x = gtk_widget_get_width (GTK_WIDGET (self)) / 2.0;
      y = gtk_widget_get_height (GTK_WIDGET (self)) / 2.0;
    }
  attn_reading_pinch (self->reading, factor, x, y);
}

static void
zoom_begin_cb (AttnFigureView   *self,
               GdkEventSequence *sequence,
               GtkGesture       *gesture)
{
  pinch (self, 0, gesture);
}

static GdkModifierType
get_state (GtkGesture *gesture)
{
  return gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
}

static void
drag_begin_cb (AttnFigureView *self,
               double          x,
               double          y,
               GtkGesture     *gesture)
{
  attn_reading_press (self->reading, x, y, (get_state (gesture) & GDK_SHIFT_MASK) != 0);
}

static void
drag_update_cb (AttnFigureView *self,
                double          dx,
                double          dy)
{
  attn_reading_drag (self->reading, dx, dy);
  update_mouse_cursor (self);
}

static gboolean
tick_cb (GtkWidget     *widget,
         GdkFrameClock *clock,
         gpointer       user_data)
{
  AttnFigureView *self = ATTN_FIGURE_VIEW (widget);
  gint64 now = gdk_frame_clock_get_frame_time (clock);
  double elapsed = MIN ((now - self->tick_time) / 1e6, LONGEST_FRAME);

  self->tick_time = now;
  if (attn_reading_coast (self->reading, elapsed))
    return G_SOURCE_CONTINUE;
  self->tick = 0;
  return G_SOURCE_REMOVE;
}

static void
drag_end_cb (AttnFigureView *self)
{
  attn_reading_release (self->reading, TRUE);
  update_mouse_cursor (self);
  self->tick_time = g_get_monotonic_time ();
  if (self->tick == 0 && attn_reading_is_coasting (self->reading))
    self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), tick_cb, NULL, NULL);
}

static void
drag_cancel_cb (AttnFigureView *self)
{
  attn_reading_release (self->reading, FALSE);
  update_mouse_cursor (self);
}

static void
pressed_cb (AttnFigureView *self,
            int             n_press,
            double          x,
            double          y)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->is_pressed = n_press == 1;
  if (n_press == 2)
    attn_reading_double_click (self->reading, x, y);
}

/* Chooses the row that was clicked. With Ctrl it is added to the choice or removed from it; with
 * Shift the choice is extended to it. */
static void
released_cb (AttnFigureView *self,
             int             n_press,
             double          x,
             double          y,
             GtkGesture     *gesture)
{
  GdkModifierType state = get_state (gesture);

  self->is_pressed = FALSE;
  if (n_press == 1)
    attn_reading_click (self->reading, x, y,
                        (state & GDK_CONTROL_MASK) != 0 ? ATTN_CHOICE_TOGGLE
                        : (state & GDK_SHIFT_MASK) != 0 ? ATTN_CHOICE_EXTEND
                                                        : ATTN_CHOICE_ONE);
}

/* Completes a click whose gesture GTK has given up. A short tap may end before the next frame; in
 * that GTK synthesizes a motion of the pointer with no button held and cancels the gesture, so that
 * the release arrives without its press. */
static void
unpaired_cb (AttnFigureView   *self,
             double            x,
             double            y,
             guint             button,
             GdkEventSequence *sequence,
             GtkGesture       *gesture)
{
  if (self->is_pressed)
    released_cb (self, 1, x, y, gesture);
}

static void
menu_pressed_cb (AttnFigureView *self,
                 int             n_press,
                 double          x,
                 double          y)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  attn_reading_menu_click (self->reading, x, y);
}

static gboolean
key_cb (GtkWidget *widget,
        GVariant  *arguments,
        gpointer   user_data)
{
  int command;
  double down, right;

  g_variant_get (arguments, ATTN_KEY_FORMAT, &command, &down, &right);
  return attn_reading_do (ATTN_FIGURE_VIEW (widget)->reading, command, down, right);
}

static void
add_controllers (AttnFigureView *self)
{
  gpointer motion = gtk_event_controller_motion_new ();
  gpointer scroll = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  gpointer zoom = gtk_gesture_zoom_new ();
  gpointer click = gtk_gesture_click_new ();
  gpointer menu = gtk_gesture_click_new ();
  gpointer drag = gtk_gesture_drag_new ();
  const gpointer controllers[] = { motion, scroll, zoom, click, menu, drag };

  gtk_gesture_single_set_button (menu, GDK_BUTTON_SECONDARY);
  for (gsize i = 0; i < G_N_ELEMENTS (controllers); i++)
    gtk_widget_add_controller (GTK_WIDGET (self), controllers[i]);
  g_signal_connect_swapped (motion, "enter", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), self);
  g_signal_connect_swapped (scroll, "scroll", G_CALLBACK (scroll_cb), self);
  g_signal_connect_swapped (zoom, "begin", G_CALLBACK (zoom_begin_cb), self);
  g_signal_connect_swapped (zoom, "scale-changed", G_CALLBACK (pinch), self);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  g_signal_connect_swapped (click, "released", G_CALLBACK (released_cb), self);
  g_signal_connect_swapped (click, "unpaired-release", G_CALLBACK (unpaired_cb), self);
  g_signal_connect_swapped (menu, "pressed", G_CALLBACK (menu_pressed_cb), self);
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  g_signal_connect_swapped (drag, "drag-end", G_CALLBACK (drag_end_cb), self);
  g_signal_connect_swapped (drag, "cancel", G_CALLBACK (drag_cancel_cb), self);
}

/* Shows a tooltip at the heading of a row or column of panels: the titles that its panels would
 * have with more room. */
static gboolean
attn_figure_view_query_tooltip (GtkWidget  *widget,
                                int         x,
                                int         y,
                                gboolean    is_by_keyboard,
                                GtkTooltip *tooltip)
{
  AttnRectangle box;
  g_autofree char *text =
      is_by_keyboard ? NULL
                     : attn_heading_describe (ATTN_FIGURE_VIEW (widget)->reading, x, y, &box);

  if (text == NULL)
    return FALSE;
  gtk_tooltip_set_tip_area (tooltip, &(GdkRectangle) { (int) box.x, (int) box.y,
                                                       (int) ceil (box.width),
                                                       (int) ceil (box.height) });
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

/* --- The figure view as a widget -------------------------------------------------------------- */

static void
attn_figure_view_dispose (GObject *object)
{
  AttnFigureView *self = ATTN_FIGURE_VIEW (object);

  if (self->tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->tick);
  self->tick = 0;
  g_clear_pointer (&self->node, gsk_render_node_unref);
  g_clear_pointer (&self->painter, attn_painter_free);
  g_clear_object (&self->reading);

  G_OBJECT_CLASS (attn_figure_view_parent_class)->dispose (object);
}

static void
attn_figure_view_class_init (AttnFigureViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = attn_figure_view_dispose;
  widget_class->snapshot = attn_figure_view_snapshot;
  widget_class->measure = attn_figure_view_measure;
  widget_class->size_allocate = attn_figure_view_size_allocate;
  widget_class->css_changed = attn_figure_view_css_changed;
  widget_class->query_tooltip = attn_figure_view_query_tooltip;

  /* (): emitted when a scene has been drawn for the first time. */
  signals[SIGNAL_PAINTED] = attn_signal_new (klass, "painted", 0);

  gtk_widget_class_set_css_name (widget_class, "figureview");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  attn_figure_keys_bind (widget_class, key_cb);
}

static void
attn_figure_view_init (AttnFigureView *self)
{
  self->painter = attn_painter_new ();
  self->reading = attn_reading_new ();
  g_signal_connect_object (self->reading, "scene-changed", G_CALLBACK (scene_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->reading, "overlay-changed", G_CALLBACK (gtk_widget_queue_draw),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->reading, "hit-changed", G_CALLBACK (update_accessible), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->reading, "tool-changed", G_CALLBACK (update_mouse_cursor), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect (self, "notify::scale-factor", G_CALLBACK (update_screen), NULL);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  add_controllers (self);
  update_accessible (self);
}

/**
 * attn_figure_view_new:
 *
 * Returns: (transfer floating): a view that shows no figure yet
 */
AttnFigureView *
attn_figure_view_new (void)
{
  return g_object_new (ATTN_TYPE_FIGURE_VIEW, NULL);
}

/**
 * attn_figure_view_get_reading:
 *
 * Returns: (transfer none): the reading of the figure: what is drawn, its cursor, its views and its
 *   commands
 */
AttnReading *
attn_figure_view_get_reading (AttnFigureView *view)
{
  return view->reading;
}
