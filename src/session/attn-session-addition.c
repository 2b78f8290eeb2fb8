/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Generates text with the model of a session: additions to an input, and answers with and without
 * the interventions of a panel. A job generates only for some milliseconds (a slice) before it asks
 * for the next one, so that figures and closeups are computed in between. */

#include "config.h"

#include "attn-session-private.h"

/* Duration of a slice of generation, after which the worker can start a more urgent job. */
#define SLICE (12 * G_TIME_SPAN_MILLISECOND)

/* The figure is updated during generation if its computation took at most 1/FOLLOW_PART of the time
 * since the last update. */
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

static gpointer
run_reply (AttnSessionJob *job,
           AttnWorkspace  *workspace,
           AttnTask       *task)
{
  GCancellable *cancellable = attn_task_get_cancellable (task);

  if (job->replying == NULL)
    job->replying = attn_replying_new_for_panel (job->shown, job->index, job->query, job->key,
                                                 workspace, NULL, cancellable, &job->error);
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

static void take_reply (AttnSession *self, AttnSessionJob *job);

static const AttnSessionWork reply_work = {
  .kind = ATTN_JOB_REPLY,
  .run = run_reply,
  .free = (GDestroyNotify) attn_reply_unref,
  .take = take_reply,
};

/* Requests the next slice of generating the addition. */
static void
ask_on (AttnSession *self)
{
  AttnSessionJob *job = attn_session_job_new (&addition_work);

  job->replying = g_steal_pointer (&self->addition->replying);
  attn_session_ask (self, job);
}

/* Updates the figure to show the tokens that were generated so far. */
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

/* Takes the tokens that a slice has generated. If generation fails, the tokens of earlier slices
 * stay. */
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
 * @index: index of an input of the study
 * @n_most: largest number of tokens to generate, at least 1
 *
 * Lets the model generate text after an input (an addition), without interventions.
 * #AttnSession::addition-changed is emitted for each token. The figure shows the tokens as fast as
 * it can be computed, but the study has them only after attn_session_keep_addition(). An addition
 * to another input is discarded first; one to the same input is continued. If input, model or
 * framing change, the addition is dropped.
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
  g_clear_pointer (&addition->study, attn_study_unref);
  addition->study = attn_study_ref (study);
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
 * Stops generating. The tokens so far stay until they are kept or discarded.
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
 * Makes the generated tokens a part of the input, as one undo step: undo gives them back as the
 * addition.
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
  g_clear_pointer (&session->kept, attn_input_free);
  session->kept = attn_input_copy (*slot);
  session->n_kept_prompt = addition->prompt->n_tokens;
  /* The edit changes the input, and so ends the generated addition, until it is undone. */
  attn_session_edit (session, g_steal_pointer (&study), NULL);
}

/**
 * attn_session_discard_addition:
 *
 * Drops the generated tokens, and computes the figure without them.
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
 * Returns: (transfer none) (nullable): the text that is or was generated after an input and is not
 *   kept yet; valid until #AttnSession::addition-changed
 */
const AttnAddition *
attn_session_get_addition (AttnSession *session)
{
  return session->addition;
}

/* --- Answers with and without interventions --------------------------------------------------- */

static void
take_reply (AttnSession    *self,
            AttnSessionJob *job)
{
  if (job->outcome == NULL)
    {
      g_free (self->closeup_errors[ATTN_CLOSEUP_REPLY]);
      self->closeup_errors[ATTN_CLOSEUP_REPLY] = g_strdup (job->error->message);
    }
  else
    {
      g_clear_pointer (&self->reply, attn_reply_unref);
      self->reply = g_steal_pointer (&job->outcome);
      if (self->reply->is_open)
        {
          AttnSessionJob *next = attn_session_job_new (&reply_work);

          next->shown = attn_result_ref (job->shown);
          next->index = job->index;
          next->query = job->query;
          next->key = job->key;
          next->replying = g_steal_pointer (&job->replying);
          attn_session_ask (self, next);
        }
    }
  attn_session_emit (self, ATTN_SESSION_CLOSEUP_CHANGED);
}

/* Returns the number of tokens of an input that the model is to answer, or 0 for all of them.
 * Tokens at the end that the model has generated, kept or not, are not part of the question. */
static gsize
count_prompt (AttnSession      *self,
              const AttnResult *result,
              gsize             input)
{
  const AttnInput *shown = result->study->inputs->pdata[input];
  const AttnAddition *addition = self->addition;

  if (addition != NULL && addition->input == input && addition->answer != NULL)
    return addition->prompt->n_tokens;
  return self->kept != NULL && attn_input_equal (shown, self->kept) ? self->n_kept_prompt : 0;
}

/* Tells whether the answers for this panel, with these numbers of tokens of prompt and answer, are
 * already being generated. */
static gboolean
is_asked (AttnSession *self,
          AttnResult  *result,
          gsize        index,
          gsize        n_prompt,
          gsize        n_most)
{
  const AttnSessionJob *job = self->jobs[ATTN_JOB_REPLY] != NULL
                                  ? attn_task_get_data (self->jobs[ATTN_JOB_REPLY])
                                  : NULL;

  return job != NULL && job->shown->cells == result->cells && job->index == index &&
         job->query == n_prompt && job->key == n_most;
}

/**
 * attn_session_look_reply:
 * @index: index of a panel of the result, row-major in the grid
 * @n_most: largest number of tokens of an answer
 *
 * Requests the model's answers to the input of that panel, without and with the panel's
 * interventions, unless they are available or being generated. #AttnSession::closeup-changed is
 * emitted for each token. An edit cancels the request. While an addition is being generated,
 * nothing is requested.
 *
 * Returns: whether attn_session_get_reply() returns these answers, perhaps incomplete
 */
gboolean
attn_session_look_reply (AttnSession *session,
                         gsize        index,
                         gsize        n_most)
{
  AttnResult *result = session->result;

  if (result == NULL || !attn_study_get_traits (result->study)->has_grid)
    return FALSE;

  gsize n_prompt = count_prompt (session, result, result->cells[index].input);
  if (attn_reply_has (session->reply, result, index, n_prompt, n_most) &&
      (!session->reply->is_open || is_asked (session, result, index, n_prompt, n_most)))
    return TRUE;
  if (session->closeup_errors[ATTN_CLOSEUP_REPLY] != NULL ||
      (session->addition != NULL && session->addition->is_running) ||
      is_asked (session, result, index, n_prompt, n_most))
    return FALSE;

  AttnSessionJob *job = attn_session_job_new (&reply_work);
  job->shown = attn_result_ref (result);
  job->index = index;
  job->query = n_prompt;
  job->key = n_most;
  attn_session_ask (session, job);
  return FALSE;
}

/**
 * attn_session_get_reply:
 *
 * Returns: (transfer none) (nullable): the answers that were generated last, perhaps of an earlier
 *   result
 */
AttnReply *
attn_session_get_reply (AttnSession *session)
{
  return session->reply;
}
