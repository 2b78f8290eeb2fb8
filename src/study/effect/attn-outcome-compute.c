/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-outcome-compute.h"

#include <math.h>

#include "attn-quantities.h"
#include "attn-speaker.h"

/**
 * attn_outcome_find_ends:
 * @interventions: (element-type AttnIntervention): what is done to the model
 * @ends: (out): (transfer full): traces for [func@attn_prediction_compare], without and with
 *   @interventions
 * @error: return location: %ATTN_ERROR_UNSUPPORTED for a model without a language-model head and
 *   for a recording; errors of [func@attn_trace_compute]
 *
 * The pass begins at the first changed layer, with the baseline's data below it, and is kept in
 * case the same interventions are asked for again. For an encoder, the traces are those of its
 * decoder.
 */
gboolean
attn_outcome_find_ends (AttnBaseline  *baseline,
                        GPtrArray     *interventions,
                        AttnTrace     *ends[2],
                        GCancellable  *cancellable,
                        GError       **error)
{
  AttnBaseline *said = attn_speaker_get_baseline (baseline, cancellable, error);

  if (said == NULL || !attn_baseline_need_end (said, cancellable, error))
    return FALSE;
  if (interventions->len > 0 &&
      (said->changes == NULL || !attn_interventions_equal (said->changes, interventions)))
    {
      AttnTrace *changed = attn_speaker_compute_end (baseline, said, said->residuals,
                                                     interventions, cancellable, error);

      if (changed == NULL)
        return FALSE;
      g_clear_pointer (&said->changed_end, attn_trace_unref);
      g_clear_pointer (&said->changes, g_ptr_array_unref);
      said->changed_end = changed;
      said->changes = g_ptr_array_ref (interventions);
    }
  ends[0] = attn_trace_ref (said->end);
  ends[1] = attn_trace_ref (interventions->len > 0 ? said->changed_end : said->end);
  return TRUE;
}

/* Returns the mean over the positions of the member of AttnPredictionEffect at @offset, leaving out
 * NaN; NaN if no number is left. */
static double
average (const AttnOutcome *outcome,
         gsize              offset)
{
  double sum = 0.0;
  gsize n = 0;

  for (gsize i = 0; i < outcome->n; i++)
    {
      double value = G_STRUCT_MEMBER (double, &outcome->positions[i], offset);

      if (isnan (value))
        continue;
      sum += value;
      n++;
    }
  return n > 0 ? sum / n : NAN;
}

/* Finds the labels that a classifier assigns to the picture before and after the interventions.
 * They are found at one position, as a classifier gives the same label at each. */
static gboolean
find_labels (AttnOutcome         *outcome,
             const AttnBaseline  *baseline,
             AttnTrace * const    ends[2],
             GCancellable        *cancellable,
             GError             **error)
{
  const AttnPredictionRequest request = { .n_rows = 1, .answer = ATTN_ANSWER_NONE, .n_top = 1 };
  AttnPredictionEffect effect;
  gint64 ids[2];
  float shares[2];
  const AttnPredictionTop top = { ids, shares, NULL };

  if (!attn_model_get_info (baseline->model)->needs_picture ||
      attn_model_get_info (baseline->model)->sees)
    return TRUE;
  if (!attn_prediction_compare (ends[0], ends[1], &request, &effect, &top, cancellable, error))
    return FALSE;
  for (gsize k = 0; k < 2; k++)
    {
      outcome->labels[k] = attn_model_dup_output_label (baseline->model, ids[k]);
      outcome->shares[k] = shares[k];
    }
  return TRUE;
}

/**
 * attn_outcome_compute:
 * @workspace: the workspace, prepared for @study
 * @cell: a cell of the grid, whose interventions are compared with none
 * @error: return location: errors of [func@attn_outcome_find_ends]; %ATTN_ERROR_ARGUMENT if the
 *   study's token is not one of the model
 *
 * Returns: (transfer full) (nullable): the effect of the interventions on the prediction
 */
AttnOutcome *
attn_outcome_compute (const AttnStudy  *study,
                      AttnWorkspace    *workspace,
                      const AttnCell   *cell,
                      GCancellable     *cancellable,
                      GError          **error)
{
  AttnBaseline *baseline = attn_workspace_get_baseline (workspace, cell->model, cell->input);
  g_autoptr (GPtrArray) interventions =
      attn_workspace_build_interventions (workspace, cell, study);
  AttnPredictionRequest request = { 0 };
  g_autoptr (AttnTrace) before = NULL;
  g_autoptr (AttnTrace) after = NULL;
  AttnTrace *ends[2];

  if (!attn_quantities_find_answer (study, baseline->model, &request.answer, error) ||
      !attn_outcome_find_ends (baseline, interventions, ends, cancellable, error))
    return NULL;
  before = ends[0];
  after = ends[1];
  request.n_rows = attn_speaker_get_baseline (baseline, NULL, NULL)->tokens->n_tokens;

  g_autoptr (AttnOutcome) outcome = g_atomic_rc_box_new0 (AttnOutcome);
  outcome->n = request.n_rows;
  outcome->positions = g_new (AttnPredictionEffect, outcome->n);
  if (!attn_prediction_compare (before, after, &request, outcome->positions, NULL,
                                cancellable, error) ||
      !find_labels (outcome, baseline, ends, cancellable, error))
    return NULL;
  outcome->kl = average (outcome, G_STRUCT_OFFSET (AttnPredictionEffect, kl));
  outcome->total_variation =
      average (outcome, G_STRUCT_OFFSET (AttnPredictionEffect, total_variation));
  gsize last = outcome->n - 1;
  while (last > 0 && isnan (outcome->positions[last].logit_difference[0]))
    last--;
  for (gsize k = 0; k < 2; k++)
    {
      outcome->loss[k] = average (outcome, G_STRUCT_OFFSET (AttnPredictionEffect, loss) +
                                               k * sizeof (double));
      outcome->logit_difference[k] = outcome->positions[last].logit_difference[k];
    }
  return g_steal_pointer (&outcome);
}
