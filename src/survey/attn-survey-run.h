/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs a whole survey with several threads, from its texts to its file, and continues a survey that
 * was interrupted. */

#pragma once

#include "attn-progress.h"
#include "attn-survey-store.h"
#include "attn-survey-workers.h"

G_BEGIN_DECLS

/**
 * AttnSurveyRun:
 * @path: (nullable) (type filename): the file that is written, an .npz; %NULL for none
 * @shard: which part of the texts this run computes, counted from 0: every n-th chunk
 * @n_shards: number of parts that the texts are divided into; 1 to compute all texts
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
 * Hands out the chunks of this run's part that are not in the file yet, or the units of the current
 * step of an attribution, and stores their results. @next_chunk: the next one to look at; @end:
 * number behind the last chunk or unit; %G_MAXUINT64 until it is known
 */
typedef struct
{
  AttnSurveyStore *store;
  const AttnSurveyRun *run;
  const AttnSurvey *survey;
  guint64 next_chunk;
  guint64 end;
} AttnSurveyLocalQueue;

/* Functions of a queue of chunks for the workers; their data is an #AttnSurveyLocalQueue. */
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
