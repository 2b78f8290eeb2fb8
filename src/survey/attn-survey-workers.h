/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Threads that read and compute chunks of texts. A queue chooses the chunks and takes their
 * results. */

#pragma once

#include "attn-survey.h"

G_BEGIN_DECLS

/**
 * AttnSurveyQueue:
 * @next: gives the number of the next chunk to compute, or unit of an attribution; the numbers
 *   ascend. Returns %FALSE if there is none left, or with @error set
 * @put: stores the results of a chunk
 * @end: is called with the number of all texts by the worker that has read the last one
 *
 * Functions of a queue that hands out chunks. Only one thread at a time calls them.
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
