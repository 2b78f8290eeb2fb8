/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Makes maps of layers x tokens, of the residual stream or of what attention and MLP add to it. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-describe.h"
#include "attn-error.h"
#include "attn-figure-run.h"
#include "attn-patches.h"
#include "attn-regions.h"
#include "attn-result-private.h"
#include "attn-state-picture.h"
#include "attn-statistic.h"
#include "attn-stream.h"
#include "attn-titles.h"
#include "attn-workspace-private.h"

/* Every second layer has a label on its axis, even if there is room for all labels. */
#define LAYER_STEP 2

/* Limits of the aspect ratio (width / height) of the map, so that a map of few tokens or layers
 * stays legible. Between them, cells are square. */
#define MIN_ASPECT 0.6
#define MAX_ASPECT 2.0

/* Height of a chart below the map, in lines of text. */
#define CHART_LINES 11

/* Texts of each state in the figure, where they are not translated; the inspector translates the
 * label. */
static const struct
{
  const char *label;
  const char *caption;
  const char *word; /* format of a sentence about one cell of the map */
  AttnQuantity quantity;
} kinds[] = {
  [ATTN_STATE_NORM] = { N_("Norm of the Residual Stream"), "Norm of the Residual Stream",
                        N_("norm %s"), ATTN_QUANTITY_RESIDUAL },
  [ATTN_STATE_COSINE] = { N_("Cosine"), "Cosine of the Residual Stream to That of Token",
                          N_("cosine %s"), ATTN_QUANTITY_RESIDUAL },
  [ATTN_STATE_LARGEST] = { N_("Largest |Channel|"), "Largest Channel of the Residual Stream",
                           N_("largest %s"), ATTN_QUANTITY_RESIDUAL },
  [ATTN_STATE_ATTENTION] = { N_("Norm of What Is Added"), "Norm of What the Attention Adds",
                             N_("norm %s"), ATTN_QUANTITY_ATTENTION },
  [ATTN_STATE_MLP] = { N_("Norm of What Is Added"), "Norm of What the MLP Adds", N_("norm %s"),
                       ATTN_QUANTITY_MLP },
};

static const char * const curve_titles[] = {
  [ATTN_STATE_CURVE_ENTROPY] = "Matrix Entropy (nats)",
  [ATTN_STATE_CURVE_SINK] = "Sink Rate",
  [ATTN_STATE_CURVE_FIRST] = "Norm of the First Token",
};

/**
 * Side:
 * @values: [rows, T], the state of each token in each layer
 * @channels: [rows, T], number of the largest channel
 * @curves: (array): an array [rows] for each curve; %NULL for a curve that the study does not show
 *
 * Results of one pass, without or with the study's interventions.
 */
typedef struct
{
  AttnTensor *values;
  guint32 *channels;
  double *curves[ATTN_N_STATE_CURVES];
} Side;

typedef struct
{
  const AttnStudy *study;
  AttnWorkspace *workspace;
  AttnBaseline *baseline;
  gsize n_layers;
  gsize n_tokens;
  gsize n_rows; /* number of rows of the map: n_layers + 1 for the residual stream, else n_layers */
  GPtrArray *interventions;
  const AttnProgress *progress;
  GCancellable *cancellable;
  Side before;
  Side after;
} Job;

static void
clear_side (Side *side)
{
  g_clear_pointer (&side->values, attn_tensor_unref);
  g_free (side->channels);
  for (gsize i = 0; i < ATTN_N_STATE_CURVES; i++)
    g_free (side->curves[i]);
}

static void
clear_job (Job *job)
{
  g_clear_pointer (&job->interventions, g_ptr_array_unref);
  clear_side (&job->before);
  clear_side (&job->after);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Job, clear_job)

static gboolean
is_of_stream (const AttnStudy *study)
{
  return kinds[study->state].quantity == ATTN_QUANTITY_RESIDUAL;
}

/* Returns the vectors [T, D] of a row of the map, one for each token. The row after the last layer
 * is the final residual stream. */
static AttnTensor *
get_row (const AttnTrace *trace,
         AttnQuantity     quantity,
         gsize            n_layers,
         gsize            row)
{
  return row < n_layers ? attn_trace_get (trace, quantity, row)
                        : attn_trace_get (trace, ATTN_QUANTITY_FINAL, 0);
}

static void
measure_row (const Job        *job,
             const AttnTensor *vectors,
             gsize             row,
             Side             *side)
{
  float *out = side->values->data + row * job->n_tokens;

  if (job->study->state == ATTN_STATE_COSINE)
    attn_stream_measure_cosines (vectors, job->study->state_token, out);
  else if (job->study->state == ATTN_STATE_LARGEST)
    attn_stream_find_largest (vectors, out, side->channels + row * job->n_tokens);
  else
    attn_stream_measure_norms (vectors, out);
}

/* Returns the share of the heads of a layer that are sinks, or NaN if the layer has no attention
 * weights. */
static double
measure_sink_rate (const AttnTensor *scores,
                   gsize             layer)
{
  gsize n_heads = scores->shape[1];
  gsize n_known;
  gsize n_sinks = attn_sinks_count (scores->data + layer * n_heads, n_heads, &n_known);

  return n_known == n_heads ? (double) n_sinks / (double) n_heads : NAN;
}

static gboolean
measure_curves (const Job        *job,
                const AttnTrace  *trace,
                double            start,
                Side             *side,
                GError          **error)
{
  g_autoptr (AttnTensor) scores = attn_trace_get_sink_scores (trace);
  g_autofree float *norms = g_new (float, job->n_tokens);

  for (gsize row = 0; row <= job->n_layers; row++)
    {
      g_autoptr (AttnTensor) vectors = get_row (trace, ATTN_QUANTITY_RESIDUAL, job->n_layers, row);

      attn_progress_report (job->progress, _("Computing panels"),
                            start + 0.5 * (double) row / (double) (job->n_layers + 1));
      if (g_cancellable_set_error_if_cancelled (job->cancellable, error))
        return FALSE;
      if (side->curves[ATTN_STATE_CURVE_ENTROPY] != NULL)
        side->curves[ATTN_STATE_CURVE_ENTROPY][row] = attn_stream_measure_entropy (vectors);
      if (side->curves[ATTN_STATE_CURVE_SINK] != NULL)
        side->curves[ATTN_STATE_CURVE_SINK][row] =
            row < job->n_layers ? measure_sink_rate (scores, row) : NAN;
      attn_stream_measure_norms (vectors, norms);
      if (side->curves[ATTN_STATE_CURVE_FIRST] != NULL)
        side->curves[ATTN_STATE_CURVE_FIRST][row] = norms[0];
    }
  return TRUE;
}

/* Computes one side (with or without interventions) in one pass: the map and the curves. */
static gboolean
run_side (const Job  *job,
          GPtrArray  *interventions,
          double      start,
          Side       *side,
          GError    **error)
{
  const gsize shape[] = { job->n_rows, job->n_tokens };
  gboolean has_curves = FALSE;
  AttnTraceRequest request = {
    .ids = job->baseline->ids,
    .n_ids = job->n_tokens,
    .interventions = interventions,
    .keep = kinds[job->study->state].quantity,
  };

  for (gsize i = 0; i < ATTN_N_STATE_CURVES; i++)
    if (job->study->state_curves[i])
      {
        side->curves[i] = g_new (double, job->n_layers + 1);
        has_curves = TRUE;
      }
  if (has_curves || is_of_stream (job->study))
    request.keep |= ATTN_QUANTITY_RESIDUAL | ATTN_QUANTITY_FINAL;
  side->values = attn_tensor_new_unset (2, shape, error);
  side->channels = g_new0 (guint32, job->n_rows * job->n_tokens);
  g_autoptr (AttnTrace) trace =
      side->values != NULL ? attn_trace_compute (job->baseline->model, &request, NULL, NULL,
                                                 job->cancellable, error)
                           : NULL;
  if (trace == NULL)
    return FALSE;
  for (gsize row = 0; row < job->n_rows; row++)
    {
      g_autoptr (AttnTensor) vectors =
          get_row (trace, kinds[job->study->state].quantity, job->n_layers, row);

      measure_row (job, vectors, row, side);
    }
  return !has_curves || measure_curves (job, trace, start, side, error);
}

/* --- The figure --- */

static AttnPanel *
wrap (const Job  *job,
      const Side *side)
{
  g_auto (GStrv) rows = g_new0 (char *, job->n_rows + 1);

  for (gsize i = 0; i < job->n_rows; i++)
    rows[i] = g_strdup_printf ("%zu", i);
  return attn_panel_new (side->values, ATTN_MASK_NONE, (const char * const *) rows,
                         (const char * const *) job->baseline->tokens->labels);
}

/* Fills the panel with @index from @side. @title: (nullable): name of the side; NULL if the figure
 * has a single panel */
static AttnGridCell *
set_cell (const Job  *job,
          AttnGrid   *grid,
          gsize       index,
          const Side *side,
          const char *title)
{
  AttnGridCell *cell = &grid->cells[index];
  gsize n = job->n_rows * job->n_tokens;

  cell->panel = wrap (job, side);
  cell->title = g_strdup (title);
  cell->name = g_strdup (title != NULL ? title : "Layer x token");
  if (job->study->state == ATTN_STATE_LARGEST)
    cell->cell_numbers = g_memdup2 (side->channels, n * sizeof *side->channels);
  return cell;
}

static gboolean
fill_grid (const Job  *job,
           AttnGrid   *grid,
           GError    **error)
{
  gboolean is_pair = grid->n_columns > 1;
  AttnGridCell *first = set_cell (job, grid, 0, &job->before, is_pair ? "Baseline" : NULL);

  first->baseline = attn_panel_ref (first->panel);
  if (!is_pair)
    {
      first->title = g_strdup (attn_study_get_title (job->study));
      return TRUE;
    }
  AttnGridCell *second = set_cell (job, grid, 1, &job->after, "Modified");
  AttnGridCell *third = &grid->cells[2];
  second->baseline = attn_panel_ref (first->panel);
  third->title = g_strdup ("Modified − Baseline");
  third->name = g_strdup (third->title);
  third->is_difference = TRUE;
  third->minuend = attn_panel_ref (second->panel);
  third->baseline = attn_panel_ref (first->panel);
  third->panel = attn_panel_new_difference (third->minuend, third->baseline, error);
  return third->panel != NULL;
}

/* Fills a panel with the layer @row, drawn over the picture. @title: (nullable): name of the
 * side */
static AttnGridCell *
set_picture (const Job   *job,
             AttnGrid    *grid,
             gsize        index,
             const Side  *side,
             gsize        row,
             const char  *title,
             GError     **error)
{
  AttnGridCell *cell = &grid->cells[index];
  gboolean has_channels = job->study->state == ATTN_STATE_LARGEST;
  gsize first = row * job->n_tokens;

  if (!attn_state_fill_picture (cell, job->study, job->baseline->model, row,
                                side->values->data + first,
                                has_channels ? side->channels + first : NULL, job->n_tokens,
                                error))
    return NULL;
  if (title != NULL)
    {
      g_autofree char *layer = g_steal_pointer (&cell->title);

      g_free (cell->name);
      cell->title = g_strdup_printf ("%s, %s", layer, title);
      cell->name = g_strdup (cell->title);
    }
  return cell;
}

/* Fills a panel for each layer, drawn over the picture; with interventions three for each layer:
 * baseline, modified and their difference. */
static gboolean
fill_pictures (const Job  *job,
               AttnGrid   *grid,
               GError    **error)
{
  gboolean is_pair = job->interventions->len > 0;

  for (gsize row = 0; row < job->n_rows; row++)
    {
      gsize index = is_pair ? 3 * row : row;
      AttnGridCell *first = set_picture (job, grid, index, &job->before, row,
                                         is_pair ? "Baseline" : NULL, error);

      if (first == NULL)
        return FALSE;
      first->baseline = attn_panel_ref (first->panel);
      if (!is_pair)
        continue;
      AttnGridCell *second =
          set_picture (job, grid, index + 1, &job->after, row, "Modified", error);
      if (second == NULL)
        return FALSE;
      second->baseline = attn_panel_ref (first->panel);
      AttnGridCell *third = &grid->cells[index + 2];
      third->title = g_strdup_printf ("L%zu, Modified − Baseline", row);
      third->name = g_strdup (third->title);
      third->image = second->image != NULL ? attn_image_ref (second->image) : NULL;
      third->is_difference = TRUE;
      third->minuend = attn_panel_ref (second->panel);
      third->baseline = attn_panel_ref (first->panel);
      third->panel = attn_panel_new_difference (third->minuend, third->baseline, error);
      if (third->panel == NULL)
        return FALSE;
    }
  return TRUE;
}

static char *
build_caption (const Job *job)
{
  const AttnStudy *study = job->study;
  const char *own = attn_study_get_caption (study);

  if (own != NULL)
    return g_strdup (own);
  g_autofree char *label = g_markup_escape_text (
      study->state_token < job->n_tokens ? job->baseline->tokens->labels[study->state_token] : "",
      -1);
  g_autofree char *what =
      study->state == ATTN_STATE_COSINE
          ? g_strdup_printf ("%s %zu “%s”", kinds[study->state].caption, study->state_token, label)
          : g_strdup (kinds[study->state].caption);
  g_autofree char *changes = attn_describe_interventions (job->interventions);
  return g_strconcat (what, is_of_stream (study) ? " before Each Layer, and after the Last" : "",
                      job->interventions->len > 0 ? ". Modified: " : "", changes, NULL);
}

/* Adds a chart for each curve below the map, since their units differ. */
static void
add_charts (const Job *job,
            AttnGrid  *grid)
{
  gboolean is_pair = job->interventions->len > 0;

  for (gsize i = 0; i < ATTN_N_STATE_CURVES; i++)
    {
      if (job->before.curves[i] == NULL)
        continue;
      AttnChart *chart = attn_chart_new (job->n_layers + 1, is_pair ? 2 : 1, 0);

      chart->kind = ATTN_CHART_CURVES;
      chart->n_lines = CHART_LINES;
      chart->has_page = TRUE;
      chart->is_linear = TRUE;
      chart->has_legend = is_pair;
      chart->x_title = g_strdup ("Layer");
      chart->titles[0] = g_strdup (curve_titles[i]);
      for (gsize row = 0; row <= job->n_layers; row++)
        chart->x[row] = (double) row;
      for (gsize k = 0; k < chart->n_curves; k++)
        {
          const Side *side = k == 0 ? &job->before : &job->after;

          chart->curves[k].name = is_pair ? g_strdup_printf ("%s, %s", curve_titles[i],
                                                             k == 0 ? "baseline" : "modified")
                                          : g_strdup (curve_titles[i]);
          memcpy (chart->curves[k].values, side->curves[i],
                  (job->n_layers + 1) * sizeof *side->curves[i]);
        }
      attn_grid_add_chart (grid, chart);
    }
}

static AttnResult *
make_result (const Job  *job,
             GError    **error)
{
  const AttnStudy *study = job->study;
  const AttnModelInfo *info = attn_model_get_info (job->baseline->model);
  gboolean is_pair = job->interventions->len > 0;
  gboolean is_over_picture = attn_patches_are_shown (study, job->baseline->model);
  g_autoptr (AttnGrid) grid = is_over_picture ? attn_state_new_picture_grid (job->n_rows, is_pair)
                                              : attn_grid_new (1, is_pair ? 3 : 1);

  if (!(is_over_picture ? fill_pictures (job, grid, error) : fill_grid (job, grid, error)))
    return NULL;
  if (!is_over_picture)
    {
      grid->row_title = g_strdup ("Layer");
      grid->column_title = g_strdup ("Token");
      grid->row_step = LAYER_STEP;
      grid->has_names = TRUE;
      grid->aspect =
          CLAMP ((double) job->n_tokens / (double) job->n_rows, MIN_ASPECT, MAX_ASPECT);
    }
  /* The first of three panels of a layer shows the baseline. */
  for (gsize i = 0; i < grid->n_rows * grid->n_columns; i++)
    if (i % 3 > 0)
      grid->cells[i].operation = attn_describe_plainly (job->interventions);
  grid->caption = attn_titles_add_attention (build_caption (job), info);
  grid->value_label = g_strdup (study->value_label != NULL ? study->value_label
                                                           : kinds[study->state].label);
  grid->is_untouched = job->interventions->len == 0;
  grid->value_word = kinds[study->state].word;
  grid->number_word = N_("channel %u");
  add_charts (job, grid);
  if (!is_over_picture)
    attn_study_apply_regions (study, grid);
  return attn_result_new_for_job (study, job->workspace, g_steal_pointer (&grid), 0,
                                  ATTN_HEAD_MEAN);
}

static gboolean
check (const Job  *job,
       GError    **error)
{
  const AttnModel *model = job->baseline->model;

  if (attn_model_get_info (model)->is_recording)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: recorded arrays found, expected a model that has a residual stream"),
                      attn_model_get_path (model));
  if (job->study->state == ATTN_STATE_COSINE && job->study->state_token >= job->n_tokens)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("--state-token: %zu found, expected 0 to %zu, for the text has %zu tokens"),
                      job->study->state_token, job->n_tokens - 1, job->n_tokens);
  return attn_interventions_check (job->interventions, model, job->n_tokens, error);
}

/**
 * attn_state_figure_run:
 * @study: a study whose figure is %ATTN_FIGURE_STATE
 * @progress: (nullable): is told how far the computation is
 * @cancellable: (nullable): checked between layers
 * @error: return location: errors of [func@attn_trace_compute]; %ATTN_ERROR_UNSUPPORTED for a
 *   recording, %ATTN_ERROR_ARGUMENT for a token beyond the text
 *
 * Computes a map of layers x tokens from one pass; if @study has interventions, also a map with
 * these, and their difference. If the study draws panels over the picture, the maps are those of
 * the patches, one for each layer.
 *
 * Returns: (transfer full) (nullable): a grid of one panel or of three; over a picture of one or
 *   three for each layer
 */
AttnResult *
attn_state_figure_run (const AttnStudy     *study,
                       AttnWorkspace       *workspace,
                       const AttnProgress  *progress,
                       GCancellable        *cancellable,
                       GError             **error)
{
  g_auto (Job) job = {
    .study = study,
    .workspace = workspace,
    .progress = progress,
    .cancellable = cancellable,
  };
  AttnCell cell = attn_cell_get_first (study, study->layer >= 0 ? (gsize) study->layer : 0,
                                       ATTN_HEAD_MEAN);

  if (!attn_workspace_prepare (workspace, study, cancellable, error))
    return NULL;
  job.baseline = attn_workspace_get_baseline (workspace, 0, 0);
  job.n_layers = attn_model_get_info (job.baseline->model)->n_layers;
  job.n_tokens = job.baseline->tokens->n_tokens;
  job.n_rows = job.n_layers + (is_of_stream (study) ? 1 : 0);
  job.interventions = attn_workspace_build_interventions (workspace, &cell, study);
  if (!check (&job, error) || !run_side (&job, NULL, 0.0, &job.before, error) ||
      (job.interventions->len > 0 &&
       !run_side (&job, job.interventions, 0.5, &job.after, error)))
    return NULL;
  return make_result (&job, error);
}
