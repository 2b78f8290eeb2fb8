/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-threads.h"

#include "attn-blas.h"
#include "attn-parallel.h"

/* Matrix products are split over the same threads as everything else, each piece a product of its
 * own, and OpenBLAS is told to use the thread that calls. One pool, so that its threads never wait
 * for cores that another pool's threads spin on. */

static gint n_threads_set; /* atomic; 0 until attn_threads_set() */
static GThreadPool *pool;  /* never freed: its threads end when idle */

/**
 * attn_threads_set:
 * @n_threads: how many threads compute, 1 to %ATTN_MAX_THREADS; 0 for as many as there are
 *   processors
 *
 * Any thread may call; what runs already is not affected.
 */
void
attn_threads_set (guint n_threads)
{
  g_return_if_fail (n_threads <= ATTN_MAX_THREADS);

  g_atomic_int_set (&n_threads_set, (gint) n_threads);
}

/**
 * attn_threads_get:
 *
 * Returns: how many threads compute, the caller's included: fewer than were set where the address
 *   space has not the room for so many matrix products at the same time
 */
guint
attn_threads_get (void)
{
  static gint n_processors; /* atomic; asked for once, of the system */
  gint n_threads = g_atomic_int_get (&n_threads_set);

  if (n_threads == 0 && g_atomic_int_get (&n_processors) == 0)
    g_atomic_int_set (&n_processors, (gint) MIN (g_get_num_processors (), ATTN_MAX_THREADS));
  if (n_threads == 0)
    n_threads = g_atomic_int_get (&n_processors);
  return (guint) MIN ((gsize) n_threads, attn_blas_get_max_callers ());
}

/* Owned by the caller and by each helper, since a helper may come when all is done and the caller
 * gone. */
typedef struct
{
  gatomicrefcount ref_count;
  gsize n_tasks;
  AttnTaskFunc func;
  gpointer user_data;
  gint next_task;   /* atomic */
  gint next_worker; /* atomic */

  GMutex lock; /* of what follows */
  GCond is_done;
  gsize n_done;
} Job;

static void
job_unref (Job *job)
{
  if (!g_atomic_ref_count_dec (&job->ref_count))
    return;
  g_cond_clear (&job->is_done);
  g_mutex_clear (&job->lock);
  g_free (job);
}

static void
job_work (Job *job)
{
  gsize worker = (gsize) g_atomic_int_add (&job->next_worker, 1);
  gsize n_done = 0;

  for (;; n_done++)
    {
      gsize task = (gsize) g_atomic_int_add (&job->next_task, 1);

      if (task >= job->n_tasks)
        break;
      job->func (task, worker, job->user_data);
    }
  if (n_done == 0)
    return;

  g_mutex_lock (&job->lock);
  job->n_done += n_done;
  if (job->n_done == job->n_tasks)
    g_cond_signal (&job->is_done);
  g_mutex_unlock (&job->lock);
}

static void
helper_cb (gpointer data,
           gpointer user_data)
{
  job_work (data);
  job_unref (data);
}

static GThreadPool *
get_pool (void)
{
  static gsize is_ready;

  if (g_once_init_enter (&is_ready))
    {
      attn_blas_init ();
      pool = g_thread_pool_new (helper_cb, NULL, ATTN_MAX_THREADS, FALSE, NULL);
      g_once_init_leave (&is_ready, 1);
    }
  return pool;
}

/**
 * attn_parallel_run:
 * @n_tasks: how many tasks, below 2^31 less the threads
 * @n_workers: at most how many run at a time; scratch memory is often what bounds it
 * @func: runs one; must not call this function itself
 * @user_data: what @func is given
 *
 * Runs all tasks, some of them in the calling thread, and returns when the last one is done. Which
 * worker gets which task is left to chance: a task's result must not depend on it.
 */
void
attn_parallel_run (gsize        n_tasks,
                   gsize        n_workers,
                   AttnTaskFunc func,
                   gpointer     user_data)
{
  GThreadPool *threads = get_pool ();
  Job *job = g_new0 (Job, 1);
  gsize n_helpers = MIN (n_tasks, n_workers);

  n_helpers = n_helpers > 0 ? n_helpers - 1 : 0;
  g_atomic_ref_count_init (&job->ref_count);
  g_mutex_init (&job->lock);
  g_cond_init (&job->is_done);
  job->n_tasks = n_tasks;
  job->func = func;
  job->user_data = user_data;
  for (gsize i = 0; i < n_helpers; i++)
    {
      /* A machine out of threads is no error: the caller does the work. */
      g_atomic_ref_count_inc (&job->ref_count);
      g_thread_pool_push (threads, job, NULL);
    }
  job_work (job);

  g_mutex_lock (&job->lock);
  while (job->n_done < job->n_tasks)
    g_cond_wait (&job->is_done, &job->lock);
  g_mutex_unlock (&job->lock);
  job_unref (job);
}
