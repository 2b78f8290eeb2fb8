/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A survey from its first text to its file, in threads, and on where it was left off. */

#pragma once

#include "attn-progress.h"
#include "attn-survey.h"

G_BEGIN_DECLS

/**
 * AttnSurveyRun:
 * @path: (type filename): the file that is written, an .npz; beside it stands "PATH.journal" as long
 *   as the survey is not complete
 * @shard: which part of the texts is this run's, counted from 0
 * @n_shards: of how many; 1 for all texts
 * @n_threads: how many compute, 0 for as many as attn_threads_get() says and memory allows
 */
typedef struct
{
  const char *path;
  guint shard;
  guint n_shards;
  guint n_threads;
} AttnSurveyRun;

AttnSurveyData *attn_survey_run (const AttnSurvey     *survey,
                                 const AttnSurveyRun  *run,
                                 const AttnProgress   *progress,
                                 GCancellable         *cancellable,
                                 GError              **error);

G_END_DECLS
