/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Adds to the panels of a result what its study shows of the effects on the prediction: numbers,
 * bars and curves. Texts of the figure are not translated, only error messages are. */

#include "config.h"

#include "attn-effects.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-error.h"
#include "attn-outcome-compute.h"
#include "attn-result-private.h"
#include "attn-survey-texts.h"
#include "attn-sweep.h"
#include "attn-text.h"
#include "attn-words.h"

/* Number of steps of the curve for each power of ten, and the largest number of steps in all. The
 * curve goes from CURVE_FIRST to CURVE_LAST, unless a displayed factor ε lies beyond. */
#define STEPS_A_DECADE 4
#define MAX_STEPS      25
#define CURVE_FIRST    1.0
#define CURVE_LAST     1e-3

#define N_DIGITS 3

#define NO_NUMBER "–"

#define SAME "same" /* The word in place of a second number that equals the first. */

static char *
format_digits (double value,
               guint  n_digits)
{
  g_autofree char *text = attn_text_format_weight (value, n_digits);

  return *text == '-' ? g_strconcat ("−", text + 1, NULL) : g_steal_pointer (&text);
}

static char *
format_number (double value)
{
  return format_digits (value, N_DIGITS);
}

/* Returns a value before and after an intervention, with as many digits as tell them apart: "1.20 →
 * 3.41", "11.80 → 11.84", "1.20 → same". */
static char *
format_pair (const double *values)
{
  guint n_digits = attn_text_find_digits (values[0], values[1], N_DIGITS);
  g_autofree char *before = format_digits (values[0], MAX (n_digits, N_DIGITS));
  g_autofree char *after =
      n_digits > 0 ? format_digits (values[1], n_digits) : g_strdup (SAME);

  return g_strdup_printf ("%s → %s", before, after);
}

/* Returns a value before and after an intervention; one number without an intervention, and a dash
 * for NaN. */
static char *
format_change (const double *values,
               gboolean      is_changed)
{
  if (isnan (values[0]))
    return g_strdup (NO_NUMBER);
  return is_changed ? format_pair (values) : format_number (values[0]);
}

/* Returns the labels that a classifier gives a picture before and after, with their probabilities,
 * as "tabby cat 0.83 → hat 0.51". A label that stays the same is written once. */
static char *
format_labels (const AttnOutcome *outcome,
               gboolean           is_changed)
{
  GString *text = g_string_new (NULL);

  if (is_changed && g_strcmp0 (outcome->labels[0], outcome->labels[1]) == 0 &&
      outcome->labels[0] != NULL)
    {
      g_autofree char *shares = format_pair (outcome->shares);

      g_string_append_printf (text, "%s %s", outcome->labels[0], shares);
      return g_string_free (text, FALSE);
    }
  for (gsize k = 0; k < (is_changed ? 2 : 1) && outcome->labels[k] != NULL; k++)
    {
      g_autofree char *share = format_number (outcome->shares[k]);

      g_string_append_printf (text, "%s%s %s", k == 1 ? " → " : "", outcome->labels[k], share);
    }
  return g_string_free (text, FALSE);
}

/* Builds the numbers below a panel: a text for each name in number_names of @grid. */
static GStrv
build_numbers (const AttnOutcome *outcome,
               gboolean           is_changed,
               const AttnGrid    *grid)
{
  gsize n_names = g_strv_length (grid->number_names);
  GStrv numbers = g_new0 (char *, n_names + 1);

  for (gsize i = 0; i < n_names; i++)
    {
      const char *name = grid->number_names[i];

      if (g_str_equal (name, ATTN_GRID_LABEL))
        numbers[i] = format_labels (outcome, is_changed);
      else if (g_str_equal (name, ATTN_GRID_KL) || g_str_equal (name, ATTN_GRID_MEAN_KL))
        numbers[i] = is_changed ? format_number (outcome->kl) : g_strdup (NO_NUMBER);
      else
        numbers[i] = format_change (g_str_equal (name, ATTN_GRID_MEAN_LOSS)
                                        ? outcome->loss
                                        : outcome->logit_difference,
                                    is_changed);
    }
  return numbers;
}

/* Averages the number at @offset of an effect over the positions of a row: one token, or those of a
 * word. @words: (nullable): %NULL for rows that are tokens */
static double
average (const AttnOutcome *outcome,
         const AttnWords   *words,
         gsize              position,
         gsize              offset)
{
  gsize end = position + 1;
  double sum = 0;

  for (gsize i = 0; words != NULL && i < words->n_words; i++)
    if (words->starts[i] == position)
      end = words->starts[i + 1];
  for (gsize i = position; i < end; i++)
    sum += i < outcome->n ? G_STRUCT_MEMBER (double, &outcome->positions[i], offset) : NAN;
  return sum / (end - position);
}

static AttnBars *
build_strip (const AttnOutcome *outcome,
             const AttnWords   *words,
             AttnPanel         *panel,
             gsize              n_columns)
{
  static const struct
  {
    const char *name;
    gsize bars;
    gssize ticks;
  } columns[] = {
    { ATTN_GRID_KL, G_STRUCT_OFFSET (AttnPredictionEffect, kl), -1 },
    { ATTN_GRID_LOSS, G_STRUCT_OFFSET (AttnPredictionEffect, loss[1]),
      G_STRUCT_OFFSET (AttnPredictionEffect, loss[0]) },
    { ATTN_GRID_LOGIT_DIFFERENCE, G_STRUCT_OFFSET (AttnPredictionEffect, logit_difference[1]),
      G_STRUCT_OFFSET (AttnPredictionEffect, logit_difference[0]) },
  };
  gsize n_rows = attn_panel_get_n_rows (panel);
  AttnBars *strip = attn_bars_new (n_rows, n_columns);

  for (gsize i = 0; i < n_columns; i++)
    {
      AttnBarColumn *column = &strip->columns[i];

      column->name = g_strdup (columns[i].name);
      column->ticks = columns[i].ticks >= 0 ? g_new (double, n_rows) : NULL;
      for (gsize row = 0; row < n_rows; row++)
        {
          gsize position = attn_panel_get_row_position (panel, row);

          column->bars[row] = average (outcome, words, position, columns[i].bars);
          if (column->ticks != NULL)
            column->ticks[row] = average (outcome, words, position, (gsize) columns[i].ticks);
        }
    }
  return strip;
}

static void
fill_cell (const AttnResult   *result,
           const AttnBaseline *baseline,
           gsize               index,
           const AttnOutcome  *outcome,
           AttnGridCell       *cell)
{
  const AttnStudy *study = result->study;
  g_autoptr (AttnWords) words =
      study->joins_words
          ? attn_words_new (baseline->tokens, attn_model_get_tokenizer (baseline->model, NULL))
          : NULL;

  if (study->effects[ATTN_SHOWN_NUMBERS])
    {
      g_autoptr (GPtrArray) interventions =
          attn_cell_build_interventions (&result->cells[index], study);

      cell->numbers = build_numbers (outcome, interventions->len > 0, result->grid);
    }
  /* Bars stand beside the rows of a panel. In an encoder, rows are source tokens, but effects
   * belong to the target tokens of the decoder, so that there are no bars. */
  if (study->effects[ATTN_SHOWN_STRIP] && !attn_model_has_decoder (baseline->model))
    cell->strip = build_strip (outcome, words, cell->panel, result->grid->n_strip_columns);
}

static void
unref_outcome (gpointer outcome)
{
  if (outcome != NULL)
    attn_outcome_unref (outcome);
}

/* Adds the outcome of the interventions to each panel that is not a difference. Panels with the
 * same interventions share one outcome. */
static AttnResult *
add_outcomes (const AttnResult    *result,
              AttnWorkspace       *workspace,
              const AttnProgress  *progress,
              GCancellable        *cancellable,
              GError             **error)
{
  gsize n_panels = result->grid->n_rows * result->grid->n_columns;
  g_autoptr (GPtrArray) outcomes = g_ptr_array_new_with_free_func (unref_outcome);
  g_autoptr (GPtrArray) done = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  g_autoptr (AttnGrid) grid = attn_grid_copy (result->grid);

  for (gsize i = 0; i < n_panels; i++)
    {
      const AttnCell *cell = &result->cells[i];
      const AttnBaseline *baseline =
          attn_workspace_get_baseline (workspace, cell->model, cell->input);
      gboolean has_own = cell->side != ATTN_CELL_DIFFERENCE && grid->cells[i].panel != NULL;
      AttnOutcome *outcome = NULL;

      g_ptr_array_add (done, attn_cell_build_interventions (cell, result->study));
      for (gsize k = 0; k < i && has_own && outcome == NULL; k++)
        if (outcomes->pdata[k] != NULL && result->cells[k].input == cell->input &&
            result->cells[k].model == cell->model &&
            attn_interventions_equal (done->pdata[k], done->pdata[i]))
          outcome = attn_outcome_ref (outcomes->pdata[k]);
      attn_progress_report (progress, _("Computing the prediction"), (double) i / n_panels);
      if (outcome == NULL && has_own &&
          (outcome = attn_outcome_compute (result->study, workspace, cell, cancellable, error)) ==
              NULL)
        return NULL;
      g_ptr_array_add (outcomes, outcome);
      if (outcome != NULL)
        fill_cell (result, baseline, i, outcome, &grid->cells[i]);
    }
  return attn_result_extend (result, g_steal_pointer (&grid), outcomes);
}

/* Returns the range of ε for the curve: from 1 (no change) down to CURVE_LAST, extended to the
 * displayed factors that lie beyond. */
static AttnSweepRange
choose_range (const AttnStudy *study)
{
  AttnSweepRange range = { CURVE_FIRST, CURVE_LAST, 0 };

  for (guint i = 0; i < study->epsilons->len; i++)
    {
      double epsilon = g_array_index (study->epsilons, double, i);

      range.first = MAX (range.first, epsilon);
      range.last = MIN (range.last, epsilon);
    }
  double n_decades = log10 (range.first / range.last);
  range.n_steps = (gsize) MIN (ceil (n_decades * STEPS_A_DECADE) + 1, MAX_STEPS);
  return range;
}

/* Builds the chart of KL and sink score over ε. Larger ε are on the right, as on the ε slider of
 * the window. */
static AttnChart *
build_chart (const AttnResult *result,
             const AttnSweep  *sweep)
{
  const AttnStudy *study = result->study;
  gsize n = sweep->range.n_steps;
  AttnChart *chart = attn_chart_new (n, 2 * sweep->n_panels, study->epsilons->len);

  chart->x_title = g_strdup ("ε");
  chart->titles[0] = g_strdup ("Sink Score");
  chart->titles[1] = g_strdup (attn_model_is_about_picture (result->model) ? ATTN_GRID_KL
                                                                           : ATTN_GRID_MEAN_KL);
  for (gsize step = 0; step < n; step++)
    chart->x[n - 1 - step] = attn_sweep_get_epsilon (&sweep->range, step);
  for (guint i = 0; i < study->epsilons->len; i++)
    chart->marks[i] = g_array_index (study->epsilons, double, i);
  for (gsize i = 0; i < 2 * sweep->n_panels; i++)
    {
      const AttnSweepPanel *panel = &sweep->panels[i / 2];
      AttnCurve *curve = &chart->curves[i];

      curve->is_right = i % 2;
      curve->key = sweep->n_panels > 1 ? g_strdup (panel->name) : NULL;
      curve->name = g_strdup_printf ("%s, %s", panel->name, chart->titles[i % 2]);
      for (gsize step = 0; step < n; step++)
        curve->values[n - 1 - step] =
            i % 2 ? panel->kl[step] : panel->measures[step].sink_score;
    }
  return chart;
}

static AttnResult *
add_curve (const AttnResult    *result,
           AttnWorkspace       *workspace,
           const AttnProgress  *progress,
           GCancellable        *cancellable,
           GError             **error)
{
  const AttnSweepRange range = choose_range (result->study);
  g_autoptr (AttnSweep) sweep =
      attn_sweep_run (result->study, &range, workspace, progress, cancellable, error);

  if (sweep == NULL)
    return NULL;
  AttnGrid *grid = attn_grid_copy (result->grid);
  attn_grid_add_chart (grid, build_chart (result, sweep));
  return attn_result_extend (result, grid, result->outcomes);
}

static gboolean
lacks_outcomes (const AttnResult *result)
{
  const AttnStudy *study = result->study;

  return attn_study_get_traits (study)->has_grid && result->outcomes == NULL &&
         (study->effects[ATTN_SHOWN_NUMBERS] || study->effects[ATTN_SHOWN_STRIP]);
}

/**
 * attn_effects_are_missing:
 *
 * Returns: whether the study of @result shows effects on the prediction that @result does not have
 *   yet
 */
gboolean
attn_effects_are_missing (const AttnResult *result)
{
  return lacks_outcomes (result) || (result->grid->has_chart && result->grid->charts == NULL);
}

/**
 * attn_effects_add:
 * @result: a result for which [func@attn_effects_are_missing] is %TRUE
 * @workspace: the cache of what was computed before
 * @progress: (nullable): is told how far the computation is
 * @cancellable: (nullable): checked at each block of positions
 * @error: return location: %ATTN_ERROR_UNSUPPORTED for a model without a language-model head and
 *   for a recording; %ATTN_ERROR_ARGUMENT if the study's token is not one of the model; errors of
 *   [func@attn_job_run]
 *
 * Computes one missing part: first the numbers and bars, and in the next call the curves; or for a
 * survey reads its texts, see [func@attn_survey_texts_add].
 *
 * Returns: (transfer full) (nullable): @result with that part
 */
AttnResult *
attn_effects_add (const AttnResult    *result,
                  AttnWorkspace       *workspace,
                  const AttnProgress  *progress,
                  GCancellable        *cancellable,
                  GError             **error)
{
  if (attn_survey_texts_are_missing (result))
    return attn_survey_texts_add (result, workspace, cancellable, error);
  if (!lacks_outcomes (result))
    return add_curve (result, workspace, progress, cancellable, error);
  return attn_workspace_prepare (workspace, result->study, cancellable, error)
             ? add_outcomes (result, workspace, progress, cancellable, error)
             : NULL;
}

/**
 * attn_effects_run:
 *
 * Runs [func@attn_job_run], and adds all effects on the prediction that @study shows.
 */
AttnResult *
attn_effects_run (const AttnStudy     *study,
                  AttnWorkspace       *workspace,
                  const AttnProgress  *progress,
                  GCancellable        *cancellable,
                  GError             **error)
{
  g_autoptr (AttnResult) result = attn_job_run (study, workspace, progress, cancellable, error);

  while (result != NULL && attn_effects_are_missing (result))
    {
      AttnResult *more = attn_effects_add (result, workspace, progress, cancellable, error);

      g_clear_pointer (&result, attn_result_unref);
      result = more;
    }
  return g_steal_pointer (&result);
}
