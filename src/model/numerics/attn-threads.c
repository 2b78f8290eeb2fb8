/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-threads.h"

#include "attn-blas.h"
#include "attn-parallel.h"

/* The threads that compute. Matrix products run on them, too: each thread multiplies a part of the
 * matrices by a call of its own, for which OpenBLAS uses only the calling thread. A single pool
 * avoids threads that wait for cores on which those of another pool spin. */

/* The time for which an idle thread spins before it sleeps: as long as one thread of a product of
 * some hundred rows waits for another. Falling asleep and being woken takes longer than it seems: a
 * processor that sleeps for a moment is slower at first. */
#define AWAKE_MICROSECONDS 1000
/* The number of times that a spinning thread looks for work before it checks the time. */
#define LOOKS 64

static gint n_threads_set; /* number of computing threads; 0 until attn_threads_set(); atomic */
static GThreadPool *pool;  /* pool of helper threads, never freed; its threads end when idle */

/**
 * attn_threads_set:
 * @n_threads: how many threads compute, 1 to %ATTN_MAX_THREADS; 0 for as many as there are
 *   processors
 *
 * Any thread may call; computations under way are not affected.
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
 * Returns: how many threads compute, the caller's included: fewer than were set if a limited
 *   address space has no room for so many matrix products at the same time
 */
guint
attn_threads_get (void)
{
  static gint n_processors; /* atomic; asked of the system once */
  gint n_threads = g_atomic_int_get (&n_threads_set);

  if (n_threads == 0 && g_atomic_int_get (&n_processors) == 0)
    g_atomic_int_set (&n_processors, (gint) MIN (g_get_num_processors (), ATTN_MAX_THREADS));
  if (n_threads == 0)
    n_threads = g_atomic_int_get (&n_processors);
  return (guint) MIN ((gsize) n_threads, attn_blas_get_max_callers ());
}

/* A job: tasks that several threads share. The caller and each helper own a reference, since a
 * helper may arrive when the job is done and the caller has gone on. */
typedef struct
{
  gatomicrefcount ref_count;
  gsize n_tasks;
  AttnTaskFunc func;
  gpointer user_data;
  gint next_task;   /* atomic */
  gint next_worker; /* atomic */
  gint n_left;      /* atomic; tasks that are not done */

  GMutex lock; /* protects the members that follow */
  GCond is_done;
} Job;

/* Slots of the spinning helpers: %NOTHING until a helper is given a job, %NULL if no helper has the
 * slot. */
static Job *slots[ATTN_MAX_THREADS]; /* atomic */
static gint n_awake;                 /* number of awake helper threads, roughly; atomic */

#define NOTHING ((Job *) slots)

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
  if (n_done == 0 || g_atomic_int_add (&job->n_left, -(gint) n_done) != (gint) n_done)
    return;

  /* The last task of the job is done: the caller is woken. */
  g_mutex_lock (&job->lock);
  g_cond_signal (&job->is_done);
  g_mutex_unlock (&job->lock);
}

static inline void
relax (void)
{
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_ia32_pause ();
#endif
}

/* Spins for a while, during which other programs that need the processor get it. Returns whether
 * @has_come became true. */
static gboolean
wait_awake (gboolean (*has_come) (gpointer data), gpointer data)
{
  gint64 end = g_get_monotonic_time () + AWAKE_MICROSECONDS;

  do
    {
      for (guint i = 0; i < LOOKS; i++)
        {
          if (has_come (data))
            return TRUE;
          relax ();
        }
      g_thread_yield ();
    }
  while (g_get_monotonic_time () < end);
  return FALSE;
}

static gboolean
has_job (gpointer data)
{
  Job **slot = data;

  return g_atomic_pointer_get (slot) != NOTHING;
}

static gboolean
is_done (gpointer data)
{
  Job *job = data;

  return g_atomic_int_get (&job->n_left) == 0;
}

/* Waits awake for another job. Returns NULL if none comes in time, or if too many threads already
 * wait. */
static Job *
wait_for_job (void)
{
  Job **slot = slots;

  while (slot < slots + ATTN_MAX_THREADS &&
         !g_atomic_pointer_compare_and_exchange (slot, NULL, NOTHING))
    slot++;
  if (slot == slots + ATTN_MAX_THREADS)
    return NULL;
  g_atomic_int_inc (&n_awake);
  wait_awake (has_job, slot);
  g_atomic_int_add (&n_awake, -1);
  /* The thread gives up its slot, unless a job has arrived in the slot just now. */
  if (g_atomic_pointer_compare_and_exchange (slot, NOTHING, NULL))
    return NULL;
  Job *job = g_atomic_pointer_get (slot);
  g_atomic_pointer_set (slot, NULL);
  return job;
}

/* Gives a job and a reference to it to a helper that is awake. Returns FALSE if no helper is
 * awake. */
static gboolean
give_job (Job *job)
{
  for (gsize i = 0; i < ATTN_MAX_THREADS && g_atomic_int_get (&n_awake) > 0; i++)
    if (g_atomic_pointer_get (&slots[i]) == NOTHING &&
        g_atomic_pointer_compare_and_exchange (&slots[i], NOTHING, job))
      return TRUE;
  return FALSE;
}

static void
helper_cb (gpointer data,
           gpointer user_data)
{
  for (Job *job = data; job != NULL; job = wait_for_job ())
    {
      job_work (job);
      job_unref (job);
    }
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
 * @func: runs one task; must not call attn_parallel_run() itself
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
  job->n_left = (gint) n_tasks;
  job->func = func;
  job->user_data = user_data;
  for (gsize i = 0; i < n_helpers; i++)
    {
      /* If the system has no more threads, the caller does all of the work. */
      g_atomic_ref_count_inc (&job->ref_count);
      if (!give_job (job))
        g_thread_pool_push (threads, job, NULL);
    }
  job_work (job);

  if (!wait_awake (is_done, job))
    {
      g_mutex_lock (&job->lock);
      while (g_atomic_int_get (&job->n_left) > 0)
        g_cond_wait (&job->is_done, &job->lock);
      g_mutex_unlock (&job->lock);
    }
  job_unref (job);
}
