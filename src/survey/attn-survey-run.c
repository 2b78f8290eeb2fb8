/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-run.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
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
  queue->next_chunk += queue->next_chunk < queue->end;
  return *chunk < queue->end;
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

  queue->end = attn_survey_get_first_unit (queue->survey) +
               attn_survey_count_units (queue->survey, n_texts);
  attn_survey_store_set_n_texts (queue->store, n_texts);
}

/**
 * attn_survey_local_queue_begin:
 * @queue: has its store, run and survey set
 *
 * Begins the next step: of an attribution; any other survey has a single step.
 *
 * Returns: %FALSE if all steps are done
 */
gboolean
attn_survey_local_queue_begin (AttnSurveyLocalQueue *queue)
{
  if (!attn_survey_store_begin_step (queue->store, queue->survey))
    return FALSE;
  queue->next_chunk = attn_survey_get_first_unit (queue->survey);
  queue->end = G_MAXUINT64;
  return TRUE;
}

const AttnSurveyQueue attn_survey_local_queue = { next_local, put_local, end_local };

/**
 * attn_survey_run_check:
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: %FALSE if @run computes one part of several while the survey has several steps
 */
gboolean
attn_survey_run_check (const AttnSurvey     *survey,
                       const AttnSurveyRun  *run,
                       GError              **error)
{
  return run->n_shards == 1 || attn_survey_count_steps (survey) == 1 ||
         attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("--shard: %u parts with --steps %zu found, expected one or the other: a step "
                      "follows from all texts of the one before"),
                    run->n_shards, attn_survey_count_steps (survey));
}

/* Runs one step, which goes through all texts, and reports the progress meanwhile. */
static gboolean
run_step (AttnSurveyLocalQueue  *queue,
          guint                  n_threads,
          const AttnProgress    *progress,
          GCancellable          *cancellable,
          GError               **error)
{
  AttnSurveyWorkers *workers =
      attn_survey_workers_start (queue->survey, &attn_survey_local_queue, queue, n_threads,
                                 cancellable, error);

  while (workers != NULL && !attn_survey_workers_wait (workers, PROGRESS_MICROSECONDS))
    {
      double fraction;
      g_autofree char *stage = attn_survey_workers_describe (workers, &fraction);

      attn_progress_report (progress, stage, fraction);
    }
  return workers != NULL && attn_survey_workers_finish (workers, error);
}

/**
 * attn_survey_run:
 * @run: path of the file, and which part of the texts
 * @progress: (nullable): is called in the calling thread, about five times a second
 * @cancellable: (nullable): the results so far are kept if it is canceled
 * @error: return location for errors of [func@attn_survey_store_open], [func@attn_survey_compute]
 *   and of writing
 *
 * Computes what is not in the file yet, in as many threads as attn_threads_get() says and memory
 * allows. Each chunk is on disk as soon as it is done, so that a run that was killed can be
 * continued: only the chunks that were being computed are lost. The bytes of the file do not depend
 * on the number of threads or interruptions.
 *
 * Returns: (transfer full) (nullable): the results that are in the file
 */
AttnSurveyData *
attn_survey_run (const AttnSurvey     *survey,
                 const AttnSurveyRun  *run,
                 const AttnProgress   *progress,
                 GCancellable         *cancellable,
                 GError              **error)
{
  AttnSurveyLocalQueue queue = { .run = run, .survey = survey };
  guint n_threads = attn_threads_get ();
  gboolean is_done = TRUE;

  g_return_val_if_fail (run->n_shards > 0 && run->shard < run->n_shards, NULL);

  if (!attn_survey_run_check (survey, run, error) ||
      !attn_survey_workers_choose (survey, &n_threads, error))
    return NULL;
  queue.store = attn_survey_store_open (survey, run->path, error);
  if (queue.store == NULL)
    return NULL;
  for (gsize step = 0; is_done && step < attn_survey_count_steps (survey); step++)
    if (attn_survey_local_queue_begin (&queue))
      is_done = run_step (&queue, n_threads, progress, cancellable, error) &&
                attn_survey_store_end_step (queue.store, error);
  return attn_survey_store_close (queue.store, is_done, is_done ? error : NULL);
}
