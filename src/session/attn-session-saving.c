/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Saves the document of the session. Writing can be done in a thread, so that a slow disk does not
 * block the window. */

#include "config.h"

#include "attn-session-private.h"

struct _AttnSaving
{
  char *path;
  guint document;         /* number of the document in the session */
  const AttnStudy *asked; /* study of the document when saving began */
  const AttnStudy *study; /* study that is written, with fingerprints of its models */
  char *expected;         /* (nullable): etag of the file that may be replaced */
  char *etag;             /* (nullable): etag of the file after it was written */
  gboolean is_overtaken;
  GError *error; /* (nullable): error of writing */
};

/* Adds the fingerprints of the result's models to models of the study that have none. */
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
 * attn_session_begin_saving:
 * @path: the file to write
 * @keeps_others: whether to write nothing if another program has changed the document's file
 *
 * Prepares saving. The saved study contains the fingerprints of the models that it was computed
 * with.
 *
 * Returns: (transfer full): the study and path to save, for attn_saving_run()
 */
AttnSaving *
attn_session_begin_saving (AttnSession *session,
                           const char  *path,
                           gboolean     keeps_others)
{
  const AttnDocument *document = session->document;
  AttnSaving *saving = g_new0 (AttnSaving, 1);
  AttnStudy *study = attn_study_copy (document->study);

  if (attn_session_is_current (session))
    add_fingerprints (study, session->result);
  saving->path = g_strdup (path);
  saving->document = session->n_documents;
  saving->asked = attn_study_ref (document->study);
  saving->study = study;
  saving->expected = keeps_others ? g_strdup (document->etag) : NULL;
  return saving;
}

/**
 * attn_saving_run:
 *
 * Writes the study to the file, unless another program has changed the file. Any thread may call
 * it.
 */
void
attn_saving_run (AttnSaving *saving)
{
  saving->is_overtaken = attn_document_file_is_overtaken (saving->path, saving->expected);
  if (!saving->is_overtaken && attn_study_save (saving->study, saving->path, &saving->error))
    saving->etag = attn_document_file_dup_etag (saving->path);
}

/**
 * attn_saving_is_overtaken:
 *
 * Returns: whether nothing was written because another program has changed the file
 */
gboolean
attn_saving_is_overtaken (const AttnSaving *saving)
{
  return saving->is_overtaken;
}

const char *
attn_saving_get_path (const AttnSaving *saving)
{
  return saving->path;
}

void
attn_saving_free (AttnSaving *saving)
{
  g_free (saving->path);
  attn_study_unref (saving->asked);
  attn_study_unref (saving->study);
  g_free (saving->expected);
  g_free (saving->etag);
  g_clear_error (&saving->error);
  g_free (saving);
}

/**
 * attn_session_end_saving:
 * @saving: attn_saving_run() was called for it, and it is not overtaken
 * @error: return location for a #GFileError
 *
 * Makes the written file the file of the document. Edits that were made while it was written count
 * as unsaved changes.
 *
 * Returns: whether the file was written
 */
gboolean
attn_session_end_saving (AttnSession       *session,
                         const AttnSaving  *saving,
                         GError           **error)
{
  AttnDocument *document = session->document;

  if (saving->error != NULL)
    {
      g_propagate_error (error, g_error_copy (saving->error));
      return FALSE;
    }
  /* If another document was opened while this one was written, the session stays as it is. */
  if (saving->document != session->n_documents)
    return TRUE;
  /* The study is saved in its file now, so that no former document is needed if its model fails. */
  g_clear_pointer (&session->fallback, attn_document_free);
  g_free (document->path);
  document->path = g_strdup (saving->path);
  g_free (document->etag);
  document->etag = g_strdup (saving->etag);
  attn_study_unref (document->saved);
  document->saved = attn_study_ref (saving->study);
  /* The next edit begins a new undo step, so that undo can return to the saved study. */
  session->step = NULL;
  if (attn_study_equal (document->study, saving->asked) &&
      !attn_study_equal (document->study, saving->study))
    {
      attn_session_set_study (session, attn_study_ref (saving->study));
      attn_session_request (session);
    }
  attn_session_emit (session, ATTN_SESSION_DOCUMENT_CHANGED);
  return TRUE;
}

/**
 * attn_session_save:
 * @path: the file to write, which becomes the file of the document
 * @error: return location for a #GFileError
 *
 * Writes the study in the calling thread and waits for the disk. A window uses attn_saving_run() in
 * a thread instead.
 */
gboolean
attn_session_save (AttnSession  *session,
                   const char   *path,
                   GError      **error)
{
  g_autoptr (AttnSaving) saving = attn_session_begin_saving (session, path, FALSE);

  attn_saving_run (saving);
  return attn_session_end_saving (session, saving, error);
}
