/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The session without a window: editing, history, and what stays when something fails to open. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <utime.h>

#include "attn-error.h"
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
  g_assert_false (attn_session_can_undo (fixture->session));

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

/* --- Documents ------------------------------------------------------------------------------------*/

static char *
make_path (const char *name)
{
  g_autofree char *directory = g_dir_make_tmp ("attention-grid-session-XXXXXX", NULL);

  return g_build_filename (directory, name, NULL);
}

static void
remove_path (const char *path)
{
  g_autofree char *directory = g_path_get_dirname (path);

  g_unlink (path);
  g_rmdir (directory);
}

static char *
save_study_of (Fixture    *fixture,
               const char *model_path,
               const char *fingerprint)
{
  g_autoptr (AttnStudy) study = attn_study_copy (attn_session_get_study (fixture->session));
  char *path = make_path ("study.json");

  g_free (study->model_path);
  study->model_path = g_strdup (model_path);
  g_free (study->model_fingerprint);
  study->model_fingerprint = g_strdup (fingerprint);
  g_assert_true (attn_study_save (study, path, NULL));
  return path;
}

static void
test_saved_is_not_changed (Fixture       *fixture,
                           gconstpointer  data)
{
  g_autofree char *path = make_path ("study.json");
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
  g_assert_cmpstr (attn_session_get_path (fixture->session), ==, path);
  g_assert_false (attn_session_is_changed (fixture->session));

  g_autoptr (AttnStudy) saved = attn_study_load (path, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (g_array_index (saved->epsilons, double, 0), ==, 0.25);
  g_assert_cmpstr (saved->model_fingerprint, ==,
                   attn_model_get_fingerprint (attn_session_get_result (fixture->session)->model));
  remove_path (path);
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
  g_assert_null (attn_session_get_path (fixture->session));
}

/* Without a tokenizer there is no text: token ids stand for it, and give way to it again. */
static void
test_model_without_tokenizer_takes_ids (Fixture       *fixture,
                                        gconstpointer  data)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "model", "llama", NULL);
  const AttnInput *input;

  wait_until_idle (fixture);
  g_autofree char *text =
      g_strdup (((AttnInput *) attn_session_get_study (fixture->session)->inputs->pdata[0])->text);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 0);
  input = attn_session_get_study (fixture->session)->inputs->pdata[0];
  g_assert_cmpuint (input->n_ids, >, 1);
  g_assert_null (input->text);

  g_assert_true (attn_session_open_path (fixture->session, NULL, NULL));
  wait_until_idle (fixture);
  input = attn_session_get_study (fixture->session)->inputs->pdata[0];
  g_assert_null (input->ids);
  g_assert_cmpstr (input->text, ==, text);
}

static void
test_opened_study_begins_a_history (Fixture       *fixture,
                                    gconstpointer  data)
{
  g_autofree char *path = save_study_of (fixture, NULL, NULL);

  wait_until_idle (fixture);
  set_epsilon (fixture, 0.25, NULL);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.5);
  g_assert_cmpstr (attn_session_get_path (fixture->session), ==, path);
  g_assert_false (attn_session_can_undo (fixture->session));
  g_assert_false (attn_session_is_changed (fixture->session));
  remove_path (path);
}

static void
test_study_that_cannot_be_computed_changes_nothing (Fixture       *fixture,
                                                    gconstpointer  data)
{
  g_autofree char *empty = g_dir_make_tmp ("attention-grid-session-XXXXXX", NULL);
  g_autofree char *path = save_study_of (fixture, empty, NULL);

  wait_until_idle (fixture);
  set_epsilon (fixture, 0.25, NULL);
  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  g_assert_true (attn_session_is_opening (fixture->session));
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_null (attn_session_get_path (fixture->session));
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.25);
  g_assert_true (attn_session_is_changed (fixture->session));
  g_assert_true (attn_session_can_undo (fixture->session));
  g_rmdir (empty);
  remove_path (path);
}

/* Takes @input. */
static void
set_input (Fixture   *fixture,
           AttnInput *input)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (fixture->session));

  attn_input_free (g_ptr_array_index (study->inputs, 0));
  g_ptr_array_index (study->inputs, 0) = input;
  attn_session_edit (fixture->session, study, NULL);
}

static void
check_study_can_be_mended (Fixture   *fixture,
                           AttnInput *input,
                           AttnInput *mended)
{
  g_autoptr (AttnStudy) study = attn_study_copy (attn_session_get_study (fixture->session));
  g_autofree char *path = make_path ("study.json");

  attn_input_free (g_ptr_array_index (study->inputs, 0));
  g_ptr_array_index (study->inputs, 0) = input;
  g_assert_true (attn_study_save (study, path, NULL));
  wait_until_idle (fixture);
  set_epsilon (fixture, 0.25, NULL);
  wait_until_idle (fixture);
  AttnResult *shown = attn_session_get_result (fixture->session);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_nonnull (strstr (fixture->message, " found"));
  g_assert_false (attn_session_is_opening (fixture->session));
  g_assert_cmpstr (attn_session_get_path (fixture->session), ==, path);
  g_assert_true (attn_input_equal (attn_session_get_study (fixture->session)->inputs->pdata[0],
                                   input));
  g_assert_false (attn_session_is_changed (fixture->session));
  g_assert_false (attn_session_can_undo (fixture->session));
  g_assert_true (attn_session_get_result (fixture->session) == shown);
  g_assert_false (attn_session_is_current (fixture->session));

  set_input (fixture, mended);
  wait_until_idle (fixture);
  g_assert_true (attn_session_is_current (fixture->session));
  attn_session_undo (fixture->session);
  g_assert_true (attn_study_equal (attn_session_get_study (fixture->session), study));
  remove_path (path);
}

/* What a study says can be mended only once it is open. */
static void
test_too_long_a_study_opens (Fixture       *fixture,
                             gconstpointer  data)
{
  g_autofree char *text = g_strnfill (100000, 'x');

  check_study_can_be_mended (fixture, attn_input_new_text (text, 0),
                             attn_input_new_text (text, 5));
}

static void
test_study_of_unknown_ids_opens (Fixture       *fixture,
                                 gconstpointer  data)
{
  const guint32 unknown[] = { 2, 1000000 };

  check_study_can_be_mended (fixture, attn_input_new_ids (unknown, 2, 0),
                             attn_input_new_ids (unknown, 1, 0));
}

/* Who edits a study before it is computed does not lose it where it cannot be. */
static void
test_study_that_is_edited_stays (Fixture       *fixture,
                                 gconstpointer  data)
{
  g_autofree char *empty = g_dir_make_tmp ("attention-grid-session-XXXXXX", NULL);
  g_autofree char *path = save_study_of (fixture, empty, NULL);

  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  set_epsilon (fixture, 0.0625, NULL);
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_cmpstr (attn_session_get_path (fixture->session), ==, path);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.0625);
  attn_session_undo (fixture->session);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.5);
  g_assert_false (attn_session_can_undo (fixture->session));
  g_rmdir (empty);
  remove_path (path);
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
  g_assert_false (attn_session_is_overtaken (fixture->session));
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_false (attn_session_is_overtaken (fixture->session));
  g_assert_true (g_file_set_contents (path, "{}", -1, NULL));
  write_later (path);
  g_assert_true (attn_session_is_overtaken (fixture->session));
  g_assert_true (attn_session_save (fixture->session, path, NULL));
  g_assert_false (attn_session_is_overtaken (fixture->session));

  g_autoptr (AttnStudy) study = attn_study_copy (attn_session_get_study (fixture->session));
  g_assert_true (attn_study_save (study, path, NULL));
  write_later (path);
  g_assert_true (attn_session_is_overtaken (fixture->session));
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  g_assert_false (attn_session_is_overtaken (fixture->session));
  /* Nothing is lost where there is nothing. */
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_false (attn_session_is_overtaken (fixture->session));
  remove_path (path);
}

/* A document that is not opened after all leaves that of the one before. */
static void
test_file_is_known_after_a_failure (Fixture       *fixture,
                                    gconstpointer  data)
{
  g_autofree char *empty = g_dir_make_tmp ("attention-grid-session-XXXXXX", NULL);
  g_autofree char *path = save_study_of (fixture, NULL, NULL);
  g_autofree char *bad = save_study_of (fixture, empty, NULL);

  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, bad, NULL));
  wait_until_idle (fixture);
  g_assert_cmpstr (attn_session_get_path (fixture->session), ==, path);
  g_assert_false (attn_session_is_overtaken (fixture->session));
  g_assert_true (g_file_set_contents (path, "{}", -1, NULL));
  write_later (path);
  g_assert_true (attn_session_is_overtaken (fixture->session));
  g_rmdir (empty);
  remove_path (bad);
  remove_path (path);
}

static AttnModelQuestion
get_question (Fixture *fixture)
{
  const char *path, *document;

  return attn_session_get_question (fixture->session, &path, &document);
}

static void
test_missing_model_is_asked_for (Fixture       *fixture,
                                 gconstpointer  data)
{
  g_autofree char *path = save_study_of (fixture, "/nowhere/model", NULL);
  g_autofree char *shipped = attn_data_find_model ();
  const char *model, *document;

  wait_until_idle (fixture);
  set_epsilon (fixture, 0.25, NULL);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  g_assert_cmpint (attn_session_get_question (fixture->session, &model, &document), ==,
                   ATTN_MODEL_QUESTION_MISSING);
  g_assert_cmpstr (model, ==, "/nowhere/model");
  g_assert_cmpstr (document, ==, path);
  /* Nothing has happened yet. */
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.25);
  g_assert_null (attn_session_get_path (fixture->session));

  attn_session_locate_model (fixture->session, shipped);
  wait_until_idle (fixture);
  g_assert_cmpint (get_question (fixture), ==, ATTN_MODEL_QUESTION_NONE);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.5);
  g_assert_cmpstr (attn_session_get_study (fixture->session)->model_path, ==, shipped);
  g_assert_cmpstr (attn_session_get_path (fixture->session), ==, path);
  g_assert_true (attn_session_is_changed (fixture->session));
  g_assert_cmpuint (fixture->n_failures, ==, 0);
  remove_path (path);
}

static void
test_missing_model_can_be_replaced_or_given_up (Fixture       *fixture,
                                                gconstpointer  data)
{
  g_autofree char *path = save_study_of (fixture, "/nowhere/model", "0123");

  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  attn_session_drop_question (fixture->session);
  g_assert_cmpint (get_question (fixture), ==, ATTN_MODEL_QUESTION_NONE);
  g_assert_null (attn_session_get_path (fixture->session));

  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  attn_session_accept_model (fixture->session);
  wait_until_idle (fixture);
  g_assert_null (attn_session_get_study (fixture->session)->model_path);
  g_assert_cmpint (get_question (fixture), ==, ATTN_MODEL_QUESTION_NONE);
  g_assert_cmpstr (attn_session_get_path (fixture->session), ==, path);
  remove_path (path);
}

static void
test_changed_model_is_asked_about (Fixture       *fixture,
                                   gconstpointer  data)
{
  g_autofree char *path = save_study_of (fixture, NULL, "0123456789abcdef");

  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_cmpint (get_question (fixture), ==, ATTN_MODEL_QUESTION_CHANGED);
  attn_session_accept_model (fixture->session);
  wait_until_idle (fixture);
  g_assert_cmpint (get_question (fixture), ==, ATTN_MODEL_QUESTION_NONE);
  g_assert_true (attn_session_is_changed (fixture->session));
  remove_path (path);
}

/* It is not asked again and again, and the study keeps what it says. */
static void
test_changed_model_can_be_left (Fixture       *fixture,
                                gconstpointer  data)
{
  g_autofree char *path = save_study_of (fixture, NULL, "0123456789abcdef");

  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  attn_session_drop_question (fixture->session);
  g_assert_cmpint (get_question (fixture), ==, ATTN_MODEL_QUESTION_NONE);
  g_assert_false (attn_session_is_changed (fixture->session));
  set_epsilon (fixture, 0.125, NULL);
  wait_until_idle (fixture);
  g_assert_cmpint (get_question (fixture), ==, ATTN_MODEL_QUESTION_NONE);
  g_assert_cmpstr (attn_session_get_study (fixture->session)->model_fingerprint, ==,
                   "0123456789abcdef");

  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_cmpint (get_question (fixture), ==, ATTN_MODEL_QUESTION_CHANGED);
  remove_path (path);
}

/* It is in no file: to return to what was before would lose it. */
static void
test_restored_study_stays_even_if_it_fails (Fixture       *fixture,
                                            gconstpointer  data)
{
  AttnStudy *study = attn_presets_load ("epsilon", NULL);

  wait_until_idle (fixture);
  g_array_index (study->epsilons, double, 0) = 0.125;
  study->layer = 1000;
  attn_session_restore (fixture->session, study, NULL, NULL, TRUE);
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.125);
  g_assert_true (attn_session_is_changed (fixture->session));
}

static void
test_restored_study_stays_when_cancelled (Fixture       *fixture,
                                          gconstpointer  data)
{
  AttnStudy *study = attn_presets_load ("epsilon", NULL);

  wait_until_idle (fixture);
  g_array_index (study->epsilons, double, 0) = 0.125;
  attn_session_restore (fixture->session, study, "/nowhere/study.json", NULL, TRUE);
  attn_session_cancel (fixture->session);
  g_assert_false (attn_session_is_busy (fixture->session));
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.125);
  g_assert_cmpstr (attn_session_get_path (fixture->session), ==, "/nowhere/study.json");
}

/* A study that compares the shipped model with itself. */
static char *
save_comparison (Fixture    *fixture,
                 const char *fingerprint,
                 const char *other_path,
                 const char *other_fingerprint)
{
  g_autoptr (AttnStudy) study = attn_presets_load ("compare", NULL);
  char *path = make_path ("study.json");

  study->compared = ATTN_DIMENSION_MODEL;
  study->model_fingerprint = g_strdup (fingerprint);
  g_ptr_array_add (study->other_models, attn_model_reference_new (other_path, other_fingerprint));
  g_assert_true (attn_study_save (study, path, NULL));
  return path;
}

static const AttnModelReference *
get_other_model (const AttnStudy *study)
{
  g_assert_cmpuint (study->other_models->len, ==, 1);
  return g_ptr_array_index (study->other_models, 0);
}

/* One after the other: what is said of one says nothing of the next. */
static void
test_changed_models_of_a_comparison_are_asked_about (Fixture       *fixture,
                                                     gconstpointer  data)
{
  g_autofree char *shipped = attn_data_find_model ();
  g_autofree char *path = save_comparison (fixture, "0123456789abcdef", shipped, "fedcba9876543210");
  const char *model, *document, *expected, *found;

  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_cmpint (get_question (fixture), ==, ATTN_MODEL_QUESTION_CHANGED);
  attn_session_get_fingerprints (fixture->session, &expected, &found);
  g_assert_cmpstr (expected, ==, "0123456789abcdef");
  attn_session_accept_model (fixture->session);
  wait_until_idle (fixture);
  g_assert_cmpint (attn_session_get_question (fixture->session, &model, &document), ==,
                   ATTN_MODEL_QUESTION_CHANGED);
  g_assert_cmpstr (model, ==, shipped);
  attn_session_get_fingerprints (fixture->session, &expected, &found);
  g_assert_cmpstr (expected, ==, "fedcba9876543210");
  g_assert_cmpstr (found, ==,
                   attn_model_get_fingerprint (attn_session_get_result (fixture->session)->model));
  attn_session_accept_model (fixture->session);
  wait_until_idle (fixture);
  g_assert_cmpint (get_question (fixture), ==, ATTN_MODEL_QUESTION_NONE);
  attn_session_get_fingerprints (fixture->session, &expected, &found);
  g_assert_null (expected);
  g_assert_null (found);
  remove_path (path);
}

static void
test_changed_model_of_a_comparison_can_be_located (Fixture       *fixture,
                                                   gconstpointer  data)
{
  g_autofree char *shipped = attn_data_find_model ();
  g_autofree char *path = save_comparison (fixture, NULL, NULL, "fedcba9876543210");

  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_cmpint (get_question (fixture), ==, ATTN_MODEL_QUESTION_CHANGED);
  attn_session_locate_model (fixture->session, shipped);
  wait_until_idle (fixture);
  g_assert_null (attn_session_get_study (fixture->session)->model_path);
  g_assert_cmpstr (get_other_model (attn_session_get_study (fixture->session))->path, ==, shipped);
  /* It is still another one. */
  g_assert_cmpint (get_question (fixture), ==, ATTN_MODEL_QUESTION_CHANGED);
  remove_path (path);
}

/* The study that is open is not touched by a question about another. */
static void
test_missing_models_of_a_comparison_are_asked_for (Fixture       *fixture,
                                                   gconstpointer  data)
{
  g_autofree char *shipped = attn_data_find_model ();
  g_autofree char *path = save_comparison (fixture, NULL, "/nowhere/other", "fedcba9876543210");
  g_autoptr (AttnStudy) study = attn_study_load (path, NULL);
  const char *model, *document;

  study->model_path = g_strdup ("/nowhere/model");
  g_assert_true (attn_study_save (study, path, NULL));
  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  g_assert_cmpint (attn_session_get_question (fixture->session, &model, &document), ==,
                   ATTN_MODEL_QUESTION_MISSING);
  g_assert_cmpstr (model, ==, "/nowhere/model");
  attn_session_locate_model (fixture->session, shipped);
  g_assert_cmpint (attn_session_get_question (fixture->session, &model, &document), ==,
                   ATTN_MODEL_QUESTION_MISSING);
  g_assert_cmpstr (model, ==, "/nowhere/other");
  g_assert_false (attn_session_is_changed (fixture->session));
  attn_session_accept_model (fixture->session);
  wait_until_idle (fixture);
  g_assert_cmpint (get_question (fixture), ==, ATTN_MODEL_QUESTION_NONE);
  g_assert_cmpuint (fixture->n_failures, ==, 0);
  remove_path (path);
}

/* Saving computes nothing again, and what is saved knows both models. */
static void
test_comparison_is_saved_with_both_fingerprints (Fixture       *fixture,
                                                 gconstpointer  data)
{
  g_autofree char *path = save_comparison (fixture, NULL, NULL, NULL);

  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_true (attn_session_save (fixture->session, path, NULL));
  g_assert_false (attn_session_is_busy (fixture->session));

  g_autoptr (AttnStudy) saved = attn_study_load (path, NULL);
  AttnResult *result = attn_session_get_result (fixture->session);
  g_assert_cmpuint (result->other_models->len, ==, 1);
  g_assert_cmpstr (saved->model_fingerprint, ==, attn_model_get_fingerprint (result->model));
  g_assert_cmpstr (get_other_model (saved)->fingerprint, ==,
                   attn_model_get_fingerprint (g_ptr_array_index (result->other_models, 0)));
  remove_path (path);
}

/* What a figure was exported from is in the figure; it is not the file that one saves to. */
static void
test_exported_figure_opens_as_its_study (Fixture       *fixture,
                                         gconstpointer  data)
{
  g_autofree char *path = make_path ("figure.svg");
  g_autoptr (GError) error = NULL;

  set_epsilon (fixture, 0.125, NULL);
  wait_until_idle (fixture);
  AttnResult *result = attn_session_get_result (fixture->session);
  g_autoptr (GBytes) bytes =
      attn_result_export (result, result->study, ATTN_EXPORT_SVG, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (path, g_bytes_get_data (bytes, NULL),
                                      g_bytes_get_size (bytes), NULL));
  set_epsilon (fixture, 0.25, NULL);
  g_assert_true (attn_session_open_path (fixture->session, path, &error));
  g_assert_no_error (error);
  wait_until_idle (fixture);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.125);
  g_assert_null (attn_session_get_path (fixture->session));
  remove_path (path);
}

/* Most studies do something to a model; what was recorded is shown as it is. */
static void
test_arrays_open_as_they_are (Fixture       *fixture,
                              gconstpointer  data)
{
  g_autofree char *path = make_path ("weights.csv");
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, "a,b,c\n1,0,0\n0.5,0.5,0\n", -1, NULL));
  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, path, &error));
  g_assert_no_error (error);
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 0);

  AttnResult *result = attn_session_get_result (fixture->session);
  AttnPanel *panel = result->grid->cells[0].panel;
  g_assert_cmpstr (result->study->preset, ==, "single");
  g_assert_cmpuint (result->grid->n_rows * result->grid->n_columns, ==, 1);
  g_assert_cmpuint (attn_panel_get_n_rows (panel), ==, 2);
  g_assert_cmpstr (attn_panel_get_column_labels (panel)[2], ==, "c");
  remove_path (path);
}

static void
test_foreign_figure_is_refused (Fixture       *fixture,
                                gconstpointer  data)
{
  static const char * const texts[] = {
    "<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
    "<svg><metadata>{\"study\": 3}</metadata></svg>",
    "<svg><metadata>not JSON</metadata></svg>",
    "<svg><metadata><rdf>{\"study\": {}}</rdf></metadata></svg>",
    "<html><metadata>{\"study\": {\"version\": 1}}</metadata></html>",
    "<svg><metadata>{\"study\": {\"version\": 1}}",
    "<",
  };
  g_autofree char *path = make_path ("figure.svg");

  wait_until_idle (fixture);
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_true (g_file_set_contents (path, texts[i], -1, NULL));
      g_assert_false (attn_session_open_path (fixture->session, path, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
      g_assert_true (g_str_has_prefix (error->message, path));
    }
  g_assert_true (attn_session_is_current (fixture->session));
  remove_path (path);
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

#define ADD(name, function) \
  g_test_add ("/app/session/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("undo-goes-back-to-the-beginning", test_undo_goes_back_to_the_beginning);
  ADD ("drag-is-one-step", test_drag_is_one_step);
  ADD ("drag-back-to-where-it-began-is-no-step", test_drag_back_to_where_it_began_is_no_step);
  ADD ("the-same-again-is-no-edit", test_the_same_again_is_no_edit);
  ADD ("bad-model-leaves-the-one-shown", test_bad_model_leaves_the_one_shown);
  ADD ("bad-model-at-the-start-shows-the-shipped-one",
       test_bad_model_at_the_start_shows_the_shipped_one);
  ADD ("bad-study-file-changes-nothing", test_bad_study_file_changes_nothing);
  ADD ("bad-text-keeps-the-result", test_bad_text_keeps_the_result);
  ADD ("cancel-returns-to-what-is-shown", test_cancel_returns_to_what_is_shown);
  ADD ("saved-is-not-changed", test_saved_is_not_changed);
  ADD ("failed-save-leaves-it-changed", test_failed_save_leaves_it_changed);
  ADD ("model-without-tokenizer-takes-ids", test_model_without_tokenizer_takes_ids);
  ADD ("opened-study-begins-a-history", test_opened_study_begins_a_history);
  ADD ("study-that-cannot-be-computed-changes-nothing",
       test_study_that_cannot_be_computed_changes_nothing);
  ADD ("too-long-a-study-opens", test_too_long_a_study_opens);
  ADD ("study-of-unknown-ids-opens", test_study_of_unknown_ids_opens);
  ADD ("study-that-is-edited-stays", test_study_that_is_edited_stays);
  ADD ("file-of-another-program-is-noticed", test_file_of_another_program_is_noticed);
  ADD ("file-is-known-after-a-failure", test_file_is_known_after_a_failure);
  ADD ("missing-model-is-asked-for", test_missing_model_is_asked_for);
  ADD ("missing-model-can-be-replaced-or-given-up",
       test_missing_model_can_be_replaced_or_given_up);
  ADD ("changed-model-is-asked-about", test_changed_model_is_asked_about);
  ADD ("changed-model-can-be-left", test_changed_model_can_be_left);
  ADD ("restored-study-stays-even-if-it-fails", test_restored_study_stays_even_if_it_fails);
  ADD ("restored-study-stays-when-cancelled", test_restored_study_stays_when_cancelled);
  ADD ("changed-models-of-a-comparison-are-asked-about",
       test_changed_models_of_a_comparison_are_asked_about);
  ADD ("changed-model-of-a-comparison-can-be-located",
       test_changed_model_of_a_comparison_can_be_located);
  ADD ("missing-models-of-a-comparison-are-asked-for",
       test_missing_models_of_a_comparison_are_asked_for);
  ADD ("comparison-is-saved-with-both-fingerprints",
       test_comparison_is_saved_with_both_fingerprints);
  ADD ("exported-figure-opens-as-its-study", test_exported_figure_opens_as_its_study);
  ADD ("arrays-open-as-they-are", test_arrays_open_as_they_are);
  ADD ("foreign-figure-is-refused", test_foreign_figure_is_refused);
  ADD ("look-changes-at-once", test_look_changes_at_once);
  return g_test_run ();
}
