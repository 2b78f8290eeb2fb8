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

  GMutex lock; /* lock of the members below and of the queue */
  GCond has_ended;
  AttnTexts *texts;
  guint64 next_chunk; /* the chunk that is read next */
  GPtrArray *samples; /* (nullable): texts of the chunk that was read last */
  gboolean is_at_end;
  guint64 n_units; /* number of units of work in the present step; 0 while unknown */
  guint64 n_done;
  guint64 n_texts; /* number of texts computed so far */
  guint64 n_tokens;
  guint n_running;
  GError *error;
};

/* Reads a chunk of texts, or skips it without tokenizing if it is not wanted. *n: (out): its number
 * of texts, including those without tokens; smaller in the last chunk */
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
  /* A changed file can cause other errors, so its change is reported first. */
  if (!attn_texts_check (texts, error))
    {
      g_clear_error (&local_error);
      return NULL;
    }
  if (local_error != NULL)
    g_propagate_error (error, local_error);
  return local_error == NULL ? g_steal_pointer (&samples) : NULL;
}

/* Takes the next unit of work from the queue and returns the texts of its chunk, or %NULL if no
 * unit is left. The caller holds the lock. */
static GPtrArray *
take_unit (AttnSurveyWorkers  *workers,
           guint64            *unit,
           GError            **error)
{
  if (workers->error != NULL || !workers->queue->next (workers->queue_data, unit, error))
    return NULL;

  guint64 chunk = attn_survey_get_chunk (workers->survey, *unit);
  if (workers->samples != NULL && chunk + 1 == workers->next_chunk)
    return g_ptr_array_ref (workers->samples);
  if (workers->is_at_end)
    return NULL;

  for (;;)
    {
      guint n;
      g_autoptr (GPtrArray) samples =
          read_chunk (workers->texts, workers->next_chunk == chunk, &n, error);

      if (samples == NULL)
        return NULL;
      if (n < ATTN_SURVEY_CHUNK)
        {
          guint64 n_texts = workers->next_chunk * ATTN_SURVEY_CHUNK + n;

          workers->is_at_end = TRUE;
          workers->n_units = attn_survey_count_units (workers->survey, n_texts);
          workers->queue->end (workers->queue_data, n_texts);
        }
      if (workers->next_chunk++ == chunk)
        {
          g_clear_pointer (&workers->samples, g_ptr_array_unref);
          workers->samples = g_ptr_array_ref (samples);
          return n > 0 ? g_steal_pointer (&samples) : NULL;
        }
      if (n < ATTN_SURVEY_CHUNK)
        return NULL;
    }
}

/* Computes the next unit. Returns %FALSE if no unit is left, or with @error set. Each chunk is
 * computed by a single thread, and at most ATTN_MAX_THREADS call OpenBLAS at a time, for which its
 * usual build (128 threads, two buffers each) has room. */
static gboolean
run_chunk (AttnSurveyWorkers  *workers,
           GError            **error)
{
  guint64 unit;

  g_mutex_lock (&workers->lock);
  g_autoptr (GPtrArray) samples = take_unit (workers, &unit, error);
  g_mutex_unlock (&workers->lock);
  if (samples == NULL)
    return FALSE;

  g_autoptr (GBytes) bytes =
      attn_survey_compute (workers->survey, unit, samples, workers->cancellable, error);
  if (bytes == NULL)
    return FALSE;

  g_mutex_lock (&workers->lock);
  gboolean is_kept = workers->queue->put (workers->queue_data, bytes, error);
  workers->n_done++;
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
 * @n_threads: (inout): how many threads are wanted; on return as many of these as there is memory
 *   for, at least 1
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
 * @queue: functions of the queue that hands out chunks
 * @queue_data: what these functions are called with
 * @n_threads: how many threads compute
 * @cancellable: (nullable)
 * @error: return location for errors of opening the texts
 *
 * Starts threads, each of which takes a chunk of the survey's texts from the queue, computes the
 * statistics of its texts and gives them back, until no chunk is left.
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
 * Blocks the workers' access to the queue until attn_survey_workers_unlock(), so that the caller
 * can use it.
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
 * @microseconds: how long to wait at most
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
 * @fraction: (out): share of the texts that were read, or of the units of an attribution that were
 *   computed, 0 to 1
 *
 * Returns: (transfer full): the progress for the user: texts, tokens a second and time left
 */
char *
attn_survey_workers_describe (AttnSurveyWorkers *workers,
                              double            *fraction)
{
  double seconds = (double) (g_get_monotonic_time () - workers->began) / G_USEC_PER_SEC;

  g_mutex_lock (&workers->lock);
  *fraction = attn_texts_get_fraction (workers->texts);
  /* Units of an attribution are counted instead of texts, since they read the same texts many
   * times. */
  if (attn_survey_count_units (workers->survey, 1) > 1)
    *fraction = workers->n_units > 0 ? MIN ((double) workers->n_done / (double) workers->n_units, 1)
                                     : 0.0;
  guint64 left =
      *fraction > 0.0 ? (guint64) (seconds * (1.0 - *fraction) / *fraction) : 0;
  const char *format = attn_survey_count_units (workers->survey, 1) > 1
                           ? _("%zu passes of a text, %.0f tokens a second, %zu:%02u left")
                           : _("%zu texts, %.0f tokens a second, %zu:%02u left");
  char *text = g_strdup_printf (
      format, workers->n_texts, (double) workers->n_tokens / MAX (seconds, 1e-3), left / 60,
      (guint) (left % 60));
  g_mutex_unlock (&workers->lock);
  return text;
}

/**
 * attn_survey_workers_finish:
 * @workers: (transfer full): all threads, which are waited for
 * @error: return location for the first error of a worker
 *
 * Returns: %FALSE if a worker had an error
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
  g_clear_pointer (&workers->samples, g_ptr_array_unref);
  g_cond_clear (&workers->has_ended);
  g_mutex_clear (&workers->lock);
  g_free (workers->threads);
  g_free (workers);
  return is_done;
}
