/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Edits of the study with undo and redo, and opening of other models and studies in its place. */

#include "config.h"

#include "attn-session-private.h"

#include "attn-edits.h"
#include "attn-follow.h"
#include "attn-survey-settle.h"

/* Age up to which a running job is not canceled while the user moves a slider, so that the figure
 * is updated meanwhile. An older job is canceled. */
#define LIVE_PATIENCE (150 * G_TIME_SPAN_MILLISECOND)

/* Opens a model in the worker's thread. It stays open in the workspace for the next job. */
static gpointer
run_open (AttnSessionJob *job,
          AttnWorkspace  *workspace,
          AttnTask       *task)
{
  AttnModel *model = attn_workspace_open_model (workspace, &job->asked, NULL, &job->error);

  return model != NULL ? attn_model_ref (model) : NULL;
}

static void take_model (AttnSession *self, AttnSessionJob *job);

static const AttnSessionWork open_work = {
  .kind = ATTN_JOB_OPEN,
  .run = run_open,
  .free = (GDestroyNotify) attn_model_unref,
  .take = take_model,
};

/**
 * attn_session_draft:
 * @draft: a session whose document and result are replaced
 * @session: a session that has a result
 * @study: (transfer full): the study of that result, perhaps with another style
 *
 * Gives @draft the result of @session, so that its style can be edited in @draft while @session
 * stays as it is. If the result does not fit @study, attn_session_is_current() of @draft is %FALSE.
 */
void
attn_session_draft (AttnSession *draft,
                    AttnSession *session,
                    AttnStudy   *study)
{
  AttnResult *result = attn_result_restyle (session->result, study);

  attn_session_take_result (draft, result != NULL ? result : attn_result_ref (session->result));
  attn_session_set_document (draft, attn_document_new (study, NULL, NULL));
  attn_session_emit_result_changed (draft, FALSE);
}

/* Removes the last undo step if its edits have led back to the study before it. Returns: whether it
 * was removed */
static gboolean
forget_empty_step (GPtrArray       *undo,
                   const AttnStudy *study)
{
  if (undo->len == 0 || !attn_study_equal (g_ptr_array_index (undo, undo->len - 1), study))
    return FALSE;
  g_ptr_array_set_size (undo, undo->len - 1);
  return TRUE;
}

/**
 * attn_session_edit:
 * @study: (transfer full): the new study, an edited copy of the current one
 * @what: (nullable): what changed, such as "epsilon-1", if the edit comes from a slider or an
 *   entry: quick edits of the same name are one undo step, or none if they end where they began,
 *   and the figure is updated meanwhile; %NULL for a single edit
 *
 * Does nothing if @study equals the current one.
 */
void
attn_session_edit (AttnSession *session,
                   AttnStudy   *study,
                   const char  *what)
{
  gboolean is_young = attn_session_is_busy (session) &&
                      g_get_monotonic_time () - session->request_time < LIVE_PATIENCE;

  attn_survey_settle_attribution (study, session->document->study);
  if (attn_study_equal (study, session->document->study))
    {
      attn_study_unref (study);
      return;
    }
  /* Regions that were selected in a panel stay with that panel when rows or columns of the grid
   * change. */
  AttnModel *model = attn_session_get_model (session);
  if (model != NULL &&
      attn_model_reference_equal (&study->model, &session->document->study->model))
    attn_study_follow_panels (study, session->document->study, attn_model_get_info (model));
  /* An edit confirms the opened study, even if it is not computed yet, so that the session no
   * longer returns to the former document. */
  g_clear_pointer (&session->fallback, attn_document_free);
  const char *step = what != NULL ? g_intern_string (what) : NULL;
  gboolean continues = attn_session_remember (session, step);
  if (continues && forget_empty_step (session->document->undo, study))
    session->step = NULL;
  attn_session_set_study (session, study);
  if (what != NULL && is_young)
    session->is_deferred = TRUE;
  else
    attn_session_request (session);
}

/* Keeps the document, for the case that opening another one fails. Does nothing if an earlier
 * document is already kept, or if the study is empty. */
void
attn_session_keep_fallback (AttnSession *self)
{
  self->step = NULL;
  if (self->fallback == NULL && self->document->study->inputs->len > 0)
    self->fallback = attn_document_copy (self->document);
}

/**
 * attn_session_open:
 * @study: (transfer full): the new study, perhaps with another model
 *
 * If the study cannot be computed, and was not edited meanwhile, the session returns to the former
 * document. The first study of a session counts as saved.
 */
void
attn_session_open (AttnSession     *session,
                   const AttnStudy *study)
{
  attn_session_drop_awaited (session);
  attn_session_keep_fallback (session);
  if (session->document->study->inputs->len == 0)
    session->document->saved = attn_study_ref (study);
  if (session->result != NULL)
    attn_session_remember (session, NULL);
  attn_session_set_study (session, study);
  attn_session_request (session);
}

/* Opens the model in the worker. The study stays unchanged until the model is open. */
void
attn_session_await_model (AttnSession              *self,
                          const AttnModelReference *model)
{
  attn_session_forget_awaited (self);
  self->is_awaiting = TRUE;
  attn_model_reference_take (&self->awaited, model);
  self->is_deferred = FALSE;

  AttnSessionJob *job = attn_session_job_new (&open_work);
  attn_model_reference_take (&job->asked, model);
  attn_session_give_up_computing (self);
  attn_session_ask (self, job);
  attn_session_emit (self, ATTN_SESSION_BUSY_CHANGED);
}

/* Cancels opening a model, since another one or a study is opened instead. */
void
attn_session_drop_awaited (AttnSession *self)
{
  if (self->is_awaiting)
    attn_session_give_up (self, ATTN_JOB_OPEN);
  attn_session_forget_awaited (self);
}

/* Requests the result of the study if its job was canceled in favor of opening a model, or if the
 * study has changed meanwhile. */
static void
resume (AttnSession *self)
{
  attn_session_forget_awaited (self);
  if (!attn_session_is_current (self))
    attn_session_request (self);
  attn_session_emit (self, ATTN_SESSION_BUSY_CHANGED);
}

static void
take_model (AttnSession    *self,
            AttnSessionJob *job)
{
  AttnModel *model = job->outcome;

  if (model == NULL)
    {
      attn_session_emit_failed (self, job->error);
      resume (self);
      return;
    }
  AttnStudy *study =
      attn_edits_show_model (self->document->study, &self->awaited, attn_model_get_info (model));
  attn_session_forget_awaited (self);
  attn_edits_limit_tokens (study, model);
  attn_session_open (self, study);
}

/**
 * attn_session_cancel:
 *
 * Stops opening a model or computing the study. An opened study gives way to the former one; an
 * edited study returns to that of the last result. A study that was restored after a crash and
 * never computed stays.
 */
void
attn_session_cancel (AttnSession *session)
{
  if (!attn_session_is_busy (session))
    return;
  if (session->is_awaiting)
    {
      attn_session_give_up (session, ATTN_JOB_OPEN);
      resume (session);
      return;
    }
  attn_session_give_up_computing (session);
  g_clear_pointer (&session->unfinished, attn_result_unref);
  session->is_deferred = FALSE;
  if (session->fallback != NULL)
    attn_session_return_to_fallback (session);
  /* Without a former document the study returns to that of the last result, but a study that was
   * just opened or restored stays. */
  else if (session->result != NULL && !session->is_opened && !attn_session_is_current (session))
    {
      const AttnStudy *study = session->result->study;

      attn_session_remember (session, NULL);
      attn_session_set_study (session, session->addition != NULL
                                           ? attn_addition_remove (session->addition, study)
                                           : attn_study_ref (study));
    }
  attn_session_emit (session, ATTN_SESSION_BUSY_CHANGED);
}

static void
travel (AttnSession *self,
        GPtrArray   *from,
        GPtrArray   *to)
{
  if (from->len == 0)
    return;
  g_ptr_array_add (to, (gpointer) attn_study_ref (self->document->study));
  self->step = NULL;
  g_clear_pointer (&self->fallback, attn_document_free);
  attn_session_set_study (self, g_ptr_array_steal_index (from, from->len - 1));
  attn_session_request (self);
}

/* Tells whether nothing has been edited since the model continued an input, so that undo takes the
 * continuation away. */
static gboolean
has_just_continued (AttnSession *self)
{
  return self->addition != NULL && self->addition->study == self->document->study;
}

/* Tells whether undo has just taken a continuation away, so that redo brings it back. */
static gboolean
has_continued (AttnSession *self)
{
  return self->addition == NULL && self->is_past_undone &&
         self->past_study == self->document->study;
}

/* Computes the figure with or without the continuation that has come or gone. The study itself is
 * the same. */
static void
follow_addition (AttnSession *self)
{
  if (!attn_session_is_current (self))
    attn_session_request (self);
  attn_session_emit (self, ATTN_SESSION_ADDITION_CHANGED);
}

gboolean
attn_session_can_undo (AttnSession *session)
{
  return session->document->undo->len > 0 || has_just_continued (session);
}

gboolean
attn_session_can_redo (AttnSession *session)
{
  return session->document->redo->len > 0 || has_continued (session);
}

/**
 * attn_session_undo:
 *
 * Takes back what was done last: an edit, or the continuation of an input by the model.
 */
void
attn_session_undo (AttnSession *session)
{
  if (!has_just_continued (session))
    {
      travel (session, session->document->undo, session->document->redo);
      return;
    }
  attn_session_put_addition_away (session, session->document->study, TRUE);
  follow_addition (session);
}

/**
 * attn_session_redo:
 *
 * Does again what attn_session_undo() has taken back.
 */
void
attn_session_redo (AttnSession *session)
{
  if (has_continued (session) && attn_session_take_addition_back (session, TRUE))
    follow_addition (session);
  else
    travel (session, session->document->redo, session->document->undo);
}
