/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Curves over ε, from sweeps that are made up. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-epsilon-curves.h"

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
  g_assert_cmpfloat_with_epsilon (log10 (curves->curves[0].end), -4, TOLERANCE);
  g_assert_false (curves->curves[1].has_end);
  g_assert_false (curves->curves[2].has_end);
  g_assert_cmpstr (text, ==,
                   "Query: the sink ends at ε = 1e-4; Value: no sink ends; Key: no sink ends");
  free_sweep (wide);
}

static void
test_measures (void)
{
  AttnSweep *wide = make_sweep (1, 1e-12, TRUE);
  AttnSweep *plain = make_sweep (1, 1e-12, FALSE);
  g_autoptr (AttnEpsilonCurves) curves = attn_epsilon_curves_new (wide, NULL);
  g_autoptr (AttnEpsilonCurves) others = attn_epsilon_curves_new (plain, NULL);
  g_autofree char *at = attn_epsilon_curves_describe_at (curves, 0.8);

  g_assert_true (attn_epsilon_curves_has (curves, ATTN_EPSILON_KL));
  g_assert_false (attn_epsilon_curves_has (others, ATTN_EPSILON_KL));
  g_assert_cmpfloat (attn_epsilon_curves_get_highest (curves, ATTN_EPSILON_SINK), ==, 1);
  g_assert_cmpfloat_with_epsilon (attn_epsilon_curves_get_highest (curves, ATTN_EPSILON_KL), 2.7,
                                  TOLERANCE);
  g_assert_true (g_str_has_prefix (at, "ε = 1\nQuery: sink score 1.00, distance "));
  g_assert_nonnull (strstr (at, "\nValue: sink score 0.900, distance 0.00, KL 0.00 bits\nKey: "));
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
  /* Two of twelve powers of ten, where all but a hundredth of the change is: 1/12 + 1/2. */
  g_assert_cmpfloat (within, >, 0.55);
  free_sweep (wide);
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
  return g_test_run ();
}
