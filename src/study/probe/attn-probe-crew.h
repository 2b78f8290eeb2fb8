/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Threads that each perform one task after another. The result does not depend on the number of
 * threads. Private to src/study/probe. */

#pragma once

#include <gio/gio.h>

#include "attn-progress.h"

G_BEGIN_DECLS

/**
 * AttnProbeTask:
 * @task: which one, from 0
 */
typedef gboolean (*AttnProbeTask) (gsize     task,
                                   gpointer  user_data,
                                   GError  **error);

/**
 * AttnProbeCrew:
 * @n_tasks: how many there are
 * @n_threads: how many threads do them
 * @func: does one, in any of the threads
 * @describe: says how many tasks of how many are done, translated
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
