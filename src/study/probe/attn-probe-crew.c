/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-probe-crew.h"

/* Microseconds between two reports of progress. */
#define REPORT_MICROSECONDS 100000

typedef struct
{
  const AttnProbeCrew *crew;
  GCancellable *cancellable;

  GMutex lock; /* guards the members below */
  GCond has_ended;
  gsize next;
  gsize n_done;
  gsize n_running;
  gsize failed; /* lowest number of a task that has failed */
  GError *error;
} Work;

/* Takes the next task that no thread works on yet. Returns FALSE if no task is left, or after an
 * error or cancellation. */
static gboolean
take (Work  *work,
      gsize *task)
{
  g_mutex_lock (&work->lock);
  gboolean is_taken = work->error == NULL && work->next < work->crew->n_tasks &&
                      !g_cancellable_is_cancelled (work->cancellable);
  if (is_taken)
    *task = work->next++;
  g_mutex_unlock (&work->lock);
  return is_taken;
}

/* Records that a task has ended. If several tasks fail, the error of the task with the lowest
 * number is kept. */
static void
finish (Work   *work,
        gsize   task,
        GError *error)
{
  g_mutex_lock (&work->lock);
  if (error == NULL)
    work->n_done++;
  else if (work->error == NULL || task < work->failed)
    {
      g_clear_error (&work->error);
      work->error = error;
      work->failed = task;
    }
  else
    g_error_free (error);
  g_mutex_unlock (&work->lock);
}

static gpointer
run_thread (gpointer data)
{
  Work *work = data;
  gsize task;

  while (take (work, &task))
    {
      GError *error = NULL;

      work->crew->func (task, work->crew->user_data, &error);
      finish (work, task, error);
    }
  g_mutex_lock (&work->lock);
  work->n_running--;
  g_cond_signal (&work->has_ended);
  g_mutex_unlock (&work->lock);
  return NULL;
}

/* Reports progress until all tasks have ended. */
static void
wait_for (Work               *work,
          const AttnProgress *progress)
{
  const AttnProbeCrew *crew = work->crew;

  g_mutex_lock (&work->lock);
  while (work->n_running > 0)
    {
      gsize n_done = work->n_done;

      g_mutex_unlock (&work->lock);
      g_autofree char *stage = crew->describe (n_done, crew->n_tasks);
      attn_progress_report (progress, stage, (double) n_done / (double) crew->n_tasks);
      g_mutex_lock (&work->lock);
      if (work->n_running > 0)
        g_cond_wait_until (&work->has_ended, &work->lock,
                           g_get_monotonic_time () + REPORT_MICROSECONDS);
    }
  g_mutex_unlock (&work->lock);
}

/**
 * attn_probe_crew_run:
 * @progress: (nullable): is told how many tasks are done, in the calling thread
 * @cancellable: (nullable): checked before each task
 * @error: return location: the error of the task with the lowest number that failed, or
 *   %G_IO_ERROR_CANCELLED
 *
 * Does all tasks in several threads, and returns when no thread is at work any more.
 */
gboolean
attn_probe_crew_run (const AttnProbeCrew  *crew,
                     const AttnProgress   *progress,
                     GCancellable         *cancellable,
                     GError              **error)
{
  Work work = { .crew = crew, .cancellable = cancellable };
  gsize n_threads = CLAMP (crew->n_threads, 1, MAX (crew->n_tasks, 1));
  g_autofree GThread **threads = g_new (GThread *, n_threads);

  g_mutex_init (&work.lock);
  g_cond_init (&work.has_ended);
  work.n_running = n_threads;
  for (gsize i = 0; i < n_threads; i++)
    threads[i] = g_thread_new ("probe", run_thread, &work);
  wait_for (&work, progress);
  for (gsize i = 0; i < n_threads; i++)
    g_thread_join (threads[i]);
  g_cond_clear (&work.has_ended);
  g_mutex_clear (&work.lock);
  if (work.error != NULL)
    {
      g_propagate_error (error, work.error);
      return FALSE;
    }
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}
