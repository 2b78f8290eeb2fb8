/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-workers.h"

#include <glib/gi18n-lib.h>

#include "attn-memory.h"

struct _AttnSurveyWorkers
{
  const AttnSurvey *survey;
  const AttnSurveyQueue *queue;
  gpointer queue_data;
  GCancellable *cancellable;
  GThread **threads;
  guint n_threads;
  gint64 began;

  GMutex lock; /* of what follows, and of the queue */
  GCond has_ended;
  AttnTexts *texts;
  guint64 next_chunk; /* that the texts are in front of */
  guint64 n_texts;    /* computed so far */
  guint64 n_tokens;
  guint n_running;
  GError *error;
};

/* Reads a chunk, or passes it over. *n is how many texts it has, those without tokens included;
 * less than a whole chunk at the end. */
static GPtrArray *
read_chunk (AttnTexts  *texts,
            gboolean    is_wanted,
            guint      *n,
            GError    **error)
{
  g_autoptr (GPtrArray) samples =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_sample_free);
  GError *local_error = NULL;

  for (*n = 0; *n < ATTN_SURVEY_CHUNK; (*n)++)
    {
      AttnSample *sample;

      if (!attn_texts_next (texts, is_wanted, &sample, &local_error))
        break;
      if (sample != NULL)
        g_ptr_array_add (samples, sample);
    }
  /* A line that was overwritten can look like anything: that the file has changed comes first. */
  if (!attn_texts_check (texts, error))
    {
      g_clear_error (&local_error);
      return NULL;
    }
  if (local_error != NULL)
    g_propagate_error (error, local_error);
  return local_error == NULL ? g_steal_pointer (&samples) : NULL;
}

/* The texts of the next chunk; %NULL if there is none. With the lock held. */
static GPtrArray *
take_chunk (AttnSurveyWorkers  *workers,
            guint64            *chunk,
            GError            **error)
{
  if (workers->error != NULL ||
      !workers->queue->next (workers->queue_data, chunk, error))
    return NULL;

  for (;;)
    {
      guint n;
      g_autoptr (GPtrArray) samples =
          read_chunk (workers->texts, workers->next_chunk == *chunk, &n, error);

      if (samples == NULL)
        return NULL;
      if (n < ATTN_SURVEY_CHUNK)
        workers->queue->end (workers->queue_data, workers->next_chunk * ATTN_SURVEY_CHUNK + n);
      if (workers->next_chunk++ == *chunk)
        return n > 0 ? g_steal_pointer (&samples) : NULL;
      if (n < ATTN_SURVEY_CHUNK)
        return NULL;
    }
}

/* Returns whether there is more to do. A thread computes a chunk alone: no set of processors or
 * threads has a fixed size here, and no more than ATTN_MAX_THREADS call OpenBLAS at a time, for
 * which its usual build (128 threads, two buffers each) has room. */
static gboolean
run_chunk (AttnSurveyWorkers  *workers,
           GError            **error)
{
  guint64 chunk;

  g_mutex_lock (&workers->lock);
  g_autoptr (GPtrArray) samples = take_chunk (workers, &chunk, error);
  g_mutex_unlock (&workers->lock);
  if (samples == NULL)
    return FALSE;

  g_autoptr (GBytes) bytes =
      attn_survey_compute (workers->survey, chunk, samples, workers->cancellable, error);
  if (bytes == NULL)
    return FALSE;

  g_mutex_lock (&workers->lock);
  gboolean is_kept = workers->queue->put (workers->queue_data, bytes, error);
  workers->n_texts += samples->len;
  for (guint i = 0; i < samples->len; i++)
    workers->n_tokens += ((AttnSample *) samples->pdata[i])->n_ids;
  g_mutex_unlock (&workers->lock);
  return is_kept;
}

static gpointer
run_thread (gpointer data)
{
  AttnSurveyWorkers *workers = data;
  GError *error = NULL;

  while (run_chunk (workers, &error))
    ;
  g_mutex_lock (&workers->lock);
  if (error != NULL && workers->error == NULL)
    workers->error = g_steal_pointer (&error);
  workers->n_running--;
  g_cond_signal (&workers->has_ended);
  g_mutex_unlock (&workers->lock);
  g_clear_error (&error);
  return NULL;
}

/**
 * attn_survey_workers_choose:
 * @n_threads: (inout): how many are wanted; then as many of them as there is memory for
 * @error: return location for %ATTN_ERROR_MEMORY
 */
gboolean
attn_survey_workers_choose (const AttnSurvey  *survey,
                            guint             *n_threads,
                            GError           **error)
{
  gsize n_bytes = attn_survey_estimate_memory (survey);
  gsize n_fitting = attn_memory_get_limit () / 2 / MAX (n_bytes, 1);

  *n_threads = (guint) MAX (MIN (*n_threads, n_fitting), 1);
  return attn_memory_check (n_bytes, _("a survey"), error);
}

/**
 * attn_survey_workers_start:
 * @n_threads: how many compute
 * @cancellable: (nullable)
 * @error: return location for errors of opening the texts
 *
 * Returns: (transfer full) (nullable): the workers, for attn_survey_workers_finish()
 */
AttnSurveyWorkers *
attn_survey_workers_start (const AttnSurvey       *survey,
                           const AttnSurveyQueue  *queue,
                           gpointer                queue_data,
                           guint                   n_threads,
                           GCancellable           *cancellable,
                           GError                **error)
{
  AttnTexts *texts = attn_survey_open_texts (survey, error);

  if (texts == NULL)
    return NULL;

  AttnSurveyWorkers *workers = g_new0 (AttnSurveyWorkers, 1);
  workers->survey = survey;
  workers->queue = queue;
  workers->queue_data = queue_data;
  workers->cancellable = cancellable;
  workers->texts = texts;
  workers->threads = g_new (GThread *, n_threads);
  workers->n_threads = workers->n_running = n_threads;
  workers->began = g_get_monotonic_time ();
  g_mutex_init (&workers->lock);
  g_cond_init (&workers->has_ended);
  for (guint i = 0; i < n_threads; i++)
    workers->threads[i] = g_thread_new ("survey", run_thread, workers);
  return workers;
}

/**
 * attn_survey_workers_lock:
 *
 * Keeps the workers from the queue until attn_survey_workers_unlock().
 */
void
attn_survey_workers_lock (AttnSurveyWorkers *workers)
{
  g_mutex_lock (&workers->lock);
}

void
attn_survey_workers_unlock (AttnSurveyWorkers *workers)
{
  g_mutex_unlock (&workers->lock);
}

/**
 * attn_survey_workers_wait:
 * @microseconds: how long at most
 *
 * Returns: whether all workers have ended
 */
gboolean
attn_survey_workers_wait (AttnSurveyWorkers *workers,
                          gint64             microseconds)
{
  gint64 end = g_get_monotonic_time () + microseconds;
  gboolean is_over = FALSE;

  g_mutex_lock (&workers->lock);
  while (workers->n_running > 0 && !is_over)
    is_over = !g_cond_wait_until (&workers->has_ended, &workers->lock, end);
  is_over = workers->n_running == 0;
  g_mutex_unlock (&workers->lock);
  return is_over;
}

/**
 * attn_survey_workers_describe:
 * @fraction: (out): of the texts that are read
 *
 * Returns: (transfer full): how far they are
 */
char *
attn_survey_workers_describe (AttnSurveyWorkers *workers,
                              double            *fraction)
{
  double seconds = (double) (g_get_monotonic_time () - workers->began) / G_USEC_PER_SEC;

  g_mutex_lock (&workers->lock);
  *fraction = attn_texts_get_fraction (workers->texts);
  guint64 left =
      *fraction > 0.0 ? (guint64) (seconds * (1.0 - *fraction) / *fraction) : 0;
  char *text = g_strdup_printf (
      _("%zu texts, %.0f tokens a second, %zu:%02u left"),
      workers->n_texts, (double) workers->n_tokens / MAX (seconds, 1e-3), left / 60,
      (guint) (left % 60));
  g_mutex_unlock (&workers->lock);
  return text;
}

/**
 * attn_survey_workers_finish:
 * @workers: (transfer full): is waited for
 * @error: return location for the first error of a worker
 *
 * Returns: whether there was none
 */
gboolean
attn_survey_workers_finish (AttnSurveyWorkers  *workers,
                            GError            **error)
{
  gboolean is_done;

  for (guint i = 0; i < workers->n_threads; i++)
    g_thread_join (workers->threads[i]);
  is_done = workers->error == NULL;
  if (!is_done)
    g_propagate_error (error, workers->error);
  attn_texts_free (workers->texts);
  g_cond_clear (&workers->has_ended);
  g_mutex_clear (&workers->lock);
  g_free (workers->threads);
  g_free (workers);
  return is_done;
}
