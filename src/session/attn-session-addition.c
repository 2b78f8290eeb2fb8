/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The addition of a session: an input goes on with what the model says, a slice of time at once, so
 * that figures, and what is read of them, are computed in between. */

#include "config.h"

#include "attn-session-private.h"

/* A slice, after which the worker looks for what is more urgent. */
#define SLICE (12 * G_TIME_SPAN_MILLISECOND)

/* The figure follows as long as that takes no more than such a part of the time. */
#define FOLLOW_PART 4

static gpointer
run_addition (AttnSessionJob *job,
              AttnWorkspace  *workspace,
              AttnTask       *task)
{
  AttnProgress progress = attn_task_get_progress (task);
  GCancellable *cancellable = attn_task_get_cancellable (task);

  if (job->replying == NULL)
    job->replying = attn_replying_new_for_input (job->study, job->index, job->key, workspace,
                                                 &progress, cancellable, &job->error);
  return job->replying != NULL &&
                 attn_replying_go_on (job->replying, g_get_monotonic_time () + SLICE, cancellable,
                                      &job->error)
             ? attn_replying_get (job->replying)
             : NULL;
}

static void take_addition (AttnSession *self, AttnSessionJob *job);

static const AttnSessionWork addition_work = {
  .kind = ATTN_JOB_ADDITION,
  .run = run_addition,
  .free = (GDestroyNotify) attn_reply_unref,
  .take = take_addition,
};

/* Asks for the next slice of the run. */
static void
ask_on (AttnSession *self)
{
  AttnSessionJob *job = attn_session_job_new (&addition_work);

  job->replying = g_steal_pointer (&self->addition->replying);
  attn_session_ask (self, job);
}

/* Shows what was said in the figure, too. */
static void
follow (AttnSession *self)
{
  attn_session_show_addition (self);
  attn_session_request (self);
}

static gboolean
has_time_to_follow (AttnSession *self)
{
  gint64 now = g_get_monotonic_time ();

  return self->jobs[ATTN_JOB_COMPUTE] == NULL &&
         now - self->result_time >= FOLLOW_PART * self->result_cost;
}

/* What is there stays when there can be no more. */
static void
take_addition (AttnSession    *self,
               AttnSessionJob *job)
{
  AttnAddition *addition = self->addition;

  if (job->outcome == NULL)
    {
      addition->is_running = FALSE;
      addition->error = g_strdup (job->error->message);
    }
  else
    {
      attn_addition_take_reply (addition, job->outcome);
      addition->replying = g_steal_pointer (&job->replying);
    }
  if (!addition->is_running)
    g_clear_pointer (&addition->replying, attn_replying_free);
  if (!addition->is_running || has_time_to_follow (self))
    follow (self);
  if (addition->is_running)
    ask_on (self);
  attn_session_emit (self, ATTN_SESSION_ADDITION_CHANGED);
}

/**
 * attn_session_continue:
 * @index: of an input of the study
 * @n_most: tokens to be said, at least 1
 *
 * Lets the model go on with an input, without any operation. #AttnSession::addition-changed tells
 * of each token; what is said stands in the figure as soon as that can follow, and is no part of
 * the study before attn_session_keep_addition(). Of another input, what was said there is
 * discarded; of the same, it is gone on with. It ends where the input, the model or the framing
 * changes.
 */
void
attn_session_continue (AttnSession *session,
                       guint        index,
                       gsize        n_most)
{
  const AttnStudy *study = session->document->study;

  if (index >= study->inputs->len ||
      (session->addition != NULL && session->addition->is_running &&
       session->addition->input == index))
    return;
  if (session->addition != NULL &&
      (session->addition->input != index || session->addition->answer == NULL))
    attn_session_forget_addition (session);
  if (session->addition == NULL)
    session->addition = attn_addition_new (index, study->inputs->pdata[index]);

  AttnAddition *addition = session->addition;
  addition->is_running = TRUE;
  g_clear_pointer (&addition->error, g_free);
  g_clear_pointer (&addition->earlier, attn_tokens_unref);
  addition->earlier = addition->answer != NULL ? attn_tokens_ref (addition->answer) : NULL;

  AttnSessionJob *job = attn_session_job_new (&addition_work);
  job->study = attn_addition_add (addition, study);
  job->index = index;
  job->key = n_most;
  attn_session_ask (session, job);
  attn_session_emit (session, ATTN_SESSION_ADDITION_CHANGED);
}

/**
 * attn_session_stop_addition:
 *
 * Nothing more is said. What has been said stays to be kept or discarded.
 */
void
attn_session_stop_addition (AttnSession *session)
{
  AttnAddition *addition = session->addition;

  if (addition == NULL || !addition->is_running)
    return;
  attn_session_give_up (session, ATTN_JOB_ADDITION);
  addition->is_running = FALSE;
  addition->end = ATTN_ANSWER_END_STOPPED;
  g_clear_pointer (&addition->replying, attn_replying_free);
  if (addition->answer != NULL)
    follow (session);
  else
    attn_session_forget_addition (session);
  attn_session_emit (session, ATTN_SESSION_ADDITION_CHANGED);
}

/**
 * attn_session_keep_addition:
 *
 * Makes what has been said a part of the input, which is one step of the history.
 */
void
attn_session_keep_addition (AttnSession *session)
{
  AttnAddition *addition = session->addition;

  if (addition == NULL || addition->answer == NULL)
    return;
  attn_session_stop_addition (session);

  g_autoptr (AttnStudy) study = attn_study_copy (session->document->study);
  AttnInput **slot = (AttnInput **) &study->inputs->pdata[addition->input];
  attn_input_free (*slot);
  *slot = attn_input_append_text (addition->before, addition->prompt, addition->is_target,
                                  addition->answer, addition->model,
                                  attn_study_get_framing (study));
  /* The edit ends it. */
  attn_session_edit (session, g_steal_pointer (&study), NULL);
}

/**
 * attn_session_discard_addition:
 *
 * Drops what has been said.
 */
void
attn_session_discard_addition (AttnSession *session)
{
  if (session->addition == NULL)
    return;
  attn_session_forget_addition (session);
  if (!attn_session_is_current (session))
    attn_session_request (session);
  attn_session_emit (session, ATTN_SESSION_ADDITION_CHANGED);
}

/**
 * attn_session_get_addition:
 *
 * Returns: (transfer none) (nullable): what is said behind an input; valid until it changes
 */
const AttnAddition *
attn_session_get_addition (AttnSession *session)
{
  return session->addition;
}
