/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-run.h"

#include "attn-threads.h"

#define PROGRESS_MICROSECONDS (G_USEC_PER_SEC / 5)

static gboolean
next_local (gpointer   data,
            guint64   *chunk,
            GError   **error)
{
  AttnSurveyLocalQueue *queue = data;
  const AttnSurveyRun *run = queue->run;

  while (queue->next_chunk % run->n_shards != run->shard ||
         attn_survey_store_has (queue->store, queue->next_chunk))
    queue->next_chunk++;
  *chunk = queue->next_chunk;
  queue->next_chunk += !queue->is_at_end;
  return !queue->is_at_end;
}

static gboolean
put_local (gpointer   data,
           GBytes    *bytes,
           GError   **error)
{
  AttnSurveyLocalQueue *queue = data;

  return attn_survey_store_add (queue->store, bytes, error);
}

static void
end_local (gpointer data,
           guint64  n_texts)
{
  AttnSurveyLocalQueue *queue = data;

  queue->is_at_end = TRUE;
  attn_survey_store_set_n_texts (queue->store, n_texts);
}

const AttnSurveyQueue attn_survey_local_queue = { next_local, put_local, end_local };

/**
 * attn_survey_run:
 * @run: where to, and which part
 * @progress: (nullable): is told in the calling thread
 * @cancellable: (nullable): what is done by then is kept
 * @error: return location for errors of [func@attn_survey_store_open],
 *   [func@attn_survey_compute] and of writing
 *
 * Computes what is not in the file yet, in as many threads as attn_threads_get() says and memory
 * allows. Each chunk is on disk as soon as it is done, so that a run that was killed goes on but
 * for the chunks that were under way. The file has the same bytes whatever the number of threads,
 * parts and kills.
 *
 * Returns: (transfer full) (nullable): what is in the file
 */
AttnSurveyData *
attn_survey_run (const AttnSurvey     *survey,
                 const AttnSurveyRun  *run,
                 const AttnProgress   *progress,
                 GCancellable         *cancellable,
                 GError              **error)
{
  AttnSurveyLocalQueue queue = { .run = run };
  AttnSurveyWorkers *workers;
  guint n_threads = attn_threads_get ();
  gboolean is_done;

  g_return_val_if_fail (run->n_shards > 0 && run->shard < run->n_shards, NULL);

  if (!attn_survey_workers_choose (survey, &n_threads, error))
    return NULL;
  queue.store = attn_survey_store_open (survey, run->path, error);
  if (queue.store == NULL)
    return NULL;
  workers = attn_survey_workers_start (survey, &attn_survey_local_queue, &queue, n_threads,
                                       cancellable, error);
  while (workers != NULL && !attn_survey_workers_wait (workers, PROGRESS_MICROSECONDS))
    {
      double fraction;
      g_autofree char *stage = attn_survey_workers_describe (workers, &fraction);

      attn_progress_report (progress, stage, fraction);
    }
  is_done = workers != NULL && attn_survey_workers_finish (workers, error);
  return attn_survey_store_close (queue.store, is_done, is_done ? error : NULL);
}
