/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The value of a cell is the attention that the last token pays in that layer to the token of that
 * role, reduced over the heads. Where several query rows are asked for, it is the mean over those
 * that can see the token. A map from a file, such as a probe's table, is drawn the same way. */

#include "config.h"

#include "attn-layer-token.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-cell.h"
#include "attn-error.h"
#include "attn-matrix.h"
#include "attn-regions.h"
#include "attn-result-private.h"
#include "attn-roles.h"
#include "attn-study-private.h"
#include "attn-text.h"
#include "attn-titles.h"
#include "attn-words.h"
#include "attn-workspace-private.h"

/* Every second layer has a label, in figures that have room for all as well. */
#define LAYER_STEP 2

/* Width to height of the map: as the cells have it, within these. */
#define MIN_ASPECT 1.0
#define MAX_ASPECT 1.6

/* Where one job stands. */
typedef struct
{
  const AttnStudy *study;
  AttnModel *model;
  AttnBaseline *baseline;
  GPtrArray *interventions;
  const AttnProgress *progress;
  GCancellable *cancellable;
  AttnTokens *units;   /* the tokens, or the words if the study joins their pieces */
  gsize *starts;       /* [units + 1]: position of the first token of each */
  AttnIndexSet *heads; /* or NULL for all */
  gsize *layers;       /* of the rows */
  gsize n_layers;
  gsize *queries;
  gsize n_queries;
  gsize n_columns;
  gsize *columns;   /* [n_columns]: the roles that are shown */
  gsize *positions; /* [n_columns]: of their tokens */
  GString *absent;  /* names of roles that no token has */
  GString *unseen;  /* names of those whose token no query sees */
} Job;

/* The shares of the work: the pass without and the pass with interventions, then the maps. */
#define PASS_SHARE 0.4
#define MAP_SHARE  0.1

typedef struct
{
  const AttnProgress *outer;
  double start;
  double extent;
} Stage;

static void
clear_job (Job *job)
{
  g_clear_pointer (&job->interventions, g_ptr_array_unref);
  g_clear_pointer (&job->heads, attn_index_set_unref);
  g_clear_pointer (&job->units, attn_tokens_unref);
  g_free (job->starts);
  g_free (job->layers);
  g_free (job->queries);
  g_free (job->columns);
  g_free (job->positions);
  if (job->absent != NULL)
    g_string_free (job->absent, TRUE);
  if (job->unseen != NULL)
    g_string_free (job->unseen, TRUE);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Job, clear_job)

static void
report_stage_cb (const char *stage,
                 double      fraction,
                 gpointer    user_data)
{
  const Stage *part = user_data;

  attn_progress_report (part->outer, stage, part->start + fraction * part->extent);
}

/* Whether a unit is meant: a position is that of a token, whatever word that is a piece of. */
static gboolean
is_named (const Job          *job,
          const AttnIndexSet *set,
          gsize               unit)
{
  return attn_index_set_contains_any (set, job->starts[unit], job->starts[unit + 1]);
}

static gboolean
is_hidden (const Job *job,
           gsize      unit)
{
  return job->study->hides_keys && is_named (job, job->study->hidden_keys, unit);
}

/* The members of @set below @n. */
static gsize *
list_members (const AttnIndexSet *set,
              gsize               n,
              gsize              *n_members)
{
  gsize *members = g_new (gsize, n);

  *n_members = 0;
  for (gsize i = 0; i < n; i++)
    if (attn_index_set_contains (set, i))
      members[(*n_members)++] = i;
  return members;
}

/* The words as tokens: each from its first byte to its last. */
static void
join_words (Job *job)
{
  const AttnTokens *tokens = job->baseline->tokens;
  g_autoptr (AttnWords) words =
      attn_words_new (tokens, attn_model_get_tokenizer (job->model, NULL));
  g_autofree guint32 *ids = g_new (guint32, words->n_words);

  for (gsize word = 0; word < words->n_words; word++)
    ids[word] = tokens->tokens[words->starts[word]].id;
  job->units = attn_tokens_new_from_ids (ids, words->n_words, words->labels);
  for (gsize word = 0; word < words->n_words; word++)
    {
      job->units->tokens[word] = tokens->tokens[words->starts[word]];
      job->units->tokens[word].end = tokens->tokens[words->starts[word + 1] - 1].end;
    }
  job->starts = g_steal_pointer (&words->starts);
}

static void
choose_units (Job *job)
{
  gsize n_tokens = job->baseline->tokens->n_tokens;

  if (job->study->joins_words)
    {
      join_words (job);
      return;
    }
  job->units = attn_tokens_ref (job->baseline->tokens);
  job->starts = g_new (gsize, n_tokens + 1);
  for (gsize i = 0; i <= n_tokens; i++)
    job->starts[i] = i;
}

/* The last row, or those that the study names, of which only the last few may count. */
static gboolean
choose_queries (Job     *job,
                GError **error)
{
  const AttnStudy *study = job->study;
  gsize last = attn_roles_get_last (job->units);
  gsize n_wanted = study->n_last_queries;

  if (!attn_index_set_check (study->queries, job->starts[last + 1], _("queries"), error) ||
      (study->hides_keys && !attn_index_set_check (study->hidden_keys,
                                                   job->baseline->tokens->n_tokens,
                                                   _("hidden keys"), error)))
    return FALSE;
  if (study->queries == NULL && n_wanted == 0)
    n_wanted = 1;
  job->queries = g_new (gsize, last + 1);
  for (gsize unit = 0; unit <= last; unit++)
    if (is_named (job, study->queries, unit))
      job->queries[job->n_queries++] = unit;
  if (n_wanted > 0 && n_wanted < job->n_queries)
    {
      memmove (job->queries, job->queries + job->n_queries - n_wanted,
               n_wanted * sizeof *job->queries);
      job->n_queries = n_wanted;
    }
  return TRUE;
}

static gboolean
choose_heads_and_layers (Job     *job,
                         GError **error)
{
  const AttnStudy *study = job->study;
  const AttnModelInfo *info = attn_model_get_info (job->model);

  if (study->head >= 0)
    job->heads = attn_index_set_new_range (study->head, study->head);
  else if (study->heads != NULL)
    job->heads = attn_index_set_ref (study->heads);
  if (!attn_index_set_check (job->heads, info->n_heads, _("heads"), error) ||
      !attn_index_set_check (study->layers, info->n_layers, _("layers"), error))
    return FALSE;
  job->layers = list_members (study->layers, info->n_layers, &job->n_layers);
  return TRUE;
}

/* The unit that has the token; one behind the last for a token that there is not. */
static gsize
find_unit (const Job *job,
           gsize      token)
{
  gsize unit = 0;

  while (unit < job->units->n_tokens && job->starts[unit + 1] <= token)
    unit++;
  return unit;
}

static gboolean
locate_roles (Job     *job,
              GError **error)
{
  AttnRoleOptions roles = job->study->roles; /* its texts stay the study's */

  roles.answer_first = find_unit (job, roles.answer_first);
  roles.exact_first = find_unit (job, roles.exact_first);
  roles.exact_last = find_unit (job, roles.exact_last);
  job->positions = g_new (gsize, attn_roles_get_n_columns (&roles));
  return attn_roles_locate (&roles, job->units, job->positions, error);
}

/* Whether one of the queries that count sees the key. */
static gboolean
is_seen (const Job *job,
         gsize      key)
{
  if (!attn_model_get_info (job->model)->is_causal)
    return TRUE;
  for (gsize i = 0; i < job->n_queries; i++)
    if (key <= job->queries[i])
      return TRUE;
  return FALSE;
}

static void
append_name (GString    *names,
             const char *name)
{
  g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", name);
}

/* The roles that there is a number for. A column without one would look like a value that is not a
 * number. */
static gboolean
choose_columns (Job     *job,
                GError **error)
{
  const AttnStudy *study = job->study;
  gsize n = attn_roles_get_n_columns (&study->roles);

  job->columns = g_new (gsize, n);
  job->absent = g_string_new (NULL);
  job->unseen = g_string_new (NULL);
  for (gsize column = 0; column < n; column++)
    {
      gsize key = job->positions[column];

      if (key == ATTN_ROLES_NONE)
        append_name (job->absent, attn_roles_get_name (&study->roles, column));
      else if (is_hidden (job, key))
        continue;
      else if (!is_seen (job, key))
        append_name (job->unseen, attn_roles_get_name (&study->roles, column));
      else
        {
          job->columns[job->n_columns] = column;
          job->positions[job->n_columns++] = key;
        }
    }
  if (job->n_columns > 0)
    return TRUE;
  g_set_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
               _("no column found that a query sees, expected at least one that is not hidden"));
  return FALSE;
}

static gboolean
build_interventions (Job     *job,
                     GError **error)
{
  AttnCell cell = attn_cell_get_first (job->study, 0, ATTN_HEAD_MEAN);

  job->interventions = attn_cell_build_interventions (&cell, job->study);
  for (guint i = 0; i < job->interventions->len; i++)
    if (!attn_intervention_check (g_ptr_array_index (job->interventions, i), job->model,
                                  job->baseline->tokens->n_tokens, error))
      return FALSE;
  return TRUE;
}

/* Summed over the keys of a unit, averaged over the queries of another. @weights: [T, T] */
static double
join_pieces (const Job   *job,
             const float *weights,
             gsize        query,
             gsize        key)
{
  gsize n_tokens = job->baseline->tokens->n_tokens;
  double sum = 0;

  for (gsize row = job->starts[query]; row < job->starts[query + 1]; row++)
    for (gsize column = job->starts[key]; column < job->starts[key + 1]; column++)
      sum += weights[row * n_tokens + column];
  return sum / (job->starts[query + 1] - job->starts[query]);
}

/* What the weights of a query are divided by: the share of the keys that are not hidden. */
static double
get_share (const Job   *job,
           const float *weights,
           gsize        query)
{
  double share = 1;

  if (!job->study->renormalises)
    return 1;
  for (gsize key = 0; key < job->units->n_tokens; key++)
    if (is_hidden (job, key))
      share -= join_pieces (job, weights, query, key);
  return share;
}

/* The mean over the query rows that can see the key; NaN where none can. @weights: [T, T] */
static double
average_queries (const Job   *job,
                 const float *weights,
                 gsize        key)
{
  gboolean is_causal = attn_model_get_info (job->model)->is_causal;
  double sum = 0;
  gsize n_seeing = 0;

  for (gsize i = 0; i < job->n_queries; i++)
    {
      if (is_causal && key > job->queries[i])
        continue;
      sum += join_pieces (job, weights, job->queries[i], key) /
             get_share (job, weights, job->queries[i]);
      n_seeing++;
    }
  return n_seeing > 0 ? sum / n_seeing : NAN;
}

/* One cell. @weights: [heads, T, T] of a layer */
static double
reduce_heads (const Job        *job,
              const AttnTensor *weights,
              gsize             key)
{
  gsize n_cells = weights->shape[1] * weights->shape[2];
  double sum = 0;
  double largest = 0;

  for (gsize head = 0; head < weights->shape[0]; head++)
    {
      double weight = average_queries (job, weights->data + head * n_cells, key);

      sum += weight;
      if (!(weight <= largest) && !isnan (largest)) /* a NaN stays */
        largest = weight;
    }
  return job->study->roles.reduction == ATTN_REDUCTION_MAX ? largest : sum / weights->shape[0];
}

/* A row of the map. */
static void
reduce_layer (const Job        *job,
              const AttnTensor *weights,
              float            *row)
{
  double largest = 0;

  for (gsize column = 0; column < job->n_columns; column++)
    {
      row[column] = reduce_heads (job, weights, job->positions[column]);
      if (row[column] > largest) /* rounded, so that it divided by itself is 1 */
        largest = row[column];
    }
  if (job->study->roles.reduction == ATTN_REDUCTION_RELATIVE && largest > 0)
    for (gsize column = 0; column < job->n_columns; column++)
      row[column] = row[column] / largest;
}

/* The weights of one layer; they are gone before those of the next one are there. */
static AttnTensor *
compute_layer (const Job  *job,
               AttnTrace  *trace,
               gsize       layer,
               GPtrArray  *interventions,
               GError    **error)
{
  g_autoptr (AttnTensor) residual = attn_trace_get (trace, ATTN_QUANTITY_RESIDUAL, layer);

  if (residual == NULL)
    return attn_trace_compute_weights (trace, layer, job->heads, interventions, NULL,
                                       job->cancellable, error);
  return attn_trace_compute_layer (trace, layer, job->heads, interventions, job->cancellable,
                                   error);
}

/* The map of @trace; rows that @interventions do not touch are those of @unchanged. */
static AttnTensor *
compute_map (const Job         *job,
             AttnTrace         *trace,
             GPtrArray         *interventions,
             const AttnTensor  *unchanged,
             double             start,
             GError           **error)
{
  const gsize shape[] = { job->n_layers, job->n_columns };
  g_autoptr (AttnTensor) map = attn_tensor_new (2, shape, error);

  for (gsize row = 0; map != NULL && row < job->n_layers; row++)
    {
      gsize layer = job->layers[row];
      float *out = map->data + row * job->n_columns;

      attn_progress_report (job->progress, _("Computing panels"),
                            start + MAP_SHARE * row / job->n_layers);
      if (unchanged != NULL && !attn_interventions_touch (interventions, layer))
        {
          memcpy (out, unchanged->data + row * job->n_columns, job->n_columns * sizeof *out);
          continue;
        }
      g_autoptr (AttnTensor) weights = compute_layer (job, trace, layer, interventions, error);
      if (weights == NULL)
        return NULL;
      reduce_layer (job, weights, out);
    }
  return g_steal_pointer (&map);
}

/* The residual streams after the interventions, from the first layer that they touch. */
static AttnTrace *
compute_changed_trace (const Job  *job,
                       GError    **error)
{
  Stage stage = { job->progress, PASS_SHARE + MAP_SHARE, PASS_SHARE };
  const AttnProgress progress = { report_stage_cb, &stage };
  gsize n_layers = attn_model_get_info (job->model)->n_layers;
  gsize first = 0;

  while (first + 1 < n_layers && !attn_interventions_touch (job->interventions, first) &&
         !attn_interventions_start_below (job->interventions, first + 1))
    first++;

  g_autoptr (AttnIndexSet) layers = attn_index_set_new_range (first, n_layers - 1);
  const AttnTraceRequest request = {
    .ids = job->baseline->ids,
    .n_ids = job->baseline->tokens->n_tokens,
    .interventions = job->interventions,
    .keep = ATTN_QUANTITY_RESIDUAL,
    .layers = layers,
  };
  return attn_trace_compute (job->model, &request, job->baseline->residuals, &progress,
                             job->cancellable, error);
}

static gboolean
changes_any_row (const Job *job)
{
  for (gsize row = 0; row < job->n_layers; row++)
    if (attn_interventions_touch (job->interventions, job->layers[row]))
      return TRUE;
  return FALSE;
}

static AttnPanel *
wrap_map (const Job  *job,
          AttnTensor *map)
{
  g_auto (GStrv) rows = g_new0 (char *, job->n_layers + 1);
  g_autofree const char **columns = g_new0 (const char *, job->n_columns + 1);

  for (gsize i = 0; i < job->n_layers; i++)
    rows[i] = g_strdup_printf ("%zu", job->layers[i]);
  for (gsize i = 0; i < job->n_columns; i++)
    columns[i] = attn_roles_get_name (&job->study->roles, job->columns[i]);

  AttnPanel *panel = attn_panel_new (map, ATTN_MASK_NONE, (const char * const *) rows, columns);
  gboolean has_all_layers = job->n_layers == attn_model_get_info (job->model)->n_layers;
  gboolean has_all_roles = job->n_columns == attn_roles_get_n_columns (&job->study->roles);
  attn_panel_set_positions (panel, has_all_layers ? NULL : job->layers,
                            has_all_roles ? NULL : job->columns);
  return panel;
}

static gboolean
fill_cell (const Job     *job,
           AttnGridCell  *cell,
           GError       **error)
{
  Stage stage = { job->progress, 0, PASS_SHARE };
  const AttnProgress progress = { report_stage_cb, &stage };

  if (!attn_baseline_need_residuals (job->baseline, job->model, &progress, job->cancellable, error))
    return FALSE;
  g_autoptr (AttnTensor) before =
      compute_map (job, job->baseline->residuals, NULL, NULL, PASS_SHARE, error);
  if (before == NULL)
    return FALSE;
  cell->baseline = wrap_map (job, before);
  if (!changes_any_row (job))
    {
      cell->panel = attn_panel_ref (cell->baseline);
      return TRUE;
    }

  g_autoptr (AttnTrace) trace = compute_changed_trace (job, error);
  g_autoptr (AttnTensor) after =
      trace != NULL ? compute_map (job, trace, job->interventions, before,
                                   2 * PASS_SHARE + MAP_SHARE, error)
                    : NULL;
  if (after == NULL)
    return FALSE;
  cell->panel = wrap_map (job, after);
  return TRUE;
}

/* The texts of the figure are its own: not translated. */
static char *
describe_queries (const AttnStudy *study)
{
  const char *unit = study->joins_words ? "word" : "token";
  gsize n_last = study->queries == NULL ? MAX (study->n_last_queries, 1) : study->n_last_queries;

  if (study->queries == NULL)
    return n_last == 1 ? g_strdup_printf ("the last %s", unit)
                       : g_strdup_printf ("the last %zu %ss", n_last, unit);

  g_autofree char *set = attn_index_set_to_string (study->queries);
  gboolean has_several = strpbrk (set, ",-") != NULL;
  const char *named = study->joins_words && has_several ? "the words of tokens"
                      : study->joins_words              ? "the word of token"
                      : has_several                     ? "tokens"
                                                        : "token";
  return n_last == 0 ? g_strdup_printf ("%s %s", named, set)
                     : g_strdup_printf ("the last %zu of %s %s", n_last, named, set);
}

static char *
describe_reduction (const AttnStudy *study,
                    gsize            n_heads)
{
  static const char * const names[] = {
    [ATTN_REDUCTION_MEAN] = "mean over",
    [ATTN_REDUCTION_MAX] = "largest of",
    [ATTN_REDUCTION_RELATIVE] = "mean over",
  };
  gboolean is_relative = study->roles.reduction == ATTN_REDUCTION_RELATIVE;
  g_autofree char *set =
      study->head < 0 && study->heads != NULL ? attn_index_set_to_string (study->heads) : NULL;
  g_autofree char *heads =
      study->head >= 0 ? g_strdup_printf ("head %d", study->head)
      : set != NULL    ? g_strdup_printf ("%s heads %s", names[study->roles.reduction], set)
                       : g_strdup_printf ("%s %zu heads", names[study->roles.reduction], n_heads);

  return g_strconcat (heads, is_relative ? ", relative to the largest of its layer" : "", NULL);
}

/* "Key × 5e-1, layer 1; mean of Value": what is usual is not said. */
static char *
describe_interventions (const GPtrArray *interventions)
{
  static const char * const components[] = { "<i>Query</i>", "<i>Key</i>", "<i>Value</i>" };
  static const char * const axes[] = { "", " over tokens", " over heads" };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < interventions->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (interventions, i);
      const char *component = components[intervention->component];
      g_autofree char *factor = attn_text_format_factor (intervention->factor);

      g_string_append (text, i > 0 ? "; " : "");
      if (intervention->operation == ATTN_OPERATION_SCALE)
        g_string_append_printf (text, "%s × %s", component, factor);
      else
        g_string_append_printf (text, "%s of %s%s", i > 0 ? "mean" : "Mean", component,
                                axes[intervention->axis]);
      if (intervention->site != ATTN_SITE_PROJECTION)
        g_string_append_printf (text, ", %s", attn_site_get_name (intervention->site));
      attn_titles_append_scope (text, "layer", intervention->layers);
      attn_titles_append_scope (text, "head", intervention->heads);
      attn_titles_append_scope (text, "token", intervention->tokens);
    }
  return g_string_free (text, FALSE);
}

/* Which columns there are not, and why. */
static char *
describe_hidden (const Job *job)
{
  const AttnStudy *study = job->study;
  gboolean is_said = study->hides_keys && study->hidden_keys != NULL;
  g_autofree char *set = is_said ? attn_index_set_to_string (study->hidden_keys) : NULL;
  GString *text = g_string_new (NULL);

  if (set != NULL)
    g_string_append_printf (text, ". Key%s %s hidden%s", strpbrk (set, ",-") != NULL ? "s" : "",
                            set, study->renormalises ? ", rows renormalised" : "");
  if (job->absent->len > 0)
    g_string_append_printf (text, ". Not in the text: %s", job->absent->str);
  if (job->unseen->len > 0)
    g_string_append_printf (text, ". Not seen: %s", job->unseen->str);
  return g_string_free (text, FALSE);
}

/* @template with what stands for its placeholders, or what the figure says by itself. */
static char *
fill_in (const char *template,
         const char *standard,
         const char *queries,
         const char *reduction,
         const char *interventions)
{
  GString *text = g_string_new (template != NULL ? template : standard);

  g_string_replace (text, "{queries}", queries, 0);
  g_string_replace (text, "{reduction}", reduction, 0);
  g_string_replace (text, "{interventions}", interventions, 0);
  return g_string_free (text, FALSE);
}

static void
write_texts (const Job *job,
             AttnGrid  *grid)
{
  const AttnStudy *study = job->study;
  g_autofree char *queries = describe_queries (study);
  g_autofree char *reduction =
      describe_reduction (study, attn_model_get_info (job->model)->n_heads);
  g_autofree char *interventions = describe_interventions (job->interventions);

  g_autofree char *hidden = describe_hidden (job);
  g_autofree char *caption = fill_in (study->caption, "Attention of {queries}, {reduction}",
                                      queries, reduction, interventions);

  grid->caption = g_strconcat (caption, hidden, NULL);
  grid->cells[0].title =
      fill_in (study->title, "{interventions}", queries, reduction, interventions);
  if (*grid->cells[0].title == '\0')
    g_clear_pointer (&grid->cells[0].title, g_free);
  grid->value_label = g_strdup (study->value_label != NULL ? study->value_label
                                : study->roles.reduction == ATTN_REDUCTION_RELATIVE
                                    ? "Relative Attention Weight"
                                    : "Attention Weight");
}

/* What both kinds of map have in common. */
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

/* Sink score and entropy are those of a matrix of token pairs, which this is not. */
static AttnPanelMeasures
measure (AttnGridCell *cell)
{
  AttnPanelMeasures measures = { .sink_score = NAN, .mean_entropy = NAN, .total_variation = NAN };
  const AttnTensor *after = attn_panel_get_values (cell->panel);
  const AttnTensor *before = attn_panel_get_values (cell->baseline);

  for (gsize i = 0; i < attn_tensor_get_n_elements (after); i++)
    {
      double difference = fabs ((double) after->data[i] - before->data[i]);

      if (difference > measures.largest_difference)
        measures.largest_difference = difference;
    }
  return measures;
}

static AttnResult *
compute (Job     *job,
         GError **error)
{
  g_autoptr (AttnGrid) grid = new_grid ();

  if (!fill_cell (job, &grid->cells[0], error))
    return NULL;
  write_texts (job, grid);
  set_aspect (grid);
  attn_study_apply_regions (job->study, grid);

  AttnPanelMeasures measures = measure (&grid->cells[0]);
  AttnResult *result =
      attn_result_new (job->study, job->model, g_steal_pointer (&grid), 0, ATTN_HEAD_MEAN);
  /* What was tokenised is question and answer, whatever inputs the study has. */
  g_free (result->inputs);
  result->n_inputs = 1;
  result->inputs = g_new (AttnTokens *, 1);
  result->inputs[0] = attn_tokens_ref (job->baseline->tokens);
  result->measures[0] = measures;
  return result;
}

/* A map that is there already. */
static AttnResult *
draw_matrix (const AttnStudy  *study,
             AttnWorkspace    *workspace,
             GError          **error)
{
  g_autoptr (AttnMatrixFile) matrix = attn_matrix_load (study->model_path, error);
  AttnModel *model =
      matrix != NULL ? attn_workspace_open_model (workspace, study->model_path, error) : NULL;

  if (model == NULL)
    return NULL;

  g_autoptr (AttnGrid) grid = new_grid ();
  AttnGridCell *cell = &grid->cells[0];
  cell->panel = attn_panel_new (matrix->values, ATTN_MASK_NONE,
                                (const char * const *) matrix->row_labels,
                                (const char * const *) matrix->column_labels);
  cell->baseline = attn_panel_ref (cell->panel);
  cell->title = g_strdup (study->title);
  grid->caption = g_strdup (study->caption);
  grid->value_label = g_strdup (study->value_label != NULL ? study->value_label
                                : *matrix->name != '\0'    ? matrix->name
                                                           : "Value");
  set_aspect (grid);
  attn_study_apply_regions (study, grid);

  AttnPanelMeasures measures = measure (cell);
  AttnResult *result = attn_result_new (study, model, g_steal_pointer (&grid), 0, ATTN_HEAD_MEAN);
  result->n_inputs = 0;
  result->measures[0] = measures;
  return result;
}

/* The study of the one input that question and answer make. */
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
 * attn_layer_token_run:
 * @study: whose figure is %ATTN_FIGURE_LAYER_TOKEN
 * @workspace: what was computed before; the result does not depend on it
 * @progress: (nullable): whom to tell how far it is
 * @cancellable: (nullable): asked between layers
 * @error: return location: %G_IO_ERROR_CANCELLED; %ATTN_ERROR_ARGUMENT for roles, queries or heads
 *   that make no sense for the text or the model; %ATTN_ERROR_MEMORY; errors of opening the
 *   model or the file of the matrix, and of tokenising
 *
 * Computes the map of layers x roles: one forward pass, two where there are interventions, and then
 * the weights of one layer at a time. Roles that no token has, that are hidden or that no query
 * sees have no column, and the caption says so. Where the study's model is the file of a matrix,
 * that is the map.
 *
 * Returns: (transfer full) (nullable): a grid of one panel, [layers, roles]
 */
AttnResult *
attn_layer_token_run (const AttnStudy     *study,
                      AttnWorkspace       *workspace,
                      const AttnProgress  *progress,
                      GCancellable        *cancellable,
                      GError             **error)
{
  g_auto (Job) job = { .study = study, .progress = progress, .cancellable = cancellable };

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  if (attn_matrix_is_one (study->model_path))
    return draw_matrix (study, workspace, error);

  g_autoptr (AttnStudy) derived = build_inputs (study, error);
  if (derived == NULL)
    return NULL;
  attn_progress_report (progress, _("Opening the model"), 0);
  if (!attn_workspace_prepare (workspace, derived, error))
    return NULL;
  job.model = attn_workspace_get_model (workspace);
  job.baseline = attn_workspace_get_input (workspace, 0);
  choose_units (&job);
  if (!locate_roles (&job, error) || !choose_queries (&job, error) ||
      !choose_columns (&job, error) || !choose_heads_and_layers (&job, error) ||
      !build_interventions (&job, error))
    return NULL;
  return compute (&job, error);
}
