/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computes the grid figure: rows and columns of panels, each of which shows one head. All panels
 * are planned first and then computed together. */

#include "config.h"

#include "attn-figure-run.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-cell.h"
#include "attn-cut.h"
#include "attn-error.h"
#include "attn-grid-heads.h"
#include "attn-plan-panels.h"
#include "attn-patches.h"
#include "attn-plan.h"
#include "attn-quantities.h"
#include "attn-range.h"
#include "attn-regions.h"
#include "attn-rescale.h"
#include "attn-result-private.h"
#include "attn-study-private.h"
#include "attn-titles.h"
#include "attn-words.h"
#include "attn-workspace-private.h"

/* Indices in the plan of the panels from which a cell of the grid is made. Only a difference needs
 * a second panel. */
typedef struct
{
  gsize first;
  gsize second;
} Place;

/* Data of the job that computes a grid figure. All members but the workspace are valid only while
 * the job runs. */
typedef struct
{
  const AttnStudy *study;
  AttnWorkspace *workspace;
  AttnModel *model; /* the study's first model */
  const AttnProgress *progress;
  GCancellable *cancellable;
  gsize n_rows;
  gsize n_columns;
  gsize n_used; /* number of inputs that the grid uses: all, a single one, or the two compared */
  AttnGridHeads chosen;
  AttnPlan *plan;
  Place *places;              /* [n_rows n_columns]: panels in the plan for each cell of the grid */
  AttnQuantities *quantities; /* (nullable): the quantity shown instead of weights */
  GArray *planned;            /* (nullable): element-type AttnCell: cells whose panels @quantities
                               * computes */
  AttnWords **words;          /* (nullable): words of each input in the first model, then in the
                               * second */
  GHashTable *shown;          /* table from a computed AttnPanel to the panel made from it for
                               * display */
} Job;

static void
clear_job (Job *job)
{
  for (gsize i = 0; job->words != NULL && job->words[i] != NULL; i++)
    attn_words_free (job->words[i]);
  g_free (job->words);
  attn_grid_heads_clear (&job->chosen);
  g_free (job->places);
  g_clear_pointer (&job->plan, attn_plan_free);
  g_clear_pointer (&job->quantities, attn_quantities_free);
  g_clear_pointer (&job->planned, g_array_unref);
  g_clear_pointer (&job->shown, g_hash_table_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Job, clear_job)

/* Returns @cell with the head that was chosen for its layer. Attention rollout uses the mean of all
 * heads. */
static AttnCell
settle_head (const Job *job,
             AttnCell   cell)
{
  if (job->chosen.heads != NULL && cell.layer < attn_model_get_info (job->model)->n_layers)
    cell.head = job->chosen.heads[cell.layer];
  if (job->study->quantity == ATTN_MAP_ROLLOUT)
    cell.head = ATTN_HEAD_MEAN;
  return cell;
}

static AttnCell
get_cell (const Job *job,
          gsize      index)
{
  const AttnIndexSet *mapped = attn_model_get_info (job->model)->mapped_layers;

  return settle_head (job, attn_cell_get (job->study, mapped, job->chosen.layer, job->chosen.head,
                                          index / job->n_columns, index % job->n_columns));
}

static AttnCell
get_side (const Job      *job,
          const AttnCell *cell,
          AttnCellSide    side)
{
  const AttnIndexSet *mapped = attn_model_get_info (job->model)->mapped_layers;

  return settle_head (job, attn_cell_get_side (cell, job->study, mapped, side));
}

static gboolean
plan_cell (Job             *job,
           const AttnCell  *cell,
           gsize           *index,
           GError         **error)
{
  g_array_append_val (job->planned, *cell);
  return attn_plan_add (job->plan, cell, index, error);
}

/* Makes the plan, which lists the panels to be computed for all cells of the grid. */
static gboolean
make_plan (Job     *job,
           GError **error)
{
  gsize n_cells = job->n_rows * job->n_columns;

  job->plan = attn_plan_new (job->study, job->workspace);
  job->places = g_new0 (Place, n_cells);
  job->planned = g_array_new (FALSE, FALSE, sizeof (AttnCell));
  for (gsize i = 0; i < n_cells; i++)
    {
      AttnCell cell = get_cell (job, i);

      if (cell.side != ATTN_CELL_DIFFERENCE)
        {
          if (!plan_cell (job, &cell, &job->places[i].first, error))
            return FALSE;
          continue;
        }
      AttnCell a = get_side (job, &cell, ATTN_CELL_A);
      AttnCell b = get_side (job, &cell, ATTN_CELL_B);
      if (!plan_cell (job, &a, &job->places[i].first, error) ||
          !plan_cell (job, &b, &job->places[i].second, error))
        return FALSE;
    }
  return TRUE;
}

/* Returns the words to which the tokens of @panel are joined, found on the first call; NULL where
 * tokens are not joined, as in a recording whose keys and queries are of different texts. */
static const AttnWords *
get_words (Job             *job,
           const AttnCell  *cell,
           const AttnPanel *panel)
{
  gsize n_inputs = job->workspace->n_inputs;
  gsize n_models = job->workspace->models->len;

  if (!job->study->joins_words || attn_model_is_cross (job->model) ||
      attn_panel_get_n_rows (panel) != attn_panel_get_n_columns (panel))
    return NULL;
  if (job->words == NULL)
    {
      job->words = g_new0 (AttnWords *, n_inputs * n_models + 1);
      for (gsize model = 0; model < n_models; model++)
        for (gsize input = 0; input < n_inputs; input++)
          {
            const AttnBaseline *other =
                attn_workspace_get_baseline (job->workspace, model, input);

            job->words[model * n_inputs + input] = attn_words_new (
                other->tokens, attn_model_get_tokenizer (other->model, NULL));
          }
    }
  return job->words[cell->model * n_inputs + cell->input];
}

/* Returns the panel of @cell with the quantity that the study shows; @weights itself if the
 * quantity is attention weights. */
static AttnPanel *
show_quantity (Job             *job,
               const AttnCell  *cell,
               AttnPanel       *weights,
               gboolean         is_baseline,
               GError         **error)
{
  return job->quantities != NULL
             ? attn_quantities_make (job->quantities, cell, is_baseline, error)
             : attn_panel_ref (weights);
}

/* Tells whether panels show a column for the attention that a learned sink gives to no key.
 * Compared models need the same columns, so all of them must have sinks. */
static gboolean
all_have_sinks (const Job *job)
{
  const GPtrArray *models = job->workspace->models;
  gboolean has_sinks = TRUE;

  for (guint i = 0; i < models->len; i++)
    has_sinks = has_sinks && attn_model_get_info (models->pdata[i])->has_sinks;
  return has_sinks;
}

/* Makes the panel that is displayed for @cell: with the quantity of the study in place of @weights,
 * tokens joined to words, and only the selected keys and queries. */
static AttnPanel *
show_panel (Job             *job,
            const AttnCell  *cell,
            AttnPanel       *weights,
            gboolean         is_baseline,
            GError         **error)
{
  g_autoptr (AttnPanel) panel = show_quantity (job, cell, weights, is_baseline, error);
  if (panel == NULL)
    return NULL;
  AttnPanel *known = g_hash_table_lookup (job->shown, panel);
  if (known != NULL)
    return attn_panel_ref (known);
  const AttnModel *model =
      attn_workspace_get_baseline (job->workspace, cell->model, cell->input)->model;
  gboolean is_picture = attn_patches_are_shown (job->study, job->model);
  gsize n_rows = attn_panel_get_n_rows (panel);
  gsize n_columns = attn_panel_get_n_columns (panel);
  const AttnWords *words = is_picture ? NULL : get_words (job, cell, panel);
  g_autoptr (AttnPanel) joined =
      words != NULL ? attn_words_join (words, job->study, panel, error) : attn_panel_ref (panel);
  if (joined == NULL)
    return NULL;
  gboolean has_sink = job->quantities == NULL && all_have_sinks (job);
  AttnPanel *shown =
      is_picture ? attn_patches_make_panel (job->study, model, panel, error)
      : attn_cut_is_needed (job->study) || has_sink
          ? attn_cut_panel (job->study, joined, n_rows, n_columns, has_sink, error)
          : attn_panel_ref (joined);
  if (shown == NULL && job->n_used > 1)
    g_prefix_error (error, _("input %zu: "), cell->input + 1);
  if (shown != NULL && shown != panel)
    g_hash_table_insert (job->shown, attn_panel_ref (panel), attn_panel_ref (shown));
  return shown;
}

/* Tells whether two tokens read the same to a user: the marks that models put at the beginning of a
 * word ("␣" or "##") are ignored. */
static gboolean
are_same_token (const AttnTokens *a,
                const AttnTokens *b,
                gsize             index)
{
  static const char * const marks[] = { "␣", "##" };
  const char *labels[] = { a->labels[index], b->labels[index] };

  if (a->tokens[index].is_special || b->tokens[index].is_special)
    return a->tokens[index].is_special && b->tokens[index].is_special;
  for (gsize i = 0; i < 2; i++)
    for (gsize mark = 0; mark < G_N_ELEMENTS (marks); mark++)
      if (g_str_has_prefix (labels[i], marks[mark]) && labels[i][strlen (marks[mark])] != '\0')
        labels[i] += strlen (marks[mark]);
  g_autofree char *first = g_utf8_casefold (labels[0], -1);
  g_autofree char *second = g_utf8_casefold (labels[1], -1);
  return g_str_equal (first, second);
}

/* Checks that panels to be subtracted have the same number of tokens, and panels of two models the
 * same tokens. */
static gboolean
check_sides (const Job       *job,
             const AttnCell  *a,
             const AttnCell  *b,
             GError         **error)
{
  const AttnBaseline *first = attn_workspace_get_baseline (job->workspace, a->model, a->input);
  const AttnBaseline *second = attn_workspace_get_baseline (job->workspace, b->model, b->input);
  gsize n = first->tokens->n_tokens;
  gsize n_other = second->tokens->n_tokens;
  gsize n_keys = attn_baseline_count_keys (first);
  gsize n_other_keys = attn_baseline_count_keys (second);
  const char *name = attn_model_get_name (first->model);
  const char *other_name = attn_model_get_name (second->model);

  if (n != n_other && a->model != b->model)
    return attn_fail (
        error, ATTN_ERROR_ARGUMENT,
        _("comparison: %zu tokens found in %s and %zu in %s, expected the same tokens"), n, name,
        n_other, other_name);
  if (n != n_other)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("comparison: %zu tokens found in input %zu and %zu in input %zu, expected "
                        "as many in both"),
                      n, a->input + 1, n_other, b->input + 1);
  if (n_keys != n_other_keys)
    return attn_fail (
        error, ATTN_ERROR_ARGUMENT,
        _("comparison: %zu keys found in %s and %zu in %s, expected as many in both"), n_keys, name,
        n_other_keys, other_name);
  for (gsize i = 0; a->model != b->model && i < n; i++)
    if (!are_same_token (first->tokens, second->tokens, i))
      return attn_fail (error, ATTN_ERROR_ARGUMENT,
                        _("comparison: token %zu is “%s” in %s and “%s” in %s, expected the same "
                          "tokens"),
                        i, first->tokens->labels[i], name, second->tokens->labels[i], other_name);
  return TRUE;
}

static gboolean
is_shown_as_difference (const AttnStudy *study,
                        const AttnCell  *cell,
                        gsize            index)
{
  return study->shows_differences && cell->side != ATTN_CELL_BASELINE &&
         attn_index_set_contains (study->differences, index);
}

/* Makes @place show the difference @minuend - @subtrahend. Takes ownership of both panels. */
static gboolean
set_difference (AttnGridCell  *place,
                AttnPanel     *minuend,
                AttnPanel     *subtrahend,
                GError       **error)
{
  gboolean has_same_size =
      attn_panel_get_n_rows (minuend) == attn_panel_get_n_rows (subtrahend) &&
      attn_panel_get_n_columns (minuend) == attn_panel_get_n_columns (subtrahend);

  place->is_difference = TRUE;
  place->minuend = minuend;
  place->baseline = subtrahend;
  if (!has_same_size)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("comparison: %zu words found in one input and %zu in the other, expected "
                        "as many in both"),
                      attn_panel_get_n_rows (subtrahend), attn_panel_get_n_rows (minuend));
  place->panel = attn_panel_new_difference (minuend, subtrahend, error);
  return place->panel != NULL;
}

/* Returns the measures of a planned panel; the sink score includes what a learned sink takes, if
 * the study counts it. */
static AttnPanelMeasures
take_measures (const Job         *job,
               const AttnPlanned *planned)
{
  AttnPanelMeasures measures = planned->measures;

  if (job->study->counts_sink)
    measures.sink_score += measures.sink_share;
  return measures;
}

/* Fills the cell that shows B - A of a comparison. Its measures are those of B, and the distance
 * from A to B. */
static gboolean
fill_comparison (Job               *job,
                 AttnResult        *result,
                 gsize              index,
                 const AttnCell    *cell,
                 const AttnTitles  *titles,
                 GError           **error)
{
  AttnGridCell *place = &result->grid->cells[index];
  const AttnPlanned *first = attn_plan_get (job->plan, job->places[index].first);
  const AttnPlanned *second = attn_plan_get (job->plan, job->places[index].second);
  AttnPanelMeasures *measures = &result->measures[index];
  AttnCell a = get_side (job, cell, ATTN_CELL_A);
  AttnCell b = get_side (job, cell, ATTN_CELL_B);

  if (!check_sides (job, &a, &b, error))
    return FALSE;

  g_autoptr (AttnPanel) subtrahend = show_panel (job, &a, first->panel, FALSE, error);
  g_autoptr (AttnPanel) minuend =
      subtrahend != NULL ? show_panel (job, &b, second->panel, FALSE, error) : NULL;
  if (minuend == NULL ||
      !set_difference (place, g_steal_pointer (&minuend), g_steal_pointer (&subtrahend), error))
    return FALSE;

  if (job->study->compared != ATTN_DIMENSION_NONE)
    {
      place->minuend_name = attn_titles_build_heading (titles, &b, job->study->compared);
      place->baseline_name = attn_titles_build_heading (titles, &a, job->study->compared);
    }

  AttnPanelMeasures distance;
  if (!attn_plan_measure_difference (second->panel, first->panel, job->cancellable, &distance,
                                     error))
    return FALSE;
  *measures = take_measures (job, second);
  measures->largest_difference = distance.largest_difference;
  measures->total_variation = distance.total_variation;
  return TRUE;
}

static gboolean
fill_cell (Job               *job,
           AttnResult        *result,
           gsize              index,
           const AttnTitles  *titles,
           GError           **error)
{
  AttnCell cell = get_cell (job, index);
  AttnGridCell *place = &result->grid->cells[index];

  result->cells[index] = cell;
  place->title = attn_titles_build_title (titles, &cell, error);
  if (place->title == NULL || g_cancellable_set_error_if_cancelled (job->cancellable, error))
    return FALSE;
  if (*place->title == '\0')
    g_clear_pointer (&place->title, g_free);
  place->name = attn_titles_build_name (titles, &cell);
  place->operation = attn_titles_build_operation (titles, &cell);
  place->input = cell.input;
  if (attn_patches_are_shown (job->study, job->model))
    {
      const AttnBaseline *baseline =
          attn_workspace_get_baseline (job->workspace, cell.model, cell.input);

      attn_patches_set_picture (job->study, baseline->model, baseline->tokens->n_tokens, place);
    }
  if (cell.side == ATTN_CELL_DIFFERENCE)
    return fill_comparison (job, result, index, &cell, titles, error);

  const AttnPlanned *planned = attn_plan_get (job->plan, job->places[index].first);
  g_autoptr (AttnPanel) panel = show_panel (job, &cell, planned->panel, FALSE, error);
  g_autoptr (AttnPanel) baseline =
      panel != NULL ? show_panel (job, &cell, planned->baseline, TRUE, error) : NULL;
  if (baseline == NULL)
    return FALSE;
  result->measures[index] = take_measures (job, planned);
  if (is_shown_as_difference (job->study, &cell, index))
    return set_difference (place, g_steal_pointer (&panel), g_steal_pointer (&baseline), error);
  place->panel = g_steal_pointer (&panel);
  /* A panel in the column of the baseline is the baseline itself, and is compared with no other. */
  if (cell.side != ATTN_CELL_BASELINE)
    place->baseline = g_steal_pointer (&baseline);
  return TRUE;
}

/* (transfer full) (nullable): headings of the rows or columns, for a figure too small for panel
 * titles. @step is the number of cells from one row or column to the next. */
static char **
build_headings (const Job        *job,
                const AttnTitles *titles,
                AttnDimension     dimension,
                gsize             n,
                gsize             step)
{
  gboolean has_baseline = attn_study_shows_baseline_column (job->study);
  gboolean has_headings = dimension != ATTN_DIMENSION_NONE || (has_baseline && step == 1);
  /* The heading of a row is taken from a cell beside the baseline, since the heading of a baseline
   * does not name its row. */
  gsize first = has_baseline && step > 1 ? 1 : 0;
  char **headings = has_headings ? g_new0 (char *, n + 1) : NULL;

  for (gsize i = 0; headings != NULL && i < n; i++)
    {
      AttnCell cell = get_cell (job, first + i * step);

      headings[i] = attn_titles_build_heading (titles, &cell, dimension);
    }
  return headings;
}

/* Copies the data with which a panel follows ε from an earlier cell that differs in ε alone.
 * Returns FALSE if there is no such cell. */
static gboolean
share_rescaling (AttnResult *result,
                 gsize       index)
{
  const AttnCell *cell = &result->cells[index];
  AttnRescaling *rescaling = &result->grid->cells[index].rescaling;

  for (gsize i = 0; i < index && cell->side != ATTN_CELL_DIFFERENCE; i++)
    if (attn_cell_has_all_but_epsilon (&result->cells[i], cell))
      {
        *rescaling = attn_rescaling_share (&result->grid->cells[i].rescaling);
        rescaling->epsilon = rescaling->epsilon > 0 ? cell->epsilon : 0;
        return TRUE;
      }
  return FALSE;
}

static gboolean
find_rescaling (Job        *job,
                AttnResult *result,
                gsize       index)
{
  const AttnCell *cell = &result->cells[index];
  AttnGridCell *place = &result->grid->cells[index];
  const AttnPanel *weights = attn_plan_get (job->plan, job->places[index].first)->panel;
  gboolean is_comparison = cell->side == ATTN_CELL_DIFFERENCE;
  AttnCell a = is_comparison ? get_side (job, cell, ATTN_CELL_A) : *cell;
  AttnCell b = is_comparison ? get_side (job, cell, ATTN_CELL_B) : *cell;

  return attn_rescale_find (job->study, job->workspace, &b, get_words (job, &b, weights),
                            is_comparison ? &a : NULL, get_words (job, &a, weights), place,
                            job->cancellable, &place->rescaling);
}

/* Adds the data with which panels follow changes of ε without a new computation. If one panel
 * cannot follow, none does, so that the figure stays consistent. */
static void
add_rescalings (Job        *job,
                AttnResult *result)
{
  gsize n = job->n_rows * job->n_columns;
  gsize n_found = 0;
  gsize longest = 0;

  for (gsize i = 1; i < result->n_inputs; i++)
    if (result->inputs[i]->n_tokens > result->inputs[longest]->n_tokens)
      longest = i;
  if (!attn_rescale_is_possible (job->study) ||
      !attn_rescale_is_quick (job->study, job->workspace, n, longest))
    return;
  while (n_found < n &&
         (share_rescaling (result, n_found) || find_rescaling (job, result, n_found)))
    n_found++;
  for (gsize i = 0; n_found < n && i < n; i++)
    attn_rescale_clear (&result->grid->cells[i].rescaling);
}

/* Lists the names of the prediction numbers below the panels, with the positions over which each is
 * taken. KL is listed only if some panel has an intervention; for a picture, the loss is replaced
 * by the label. */
static GStrv
list_numbers (const AttnResult *result)
{
  const AttnGrid *grid = result->grid;
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  gboolean is_whole = attn_model_is_about_picture (result->model);
  gboolean is_changed = FALSE;

  for (gsize i = 0; i < grid->n_rows * grid->n_columns && !is_changed; i++)
    {
      g_autoptr (GPtrArray) interventions =
          attn_cell_build_interventions (&result->cells[i], result->study);

      is_changed =
          interventions->len > 0 && result->cells[i].side != ATTN_CELL_DIFFERENCE;
    }
  if (is_changed)
    g_strv_builder_add (names, is_whole ? ATTN_GRID_KL : ATTN_GRID_MEAN_KL);
  g_strv_builder_add (names, is_whole ? ATTN_GRID_LABEL : ATTN_GRID_MEAN_LOSS);
  if (result->study->versus != NULL)
    g_strv_builder_add (names, is_whole ? ATTN_GRID_LOGIT_DIFFERENCE : ATTN_GRID_LAST_DIFFERENCE);
  return g_strv_builder_end (names);
}

/* Returns the token after which the logit difference of a chosen token is taken, the last token of
 * all inputs that the grid uses; NULL if inputs end differently, as they can with several models,
 * or if a decoder gives the answer. */
static const char *
find_last_token (const Job        *job,
                 const AttnResult *result)
{
  const char *last = NULL;

  if (job->study->token == NULL || result->models->len > 1 ||
      attn_model_is_about_picture (job->model) || attn_model_has_decoder (job->model))
    return NULL;
  for (gsize i = 0; i < job->n_used; i++)
    {
      const AttnTokens *tokens = result->inputs[i];
      const char *label = tokens->n_tokens > 0 ? tokens->labels[tokens->n_tokens - 1] : NULL;

      if (label == NULL || (last != NULL && !g_str_equal (label, last)))
        return NULL;
      last = label;
    }
  return last;
}

/* Marks the panels whose rows do not sum to 1: those of a quantity other than weights, and recorded
 * weights with other sums. */
static void
mark_distributions (AttnResult *result)
{
  const AttnGrid *grid = result->grid;
  AttnMapKind quantity = result->study->quantity;
  gboolean is_other = quantity != ATTN_MAP_WEIGHTS && quantity != ATTN_MAP_ROLLOUT;

  for (gsize i = 0; i < grid->n_rows * grid->n_columns; i++)
    grid->cells[i].lacks_distributions = is_other || result->measures[i].is_unnormalised;
}

/* Tells whether there is more than one curve over ε, because panels also differ in something
 * else. */
static gboolean
has_several_curves (const AttnStudy *study,
                    const AttnGrid  *grid)
{
  gsize n_rows = study->rows == ATTN_DIMENSION_EPSILON ? 1 : grid->n_rows;
  gsize n_columns = study->columns == ATTN_DIMENSION_EPSILON
                        ? 1
                        : grid->n_columns - (grid->has_baseline_column ? 1 : 0);

  return n_rows * n_columns > 1;
}

static gboolean
fill_grid (Job         *job,
           AttnResult  *result,
           GError     **error)
{
  AttnModel * const *models = (AttnModel * const *) result->models->pdata;
  gsize n_models = result->models->len;
  g_autofree gsize *n_tokens = g_new0 (gsize, result->n_inputs);

  g_auto (GStrv) names = attn_titles_name_models (models, n_models);
  g_autofree char *token = attn_quantities_dup_label (job->study->token, models[0]);
  g_autofree char *versus = attn_quantities_dup_label (job->study->versus, models[0]);
  const AttnTitles titles = {
    .study = job->study,
    .token = token,
    .versus = versus,
    .last_token = find_last_token (job, result),
    .models = (const char * const *) names,
    .n_models = n_models,
    .n_tokens = n_tokens,
    .heads = job->chosen.heads,
    .n_heads = attn_model_get_info (models[0])->n_heads,
    .n_key_heads = attn_model_get_info (models[0])->n_key_heads,
    .mapped_layers = attn_model_get_info (models[0])->mapped_layers,
  };
  for (gsize i = 0; i < result->n_inputs; i++)
    n_tokens[i] = result->inputs[i]->n_tokens;
  result->grid->has_baseline_column = attn_study_shows_baseline_column (job->study);
  result->grid->has_operation_columns = attn_study_takes_baseline_column (job->study);
  result->grid->has_own_titles = attn_study_has_own_title (job->study);
  AttnCell first = get_cell (job, result->grid->has_baseline_column ? 1 : 0);
  result->grid->value_label =
      g_strdup (job->study->value_label != NULL
                    ? job->study->value_label
                    : attn_quantities_get_label (job->study->quantity));
  result->grid->is_untouched = !attn_study_is_changed (job->study);
  result->grid->value_word = attn_quantities_get_word (job->study->quantity);
  result->grid->caption = attn_titles_build_caption (&titles, &first, error);
  if (result->grid->caption == NULL)
    return FALSE;
  result->grid->caption =
      attn_titles_add_attention (result->grid->caption, attn_model_get_info (models[0]));
  if (attn_patches_are_shown (job->study, job->model))
    attn_patches_name_axes (job->study, attn_workspace_get_baseline (job->workspace, 0, 0)->model,
                            result->grid,
                            attn_workspace_get_baseline (job->workspace, 0, 0)->tokens);
  /* The figure keeps space for a caption unless it is NULL. */
  if (*result->grid->caption == '\0')
    g_clear_pointer (&result->grid->caption, g_free);
  result->grid->row_headings =
      build_headings (job, &titles, job->study->rows, job->n_rows, job->n_columns);
  result->grid->column_headings =
      build_headings (job, &titles, job->study->columns, job->n_columns, 1);
  for (gsize i = 0; i < job->n_rows * job->n_columns; i++)
    if (!fill_cell (job, result, i, &titles, error))
      return FALSE;
  mark_distributions (result);
  add_rescalings (job, result);
  attn_study_apply_regions (job->study, result->grid);
  /* The figure reserves space for numbers, curves and strips, which are computed after the
   * panels. */
  if (job->study->effects[ATTN_SHOWN_NUMBERS])
    result->grid->number_names = list_numbers (result);
  result->grid->has_chart =
      job->study->effects[ATTN_SHOWN_CURVE] && attn_study_has_factor (job->study);
  result->grid->has_key =
      result->grid->has_chart && has_several_curves (job->study, result->grid);
  if (job->study->effects[ATTN_SHOWN_STRIP] && !attn_model_has_decoder (job->model))
    {
      result->grid->n_strip_columns = job->study->versus != NULL ? 3 : 2;
      result->grid->bars_note = g_strdup ("Bars: Effect on the Prediction, Lines: Baseline");
    }
  return TRUE;
}

static gboolean
is_wanted (gsize        first_row,
           gsize        n_rows,
           const float *rows,
           gpointer     cancellable)
{
  return !g_cancellable_is_cancelled (cancellable);
}

/* Computes in advance what drawing the panels needs, such as their value ranges, so that drawing
 * itself is quick. */
static gboolean
prepare_panels (const Job  *job,
                AttnGrid   *grid,
                GError    **error)
{
  gsize n_panels = grid->n_rows * grid->n_columns;

  for (gsize i = 0; i < n_panels; i++)
    {
      AttnPanel *panel = grid->cells[i].panel;

      if (panel == NULL)
        continue;
      attn_plan_scan (panel);
      if (!attn_panel_has_overview (panel) &&
          !attn_panel_load (panel, is_wanted, job->cancellable, error))
        {
          g_cancellable_set_error_if_cancelled (job->cancellable, error);
          return FALSE;
        }
    }
  if (g_cancellable_set_error_if_cancelled (job->cancellable, error))
    return FALSE;
  attn_range_prepare (grid, &job->study->style);
  return TRUE;
}

static AttnResult *
compute_grid (Job     *job,
              GError **error)
{
  gboolean had_sinks = job->study->layer < 0 || job->study->head == ATTN_HEAD_STRONGEST_SINK;
  double start = had_sinks ? ATTN_GRID_HEADS_SHARE : 0;
  const AttnProgressPart part = { job->progress, NULL, start, 1 - start };
  const AttnProgress progress = attn_progress_of_part (&part);

  if (!make_plan (job, error) || !attn_plan_run (job->plan, &progress, job->cancellable, error))
    return NULL;
  if (job->study->quantity != ATTN_MAP_WEIGHTS)
    job->quantities = attn_quantities_new (job->study, job->workspace,
                                           (const AttnCell *) (gpointer) job->planned->data,
                                           job->planned->len, &progress, job->cancellable);

  AttnCell first = get_cell (job, 0);
  g_autoptr (AttnResult) result =
      attn_result_new_for_job (job->study, job->workspace,
                               attn_grid_new (job->n_rows, job->n_columns), first.layer,
                               first.head);
  if (!fill_grid (job, result, error) || !prepare_panels (job, result->grid, error))
    return NULL;
  attn_grid_heads_mark (result, job->workspace, job->n_used);
  return g_steal_pointer (&result);
}

/* Returns how many inputs the grid uses: all, the first, or the two that are compared. */
static gsize
count_used (const Job *job)
{
  if (attn_study_varies (job->study, ATTN_DIMENSION_INPUT))
    return job->workspace->n_inputs;
  return attn_study_changes_along (job->study, ATTN_DIMENSION_INPUT) ? 2 : 1;
}

/* Computes the figure of rows x columns of panels, each of which shows one head. */
AttnResult *
attn_grid_figure_run (const AttnStudy     *study,
                      AttnWorkspace       *workspace,
                      const AttnProgress  *progress,
                      GCancellable        *cancellable,
                      GError             **error)
{
  if (!attn_workspace_prepare (workspace, study, cancellable, error))
    return NULL;

  g_auto (Job) job = {
    .study = study,
    .workspace = workspace,
    .model = workspace->models->pdata[0],
    .progress = progress,
    .cancellable = cancellable,
  };

  job.shown = g_hash_table_new_full (NULL, NULL, (GDestroyNotify) attn_panel_unref,
                                     (GDestroyNotify) attn_panel_unref);
  if (!attn_cell_get_grid_size (study, attn_model_get_info (job.model), &job.n_rows,
                                &job.n_columns, error))
    return NULL;
  job.n_used = count_used (&job);
  if (!attn_grid_heads_choose (study, workspace, job.n_used, progress, cancellable, &job.chosen,
                               error))
    return NULL;
  return compute_grid (&job, error);
}
