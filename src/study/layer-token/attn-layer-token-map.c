/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computes the layer-token map. A cell is the attention from the last token to the token of a role
 * in one layer, reduced over the heads. If several queries are chosen, a cell is the mean over
 * them; a query to which the token is masked counts as 0. A unit is a word if the study joins
 * tokens, else a token. */

#include "config.h"

#include "attn-layer-token-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-roles.h"

/* Shares of the progress bar: PASS_SHARE for the pass without interventions, and again for that
 * with them; MAP_SHARE for each of the two maps. */
#define PASS_SHARE 0.4
#define MAP_SHARE  0.1

/* Sums the weights over the keys of the unit @key (a token or word) that are hidden, or over those
 * that are not, and averages the sums over the queries of the unit @query. @weights: [T, S] */
static double
join_pieces (const AttnLayerTokenJob *job,
             const float             *weights,
             gsize                    query,
             gsize                    key,
             gboolean                 is_hidden)
{
  const AttnStudy *study = job->study;
  const gsize *rows = job->query_units.starts + query;
  const gsize *columns = job->key_units.starts + key;
  gsize n_keys = job->key_units.starts[job->key_units.tokens->n_tokens];
  double sum = 0;

  for (gsize row = rows[0]; row < rows[1]; row++)
    for (gsize column = columns[0]; column < columns[1]; column++)
      if ((study->hides_keys && attn_index_set_contains (study->hidden_keys, column)) == is_hidden)
        sum += weights[row * n_keys + column];
  return sum / (rows[1] - rows[0]);
}

/* Returns the divisor for the weights of a query: 1, or if rows are renormalised the weight of all
 * keys that are not hidden. Returns 0 if no key is left. */
static double
get_share (const AttnLayerTokenJob *job,
           const float             *weights,
           gsize                    query)
{
  double hidden = 0;
  double left = 0;

  if (!job->study->renormalises)
    return 1;
  for (gsize key = 0; key < job->key_units.tokens->n_tokens; key++)
    {
      hidden += join_pieces (job, weights, query, key, TRUE);
      left += join_pieces (job, weights, query, key, FALSE);
    }
  return left > 0 ? 1 - hidden : left;
}

/* Averages the weight on the unit @key over the queries that have weight on keys that are not
 * hidden. Returns NaN if no query has such weight. @weights: [T, S] */
static double
average_queries (const AttnLayerTokenJob *job,
                 const float             *weights,
                 gsize                    key)
{
  double sum = 0;
  gsize n = 0;

  for (gsize i = 0; i < job->n_queries; i++)
    {
      double share = get_share (job, weights, job->queries[i]);

      if (share == 0)
        continue;
      sum += join_pieces (job, weights, job->queries[i], key, FALSE) / share;
      n++;
    }
  return n > 0 ? sum / n : NAN;
}

/* Reduces the heads to the value of one cell. @weights: [heads, T, S], the weights of a layer */
static double
reduce_heads (const AttnLayerTokenJob *job,
              const AttnTensor        *weights,
              gsize                    key)
{
  gsize n_cells = weights->shape[1] * weights->shape[2];
  double sum = 0;
  double largest = 0;

  for (gsize head = 0; head < weights->shape[0]; head++)
    {
      double weight = average_queries (job, weights->data + head * n_cells, key);

      sum += weight;
      if (!(weight <= largest) && !isnan (largest)) /* a NaN is kept as the largest */
        largest = weight;
    }
  return job->study->roles.reduction == ATTN_REDUCTION_MAX ? largest : sum / weights->shape[0];
}

/* Computes the row of the map for one layer: a value for each role. */
static void
reduce_layer (const AttnLayerTokenJob *job,
              const AttnTensor        *weights,
              float                   *row)
{
  double largest = 0;

  for (gsize column = 0; column < job->n_columns; column++)
    {
      row[column] = reduce_heads (job, weights, job->positions[column]);
      if (row[column] > largest) /* a number of float32: divided by itself it is 1 */
        largest = row[column];
    }
  if (job->study->roles.reduction == ATTN_REDUCTION_RELATIVE && largest > 0)
    for (gsize column = 0; column < job->n_columns; column++)
      row[column] = row[column] / largest;
}

/* Computes the weights of one layer. The caller frees them before it computes those of the next
 * layer, to save memory. */
static AttnTensor *
compute_layer (const AttnLayerTokenJob  *job,
               AttnTrace                *trace,
               gsize                     layer,
               GPtrArray                *interventions,
               GError                  **error)
{
  g_autoptr (AttnTensor) residual = attn_trace_get (trace, ATTN_QUANTITY_RESIDUAL, layer);

  if (residual == NULL)
    return attn_trace_compute_weights (trace, layer, job->heads, interventions, NULL,
                                       job->cancellable, error);
  return attn_trace_compute_layer (trace, layer, job->heads, interventions, job->cancellable,
                                   error);
}

/* Computes the map of @trace with @interventions. Rows of layers that they do not change are copied
 * from @unchanged, the map without them. */
static AttnTensor *
compute_map (const AttnLayerTokenJob  *job,
             AttnTrace                *trace,
             GPtrArray                *interventions,
             const AttnTensor         *unchanged,
             double                    start,
             GError                  **error)
{
  const gsize shape[] = { job->n_layers, job->n_columns };
  const gsize weights_shape[] = {
    attn_index_set_count (job->heads, attn_model_get_info (job->model)->n_heads),
    job->baseline->tokens->n_tokens, attn_baseline_count_keys (job->baseline)
  };
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
      g_return_val_if_fail (attn_tensor_has_shape (weights, 3, weights_shape), NULL);
      reduce_layer (job, weights, out);
    }
  return g_steal_pointer (&map);
}

/* Computes the residual streams with the interventions, from the first changed layer on. */
static AttnTrace *
compute_changed_trace (const AttnLayerTokenJob  *job,
                       GError                  **error)
{
  const AttnProgressPart part = { job->progress, NULL, PASS_SHARE + MAP_SHARE, PASS_SHARE };
  const AttnProgress progress = attn_progress_of_part (&part);
  gsize n_layers = attn_model_get_info (job->model)->n_layers;
  gsize first = MIN (attn_interventions_find_first_layer (job->interventions), n_layers - 1);
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
changes_any_row (const AttnLayerTokenJob *job)
{
  for (gsize row = 0; row < job->n_layers; row++)
    if (attn_interventions_touch (job->interventions, job->layers[row]))
      return TRUE;
  return FALSE;
}

static AttnPanel *
wrap_map (const AttnLayerTokenJob *job,
          AttnTensor              *map)
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

/**
 * attn_layer_token_fill_cell:
 * @job: a job that [func@attn_layer_token_choose] has filled in
 * @cell: (inout): gets the map [layers, columns] with the interventions, and as its baseline the
 *   map without
 * @error: return location: %G_IO_ERROR_CANCELLED, %ATTN_ERROR_MEMORY
 */
gboolean
attn_layer_token_fill_cell (const AttnLayerTokenJob  *job,
                            AttnGridCell             *cell,
                            GError                  **error)
{
  const AttnProgressPart part = { job->progress, NULL, 0, PASS_SHARE };
  const AttnProgress progress = attn_progress_of_part (&part);

  if (!attn_baseline_need_residuals (job->baseline, &progress, job->cancellable, error))
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
