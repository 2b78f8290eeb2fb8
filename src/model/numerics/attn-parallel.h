/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs tasks in parallel on the computing threads. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnTaskFunc:
 * @task: number of the task, from 0
 * @worker: number of the thread that runs it, below the @n_workers of [func@attn_parallel_run]; no
 *   two tasks run at the same time with the same number, so that it can index scratch memory
 */
typedef void (*AttnTaskFunc) (gsize    task,
                              gsize    worker,
                              gpointer user_data);

void attn_parallel_run (gsize        n_tasks,
                        gsize        n_workers,
                        AttnTaskFunc func,
                        gpointer     user_data);

G_END_DECLS
