/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-head-map.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-effect-meter.h"
#include "attn-error.h"
#include "attn-head-norms.h"
#include "attn-map-order.h"
#include "attn-plan-panels.h"
#include "attn-single.h"
#include "attn-speaker.h"
#include "attn-workspace-private.h"

/**
 * attn_head_map_find_panel:
 * @result: the result of a study with a grid
 * @index: index of a panel, or -1 for the first that is neither a baseline nor a difference
 *
 * Returns: index of the panel whose input and interventions a map is computed with: that one, or
 *   the first if it is a difference
 */
gsize
attn_head_map_find_panel (const AttnResult *result,
                          int               index)
{
  gsize n = result->grid->n_rows * result->grid->n_columns;
  gsize first = 0;

  while (first + 1 < n && (result->cells[first].side == ATTN_CELL_A ||
                           result->cells[first].side == ATTN_CELL_BASELINE ||
                           result->cells[first].side == ATTN_CELL_DIFFERENCE))
    first++;
  if (index >= 0 && (gsize) index < n && result->cells[index].side != ATTN_CELL_DIFFERENCE)
    first = (gsize) index;
  return first;
}

/**
 * attn_head_map_build_study:
 * @index: as for [func@attn_head_map_find_panel]
 *
 * Returns: (transfer full): a study for attn_head_map_run(), with the input and the interventions
 *   of that panel and all tokens, even if the panel shows only some
 */
AttnStudy *
attn_head_map_build_study (const AttnResult *result,
                           int               index)
{
  AttnStudy *study = attn_study_new_single (result, attn_head_map_find_panel (result, index));

  study->columns = ATTN_DIMENSION_HEAD;
  g_clear_pointer (&study->heads, attn_index_set_unref);
  study->shows_differences = FALSE;
  study->joins_words = FALSE;
  study->hides_keys = FALSE;
  study->n_last_queries = 0;
  g_clear_pointer (&study->queries, attn_index_set_unref);
  g_ptr_array_set_size (study->regions, 0);
  return study;
}

/* Averages the distance from the query back to the key, in tokens and weighted by attention, over
 * all rows. */
static double
measure_distance (AttnPanel *panel)
{
  g_auto (AttnPanelReader) reader = { .panel = panel };
  gsize n_rows = attn_panel_get_n_rows (panel);
  gsize n_columns = attn_panel_get_n_columns (panel);
  double sum = 0;

  for (gsize row = 0; row < n_rows; row++)
    {
      const float *weights = attn_panel_reader_get_row (&reader, row);

      for (gsize key = 0; key < n_columns && weights != NULL; key++)
        sum += weights[key] * fabs ((double) row - (double) key);
    }
  return sum / n_rows;
}

/* Data for computing one map: a number for each head of a model. */
typedef struct
{
  const AttnStudy *study;
  AttnWorkspace *workspace;
  AttnBaseline *baseline;
  AttnHeadMap *map;
  const AttnProgress *progress;
  GCancellable *cancellable;
} Run;

static gboolean
wants (const Run       *run,
       AttnHeadMeasure  measure)
{
  return run->map->values[measure] != NULL;
}

/* Tells whether any measure of the map's request is from @first up to, but not including, @end. */
static gboolean
wants_any (const Run       *run,
           AttnHeadMeasure  first,
           AttnHeadMeasure  end)
{
  while (first < end && !wants (run, first))
    first++;
  return first < end;
}

static void
set_value (const Run       *run,
           AttnHeadMeasure  measure,
           gsize            index,
           double           value)
{
  if (wants (run, measure))
    run->map->values[measure][index] = value;
}

static gboolean
measure_head (const Run             *run,
              gsize                  layer,
              gsize                  head,
              const AttnPlanSource  *before,
              const AttnPlanSource  *after,
              GError               **error)
{
  gsize index = layer * run->map->n_heads + head;
  AttnPanelMeasures measures;
  AttnPanelMeasures change = { 0 };
  g_autoptr (AttnPanel) panel = attn_plan_make_panel (run->baseline, layer, (int) head, before,
                                                      run->cancellable, error);
  g_autoptr (AttnPanel) changed = NULL;

  if (panel == NULL || !attn_plan_measure (run->study, run->baseline, panel, panel,
                                           run->cancellable, &measures, error))
    return FALSE;
  if (measures.is_unnormalised && (wants_any (run, 0, ATTN_HEAD_MEASURE_DISTANCE) ||
                                   wants_any (run, ATTN_HEAD_MEASURE_PREVIOUS,
                                              ATTN_HEAD_MEASURE_CHANGE)))
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: rows that do not sum to 1 found in layer %zu, head %zu, expected "
                        "attention weights, of which there are sink scores and entropies"),
                      attn_model_get_path (run->baseline->model), layer, head);
  if (after != NULL)
    {
      changed = attn_plan_make_panel (run->baseline, layer, (int) head, after, run->cancellable,
                                      error);
      if (changed == NULL ||
          !attn_plan_measure_difference (changed, panel, run->cancellable, &change, error))
        return FALSE;
    }
  set_value (run, ATTN_HEAD_MEASURE_SINK, index,
             measures.sink_score + (run->study->counts_sink ? measures.sink_share : 0.0));
  set_value (run, ATTN_HEAD_MEASURE_ENTROPY, index, measures.mean_entropy);
  set_value (run, ATTN_HEAD_MEASURE_DISTANCE, index,
             wants (run, ATTN_HEAD_MEASURE_DISTANCE) && !attn_model_is_cross (run->baseline->model)
                 ? measure_distance (panel)
                 : NAN);
  set_value (run, ATTN_HEAD_MEASURE_PREVIOUS, index, measures.previous_token);
  set_value (run, ATTN_HEAD_MEASURE_DUPLICATE, index, measures.duplicate_token);
  set_value (run, ATTN_HEAD_MEASURE_INDUCTION, index, measures.induction);
  set_value (run, ATTN_HEAD_MEASURE_CHANGE, index, change.total_variation);
  return TRUE;
}

/* Sets the source of the weights of @layer: of all heads at once, or if they take too much memory,
 * of each head on demand. */
static gboolean
set_source (const Run       *run,
            gsize            layer,
            GPtrArray       *interventions,
            AttnPlanSource  *source,
            GError         **error)
{
  AttnBaseline *baseline = run->baseline;
  gboolean is_below = attn_interventions_find_first_layer (interventions) < layer;

  *source = (AttnPlanSource) { .trace = is_below ? baseline->residuals : baseline->shown,
                               .interventions = interventions };
  if (!attn_plan_is_long (baseline))
    source->weights = attn_trace_compute_weights (source->trace, layer, NULL, interventions, NULL,
                                                  run->cancellable, error);
  return source->weights != NULL || attn_plan_is_long (baseline);
}

static gboolean
measure_layer (const Run  *run,
               gsize       layer,
               GError    **error)
{
  AttnPlanSource before = { 0 }, after = { 0 };
  /* The study's interventions are applied to all heads of the measured layer at once, rather than
   * to one after the other: heads of one layer do not affect each other's weights. */
  AttnCell cell = attn_cell_get_first (run->study, layer, ATTN_HEAD_MEAN);
  g_autoptr (GPtrArray) interventions =
      attn_workspace_build_interventions (run->workspace, &cell, run->study);
  gboolean is_changed = wants (run, ATTN_HEAD_MEASURE_CHANGE) &&
                        attn_interventions_touch (interventions, layer);
  gboolean is_done = (!is_changed || attn_interventions_check (
                                         interventions, run->baseline->model,
                                         run->baseline->tokens->n_tokens, error)) &&
                     attn_baseline_need_layer (run->baseline, layer, NULL, run->cancellable,
                                               error) &&
                     set_source (run, layer, NULL, &before, error) &&
                     (!is_changed || set_source (run, layer, interventions, &after, error));

  for (gsize head = 0; is_done && head < run->map->n_heads; head++)
    is_done = measure_head (run, layer, head, &before, is_changed ? &after : NULL, error);
  g_clear_pointer (&before.weights, attn_tensor_unref);
  g_clear_pointer (&after.weights, attn_tensor_unref);
  return is_done;
}

/* Adds to @changes the intervention on @component of one head. */
static void
add_change (const Run     *run,
            GPtrArray     *changes,
            AttnComponent  component,
            AttnOperation  operation,
            double         factor,
            AttnIndexSet  *tokens,
            gsize          layer,
            gsize          head)
{
  AttnIntervention *change = attn_intervention_new (
      component, operation,
      component < ATTN_N_COMPONENTS ? run->study->site : ATTN_SITE_PROJECTION);

  change->axis = run->study->axis;
  if (operation == ATTN_OPERATION_SCALE)
    change->factor = factor;
  change->layers = attn_index_set_new_range (layer, layer);
  change->heads = attn_index_set_new_range (head, head);
  change->tokens = attn_index_set_ref (tokens);
  g_ptr_array_add (changes, change);
}

/* Returns interventions on the query, key, value or output of one head, whichever the study
 * changes; on the output if it changes none. (transfer full) */
static GPtrArray *
build_changes (const Run     *run,
               AttnOperation  operation,
               gsize          layer,
               gsize          head)
{
  const AttnStudy *study = run->study;
  const GPtrArray *further = study->extra_interventions;
  double factor = study->epsilons->len > 0 ? g_array_index (study->epsilons, double, 0) : 0.0;
  GPtrArray *changes = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);

  for (AttnComponent c = 0; study->operation == operation && c < ATTN_N_COMPONENTS; c++)
    if (study->components[c])
      add_change (run, changes, c, operation, factor, study->scope_tokens, layer, head);
  for (guint i = 0; i < further->len; i++)
    {
      const AttnIntervention *other = further->pdata[i];

      if (other->operation == operation && other->component <= ATTN_COMPONENT_OUTPUT)
        add_change (run, changes, other->component, operation, other->factor, other->tokens, layer,
                    head);
    }
  if (changes->len == 0)
    add_change (run, changes, ATTN_COMPONENT_OUTPUT, operation, factor, study->scope_tokens, layer,
                head);
  return changes;
}

/* Fails if the study has interventions that cannot be applied to one head after another. */
static gboolean
check_changes (const Run      *run,
               AttnOperation   operation,
               GError        **error)
{
  const AttnStudy *study = run->study;
  const char *measure = attn_head_measure_names[study->measure];
  const GPtrArray *further = study->extra_interventions;

  if (!study->acts_on_shown_layer || study->scope_heads != NULL)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("--measure %s: a scope in layers or heads found, expected none, since each "
                        "head alone is changed in turn"),
                      measure);
  for (guint i = 0; i < further->len; i++)
    {
      const AttnIntervention *other = further->pdata[i];

      if (other->operation != operation || other->component > ATTN_COMPONENT_OUTPUT)
        return attn_fail (error, ATTN_ERROR_ARGUMENT,
                          _("--measure %s: another operation found (%s), expected --%s of query, "
                            "key, value or output"),
                          measure, attn_operation_names[other->operation],
                          attn_operation_names[operation]);
    }
  if (operation == ATTN_OPERATION_SCALE && study->epsilons->len > 1)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("--measure %s: %u factors found, expected one for all components"),
                      measure, study->epsilons->len);
  gsize layer = 0;
  while (layer + 1 < run->map->n_layers && !attn_model_has_map (run->baseline->model, layer))
    layer++;
  g_autoptr (GPtrArray) changes = build_changes (run, operation, layer, 0);
  return attn_interventions_check (changes, run->baseline->model,
                                   run->baseline->tokens->n_tokens, error);
}

static gboolean
measure_effect (const Run        *run,
                AttnEffectMeter  *effects,
                AttnOperation     operation,
                AttnHeadMeasure   kl,
                AttnHeadMeasure   loss,
                gsize             layer,
                gsize             head,
                GError          **error)
{
  gsize index = layer * run->map->n_heads + head;
  g_autoptr (GPtrArray) changes = build_changes (run, operation, layer, head);
  AttnMeanEffect effect;

  if (!attn_effect_meter_compute (effects, changes, &effect, run->cancellable, error))
    return FALSE;
  set_value (run, loss, index, effect.loss);
  set_value (run, kl, index,
             run->study->effect_unit == ATTN_EFFECT_NATS ? effect.kl * G_LN2 : effect.kl);
  return TRUE;
}

/* Finds the rows, of @n positions, over which the KL divergence is measured. Loss is measured over
 * all positions. */
static gboolean
find_rows (const Run  *run,
           gsize       n,
           AttnSpan   *rows,
           GError    **error)
{
  int at = run->study->effect_at;
  AttnOperation operation;

  *rows = (AttnSpan) { 0, n };
  if (at == ATTN_AT_ALL || !attn_study_measures_effect (run->study, &operation))
    return TRUE;
  if (at >= 0 && (gsize) at >= n)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("--at: %d found, expected last, all or 0 to %zu, for the text has %zu "
                        "tokens"),
                      at, n - 1, n);
  rows->first = at == ATTN_AT_LAST ? n - 1 : (gsize) at;
  rows->end = rows->first + 1;
  return TRUE;
}

/* Measures how changing each head alone affects the prediction. Begins with the last layer, whose
 * passes are the shortest, as a pass starts at the changed layer. */
static gboolean
measure_effects (const Run  *run,
                 GError    **error)
{
  static const struct
  {
    AttnOperation operation;
    AttnHeadMeasure kl;
    AttnHeadMeasure loss;
  } kinds[] = {
    { ATTN_OPERATION_MEAN, ATTN_HEAD_MEASURE_EFFECT_MEAN, ATTN_HEAD_MEASURE_LOSS_MEAN },
    { ATTN_OPERATION_ZERO, ATTN_HEAD_MEASURE_EFFECT_ZERO, ATTN_HEAD_MEASURE_LOSS_ZERO },
    /* A scale has no measure of the loss that it adds, so that its KL divergence stands in the
     * place of both measures. */
    { ATTN_OPERATION_SCALE, ATTN_HEAD_MEASURE_EFFECT_SCALE, ATTN_HEAD_MEASURE_EFFECT_SCALE },
  };
  gsize n = run->map->n_layers * run->map->n_heads;
  AttnBaseline *baseline = run->baseline;
  AttnSpan rows;

  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++)
    if ((wants (run, kinds[k].kl) || wants (run, kinds[k].loss)) &&
        !check_changes (run, kinds[k].operation, error))
      return FALSE;
  AttnBaseline *said = attn_speaker_get_baseline (baseline, run->cancellable, error);
  if (said == NULL || !find_rows (run, said->tokens->n_tokens, &rows, error))
    return FALSE;
  g_autoptr (AttnEffectMeter) effects =
      attn_effect_meter_new (said->model, said->ids, said->tokens->n_tokens, rows,
                             said->residuals, run->cancellable, error);
  if (effects == NULL)
    return FALSE;
  if (said != baseline)
    attn_effect_meter_set_encoder (effects, baseline->model, baseline->tokens);
  for (gsize i = n; i-- > 0;)
    {
      attn_progress_report (run->progress, _("Changing one head after the other"),
                            (double) (n - 1 - i) / (double) n);
      if (!attn_model_has_map (baseline->model, i / run->map->n_heads))
        continue;
      for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++)
        if ((wants (run, kinds[k].kl) || wants (run, kinds[k].loss)) &&
            !measure_effect (run, effects, kinds[k].operation, kinds[k].kl, kinds[k].loss,
                             i / run->map->n_heads, i % run->map->n_heads, error))
          return FALSE;
    }
  return TRUE;
}

/**
 * attn_head_map_new:
 * @workspace: the workspace, prepared for a study
 * @measures: which measures are asked for, as a mask with the bit 1 << #AttnHeadMeasure for each
 *
 * Returns: (transfer full): a map of the heads of the first model, in which all values are still
 *   NaN
 */
AttnHeadMap *
attn_head_map_new (AttnWorkspace *workspace,
                   guint          measures)
{
  const AttnModelInfo *info =
      attn_model_get_info (attn_workspace_get_baseline (workspace, 0, 0)->model);
  AttnHeadMap *map = g_atomic_rc_box_new0 (AttnHeadMap);
  gsize n = info->n_layers * info->n_heads;

  map->n_layers = info->n_layers;
  map->n_heads = info->n_heads;
  for (guint i = 0; i < ATTN_N_HEAD_MEASURES; i++)
    {
      if ((measures >> i & 1) == 0)
        continue;
      map->values[i] = g_new (double, n);
      map->before[i] = g_new (double, n);
      for (gsize k = 0; k < n; k++)
        map->values[i][k] = map->before[i][k] = NAN;
    }
  return map;
}

/**
 * attn_head_map_fill:
 * @map: a map from [func@attn_head_map_new], not shared yet
 * @study: the study whose first input is measured in its first model; its interventions are used
 *   for %ATTN_HEAD_MEASURE_CHANGE, its axis for means
 * @workspace: prepared for @study
 * @progress: (nullable): is told of each layer, or of each head that is changed
 * @cancellable: (nullable): checked between heads, too
 * @error: return location: errors of [func@attn_trace_compute] and [func@attn_effect_meter_new]
 *
 * Measures every head of the model without an intervention, one layer at a time, and then the
 * effect on the prediction of changing each head alone. Lengths of vectors are measured with the
 * study's interventions.
 */
gboolean
attn_head_map_fill (AttnHeadMap         *map,
                    const AttnStudy     *study,
                    AttnWorkspace       *workspace,
                    const AttnProgress  *progress,
                    GCancellable        *cancellable,
                    GError             **error)
{
  AttnBaseline *baseline = attn_workspace_get_baseline (workspace, 0, 0);
  const Run run = { study, workspace, baseline, map, progress, cancellable };

  if (attn_model_get_info (baseline->model)->is_recording &&
      wants_any (&run, ATTN_HEAD_MEASURE_EFFECT_ZERO, ATTN_HEAD_MEASURE_OUTPUT_NORM) &&
      !wants_any (&run, 0, ATTN_HEAD_MEASURE_EFFECT_ZERO))
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: recorded attention found, expected a model whose heads can be "
                        "changed, or a measure of the weights, such as --measure sink"),
                      attn_model_get_path (baseline->model));
  if (attn_model_is_cross (baseline->model) &&
      wants_any (&run, ATTN_HEAD_MEASURE_DISTANCE, ATTN_HEAD_MEASURE_CHANGE) &&
      !wants_any (&run, 0, ATTN_HEAD_MEASURE_DISTANCE))
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: keys of another sequence found, expected a measure without "
                        "positions, such as --measure sink or entropy"),
                      attn_model_get_path (baseline->model));
  if (!attn_model_get_info (baseline->model)->is_recording &&
      !attn_baseline_need_residuals (baseline, NULL, cancellable, error))
    return FALSE;
  for (gsize layer = 0;
       wants_any (&run, 0, ATTN_HEAD_MEASURE_EFFECT_ZERO) && layer < map->n_layers; layer++)
    {
      attn_progress_report (progress, _("Computing panels"),
                            (double) layer / (double) map->n_layers);
      if (!attn_model_has_map (baseline->model, layer))
        continue;
      if (!measure_layer (&run, layer, error))
        return FALSE;
    }
  if (wants_any (&run, ATTN_HEAD_MEASURE_OUTPUT_NORM, ATTN_N_HEAD_MEASURES) &&
      !attn_head_norms_fill (map, study, workspace, progress, cancellable, error))
    return FALSE;
  return !wants_any (&run, ATTN_HEAD_MEASURE_EFFECT_ZERO, ATTN_HEAD_MEASURE_OUTPUT_NORM) ||
         measure_effects (&run, error);
}

/**
 * attn_head_map_run:
 * @study: a study from attn_head_map_build_study()
 * @workspace: cached data, which makes the computation faster but does not change the map
 * @cancellable: (nullable): checked between layers, too
 * @error: return location: errors of opening the model and of [func@attn_head_map_fill]
 *
 * Returns: (transfer full) (nullable): a map with all measures that need only attention weights
 */
AttnHeadMap *
attn_head_map_run (const AttnStudy  *study,
                   AttnWorkspace    *workspace,
                   GCancellable     *cancellable,
                   GError          **error)
{
  if (g_cancellable_set_error_if_cancelled (cancellable, error) ||
      !attn_workspace_prepare (workspace, study, cancellable, error))
    return NULL;
  g_autoptr (AttnHeadMap) map = attn_head_map_new (workspace, ATTN_HEAD_MEASURES_OF_WEIGHTS);
  gboolean is_done = attn_head_map_fill (map, study, workspace, NULL, cancellable, error);
  attn_workspace_trim (workspace);
  return is_done ? g_steal_pointer (&map) : NULL;
}

/**
 * attn_head_map_sort:
 *
 * Returns: (transfer full) (array): layer x n_heads + head of all heads, sorted by descending
 *   value; NaN comes last
 */
gsize *
attn_head_map_sort (const AttnHeadMap *map,
                    AttnHeadMeasure    measure)
{
  return attn_map_order_find (map->values[measure], map->n_layers * map->n_heads);
}

/**
 * attn_head_map_get_range:
 * @low: (out): the smallest value of @measure, 0 if there is none
 * @high: (out): the largest value of @measure, 0 if there is none
 */
void
attn_head_map_get_range (const AttnHeadMap *map,
                         AttnHeadMeasure    measure,
                         double            *low,
                         double            *high)
{
  gboolean is_first = TRUE;

  *low = *high = 0;
  for (gsize i = 0; i < map->n_layers * map->n_heads; i++)
    {
      double value = map->values[measure][i];

      if (isnan (value))
        continue;
      *low = is_first ? value : MIN (*low, value);
      *high = is_first ? value : MAX (*high, value);
      is_first = FALSE;
    }
}

AttnHeadMap *
attn_head_map_ref (AttnHeadMap *map)
{
  return g_atomic_rc_box_acquire (map);
}

static void
clear_map (gpointer data)
{
  AttnHeadMap *map = data;

  for (guint i = 0; i < ATTN_N_HEAD_MEASURES; i++)
    {
      g_free (map->values[i]);
      g_free (map->before[i]);
    }
}

void
attn_head_map_unref (AttnHeadMap *map)
{
  g_atomic_rc_box_release_full (map, clear_map);
}
