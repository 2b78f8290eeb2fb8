/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A sweep of ε: its steps, where a panel collapses, and what it is written as. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-sweep.h"
#include "study-fixture.h"

static void
test_range (void)
{
  static const char * const wrong[] = { "", "1:1e-12", "1:1e-12:1", "1:1e-13:5", "1e4:1:5",
                                        "1:0:5", "1:1e-12:1001", "1:x:5", "1:1e-12:5:6" };
  AttnSweepRange range = { 0 };
  g_autoptr (GError) error = NULL;

  g_assert_true (attn_sweep_parse_range ("1:1e-12:13", &range, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (range.n_steps, ==, 13);
  for (gsize step = 0; step < 13; step++)
    {
      double expected = pow (10, -(double) step);

      /* Two digits of a power of ten are all of it; pow() is good to a few units in the last
       * place. */
      g_assert_cmpfloat_with_epsilon (attn_sweep_get_epsilon (&range, step) / expected, 1, 1e-12);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) reason = NULL;

      g_assert_false (attn_sweep_parse_range (wrong[i], &range, &reason));
      g_assert_error (reason, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
    }
  g_assert_cmpuint (range.n_steps, ==, 13);
}

static void
test_ends_are_exact (void)
{
  AttnSweepRange range = { 3.14159, 2.71828e-7, 4 };

  g_assert_cmpfloat (attn_sweep_get_epsilon (&range, 0), ==, 3.14159);
  g_assert_cmpfloat (attn_sweep_get_epsilon (&range, 3), ==, 2.71828e-7);
}

/* The rule on made-up measures of four steps; uniform rows would have 4 bits. */
static void
check_collapse (const double *sinks,
                const double *entropies,
                gssize        expected)
{
  AttnPanelMeasures measures[4] = { 0 };
  AttnSweepPanel panel = { .measures = measures, .uniform_entropy = 4 };
  gsize step = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (measures); i++)
    {
      measures[i].sink_score = sinks[i];
      measures[i].mean_entropy = entropies[i];
    }
  g_assert_true (attn_sweep_find_collapse (&panel, 4, &step) == (expected >= 0));
  if (expected >= 0)
    g_assert_cmpuint (step, ==, expected);
}

static void
test_collapse (void)
{
  const double low[] = { 1, 1, 1, 1 };
  const double going[] = { 0.9, 0.31, 0.29, 0.1 };
  const double staying[] = { 0.9, 0.5, 0.4, 0.35 };
  const double spreading[] = { 1, 3.9, 3.97, 4 };
  const double almost[] = { 1, 2, 3, 3.95 };
  const double none[] = { 0.2, 0.2, 0.1, 0.1 };
  const double uniform[] = { 4, 4, 4, 4 };

  check_collapse (going, low, 2);
  /* The rows become uniform although the first key keeps its share of short rows. */
  check_collapse (staying, spreading, 2);
  check_collapse (staying, almost, -1);
  /* What never was a sink cannot lose one, nor what was uniform become so. */
  check_collapse (none, low, -1);
  check_collapse (none, uniform, -1);
}

/* Tells whether the first panel of the study has collapsed at @epsilon. */
static gboolean
has_collapsed (const AttnStudy *study,
               AttnWorkspace   *workspace,
               double           epsilon)
{
  const AttnSweepRange range = { 1, epsilon, 2 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnSweep) sweep =
      attn_sweep_run (study, &range, workspace, NULL, NULL, &error);

  g_assert_no_error (error);
  return sweep->panels[0].has_collapse;
}

/* The end lies where the rule begins to hold, as bisection finds it, not at the next of the factors
 * that were computed. */
static void
test_end_is_between_steps (void)
{
  const AttnSweepRange range = { 1, 1e-2, 49 };
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GError) error = NULL;
  double high = 1, low = 1e-2;

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnSweep) sweep = attn_sweep_run (study, &range, workspace, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (sweep->panels[0].has_collapse);
  double end = attn_sweep_find_end (sweep, &sweep->panels[0]);
  for (guint i = 0; i < 20; i++)
    {
      double middle = sqrt (high * low);

      if (has_collapsed (study, workspace, middle))
        low = middle;
      else
        high = middle;
    }
  g_test_message ("%g, by bisection %g", end, high);
  /* The rule holds there, and it is rounded by less than a unit of the third digit. */
  g_assert_true (has_collapsed (study, workspace, end));
  g_assert_cmpfloat_with_epsilon (end / high, 1, 0.01);
}

/* The end is where a line through two steps crosses the first of the thresholds, or a parabola
 * through three. */
static void
test_end_is_the_first_crossing (void)
{
  AttnPanelMeasures measures[] = { { .sink_score = 0.5, .mean_entropy = 1 },
                                   { .sink_score = 0.1, .mean_entropy = 4 } };
  AttnSweepPanel panel = {
    .measures = measures, .uniform_entropy = 4, .has_collapse = TRUE, .collapse = 1
  };
  AttnSweep sweep = { .range = { 1, 0.01, 2 }, .panels = &panel, .n_panels = 1 };

  /* Half of the way for the score; 2.96 of 3 for the entropy */
  g_assert_cmpfloat_with_epsilon (attn_sweep_find_end (&sweep, &panel), 0.1, 1e-9);
  measures[1].sink_score = 0.4;
  g_assert_cmpfloat_with_epsilon (attn_sweep_find_end (&sweep, &panel), 0.0106, 1e-9);
  measures[0].mean_entropy = 3.9;
  measures[1].sink_score = 0.29;
  g_assert_cmpfloat_with_epsilon (attn_sweep_find_end (&sweep, &panel), 0.063, 1e-9);

  /* log10 of ε is -12 (0.6 - score)², so that the score is 0.3 at -1.08; a line has -1.095. */
  AttnPanelMeasures bent[] = { { .sink_score = 0.6 },
                               { .sink_score = 0.6 - sqrt (1 / 12.0) },
                               { .sink_score = 0.6 - sqrt (2 / 12.0) } };
  panel.measures = bent;
  panel.collapse = 2;
  sweep.range = (AttnSweepRange) { 1, 0.01, 3 };
  g_assert_cmpfloat_with_epsilon (attn_sweep_find_end (&sweep, &panel), 0.0831, 1e-9);
}

static void
test_shipped_model (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GError) error = NULL;
  AttnSweepRange range = { 1, 1e-12, 13 };

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnSweep) sweep = attn_sweep_run (study, &range, workspace, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sweep->n_panels, ==, 3);
  g_assert_cmpstr (sweep->panels[0].name, ==, "Query");
  g_assert_cmpstr (sweep->panels[2].name, ==, "Value");

  for (gsize i = 0; i < 2; i++)
    {
      const AttnSweepPanel *panel = &sweep->panels[i];

      /* ε = 1 is the identity, bit for bit. */
      g_assert_cmpfloat (panel->measures[0].total_variation, ==, 0);
      g_assert_true (panel->has_collapse);
      g_assert_cmpuint (panel->collapse, <=, 3);
      /* At 1e-12 the rows are uniform to float32. */
      g_assert_cmpfloat_with_epsilon (panel->measures[12].mean_entropy, panel->uniform_entropy,
                                      1e-5);
    }
  g_assert_false (sweep->panels[2].has_collapse);
  for (gsize step = 0; step < 13; step++)
    g_assert_cmpfloat (sweep->panels[2].measures[step].total_variation, ==, 0);
}

/* The measures of a step are those of the panel that the figure shows at that ε. */
static void
test_agrees_with_the_figure (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GError) error = NULL;
  AttnSweepRange range = { 5e-1, 1e-3, 2 };

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnSweep) sweep = attn_sweep_run (study, &range, workspace, NULL, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  for (gsize row = 0; row < 3; row++)
    for (gsize column = 0; column < 2; column++)
      g_assert_cmpfloat (sweep->panels[row].measures[column].sink_score, ==,
                         result->measures[row * 3 + column].sink_score);
}

static void
test_nothing_to_sweep (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("mean-operation");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GError) error = NULL;
  AttnSweepRange range = ATTN_SWEEP_RANGE_DEFAULT;

  g_assert_null (attn_sweep_run (study, &range, workspace, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);

  g_autoptr (AttnStudy) empty = fixture_load ("epsilon");
  g_assert_true (attn_study_has_factor (empty));
  memset (empty->components, 0, sizeof empty->components);
  g_assert_false (attn_study_has_factor (empty));
}

static void
test_cancelled (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  AttnSweepRange range = ATTN_SWEEP_RANGE_DEFAULT;

  g_cancellable_cancel (cancellable);
  g_assert_null (attn_sweep_run (study, &range, workspace, NULL, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
test_paths (void)
{
  static const char * const right[] = { "frame-%03d.png", "a/%d.svg", "sweep.svg", "50%/s.svg",
                                        "50%/%02d.pdf" };
  static const char * const wrong[] = { "frame.png", "sweep.pdf", "%d-%d.png", "%s.png",
                                        "%0d.png", "%00d.png", "frame-%03d.bmp", "%10d.png" };

  for (gsize i = 0; i < G_N_ELEMENTS (right); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_true (attn_sweep_check_path (right[i], &error));
      g_assert_no_error (error);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (attn_sweep_check_path (wrong[i], &error));
      g_assert_nonnull (error);
    }
}

static gsize
count (const char *text,
       const char *part)
{
  gsize n = 0;

  for (const char *found = text; (found = strstr (found, part)) != NULL; found += strlen (part))
    n++;
  return n;
}

static void
check_well_formed (const char *text,
                   gsize       length)
{
  static const GMarkupParser parser = { 0 };
  g_autoptr (GError) error = NULL;
  GMarkupParseContext *context = g_markup_parse_context_new (&parser, 0, NULL, NULL);

  g_assert_true (g_markup_parse_context_parse (context, text, length, &error));
  g_assert_true (g_markup_parse_context_end_parse (context, &error));
  g_assert_no_error (error);
  g_markup_parse_context_free (context);
}

/* @directory: temporary; what a test leaves in it is an error */
typedef struct
{
  AttnStudy *study;
  AttnWorkspace *workspace;
  char *directory;
} Fixture;

/* Four steps for every file that is written */
static const AttnSweepRange steps = { 1, 1e-12, 4 };

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  fixture->study = fixture_load ("epsilon");
  fixture->workspace = attn_workspace_new ();
  fixture->directory = g_dir_make_tmp ("attn-sweep-XXXXXX", NULL);
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  g_assert_cmpint (g_rmdir (fixture->directory), ==, 0);
  g_free (fixture->directory);
  attn_workspace_free (fixture->workspace);
  attn_study_unref (fixture->study);
}

static void
test_files (Fixture       *fixture,
            gconstpointer  data)
{
  g_autofree char *pattern = g_build_filename (fixture->directory, "step-%02d.svg", NULL);
  g_autofree char *last = g_build_filename (fixture->directory, "step-03.svg", NULL);
  g_autofree char *step = NULL;
  g_autoptr (GError) error = NULL;

  if (!fixture_has_model ())
    return;
  g_assert_true (attn_sweep_export (fixture->study, &steps, pattern, fixture->workspace, NULL, NULL,
                                    &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (last, &step, NULL, NULL));
  g_assert_nonnull (strstr (step, "ε = 1e-12"));
  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *file = g_strdup_printf ("%s/step-%02u.svg", fixture->directory, i);

      g_assert_cmpint (g_unlink (file), ==, 0);
    }
}

static void
cancel_in_the_middle_cb (const char *stage,
                         double      fraction,
                         gpointer    user_data)
{
  if (fraction >= 0.5)
    g_cancellable_cancel (user_data);
}

/* What was drawn goes, what was there before stays as it was. */
static void
test_cancelled_files (Fixture       *fixture,
                      gconstpointer  data)
{
  g_autofree char *pattern = g_build_filename (fixture->directory, "step-%02d.png", NULL);
  g_autofree char *first = g_build_filename (fixture->directory, "step-00.png", NULL);
  g_autofree char *last = g_build_filename (fixture->directory, "step-03.png", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  AttnProgress progress = { cancel_in_the_middle_cb, cancellable };

  if (!fixture_has_model ())
    return;
  g_assert_true (g_file_set_contents (first, "old", -1, NULL));
  g_assert_false (attn_sweep_export (fixture->study, &steps, pattern, fixture->workspace, &progress,
                                     cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_true (g_file_get_contents (first, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "old");

  /* Nor does anything stay where the last of them has no place. */
  g_clear_error (&error);
  g_assert_cmpint (g_mkdir (last, 0700), ==, 0);
  g_assert_false (attn_sweep_export (fixture->study, &steps, pattern, fixture->workspace, NULL,
                                     NULL, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_ISDIR);
  g_clear_pointer (&text, g_free);
  g_assert_true (g_file_get_contents (first, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "old");
  g_assert_cmpint (g_rmdir (last), ==, 0);
  g_assert_cmpint (g_unlink (first), ==, 0);
}

static void
test_animation (Fixture       *fixture,
                gconstpointer  data)
{
  g_autofree char *path = g_build_filename (fixture->directory, "sweep.svg", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  if (!fixture_has_model ())
    return;
  g_assert_true (attn_sweep_export (fixture->study, &steps, path, fixture->workspace, NULL, NULL,
                                    &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  check_well_formed (text, length);
  /* A frame each step, every name once, one study. */
  g_assert_cmpuint (count (text, "<animate "), ==, 4);
  g_assert_cmpuint (count (text, "<svg"), ==, 1);
  g_assert_cmpuint (count (text, "<metadata>"), ==, 1);
  g_assert_cmpuint (count (text, "id=\"step-2\""), ==, 1);
  g_assert_cmpuint (count (text, "id=\"step-2-panel-0-0\""), ==, 1);
  g_assert_cmpuint (count (text, "id=\"panel-0-0\""), ==, 0);
  /* Only the first one shows where nothing moves. */
  g_assert_cmpuint (count (text, "display=\"inline\""), ==, 1);
  g_assert_cmpuint (count (text, "display=\"none\""), ==, 3);
  g_assert_cmpint (g_unlink (path), ==, 0);
}

#define ADD(name, function) g_test_add (name, Fixture, NULL, set_up, function, tear_down)

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/study/sweep/range", test_range);
  g_test_add_func ("/study/sweep/ends-are-exact", test_ends_are_exact);
  g_test_add_func ("/study/sweep/collapse", test_collapse);
  g_test_add_func ("/study/sweep/end-is-between-steps", test_end_is_between_steps);
  g_test_add_func ("/study/sweep/end-is-the-first-crossing", test_end_is_the_first_crossing);
  g_test_add_func ("/study/sweep/shipped-model", test_shipped_model);
  g_test_add_func ("/study/sweep/agrees-with-the-figure", test_agrees_with_the_figure);
  g_test_add_func ("/study/sweep/nothing-to-sweep", test_nothing_to_sweep);
  g_test_add_func ("/study/sweep/cancelled", test_cancelled);
  g_test_add_func ("/study/sweep/paths", test_paths);
  ADD ("/study/sweep/files", test_files);
  ADD ("/study/sweep/cancelled-files", test_cancelled_files);
  ADD ("/study/sweep/animation", test_animation);
  return g_test_run ();
}
