/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-slider.h"

#include <math.h>

#include "attn-epsilon-drawing.h"
#include "attn-epsilon-handle.h"
#include "attn-epsilon-tip.h"
#include "attn-intervention.h"
#include "attn-pointer-tip.h"
#include "attn-signal.h"

#define TIP_CHARS 60 /* characters of a line in the tip at the pointer */

/* The distance of a press from a handle, in pixels, up to which the handle does not jump to the
 * pointer */
#define REACH 14

struct _AttnEpsilonSlider
{
  GtkWidget parent_instance;

  GPtrArray *handles;              /* (element-type AttnEpsilonHandle): a handle for each factor
                                    * ε */
  const AttnEpsilonCurves *curves; /* (nullable): unowned */
  AttnEpsilonMeasure measure;      /* the measure whose curves are drawn */
  char *reason;                    /* (nullable): why there are no curves */
  AttnPainter *painter;
  AttnEpsilonTrack track;
  guint active; /* the handle that was moved last */
  AttnEpsilonPlace place;
  guint first;    /* number of the figure's column or row for the first factor, from 1 */
  gboolean plays; /* whether a player animates ε: the track then has its whole range */

  /* The state of a drag, in which the pointer moves a handle */
  gboolean is_dragging;
  double dragged_x; /* x that the dragged handle would have if no detent (stop) held it, pixels */
  double offset_x;  /* distance in x of the pointer from the press of a drag, as last reported,
                     * pixels */
  double pointer_x;

  GtkPopover *tip; /* tells of what is at the pointer */
};

enum
{
  SIGNAL_CHANGED,
  SIGNAL_REMOVED,
  SIGNAL_FAILED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnEpsilonSlider, attn_epsilon_slider, GTK_TYPE_WIDGET)

static AttnEpsilonHandle *
get_handle (AttnEpsilonSlider *self,
            guint              i)
{
  return g_ptr_array_index (self->handles, i);
}

static guint
find_handle (AttnEpsilonSlider *self,
             AttnEpsilonHandle *handle)
{
  guint i = 0;

  g_ptr_array_find (self->handles, handle, &i);
  return i;
}

static double
get_epsilon (AttnEpsilonSlider *self,
             guint              i)
{
  return attn_epsilon_handle_get_epsilon (get_handle (self, i));
}

/* Returns the height of the entries. GTK places the text of an entry wrongly if its height has not
 * been measured. */
static int
measure_numbers (AttnEpsilonSlider *self)
{
  int tallest = 0;

  for (guint i = 0; i < self->handles->len; i++)
    {
      int height;

      gtk_widget_measure (attn_epsilon_handle_get_entry (get_handle (self, i)),
                          GTK_ORIENTATION_VERTICAL, -1, NULL, &height, NULL, NULL);
      tallest = MAX (tallest, height);
    }
  return tallest;
}

/* Returns the least height of the slider: numbers, track and labels, without curves and without the
 * row of words for the ends of sinks. */
static int
measure_least (AttnEpsilonSlider *self)
{
  return measure_numbers (self) + ATTN_EPSILON_TRACK_HEIGHT +
         attn_epsilon_drawing_measure_label (GTK_WIDGET (self));
}

/* Returns the height of the row of words for marks, the ends of sinks, below the labels; 0 if there
 * is no room for it. */
static int
get_marks_height (AttnEpsilonSlider *self)
{
  int label = attn_epsilon_drawing_measure_label (GTK_WIDGET (self));

  return gtk_widget_get_height (GTK_WIDGET (self)) >= measure_least (self) + label ? label : 0;
}

/* Returns the y at which the track begins. The curves above the track get all the height that the
 * rows below it leave. */
static int
get_track_top (AttnEpsilonSlider *self)
{
  int height = gtk_widget_get_height (GTK_WIDGET (self)) - get_marks_height (self);

  return measure_numbers (self) + MAX (height - measure_least (self), 0);
}

/* Returns the height from the line of the track up to the numbers. */
static int
get_plot_height (AttnEpsilonSlider *self)
{
  return get_track_top (self) + ATTN_EPSILON_TRACK_HEIGHT / 2 - measure_numbers (self);
}

/* --- The values that are shown ---------------------------------------------------------------- */

static void
fit_track (AttnEpsilonSlider *self)
{
  g_autofree double *epsilons = g_new (double, self->handles->len + 1);

  /* While a handle is dragged the ends of the track stay as they are: with another scale the handle
   * would move away from the pointer. */
  if (self->is_dragging)
    return;
  for (guint i = 0; i < self->handles->len; i++)
    epsilons[i] = get_epsilon (self, i);
  epsilons[self->handles->len] = ATTN_EPSILON_MIN;
  self->track =
      attn_epsilon_track_fit (epsilons, self->handles->len + self->plays,
                              gtk_widget_get_width (GTK_WIDGET (self)) - 2 * ATTN_EPSILON_MARGIN);
  for (guint i = 0; i < self->handles->len; i++)
    attn_epsilon_handle_set_high (get_handle (self, i), self->track.high);
}

static void
move (AttnEpsilonSlider *self,
      guint              i,
      double             epsilon)
{
  self->active = i;
  if (epsilon == get_epsilon (self, i))
    return;
  attn_epsilon_handle_set_epsilon (get_handle (self, i), epsilon);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0, i, epsilon);
}

/* --- Keys of the slider ----------------------------------------------------------------------- */

static void
chosen_cb (AttnEpsilonSlider *self,
           double             epsilon,
           AttnEpsilonHandle *handle)
{
  move (self, find_handle (self, handle), epsilon);
}

static void
focused_cb (AttnEpsilonSlider *self,
            AttnEpsilonHandle *handle)
{
  gtk_popover_popdown (self->tip);
  self->active = find_handle (self, handle);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
removed_cb (AttnEpsilonSlider *self,
            AttnEpsilonHandle *handle)
{
  g_signal_emit (self, signals[SIGNAL_REMOVED], 0, find_handle (self, handle));
}

static void
failed_cb (AttnEpsilonSlider *self,
           const GError      *error)
{
  g_signal_emit (self, signals[SIGNAL_FAILED], 0, error);
}

static gboolean
key_cb (AttnEpsilonSlider *self)
{
  gtk_popover_popdown (self->tip);
  return GDK_EVENT_PROPAGATE;
}

/* --- The pointer on the slider ---------------------------------------------------------------- */

static double
get_x (AttnEpsilonSlider *self,
       double             epsilon)
{
  return ATTN_EPSILON_MARGIN + attn_epsilon_track_get_x (&self->track, epsilon);
}

/* Returns the handle nearest to @x; of several equally near ones, the handle that was moved
 * last. */
static guint
find_nearest (AttnEpsilonSlider *self,
              double             x)
{
  guint nearest = MIN (self->active, self->handles->len - 1);
  double least = fabs (get_x (self, get_epsilon (self, nearest)) - x);

  for (guint i = 0; i < self->handles->len; i++)
    {
      double distance = fabs (get_x (self, get_epsilon (self, i)) - x);

      if (distance >= least)
        continue;
      least = distance;
      nearest = i;
    }
  return nearest;
}

static double
snap (AttnEpsilonSlider *self,
      double             x)
{
  /* Ends of sinks hold a dragged handle only if they are few: with many no place would be left
   * between them. */
  gsize n_ends = self->curves != NULL && self->curves->n_ends <= ATTN_EPSILON_MAX_NAMED
                     ? self->curves->n_ends
                     : 0;
  g_autofree double *detents = g_new (double, n_ends + 1);

  detents[0] = 1;
  for (gsize i = 0; i < n_ends; i++)
    detents[i + 1] = self->curves->ends[i].epsilon;
  return attn_epsilon_track_snap (&self->track, x, detents, n_ends + 1);
}

static void
drag_to (AttnEpsilonSlider *self,
         double             x,
         gboolean           is_fine)
{
  double held = is_fine ? 0 : snap (self, x);

  self->dragged_x = x;
  move (self, self->active,
        is_fine    ? attn_epsilon_round (attn_epsilon_track_get_epsilon (&self->track, x), 3)
        : held > 0 ? held
                   : attn_epsilon_track_get_round (&self->track, x));
}

/* Returns the end of a sink that is nearest to a press in the row of words for these ends, the same
 * that the tip tells of there; NULL for a press elsewhere. */
static const AttnEpsilonEnd *
find_named_end (AttnEpsilonSlider *self,
                double             x,
                double             y)
{
  int top = gtk_widget_get_height (GTK_WIDGET (self)) - get_marks_height (self);

  return self->curves != NULL && y > top
             ? attn_epsilon_curves_find_end (self->curves, &self->track, x, G_MAXDOUBLE)
             : NULL;
}

static gboolean
is_shift_held (gpointer controller)
{
  return (gtk_event_controller_get_current_event_state (controller) & GDK_SHIFT_MASK) != 0;
}

/* Starts to drag the nearest handle. If the press is not close to the handle, it jumps to the
 * pointer or, if the words for the end of a sink are pressed, to that end. */
static void
drag_begin_cb (AttnEpsilonSlider *self,
               double             x,
               double             y,
               GtkGesture        *drag)
{
  if (y < measure_numbers (self))
    {
      gtk_gesture_set_state (drag, GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  gtk_gesture_set_state (drag, GTK_EVENT_SEQUENCE_CLAIMED);
  gtk_popover_popdown (self->tip);
  self->active = find_nearest (self, x);
  gtk_widget_grab_focus (attn_epsilon_handle_get_scale (get_handle (self, self->active)));
  self->is_dragging = TRUE;
  self->offset_x = 0;
  self->dragged_x = get_x (self, get_epsilon (self, self->active)) - ATTN_EPSILON_MARGIN;
  const AttnEpsilonEnd *end = find_named_end (self, x - ATTN_EPSILON_MARGIN, y);
  if (end != NULL)
    drag_to (self, attn_epsilon_track_get_x (&self->track, end->epsilon), FALSE);
  else if (fabs (self->dragged_x - (x - ATTN_EPSILON_MARGIN)) > REACH)
    drag_to (self, x - ATTN_EPSILON_MARGIN, FALSE);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
drag_update_cb (AttnEpsilonSlider *self,
                double             offset_x,
                double             offset_y,
                GtkGesture        *drag)
{
  gboolean is_fine = is_shift_held (drag);
  double by = (offset_x - self->offset_x) * (is_fine ? ATTN_EPSILON_TRACK_FINE : 1);

  self->offset_x = offset_x;
  if (self->is_dragging && by != 0)
    drag_to (self, self->dragged_x + by, is_fine);
}

static void
drag_end_cb (AttnEpsilonSlider *self)
{
  self->is_dragging = FALSE;
  fit_track (self);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

static gboolean
scroll_cb (AttnEpsilonSlider  *self,
           double              dx,
           double              dy,
           GtkEventController *scroll)
{
  gboolean is_fine = is_shift_held (scroll);
  double by = -(dy != 0 ? dy : dx) * ATTN_EPSILON_STEP * (is_fine ? ATTN_EPSILON_TRACK_FINE : 1);

  if (by == 0)
    return FALSE;
  guint i = find_nearest (self, self->pointer_x);
  double epsilon = get_epsilon (self, i) * pow (10, by);
  move (self, i, attn_epsilon_round (MIN (epsilon, pow (10, self->track.high)), is_fine ? 3 : 2));
  return TRUE;
}

/* --- The slider as a widget ------------------------------------------------------------------- */

static void
add_handle_to (AttnEpsilonSlider  *self,
               AttnEpsilonDrawing *drawing,
               guint               i)
{
  GtkWidget *scale = attn_epsilon_handle_get_scale (get_handle (self, i));

  attn_epsilon_drawing_add_handle (drawing, get_epsilon (self, i), i == self->active,
                                   gtk_widget_has_visible_focus (scale));
}

/* Draws the slider. The handle that was moved last is drawn over the others. */
static void
attn_epsilon_slider_snapshot (GtkWidget   *widget,
                              GtkSnapshot *snapshot)
{
  AttnEpsilonSlider *self = ATTN_EPSILON_SLIDER (widget);
  g_autofree double *avoided = g_new (double, self->handles->len);
  int top = get_track_top (self);
  int label = attn_epsilon_drawing_measure_label (widget);
  AttnEpsilonPlan plan = {
    .track = self->track,
    .start = ATTN_EPSILON_MARGIN,
    .width = gtk_widget_get_width (widget),
    .line = top + ATTN_EPSILON_TRACK_HEIGHT / 2.0,
    .plot_height = get_plot_height (self),
    .labels = top + ATTN_EPSILON_TRACK_HEIGHT + label / 2.0,
    .marks = get_marks_height (self) > 0 ? top + ATTN_EPSILON_TRACK_HEIGHT + 1.5 * label : 0,
    .reach = ATTN_EPSILON_RADIUS + 1,
    .handles = avoided,
  };
  AttnEpsilonDrawing drawing;

  /* Names of curves are placed so that no handle covers them. They do not avoid a moving handle, or
   * they would jump. */
  for (guint i = 0; i < self->handles->len; i++)
    if (self->curves == NULL || i != self->active || !(self->is_dragging || self->plays))
      avoided[plan.n_handles++] = get_epsilon (self, i);
  attn_epsilon_drawing_begin (&drawing, widget, snapshot, &plan);
  if (self->curves == NULL && self->reason != NULL && plan.plot_height >= ATTN_EPSILON_LEAST_PLOT)
    attn_epsilon_drawing_add_reason (&drawing, self->reason);
  for (guint i = 0; i < self->handles->len; i++)
    attn_epsilon_drawing_add_stem (&drawing, get_epsilon (self, i), i == self->active);
  attn_epsilon_drawing_add_scene (&drawing, self->painter, self->curves, self->measure);
  for (guint i = 0; i < self->handles->len; i++)
    if (i != self->active)
      add_handle_to (self, &drawing, i);
  if (self->active < self->handles->len)
    add_handle_to (self, &drawing, self->active);
  attn_epsilon_drawing_end (&drawing);
  for (guint i = 0; i < self->handles->len; i++)
    gtk_widget_snapshot_child (widget, attn_epsilon_handle_get_entry (get_handle (self, i)),
                               snapshot);
}

static void
attn_epsilon_slider_measure (GtkWidget      *widget,
                             GtkOrientation  orientation,
                             int             for_size,
                             int            *minimum,
                             int            *natural,
                             int            *minimum_baseline,
                             int            *natural_baseline)
{
  AttnEpsilonSlider *self = ATTN_EPSILON_SLIDER (widget);
  int decades = (int) (self->track.high - self->track.low);

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = (int) (3.25 * ATTN_EPSILON_TRACK_DECADE) + 2 * ATTN_EPSILON_MARGIN;
      *natural = MAX (decades, 4) * ATTN_EPSILON_TRACK_DECADE + 2 * ATTN_EPSILON_MARGIN;
    }
  else
    {
      *minimum = measure_least (self);
      *natural = *minimum + attn_epsilon_drawing_measure_label (widget) +
                 ATTN_EPSILON_PLOT_HEIGHT - ATTN_EPSILON_TRACK_HEIGHT / 2;
    }
}

static void
attn_epsilon_slider_size_allocate (GtkWidget *widget,
                                   int        width,
                                   int        height,
                                   int        baseline)
{
  AttnEpsilonSlider *self = ATTN_EPSILON_SLIDER (widget);
  guint n = self->handles->len;
  g_autofree double *wanted = g_new (double, n + 1);
  g_autofree double *places = g_new (double, n + 1);
  int numbers = measure_numbers (self);
  int extent = 0;

  fit_track (self);
  gtk_popover_present (self->tip);
  for (guint i = 0; i < n; i++)
    {
      GtkWidget *entry = attn_epsilon_handle_get_entry (get_handle (self, i));

      wanted[i] = get_x (self, get_epsilon (self, i));
      extent = MAX (extent, attn_epsilon_drawing_measure_number (entry));
    }
  attn_epsilon_track_spread (wanted, n, extent, width, places);
  for (guint i = 0; i < n; i++)
    {
      GtkWidget *entry = attn_epsilon_handle_get_entry (get_handle (self, i));
      GtkWidget *scale = attn_epsilon_handle_get_scale (get_handle (self, i));
      const GtkAllocation number = { (int) (places[i] - extent / 2.0), 0, extent, numbers };
      GtkRequisition size;

      gtk_widget_size_allocate (entry, &number, -1);
      gtk_widget_get_preferred_size (scale, &size, NULL);
      size.width = MAX (size.width, 2 * ATTN_EPSILON_RADIUS);
      size.height = MAX (size.height, 2 * ATTN_EPSILON_RADIUS);
      gtk_widget_size_allocate (
          scale,
          &(GtkAllocation) { (int) wanted[i] - size.width / 2,
                             get_track_top (self) +
                                 (ATTN_EPSILON_TRACK_HEIGHT - size.height) / 2,
                             size.width,
                             size.height },
          -1);
    }
}

/* Returns the text of the tip for a point of the slider, see [func@attn_epsilon_tip_describe]. */
static char *
describe_at (AttnEpsilonSlider *self,
             double             x,
             double             y)
{
  int track = get_track_top (self);
  AttnEpsilonZone zone =
      y > track + ATTN_EPSILON_TRACK_HEIGHT     ? ATTN_EPSILON_ZONE_BELOW
      : y > measure_numbers (self) && y < track ? ATTN_EPSILON_ZONE_CURVES
                                                : ATTN_EPSILON_ZONE_TRACK;

  return attn_epsilon_tip_describe (self->curves, &self->track, x - ATTN_EPSILON_MARGIN, zone,
                                    self->is_dragging);
}

static void
tell_at (AttnEpsilonSlider *self,
         double             x,
         double             y)
{
  const GdkRectangle place = { (int) x, 0, 1, gtk_widget_get_height (GTK_WIDGET (self)) };
  g_autofree char *text = describe_at (self, x, y);

  attn_pointer_tip_tell (self->tip, &place, text);
}

static gboolean
attn_epsilon_slider_query_tooltip (GtkWidget  *widget,
                                   int         x,
                                   int         y,
                                   gboolean    is_by_keyboard,
                                   GtkTooltip *tooltip)
{
  AttnEpsilonSlider *self = ATTN_EPSILON_SLIDER (widget);

  if (is_by_keyboard)
    {
      g_autofree char *text = describe_at (self, x, y);

      gtk_tooltip_set_text (tooltip, text);
    }
  else
    tell_at (self, x, y);
  return is_by_keyboard;
}

/* Remembers where the pointer is, and moves the tip along with it. */
static void
moved_cb (AttnEpsilonSlider *self,
          double             x,
          double             y)
{
  self->pointer_x = x;
  if (gtk_widget_get_visible (GTK_WIDGET (self->tip)))
    tell_at (self, x, y);
}

/* --- The class of the slider ------------------------------------------------------------------ */

static void
attn_epsilon_slider_dispose (GObject *object)
{
  AttnEpsilonSlider *self = ATTN_EPSILON_SLIDER (object);

  g_clear_pointer (&self->handles, g_ptr_array_unref);
  if (self->tip != NULL)
    gtk_widget_unparent (GTK_WIDGET (self->tip));
  self->tip = NULL;
  g_clear_pointer (&self->reason, g_free);
  g_clear_pointer (&self->painter, attn_painter_free);

  G_OBJECT_CLASS (attn_epsilon_slider_parent_class)->dispose (object);
}

static void
attn_epsilon_slider_class_init (AttnEpsilonSliderClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = attn_epsilon_slider_dispose;
  widget_class->snapshot = attn_epsilon_slider_snapshot;
  widget_class->measure = attn_epsilon_slider_measure;
  widget_class->size_allocate = attn_epsilon_slider_size_allocate;
  widget_class->query_tooltip = attn_epsilon_slider_query_tooltip;

  /* (guint index, double epsilon): emitted when a handle was moved. */
  signals[SIGNAL_CHANGED] = attn_signal_new (klass, "changed", 2, G_TYPE_UINT, G_TYPE_DOUBLE);
  /* (guint index): emitted when a handle is to be removed. */
  signals[SIGNAL_REMOVED] = attn_signal_new (klass, "removed", 1, G_TYPE_UINT);
  /* (GError *error): emitted when the typed text is no valid factor, and with NULL when that text
   * is gone. */
  signals[SIGNAL_FAILED] = attn_signal_new (klass, "failed", 1, G_TYPE_ERROR);

  gtk_widget_class_set_css_name (widget_class, "epsilonslider");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
add_controller (AttnEpsilonSlider *self,
                gpointer           controller,
                const char        *signal,
                GCallback          callback)
{
  g_signal_connect_swapped (controller, signal, callback, self);
  gtk_widget_add_controller (GTK_WIDGET (self), controller);
}

static void
name_handle (AttnEpsilonSlider *self,
             guint              index)
{
  AttnEpsilonHandle *handle = get_handle (self, index);

  attn_epsilon_place_name (self->place, self->first + index,
                           attn_epsilon_handle_get_scale (handle),
                           attn_epsilon_handle_get_entry (handle));
}

static void
add_handle (AttnEpsilonSlider *self)
{
  AttnEpsilonHandle *handle = attn_epsilon_handle_new (GTK_WIDGET (self));

  g_signal_connect_swapped (handle, "chosen", G_CALLBACK (chosen_cb), self);
  g_signal_connect_swapped (handle, "focused", G_CALLBACK (focused_cb), self);
  g_signal_connect_swapped (handle, "removed", G_CALLBACK (removed_cb), self);
  g_signal_connect_swapped (handle, "failed", G_CALLBACK (failed_cb), self);
  g_ptr_array_add (self->handles, handle);
}

static void
attn_epsilon_slider_init (AttnEpsilonSlider *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  self->tip = attn_pointer_tip_new (GTK_WIDGET (self), TIP_CHARS);
  self->handles = g_ptr_array_new_with_free_func (g_object_unref);
  self->painter = attn_painter_new ();
  self->track = attn_epsilon_track_fit (NULL, 0, 0);
  /* The axis of the slider runs from left to right in every language, as in the figure. */
  gtk_widget_set_direction (GTK_WIDGET (self), GTK_TEXT_DIR_LTR);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  g_signal_connect_swapped (drag, "drag-end", G_CALLBACK (drag_end_cb), self);
  add_controller (self, drag, "drag-begin", G_CALLBACK (drag_begin_cb));
  add_controller (self, motion, "motion", G_CALLBACK (moved_cb));
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (gtk_popover_popdown), self->tip);
  add_controller (self, gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES),
                  "scroll", G_CALLBACK (scroll_cb));
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  add_controller (self, keys, "key-pressed", G_CALLBACK (key_cb));
  add_handle (self);
}

/**
 * attn_epsilon_slider_set_epsilons:
 * @epsilons: (array length=n_epsilons): the factors, each of which gets a handle; with none the
 *   slider stays as it is, so that nothing in the window moves
 * @plays: whether a player moves ε down to the smallest value: the track then has its whole range
 *   from the start, so that its scale does not change
 */
void
attn_epsilon_slider_set_epsilons (AttnEpsilonSlider *slider,
                                  const double      *epsilons,
                                  gsize              n_epsilons,
                                  gboolean           plays)
{
  guint n_changed = 0;

  if (n_epsilons == 0)
    return;
  slider->plays = plays;
  if (slider->handles->len > n_epsilons)
    g_ptr_array_set_size (slider->handles, (int) n_epsilons);
  while (slider->handles->len < n_epsilons)
    {
      add_handle (slider);
      name_handle (slider, slider->handles->len - 1);
    }
  for (guint i = 0; i < n_epsilons; i++)
    {
      if (get_epsilon (slider, i) == epsilons[i])
        continue;
      attn_epsilon_handle_set_epsilon (get_handle (slider, i), epsilons[i]);
      slider->active = n_changed++ == 0 ? i : 0;
    }
  slider->active = MIN (slider->active, n_epsilons - 1);
  gtk_widget_queue_allocate (GTK_WIDGET (slider));
  gtk_widget_queue_draw (GTK_WIDGET (slider));
}

/**
 * attn_epsilon_slider_set_place:
 * @place: whether each factor belongs to a column, to a row or to the whole figure
 * @first: number in the figure, from 1, of the column or row that has the first factor
 *
 * Sets what the handles are called for assistive technology.
 */
void
attn_epsilon_slider_set_place (AttnEpsilonSlider *slider,
                               AttnEpsilonPlace   place,
                               guint              first)
{
  if (slider->place == place && slider->first == first)
    return;
  slider->place = place;
  slider->first = first;
  for (guint i = 0; i < slider->handles->len; i++)
    name_handle (slider, i);
}

/**
 * attn_epsilon_slider_set_curves:
 * @curves: (nullable): the curves to draw over the track; a handle is held (a detent) where the
 *   sink of a panel ends. They must live until the next call
 * @measure: which measure of @curves is drawn; the curves must have it
 * @reason: (nullable): if @curves is %NULL, text that says why there are none
 */
void
attn_epsilon_slider_set_curves (AttnEpsilonSlider       *slider,
                                const AttnEpsilonCurves *curves,
                                AttnEpsilonMeasure       measure,
                                const char              *reason)
{
  g_autofree char *description =
      curves != NULL ? attn_epsilon_curves_describe (curves) : g_strdup (reason);

  /* The tip tells of the old curves. */
  if (slider->curves != curves)
    gtk_popover_popdown (slider->tip);
  slider->curves = curves;
  slider->measure = measure;
  g_free (slider->reason);
  slider->reason = g_strdup (reason);
  gtk_accessible_update_property (GTK_ACCESSIBLE (slider), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  description != NULL ? description : "", -1);
  gtk_widget_queue_draw (GTK_WIDGET (slider));
}

/**
 * attn_epsilon_slider_get_active:
 *
 * Returns: index of the handle that was moved or had the focus last
 */
guint
attn_epsilon_slider_get_active (AttnEpsilonSlider *slider)
{
  return slider->active;
}

/* Moves the focus to the number of the handle that was moved last, with its text selected. */
void
attn_epsilon_slider_type (AttnEpsilonSlider *slider)
{
  gtk_widget_grab_focus (attn_epsilon_handle_get_entry (get_handle (slider, slider->active)));
}

/**
 * attn_epsilon_slider_get_track:
 * @start: (out): where the track begins, pixels from the left edge of the widget
 */
AttnEpsilonTrack
attn_epsilon_slider_get_track (AttnEpsilonSlider *slider,
                               double            *start)
{
  *start = ATTN_EPSILON_MARGIN;
  return slider->track;
}
