/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-plan-panels.h"

#include <math.h>

#include "attn-attention.h"
#include "attn-cut.h"
#include "attn-head-scores.h"
#include "attn-measures.h"
#include "attn-parallel.h"
#include "attn-threads.h"
#include "attn-trace-rows.h"
#include "attn-visible-keys.h"

static AttnTensor *
average_heads (const AttnTensor  *weights,
               GError           **error)
{
  AttnTensor *mean = attn_tensor_new (2, weights->shape + 1, error);

  if (mean != NULL)
    attn_attention_average (weights, attn_threads_get (), mean);
  return mean;
}

/**
 * attn_plan_is_long:
 *
 * Returns: whether a map of all queries and keys has too many cells to be kept in memory
 */
gboolean
attn_plan_is_long (const AttnBaseline *baseline)
{
  return attn_panel_is_too_long (baseline->tokens->n_tokens, attn_baseline_count_keys (baseline));
}

/* Makes a panel with the attention mask of @layer, of @values or of @source, which gives rows on
 * demand; the other is NULL. */
static AttnPanel *
wrap_panel (const AttnBaseline  *baseline,
            gsize                layer,
            AttnTensor          *values,
            const AttnRowSource *source,
            gboolean             has_window)
{
  const char * const *labels = (const char * const *) baseline->tokens->labels;
  gsize n = baseline->tokens->n_tokens;
  const char * const *key_labels = attn_baseline_get_key_labels (baseline);
  const gsize shape[] = { n, attn_baseline_count_keys (baseline) };
  gboolean is_causal = attn_model_get_info (baseline->model)->is_causal;
  AttnMask mask = is_causal ? ATTN_MASK_CAUSAL : ATTN_MASK_NONE;
  gsize window = has_window ? attn_model_get_window (baseline->model, layer) : 0;
  g_autofree AttnSpan *spans = NULL;

  g_return_val_if_fail (values == NULL || attn_tensor_has_shape (values, 2, shape), NULL);

  if ((window > 0 && window < n) || attn_model_has_block (baseline->model))
    {
      spans = g_new (AttnSpan, n);
      for (gsize row = 0; row < n; row++)
        attn_model_get_visible_keys (baseline->model, layer, has_window, n, row,
                                     &spans[row].first, &spans[row].end);
    }
  if (source != NULL)
    return attn_panel_new_long (n, shape[1], source, mask, spans, labels, key_labels);
  return spans != NULL ? attn_panel_new_with_visibility (values, spans, labels, key_labels)
                       : attn_panel_new (values, mask, labels, key_labels);
}

/**
 * attn_plan_wrap_panel:
 * @values: [T, keys], which belong to @layer
 * @has_window: whether keys outside the layer's attention window are masked
 *
 * Returns: (transfer full): a panel of @values with the tokens and the attention mask of @baseline
 */
AttnPanel *
attn_plan_wrap_panel (const AttnBaseline *baseline,
                      gsize               layer,
                      AttnTensor         *values,
                      gboolean            has_window)
{
  return wrap_panel (baseline, layer, values, NULL, has_window);
}

/* Computes the weights of one head, for layers whose weights are too large to be kept for all
 * heads. */
static AttnTensor *
compute_head (const AttnPlanSource  *source,
              gsize                  layer,
              int                    head,
              GCancellable          *cancellable,
              GError               **error)
{
  g_autoptr (AttnIndexSet) heads = attn_index_set_new_range (head, head);
  g_autoptr (AttnTensor) weights =
      attn_trace_compute_weights (source->trace, layer, heads, source->interventions, NULL,
                                  cancellable, error);

  return weights != NULL ? attn_tensor_slice (weights, 0) : NULL;
}

static gboolean
read_rows (gpointer   data,
           gsize      first_row,
           gsize      n_rows,
           float     *rows,
           GError   **error)
{
  return attn_trace_rows_compute (data, first_row, n_rows, rows, error);
}

/* Makes a panel with too many cells to be kept in memory, which computes its rows each time they
 * are needed. */
static AttnPanel *
make_long_panel (const AttnBaseline    *baseline,
                 gsize                  layer,
                 int                    head,
                 const AttnPlanSource  *source,
                 GCancellable          *cancellable,
                 GError               **error)
{
  AttnTraceRows *rows = attn_trace_rows_new (
      source->trace, layer, head == ATTN_HEAD_MEAN ? ATTN_TRACE_ROWS_MEAN : head,
      source->interventions, NULL, cancellable, error);
  const AttnRowSource row_source = { read_rows, rows, (GDestroyNotify) attn_trace_rows_free };

  return rows != NULL ? wrap_panel (baseline, layer, NULL, &row_source, TRUE) : NULL;
}

/**
 * attn_plan_make_panel:
 * @head: a head of @layer, or %ATTN_HEAD_MEAN
 * @source: the pass through the model that the weights come from
 * @error: return location: %ATTN_ERROR_MEMORY, %G_IO_ERROR_CANCELLED
 *
 * Returns: (transfer full) (nullable): the weights of a head, with its tokens and its mask; if the
 *   weights are too many to be kept, the panel computes its rows on demand
 */
AttnPanel *
attn_plan_make_panel (const AttnBaseline    *baseline,
                      gsize                  layer,
                      int                    head,
                      const AttnPlanSource  *source,
                      GCancellable          *cancellable,
                      GError               **error)
{
  gsize index = head >= 0 ? attn_index_set_count (source->heads, head) : 0;
  g_autoptr (AttnTensor) values = NULL;
  g_autoptr (AttnTensor) slice = NULL;

  if (attn_plan_is_long (baseline))
    return make_long_panel (baseline, layer, head, source, cancellable, error);
  if (head == ATTN_HEAD_MEAN && source->mean != NULL)
    values = attn_tensor_ref (source->mean);
  else if (head == ATTN_HEAD_MEAN && source->trace != NULL)
    values = attn_trace_compute_mean (source->trace, layer, source->interventions, NULL,
                                      cancellable, error);
  else if (head == ATTN_HEAD_MEAN)
    values = average_heads (source->weights, error);
  else if (source->weights == NULL)
    values = compute_head (source, layer, head, cancellable, error);
  else
    slice = attn_tensor_slice (source->weights, index);
  if (slice != NULL)
    values = source->is_copied ? attn_tensor_copy (slice, error) : attn_tensor_ref (slice);
  return values != NULL ? wrap_panel (baseline, layer, values, NULL, TRUE) : NULL;
}

/* Returns the sum over rows of the attention that each gives to no key, 1 minus the sum of its
 * weights. */
static double
add_rests (const float *rows,
           gsize        n_rows,
           gsize        n_columns)
{
  double rest = 0.0;

  for (gsize row = 0; row < n_rows; row++)
    {
      double sum = 0.0;

      for (gsize column = 0; column < n_columns; column++)
        sum += rows[row * n_columns + column];
      rest += MAX (1.0 - sum, 0.0);
    }
  return rest;
}

/* Tells whether rows of weights can have another sum than 1, as recorded weights can, but those of
 * a softmax cannot. */
static gboolean
may_be_unnormalised (const AttnBaseline *baseline)
{
  const AttnModelInfo *info = attn_model_get_info (baseline->model);

  return info->is_recording && !info->has_queries_and_keys;
}

/* Sets the measures to NaN that are defined only for rows whose sum is 1. */
static void
set_unnormalised (AttnPanelMeasures *measures)
{
  measures->is_unnormalised = TRUE;
  measures->sink_score = measures->mean_entropy = NAN;
  measures->total_variation = measures->sink_share = NAN;
  measures->previous_token = measures->duplicate_token = measures->induction = NAN;
}

/* Rules by which all maps of a layer are measured. */
typedef struct
{
  gsize n_columns;
  gboolean is_causal;
  gboolean has_sinks;
  gboolean checks_sums;
  AttnHeadScorer *scorer; /* (nullable): scorer of heads, which knows where tokens attend to tokens
                           * of the same text */
} MapRules;

static MapRules
get_map_rules (const AttnBaseline *baseline)
{
  const AttnModelInfo *info = attn_model_get_info (baseline->model);
  gsize n = baseline->tokens->n_tokens;
  gsize n_columns = attn_baseline_count_keys (baseline);
  gboolean is_own_text = n == n_columns && !attn_model_is_cross (baseline->model);

  return (MapRules) {
    .n_columns = n_columns,
    .is_causal = info->is_causal,
    .has_sinks = info->has_sinks,
    .checks_sums = may_be_unnormalised (baseline),
    .scorer = is_own_text ? attn_head_scorer_new (baseline->ids, n) : NULL,
  };
}

static void
clear_map_rules (MapRules *rules)
{
  g_clear_pointer (&rules->scorer, attn_head_scorer_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (MapRules, clear_map_rules)

/* Sums over some rows of a map, from which its measures are computed; all 0 for no row. */
typedef struct
{
  AttnMeasures measures;
  AttnHeadSums heads;
  double rest; /* attention to no key */
  gboolean is_unnormalised;
} MapSums;

static void
merge_maps (MapSums       *sums,
            const MapSums *other)
{
  attn_measures_merge (&sums->measures, &other->measures);
  attn_head_sums_merge (&sums->heads, &other->heads);
  sums->rest += other->rest;
  sums->is_unnormalised |= other->is_unnormalised;
}

/* Adds rows of a map to all sums except those of [func@attn_measures_add], and like it in blocks of
 * rows, so that sums do not depend on how many rows are added at a time. */
static void
add_to_map (const MapRules *rules,
            const float    *rows,
            gsize           first_row,
            gsize           n_rows,
            MapSums        *sums)
{
  gsize n_columns = rules->n_columns;

  for (gsize block = 0; block < n_rows; block += ATTN_MEASURES_BLOCK_ROWS)
    {
      const float *from = rows + block * n_columns;
      gsize n = MIN (ATTN_MEASURES_BLOCK_ROWS, n_rows - block);
      MapSums part = { 0 };

      part.is_unnormalised =
          rules->checks_sums && !sums->is_unnormalised &&
          !attn_measures_are_distributions (from, first_row + block, n, n_columns,
                                            rules->is_causal);
      if (rules->has_sinks)
        part.rest = add_rests (from, n, n_columns);
      for (gsize row = 0; rules->scorer != NULL && row < n; row++)
        attn_head_scorer_add (rules->scorer, first_row + block + row, from + row * n_columns,
                              &part.heads);
      merge_maps (sums, &part);
    }
}

/* Returns the measures of a map of which @n_rows have been added up. */
static AttnPanelMeasures
finish_map (const MapRules *rules,
            MapSums        *sums,
            gsize           n_rows)
{
  AttnHeadScores heads = rules->scorer != NULL ? attn_head_sums_finish (&sums->heads)
                                               : (AttnHeadScores) { NAN, NAN, NAN };

  if (n_rows > 0)
    attn_measures_finish (&sums->measures, n_rows);
  AttnPanelMeasures measures = {
    .sink_score = sums->measures.sink_score,
    .mean_entropy = sums->measures.mean_entropy,
    .largest_difference = sums->measures.largest_difference,
    .total_variation = sums->measures.total_variation,
    .sink_share = sums->rest / (double) MAX (n_rows, 1),
    .previous_token = heads.previous_token,
    .duplicate_token = heads.duplicate_token,
    .induction = heads.induction,
  };
  if (sums->is_unnormalised)
    set_unnormalised (&measures);
  return measures;
}

/* State for computing the measures of a long panel, whose rows are computed one block after the
 * other and not kept. */
typedef struct
{
  const AttnStudy *study;
  GCancellable *cancellable;
  AttnPanel *before; /* (nullable): the panel without interventions, if it differs */
  MapRules rules;
  MapSums sums;
  AttnTensor *rows_before; /* (nullable): rows of @before */
  GError *error;
} LongMeasure;

static gboolean
add_rows (gsize        first_row,
          gsize        n_rows,
          const float *rows,
          gpointer     user_data)
{
  LongMeasure *measure = user_data;
  gsize n_columns = measure->rules.n_columns;
  const gsize shape[] = { n_rows, n_columns };
  const float *before = rows;

  if (g_cancellable_set_error_if_cancelled (measure->cancellable, &measure->error))
    return FALSE;
  const AttnTensor *values =
      measure->before != NULL ? attn_panel_get_values (measure->before) : NULL;
  if (values != NULL)
    before = values->data + first_row * n_columns;
  else if (measure->before != NULL)
    {
      if (measure->rows_before == NULL || measure->rows_before->shape[0] < n_rows)
        {
          g_clear_pointer (&measure->rows_before, attn_tensor_unref);
          measure->rows_before = attn_tensor_new_unset (2, shape, &measure->error);
        }
      if (measure->rows_before == NULL ||
          !attn_panel_read_rows (measure->before, first_row, n_rows, measure->rows_before->data,
                                 &measure->error))
        return FALSE;
      before = measure->rows_before->data;
    }
  attn_measures_add (&measure->sums.measures, rows, before, first_row, n_rows, n_columns,
                     measure->rules.is_causal);
  add_to_map (&measure->rules, rows, first_row, n_rows, &measure->sums);
  return TRUE;
}

/**
 * attn_plan_leaves_out_queries:
 *
 * Returns: whether @study leaves out queries, whose rows then need not be computed
 */
gboolean
attn_plan_leaves_out_queries (const AttnStudy *study)
{
  return !study->joins_words && (study->queries != NULL || study->n_last_queries > 0);
}

/* Adds to the measures only those rows of @panel that the study shows. @n_added gets their
 * number. */
static gboolean
add_shown_rows (LongMeasure *measure,
                AttnPanel   *panel,
                gsize       *n_added)
{
  const AttnStudy *study = measure->study;
  gsize n = attn_panel_get_n_rows (panel);
  g_auto (AttnPanelReader) reader = { .panel = panel };
  gsize n_shown = attn_index_set_count (study->queries, n);
  gsize n_skipped = study->n_last_queries > 0 ? n_shown - MIN (study->n_last_queries, n_shown) : 0;

  *n_added = 0;
  for (gsize row = 0; row < n; row++)
    {
      if (!attn_index_set_contains (study->queries, row) || n_skipped > 0)
        {
          n_skipped -= attn_index_set_contains (study->queries, row) ? 1 : 0;
          continue;
        }
      if (!add_rows (row, 1, attn_panel_reader_get_row (&reader, row), measure))
        return FALSE;
      ++*n_added;
    }
  return TRUE;
}

/* Returns @is_done. */
static gboolean
finish_long (LongMeasure        *measure,
             gboolean            is_done,
             gsize               n_rows,
             AttnPanelMeasures  *measures,
             GError            **error)
{
  g_clear_pointer (&measure->rows_before, attn_tensor_unref);
  if (is_done)
    *measures = finish_map (&measure->rules, &measure->sums, n_rows);
  else
    g_propagate_error (error, measure->error);
  clear_map_rules (&measure->rules);
  return is_done;
}

/* Computes the measures of a long panel over the queries that are shown. Its small image (the
 * overview) is made in the same pass, unless another panel is displayed. */
static gboolean
measure_long (const AttnStudy     *study,
              const AttnBaseline  *baseline,
              AttnPanel           *panel,
              AttnPanel           *before,
              GCancellable        *cancellable,
              AttnPanelMeasures   *measures,
              GError             **error)
{
  LongMeasure measure = {
    .study = study,
    .cancellable = cancellable,
    .before = before != panel ? before : NULL,
    .rules = get_map_rules (baseline),
  };
  gsize n_added = attn_panel_get_n_rows (panel);
  gboolean is_done;

  if (attn_plan_leaves_out_queries (study))
    is_done = add_shown_rows (&measure, panel, &n_added);
  else if (study->joins_words || study->hides_keys)
    is_done = attn_panel_for_each_row (panel, add_rows, &measure, &measure.error);
  else
    is_done = attn_panel_load (panel, add_rows, &measure, &measure.error);
  return finish_long (&measure, is_done, n_added, measures, error);
}

/**
 * attn_plan_measure_difference:
 * @panel: panel B of a comparison
 * @before: panel A, of the size of B
 * @measures: (out): the measures of B, with its distance from A
 * @error: return location: errors of computing the rows of a panel that is not kept in memory
 */
gboolean
attn_plan_measure_difference (AttnPanel          *panel,
                              AttnPanel          *before,
                              GCancellable       *cancellable,
                              AttnPanelMeasures  *measures,
                              GError            **error)
{
  LongMeasure measure = {
    .cancellable = cancellable,
    .before = before,
    .rules = { .n_columns = attn_panel_get_n_columns (panel),
               .is_causal = attn_panel_get_mask (panel) != ATTN_MASK_NONE },
  };
  gboolean is_done = attn_panel_for_each_row (panel, add_rows, &measure, &measure.error);

  return finish_long (&measure, is_done, attn_panel_get_n_rows (panel), measures, error);
}

static void
scan_stripe (gsize    stripe,
             gsize    worker,
             gpointer user_data)
{
  attn_panel_scan_stripe (user_data, stripe);
}

/**
 * attn_plan_scan:
 *
 * Computes what drawing @panel needs, such as its range of values, ahead of the drawing and by
 * all threads. Does nothing for a long panel, whose values are computed only where they are drawn.
 */
void
attn_plan_scan (AttnPanel *panel)
{
  AttnPanelScan *scan = attn_panel_scan_new (panel);

  if (scan == NULL)
    return;
  attn_parallel_run (attn_panel_scan_count_stripes (scan), attn_threads_get (), scan_stripe, scan);
  attn_panel_scan_finish (scan);
}

/* Tells whether @study displays the computed panels themselves, rather than panels made from them,
 * such as differences or joined words. */
static gboolean
shows_panels_as_they_are (const AttnStudy    *study,
                          const AttnBaseline *baseline)
{
  return !attn_model_get_info (baseline->model)->has_sinks && !study->shows_differences &&
         !study->joins_words && !attn_cut_is_needed (study);
}

/* Panels of one layer, all of the same size. Threads measure them in stripes, which are blocks of
 * rows. */
typedef struct
{
  const AttnPlanMeasured *list;
  gsize n;
  gsize n_rows;
  gsize n_stripes;
  MapRules rules;
  AttnPanelScan **scans; /* [n] (nullable): data for drawing each panel, collected while it is
                          * measured */
  MapSums *sums;         /* [n, n_stripes]: sums over each stripe of each panel */
  GCancellable *cancellable;
} Stripes;

G_STATIC_ASSERT (ATTN_MEASURES_BLOCK_ROWS == ATTN_PANEL_STRIPE_ROWS);

/* Measures one stripe (a block of rows) of one panel, while its rows are in the processor's cache.
 * The panels take turns, so that the stripes of the baseline and of the scores stay in the cache,
 * too. The last stripe, which has the most visible cells, is taken first, so that no thread ends up
 * working on it alone. */
static void
measure_stripe (gsize    task,
                gsize    worker,
                gpointer user_data)
{
  const Stripes *stripes = user_data;
  gsize i = task % stripes->n;
  gsize stripe = stripes->n_stripes - 1 - task / stripes->n;
  gsize first_row = stripe * ATTN_PANEL_STRIPE_ROWS;
  gsize n_rows = MIN (ATTN_PANEL_STRIPE_ROWS, stripes->n_rows - first_row);
  gsize n_columns = stripes->rules.n_columns;
  const AttnPlanMeasured *measured = &stripes->list[i];
  const float *rows = attn_panel_get_values (measured->panel)->data + first_row * n_columns;
  const float *before = attn_panel_get_values (measured->before)->data + first_row * n_columns;
  MapSums *sums = &stripes->sums[i * stripes->n_stripes + stripe];
  double entropy = 0.0;

  if (g_cancellable_is_cancelled (stripes->cancellable))
    return;
  if (measured->deferred != NULL)
    attn_deferred_fill (measured->deferred, measured->index, first_row, n_rows, &entropy);
  attn_measures_add_block (&sums->measures, rows, before, first_row, n_rows, n_columns,
                           stripes->rules.is_causal,
                           measured->deferred != NULL ? &entropy : NULL);
  add_to_map (&stripes->rules, rows, first_row, n_rows, sums);
  if (stripes->scans[i] != NULL)
    attn_panel_scan_stripe (stripes->scans[i], stripe);
}

/**
 * attn_plan_measure_all:
 * @study: says which rows are measured of a panel that is not kept in memory
 * @list: (array length=n) (inout): panels of one layer, which get their measures
 * @error: return location: %G_IO_ERROR_CANCELLED, errors of computing the rows of a panel that is
 *   not kept
 *
 * Fills the panels whose weights are deferred (not computed yet), and computes the measures of all
 * panels.
 */
gboolean
attn_plan_measure_all (const AttnStudy     *study,
                       const AttnBaseline  *baseline,
                       AttnPlanMeasured    *list,
                       gsize                n,
                       GCancellable        *cancellable,
                       GError             **error)
{
  gboolean is_long = attn_plan_is_long (baseline);
  gboolean is_shown = shows_panels_as_they_are (study, baseline);
  g_autofree AttnPanelScan **scans = g_new0 (AttnPanelScan *, n);
  Stripes stripes = {
    .list = list,
    .n = n,
    .n_rows = baseline->tokens->n_tokens,
    .n_stripes =
        (baseline->tokens->n_tokens + ATTN_PANEL_STRIPE_ROWS - 1) / ATTN_PANEL_STRIPE_ROWS,
    .scans = scans,
    .cancellable = cancellable,
  };

  for (gsize i = 0; i < n && is_long; i++)
    if (!measure_long (study, baseline, list[i].panel, list[i].before, cancellable,
                       &list[i].measures, error))
      return FALSE;
  if (is_long || n == 0)
    return TRUE;

  g_auto (MapRules) rules = get_map_rules (baseline);
  g_autofree MapSums *sums = g_new0 (MapSums, n * stripes.n_stripes);
  stripes.rules = rules;
  stripes.sums = sums;
  for (gsize i = 0; i < n; i++)
    scans[i] = is_shown ? attn_panel_scan_new (list[i].panel) : NULL;
  attn_parallel_run (n * stripes.n_stripes,
                     n * stripes.n_rows * rules.n_columns < ATTN_MEASURES_MIN_CELLS
                         ? 1
                         : attn_threads_get (),
                     measure_stripe, &stripes);
  gboolean is_done = !g_cancellable_set_error_if_cancelled (cancellable, error);
  for (gsize i = 0; i < n; i++)
    {
      if (scans[i] != NULL && is_done)
        attn_panel_scan_finish (scans[i]);
      else if (scans[i] != NULL)
        attn_panel_scan_free (scans[i]);
      for (gsize stripe = 1; stripe < stripes.n_stripes; stripe++)
        merge_maps (&sums[i * stripes.n_stripes], &sums[i * stripes.n_stripes + stripe]);
      if (is_done)
        list[i].measures = finish_map (&rules, &sums[i * stripes.n_stripes], stripes.n_rows);
    }
  return is_done;
}

/**
 * attn_plan_measure:
 * @before: the same head without an intervention; @panel itself where there is none
 * @measures: (out): the measures of @panel, with its distance from @before
 *
 * Measures one panel as [func@attn_plan_measure_all] does a list.
 */
gboolean
attn_plan_measure (const AttnStudy     *study,
                   const AttnBaseline  *baseline,
                   AttnPanel           *panel,
                   AttnPanel           *before,
                   GCancellable        *cancellable,
                   AttnPanelMeasures   *measures,
                   GError             **error)
{
  AttnPlanMeasured measured = { .panel = panel, .before = before };
  gboolean is_done = attn_plan_measure_all (study, baseline, &measured, 1, cancellable, error);

  *measures = measured.measures;
  return is_done;
}
