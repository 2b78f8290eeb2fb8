/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The menu of the strip: layers, heads and tokens that an intervention is to reach. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>

#include "attn-application.h"
#include "attn-intervention.h"
#include "sidebar-fixture.h"

static GtkEditable *
enter (Fixture    *fixture,
       const char *label,
       const char *text)
{
  GtkEditable *entry = find_labelled (fixture, label);

  gtk_editable_set_text (entry, text);
  g_signal_emit_by_name (entry, "activate");
  return entry;
}

static AttnPanel *
get_modified (Fixture *fixture)
{
  wait_for_result (fixture);
  return attn_session_get_result (fixture->session)->grid->cells[0].panel;
}

/* Layer 2 is shown, and what is done in layer 0 changes it; by default layer 2 is acted on. */
static void
test_scope_reaches_the_panel (Fixture       *fixture,
                              gconstpointer  data)
{
  AttnStudy *study = attn_study_copy (get_study (fixture));

  study->layer = 2;
  study->head = 0;
  study->operation = ATTN_OPERATION_SCALE;
  study->components[ATTN_COMPONENT_VALUE] = TRUE;
  attn_session_edit (fixture->session, study, NULL);
  float own = attn_panel_get_value (get_modified (fixture), 5, 1);
  g_assert_true (get_study (fixture)->acts_on_shown_layer);

  open_reach (fixture);
  GtkEditable *layers = enter (fixture, "Layers", "0");
  g_assert_false (get_study (fixture)->acts_on_shown_layer);
  g_assert_true (attn_index_set_contains (get_study (fixture)->scope_layers, 0));
  g_assert_false (attn_index_set_contains (get_study (fixture)->scope_layers, 2));
  /* The value of a layer never changes the weights of that layer, only those that come after. */
  float below = attn_panel_get_value (get_modified (fixture), 5, 1);
  g_assert_cmpfloat (fabsf (below - own), >, 1e-4);

  enter (fixture, "Heads", "1");
  float head = attn_panel_get_value (get_modified (fixture), 5, 1);
  g_assert_cmpfloat (head, !=, below);
  enter (fixture, "Tokens", "0-3");
  g_assert_cmpuint (attn_index_set_count (get_study (fixture)->scope_tokens, 15), ==, 4);
  g_assert_cmpfloat (attn_panel_get_value (get_modified (fixture), 5, 1), !=, head);

  attn_session_undo (fixture->session);
  attn_session_undo (fixture->session);
  g_assert_cmpfloat (attn_panel_get_value (get_modified (fixture), 5, 1), ==, below);
  attn_session_undo (fixture->session);
  g_assert_true (get_study (fixture)->acts_on_shown_layer);
  g_assert_cmpstr (gtk_editable_get_text (layers), ==, "");
  g_assert_cmpfloat (attn_panel_get_value (get_modified (fixture), 5, 1), ==, own);
  g_assert_cmpuint (fixture->n_failures, ==, 0);
}

/* Nothing and "all" are two scopes in layers, and one in heads. */
static void
test_scope_of_all_layers (Fixture       *fixture,
                          gconstpointer  data)
{
  open_reach (fixture);
  GtkEditable *layers = enter (fixture, "Layers", "all");
  g_assert_false (get_study (fixture)->acts_on_shown_layer);
  g_assert_null (get_study (fixture)->scope_layers);
  g_assert_cmpstr (gtk_editable_get_text (layers), ==, "all");
  enter (fixture, "Layers", "1,2");
  g_assert_cmpstr (gtk_editable_get_text (layers), ==, "1-2");
  enter (fixture, "Layers", "");
  g_assert_true (get_study (fixture)->acts_on_shown_layer);
  g_assert_null (get_study (fixture)->scope_layers);
  enter (fixture, "Heads", "all");
  g_assert_null (get_study (fixture)->scope_heads);
  GtkEditable *heads = enter (fixture, "Heads", "shown");
  g_assert_true (get_study (fixture)->acts_on_shown_head);
  g_assert_cmpstr (gtk_editable_get_text (heads), ==, "shown");
  enter (fixture, "Heads", "");
  g_assert_false (get_study (fixture)->acts_on_shown_head);
  g_assert_null (get_study (fixture)->scope_heads);
  wait_for_result (fixture);
}

/* The switch beside the axis of the mean says that the shown head alone is changed: the button of
 * the menu says it where there is no such switch, and its tooltip always. */
static void
check_shown_head (Fixture *fixture)
{
  GtkLabel *label = find_control (fixture, "reach_label");
  AttnStudy *study = attn_study_copy (get_study (fixture));

  g_assert_cmpstr (gtk_label_get_label (label), ==, "Where: Projection");
  g_assert_cmpstr (gtk_widget_get_tooltip_text (find_control (fixture, "reach")), ==,
                   "Where: Projection, this head. Choose where the operation acts, "
                   "or add further ones");
  study->axis = ATTN_AXIS_FEATURE;
  attn_session_edit (fixture->session, study, NULL);
  g_assert_cmpstr (gtk_label_get_label (label), ==, "Where: this head");
  attn_session_undo (fixture->session);
  g_assert_cmpstr (gtk_label_get_label (label), ==, "Where: Projection");
}

/* One click acts in the head on display alone, in the menu or beside the axis of the mean; typed
 * numbers are neither of the menu's choices. */
static void
test_scope_of_the_shown_head (Fixture       *fixture,
                              gconstpointer  data)
{
  GtkLabel *label = find_control (fixture, "reach_label");
  GtkCheckButton *beside_axis = find_control (fixture, "scope.heads:shown:axis");

  open_reach (fixture);
  GtkToggleButton *all = find_control (fixture, "scope.heads:all");
  GtkToggleButton *shown = find_control (fixture, "scope.heads:shown");
  g_assert_true (gtk_toggle_button_get_active (shown));
  gtk_toggle_button_set_active (all, TRUE);
  g_assert_false (get_study (fixture)->acts_on_shown_head);
  g_assert_cmpstr (gtk_label_get_label (label), ==, "Where: Projection");
  gtk_toggle_button_set_active (shown, TRUE);
  g_assert_true (get_study (fixture)->acts_on_shown_head);
  check_shown_head (fixture);
  GtkEditable *heads = enter (fixture, "Heads", "0,2");
  g_assert_false (get_study (fixture)->acts_on_shown_head);
  g_assert_cmpuint (attn_index_set_count (get_study (fixture)->scope_heads, 4), ==, 2);
  g_assert_false (gtk_toggle_button_get_active (all));
  g_assert_false (gtk_toggle_button_get_active (shown));
  gtk_toggle_button_set_active (all, TRUE);
  g_assert_null (get_study (fixture)->scope_heads);
  g_assert_cmpstr (gtk_editable_get_text (heads), ==, "");

  gtk_toggle_button_set_active (find_control (fixture, "axis:feature"), TRUE);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (beside_axis)));
  gtk_toggle_button_set_active (find_control (fixture, "axis:head"), TRUE);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (beside_axis)));
  wait_for_result (fixture);
  gtk_check_button_set_active (beside_axis, TRUE);
  g_assert_true (get_study (fixture)->acts_on_shown_head);
  g_assert_true (gtk_toggle_button_get_active (shown));
  wait_for_result (fixture);
  gtk_check_button_set_active (beside_axis, FALSE);
  g_assert_false (get_study (fixture)->acts_on_shown_head);
  g_assert_null (get_study (fixture)->scope_heads);
  attn_session_undo (fixture->session);
  g_assert_true (get_study (fixture)->acts_on_shown_head);

  /* The mean over all heads is of no single one. */
  AttnStudy *study = attn_study_copy (get_study (fixture));
  study->head = ATTN_HEAD_MEAN;
  attn_session_edit (fixture->session, study, NULL);
  g_assert_false (gtk_widget_is_sensitive (GTK_WIDGET (shown)));
  g_assert_false (gtk_widget_is_sensitive (GTK_WIDGET (beside_axis)));
  wait_for_result (fixture);
}

static void
keep_cb (Fixture      *fixture,
         const GError *error)
{
  g_free (fixture->failure);
  fixture->failure = error != NULL ? g_strdup (error->message) : NULL;
}

/* What makes no sense is not taken; what the model does not have is said by the job, and one step
 * back all is as before. */
static void
test_bad_scope_is_refused (Fixture       *fixture,
                           gconstpointer  data)
{
  g_signal_connect_swapped (fixture->strip, "failed", G_CALLBACK (keep_cb), fixture);
  g_signal_connect_swapped (fixture->session, "failed", G_CALLBACK (keep_cb), fixture);
  open_reach (fixture);
  GtkEditable *tokens = enter (fixture, "Tokens", "3-1");
  g_assert_cmpstr (fixture->failure, ==,
                   "Tokens: “3-1” found, expected numbers and ranges such as 3 or 1,4-6, or all");
  g_assert_null (get_study (fixture)->scope_tokens);
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (tokens), "error"));
  g_assert_cmpstr (gtk_editable_get_text (tokens), ==, "3-1");
  enter (fixture, "Tokens", "");
  g_assert_false (gtk_widget_has_css_class (GTK_WIDGET (tokens), "error"));
  g_assert_null (fixture->failure); /* it is taken back */
  g_assert_true (attn_session_is_current (fixture->session));

  g_clear_pointer (&fixture->failure, g_free);
  AttnResult *result = attn_session_get_result (fixture->session);
  enter (fixture, "Layers", "0,9");
  WAIT_UNTIL (fixture->failure != NULL);
  g_assert_cmpstr (fixture->failure, ==, "layers 0,9 found, expected 0 to 2");
  g_assert_true (attn_session_get_result (fixture->session) == result);
  attn_session_undo (fixture->session);
  wait_for_result (fixture);
  g_clear_pointer (&fixture->failure, g_free);
}

/* A scope that a study brings is said without opening the menu; without an intervention, and in a
 * recording of queries and keys in another layer, there is nothing that could act. */
static void
test_scope_shows_where_it_acts (Fixture       *fixture,
                                gconstpointer  data)
{
  GtkLabel *label = find_control (fixture, "reach_label");

  g_assert_true (gtk_widget_is_sensitive (find_control (fixture, "scope")));
  check_shown_head (fixture);
  AttnStudy *study = attn_presets_load ("single", NULL);
  study->scope_tokens = attn_index_set_new_range (2, 5);
  attn_session_edit (fixture->session, study, NULL);
  wait_for_result (fixture);
  g_assert_false (gtk_widget_is_sensitive (find_control (fixture, "scope")));
  study = attn_study_copy (study);
  study->components[ATTN_COMPONENT_KEY] = TRUE;
  attn_session_edit (fixture->session, study, NULL);
  wait_for_result (fixture);
  g_assert_cmpstr (gtk_label_get_label (label), ==, "Where: Tokens 2-5");
  g_assert_true (gtk_widget_is_sensitive (find_control (fixture, "scope")));
  open_reach (fixture);
  g_assert_cmpstr (gtk_editable_get_text (find_labelled (fixture, "Tokens")), ==, "2-5");
  g_assert_nonnull (find_labelled (fixture, "Layers"));

  g_autofree char *directory = g_dir_make_tmp ("attn-sidebar-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "weights.csv", NULL);
  g_assert_true (g_file_set_contents (path, ",one,two\none,1,0\ntwo,0.25,0.75\n", -1, NULL));
  study = attn_presets_load ("single", NULL);
  g_free (study->model.path);
  study->model.path = g_strdup (path);
  study->components[ATTN_COMPONENT_KEY] = TRUE;
  attn_session_edit (fixture->session, study, NULL);
  WAIT_UNTIL (!attn_session_is_busy (fixture->session));
  g_assert_null (find_labelled (fixture, "Layers"));
  g_assert_nonnull (find_labelled (fixture, "Heads"));
  attn_session_undo (fixture->session);
  g_assert_nonnull (find_labelled (fixture, "Layers"));
  wait_for_result (fixture);
  g_unlink (path);
  g_rmdir (directory);
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  /* Brings the resources. */
  g_autoptr (AttnApplication) application = attn_application_new ();

  ADD ("scope-reaches-the-panel", "single", test_scope_reaches_the_panel);
  ADD ("scope-of-all-layers", "mean-operation", test_scope_of_all_layers);
  ADD ("scope-of-the-shown-head", "mean-operation", test_scope_of_the_shown_head);
  ADD ("bad-scope-is-refused", "mean-operation", test_bad_scope_is_refused);
  ADD ("scope-shows-where-it-acts", "mean-operation", test_scope_shows_where_it_acts);
  return g_test_run ();
}
