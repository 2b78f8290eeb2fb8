/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-scene.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-epsilon-canvas.h"
#include "attn-epsilon-marks.h"
#include "attn-lettering.h"
#include "attn-text.h"

/* Pixels */
#define LABEL_GAP      8
#define NAME_CLEARANCE 2 /* smallest distance between the names of curves and the curves, pixels */
#define CURVE_WIDTH    2
#define COINCIDENCE    1  /* largest distance of curves that count as one, pixels */
#define SMALLEST_STEP  12 /* distance between two of the N_PLACES where names of curves are tried,
                           * pixels */

#define N_PLACES 16

/* The height of a row of curves' names, relative to the size of the text. */
#define ROW_HEIGHT 1.08

/* Distances between the names of curves, in pixels: wide, and narrow if there is little room. */
typedef struct
{
  double gap;    /* gap before a name */
  double sample; /* length of the sample of a curve's line beside its name, pixels */
  double space;  /* gap between the sample of a curve and its name, pixels */
} NameStyle;

static const NameStyle name_styles[] = { { 10, 12, 4 }, { 6, 7, 3 } };

static double
get_y (const AttnEpsilonCanvas *canvas,
       double                   share)
{
  return canvas->plan->line - CLAMP (share, 0, 1) * canvas->plan->plot_height;
}

/* Adds a rectangle in the colour of the background behind text, so that no line shows through, such
 * as that of a handle. */
static void
add_ground (const AttnEpsilonCanvas *canvas,
            AttnRectangle            box)
{
  AttnMark *ground = attn_scene_add (canvas->scene, ATTN_MARK_RECTANGLE, -1, "ground");

  ground->rectangle = box;
  ground->is_filled = TRUE;
  ground->color = canvas->scene->style.background;
}

/* --- Curves of a measure ---------------------------------------------------------------------- */

/* The curves of a measure. Those that lie on one another are a group with one name and one look. */
typedef struct
{
  const AttnEpsilonCurves *of;
  AttnEpsilonMeasure measure;
  double highest;
  gsize n_groups;                       /* number of groups of curves; 0 if there are too many for
                                         * names */
  gsize groups[ATTN_EPSILON_MAX_NAMED]; /* group of each curve */
  char *names[ATTN_EPSILON_MAX_NAMED];  /* names of the panels of each group */
} Curves;

static double
get_curve_y (const AttnEpsilonCanvas *canvas,
             const Curves            *curves,
             gsize                    curve,
             gsize                    point)
{
  double value = curves->of->curves[curve].values[curves->measure][point];

  return isnan (value) || !attn_epsilon_canvas_has (canvas, curves->of->epsilons[point])
             ? NAN
             : get_y (canvas, value / curves->highest);
}

/* Tells whether two curves are within COINCIDENCE of each other wherever both have values, by every
 * measure, so that groups of curves stay the same when another measure is chosen. */
static gboolean
do_coincide (const AttnEpsilonCanvas *canvas,
             const AttnEpsilonCurves *of,
             gsize                    a,
             gsize                    b)
{
  for (AttnEpsilonMeasure measure = 0; measure < ATTN_EPSILON_N_MEASURES; measure++)
    {
      if (!attn_epsilon_curves_has (of, measure))
        continue;
      const double *first = of->curves[a].values[measure];
      const double *second = of->curves[b].values[measure];
      double pixels = canvas->plan->plot_height / attn_epsilon_curves_get_highest (of, measure);

      for (gsize point = 0; point < of->n_points; point++)
        if (fabs (first[point] - second[point]) * pixels > COINCIDENCE)
          return FALSE;
    }
  return TRUE;
}

/* Returns the names of the panels whose curves belong to a group. */
static char *
name_group (const Curves *curves,
            gsize         group)
{
  gboolean is_chosen[ATTN_EPSILON_MAX_NAMED];
  const char *first = NULL;
  guint n = 0;
  gboolean is_whole;

  for (gsize i = 0; i < curves->of->n_curves; i++)
    {
      is_chosen[i] = curves->groups[i] == group;
      n += is_chosen[i];
      first = first == NULL && is_chosen[i] ? curves->of->curves[i].name : first;
    }
  char *names = n > 1 ? attn_epsilon_panels_name (curves->of->panels, is_chosen, &is_whole)
                      : g_strdup (first);
  return names != NULL ? names : g_strdup_printf ("%s + %u", first, n - 1);
}

static Curves
group_curves (const AttnEpsilonCanvas *canvas,
              const AttnEpsilonCurves *of,
              AttnEpsilonMeasure       measure)
{
  Curves curves = { of, measure, attn_epsilon_curves_get_highest (of, measure) };

  if (of->n_curves > ATTN_EPSILON_MAX_NAMED)
    return curves;
  for (gsize i = 0; i < of->n_curves; i++)
    {
      gsize other = 0;

      while (other < i && !do_coincide (canvas, of, other, i))
        other++;
      curves.groups[i] = other < i ? curves.groups[other] : curves.n_groups++;
    }
  for (gsize group = 0; group < curves.n_groups; group++)
    curves.names[group] = name_group (&curves, group);
  return curves;
}

static void
clear_curves (Curves *curves)
{
  for (gsize group = 0; group < curves->n_groups; group++)
    g_free (curves->names[group]);
}

/* Returns the text of the number at the upper end of the axis. */
static char *
dup_axis_number (const Curves *curves)
{
  return curves->measure == ATTN_EPSILON_KL ? attn_text_format_weight (curves->highest, 2)
                                            : g_strdup ("1");
}

/* Adds a number of the measure's axis at the right end, beyond ε = 1, where no curve is, nor the
 * number of a handle at a small ε. */
static void
add_number_at_end (const AttnEpsilonCanvas *canvas,
                   const char              *text,
                   double                   middle)
{
  double width = attn_epsilon_canvas_measure (canvas, text);
  double height = canvas->scene->style.font_size * ATTN_LETTERING_HEIGHT;
  double right = canvas->plan->start + canvas->plan->track.width;

  add_ground (canvas, (AttnRectangle) { right - width - NAME_CLEARANCE, middle - height / 2,
                                        width + NAME_CLEARANCE, height });
  attn_epsilon_canvas_add_text (canvas, "axis-label", text, right, middle, ATTN_ANCHOR_END, 0.6);
}

/* Adds the line at the upper end of the axis of the measure, and the threshold below which a head
 * is no sink, each with its number. */
static void
add_axis (const AttnEpsilonCanvas *canvas,
          const Curves            *curves)
{
  const AttnEpsilonPlan *plan = canvas->plan;
  double top = get_y (canvas, 1);
  g_autofree char *text = dup_axis_number (curves);

  attn_epsilon_canvas_add_line (canvas, "tick", plan->start, floor (top) + 0.5,
                                plan->track.width, 0, 1, 0.15);
  if (curves->measure == ATTN_EPSILON_SINK)
    {
      double y = floor (get_y (canvas, ATTN_SWEEP_SINK_SCORE)) + 0.5;
      AttnMark *sink = attn_epsilon_canvas_add_line (canvas, "tick", plan->start, y,
                                                     plan->track.width, 0, 1, 0.4);
      g_autofree char *threshold = attn_text_format_weight (ATTN_SWEEP_SINK_SCORE, 1);

      sink->dashes[0] = sink->dashes[1] = 2;
      add_number_at_end (canvas, threshold, y);
    }
  add_number_at_end (canvas, text,
                     top + NAME_CLEARANCE +
                         canvas->scene->style.font_size * ATTN_LETTERING_HEIGHT / 2);
}

/* Sets the look of the curves of a group, or of a curve if there are no groups: a colour of the
 * list from which charts in figures take theirs, and dashes, so that what curves have in common
 * with others is visible. */
static void
set_curve_style (const AttnEpsilonCanvas *canvas,
                 const Curves            *curves,
                 gsize                    index,
                 AttnMark                *mark)
{
  gboolean is_named = curves->n_groups > 0;

  mark->color = attn_style_get_distinct (&canvas->scene->style, index);
  mark->opacity = is_named ? 1 : 0.35;
  mark->line_width = is_named ? CURVE_WIDTH : 1;
  if (is_named && index % 2 == 1)
    {
      mark->dashes[0] = 5;
      mark->dashes[1] = 4;
    }
}

static AttnPoint *
new_points (const AttnEpsilonCanvas *canvas,
            const Curves            *curves,
            gsize                    index)
{
  AttnPoint *points = g_new (AttnPoint, curves->of->n_points);

  for (gsize i = 0; i < curves->of->n_points; i++)
    points[i] = (AttnPoint) { attn_epsilon_canvas_get_x (canvas, curves->of->epsilons[i]),
                              get_curve_y (canvas, curves, index, i) };
  return points;
}

static void
add_curve (const AttnEpsilonCanvas *canvas,
           const Curves            *curves,
           gsize                    index)
{
  AttnMark *mark = attn_scene_add (canvas->scene, ATTN_MARK_CURVE, -1, "curve");

  set_curve_style (canvas, curves,
                   curves->n_groups > 0 ? curves->groups[index] : index, mark);
  mark->n_points = curves->of->n_points;
  mark->points = new_points (canvas, curves, index);
}

/* --- Obstacles that names of curves keep clear of --------------------------------------------- */

typedef struct
{
  GPtrArray *lines; /* (element-type AttnPoint): array of the points of each curve */
  gsize n_points;   /* number of points of each curve */
  gboolean has_threshold;
  double end; /* x up to which names may reach */
} Obstacles;

/* Adds to the obstacles the curves of a measure, the threshold of a sink and the numbers at the end
 * of the axis. */
static void
avoid_measure (const AttnEpsilonCanvas *canvas,
               const AttnEpsilonCurves *of,
               AttnEpsilonMeasure       measure,
               Obstacles               *obstacles)
{
  const Curves curves = { of, measure, attn_epsilon_curves_get_highest (of, measure) };
  double right = canvas->plan->start + canvas->plan->track.width;
  g_autofree char *number = dup_axis_number (&curves);
  double width = attn_epsilon_canvas_measure (canvas, number);

  for (gsize i = 0; i < of->n_curves; i++)
    g_ptr_array_add (obstacles->lines, new_points (canvas, &curves, i));
  obstacles->has_threshold |= measure == ATTN_EPSILON_SINK;
  if (measure == ATTN_EPSILON_SINK)
    {
      g_autofree char *threshold = attn_text_format_weight (ATTN_SWEEP_SINK_SCORE, 1);

      width = MAX (width, attn_epsilon_canvas_measure (canvas, threshold));
    }
  obstacles->end = MIN (obstacles->end, right - width - LABEL_GAP);
}

/* The heights at which a curve is between two x; no curve is there if @top > @bottom. */
typedef struct
{
  double top;
  double bottom;
} Span;

/* Finds the span of each curve from @left to @right. */
static void
find_spans (const Obstacles *obstacles,
            double           left,
            double           right,
            Span            *spans)
{
  for (guint i = 0; i < obstacles->lines->len; i++)
    {
      const AttnPoint *points = obstacles->lines->pdata[i];

      spans[i] = (Span) { INFINITY, -INFINITY };
      for (gsize j = 0; j + 1 < obstacles->n_points && points[j].x < right; j++)
        {
          const AttnPoint *p = points + j;

          if (p[1].x <= left || p[0].x >= p[1].x || isnan (p[0].y) || isnan (p[1].y))
            continue;
          double slope = (p[1].y - p[0].y) / (p[1].x - p[0].x);
          double first = p[0].y + slope * (MAX (p[0].x, left) - p[0].x);
          double second = p[0].y + slope * (MIN (p[1].x, right) - p[0].x);
          spans[i].top = MIN (spans[i].top, MIN (first, second));
          spans[i].bottom = MAX (spans[i].bottom, MAX (first, second));
        }
    }
}

/* Returns the vertical distance, in pixels, from a box to the nearest curve, and to the threshold
 * of a sink; negative if one of them crosses the box. @spans: of the curves, over the width of the
 * box */
static double
get_clearance (const AttnEpsilonCanvas *canvas,
               const Obstacles         *obstacles,
               const Span              *spans,
               const AttnRectangle     *box)
{
  double bottom = box->y + box->height;
  double sink = get_y (canvas, ATTN_SWEEP_SINK_SCORE);
  double clearance =
      obstacles->has_threshold ? MAX (box->y - sink, sink - bottom) : INFINITY;

  for (guint i = 0; i < obstacles->lines->len; i++)
    if (spans[i].top <= spans[i].bottom)
      {
        double gap = MAX (box->y - spans[i].bottom, spans[i].top - bottom);

        clearance = MIN (clearance, gap - CURVE_WIDTH / 2.0);
      }
  return clearance;
}

/* --- Placing the names of curves -------------------------------------------------------------- */

/* A row of names */
typedef struct
{
  const NameStyle *style;
  gsize n_shown; /* names, from the first */
  char *rest;    /* (nullable): text behind the names with the number of further ones, such as "+
                  * 3" */
  AttnRectangle box;
} Names;

static gboolean
has_handle (const AttnEpsilonCanvas *canvas,
            const AttnRectangle     *box)
{
  for (gsize i = 0; i < canvas->plan->n_handles; i++)
    {
      double x = attn_epsilon_canvas_get_x (canvas, canvas->plan->handles[i]);

      if (x > box->x - NAME_CLEARANCE && x < box->x + box->width + NAME_CLEARANCE)
        return TRUE;
    }
  return FALSE;
}

/* Finds a place on the plot for the names, as far left as possible, clear of the curves and of the
 * handles; clear of the handles only if possible, unless @is_strict. Returns %TRUE if the place is
 * clear of the curves. */
static gboolean
find_place (const AttnEpsilonCanvas *canvas,
            const Obstacles         *obstacles,
            gboolean                 is_strict,
            Names                   *names)
{
  const AttnEpsilonPlan *plan = canvas->plan;
  g_autofree Span *spans = g_new (Span, obstacles->lines->len + 1);
  AttnRectangle box = names->box;
  double left = plan->start + name_styles[0].gap;
  double last = obstacles->end - box.width;
  double step = MAX ((last - left) / N_PLACES, SMALLEST_STEP);
  double best = -INFINITY;

  /* A clearance of the names beyond twice NAME_CLEARANCE is no better. */
  for (box.x = left; box.x <= last && best < 2 * NAME_CLEARANCE; box.x += step)
    {
      gboolean is_on_handle = has_handle (canvas, &box);
      double lowest = plan->line - plan->reach - box.height;

      if (is_on_handle && is_strict)
        continue;
      find_spans (obstacles, box.x, box.x + box.width, spans);
      for (box.y = get_y (canvas, 1) + NAME_CLEARANCE; box.y <= lowest; box.y += 1)
        {
          double merit = MIN (get_clearance (canvas, obstacles, spans, &box), 2 * NAME_CLEARANCE) -
                         (is_on_handle ? NAME_CLEARANCE : 0);

          if (merit <= best)
            continue;
          best = merit;
          names->box = box;
        }
    }
  return best >= 0;
}

/* Fits as many names of curves as have @room, and tells the number of names without room. */
static void
fit_names (const AttnEpsilonCanvas *canvas,
           const Curves            *curves,
           const NameStyle         *style,
           double                   room,
           Names                   *names)
{
  double end = attn_epsilon_canvas_measure (canvas, "+ 9") + style->gap;

  names->style = style;
  names->box.width = -style->gap;
  names->n_shown = 0;
  for (; names->n_shown < curves->n_groups; names->n_shown++)
    {
      const char *name = curves->names[names->n_shown];
      double wanted = style->sample + style->space + attn_epsilon_canvas_measure (canvas, name) +
                      style->gap;
      gboolean is_last = names->n_shown + 1 == curves->n_groups;

      if (names->box.width + wanted + (is_last ? 0 : end) > room)
        break;
      names->box.width += wanted;
    }
  g_clear_pointer (&names->rest, g_free);
  if (names->n_shown == curves->n_groups)
    return;
  names->box.width += end;
  names->rest = g_strdup_printf ("+ %zu", curves->n_groups - names->n_shown);
}

/* Finds a place beside the curves for their names, with less space between the names if that
 * helps. @is_strict: whether the place must not cover the handles of ε. @needs_all: whether all
 * names must have room */
static gboolean
place_names (const AttnEpsilonCanvas *canvas,
             const Curves            *curves,
             const Obstacles         *obstacles,
             gboolean                 is_strict,
             gboolean                 needs_all,
             Names                   *names)
{
  double room = obstacles->end - canvas->plan->start - name_styles[0].gap;
  const struct
  {
    const NameStyle *style;
    double room;
  } ways[] = {
    { &name_styles[0], room },
    { &name_styles[1], room },
    { &name_styles[1], room / 2 },
    { &name_styles[1], room / 3 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      fit_names (canvas, curves, ways[i].style, ways[i].room, names);
      if (needs_all && names->n_shown < curves->n_groups)
        continue;
      if (names->n_shown > 0 && find_place (canvas, obstacles, is_strict, names))
        return TRUE;
    }
  return FALSE;
}

/* Finds a place for the text that gives the number of curves, if they are too many or too close for
 * names; it tells how to read them if there is room. */
static gboolean
place_count (const AttnEpsilonCanvas *canvas,
             const Curves            *curves,
             const Obstacles         *all,
             const Obstacles         *shown,
             Names                   *names)
{
  g_autofree char *count =
      g_strdup_printf (g_dngettext (NULL, "%zu curve", "%zu curves", (gulong) curves->of->n_curves),
                       curves->of->n_curves);
  /* Translators: a number of curves that have no names */
  g_autofree char *hint = g_strdup_printf (_("%s · point at one to read it"), count);
  const char *texts[] = { hint, count };

  names->style = &name_styles[0];
  names->n_shown = 0;
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_clear_pointer (&names->rest, g_free);
      names->rest = g_strdup (texts[i]);
      names->box.width = attn_epsilon_canvas_measure (canvas, texts[i]);
      if (find_place (canvas, all, TRUE, names) || find_place (canvas, shown, TRUE, names) ||
          find_place (canvas, shown, FALSE, names))
        return TRUE;
    }
  return FALSE;
}

/* Adds the names of the curves in a row that is clear of the curves of all measures, so that the
 * row stays where it is when another measure is chosen; if there is no such place, clear of the
 * curves that are shown. If that fails, too, or if there are too many names, the row says how many
 * panels there are, and the tooltip has the names. */
static void
add_names (const AttnEpsilonCanvas *canvas,
           const Curves            *curves)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  Obstacles shown = { lines, curves->of->n_points, FALSE, INFINITY };
  Names names = { .box.height = canvas->scene->style.font_size * ROW_HEIGHT };

  avoid_measure (canvas, curves->of, curves->measure, &shown);
  g_autoptr (GPtrArray) all_lines = g_ptr_array_new_with_free_func (g_free);
  Obstacles all = { all_lines, curves->of->n_points, FALSE, INFINITY };
  for (AttnEpsilonMeasure measure = 0; measure < ATTN_EPSILON_N_MEASURES; measure++)
    if (attn_epsilon_curves_has (curves->of, measure))
      avoid_measure (canvas, curves->of, measure, &all);
  gboolean is_named = curves->n_groups > 0 &&
                      (place_names (canvas, curves, &all, TRUE, TRUE, &names) ||
                       place_names (canvas, curves, &all, FALSE, TRUE, &names) ||
                       place_names (canvas, curves, &shown, TRUE, TRUE, &names) ||
                       place_names (canvas, curves, &shown, FALSE, FALSE, &names));
  gboolean is_placed = is_named || place_count (canvas, curves, &all, &shown, &names);
  g_autofree char *rest = names.rest;
  if (!is_placed)
    return;
  add_ground (canvas, names.box);

  double middle = floor (names.box.y + names.box.height / 2);
  double x = names.box.x;
  for (gsize i = 0; i < names.n_shown; i++)
    {
      const char *name = curves->names[i];
      AttnMark *sample =
          attn_scene_add_line (canvas->scene, -1, "curve", x, middle, names.style->sample, 0);

      set_curve_style (canvas, curves, i, sample);
      x += names.style->sample + names.style->space;
      attn_epsilon_canvas_add_text (canvas, "axis-label", name, x, middle, ATTN_ANCHOR_START, 0.8);
      x += attn_epsilon_canvas_measure (canvas, name) + names.style->gap;
    }
  if (rest != NULL)
    attn_epsilon_canvas_add_text (canvas, "axis-label", rest, x, middle, ATTN_ANCHOR_START, 0.8);
}

/**
 * attn_epsilon_scene_new:
 * @style: font, and colours of the text and of the background
 * @accent: colour of the marks where sinks end
 * @curves: (nullable): the curves to draw over the track, and where their sinks end
 * @measure: which measure of the curves to draw, one that was computed
 *
 * Lays out the track of a slider but for its line and its handles. Below the track are the powers
 * of ten and, in a row of their own, the words of the marks and what the marks mean.
 *
 * Returns: (transfer full): a scene in pixels
 */
AttnScene *
attn_epsilon_scene_new (const AttnEpsilonPlan   *plan,
                        const AttnStyle         *style,
                        AttnRgb                  accent,
                        const AttnEpsilonCurves *curves,
                        AttnEpsilonMeasure       measure)
{
  g_autoptr (AttnScene) scene =
      attn_scene_new (plan->width, MAX (plan->labels, plan->marks) + style->font_size, style, NULL);
  const AttnEpsilonCanvas canvas = { plan, scene };

  if (curves != NULL && plan->plot_height >= ATTN_EPSILON_LEAST_PLOT)
    {
      Curves of = group_curves (&canvas, curves, measure);

      add_axis (&canvas, &of);
      for (gsize i = 0; i < curves->n_curves; i++)
        add_curve (&canvas, &of, i);
      if (curves->n_curves > 0)
        add_names (&canvas, &of);
      clear_curves (&of);
    }
  if (curves != NULL)
    attn_epsilon_marks_add (&canvas, curves, accent);
  attn_epsilon_marks_add_powers (&canvas);
  return g_steal_pointer (&scene);
}
