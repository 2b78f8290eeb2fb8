/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-rescale.h"

#include <math.h>

#include "attn-cut.h"
#include "attn-plan-panels.h"
#include "attn-trace.h"

/**
 * attn_rescale_is_possible:
 *
 * Returns: whether the panels of @study are weights of one layer whose queries, keys or values are
 *   multiplied by ε, as they are computed
 */
gboolean
attn_rescale_is_possible (const AttnStudy *study)
{
  return study->operation == ATTN_OPERATION_SCALE && study->quantity == ATTN_MAP_WEIGHTS &&
         !study->joins_words && !attn_cut_is_needed (study) &&
         !attn_study_changes_along (study, ATTN_DIMENSION_LAYER);
}

/* Frees what it holds; then it is that of a panel that does not follow ε. */
void
attn_rescale_clear (AttnRescaling *rescaling)
{
  g_clear_pointer (&rescaling->scores, attn_panel_unref);
  *rescaling = (AttnRescaling) { 0 };
}

/* The factor of the scores of @cell, if ε were @epsilon; FALSE where it is not of that form. */
static gboolean
get_factor (const AttnStudy *study,
            AttnWorkspace   *workspace,
            const AttnCell  *cell,
            AttnTrace       *trace,
            double           epsilon,
            double          *factor)
{
  AttnCell other = *cell;

  other.epsilon = epsilon;
  g_autoptr (GPtrArray) interventions =
      attn_workspace_build_interventions (workspace, &other, study);
  return attn_trace_get_factor (trace, cell->layer, (gsize) cell->head, interventions, factor);
}

/**
 * attn_rescale_find:
 * @cell: no difference
 * @rescaling: (out): how the weights of @cell follow its ε; none where no operation is its own
 *
 * Returns: whether they do so in closed form, if at all
 */
gboolean
attn_rescale_find (const AttnStudy *study,
                   AttnWorkspace   *workspace,
                   const AttnCell  *cell,
                   GCancellable    *cancellable,
                   AttnRescaling   *rescaling)
{
  AttnBaseline *baseline = attn_workspace_get_baseline (workspace, cell->model, cell->input);
  g_autoptr (GPtrArray) own =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);
  double at_one;
  double at_two;

  *rescaling = (AttnRescaling) { 0 };
  if (cell->side != ATTN_CELL_A || study->compared != ATTN_DIMENSION_NONE)
    attn_cell_add_operation (cell, study, own);
  if (own->len == 0)
    return TRUE;
  if (cell->head < 0 || baseline->shown == NULL || attn_plan_is_long (baseline) ||
      attn_model_get_info (baseline->model)->has_sinks ||
      !get_factor (study, workspace, cell, baseline->shown, 1, &at_one) ||
      !get_factor (study, workspace, cell, baseline->shown, 2, &at_two) || !(at_one > 0))
    return FALSE;
  rescaling->epsilon = cell->epsilon;
  rescaling->power = (guint) lround (log2 (at_two / at_one));
  rescaling->rest = at_one;
  if (rescaling->power == 0)
    return TRUE;

  g_autoptr (AttnTensor) scores = attn_trace_compute_scores (
      baseline->shown, cell->layer, (gsize) cell->head, cancellable, NULL);
  if (scores == NULL)
    return FALSE;
  rescaling->scores = attn_plan_wrap_panel (baseline, cell->layer, scores, TRUE);
  return TRUE;
}
