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
 *   multiplied by ε, as they are computed, without anything beside them that depends on ε otherwise
 */
gboolean
attn_rescale_is_possible (const AttnStudy *study)
{
  return study->operation == ATTN_OPERATION_SCALE && study->quantity == ATTN_MAP_WEIGHTS &&
         !study->joins_words && !attn_cut_is_needed (study) &&
         !study->effects[ATTN_SHOWN_NUMBERS] && !study->effects[ATTN_SHOWN_STRIP] &&
         !attn_study_changes_along (study, ATTN_DIMENSION_LAYER);
}

/* Frees what it holds; then it is that of a panel that does not follow ε. */
void
attn_rescale_clear (AttnRescaling *rescaling)
{
  g_clear_pointer (&rescaling->heads, g_array_unref);
  *rescaling = (AttnRescaling) { 0 };
}

static void
clear_head (gpointer data)
{
  AttnRescaledHead *head = data;

  g_clear_pointer (&head->scores, attn_tensor_unref);
}

/* (transfer full): the interventions of @cell, if its ε were @epsilon. */
static GPtrArray *
build_at (const AttnStudy *study,
          AttnWorkspace   *workspace,
          const AttnCell  *cell,
          double           epsilon)
{
  AttnCell other = *cell;

  other.epsilon = epsilon;
  return attn_workspace_build_interventions (workspace, &other, study);
}

/* Finds how the heads from @first to @end follow ε; FALSE where one does so in another form.
 * @power: (out): the sum of theirs */
static gboolean
find_heads (AttnTrace *trace,
            gsize      layer,
            gsize      first,
            gsize      end,
            GPtrArray *at_one,
            GPtrArray *at_two,
            GArray    *heads,
            guint     *power)
{
  *power = 0;
  for (gsize i = first; i < end; i++)
    {
      AttnRescaledHead head = { NULL, 0, 1 };
      double doubled;

      if (!attn_trace_get_factor (trace, layer, i, at_one, &head.rest) ||
          !attn_trace_get_factor (trace, layer, i, at_two, &doubled) || !(head.rest > 0))
        return FALSE;
      head.power = (guint) lround (log2 (doubled / head.rest));
      *power += head.power;
      g_array_append_val (heads, head);
    }
  return TRUE;
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
  const AttnModelInfo *info = attn_model_get_info (baseline->model);
  gsize first = cell->head >= 0 ? (gsize) cell->head : 0;
  gsize end = cell->head >= 0 ? first + 1 : info->n_heads;
  g_autoptr (GPtrArray) own =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);
  guint power;

  *rescaling = (AttnRescaling) { 0 };
  if (!attn_cell_is_baseline (cell, study))
    attn_cell_add_operation (cell, study, own);
  if (own->len == 0)
    return TRUE;
  if (baseline->shown == NULL || attn_plan_is_long (baseline) || info->has_sinks)
    return FALSE;

  g_autoptr (GPtrArray) at_one = build_at (study, workspace, cell, 1);
  g_autoptr (GPtrArray) at_two = build_at (study, workspace, cell, 2);
  g_autoptr (GArray) heads = g_array_new (FALSE, FALSE, sizeof (AttnRescaledHead));
  g_array_set_clear_func (heads, clear_head);
  if (!find_heads (baseline->shown, cell->layer, first, end, at_one, at_two, heads, &power))
    return FALSE;
  for (guint i = 0; power > 0 && i < heads->len; i++)
    {
      AttnRescaledHead *head = &g_array_index (heads, AttnRescaledHead, i);

      head->scores = attn_trace_compute_scores (baseline->shown, cell->layer, first + i,
                                                cancellable, NULL);
      if (head->scores == NULL)
        return FALSE;
    }
  rescaling->epsilon = cell->epsilon;
  rescaling->heads = power > 0 ? g_steal_pointer (&heads) : NULL;
  return TRUE;
}
