/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-run.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-file.h"
#include "attn-journal.h"
#include "attn-memory.h"
#include "attn-survey-chunk.h"
#include "attn-threads.h"

/* How often what is found so far is written as a survey that can be opened. */
#define SAVE_SECONDS 10

#define PROGRESS_MICROSECONDS (G_USEC_PER_SEC / 5)

/* What the threads share. */
typedef struct
{
  const AttnSurvey *survey;
  const AttnSurveyRun *run;
  AttnSurveyData *data;
  AttnJournal *journal;
  GCancellable *cancellable;

  GMutex lock; /* of what follows */
  GCond has_news;
  AttnTexts *texts;
  guint64 next_chunk;
  gboolean is_at_end;
  guint64 n_texts;  /* computed in this run */
  guint64 n_tokens; /* likewise */
  guint n_running;
  gint64 saved_at;
  GError *error;
} Run;

/* Reads texts up to the next chunk that is to be computed. With the lock held. *chunk is its
 * number; what it returns is %NULL behind the last text. */
static GPtrArray *
take_chunk (Run      *run,
            guint64  *chunk,
            GError  **error)
{
  while (!run->is_at_end)
    {
      g_autoptr (GPtrArray) samples =
          g_ptr_array_new_with_free_func ((GDestroyNotify) attn_sample_free);
      gboolean is_wanted = run->next_chunk % run->run->n_shards == run->run->shard &&
                           !attn_survey_data_has (run->data, run->next_chunk);
      GError *local_error = NULL;
      guint n;

      for (n = 0; n < ATTN_SURVEY_CHUNK; n++)
        {
          AttnSample *sample;

          if (!attn_texts_next (run->texts, is_wanted, &sample, &local_error))
            break;
          if (sample != NULL)
            g_ptr_array_add (samples, sample);
        }
      if (local_error != NULL)
        {
          g_propagate_error (error, local_error);
          return NULL;
        }
      *chunk = run->next_chunk++;
      if (n < ATTN_SURVEY_CHUNK)
        {
          run->is_at_end = TRUE;
          run->data->n_texts = *chunk * ATTN_SURVEY_CHUNK + n;
        }
      if (is_wanted && n > 0)
        return g_steal_pointer (&samples);
    }
  return NULL;
}

/* With the lock held. */
static gboolean
keep_chunk (Run     *run,
            GBytes  *bytes,
            GError **error)
{
  gint64 now = g_get_monotonic_time ();

  if (!attn_journal_append (run->journal, bytes, error))
    return FALSE;
  attn_survey_chunk_add (bytes, run->data);
  if (now - run->saved_at < SAVE_SECONDS * G_USEC_PER_SEC)
    return TRUE;
  run->saved_at = now;
  return attn_survey_data_save (run->data, run->run->path, error) &&
         attn_journal_clear (run->journal, error);
}

/* Returns whether there is more to do. */
static gboolean
run_chunk (Run     *run,
           GError **error)
{
  guint64 chunk;

  g_mutex_lock (&run->lock);
  g_autoptr (GPtrArray) samples = run->error == NULL ? take_chunk (run, &chunk, error) : NULL;
  g_mutex_unlock (&run->lock);
  if (samples == NULL)
    return FALSE;

  g_autoptr (GBytes) bytes =
      attn_survey_compute (run->survey, chunk, samples, run->cancellable, error);
  if (bytes == NULL)
    return FALSE;

  g_mutex_lock (&run->lock);
  gboolean is_kept = keep_chunk (run, bytes, error);
  run->n_texts += samples->len;
  for (guint i = 0; i < samples->len; i++)
    run->n_tokens += ((AttnSample *) samples->pdata[i])->n_ids;
  g_cond_signal (&run->has_news);
  g_mutex_unlock (&run->lock);
  return is_kept;
}

static gpointer
run_thread (gpointer data)
{
  Run *run = data;
  GError *error = NULL;

  while (run_chunk (run, &error))
    ;
  g_mutex_lock (&run->lock);
  if (error != NULL && run->error == NULL)
    run->error = g_steal_pointer (&error);
  run->n_running--;
  g_cond_signal (&run->has_news);
  g_mutex_unlock (&run->lock);
  g_clear_error (&error);
  return NULL;
}

/* With the lock held. */
static void
report (Run                *run,
        gint64              began,
        double              begin_fraction,
        const AttnProgress *progress)
{
  double seconds = (double) (g_get_monotonic_time () - began) / G_USEC_PER_SEC;
  double fraction = attn_texts_get_fraction (run->texts);
  double done = fraction - begin_fraction;
  guint64 left = done > 0.0 ? (guint64) (seconds * (1.0 - fraction) / done) : 0;
  g_autofree char *stage =
      g_strdup_printf (_("%" G_GUINT64_FORMAT " texts, %.0f tokens a second, %" G_GUINT64_FORMAT
                         ":%02u left"),
                       run->n_texts, (double) run->n_tokens / MAX (seconds, 1e-3), left / 60,
                       (guint) (left % 60));

  attn_progress_report (progress, stage, fraction);
}

static void
add_record (GBytes   *record,
            gpointer  data)
{
  attn_survey_chunk_add (record, data);
}

/* What an earlier run has left at the place. */
static AttnSurveyData *
load_data (const AttnSurvey  *survey,
           const char        *path,
           GError           **error)
{
  g_autoptr (AttnSurveyData) found = NULL;
  g_autofree char *display = g_filename_display_name (path);

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return attn_survey_create_data (survey, error);
  found = attn_survey_data_load (path, error);
  attn_file_list_forget (path);
  if (found == NULL)
    {
      g_prefix_error (error, _("going on with what is there: "));
      return NULL;
    }
  if (!g_str_equal (found->json, attn_survey_get_json (survey)))
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("%s: a survey with other settings, of another model or of other texts "
                             "found, expected the same, or no file"),
                           display);
  return g_steal_pointer (&found);
}

/* As many threads as asked for and as there is memory for. */
static gboolean
choose_threads (const AttnSurvey     *survey,
                const AttnSurveyRun  *run,
                guint                *n_threads,
                GError              **error)
{
  gsize n_bytes = attn_survey_estimate_memory (survey);
  gsize limit = attn_memory_get_limit ();

  *n_threads = run->n_threads > 0 ? run->n_threads : attn_threads_get ();
  *n_threads = MAX (MIN (*n_threads, limit / 2 / MAX (n_bytes, 1)), 1);
  return attn_memory_check (n_bytes, _("a survey"), error);
}

static void
run_threads (Run                *run,
             guint               n_threads,
             const AttnProgress *progress)
{
  g_autofree GThread **threads = g_new (GThread *, n_threads);
  gint64 began = g_get_monotonic_time ();
  gint64 reported = 0;

  g_mutex_lock (&run->lock);
  double begin_fraction = attn_texts_get_fraction (run->texts);
  run->saved_at = began;
  run->n_running = n_threads;
  for (guint i = 0; i < n_threads; i++)
    threads[i] = g_thread_new ("survey", run_thread, run);
  while (run->n_running > 0)
    {
      g_cond_wait (&run->has_news, &run->lock);
      if (g_get_monotonic_time () - reported < PROGRESS_MICROSECONDS)
        continue;
      reported = g_get_monotonic_time ();
      report (run, began, begin_fraction, progress);
    }
  g_mutex_unlock (&run->lock);
  for (guint i = 0; i < n_threads; i++)
    g_thread_join (threads[i]);
}

/**
 * attn_survey_run:
 * @run: where to, and which part
 * @progress: (nullable): is told in the calling thread
 * @cancellable: (nullable): what is done by then is kept
 * @error: return location: %ATTN_ERROR_ARGUMENT for a file that is none of this survey, errors of
 *   [func@attn_survey_compute] and of writing
 *
 * Computes what is not in the file yet. Each chunk is on disk as soon as it is done, so that a run
 * that was killed goes on but for the chunks that were under way. The file has the same bytes
 * whatever the number of threads, parts and kills.
 *
 * Returns: (transfer full) (nullable): what is in the file
 */
AttnSurveyData *
attn_survey_run (const AttnSurvey     *survey,
                 const AttnSurveyRun  *parameters,
                 const AttnProgress   *progress,
                 GCancellable         *cancellable,
                 GError              **error)
{
  g_autofree char *journal_path = g_strconcat (parameters->path, ".journal", NULL);
  g_autoptr (AttnSurveyData) data = load_data (survey, parameters->path, error);
  g_autoptr (AttnTexts) texts = data != NULL ? attn_survey_open_texts (survey, error) : NULL;
  Run run = { .survey = survey, .run = parameters, .data = data, .texts = texts, .cancellable = cancellable };
  guint n_threads;

  g_return_val_if_fail (parameters->n_shards > 0 && parameters->shard < parameters->n_shards, NULL);

  if (texts == NULL || !choose_threads (survey, parameters, &n_threads, error))
    return NULL;
  run.journal =
      attn_journal_open (journal_path, attn_survey_get_json (survey), add_record, data, error);
  if (run.journal == NULL)
    return NULL;

  g_mutex_init (&run.lock);
  g_cond_init (&run.has_news);
  run_threads (&run, n_threads, progress);
  g_cond_clear (&run.has_news);
  g_mutex_clear (&run.lock);

  gboolean is_saved = run.error == NULL && attn_survey_data_save (data, parameters->path, error);
  attn_journal_close (run.journal, !is_saved);
  if (run.error != NULL)
    g_propagate_error (error, run.error);
  return is_saved ? g_steal_pointer (&data) : NULL;
}
