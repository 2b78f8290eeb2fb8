/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The session without a window: editing, history, and what stays when something fails to open. */

#include "config.h"

#include <string.h>

#include "attn-session.h"
#include "attn-worker.h"

#define PATIENCE_SECONDS 30

typedef struct
{
  AttnSession *session;
  char *message;
  guint n_results;
  guint n_failures;
  gboolean is_out_of_patience;
} Fixture;

static void
result_changed_cb (Fixture *fixture)
{
  fixture->n_results++;
}

static void
failed_cb (Fixture      *fixture,
           const GError *error)
{
  fixture->n_failures++;
  g_free (fixture->message);
  fixture->message = g_strdup (error->message);
}

static gboolean
out_of_patience_cb (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_REMOVE;
}

static void
wait_until_idle (Fixture *fixture)
{
  guint source =
      g_timeout_add_seconds (PATIENCE_SECONDS, out_of_patience_cb, &fixture->is_out_of_patience);

  while (attn_session_is_busy (fixture->session) && !fixture->is_out_of_patience)
    g_main_context_iteration (NULL, TRUE);
  g_assert_false (fixture->is_out_of_patience);
  g_source_remove (source);
}

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  fixture->session = attn_session_new ();
  g_signal_connect_swapped (fixture->session, "result-changed", G_CALLBACK (result_changed_cb),
                            fixture);
  g_signal_connect_swapped (fixture->session, "failed", G_CALLBACK (failed_cb), fixture);
  attn_session_open (fixture->session, attn_presets_load ("epsilon", NULL));
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  g_assert_finalize_object (fixture->session);
  attn_worker_wait_for_threads ();
  g_free (fixture->message);
}

static double
get_epsilon (Fixture *fixture)
{
  return g_array_index (attn_session_get_study (fixture->session)->epsilons, double, 0);
}

static void
set_epsilon (Fixture    *fixture,
             double      epsilon,
             const char *what)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (fixture->session));

  g_array_index (study->epsilons, double, 0) = epsilon;
  attn_session_edit (fixture->session, study, what);
}

static void
test_undo_goes_back_to_the_beginning (Fixture       *fixture,
                                      gconstpointer  data)
{
  wait_until_idle (fixture);
  g_assert_false (attn_session_can_undo (fixture->session));
  set_epsilon (fixture, 0.25, NULL);
  set_epsilon (fixture, 0.125, NULL);
  attn_session_undo (fixture->session);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.25);
  attn_session_undo (fixture->session);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.5);
  g_assert_false (attn_session_can_undo (fixture->session));
  attn_session_redo (fixture->session);
  attn_session_redo (fixture->session);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.125);
  g_assert_false (attn_session_can_redo (fixture->session));
  wait_until_idle (fixture);
  g_assert_true (attn_session_is_current (fixture->session));
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
  g_assert_false (attn_session_can_undo (fixture->session));
}

static void
test_the_same_again_is_no_edit (Fixture       *fixture,
                                gconstpointer  data)
{
  wait_until_idle (fixture);
  set_epsilon (fixture, 0.5, NULL);
  g_assert_false (attn_session_can_undo (fixture->session));
  g_assert_false (attn_session_is_busy (fixture->session));
}

static void
test_bad_model_leaves_the_one_shown (Fixture       *fixture,
                                     gconstpointer  data)
{
  wait_until_idle (fixture);
  AttnResult *shown = attn_session_get_result (fixture->session);

  g_assert_true (attn_session_open_path (fixture->session, "/nowhere/model", NULL));
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_nonnull (strstr (fixture->message, "/nowhere/model"));
  g_assert_null (attn_session_get_study (fixture->session)->model_path);
  g_assert_true (attn_session_get_result (fixture->session) == shown);
  g_assert_true (attn_session_is_current (fixture->session));
  g_assert_false (attn_session_can_undo (fixture->session));
}

/* As by the command line: the model is asked for before anything was computed. */
static void
test_bad_model_at_the_start_shows_the_shipped_one (Fixture       *fixture,
                                                   gconstpointer  data)
{
  g_assert_true (attn_session_open_path (fixture->session, "/nowhere/model", NULL));
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_cmpuint (fixture->n_results, ==, 1);
  g_assert_null (attn_session_get_study (fixture->session)->model_path);
}

static void
test_bad_study_file_changes_nothing (Fixture       *fixture,
                                     gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  wait_until_idle (fixture);
  g_assert_false (attn_session_open_path (fixture->session, "/nowhere/study.json", &error));
  g_assert_nonnull (strstr (error->message, "/nowhere/study.json"));
  g_assert_false (attn_session_is_busy (fixture->session));
  g_assert_true (attn_session_is_current (fixture->session));
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

#define ADD(name, function) \
  g_test_add ("/app/session/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("undo-goes-back-to-the-beginning", test_undo_goes_back_to_the_beginning);
  ADD ("drag-is-one-step", test_drag_is_one_step);
  ADD ("the-same-again-is-no-edit", test_the_same_again_is_no_edit);
  ADD ("bad-model-leaves-the-one-shown", test_bad_model_leaves_the_one_shown);
  ADD ("bad-model-at-the-start-shows-the-shipped-one",
       test_bad_model_at_the_start_shows_the_shipped_one);
  ADD ("bad-study-file-changes-nothing", test_bad_study_file_changes_nothing);
  ADD ("bad-text-keeps-the-result", test_bad_text_keeps_the_result);
  ADD ("cancel-returns-to-what-is-shown", test_cancel_returns_to_what_is_shown);
  return g_test_run ();
}
