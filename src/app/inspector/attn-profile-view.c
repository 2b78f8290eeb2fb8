/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-profile-view.h"

#include "attn-profile-scene.h"
#include "attn-readout.h"
#include "attn-scene-drawing.h"
#include "attn-signal.h"

/* Pixels */
#define MINIMUM_WIDTH 190
#define LINE_PADDING  4

#define MOST_LINES 12

struct _AttnProfileView
{
  GtkWidget parent_instance;

  AttnPainter *painter;
  AttnProfile *profile; /* (nullable) */
  gssize mark;          /* the cell under the cursor, or -1 */
  guint n_lines;        /* number of lines of the list */
  gsize focus_line;

  gsize top[MOST_LINES];
  gsize n_top;
};

enum
{
  SIGNAL_ACTIVATED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnProfileView, attn_profile_view, GTK_TYPE_WIDGET)

/* Returns: the height of a line of the list, pixels. @baseline: (out): the baseline of its text,
 * pixels from the top */
static int
measure_line (AttnProfileView *self,
              double          *baseline)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), "Ág");
  int height;

  pango_layout_get_pixel_size (layout, NULL, &height);
  *baseline = LINE_PADDING / 2 + (double) pango_layout_get_baseline (layout) / PANGO_SCALE;
  return height + LINE_PADDING;
}

/* Returns the width of a number in the tables of the inspector above this widget, whose columns the
 * numbers of the list are aligned with. */
static double
get_number_width (AttnProfileView *self)
{
  PangoContext *context = gtk_widget_get_pango_context (GTK_WIDGET (self));
  PangoFontMetrics *metrics = pango_context_get_metrics (context, NULL, NULL);
  int width = MAX (pango_font_metrics_get_approximate_digit_width (metrics),
                   pango_font_metrics_get_approximate_char_width (metrics));

  pango_font_metrics_unref (metrics);
  return (double) ATTN_READOUT_SHORT * width / PANGO_SCALE;
}

static AttnProfilePlan
get_plan (AttnProfileView *self)
{
  AttnProfilePlan plan = {
    .width = gtk_widget_get_width (GTK_WIDGET (self)),
    .number_width = get_number_width (self),
    .top = self->top,
    .n_top = self->n_top,
    .focus = gtk_widget_has_focus (GTK_WIDGET (self)) ? (int) self->focus_line : -1,
    .mark = self->mark,
  };

  plan.line_height = measure_line (self, &plan.baseline);
  return plan;
}

static void
attn_profile_view_snapshot (GtkWidget   *widget,
                            GtkSnapshot *snapshot)
{
  AttnProfileView *self = ATTN_PROFILE_VIEW (widget);
  const AttnProfilePlan plan = get_plan (self);
  const AttnStyle style = attn_scene_drawing_get_style (widget, 1);

  if (self->profile == NULL || plan.width <= 0)
    return;

  g_autoptr (AttnScene) scene = attn_profile_scene_new (
      &plan, &style, attn_scene_drawing_get_accent (widget), self->profile);
  attn_scene_drawing_append (widget, snapshot, self->painter, scene);
}

static void
attn_profile_view_measure (GtkWidget      *widget,
                           GtkOrientation  orientation,
                           int             for_size,
                           int            *minimum,
                           int            *natural,
                           int            *minimum_baseline,
                           int            *natural_baseline)
{
  AttnProfileView *self = ATTN_PROFILE_VIEW (widget);

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    *minimum = *natural = MINIMUM_WIDTH;
  else
    {
      double baseline;
      int line_height = measure_line (self, &baseline);

      *minimum = *natural = (int) attn_profile_scene_get_height (self->n_lines, line_height);
    }
}

/* --- Choosing a cell in the profile ----------------------------------------------------------- */

static gboolean
find_index (AttnProfileView *self,
            double           x,
            double           y,
            gsize           *index)
{
  const AttnProfilePlan plan = get_plan (self);

  return self->profile != NULL && attn_profile_scene_hit (&plan, self->profile, x, y, index);
}

static void
pressed_cb (AttnProfileView *self,
            int              n_press,
            double           x,
            double           y)
{
  gsize index;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (find_index (self, x, y, &index))
    g_signal_emit (self, signals[SIGNAL_ACTIVATED], 0, (guint64) index);
}

static gboolean
query_tooltip_cb (AttnProfileView *self,
                  int              x,
                  int              y,
                  gboolean         is_keyboard,
                  GtkTooltip      *tooltip)
{
  gsize index;

  if (is_keyboard || !find_index (self, x, y, &index))
    return FALSE;

  g_autofree char *number = attn_readout_format_number (self->profile->values[index]);
  g_autofree char *name = attn_profile_dup_name (self->profile, index);
  g_autofree char *text = g_strdup_printf ("%s: %s", name, number);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

/* Describes the whole list, or the line with the focus, to assistive technology. */
static void
update_accessible (AttnProfileView *self)
{
  gboolean has_focus = gtk_widget_has_focus (GTK_WIDGET (self)) && self->focus_line < self->n_top;
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize line = 0; line < self->n_top; line++)
    {
      g_autofree char *name = attn_profile_dup_name (self->profile, self->top[line]);
      g_autofree char *number =
          attn_readout_format_number (self->profile->values[self->top[line]]);

      if (!has_focus || line == self->focus_line)
        g_string_append_printf (text, "%s%s: %s", text->len > 0 ? "; " : "", name, number);
    }
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  text->str, -1);
}

static void
focus_cb (AttnProfileView *self)
{
  update_accessible (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static gboolean
move_key_cb (GtkWidget *widget,
             GVariant  *arguments,
             gpointer   user_data)
{
  AttnProfileView *self = ATTN_PROFILE_VIEW (widget);
  int step = g_variant_get_int32 (arguments);

  if (self->n_top == 0 || (step < 0 ? self->focus_line == 0 : self->focus_line + 1 >= self->n_top))
    return FALSE;
  self->focus_line += step;
  focus_cb (self);
  return TRUE;
}

static gboolean
activate_key_cb (GtkWidget *widget,
                 GVariant  *arguments,
                 gpointer   user_data)
{
  AttnProfileView *self = ATTN_PROFILE_VIEW (widget);

  if (self->focus_line < self->n_top)
    g_signal_emit (self, signals[SIGNAL_ACTIVATED], 0, (guint64) self->top[self->focus_line]);
  return TRUE;
}

/* --- The profile as a widget ------------------------------------------------------------------ */

static void
attn_profile_view_dispose (GObject *object)
{
  AttnProfileView *self = ATTN_PROFILE_VIEW (object);

  g_clear_pointer (&self->painter, attn_painter_free);
  g_clear_pointer (&self->profile, attn_profile_free);

  G_OBJECT_CLASS (attn_profile_view_parent_class)->dispose (object);
}

static void
attn_profile_view_class_init (AttnProfileViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = attn_profile_view_dispose;
  widget_class->snapshot = attn_profile_view_snapshot;
  widget_class->measure = attn_profile_view_measure;

  /* (guint64 index): emitted when the user chooses a value, a bar or a line of the list. */
  signals[SIGNAL_ACTIVATED] = attn_signal_new (klass, "activated", 1, G_TYPE_UINT64);

  gtk_widget_class_set_css_name (widget_class, "profileview");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Up, 0, move_key_cb, "i", -1);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Down, 0, move_key_cb, "i", 1);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Return, 0, activate_key_cb, NULL);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_KP_Enter, 0, activate_key_cb, NULL);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_space, 0, activate_key_cb, NULL);
}

static void
attn_profile_view_init (AttnProfileView *self)
{
  GtkGesture *click = gtk_gesture_click_new ();
  GtkEventController *focus = gtk_event_controller_focus_new ();

  self->painter = attn_painter_new ();
  self->mark = -1;
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  g_signal_connect (self, "query-tooltip", G_CALLBACK (query_tooltip_cb), NULL);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  g_signal_connect_swapped (focus, "enter", G_CALLBACK (focus_cb), self);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (focus_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), focus);
}

/**
 * attn_profile_view_set_lines:
 * @n_lines: the number of largest values that are listed
 */
void
attn_profile_view_set_lines (AttnProfileView *view,
                             guint            n_lines)
{
  view->n_lines = MIN (n_lines, MOST_LINES);
  gtk_widget_queue_resize (GTK_WIDGET (view));
}

/**
 * attn_profile_view_set_profile:
 * @profile: (nullable) (transfer full): the profile to show
 * @mark: index of the value to mark, that of the cell under the cursor, or -1
 *
 * The size of the widget does not depend on the profile.
 */
void
attn_profile_view_set_profile (AttnProfileView *view,
                               AttnProfile     *profile,
                               gssize           mark)
{
  g_clear_pointer (&view->profile, attn_profile_free);
  view->profile = profile;
  view->mark = mark;
  view->n_top = profile != NULL ? attn_profile_get_top (profile, view->top, view->n_lines) : 0;
  view->focus_line = MIN (view->focus_line, view->n_top > 0 ? view->n_top - 1 : 0);
  update_accessible (view);
  gtk_widget_queue_draw (GTK_WIDGET (view));
}

/**
 * attn_profile_view_set_mark:
 * @mark: index of the value to mark, that of the cell under the cursor, or -1
 */
void
attn_profile_view_set_mark (AttnProfileView *view,
                            gssize           mark)
{
  if (mark == view->mark)
    return;
  view->mark = mark;
  gtk_widget_queue_draw (GTK_WIDGET (view));
}
