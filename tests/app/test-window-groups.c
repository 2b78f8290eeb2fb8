/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The preset of groups with another sentence than its own: there is a figure, or a way to one, and
 * what was assigned by hand is not lost. */

#include "config.h"

#include "attn-edits.h"
#include "attn-head-groups.h"
#include "attn-input-row.h"
#include "attn-token-chips.h"
#include "window-fixture.h"

#define SENTENCE "The cat sat on the mat"

static const char *
get_text (void)
{
  const AttnInput *input = g_ptr_array_index (get_shown_study ()->inputs, 0);

  return input->text;
}

static void
type (const char *text)
{
  type_text (find_widget (window->sidebar, ATTN_TYPE_INPUT_ROW), text);
  g_assert_cmpstr (get_text (), ==, text);
}

static void
wait_until_idle (void)
{
  WAIT_UNTIL (!attn_session_is_busy (window->session));
}

static gboolean
is_enabled (const char *action)
{
  return g_action_group_get_action_enabled (G_ACTION_GROUP (window), action);
}

/* Of the first input: special tokens count. */
static void
check_chip (gsize       index,
            const char *label)
{
  AttnTokenChips *chips = find_widget (window->sidebar, ATTN_TYPE_TOKEN_CHIPS);
  g_autofree char *expected = g_strdup_printf ("“%s”", label);
  g_autofree char *found = attn_token_chips_describe (chips, index);

  g_assert_nonnull (strstr (found, expected));
}

/* Whether a notice has a button for @action. */
static gboolean
offers (gpointer    widget,
        const char *action)
{
  gboolean is_found = GTK_IS_ACTIONABLE (widget) &&
                      g_strcmp0 (gtk_actionable_get_action_name (widget), action) == 0;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && !is_found;
       child = gtk_widget_get_next_sibling (child))
    is_found = offers (child, action);
  return is_found;
}

static void
check_found (void)
{
  wait_for_figure (window);
  g_assert_cmpint (get_shown_study ()->groups.rule, ==, ATTN_GROUP_RULE_SHARE);
  g_assert_cmpstr (get_text (), ==, SENTENCE);
  WAIT_UNTIL (find_label_with (window->notices, "The Figure Could Not Be Computed") == NULL);
  g_assert_true (is_enabled ("edit-groups"));
  check_chip (2, "␣cat");
}

static void
test_preset_takes_a_sentence (gpointer      *fixture,
                              gconstpointer  preset)
{
  type (SENTENCE);
  wait_for_figure (window);
  attn_window_load_preset (window, "head-groups");
  check_found ();
  activate ("undo");
  g_assert_cmpstr (get_shown_study ()->preset, ==, "mean-operation");
  g_assert_cmpstr (get_text (), ==, SENTENCE);
  wait_for_figure (window);
}

/* The sentence and the groups that are found in it are one step. */
static void
test_sentence_is_typed_into_the_preset (gpointer      *fixture,
                                        gconstpointer  preset)
{
  type (SENTENCE);
  check_found ();
  activate ("undo");
  g_assert_cmpint (get_shown_study ()->groups.rule, ==, ATTN_GROUP_RULE_ASSIGNED);
  g_assert_cmpstr (get_text (), ==, "It I is am the");
  wait_for_figure (window);
}

static void
test_words_keep_their_groups (gpointer      *fixture,
                              gconstpointer  preset)
{
  type ("It is the cat, I am");
  g_assert_cmpint (get_shown_study ()->groups.rule, ==, ATTN_GROUP_RULE_ASSIGNED);
  wait_for_figure (window);
  /* "I" and "is" are in it, but no words. */
  type ("It This am the");
  g_assert_cmpint (get_shown_study ()->groups.rule, ==, ATTN_GROUP_RULE_SHARE);
  wait_for_figure (window);
}

static void
assign_by_hand (void)
{
  AttnStudy *study = attn_study_copy (get_shown_study ());
  AttnGroup *group = g_ptr_array_index (study->groups.assigned, 0);

  g_strfreev (group->tokens);
  group->tokens = g_strsplit ("It", ",", -1);
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
}

/* What a hand has assigned is given up by hand only, and stays in the study even then. */
static void
test_groups_by_hand_stay (gpointer      *fixture,
                          gconstpointer  preset)
{
  assign_by_hand ();
  type (SENTENCE);
  wait_until_idle ();
  g_assert_cmpint (get_shown_study ()->groups.rule, ==, ATTN_GROUP_RULE_ASSIGNED);
  g_assert_nonnull (find_label_with (window->notices, "The Figure Could Not Be Computed"));
  g_assert_true (offers (window->notices, "win.undo"));
  g_assert_true (offers (window->notices, "win.find-groups"));
  /* The figure is that of another text: its tokens are none to choose from. */
  g_assert_false (is_enabled ("edit-groups"));
  check_chip (2, "␣cat");

  activate ("find-groups");
  check_found ();
  g_assert_false (is_enabled ("find-groups"));
  const AttnGroup *group = g_ptr_array_index (get_shown_study ()->groups.assigned, 0);
  g_assert_cmpuint (g_strv_length (group->tokens), ==, 1);
  activate ("undo");
  wait_until_idle ();
  g_assert_cmpint (get_shown_study ()->groups.rule, ==, ATTN_GROUP_RULE_ASSIGNED);
  g_assert_true (offers (window->notices, "win.find-groups"));
  activate ("undo");
  wait_for_figure (window);
  WAIT_UNTIL (find_label_with (window->notices, "The Figure Could Not Be Computed") == NULL);
  g_assert_true (is_enabled ("edit-groups"));
  check_chip (1, "It");
}

/* Groups of another text become those of this one where they are edited, head by head. */
static void
test_groups_of_another_text_are_edited (gpointer      *fixture,
                                        gconstpointer  preset)
{
  type (SENTENCE);
  check_found ();
  AttnStudy *study = attn_study_copy (get_shown_study ());
  study->groups.rule = ATTN_GROUP_RULE_ASSIGNED;
  attn_session_edit (window->session, study, NULL);
  wait_until_idle ();
  g_assert_true (offers (window->notices, "win.find-groups"));
  g_assert_true (is_enabled ("edit-groups"));

  study = attn_study_copy (get_shown_study ());
  attn_groups_toggle_unit (study, attn_session_get_result (window->session), 1, 2);
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  g_assert_cmpuint (get_shown_study ()->groups.assigned->len, ==, 2);
  activate ("undo");
  g_assert_cmpuint (get_shown_study ()->groups.assigned->len, ==, 3);
}

/* Another failure, in which the groups have no part, has no such way out. */
static void
test_other_failure_offers_no_groups (gpointer      *fixture,
                                     gconstpointer  preset)
{
  AttnStudy *study = attn_study_copy (get_shown_study ());

  study->layer = 99;
  attn_session_edit (window->session, study, NULL);
  wait_until_idle ();
  g_assert_true (offers (window->notices, "win.undo"));
  g_assert_false (offers (window->notices, "win.find-groups"));
}

/* Tokens without a text have no words. */
static void
test_ids_have_their_groups_found (void)
{
  static const guint32 ids[] = { 0, 1, 2 };
  g_autoptr (AttnStudy) study = attn_presets_load ("head-groups", NULL);

  attn_edits_fit_groups (study, FALSE);
  g_assert_cmpint (study->groups.rule, ==, ATTN_GROUP_RULE_ASSIGNED);
  attn_input_free (g_ptr_array_index (study->inputs, 0));
  g_ptr_array_index (study->inputs, 0) = attn_input_new_ids (ids, G_N_ELEMENTS (ids), 0);
  attn_edits_fit_groups (study, FALSE);
  g_assert_cmpint (study->groups.rule, ==, ATTN_GROUP_RULE_SHARE);
  g_assert_false (study->groups.has_mask);
  g_assert_cmpuint (study->groups.assigned->len, ==, 3);
}

#define ADD(name, preset, function) ADD_TO ("/app/window-groups/", name, preset, function)

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  application = fixture_new_application ();
  ADD ("preset-takes-a-sentence", "mean-operation", test_preset_takes_a_sentence);
  ADD ("sentence-is-typed-into-the-preset", "head-groups",
       test_sentence_is_typed_into_the_preset);
  ADD ("words-keep-their-groups", "head-groups", test_words_keep_their_groups);
  ADD ("groups-by-hand-stay", "head-groups", test_groups_by_hand_stay);
  ADD ("groups-of-another-text-are-edited", "head-groups",
       test_groups_of_another_text_are_edited);
  ADD ("other-failure-offers-no-groups", "mean-operation", test_other_failure_offers_no_groups);
  g_test_add_func ("/app/window-groups/ids-have-their-groups-found",
                   test_ids_have_their_groups_found);
  return fixture_run (application);
}
