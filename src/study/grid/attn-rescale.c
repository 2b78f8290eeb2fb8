/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-rescale.h"

#include <math.h>

#include "attn-cut.h"
#include "attn-plan-panels.h"
#include "attn-trace.h"

/* Largest number of scores that a figure keeps for all its layers, and of multiplications to
 * compute them, which take about a tenth of a second. */
#define MAX_SCORES   (4 << 20)
#define MAX_PRODUCTS 4e9

/**
 * attn_rescale_is_possible:
 *
 * Returns: whether the panels of @study are weights of layers whose queries, keys or values are
 *   multiplied by ε, as they are computed or as softmax makes them of the keys that are left
 */
gboolean
attn_rescale_is_possible (const AttnStudy *study)
{
  return study->operation == ATTN_OPERATION_SCALE && study->quantity == ATTN_MAP_WEIGHTS &&
         !study->joins_words && (!study->hides_keys || study->renormalises);
}

/**
 * attn_rescale_is_quick:
 * @n: panels of @study
 * @input: index of the input with the most tokens
 *
 * Returns: whether their scores take little time and memory beside the panels themselves: those of
 *   one layer are there already
 */
gboolean
attn_rescale_is_quick (const AttnStudy *study,
                       AttnWorkspace   *workspace,
                       gsize            n,
                       gsize            input)
{
  AttnBaseline *baseline = attn_workspace_get_baseline (workspace, 0, input);
  const AttnModelInfo *info = attn_model_get_info (baseline->model);
  double n_tokens = (double) baseline->tokens->n_tokens;
  double n_heads = study->head == ATTN_HEAD_MEAN ? (double) info->n_heads : 1;
  double n_products = n_tokens * (double) info->n_heads * (double) info->head_width *
                      (2 * (double) info->width + n_tokens) * (double) info->n_layers;

  return !attn_study_changes_along (study, ATTN_DIMENSION_LAYER) ||
         ((double) n * n_heads * n_tokens * (double) attn_baseline_count_keys (baseline) <=
              MAX_SCORES &&
          n_products <= MAX_PRODUCTS);
}

/* Frees the contents. The empty struct means that the panel does not follow changes of ε. */
void
attn_rescale_clear (AttnRescaling *rescaling)
{
  g_clear_pointer (&rescaling->heads, g_array_unref);
  g_clear_pointer (&rescaling->subtracted, g_array_unref);
  *rescaling = (AttnRescaling) { 0 };
}

static void
clear_head (gpointer data)
{
  AttnRescaledHead *head = data;

  g_clear_pointer (&head->scores, attn_tensor_unref);
}

/* (transfer full): interventions of @cell with its ε replaced by @epsilon. */
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

/* Finds the form in which the scores of the heads from @first to @end depend on ε. Returns FALSE if
 * one of them has no closed form. @power: (out): sum of the powers of ε */
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
      AttnRescaledHead head = { NULL, 0, 1, attn_trace_get_sink (trace, layer, i) };
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

/* (transfer full) (nullable): scores of the cells that @panel shows, with 0 in the column of the
 * sink; NULL if there are none. */
static AttnTensor *
cut_scores (AttnTensor      *scores,
            const AttnPanel *panel)
{
  const gsize shape[] = { attn_panel_get_n_rows (panel), attn_panel_get_n_columns (panel) };

  if (shape[0] == scores->shape[0] && shape[1] == scores->shape[1])
    return attn_tensor_ref (scores);

  g_autoptr (AttnTensor) left = attn_tensor_new (2, shape, NULL);
  for (gsize i = 0; left != NULL && i < shape[0]; i++)
    for (gsize k = 0; k < shape[1]; k++)
      {
        gsize row = attn_panel_get_row_position (panel, i);
        gsize column = attn_panel_get_column_position (panel, k);

        if (column == ATTN_PANEL_NO_POSITION)
          continue;
        if (row >= scores->shape[0] || column >= scores->shape[1])
          return NULL;
        left->data[i * shape[1] + k] = scores->data[row * scores->shape[1] + column];
      }
  return g_steal_pointer (&left);
}

/* Finds how the weights of @cell, of which @panel is what is shown, follow its ε. Returns whether
 * they do so in closed form, if at all.
 * @epsilon: (out): 0 where no operation is its own
 * @found: (out) (nullable): NULL where they do not follow it */
static gboolean
find_side (const AttnStudy  *study,
           AttnWorkspace    *workspace,
           const AttnCell   *cell,
           const AttnPanel  *panel,
           GCancellable     *cancellable,
           double           *epsilon,
           GArray          **found)
{
  AttnBaseline *baseline = attn_workspace_get_baseline (workspace, cell->model, cell->input);
  const AttnModelInfo *info = attn_model_get_info (baseline->model);
  gsize first = cell->head >= 0 ? (gsize) cell->head : 0;
  gsize end = cell->head >= 0 ? first + 1 : info->n_heads;
  g_autoptr (GPtrArray) own =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);
  guint power;

  *epsilon = 0;
  *found = NULL;
  if (!attn_cell_is_baseline (cell, study))
    attn_cell_add_operation (cell, study, own);
  if (own->len == 0)
    return TRUE;
  if (baseline->shown == NULL || attn_plan_is_long (baseline))
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
      g_autoptr (AttnTensor) scores = attn_trace_compute_scores (
          baseline->shown, cell->layer, first + i, cancellable, NULL);

      head->scores = scores != NULL ? cut_scores (scores, panel) : NULL;
      if (head->scores == NULL)
        return FALSE;
      /* If hidden keys are left out and rows renormalised, the sink takes no share of the row,
       * unless it has a column of its own. */
      if (study->hides_keys && attn_panel_get_column_position (panel, 0) != ATTN_PANEL_NO_POSITION)
        head->sink = -INFINITY;
    }
  *epsilon = cell->epsilon;
  *found = power > 0 ? g_steal_pointer (&heads) : NULL;
  return TRUE;
}

/**
 * attn_rescale_find:
 * @cell: what is shown at a place; of a difference, what another is subtracted from
 * @subtracted: (nullable): of a difference of two places, what is subtracted
 * @place: the panels that are shown there
 * @rescaling: (out): how they follow ε; none where no operation is their own
 *
 * Returns: whether they do so in closed form, if at all
 */
gboolean
attn_rescale_find (const AttnStudy    *study,
                   AttnWorkspace      *workspace,
                   const AttnCell     *cell,
                   const AttnCell     *subtracted,
                   const AttnGridCell *place,
                   GCancellable       *cancellable,
                   AttnRescaling      *rescaling)
{
  double epsilon = 0;

  *rescaling = (AttnRescaling) { 0 };
  if (!find_side (study, workspace, cell, place->minuend != NULL ? place->minuend : place->panel,
                  cancellable, &rescaling->epsilon, &rescaling->heads))
    return FALSE;
  if (subtracted == NULL)
    return TRUE;
  if (!find_side (study, workspace, subtracted, place->baseline, cancellable, &epsilon,
                  &rescaling->subtracted))
    return FALSE;
  /* A difference follows one ε only if both sides have the same factor. */
  if (epsilon > 0 && rescaling->epsilon > 0 && epsilon != rescaling->epsilon)
    return FALSE;
  rescaling->epsilon = MAX (epsilon, rescaling->epsilon);
  return TRUE;
}
