/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Threads that read and compute chunks of texts, which a queue hands out. */

#pragma once

#include "attn-survey.h"

G_BEGIN_DECLS

/**
 * AttnSurveyQueue:
 * @next: gives the number of a chunk to compute, or of a unit of an attribution, each greater than
 *   those before; %FALSE if there is none, or with @error set
 * @put: takes what was computed
 * @end: is told how many texts there are by the worker that finds their end
 *
 * Hands out chunks. One thread at a time calls.
 */
typedef struct
{
  gboolean (*next) (gpointer   queue,
                    guint64   *chunk,
                    GError   **error);
  gboolean (*put)  (gpointer   queue,
                    GBytes    *bytes,
                    GError   **error);
  void     (*end)  (gpointer   queue,
                    guint64    n_texts);
} AttnSurveyQueue;

typedef struct _AttnSurveyWorkers AttnSurveyWorkers;

AttnSurveyWorkers *attn_survey_workers_start  (const AttnSurvey       *survey,
                                               const AttnSurveyQueue  *queue,
                                               gpointer                queue_data,
                                               guint                   n_threads,
                                               GCancellable           *cancellable,
                                               GError                **error);
void               attn_survey_workers_lock   (AttnSurveyWorkers      *workers);
void               attn_survey_workers_unlock (AttnSurveyWorkers      *workers);
gboolean           attn_survey_workers_wait   (AttnSurveyWorkers      *workers,
                                               gint64                  microseconds);
char              *attn_survey_workers_describe (AttnSurveyWorkers    *workers,
                                               double                 *fraction);
gboolean           attn_survey_workers_finish (AttnSurveyWorkers      *workers,
                                               GError                **error);
gboolean           attn_survey_workers_choose (const AttnSurvey       *survey,
                                               guint                  *n_threads,
                                               GError                **error);

G_END_DECLS
