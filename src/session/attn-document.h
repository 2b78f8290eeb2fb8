/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A study with its history and the file it is saved in. */

#pragma once

#include "attn-study.h"

G_BEGIN_DECLS

/**
 * AttnDocument:
 * @study: as it is now
 * @undo: (element-type AttnStudy): what it was before, the latest last
 * @redo: (element-type AttnStudy): what it was before the last steps back
 * @saved: (nullable): what its file holds, or what the session began with; %NULL for a study that
 *   is in no file as it is
 * @path: (nullable): of its file
 * @etag: (nullable): of that file when it was read or written last
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
