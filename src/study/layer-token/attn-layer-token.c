/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Builds the layer-token figure around a map, which is computed from a model's attention or read
 * from a file, such as a probe's. */

#include "config.h"

#include "attn-figure-run.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-layer-token-private.h"
#include "attn-matrix.h"
#include "attn-probe-file.h"
#include "attn-regions.h"
#include "attn-result-private.h"
#include "attn-roles.h"
#include "attn-workspace-private.h"

/* Every second layer has a label on its axis, even if there is room for all labels. */
#define LAYER_STEP 2

/* Limits of the aspect ratio (width / height) of the map, so that a map of many layers stays
 * legible. Between them, cells are square. */
#define MIN_ASPECT 1.0
#define MAX_ASPECT 1.6

static void
clear_job (AttnLayerTokenJob *job)
{
  g_clear_pointer (&job->interventions, g_ptr_array_unref);
  g_clear_pointer (&job->heads, attn_index_set_unref);
  g_clear_pointer (&job->query_units.tokens, attn_tokens_unref);
  g_clear_pointer (&job->key_units.tokens, attn_tokens_unref);
  g_free (job->query_units.starts);
  g_free (job->key_units.starts);
  g_free (job->layers);
  g_free (job->queries);
  g_free (job->columns);
  g_free (job->positions);
  if (job->absent != NULL)
    g_string_free (job->absent, TRUE);
  if (job->unseen != NULL)
    g_string_free (job->unseen, TRUE);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AttnLayerTokenJob, clear_job)

/* Makes the grid with the settings that both kinds of map share: those of a model and those of a
 * file. */
static AttnGrid *
new_grid (void)
{
  AttnGrid *grid = attn_grid_new (1, 1);

  grid->row_title = g_strdup ("Layer");
  grid->column_title = g_strdup ("Token");
  grid->cells[0].name = g_strdup ("Layer x token");
  grid->row_step = LAYER_STEP;
  grid->has_names = TRUE;
  return grid;
}

static void
set_aspect (AttnGrid *grid)
{
  AttnPanel *panel = grid->cells[0].panel;

  grid->aspect = CLAMP ((double) attn_panel_get_n_columns (panel) / attn_panel_get_n_rows (panel),
                        MIN_ASPECT, MAX_ASPECT);
}

static AttnResult *
compute (AttnLayerTokenJob  *job,
         AttnWorkspace      *workspace,
         GError            **error)
{
  g_autoptr (AttnGrid) grid = new_grid ();

  if (!attn_layer_token_fill_cell (job, &grid->cells[0], error))
    return NULL;
  grid->is_untouched = job->interventions->len == 0;
  attn_layer_token_write_texts (job, grid);
  set_aspect (grid);
  attn_study_apply_regions (job->study, grid);

  return attn_result_new_for_job (job->study, workspace, g_steal_pointer (&grid), 0,
                                  ATTN_HEAD_MEAN);
}

/* Adds to @grid the texts and numbers in a probe's file about its map: caption, confidence
 * intervals and numbers of rows. */
static gboolean
add_probe (const AttnStudy       *study,
           const AttnMatrixFile  *matrix,
           AttnGrid              *grid,
           GError               **error)
{
  AttnGridCell *cell = &grid->cells[0];
  gsize n = attn_tensor_get_n_elements (matrix->values);
  g_autoptr (AttnProbeMap) probe = attn_probe_map_load (&study->model, matrix, error);

  if (probe == NULL)
    return FALSE;
  if (attn_study_get_caption (study) == NULL)
    grid->caption = g_steal_pointer (&probe->caption);
  cell->cell_intervals = g_steal_pointer (&probe->intervals);
  cell->cell_numbers = g_new (guint32, n);
  for (gsize i = 0; i < n; i++)
    cell->cell_numbers[i] = probe->role_rows[i % matrix->values->shape[1]];
  grid->number_word = N_("rows: %u");
  if (probe->label == NULL)
    return TRUE;
  grid->value_word =
      g_str_equal (probe->label, "Accuracy") ? N_("accuracy %s") : N_("AUC %s");
  if (study->value_label == NULL)
    {
      g_free (grid->value_label);
      grid->value_label = g_strdup (probe->label);
    }
  return TRUE;
}

/* Makes a figure of one panel from a matrix in a file, such as a probe's, which the study has in
 * place of a model. */
static AttnResult *
draw_matrix (const AttnStudy  *study,
             AttnWorkspace    *workspace,
             GError          **error)
{
  g_autoptr (AttnMatrixFile) matrix = attn_matrix_load (&study->model, error);
  AttnModel *model =
      matrix != NULL ? attn_workspace_open_model (workspace, &study->model, study->attention,
                                                  error)
                     : NULL;

  if (model == NULL)
    return NULL;

  g_autoptr (AttnGrid) grid = new_grid ();
  AttnGridCell *cell = &grid->cells[0];
  cell->panel = attn_panel_new (matrix->values, ATTN_MASK_NONE,
                                (const char * const *) matrix->row_labels,
                                (const char * const *) matrix->column_labels);
  cell->baseline = attn_panel_ref (cell->panel);
  grid->is_untouched = TRUE;
  cell->title = g_strdup (attn_study_get_title (study));
  grid->caption = g_strdup (attn_study_get_caption (study));
  grid->value_label = g_strdup (study->value_label != NULL ? study->value_label
                                : *matrix->name != '\0'    ? matrix->name
                                                           : "Value");
  if (attn_model_get_info (model)->is_probe && !add_probe (study, matrix, grid, error))
    return NULL;
  set_aspect (grid);
  attn_study_apply_regions (study, grid);

  return attn_result_new (study, model, g_steal_pointer (&grid), 0, ATTN_HEAD_MEAN);
}

/* (transfer full): copy of @study whose only input is made from question and answer. */
static AttnStudy *
build_inputs (const AttnStudy  *study,
              GError          **error)
{
  AttnInput *input = attn_roles_build_input (study, error);

  if (input == NULL)
    return NULL;
  AttnStudy *derived = attn_study_copy (study);
  g_ptr_array_set_size (derived->inputs, 0);
  g_ptr_array_add (derived->inputs, input);
  return derived;
}

/**
 * attn_layer_token_figure_run:
 * @study: a study whose figure is %ATTN_FIGURE_LAYER_TOKEN
 * @progress: (nullable): is told how far the computation is
 * @cancellable: (nullable): checked between layers
 * @error: return location: %G_IO_ERROR_CANCELLED; %ATTN_ERROR_ARGUMENT for roles, queries or heads
 *   that the text or the model does not have; %ATTN_ERROR_MEMORY
 *
 * Computes the map of layers x roles: one forward pass, or two with interventions, and then the
 * weights of one layer at a time. Roles that no token has, or whose token is hidden or seen by no
 * query, have no column, and the caption says so.
 *
 * Returns: (transfer full) (nullable): a grid of one panel, [layers, roles]
 */
AttnResult *
attn_layer_token_figure_run (const AttnStudy     *study,
                             AttnWorkspace       *workspace,
                             const AttnProgress  *progress,
                             GCancellable        *cancellable,
                             GError             **error)
{
  g_auto (AttnLayerTokenJob) job = {
    .study = study,
    .progress = progress,
    .cancellable = cancellable,
  };

  if (attn_matrix_is_one (&study->model))
    return draw_matrix (study, workspace, error);
  g_autoptr (AttnStudy) derived = build_inputs (study, error);
  if (derived == NULL || !attn_workspace_prepare (workspace, derived, cancellable, error))
    return NULL;

  job.workspace = workspace;
  job.model = workspace->models->pdata[0];
  /* In a model with encoder and decoder, the encoder reads question and answer; the queries of the
   * decoder have no roles. */
  if (attn_model_get_info (job.model)->needs_source)
    return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                           _("%s: attention “%s” of a decoder found, expected “%s” for the roles "
                             "of tokens in one text"),
                           attn_model_get_path (job.model),
                           attn_model_get_info (job.model)->attention,
                           attn_model_get_info (job.model)->attentions[0]);
  job.baseline = attn_workspace_get_baseline (workspace, 0, 0);
  if (!attn_layer_token_choose (&job, error))
    return NULL;
  return compute (&job, workspace, error);
}
