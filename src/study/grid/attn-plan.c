/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Plans the panels of a grid and computes each only once. A grid of layers x heads can have
 * thousands of panels. Cells are grouped by input and interventions, and each group is computed one
 * layer at a time, all heads of the layer at once. The other cells of a grid change the result of a
 * cell only by rounding, and cached data of the workspace does not change it at all. */

#include "config.h"

#include "attn-plan.h"

#include <glib/gi18n-lib.h>

#include "attn-memory.h"
#include "attn-plan-batch.h"
#include "attn-plan-panels.h"

struct _AttnPlan
{
  const AttnStudy *study;
  AttnWorkspace *workspace;
  GPtrArray *items;   /* element-type AttnPlanItem: all cells that were added */
  GPtrArray *batches; /* element-type AttnPlanBatch: a batch for each input in each model */

  /* Arguments of attn_plan_run() */
  const AttnProgress *progress;
  GCancellable *cancellable;
  gsize n_layers; /* number of layers to compute in all batches together */
  gsize n_done;
};

/**
 * attn_plan_new:
 * @study: the study whose grid is planned; it and @workspace live as long as the plan
 * @workspace: prepared for @study
 *
 * Returns: (transfer full): a plan without cells
 */
AttnPlan *
attn_plan_new (const AttnStudy *study,
               AttnWorkspace   *workspace)
{
  AttnPlan *plan = g_new0 (AttnPlan, 1);

  plan->study = study;
  plan->workspace = workspace;
  plan->items = g_ptr_array_new_with_free_func (attn_plan_item_unref);
  plan->batches = g_ptr_array_new_with_free_func (attn_plan_batch_free);
  return plan;
}

void
attn_plan_free (AttnPlan *plan)
{
  if (plan == NULL)
    return;
  g_ptr_array_unref (plan->batches);
  g_ptr_array_unref (plan->items);
  g_free (plan);
}

/* Tells whether some of the interventions name positions, which one input may have and another
 * lack. */
static gboolean
have_positions (const GPtrArray *interventions)
{
  for (guint i = 0; i < interventions->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (interventions, i);

      if (intervention->operation == ATTN_OPERATION_PATCH || intervention->tokens != NULL ||
          intervention->keys != NULL)
        return TRUE;
    }
  return FALSE;
}

/* Checks that the layer and head of a cell exist in its model, and that its interventions are
 * possible there. */
static gboolean
check_cell (const AttnPlan      *plan,
            const AttnCell      *cell,
            const AttnBaseline  *baseline,
            const GPtrArray     *interventions,
            GError             **error)
{
  const AttnModelInfo *info = attn_model_get_info (baseline->model);

  if (!attn_cell_check_number (cell->layer, info->n_layers, _("layer"), error) ||
      (cell->head != ATTN_HEAD_MEAN &&
       !attn_cell_check_number (cell->head, info->n_heads, _("head"), error)))
    {
      if (plan->workspace->models->len > 1)
        g_prefix_error (error, "%s: ", attn_model_get_name (baseline->model));
      return FALSE;
    }
  if (attn_interventions_check (interventions, baseline->model, baseline->tokens->n_tokens, error))
    return TRUE;
  if (plan->workspace->n_inputs > 1 && have_positions (interventions))
    g_prefix_error (error, _("input %zu: "), cell->input + 1);
  return FALSE;
}

static AttnPlanBatch *
find_batch (AttnPlan     *plan,
            AttnBaseline *baseline)
{
  /* The batch is searched from the end, as neighbouring cells usually share one. */
  for (guint i = plan->batches->len; i > 0; i--)
    {
      AttnPlanBatch *batch = g_ptr_array_index (plan->batches, i - 1);

      if (batch->baseline == baseline)
        return batch;
    }

  AttnPlanBatch *batch = attn_plan_batch_new (plan->study, baseline);
  g_ptr_array_add (plan->batches, batch);
  return batch;
}

/**
 * attn_plan_add:
 * @cell: a cell of the grid; not a difference, which is made from two cells
 * @index: (out): index by which attn_plan_get() returns the result
 * @error: return location for %ATTN_ERROR_ARGUMENT, where the model of @cell does not have its
 *   layer, its head or what an intervention asks for
 */
gboolean
attn_plan_add (AttnPlan        *plan,
               const AttnCell  *cell,
               gsize           *index,
               GError         **error)
{
  AttnBaseline *baseline =
      attn_workspace_get_baseline (plan->workspace, cell->model, cell->input);
  g_autoptr (GPtrArray) interventions =
      attn_workspace_build_interventions (plan->workspace, cell, plan->study);

  if (!check_cell (plan, cell, baseline, interventions, error))
    return FALSE;

  *index = plan->items->len;
  g_ptr_array_add (plan->items,
                   attn_plan_batch_add (find_batch (plan, baseline), cell, interventions));
  return TRUE;
}

/* Tells whether measures and the small image (the overview) of a long panel are computed only for
 * its shown part. */
static gboolean
is_partial (const AttnPlan     *plan,
            const AttnBaseline *baseline)
{
  return attn_plan_is_long (baseline) &&
         (attn_plan_leaves_out_queries (plan->study) || plan->study->joins_words ||
          plan->study->hides_keys);
}

/* Gives @item the panel of its head without interventions, from the cache or else computed from
 * @source. */
static gboolean
fill_baseline (AttnPlan              *plan,
               AttnBaseline          *baseline,
               AttnPlanItem          *item,
               const AttnPlanSource  *source,
               GError               **error)
{
  gboolean is_kept = !is_partial (plan, baseline);
  AttnBaselinePanel *kept =
      is_kept ? attn_baseline_find_panel (baseline, item->layer, item->head) : NULL;

  if (kept == NULL)
    {
      g_autoptr (AttnPanel) panel = attn_plan_make_panel (baseline, item->layer, item->head, source,
                                                          plan->cancellable, error);
      AttnPanelMeasures measures;

      if (panel == NULL || !attn_plan_measure (plan->study, baseline, panel, panel,
                                               plan->cancellable, &measures, error))
        return FALSE;
      if (!is_kept)
        {
          item->planned.baseline = g_steal_pointer (&panel);
          item->planned.measures = measures;
          return TRUE;
        }
      kept = attn_baseline_add_panel (baseline, item->layer, item->head, g_steal_pointer (&panel));
      kept->measures = measures;
    }
  item->planned.baseline = attn_panel_ref (kept->panel);
  item->planned.measures = kept->measures;
  return TRUE;
}

/* Gives each cell of @layer the panel of its head without interventions, cached or else computed
 * from @trace. */
static gboolean
fill_baselines (AttnPlan             *plan,
                const AttnPlanBatch  *batch,
                gsize                 layer,
                AttnTrace            *trace,
                GError              **error)
{
  g_autoptr (GPtrArray) items = attn_plan_batch_list (batch, layer);
  g_autoptr (AttnTensor) weights =
      trace != NULL ? attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, layer) : NULL;
  const AttnPlanSource source = {
    .trace = trace,
    .weights = weights,
    .is_copied =
        attn_plan_batch_count_heads (batch, layer) <
        attn_model_get_info (batch->baseline->model)->n_heads,
  };

  for (guint i = 0; i < items->len; i++)
    {
      AttnPlanItem *item = g_ptr_array_index (items, i);

      if (item->planned.baseline == NULL &&
          !fill_baseline (plan, batch->baseline, item, &source, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
has_baselines (const AttnPlan      *plan,
               const AttnPlanBatch *batch,
               gsize                layer)
{
  g_autoptr (GPtrArray) items = attn_plan_batch_list (batch, layer);

  for (guint i = 0; i < items->len; i++)
    if (is_partial (plan, batch->baseline) ||
        attn_baseline_find_panel (batch->baseline, layer,
                                  ((AttnPlanItem *) items->pdata[i])->head) == NULL)
      return FALSE;
  return TRUE;
}

/* Returns the part of the progress bar that belongs to the layer computed next. */
static AttnProgressPart
get_layer_part (const AttnPlan *plan)
{
  return (AttnProgressPart) { plan->progress, NULL, (double) plan->n_done / plan->n_layers,
                              1.0 / plan->n_layers };
}

/* Computes the weights without interventions in one pass through the model, if the grid shows at
 * least half of the heads of two or more layers that are not cached. */
static gboolean
fill_at_once (AttnPlan             *plan,
              const AttnPlanBatch  *batch,
              GError              **error)
{
  const AttnModelInfo *info = attn_model_get_info (batch->baseline->model);
  g_autofree gboolean *missing = g_new0 (gboolean, info->n_layers);
  gsize n_shown = 0;

  for (gsize layer = 0; layer < info->n_layers; layer++)
    if (batch->layers[layer] && !has_baselines (plan, batch, layer))
      {
        missing[layer] = TRUE;
        n_shown += attn_plan_batch_count_heads (batch, layer);
      }
  gsize n_missing = attn_study_count_flags (missing, info->n_layers);
  if (attn_plan_is_long (batch->baseline) || n_missing < 2 ||
      2 * n_shown < n_missing * info->n_heads)
    return TRUE;

  const AttnProgressPart part = get_layer_part (plan);
  const AttnProgress progress = attn_progress_of_part (&part);
  g_autoptr (AttnTrace) trace = attn_plan_batch_trace (batch, missing, NULL, &progress, error);
  for (gsize layer = 0; trace != NULL && layer < info->n_layers; layer++)
    if (missing[layer] && (g_cancellable_set_error_if_cancelled (plan->cancellable, error) ||
                           !fill_baselines (plan, batch, layer, trace, error)))
      return FALSE;
  return trace != NULL;
}

static gboolean
run_layer (AttnPlan             *plan,
           const AttnPlanBatch  *batch,
           gsize                 layer,
           gboolean              has_neighbours,
           GError              **error)
{
  AttnBaseline *baseline = batch->baseline;
  AttnTrace *trace = NULL;
  g_autoptr (GPtrArray) groups = attn_plan_batch_list_groups (batch, layer);

  if (g_cancellable_set_error_if_cancelled (plan->cancellable, error))
    return FALSE;
  if (groups->len > 0 || !has_baselines (plan, batch, layer))
    {
      const AttnProgressPart part = get_layer_part (plan);
      const AttnProgress progress = attn_progress_of_part (&part);

      /* Without the residual streams, the pass for each layer would start at the first layer. */
      if ((has_neighbours &&
           !attn_baseline_need_residuals (baseline, NULL, plan->cancellable, error)) ||
          !attn_baseline_need_layer (baseline, layer, &progress, plan->cancellable, error))
        return FALSE;
      trace = baseline->shown;
    }
  return fill_baselines (plan, batch, layer, trace, error) &&
         attn_plan_batch_compute (batch, groups, layer, error);
}

/* Keeps the computed groups of cells for the next plan, unless their panels take too much
 * memory. */
static void
keep_groups (const AttnPlan *plan)
{
  gsize n_bytes = 0;

  for (guint i = 0; i < plan->items->len; i++)
    n_bytes += attn_panel_count_bytes (attn_plan_get (plan, i)->panel);
  for (guint b = 0; b < plan->batches->len; b++)
    attn_plan_batch_keep (g_ptr_array_index (plan->batches, b),
                          n_bytes <= ATTN_BASELINE_MAX_KEPT_BYTES);
}

static gboolean
run_batch (AttnPlan       *plan,
           AttnPlanBatch  *batch,
           GError        **error)
{
  gsize n_layers = attn_plan_batch_count_layers (batch);
  gboolean has_neighbours = attn_study_count_flags (batch->layers, n_layers) > 1;

  attn_plan_batch_begin (batch, plan->cancellable);
  if (!fill_at_once (plan, batch, error))
    return FALSE;
  for (gsize layer = 0; layer < n_layers; layer++)
    {
      if (!batch->layers[layer])
        continue;
      if (!run_layer (plan, batch, layer, has_neighbours, error))
        return FALSE;
      plan->n_done++;
      attn_progress_report (plan->progress, _("Computing panels"),
                            (double) plan->n_done / plan->n_layers);
    }
  return attn_plan_batch_compute_rest (batch, error);
}

/* Checks the memory for all panels together; memory for a trace is checked when the trace is
 * computed. */
static gboolean
check_memory (const AttnPlan  *plan,
              GError         **error)
{
  gsize n_bytes = 0;

  for (guint b = 0; b < plan->batches->len; b++)
    {
      const AttnPlanBatch *batch = g_ptr_array_index (plan->batches, b);
      gsize n_cells = attn_panel_get_max_cells ();

      if ((!attn_plan_is_long (batch->baseline) &&
           !g_size_checked_mul (&n_cells, batch->baseline->tokens->n_tokens,
                                attn_baseline_count_keys (batch->baseline))) ||
          !g_size_checked_mul (&n_cells, n_cells,
                               attn_plan_batch_count_cells (batch) * sizeof (float)) ||
          !g_size_checked_add (&n_bytes, n_bytes, n_cells))
        n_bytes = G_MAXSIZE;
    }
  return attn_memory_check (n_bytes, _("panels"), error);
}

/**
 * attn_plan_run:
 * @progress: (nullable): is told how far the plan is, from 0 to 1
 * @cancellable: (nullable): checked between layers, heads and panels
 * @error: return location: %ATTN_ERROR_MEMORY, %G_IO_ERROR_CANCELLED, errors of
 *   [func@attn_trace_compute]
 *
 * Computes all cells that were added. Memory grows with the number of panels times T^2 (T tokens),
 * and is checked before any is allocated.
 */
gboolean
attn_plan_run (AttnPlan            *plan,
               const AttnProgress  *progress,
               GCancellable        *cancellable,
               GError             **error)
{
  plan->progress = progress;
  plan->cancellable = cancellable;
  plan->n_layers = 0;
  plan->n_done = 0;
  if (!check_memory (plan, error))
    return FALSE;
  for (guint b = 0; b < plan->batches->len; b++)
    {
      const AttnPlanBatch *batch = g_ptr_array_index (plan->batches, b);

      plan->n_layers +=
          attn_study_count_flags (batch->layers, attn_plan_batch_count_layers (batch));
    }
  for (guint b = 0; b < plan->batches->len; b++)
    if (!run_batch (plan, g_ptr_array_index (plan->batches, b), error))
      return FALSE;
  keep_groups (plan);
  return TRUE;
}

/**
 * attn_plan_get:
 * @index: index from attn_plan_add(), after the plan has run
 *
 * Returns: (transfer none): the panel, baseline and measures of that cell
 */
const AttnPlanned *
attn_plan_get (const AttnPlan *plan,
               gsize           index)
{
  AttnPlanItem *item = g_ptr_array_index (plan->items, index);

  if (item->planned.panel == NULL)
    item->planned.panel = attn_panel_ref (item->planned.baseline);
  return &item->planned;
}
