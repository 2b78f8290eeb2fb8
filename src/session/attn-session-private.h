/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the two halves of the session share: attn-session.c edits and computes,
 * attn-session-documents.c opens and saves. */

#pragma once

#include "attn-session.h"
#include "attn-worker.h"

G_BEGIN_DECLS

struct _AttnSession
{
  GObject parent_instance;

  AttnWorker *worker;

  /* The document: immutable values, so that the history is a list of them */
  AttnStudy *study;
  GPtrArray *undo;  /* (element-type AttnStudy) */
  GPtrArray *redo;  /* (element-type AttnStudy) */
  const char *step; /* (nullable): interned: what the last edit changed */
  gint64 step_time;

  /* Where it lives */
  char *path;          /* (nullable): of its file */
  char *etag;          /* (nullable): of that file when it was read or written last */
  AttnStudy *saved;    /* (nullable): what that file holds, or what the session began with; %NULL for
                       * a study that is in no file as it is */
  gboolean is_opened;  /* a document was opened and is not yet computed */
  AttnStudy *missing;  /* (nullable): a study that waits to be told where its model is */
  char *missing_model; /* (nullable): where it says that it is */
  char *missing_path;  /* (nullable): of its file */
  char *missing_etag;  /* (nullable) */
  GHashTable *left;    /* (element-type utf8): fingerprints of models that have changed and are not
                        * to be asked about again */

  gboolean is_awaiting; /* the worker opens a model for the study */
  char *awaited_path;   /* (nullable): of that model; %NULL for the one that is shipped */

  /* What to return to if what was just opened cannot be computed */
  AttnStudy *fallback; /* (nullable) */
  GPtrArray *fallback_undo;
  GPtrArray *fallback_redo;
  AttnStudy *fallback_saved;
  char *fallback_path;
  char *fallback_etag;

  AttnResult *result; /* (nullable): the last one */
  AttnSweep *sweep;   /* (nullable): the last one */
  AttnStudy *failed;  /* (nullable): the last one that could not be computed */
  GPtrArray *failed_tokens; /* (nullable) (element-type AttnTokens): those of its inputs */
  AttnModel *failed_model;  /* (nullable): its model, where that could be opened */
  gint64 request_time;
  gboolean is_deferred; /* the study changed while a young job was let finish */
};

void attn_session_set_study             (AttnSession *self,
                                         AttnStudy   *study);
void attn_session_begin_history         (AttnSession *self);
void attn_session_request               (AttnSession *self);
void attn_session_await_model           (AttnSession *self,
                                         const char  *path);
void attn_session_drop_awaited          (AttnSession *self);
void attn_session_keep_fallback         (AttnSession *self);
void attn_session_drop_fallback         (AttnSession *self);
void attn_session_emit_document_changed (AttnSession *self);

G_END_DECLS
