/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Closeups of the result: the prediction at a query, the score of a pair. */

#include "config.h"

#include "attn-session-private.h"

#include "attn-error.h"

/* Tells whether a closeup of this kind could not be had of the present result. */
static gboolean
has_failed (AttnSession *self,
            AttnCloseup  kind)
{
  return self->closeup_errors[kind] != NULL;
}

/* Asks for the closeups around a position: then the next is there when it is looked at. */
static void
look_ahead (AttnSession *self,
            AttnResult  *result,
            gsize        index,
            gsize        query)
{
  self->looks_ahead = TRUE;
  attn_worker_request_forecast (self->worker, result, index,
                                query - MIN (query, ATTN_FORECAST_AHEAD / 2), ATTN_FORECAST_AHEAD);
}

/* Tells whether the pointer nears the first or the last position that is there, and the text goes
 * on. */
static gboolean
nears_end (const AttnForecast *forecast,
           gsize               query)
{
  const AttnResult *result = forecast->result;
  gsize n = result->inputs[result->cells[forecast->index].input]->n_tokens;
  gsize begin = forecast->request.first_row;
  gsize end = begin + forecast->request.n_rows;

  return (begin > 0 && query < begin + ATTN_FORECAST_AHEAD / 4) ||
         (end < n && query + ATTN_FORECAST_AHEAD / 4 >= end);
}

/**
 * attn_session_look:
 * @closeup: what is looked at
 * @index: of a panel of the result, row-major in the grid
 * @query: a position
 * @key: a position, for %ATTN_CLOSEUP_EXPLANATION
 *
 * Asks for it unless it is there; #AttnSession::closeup-changed tells when it is. The last asked
 * for wins; an edit cancels it. What has failed is not asked for again before there is another
 * result.
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
        attn_worker_request_explanation (session->worker, result, index, query, key);
    }
  else if (!attn_forecast_has (session->forecast, result, index, query))
    {
      session->looks_ahead = FALSE;
      attn_worker_request_forecast (session->worker, result, index, query, 1);
    }
  else if (!session->looks_ahead && nears_end (session->forecast, query))
    look_ahead (session, result, index, query);
}

/**
 * attn_session_get_forecast:
 *
 * Returns: (transfer none) (nullable): the predictions that were looked at last, which may be of an
 *   earlier result
 */
AttnForecast *
attn_session_get_forecast (AttnSession *session)
{
  return session->forecast;
}

/**
 * attn_session_get_explanation:
 *
 * Returns: (transfer none) (nullable): the score that was looked at last, which may be of an
 *   earlier result
 */
AttnExplanation *
attn_session_get_explanation (AttnSession *session)
{
  return session->explanation;
}

/**
 * attn_session_get_closeup_error:
 *
 * Returns: (nullable): why the present result has no such closer look
 */
const char *
attn_session_get_closeup_error (AttnSession *session,
                                AttnCloseup  closeup)
{
  return session->closeup_errors[closeup];
}

/* Closeups that failed may succeed with another result; those that were asked for are not heard of
 * any more. */
void
attn_session_forget_closeups (AttnSession *self)
{
  self->looks_ahead = FALSE;
  for (gsize i = 0; i < ATTN_N_CLOSEUPS; i++)
    g_clear_pointer (&self->closeup_errors[i], g_free);
}

/* After the position that was asked for, those around it. */
void
attn_session_take_forecast (AttnSession  *self,
                            AttnForecast *forecast,
                            const GError *error)
{
  if (forecast == NULL)
    {
      g_free (self->closeup_errors[ATTN_CLOSEUP_FORECAST]);
      self->closeup_errors[ATTN_CLOSEUP_FORECAST] = g_strdup (error->message);
      return;
    }
  g_clear_pointer (&self->forecast, attn_forecast_unref);
  self->forecast = attn_forecast_ref (forecast);
  self->looks_ahead = FALSE;
  if (forecast->request.n_rows == 1)
    look_ahead (self, forecast->result, forecast->index, forecast->request.first_row);
}

void
attn_session_take_explanation (AttnSession     *self,
                               AttnExplanation *explanation,
                               const GError    *error)
{
  if (explanation == NULL)
    {
      g_free (self->closeup_errors[ATTN_CLOSEUP_EXPLANATION]);
      self->closeup_errors[ATTN_CLOSEUP_EXPLANATION] = g_strdup (error->message);
      return;
    }
  g_clear_pointer (&self->explanation, attn_explanation_unref);
  self->explanation = attn_explanation_ref (explanation);
}
