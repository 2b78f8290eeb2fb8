/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-document.h"

/**
 * attn_document_new:
 * @study: (transfer full): the study
 * @path: (nullable): path of its file
 * @etag: (nullable): etag of that file
 *
 * Returns: (transfer full): a document without a history, whose study does not count as saved
 */
AttnDocument *
attn_document_new (const AttnStudy *study,
                   const char      *path,
                   const char      *etag)
{
  AttnDocument *document = g_new0 (AttnDocument, 1);

  document->study = study;
  document->undo = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_study_unref);
  document->redo = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_study_unref);
  document->path = g_strdup (path);
  document->etag = g_strdup (etag);
  return document;
}

static gpointer
ref_study (gconstpointer study,
           gpointer      user_data)
{
  return (gpointer) attn_study_ref (study);
}

AttnDocument *
attn_document_copy (const AttnDocument *document)
{
  AttnDocument *copy =
      attn_document_new (attn_study_ref (document->study), document->path, document->etag);

  g_ptr_array_extend (copy->undo, document->undo, ref_study, NULL);
  g_ptr_array_extend (copy->redo, document->redo, ref_study, NULL);
  if (document->saved != NULL)
    copy->saved = attn_study_ref (document->saved);
  return copy;
}

void
attn_document_free (AttnDocument *document)
{
  attn_study_unref (document->study);
  attn_study_unref (document->saved);
  g_ptr_array_unref (document->undo);
  g_ptr_array_unref (document->redo);
  g_free (document->path);
  g_free (document->etag);
  g_free (document);
}
