/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Opens the document of the session (a study and its file), and asks the user about models that are
 * missing or have changed. */

#include "config.h"

#include "attn-session-private.h"

static void
set_path (AttnStudy  *study,
          guint       index,
          const char *path)
{
  AttnModelReference *model = attn_study_get_model (study, index);

  g_free (model->path);
  model->path = g_strdup (path);
}

/* Returns: index of the first model of the figure that differs from the one the study was made
 * with, leaving out models about which the user did not want to be asked; the number of models if
 * no model differs */
static guint
find_changed_model (AttnSession *self)
{
  guint n = self->result->models->len;

  for (guint i = 0; i < n; i++)
    {
      const char *expected = attn_study_get_model (self->document->study, i)->fingerprint;
      const char *found = attn_model_get_fingerprint (self->result->models->pdata[i]);

      if (expected != NULL && !g_str_equal (expected, found) &&
          !g_hash_table_contains (self->left, found))
        return i;
    }
  return n;
}

static gboolean
shows_changed_model (AttnSession *self)
{
  return attn_session_is_current (self) && find_changed_model (self) < self->result->models->len;
}

/* Returns the number of the model about which the user is asked: the first missing one of the study
 * that waits to be opened. */
static guint
get_missing (AttnSession *self)
{
  return g_array_index (self->missing_models, guint, 0);
}

static void
drop_missing (AttnSession *self)
{
  g_clear_pointer (&self->missing, attn_document_free);
  g_clear_pointer (&self->missing_models, g_array_unref);
}

/**
 * attn_session_open_document:
 * @study: (transfer full): the new study
 * @path: (nullable): the file that the study is saved in
 * @etag: (nullable): etag that the file had when the study was read from it
 * @is_changed: whether @study has changes that the file does not have
 * @missing: (nullable) (element-type guint): numbers of its models without a file, see
 *   attn_study_find_missing()
 *
 * Opens a study with an empty history. If its model cannot be read, the session returns to the
 * former document. If it cannot be computed because of its settings, such as a text that is too
 * long, it stays, so that the user can correct it. If a model of the study is missing, the session
 * stays as it is, and the study waits for the answer to [func@attn_session_get_question].
 */
void
attn_session_open_document (AttnSession     *session,
                            const AttnStudy *study,
                            const char      *path,
                            const char      *etag,
                            gboolean         is_changed,
                            GArray          *missing)
{
  AttnDocument *document = attn_document_new (study, path, etag);

  drop_missing (session);
  if (missing != NULL && missing->len > 0)
    {
      session->missing = document;
      session->missing_models = g_array_ref (missing);
      attn_session_emit (session, ATTN_SESSION_DOCUMENT_CHANGED);
      return;
    }
  attn_session_drop_awaited (session);
  g_hash_table_remove_all (session->left);
  attn_session_keep_fallback (session);
  document->saved = is_changed ? NULL : attn_study_ref (study);
  session->is_opened = TRUE;
  attn_session_set_document (session, document);
  attn_session_request (session);
}

/**
 * attn_session_restore:
 *
 * Opens a study as [func@attn_session_open_document] does, but keeps it even if it cannot be
 * computed, since its changes are in no file of the user.
 */
void
attn_session_restore (AttnSession     *session,
                      const AttnStudy *study,
                      const char      *path,
                      const char      *etag,
                      gboolean         is_changed,
                      GArray          *missing)
{
  attn_session_open_document (session, study, path, etag, is_changed, missing);
  g_clear_pointer (&session->fallback, attn_document_free);
}

/**
 * attn_session_open_file:
 * @file: contents of a path, see attn_document_file_read()
 * @error: return location for the error of a study that could not be read
 *
 * Opens a study at once. A model is opened by the worker, and the study gets it when that is done;
 * #AttnSession::failed is emitted if it cannot be opened.
 *
 * Returns: %FALSE if the path is a study that could not be read
 */
gboolean
attn_session_open_file (AttnSession             *session,
                        const AttnDocumentFile  *file,
                        GError                 **error)
{
  if (file->model != NULL)
    attn_session_await_model (session, file->model);
  else if (file->study != NULL)
    attn_session_open_document (session, attn_study_ref (file->study), file->file, file->etag,
                                FALSE, file->missing);
  else
    {
      g_propagate_error (error, g_error_copy (file->error));
      return FALSE;
    }
  return TRUE;
}

/**
 * attn_session_open_path:
 * @path: (nullable): a model, a study or a figure, see attn_document_file_read(); %NULL for the
 *   model that ships with the program
 * @error: return location for the error of a study that could not be read
 *
 * Reads the path in the calling thread and waits for the disk. A window reads it in another thread
 * and uses attn_session_open_file().
 *
 * Returns: %FALSE if the path is a study that could not be read
 */
gboolean
attn_session_open_path (AttnSession  *session,
                        const char   *path,
                        GError      **error)
{
  if (path == NULL)
    {
      const AttnModelReference shipped = { .path = NULL };

      attn_session_await_model (session, &shipped);
      return TRUE;
    }
  g_autoptr (AttnDocumentFile) file =
      attn_document_file_read (path, &session->document->study->model);
  return attn_session_open_file (session, file, error);
}

/**
 * attn_session_open_table:
 * @path: path of a table of numbers
 * @header: whether its first row and column are names
 *
 * Opens it as [func@attn_session_open_path] does.
 */
void
attn_session_open_table (AttnSession     *session,
                         const char      *path,
                         AttnTableHeader  header)
{
  const AttnModelReference table = { .path = (char *) path, .header = header };

  attn_session_await_model (session, &table);
}

/**
 * attn_session_open_array:
 * @path: path of a file of several arrays
 * @array: name of the array to show
 *
 * Opens it as [func@attn_session_open_path] does.
 */
void
attn_session_open_array (AttnSession *session,
                         const char  *path,
                         const char  *array)
{
  const AttnModelReference named = { .path = (char *) path, .array = (char *) array };

  attn_session_await_model (session, &named);
}

/**
 * attn_session_get_document:
 *
 * Returns: (transfer none): the document: the study with its file and its history; valid until the
 *   next edit
 */
const AttnDocument *
attn_session_get_document (AttnSession *session)
{
  return session->document;
}

/**
 * attn_session_is_changed:
 *
 * Returns: whether the study differs from the one that was last saved or opened, or with which the
 *   session began
 */
gboolean
attn_session_is_changed (AttnSession *session)
{
  return session->document->saved == NULL ||
         !attn_study_equal (session->document->saved, session->document->study);
}

/**
 * attn_session_get_question:
 *
 * Returns: the question about one of the study's models that the user is to answer; its kind is
 *   %ATTN_MODEL_QUESTION_NONE if there is no question
 */
AttnModelQuestion
attn_session_get_question (AttnSession *session)
{
  AttnModelQuestion question = { .document = session->document->path };

  if (session->missing != NULL)
    {
      question.kind = ATTN_MODEL_QUESTION_MISSING;
      question.path = attn_study_get_model (session->missing->study, get_missing (session))->path;
      question.document = session->missing->path;
    }
  else if (shows_changed_model (session))
    {
      guint index = find_changed_model (session);
      const AttnModel *model = session->result->models->pdata[index];

      question.kind = ATTN_MODEL_QUESTION_CHANGED;
      question.path = attn_model_get_path (model);
      question.expected = attn_study_get_model (session->document->study, index)->fingerprint;
      question.found = attn_model_get_fingerprint (model);
    }
  return question;
}

/**
 * attn_session_locate_model:
 * @path: the path of the model that the user has chosen instead
 *
 * Answers the question with another path, which the study gets. If the model there has another
 * fingerprint than expected, the next question is about that.
 */
void
attn_session_locate_model (AttnSession *session,
                           const char  *path)
{
  g_autoptr (AttnDocument) missing = g_steal_pointer (&session->missing);
  AttnStudy *study =
      attn_study_copy (missing != NULL ? missing->study : session->document->study);

  if (missing != NULL)
    {
      g_autoptr (GArray) models = g_steal_pointer (&session->missing_models);

      set_path (study, g_array_index (models, guint, 0), path);
      g_array_remove_index (models, 0);
      /* The opened study differs from its file now, because the path of a model has changed. */
      attn_session_open_document (session, study, missing->path, missing->etag, TRUE, models);
      return;
    }
  set_path (study, shows_changed_model (session) ? find_changed_model (session) : 0, path);
  attn_session_open (session, study);
}

/**
 * attn_session_accept_model:
 *
 * Answers the question by accepting another model than the one that the study was made with: the
 * changed model as it is, or the model of the current study in place of all missing ones.
 */
void
attn_session_accept_model (AttnSession *session)
{
  if (session->missing == NULL)
    {
      if (!shows_changed_model (session))
        return;

      AttnStudy *study = attn_study_copy (session->document->study);
      AttnModelReference *model = attn_study_get_model (study, find_changed_model (session));
      g_clear_pointer (&model->fingerprint, g_free);
      attn_session_edit (session, study, NULL);
      return;
    }

  g_autoptr (AttnDocument) missing = g_steal_pointer (&session->missing);
  g_autoptr (GArray) models = g_steal_pointer (&session->missing_models);
  AttnStudy *study = attn_study_copy (missing->study);
  for (guint i = 0; i < models->len; i++)
    attn_model_reference_take (attn_study_get_model (study, g_array_index (models, guint, i)),
                               &session->document->study->model);
  attn_session_open_document (session, study, missing->path, missing->etag, TRUE, NULL);
}

/**
 * attn_session_drop_question:
 *
 * Leaves the question unanswered. A study whose model is missing is then not opened. A study whose
 * model has changed stays open as it is, and the question comes again the next time it is opened.
 */
void
attn_session_drop_question (AttnSession *session)
{
  if (session->missing != NULL)
    drop_missing (session);
  else if (shows_changed_model (session))
    {
      const AttnModel *model = session->result->models->pdata[find_changed_model (session)];

      g_hash_table_add (session->left, g_strdup (attn_model_get_fingerprint (model)));
    }
  attn_session_emit (session, ATTN_SESSION_DOCUMENT_CHANGED);
}
