/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A crew of threads that share a list of tasks, each thread doing one task after another. The
 * result does not depend on the number of threads. Private to src/study/probe. */

#pragma once

#include <gio/gio.h>

#include "attn-progress.h"

G_BEGIN_DECLS

/**
 * AttnProbeTask:
 * @task: number of the task, from 0
 */
typedef gboolean (*AttnProbeTask) (gsize     task,
                                   gpointer  user_data,
                                   GError  **error);

/**
 * AttnProbeCrew:
 * @n_tasks: number of tasks
 * @n_threads: number of threads that do the tasks
 * @func: does one task, in any of the threads
 * @describe: returns the text of the progress, such as "Fitting probe 3 of 20", translated
 */
typedef struct
{
  gsize n_tasks;
  gsize n_threads;
  AttnProbeTask func;
  gpointer user_data;
  char *(*describe) (gsize n_done,
                     gsize n_tasks);
} AttnProbeCrew;

gboolean attn_probe_crew_run (const AttnProbeCrew  *crew,
                              const AttnProgress   *progress,
                              GCancellable         *cancellable,
                              GError              **error);

G_END_DECLS
