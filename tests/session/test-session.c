/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The session without a window: editing, history and saving. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <utime.h>

#include "session-fixture.h"
#include "waiting.h"

static void
test_undo_goes_back_to_the_beginning (Fixture       *fixture,
                                      gconstpointer  data)
{
  wait_until_idle (fixture);
  g_assert_false (attn_session_get_document (fixture->session)->undo->len > 0);
  set_epsilon (fixture, 0.25, NULL);
  set_epsilon (fixture, 0.125, NULL);
  attn_session_undo (fixture->session);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.25);
  attn_session_undo (fixture->session);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.5);
  g_assert_false (attn_session_get_document (fixture->session)->undo->len > 0);
  attn_session_redo (fixture->session);
  attn_session_redo (fixture->session);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.125);
  g_assert_false (attn_session_get_document (fixture->session)->redo->len > 0);
  wait_until_idle (fixture);
  g_assert_true (attn_session_is_current (fixture->session));
}

/* What is edited there is drawn and undone there, and leaves the session as it is. */
static void
test_draft (Fixture       *fixture,
            gconstpointer  data)
{
  g_autoptr (AttnSession) draft = attn_session_new ();

  wait_until_idle (fixture);
  const AttnStudy *before = attn_session_get_study (fixture->session);
  AttnResult *result = attn_session_get_result (fixture->session);
  attn_session_draft (draft, fixture->session, attn_study_copy (before));
  g_assert_true (attn_session_is_current (draft));

  AttnStudy *study = attn_study_copy (before);
  study->page.width = 85;
  study->style.shows_titles = FALSE;
  attn_session_edit (draft, study, NULL);
  g_assert_true (attn_session_is_current (draft));
  g_assert_cmpfloat (attn_session_get_result (draft)->study->page.width, ==, 85);
  g_assert_true (attn_session_get_result (draft)->grid == result->grid);
  g_assert_true (attn_session_get_study (fixture->session) == before);
  g_assert_true (attn_session_get_result (fixture->session) == result);
  g_assert_cmpuint (attn_session_get_document (fixture->session)->undo->len, ==, 0);
  attn_session_undo (draft);
  g_assert_true (attn_study_equal (attn_session_get_study (draft), before));

  /* Of another study than that of the result there is no figure yet. */
  study = attn_study_copy (before);
  study->layer = 0;
  attn_session_draft (draft, fixture->session, study);
  g_assert_false (attn_session_is_current (draft));
}

static void
test_drag_is_one_step (Fixture       *fixture,
                       gconstpointer  data)
{
  wait_until_idle (fixture);
  for (guint i = 1; i <= 50; i++)
    {
      set_epsilon (fixture, 0.5 - i * 0.005, "epsilon-0");
      g_main_context_iteration (NULL, FALSE);
    }
  wait_until_idle (fixture);
  g_assert_true (attn_session_is_current (fixture->session));
  g_assert_cmpfloat_with_epsilon (get_epsilon (fixture), 0.25, 1e-9);
  attn_session_undo (fixture->session);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.5);
  g_assert_false (attn_session_get_document (fixture->session)->undo->len > 0);
}

static void
test_drag_back_to_where_it_began_is_no_step (Fixture       *fixture,
                                             gconstpointer  data)
{
  wait_until_idle (fixture);
  set_epsilon (fixture, 0.25, NULL);
  for (guint i = 0; i <= 10; i++)
    set_epsilon (fixture, 0.25 / (1 + i % 10), "play");
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.25);
  wait_until_idle (fixture);
  attn_session_undo (fixture->session);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.5);
  g_assert_false (attn_session_get_document (fixture->session)->undo->len > 0);

  /* On the way through it is none either, but further on it is one again. */
  attn_session_redo (fixture->session);
  set_epsilon (fixture, 0.125, "play");
  set_epsilon (fixture, 0.25, "play");
  set_epsilon (fixture, 0.75, "play");
  attn_session_undo (fixture->session);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.25);
  wait_until_idle (fixture);
}

static void
count_cb (AttnSession *session,
          gpointer     counts)
{
  AttnResult *result = attn_session_get_result (session);

  ((guint *) counts)[result->outcomes == NULL       ? 0
                     : result->grid->charts == NULL ? 1
                                                    : 2]++;
}

/* The weights are shown first, then the numbers of the prediction, then the curves; the next edit
 * does not wait for them. */
static void
test_prediction_comes_after_the_weights (Fixture       *fixture,
                                         gconstpointer  data)
{
  guint counts[3] = { 0 };

  wait_until_idle (fixture);
  g_signal_connect (fixture->session, "result-changed", G_CALLBACK (count_cb), counts);
  AttnStudy *study = attn_study_copy (attn_session_get_study (fixture->session));
  for (guint i = 0; i < ATTN_N_SHOWN_EFFECTS; i++)
    study->effects[i] = TRUE;
  study->components[ATTN_COMPONENT_VALUE] = TRUE;
  attn_session_edit (fixture->session, study, NULL);
  g_assert_false (attn_session_is_complete (fixture->session));
  WAIT_UNTIL (attn_session_is_current (fixture->session));
  g_assert_cmpuint (counts[0], ==, 1);
  WAIT_UNTIL (attn_session_is_complete (fixture->session));
  g_assert_cmpuint (counts[1], ==, 1);
  g_assert_cmpuint (counts[2], ==, 1);

  set_epsilon (fixture, 0.25, NULL);
  WAIT_UNTIL (attn_session_is_current (fixture->session));
  set_epsilon (fixture, 0.125, NULL);
  WAIT_UNTIL (attn_session_is_complete (fixture->session));
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.125);
  g_assert_cmpuint (counts[0], ==, 3);
}

/* In a text that is longer than what is computed ahead, the next positions come before the pointer
 * is there. */
static void
test_predictions_run_ahead (Fixture       *fixture,
                            gconstpointer  data)
{
  AttnSession *session = fixture->session;
  guint32 ids[2 * ATTN_CLOSEUP_AHEAD];
  gsize n = G_N_ELEMENTS (ids);

  for (gsize i = 0; i < n; i++)
    ids[i] = 3 + i % 5;
  wait_until_idle (fixture);
  AttnStudy *study = attn_study_copy (attn_session_get_study (session));
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_new_ids (ids, n, 0));
  attn_session_edit (session, study, NULL);
  wait_until_idle (fixture);
  AttnResult *result = attn_session_get_result (session);
  attn_session_look (session, ATTN_CLOSEUP_PREDICTION, 0, 0, 0);
  WAIT_UNTIL (attn_prediction_has (attn_session_get_prediction (session), result, 0, 1));
  for (gsize query = 1; query < n; query++)
    {
      g_assert_true (attn_prediction_has (attn_session_get_prediction (session), result, 0, query));
      attn_session_look (session, ATTN_CLOSEUP_PREDICTION, 0, query, 0);
      if (query % (ATTN_CLOSEUP_AHEAD / 8) == 0)
        WAIT_UNTIL (query + 1 == n || attn_prediction_has (attn_session_get_prediction (session),
                                                           result, 0,
                                                           MIN (query + ATTN_CLOSEUP_AHEAD / 4,
                                                                n - 1)));
    }
}

/* A map of many passes is seen while it fills in, and ends at once when it is to. */
static void
test_map_fills_in (Fixture       *fixture,
                   gconstpointer  data)
{
  AttnSession *session = fixture->session;
  guint32 ids[250];

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    ids[i] = 3 + i % 5;
  wait_until_idle (fixture);
  AttnResult *before = attn_session_get_result (session);
  AttnStudy *study = attn_study_copy (attn_session_get_study (session));
  study->figure = ATTN_FIGURE_PATCH_MAP;
  study->token = g_strdup ("5");
  study->versus = g_strdup ("6");
  g_ptr_array_set_size (study->inputs, 0);
  for (gsize i = 0; i < 2; i++)
    {
      ids[G_N_ELEMENTS (ids) / 2] = 40 + i;
      g_ptr_array_add (study->inputs, attn_input_new_ids (ids, G_N_ELEMENTS (ids), 0));
    }
  attn_session_edit (session, study, NULL);
  WAIT_UNTIL (attn_session_get_unfinished (session) != NULL);
  g_assert_true (attn_session_is_busy (session));
  g_assert_false (attn_session_is_current (session));
  g_assert_true (attn_study_equal (attn_session_get_unfinished (session)->study,
                                   attn_session_get_study (session)));
  attn_session_cancel (session);
  g_assert_false (attn_session_is_busy (session));
  g_assert_null (attn_session_get_unfinished (session));
  g_assert_true (attn_session_get_result (session) == before);
  g_assert_true (attn_session_is_current (session));
}

/* One position comes first, then those around it, so that the next is there already; a pair's score
 * comes beside; another result has neither. */
static void
test_closer_looks (Fixture       *fixture,
                   gconstpointer  data)
{
  AttnSession *session = fixture->session;

  wait_until_idle (fixture);
  AttnResult *result = attn_session_get_result (session);
  gsize n = result->inputs[0]->n_tokens;
  attn_session_look (session, ATTN_CLOSEUP_PREDICTION, 0, 2, 0);
  attn_session_look (session, ATTN_CLOSEUP_EXPLANATION, 0, 2, 1);
  WAIT_UNTIL (attn_prediction_has (attn_session_get_prediction (session), result, 0, 2));
  WAIT_UNTIL (attn_prediction_has (attn_session_get_prediction (session), result, 0, n - 1));
  WAIT_UNTIL (
      attn_explanation_has (attn_session_get_explanation (session), result, 0, 2, 1));
  g_assert_true (attn_prediction_has (attn_session_get_prediction (session), result, 0, 0));
  g_assert_false (attn_prediction_has (attn_session_get_prediction (session), result, 0, n));
  g_assert_false (
      attn_explanation_has (attn_session_get_explanation (session), result, 0, 1, 1));

  set_epsilon (fixture, 0.125, NULL);
  wait_until_idle (fixture);
  g_assert_false (attn_prediction_has (attn_session_get_prediction (session),
                                       attn_session_get_result (session), 0, 2));

  /* Why there is none is told, and asked for once. */
  AttnStudy *study = attn_study_copy (attn_session_get_study (session));
  study->head = ATTN_HEAD_MEAN;
  attn_session_edit (session, study, NULL);
  wait_until_idle (fixture);
  g_assert_null (attn_session_get_closeup_error (session, ATTN_CLOSEUP_EXPLANATION));
  attn_session_look (session, ATTN_CLOSEUP_EXPLANATION, 0, 2, 1);
  WAIT_UNTIL (attn_session_get_closeup_error (session, ATTN_CLOSEUP_EXPLANATION) != NULL);
  attn_session_undo (session);
  wait_until_idle (fixture);
  g_assert_null (attn_session_get_closeup_error (session, ATTN_CLOSEUP_EXPLANATION));
}

static void
test_the_same_again_is_no_edit (Fixture       *fixture,
                                gconstpointer  data)
{
  wait_until_idle (fixture);
  set_epsilon (fixture, 0.5, NULL);
  g_assert_false (attn_session_get_document (fixture->session)->undo->len > 0);
  g_assert_false (attn_session_is_busy (fixture->session));
}

/* A text that cannot be computed stays to be mended; the figure stays that of the last one that
 * could. */
static void
test_bad_text_keeps_the_result (Fixture       *fixture,
                                gconstpointer  data)
{
  g_autofree char *text = g_strnfill (100000, 'x');

  wait_until_idle (fixture);
  AttnResult *shown = attn_session_get_result (fixture->session);
  AttnStudy *study = attn_study_copy (attn_session_get_study (fixture->session));
  attn_input_free (g_ptr_array_index (study->inputs, 0));
  g_ptr_array_index (study->inputs, 0) = attn_input_new_text (text, 0);
  attn_session_edit (fixture->session, study, "input-0");
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_true (attn_session_get_result (fixture->session) == shown);
  g_assert_false (attn_session_is_current (fixture->session));
  attn_session_undo (fixture->session);
  wait_until_idle (fixture);
  g_assert_true (attn_session_is_current (fixture->session));
}

static void
test_cancel_returns_to_what_is_shown (Fixture       *fixture,
                                      gconstpointer  data)
{
  wait_until_idle (fixture);
  set_epsilon (fixture, 0.25, NULL);
  attn_session_cancel (fixture->session);
  g_assert_false (attn_session_is_busy (fixture->session));
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.5);
  g_assert_true (attn_session_is_current (fixture->session));
}

/* History, saved state and result hold the study itself, which is immutable, and no copy of it. */
static void
test_studies_are_shared (Fixture       *fixture,
                         gconstpointer  data)
{
  const AttnStudy *first = attn_session_get_study (fixture->session);

  wait_until_idle (fixture);
  g_assert_true (attn_session_get_result (fixture->session)->study == first);
  set_epsilon (fixture, 0.25, NULL);
  wait_until_idle (fixture);
  const AttnStudy *second = attn_session_get_study (fixture->session);
  g_assert_true (attn_session_get_result (fixture->session)->study == second);
  attn_session_undo (fixture->session);
  g_assert_true (attn_session_get_study (fixture->session) == first);
  attn_session_redo (fixture->session);
  g_assert_true (attn_session_get_study (fixture->session) == second);
}

static void
test_saved_is_not_changed (Fixture       *fixture,
                           gconstpointer  data)
{
  g_autofree char *path = make_path (fixture, "study.json");
  g_autoptr (GError) error = NULL;

  wait_until_idle (fixture);
  g_assert_false (attn_session_is_changed (fixture->session));
  set_epsilon (fixture, 0.25, NULL);
  g_assert_true (attn_session_is_changed (fixture->session));
  attn_session_undo (fixture->session);
  g_assert_false (attn_session_is_changed (fixture->session));
  attn_session_redo (fixture->session);
  wait_until_idle (fixture);
  g_assert_true (attn_session_save (fixture->session, path, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (attn_session_get_document (fixture->session)->path, ==, path);
  g_assert_false (attn_session_is_changed (fixture->session));

  g_autoptr (AttnStudy) saved = attn_study_load (path, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (g_array_index (saved->epsilons, double, 0), ==, 0.25);
  g_assert_cmpstr (saved->model.fingerprint, ==,
                   attn_model_get_fingerprint (attn_session_get_result (fixture->session)->model));
}

static void
test_failed_save_leaves_it_changed (Fixture       *fixture,
                                    gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  wait_until_idle (fixture);
  set_epsilon (fixture, 0.25, NULL);
  g_assert_false (attn_session_save (fixture->session, "/nowhere/study.json", &error));
  g_assert_nonnull (strstr (error->message, "/nowhere/study.json"));
  g_assert_true (attn_session_is_changed (fixture->session));
  g_assert_null (attn_session_get_document (fixture->session)->path);
}

/* What was written just now was written later than all else, however coarse the clock of the file
 * system is. */
static void
write_later (const char *path)
{
  time_t later = g_get_real_time () / G_USEC_PER_SEC + 10;
  struct utimbuf times = { later, later };

  g_assert_cmpint (g_utime (path, &times), ==, 0);
}

/* What another program writes to the file of a study is noticed, and no longer once it was
 * replaced or read. */
static void
test_file_of_another_program_is_noticed (Fixture       *fixture,
                                         gconstpointer  data)
{
  g_autofree char *path = save_study_of (fixture, NULL, NULL);

  wait_until_idle (fixture);
  g_assert_false (is_overtaken (fixture->session));
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_false (is_overtaken (fixture->session));
  g_assert_true (g_file_set_contents (path, "{}", -1, NULL));
  write_later (path);
  g_assert_true (is_overtaken (fixture->session));
  g_assert_true (attn_session_save (fixture->session, path, NULL));
  g_assert_false (is_overtaken (fixture->session));

  g_autoptr (AttnStudy) study = attn_study_copy (attn_session_get_study (fixture->session));
  g_assert_true (attn_study_save (study, path, NULL));
  write_later (path);
  g_assert_true (is_overtaken (fixture->session));
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  g_assert_false (is_overtaken (fixture->session));
  /* Nothing is lost where there is nothing. */
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_false (is_overtaken (fixture->session));
}

/* A document that is not opened after all leaves that of the one before. */
static void
test_file_is_known_after_a_failure (Fixture       *fixture,
                                    gconstpointer  data)
{
  g_autofree char *path = save_study_of (fixture, NULL, NULL);
  g_autofree char *bad = save_bad_study (fixture);

  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, bad, NULL));
  wait_until_idle (fixture);
  g_assert_cmpstr (attn_session_get_document (fixture->session)->path, ==, path);
  g_assert_false (is_overtaken (fixture->session));
  g_assert_true (g_file_set_contents (path, "{}", -1, NULL));
  write_later (path);
  g_assert_true (is_overtaken (fixture->session));
}

/* Another look needs no computing: the panels are the same ones, and at once. */
static void
test_look_changes_at_once (Fixture       *fixture,
                           gconstpointer  data)
{
  wait_until_idle (fixture);
  AttnGrid *grid = attn_session_get_result (fixture->session)->grid;
  AttnStudy *study = attn_study_copy (attn_session_get_study (fixture->session));

  study->style.colormap = ATTN_COLORMAP_BLUES;
  study->page.width = 180;
  attn_session_edit (fixture->session, study, NULL);
  g_assert_false (attn_session_is_busy (fixture->session));
  g_assert_true (attn_session_is_current (fixture->session));
  g_assert_true (attn_session_get_result (fixture->session)->grid == grid);
  attn_session_undo (fixture->session);
  g_assert_true (attn_session_is_current (fixture->session));
  g_assert_cmpint (attn_session_get_result (fixture->session)->study->style.colormap, ==,
                   ATTN_COLORMAP_COOLWARM);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/app/session/undo-goes-back-to-the-beginning", test_undo_goes_back_to_the_beginning);
  ADD ("/app/session/draft", test_draft);
  ADD ("/app/session/drag-is-one-step", test_drag_is_one_step);
  ADD ("/app/session/drag-back-to-where-it-began-is-no-step",
       test_drag_back_to_where_it_began_is_no_step);
  ADD ("/app/session/prediction-comes-after-the-weights", test_prediction_comes_after_the_weights);
  ADD ("/app/session/closer-looks", test_closer_looks);
  ADD ("/app/session/map-fills-in", test_map_fills_in);
  ADD ("/app/session/predictions-run-ahead", test_predictions_run_ahead);
  ADD ("/app/session/the-same-again-is-no-edit", test_the_same_again_is_no_edit);
  ADD ("/app/session/bad-text-keeps-the-result", test_bad_text_keeps_the_result);
  ADD ("/app/session/cancel-returns-to-what-is-shown", test_cancel_returns_to_what_is_shown);
  ADD ("/app/session/studies-are-shared", test_studies_are_shared);
  ADD ("/app/session/saved-is-not-changed", test_saved_is_not_changed);
  ADD ("/app/session/failed-save-leaves-it-changed", test_failed_save_leaves_it_changed);
  ADD ("/app/session/file-of-another-program-is-noticed", test_file_of_another_program_is_noticed);
  ADD ("/app/session/file-is-known-after-a-failure", test_file_is_known_after_a_failure);
  ADD ("/app/session/look-changes-at-once", test_look_changes_at_once);
  return g_test_run ();
}
