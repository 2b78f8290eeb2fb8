/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Curves over ε, from sweeps that are made up, and how they are laid out. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-epsilon-scene.h"
#include "attn-lettering.h"

#define N_STEPS 13

/* pow() and log10() are good to a few units in the last place, times the slope of 10^x. */
#define TOLERANCE 1e-10

/* Panels of a sweep from @first to @last: scores that fall from 1 to 0.1 around 1e-3, one that is
 * always 0.9, and one that was never above 0.2. */
static AttnSweep *
make_sweep (double   first,
            double   last,
            gboolean has_kl)
{
  static const char * const names[] = { "Query", "Value", "Key" };
  AttnSweep *sweep = g_new0 (AttnSweep, 1);

  sweep->range = (AttnSweepRange) { first, last, N_STEPS };
  sweep->n_panels = G_N_ELEMENTS (names);
  sweep->panels = g_new0 (AttnSweepPanel, sweep->n_panels);
  for (gsize i = 0; i < sweep->n_panels; i++)
    {
      AttnSweepPanel *panel = &sweep->panels[i];

      panel->name = g_strdup (names[i]);
      panel->measures = g_new0 (AttnPanelMeasures, N_STEPS);
      panel->kl = has_kl ? g_new0 (double, N_STEPS) : NULL;
      panel->uniform_entropy = 2;
      for (gsize step = 0; step < N_STEPS; step++)
        {
          double epsilon = attn_sweep_get_epsilon (&sweep->range, step);
          double falling = 0.1 + 0.9 / (1 + pow (1e-3 / epsilon, 2));

          panel->measures[step].sink_score = i == 0 ? falling : i == 1 ? 0.9
                                                                       : 0.2;
          panel->measures[step].total_variation = i == 0 ? 1 - falling : 0;
          /* The rows of all but the second become uniform. */
          panel->measures[step].mean_entropy = i != 1 && epsilon < 1e-4 ? 2 : 1;
          if (has_kl)
            panel->kl[step] = i == 0 ? 3 * (1 - falling) : 0;
        }
      panel->has_collapse = attn_sweep_find_collapse (panel, N_STEPS, &panel->collapse);
    }
  return sweep;
}

static void
free_sweep (AttnSweep *sweep)
{
  for (gsize i = 0; i < sweep->n_panels; i++)
    {
      g_free (sweep->panels[i].name);
      g_free (sweep->panels[i].measures);
      g_free (sweep->panels[i].kl);
    }
  g_free (sweep->panels);
  g_free (sweep);
}

static void
test_closer_look_takes_the_place_of_a_part (void)
{
  AttnSweep *wide = make_sweep (1, 1e-12, FALSE);
  AttnSweep *close = make_sweep (1e-2, 1e-5, FALSE);
  g_autoptr (AttnEpsilonCurves) curves = attn_epsilon_curves_new (wide, close);

  /* 1e-12 to 1e-6, the closer ones, 0.1 and 1 */
  g_assert_cmpuint (curves->n_points, ==, 7 + N_STEPS + 2);
  for (gsize i = 0; i + 1 < curves->n_points; i++)
    g_assert_cmpfloat (curves->epsilons[i], <, curves->epsilons[i + 1]);
  g_assert_cmpfloat_with_epsilon (curves->curves[1].values[ATTN_EPSILON_SINK][3], 0.9, TOLERANCE);
  /* The value is that of its own point. */
  for (gsize i = 0; i < curves->n_points; i++)
    g_assert_cmpfloat_with_epsilon (curves->curves[0].values[ATTN_EPSILON_SINK][i],
                                    0.1 + 0.9 / (1 + pow (1e-3 / curves->epsilons[i], 2)),
                                    TOLERANCE);
  free_sweep (wide);
  free_sweep (close);
}

/* A panel without a sink has none to lose, though its rows become uniform. */
static void
test_end_is_that_of_a_sink (void)
{
  AttnSweep *wide = make_sweep (1, 1e-12, FALSE);
  g_autoptr (AttnEpsilonCurves) curves = attn_epsilon_curves_new (wide, NULL);
  g_autofree char *text = attn_epsilon_curves_describe (curves);

  g_assert_true (wide->panels[2].has_collapse);
  g_assert_true (curves->curves[0].has_end);
  /* Between 1e-3 and 1e-4, where the score is 0.55 and 0.1089: 0.567 of the way. */
  g_assert_cmpfloat_with_epsilon (curves->curves[0].end, 2.71e-4, TOLERANCE);
  g_assert_false (curves->curves[1].has_end);
  g_assert_false (curves->curves[2].has_end);
  g_assert_cmpstr (text, ==,
                   "Query: the sink ends at ε = 2.71e-4; Value: no sink ends; Key: no sink ends");
  free_sweep (wide);
}

static void
test_measures (void)
{
  AttnSweep *wide = make_sweep (1, 1e-12, TRUE);
  AttnSweep *plain = make_sweep (1, 1e-12, FALSE);
  g_autoptr (AttnEpsilonCurves) curves = attn_epsilon_curves_new (wide, NULL);
  g_autoptr (AttnEpsilonCurves) others = attn_epsilon_curves_new (plain, NULL);
  g_autofree char *at = attn_epsilon_curves_describe_at (curves, 0.95);
  g_autofree char *beyond = attn_epsilon_curves_describe_at (curves, 3);
  g_autofree char *between = attn_epsilon_curves_describe_at (curves, 2e-4);

  g_assert_true (attn_epsilon_curves_has (curves, ATTN_EPSILON_KL));
  g_assert_false (attn_epsilon_curves_has (others, ATTN_EPSILON_KL));
  g_assert_cmpfloat (attn_epsilon_curves_get_highest (curves, ATTN_EPSILON_SINK), ==, 1);
  g_assert_cmpfloat_with_epsilon (attn_epsilon_curves_get_highest (curves, ATTN_EPSILON_KL), 2.7,
                                  TOLERANCE);
  g_assert_null (beyond);
  g_assert_true (g_str_has_prefix (between, "ε = 1e-4\n"));
  g_assert_true (g_str_has_prefix (at, "ε = 1\nQuery: sink score 1.00, total variation "));
  g_assert_nonnull (
      strstr (at, "\nValue: sink score 0.900, total variation 0.00, KL 0.00 bits\nKey: "));
  free_sweep (wide);
  free_sweep (plain);
}

/* Evenly without curves; with them more slowly where they change, from the same beginning to the
 * same end. */
static void
test_walk_takes_its_time (void)
{
  AttnSweep *wide = make_sweep (1, 1e-12, FALSE);
  g_autoptr (AttnEpsilonCurves) curves = attn_epsilon_curves_new (wide, NULL);
  double before = 1;
  double within = 0; /* share of the time around 1e-3 */

  for (double share = 0; share <= 1; share += 1 / 1024.0)
    {
      double exponent = attn_epsilon_curves_walk (curves, share);

      g_assert_cmpfloat_with_epsilon (attn_epsilon_curves_walk (NULL, share), -12 * share,
                                      TOLERANCE);
      g_assert_cmpfloat (exponent, <, before);
      before = exponent;
      if (exponent <= -2 && exponent >= -4)
        within += 1 / 1024.0;
    }
  g_assert_cmpfloat_with_epsilon (attn_epsilon_curves_walk (curves, 0), 0, TOLERANCE);
  g_assert_cmpfloat_with_epsilon (attn_epsilon_curves_walk (curves, 1), -12, TOLERANCE);
  /* Two of twelve powers of ten, where all but a hundredth of the change is: 0.1/6 + 0.9. */
  g_assert_cmpfloat (within, >, 0.88);
  free_sweep (wide);
}

static void
assert_ends (const AttnEpsilonCurves *curves,
             gsize                    first,
             gsize                    n,
             const char              *expected)
{
  guint n_panels;
  gboolean is_whole;
  g_autofree char *names =
      attn_epsilon_curves_name_ends (curves, first, n, &n_panels, &is_whole);

  g_assert_cmpstr (names, ==, expected);
}

/* Panels whose sink ends at the same ε share a mark, in the order of ε. */
static void
test_ends_at_one_place_are_one (void)
{
  AttnSweep *wide = make_sweep (1, 1e-12, FALSE);
  AttnSweepPanel *panels = wide->panels;

  /* As the first panel, but for the second from 1e-2 on. */
  for (gsize i = 1; i < 3; i++)
    for (gsize step = 0; step < N_STEPS; step++)
      panels[i].measures[step] = panels[0].measures[step];
  panels[1].measures[2].sink_score = 0.1;
  for (gsize i = 1; i < 3; i++)
    panels[i].has_collapse = attn_sweep_find_collapse (&panels[i], N_STEPS, &panels[i].collapse);
  g_autoptr (AttnEpsilonCurves) curves = attn_epsilon_curves_new (wide, NULL);

  g_assert_cmpuint (curves->n_ends, ==, 2);

  /* The nearest within reach is found. */
  const double smallest = 1e-12;
  AttnEpsilonTrack track = attn_epsilon_track_fit (&smallest, 1, 1200);
  double first = attn_epsilon_track_get_x (&track, curves->ends[0].epsilon);
  double last = attn_epsilon_track_get_x (&track, curves->ends[1].epsilon);
  g_assert_true (attn_epsilon_curves_find_end (curves, &track, 0.6 * first + 0.4 * last, 1200) ==
                 &curves->ends[0]);
  g_assert_true (attn_epsilon_curves_find_end (curves, &track, 0.4 * first + 0.6 * last, 1200) ==
                 &curves->ends[1]);
  g_assert_null (attn_epsilon_curves_find_end (curves, &track, MIN (first, last) - 8, 4));
  g_assert_cmpfloat (curves->ends[0].epsilon, ==, curves->curves[0].end);
  assert_ends (curves, 0, 1, "Query, Key");
  g_assert_cmpuint (curves->ends[0].n_panels, ==, 2);
  g_assert_cmpfloat (curves->ends[1].epsilon, >, curves->ends[0].epsilon);
  assert_ends (curves, 1, 1, "Value");
  free_sweep (wide);
}

/* --- The scene -------------------------------------------------------------------------------- */

#define LINE_Y  50.0
#define MARKS_Y 82.0
#define REACH   9.0

static AttnScene *
lay_out_measure (const AttnEpsilonCurves *curves,
                 double                   width,
                 double                   plot_height,
                 double                   handle,
                 AttnEpsilonMeasure       measure)
{
  AttnStyle style = attn_style_default ();
  const double epsilons[] = { 1e-12, 1 };
  const AttnEpsilonPlan plan = {
    .track = attn_epsilon_track_fit (epsilons, 2, width - 32),
    .start = 16,
    .width = width,
    .line = LINE_Y,
    .plot_height = plot_height,
    .labels = LINE_Y + 18,
    .marks = MARKS_Y,
    .reach = REACH,
    .handles = &handle,
    .n_handles = 1,
  };

  return attn_epsilon_scene_new (&plan, &style, (AttnRgb) { 255, 0, 0 }, curves, measure);
}

static AttnScene *
lay_out (const AttnEpsilonCurves *curves,
         double                   width,
         double                   plot_height,
         double                   handle)
{
  return lay_out_measure (curves, width, plot_height, handle, ATTN_EPSILON_SINK);
}

static AttnRectangle
get_box (const AttnScene *scene,
         const AttnMark  *text)
{
  double width =
      attn_lettering_measure (scene->style.font_family, text->markup, text->font_size);

  return (AttnRectangle) {
    text->rectangle.x - attn_lettering_get_shift (text->anchor) * width,
    text->rectangle.y - ATTN_LETTERING_ASCENT * text->font_size,
    width,
    ATTN_LETTERING_HEIGHT * text->font_size,
  };
}

/* The points of a curve, between the numbers of the axis and the line of the track. */
static void
test_curves_are_where_their_values_are (void)
{
  AttnSweep *wide = make_sweep (1, 1e-12, FALSE);
  g_autoptr (AttnEpsilonCurves) curves = attn_epsilon_curves_new (wide, NULL);
  g_autoptr (AttnScene) scene = lay_out (curves, 832, 40, 0.5);
  gsize n_curves = 0;

  for (guint i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->kind != ATTN_MARK_CURVE)
        continue;
      g_assert_cmpuint (mark->n_points, ==, N_STEPS);
      for (gsize j = 0; j < N_STEPS; j++)
        {
          /* 13 powers of ten in 800 pixels, of which the last is that to 10. */
          g_assert_cmpfloat_with_epsilon (mark->points[j].x, 16 + 800 * j / 13.0, TOLERANCE);
          g_assert_cmpfloat_with_epsilon (
              mark->points[j].y,
              LINE_Y - 40 * curves->curves[n_curves].values[ATTN_EPSILON_SINK][j], TOLERANCE);
        }
      n_curves++;
    }
  g_assert_cmpuint (n_curves, ==, 3);
  free_sweep (wide);
}

/* Lists the labels of a row below the track, within the widget and none over another. */
static GPtrArray *
list_labels (const AttnScene *scene,
             double           above,
             double           below)
{
  GPtrArray *labels = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (AttnRectangle));

  for (guint i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);
      AttnRectangle box;

      if (mark->kind != ATTN_MARK_TEXT || mark->rectangle.y < above ||
          mark->rectangle.y >= below)
        continue;
      box = get_box (scene, mark);
      g_assert_cmpfloat (box.x, >=, 0);
      g_assert_cmpfloat (box.x + box.width, <=, scene->width);
      for (guint j = 0; j < boxes->len; j++)
        {
          const AttnRectangle *other = &g_array_index (boxes, AttnRectangle, j);

          g_assert_true (box.x >= other->x + other->width || box.x + box.width <= other->x ||
                         box.y >= other->y + other->height || box.y + box.height <= other->y);
        }
      g_array_append_val (boxes, box);
      g_ptr_array_add (labels, g_strdup (mark->markup));
    }
  return labels;
}

/* At any width the powers of ten are the same with marks as without. */
static void
test_marks_leave_powers_of_ten (void)
{
  AttnSweep *wide = make_sweep (1, 1e-12, FALSE);
  g_autoptr (AttnEpsilonCurves) curves = attn_epsilon_curves_new (wide, NULL);

  for (double width = 200; width <= 900; width += 7)
    {
      g_autoptr (AttnScene) scene = lay_out (curves, width, 40, 0.5);
      g_autoptr (AttnScene) bare = lay_out (NULL, width, 40, 0.5);
      g_autoptr (GPtrArray) labels = list_labels (scene, LINE_Y, MARKS_Y - 6);
      g_autoptr (GPtrArray) expected = list_labels (bare, LINE_Y, MARKS_Y - 6);

      g_assert_cmpuint (labels->len, ==, expected->len);
      g_assert_cmpuint (labels->len, >=, 3);
      for (guint i = 0; i < labels->len; i++)
        g_assert_cmpstr (labels->pdata[i], ==, expected->pdata[i]);
    }
  free_sweep (wide);
}

/* A mark has its number and its panels; behind them is the rule, or what is marked. */
static void
test_marks_have_words (void)
{
  AttnSweep *wide = make_sweep (1, 1e-12, FALSE);
  g_autoptr (AttnEpsilonCurves) curves = attn_epsilon_curves_new (wide, NULL);
  g_autoptr (AttnScene) broad = lay_out (curves, 900, 40, 0.5);
  g_autoptr (AttnScene) narrow = lay_out (curves, 240, 40, 0.5);
  g_autoptr (GPtrArray) many = list_labels (broad, MARKS_Y - 6, INFINITY);
  g_autoptr (GPtrArray) few = list_labels (narrow, MARKS_Y - 6, INFINITY);

  g_assert_cmpuint (many->len, ==, 2);
  g_assert_cmpstr (many->pdata[0], ==, "2.71e-4 Query");
  g_assert_cmpstr (many->pdata[1], ==, "= sink ends: score &lt; 0.3 or entropy ≥ 99% of uniform");
  g_assert_cmpuint (few->len, ==, 2);
  g_assert_cmpstr (few->pdata[0], ==, "2.71e-4 Query");
  g_assert_cmpstr (few->pdata[1], ==, "= sink ends");
  free_sweep (wide);
}

/* Tells whether the text that begins behind a triangle is an equation, which says what triangles
 * stand for. */
static gboolean
is_legend (const AttnScene *scene,
           const AttnMark  *triangle)
{
  double right = triangle->rectangle.x + triangle->rectangle.width;

  for (guint i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->kind == ATTN_MARK_TEXT && fabs (mark->rectangle.y - MARKS_Y) < 8 &&
          mark->rectangle.x > right && mark->rectangle.x < right + 8)
        return g_str_has_prefix (mark->markup, "= ");
    }
  return FALSE;
}

/* All triangles have the colour of the marks. Each stands at its ε but that of the legend, which is
 * told apart by the equation that follows. */
static void
test_legend_is_no_mark (void)
{
  AttnSweep *wide = make_sweep (1, 1e-12, FALSE);
  g_autoptr (AttnEpsilonCurves) curves = attn_epsilon_curves_new (wide, NULL);

  for (double width = 240; width <= 1200; width += 60)
    {
      g_autoptr (AttnScene) scene = lay_out (curves, width, 40, 0.5);
      const double epsilons[] = { 1e-12, 1 };
      AttnEpsilonTrack track = attn_epsilon_track_fit (epsilons, 2, width - 32);
      double end = 16 + attn_epsilon_track_get_x (&track, curves->ends[0].epsilon);
      guint n_marks = 0, n_legends = 0;

      g_assert_cmpuint (curves->n_ends, ==, 1);
      for (guint i = 0; i < scene->marks->len; i++)
        {
          const AttnMark *mark = attn_scene_get_mark (scene, i);
          double middle = mark->rectangle.x + mark->rectangle.width / 2;

          if (mark->kind != ATTN_MARK_TRIANGLE)
            continue;
          gboolean is_equation = is_legend (scene, mark);
          n_marks += !is_equation;
          n_legends += is_equation;
          g_assert_true (mark->color.red == 255 && mark->color.green == 0);
          g_assert_true (is_equation || fabs (middle - end) < TOLERANCE);
        }
      g_assert_cmpuint (n_marks, ==, 2);
      g_assert_cmpuint (n_legends, ==, 1);
    }
  free_sweep (wide);
}

/* Curves of panels that have names and ends, but no values. */
typedef struct
{
  AttnEpsilonCurve panels[12];
  gsize indices[12];
  AttnEpsilonEnd ends[12];
  AttnEpsilonCurves curves;
} Ended;

static void
clear_ended (Ended *ended)
{
  g_clear_pointer (&ended->curves.panels, attn_epsilon_panels_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ended, clear_ended)

/* Sets panels of which the sink of each has an end of its own, at ε that grow. @names: of the
 * panels. */
static void
set_ended (Ended              *ended,
           const char * const *names,
           const double       *epsilons,
           gsize               n)
{
  clear_ended (ended);
  *ended = (Ended) { 0 };
  g_assert_cmpuint (n, <=, G_N_ELEMENTS (ended->panels));
  for (gsize i = 0; i < n; i++)
    {
      ended->panels[i].name = (char *) names[i];
      ended->indices[i] = i;
      ended->ends[i] = (AttnEpsilonEnd) { epsilons[i], &ended->indices[i], 1 };
    }
  ended->curves = (AttnEpsilonCurves) {
    .curves = ended->panels,
    .n_curves = n,
    .panels = attn_epsilon_panels_new (names, n),
    .ends = ended->ends,
    .n_ends = n,
  };
}

/* Five marks beside one another have words each or, where there is no room for these, a range
 * together; then it is said how to read each, if there is room for that. */
static void
test_marks_without_room_share_their_words (void)
{
  const char *names[] = { "Key", "Key", "Key", "Key", "Key" };
  const double ends[] = { 1e-6, 1e-5, 1e-4, 1e-3, 1e-2 };
  g_auto (Ended) ended = { 0 };
  guint n_shared = 0, n_own = 0, n_hints = 0;

  set_ended (&ended, names, ends, G_N_ELEMENTS (ends));
  for (double width = 300; width <= 1500; width += 20)
    {
      g_autoptr (AttnScene) scene = lay_out (&ended.curves, width, 0, 0.5);
      g_autoptr (GPtrArray) labels = list_labels (scene, MARKS_Y - 6, INFINITY);
      guint n_named = labels->len - 1;
      const char *legend = labels->pdata[n_named];
      gboolean has_hint = g_str_has_suffix (legend, " · point at a mark to read it");

      g_assert_true (g_str_has_prefix (legend, "= sink ends"));
      gboolean is_shared = g_str_has_prefix (labels->pdata[0], "1e-6–0.01 ");
      g_assert_cmpuint (n_named, >=, 1);
      g_assert_true (!is_shared || n_named == 1);
      g_assert_true (!has_hint || is_shared);
      n_shared += is_shared;
      n_own += n_named == G_N_ELEMENTS (ends);
      n_hints += has_hint;
    }
  g_assert_cmpuint (n_shared, >, 0);
  g_assert_cmpuint (n_own, >, 0);
  g_assert_cmpuint (n_hints, >, 0);
}

/* Where marks and their panels leave no room for the rule, the panels yield first, then the rule;
 * each mark keeps its number. */
static void
test_panels_yield_before_numbers_and_rule (void)
{
  const char *names[] = { "Input 1, Query", "Input 2, Query", "Input 3, Query" };
  g_auto (Ended) ended = { 0 };
  guint n_seen[3] = { 0, 0, 0 };

  set_ended (&ended, names, (double[]) { 1e-6, 1e-4, 1e-2 }, G_N_ELEMENTS (names));
  for (double width = 500; width <= 1300; width += 20)
    {
      g_autoptr (AttnScene) scene = lay_out (&ended.curves, width, 0, 0.5);
      g_autoptr (GPtrArray) labels = list_labels (scene, MARKS_Y - 6, INFINITY);

      g_assert_cmpuint (labels->len, ==, G_N_ELEMENTS (names) + 1);
      const char *legend = labels->pdata[G_N_ELEMENTS (names)];
      gboolean has_rule = strstr (legend, "score &lt; 0.3") != NULL;
      gboolean has_names = strstr (labels->pdata[0], "Query") != NULL;
      g_assert_true (g_str_has_prefix (labels->pdata[0], "0.01"));
      g_assert_true (g_str_has_prefix (labels->pdata[2], "1e-6"));
      n_seen[has_names && has_rule ? 0 : has_rule ? 1
                                                  : 2]++;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (n_seen); i++)
    g_assert_cmpuint (n_seen[i], >, 0);
}

/* Tells whether the track has the number of the threshold of a sink beside its axis. */
static gboolean
has_threshold_number (AttnScene *scene)
{
  for (guint i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->kind == ATTN_MARK_TEXT && mark->rectangle.y < LINE_Y &&
          g_strcmp0 (mark->markup, "0.3") == 0)
        return TRUE;
    }
  return FALSE;
}

/* The number at the top of the axis stands clear of the number of a handle at the left end. */
static void
test_axis_number_is_beyond_the_curves (void)
{
  AttnSweep *wide = make_sweep (1, 1e-12, TRUE);
  g_autoptr (AttnEpsilonCurves) curves = attn_epsilon_curves_new (wide, NULL);

  for (AttnEpsilonMeasure measure = 0; measure < ATTN_EPSILON_N_MEASURES; measure++)
    {
      g_autoptr (AttnScene) scene = lay_out_measure (curves, 400, 40, 1e-12, measure);
      const double epsilons[] = { 1e-12, 1 };
      AttnEpsilonTrack track = attn_epsilon_track_fit (epsilons, 2, 400 - 32);
      double left = 16 + attn_epsilon_track_get_x (&track, 1);
      guint n = 0;

      for (guint i = 0; i < scene->marks->len; i++)
        {
          const AttnMark *mark = attn_scene_get_mark (scene, i);

          if (mark->kind != ATTN_MARK_TEXT || mark->rectangle.y >= LINE_Y ||
              g_ascii_strtod (mark->markup, NULL) <= 0)
            continue;
          g_assert_cmpfloat (get_box (scene, mark).x, >, left);
          n++;
        }
      g_assert_cmpuint (n, ==, measure == ATTN_EPSILON_SINK ? 2 : 1);
    }
  free_sweep (wide);
}

/* The dotted line has its number: that of a sink score, which other measures do not have. */
static void
test_threshold_has_its_number (void)
{
  AttnSweep *wide = make_sweep (1, 1e-12, FALSE);
  g_autoptr (AttnEpsilonCurves) curves = attn_epsilon_curves_new (wide, NULL);
  g_autoptr (AttnScene) sink = lay_out (curves, 900, 40, 0.5);
  g_autoptr (AttnScene) distance =
      lay_out_measure (curves, 900, 40, 0.5, ATTN_EPSILON_DISTANCE);

  g_assert_true (has_threshold_number (sink));
  g_assert_false (has_threshold_number (distance));
  free_sweep (wide);
}

static void
assert_first_words (const AttnEpsilonCurves *curves,
                    double                   width,
                    const char              *expected)
{
  g_autoptr (AttnScene) scene = lay_out (curves, width, 0, 0.5);
  g_autoptr (GPtrArray) labels = list_labels (scene, MARKS_Y - 6, INFINITY);

  g_assert_cmpuint (labels->len, ==, 2);
  g_assert_cmpstr (labels->pdata[0], ==, expected);
}

/* Marks that lie on one another have their words together: the panels by name, by whole rows and
 * columns where they fill these, and how many there are where the names have no room. */
static void
test_close_marks_are_told_together (void)
{
  const char *few[] = { "Query", "Key", "Value" };
  const char *crossed[] = { "Input 1, Query", "Input 1, Key", "Input 2, Query", "Input 2, Key" };
  const char *several[] = { "Layer 1, head 1", "Layer 2, head 2", "Layer 3, head 3",
                            "Layer 4, head 4" };
  const double ends[] = { 0.104, 0.105, 0.106, 0.107 };
  g_auto (Ended) ended = { 0 };

  set_ended (&ended, few, (double[]) { 0.105, 0.106, 0.107 }, 3);
  assert_first_words (&ended.curves, 900, "0.105–0.107 across Query, Key, Value");
  set_ended (&ended, crossed, ends, 4);
  assert_first_words (&ended.curves, 900, "0.104–0.107 across Query, Key, all inputs");
  assert_first_words (&ended.curves, 260, "0.104–0.107 in 4 panels");
  set_ended (&ended, several, ends, 4);
  assert_first_words (&ended.curves, 900, "0.104–0.107 in 4 panels");
}

/* The tip of such marks names all their panels, and says which of them end where. */
static void
test_tip_names_the_panels (void)
{
  const char *names[] = { "Input 1, Query", "Input 1, Key", "Input 2, Query", "Input 2, Key" };
  g_auto (Ended) ended = { 0 };
  gsize n;

  set_ended (&ended, names, (double[]) { 1e-6, 0.105, 0.106, 0.107 }, 4);
  const double epsilons[] = { 1e-12, 1 };
  AttnEpsilonTrack track = attn_epsilon_track_fit (epsilons, 2, 868);
  for (gsize end = 1; end < 4; end++)
    {
      g_assert_cmpuint (attn_epsilon_curves_find_mark (&ended.curves, &track, end, &n), ==, 1);
      g_assert_cmpuint (n, ==, 3);
    }
  g_assert_cmpuint (attn_epsilon_curves_find_mark (&ended.curves, &track, 0, &n), ==, 0);
  g_assert_cmpuint (n, ==, 1);
  g_autofree char *one = attn_epsilon_curves_describe_ends (&ended.curves, 0, 1);
  g_assert_true (g_str_has_prefix (one, "Input 1, Query: the sink ends at ε = 1e-6, the first"));
  g_assert_null (strchr (one, '\n'));
  g_autofree char *several = attn_epsilon_curves_describe_ends (&ended.curves, 1, 3);
  g_assert_true (g_str_has_prefix (
      several, "Input 1, Key; Input 2: Query, Key: the sink ends at ε = 0.105–0.107, the first"));
  g_assert_true (g_str_has_suffix (several, "\nε = 0.105 · Input 1, Key\nε = 0.106 · Input 2, "
                                            "Query\nε = 0.107 · Input 2, Key"));
}

static void
assert_clear (const AttnScene *scene,
              AttnRectangle    box)
{
  for (guint i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      for (gsize j = 0; j + 1 < mark->n_points; j++)
        for (double share = 0; share <= 1; share += 1 / 64.0)
          {
            const AttnPoint *p = mark->points + j;
            double x = p[0].x + share * (p[1].x - p[0].x);
            double y = p[0].y + share * (p[1].y - p[0].y);

            g_assert_false (x > box.x && x < box.x + box.width && y > box.y &&
                            y < box.y + box.height);
          }
    }
}

static gboolean
contains (const AttnRectangle *outer,
          const AttnRectangle *inner)
{
  return inner->x >= outer->x && inner->x + inner->width <= outer->x + outer->width;
}

/* Counts the names over the plot, and checks that no curve is behind them nor a handle before them,
 * and that they have a ground, which covers the line of one. */
static gsize
check_names (const AttnScene *scene)
{
  gsize n_names = 0;
  AttnRectangle ground = { 0 };

  for (guint i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->kind == ATTN_MARK_RECTANGLE)
        ground = mark->rectangle;
      if (mark->kind != ATTN_MARK_TEXT || mark->rectangle.y > LINE_Y ||
          mark->anchor != ATTN_ANCHOR_START)
        continue;
      AttnRectangle box = get_box (scene, mark);
      n_names++;
      assert_clear (scene, box);
      g_assert_true (contains (&ground, &box));
      g_assert_cmpfloat (ground.y + ground.height, <=, LINE_Y - REACH);
    }
  return n_names;
}

/* Where there is a place for the names, they are clear of curves and handles; where there is none,
 * there are no names. */
static void
test_names_are_clear_of_curves (void)
{
  AttnSweep *calm = make_sweep (1, 1e-12, FALSE);
  AttnSweep *wild = make_sweep (1, 1e-12, FALSE);
  gsize n_named = 0;

  for (gsize step = 0; step < N_STEPS; step++)
    wild->panels[1].measures[step].sink_score = step % 2;
  g_autoptr (AttnEpsilonCurves) curves = attn_epsilon_curves_new (calm, NULL);
  g_autoptr (AttnEpsilonCurves) crowd = attn_epsilon_curves_new (wild, NULL);

  for (double height = 20; height <= 40; height += 4)
    for (double width = 200; width <= 900; width += 50)
      {
        g_autoptr (AttnScene) scene = lay_out (curves, width, height, 1e-8);
        g_autoptr (AttnScene) crowded = lay_out (crowd, width, height, 1e-8);
        gsize n_names = check_names (scene);

        if (height < ATTN_EPSILON_LEAST_PLOT)
          g_assert_cmpuint (n_names, ==, 0);
        if (height >= 40)
          g_assert_cmpuint (n_names, >, 0);
        n_named += n_names > 0;
        check_names (crowded);
      }
  g_assert_cmpuint (n_named, >=, 15);
  free_sweep (calm);
  free_sweep (wild);
}

/* Of more panels than have names it is said how many there are and how to read them. */
static void
test_many_panels_are_counted (void)
{
  AttnSweep *sweep = make_sweep (1, 1e-12, FALSE);
  g_autoptr (AttnEpsilonCurves) few = attn_epsilon_curves_new (sweep, NULL);
  AttnEpsilonCurve crowd[12];
  AttnEpsilonCurves curves = *few;

  for (gsize i = 0; i < G_N_ELEMENTS (crowd); i++)
    crowd[i] = few->curves[i % few->n_curves];
  curves.curves = crowd;
  curves.n_curves = G_N_ELEMENTS (crowd);
  g_autoptr (AttnScene) scene = lay_out (&curves, 900, 40, 0.5);
  g_autoptr (GPtrArray) names = list_labels (scene, 0, LINE_Y);
  g_assert_cmpuint (check_names (scene), ==, 1);
  g_assert_true (
      g_ptr_array_find_with_equal_func (names, "12 curves · point at one to read it",
                                        g_str_equal, NULL));
  g_autofree char *values = attn_epsilon_curves_describe_at (&curves, 1);
  g_assert_true (g_str_has_suffix (values, "and 3 more panels"));
  free_sweep (sweep);
}

/* Curves that lie on one another have one name and one colour, by whole rows or columns of panels
 * if they fill these; others keep their own. */
static void
test_coinciding_curves_have_one_name (void)
{
  static const char * const names[] = { "Input 1, Query", "Input 1, Value", "Input 2, Query",
                                        "Input 2, Value" };
  AttnSweep *sweep = make_sweep (1, 1e-12, FALSE);
  AttnSweep crossed = *sweep;

  crossed.n_panels = G_N_ELEMENTS (names);
  crossed.panels = g_new (AttnSweepPanel, crossed.n_panels);
  for (gsize i = 0; i < crossed.n_panels; i++)
    {
      crossed.panels[i] = sweep->panels[i % 2];
      crossed.panels[i].name = (char *) names[i];
    }
  g_autoptr (AttnEpsilonCurves) curves = attn_epsilon_curves_new (&crossed, NULL);
  g_autoptr (AttnScene) scene = lay_out (curves, 900, 40, 0.5);
  g_autoptr (GPtrArray) labels = list_labels (scene, 0, LINE_Y);
  AttnRgb colors[4];
  gsize n_curves = 0;

  g_assert_true (g_ptr_array_find_with_equal_func (labels, "Query, all inputs", g_str_equal, NULL));
  g_assert_true (g_ptr_array_find_with_equal_func (labels, "Value, all inputs", g_str_equal, NULL));
  for (guint i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->kind == ATTN_MARK_CURVE)
        colors[n_curves++] = mark->color;
    }
  g_assert_cmpuint (n_curves, ==, 4);
  g_assert_cmpmem (&colors[0], sizeof (AttnRgb), &colors[2], sizeof (AttnRgb));
  g_assert_cmpmem (&colors[1], sizeof (AttnRgb), &colors[3], sizeof (AttnRgb));
  g_assert_true (memcmp (&colors[0], &colors[1], sizeof (AttnRgb)) != 0);
  g_free (crossed.panels);
  free_sweep (sweep);
}

/* Sinks of more panels than have names end at marks, too. */
static void
test_ends_of_many_panels_are_marked (void)
{
  AttnSweep *few = make_sweep (1, 1e-12, FALSE);
  AttnSweep many = *few;

  many.n_panels = 12;
  many.panels = g_new (AttnSweepPanel, many.n_panels);
  for (gsize i = 0; i < many.n_panels; i++)
    many.panels[i] = few->panels[i % few->n_panels];
  g_autoptr (AttnEpsilonCurves) curves = attn_epsilon_curves_new (&many, NULL);
  g_autoptr (AttnScene) scene = lay_out (curves, 900, 40, 0.5);
  g_autoptr (GPtrArray) marks = list_labels (scene, MARKS_Y - 6, INFINITY);

  g_assert_cmpuint (curves->n_ends, ==, 1);
  g_assert_cmpuint (curves->ends[0].n_panels, ==, 4);
  g_assert_cmpstr (marks->pdata[0], ==, "2.71e-4 in 4 panels");
  g_free (many.panels);
  free_sweep (few);
}

/* Returns the ground of the names. */
static AttnRectangle
find_names (const AttnScene *scene)
{
  AttnRectangle ground = { 0 };

  for (guint i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->kind == ATTN_MARK_RECTANGLE && mark->rectangle.height > ground.height)
        ground = mark->rectangle;
    }
  return ground;
}

/* The names stay where they are when another measure is chosen, also where its axis needs more
 * room, and no handle's line crosses them. */
static void
test_names_stay (void)
{
  AttnSweep *sweep = make_sweep (1, 1e-12, TRUE);
  g_autoptr (AttnEpsilonCurves) curves = attn_epsilon_curves_new (sweep, NULL);

  for (double handle = 1e-12; handle < 1; handle *= 10)
    {
      double x = 0, y = 0;

      for (AttnEpsilonMeasure measure = 0; measure < ATTN_EPSILON_N_MEASURES; measure++)
        {
          g_autoptr (AttnScene) scene = lay_out_measure (curves, 700, 45, handle, measure);
          AttnRectangle ground = find_names (scene);
          const double epsilons[] = { 1e-12, 1 };
          AttnEpsilonTrack track = attn_epsilon_track_fit (epsilons, 2, 700 - 32);
          double line = 16 + attn_epsilon_track_get_x (&track, handle);

          g_assert_cmpfloat (ground.width, >, 100);
          g_assert_true (line < ground.x || line > ground.x + ground.width);
          if (measure > 0)
            g_assert_cmpfloat (ground.x, ==, x);
          if (measure > 0)
            g_assert_cmpfloat (ground.y, ==, y);
          x = ground.x;
          y = ground.y;
        }
    }
  free_sweep (sweep);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reading/epsilon-curves/closer-look-takes-the-place-of-a-part",
                   test_closer_look_takes_the_place_of_a_part);
  g_test_add_func ("/reading/epsilon-curves/end-is-that-of-a-sink", test_end_is_that_of_a_sink);
  g_test_add_func ("/reading/epsilon-curves/measures", test_measures);
  g_test_add_func ("/reading/epsilon-curves/walk-takes-its-time", test_walk_takes_its_time);
  g_test_add_func ("/reading/epsilon-curves/ends-at-one-place-are-one",
                   test_ends_at_one_place_are_one);
  g_test_add_func ("/reading/epsilon-scene/curves-are-where-their-values-are",
                   test_curves_are_where_their_values_are);
  g_test_add_func ("/reading/epsilon-scene/marks-leave-powers-of-ten",
                   test_marks_leave_powers_of_ten);
  g_test_add_func ("/reading/epsilon-scene/marks-have-words", test_marks_have_words);
  g_test_add_func ("/reading/epsilon-scene/legend-is-no-mark", test_legend_is_no_mark);
  g_test_add_func ("/reading/epsilon-scene/coinciding-curves-have-one-name",
                   test_coinciding_curves_have_one_name);
  g_test_add_func ("/reading/epsilon-scene/panels-yield-before-numbers-and-rule",
                   test_panels_yield_before_numbers_and_rule);
  g_test_add_func ("/reading/epsilon-scene/axis-number-is-beyond-the-curves",
                   test_axis_number_is_beyond_the_curves);
  g_test_add_func ("/reading/epsilon-scene/threshold-has-its-number",
                   test_threshold_has_its_number);
  g_test_add_func ("/reading/epsilon-scene/marks-without-room-share-their-words",
                   test_marks_without_room_share_their_words);
  g_test_add_func ("/reading/epsilon-scene/close-marks-are-told-together",
                   test_close_marks_are_told_together);
  g_test_add_func ("/reading/epsilon-curves/tip-names-the-panels", test_tip_names_the_panels);
  g_test_add_func ("/reading/epsilon-scene/names-stay", test_names_stay);
  g_test_add_func ("/reading/epsilon-scene/many-panels-are-counted", test_many_panels_are_counted);
  g_test_add_func ("/reading/epsilon-scene/ends-of-many-panels-are-marked",
                   test_ends_of_many_panels_are_marked);
  g_test_add_func ("/reading/epsilon-scene/names-are-clear-of-curves",
                   test_names_are_clear_of_curves);
  return g_test_run ();
}
