/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The side bar: the player that goes through factors, and the chart of all. */

#include "config.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "attn-application.h"
#include "attn-epsilon-chart.h"
#include "attn-epsilon-player.h"
#include "attn-epsilon-section.h"
#include "attn-panel-name.h"
#include "sidebar-fixture.h"

static double
get_epsilon (Fixture *fixture)
{
  return g_array_index (get_study (fixture)->epsilons, double, 0);
}

static void
test_player_runs_there_and_back (Fixture       *fixture,
                                 gconstpointer  data)
{
  double seconds = ATTN_EPSILON_PLAYER_SECONDS;

  g_assert_cmpfloat (attn_epsilon_player_get_epsilon (0, TRUE), ==, 1);
  /* pow() and log10() are good to a few units in the last place. */
  g_assert_cmpfloat_with_epsilon (
      attn_epsilon_player_get_epsilon (seconds, TRUE) / ATTN_EPSILON_MIN, 1, 1e-12);
  g_assert_cmpfloat_with_epsilon (attn_epsilon_player_get_epsilon (0.5 * seconds, TRUE),
                                  attn_epsilon_player_get_epsilon (1.5 * seconds, TRUE), 1e-15);
  g_assert_true (isnan (attn_epsilon_player_get_epsilon (2 * seconds, TRUE)));
  /* In steps it stands still between two powers of ten. */
  g_assert_cmpfloat (attn_epsilon_player_get_epsilon (0.51 * seconds, FALSE), ==,
                     attn_epsilon_player_get_epsilon (0.52 * seconds, FALSE));
}

static void
activate (Fixture    *fixture,
          const char *action)
{
  gtk_widget_activate_action (find_widget (fixture->sidebar, ATTN_TYPE_EPSILON_SECTION), action,
                              NULL);
}

static void
test_play_moves_and_stops (Fixture       *fixture,
                           gconstpointer  data)
{
  activate (fixture, "sidebar.play");
  WAIT_UNTIL (get_epsilon (fixture) <= 0.4);
  activate (fixture, "sidebar.play");

  double caught = get_epsilon (fixture);
  for (guint i = 0; i < 50; i++)
    g_main_context_iteration (NULL, FALSE);
  g_assert_cmpfloat (get_epsilon (fixture), ==, caught);
  g_assert_cmpfloat (g_array_index (get_study (fixture)->epsilons, double, 1), ==, 1e-3);
  /* However many frames it had, it is one step of the history. */
  attn_session_undo (fixture->session);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.5);
}

/* First there is one of all ε, then that of the transition. */
static gboolean
has_sweep (Fixture *fixture)
{
  AttnSweep *sweep = attn_session_get_sweep (fixture->session);
  AttnSweepRange range;

  return sweep != NULL && !attn_sweep_find_transition (sweep, &range);
}

static void
wait_for_sweep (Fixture *fixture)
{
  WAIT_UNTIL (has_sweep (fixture));
}

static void
test_chart_shows_the_sweep (Fixture       *fixture,
                            gconstpointer  data)
{
  wait_for_sweep (fixture);
  AttnSweep *sweep = attn_session_get_sweep (fixture->session);
  g_autofree char *text = attn_epsilon_chart_describe (sweep);
  g_assert_true (g_str_has_prefix (text, "Query: collapses at ε = "));
  g_assert_true (g_str_has_suffix (text, "Value: does not collapse"));

  /* Moving ε does not change the curves, and they are not computed again. */
  AttnStudy *study = attn_study_copy (get_study (fixture));
  g_array_index (study->epsilons, double, 0) = 0.25;
  attn_session_edit (fixture->session, study, NULL);
  wait_for_result (fixture);
  for (guint i = 0; i < 50; i++)
    g_main_context_iteration (NULL, FALSE);
  g_assert_true (attn_session_get_sweep (fixture->session) == sweep);
}

/* Larger is to the right, as at the slider above it. */
static void
test_chart_runs_like_the_slider (Fixture       *fixture,
                                 gconstpointer  data)
{
  static const double epsilons[] = { 0.01, 0.1, 0.5 };
  AttnEpsilonChart *chart = find_nth (fixture->sidebar, ATTN_TYPE_EPSILON_CHART, 0);
  double before = -1;

  wait_for_sweep (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (epsilons); i++)
    {
      double x = attn_epsilon_chart_get_x (chart, epsilons[i]);

      g_assert_cmpfloat (x, >, before);
      /* pow() and log10() are good to a few units in the last place, times the slope of 10^x. */
      g_assert_cmpfloat_with_epsilon (attn_epsilon_chart_get_epsilon (chart, x) / epsilons[i], 1,
                                      1e-10);
      before = x;
    }
  /* Its ends are around where panels collapse. */
  g_assert_cmpfloat (attn_epsilon_chart_get_epsilon (chart, 0), >, 1e-4);
}

/* The legend speaks the language of the window. */
static void
test_chart_is_translated (Fixture       *fixture,
                          gconstpointer  data)
{
  wait_for_sweep (fixture);
  bind_translations ();
  set_language ("fr");
  g_assert_cmpstr (_("Query"), ==, "Requête");
  g_autofree char *text = attn_epsilon_chart_describe (attn_session_get_sweep (fixture->session));
  g_assert_true (g_str_has_prefix (text, "Requête"));
  g_assert_nonnull (strstr (text, "Clé"));
  g_assert_null (strstr (text, "Query"));
  g_autofree char *name = attn_panel_name_translate ("Input 2, Key, ε = 5e-1");
  g_assert_cmpstr (name, ==, "Entrée 2, Clé, ε = 0.5");
  g_autofree char *changed = attn_panel_name_translate ("Modified");
  g_assert_cmpstr (changed, ==, "Modifié");
  set_language ("en");
}

/* An empty chart says why. */
static void
test_empty_chart_says_why (Fixture       *fixture,
                           gconstpointer  data)
{
  AttnEpsilonChart *chart = find_nth (fixture->sidebar, ATTN_TYPE_EPSILON_CHART, 0);

  attn_epsilon_chart_set_sweep (chart, NULL, "too many");
  gtk_test_accessible_assert_property (chart, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, "too many");
  attn_epsilon_chart_set_sweep (chart, NULL, NULL);
  gtk_test_accessible_assert_property (chart, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, "");
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  /* Brings the resources. */
  g_autoptr (AttnApplication) application = attn_application_new ();

  ADD ("player-runs-there-and-back", "epsilon", test_player_runs_there_and_back);
  ADD ("play-moves-and-stops", "epsilon", test_play_moves_and_stops);
  ADD ("chart-shows-the-sweep", "epsilon", test_chart_shows_the_sweep);
  ADD ("chart-runs-like-the-slider", "epsilon", test_chart_runs_like_the_slider);
  ADD ("empty-chart-says-why", "epsilon", test_empty_chart_says_why);
  ADD ("chart-is-translated", "epsilon", test_chart_is_translated);
  return g_test_run ();
}
