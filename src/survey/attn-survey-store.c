/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-store.h"

#include <glib/gi18n-lib.h>

#include "attn-attribution-unit.h"
#include "attn-error.h"
#include "attn-file.h"
#include "attn-journal.h"
#include "attn-survey-chunk.h"

/* Least number of seconds between two saves of the incomplete survey. */
#define SAVE_SECONDS 10

/* Pause between two saves as a multiple of the time that the last save took, so that saving takes
 * at most a twentieth of the time. */
#define SAVE_PART 20

/**
 * AttnSurveyStore:
 * @data: the results of all chunks that are in the file or in the journal
 * @journal: (nullable): chunks that are not in the file yet, in "PATH.journal"; %NULL without a
 *   file
 * @saved_at: when the file was last written; 0 if it was not written yet, so that the first chunk
 *   is saved immediately
 * @save_time: how long the last save took, in microseconds
 *
 * Only one thread at a time may use it.
 */
struct _AttnSurveyStore
{
  char *path;
  AttnSurveyData *data;
  AttnJournal *journal;
  gint64 saved_at;
  gint64 save_time;
};

static void
add_record (GBytes   *record,
            gpointer  data)
{
  attn_survey_chunk_add (record, data);
}

/* Loads the results of an earlier run from @path, or creates empty ones if there is no file. */
static AttnSurveyData *
load_data (const AttnSurvey  *survey,
           const char        *path,
           GError           **error)
{
  g_autoptr (AttnSurveyData) found = NULL;

  if (path == NULL || !g_file_test (path, G_FILE_TEST_EXISTS))
    return attn_survey_create_data (survey, error);
  found = attn_survey_data_load (path, error);
  attn_file_list_forget (path);
  if (found == NULL)
    return NULL;
  g_autofree char *display = g_filename_display_name (path);
  if (!g_str_equal (found->json, attn_survey_get_json (survey)))
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("%s: a survey with other settings, of another model or of other texts "
                             "found, expected the same, or no file"),
                           display);
  found->most_chunks = attn_survey_get_most_chunks (survey);
  return g_steal_pointer (&found);
}

/**
 * attn_survey_store_open:
 * @path: (nullable) (type filename): an .npz; "PATH.journal" exists beside it until the store is
 *   closed as done; %NULL to write no file
 * @error: return location for %ATTN_ERROR_ARGUMENT: if the file is of another survey, or if another
 *   process writes it; %ATTN_ERROR_FORMAT for a file that is no survey
 *
 * Reads the results of an earlier run from file and journal, even if that run was killed.
 *
 * Returns: (transfer full) (nullable): the store, for attn_survey_store_close()
 */
AttnSurveyStore *
attn_survey_store_open (const AttnSurvey  *survey,
                        const char        *path,
                        GError           **error)
{
  g_autofree char *journal_path = path != NULL ? g_strconcat (path, ".journal", NULL) : NULL;
  g_autoptr (AttnSurveyData) data = load_data (survey, path, error);
  AttnJournal *journal =
      data != NULL && path != NULL
          ? attn_journal_open (journal_path, data->json, add_record, data, error)
          : NULL;

  if (data == NULL || (path != NULL && journal == NULL))
    return NULL;

  AttnSurveyStore *store = g_new0 (AttnSurveyStore, 1);
  store->path = g_strdup (path);
  store->data = g_steal_pointer (&data);
  store->journal = journal;
  return store;
}

gboolean
attn_survey_store_has (const AttnSurveyStore *store,
                       guint64                chunk)
{
  return attn_survey_data_has (store->data, chunk);
}

/* Saves the results to the file, then clears the journal, whose records are now in the file. */
static gboolean
save (AttnSurveyStore  *store,
      GError          **error)
{
  store->saved_at = g_get_monotonic_time ();
  gboolean is_saved = attn_survey_data_save (store->data, store->path, error) &&
                      attn_journal_clear (store->journal, error);
  store->save_time = g_get_monotonic_time () - store->saved_at;
  return is_saved;
}

/**
 * attn_survey_store_add:
 * @chunk: results that [func@attn_survey_compute] returned
 * @error: return location for %ATTN_ERROR_FORMAT and errors of writing
 *
 * Adds the results to the journal, and returns when they are on disk. Saves the whole file from
 * time to time.
 */
gboolean
attn_survey_store_add (AttnSurveyStore  *store,
                       GBytes           *chunk,
                       GError          **error)
{
  gint64 now = g_get_monotonic_time ();
  gint64 pause = MAX (SAVE_SECONDS * G_USEC_PER_SEC, SAVE_PART * store->save_time);

  if (store->data->attribution != NULL &&
      !attn_attribution_unit_reserve (chunk, store->data, error))
    return FALSE;
  if (store->journal != NULL && !attn_journal_append (store->journal, chunk, error))
    return FALSE;
  if (!attn_survey_chunk_add (chunk, store->data))
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: other bytes found, expected a part of the survey"), store->path);
  if (store->journal == NULL || (store->saved_at > 0 && now - store->saved_at < pause))
    return TRUE;
  return save (store, error);
}

/**
 * attn_survey_store_get_data:
 *
 * Returns: (transfer none): the results of all chunks that were added so far
 */
const AttnSurveyData *
attn_survey_store_get_data (const AttnSurveyStore *store)
{
  return store->data;
}

/**
 * attn_survey_store_begin_step:
 *
 * Prepares @survey for its next step. Only an attribution can have more than one.
 *
 * Returns: %FALSE if an attribution has done all its steps
 */
gboolean
attn_survey_store_begin_step (AttnSurveyStore  *store,
                              const AttnSurvey *survey)
{
  const AttnAttribution *attribution = store->data->attribution;

  if (attribution == NULL)
    return TRUE;
  attn_survey_data_finish_steps (store->data);
  if (attribution->n_chosen == attribution->n_steps)
    return FALSE;
  attn_survey_begin_step (survey,
                          attribution->n_chosen * attn_survey_data_count_of_step (store->data),
                          attribution->n_chosen, attribution->chosen);
  return TRUE;
}

/**
 * attn_survey_store_end_step:
 * @error: return location for errors of writing
 *
 * Finishes the step of an attribution whose units are all there (which chooses a head), and saves
 * the file.
 */
gboolean
attn_survey_store_end_step (AttnSurveyStore  *store,
                            GError          **error)
{
  attn_survey_data_finish_steps (store->data);
  return store->data->attribution == NULL || store->journal == NULL || save (store, error);
}

/**
 * attn_survey_store_set_n_texts:
 *
 * Stores the number of all texts, which is known when the last one was read.
 */
void
attn_survey_store_set_n_texts (AttnSurveyStore *store,
                               guint64          n_texts)
{
  store->data->n_texts = n_texts;
}

/**
 * attn_survey_store_close:
 * @store: (transfer full)
 * @is_done: whether to write the file and remove the journal; %FALSE leaves both as they are
 *
 * Returns: (transfer full) (nullable): the results, if @is_done and the file was written
 */
AttnSurveyData *
attn_survey_store_close (AttnSurveyStore  *store,
                         gboolean          is_done,
                         GError          **error)
{
  g_autoptr (AttnSurveyData) data = g_steal_pointer (&store->data);
  gboolean is_saved =
      is_done && (store->path == NULL || attn_survey_data_save (data, store->path, error));

  if (store->journal != NULL)
    attn_journal_close (store->journal, !is_saved);
  g_free (store->path);
  g_free (store);
  return is_saved ? g_steal_pointer (&data) : NULL;
}
