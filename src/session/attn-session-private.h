/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Members that the parts of the session share. From below: attn-session.c has the state and tells
 * that it changed; -jobs.c asks the worker; -compute.c has the study computed, -derived.c what is
 * asked of its result, -addition.c what the model says; -edit.c changes the study, -documents.c
 * opens and saves it. */

#pragma once

#include "attn-addition.h"
#include "attn-document.h"
#include "attn-session-jobs.h"
#include "attn-worker.h"

G_BEGIN_DECLS

typedef enum
{
  ATTN_SESSION_STUDY_CHANGED,
  ATTN_SESSION_RESULT_CHANGED,
  ATTN_SESSION_UNFINISHED,
  ATTN_SESSION_BUSY_CHANGED,
  ATTN_SESSION_FAILED,
  ATTN_SESSION_PROGRESS,
  ATTN_SESSION_SWEEP_CHANGED,
  ATTN_SESSION_HEAD_MAP_CHANGED,
  ATTN_SESSION_CLOSEUP_CHANGED,
  ATTN_SESSION_ADDITION_CHANGED,
  ATTN_SESSION_DOCUMENT_CHANGED,
  ATTN_SESSION_OPENED,
  ATTN_SESSION_N_SIGNALS
} AttnSessionSignal;

struct _AttnSession
{
  GObject parent_instance;

  AttnWorker *worker;
  AttnTask *jobs[ATTN_N_JOBS]; /* (nullable): those that are still to be heard of */

  AttnDocument *document;
  const char *step; /* (nullable): interned: what the last edit changed */
  gint64 step_time;
  gboolean is_opened;     /* the document was opened and is not yet computed */
  AttnDocument *fallback; /* (nullable): to return to if what was opened cannot be computed */
  AttnDocument *missing;  /* (nullable): waits to be told where a model of its study is */
  guint missing_model;    /* the number of that model */
  GHashTable *left;       /* (element-type utf8): fingerprints of models that have changed and
                           * are not to be asked about again */

  gboolean is_awaiting; /* the worker opens a model for the study */
  AttnModelReference awaited; /* that model */

  AttnAddition *addition;  /* (nullable): what the model says behind an input */
  const AttnStudy *spoken; /* (nullable): the document's study with as much of that as is shown */

  AttnResult *result;       /* (nullable): the last one */
  gint64 result_time;       /* when it came, and how long it took */
  gint64 result_cost;
  AttnResult *unfinished;   /* (nullable): what there is of the one under way */
  AttnSweep *sweep;         /* (nullable): the last one */
  AttnHeadMap *head_map;    /* (nullable): the last one */
  AttnPrediction *prediction; /* (nullable): the last one, as what follows */
  gboolean looks_ahead;     /* those around a position are asked for and not there yet */
  AttnExplanation *explanation;
  AttnReply *reply;  /* (nullable): the last one */
  AttnInput *kept;   /* (nullable): an input with what the model has said, and how many of its */
  gsize n_kept_prompt; /* tokens were there before */
  char *closeup_errors[ATTN_N_CLOSEUPS]; /* (nullable): why the present result has none */
  const AttnStudy *failed;  /* (nullable): the last one that could not be computed */
  GPtrArray *failed_tokens; /* (nullable) (element-type AttnTokens): those of its inputs */
  AttnModel *failed_model;  /* (nullable): its model, where that could be opened */
  gint64 request_time;
  guint growing;        /* (nullable): looks whether the survey that is shown has grown */
  gboolean is_deferred; /* the study changed while a young job was let finish */
};

/* attn-session.c */
void     attn_session_set_study           (AttnSession      *self,
                                           const AttnStudy  *study);
void     attn_session_set_document        (AttnSession      *self,
                                           AttnDocument     *document);
gboolean attn_session_remember            (AttnSession      *self,
                                           const char       *step);
void     attn_session_drop_failed         (AttnSession      *self);
void     attn_session_forget_awaited      (AttnSession      *self);
void     attn_session_forget_closeups     (AttnSession      *self);
void     attn_session_show_unfinished     (AttnSession      *self,
                                           AttnResult       *unfinished);
void     attn_session_show_addition       (AttnSession      *self);
void     attn_session_forget_addition     (AttnSession      *self);
void     attn_session_emit                (AttnSession      *self,
                                           AttnSessionSignal signal);
void     attn_session_emit_failed         (AttnSession      *self,
                                           const GError     *error);
void     attn_session_emit_progress       (AttnSession      *self,
                                           const char       *stage,
                                           double            fraction);

/* attn-session-compute.c */
void     attn_session_request             (AttnSession      *self);
gboolean attn_session_take_result         (AttnSession      *self,
                                           AttnResult       *result);
void     attn_session_emit_result_changed (AttnSession      *self,
                                           gboolean          is_opened);
void     attn_session_return_to_fallback  (AttnSession      *self);

/* attn-session-edit.c */
void     attn_session_keep_fallback       (AttnSession      *self);
void     attn_session_await_model         (AttnSession      *self,
                                           const AttnModelReference *model);
void     attn_session_drop_awaited        (AttnSession      *self);

G_END_DECLS
