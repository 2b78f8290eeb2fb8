/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-scene.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-lettering.h"
#include "attn-markup.h"
#include "attn-text.h"

/* In pixels: the widest names beside a mark, and the widest of whole rows or columns of panels. For
 * wider ones the number of panels is told, and the tooltip has the names. */
#define LONGEST_MARK   160
#define LONGEST_WHOLE  240
#define TRIANGLE       ATTN_EPSILON_TRIANGLE
#define WORDS_GAP      4 /* gap between a triangle and its words */
#define LABEL_GAP      8
#define NAME_CLEARANCE 2 /* smallest distance between the names and the curves */
#define CURVE_WIDTH    2
#define DASH_PERIOD    9
#define SMALLEST_STEP  12 /* distance between two of the N_PLACES that are tried for the names */

#define N_PLACES 16

/* The height of a row of names, relative to the size of the text. */
#define ROW_HEIGHT 1.08

/* Distances between the names of curves, in pixels: wide, and narrow if there is little room. */
typedef struct
{
  double gap;    /* gap before a name */
  double sample; /* length of the sample of a curve's line beside its name */
  double space;  /* gap between the sample and the name */
} NameStyle;

static const NameStyle name_styles[] = { { 10, 12, 4 }, { 6, 7, 3 } };

/* A label below the track. */
typedef struct
{
  char *text;
  double x;    /* where the text begins */
  double left; /* left end of the label, with the triangle of a mark */
  double right;
  double triangle; /* middle of that triangle */
  double opacity;
} Label;

typedef struct
{
  const AttnEpsilonPlan *plan;
  AttnScene *scene;
} Track;

static double
get_x (const Track *track,
       double       epsilon)
{
  return track->plan->start + attn_epsilon_track_get_x (&track->plan->track, epsilon);
}

static double
get_y (const Track *track,
       double       share)
{
  return track->plan->line - CLAMP (share, 0, 1) * track->plan->plot_height;
}

static gboolean
is_on_track (const Track *track,
             double       epsilon)
{
  return epsilon >= pow (10, track->plan->track.low);
}

static double
measure_text (const Track *track,
              const char  *text)
{
  const AttnStyle *style = &track->scene->style;
  g_autofree char *markup = attn_markup_from_text (text);

  return attn_lettering_measure (style->font_family, markup, style->font_size);
}

/* Adds text of which @middle is the middle of its height, on whole pixels. */
static void
add_text (const Track *track,
          const char  *role,
          const char  *text,
          double       x,
          double       middle,
          AttnAnchor   anchor,
          double       opacity)
{
  double size = track->scene->style.font_size;
  AttnMark *mark =
      attn_scene_add_text (track->scene, -1, role, attn_markup_from_text (text), x,
                           round (middle + size * ATTN_LETTERING_MIDDLE), size, anchor, 0);

  mark->opacity = opacity;
}

static AttnMark *
add_line (const Track *track,
          const char  *role,
          double       x,
          double       y,
          double       dx,
          double       dy,
          double       width,
          double       opacity)
{
  AttnMark *mark = attn_scene_add_line (track->scene, -1, role, x, y, dx, dy);

  mark->line_width = width;
  mark->opacity = opacity;
  return mark;
}

/* Adds a rectangle in the colour of the background behind text, so that no line shows through, such
 * as that of a handle. */
static void
add_ground (const Track   *track,
            AttnRectangle  box)
{
  AttnMark *ground = attn_scene_add (track->scene, ATTN_MARK_RECTANGLE, -1, "ground");

  ground->rectangle = box;
  ground->is_filled = TRUE;
  ground->color = track->scene->style.background;
}

/* --- Curves ----------------------------------------------------------------------------------- */

typedef struct
{
  const AttnEpsilonCurves *of;
  AttnEpsilonMeasure measure;
  double highest;
} Curves;

static double
get_curve_y (const Track  *track,
             const Curves *curves,
             gsize         curve,
             gsize         point)
{
  double value = curves->of->curves[curve].values[curves->measure][point];

  return isnan (value) || !is_on_track (track, curves->of->epsilons[point])
             ? NAN
             : get_y (track, value / curves->highest);
}

/* Returns the number at the upper end of the axis. @width: (out): of the number, in pixels */
static char *
dup_axis_number (const Track  *track,
                 const Curves *curves,
                 double       *width)
{
  char *text = curves->measure == ATTN_EPSILON_KL ? attn_text_format_weight (curves->highest, 2)
                                                  : g_strdup ("1");

  *width = measure_text (track, text);
  return text;
}

static gboolean
has_room_beside (const Track *track,
                 double       width)
{
  return width <= track->plan->start - 3;
}

/* Adds a number of the axis at its other end, beyond ε = 1, where no curve is. */
static void
add_number_at_end (const Track *track,
                   const char  *text,
                   double       middle)
{
  double width = measure_text (track, text);
  double height = track->scene->style.font_size * ATTN_LETTERING_HEIGHT;
  double right = track->plan->start + track->plan->track.width;

  add_ground (track, (AttnRectangle) { right - width - NAME_CLEARANCE, middle - height / 2,
                                       width + NAME_CLEARANCE, height });
  add_text (track, "axis-label", text, right, middle, ATTN_ANCHOR_END, 0.6);
}

static char *
dup_threshold (void)
{
  return g_strdup_printf ("%g", ATTN_SWEEP_SINK_SCORE);
}

/* Adds the line at the upper end of the axis of the measure, and the threshold below which a head
 * is no sink, each with its number. */
static void
add_axis (const Track  *track,
          const Curves *curves)
{
  const AttnEpsilonPlan *plan = track->plan;
  double top = get_y (track, 1);
  double width;
  g_autofree char *text = dup_axis_number (track, curves, &width);

  add_line (track, "tick", plan->start, floor (top) + 0.5, plan->track.width, 0, 1, 0.15);
  if (curves->measure == ATTN_EPSILON_SINK)
    {
      double y = floor (get_y (track, ATTN_SWEEP_SINK_SCORE)) + 0.5;
      AttnMark *sink = add_line (track, "tick", plan->start, y, plan->track.width, 0, 1, 0.4);
      g_autofree char *threshold = dup_threshold ();

      sink->dashes[0] = sink->dashes[1] = 2;
      add_number_at_end (track, threshold, y);
    }
  if (has_room_beside (track, width))
    add_text (track, "axis-label", text, plan->start - 3, floor (top) + 0.5, ATTN_ANCHOR_END, 0.6);
  else
    add_number_at_end (track, text,
                       top + NAME_CLEARANCE +
                           track->scene->style.font_size * ATTN_LETTERING_HEIGHT / 2);
}

/* Sets the look of a curve: a colour of the list from which charts in figures take theirs, and
 * dashes, each drawn over longer ones, so that three curves that coincide are all visible. */
static void
set_curve_style (const Track  *track,
                 const Curves *curves,
                 gsize         index,
                 AttnMark     *mark)
{
  static const double dashes[] = { 0, 6, 3 };
  gboolean is_named = curves->of->n_curves <= ATTN_EPSILON_MAX_NAMED;

  mark->color = attn_style_get_distinct (&track->scene->style, index);
  mark->opacity = is_named ? 1 : 0.35;
  mark->line_width = is_named ? CURVE_WIDTH : 1;
  if (is_named && dashes[index % G_N_ELEMENTS (dashes)] > 0)
    {
      mark->dashes[0] = dashes[index % G_N_ELEMENTS (dashes)];
      mark->dashes[1] = DASH_PERIOD - mark->dashes[0];
    }
}

static AttnPoint *
new_points (const Track  *track,
            const Curves *curves,
            gsize         index)
{
  AttnPoint *points = g_new (AttnPoint, curves->of->n_points);

  for (gsize i = 0; i < curves->of->n_points; i++)
    points[i] = (AttnPoint) { get_x (track, curves->of->epsilons[i]),
                              get_curve_y (track, curves, index, i) };
  return points;
}

static void
add_curve (const Track  *track,
           const Curves *curves,
           gsize         index)
{
  AttnMark *mark = attn_scene_add (track->scene, ATTN_MARK_CURVE, -1, "curve");

  set_curve_style (track, curves, index, mark);
  mark->n_points = curves->of->n_points;
  mark->points = new_points (track, curves, index);
}

/* --- What names of curves keep clear of ------------------------------------------------------- */

typedef struct
{
  GPtrArray *lines; /* (element-type AttnPoint): an array for each curve */
  gsize n_points;   /* number of points of each curve */
  gboolean has_threshold;
  double end; /* x up to which names may reach */
} Obstacles;

/* Adds to the obstacles the curves of a measure, the threshold of a sink and the numbers at the end
 * of the axis. */
static void
avoid_measure (const Track             *track,
               const AttnEpsilonCurves *of,
               AttnEpsilonMeasure       measure,
               Obstacles               *obstacles)
{
  const Curves curves = { of, measure, attn_epsilon_curves_get_highest (of, measure) };
  double right = track->plan->start + track->plan->track.width;
  double width;
  g_autofree char *number = dup_axis_number (track, &curves, &width);

  for (gsize i = 0; i < of->n_curves; i++)
    g_ptr_array_add (obstacles->lines, new_points (track, &curves, i));
  obstacles->has_threshold |= measure == ATTN_EPSILON_SINK;
  if (measure == ATTN_EPSILON_SINK)
    {
      g_autofree char *threshold = dup_threshold ();

      right -= measure_text (track, threshold) + LABEL_GAP;
    }
  if (!has_room_beside (track, width))
    right -= width + LABEL_GAP;
  obstacles->end = MIN (obstacles->end, right);
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
get_clearance (const Track         *track,
               const Obstacles     *obstacles,
               const Span          *spans,
               const AttnRectangle *box)
{
  double bottom = box->y + box->height;
  double sink = get_y (track, ATTN_SWEEP_SINK_SCORE);
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

/* --- Names of curves -------------------------------------------------------------------------- */

/* A row of names */
typedef struct
{
  const NameStyle *style;
  gsize n_shown; /* names, from the first */
  char *rest;    /* (nullable): text behind them: how many more there are, such as "+ 3" */
  AttnRectangle box;
} Names;

static gboolean
has_handle (const Track         *track,
            const AttnRectangle *box)
{
  for (gsize i = 0; i < track->plan->n_handles; i++)
    {
      double x = get_x (track, track->plan->handles[i]);

      if (x > box->x - NAME_CLEARANCE && x < box->x + box->width + NAME_CLEARANCE)
        return TRUE;
    }
  return FALSE;
}

/* Finds a place on the plot for the names, as far left as possible, clear of the curves and of the
 * handles; clear of the handles only if possible, unless @is_strict. Returns %TRUE if the place is
 * clear of the curves. */
static gboolean
find_place (const Track     *track,
            const Obstacles *obstacles,
            gboolean         is_strict,
            Names           *names)
{
  const AttnEpsilonPlan *plan = track->plan;
  g_autofree Span *spans = g_new (Span, obstacles->lines->len + 1);
  AttnRectangle box = names->box;
  double left = plan->start + name_styles[0].gap;
  double last = obstacles->end - box.width;
  double step = MAX ((last - left) / N_PLACES, SMALLEST_STEP);
  double best = -INFINITY;

  /* A clearance beyond twice NAME_CLEARANCE is no better. */
  for (box.x = left; box.x <= last && best < 2 * NAME_CLEARANCE; box.x += step)
    {
      gboolean is_on_handle = has_handle (track, &box);
      double lowest = plan->line - plan->reach - box.height;

      if (is_on_handle && is_strict)
        continue;
      find_spans (obstacles, box.x, box.x + box.width, spans);
      for (box.y = get_y (track, 1) + NAME_CLEARANCE; box.y <= lowest; box.y += 1)
        {
          double merit = MIN (get_clearance (track, obstacles, spans, &box), 2 * NAME_CLEARANCE) -
                         (is_on_handle ? NAME_CLEARANCE : 0);

          if (merit <= best)
            continue;
          best = merit;
          names->box = box;
        }
    }
  return best >= 0;
}

/* Fits as many names as there is @room for, and says how many names have no room. */
static void
fit_names (const Track     *track,
           const Curves    *curves,
           const NameStyle *style,
           double           room,
           Names           *names)
{
  double end = measure_text (track, "+ 9") + style->gap;

  names->style = style;
  names->box.width = -style->gap;
  names->n_shown = 0;
  for (; names->n_shown < curves->of->n_curves; names->n_shown++)
    {
      double wanted = style->sample + style->space +
                      measure_text (track, curves->of->curves[names->n_shown].name) + style->gap;
      gboolean is_last = names->n_shown + 1 == curves->of->n_curves;

      if (names->box.width + wanted + (is_last ? 0 : end) > room)
        break;
      names->box.width += wanted;
    }
  g_clear_pointer (&names->rest, g_free);
  if (names->n_shown == curves->of->n_curves)
    return;
  names->box.width += end;
  names->rest = g_strdup_printf ("+ %zu", curves->of->n_curves - names->n_shown);
}

/* Finds a place beside the curves for their names, with less space between the names if that
 * helps. @is_strict: whether the place must not cover the handles of ε. @needs_all: whether all
 * names must have room */
static gboolean
place_names (const Track     *track,
             const Curves    *curves,
             const Obstacles *obstacles,
             gboolean         is_strict,
             gboolean         needs_all,
             Names           *names)
{
  double room = obstacles->end - track->plan->start - name_styles[0].gap;
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
      fit_names (track, curves, ways[i].style, ways[i].room, names);
      if (needs_all && names->n_shown < curves->of->n_curves)
        continue;
      if (names->n_shown > 0 && find_place (track, obstacles, is_strict, names))
        return TRUE;
    }
  return FALSE;
}

/* Finds a place for the number of curves, where their names have no room or are too many, with how
 * to read them if there is room. */
static gboolean
place_count (const Track     *track,
             const Curves    *curves,
             const Obstacles *all,
             const Obstacles *shown,
             Names           *names)
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
      names->box.width = measure_text (track, texts[i]);
      if (find_place (track, all, TRUE, names) || find_place (track, shown, TRUE, names) ||
          find_place (track, shown, FALSE, names))
        return TRUE;
    }
  return FALSE;
}

/* Adds the names of the curves in a row that is clear of the curves of all measures, so that the
 * row stays where it is when another measure is chosen; if there is no such place, clear of the
 * curves that are shown. If that fails, too, or if there are too many names, the row says how many
 * panels there are, and the tooltip has the names. */
static void
add_names (const Track  *track,
           const Curves *curves)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  Obstacles shown = { lines, curves->of->n_points, FALSE, INFINITY };
  Names names = { .box.height = track->scene->style.font_size * ROW_HEIGHT };

  avoid_measure (track, curves->of, curves->measure, &shown);
  g_autoptr (GPtrArray) all_lines = g_ptr_array_new_with_free_func (g_free);
  Obstacles all = { all_lines, curves->of->n_points, FALSE, INFINITY };
  for (AttnEpsilonMeasure measure = 0; measure < ATTN_EPSILON_N_MEASURES; measure++)
    if (attn_epsilon_curves_has (curves->of, measure))
      avoid_measure (track, curves->of, measure, &all);
  gboolean is_named = curves->of->n_curves <= ATTN_EPSILON_MAX_NAMED &&
                      (place_names (track, curves, &all, TRUE, TRUE, &names) ||
                       place_names (track, curves, &all, FALSE, TRUE, &names) ||
                       place_names (track, curves, &shown, TRUE, TRUE, &names) ||
                       place_names (track, curves, &shown, FALSE, FALSE, &names));
  gboolean is_placed = is_named || place_count (track, curves, &all, &shown, &names);
  g_autofree char *rest = names.rest;
  if (!is_placed)
    return;
  add_ground (track, names.box);

  double middle = floor (names.box.y + names.box.height / 2);
  double x = names.box.x;
  for (gsize i = 0; i < names.n_shown; i++)
    {
      const char *name = curves->of->curves[i].name;
      AttnMark *sample =
          attn_scene_add_line (track->scene, -1, "curve", x, middle, names.style->sample, 0);

      set_curve_style (track, curves, i, sample);
      x += names.style->sample + names.style->space;
      add_text (track, "axis-label", name, x, middle, ATTN_ANCHOR_START, 0.8);
      x += measure_text (track, name) + names.style->gap;
    }
  if (rest != NULL)
    add_text (track, "axis-label", rest, x, middle, ATTN_ANCHOR_START, 0.8);
}

/* --- Below the track -------------------------------------------------------------------------- */

static void
free_label (gpointer data)
{
  g_free (((Label *) data)->text);
}

static GArray *
new_row (void)
{
  GArray *row = g_array_new (FALSE, FALSE, sizeof (Label));

  g_array_set_clear_func (row, free_label);
  return row;
}

/* Adds a label to a row, unless it would leave the widget or come near to another label. Returns
 * whether it was added. */
static gboolean
add_label (const Track *track,
           GArray      *row,
           const Label *label)
{
  Label added = *label;

  if (label->left < 0 || label->right > track->plan->width)
    return FALSE;
  for (guint i = 0; i < row->len; i++)
    {
      const Label *other = &g_array_index (row, Label, i);

      if (label->left < other->right + LABEL_GAP && label->right + LABEL_GAP > other->left)
        return FALSE;
    }
  added.text = g_strdup (label->text);
  g_array_append_val (row, added);
  return TRUE;
}

static void
add_triangle (const Track *track,
              double       x,
              double       top,
              AttnRgb      color)
{
  AttnMark *mark = attn_scene_add (track->scene, ATTN_MARK_TRIANGLE, -1, "tick");

  mark->rectangle = (AttnRectangle) { x - TRIANGLE / 2, top, TRIANGLE, TRIANGLE - 1 };
  mark->color = color;
}

/* Adds words to the row below the track, beside a triangle at @x: behind the triangle or, without
 * room there, before it. Returns whether there was room. */
static gboolean
add_words (const Track *track,
           GArray      *row,
           char        *text,
           double       x)
{
  double reach = TRIANGLE / 2 + WORDS_GAP;
  double width = measure_text (track, text);
  double left = x - reach - width;
  const Label behind = { text, x + reach, x - TRIANGLE / 2, x + reach + width, x, 1 };
  const Label before = { text, left, left, x + TRIANGLE / 2, x, 1 };

  return add_label (track, row, &behind) || add_label (track, row, &before);
}

/* Adds a legend to the row: a triangle that begins at @left and what it stands for, as an equation,
 * since the triangle marks nothing of the track. Returns whether there was room. */
static gboolean
add_equation (const Track *track,
              GArray      *row,
              const char  *meaning,
              double       left)
{
  g_autofree char *text = g_strconcat ("= ", meaning, NULL);
  double x = left + TRIANGLE + WORDS_GAP;
  const Label legend = { text, x, left, x + measure_text (track, text), left + TRIANGLE / 2,
                         0.75 };

  return add_label (track, row, &legend);
}

/* Adds the ε of a mark, or the range of @n marks that overlap, and, with @has_names, the names of
 * its panels or, if these are long, how many there are; the ε alone if there is no room for more.
 * Returns whether there was room. */
static gboolean
name_mark (const Track             *track,
           GArray                  *row,
           const AttnEpsilonCurves *curves,
           gsize                    first,
           gsize                    n,
           gboolean                 has_names)
{
  double x = get_x (track, curves->ends[first + n - 1].epsilon);
  guint n_panels;
  gboolean is_whole;
  g_autofree char *number = attn_epsilon_curves_format_ends (curves, first, n);
  g_autofree char *names =
      attn_epsilon_curves_name_ends (curves, first, n, &n_panels, &is_whole);
  g_autofree char *named = g_strdup_printf ("%s %s", number, names != NULL ? names : "");
  /* Translators: a number and how many panels it is of, such as "0.1 in 3 panels" */
  g_autofree char *counted = g_strdup_printf (_("%s in %u panels"), number, n_panels);

  return (has_names && names != NULL &&
          measure_text (track, named) <= (is_whole ? LONGEST_WHOLE : LONGEST_MARK) &&
          add_words (track, row, named, x)) ||
         (has_names && n_panels > 1 && add_words (track, row, counted, x)) ||
         add_words (track, row, number, x);
}

/* Adds what the marks mean: with the whole rule, its part about the score, or no rule, as there is
 * room. @needs_rule: whether a part of the rule must have room. @has_unnamed: some marks have no
 * words, and the legend says how to read these. Returns whether there was room. */
static gboolean
add_legend (const Track *track,
            GArray      *row,
            gboolean     needs_rule,
            gboolean     has_unnamed)
{
  g_autofree char *rule =
      /* Translators: a legend, behind a triangle and “=”: 0.3, 99; the entropy is that of rows */
      g_strdup_printf (_("sink ends: score < %g or entropy ≥ %g%% of uniform"),
                       ATTN_SWEEP_SINK_SCORE, 100 * ATTN_SWEEP_ENTROPY_SHARE);
  g_autofree char *score =
      /* Translators: a legend, behind a triangle and “=”: 0.3 */
      g_strdup_printf (_("sink ends: score < %g or nearly uniform"), ATTN_SWEEP_SINK_SCORE);
  const char *texts[] = { rule, score, _("sink ends") };

  for (gsize i = 0; i < G_N_ELEMENTS (texts) - (needs_rule ? 1 : 0); i++)
    {
      g_autofree char *text =
          /* Translators: what triangles mark; not all of them have words */
          has_unnamed ? g_strdup_printf (_("%s · point at a mark to read it"), texts[i])
                      : g_strdup (texts[i]);

      /* The place that is tried first is at the left of the track, where no mark is. */
      if (add_equation (track, row, text, 0))
        return TRUE;
      for (guint j = 0; j < row->len; j++)
        if (add_equation (track, row, text, g_array_index (row, Label, j).right + LABEL_GAP))
          return TRUE;
    }
  return FALSE;
}

/* Adds the words of the marks on the track, those nearest to ε = 1 first, as there is room. Returns
 * the number of marks. */
static guint
name_marks (const Track             *track,
            GArray                  *row,
            const AttnEpsilonCurves *curves,
            gboolean                 has_names)
{
  guint n_marks = 0;

  for (gsize end = curves->n_ends, first, n; end > 0; end = first)
    {
      first = attn_epsilon_curves_find_mark (curves, &track->plan->track, end - 1, &n);
      if (!is_on_track (track, curves->ends[first].epsilon))
        continue;
      n_marks++;
      name_mark (track, row, curves, first, n, has_names);
    }
  return n_marks;
}

/* Finds words for the row below the track: the ε of each mark with its panels and the rule; if
 * there is no room for all of these, the ε without the panels, then both without the rule. If not
 * even that has room, the last mark that got words loses them until the legend has room. */
static void
fill_marks (const Track             *track,
            GArray                  *row,
            const AttnEpsilonCurves *curves)
{
  static const struct
  {
    gboolean has_names;
    gboolean needs_rule;
  } ways[] = { { TRUE, TRUE }, { FALSE, TRUE }, { TRUE, FALSE }, { FALSE, FALSE } };
  guint n_marks = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_array_set_size (row, 0);
      n_marks = name_marks (track, row, curves, ways[i].has_names);
      if (n_marks == 0 ||
          (n_marks == row->len && add_legend (track, row, ways[i].needs_rule, FALSE)))
        return;
    }
  while (!add_legend (track, row, FALSE, n_marks > row->len) && row->len > 0)
    g_array_set_size (row, row->len - 1);
}

/* Marks where sinks end. */
static void
add_ends (const Track             *track,
          const AttnEpsilonCurves *curves,
          AttnRgb                  accent)
{
  g_autoptr (GArray) row = new_row ();

  for (gsize i = 0; i < curves->n_ends; i++)
    if (is_on_track (track, curves->ends[i].epsilon))
      add_triangle (track, get_x (track, curves->ends[i].epsilon), track->plan->line + 3, accent);
  if (track->plan->marks > 0)
    fill_marks (track, row, curves);
  for (guint i = 0; i < row->len; i++)
    {
      const Label *label = &g_array_index (row, Label, i);

      add_triangle (track, label->triangle, floor (track->plan->marks - TRIANGLE / 2), accent);
      add_text (track, "axis-label", label->text, label->x, track->plan->marks, ATTN_ANCHOR_START,
                label->opacity);
    }
}

/* Adds the powers of ten, from the largest on, with a number at each where it does not overlap
 * another. */
static void
add_ticks (const Track *track)
{
  const AttnEpsilonTrack *of = &track->plan->track;
  g_autoptr (GArray) row = new_row ();
  double line = track->plan->line;

  for (int exponent = (int) of->high; exponent >= of->low; exponent--)
    {
      double epsilon = pow (10, exponent);
      double x = get_x (track, epsilon);
      g_autofree char *text = attn_text_format_epsilon (attn_epsilon_round (epsilon, 1));
      double width = measure_text (track, text);
      double left = CLAMP (x - width / 2, 0, track->plan->width - width);

      if (exponent == 0)
        add_line (track, "tick", x, line - 8, 0, 14, 2, 0.9);
      else
        add_line (track, "tick", x, line, 0, 6, 1, 0.45);
      if (add_label (track, row, &(Label) { text, left, left, left + width, 0, 0 }))
        add_text (track, "axis-label", text, left, track->plan->labels, ATTN_ANCHOR_START, 0.75);
    }
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
  const Track track = { plan, scene };

  if (curves != NULL && plan->plot_height >= ATTN_EPSILON_LEAST_PLOT)
    {
      const Curves of = { curves, measure, attn_epsilon_curves_get_highest (curves, measure) };

      add_axis (&track, &of);
      for (gsize i = 0; i < curves->n_curves; i++)
        add_curve (&track, &of, i);
      if (curves->n_curves > 0)
        add_names (&track, &of);
    }
  if (curves != NULL)
    add_ends (&track, curves, accent);
  add_ticks (&track);
  return g_steal_pointer (&scene);
}
