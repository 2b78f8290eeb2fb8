/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The worker without a window, on the model that ships. */

#include "config.h"

#include <string.h>

#include "attn-worker.h"
#include "waiting.h"

typedef struct
{
  GMainLoop *loop;
  AttnWorker *worker;
  AttnResult *result;
  GError *error;
  guint n_results;
  guint n_failures;
  guint n_progress;
  GThread *thread;
} Fixture;

static void
result_cb (Fixture    *fixture,
           AttnResult *result)
{
  g_assert_true (g_thread_self () == fixture->thread);
  fixture->n_results++;
  g_clear_pointer (&fixture->result, attn_result_unref);
  fixture->result = attn_result_ref (result);
  g_main_loop_quit (fixture->loop);
}

static void
failed_cb (Fixture      *fixture,
           const GError *error)
{
  g_assert_true (g_thread_self () == fixture->thread);
  fixture->n_failures++;
  g_clear_error (&fixture->error);
  fixture->error = g_error_copy (error);
  g_main_loop_quit (fixture->loop);
}

static void
progress_cb (Fixture    *fixture,
             const char *stage,
             double      fraction)
{
  g_assert_true (g_thread_self () == fixture->thread);
  g_assert_nonnull (stage);
  g_assert_cmpfloat (fraction, >=, 0);
  g_assert_cmpfloat (fraction, <=, 1);
  fixture->n_progress++;
}

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  fixture->thread = g_thread_self ();
  fixture->loop = g_main_loop_new (NULL, FALSE);
  fixture->worker = attn_worker_new ();
  g_signal_connect_swapped (fixture->worker, "result", G_CALLBACK (result_cb), fixture);
  g_signal_connect_swapped (fixture->worker, "failed", G_CALLBACK (failed_cb), fixture);
  g_signal_connect_swapped (fixture->worker, "progress", G_CALLBACK (progress_cb), fixture);
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  if (fixture->worker != NULL)
    g_assert_finalize_object (fixture->worker);
  attn_worker_wait_for_threads ();
  g_clear_pointer (&fixture->result, attn_result_unref);
  g_clear_error (&fixture->error);
  g_main_loop_unref (fixture->loop);
}

static void
wait_for_outcome (Fixture *fixture)
{
  guint source = fixture_begin_wait ("anything of the worker");

  g_main_loop_run (fixture->loop);
  g_source_remove (source);
}

/* Delivers whatever is on its way, for long enough that a job of a few milliseconds is done. */
static void
listen (guint milliseconds)
{
  gint64 end = g_get_monotonic_time () + milliseconds * G_TIME_SPAN_MILLISECOND;

  while (g_get_monotonic_time () < end)
    {
      g_main_context_iteration (NULL, FALSE);
      g_usleep (500);
    }
}

static AttnStudy *
make_study (double epsilon)
{
  AttnStudy *study = attn_presets_load ("epsilon", NULL);

  g_assert_nonnull (study);
  g_array_index (study->epsilons, double, 0) = epsilon;
  return study;
}

static void
test_result_is_of_the_study_asked_for (Fixture       *fixture,
                                       gconstpointer  data)
{
  g_autoptr (AttnStudy) study = make_study (0.25);

  g_assert_false (attn_worker_is_busy (fixture->worker));
  attn_worker_request (fixture->worker, study);
  g_assert_true (attn_worker_is_busy (fixture->worker));
  wait_for_outcome (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 0);
  g_assert_true (attn_study_equal (fixture->result->study, study));
  g_assert_cmpuint (fixture->result->grid->n_rows * fixture->result->grid->n_columns, ==, 9);
  g_assert_false (attn_worker_is_busy (fixture->worker));
}

/* Requests come quicker than they can be computed, with events handled in between. */
static void
test_burst_ends_in_the_last_result (Fixture       *fixture,
                                    gconstpointer  data)
{
  for (guint i = 1; i <= 200; i++)
    {
      g_autoptr (AttnStudy) study = make_study (i / 1000.0);

      attn_worker_request (fixture->worker, study);
      if (i % 10 == 0)
        g_main_context_iteration (NULL, FALSE);
    }
  while (attn_worker_is_busy (fixture->worker))
    wait_for_outcome (fixture);
  guint n_results = fixture->n_results;
  listen (50);
  g_assert_cmpuint (fixture->n_failures, ==, 0);
  g_assert_cmpuint (fixture->n_results, ==, n_results);
  g_assert_cmpfloat (g_array_index (fixture->result->study->epsilons, double, 0), ==, 0.2);
}

/* Cancelled before it began, while it runs and after it has ended but was not yet delivered. */
static void
test_nothing_is_heard_after_cancel (Fixture       *fixture,
                                    gconstpointer  data)
{
  for (guint delay = 0; delay < 12; delay++)
    {
      g_autoptr (AttnStudy) study = make_study (0.5 + delay * 0.01);

      attn_worker_request (fixture->worker, study);
      g_usleep (delay * 1000);
      attn_worker_cancel (fixture->worker);
      g_assert_false (attn_worker_is_busy (fixture->worker));
      listen (5);
      g_assert_cmpuint (fixture->n_results + fixture->n_failures + fixture->n_progress, ==, 0);
    }

  g_autoptr (AttnStudy) study = make_study (0.75);
  attn_worker_request (fixture->worker, study);
  wait_for_outcome (fixture);
  g_assert_cmpuint (fixture->n_results, ==, 1);
  g_assert_true (attn_study_equal (fixture->result->study, study));
}

static void
test_close_while_computing (Fixture       *fixture,
                            gconstpointer  data)
{
  for (guint delay = 0; delay < 8; delay++)
    {
      g_autoptr (AttnStudy) study = make_study (0.5);
      AttnWorker *worker = attn_worker_new ();

      g_signal_connect_swapped (worker, "result", G_CALLBACK (result_cb), fixture);
      attn_worker_request (worker, study);
      g_usleep (delay * 1000);
      g_assert_finalize_object (worker);
    }
  g_assert_finalize_object (g_steal_pointer (&fixture->worker));
  attn_worker_wait_for_threads ();
  listen (10);
  g_assert_cmpuint (fixture->n_results, ==, 0);
}

static void
test_failure_names_the_model_and_the_next_request_works (Fixture       *fixture,
                                                         gconstpointer  data)
{
  g_autoptr (AttnStudy) bad = make_study (0.5);
  g_autoptr (AttnStudy) good = make_study (0.5);

  bad->model.path = g_strdup ("/nowhere/model");
  attn_worker_request (fixture->worker, bad);
  wait_for_outcome (fixture);
  g_assert_cmpuint (fixture->n_results, ==, 0);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_nonnull (strstr (fixture->error->message, "/nowhere/model"));
  g_assert_false (attn_worker_is_busy (fixture->worker));

  attn_worker_request (fixture->worker, good);
  wait_for_outcome (fixture);
  g_assert_cmpuint (fixture->n_results, ==, 1);
}

/* The main loop does not turn: whoever draws a frame has the result for it. */
static void
test_who_waits_is_told_at_once (Fixture       *fixture,
                                gconstpointer  data)
{
  g_autoptr (AttnStudy) study = make_study (0.25);
  g_autoptr (AttnStudy) bad = make_study (0.5);

  attn_worker_wait (fixture->worker, G_MAXINT64);
  g_assert_cmpuint (fixture->n_results, ==, 0);
  attn_worker_request (fixture->worker, study);
  attn_worker_wait (fixture->worker, G_MAXINT64);
  g_assert_cmpuint (fixture->n_results, ==, 1);
  g_assert_true (attn_study_equal (fixture->result->study, study));
  g_assert_false (attn_worker_is_busy (fixture->worker));

  bad->model.path = g_strdup ("/nowhere/model");
  attn_worker_request (fixture->worker, bad);
  attn_worker_wait (fixture->worker, G_MAXINT64);
  g_assert_cmpuint (fixture->n_failures, ==, 1);

  /* What was told is not told again. */
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (fixture->n_results, ==, 1);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/app/worker/result-is-of-the-study-asked-for", Fixture, NULL, set_up,
              test_result_is_of_the_study_asked_for, tear_down);
  g_test_add ("/app/worker/burst-ends-in-the-last-result", Fixture, NULL, set_up,
              test_burst_ends_in_the_last_result, tear_down);
  g_test_add ("/app/worker/nothing-is-heard-after-cancel", Fixture, NULL, set_up,
              test_nothing_is_heard_after_cancel, tear_down);
  g_test_add ("/app/worker/close-while-computing", Fixture, NULL, set_up,
              test_close_while_computing, tear_down);
  g_test_add ("/app/worker/failure-names-the-model-and-the-next-request-works", Fixture, NULL,
              set_up, test_failure_names_the_model_and_the_next_request_works, tear_down);
  g_test_add ("/app/worker/who-waits-is-told-at-once", Fixture, NULL, set_up,
              test_who_waits_is_told_at_once, tear_down);
  return g_test_run ();
}
