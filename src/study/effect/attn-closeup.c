/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-closeup.h"

#include "attn-error.h"
#include "attn-outcome-compute.h"
#include "attn-quantities.h"
#include "attn-speaker.h"

#include <glib/gi18n-lib.h>

static void
clear_prediction (gpointer data)
{
  AttnPrediction *prediction = data;

  attn_result_unref (prediction->result);
  g_clear_pointer (&prediction->tokens, attn_tokens_unref);
  g_free (prediction->effects);
  g_free (prediction->top.ids);
  g_free (prediction->top.probabilities);
  g_free (prediction->top.others);
}

AttnPrediction *
attn_prediction_ref (AttnPrediction *prediction)
{
  return g_atomic_rc_box_acquire (prediction);
}

void
attn_prediction_unref (AttnPrediction *prediction)
{
  g_atomic_rc_box_release_full (prediction, clear_prediction);
}

static void
clear_explanation (gpointer data)
{
  AttnExplanation *explanation = data;

  attn_result_unref (explanation->result);
  g_clear_pointer (&explanation->edge, attn_edge_free);
}

AttnExplanation *
attn_explanation_ref (AttnExplanation *explanation)
{
  return g_atomic_rc_box_acquire (explanation);
}

void
attn_explanation_unref (AttnExplanation *explanation)
{
  g_atomic_rc_box_release_full (explanation, clear_explanation);
}

/* Tells whether two panels are the same cell of the same computation. Results that differ only in
 * their looks share the array of cells, so that its pointers can be compared. */
static gboolean
is_of (const AttnResult *result,
       gsize             index,
       const AttnResult *other,
       gsize             other_index)
{
  return other != NULL && result->cells == other->cells && index == other_index;
}

/**
 * attn_prediction_has:
 * @prediction: (nullable): predictions at some positions
 * @result: (nullable): a result that has the panel
 *
 * Returns: whether @prediction has the prediction at position @row for the panel @index of @result
 */
gboolean
attn_prediction_has (const AttnPrediction *prediction,
                     const AttnResult     *result,
                     gsize                 index,
                     gsize                 row)
{
  return prediction != NULL && is_of (prediction->result, prediction->index, result, index) &&
         (prediction->shown != G_MAXSIZE ||
          (row >= prediction->request.first_row &&
           row - prediction->request.first_row < prediction->request.n_rows));
}

/**
 * attn_explanation_has:
 * @explanation: (nullable): the explanation of a score
 * @result: (nullable): a result that has the panel
 *
 * Returns: whether @explanation is of @query and @key in the panel @index of @result
 */
gboolean
attn_explanation_has (const AttnExplanation *explanation,
                      const AttnResult      *result,
                      gsize                  index,
                      gsize                  query,
                      gsize                  key)
{
  return explanation != NULL && is_of (explanation->result, explanation->index, result, index) &&
         explanation->query == query && explanation->key == key;
}

/* Returns the position whose prediction changes most, or the first if none changes. */
static gsize
find_largest (const AttnPrediction *prediction)
{
  gsize largest = 0;

  for (gsize i = 1; i < prediction->request.n_rows; i++)
    if (prediction->effects[i].kl > prediction->effects[largest].kl)
      largest = i;
  return largest;
}

/**
 * attn_prediction_run:
 * @index: index of a panel of @result; of a difference B - A, B counts
 * @first_row: the first position whose prediction is computed
 * @n_rows: how many positions from there; more than the input has are left out
 * @error: return location: errors of [func@attn_outcome_find_ends]; %ATTN_ERROR_ARGUMENT if the
 *   study's token is not one of the model
 *
 * The passes through the model are kept in @workspace, so that for another row only the logits are
 * computed.
 *
 * Returns: (transfer full) (nullable): the predictions without and with the interventions of the
 *   panel
 */
AttnPrediction *
attn_prediction_run (AttnResult     *result,
                     gsize           index,
                     gsize           first_row,
                     gsize           n_rows,
                     AttnWorkspace  *workspace,
                     GCancellable   *cancellable,
                     GError        **error)
{
  const AttnCell *cell = &result->cells[index];
  g_autoptr (AttnPrediction) prediction = g_atomic_rc_box_new0 (AttnPrediction);
  AttnPredictionRequest *request = &prediction->request;
  g_autoptr (AttnTrace) before = NULL;
  g_autoptr (AttnTrace) after = NULL;
  AttnTrace *ends[2];

  prediction->result = attn_result_ref (result);
  prediction->index = index;
  if (!attn_workspace_prepare (workspace, result->study, cancellable, error))
    return NULL;

  AttnBaseline *baseline = attn_workspace_get_baseline (workspace, cell->model, cell->input);
  g_autoptr (GPtrArray) interventions =
      attn_workspace_build_interventions (workspace, cell, result->study);
  const AttnBaseline *said = attn_speaker_get_baseline (baseline, cancellable, error);
  if (said == NULL)
    return NULL;
  gboolean is_other = said != baseline;
  gsize n = said->tokens->n_tokens;
  request->first_row = is_other ? 0 : MIN (first_row, n - 1);
  request->n_rows = is_other ? n : CLAMP (n_rows, 1, n - request->first_row);
  request->n_top = MIN (ATTN_CLOSEUP_TOP, attn_model_get_info (said->model)->vocabulary_size);
  prediction->tokens = attn_tokens_ref (said->tokens);
  prediction->shown = G_MAXSIZE;
  if (!attn_quantities_find_answer (result->study, baseline->model, &request->answer, error) ||
      !attn_outcome_find_ends (baseline, interventions, ends, cancellable, error))
    return NULL;
  before = ends[0];
  after = ends[1];

  gsize n_listed = 2 * request->n_rows * request->n_top;
  prediction->effects = g_new (AttnPredictionEffect, request->n_rows);
  prediction->top.ids = g_new (gint64, n_listed);
  prediction->top.probabilities = g_new (float, n_listed);
  prediction->top.others = g_new (float, n_listed);
  if (!attn_prediction_compare (before, after, request, prediction->effects, &prediction->top,
                                cancellable, error))
    return NULL;
  if (is_other)
    prediction->shown = find_largest (prediction);
  return g_steal_pointer (&prediction);
}

/**
 * attn_explanation_run:
 * @index: index of a panel of @result; of a difference B - A, B counts
 * @query: position of the query
 * @key: position of the key
 * @error: return location: %ATTN_ERROR_ARGUMENT for the mean of the heads, which has no queries of
 *   its own; errors of [func@attn_edge_compute]
 *
 * Returns: (transfer full) (nullable): the score of that query and key as a sum of contributions
 */
AttnExplanation *
attn_explanation_run (AttnResult     *result,
                      gsize           index,
                      gsize           query,
                      gsize           key,
                      AttnWorkspace  *workspace,
                      GCancellable   *cancellable,
                      GError        **error)
{
  const AttnCell *cell = &result->cells[index];
  g_autoptr (AttnExplanation) explanation = g_atomic_rc_box_new0 (AttnExplanation);

  explanation->result = attn_result_ref (result);
  explanation->index = index;
  explanation->query = query;
  explanation->key = key;
  if (cell->head < 0)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("mean of the heads found, expected a head, whose score is a sum"));
  if (!attn_workspace_prepare (workspace, result->study, cancellable, error))
    return NULL;

  AttnBaseline *baseline = attn_workspace_get_baseline (workspace, cell->model, cell->input);
  g_autoptr (GPtrArray) interventions =
      attn_workspace_build_interventions (workspace, cell, result->study);
  if (!attn_baseline_need_layer (baseline, cell->layer, NULL, cancellable, error))
    return NULL;
  AttnTrace *trace = baseline->shown;
  if (attn_interventions_find_first_layer (interventions) < cell->layer)
    {
      if (!attn_baseline_need_residuals (baseline, NULL, cancellable, error))
        return NULL;
      trace = baseline->residuals;
    }
  explanation->edge = attn_edge_compute (trace, cell->layer, (gsize) cell->head, interventions,
                                         query, key, cancellable, error);
  return explanation->edge != NULL ? g_steal_pointer (&explanation) : NULL;
}
