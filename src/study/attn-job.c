/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-job.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-cell.h"
#include "attn-error.h"
#include "attn-memory.h"
#include "attn-panel-measures.h"
#include "attn-result-private.h"
#include "attn-study-private.h"
#include "attn-titles.h"
#include "attn-workspace-private.h"

/* Where one job stands. Everything but the workspace lives as long as the job. */
typedef struct
{
  const AttnStudy *study;
  AttnWorkspace *workspace;
  AttnModel *model;
  const AttnProgress *progress;
  GCancellable *cancellable;
  gsize n_rows;
  gsize n_columns;
  gsize n_used; /* inputs that stand in the grid: all, or the first */
  gsize layer;
  int head;
} Job;

/* The share of the baselines in the whole work; the panels have the rest. */
#define BASELINE_SHARE 0.7

typedef struct
{
  const AttnProgress *outer;
  char *stage;
  double start;
  double extent;
} Stage;

static void
report_stage_cb (const char *stage,
                 double      fraction,
                 gpointer    user_data)
{
  const Stage *part = user_data;

  attn_progress_report (part->outer, part->stage, part->start + fraction * part->extent);
}

/* Runs @need for each input in the grid and reports how far it is. */
typedef gboolean (*NeedFunc) (AttnBaseline *baseline,
                              const Job *job,
                              const AttnProgress *progress,
                              GError **error);

static gboolean
need_baselines (const Job  *job,
                NeedFunc    need,
                double      start,
                double      extent,
                GError    **error)
{
  for (gsize i = 0; i < job->n_used; i++)
    {
      g_autofree char *text =
          g_strdup_printf (_("Computing input %zu of %zu"), i + 1,
                           job->n_used);
      Stage stage = { job->progress, text, start + extent * i / job->n_used, extent / job->n_used };
      AttnProgress progress = { report_stage_cb, &stage };

      if (!need (attn_workspace_get_input (job->workspace, i), job, &progress, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
need_residuals (AttnBaseline        *baseline,
                const Job           *job,
                const AttnProgress  *progress,
                GError             **error)
{
  return attn_baseline_need_residuals (baseline, job->model, progress, job->cancellable, error);
}

static gboolean
need_layer (AttnBaseline        *baseline,
            const Job           *job,
            const AttnProgress  *progress,
            GError             **error)
{
  return attn_baseline_need_layer (baseline, job->model, job->layer, progress, job->cancellable,
                                   error);
}

/* The sink score of key 0, averaged over the inputs in the grid. */
static double
average_sink_score (const Job *job,
                    gsize      layer,
                    gsize      head)
{
  double sum = 0;

  for (gsize i = 0; i < job->n_used; i++)
    {
      const AttnBaseline *baseline = attn_workspace_get_input (job->workspace, i);
      g_autoptr (AttnTensor) scores =
          attn_trace_get_sink_scores (job->study->layer < 0 ? baseline->residuals : baseline->shown);

      sum += scores->data[layer * scores->shape[1] + head];
    }
  return sum / job->n_used;
}

/* The score by which a layer is chosen: that of its best head, of the head asked for or of their
 * mean. */
static double
score_layer (const Job *job,
             gsize      layer,
             int       *best_head)
{
  gsize n_heads = attn_model_get_info (job->model)->n_heads;
  double best = -INFINITY;
  double sum = 0;

  if (job->study->head >= 0)
    {
      *best_head = job->study->head;
      return average_sink_score (job, layer, job->study->head);
    }
  for (gsize head = 0; head < n_heads; head++)
    {
      double score = average_sink_score (job, layer, head);

      sum += score;
      if (score > best)
        {
          best = score;
          *best_head = head;
        }
    }
  if (job->study->head == ATTN_HEAD_MEAN)
    {
      *best_head = ATTN_HEAD_MEAN;
      return sum / n_heads;
    }
  return best;
}

static gboolean
check_number (int          number,
              gsize        n,
              const char  *what,
              GError     **error)
{
  if (number < 0 || (gsize) number < n)
    return TRUE;
  g_set_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
               _("%s: %d found, expected 0 to %zu"), what, number, n - 1);
  return FALSE;
}

/* Settles layer and head, and with the latter the scores they are chosen by. Afterwards every
 * input in the grid has all of the layer. */
static gboolean
choose_head (Job     *job,
             GError **error)
{
  const AttnModelInfo *info = attn_model_get_info (job->model);
  double best = -INFINITY;

  if (!check_number (job->study->layer, info->n_layers, _("layer"), error) ||
      !check_number (job->study->head, info->n_heads, _("head"), error))
    return FALSE;
  if (job->study->layer >= 0)
    {
      job->layer = job->study->layer;
      if (!need_baselines (job, need_layer, 0, BASELINE_SHARE, error))
        return FALSE;
      score_layer (job, job->layer, &job->head);
      return TRUE;
    }

  if (!need_baselines (job, need_residuals, 0, BASELINE_SHARE / 2, error))
    return FALSE;
  for (gsize layer = 0; layer < info->n_layers; layer++)
    {
      int head = 0;
      double score = score_layer (job, layer, &head);

      if (score > best)
        {
          best = score;
          job->layer = layer;
          job->head = head;
        }
    }
  return need_baselines (job, need_layer, BASELINE_SHARE / 2, BASELINE_SHARE / 2, error);
}

/* [H, T, T] -> [T, T], the mean over the heads. */
static AttnTensor *
average_heads (const AttnTensor  *weights,
               GError           **error)
{
  AttnTensor *mean = attn_tensor_new (2, weights->shape + 1, error);

  if (mean == NULL)
    return NULL;
  gsize n = attn_tensor_get_n_elements (mean);
  for (gsize i = 0; i < n; i++)
    mean->data[i] = weights->data[i];
  for (gsize head = 1; head < weights->shape[0]; head++)
    for (gsize i = 0; i < n; i++)
      mean->data[i] += weights->data[head * n + i];
  for (gsize i = 0; i < n; i++)
    mean->data[i] /= weights->shape[0];
  return mean;
}

static AttnPanel *
wrap_panel (const Job        *job,
            const AttnTokens *tokens,
            AttnTensor       *values)
{
  return attn_panel_new (values,
                         attn_model_get_info (job->model)->is_causal ? ATTN_MASK_CAUSAL
                                                                     : ATTN_MASK_NONE,
                         (const char * const *) tokens->labels,
                         (const char * const *) tokens->labels);
}

static gboolean
need_baseline_panel (const Job     *job,
                     AttnBaseline  *baseline,
                     GError       **error)
{
  g_autoptr (AttnTensor) values = NULL;

  if (baseline->panel != NULL && baseline->panel_layer == job->layer &&
      baseline->panel_head == job->head)
    return TRUE;

  g_autoptr (AttnTensor) weights =
      attn_trace_get (baseline->shown, ATTN_QUANTITY_WEIGHTS, job->layer);
  values = job->head == ATTN_HEAD_MEAN ? average_heads (weights, error)
                                       : attn_tensor_slice (weights, job->head);
  if (values == NULL)
    return FALSE;
  g_clear_pointer (&baseline->panel, attn_panel_unref);
  baseline->panel = wrap_panel (job, baseline->tokens, values);
  baseline->panel_layer = job->layer;
  baseline->panel_head = job->head;
  baseline->panel_measures = attn_panel_measures_compute (baseline->panel, baseline->panel);
  return TRUE;
}

static AttnPanel *
compute_panel (const Job     *job,
               AttnBaseline  *baseline,
               GPtrArray     *interventions,
               GError       **error)
{
  g_autoptr (AttnIndexSet) heads =
      job->head == ATTN_HEAD_MEAN ? NULL : attn_index_set_new_range (job->head, job->head);
  AttnTrace *trace = baseline->shown;

  if (attn_interventions_start_below (interventions, job->layer))
    {
      if (!attn_baseline_need_residuals (baseline, job->model, NULL, job->cancellable, error))
        return NULL;
      trace = baseline->residuals;
    }

  g_autoptr (AttnTensor) weights =
      attn_trace_compute_weights (trace, job->layer, heads, interventions, NULL, job->cancellable,
                                  error);
  if (weights == NULL)
    return NULL;
  g_autoptr (AttnTensor) values = job->head == ATTN_HEAD_MEAN ? average_heads (weights, error)
                                                              : attn_tensor_slice (weights, 0);
  return values != NULL ? wrap_panel (job, baseline->tokens, values) : NULL;
}

static gboolean
check_interventions (const Job        *job,
                     const GPtrArray  *interventions,
                     const AttnCell   *cell,
                     GError          **error)
{
  const AttnBaseline *baseline = attn_workspace_get_input (job->workspace, cell->input);

  for (guint i = 0; i < interventions->len; i++)
    if (!attn_intervention_check (g_ptr_array_index (interventions, i), job->model,
                                  baseline->tokens->n_tokens, error))
      return FALSE;
  return TRUE;
}

static gboolean
fill_cell (const Job   *job,
           AttnResult  *result,
           gsize        index,
           GError     **error)
{
  AttnCell cell = attn_cell_get (job->study, index / job->n_columns, index % job->n_columns);
  AttnBaseline *baseline = attn_workspace_get_input (job->workspace, cell.input);
  AttnGridCell *place = &result->grid->cells[index];
  g_autoptr (GPtrArray) interventions =
      attn_cell_build_interventions (&cell, job->study, job->layer);

  if (g_cancellable_set_error_if_cancelled (job->cancellable, error) ||
      !check_interventions (job, interventions, &cell, error) ||
      !need_baseline_panel (job, baseline, error))
    return FALSE;
  place->title = attn_titles_build_title (job->study, &cell, job->layer, job->head, error);
  if (place->title == NULL)
    return FALSE;
  place->name = attn_titles_build_name (job->study, &cell, job->layer, job->head);
  place->baseline = attn_panel_ref (baseline->panel);

  if (!attn_interventions_touch (interventions, job->layer))
    {
      place->panel = attn_panel_ref (baseline->panel);
      result->measures[index] = baseline->panel_measures;
      return TRUE;
    }
  place->panel = compute_panel (job, baseline, interventions, error);
  if (place->panel == NULL)
    return FALSE;
  result->measures[index] = attn_panel_measures_compute (place->panel, place->baseline);
  return TRUE;
}

/* All panels at once: the workspace's traces were counted when they were computed. */
static gboolean
check_memory (const Job  *job,
              GError    **error)
{
  gsize n_bytes = 0;

  for (gsize index = 0; index < job->n_rows * job->n_columns; index++)
    {
      AttnCell cell = attn_cell_get (job->study, index / job->n_columns, index % job->n_columns);
      gsize n_tokens = ((AttnBaseline *) attn_workspace_get_input (job->workspace, cell.input))
                           ->tokens->n_tokens;
      gsize n_cells;

      if (!g_size_checked_mul (&n_cells, n_tokens, n_tokens) ||
          !g_size_checked_mul (&n_cells, n_cells, sizeof (float)) ||
          !g_size_checked_add (&n_bytes, n_bytes, n_cells))
        n_bytes = G_MAXSIZE;
    }
  return attn_memory_check (n_bytes, _("panels"), error);
}

static AttnResult *
compute_grid (const Job  *job,
              GError    **error)
{
  gsize n_cells = job->n_rows * job->n_columns;
  AttnGrid *grid = attn_grid_new (job->n_rows, job->n_columns);
  g_autoptr (AttnResult) result =
      attn_result_new (job->study, job->model, grid, job->layer, job->head);

  grid->value_label = g_strdup ("Attention Weight");
  grid->caption = attn_titles_build_caption (job->study, job->layer, job->head, error);
  if (grid->caption == NULL)
    return NULL;
  for (gsize i = 0; i < result->n_inputs; i++)
    result->inputs[i] = attn_tokens_ref (attn_workspace_get_input (job->workspace, i)->tokens);
  for (gsize i = 0; i < n_cells; i++)
    {
      attn_progress_report (job->progress, _("Computing panels"),
                            BASELINE_SHARE + (1 - BASELINE_SHARE) * i / n_cells);
      if (!fill_cell (job, result, i, error))
        return NULL;
    }
  return g_steal_pointer (&result);
}

/**
 * attn_job_run:
 * @study: what is asked for; not changed, and not used after the call
 * @workspace: what was computed before; the result does not depend on it
 * @progress: (nullable): whom to tell how far it is
 * @cancellable: (nullable): asked between layers, heads and panels
 * @error: return location: %G_IO_ERROR_CANCELLED; %ATTN_ERROR_ARGUMENT for a study that makes no
 *   sense for its model; %ATTN_ERROR_MEMORY; errors of opening the model and of tokenising an
 *   input, the latter with the number of the input
 *
 * Computes the panels of @study. Changes of ε, of components, axis or style cost no forward pass
 * as long as the interventions stay within the layer on display. One thread at a time for each
 * workspace.
 *
 * Returns: (transfer full) (nullable): the panels
 */
AttnResult *
attn_job_run (const AttnStudy     *study,
              AttnWorkspace       *workspace,
              const AttnProgress  *progress,
              GCancellable        *cancellable,
              GError             **error)
{
  Job job = {
    .study = study,
    .workspace = workspace,
    .progress = progress,
    .cancellable = cancellable,
  };

  if (g_cancellable_set_error_if_cancelled (cancellable, error) ||
      !attn_cell_get_grid_size (study, &job.n_rows, &job.n_columns, error))
    return NULL;
  attn_progress_report (progress, _("Opening the model"), 0);
  if (!attn_workspace_prepare (workspace, study, error))
    return NULL;
  job.model = attn_workspace_get_model (workspace);
  job.n_used = attn_study_varies (study, ATTN_DIMENSION_INPUT) ? study->inputs->len : 1;
  if (!check_memory (&job, error) || !choose_head (&job, error))
    return NULL;
  return compute_grid (&job, error);
}
