/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Requests the result of the study from the worker, and shows it when it is computed. */

#include "config.h"

#include "attn-session-private.h"

#include "attn-effects.h"
#include "attn-error.h"
#include "attn-inquiry.h"
#include "attn-survey-figure.h"
#include "attn-survey-texts.h"

/* Seconds between two checks of a survey file that is still being written. */
#define GROWTH_SECONDS 2

/* --- In the worker's thread ------------------------------------------------------------------- */

/* Reads the chat template of the model already in the worker thread, because the window needs it
 * later without waiting for the disk. */
static void
read_chat (const AttnModel *model)
{
  const AttnTokenizer *tokenizer = model != NULL ? attn_model_get_tokenizer (model, NULL) : NULL;

  if (tokenizer != NULL)
    attn_tokenizer_has_chat (tokenizer);
}

static void
unfinished_cb (AttnResult *unfinished,
               gpointer    task)
{
  attn_task_show (task, unfinished);
}

/* Computes the study. If the computation fails, the job still gets the model and the tokens, as far
 * as they could be read. */
static gpointer
run_compute (AttnSessionJob *job,
             AttnWorkspace  *workspace,
             AttnTask       *task)
{
  AttnProgress progress = attn_task_get_progress (task);

  attn_workspace_watch (workspace, unfinished_cb, task);
  AttnResult *result = attn_job_run (job->study, workspace, &progress,
                                     attn_task_get_cancellable (task), &job->error);
  attn_workspace_watch (workspace, NULL, NULL);
  if (result != NULL)
    {
      read_chat (result->model);
      return result;
    }
  job->tokens = attn_workspace_list_tokens (workspace, job->study);
  job->model = attn_workspace_ref_model (workspace, &job->study->model, job->study->attention);
  read_chat (job->model);
  return NULL;
}

static gpointer
run_effects (AttnSessionJob *job,
             AttnWorkspace  *workspace,
             AttnTask       *task)
{
  return attn_effects_add (job->shown, workspace, NULL, attn_task_get_cancellable (task),
                           &job->error);
}

/* --- In the session's thread ------------------------------------------------------------------ */

static void take_outcome (AttnSession *self, AttnSessionJob *job);

static const AttnSessionWork compute_work = {
  .kind = ATTN_JOB_COMPUTE,
  .run = run_compute,
  .free = (GDestroyNotify) attn_result_unref,
  .take = take_outcome,
};

static const AttnSessionWork effects_work = {
  .kind = ATTN_JOB_EFFECTS,
  .run = run_effects,
  .free = (GDestroyNotify) attn_result_unref,
  .take = take_outcome,
};

/* Starts computing the study in the worker. An earlier job for the study is canceled. */
static void
ask_to_compute (AttnSession *self)
{
  AttnSessionJob *job = attn_session_job_new (&compute_work);

  job->study = attn_study_ref (attn_session_get_shown (self));
  attn_session_give_up_computing (self);
  attn_session_ask (self, job);
}

/* A result that shows the file of a survey. A thread checks whether that file has grown. */
typedef struct
{
  AttnResult *result;
  gboolean has_grown;
} Growth;

static void
growth_run (gpointer data)
{
  Growth *growth = data;

  growth->has_grown = attn_survey_has_grown (growth->result);
}

static void
growth_free (gpointer data)
{
  Growth *growth = data;

  attn_result_unref (growth->result);
  g_free (growth);
}

/* Computes the result again if the file of the displayed survey has grown. */
static void
growth_take (gpointer owner,
             gpointer data)
{
  AttnSession *self = owner;
  const Growth *growth = data;

  self->is_looking_for_growth = FALSE;
  if (!growth->has_grown || growth->result != self->result || !attn_session_is_current (self) ||
      attn_session_is_busy (self))
    return;
  g_clear_handle_id (&self->growing, g_source_remove);
  ask_to_compute (self);
}

static gboolean
growing_cb (gpointer user_data)
{
  static const AttnInquiry inquiry = { growth_run, growth_take, growth_free };
  AttnSession *self = user_data;

  if (!self->is_looking_for_growth && attn_session_is_current (self) &&
      !attn_session_is_busy (self))
    {
      Growth *growth = g_new0 (Growth, 1);

      growth->result = attn_result_ref (self->result);
      self->is_looking_for_growth = TRUE;
      attn_inquiry_start (&inquiry, self, growth);
    }
  return G_SOURCE_CONTINUE;
}

static void
follow_growth (AttnSession *self)
{
  gboolean is_growing = attn_survey_is_growing (self->result);

  if (is_growing && self->growing == 0)
    self->growing = g_timeout_add_seconds (GROWTH_SECONDS, growing_cb, self);
  else if (!is_growing)
    g_clear_handle_id (&self->growing, g_source_remove);
}

/* Makes @result the result of the session, and takes ownership of it. Returns: whether it is the
 * first result of an opened document */
gboolean
attn_session_take_result (AttnSession *self,
                          AttnResult  *result)
{
  gboolean is_opened = self->is_opened;

  g_clear_pointer (&self->fallback, attn_document_free);
  self->is_opened = FALSE;
  g_clear_pointer (&self->unfinished, attn_result_unref);
  g_clear_pointer (&self->result, attn_result_unref);
  self->result = result;
  attn_session_forget_closeups (self);
  follow_growth (self);
  /* Changes of the prediction and texts of a survey take longer, so that the attention weights are
   * shown first. */
  if (attn_effects_are_missing (result) || attn_survey_texts_are_missing (result))
    {
      AttnSessionJob *job = attn_session_job_new (&effects_work);

      job->shown = attn_result_ref (result);
      attn_session_ask (self, job);
    }
  return is_opened;
}

void
attn_session_emit_result_changed (AttnSession *self,
                                  gboolean     is_opened)
{
  attn_session_emit (self, ATTN_SESSION_RESULT_CHANGED);
  if (is_opened)
    attn_session_emit (self, ATTN_SESSION_OPENED);
  attn_session_emit (self, ATTN_SESSION_BUSY_CHANGED);
}

/* Reuses the result if only the appearance of the study has changed. Returns FALSE if a new result
 * has to be computed. */
static gboolean
restyle (AttnSession *self)
{
  const AttnStudy *shown = attn_session_get_shown (self);
  AttnResult *result =
      self->result != NULL ? attn_result_restyle (self->result, shown) : NULL;

  if (result == NULL)
    return FALSE;
  self->is_deferred = FALSE;
  attn_session_give_up_computing (self);
  attn_session_emit_result_changed (self, attn_session_take_result (self, result));
  return TRUE;
}

void
attn_session_request (AttnSession *self)
{
  if (restyle (self))
    return;
  self->is_deferred = FALSE;
  g_clear_pointer (&self->unfinished, attn_result_unref);
  self->request_time = g_get_monotonic_time ();
  ask_to_compute (self);
  attn_session_emit (self, ATTN_SESSION_BUSY_CHANGED);
}

/**
 * attn_session_pause:
 *
 * Stops computing the first study until attn_session_go_on(), since another study is about to be
 * opened in its place. Does nothing if the session already has a result.
 */
void
attn_session_pause (AttnSession *session)
{
  if (session->result != NULL || session->jobs[ATTN_JOB_COMPUTE] == NULL)
    return;
  session->is_paused = TRUE;
  attn_session_give_up_computing (session);
}

/**
 * attn_session_go_on:
 *
 * Ends a pause. Computes the study, unless another one was opened meanwhile and is being computed.
 */
void
attn_session_go_on (AttnSession *session)
{
  if (session->is_paused && !attn_session_is_busy (session))
    attn_session_request (session);
  session->is_paused = FALSE;
}

void
attn_session_return_to_fallback (AttnSession *self)
{
  self->is_opened = FALSE;
  attn_session_set_document (self, g_steal_pointer (&self->fallback));
  if (!attn_session_is_current (self))
    attn_session_request (self);
}

/* Tells whether the user can correct the error by editing the opened study, such as a text that is
 * too long. An unreadable model is no such error. */
static gboolean
is_about_study (const GError *error)
{
  return g_error_matches (error, ATTN_ERROR, ATTN_ERROR_LIMIT) ||
         g_error_matches (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT) ||
         g_error_matches (error, ATTN_ERROR, ATTN_ERROR_MEMORY);
}

/* Keeps the study that failed, and its model and tokens if they could be read, so that the window
 * can show them. */
static void
keep_failed (AttnSession    *self,
             AttnSessionJob *job)
{
  attn_session_drop_failed (self);
  self->failed = attn_study_ref (attn_session_get_shown (self));
  self->failed_tokens = job->tokens != NULL ? g_steal_pointer (&job->tokens) : g_ptr_array_new ();
  self->failed_model = g_steal_pointer (&job->model);
}

static void
take_failure (AttnSession    *self,
              AttnSessionJob *job)
{
  if (self->is_deferred)
    {
      attn_session_request (self);
      return;
    }
  g_clear_pointer (&self->unfinished, attn_result_unref);
  keep_failed (self, job);
  if (self->is_opened && is_about_study (job->error))
    g_clear_pointer (&self->fallback, attn_document_free);
  attn_session_emit_failed (self, job->error);
  if (self->fallback != NULL)
    attn_session_return_to_fallback (self);
  attn_session_emit (self, ATTN_SESSION_BUSY_CHANGED);
}

/* Takes the result or the error of a finished job. */
static void
take_outcome (AttnSession    *self,
              AttnSessionJob *job)
{
  if (job->outcome == NULL)
    {
      take_failure (self, job);
      return;
    }

  gboolean is_opened = attn_session_take_result (self, g_steal_pointer (&job->outcome));

  self->result_time = g_get_monotonic_time ();
  self->result_cost = self->result_time - self->request_time;
  if (self->is_deferred)
    attn_session_request (self);
  attn_session_emit_result_changed (self, is_opened);
}
