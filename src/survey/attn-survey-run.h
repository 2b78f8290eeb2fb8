/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs a survey from its first text to its file with several threads, and continues one that was
 * interrupted. */

#pragma once

#include "attn-progress.h"
#include "attn-survey-store.h"
#include "attn-survey-workers.h"

G_BEGIN_DECLS

/**
 * AttnSurveyRun:
 * @path: (nullable) (type filename): the file that is written, an .npz; %NULL for none
 * @shard: which part of the texts is this run's, counted from 0
 * @n_shards: of how many; 1 for all texts
 */
typedef struct
{
  const char *path;
  guint shard;
  guint n_shards;
} AttnSurveyRun;

/**
 * AttnSurveyLocalQueue:
 *
 * Hands out the chunks of a part that are not in a file yet, or of an attribution the units of a
 * step, and puts them there. @end: behind the last, once it is known
 */
typedef struct
{
  AttnSurveyStore *store;
  const AttnSurveyRun *run;
  const AttnSurvey *survey;
  guint64 next_chunk;
  guint64 end;
} AttnSurveyLocalQueue;

/* For #AttnSurveyLocalQueue. */
extern const AttnSurveyQueue attn_survey_local_queue;

gboolean        attn_survey_local_queue_begin (AttnSurveyLocalQueue *queue);

gboolean        attn_survey_run_check (const AttnSurvey    *survey,
                                 const AttnSurveyRun  *run,
                                 GError              **error);
AttnSurveyData *attn_survey_run (const AttnSurvey     *survey,
                                 const AttnSurveyRun  *run,
                                 const AttnProgress   *progress,
                                 GCancellable         *cancellable,
                                 GError              **error);

G_END_DECLS
