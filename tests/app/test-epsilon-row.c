/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The line of ε: the player that goes through factors, and the curves over all. */

#include "config.h"

#include <locale.h>
#include <math.h>

#include "attn-application.h"
#include "attn-epsilon-player.h"
#include "attn-epsilon-row.h"
#include "attn-epsilon-slider.h"
#include "attn-study-table.h"
#include "attn-text.h"
#include "attn-typed.h"
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

  g_assert_cmpfloat (attn_epsilon_player_get_epsilon (NULL, 0, TRUE), ==, 1);
  /* pow() and log10() are good to a few units in the last place. */
  g_assert_cmpfloat_with_epsilon (
      attn_epsilon_player_get_epsilon (NULL, seconds, TRUE) / ATTN_EPSILON_MIN, 1, 1e-12);
  g_assert_cmpfloat_with_epsilon (attn_epsilon_player_get_epsilon (NULL, 0.5 * seconds, TRUE),
                                  attn_epsilon_player_get_epsilon (NULL, 1.5 * seconds, TRUE),
                                  1e-15);
  g_assert_true (isnan (attn_epsilon_player_get_epsilon (NULL, 2 * seconds, TRUE)));
  /* In steps it stands still between two powers of ten. */
  g_assert_cmpfloat (attn_epsilon_player_get_epsilon (NULL, 0.51 * seconds, FALSE), ==,
                     attn_epsilon_player_get_epsilon (NULL, 0.52 * seconds, FALSE));
}

static gboolean
press (gpointer widget,
       guint    key)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);
  gboolean is_taken = FALSE;

  for (guint i = 0; i < g_list_model_get_n_items (controllers) && !is_taken; i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_KEY (controller))
        g_signal_emit_by_name (controller, "key-pressed", key, 0, 0, &is_taken);
    }
  return is_taken;
}

/* Play says how far it goes: to the smallest ε that can be typed. */
static void
test_play_says_its_range (Fixture       *fixture,
                          gconstpointer  data)
{
  GtkWidget *play = find_id (fixture->strip, "play");
  g_autofree char *smallest =
      attn_text_format_epsilon (attn_study_find_field ("epsilons")->minimum);
  g_autofree char *range = g_strdup_printf (" from 1 to %s, ", smallest);

  g_assert_nonnull (strstr (gtk_widget_get_tooltip_text (play), range));
}

/* A number typed at the handle is the factor, not the key of an operation. */
static void
test_number_is_typed_at_the_handle (Fixture       *fixture,
                                    gconstpointer  data)
{
  GtkWidget *slider = find_widget (fixture->strip, ATTN_TYPE_EPSILON_SLIDER);
  GtkEditable *entry = find_widget (slider, GTK_TYPE_ENTRY);

  g_assert_true (press (find_widget (slider, GTK_TYPE_SCALE), GDK_KEY_3));
  g_assert_cmpstr (gtk_editable_get_text (entry), ==, "3");
  for (guint i = 0; i < 50; i++)
    g_main_context_iteration (NULL, FALSE);
  /* The next key stands behind the first. */
  g_assert_false (gtk_editable_get_selection_bounds (entry, NULL, NULL));
  g_assert_cmpint (gtk_editable_get_position (entry), ==, 1);
  gtk_editable_set_text (entry, "3e-1");
  g_signal_emit_by_name (entry, "activate");
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.3);
  /* The next number begins at the handle again. */
  g_assert_false (gtk_widget_has_focus (find_widget (entry, GTK_TYPE_TEXT)));
  g_assert_true (gtk_widget_has_focus (find_widget (slider, GTK_TYPE_SCALE)));
}

/* Leaves the entry for the handle, as Tab does. */
static void
leave (GtkWidget *slider)
{
  gtk_widget_grab_focus (find_widget (slider, GTK_TYPE_SCALE));
}

/* A comma is a decimal sign where the locale has it; a point and a true minus are read anywhere. */
static void
test_decimal_sign_of_the_locale (void)
{
  double value = 0;

  g_assert_false (attn_typed_parse ("0,7", &value));
  g_assert_true (attn_typed_parse ("−0.5", &value));
  g_assert_cmpfloat_with_epsilon (value, -0.5, 1e-12);
  if (setlocale (LC_NUMERIC, "de_DE.UTF-8") == NULL)
    {
      g_test_skip ("there is no locale with a decimal comma");
      return;
    }
  g_assert_true (attn_typed_parse ("0,7", &value));
  g_assert_cmpfloat_with_epsilon (value, 0.7, 1e-12);
  g_assert_true (attn_typed_parse ("0.7", &value));
  g_assert_true (attn_typed_parse ("1e-3", &value));
  g_assert_false (attn_typed_parse ("1.000,5", &value));
  setlocale (LC_NUMERIC, "C");
}

/* What is said at an entry. */
static GtkLabel *
find_said (Fixture    *fixture,
           const char *words)
{
  return find_label_with (GTK_WIDGET (gtk_widget_get_root (GTK_WIDGET (fixture->strip))), words);
}

/* Where a number cannot be used, it is said at its entry why, and the one that acts stands there
 * again when the entry is left. */
static void
test_number_shown_is_the_one_that_acts (Fixture       *fixture,
                                        gconstpointer  data)
{
  GtkWidget *slider = find_widget (fixture->strip, ATTN_TYPE_EPSILON_SLIDER);
  GtkEditable *entry = find_widget (slider, GTK_TYPE_ENTRY);
  double before = get_epsilon (fixture);
  g_autofree char *number = g_strdup (gtk_editable_get_text (entry));

  gtk_widget_grab_focus (GTK_WIDGET (entry));
  gtk_editable_set_text (entry, "0.40.3");
  g_signal_emit_by_name (entry, "activate");
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (entry), "error"));
  g_assert_cmpstr (gtk_editable_get_text (entry), ==, "0.40.3");
  g_assert_nonnull (find_said (fixture, "“0.40.3” found, expected a number from 1e-12 to 1e3"));
  g_assert_true (gtk_editable_get_selection_bounds (entry, NULL, NULL));
  leave (slider);
  g_assert_false (gtk_widget_has_css_class (GTK_WIDGET (entry), "error"));
  WAIT_UNTIL (find_said (fixture, "0.40.3") == NULL);
  g_assert_cmpstr (gtk_editable_get_text (entry), ==, number);

  gtk_widget_grab_focus (GTK_WIDGET (entry));
  gtk_editable_set_text (entry, "0.123");
  g_assert_true (press (entry, GDK_KEY_Escape));
  g_assert_cmpstr (gtk_editable_get_text (entry), ==, number);
  g_assert_cmpfloat (get_epsilon (fixture), ==, before);
  g_assert_true (gtk_widget_has_focus (find_widget (slider, GTK_TYPE_SCALE)));
}

static void
activate (Fixture    *fixture,
          const char *action)
{
  gtk_widget_activate_action (find_widget (fixture->strip, ATTN_TYPE_EPSILON_ROW), action, NULL);
}

static void
test_play_moves_and_stops (Fixture       *fixture,
                           gconstpointer  data)
{
  activate (fixture, "epsilon.play");
  WAIT_UNTIL (get_epsilon (fixture) <= 0.4);
  activate (fixture, "epsilon.play");

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
assert_describes (Fixture    *fixture,
                  const char *text)
{
  gtk_test_accessible_assert_property (find_widget (fixture->strip, ATTN_TYPE_EPSILON_SLIDER),
                                       GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text);
}

/* A measure with a longer name takes the room that it has anyway. */
static void
test_measure_moves_nothing (Fixture       *fixture,
                            gconstpointer  data)
{
  GtkWidget *row = find_widget (fixture->strip, ATTN_TYPE_EPSILON_ROW);
  GtkWidget *slider = find_widget (row, ATTN_TYPE_EPSILON_SLIDER);
  GtkDropDown *along = find_widget (row, GTK_TYPE_DROP_DOWN);
  graphene_rect_t before, after;

  wait_for_sweep (fixture);
  WAIT_UNTIL (gtk_widget_get_width (slider) > 0);
  for (guint i = 0; i < g_list_model_get_n_items (gtk_drop_down_get_model (along)); i++)
    {
      gtk_drop_down_set_selected (along, i);
      gtk_test_widget_wait_for_draw (row);
      g_assert_true (gtk_widget_compute_bounds (slider, row, &after));
      if (i > 0)
        g_assert_cmpfloat_with_epsilon (after.origin.x, before.origin.x, 0.1);
      before = after;
    }
}

/* What the curves are at the pointer stands below the whole track, not on them; beyond ε = 1 they
 * are nothing. */
static void
test_curves_are_told_below_them (Fixture       *fixture,
                                 gconstpointer  data)
{
  AttnEpsilonSlider *slider = find_widget (fixture->strip, ATTN_TYPE_EPSILON_SLIDER);
  gboolean is_shown = FALSE;
  GdkRectangle place;
  double start;

  wait_for_sweep (fixture);
  WAIT_UNTIL (gtk_widget_get_height (GTK_WIDGET (slider)) > 0);
  int height = gtk_widget_get_height (GTK_WIDGET (slider));
  AttnEpsilonTrack track = attn_epsilon_slider_get_track (slider, &start);
  int x = (int) (start + attn_epsilon_track_get_x (&track, 1e-10));
  g_signal_emit_by_name (slider, "query-tooltip", x, height / 2 - 4, FALSE, NULL, &is_shown);
  g_assert_false (is_shown);
  GtkLabel *said = find_said (fixture, "\nQuery: sink score ");
  g_assert_nonnull (said);
  GtkWidget *tip = gtk_widget_get_ancestor (GTK_WIDGET (said), GTK_TYPE_POPOVER);
  g_assert_true (gtk_popover_get_pointing_to (GTK_POPOVER (tip), &place));
  g_assert_cmpint (place.y + place.height, ==, height);

  x = (int) (start + attn_epsilon_track_get_x (&track, 5));
  g_signal_emit_by_name (slider, "query-tooltip", x, height / 2 - 4, FALSE, NULL, &is_shown);
  g_assert_null (find_said (fixture, "ε = "));
  g_assert_nonnull (find_said (fixture, "Drag or scroll"));

  /* The strip of the fixture is narrow: below 1e-3 a power of ten has less room. */
  double place_of_break, share;
  g_assert_true (attn_epsilon_track_get_break (&track, &place_of_break, &share));
  x = (int) (start + place_of_break);
  GtkWidget *scale = find_widget (slider, GTK_TYPE_SCALE);
  graphene_rect_t handle;
  g_assert_true (gtk_widget_compute_bounds (scale, GTK_WIDGET (slider), &handle));
  g_signal_emit_by_name (slider, "query-tooltip", x,
                         (int) (handle.origin.y + handle.size.height / 2), FALSE, NULL, &is_shown);
  g_assert_nonnull (find_said (fixture, "Two scales meet at ε = 1e-3"));
  gtk_popover_popdown (GTK_POPOVER (tip));
}

static void
test_curves_are_those_of_the_study (Fixture       *fixture,
                                    gconstpointer  data)
{
  wait_for_sweep (fixture);
  /* Held, so that the next one is not where it was. */
  g_autoptr (AttnSweep) sweep = attn_sweep_ref (attn_session_get_sweep (fixture->session));
  const AttnSweepPanel *panel = &sweep->panels[0];
  g_autofree char *end =
      attn_text_format_epsilon (attn_sweep_find_end (sweep, panel));
  g_autofree char *text = g_strdup_printf (
      "Query: the sink ends at ε = %s; Key: the sink ends at ε = %s; Value: no sink ends", end,
      end);
  assert_describes (fixture, text);

  /* Moving ε does not change the curves, and they are not computed again. */
  AttnStudy *study = attn_study_copy (get_study (fixture));
  g_array_index (study->epsilons, double, 0) = 0.25;
  attn_session_edit (fixture->session, study, NULL);
  wait_for_result (fixture);
  for (guint i = 0; i < 50; i++)
    g_main_context_iteration (NULL, FALSE);
  g_assert_true (attn_session_get_sweep (fixture->session) == sweep);
  assert_describes (fixture, text);

  /* Those of another text are others. */
  study = attn_study_copy (get_study (fixture));
  attn_input_free (g_ptr_array_steal_index (study->inputs, 0));
  g_ptr_array_insert (study->inputs, 0, attn_input_new_text ("I am the gardener.", 0));
  attn_session_edit (fixture->session, study, NULL);
  assert_describes (fixture, "");
  WAIT_UNTIL (attn_session_get_sweep (fixture->session) != sweep && has_sweep (fixture));
}

/* KL is there to choose where the study asks for it. */
static void
test_measures_that_were_taken (Fixture       *fixture,
                               gconstpointer  data)
{
  GtkDropDown *along = find_control (fixture, "along");

  wait_for_sweep (fixture);
  g_assert_cmpuint (g_list_model_get_n_items (gtk_drop_down_get_model (along)), ==, 2);
  AttnStudy *study = attn_study_copy (get_study (fixture));
  study->effects[ATTN_SHOWN_CURVE] = TRUE;
  attn_session_edit (fixture->session, study, NULL);
  WAIT_UNTIL (g_list_model_get_n_items (gtk_drop_down_get_model (along)) == 3);
  gtk_drop_down_set_selected (along, ATTN_EPSILON_KL);
  WAIT_UNTIL (attn_session_is_complete (fixture->session));
}

/* An atlas of many heads has none, and says why. */
static void
test_no_curves_say_why (Fixture       *fixture,
                        gconstpointer  data)
{
  AttnEpsilonSlider *slider = find_widget (fixture->strip, ATTN_TYPE_EPSILON_SLIDER);

  wait_for_sweep (fixture);
  attn_epsilon_slider_set_curves (slider, NULL, ATTN_EPSILON_SINK, "too many");
  assert_describes (fixture, "too many");
}

/* Of an atlas of effects there is no curve to choose. */
static void
test_atlas_has_no_curves (Fixture       *fixture,
                          gconstpointer  data)
{
  GtkWidget *row = find_widget (fixture->strip, ATTN_TYPE_EPSILON_ROW);
  GtkWidget *along = find_widget (row, GTK_TYPE_DROP_DOWN);
  AttnStudy *study = attn_study_copy (get_study (fixture));

  g_assert_true (gtk_widget_get_visible (along));
  study->figure = ATTN_FIGURE_SCORE_ATLAS;
  study->measure = ATTN_HEAD_MEASURE_EFFECT_SCALE;
  g_array_set_size (study->epsilons, 1);
  attn_session_edit (fixture->session, study, NULL);
  g_assert_false (gtk_widget_get_visible (along));
  wait_for_result (fixture);
  attn_session_undo (fixture->session);
  g_assert_true (gtk_widget_get_visible (along));
  wait_for_result (fixture);
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
  ADD ("play-says-its-range", "epsilon", test_play_says_its_range);
  ADD ("number-is-typed-at-the-handle", "epsilon", test_number_is_typed_at_the_handle);
  ADD ("number-shown-is-the-one-that-acts", "epsilon", test_number_shown_is_the_one_that_acts);
  g_test_add_func ("/app/epsilon-row/decimal-sign-of-the-locale", test_decimal_sign_of_the_locale);
  ADD ("curves-are-those-of-the-study", "epsilon", test_curves_are_those_of_the_study);
  ADD ("curves-are-told-below-them", "epsilon", test_curves_are_told_below_them);
  ADD ("measure-moves-nothing", "epsilon", test_measure_moves_nothing);
  ADD ("measures-that-were-taken", "epsilon", test_measures_that_were_taken);
  ADD ("no-curves-say-why", "epsilon", test_no_curves_say_why);
  ADD ("atlas-has-no-curves", "epsilon", test_atlas_has_no_curves);
  return g_test_run ();
}
