/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs tasks in parallel on the computing threads. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnTaskFunc:
 * @task: which one, from 0
 * @worker: who runs it, below [func@attn_threads_get] as it was when the tasks began; no two tasks
 *   run at the same time with the same one, so that it names a piece of scratch memory
 */
typedef void (*AttnTaskFunc) (gsize    task,
                              gsize    worker,
                              gpointer user_data);

void attn_parallel_run (gsize        n_tasks,
                        gsize        n_workers,
                        AttnTaskFunc func,
                        gpointer     user_data);

G_END_DECLS
