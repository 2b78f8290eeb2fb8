/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-worker.h"

#include "attn-workspace.h"

struct _AttnWorker
{
  GAsyncQueue *queue; /* (element-type Item): waiting tasks */
};

/* Task in the queue of a worker. */
typedef struct
{
  AttnTask *task; /* (nullable): %NULL ends the thread */
  guint rank;
} Item;

/* Number of threads of freed workers that are still running. main() waits for them before the
 * program ends. */
static GMutex threads_mutex;
static GCond threads_cond;
static guint n_ending;

static void
item_free (gpointer data)
{
  Item *item = data;

  g_clear_pointer (&item->task, attn_task_unref);
  g_free (item);
}

static gpointer
thread_func (gpointer user_data)
{
  GAsyncQueue *queue = user_data;
  AttnWorkspace *workspace = attn_workspace_new ();
  Item *item;

  while ((item = g_async_queue_pop (queue))->task != NULL)
    {
      if (!g_cancellable_is_cancelled (attn_task_get_cancellable (item->task)))
        attn_task_run (item->task, workspace);
      item_free (item);
    }
  item_free (item);
  attn_workspace_free (workspace);
  g_async_queue_unref (queue);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&threads_mutex);
  n_ending--;
  g_cond_broadcast (&threads_cond);
  return NULL;
}

AttnWorker *
attn_worker_new (void)
{
  AttnWorker *worker = g_new (AttnWorker, 1);

  worker->queue = g_async_queue_new_full (item_free);
  g_thread_unref (
      g_thread_new ("attn-worker", thread_func, g_async_queue_ref (worker->queue)));
  return worker;
}

static int
compare_ranks (gconstpointer a,
               gconstpointer b,
               gpointer      user_data)
{
  return (int) ((const Item *) a)->rank - (int) ((const Item *) b)->rank;
}

static void
push (AttnWorker *worker,
      AttnTask   *task,
      guint       rank)
{
  Item *item = g_new (Item, 1);

  item->task = task;
  item->rank = rank;
  g_async_queue_push_sorted (worker->queue, item, compare_ranks, NULL);
}

/**
 * attn_worker_free:
 *
 * Lets the thread end after its current task, without waiting for it. The caller cancels all tasks
 * of the worker before.
 */
void
attn_worker_free (AttnWorker *worker)
{
  g_mutex_lock (&threads_mutex);
  n_ending++;
  g_mutex_unlock (&threads_mutex);
  push (worker, NULL, 0);
  g_async_queue_unref (worker->queue);
  g_free (worker);
}

/**
 * attn_worker_push:
 * @task: (transfer full): runs with the worker's #AttnWorkspace; it is skipped if it is canceled
 *   before its turn
 * @rank: urgency from 1 on: tasks with a lower number run first
 */
void
attn_worker_push (AttnWorker *worker,
                  AttnTask   *task,
                  guint       rank)
{
  push (worker, task, rank);
}

/**
 * attn_worker_wait_for_threads:
 *
 * Waits until the thread of every worker that was freed has ended. To be called once before the
 * program ends.
 */
void
attn_worker_wait_for_threads (void)
{
  /* Pending messages from other threads may hold the last reference to a session and its worker. */
  while (g_main_context_iteration (NULL, FALSE))
    ;

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&threads_mutex);
  while (n_ending > 0)
    g_cond_wait (&threads_cond, &threads_mutex);
}
