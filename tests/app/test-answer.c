/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tokens that the model says behind an input, in the window. */

#include "config.h"

#include <string.h>

#include "attn-answer-section.h"
#include "attn-export-dialog.h"
#include "attn-input-row.h"
#include "attn-token-chips.h"
#include "../endless-model.h"
#include "../remove-folder.h"
#include "window-fixture.h"

static const AttnAddition *
get_addition (void)
{
  return attn_session_get_addition (window->session);
}

static void
wait_for_answer (void)
{
  WAIT_UNTIL (get_addition () != NULL && !get_addition ()->is_running &&
              !attn_session_is_busy (window->session));
}

static GtkWidget *
get_row (guint index)
{
  GtkWidget *row = find_widget (window, ATTN_TYPE_INPUT_ROW);

  while (index-- > 0)
    row = gtk_widget_get_next_sibling (row);
  return row;
}

static GtkWidget *
find_button (GtkWidget  *row,
             const char *label)
{
  GtkLabel *found = find_label (row, label);

  return found != NULL ? gtk_widget_get_ancestor (GTK_WIDGET (found), GTK_TYPE_BUTTON) : NULL;
}

static gboolean
shows (GtkWidget  *row,
       const char *label)
{
  GtkWidget *button = find_button (row, label);

  return button != NULL && gtk_widget_get_mapped (button);
}

static void
test_chips_are_the_models_own (gpointer      *fixture,
                               gconstpointer  data)
{
  GtkWidget *row = get_row (1);

  g_settings_set_int (window->settings, "answer-tokens", 5);
  go_to (3, 2, 1); /* of the second input */
  activate ("continue");
  wait_for_answer ();
  g_assert_cmpuint (get_addition ()->input, ==, 1);
  g_assert_cmpuint (get_addition ()->answer->n_tokens, ==, 5);

  AttnTokenChips *chips = find_widget (row, ATTN_TYPE_TOKEN_CHIPS);
  gsize n = get_addition ()->prompt->n_tokens;
  g_autofree char *own = attn_token_chips_describe (chips, n);
  g_autofree char *typed = attn_token_chips_describe (chips, n - 1);
  g_assert_nonnull (strstr (own, "said by the model without any operation"));
  g_assert_null (strstr (typed, "said by the model"));
  /* The text itself is as it was typed. */
  g_autofree char *text = dup_shown_text (row);
  const AttnInput *input = get_shown_study ()->inputs->pdata[1];
  g_assert_cmpstr (text, ==, input->text);

  /* A command draws what is shown. */
  const AttnInput *shown = attn_session_get_shown (window->session)->inputs->pdata[1];
  g_assert_cmpuint (shown->n_ids, ==, n + 5);
  activate ("copy-command");
  g_autofree char *command = read_copied_text (window);
  g_autofree char *last = g_strdup_printf (",%u", shown->ids[n + 4]);
  g_assert_nonnull (strstr (command, "ids"));
  g_assert_nonnull (strstr (command, last));
  g_settings_reset (window->settings, "answer-tokens");
}

/* As it is shown, with what the model has said. */
static void
test_answer_is_exported (gpointer      *fixture,
                         gconstpointer  data)
{
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  activate ("continue");
  wait_for_answer ();
  AttnExportDialog *dialog = attn_export_dialog_new (GTK_WINDOW (window), window->session, NULL,
                                                     NULL, &fit, NULL, FALSE, NULL);
  g_assert_true (
      gtk_widget_get_sensitive (gtk_window_get_default_widget (GTK_WINDOW (dialog))));
  g_autoptr (AttnResult) result = attn_export_dialog_dup_result (dialog);
  g_assert_true (
      attn_study_equal (result->study, attn_session_get_shown (window->session)));
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* The curves over ε are those of the panels, with what the model has said. */
static gboolean
has_curves_of_shown (void)
{
  AttnSweep *sweep = attn_session_get_sweep (window->session);

  return sweep != NULL && attn_sweep_is_of (sweep, attn_session_get_shown (window->session));
}

static void
test_curves_follow_the_answer (gpointer      *fixture,
                               gconstpointer  data)
{
  WAIT_UNTIL (has_curves_of_shown ());
  activate ("continue");
  wait_for_answer ();
  g_assert_cmpuint (get_addition ()->answer->n_tokens, >, 0);
  WAIT_UNTIL (has_curves_of_shown ());
}

static void
test_buttons_keep_and_discard (gpointer      *fixture,
                               gconstpointer  data)
{
  GtkWidget *row = get_row (0);

  g_assert_true (shows (row, "Continue +32"));
  g_assert_false (shows (row, "Keep"));
  gtk_widget_activate (find_button (row, "Continue +32"));
  wait_for_answer ();
  WAIT_UNTIL (shows (row, "Keep") && shows (row, "Discard"));
  gtk_widget_activate (find_button (row, "Discard"));
  WAIT_UNTIL (!shows (row, "Keep"));
  g_assert_null (get_addition ());
  g_assert_false (g_action_group_get_action_enabled (G_ACTION_GROUP (window), "keep-answer"));

  WAIT_UNTIL (!attn_session_is_busy (window->session));
  g_autofree char *before = dup_shown_text (row);
  activate ("continue");
  wait_for_answer ();
  gsize n_kept = get_addition ()->answer->n_tokens;
  activate ("keep-answer");
  WAIT_UNTIL (!attn_session_is_busy (window->session));
  g_autofree char *after = dup_shown_text (row);
  g_assert_true (g_str_has_prefix (after, before));
  g_assert_cmpuint (strlen (after), >, strlen (before));
  activate ("undo");
  WAIT_UNTIL (!attn_session_is_busy (window->session));
  g_autofree char *undone = dup_shown_text (row);
  g_assert_cmpstr (undone, ==, before);
  /* What was kept is the model's continuation again, in the colour of its own; the next undo takes
   * it away, and redo brings both back. */
  g_assert_cmpuint (get_addition ()->answer->n_tokens, ==, n_kept);
  g_assert_true (shows (row, "Keep"));
  AttnTokenChips *chips = find_widget (row, ATTN_TYPE_TOKEN_CHIPS);
  g_autofree char *own = attn_token_chips_describe (chips, get_addition ()->prompt->n_tokens);
  g_assert_nonnull (strstr (own, "said by the model without any operation"));
  activate ("undo");
  WAIT_UNTIL (!attn_session_is_busy (window->session));
  g_assert_null (get_addition ());
  g_assert_false (shows (row, "Keep"));
  activate ("redo");
  WAIT_UNTIL (!attn_session_is_busy (window->session));
  g_assert_cmpuint (get_addition ()->answer->n_tokens, ==, n_kept);
  activate ("redo");
  WAIT_UNTIL (!attn_session_is_busy (window->session));
  g_assert_null (get_addition ());
  g_autofree char *redone = dup_shown_text (row);
  g_assert_cmpstr (redone, ==, after);
}

/* Where a button of a row is, from the row's corner. */
static graphene_point_t
get_place (GtkWidget  *row,
           const char *label)
{
  graphene_rect_t bounds;

  for (guint i = 0; i < 2; i++)
    gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  g_assert_true (gtk_widget_compute_bounds (find_button (row, label), row, &bounds));
  return bounds.origin;
}

static double
get_height_of_chips (GtkWidget *row)
{
  return gtk_widget_get_height (find_widget (row, ATTN_TYPE_TOKEN_CHIPS));
}

/* Opens a model that says all tokens that it is asked for. Returns: (transfer full): its folder */
static char *
open_endless_model (void)
{
  AttnStudy *study = attn_study_copy (get_shown_study ());
  char *folder = set_endless_model (study, 2);

  attn_session_open (window->session, study);
  wait_for_figure (window);
  return folder;
}

/* What stops the answer stands where it was begun, however many tokens there are. */
static void
test_stop_stays_in_place (gpointer      *fixture,
                          gconstpointer  data)
{
  g_autofree char *model = open_endless_model ();
  GtkWidget *row = get_row (0);

  g_settings_set_int (window->settings, "answer-tokens", 4096);
  WAIT_UNTIL (shows (row, "Continue +4096"));
  wait_for_figure (window);
  graphene_point_t begun = get_place (row, "Continue +4096");
  double height = get_height_of_chips (row);
  activate ("continue");
  WAIT_UNTIL (shows (row, "Stop"));
  graphene_point_t stop = get_place (row, "Stop");
  g_assert_true (graphene_point_equal (&stop, &begun));
  WAIT_UNTIL (get_height_of_chips (row) > 2 * height && shows (row, "Keep"));
  stop = get_place (row, "Stop");
  graphene_point_t keep = get_place (row, "Keep");
  g_assert_true (graphene_point_equal (&stop, &begun));
  activate ("escape");
  wait_for_answer ();
  WAIT_UNTIL (shows (row, "Continue +4096"));
  graphene_point_t kept = get_place (row, "Keep");
  g_assert_true (graphene_point_equal (&keep, &kept));
  /* Where the model has no more positions, Continue is there and not to be pressed. */
  g_assert_cmpint (gtk_widget_get_sensitive (find_button (row, "Continue +4096")), ==,
                   get_addition ()->end != ATTN_ANSWER_END_POSITIONS);
  g_settings_reset (window->settings, "answer-tokens");
  remove_folder (model);
}

static void
test_escape_stops (gpointer      *fixture,
                   gconstpointer  data)
{
  g_autofree char *model = open_endless_model ();

  g_settings_set_int (window->settings, "answer-tokens", 4096);
  activate ("continue");
  WAIT_UNTIL (get_addition ()->answer != NULL || !get_addition ()->is_running);
  WAIT_UNTIL (g_action_group_get_action_enabled (G_ACTION_GROUP (window), "escape"));
  activate ("escape");
  g_assert_false (get_addition ()->is_running);
  gsize n = get_addition ()->answer->n_tokens;
  wait_for_answer ();
  g_assert_cmpuint (get_addition ()->answer->n_tokens, ==, n);
  WAIT_UNTIL (shows (get_row (0), "Continue +4096") && shows (get_row (0), "Keep"));
  g_settings_reset (window->settings, "answer-tokens");
  remove_folder (model);
}

static void
test_typed_text_is_gone_on_with (gpointer      *fixture,
                                 gconstpointer  data)
{
  GtkWidget *row = get_row (0);

  gtk_text_buffer_set_text (find_buffer (row), "The list is milk", -1);
  gtk_widget_activate_action (row, "input.continue", NULL);
  wait_for_answer ();
  const AttnInput *input = get_shown_study ()->inputs->pdata[0];
  g_assert_cmpstr (input->text, ==, "The list is milk");
  g_assert_true (attn_input_equal (input, get_addition ()->before));
}

/* By how much all inputs are continued is another number than what one was continued by, and says
 * so. */
static void
test_setting_counts_for_all_inputs (gpointer      *fixture,
                                    gconstpointer  data)
{
  GtkSpinButton *setting = find_id (window, "continuation");

  activate ("continue");
  wait_for_answer ();
  g_assert_cmpuint (get_addition ()->answer->n_tokens, >, 0);
  g_assert_cmpint (gtk_spin_button_get_value_as_int (setting), ==, 0);
  g_assert_nonnull (find_label (find_id (window, "continuation_row"), "Continue all by"));
  const char *tooltip = gtk_widget_get_tooltip_text (GTK_WIDGET (setting));
  g_assert_nonnull (strstr (tooltip, "Those that Continue adds to an input are not counted here"));
}

/* --- The section of the inspector ------------------------------------------------------------- */

static GtkWidget *
unfold_section (void)
{
  g_action_group_change_action_state (G_ACTION_GROUP (window), "inspector",
                                      g_variant_new_boolean (TRUE));
  GtkWidget *section = find_widget (window, ATTN_TYPE_ANSWER_SECTION);
  WAIT_UNTIL (gtk_widget_get_mapped (section));
  gtk_expander_set_expanded (GTK_EXPANDER (find_widget (section, GTK_TYPE_EXPANDER)), TRUE);
  return section;
}

static const AttnReply *
wait_for_reply (gsize index)
{
  WAIT_UNTIL (attn_session_get_reply (window->session) != NULL &&
              attn_session_get_reply (window->session)->index == index &&
              attn_session_get_reply (window->session)->result->cells ==
                  attn_session_get_result (window->session)->cells &&
              !attn_session_get_reply (window->session)->is_open);
  return attn_session_get_reply (window->session);
}

/* The tokens of one side of the table, as they are shown. */
static void
check_side (GtkWidget       *section,
            const AttnReply *reply,
            gsize            side)
{
  GtkGrid *grid = GTK_GRID (find_widget (section, GTK_TYPE_GRID));

  for (gsize i = 0; i < reply->outcome.n_tokens[side]; i++)
    {
      GtkWidget *bar = gtk_grid_get_child_at (grid, side == 0 ? 0 : 2, (int) i + 1);
      GtkLabel *name = find_widget (bar, GTK_TYPE_LABEL);
      const char *tooltip = gtk_widget_get_tooltip_text (bar);

      g_assert_cmpstr (gtk_label_get_label (name), ==, reply->tokens[side]->labels[i]);
      /* The candidates, the token first. */
      g_assert_true (g_str_has_prefix (tooltip, reply->tokens[side]->labels[i]));
      g_assert_nonnull (strchr (tooltip, '\n'));
    }
}

static void
test_section_has_both_answers (gpointer      *fixture,
                               gconstpointer  data)
{
  GtkWidget *section = unfold_section ();

  go_to (0, 2, 1); /* the mean of the query */
  const AttnReply *reply = wait_for_reply (0);
  g_assert_cmpuint (reply->n_answers, ==, 2);
  g_assert_cmpuint (reply->outcome.n_tokens[0], ==, 32);
  check_side (section, reply, 0);
  check_side (section, reply, 1);
  gsize first = reply->outcome.first_difference;
  for (gsize i = 0; i < 32; i++)
    {
      GtkWidget *mark =
          gtk_grid_get_child_at (find_widget (section, GTK_TYPE_GRID), 1, (int) i + 1);

      g_assert_cmpfloat (gtk_widget_get_opacity (mark), ==, i == first ? 1 : 0);
      if (i < first)
        g_assert_cmpuint (reply->tokens[0]->tokens[i].id, ==, reply->tokens[1]->tokens[i].id);
    }

  /* Another panel has other answers; the figure's tokens are those that the model adds. */
  go_to (2, 2, 1);
  reply = wait_for_reply (2);
  activate ("continue");
  wait_for_answer ();
  reply = wait_for_reply (2);
  g_assert_cmpuint (reply->prompt->n_tokens, ==, get_addition ()->prompt->n_tokens);
  for (gsize i = 0; i < 32; i++)
    g_assert_cmpuint (reply->tokens[0]->tokens[i].id, ==, get_addition ()->answer->tokens[i].id);
}

/* The answer is that of the input that was continued last, until another cell is chosen, and of
 * whichever panel the pointer is over. */
static void
test_section_follows_the_continued_input (gpointer      *fixture,
                                          gconstpointer  data)
{
  GtkWidget *section = unfold_section ();

  go_to (0, 2, 1); /* of the first input */
  wait_for_reply (0);
  gtk_widget_activate_action (get_row (1), "input.continue", NULL);
  wait_for_answer ();
  g_assert_cmpuint (get_addition ()->input, ==, 1);
  const AttnReply *reply = wait_for_reply (3);
  g_assert_cmpuint (reply->prompt->n_tokens, ==, get_addition ()->prompt->n_tokens);
  g_assert_nonnull (find_label (section, "Input 2, Query"));
  activate ("keep-answer");
  WAIT_UNTIL (!attn_session_is_busy (window->session));
  wait_for_reply (3);
  go_to (1, 2, 1);
  wait_for_reply (1);
  g_assert_nonnull (find_label (section, "Input 1, Key"));
}

/* A figure whose panels do not say whose they are: the section does. */
static void
test_section_names_the_input (gpointer      *fixture,
                              gconstpointer  data)
{
  AttnStudy *study = attn_window_copy_study (window);

  study->rows = ATTN_DIMENSION_NONE;
  attn_session_edit (window->session, study, NULL);
  WAIT_UNTIL (!attn_session_is_busy (window->session));
  GtkWidget *section = unfold_section ();
  wait_for_reply (0);
  g_assert_nonnull (find_label (section, "Input 1, Query"));
}

/* The first panel of a comparison is the baseline, which has one answer; the second has two. */
static void
test_panel_with_two_answers_is_shown_first (gpointer      *fixture,
                                            gconstpointer  data)
{
  attn_window_load_preset (window, "compare");
  WAIT_UNTIL (!attn_session_is_busy (window->session));
  unfold_section ();
  g_assert_cmpuint (wait_for_reply (1)->n_answers, ==, 2);
  go_to (0, 2, 1);
  g_assert_cmpuint (wait_for_reply (0)->n_answers, ==, 1);
}

static void
test_token_points_at_its_row (gpointer      *fixture,
                              gconstpointer  data)
{
  GtkWidget *section = unfold_section ();

  go_to (0, 2, 1);
  activate ("continue");
  wait_for_answer ();
  activate ("keep-answer");
  WAIT_UNTIL (!attn_session_is_busy (window->session));
  const AttnReply *reply = wait_for_reply (0);
  gsize n_prompt = reply->prompt->n_tokens;
  g_assert_cmpuint (n_prompt, <,
                    attn_session_get_result (window->session)->inputs[0]->n_tokens);

  GtkWidget *bar = gtk_grid_get_child_at (find_widget (section, GTK_TYPE_GRID), 0, 3);
  g_autoptr (GPtrArray) motions = find_controllers (bar, GTK_TYPE_EVENT_CONTROLLER_MOTION);
  g_signal_emit_by_name (motions->pdata[0], "enter", 1.0, 1.0);
  g_assert_cmpint (attn_reading_get (window->reading).token, ==, (gssize) n_prompt + 2);
  g_signal_emit_by_name (motions->pdata[0], "leave");
  g_assert_cmpint (attn_reading_get (window->reading).token, ==, -1);
}

/* Returns what the section says of where the answers begin. */
static const char *
get_begin (GtkWidget *section)
{
  GtkLabel *label = find_label_with (section, "The answer begins after");

  g_assert_nonnull (label);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (label)));
  return gtk_label_get_label (label);
}

/* After which token, while the model's own tokens stand behind it, once they are kept, and after
 * this was undone. Once they are kept, the next answer begins at the end. */
static void
test_section_says_where_answers_begin (gpointer      *fixture,
                                       gconstpointer  data)
{
  GtkWidget *section = unfold_section ();

  go_to (0, 2, 1);
  const AttnReply *reply = wait_for_reply (0);
  gsize n = reply->prompt->n_tokens;
  g_autofree char *plain = g_strdup_printf ("The answer begins after token %zu “%s”.", n - 1,
                                            reply->prompt->labels[n - 1]);
  g_autofree char *inside =
      g_strdup_printf ("The answer begins after token %zu “%s”, inside the input: what follows "
                       "there was kept. Continue goes on at its end.",
                       n - 1, reply->prompt->labels[n - 1]);
  g_assert_cmpstr (get_begin (section), ==, plain);
  activate ("continue");
  wait_for_answer ();
  wait_for_reply (0);
  g_assert_cmpstr (get_begin (section), ==, plain);
  activate ("keep-answer");
  WAIT_UNTIL (!attn_session_is_busy (window->session));
  wait_for_reply (0);
  g_assert_cmpstr (get_begin (section), ==, inside);
  activate ("undo");
  WAIT_UNTIL (!attn_session_is_busy (window->session));
  wait_for_reply (0);
  g_assert_cmpstr (get_begin (section), ==, plain);
  activate ("redo");
  WAIT_UNTIL (!attn_session_is_busy (window->session));
  wait_for_reply (0);
  g_assert_cmpstr (get_begin (section), ==, inside);

  gsize n_kept = attn_session_get_result (window->session)->inputs[0]->n_tokens;
  activate ("continue");
  wait_for_answer ();
  g_autofree char *next = g_strdup_printf ("after token %zu “", n_kept - 1);
  g_assert_cmpuint (wait_for_reply (0)->prompt->n_tokens, ==, n_kept);
  g_assert_nonnull (strstr (get_begin (section), next));
  g_assert_null (strstr (get_begin (section), "inside"));
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  application = fixture_new_application ();
#define ADD(name, function) ADD_TO ("/app/answer/", name, NULL, function)
  ADD ("chips-are-the-models-own", test_chips_are_the_models_own);
  ADD ("answer-is-exported", test_answer_is_exported);
  ADD_TO ("/app/answer/", "curves-follow-the-answer", "epsilon", test_curves_follow_the_answer);
  ADD ("buttons-keep-and-discard", test_buttons_keep_and_discard);
  ADD ("stop-stays-in-place", test_stop_stays_in_place);
  ADD ("escape-stops", test_escape_stops);
  ADD ("setting-counts-for-all-inputs", test_setting_counts_for_all_inputs);
  ADD ("section-has-both-answers", test_section_has_both_answers);
  ADD ("section-follows-the-continued-input", test_section_follows_the_continued_input);
  ADD ("section-names-the-input", test_section_names_the_input);
  ADD ("panel-with-two-answers-is-shown-first", test_panel_with_two_answers_is_shown_first);
  ADD ("section-says-where-answers-begin", test_section_says_where_answers_begin);
  ADD ("token-points-at-its-row", test_token_points_at_its_row);
  ADD ("typed-text-is-gone-on-with", test_typed_text_is_gone_on_with);
  return fixture_run (application);
}
