/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A document is a study with its undo history and the file that it is saved in. */

#pragma once

#include "attn-study.h"

G_BEGIN_DECLS

/**
 * AttnDocument:
 * @study: the current study
 * @undo: (element-type AttnStudy): earlier studies to which undo returns, the latest last
 * @redo: (element-type AttnStudy): studies that were undone, the one that redo returns to last
 * @saved: (nullable): the study as it is in the file, or with which the session began; %NULL if the
 *   study as it was opened is in no file
 * @path: (nullable): path of its file
 * @etag: (nullable): etag of the file when it was last read or written, which tells whether another
 *   program has changed it
 */
typedef struct
{
  const AttnStudy *study;
  GPtrArray *undo;
  GPtrArray *redo;
  const AttnStudy *saved;
  char *path;
  char *etag;
} AttnDocument;

AttnDocument *attn_document_new  (const AttnStudy    *study,
                                  const char         *path,
                                  const char         *etag);
AttnDocument *attn_document_copy (const AttnDocument *document);
void          attn_document_free (AttnDocument       *document);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnDocument, attn_document_free)

G_END_DECLS
