/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-result-private.h"

#include <math.h>

#include "attn-cell.h"
#include "attn-layout.h"
#include "attn-map-order.h"
#include "attn-outcome-data.h"
#include "attn-range.h"
#include "attn-regions.h"
#include "attn-study-private.h"
#include "attn-workspace-private.h"

/**
 * attn_result_new:
 * @grid: (transfer full): the panels
 * @layer: the layer on display
 * @head: the head on display or %ATTN_HEAD_MEAN
 *
 * Returns: (transfer full): a result that has only @model and no inputs; all measures are NaN, and
 *   all cells show the study's first input
 */
AttnResult *
attn_result_new (const AttnStudy *study,
                 AttnModel       *model,
                 AttnGrid        *grid,
                 gsize            layer,
                 int              head)
{
  AttnResult *result = g_atomic_rc_box_new0 (AttnResult);
  gsize n_panels = grid->n_rows * grid->n_columns;
  const AttnPanelMeasures none = { NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };

  result->study = attn_study_ref (study);
  result->model = model;
  result->models = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_model_unref);
  g_ptr_array_add (result->models, attn_model_ref (model));
  result->grid = grid;
  result->layer = layer;
  result->head = head;
  result->measures = g_new (AttnPanelMeasures, n_panels);
  result->cells = g_new0 (AttnCell, n_panels);
  for (gsize i = 0; i < n_panels; i++)
    {
      result->measures[i] = none;
      result->cells[i] = attn_cell_get_first (study, layer, head);
    }
  return result;
}

/**
 * attn_result_new_for_job:
 * @workspace: prepared for a study with the inputs and models of @study
 *
 * Makes a result as [func@attn_result_new] does, with the inputs and models of @workspace.
 */
AttnResult *
attn_result_new_for_job (const AttnStudy *study,
                         AttnWorkspace   *workspace,
                         AttnGrid        *grid,
                         gsize            layer,
                         int              head)
{
  AttnResult *result =
      attn_result_new (study, workspace->models->pdata[0], grid, layer, head);

  result->n_inputs = workspace->n_inputs;
  result->inputs = g_new (AttnTokens *, result->n_inputs);
  result->sources = g_new0 (AttnTokens *, result->n_inputs);
  for (gsize i = 0; i < result->n_inputs; i++)
    {
      const AttnBaseline *baseline = attn_workspace_get_baseline (workspace, 0, i);

      result->inputs[i] = attn_tokens_ref (baseline->tokens);
      if (baseline->source_tokens != NULL)
        result->sources[i] = attn_tokens_ref (baseline->source_tokens);
    }
  for (gsize i = 1; i < workspace->models->len; i++)
    g_ptr_array_add (result->models, attn_model_ref (workspace->models->pdata[i]));
  return result;
}

/* Copies the fingerprints of models from the result's study to @study if they are those of the
 * computed models. The studies are then not different only because one of them names
 * fingerprints. */
static void
forgive_fingerprints (AttnStudy        *study,
                      const AttnResult *result)
{
  for (guint i = 0; i < MIN (study->other_models->len + 1, result->models->len); i++)
    {
      AttnModelReference *named = attn_study_get_model (study, i);
      const char *computed = attn_model_get_fingerprint (result->models->pdata[i]);

      if (g_strcmp0 (named->fingerprint, computed) != 0)
        continue;
      g_free (named->fingerprint);
      named->fingerprint = g_strdup (attn_study_get_model (result->study, i)->fingerprint);
    }
}

/**
 * attn_result_restyle:
 * @study: a study that can differ from the result's own only in style, viewport, page, and in
 *   whether it names the fingerprints of the models
 *
 * Returns: (transfer full) (nullable): the result of @study, which shares everything that was
 *   computed; %NULL if the two studies differ in more, or if all rows of a long panel would have to
 *   be computed again
 */
AttnResult *
attn_result_restyle (const AttnResult *result,
                     const AttnStudy  *study)
{
  g_autoptr (AttnStudy) alike = attn_study_copy (study);

  forgive_fingerprints (alike, result);
  if (!attn_study_has_panels_of (alike, result->study) ||
      attn_range_needs_pass (result->grid, &study->style, &result->study->style))
    return NULL;

  AttnResult *computed = result->computed != NULL ? result->computed : (AttnResult *) result;
  AttnResult *other = g_atomic_rc_box_dup (sizeof *result, (AttnResult *) result);
  other->study = attn_study_copy (study);
  other->computed = attn_result_ref (computed);
  /* A score atlas is computed in the order of layers and heads, and sorted by value only for
   * display. */
  if (attn_study_get_traits (study)->has_measure)
    other->grid = study->sorts_heads ? attn_map_order_sort (computed->grid)
                                     : attn_grid_ref (computed->grid);
  else
    attn_grid_ref (other->grid);
  if (other->outcomes != NULL)
    g_ptr_array_ref (other->outcomes);
  if (other->texts != NULL)
    attn_survey_texts_ref (other->texts);
  return other;
}

/**
 * attn_result_extend:
 * @grid: (transfer full): the panels of @result with additions, such as charts and numbers
 * @outcomes: (nullable) (element-type AttnOutcome): the effect on the prediction, one for each
 *   panel
 *
 * Returns: (transfer full): a result with @grid and @outcomes, which shares everything else with
 *   @result
 */
AttnResult *
attn_result_extend (const AttnResult *result,
                    AttnGrid         *grid,
                    GPtrArray        *outcomes)
{
  AttnResult *computed = result->computed != NULL ? result->computed : (AttnResult *) result;
  AttnResult *other = g_atomic_rc_box_dup (sizeof *result, (AttnResult *) result);

  attn_study_ref (other->study);
  other->computed = attn_result_ref (computed);
  other->grid = grid;
  other->outcomes = outcomes != NULL ? g_ptr_array_ref (outcomes) : NULL;
  other->texts = NULL;
  return other;
}

/**
 * attn_result_take_baseline:
 *
 * Returns: (transfer full): the result with the baseline in place of each panel that has one.
 *   Caption, titles and names say so, and texts on the interventions are left out.
 */
AttnResult *
attn_result_take_baseline (const AttnResult *result)
{
  AttnGrid *grid = attn_grid_take_baseline (result->grid);

  if (grid == NULL)
    return attn_result_ref ((AttnResult *) result);
  if (grid->caption == NULL)
    grid->caption = g_strdup (ATTN_GRID_BASELINE_CAPTION);
  return attn_result_extend (result, grid, NULL);
}

/**
 * attn_result_get_outcome:
 * @index: index of a panel, row-major in the grid
 *
 * Returns: (transfer none) (nullable): the effect of the panel's interventions on the prediction,
 *   if it is computed
 */
const AttnOutcome *
attn_result_get_outcome (const AttnResult *result,
                         gsize             index)
{
  return result->outcomes != NULL ? g_ptr_array_index (result->outcomes, index) : NULL;
}

AttnResult *
attn_result_ref (AttnResult *result)
{
  return g_atomic_rc_box_acquire (result);
}

static void
clear (gpointer data)
{
  AttnResult *result = data;

  attn_study_unref (result->study);
  attn_grid_unref (result->grid);
  g_clear_pointer (&result->outcomes, g_ptr_array_unref);
  g_clear_pointer (&result->texts, attn_survey_texts_unref);
  if (result->computed != NULL)
    attn_result_unref (result->computed);
  else
    {
      for (gsize i = 0; i < result->n_inputs; i++)
        {
          g_clear_pointer (&result->inputs[i], attn_tokens_unref);
          if (result->sources != NULL)
            g_clear_pointer (&result->sources[i], attn_tokens_unref);
        }
      g_free (result->inputs);
      g_free (result->sources);
      g_free (result->measures);
      g_free (result->cells);
      g_ptr_array_unref (result->models);
      attn_survey_data_unref (result->survey);
    }
}

void
attn_result_unref (AttnResult *result)
{
  g_atomic_rc_box_release_full (result, clear);
}

static void
add_model (AttnJsonWriter  *writer,
           const char      *member,
           const AttnModel *model)
{
  attn_json_writer_begin_object (writer, member);
  attn_json_writer_add_string (writer, "name", attn_model_get_name (model));
  attn_json_writer_add_string (writer, "family", attn_model_get_info (model)->family);
  attn_json_writer_add_string (writer, "fingerprint", attn_model_get_fingerprint (model));
  if (attn_model_get_info (model)->attentions[1] != NULL)
    attn_json_writer_add_string (writer, "attention", attn_model_get_info (model)->attention);
  attn_json_writer_end_object (writer);
}

/* Writes the other models with which the figure compares the first model. */
static void
add_other_models (AttnJsonWriter   *writer,
                  const AttnResult *result)
{
  if (result->models->len == 1)
    return;
  attn_json_writer_begin_array (writer, "other-models");
  for (guint i = 1; i < result->models->len; i++)
    add_model (writer, NULL, g_ptr_array_index (result->models, i));
  attn_json_writer_end_array (writer);
}

static void
add_inputs (AttnJsonWriter   *writer,
            const AttnResult *result)
{
  attn_json_writer_begin_array (writer, "inputs");
  for (gsize i = 0; i < result->n_inputs; i++)
    {
      const AttnTokens *tokens = result->inputs[i];

      attn_json_writer_begin_object (writer, NULL);
      attn_json_writer_begin_array (writer, "ids");
      for (gsize k = 0; k < tokens->n_tokens; k++)
        attn_json_writer_add_integer (writer, NULL, tokens->tokens[k].id);
      attn_json_writer_end_array (writer);
      attn_json_writer_add_strings (writer, "tokens", (const char * const *) tokens->labels);
      if (result->sources != NULL && result->sources[i] != NULL)
        attn_json_writer_add_strings (writer, "source",
                                      (const char * const *) result->sources[i]->labels);
      attn_json_writer_end_object (writer);
    }
  attn_json_writer_end_array (writer);
}

/* Writes the regions with positions in the input. A region without any cell that holds a number has
 * no measures. */
static void
add_regions (AttnJsonWriter     *writer,
             const AttnGridCell *cell)
{
  AttnPanel *panel = cell->panel;

  if (cell->n_regions == 0)
    return;
  attn_json_writer_begin_array (writer, "regions");
  for (gsize i = 0; i < cell->n_regions; i++)
    {
      const AttnRegion *region = &cell->regions[i];
      AttnRegionMeasures measures = attn_region_measure (panel, region, NULL);

      attn_json_writer_begin_object (writer, NULL);
      attn_json_writer_add_string (writer, "name", region->name);
      attn_json_writer_add_span (writer, "rows",
                                 attn_panel_get_row_position (panel, region->first_row),
                                 attn_panel_get_row_position (panel, region->last_row));
      attn_json_writer_add_span (writer, "columns",
                                 attn_panel_get_column_position (panel, region->first_column),
                                 attn_panel_get_column_position (panel, region->last_column));
      attn_json_writer_add_integer (writer, "count", measures.n_cells);
      if (measures.n_cells > 0 && isfinite (measures.mean))
        attn_json_writer_add_number (writer, "mean", measures.mean);
      if (measures.n_cells > 0 && isfinite (measures.largest))
        attn_json_writer_add_number (writer, "largest", measures.largest);
      attn_json_writer_end_object (writer);
    }
  attn_json_writer_end_array (writer);
}

/**
 * attn_result_write_positions:
 * @index: index of a panel, row-major in the grid
 * @writer: a writer that is within a JSON object
 *
 * Writes where the rows and the columns of a panel stand in the input, as "row-positions" and
 * "column-positions", if some rows or columns are left out, or tokens are joined to words.
 */
void
attn_result_write_positions (const AttnResult *result,
                             gsize             index,
                             AttnJsonWriter   *writer)
{
  AttnPanel *panel = result->grid->cells[index].panel;

  if (panel == NULL || !attn_panel_has_positions (panel))
    return;
  attn_json_writer_begin_array (writer, "row-positions");
  for (gsize row = 0; row < attn_panel_get_n_rows (panel); row++)
    attn_json_writer_add_integer (writer, NULL, attn_panel_get_row_position (panel, row));
  attn_json_writer_end_array (writer);
  attn_json_writer_begin_array (writer, "column-positions");
  for (gsize column = 0; column < attn_panel_get_n_columns (panel); column++)
    attn_json_writer_add_integer (writer, NULL, attn_panel_get_column_position (panel, column));
  attn_json_writer_end_array (writer);
}

/* Adds the interventions of a panel: those of its cell or, in a survey, those of its column's
 * condition. */
static void
add_interventions (AttnJsonWriter   *writer,
                   const AttnResult *result,
                   gsize             index)
{
  const AttnSurveyData *survey = result->survey;
  g_autoptr (GPtrArray) interventions =
      attn_cell_build_interventions (&result->cells[index], result->study);

  attn_json_writer_begin_array (writer, "interventions");
  if (survey != NULL)
    {
      gsize condition = survey->attribution == NULL ? index % survey->n_conditions : 0;
      g_auto (GStrv) texts = g_strsplit (survey->conditions[condition], "; ", -1);

      for (gsize i = 0; condition > 0 && texts[i] != NULL; i++)
        attn_json_writer_add_string (writer, NULL, texts[i]);
    }
  for (guint i = 0; i < interventions->len && survey == NULL; i++)
    {
      g_autofree char *text = attn_intervention_to_string (g_ptr_array_index (interventions, i));

      if (!result->grid->cells[index].is_baseline)
        attn_json_writer_add_string (writer, NULL, text);
    }
  attn_json_writer_end_array (writer);
}

static void
add_panel (AttnJsonWriter   *writer,
           const AttnResult *result,
           gsize             index)
{
  const AttnCell *cell = &result->cells[index];

  attn_json_writer_begin_object (writer, NULL);
  attn_json_writer_add_string (writer, "name", result->grid->cells[index].name);
  attn_json_writer_add_integer (writer, "input", cell->input);
  if (attn_study_changes_along (result->study, ATTN_DIMENSION_MODEL))
    attn_json_writer_add_integer (writer, "model", cell->model);
  if (cell->layer != result->layer)
    attn_json_writer_add_integer (writer, "layer", cell->layer);
  if (cell->head != result->head)
    attn_json_writer_add_integer (writer, "head", cell->head);
  add_interventions (writer, result, index);
  attn_result_write_positions (result, index, writer);
  attn_result_write_difference (result, index, writer);
  attn_outcome_write (attn_result_get_outcome (result, index), writer);
  add_regions (writer, &result->grid->cells[index]);
  attn_json_writer_end_object (writer);
}

/**
 * attn_result_to_metadata:
 * @study: the study that is exported: the result's own, or one that differs only in its looks
 *
 * Returns: (transfer full): JSON that says how the figure came about: the study, the version of the
 *   program, name and fingerprint of each model, tokens, layer, head, and for each panel its
 *   interventions, the positions of the tokens that are shown, its regions and, for a difference,
 *   the distance of each row and the largest changes. The same result gives the same text on every
 *   machine.
 */
char *
attn_result_to_metadata (const AttnResult *result,
                         const AttnStudy  *study)
{
  AttnJsonWriter writer = { .text = g_string_new (NULL) };
  const char *head_word = attn_study_get_traits (result->study)->head_word;

  attn_json_writer_begin_object (&writer, NULL);
  attn_json_writer_add_string (&writer, "program", "attention-grid");
  attn_json_writer_add_string (&writer, "version", ATTN_VERSION);
  add_model (&writer, "model", result->model);
  add_other_models (&writer, result);
  attn_json_writer_add_integer (&writer, "layer", result->layer);
  if (head_word != NULL)
    attn_json_writer_add_string (&writer, "head", head_word);
  else if (result->head == ATTN_HEAD_MEAN)
    attn_json_writer_add_string (&writer, "head", "mean");
  else
    attn_json_writer_add_integer (&writer, "head", result->head);
  add_inputs (&writer, result);
  attn_json_writer_begin_array (&writer, "panels");
  for (gsize i = 0; i < result->grid->n_rows * result->grid->n_columns; i++)
    add_panel (&writer, result, i);
  attn_json_writer_end_array (&writer);
  attn_outcome_write_charts (result->grid->charts, &writer);
  attn_study_write (study, &writer, "study");
  attn_json_writer_end_object (&writer);
  return g_string_free (writer.text, FALSE);
}

/* Returns the displayed part of each panel of @grid, or NULL if all panels show the same part. */
static const AttnViewport *
get_views (const AttnStudy *study,
           const AttnGrid  *grid)
{
  return study->views != NULL && study->views->len == grid->n_rows * grid->n_columns
             ? (const AttnViewport *) (void *) study->views->data
             : NULL;
}

/**
 * attn_study_get_panel_view:
 * @grid: the panels of @study
 * @index: index of a panel, row-major in the grid
 *
 * Returns: the part of the panel's rows and columns that the study shows
 */
AttnViewport
attn_study_get_panel_view (const AttnStudy *study,
                           const AttnGrid  *grid,
                           gsize            index)
{
  const AttnViewport *views = get_views (study, grid);

  return views != NULL ? views[index] : study->viewport;
}

/**
 * attn_result_lay_out:
 * @study: the result's own, or one that differs from it only in style, viewport and page
 * @error: return location: errors of [func@attn_export_get_size]
 *
 * Returns: (transfer full) (nullable): the figure on the page of @study, with the part of each
 *   panel that @study shows; black on white, if the style has no background color
 */
AttnScene *
attn_result_lay_out (const AttnResult  *result,
                     const AttnStudy   *study,
                     GError           **error)
{
  AttnStyle paper = attn_style_get_paper (&study->style);
  double width, height;

  if (!attn_export_get_size (&study->page, &width, &height, error))
    return NULL;
  return attn_layout_figure_views (result->grid, &paper, &study->viewport,
                                   get_views (study, result->grid), width, height);
}

/**
 * attn_result_export:
 * @study: as for [func@attn_result_lay_out]
 * @format: format of the file
 * @frame: (nullable): place of the figure in a larger SVG; %NULL for a file with this figure alone
 * @error: return location: errors of [func@attn_result_lay_out] and of [func@attn_export_scene]
 *
 * The same arguments give the same bytes. Any thread can call it.
 *
 * Returns: (transfer full) (nullable): the contents of a file of that format
 */
GBytes *
attn_result_export (const AttnResult    *result,
                    const AttnStudy     *study,
                    AttnExportFormat     format,
                    const AttnSvgFrame  *frame,
                    GError             **error)
{
  AttnExportOptions options = study->page;
  g_autofree char *metadata = attn_result_to_metadata (result, study);
  g_autofree char *title = g_strdup_printf ("%s, %s",
                                            study->preset != NULL ? study->preset
                                                                  : "attention-grid",
                                            attn_model_get_name (result->model));
  g_autoptr (AttnScene) scene = attn_result_lay_out (result, study, error);

  options.format = format;
  options.title = title;
  options.metadata = metadata;
  options.svg.frame = frame;
  return scene != NULL ? attn_export_scene (scene, &options, error) : NULL;
}
