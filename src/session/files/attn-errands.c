/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-errands.h"

typedef struct
{
  GFunc func;
  gpointer data;
  GDestroyNotify free;
} Errand;

static GThreadPool *pool; /* (nullable): pool of one thread, which keeps the order of errands */

static void
run_errand (gpointer data,
            gpointer user_data)
{
  Errand *errand = data;

  errand->func (errand->data, NULL);
  if (errand->free != NULL)
    errand->free (errand->data);
  g_free (errand);
}

/**
 * attn_errands_push:
 * @func: the errand, called in the thread with @data and %NULL
 * @free: (nullable): frees @data, in the thread
 *
 * Lets the thread call @func after all errands that were pushed before.
 */
void
attn_errands_push (GFunc          func,
                   gpointer       data,
                   GDestroyNotify free)
{
  Errand *errand = g_new0 (Errand, 1);

  errand->func = func;
  errand->data = data;
  errand->free = free;
  if (pool == NULL)
    pool = g_thread_pool_new (run_errand, NULL, 1, FALSE, NULL);
  g_thread_pool_push (pool, errand, NULL);
}

static void
run_task (gpointer task,
          gpointer user_data)
{
  attn_task_run (task, NULL);
}

/**
 * attn_errands_run:
 *
 * Lets the thread run a task after all errands that were pushed before.
 */
void
attn_errands_run (AttnTask *task)
{
  attn_errands_push (run_task, attn_task_ref (task), (GDestroyNotify) attn_task_unref);
}

/**
 * attn_errands_wait:
 *
 * Waits until all errands are done. To be called before the program ends.
 */
void
attn_errands_wait (void)
{
  if (pool != NULL)
    g_thread_pool_free (g_steal_pointer (&pool), FALSE, TRUE);
}
