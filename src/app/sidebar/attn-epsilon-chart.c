/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-chart.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-cairo.h"
#include "attn-epsilon-track.h"
#include "attn-panel-name.h"
#include "attn-signal.h"
#include "attn-text.h"

#define PLOT_HEIGHT 54
#define LEFT        14 /* for the numbers at the ends of an axis */
#define RIGHT       8
#define GAP         6
#define DOT_RADIUS  3
#define RING_RADIUS 5

/* More curves than these cannot be told apart: they are drawn without names. */
#define MAX_NAMED 9

/* Ticks at most: over a range of more powers of ten every third has one. */
#define MAX_TICKS 5

/* Okabe and Ito, "Color universal design": safe for colour-blind eyes, on light and on dark. */
static const GdkRGBA colors[] = {
  { 0.902f, 0.624f, 0.0f, 1 },
  { 0.337f, 0.706f, 0.914f, 1 },
  { 0.0f, 0.620f, 0.451f, 1 },
  { 0.835f, 0.369f, 0.0f, 1 },
  { 0.8f, 0.475f, 0.655f, 1 },
  { 0.0f, 0.447f, 0.698f, 1 },
  { 0.75f, 0.70f, 0.10f, 1 },
  { 0.55f, 0.55f, 0.55f, 1 },
  { 0.60f, 0.40f, 0.85f, 1 },
};

struct _AttnEpsilonChart
{
  GtkWidget parent_instance;

  AttnSweep *sweep; /* (nullable) */
  char *reason;     /* (nullable): why there are no curves */
  GArray *epsilons; /* of double: those of the study */
};

enum
{
  SIGNAL_PICKED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnEpsilonChart, attn_epsilon_chart, GTK_TYPE_WIDGET)

/* Plots that are drawn above each other, over one axis of ε. */
typedef enum
{
  PLOT_SINK,
  PLOT_DISTANCE,
  PLOT_KL, /* only where the study shows curves of the prediction */
} Plot;

static double
get_value (const AttnSweepPanel *panel,
           Plot                  plot,
           gsize                 step)
{
  if (plot == PLOT_KL)
    return panel->kl[step];
  return plot == PLOT_SINK ? panel->measures[step].sink_score
                           : panel->measures[step].total_variation;
}

static guint
count_plots (AttnEpsilonChart *self)
{
  const AttnSweep *sweep = self->sweep;

  return sweep != NULL && sweep->n_panels > 0 && sweep->panels[0].kl != NULL ? PLOT_KL + 1
                                                                             : PLOT_KL;
}

/* At the upper end of a plot; 0 is at the lower one. */
static double
get_highest (AttnEpsilonChart *self,
             Plot              plot)
{
  double highest = plot == PLOT_KL ? 1e-9 : 1.0;

  for (gsize i = 0; plot == PLOT_KL && i < self->sweep->n_panels; i++)
    for (gsize step = 0; step < self->sweep->range.n_steps; step++)
      highest = MAX (highest, self->sweep->panels[i].kl[step]);
  return highest;
}

/* (transfer full) */
static char *
build_title (AttnEpsilonChart *self,
             Plot              plot)
{
  if (plot != PLOT_KL)
    return g_strdup (plot == PLOT_SINK ? _("Sink score") : _("Distance to the baseline"));
  g_autofree char *highest = attn_text_format_weight (get_highest (self, plot), 3);
  /* Translators: a number of bits, at the upper end of an axis */
  return g_strdup_printf (_("KL, 0 to %s bits"), highest);
}

static PangoLayout *
new_text (AttnEpsilonChart *self,
          const char       *text)
{
  PangoLayout *layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), text);

  pango_layout_set_single_paragraph_mode (layout, TRUE);
  return layout;
}

static int
get_line_height (AttnEpsilonChart *self)
{
  g_autoptr (PangoLayout) layout = new_text (self, "ε");
  int height;

  pango_layout_get_pixel_size (layout, NULL, &height);
  return height;
}

static int
get_plots_height (AttnEpsilonChart *self)
{
  return (int) count_plots (self) * (get_line_height (self) + PLOT_HEIGHT + GAP);
}

static gsize
count_named (AttnEpsilonChart *self)
{
  if (self->sweep == NULL)
    return 0;
  return self->sweep->n_panels <= MAX_NAMED ? self->sweep->n_panels : 1;
}

/* --- Places --- */

static double
get_plot_width (AttnEpsilonChart *self)
{
  return MAX (gtk_widget_get_width (GTK_WIDGET (self)) - LEFT - RIGHT, 1);
}

static AttnSweepRange
get_range (AttnEpsilonChart *self)
{
  return self->sweep != NULL ? self->sweep->range : ATTN_SWEEP_RANGE_DEFAULT;
}

/* log10 of ε at the left and the right edge. Larger is to the right, as at the slider above. */
static void
get_ends (AttnEpsilonChart *self,
          double           *left,
          double           *right)
{
  AttnSweepRange range = get_range (self);

  *left = log10 (MIN (range.first, range.last));
  *right = log10 (MAX (range.first, range.last));
}

/**
 * attn_epsilon_chart_get_x:
 *
 * Returns: where @epsilon is, from the left edge of the widget
 */
double
attn_epsilon_chart_get_x (AttnEpsilonChart *chart,
                          double            epsilon)
{
  double left, right;

  get_ends (chart, &left, &right);
  return LEFT + CLAMP ((log10 (epsilon) - left) / (right - left), 0, 1) * get_plot_width (chart);
}

/**
 * attn_epsilon_chart_get_epsilon:
 * @x: from the left edge of the widget
 *
 * Returns: the ε at that place
 */
double
attn_epsilon_chart_get_epsilon (AttnEpsilonChart *chart,
                                double            x)
{
  double position = CLAMP ((x - LEFT) / get_plot_width (chart), 0, 1);
  double left, right;

  get_ends (chart, &left, &right);
  return pow (10, left + position * (right - left));
}

/* --- Drawing --- */

static void
draw_text (cairo_t     *cr,
           PangoLayout *layout,
           double       x,
           double       y,
           double       alignment)
{
  int width;

  pango_layout_get_pixel_size (layout, &width, NULL);
  cairo_move_to (cr, x - alignment * width, y);
  pango_cairo_show_layout (cr, layout);
}

static void
set_color (cairo_t       *cr,
           const GdkRGBA *color,
           double         alpha)
{
  cairo_set_source_rgba (cr, color->red, color->green, color->blue, color->alpha * alpha);
}

/* Curves that lie on each other show as dashes in turn, their points as a ring around a dot. */
static void
set_curve_style (cairo_t *cr,
                 gsize    index,
                 gsize    n_curves)
{
  const double dashes[2] = { 5, 3 };
  gboolean is_named = n_curves <= MAX_NAMED;

  set_color (cr, &colors[index % G_N_ELEMENTS (colors)], is_named ? 1 : 0.35);
  cairo_set_line_width (cr, is_named ? 2 : 1);
  cairo_set_dash (cr, dashes, is_named && index % 2 == 1 ? 2 : 0, 0);
}

static void
draw_curve (AttnEpsilonChart *self,
            cairo_t          *cr,
            gsize             index,
            Plot              plot,
            double            highest,
            double            top)
{
  const AttnSweep *sweep = self->sweep;
  const AttnSweepPanel *panel = &sweep->panels[index];

  set_curve_style (cr, index, sweep->n_panels);
  for (gsize step = 0; step < sweep->range.n_steps; step++)
    {
      double value = get_value (panel, plot, step) / highest;
      double x = attn_epsilon_chart_get_x (self, attn_sweep_get_epsilon (&sweep->range, step));

      if (isnan (value))
        cairo_new_sub_path (cr);
      else
        cairo_line_to (cr, x, top + (1 - CLAMP (value, 0, 1)) * PLOT_HEIGHT);
    }
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);

  double value = panel->has_collapse ? get_value (panel, plot, panel->collapse) / highest : NAN;
  if (isnan (value))
    return;
  double collapse = attn_sweep_get_epsilon (&sweep->range, panel->collapse);
  cairo_arc (cr, attn_epsilon_chart_get_x (self, collapse),
             top + (1 - CLAMP (value, 0, 1)) * PLOT_HEIGHT,
             index % 2 == 0 ? DOT_RADIUS : RING_RADIUS, 0, 2 * G_PI);
  if (index % 2 == 0)
    cairo_fill (cr);
  else
    cairo_stroke (cr);
}

static void
draw_line (cairo_t *cr,
           double   x1,
           double   y1,
           double   x2,
           double   y2)
{
  cairo_move_to (cr, x1, y1);
  cairo_line_to (cr, x2, y2);
  cairo_stroke (cr);
}

static void
draw_plot (AttnEpsilonChart *self,
           cairo_t          *cr,
           const GdkRGBA    *color,
           Plot              kind,
           double            top)
{
  int line = get_line_height (self);
  double width = get_plot_width (self);
  double highest = get_highest (self, kind);
  double plot = top + line + 1;
  g_autofree char *title = build_title (self, kind);
  g_autoptr (PangoLayout) name = new_text (self, title);
  g_autoptr (PangoLayout) zero = new_text (self, "0");
  g_autoptr (PangoLayout) one = new_text (self, "1");

  set_color (cr, color, 0.7);
  pango_layout_set_ellipsize (name, PANGO_ELLIPSIZE_END);
  pango_layout_set_width (name, width * PANGO_SCALE);
  draw_text (cr, name, LEFT, top, 0);
  if (kind != PLOT_KL)
    draw_text (cr, one, LEFT - 3, plot - line * 0.5, 1);
  draw_text (cr, zero, LEFT - 3, plot + PLOT_HEIGHT - line * 0.6, 1);

  set_color (cr, color, 0.25);
  cairo_set_line_width (cr, 1);
  cairo_rectangle (cr, LEFT + 0.5, plot + 0.5, floor (width), PLOT_HEIGHT);
  cairo_stroke (cr);
  if (kind == PLOT_SINK)
    {
      const double dashes[2] = { 2, 2 };
      double y = floor (plot + (1 - ATTN_SWEEP_SINK_SCORE) * PLOT_HEIGHT) + 0.5;

      cairo_set_dash (cr, dashes, 2, 0);
      draw_line (cr, LEFT, y, LEFT + width, y);
      cairo_set_dash (cr, NULL, 0, 0);
    }
  set_color (cr, color, 0.5);
  for (guint i = 0; i < self->epsilons->len; i++)
    {
      double epsilon = g_array_index (self->epsilons, double, i);
      double x = floor (attn_epsilon_chart_get_x (self, epsilon)) + 0.5;

      draw_line (cr, x, plot, x, plot + PLOT_HEIGHT);
    }
  for (gsize i = 0; self->sweep != NULL && i < self->sweep->n_panels; i++)
    draw_curve (self, cr, i, kind, highest, plot);
  if (self->sweep == NULL && self->reason != NULL)
    {
      g_autoptr (PangoLayout) reason = new_text (self, self->reason);

      set_color (cr, color, 0.9);
      pango_layout_set_ellipsize (reason, PANGO_ELLIPSIZE_END);
      pango_layout_set_width (reason, width * PANGO_SCALE);
      pango_layout_set_alignment (reason, PANGO_ALIGN_CENTER);
      draw_text (cr, reason, LEFT, plot + (PLOT_HEIGHT - line) / 2.0, 0);
    }
}

static void
draw_ticks (AttnEpsilonChart *self,
            cairo_t          *cr,
            const GdkRGBA    *color,
            double            top)
{
  double left, right;

  get_ends (self, &left, &right);
  set_color (cr, color, 0.7);
  double step = right - left > MAX_TICKS ? 3 : 1;
  for (double exponent = floor (right + 1e-9); exponent >= left - 1e-9; exponent -= step)
    {
      g_autofree char *text =
          attn_text_format_epsilon (attn_epsilon_round (pow (10, exponent), 1));
      g_autoptr (PangoLayout) layout = new_text (self, exponent == 0 ? "ε = 1" : text);
      double x = attn_epsilon_chart_get_x (self, pow (10, exponent));
      double alignment = (x - LEFT) / get_plot_width (self);

      draw_text (cr, layout, x, top, CLAMP (alignment, 0.15, 0.85));
    }
}

/* "Query: collapses at ε = 3e-2" */
static char *
describe_panel (const AttnSweep      *sweep,
                const AttnSweepPanel *panel)
{
  g_autofree char *name = attn_panel_name_translate (panel->name);

  if (!panel->has_collapse)
    return g_strdup_printf (_("%s: does not collapse"), name);
  g_autofree char *epsilon =
      attn_text_format_epsilon (attn_sweep_get_epsilon (&sweep->range, panel->collapse));
  return g_strdup_printf (_("%s: collapses at ε = %s"), name, epsilon);
}

static char *
describe_all (const AttnSweep *sweep)
{
  gsize n = 0;

  for (gsize i = 0; i < sweep->n_panels; i++)
    n += sweep->panels[i].has_collapse;
  /* Translators: how many panels collapse, of how many there are */
  return g_strdup_printf (_("%zu of %zu panels collapse"), n, sweep->n_panels);
}

static void
draw_legend (AttnEpsilonChart *self,
             cairo_t          *cr,
             const GdkRGBA    *color,
             double            top)
{
  int line = get_line_height (self);
  gsize n = count_named (self);
  gboolean is_named = n > 0 && self->sweep->n_panels <= MAX_NAMED;

  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *text = is_named ? describe_panel (self->sweep, &self->sweep->panels[i])
                                       : describe_all (self->sweep);
      g_autoptr (PangoLayout) layout = new_text (self, text);
      double x = LEFT + (is_named ? 24 : 0);
      double y = top + i * line;

      if (is_named)
        {
          set_curve_style (cr, i, n);
          draw_line (cr, LEFT, y + line / 2.0, LEFT + 18, y + line / 2.0);
          cairo_set_dash (cr, NULL, 0, 0);
        }
      set_color (cr, color, 0.9);
      pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_MIDDLE);
      pango_layout_set_width (layout, (LEFT + get_plot_width (self) + RIGHT - x) * PANGO_SCALE);
      draw_text (cr, layout, x, y, 0);
    }
}

static void
attn_epsilon_chart_snapshot (GtkWidget   *widget,
                             GtkSnapshot *snapshot)
{
  AttnEpsilonChart *self = ATTN_EPSILON_CHART (widget);
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);
  int line = get_line_height (self);
  guint n = count_plots (self);
  double plot = line + PLOT_HEIGHT + GAP;
  GdkRGBA color;
  g_autoptr (cairo_t) cr =
      gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height));

  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &color);
  for (Plot kind = 0; kind < n; kind++)
    draw_plot (self, cr, &color, kind, kind * plot);
  draw_ticks (self, cr, &color, n * plot - GAP + 2);
  draw_legend (self, cr, &color, n * plot + line);
}

static void
attn_epsilon_chart_measure (GtkWidget      *widget,
                            GtkOrientation  orientation,
                            int             for_size,
                            int            *minimum,
                            int            *natural,
                            int            *minimum_baseline,
                            int            *natural_baseline)
{
  AttnEpsilonChart *self = ATTN_EPSILON_CHART (widget);
  int line = get_line_height (self);

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    *minimum = *natural = 180;
  else
    *minimum = *natural =
        get_plots_height (self) + line + (int) count_named (self) * line + 4;
}

/* --- The pointer --- */

static char *
describe_step (AttnEpsilonChart *self,
               double            x)
{
  const AttnSweep *sweep = self->sweep;
  double first = log10 (sweep->range.first);
  double last = log10 (sweep->range.last);
  double position = (log10 (attn_epsilon_chart_get_epsilon (self, x)) - first) / (last - first);
  gsize step = CLAMP (position, 0, 1) * (sweep->range.n_steps - 1) + 0.5;
  g_autofree char *epsilon =
      attn_text_format_epsilon (attn_sweep_get_epsilon (&sweep->range, step));
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_printf (text, "ε = %s", epsilon);
  for (gsize i = 0; i < MIN (sweep->n_panels, MAX_NAMED); i++)
    {
      const AttnPanelMeasures *measures = &sweep->panels[i].measures[step];
      g_autofree char *name = attn_panel_name_translate (sweep->panels[i].name);
      g_autofree char *sink = attn_text_format_weight (measures->sink_score, 3);
      g_autofree char *distance = attn_text_format_weight (measures->total_variation, 3);

      g_string_append_c (text, '\n');
      /* Translators: the name of a panel and two numbers */
      g_string_append_printf (text, _("%s: sink score %s, distance %s"), name, sink,
                              distance);
      if (sweep->panels[i].kl == NULL)
        continue;
      g_autofree char *kl = attn_text_format_weight (sweep->panels[i].kl[step], 3);
      g_string_append_printf (text, _(", KL %s bits"), kl);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
attn_epsilon_chart_query_tooltip (GtkWidget  *widget,
                                  int         x,
                                  int         y,
                                  gboolean    is_by_keyboard,
                                  GtkTooltip *tooltip)
{
  AttnEpsilonChart *self = ATTN_EPSILON_CHART (widget);
  g_autofree char *text = NULL;

  if (self->sweep == NULL)
    return FALSE;
  if (y > get_plots_height (self))
    /* xgettext:no-c-format */
    text = g_strdup (_("A panel collapses at the first ε at which its sink score falls below 0.3, "
                       "or its rows come within 1 % of the entropy of uniform ones"));
  else
    text = describe_step (self, x);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

static void
drag_cb (AttnEpsilonChart *self,
         double            offset_x,
         double            offset_y,
         GtkGestureDrag   *drag)
{
  double x, y;

  gtk_gesture_drag_get_start_point (drag, &x, &y);
  if (self->sweep != NULL && y <= get_plots_height (self))
    g_signal_emit (self, signals[SIGNAL_PICKED], 0,
                   attn_epsilon_chart_get_epsilon (self, x + offset_x));
}

/* --- The class --- */

static void
attn_epsilon_chart_finalize (GObject *object)
{
  AttnEpsilonChart *self = ATTN_EPSILON_CHART (object);

  g_clear_pointer (&self->sweep, attn_sweep_unref);
  g_array_unref (self->epsilons);
  g_free (self->reason);

  G_OBJECT_CLASS (attn_epsilon_chart_parent_class)->finalize (object);
}

static void
attn_epsilon_chart_class_init (AttnEpsilonChartClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->finalize = attn_epsilon_chart_finalize;
  widget_class->snapshot = attn_epsilon_chart_snapshot;
  widget_class->measure = attn_epsilon_chart_measure;
  widget_class->query_tooltip = attn_epsilon_chart_query_tooltip;

  /* (double epsilon): was pointed at with the button down. */
  signals[SIGNAL_PICKED] = attn_signal_new (klass, "picked", 1, G_TYPE_DOUBLE);

  gtk_widget_class_set_css_name (widget_class, "epsilonchart");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
attn_epsilon_chart_init (AttnEpsilonChart *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();

  self->epsilons = g_array_new (FALSE, FALSE, sizeof (double));
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (drag_cb), self);
  g_signal_connect_swapped (drag, "drag-end", G_CALLBACK (drag_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _("Sink score and distance to the baseline along ε"), -1);
}

/**
 * attn_epsilon_chart_describe:
 *
 * Returns: (transfer full): where each panel collapses, in one line
 */
char *
attn_epsilon_chart_describe (AttnSweep *sweep)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (sweep->n_panels > MAX_NAMED)
    return describe_all (sweep);
  for (gsize i = 0; i < sweep->n_panels; i++)
    {
      g_autofree char *panel = describe_panel (sweep, &sweep->panels[i]);

      g_string_append_printf (text, "%s%s", i > 0 ? "; " : "", panel);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/**
 * attn_epsilon_chart_set_sweep:
 * @sweep: (nullable): what to show
 * @reason: (nullable): without @sweep, why there is nothing to show
 */
void
attn_epsilon_chart_set_sweep (AttnEpsilonChart *chart,
                              AttnSweep        *sweep,
                              const char       *reason)
{
  g_autofree char *description =
      sweep != NULL ? attn_epsilon_chart_describe (sweep) : g_strdup (reason);
  gsize n_before = count_named (chart) + count_plots (chart);

  if (chart->sweep == sweep && g_strcmp0 (chart->reason, reason) == 0)
    return;
  g_free (chart->reason);
  chart->reason = g_strdup (reason);
  g_clear_pointer (&chart->sweep, attn_sweep_unref);
  chart->sweep = sweep != NULL ? attn_sweep_ref (sweep) : NULL;
  gtk_accessible_update_property (GTK_ACCESSIBLE (chart), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  description != NULL ? description : "", -1);
  if (count_named (chart) + count_plots (chart) != n_before)
    gtk_widget_queue_resize (GTK_WIDGET (chart));
  gtk_widget_queue_draw (GTK_WIDGET (chart));
}

/**
 * attn_epsilon_chart_set_epsilons:
 * @epsilons: (array length=n_epsilons): that the figure shows
 */
void
attn_epsilon_chart_set_epsilons (AttnEpsilonChart *chart,
                                 const double     *epsilons,
                                 gsize             n_epsilons)
{
  g_array_set_size (chart->epsilons, 0);
  g_array_append_vals (chart->epsilons, epsilons, n_epsilons);
  gtk_widget_queue_draw (GTK_WIDGET (chart));
}
