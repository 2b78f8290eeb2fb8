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
  AttnTask *jobs[ATTN_N_JOBS]; /* (nullable): the running task of each kind of job */

  AttnDocument *document;
  guint n_documents; /* number of documents so far */
  const char *step;  /* (nullable): name of the last edit, an interned string */
  gint64 step_time;
  gboolean is_opened;     /* whether the document was opened and not computed yet */
  AttnDocument *fallback; /* (nullable): former document, to be restored if opening another fails */
  AttnDocument *missing;  /* (nullable): document that waits to be opened, since one of its models
                           * is missing */
  GArray *missing_models; /* (nullable) (element-type guint): numbers of the missing models of
                           * @missing */
  GHashTable *left;       /* (element-type utf8): fingerprints of changed models about which
                           * the user is not asked again */

  gboolean is_paused;         /* whether the first study is not to be computed yet */
  gboolean is_awaiting;       /* the worker is opening a model */
  AttnModelReference awaited; /* the model being opened */

  AttnAddition *addition;  /* (nullable): the answer generated after an input */
  const AttnStudy *spoken; /* (nullable): the study with the shown part of the addition */
  AttnAddition *past;      /* (nullable): the last addition that an edit has ended or undo has
                            * taken away, which undo or redo brings back */
  const AttnStudy *past_study; /* (nullable): the study that had the addition @past */
  gboolean is_past_undone;     /* whether undo has taken @past away, so that redo brings it back */

  AttnResult *result; /* (nullable): the last result */
  gint64 result_time; /* time when the result came; the next member is the time that it took */
  gint64 result_cost;
  AttnResult *unfinished;     /* (nullable): incomplete result of the running job */
  AttnSweep *sweep;           /* (nullable): the last sweep of ε */
  AttnHeadMap *head_map;      /* (nullable): the last map of heads */
  AttnPrediction *prediction; /* (nullable): the predictions computed last */
  gboolean looks_ahead;       /* whether predictions around a position are requested */
  AttnExplanation *explanation;
  AttnReply *reply;                      /* (nullable): the answers generated last */
  AttnInput *kept;                       /* (nullable): input to which the last answer was added */
  gsize n_kept_prompt;                   /* number of tokens of the input @kept before the answer */
  char *closeup_errors[ATTN_N_CLOSEUPS]; /* (nullable): messages of closeups that failed, for each
                                          * kind */
  const AttnStudy *failed;               /* (nullable): the last study whose computation failed */
  GPtrArray *failed_tokens;              /* (nullable) (element-type AttnTokens): tokens of the
                                          * inputs of @failed */
  AttnModel *failed_model;               /* (nullable): model of @failed, if it could be opened */
  gint64 request_time;
  gboolean is_looking_for_growth; /* whether a thread is checking if the file of the survey has
                                   * grown */
  guint growing; /* id of the timer that checks whether the shown survey has grown, or 0 */
  gboolean is_deferred;           /* whether the changed study waits until the running job ends */
};

/* Functions of attn-session.c */
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
void attn_session_put_addition_away (AttnSession *self,
                                     const AttnStudy *study,
                                     gboolean is_undone);
gboolean attn_session_take_addition_back (AttnSession *self,
                                          gboolean is_undone);
void attn_session_emit (AttnSession *self,
                        AttnSessionSignal signal);
void attn_session_emit_failed (AttnSession *self,
                               const GError *error);
void attn_session_emit_progress (AttnSession *self,
                                 const char *stage,
                                 double fraction);

/* Functions of attn-session-compute.c: the result of the study */
void attn_session_request (AttnSession *self);
gboolean attn_session_take_result (AttnSession *self,
                                   AttnResult *result);
void attn_session_emit_result_changed (AttnSession *self,
                                       gboolean is_opened);
void attn_session_return_to_fallback (AttnSession *self);

/* Functions of attn-session-edit.c */
void attn_session_keep_fallback (AttnSession *self);
void attn_session_await_model (AttnSession *self,
                               const AttnModelReference *model);
void attn_session_drop_awaited (AttnSession *self);

G_END_DECLS
