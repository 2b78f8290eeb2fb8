/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Data that is computed when the window asks for it: the sweep of ε, the map of heads, the
 * prediction at a query, the explanation of a score. */

#include "config.h"

#include "attn-session-private.h"

/* --- In the worker's thread ------------------------------------------------------------------- */

static gpointer
run_sweep (AttnSessionJob *job,
           AttnWorkspace  *workspace,
           AttnTask       *task)
{
  return attn_sweep_run (job->study, &job->range, workspace, NULL, attn_task_get_cancellable (task),
                         NULL);
}

static gpointer
run_map (AttnSessionJob *job,
         AttnWorkspace  *workspace,
         AttnTask       *task)
{
  return attn_head_map_run (job->study, workspace, attn_task_get_cancellable (task), NULL);
}

static gpointer
run_prediction (AttnSessionJob *job,
                AttnWorkspace  *workspace,
                AttnTask       *task)
{
  return attn_prediction_run (job->shown, job->index, job->query, job->key, workspace,
                              attn_task_get_cancellable (task), &job->error);
}

static gpointer
run_explanation (AttnSessionJob *job,
                 AttnWorkspace  *workspace,
                 AttnTask       *task)
{
  return attn_explanation_run (job->shown, job->index, job->query, job->key, workspace,
                               attn_task_get_cancellable (task), &job->error);
}

/* --- In the session's thread ------------------------------------------------------------------ */

/* Takes the sweep of a finished job. If the job failed, the last sweep stays, without a message. */
static void
take_sweep (AttnSession    *self,
            AttnSessionJob *job)
{
  if (job->outcome == NULL)
    return;
  g_clear_pointer (&self->sweep, attn_sweep_unref);
  self->sweep = g_steal_pointer (&job->outcome);
  attn_session_emit (self, ATTN_SESSION_SWEEP_CHANGED);
}

static void
take_map (AttnSession    *self,
          AttnSessionJob *job)
{
  if (job->outcome == NULL)
    return;
  g_clear_pointer (&self->head_map, attn_head_map_unref);
  self->head_map = g_steal_pointer (&job->outcome);
  attn_session_emit (self, ATTN_SESSION_HEAD_MAP_CHANGED);
}

static void take_prediction (AttnSession *self, AttnSessionJob *job);
static void take_explanation (AttnSession *self, AttnSessionJob *job);

static const AttnSessionWork sweep_work = {
  .kind = ATTN_JOB_SWEEP,
  .run = run_sweep,
  .free = (GDestroyNotify) attn_sweep_unref,
  .take = take_sweep,
};

static const AttnSessionWork map_work = {
  .kind = ATTN_JOB_MAP,
  .run = run_map,
  .free = (GDestroyNotify) attn_head_map_unref,
  .take = take_map,
};

static const AttnSessionWork prediction_work = {
  .kind = ATTN_JOB_PREDICTION,
  .run = run_prediction,
  .free = (GDestroyNotify) attn_prediction_unref,
  .take = take_prediction,
};

static const AttnSessionWork explanation_work = {
  .kind = ATTN_JOB_EXPLANATION,
  .run = run_explanation,
  .free = (GDestroyNotify) attn_explanation_unref,
  .take = take_explanation,
};

/* --- The sweep of ε and the map of heads ------------------------------------------------------ */

/**
 * attn_session_get_sweep:
 *
 * Returns: (transfer none) (nullable): the last sweep that was computed, perhaps of an earlier
 *   study
 */
AttnSweep *
attn_session_get_sweep (AttnSession *session)
{
  return session->sweep;
}

/**
 * attn_session_get_head_map:
 *
 * Returns: (transfer none) (nullable): the last map of heads that was computed, perhaps of an
 *   earlier study
 */
AttnHeadMap *
attn_session_get_head_map (AttnSession *session)
{
  return session->head_map;
}

/**
 * attn_session_request_head_map:
 * @index: index of a panel of the result, row-major in the grid, or -1 for the first panel that has
 *   an intervention
 *
 * Requests a map of all heads under the intervention of that panel. #AttnSession::head-map-changed
 * is emitted when it is computed. The next edit cancels the request.
 */
void
attn_session_request_head_map (AttnSession *session,
                               int          index)
{
  if (session->result == NULL || !attn_study_get_traits (session->result->study)->has_grid)
    return;

  g_autoptr (AttnStudy) study = attn_head_map_build_study (session->result, index);
  AttnSessionJob *job = attn_session_job_new (&map_work);
  job->study = g_steal_pointer (&study);
  attn_session_ask (session, job);
}

/**
 * attn_session_request_sweep:
 *
 * Requests the sweep of the current study along @range. #AttnSession::sweep-changed is emitted when
 * it is computed. The next edit cancels the request.
 */
void
attn_session_request_sweep (AttnSession          *session,
                            const AttnSweepRange *range)
{
  AttnSessionJob *job = attn_session_job_new (&sweep_work);

  job->study = attn_study_ref (attn_session_get_shown (session));
  job->range = *range;
  attn_session_ask (session, job);
}

/* --- Closeups (details of one query or pair) -------------------------------------------------- */

/* Requests a closeup (a prediction or an explanation), which is computed before longer jobs.
 * @query: for a prediction the first of the queries; @n: for a prediction the number of queries,
 * for an explanation the position of the key */
static void
ask_closeup (AttnSession           *self,
             const AttnSessionWork *work,
             AttnResult            *result,
             gsize                  index,
             gsize                  query,
             gsize                  n)
{
  AttnSessionJob *job = attn_session_job_new (work);

  job->shown = attn_result_ref (result);
  job->index = index;
  job->query = query;
  job->key = n;
  attn_session_ask (self, job);
  attn_session_put_off (self, ATTN_JOB_SWEEP);
  attn_session_put_off (self, ATTN_JOB_MAP);
}

/* Tells whether computing a closeup of this kind failed for the current result. */
static gboolean
has_failed (AttnSession *self,
            AttnCloseup  kind)
{
  return self->closeup_errors[kind] != NULL;
}

/* Requests the predictions around a position in advance, so that they are available when the user
 * moves to a position nearby. */
static void
look_ahead (AttnSession *self,
            AttnResult  *result,
            gsize        index,
            gsize        query)
{
  self->looks_ahead = TRUE;
  ask_closeup (self, &prediction_work, result, index, query - MIN (query, ATTN_CLOSEUP_AHEAD / 2),
               ATTN_CLOSEUP_AHEAD);
}

/* Tells whether @query is near the first or last position whose prediction was computed in advance,
 * and the text continues beyond that. */
static gboolean
nears_end (const AttnPrediction *prediction,
           gsize                 query)
{
  const AttnResult *result = prediction->result;
  gsize n = result->inputs[result->cells[prediction->index].input]->n_tokens;
  gsize begin = prediction->request.first_row;
  gsize end = begin + prediction->request.n_rows;

  return (begin > 0 && query < begin + ATTN_CLOSEUP_AHEAD / 4) ||
         (end < n && query + ATTN_CLOSEUP_AHEAD / 4 >= end);
}

/**
 * attn_session_look:
 * @closeup: a prediction or an explanation
 * @index: index of a panel of the result, row-major in the grid
 * @query: position of the query
 * @key: position of the key; only for %ATTN_CLOSEUP_EXPLANATION
 *
 * Requests the closeup unless it is available; #AttnSession::closeup-changed is emitted when it is.
 * A new request replaces the last one of its kind, and an edit cancels it. A closeup that has
 * failed is not requested again before there is another result.
 */
void
attn_session_look (AttnSession *session,
                   AttnCloseup  closeup,
                   gsize        index,
                   gsize        query,
                   gsize        key)
{
  AttnResult *result = session->result;

  if (result == NULL || !attn_study_get_traits (result->study)->has_grid ||
      has_failed (session, closeup))
    return;
  if (closeup == ATTN_CLOSEUP_EXPLANATION)
    {
      if (!attn_explanation_has (session->explanation, result, index, query, key))
        ask_closeup (session, &explanation_work, result, index, query, key);
    }
  else if (!attn_prediction_has (session->prediction, result, index, query))
    {
      session->looks_ahead = FALSE;
      ask_closeup (session, &prediction_work, result, index, query, 1);
    }
  else if (!session->looks_ahead && nears_end (session->prediction, query))
    look_ahead (session, result, index, query);
}

/**
 * attn_session_get_prediction:
 *
 * Returns: (transfer none) (nullable): the predictions that were computed last, perhaps of an
 *   earlier result
 */
AttnPrediction *
attn_session_get_prediction (AttnSession *session)
{
  return session->prediction;
}

/**
 * attn_session_get_explanation:
 *
 * Returns: (transfer none) (nullable): the explanation of a score that was computed last, perhaps
 *   of an earlier result
 */
AttnExplanation *
attn_session_get_explanation (AttnSession *session)
{
  return session->explanation;
}

/**
 * attn_session_get_closeup_error:
 *
 * Returns: (nullable): message why that closeup of the current result could not be computed; %NULL
 *   if it has not failed
 */
const char *
attn_session_get_closeup_error (AttnSession *session,
                                AttnCloseup  closeup)
{
  return session->closeup_errors[closeup];
}

/* Keeps the error message of a failed closeup of the current result, for the window to show. */
static void
take_error (AttnSession    *self,
            AttnCloseup     closeup,
            AttnSessionJob *job)
{
  g_free (self->closeup_errors[closeup]);
  self->closeup_errors[closeup] = g_strdup (job->error->message);
}

/* Takes the predictions of a finished job. After the prediction for a single query, those around it
 * are requested. */
static void
take_prediction (AttnSession    *self,
                 AttnSessionJob *job)
{
  if (job->outcome == NULL)
    take_error (self, ATTN_CLOSEUP_PREDICTION, job);
  else
    {
      AttnPrediction *prediction = job->outcome;

      g_clear_pointer (&self->prediction, attn_prediction_unref);
      self->prediction = g_steal_pointer (&job->outcome);
      self->looks_ahead = FALSE;
      if (prediction->request.n_rows == 1)
        look_ahead (self, prediction->result, prediction->index, prediction->request.first_row);
    }
  attn_session_emit (self, ATTN_SESSION_CLOSEUP_CHANGED);
}

static void
take_explanation (AttnSession    *self,
                  AttnSessionJob *job)
{
  if (job->outcome == NULL)
    take_error (self, ATTN_CLOSEUP_EXPLANATION, job);
  else
    {
      g_clear_pointer (&self->explanation, attn_explanation_unref);
      self->explanation = g_steal_pointer (&job->outcome);
    }
  attn_session_emit (self, ATTN_SESSION_CLOSEUP_CHANGED);
}
