/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A session is what a window works on: the study (the settings of a figure) with its history, the
 * last result, and the worker thread that computes it. Closeups, sweeps and maps of heads are
 * further results about it that the window asks for. */

#pragma once

#include <gio/gio.h>

#include "attn-addition.h"
#include "attn-closeup.h"
#include "attn-document.h"
#include "attn-document-file.h"
#include "attn-head-map.h"
#include "attn-sweep.h"

G_BEGIN_DECLS

/**
 * AttnModelQuestionKind:
 * @ATTN_MODEL_QUESTION_NONE: nothing is asked
 * @ATTN_MODEL_QUESTION_MISSING: a study waits to be opened, since a model's file is not at its path
 * @ATTN_MODEL_QUESTION_CHANGED: the file of a model has changed since the study was made, so that
 *   the figure shows another model
 */
typedef enum
{
  ATTN_MODEL_QUESTION_NONE,
  ATTN_MODEL_QUESTION_MISSING,
  ATTN_MODEL_QUESTION_CHANGED,
} AttnModelQuestionKind;

/**
 * AttnModelQuestion:
 * @path: (nullable): path of the model in question
 * @document: (nullable): file of the study whose model is in question
 * @expected: (nullable): fingerprint of the model that the study was made with; only for a changed
 *   model
 * @found: (nullable): fingerprint of the model that the figure shows; only for a changed model
 *
 * A question that the window asks the user. Its strings belong to the session.
 */
typedef struct
{
  AttnModelQuestionKind kind;
  const char *path;
  const char *document;
  const char *expected;
  const char *found;
} AttnModelQuestion;

/**
 * AttnCloseup:
 * @ATTN_CLOSEUP_PREDICTION: the most probable next tokens at a query
 * @ATTN_CLOSEUP_EXPLANATION: how the score of a query and a key comes about
 * @ATTN_CLOSEUP_REPLY: the answers that the model generates after an input
 *
 * Kinds of details about the result that are computed when the user looks at them.
 */
typedef enum
{
  ATTN_CLOSEUP_PREDICTION,
  ATTN_CLOSEUP_EXPLANATION,
  ATTN_CLOSEUP_REPLY,
} AttnCloseup;

#define ATTN_N_CLOSEUPS 3

/**
 * AttnSaving:
 *
 * A study that is being written to a file, which a thread can do.
 */
typedef struct _AttnSaving AttnSaving;

/* Name of the edits while the window plays a sweep of ε as an animation, see
 * attn_session_edit(). */
#define ATTN_STEP_PLAY "play"

#define ATTN_TYPE_SESSION (attn_session_get_type ())
G_DECLARE_FINAL_TYPE (AttnSession, attn_session, ATTN, SESSION, GObject)

AttnSession *attn_session_new (void);
void attn_session_draft (AttnSession *draft,
                         AttnSession *session,
                         AttnStudy *study);
const AttnStudy *attn_session_get_study (AttnSession *session);
const AttnStudy *attn_session_get_shown (AttnSession *session);
AttnResult *attn_session_get_result (AttnSession *session);
AttnResult *attn_session_get_unfinished (AttnSession *session);
AttnModel *attn_session_get_model (AttnSession *session);
gboolean attn_session_is_recorded (AttnSession *session);
gboolean attn_session_takes_inputs (AttnSession *session);
const AttnModelReference *attn_session_get_asked_model (AttnSession *session);
AttnTokens *attn_session_get_tokens (AttnSession *session,
                                     guint index);
AttnTokens *attn_session_get_source (AttnSession *session,
                                     guint index);
AttnSweep *attn_session_get_sweep (AttnSession *session);
AttnHeadMap *attn_session_get_head_map (AttnSession *session);
void attn_session_request_head_map (AttnSession *session,
                                    int index);
void attn_session_look (AttnSession *session,
                        AttnCloseup closeup,
                        gsize index,
                        gsize query,
                        gsize key);
AttnPrediction *attn_session_get_prediction (AttnSession *session);
AttnExplanation *attn_session_get_explanation (AttnSession *session);
gboolean attn_session_look_reply (AttnSession *session,
                                  gsize index,
                                  gsize n_most);
AttnReply *attn_session_get_reply (AttnSession *session);
const char *attn_session_get_closeup_error (AttnSession *session,
                                            AttnCloseup closeup);
void attn_session_request_sweep (AttnSession *session,
                                 const AttnSweepRange *range);
void attn_session_continue (AttnSession *session,
                            guint index,
                            gsize n_most);
void attn_session_stop_addition (AttnSession *session);
void attn_session_keep_addition (AttnSession *session);
void attn_session_discard_addition (AttnSession *session);
const AttnAddition *attn_session_get_addition (AttnSession *session);
gboolean attn_session_is_current (AttnSession *session);
gboolean attn_session_is_complete (AttnSession *session);
gboolean attn_session_is_busy (AttnSession *session);
void attn_session_begin_frame (AttnSession *session);
gboolean attn_session_is_step (AttnSession *session,
                               const char *what);
gboolean attn_session_is_opening (AttnSession *session);
void attn_session_edit (AttnSession *session,
                        AttnStudy *study,
                        const char *what);
void attn_session_open (AttnSession *session,
                        const AttnStudy *study);
void attn_session_pause (AttnSession *session);
void attn_session_go_on (AttnSession *session);
gboolean attn_session_open_file (AttnSession *session,
                                 const AttnDocumentFile *file,
                                 GError **error);
gboolean attn_session_open_path (AttnSession *session,
                                 const char *path,
                                 GError **error);
void attn_session_open_array (AttnSession *session,
                              const char *path,
                              const char *array);
void attn_session_open_table (AttnSession *session,
                              const char *path,
                              AttnTableHeader header);
void attn_session_open_document (AttnSession *session,
                                 const AttnStudy *study,
                                 const char *path,
                                 const char *etag,
                                 gboolean is_changed,
                                 GArray *missing);
void attn_session_restore (AttnSession *session,
                           const AttnStudy *study,
                           const char *path,
                           const char *etag,
                           gboolean is_changed,
                           GArray *missing);
const AttnDocument *attn_session_get_document (AttnSession *session);
gboolean attn_session_is_changed (AttnSession *session);
AttnSaving *attn_session_begin_saving (AttnSession *session,
                                       const char *path,
                                       gboolean keeps_others);
void attn_saving_run (AttnSaving *saving);
gboolean attn_saving_is_overtaken (const AttnSaving *saving);
const char *attn_saving_get_path (const AttnSaving *saving);
void attn_saving_free (AttnSaving *saving);
gboolean attn_session_end_saving (AttnSession *session,
                                  const AttnSaving *saving,
                                  GError **error);
gboolean attn_session_save (AttnSession *session,
                            const char *path,
                            GError **error);
AttnModelQuestion attn_session_get_question (AttnSession *session);
void attn_session_locate_model (AttnSession *session,
                                const char *path);
void attn_session_accept_model (AttnSession *session);
void attn_session_drop_question (AttnSession *session);
void attn_session_cancel (AttnSession *session);
gboolean attn_session_can_undo (AttnSession *session);
gboolean attn_session_can_redo (AttnSession *session);
void attn_session_undo (AttnSession *session);
void attn_session_redo (AttnSession *session);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnSaving, attn_saving_free)

G_END_DECLS
