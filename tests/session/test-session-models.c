/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a session asks about the models of a study that are missing or have changed. */

#include "config.h"

#include "attn-edits.h"
#include "session-fixture.h"

static AttnModelQuestionKind
get_question (Fixture *fixture)
{
  return attn_session_get_question (fixture->session).kind;
}

static void
test_missing_model_is_asked_for (Fixture       *fixture,
                                 gconstpointer  data)
{
  g_autofree char *path = save_study_of (fixture, "/nowhere/model", NULL);
  g_autofree char *shipped = attn_data_find_model ();

  wait_until_idle (fixture);
  set_epsilon (fixture, 0.25, NULL);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  g_assert_cmpint (get_question (fixture), ==,
                   ATTN_MODEL_QUESTION_MISSING);
  g_assert_cmpstr (attn_session_get_question (fixture->session).path, ==, "/nowhere/model");
  g_assert_cmpstr (attn_session_get_question (fixture->session).document, ==, path);
  /* Nothing has happened yet. */
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.25);
  g_assert_null (attn_session_get_document (fixture->session)->path);

  attn_session_locate_model (fixture->session, shipped);
  wait_until_idle (fixture);
  g_assert_cmpint (get_question (fixture), ==, ATTN_MODEL_QUESTION_NONE);
  g_assert_cmpfloat (get_epsilon (fixture), ==, 0.5);
  g_assert_cmpstr (attn_session_get_study (fixture->session)->model.path, ==, shipped);
  g_assert_cmpstr (attn_session_get_document (fixture->session)->path, ==, path);
  g_assert_true (attn_session_is_changed (fixture->session));
  g_assert_cmpuint (fixture->n_failures, ==, 0);
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
  g_assert_null (attn_session_get_document (fixture->session)->path);

  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  attn_session_accept_model (fixture->session);
  wait_until_idle (fixture);
  g_assert_null (attn_session_get_study (fixture->session)->model.path);
  g_assert_cmpint (get_question (fixture), ==, ATTN_MODEL_QUESTION_NONE);
  g_assert_cmpstr (attn_session_get_document (fixture->session)->path, ==, path);
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
  g_assert_cmpstr (attn_session_get_study (fixture->session)->model.fingerprint, ==,
                   "0123456789abcdef");

  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_cmpint (get_question (fixture), ==, ATTN_MODEL_QUESTION_CHANGED);
}

/* A study that compares the shipped model with itself. */
static char *
save_comparison (Fixture    *fixture,
                 const char *fingerprint,
                 const char *other_path,
                 const char *other_fingerprint)
{
  g_autoptr (AttnStudy) study = attn_presets_load ("compare", NULL);
  char *path = make_path (fixture, "study.json");

  study->compared = ATTN_DIMENSION_MODEL;
  study->model.fingerprint = g_strdup (fingerprint);
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
  g_autofree char *path =
      save_comparison (fixture, "0123456789abcdef", shipped, "fedcba9876543210");

  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  g_assert_cmpint (get_question (fixture), ==, ATTN_MODEL_QUESTION_CHANGED);
  g_assert_cmpstr (attn_session_get_question (fixture->session).expected, ==, "0123456789abcdef");
  attn_session_accept_model (fixture->session);
  wait_until_idle (fixture);
  g_assert_cmpint (get_question (fixture), ==,
                   ATTN_MODEL_QUESTION_CHANGED);
  g_assert_cmpstr (attn_session_get_question (fixture->session).path, ==, shipped);
  g_assert_cmpstr (attn_session_get_question (fixture->session).expected, ==, "fedcba9876543210");
  g_assert_cmpstr (attn_session_get_question (fixture->session).found, ==,
                   attn_model_get_fingerprint (attn_session_get_result (fixture->session)->model));
  attn_session_accept_model (fixture->session);
  wait_until_idle (fixture);
  g_assert_cmpint (get_question (fixture), ==, ATTN_MODEL_QUESTION_NONE);
  g_assert_null (attn_session_get_question (fixture->session).expected);
  g_assert_null (attn_session_get_question (fixture->session).found);
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
  g_assert_null (attn_session_get_study (fixture->session)->model.path);
  g_assert_cmpstr (get_other_model (attn_session_get_study (fixture->session))->path, ==, shipped);
  /* It is still another one. */
  g_assert_cmpint (get_question (fixture), ==, ATTN_MODEL_QUESTION_CHANGED);
}

/* The study that is open is not touched by a question about another. */
static void
test_missing_models_of_a_comparison_are_asked_for (Fixture       *fixture,
                                                   gconstpointer  data)
{
  g_autofree char *shipped = attn_data_find_model ();
  g_autofree char *path = save_comparison (fixture, NULL, "/nowhere/other", "fedcba9876543210");
  g_autoptr (AttnStudy) study = attn_study_load (path, NULL);

  study->model.path = g_strdup ("/nowhere/model");
  g_assert_true (attn_study_save (study, path, NULL));
  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  g_assert_cmpint (get_question (fixture), ==,
                   ATTN_MODEL_QUESTION_MISSING);
  g_assert_cmpstr (attn_session_get_question (fixture->session).path, ==, "/nowhere/model");
  attn_session_locate_model (fixture->session, shipped);
  g_assert_cmpint (get_question (fixture), ==,
                   ATTN_MODEL_QUESTION_MISSING);
  g_assert_cmpstr (attn_session_get_question (fixture->session).path, ==, "/nowhere/other");
  g_assert_false (attn_session_is_changed (fixture->session));
  attn_session_accept_model (fixture->session);
  wait_until_idle (fixture);
  g_assert_cmpint (get_question (fixture), ==, ATTN_MODEL_QUESTION_NONE);
  g_assert_cmpuint (fixture->n_failures, ==, 0);
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
  g_assert_cmpuint (result->models->len, ==, 2);
  g_assert_cmpstr (saved->model.fingerprint, ==, attn_model_get_fingerprint (result->model));
  g_assert_cmpstr (get_other_model (saved)->fingerprint, ==,
                   attn_model_get_fingerprint (g_ptr_array_index (result->models, 1)));
}

/* An adapter's folder opens with its model; one step sets the two beside each other. */
static void
test_adapter_is_compared_with_its_base (Fixture       *fixture,
                                        gconstpointer  data)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "model", "adapters", "llama", NULL);
  const guint32 ids[] = { 1, 7, 3, 29, 12 };

  wait_until_idle (fixture);
  g_assert_true (attn_session_open_path (fixture->session, path, NULL));
  wait_until_idle (fixture);
  set_input (fixture, attn_input_new_ids (ids, G_N_ELEMENTS (ids), 0));
  wait_until_idle (fixture);
  AttnModel *model = attn_session_get_model (fixture->session);
  g_assert_cmpstr (attn_model_get_name (model), ==, "llama + llama");
  g_autofree char *fingerprint = g_strdup (attn_model_get_fingerprint (model));

  AttnStudy *study = attn_presets_load ("compare", NULL);
  attn_model_reference_take (&study->model, &attn_session_get_study (fixture->session)->model);
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_new_ids (ids, G_N_ELEMENTS (ids), 0));
  g_assert_true (attn_edits_compare_with_base (study));
  attn_session_edit (fixture->session, study, NULL);
  wait_until_idle (fixture);
  g_assert_true (attn_session_is_current (fixture->session));
  AttnResult *result = attn_session_get_result (fixture->session);
  g_assert_cmpuint (result->models->len, ==, 2);
  g_assert_cmpstr (attn_model_get_name (result->models->pdata[0]), ==, "llama");
  g_assert_cmpstr (attn_model_get_fingerprint (result->models->pdata[1]), ==, fingerprint);
  g_assert_cmpuint (result->grid->n_columns, ==, 3);
  g_assert_false (attn_edits_compare_with_base ((AttnStudy *) result->study));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/app/session-models/missing-model-is-asked-for", test_missing_model_is_asked_for);
  ADD ("/app/session-models/missing-model-can-be-replaced-or-given-up",
       test_missing_model_can_be_replaced_or_given_up);
  ADD ("/app/session-models/changed-model-is-asked-about", test_changed_model_is_asked_about);
  ADD ("/app/session-models/changed-model-can-be-left", test_changed_model_can_be_left);
  ADD ("/app/session-models/changed-models-of-a-comparison-are-asked-about",
       test_changed_models_of_a_comparison_are_asked_about);
  ADD ("/app/session-models/changed-model-of-a-comparison-can-be-located",
       test_changed_model_of_a_comparison_can_be_located);
  ADD ("/app/session-models/missing-models-of-a-comparison-are-asked-for",
       test_missing_models_of_a_comparison_are_asked_for);
  ADD ("/app/session-models/adapter-is-compared-with-its-base",
       test_adapter_is_compared_with_its_base);
  ADD ("/app/session-models/comparison-is-saved-with-both-fingerprints",
       test_comparison_is_saved_with_both_fingerprints);
  return g_test_run ();
}
