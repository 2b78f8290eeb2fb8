/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Document of the session: opens and saves it, and asks about its models. */

#include "config.h"

#include "attn-session-private.h"

#include "attn-text.h"

/* Counts the models of a study. Model 0 is its own, the others follow. */
static guint
count_models (const AttnStudy *study)
{
  return 1 + study->other_models->len;
}

static gboolean
is_missing (const AttnStudy *study,
            guint            index)
{
  const char *path = attn_study_get_model (study, index)->path;

  return path != NULL && !g_file_test (path, G_FILE_TEST_EXISTS);
}

/* Returns: index of the first model of the study whose file is missing, or the number of models if
 * none is */
static guint
find_missing_model (const AttnStudy *study)
{
  guint n = count_models (study);
  guint index = 0;

  while (index < n && !is_missing (study, index))
    index++;
  return index;
}

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
 * with, leaving out models about which the user was asked; or the number of models if there is
 * none */
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

/* Returns the current etag of a file, which differs after each change, (nullable). */
static char *
dup_etag (const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInfo) info =
      g_file_query_info (file, G_FILE_ATTRIBUTE_ETAG_VALUE, G_FILE_QUERY_INFO_NONE, NULL, NULL);

  return info != NULL ? g_strdup (g_file_info_get_etag (info)) : NULL;
}

/**
 * attn_session_open_document:
 * @study: (transfer full): the study to have from now on
 * @path: (nullable): the file it lives in
 * @etag: (nullable): of that file when the study was read from it
 * @is_changed: whether it is more than that file holds
 *
 * Begins a new history. A study whose model cannot be read is not opened after all: the session
 * returns to what it was before. One that cannot be computed for what it says, such as a text that
 * is too long, stays to be mended. If a model of the study is missing, the session stays as it is
 * and asks, see [func@attn_session_get_question].
 */
void
attn_session_open_document (AttnSession     *session,
                            const AttnStudy *study,
                            const char      *path,
                            const char      *etag,
                            gboolean         is_changed)
{
  AttnDocument *document = attn_document_new (study, path, etag);

  g_clear_pointer (&session->missing, attn_document_free);
  session->missing_model = find_missing_model (study);
  if (session->missing_model < count_models (study))
    {
      session->missing = document;
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
 * As [func@attn_session_open_document], but what cannot be computed stays too: it is in no file.
 */
void
attn_session_restore (AttnSession     *session,
                      const AttnStudy *study,
                      const char      *path,
                      const char      *etag,
                      gboolean         is_changed)
{
  attn_session_open_document (session, study, path, etag, is_changed);
  g_clear_pointer (&session->fallback, attn_document_free);
}

/* Tells by its name whether the file is a figure that contains a study. */
static gboolean
is_figure (const char *path)
{
  return attn_text_has_suffix (path, ".svg") || attn_text_has_suffix (path, ".html");
}

/**
 * attn_session_is_document:
 * @path: of a file
 *
 * Returns: whether [func@attn_session_open_path] takes it for a study: *.json, *.svg and
 *   *.html, but for those that describe a model
 */
gboolean
attn_session_is_document (const char *path)
{
  return (attn_text_has_suffix (path, ".json") || is_figure (path)) &&
         !g_file_test (path, G_FILE_TEST_IS_DIR) && !attn_model_is_described_by (path);
}

/**
 * attn_session_open_path:
 * @path: (nullable): a checkpoint directory or file, recorded arrays, a study (*.json) or a figure
 *   that carries one (*.svg, *.html); %NULL for the model that ships with the program
 * @error: return location for the reason why a study cannot be read
 *
 * A model is opened by the worker: the study has it once it is open; that it cannot be is told by
 * #AttnSession::failed.
 *
 * Returns: whether the study could be read
 */
gboolean
attn_session_open_path (AttnSession  *session,
                        const char   *path,
                        GError      **error)
{
  if (path == NULL || !attn_session_is_document (path))
    {
      g_autoptr (AttnModelReference) model = attn_model_reference_new (NULL, NULL);

      if (path != NULL)
        {
          attn_model_reference_parse (model, path);
          attn_model_reference_settle (model, &session->document->study->model);
        }
      attn_session_await_model (session, model);
      return TRUE;
    }

  /* The etag is read before the file, so that a change while it is read is noticed. */
  g_autofree char *etag = dup_etag (path);
  AttnStudy *study = attn_study_load (path, error);
  if (study == NULL)
    return FALSE;
  /* A study from a figure is not saved to the figure's file. */
  const char *file = is_figure (path) ? NULL : path;
  attn_session_open_document (session, study, file, file != NULL ? etag : NULL, FALSE);
  return TRUE;
}

/**
 * attn_session_open_table:
 * @path: of a table
 * @header: what its first row and column are
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
 * @path: of a file of several arrays
 * @array: the name of one
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
 * Returns: (transfer none): the study with its file and its history; valid until the next edit
 */
const AttnDocument *
attn_session_get_document (AttnSession *session)
{
  return session->document;
}

/**
 * attn_session_is_overtaken:
 *
 * Returns: whether the file that the study lives in holds something else than it did when it was
 *   read or written last: another program has written it meanwhile
 */
gboolean
attn_session_is_overtaken (AttnSession *session)
{
  g_autofree char *etag =
      session->document->path != NULL ? dup_etag (session->document->path) : NULL;

  return etag != NULL && session->document->etag != NULL &&
         !g_str_equal (etag, session->document->etag);
}

/**
 * attn_session_is_changed:
 *
 * Returns: whether the study is another than the one that was saved, opened or begun with
 */
gboolean
attn_session_is_changed (AttnSession *session)
{
  return session->document->saved == NULL ||
         !attn_study_equal (session->document->saved, session->document->study);
}

/* Adds the fingerprints of models to a study that has none. */
static void
add_fingerprints (AttnStudy        *study,
                  const AttnResult *result)
{
  for (guint i = 0; i < result->models->len; i++)
    {
      AttnModelReference *model = attn_study_get_model (study, i);

      if (model->fingerprint == NULL)
        model->fingerprint = g_strdup (attn_model_get_fingerprint (result->models->pdata[i]));
    }
}

/**
 * attn_session_save:
 * @path: the file to write, in which the study lives from now on
 * @error: return location for a #GFileError
 *
 * With the study go the fingerprints of the models that it was computed with.
 */
gboolean
attn_session_save (AttnSession  *session,
                   const char   *path,
                   GError      **error)
{
  g_autoptr (AttnStudy) study = attn_study_copy (session->document->study);
  AttnDocument *document = session->document;

  if (attn_session_is_current (session))
    add_fingerprints (study, session->result);
  if (!attn_study_save (study, path, error))
    return FALSE;
  /* The study is saved in its file now, so no fallback is needed if its model fails. */
  g_clear_pointer (&session->fallback, attn_document_free);
  if (path != document->path)
    {
      g_free (document->path);
      document->path = g_strdup (path);
    }
  g_free (document->etag);
  document->etag = dup_etag (path);
  attn_study_unref (document->saved);
  document->saved = attn_study_ref (study);
  /* Later edits begin a new undo step. */
  session->step = NULL;
  if (!attn_study_equal (study, document->study))
    {
      attn_session_set_study (session, g_steal_pointer (&study));
      attn_session_request (session);
    }
  attn_session_emit (session, ATTN_SESSION_DOCUMENT_CHANGED);
  return TRUE;
}

/**
 * attn_session_get_question:
 *
 * Returns: what the user has to say about the study's models, of which one is asked about at a time
 */
AttnModelQuestion
attn_session_get_question (AttnSession *session)
{
  AttnModelQuestion question = { .document = session->document->path };

  if (session->missing != NULL)
    {
      question.kind = ATTN_MODEL_QUESTION_MISSING;
      question.path = attn_study_get_model (session->missing->study, session->missing_model)->path;
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
 * @path: where the model in question is
 *
 * The study goes on with that one; should it have another fingerprint, that is asked next.
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
      guint index = find_missing_model (study);

      /* It may have come back meanwhile. */
      if (index < count_models (study))
        set_path (study, index, path);
      /* The study differs from its file now, because a model's path has changed. */
      attn_session_open_document (session, study, missing->path, missing->etag, TRUE);
      return;
    }
  set_path (study, shows_changed_model (session) ? find_changed_model (session) : 0, path);
  attn_session_open (session, study);
}

/**
 * attn_session_accept_model:
 *
 * Goes on with a model that is not the one that the study was made with: the one that has changed,
 * or the open one for all that are missing.
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
  AttnStudy *study = attn_study_copy (missing->study);
  for (guint i = 0; i < count_models (study); i++)
    if (is_missing (study, i))
      attn_model_reference_take (attn_study_get_model (study, i),
                                 &session->document->study->model);
  attn_session_open_document (session, study, missing->path, missing->etag, TRUE);
}

/**
 * attn_session_drop_question:
 *
 * Leaves it unanswered: a study whose model is missing is not opened after all; one whose model has
 * changed stays as it is, and is asked about again when it is opened the next time.
 */
void
attn_session_drop_question (AttnSession *session)
{
  if (session->missing != NULL)
    g_clear_pointer (&session->missing, attn_document_free);
  else if (shows_changed_model (session))
    {
      const AttnModel *model = session->result->models->pdata[find_changed_model (session)];

      g_hash_table_add (session->left, g_strdup (attn_model_get_fingerprint (model)));
    }
  attn_session_emit (session, ATTN_SESSION_DOCUMENT_CHANGED);
}
