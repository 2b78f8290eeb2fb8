/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-sweep.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-cell.h"
#include "attn-error.h"
#include "attn-outcome-compute.h"
#include "attn-study-private.h"
#include "attn-text.h"

/**
 * attn_sweep_parse_range:
 * @text: range of ε as "FIRST:LAST:STEPS", such as "1:1e-12:60"
 * @error: return location for %ATTN_ERROR_ARGUMENT
 */
gboolean
attn_sweep_parse_range (const char      *text,
                        AttnSweepRange  *range,
                        GError         **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ":", -1);
  AttnSweepRange found;
  guint64 n_steps;

  if (g_strv_length (parts) == 3 && attn_text_parse_number (parts[0], &found.first) &&
      attn_text_parse_number (parts[1], &found.last) &&
      g_ascii_string_to_unsigned (parts[2], 10, 2, ATTN_SWEEP_MAX_STEPS, &n_steps, NULL) &&
      MIN (found.first, found.last) >= ATTN_EPSILON_MIN &&
      MAX (found.first, found.last) <= ATTN_EPSILON_MAX)
    {
      found.n_steps = n_steps;
      *range = found;
      return TRUE;
    }
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("“%s” found, expected FIRST:LAST:STEPS such as 1:1e-12:60, with factors from "
                      "1e-12 to 1e3 and 2 to %d steps"),
                    text, ATTN_SWEEP_MAX_STEPS);
}

/**
 * attn_sweep_get_epsilon:
 *
 * Returns: the factor ε at @step, from 0; rounded to two significant digits, except at the ends of
 *   the range
 */
double
attn_sweep_get_epsilon (const AttnSweepRange *range,
                        gsize                 step)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  double first = log10 (range->first);
  double last = log10 (range->last);

  if (step == 0)
    return range->first;
  if (step + 1 >= range->n_steps)
    return range->last;
  g_ascii_formatd (buffer, sizeof buffer, "%.1e",
                   pow (10, first + (last - first) * step / (range->n_steps - 1)));
  return g_ascii_strtod (buffer, NULL);
}

/**
 * attn_sweep_build_study:
 * @epsilon: the factor ε
 *
 * Returns: (transfer full): a copy of @study whose grid does not vary along ε, with @epsilon as its
 *   only factor
 */
AttnStudy *
attn_sweep_build_study (const AttnStudy *study,
                        double           epsilon)
{
  AttnStudy *copy = attn_study_copy (study);

  if (copy->rows == ATTN_DIMENSION_EPSILON)
    copy->rows = ATTN_DIMENSION_NONE;
  if (copy->columns == ATTN_DIMENSION_EPSILON)
    copy->columns = ATTN_DIMENSION_NONE;
  g_array_set_size (copy->epsilons, 0);
  g_array_append_val (copy->epsilons, epsilon);
  if (attn_study_varies (study, ATTN_DIMENSION_EPSILON))
    {
      /* Regions and differences name panels of a grid along ε, which the copied study no longer
       * has. */
      g_ptr_array_set_size (copy->regions, 0);
      g_clear_pointer (&copy->differences, attn_index_set_unref);
    }
  return copy;
}

/**
 * attn_sweep_is_of:
 *
 * Returns: whether @sweep has the curves of @study. They do not depend on the factors of @study,
 *   nor on how its figure looks.
 */
gboolean
attn_sweep_is_of (const AttnSweep *sweep,
                  const AttnStudy *study)
{
  g_autoptr (AttnStudy) first = attn_sweep_build_study (sweep->study, 1);
  g_autoptr (AttnStudy) second = attn_sweep_build_study (study, 1);

  second->style = first->style;
  second->viewport = first->viewport;
  second->page = first->page;
  g_ptr_array_set_size (first->regions, 0);
  g_ptr_array_set_size (second->regions, 0);
  for (gsize i = 0; i < 2; i++)
    {
      AttnStudy *copy = i == 0 ? first : second;

      copy->has_baseline_column = FALSE;
      g_clear_pointer (&copy->views, g_array_unref);
      g_clear_pointer (&copy->title, g_free);
      g_clear_pointer (&copy->caption, g_free);
      g_clear_pointer (&copy->preset, g_free);
    }
  return attn_study_equal (first, second);
}

/**
 * attn_sweep_find_transition:
 * @range: (out): the range that reaches from %ATTN_SWEEP_AROUND times the largest ε at which a
 *   panel collapses down to the smallest such ε divided by it
 *
 * Returns: whether a panel collapses, and @range is clearly shorter than the range of @sweep
 */
gboolean
attn_sweep_find_transition (const AttnSweep *sweep,
                            AttnSweepRange  *range)
{
  double largest = 0;
  double smallest = G_MAXDOUBLE;

  for (gsize i = 0; i < sweep->n_panels; i++)
    if (sweep->panels[i].has_collapse)
      {
        double epsilon = attn_sweep_get_epsilon (&sweep->range, sweep->panels[i].collapse);

        largest = MAX (largest, epsilon);
        smallest = MIN (smallest, epsilon);
      }
  range->first = MIN (largest * ATTN_SWEEP_AROUND, sweep->range.first);
  range->last = MAX (smallest / ATTN_SWEEP_AROUND, sweep->range.last);
  range->n_steps = sweep->range.n_steps;
  return largest > 0 && log (range->first / range->last) <
                            0.6 * log (sweep->range.first / sweep->range.last);
}

/* Builds the study that is measured at one step of the sweep, without the settings that only change
 * the display: differences, joined words, hidden keys and query selection. */
static AttnStudy *
build_measured (const AttnStudy *study,
                double           epsilon)
{
  AttnStudy *copy = attn_sweep_build_study (study, epsilon);

  copy->has_baseline_column = FALSE;
  copy->shows_differences = FALSE;
  copy->joins_words = FALSE;
  copy->hides_keys = FALSE;
  copy->n_last_queries = 0;
  g_clear_pointer (&copy->queries, attn_index_set_unref);
  return copy;
}

static double
measure_uniform (AttnPanel *panel)
{
  gsize n_rows = attn_panel_get_n_rows (panel);
  double sum = 0;

  for (gsize row = 0; row < n_rows; row++)
    {
      AttnSpan span = attn_panel_get_visible (panel, row);

      if (span.end > span.first)
        sum += log2 (span.end - span.first);
    }
  return sum / n_rows;
}

/**
 * attn_sweep_find_collapse:
 * @n_steps: number of steps, each with measures of @panel
 * @collapse: (out): the step at which the panel collapses
 *
 * A panel collapses at the first step at which the sink score of key 0 is below 0.3, or the mean
 * row entropy within 1 % of that of uniform rows, if this was not so at the start of the sweep. A
 * panel that has no sink and uniform rows from the start, or whose rows see a single key, cannot
 * collapse.
 *
 * Returns: whether the panel collapses
 */
gboolean
attn_sweep_find_collapse (const AttnSweepPanel *panel,
                          gsize                 n_steps,
                          gsize                *collapse)
{
  double enough = ATTN_SWEEP_ENTROPY_SHARE * panel->uniform_entropy;
  gboolean has_sink = panel->measures[0].sink_score >= ATTN_SWEEP_SINK_SCORE;
  gboolean is_uneven = panel->measures[0].mean_entropy < enough;

  for (gsize step = 1; step < n_steps; step++)
    if ((has_sink && panel->measures[step].sink_score < ATTN_SWEEP_SINK_SCORE) ||
        (is_uneven && panel->measures[step].mean_entropy >= enough))
      {
        *collapse = step;
        return TRUE;
      }
  return FALSE;
}

/* Returns which share of the way from x[1] to x[2] lies before the place where y, of which y[1] and
 * y[2] are on both sides of @threshold, crosses it; 1 if they are not. It is found by the parabola
 * through all three points (inverse quadratic interpolation), or by a line if y[0] is NaN or the
 * three do not rise or fall together. */
static double
find_crossing (const double x[3],
               const double y[3],
               double       threshold)
{
  double t = threshold;
  double line = (t - y[1]) / (y[2] - y[1]);

  if (!(line >= 0 && line <= 1))
    return 1;
  if (!((y[0] - y[1]) * (y[1] - y[2]) > 0))
    return line;
  double place = x[0] * (t - y[1]) * (t - y[2]) / ((y[0] - y[1]) * (y[0] - y[2])) +
                 x[1] * (t - y[0]) * (t - y[2]) / ((y[1] - y[0]) * (y[1] - y[2])) +
                 x[2] * (t - y[0]) * (t - y[1]) / ((y[2] - y[0]) * (y[2] - y[1]));
  double share = (place - x[1]) / (x[2] - x[1]);
  return share >= 0 && share <= 1 ? share : line;
}

/* Rounds a factor ε down to three significant digits, but for the rounding of doubles. */
static double
round_down (double epsilon)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  double unit = pow (10, floor (log10 (epsilon)) - 2);

  g_ascii_formatd (buffer, sizeof buffer, "%.2e", floor (epsilon / unit * (1 + 1e-9)) * unit);
  return g_ascii_strtod (buffer, NULL);
}

/**
 * attn_sweep_find_end:
 * @sweep: the sweep
 * @panel: a panel of @sweep that collapses
 *
 * Finds where between two steps the panel collapses: where the sink score, or the mean row entropy,
 * crosses its threshold on a parabola over log ε through the step of the collapse and the two steps
 * before it; whichever is first.
 *
 * Returns: the ε at which the panel collapses, rounded down to three significant digits, so that
 *   the panel that is computed with it has collapsed
 */
double
attn_sweep_find_end (const AttnSweep      *sweep,
                     const AttnSweepPanel *panel)
{
  double enough = ATTN_SWEEP_ENTROPY_SHARE * panel->uniform_entropy;
  double epsilons[3], sinks[3], entropies[3];

  g_return_val_if_fail (panel->has_collapse && panel->collapse > 0, NAN);

  for (gsize i = 0; i < 3; i++)
    {
      gboolean is_there = panel->collapse + i >= 2;
      gsize step = is_there ? panel->collapse + i - 2 : 0;

      epsilons[i] = log10 (attn_sweep_get_epsilon (&sweep->range, step));
      sinks[i] = is_there ? panel->measures[step].sink_score : NAN;
      entropies[i] = is_there ? panel->measures[step].mean_entropy : NAN;
    }
  double share = 1;
  if (sinks[2] < ATTN_SWEEP_SINK_SCORE && sinks[1] >= ATTN_SWEEP_SINK_SCORE)
    share = find_crossing (epsilons, sinks, ATTN_SWEEP_SINK_SCORE);
  if (entropies[2] >= enough && entropies[1] < enough)
    share = MIN (share, find_crossing (epsilons, entropies, enough));
  return round_down (pow (10, epsilons[1] + (epsilons[2] - epsilons[1]) * share));
}

/* Counts the panels to be measured. The difference panels of a comparison are left out. */
static gsize
count_panels (const AttnResult *result)
{
  gsize n = 0;

  for (gsize i = 0; i < result->grid->n_rows * result->grid->n_columns; i++)
    n += result->grid->cells[i].panel != NULL && !result->grid->cells[i].is_difference;
  return n;
}

static gboolean
take_step (AttnSweep         *sweep,
           const AttnResult  *result,
           gsize              step,
           AttnWorkspace     *workspace,
           GCancellable      *cancellable,
           GError           **error)
{
  const AttnStudy *study = result->study;
  gsize n = 0;

  for (gsize i = 0; i < result->grid->n_rows * result->grid->n_columns; i++)
    {
      const AttnGridCell *cell = &result->grid->cells[i];

      if (cell->panel == NULL || cell->is_difference)
        continue;
      AttnSweepPanel *panel = &sweep->panels[n++];
      if (step == 0)
        {
          panel->name = g_strdup (cell->name);
          panel->measures = g_new0 (AttnPanelMeasures, sweep->range.n_steps);
          panel->uniform_entropy = measure_uniform (cell->panel);
        }
      panel->measures[step] = result->measures[i];
      if (!study->effects[ATTN_SHOWN_CURVE])
        continue;
      g_autoptr (AttnOutcome) outcome =
          attn_outcome_compute (study, workspace, &result->cells[i], cancellable, error);
      if (outcome == NULL)
        return FALSE;
      if (step == 0)
        panel->kl = g_new0 (double, sweep->range.n_steps);
      panel->kl[step] = outcome->kl;
    }
  return TRUE;
}

/**
 * attn_sweep_run:
 * @study: a study for which [func@attn_study_has_factor]
 * @workspace: the cache of what was computed before; the result does not depend on it
 * @progress: (nullable): is told how far the sweep is
 * @error: return location: %ATTN_ERROR_ARGUMENT for a study without a factor, and errors of
 *   [func@attn_job_run]
 *
 * Measures every panel at every step, which takes as long as one job for each step. Only the first
 * job runs the model, as long as the interventions are all in the layer on display.
 *
 * Returns: (transfer full) (nullable): the measures of each panel at each step
 */
AttnSweep *
attn_sweep_run (const AttnStudy       *study,
                const AttnSweepRange  *range,
                AttnWorkspace         *workspace,
                const AttnProgress    *progress,
                GCancellable          *cancellable,
                GError               **error)
{
  g_autoptr (AttnSweep) sweep = g_new0 (AttnSweep, 1);

  g_atomic_ref_count_init (&sweep->ref_count);
  sweep->study = attn_study_ref (study);
  sweep->range = *range;
  if (!attn_study_has_factor (study))
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("sweep: no factor found, expected a grid that multiplies a component "
                             "by ε"));
  for (gsize step = 0; step < range->n_steps; step++)
    {
      g_autoptr (AttnStudy) copy = build_measured (study, attn_sweep_get_epsilon (range, step));

      attn_progress_report (progress, _("Sweeping ε"), (double) step / range->n_steps);
      g_autoptr (AttnResult) result = attn_job_run (copy, workspace, NULL, cancellable, error);
      if (result == NULL)
        return NULL;
      if (step == 0)
        {
          sweep->n_panels = count_panels (result);
          sweep->panels = g_new0 (AttnSweepPanel, sweep->n_panels);
        }
      if (!take_step (sweep, result, step, workspace, cancellable, error))
        return NULL;
    }
  for (gsize i = 0; i < sweep->n_panels; i++)
    sweep->panels[i].has_collapse =
        attn_sweep_find_collapse (&sweep->panels[i], range->n_steps, &sweep->panels[i].collapse);
  return g_steal_pointer (&sweep);
}

AttnSweep *
attn_sweep_ref (AttnSweep *sweep)
{
  g_atomic_ref_count_inc (&sweep->ref_count);
  return sweep;
}

void
attn_sweep_unref (AttnSweep *sweep)
{
  if (!g_atomic_ref_count_dec (&sweep->ref_count))
    return;
  for (gsize i = 0; i < sweep->n_panels; i++)
    {
      g_free (sweep->panels[i].name);
      g_free (sweep->panels[i].measures);
      g_free (sweep->panels[i].kl);
    }
  g_free (sweep->panels);
  attn_study_unref (sweep->study);
  g_free (sweep);
}
