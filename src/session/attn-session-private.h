/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Members that the source files of the session share. The files, from the lowest to the highest:
 * attn-session.c has the state and emits its changes; -jobs.c starts jobs; -compute.c computes the
 * study, -derived.c further data about its result, -addition.c generated text; -edit.c changes the
 * study, -documents.c opens it and -saving.c saves it. */

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
  AttnTask *jobs[ATTN_N_JOBS]; /* (nullable): running jobs whose results are awaited */

  AttnDocument *document;
  guint n_documents; /* number of documents so far */
  const char *step;  /* (nullable): name of the last edit, interned */
  gint64 step_time;
  gboolean is_opened;     /* the opened document is not computed yet */
  AttnDocument *fallback; /* (nullable): document to restore if opening fails */
  AttnDocument *missing;  /* (nullable): document with a model that is missing */
  GArray *missing_models; /* (nullable) (element-type guint): numbers of its missing models */
  GHashTable *left;       /* (element-type utf8): fingerprints of changed models about which
                           * the user is not asked again */

  gboolean is_paused;         /* the first study is not to be computed yet */
  gboolean is_awaiting;       /* the worker is opening a model for the study */
  AttnModelReference awaited; /* the model being opened */

  AttnAddition *addition;  /* (nullable): the answer generated after an input */
  const AttnStudy *spoken; /* (nullable): the document's study with the answer shown so far */

  AttnResult *result; /* (nullable): the last one */
  gint64 result_time; /* when it came, then how long it took */
  gint64 result_cost;
  AttnResult *unfinished;     /* (nullable): incomplete result of the running job */
  AttnSweep *sweep;           /* (nullable): the last one */
  AttnHeadMap *head_map;      /* (nullable): the last one */
  AttnPrediction *prediction; /* (nullable): predicted next tokens of the last closeup */
  gboolean looks_ahead;       /* predictions around a position are requested */
  AttnExplanation *explanation;
  AttnReply *reply;                      /* (nullable): the last one */
  AttnInput *kept;                       /* (nullable): an input with a generated answer appended */
  gsize n_kept_prompt;                   /* number of its tokens before the answer */
  char *closeup_errors[ATTN_N_CLOSEUPS]; /* (nullable): why computing it failed */
  const AttnStudy *failed;               /* (nullable): the last study that could not be computed */
  GPtrArray *failed_tokens;              /* (nullable) (element-type AttnTokens): of its inputs */
  AttnModel *failed_model;               /* (nullable): its model, if it could be opened */
  gint64 request_time;
  gboolean is_looking_for_growth; /* a thread is looking */
  guint growing; /* timer that looks whether the shown survey has grown; 0 if there is none */
  gboolean is_deferred;           /* the study changed while a job ran that goes on */
};

/* attn-session.c */
void attn_session_set_study (AttnSession *self,
                             const AttnStudy *study);
void attn_session_set_document (AttnSession *self,
                                AttnDocument *document);
gboolean attn_session_remember (AttnSession *self,
                                const char *step);
void attn_session_drop_failed (AttnSession *self);
void attn_session_forget_awaited (AttnSession *self);
void attn_session_forget_closeups (AttnSession *self);
void attn_session_show_unfinished (AttnSession *self,
                                   AttnResult *unfinished);
void attn_session_show_addition (AttnSession *self);
void attn_session_forget_addition (AttnSession *self);
void attn_session_emit (AttnSession *self,
                        AttnSessionSignal signal);
void attn_session_emit_failed (AttnSession *self,
                               const GError *error);
void attn_session_emit_progress (AttnSession *self,
                                 const char *stage,
                                 double fraction);

/* attn-session-compute.c */
void attn_session_request (AttnSession *self);
gboolean attn_session_take_result (AttnSession *self,
                                   AttnResult *result);
void attn_session_emit_result_changed (AttnSession *self,
                                       gboolean is_opened);
void attn_session_return_to_fallback (AttnSession *self);

/* attn-session-edit.c */
void attn_session_keep_fallback (AttnSession *self);
void attn_session_await_model (AttnSession *self,
                               const AttnModelReference *model);
void attn_session_drop_awaited (AttnSession *self);

G_END_DECLS
