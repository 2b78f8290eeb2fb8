/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The worker without a session, on the model that ships. */

#include "config.h"

#include <string.h>

#include "attn-job.h"
#include "attn-worker.h"
#include "waiting.h"

typedef struct
{
  AttnWorker *worker;
  AttnTask *task; /* (nullable): what is waited for */
  AttnResult *result;
  GError *error;
  guint n_results;
  guint n_failures;
  guint n_progress;
  GThread *thread;
} Fixture;

/* A study to compute, and what came of it. */
typedef struct
{
  const AttnStudy *study;
  AttnResult *result;
  GError *error;
} Job;

static void
job_run (gpointer  data,
         AttnTask *task,
         gpointer  workspace)
{
  Job *job = data;
  AttnProgress progress = attn_task_get_progress (task);

  job->result = attn_job_run (job->study, workspace, &progress, attn_task_get_cancellable (task),
                              &job->error);
}

static void
job_free (gpointer data)
{
  Job *job = data;

  attn_study_unref (job->study);
  g_clear_pointer (&job->result, attn_result_unref);
  g_clear_error (&job->error);
  g_free (job);
}

static void
job_deliver (gpointer owner,
             gpointer data)
{
  Fixture *fixture = owner;
  Job *job = data;

  g_assert_true (g_thread_self () == fixture->thread);
  g_clear_pointer (&fixture->result, attn_result_unref);
  g_clear_error (&fixture->error);
  fixture->n_results += job->result != NULL;
  fixture->n_failures += job->error != NULL;
  fixture->result = g_steal_pointer (&job->result);
  fixture->error = g_steal_pointer (&job->error);
  job_free (job);
}

static void
job_report (gpointer    owner,
            const char *stage,
            double      fraction)
{
  Fixture *fixture = owner;

  g_assert_true (g_thread_self () == fixture->thread);
  g_assert_nonnull (stage);
  g_assert_cmpfloat (fraction, >=, 0);
  g_assert_cmpfloat (fraction, <=, 1);
  fixture->n_progress++;
}

static const AttnTaskKind job_kind = {
  .run = job_run,
  .deliver = job_deliver,
  .free = job_free,
  .report = job_report,
};

static void
request (Fixture         *fixture,
         AttnWorker      *worker,
         const AttnStudy *study)
{
  Job *job = g_new0 (Job, 1);

  job->study = attn_study_ref (study);
  attn_worker_push (worker, attn_task_new (&job_kind, fixture, job, &fixture->task), 1);
}

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  fixture->thread = g_thread_self ();
  fixture->worker = attn_worker_new ();
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  attn_task_give_up (&fixture->task);
  g_clear_pointer (&fixture->worker, attn_worker_free);
  attn_worker_wait_for_threads ();
  g_clear_pointer (&fixture->result, attn_result_unref);
  g_clear_error (&fixture->error);
}

static void
wait_for_outcome (Fixture *fixture)
{
  WAIT_UNTIL (fixture->task == NULL);
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

  g_assert_null (fixture->task);
  request (fixture, fixture->worker, study);
  g_assert_nonnull (fixture->task);
  wait_for_outcome (fixture);
  g_assert_cmpuint (fixture->n_failures, ==, 0);
  g_assert_true (attn_study_equal (fixture->result->study, study));
  g_assert_cmpuint (fixture->result->grid->n_rows * fixture->result->grid->n_columns, ==, 9);
  g_assert_null (fixture->task);
}

/* Requests come quicker than they can be computed, with events handled in between. */
static void
test_burst_ends_in_the_last_result (Fixture       *fixture,
                                    gconstpointer  data)
{
  for (guint i = 1; i <= 200; i++)
    {
      g_autoptr (AttnStudy) study = make_study (i / 1000.0);

      request (fixture, fixture->worker, study);
      if (i % 10 == 0)
        g_main_context_iteration (NULL, FALSE);
    }
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

      request (fixture, fixture->worker, study);
      g_usleep (delay * 1000);
      attn_task_give_up (&fixture->task);
      g_assert_null (fixture->task);
      listen (5);
      g_assert_cmpuint (fixture->n_results + fixture->n_failures + fixture->n_progress, ==, 0);
    }

  g_autoptr (AttnStudy) study = make_study (0.75);
  request (fixture, fixture->worker, study);
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

      request (fixture, worker, study);
      g_usleep (delay * 1000);
      attn_task_give_up (&fixture->task);
      attn_worker_free (worker);
    }
  g_clear_pointer (&fixture->worker, attn_worker_free);
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
  request (fixture, fixture->worker, bad);
  wait_for_outcome (fixture);
  g_assert_cmpuint (fixture->n_results, ==, 0);
  g_assert_cmpuint (fixture->n_failures, ==, 1);
  g_assert_nonnull (strstr (fixture->error->message, "/nowhere/model"));
  g_assert_null (fixture->task);

  request (fixture, fixture->worker, good);
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

  request (fixture, fixture->worker, study);
  attn_task_wait (fixture->task, G_MAXINT64);
  g_assert_cmpuint (fixture->n_results, ==, 1);
  g_assert_true (attn_study_equal (fixture->result->study, study));
  g_assert_null (fixture->task);

  bad->model.path = g_strdup ("/nowhere/model");
  request (fixture, fixture->worker, bad);
  attn_task_wait (fixture->task, G_MAXINT64);
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
