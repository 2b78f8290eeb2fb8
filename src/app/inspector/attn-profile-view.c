/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-profile-view.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-accent.h"
#include "attn-readout.h"
#include "attn-signal.h"

/* Pixels. */
#define MINIMUM_WIDTH  190
#define CHART_HEIGHT   56
#define CHART_GAP      8
#define MARK_HEIGHT    5
#define LINE_PADDING   4
#define COLUMN_GAP     6
#define SMALLEST_LABEL 40
#define SMALLEST_BAR   24
#define BASELINE_WIDTH 2

#define MOST_LINES  12
#define LABEL_SHARE 0.62 /* of the width beside the numbers; more if a label needs it */

struct _AttnProfileView
{
  GtkWidget parent_instance;

  AttnProfile *profile; /* (nullable) */
  gssize mark;          /* the cell under the cursor, or -1 */
  guint n_lines;        /* of the list */
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

static int
get_line_height (AttnProfileView *self)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), "Ág");
  int height;

  pango_layout_get_pixel_size (layout, NULL, &height);
  return height + LINE_PADDING;
}

/* Returns the width of a number in the grids above, with whose columns those here are aligned. */
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

/* Formats a number as the locale does, with three decimals, or with an exponent if these would all
 * be 0. */
static char *
format_number (double value)
{
  if (value == 0 || !isfinite (value) || fabs (value) >= 5e-4)
    return isnan (value) ? g_strdup ("NaN") : g_strdup_printf ("%.3f", value);

  int exponent = (int) floor (log10 (fabs (value)) + 1e-9);
  return g_strdup_printf ("%.0fe%d", value / pow (10, exponent), exponent);
}

static double
get_text_width (AttnProfileView *self,
                const char      *text)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), text);
  int width;

  pango_layout_get_pixel_size (layout, &width, NULL);
  return width;
}

static void
get_colors (AttnProfileView *self,
            GdkRGBA         *foreground,
            GdkRGBA         *accent)
{
  GtkStyleContext *context = gtk_widget_get_style_context (GTK_WIDGET (self));

  gtk_style_context_get_color (context, foreground);
  *accent = attn_accent_get (GTK_WIDGET (self));
}

static void
get_range (const AttnProfile *profile,
           double            *low,
           double            *high)
{
  *low = *high = 0;
  for (gsize i = 0; i < profile->n; i++)
    {
      if (!isnan (profile->values[i]))
        {
          *low = MIN (*low, profile->values[i]);
          *high = MAX (*high, profile->values[i]);
        }
      if (profile->baseline != NULL && !isnan (profile->baseline[i]))
        {
          *low = MIN (*low, profile->baseline[i]);
          *high = MAX (*high, profile->baseline[i]);
        }
    }
  if (*low == *high)
    *high = *low + 1;
}

/* Returns the value farthest from 0 among those that share a pixel, so that a lone large one stays
 * visible. */
static double
get_farthest (const double *values,
              gsize         first,
              gsize         end)
{
  double farthest = 0;

  for (gsize i = first; i < end; i++)
    if (fabs (values[i]) > fabs (farthest))
      farthest = values[i];
  return farthest;
}

/* Draws the values as bars, and a line at the values of the baseline. */
static void
draw_chart (AttnProfileView *self,
            cairo_t         *cr,
            double           width)
{
  const AttnProfile *profile = self->profile;
  gsize n_bars = MIN (profile->n, (gsize) width);
  double pitch = width / n_bars;
  double gap = pitch >= 6 ? 2 : pitch >= 3 ? 1
                                           : 0;
  GdkRGBA foreground, accent;
  double low, high;

  get_colors (self, &foreground, &accent);
  get_range (profile, &low, &high);
  double scale = CHART_HEIGHT / (high - low);
  double zero = high * scale;
  for (gsize i = 0; i < n_bars; i++)
    {
      gsize first = i * profile->n / n_bars;
      gsize end = MAX ((i + 1) * profile->n / n_bars, first + 1);
      double left = floor (i * pitch);
      double right = MAX (floor ((i + 1) * pitch) - gap, left + 1);
      double value = get_farthest (profile->values, first, end);

      gdk_cairo_set_source_rgba (cr, &accent);
      cairo_rectangle (cr, left, zero, right - left, -value * scale);
      cairo_fill (cr);
      double old = profile->baseline != NULL ? get_farthest (profile->baseline, first, end) : 0;
      if (old != 0)
        {
          double before = zero - old * scale;

          gdk_cairo_set_source_rgba (cr, &foreground);
          cairo_rectangle (cr, left, CLAMP (round (before) - 1, 0, CHART_HEIGHT - BASELINE_WIDTH),
                           right - left, BASELINE_WIDTH);
          cairo_fill (cr);
        }
      if (self->mark >= 0 && (gsize) self->mark >= first && (gsize) self->mark < end)
        {
          double middle = (left + right) / 2;

          gdk_cairo_set_source_rgba (cr, &foreground);
          cairo_move_to (cr, middle, CHART_HEIGHT + 2);
          cairo_rel_line_to (cr, MARK_HEIGHT, MARK_HEIGHT);
          cairo_rel_line_to (cr, -2 * MARK_HEIGHT, 0);
          cairo_close_path (cr);
          cairo_fill (cr);
        }
    }
  foreground.alpha *= 0.35f;
  gdk_cairo_set_source_rgba (cr, &foreground);
  cairo_rectangle (cr, 0, floor (zero) - (low < 0 ? 0 : 1), width, 1);
  cairo_fill (cr);
}

static void
draw_text (AttnProfileView *self,
           cairo_t         *cr,
           const char      *text,
           double           x,
           double           y,
           double           width,
           PangoAlignment   alignment,
           const GdkRGBA   *color)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), text);

  pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_MIDDLE);
  pango_layout_set_single_paragraph_mode (layout, TRUE);
  pango_layout_set_alignment (layout, alignment);
  gdk_cairo_set_source_rgba (cr, color);
  cairo_move_to (cr, x, y + LINE_PADDING / 2);
  pango_cairo_show_layout (cr, layout);
}

/* The columns of the list, with widths in pixels. */
typedef struct
{
  double label_width;
  double bar_left;
  double bar_width;
  double number_width;
  double numbers; /* both of them */
} Columns;

/* Computes the columns. Names are wider than tokens, and leave narrower bars. */
static Columns
get_columns (AttnProfileView *self,
             double           width)
{
  Columns columns = { .number_width = get_number_width (self) };
  double widest = 0;

  for (gsize line = 0; line < self->n_top; line++)
    {
      g_autofree char *label = attn_profile_dup_name (self->profile, self->top[line]);

      widest = MAX (widest, get_text_width (self, label));
    }
  columns.numbers = columns.number_width;
  if (self->profile->baseline != NULL)
    columns.numbers += COLUMN_GAP + columns.number_width;
  double rest = width - columns.numbers - 2 * COLUMN_GAP;
  columns.label_width = MAX (rest * LABEL_SHARE, MIN (widest, rest - SMALLEST_BAR));
  columns.label_width = MAX (columns.label_width, SMALLEST_LABEL);
  columns.bar_left = columns.label_width + COLUMN_GAP;
  columns.bar_width = MAX (rest - columns.label_width, SMALLEST_BAR);
  return columns;
}

/* Draws a row of the list: token, bar, number and number before the intervention. */
static void
draw_line (AttnProfileView *self,
           cairo_t         *cr,
           gsize            line,
           const Columns   *columns,
           double           y,
           double           width,
           int              height)
{
  const AttnProfile *profile = self->profile;
  gsize index = self->top[line];
  GdkRGBA foreground, accent, dim;
  double low, high;
  g_autofree char *label = attn_profile_dup_name (profile, index);
  g_autofree char *number = format_number (profile->values[index]);

  get_colors (self, &foreground, &accent);
  get_range (profile, &low, &high);
  dim = foreground;
  dim.alpha *= 0.7f;
  if (gtk_widget_has_focus (GTK_WIDGET (self)) && self->focus_line == line)
    {
      GdkRGBA mark = accent;

      mark.alpha = 0.25f;
      gdk_cairo_set_source_rgba (cr, &mark);
      cairo_rectangle (cr, 0, y, width, height);
      cairo_fill (cr);
    }
  draw_text (self, cr, label, 0, y, columns->label_width, PANGO_ALIGN_LEFT,
             self->mark == (gssize) index ? &foreground : &dim);
  if (self->mark == (gssize) index)
    {
      gdk_cairo_set_source_rgba (cr, &foreground);
      cairo_rectangle (cr, 0, y + height - 2,
                       MIN (get_text_width (self, label), columns->label_width), 1);
      cairo_fill (cr);
    }

  double scale = columns->bar_width / MAX (high, -low);
  double bar_top = y + height / 4;
  double bar_height = height - 2 * (height / 4);
  gdk_cairo_set_source_rgba (cr, &accent);
  cairo_rectangle (cr, columns->bar_left, bar_top, MAX (fabs (profile->values[index]) * scale, 1),
                   bar_height);
  cairo_fill (cr);
  if (profile->baseline != NULL)
    {
      double before = fabs (profile->baseline[index]) * scale;
      g_autofree char *old = format_number (profile->baseline[index]);

      gdk_cairo_set_source_rgba (cr, &foreground);
      cairo_rectangle (cr,
                       columns->bar_left +
                           MIN (round (before), columns->bar_width - BASELINE_WIDTH),
                       bar_top - 2, BASELINE_WIDTH, bar_height + 4);
      cairo_fill (cr);
      draw_text (self, cr, old, width - columns->number_width, y, columns->number_width,
                 PANGO_ALIGN_RIGHT, &dim);
    }
  draw_text (self, cr, number, width - columns->numbers, y, columns->number_width,
             PANGO_ALIGN_RIGHT, &foreground);
}

static void
attn_profile_view_snapshot (GtkWidget   *widget,
                            GtkSnapshot *snapshot)
{
  AttnProfileView *self = ATTN_PROFILE_VIEW (widget);
  int width = gtk_widget_get_width (widget);
  int height = get_line_height (self);
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (0, 0, width, gtk_widget_get_height (widget));

  if (self->profile == NULL || width <= 0)
    return;

  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &bounds);
  Columns columns = get_columns (self, width);
  draw_chart (self, cr, width);
  for (gsize line = 0; line < self->n_top; line++)
    draw_line (self, cr, line, &columns, CHART_HEIGHT + CHART_GAP + line * height, width, height);
  cairo_destroy (cr);
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
    *minimum = *natural = CHART_HEIGHT + CHART_GAP + (int) self->n_lines * get_line_height (self);
}

/* --- Choosing a cell -------------------------------------------------------------------------- */

static gboolean
find_index (AttnProfileView *self,
            double           x,
            double           y,
            gsize           *index)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self));

  if (self->profile == NULL || self->profile->n == 0 || width <= 0)
    return FALSE;
  if (y < CHART_HEIGHT + CHART_GAP)
    {
      *index = (gsize) CLAMP (x / width * self->profile->n, 0, self->profile->n - 1);
      return TRUE;
    }

  gsize line = (gsize) ((y - CHART_HEIGHT - CHART_GAP) / get_line_height (self));
  if (line >= self->n_top)
    return FALSE;
  *index = self->top[line];
  return TRUE;
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

/* --- The widget ------------------------------------------------------------------------------- */

static void
attn_profile_view_dispose (GObject *object)
{
  AttnProfileView *self = ATTN_PROFILE_VIEW (object);

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

  /* (guint64 index): emitted when a value of the profile is chosen. */
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
 * @n_lines: how many of the largest values are listed
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
 * @profile: (nullable) (transfer full): what to show
 * @mark: index of the cell that is read, or -1
 *
 * The size of the widget does not depend on it.
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
 * @mark: index of the cell that is read, or -1
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
