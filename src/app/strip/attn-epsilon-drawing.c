/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-drawing.h"

#include <math.h>

#include <glib/gi18n.h>

#include "attn-accent.h"
#include "attn-contrast.h"
#include "attn-text.h"

/* In pixels: longer names are counted, and shown in full by the tooltip. */
#define LONGEST_MARK   160
#define NUMBER_FRAME   12 /* around a number, with padding, border and text cursor */
#define LABEL_GAP      6
#define NAME_CLEARANCE 2  /* between names and curves */
#define SMALLEST_STEP  12 /* between two of the N_PLACES tried for the names */

#define N_PLACES 16

/* Distances between the names of curves, in pixels: wide, and narrow if there is little room. */
typedef struct
{
  double gap;    /* before a name */
  double sample; /* of the curve's line beside its name */
  double space;  /* between both */
} NameStyle;

static const NameStyle name_styles[] = { { 10, 12, 4 }, { 6, 7, 3 } };

double
attn_epsilon_drawing_get_x (const AttnEpsilonTrack *track,
                            double                  epsilon)
{
  return ATTN_EPSILON_MARGIN + attn_epsilon_track_get_x (track, epsilon);
}

static PangoLayout *
new_text (GtkWidget  *widget,
          const char *text)
{
  PangoLayout *layout = gtk_widget_create_pango_layout (widget, text);
  g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();

  pango_attr_list_insert (attributes, pango_attr_scale_new (PANGO_SCALE_SMALL));
  pango_layout_set_attributes (layout, attributes);
  return layout;
}

/**
 * attn_epsilon_drawing_measure_label:
 *
 * Returns: the height of a label below the track
 */
int
attn_epsilon_drawing_measure_label (GtkWidget *widget)
{
  g_autoptr (PangoLayout) layout = new_text (widget, "1");
  int height;

  pango_layout_get_pixel_size (layout, NULL, &height);
  return height;
}

/**
 * attn_epsilon_drawing_measure_number:
 * @entry: of a handle
 *
 * Returns: the width that its number needs. GTK counts characters, of a width that those of another
 *   script may have
 */
int
attn_epsilon_drawing_measure_number (GtkWidget *entry)
{
  g_autoptr (PangoLayout) layout =
      gtk_widget_create_pango_layout (entry, gtk_editable_get_text (GTK_EDITABLE (entry)));
  int natural, text;

  gtk_widget_measure (entry, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  pango_layout_get_pixel_size (layout, &text, NULL);
  return MAX (natural, text + NUMBER_FRAME);
}

static double
get_middle (const AttnEpsilonDrawing *drawing)
{
  return drawing->top + ATTN_EPSILON_TRACK_HEIGHT / 2.0;
}

static void
set_color (AttnEpsilonDrawing *drawing,
           const GdkRGBA      *color,
           double              alpha)
{
  cairo_set_source_rgba (drawing->cr, color->red, color->green, color->blue, color->alpha * alpha);
}

/* Adds a label below the track, unless it would overlap another one. */
static void
add_label (AttnEpsilonDrawing *drawing,
           const char         *text,
           double              x)
{
  g_autoptr (PangoLayout) layout = new_text (drawing->widget, text);
  GArray *taken = drawing->taken;
  int width;

  pango_layout_get_pixel_size (layout, &width, NULL);
  double left = CLAMP (x - width / 2.0, 0, gtk_widget_get_width (drawing->widget) - width);
  for (guint i = 0; i + 1 < taken->len; i += 2)
    if (left < g_array_index (taken, double, i + 1) + LABEL_GAP &&
        left + width + LABEL_GAP > g_array_index (taken, double, i))
      return;
  double right = left + width;
  g_array_append_val (taken, left);
  g_array_append_val (taken, right);
  cairo_move_to (drawing->cr, floor (left), drawing->top + ATTN_EPSILON_TRACK_HEIGHT);
  pango_cairo_show_layout (drawing->cr, layout);
}

/**
 * attn_epsilon_drawing_begin:
 * @drawing: (out): to be ended with [func@attn_epsilon_drawing_end]
 * @top: of the track, from that of @widget
 * @plot_height: from the line of the track up
 *
 * Draws the line.
 */
void
attn_epsilon_drawing_begin (AttnEpsilonDrawing     *drawing,
                            GtkWidget              *widget,
                            GtkSnapshot            *snapshot,
                            const AttnEpsilonTrack *track,
                            double                  top,
                            double                  plot_height)
{
  int width = gtk_widget_get_width (widget);

  *drawing = (AttnEpsilonDrawing) {
    .widget = widget,
    .cr = gtk_snapshot_append_cairo (
        snapshot, &GRAPHENE_RECT_INIT (0, 0, width, gtk_widget_get_height (widget))),
    .track = track,
    .top = top,
    .plot_height = plot_height,
    .accent = attn_accent_get (widget),
    .taken = g_array_new (FALSE, FALSE, sizeof (double)),
    .handles = g_array_new (FALSE, FALSE, sizeof (double)),
  };
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &drawing->color);
  if (!gtk_widget_is_sensitive (widget))
    cairo_push_group (drawing->cr);
  set_color (drawing, &drawing->color, 0.3);
  cairo_set_line_width (drawing->cr, 4);
  cairo_set_line_cap (drawing->cr, CAIRO_LINE_CAP_ROUND);
  cairo_move_to (drawing->cr, ATTN_EPSILON_MARGIN, get_middle (drawing));
  cairo_line_to (drawing->cr, width - ATTN_EPSILON_MARGIN, get_middle (drawing));
  cairo_stroke (drawing->cr);
  cairo_set_line_cap (drawing->cr, CAIRO_LINE_CAP_BUTT);
}

/**
 * attn_epsilon_drawing_expect_handle:
 *
 * Tells of a handle that is added later, which names should not stand on.
 */
void
attn_epsilon_drawing_expect_handle (AttnEpsilonDrawing *drawing,
                                    double              epsilon)
{
  double x = attn_epsilon_drawing_get_x (drawing->track, epsilon);

  g_array_append_val (drawing->handles, x);
}

/* --- Curves ----------------------------------------------------------------------------------- */

static double
get_y (const AttnEpsilonDrawing *drawing,
       double                    share)
{
  return get_middle (drawing) - CLAMP (share, 0, 1) * drawing->plot_height;
}

/* Draws the ends of the axis, and the threshold below which a head is no sink. */
static void
draw_axis (AttnEpsilonDrawing *drawing,
           AttnEpsilonMeasure  measure,
           double              highest)
{
  const double dashes[] = { 2, 2 };
  double width = gtk_widget_get_width (drawing->widget) - 2 * ATTN_EPSILON_MARGIN;
  double top = floor (get_y (drawing, 1)) + 0.5;
  double sink = floor (get_y (drawing, ATTN_SWEEP_SINK_SCORE)) + 0.5;
  g_autofree char *text = measure == ATTN_EPSILON_KL ? attn_text_format_weight (highest, 2)
                                                     : g_strdup ("1");
  g_autoptr (PangoLayout) layout = new_text (drawing->widget, text);
  int text_width, text_height;

  cairo_set_line_width (drawing->cr, 1);
  set_color (drawing, &drawing->color, 0.15);
  cairo_move_to (drawing->cr, ATTN_EPSILON_MARGIN, top);
  cairo_rel_line_to (drawing->cr, width, 0);
  cairo_stroke (drawing->cr);
  if (measure == ATTN_EPSILON_SINK)
    {
      set_color (drawing, &drawing->color, 0.4);
      cairo_set_dash (drawing->cr, dashes, 2, 0);
      cairo_move_to (drawing->cr, ATTN_EPSILON_MARGIN, sink);
      cairo_rel_line_to (drawing->cr, width, 0);
      cairo_stroke (drawing->cr);
      cairo_set_dash (drawing->cr, NULL, 0, 0);
    }
  set_color (drawing, &drawing->color, 0.6);
  pango_layout_get_pixel_size (layout, &text_width, &text_height);
  cairo_move_to (drawing->cr, MAX (ATTN_EPSILON_MARGIN - 3 - text_width, 0),
                 top - text_height / 2.0);
  pango_cairo_show_layout (drawing->cr, layout);
  cairo_new_path (drawing->cr);
}

/* Sets the colour of a curve, of the list that the charts of figures have theirs from, and dashes,
 * so that curves that coincide are all visible. */
static void
set_curve_style (AttnEpsilonDrawing      *drawing,
                 const AttnEpsilonCurves *curves,
                 gsize                    index)
{
  const double dashes[] = { 5, 4 };
  gboolean is_named = curves->n_curves <= ATTN_EPSILON_MAX_NAMED;
  const GdkRGBA *text = &drawing->color;
  AttnRgb color =
      attn_contrast_get_distinct (index, text->red + text->green + text->blue > 3 * 0.5f);

  cairo_set_source_rgba (drawing->cr, color.red / 255.0, color.green / 255.0, color.blue / 255.0,
                         is_named ? 1 : 0.35);
  cairo_set_line_width (drawing->cr, is_named ? 2 : 1);
  cairo_set_dash (drawing->cr, dashes, is_named && index % 2 == 1 ? 2 : 0, 0);
}

static void
draw_curve (AttnEpsilonDrawing      *drawing,
            const AttnEpsilonCurves *curves,
            gsize                    index,
            AttnEpsilonMeasure       measure,
            double                   highest)
{
  const double *values = curves->curves[index].values[measure];

  set_curve_style (drawing, curves, index);
  for (gsize i = 0; i < curves->n_points; i++)
    {
      double x = attn_epsilon_drawing_get_x (drawing->track, curves->epsilons[i]);

      if (curves->epsilons[i] < pow (10, drawing->track->low) || isnan (values[i]))
        cairo_new_sub_path (drawing->cr);
      else
        cairo_line_to (drawing->cr, x, get_y (drawing, values[i] / highest));
    }
  cairo_stroke (drawing->cr);
  cairo_set_dash (drawing->cr, NULL, 0, 0);
}

static double
measure_name (const AttnEpsilonDrawing *drawing,
              const char               *name,
              int                      *height)
{
  g_autoptr (PangoLayout) layout = new_text (drawing->widget, name);
  int width;

  pango_layout_get_pixel_size (layout, &width, height);
  return width;
}

/* Draws a sample of the curve and its name. Returns the x at which the name ends. */
static double
draw_name (AttnEpsilonDrawing      *drawing,
           const AttnEpsilonCurves *curves,
           gsize                    index,
           const NameStyle         *style,
           double                   x,
           double                   top)
{
  g_autoptr (PangoLayout) layout = new_text (drawing->widget, curves->curves[index].name);
  int width, height;

  pango_layout_get_pixel_size (layout, &width, &height);
  set_curve_style (drawing, curves, index);
  cairo_move_to (drawing->cr, x, floor (top + height / 2.0));
  cairo_rel_line_to (drawing->cr, style->sample, 0);
  cairo_stroke (drawing->cr);
  cairo_set_dash (drawing->cr, NULL, 0, 0);
  set_color (drawing, &drawing->color, 0.8);
  cairo_move_to (drawing->cr, x + style->sample + style->space, top);
  pango_cairo_show_layout (drawing->cr, layout);
  cairo_new_path (drawing->cr);
  return x + style->sample + style->space + width + style->gap;
}

/* The lines that names must not cover: the curves, and the threshold of a sink. */
typedef struct
{
  gsize n_curves;
  gsize n_points;
  double *x; /* [n_points] */
  double *y; /* [n_curves, n_points], NAN if there is no value */
  double line;
} Obstacles;

static void
obstacles_init (Obstacles                *obstacles,
                const AttnEpsilonDrawing *drawing,
                const AttnEpsilonCurves  *curves,
                AttnEpsilonMeasure        measure,
                double                    highest)
{
  *obstacles = (Obstacles) {
    .n_curves = curves->n_curves,
    .n_points = curves->n_points,
    .x = g_new (double, curves->n_points),
    .y = g_new (double, curves->n_curves * curves->n_points),
    .line = measure == ATTN_EPSILON_SINK ? get_y (drawing, ATTN_SWEEP_SINK_SCORE) : NAN,
  };
  for (gsize i = 0; i < curves->n_points; i++)
    obstacles->x[i] = attn_epsilon_drawing_get_x (drawing->track, curves->epsilons[i]);
  for (gsize i = 0; i < curves->n_curves; i++)
    for (gsize j = 0; j < curves->n_points; j++)
      {
        double value = curves->curves[i].values[measure][j];

        obstacles->y[i * curves->n_points + j] =
            isnan (value) ? NAN : get_y (drawing, value / highest);
      }
}

static void
obstacles_clear (Obstacles *obstacles)
{
  g_free (obstacles->x);
  g_free (obstacles->y);
}

/* Returns the vertical distance of a box from the obstacles: negative if one runs through it,
 * infinite if none is above or below it. */
static double
get_clearance (const Obstacles       *obstacles,
               const graphene_rect_t *box)
{
  double left = box->origin.x - NAME_CLEARANCE;
  double right = box->origin.x + box->size.width + NAME_CLEARANCE;
  double top = box->origin.y;
  double bottom = box->origin.y + box->size.height;
  double clearance = isnan (obstacles->line)
                         ? INFINITY
                         : MAX (top - obstacles->line, obstacles->line - bottom);

  for (gsize j = 0; j + 1 < obstacles->n_points && obstacles->x[j] < right; j++)
    for (gsize i = 0; i < obstacles->n_curves && obstacles->x[j + 1] > left; i++)
      {
        const double *x = obstacles->x + j;
        const double *y = obstacles->y + i * obstacles->n_points + j;

        if (x[0] >= x[1] || isnan (y[0]) || isnan (y[1]))
          continue;
        double slope = (y[1] - y[0]) / (x[1] - x[0]);
        double first = y[0] + slope * (MAX (x[0], left) - x[0]);
        double second = y[0] + slope * (MIN (x[1], right) - x[0]);
        clearance = MIN (clearance,
                         MAX (top - MAX (first, second), MIN (first, second) - bottom));
      }
  return clearance;
}

static gboolean
has_handle (const AttnEpsilonDrawing *drawing,
            double                    left,
            double                    width)
{
  for (guint i = 0; i < drawing->handles->len; i++)
    {
      double x = g_array_index (drawing->handles, double, i);

      if (x > left - NAME_CLEARANCE && x < left + width + NAME_CLEARANCE)
        return TRUE;
    }
  return FALSE;
}

/* Finds a place on the plot for the names, @width by @height, as far left as possible, clear of the
 * curves and, if it can be, of the handles. Returns %TRUE if it is clear of the curves. */
static gboolean
find_place (const AttnEpsilonDrawing *drawing,
            const Obstacles          *obstacles,
            double                    width,
            double                    height,
            graphene_point_t         *place)
{
  double left = ATTN_EPSILON_MARGIN + name_styles[0].gap;
  double last = gtk_widget_get_width (drawing->widget) - ATTN_EPSILON_MARGIN - width;
  double step = MAX ((last - left) / N_PLACES, SMALLEST_STEP);
  double best = -INFINITY;
  double lowest = get_middle (drawing) - 2 - height;

  /* A clearance beyond twice NAME_CLEARANCE is no better. */
  for (double x = left; x <= last && best < 2 * NAME_CLEARANCE; x += step)
    {
      gboolean is_on_handle = has_handle (drawing, x, width);

      for (double y = get_y (drawing, 1) + NAME_CLEARANCE; y <= lowest; y += 1)
        {
          double clearance = get_clearance (
              obstacles,
              &GRAPHENE_RECT_INIT ((float) x, (float) y, (float) width, (float) height));
          double merit =
              MIN (clearance, 2 * NAME_CLEARANCE) - (is_on_handle ? NAME_CLEARANCE : 0);

          if (merit <= best)
            continue;
          best = merit;
          *place = GRAPHENE_POINT_INIT ((float) x, (float) y);
        }
    }
  return best >= 0;
}

/* A row of names */
typedef struct
{
  const NameStyle *style;
  gsize n_shown; /* names, from the first */
  char rest[16]; /* how many more there are, such as "+ 3"; "" for none */
  double width;
  int height;
} Names;

/* Fits as many names as there is @room for, and says how many have none. */
static void
fit_names (Names                    *names,
           const AttnEpsilonDrawing *drawing,
           const AttnEpsilonCurves  *curves,
           const NameStyle          *style,
           double                    room)
{
  double end = measure_name (drawing, "+ 9", &names->height) + style->gap;

  names->style = style;
  names->width = -style->gap;
  names->n_shown = 0;
  for (; names->n_shown < curves->n_curves; names->n_shown++)
    {
      double wanted = style->sample + style->space +
                      measure_name (drawing, curves->curves[names->n_shown].name,
                                    &names->height) +
                      style->gap;
      gboolean is_last = names->n_shown + 1 == curves->n_curves;

      if (names->width + wanted + (is_last ? 0 : end) > room)
        break;
      names->width += wanted;
    }
  *names->rest = '\0';
  if (names->n_shown == curves->n_curves)
    return;
  names->width += end;
  g_snprintf (names->rest, sizeof names->rest, "+ %zu", curves->n_curves - names->n_shown);
}

/* Draws the names of the curves in a row that is clear of the curves, spaced narrowly, or not all
 * of them, if that helps. If no place is clear, a background makes them readable. The tooltip has
 * all of them. */
static void
draw_names (AttnEpsilonDrawing      *drawing,
            const AttnEpsilonCurves *curves,
            AttnEpsilonMeasure       measure,
            double                   highest)
{
  double room = gtk_widget_get_width (drawing->widget) - 2 * ATTN_EPSILON_MARGIN -
                name_styles[0].gap;
  const struct
  {
    const NameStyle *style;
    double room;
  } ways[] = {
    { &name_styles[0], room },
    { &name_styles[1], room },
    { &name_styles[1], room / 2 },
  };
  graphene_point_t place =
      GRAPHENE_POINT_INIT (ATTN_EPSILON_MARGIN, (float) get_y (drawing, 0.6));
  Names names;
  Obstacles obstacles;
  gboolean is_clear = FALSE;

  obstacles_init (&obstacles, drawing, curves, measure, highest);
  for (gsize i = 0; i < G_N_ELEMENTS (ways) && !is_clear; i++)
    {
      fit_names (&names, drawing, curves, ways[i].style, ways[i].room);
      is_clear = find_place (drawing, &obstacles, names.width, names.height, &place);
    }
  obstacles_clear (&obstacles);
  if (!is_clear)
    {
      GdkRGBA ground = { 1, 1, 1, 1 };

      gtk_style_context_lookup_color (gtk_widget_get_style_context (drawing->widget),
                                      "theme_bg_color", &ground);
      set_color (drawing, &ground, 0.85);
      cairo_rectangle (drawing->cr, place.x, place.y, names.width, names.height);
      cairo_fill (drawing->cr);
    }
  for (gsize i = 0; i < names.n_shown; i++)
    place.x = (float) draw_name (drawing, curves, i, names.style, place.x, place.y);

  g_autoptr (PangoLayout) rest = new_text (drawing->widget, names.rest);
  set_color (drawing, &drawing->color, 0.8);
  cairo_move_to (drawing->cr, place.x, place.y);
  pango_cairo_show_layout (drawing->cr, rest);
  cairo_new_path (drawing->cr);
}

/**
 * attn_epsilon_drawing_add_curves:
 * @measure: one that was taken
 *
 * Draws them above the line of the track, with the names of a few.
 */
void
attn_epsilon_drawing_add_curves (AttnEpsilonDrawing      *drawing,
                                 const AttnEpsilonCurves *curves,
                                 AttnEpsilonMeasure       measure)
{
  double highest = attn_epsilon_curves_get_highest (curves, measure);

  draw_axis (drawing, measure, highest);
  for (gsize i = 0; i < curves->n_curves; i++)
    draw_curve (drawing, curves, i, measure, highest);
  if (curves->n_curves <= ATTN_EPSILON_MAX_NAMED)
    draw_names (drawing, curves, measure, highest);
}

/**
 * attn_epsilon_drawing_add_reason:
 * @reason: why there are no curves, in their place
 */
void
attn_epsilon_drawing_add_reason (AttnEpsilonDrawing *drawing,
                                 const char         *reason)
{
  g_autoptr (PangoLayout) layout = new_text (drawing->widget, reason);
  double left = ATTN_EPSILON_MARGIN;
  double right = gtk_widget_get_width (drawing->widget) - ATTN_EPSILON_MARGIN;
  int height;

  /* On that side of the handles that has more room. */
  for (guint i = 0; i < drawing->handles->len; i++)
    {
      double x = g_array_index (drawing->handles, double, i);

      if (x - left >= right - x)
        right = MIN (right, x - LABEL_GAP);
      else
        left = MAX (left, x + LABEL_GAP);
    }
  pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  pango_layout_set_width (layout, (int) MAX (right - left, 0) * PANGO_SCALE);
  pango_layout_set_height (layout, (int) drawing->plot_height * PANGO_SCALE);
  pango_layout_get_pixel_size (layout, NULL, &height);
  set_color (drawing, &drawing->color, 1);
  cairo_move_to (drawing->cr, left, get_y (drawing, 0.5) - height / 2.0);
  pango_cairo_show_layout (drawing->cr, layout);
}

/* --- The track -------------------------------------------------------------------------------- */

/* Returns the name of a detent: the panels by their names or, if these are long, their number. */
static char *
name_mark (const AttnEpsilonDrawing *drawing,
           double                    epsilon,
           const char               *names,
           guint                     n_names)
{
  g_autofree char *number = attn_text_format_epsilon (epsilon);
  g_autofree char *text = g_strdup_printf ("%s %s", number, names);
  g_autoptr (PangoLayout) layout = new_text (drawing->widget, text);
  int width;

  pango_layout_get_pixel_size (layout, &width, NULL);
  if (width <= LONGEST_MARK)
    return g_steal_pointer (&text);
  /* Translators: a number and how many panels it is of, such as "0.1 in 3 panels" */
  return n_names > 1 ? g_strdup_printf (_("%s in %u panels"), number, n_names)
                     : g_steal_pointer (&number);
}

/**
 * attn_epsilon_drawing_add_mark:
 * @names: of the panels whose sink ends at @epsilon, in a colour that can be read
 * @n_names: how many they are
 */
void
attn_epsilon_drawing_add_mark (AttnEpsilonDrawing *drawing,
                               double              epsilon,
                               const char         *names,
                               guint               n_names)
{
  double x = attn_epsilon_drawing_get_x (drawing->track, epsilon);

  if (epsilon < pow (10, drawing->track->low))
    return;
  cairo_move_to (drawing->cr, x, get_middle (drawing) + 3);
  cairo_rel_line_to (drawing->cr, -4, 7);
  cairo_rel_line_to (drawing->cr, 8, 0);
  cairo_close_path (drawing->cr);
  set_color (drawing, &drawing->accent, 1);
  cairo_fill (drawing->cr);
  set_color (drawing, &drawing->color, 1);
  g_autofree char *text = name_mark (drawing, epsilon, names, n_names);
  add_label (drawing, text, x);
}

/**
 * attn_epsilon_drawing_add_ticks:
 *
 * At the powers of ten.
 */
void
attn_epsilon_drawing_add_ticks (AttnEpsilonDrawing *drawing)
{
  double middle = get_middle (drawing);

  for (int exponent = (int) drawing->track->high; exponent >= drawing->track->low; exponent--)
    {
      double epsilon = pow (10, exponent);
      double x = floor (attn_epsilon_drawing_get_x (drawing->track, epsilon)) + 0.5;
      g_autofree char *text = attn_text_format_epsilon (attn_epsilon_round (epsilon, 1));

      set_color (drawing, &drawing->color, exponent == 0 ? 0.9 : 0.45);
      cairo_set_line_width (drawing->cr, exponent == 0 ? 2 : 1);
      cairo_move_to (drawing->cr, x, middle - (exponent == 0 ? 8 : 0));
      cairo_line_to (drawing->cr, x, middle + 6);
      cairo_stroke (drawing->cr);
      set_color (drawing, &drawing->color, 0.75);
      add_label (drawing, text, x);
    }
}

void
attn_epsilon_drawing_add_handle (AttnEpsilonDrawing *drawing,
                                 double              epsilon,
                                 gboolean            is_active,
                                 gboolean            has_focus)
{
  GdkRGBA ground = { 1, 1, 1, 1 };
  double x = attn_epsilon_drawing_get_x (drawing->track, epsilon);
  double middle = get_middle (drawing);

  gtk_style_context_lookup_color (gtk_widget_get_style_context (drawing->widget),
                                  "theme_base_color", &ground);
  cairo_new_path (drawing->cr);
  /* A line up to the curves and to the number of the handle. */
  set_color (drawing, &drawing->accent, is_active ? 0.8 : 0.4);
  cairo_set_line_width (drawing->cr, 1);
  cairo_move_to (drawing->cr, floor (x) + 0.5, middle);
  cairo_rel_line_to (drawing->cr, 0, -drawing->plot_height);
  cairo_stroke (drawing->cr);
  cairo_set_line_width (drawing->cr, 2);
  if (has_focus)
    {
      set_color (drawing, &drawing->accent, 0.6);
      cairo_arc (drawing->cr, x, middle, ATTN_EPSILON_RADIUS + 3, 0, 2 * G_PI);
      cairo_stroke (drawing->cr);
    }
  cairo_arc (drawing->cr, x, middle, ATTN_EPSILON_RADIUS - 1, 0, 2 * G_PI);
  set_color (drawing, is_active ? &drawing->accent : &ground, 1);
  cairo_fill_preserve (drawing->cr);
  set_color (drawing, &drawing->accent, 1);
  cairo_stroke (drawing->cr);
}

/**
 * attn_epsilon_drawing_end:
 *
 * A widget that is not available is paler.
 */
void
attn_epsilon_drawing_end (AttnEpsilonDrawing *drawing)
{
  if (!gtk_widget_is_sensitive (drawing->widget))
    {
      cairo_pop_group_to_source (drawing->cr);
      cairo_paint_with_alpha (drawing->cr, 0.5);
    }
  cairo_destroy (drawing->cr);
  g_array_unref (drawing->taken);
  g_array_unref (drawing->handles);
}
