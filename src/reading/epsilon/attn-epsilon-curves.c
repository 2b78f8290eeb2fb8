/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-curves.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "attn-panel-name.h"
#include "attn-text.h"

/* The factor by which ε may be beyond the end of the curves and still have the values at that
 * end. */
#define BEYOND 1.1

/* The difference of log ε below which the ends of two sinks count as one, a unit of the third
 * digit. */
#define SAME_END 0.0101

/* A point of the curves: a step of a sweep, which computes the panels for a series of ε. */
typedef struct
{
  const AttnSweep *sweep;
  gsize step;
  double epsilon;
} Point;

static int
compare_points (gconstpointer a,
                gconstpointer b)
{
  double difference = ((const Point *) a)->epsilon - ((const Point *) b)->epsilon;

  return difference < 0 ? -1 : difference > 0;
}

/* Adds the steps of @sweep, except those within the range of @closer, which has finer steps. */
static void
add_points (GArray          *points,
            const AttnSweep *sweep,
            const AttnSweep *closer)
{
  for (gsize step = 0; step < sweep->range.n_steps; step++)
    {
      Point point = { sweep, step, attn_sweep_get_epsilon (&sweep->range, step) };

      if (closer == NULL || point.epsilon > MAX (closer->range.first, closer->range.last) ||
          point.epsilon < MIN (closer->range.first, closer->range.last))
        g_array_append_val (points, point);
    }
}

static double
get_value (const Point        *point,
           gsize               panel,
           AttnEpsilonMeasure  measure)
{
  const AttnSweepPanel *swept = &point->sweep->panels[panel];

  if (measure == ATTN_EPSILON_KL)
    return swept->kl[point->step];
  return measure == ATTN_EPSILON_SINK ? swept->measures[point->step].sink_score
                                      : swept->measures[point->step].total_variation;
}

/* Finds the ε at which the sink of a panel ends. A panel without a sink has no such ε, even if its
 * rows become uniform. */
static void
find_end (AttnEpsilonCurve *curve,
          const AttnSweep  *wide,
          const AttnSweep  *closest,
          gsize             panel)
{
  const AttnSweepPanel *swept = &closest->panels[panel];

  curve->has_end = wide->panels[panel].measures[0].sink_score >= ATTN_SWEEP_SINK_SCORE &&
                   swept->has_collapse;
  if (curve->has_end)
    curve->end = attn_sweep_find_end (closest, swept);
}

/* Tells whether the ε at which two sinks end, which have three digits, are the same but for
 * rounding. */
static gboolean
is_same_end (double a,
             double b)
{
  return fabs (log (a / b)) < SAME_END;
}

/* Adds the ε at which the sink of a panel ends to the list of such ends of earlier panels, in the
 * order of ε. */
static void
add_end (AttnEpsilonCurves *curves,
         gsize              panel)
{
  AttnEpsilonEnd *ends = curves->ends;
  double epsilon = curves->curves[panel].end;
  gsize at = 0;

  while (at < curves->n_ends && ends[at].epsilon < epsilon &&
         !is_same_end (ends[at].epsilon, epsilon))
    at++;
  if (at == curves->n_ends || !is_same_end (ends[at].epsilon, epsilon))
    {
      memmove (ends + at + 1, ends + at, (curves->n_ends++ - at) * sizeof *ends);
      ends[at] = (AttnEpsilonEnd) { epsilon, NULL, 0 };
    }
  ends[at].panels = g_renew (gsize, ends[at].panels, ends[at].n_panels + 1);
  ends[at].panels[ends[at].n_panels++] = panel;
}

/**
 * attn_epsilon_curves_new:
 * @wide: a sweep from 1 down to the smallest ε
 * @close: (nullable): a finer sweep of the same panels, around the ε at which their sinks end
 *
 * Returns: (transfer full)
 */
AttnEpsilonCurves *
attn_epsilon_curves_new (const AttnSweep *wide,
                         const AttnSweep *close)
{
  AttnEpsilonCurves *curves = g_new0 (AttnEpsilonCurves, 1);
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (Point));
  g_autofree const char **names = g_new (const char *, wide->n_panels);

  add_points (points, wide, close);
  if (close != NULL)
    add_points (points, close, NULL);
  g_array_sort (points, compare_points);

  curves->n_points = points->len;
  curves->epsilons = g_new (double, points->len);
  for (gsize i = 0; i < points->len; i++)
    curves->epsilons[i] = g_array_index (points, Point, i).epsilon;
  curves->n_curves = wide->n_panels;
  curves->curves = g_new0 (AttnEpsilonCurve, wide->n_panels);
  for (gsize panel = 0; panel < wide->n_panels; panel++)
    {
      AttnEpsilonCurve *curve = &curves->curves[panel];

      names[panel] = wide->panels[panel].name;
      curve->name = attn_panel_name_translate (wide->panels[panel].name);
      find_end (curve, wide, close != NULL ? close : wide, panel);
      for (AttnEpsilonMeasure measure = 0; measure < ATTN_EPSILON_N_MEASURES; measure++)
        {
          if (measure == ATTN_EPSILON_KL && wide->panels[panel].kl == NULL)
            continue;
          curve->values[measure] = g_new (double, points->len);
          for (gsize i = 0; i < points->len; i++)
            curve->values[measure][i] =
                get_value (&g_array_index (points, Point, i), panel, measure);
        }
    }
  curves->panels = attn_epsilon_panels_new (names, wide->n_panels);
  curves->ends = g_new0 (AttnEpsilonEnd, curves->n_curves);
  for (gsize i = 0; i < curves->n_curves; i++)
    if (curves->curves[i].has_end)
      add_end (curves, i);
  return curves;
}

void
attn_epsilon_curves_free (AttnEpsilonCurves *curves)
{
  for (gsize i = 0; i < curves->n_curves; i++)
    {
      g_free (curves->curves[i].name);
      for (AttnEpsilonMeasure measure = 0; measure < ATTN_EPSILON_N_MEASURES; measure++)
        g_free (curves->curves[i].values[measure]);
    }
  for (gsize i = 0; i < curves->n_ends; i++)
    g_free (curves->ends[i].panels);
  attn_epsilon_panels_free (curves->panels);
  g_free (curves->ends);
  g_free (curves->curves);
  g_free (curves->epsilons);
  g_free (curves);
}

/* Tells whether a measure was computed for the panels. */
gboolean
attn_epsilon_curves_has (const AttnEpsilonCurves *curves,
                         AttnEpsilonMeasure       measure)
{
  return curves->n_curves > 0 && curves->curves[0].values[measure] != NULL;
}

/**
 * attn_epsilon_curves_get_highest:
 * @measure: a measure that was computed
 *
 * Returns: the upper end of an axis of that measure, which begins at 0: 1, or the largest KL
 */
double
attn_epsilon_curves_get_highest (const AttnEpsilonCurves *curves,
                                 AttnEpsilonMeasure       measure)
{
  double highest = 1e-9;

  if (measure != ATTN_EPSILON_KL)
    return 1;
  for (gsize i = 0; i < curves->n_curves; i++)
    for (gsize j = 0; j < curves->n_points; j++)
      highest = MAX (highest, curves->curves[i].values[measure][j]);
  return highest;
}

/* Returns the largest change of any curve between a point and the next one with larger ε. */
static double
measure_change (const AttnEpsilonCurves *curves,
                gsize                    point)
{
  double change = 0;

  for (gsize i = 0; i < curves->n_curves; i++)
    for (AttnEpsilonMeasure measure = 0; measure < ATTN_EPSILON_KL; measure++)
      {
        const double *values = curves->curves[i].values[measure];
        double step = fabs (values[point + 1] - values[point]);

        if (step > change)
          change = step;
      }
  return change;
}

/* The share of the time of a walk that goes evenly over the powers of ten, so that stretches in
 * which nothing changes pass quickly, but do not jump. */
#define EVEN_SHARE 0.1

/**
 * attn_epsilon_curves_walk:
 * @curves: (nullable): %NULL walks evenly
 * @share: share of the time of the walk that has passed, 0 to 1
 *
 * Walks from 1 down to the smallest ε: nearly all of the time goes to where the curves change, the
 * rest evenly over the powers of ten.
 *
 * Returns: log10 of the ε that the walk has reached by then
 */
double
attn_epsilon_curves_walk (const AttnEpsilonCurves *curves,
                          double                   share)
{
  double lowest = log10 (ATTN_EPSILON_MIN);
  double total = 0;
  double gone = 0;

  share = CLAMP (share, 0, 1);
  for (gsize i = 0; curves != NULL && i + 1 < curves->n_points; i++)
    total += measure_change (curves, i);
  if (total <= 0)
    return share * lowest;
  double top = log10 (curves->epsilons[curves->n_points - 1]);
  double extent = top - log10 (curves->epsilons[0]);
  for (gsize i = curves->n_points - 1; i > 0; i--)
    {
      double upper = log10 (curves->epsilons[i]);
      double lower = log10 (curves->epsilons[i - 1]);
      double part = EVEN_SHARE * (upper - lower) / extent +
                    (1 - EVEN_SHARE) * measure_change (curves, i - 1) / total;

      if (gone + part >= share && part > 0)
        return upper + (lower - upper) * (share - gone) / part;
      gone += part;
    }
  return log10 (curves->epsilons[0]);
}

/**
 * attn_epsilon_curves_describe:
 *
 * Returns: (transfer full): at which ε the sink of each panel ends, in one line
 */
char *
attn_epsilon_curves_describe (const AttnEpsilonCurves *curves)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gsize n = 0;

  for (gsize i = 0; i < curves->n_curves; i++)
    n += curves->curves[i].has_end;
  if (curves->n_curves > ATTN_EPSILON_MAX_NAMED)
    /* Translators: of how many panels the sink ends, of how many there are */
    return g_strdup_printf (_("The sink ends in %zu of %zu panels"), n, curves->n_curves);
  for (gsize i = 0; i < curves->n_curves; i++)
    {
      const AttnEpsilonCurve *curve = &curves->curves[i];

      g_string_append (text, i > 0 ? "; " : "");
      if (curve->has_end)
        {
          g_autofree char *end = attn_text_format_epsilon (curve->end);

          /* Translators: the name of a panel and a number */
          g_string_append_printf (text, _("%s: the sink ends at ε = %s"), curve->name, end);
        }
      else
        /* Translators: the name of a panel */
        g_string_append_printf (text, _("%s: no sink ends"), curve->name);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/**
 * attn_epsilon_curves_find_end:
 * @track: the track on which the ends are marked
 * @x: pixels from the left end of the track
 * @reach: the largest distance from @x, in pixels
 *
 * Returns: (nullable): the end of sinks that is nearest to @x; %NULL if none is within reach
 */
const AttnEpsilonEnd *
attn_epsilon_curves_find_end (const AttnEpsilonCurves *curves,
                              const AttnEpsilonTrack  *track,
                              double                   x,
                              double                   reach)
{
  const AttnEpsilonEnd *nearest = NULL;

  for (gsize i = 0; i < curves->n_ends; i++)
    {
      double distance = fabs (attn_epsilon_track_get_x (track, curves->ends[i].epsilon) - x);

      if (distance > reach)
        continue;
      reach = distance;
      nearest = &curves->ends[i];
    }
  return nearest;
}

/**
 * attn_epsilon_curves_find_mark:
 * @end: index of an end of sinks, for which the track has a mark
 * @n: (out): the number of ends whose marks overlap with that one, itself included
 *
 * Returns: index of the first of these ends, which are told of together
 */
gsize
attn_epsilon_curves_find_mark (const AttnEpsilonCurves *curves,
                               const AttnEpsilonTrack  *track,
                               gsize                    end,
                               gsize                   *n)
{
  const AttnEpsilonEnd *ends = curves->ends;
  double lowest = pow (10, track->low);
  gsize first = end;
  gsize last = end;

  while (first > 0 && ends[first - 1].epsilon >= lowest &&
         attn_epsilon_track_get_x (track, ends[first].epsilon) -
                 attn_epsilon_track_get_x (track, ends[first - 1].epsilon) <
             ATTN_EPSILON_TRIANGLE)
    first--;
  while (last + 1 < curves->n_ends && ends[last].epsilon >= lowest &&
         attn_epsilon_track_get_x (track, ends[last + 1].epsilon) -
                 attn_epsilon_track_get_x (track, ends[last].epsilon) <
             ATTN_EPSILON_TRIANGLE)
    last++;
  *n = last + 1 - first;
  return first;
}

/**
 * attn_epsilon_curves_format_ends:
 * @first: index of an end of sinks
 * @n: the number of ends from there on, at least one
 *
 * Returns: (transfer full): the ε of these ends, as a range if there are several
 */
char *
attn_epsilon_curves_format_ends (const AttnEpsilonCurves *curves,
                                 gsize                    first,
                                 gsize                    n)
{
  g_autofree char *least = attn_text_format_epsilon (curves->ends[first].epsilon);
  g_autofree char *most = attn_text_format_epsilon (curves->ends[first + n - 1].epsilon);

  return n > 1 ? g_strdup_printf ("%s–%s", least, most) : g_steal_pointer (&least);
}

/**
 * attn_epsilon_curves_name_ends:
 * @first: index of an end of sinks
 * @n: the number of ends from there on
 * @n_panels: (out): the number of panels whose sinks end there
 * @is_whole: (out): whether these are whole rows or columns of the figure's panels
 *
 * Returns: (transfer full) (nullable): the names of these panels; %NULL if they are too many
 */
char *
attn_epsilon_curves_name_ends (const AttnEpsilonCurves *curves,
                               gsize                    first,
                               gsize                    n,
                               guint                   *n_panels,
                               gboolean                *is_whole)
{
  g_autofree gboolean *is_chosen = g_new0 (gboolean, curves->n_curves + 1);

  *n_panels = 0;
  for (gsize i = first; i < first + n; i++)
    for (guint k = 0; k < curves->ends[i].n_panels; k++)
      {
        is_chosen[curves->ends[i].panels[k]] = TRUE;
        ++*n_panels;
      }
  return attn_epsilon_panels_name (curves->panels, is_chosen, is_whole);
}

/* Returns the names of the panels whose sinks end at @n ends from @first on, or how many there
 * are. */
static char *
name_or_count (const AttnEpsilonCurves *curves,
               gsize                    first,
               gsize                    n)
{
  guint n_panels;
  gboolean is_whole;
  char *names = attn_epsilon_curves_name_ends (curves, first, n, &n_panels, &is_whole);

  return names != NULL ? names : g_strdup_printf (_("%u panels"), n_panels);
}

/**
 * attn_epsilon_curves_describe_ends:
 * @first: index of an end of sinks
 * @n: the number of ends from there on, at least one
 *
 * Returns: (transfer full): the panels whose sinks end there, or how many, the ε, by which rule
 *   sinks end and, of several ends, which panels belong to each
 */
char *
attn_epsilon_curves_describe_ends (const AttnEpsilonCurves *curves,
                                   gsize                    first,
                                   gsize                    n)
{
  g_autofree char *epsilon = attn_epsilon_curves_format_ends (curves, first, n);
  g_autofree char *names = name_or_count (curves, first, n);
  /* xgettext:no-c-format */
  /* Translators: names of panels and a number */
  g_autofree char *rule = g_strdup_printf (
      _("%s: the sink ends at ε = %s, the first at which the sink score falls below 0.3 or "
        "the rows come within 1%% of the entropy of uniform ones"),
      names, epsilon);
  g_autoptr (GString) text = g_string_new (rule);

  for (gsize i = first; n > 1 && i < first + MIN (n, ATTN_EPSILON_MAX_NAMED); i++)
    {
      g_autofree char *own = attn_text_format_epsilon (curves->ends[i].epsilon);
      g_autofree char *own_names = name_or_count (curves, i, 1);

      g_string_append_printf (text, "\nε = %s · %s", own, own_names);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gsize
find_nearest (const AttnEpsilonCurves *curves,
              double                   epsilon)
{
  gsize nearest = 0;

  for (gsize i = 1; i < curves->n_points; i++)
    if (fabs (log (curves->epsilons[i] / epsilon)) <
        fabs (log (curves->epsilons[nearest] / epsilon)))
      nearest = i;
  return nearest;
}

/**
 * attn_epsilon_curves_describe_at:
 *
 * Returns: (transfer full) (nullable): the measures of each panel at the point of the curves next
 *   to @epsilon, one line for each panel, and how many panels have no line; %NULL beyond the ends
 *   of the curves
 */
char *
attn_epsilon_curves_describe_at (const AttnEpsilonCurves *curves,
                                 double                   epsilon)
{
  gsize point = find_nearest (curves, epsilon);

  if ((point == 0 || point + 1 == curves->n_points) &&
      fabs (log (curves->epsilons[point] / epsilon)) > log (BEYOND))
    return NULL;
  g_autofree char *number = attn_text_format_epsilon (curves->epsilons[point]);
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_printf (text, "ε = %s", number);
  for (gsize i = 0; i < MIN (curves->n_curves, ATTN_EPSILON_MAX_NAMED); i++)
    {
      const AttnEpsilonCurve *curve = &curves->curves[i];
      g_autofree char *sink = attn_text_format_weight (curve->values[ATTN_EPSILON_SINK][point], 3);
      g_autofree char *distance =
          attn_text_format_weight (curve->values[ATTN_EPSILON_DISTANCE][point], 3);

      g_string_append_c (text, '\n');
      if (curve->values[ATTN_EPSILON_KL] == NULL)
        {
          /* Translators: the name of a panel and two numbers */
          g_string_append_printf (text, _("%s: sink score %s, total variation %s"), curve->name,
                                  sink, distance);
          continue;
        }
      g_autofree char *kl = attn_text_format_weight (curve->values[ATTN_EPSILON_KL][point], 3);
      /* Translators: the name of a panel and three numbers */
      g_string_append_printf (text, _("%s: sink score %s, total variation %s, KL %s bits"),
                              curve->name, sink, distance, kl);
    }
  if (curves->n_curves > ATTN_EPSILON_MAX_NAMED)
    {
      gsize n = curves->n_curves - ATTN_EPSILON_MAX_NAMED;

      g_string_append_c (text, '\n');
      /* Translators: panels whose numbers are not listed */
      g_string_append_printf (
          text, g_dngettext (NULL, "and %zu more panel", "and %zu more panels", (gulong) n), n);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}
