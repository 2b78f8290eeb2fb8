/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a session opens, and what stays when that cannot be read or computed. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "../save-arrays.h"
#include "attn-error.h"
#include "attn-survey-figure.h"
#include "session-fixture.h"
#include "waiting.h"

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
  g_assert_null (attn_session_get_study (fixture->session)->model.path);
  g_assert_true (attn_session_get_result (fixture->session) == shown);
  g_assert_true (attn_session_is_current (fixture->session));
  g_assert_false (attn_session_get_document (fixture->session)->undo->len > 0);
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
  g_assert_null (attn_session_get_study (fixture->session)->model.path);
}

/* A model is opened in a moment or in a minute; what is done meanwhile is not lost where it cannot
 * be read, and can be undone. */
static void
test_edits_while_a_bad_model_is_opened_stay (Fixture       *fixture,
                                             gconstpointer  data)
{
  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, "/nowhere/model", NULL));
  set_epsilon (fixture, 0.25, NULL);
  for (guint i = 0; i <= 10; i++)
    set_epsilon (fixture, 0.125 / (1 + i), "epsilon-0");
  g_assert_true (attn_session_is_opening (fixture->session));
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_null (attn_session_get_study (fixture->session)->model.path);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.125 / 11);
  g_assert_true (attn_session_is_current (fixture->session));
  attn_session_undo (fixture->session);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.25);
  attn_session_undo (fixture->session);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.5);
  g_assert_false (attn_session_get_document (fixture->session)->undo->len > 0);
  g_assert_false (attn_session_is_changed (fixture->session));
  wait_until_idle (fixture);
}

/* The same before there was anything else. */
static void
test_edit_while_a_bad_model_is_opened_at_the_start_stays (Fixture       *fixture,
                                                          gconstpointer  data)
{
  g_assert_true (attn_session_open_path (fixture->session, "/nowhere/model", NULL));
  set_epsilon (fixture, 0.25, "epsilon-0");
  wait_until_idle (fixture);
  g_assert_null (attn_session_get_study (fixture->session)->model.path);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.25);
  g_assert_true (attn_session_is_current (fixture->session));
  attn_session_undo (fixture->session);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.5);
  g_assert_false (attn_session_get_document (fixture->session)->undo->len > 0);
  wait_until_idle (fixture);
}

/* Token ids stand for a text while it is not known whether there is a tokenizer. */
static void
test_texts_come_back_with_their_model (Fixture       *fixture,
                                       gconstpointer  data)
{
  wait_until_idle (fixture);
  set_input (fixture, attn_input_new_text ("It is I", 0));
  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, "/nowhere/model", NULL));
  set_epsilon (fixture, 0.25, NULL);
  wait_until_idle (fixture);
  const AttnInput *input = attn_session_get_study (fixture->session)->inputs->pdata[0];
  g_assert_cmpstr (input->text, ==, "It is I");
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.25);

  /* But a text that was edited meanwhile is that of the user. */
  g_assert_true (attn_session_open_path (fixture->session, "/nowhere/model", NULL));
  set_input (fixture, attn_input_new_text ("It is not", 0));
  set_epsilon (fixture, 0.125, NULL);
  wait_until_idle (fixture);
  input = attn_session_get_study (fixture->session)->inputs->pdata[0];
  g_assert_cmpstr (input->text, ==, "It is not");

  /* Each comes back to its own input. */
  AttnStudy *study = attn_study_copy (attn_session_get_study (fixture->session));
  g_ptr_array_add (study->inputs, attn_input_new_text ("It is", 0));
  attn_session_edit (fixture->session, study, NULL);
  g_assert_true (attn_session_open_path (fixture->session, "/nowhere/model", NULL));
  study = attn_study_copy (attn_session_get_study (fixture->session));
  g_ptr_array_remove_index (study->inputs, 0);
  attn_session_edit (fixture->session, study, NULL);
  wait_until_idle (fixture);
  g_assert_cmpuint (attn_session_get_study (fixture->session)->inputs->len, ==, 1);
  input = attn_session_get_study (fixture->session)->inputs->pdata[0];
  g_assert_cmpstr (input->text, ==, "It is");
  g_assert_cmpuint (fixture->n_failures, ==, 3);
}

static void
test_edit_stays_where_the_next_cannot_be_opened_either (Fixture       *fixture,
                                                        gconstpointer  data)
{
  g_autofree char *path = save_bad_study (fixture);

  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, "/nowhere/model", NULL));
  set_epsilon (fixture, 0.25, NULL);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.25);
  g_assert_null (attn_session_get_document (fixture->session)->path);
  g_assert_null (attn_session_get_study (fixture->session)->model.path);
  attn_session_undo (fixture->session);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.5);
  g_assert_false (attn_session_get_document (fixture->session)->undo->len > 0);
  wait_until_idle (fixture);
}

static void
test_edit_stays_where_opening_is_cancelled (Fixture       *fixture,
                                            gconstpointer  data)
{
  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, "/nowhere/model", NULL));
  set_epsilon (fixture, 0.25, NULL);
  attn_session_cancel (fixture->session);
  g_assert_null (attn_session_get_study (fixture->session)->model.path);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.25);
  attn_session_undo (fixture->session);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.5);
  g_assert_false (attn_session_get_document (fixture->session)->undo->len > 0);
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 0);
}

/* One that is compared with is edited as all else is. */
static void
test_other_model_that_is_added_meanwhile_stays (Fixture       *fixture,
                                                gconstpointer  data)
{
  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, "/nowhere/model", NULL));
  AttnStudy *study = attn_study_copy (attn_session_get_study (fixture->session));
  g_ptr_array_add (study->other_models, attn_model_reference_new (NULL, NULL));
  attn_session_edit (fixture->session, study, NULL);
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_null (attn_session_get_study (fixture->session)->model.path);
  g_assert_cmpuint (attn_session_get_study (fixture->session)->other_models->len, ==, 1);
}

/* What was saved is not taken for what another program has written. */
static void
test_study_that_is_saved_while_it_is_opened_stays (Fixture       *fixture,
                                                   gconstpointer  data)
{
  g_autofree char *path = save_study_of (fixture, NULL, NULL);

  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, "/nowhere/model", NULL));
  g_assert_true (attn_session_save (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_false (is_overtaken (fixture->session));
  g_autoptr (AttnStudy) saved = attn_study_load (path, NULL);
  g_assert_cmpint (attn_session_is_changed (fixture->session), ==,
                   !attn_study_equal (saved, attn_session_get_study (fixture->session)));
}

static void
test_bad_model_leaves_the_history (Fixture       *fixture,
                                   gconstpointer  data)
{
  wait_until_idle (fixture);
  set_epsilon (fixture, 0.25, NULL);
  set_epsilon (fixture, 0.125, NULL);
  attn_session_undo (fixture->session);
  g_assert_true (attn_session_open_path (fixture->session, "/nowhere/model", NULL));
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.25);
  attn_session_redo (fixture->session);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.125);
  attn_session_undo (fixture->session);
  attn_session_undo (fixture->session);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.5);
  wait_until_idle (fixture);
}

/* Else a step of what was open before would be saved to the file of the study that is opened. */
static void
test_steps_of_another_study_are_not_undone (Fixture       *fixture,
                                            gconstpointer  data)
{
  g_autofree char *path = save_study_of (fixture, NULL, NULL);

  wait_until_idle (fixture);
  set_epsilon (fixture, 0.25, NULL);
  set_epsilon (fixture, 0.125, NULL);
  attn_session_undo (fixture->session);
  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  g_assert_false (attn_session_get_document (fixture->session)->undo->len > 0);
  g_assert_false (attn_session_get_document (fixture->session)->redo->len > 0);
  wait_until_idle (fixture);
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

/* One's own text is not lost to a model that takes none, nor are ids that one typed oneself. */
static void
test_own_text_outlives_a_model_without_tokenizer (Fixture       *fixture,
                                                  gconstpointer  data)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "model", "llama", NULL);
  const guint32 ids[] = { 0, 1, 2, 3 };
  const AttnInput *input;

  wait_until_idle (fixture);
  set_input (fixture, attn_input_new_text ("A text of my own", 0));
  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, NULL, NULL));
  wait_until_idle (fixture);
  input = attn_session_get_study (fixture->session)->inputs->pdata[0];
  g_assert_cmpstr (input->text, ==, "A text of my own");

  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  set_input (fixture, attn_input_new_ids (ids, G_N_ELEMENTS (ids), 0));
  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, NULL, NULL));
  wait_until_idle (fixture);
  input = attn_session_get_study (fixture->session)->inputs->pdata[0];
  g_assert_cmpuint (input->n_ids, ==, G_N_ELEMENTS (ids));
  g_assert_null (input->text);
  g_assert_cmpuint (fixture->n_failures, ==, 0);
}

/* What another process has written since is shown. */
static void
test_survey_that_grows_is_read_again (Fixture       *fixture,
                                      gconstpointer  data)
{
  g_autofree char *path = make_path (fixture, "survey.npz");
  g_autofree char *whole = make_path (fixture, "whole.npz");

  wait_until_idle (fixture);
  attn_session_open (fixture->session, attn_presets_load ("survey", NULL));
  wait_until_idle (fixture);
  g_autoptr (AttnSurveyData) survey =
      attn_survey_data_ref (attn_session_get_result (fixture->session)->survey);
  guint8 *is_done = survey->done->data;
  *is_done = 0;
  g_assert_true (attn_survey_data_save (survey, path, NULL));
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_true (attn_survey_is_growing (attn_session_get_result (fixture->session)));

  /* As another process does: this one does not write to what it reads. */
  *is_done = 1;
  g_assert_true (attn_survey_data_save (survey, whole, NULL));
  g_assert_cmpint (g_rename (whole, path), ==, 0);
  WAIT_UNTIL (!attn_survey_is_growing (attn_session_get_result (fixture->session)));
  g_assert_cmpuint (fixture->n_failures, ==, 0);
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
  g_assert_cmpstr (attn_session_get_document (fixture->session)->path, ==, path);
  g_assert_false (attn_session_get_document (fixture->session)->undo->len > 0);
  g_assert_false (attn_session_is_changed (fixture->session));
}

static void
test_study_that_cannot_be_computed_changes_nothing (Fixture       *fixture,
                                                    gconstpointer  data)
{
  g_autofree char *path = save_bad_study (fixture);

  wait_until_idle (fixture);
  set_epsilon (fixture, 0.25, NULL);
  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  g_assert_true (attn_session_is_opening (fixture->session));
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_null (attn_session_get_document (fixture->session)->path);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.25);
  g_assert_true (attn_session_is_changed (fixture->session));
  g_assert_true (attn_session_get_document (fixture->session)->undo->len > 0);
}

static void
check_study_can_be_mended (Fixture   *fixture,
                           AttnInput *input,
                           AttnInput *mended)
{
  g_autoptr (AttnStudy) study = attn_study_copy (attn_session_get_study (fixture->session));
  g_autofree char *path = make_path (fixture, "study.json");

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
  g_assert_cmpstr (attn_session_get_document (fixture->session)->path, ==, path);
  g_assert_true (attn_input_equal (attn_session_get_study (fixture->session)->inputs->pdata[0],
                                   input));
  g_assert_false (attn_session_is_changed (fixture->session));
  g_assert_false (attn_session_get_document (fixture->session)->undo->len > 0);
  g_assert_true (attn_session_get_result (fixture->session) == shown);
  g_assert_false (attn_session_is_current (fixture->session));

  set_input (fixture, mended);
  wait_until_idle (fixture);
  g_assert_true (attn_session_is_current (fixture->session));
  attn_session_undo (fixture->session);
  g_assert_true (attn_study_equal (attn_session_get_study (fixture->session), study));
}

/* A file that describes a model opens the model. */
static void
test_description_of_a_model_is_no_study (Fixture       *fixture,
                                         gconstpointer  data)
{
  g_autofree char *model = attn_data_find_model ();
  g_autofree char *config = g_build_filename (model, "config.json", NULL);
  g_autofree char *tokenizer = g_build_filename (model, "tokenizer.json", NULL);
  g_autofree char *study = g_build_filename (model, "study.json", NULL);

  g_assert_false (attn_document_file_is_study (config));
  g_assert_false (attn_document_file_is_study (tokenizer));
  g_assert_true (attn_document_file_is_study (study));
  g_assert_true (attn_document_file_is_study ("config.json"));
  g_assert_true (attn_session_open_path (fixture->session, config, NULL));
  wait_until_idle (fixture);
  g_assert_true (attn_session_is_current (fixture->session));
  g_assert_cmpstr (attn_session_get_study (fixture->session)->model.path, ==, config);
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
  g_autofree char *path = save_bad_study (fixture);

  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  set_epsilon (fixture, 0.0625, NULL);
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_cmpstr (attn_session_get_document (fixture->session)->path, ==, path);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.0625);
  attn_session_undo (fixture->session);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.5);
  g_assert_false (attn_session_get_document (fixture->session)->undo->len > 0);
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
  attn_session_restore (fixture->session, study, NULL, NULL, TRUE, NULL);
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
  attn_session_restore (fixture->session, study, "/nowhere/study.json", NULL, TRUE, NULL);
  attn_session_cancel (fixture->session);
  g_assert_false (attn_session_is_busy (fixture->session));
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.125);
  g_assert_cmpstr (attn_session_get_document (fixture->session)->path, ==, "/nowhere/study.json");
}

/* What a figure was exported from is in the figure; it is not the file that one saves to. */
static void
test_exported_figure_opens_as_its_study (Fixture       *fixture,
                                         gconstpointer  data)
{
  g_autofree char *path = make_path (fixture, "figure.svg");
  g_autoptr (GError) error = NULL;

  set_epsilon (fixture, 0.125, NULL);
  wait_until_idle (fixture);
  AttnResult *result = attn_session_get_result (fixture->session);
  g_autoptr (GBytes) bytes =
      attn_result_export (result, result->study, ATTN_EXPORT_SVG, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (path, g_bytes_get_data (bytes, NULL),
                                      g_bytes_get_size (bytes), NULL));
  set_epsilon (fixture, 0.25, NULL);
  g_assert_true (attn_session_open_path (fixture->session, path, &error));
  g_assert_no_error (error);
  wait_until_idle (fixture);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.125);
  g_assert_null (attn_session_get_document (fixture->session)->path);
}

/* What kind of model it is, is known even where it has no figure. */
static void
test_model_is_known_where_its_study_fails (Fixture       *fixture,
                                           gconstpointer  data)
{
  g_autofree char *path = make_path (fixture, "weights.csv");
  AttnStudy *study = attn_presets_load ("epsilon", NULL);

  g_assert_true (g_file_set_contents (path, "a,b\n1,0\n0.5,0.5\n", -1, NULL));
  wait_until_idle (fixture);
  study->model.path = g_strdup (path);
  attn_session_edit (fixture->session, study, NULL);
  g_assert_null (attn_session_get_model (fixture->session));
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  AttnModel *model = attn_session_get_model (fixture->session);
  g_assert_nonnull (model);
  g_assert_true (attn_model_get_info (model)->is_recording);
}

/* Most studies do something to a model; what was recorded is shown as it is. */
static void
test_arrays_open_as_they_are (Fixture       *fixture,
                              gconstpointer  data)
{
  g_autofree char *path = make_path (fixture, "weights.csv");
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, "a,b,c\n1,0,0\n0.5,0.5,0\n", -1, NULL));
  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, path, &error));
  g_assert_no_error (error);
  /* Only the worker looks into it. */
  g_assert_cmpstr (attn_session_get_asked_model (fixture->session)->path, ==, path);
  g_assert_null (attn_session_get_study (fixture->session)->model.path);
  g_assert_true (attn_session_is_opening (fixture->session));
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 0);

  AttnResult *result = attn_session_get_result (fixture->session);
  g_assert_true (attn_session_get_model (fixture->session) == result->model);
  AttnPanel *panel = result->grid->cells[0].panel;
  g_assert_cmpstr (result->study->preset, ==, "single");
  g_assert_cmpuint (result->grid->n_rows * result->grid->n_columns, ==, 1);
  g_assert_cmpuint (attn_panel_get_n_rows (panel), ==, 2);
  g_assert_cmpstr (attn_panel_get_column_labels (panel)[2], ==, "c");
}

/* Of several arrays that can be meant one is asked for; it is in the study, and is undone. */
static void
test_one_of_several_arrays (Fixture       *fixture,
                            gconstpointer  data)
{
  static const float values[] = { 1, 0, 0.5, 0.5 };
  const gsize shape[] = { 2, 2 };
  g_autofree char *path = make_path (fixture, "several.npz");
  g_autofree char *named = g_strconcat (path, ":second", NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autoptr (GBytes) bytes = g_bytes_new_static (values, sizeof values);
  static const char * const names[] = { "first", "second" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    attn_array_file_add (file, attn_array_new (names[i], ATTN_DTYPE_F32, 2, shape, bytes, NULL),
                         NULL);
  g_assert_true (save_arrays (file, path, NULL));
  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_nonnull (strstr (fixture->message, "“first”, “second”"));

  attn_session_open_array (fixture->session, path, "first");
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_cmpstr (attn_session_get_study (fixture->session)->model.array, ==, "first");
  g_assert_true (attn_session_open_path (fixture->session, named, NULL));
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_cmpstr (attn_session_get_study (fixture->session)->model.path, ==, path);
  g_assert_cmpstr (attn_session_get_study (fixture->session)->model.array, ==, "second");
}

/* A table that can be read in two ways is opened once it is said how; that is a setting as any. */
static void
test_ambiguous_table_is_told (Fixture       *fixture,
                              gconstpointer  data)
{
  g_autofree char *path = make_path (fixture, "counts.csv");

  g_assert_true (g_file_set_contents (path, "0,1\n1,0\n0,1\n", -1, NULL));
  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_nonnull (strstr (fixture->message, "--header"));
  g_assert_null (attn_session_get_study (fixture->session)->model.path);

  attn_session_open_table (fixture->session, path, ATTN_TABLE_HEADER_ROW);
  wait_until_idle (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_true (attn_session_is_current (fixture->session));
  const AttnStudy *study = attn_session_get_study (fixture->session);
  g_assert_cmpint (study->model.header, ==, ATTN_TABLE_HEADER_ROW);
  AttnPanel *panel = attn_session_get_result (fixture->session)->grid->cells[0].panel;
  g_assert_cmpuint (attn_panel_get_n_rows (panel), ==, 2);

  AttnStudy *edited = attn_study_copy (study);
  edited->model.header = ATTN_TABLE_HEADER_NONE;
  attn_session_edit (fixture->session, edited, NULL);
  wait_until_idle (fixture);
  panel = attn_session_get_result (fixture->session)->grid->cells[0].panel;
  g_assert_cmpuint (attn_panel_get_n_rows (panel), ==, 3);
  attn_session_undo (fixture->session);
  wait_until_idle (fixture);
  panel = attn_session_get_result (fixture->session)->grid->cells[0].panel;
  g_assert_cmpuint (attn_panel_get_n_rows (panel), ==, 2);
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
  g_autofree char *path = make_path (fixture, "figure.svg");

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
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/app/session-opening/bad-model-leaves-the-one-shown", test_bad_model_leaves_the_one_shown);
  ADD ("/app/session-opening/bad-model-at-the-start-shows-the-shipped-one",
       test_bad_model_at_the_start_shows_the_shipped_one);
  ADD ("/app/session-opening/edits-while-a-bad-model-is-opened-stay",
       test_edits_while_a_bad_model_is_opened_stay);
  ADD ("/app/session-opening/edit-while-a-bad-model-is-opened-at-the-start-stays",
       test_edit_while_a_bad_model_is_opened_at_the_start_stays);
  ADD ("/app/session-opening/texts-come-back-with-their-model",
       test_texts_come_back_with_their_model);
  ADD ("/app/session-opening/edit-stays-where-the-next-cannot-be-opened-either",
       test_edit_stays_where_the_next_cannot_be_opened_either);
  ADD ("/app/session-opening/edit-stays-where-opening-is-cancelled",
       test_edit_stays_where_opening_is_cancelled);
  ADD ("/app/session-opening/other-model-that-is-added-meanwhile-stays",
       test_other_model_that_is_added_meanwhile_stays);
  ADD ("/app/session-opening/study-that-is-saved-while-it-is-opened-stays",
       test_study_that_is_saved_while_it_is_opened_stays);
  ADD ("/app/session-opening/bad-model-leaves-the-history", test_bad_model_leaves_the_history);
  ADD ("/app/session-opening/steps-of-another-study-are-not-undone",
       test_steps_of_another_study_are_not_undone);
  ADD ("/app/session-opening/bad-study-file-changes-nothing", test_bad_study_file_changes_nothing);
  ADD ("/app/session-opening/model-without-tokenizer-takes-ids",
       test_model_without_tokenizer_takes_ids);
  ADD ("/app/session-opening/own-text-outlives-a-model-without-tokenizer",
       test_own_text_outlives_a_model_without_tokenizer);
  ADD ("/app/session-opening/survey-that-grows-is-read-again",
       test_survey_that_grows_is_read_again);
  ADD ("/app/session-opening/opened-study-begins-a-history", test_opened_study_begins_a_history);
  ADD ("/app/session-opening/study-that-cannot-be-computed-changes-nothing",
       test_study_that_cannot_be_computed_changes_nothing);
  ADD ("/app/session-opening/too-long-a-study-opens", test_too_long_a_study_opens);
  ADD ("/app/session-opening/description-of-a-model-is-no-study",
       test_description_of_a_model_is_no_study);
  ADD ("/app/session-opening/study-of-unknown-ids-opens", test_study_of_unknown_ids_opens);
  ADD ("/app/session-opening/study-that-is-edited-stays", test_study_that_is_edited_stays);
  ADD ("/app/session-opening/restored-study-stays-even-if-it-fails",
       test_restored_study_stays_even_if_it_fails);
  ADD ("/app/session-opening/restored-study-stays-when-cancelled",
       test_restored_study_stays_when_cancelled);
  ADD ("/app/session-opening/exported-figure-opens-as-its-study",
       test_exported_figure_opens_as_its_study);
  ADD ("/app/session-opening/model-is-known-where-its-study-fails",
       test_model_is_known_where_its_study_fails);
  ADD ("/app/session-opening/arrays-open-as-they-are", test_arrays_open_as_they_are);
  ADD ("/app/session-opening/ambiguous-table-is-told", test_ambiguous_table_is_told);
  ADD ("/app/session-opening/one-of-several-arrays", test_one_of_several_arrays);
  ADD ("/app/session-opening/foreign-figure-is-refused", test_foreign_figure_is_refused);
  return g_test_run ();
}
