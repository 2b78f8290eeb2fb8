/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-grid-heads.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-cell.h"
#include "attn-error.h"
#include "attn-study-private.h"

typedef struct
{
  const AttnStudy *study;
  AttnWorkspace *workspace;
  AttnModel *model; /* the study's first model */
  gsize n_used;     /* how many inputs the grid uses */
  const AttnProgress *progress;
  GCancellable *cancellable;
} Choice;

/* Tells whether the study names a layer, so that the sink scores of other layers are not needed. */
static gboolean
has_fixed_layer (const Choice *choice)
{
  return choice->study->layer >= 0 &&
         !attn_study_changes_along (choice->study, ATTN_DIMENSION_LAYER);
}

/* Computes the sink scores of all heads for every input of the grid, in the study's layer or in all
 * layers. Returns FALSE on error. */
static gboolean
need_sink_scores (const Choice  *choice,
                  GError       **error)
{
  for (gsize i = 0; i < choice->n_used; i++)
    {
      AttnBaseline *baseline = attn_workspace_get_baseline (choice->workspace, 0, i);
      g_autofree char *text =
          g_strdup_printf (_("Computing input %zu of %zu"), i + 1, choice->n_used);
      double share = ATTN_GRID_HEADS_SHARE / choice->n_used;
      const AttnProgressPart part = { choice->progress, text, share * i, share };
      const AttnProgress progress = attn_progress_of_part (&part);

      if (!(has_fixed_layer (choice)
                ? attn_baseline_need_layer (baseline, choice->study->layer, &progress,
                                            choice->cancellable, error)
                : attn_baseline_need_residuals (baseline, &progress, choice->cancellable, error)))
        return FALSE;
    }
  return TRUE;
}

/* Returns the sink score of a head, which is that of key 0, averaged over the inputs of the
 * grid. */
static double
average_sink_score (const Choice *choice,
                    gsize         layer,
                    gsize         head)
{
  double sum = 0;

  for (gsize i = 0; i < choice->n_used; i++)
    {
      const AttnBaseline *baseline = attn_workspace_get_baseline (choice->workspace, 0, i);
      g_autoptr (AttnTensor) scores = attn_trace_get_sink_scores (
          has_fixed_layer (choice) ? baseline->shown : baseline->residuals);

      sum += scores->data[layer * scores->shape[1] + head];
    }
  return sum / choice->n_used;
}

/* Returns the sink score by which layers are compared: that of the layer's best head, of the
 * study's head, or of the mean of the heads. If heads vary along the grid, only heads of the grid
 * count. */
static double
score_layer (const Choice *choice,
             gsize         layer,
             int          *best_head)
{
  gsize n_heads = attn_model_get_info (choice->model)->n_heads;
  gboolean has_all = attn_study_changes_along (choice->study, ATTN_DIMENSION_HEAD);
  double best = -INFINITY;
  double sum = 0;

  if (choice->study->head >= 0 && !has_all)
    {
      *best_head = choice->study->head;
      return average_sink_score (choice, layer, choice->study->head);
    }
  for (gsize head = 0; head < n_heads; head++)
    {
      if (has_all && !attn_index_set_contains (choice->study->heads, head))
        continue;

      double score = average_sink_score (choice, layer, head);
      sum += score;
      if (score > best)
        {
          best = score;
          *best_head = head;
        }
    }
  if (choice->study->head == ATTN_HEAD_MEAN && !has_all)
    {
      *best_head = ATTN_HEAD_MEAN;
      return sum / n_heads;
    }
  return best;
}

/* Finds the layer, and its head, with the strongest sink. */
static void
choose_layer (const Choice  *choice,
              AttnGridHeads *chosen)
{
  gsize n_layers = attn_model_get_info (choice->model)->n_layers;
  double best = -INFINITY;

  for (gsize layer = 0; layer < n_layers; layer++)
    {
      int head = 0;

      if (!attn_model_has_map (choice->model, layer))
        continue;
      double score = score_layer (choice, layer, &head);

      if (score > best)
        {
          best = score;
          chosen->layer = layer;
          chosen->head = head;
        }
    }
}

/**
 * attn_grid_heads_choose:
 * @n_used: how many inputs the grid shows, from the first on
 * @progress: (nullable): is told how far the choice is, from 0 to %ATTN_GRID_HEADS_SHARE
 * @cancellable: (nullable): checked between inputs and layers
 * @chosen: (out): the layer and head; free it with [func@attn_grid_heads_clear]
 * @error: return location: %ATTN_ERROR_ARGUMENT, where the model does not have the layer or head
 *   that @study names; errors of a pass through the model
 *
 * Chooses the layer and the head if the study leaves them open and they do not vary along the
 * grid, by the sink scores of the first model.
 */
gboolean
attn_grid_heads_choose (const AttnStudy     *study,
                        AttnWorkspace       *workspace,
                        gsize                n_used,
                        const AttnProgress  *progress,
                        GCancellable        *cancellable,
                        AttnGridHeads       *chosen,
                        GError             **error)
{
  AttnModel *model = workspace->models->pdata[0];
  const Choice choice = { study, workspace, model, n_used, progress, cancellable };
  const AttnModelInfo *info = attn_model_get_info (model);
  gboolean has_layers = attn_study_changes_along (study, ATTN_DIMENSION_LAYER);
  gboolean has_heads = attn_study_changes_along (study, ATTN_DIMENSION_HEAD);
  gboolean is_layer_open = !has_layers && study->layer < 0;
  gboolean is_head_open = !has_heads && study->head == ATTN_HEAD_STRONGEST_SINK;

  if ((!has_layers && study->layer >= 0 &&
       (!attn_cell_check_number (study->layer, info->n_layers, _("layer"), error) ||
        !attn_model_check_map (model, (gsize) study->layer, error))) ||
      (!has_heads && study->head >= 0 &&
       !attn_cell_check_number (study->head, info->n_heads, _("head"), error)))
    return FALSE;
  chosen->layer = has_layers || is_layer_open ? 0 : study->layer;
  chosen->head = has_heads || is_head_open ? 0 : study->head;
  if (study->quantity == ATTN_MAP_ROLLOUT && has_heads)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("rollout: heads found along the grid, expected layers or one map, since it "
                        "is of all heads"));
  if (!is_layer_open && !is_head_open)
    return TRUE;
  if (!need_sink_scores (&choice, error))
    return FALSE;
  if (is_layer_open)
    choose_layer (&choice, chosen);
  else if (!has_layers)
    score_layer (&choice, chosen->layer, &chosen->head);
  else
    {
      /* Heads with the same index in two layers are unrelated, so the strongest sink is chosen in
       * each layer. */
      chosen->heads = g_new0 (int, info->n_layers);
      for (gsize layer = 0; layer < info->n_layers; layer++)
        score_layer (&choice, layer, &chosen->heads[layer]);
    }
  return TRUE;
}

/* Tells whether the sink scores among which the strongest is chosen are already computed. */
static gboolean
are_known (const Choice *choice)
{
  const AttnModelInfo *info = attn_model_get_info (choice->model);

  for (gsize i = 0; i < choice->n_used; i++)
    {
      const AttnBaseline *baseline = attn_workspace_get_baseline (choice->workspace, 0, i);

      if (has_fixed_layer (choice) ? baseline->shown == NULL ||
                                         baseline->shown_layer != (gsize) choice->study->layer
                                   : baseline->n_residual_layers < info->n_layers)
        return FALSE;
    }
  return TRUE;
}

/**
 * attn_grid_heads_mark:
 * @result: a result whose panels are computed
 * @n_used: how many inputs the grid shows, from the first on
 *
 * Notes in @result whether its layer and head are those with the strongest sink, also if the user
 * chose them, as far as the scores are computed by now.
 */
void
attn_grid_heads_mark (AttnResult    *result,
                      AttnWorkspace *workspace,
                      gsize          n_used)
{
  g_autoptr (AttnStudy) open = attn_study_copy (result->study);
  const Choice choice = { open, workspace, workspace->models->pdata[0], n_used, NULL, NULL };
  AttnGridHeads found = { 0 };

  open->head = ATTN_HEAD_STRONGEST_SINK;
  open->layer = (int) result->layer;
  result->is_head_strongest = result->study->head == ATTN_HEAD_STRONGEST_SINK;
  if (!result->is_head_strongest && has_fixed_layer (&choice) && are_known (&choice))
    {
      score_layer (&choice, result->layer, &found.head);
      result->is_head_strongest = found.head == result->head;
    }
  open->layer = ATTN_LAYER_STRONGEST_SINK;
  result->is_layer_strongest = result->study->layer < 0;
  if (!result->is_layer_strongest && are_known (&choice))
    {
      choose_layer (&choice, &found);
      result->is_layer_strongest = found.layer == result->layer;
    }
}

void
attn_grid_heads_clear (AttnGridHeads *chosen)
{
  g_clear_pointer (&chosen->heads, g_free);
}
