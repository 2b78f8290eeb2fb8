/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-memory.h"
#include "attn-ops.h"
#include "attn-source.h"
#include "attn-threads.h"
#include "attn-trace-private.h"

/* Query: the arguments of one request for attention weights. */
typedef struct
{
  AttnTrace *trace;
  const AttnModelInfo *info;
  gsize layer;
  const AttnIndexSet *heads;
  GPtrArray *interventions;
  const AttnProgress *progress;
  GCancellable *cancellable;
} Query;

/* Maps of all heads are kept in the trace if they take at most 1 / KEPT_SHARE of the memory that
 * may be taken. Larger ones are computed again from queries and keys for each request. */
#define KEPT_SHARE 8

/* The ways to compute attention weights under interventions, from the cheapest to the most
 * expensive. */
typedef enum
{
  ROUTE_BASELINE,    /* route for interventions that do not change the weights */
  ROUTE_CLOSED_FORM, /* softmax of scaled scores */
  ROUTE_LAYER,       /* from the layer's queries and keys */
  ROUTE_FORWARD,     /* from the residual stream */
} Route;

static gboolean
touches_head (const Query            *query,
              const AttnIntervention *intervention,
              gsize                   head)
{
  gsize n_shared =
      query->info->n_heads / attn_model_info_get_layer (query->info, query->layer).n_key_heads;

  if (query->info->has_whole_query_key_norm && intervention->site == ATTN_SITE_PROJECTION &&
      intervention->component != ATTN_COMPONENT_SCORES)
    return TRUE;
  if (intervention->component == ATTN_COMPONENT_QUERY ||
      intervention->component == ATTN_COMPONENT_SCORES)
    return attn_index_set_contains (intervention->heads, head);
  /* A key head is changed if any of the query heads that share it is in the intervention's
   * scope. */
  for (gsize other = head / n_shared * n_shared; other < (head / n_shared + 1) * n_shared; other++)
    if (attn_index_set_contains (intervention->heads, other))
      return TRUE;
  return FALSE;
}

static gboolean
touches_any_head (const Query            *query,
                  const AttnIntervention *intervention)
{
  for (gsize head = 0; head < query->info->n_heads; head++)
    if (attn_index_set_contains (query->heads, head) && touches_head (query, intervention, head))
      return TRUE;
  return FALSE;
}

/* Tells whether the scores use the vectors at an intervention's site as they are, without a norm or
 * rotation behind the site. */
static gboolean
is_last_site (const Query *query,
              AttnSite     site)
{
  if (query->info->has_rotary)
    return site == ATTN_SITE_ROTATED;
  return site == ATTN_SITE_NORMED || !query->info->has_query_key_norm;
}

/* Tells whether scaling or zeroing at the site scales the scores of the tokens in scope. A rotation
 * preserves the factor; a norm, a cap or a slope does not. */
static gboolean
scales_scores (const Query            *query,
               const AttnIntervention *intervention)
{
  const AttnScoreRules *rules = attn_model_get_rules (query->trace->model, query->layer);

  return (intervention->operation == ATTN_OPERATION_SCALE ||
          intervention->operation == ATTN_OPERATION_ZERO) &&
         rules->logit_softcap == 0.0f && !attn_score_rules_have_bias (rules) &&
         (intervention->site != ATTN_SITE_PROJECTION || !query->info->has_query_key_norm);
}

/* Counts the vectors of the component: one for each query or each key. */
static gsize
count_vectors (const Query   *query,
               AttnComponent  component)
{
  gsize n_ids = query->trace->n_ids;

  return component == ATTN_COMPONENT_QUERY ? n_ids
                                           : attn_model_count_keys (query->trace->model, n_ids);
}

static gboolean
has_all_tokens (const Query            *query,
                const AttnIntervention *intervention)
{
  gsize n = count_vectors (query, intervention->component);

  return attn_index_set_count (intervention->tokens, n) == n;
}

static Route
find_route (const Query *query)
{
  Route route = ROUTE_BASELINE;
  gboolean is_at_last_site = TRUE;

  if (attn_interventions_find_first_layer (query->interventions) < query->layer)
    return ROUTE_FORWARD;
  for (guint i = 0; query->interventions != NULL && i < query->interventions->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (query->interventions, i);

      if (!attn_intervention_changes_scores (intervention, query->layer))
        continue;
      if (intervention->component == ATTN_COMPONENT_RESIDUAL)
        return ROUTE_FORWARD;
      is_at_last_site = is_at_last_site && (intervention->component == ATTN_COMPONENT_SCORES ||
                                            is_last_site (query, intervention->site));
      if (touches_any_head (query, intervention))
        route = MAX (route, scales_scores (query, intervention) &&
                                    has_all_tokens (query, intervention)
                                ? ROUTE_CLOSED_FORM
                                : ROUTE_LAYER);
    }
  return route == ROUTE_LAYER && !is_at_last_site ? ROUTE_FORWARD : route;
}

/* Runs the pass up to the layer of the request, from the highest layer up to @first_layer whose
 * input the trace has. @kept: [L], all NULL before */
static gboolean
run_forward (const Query         *query,
             GPtrArray           *interventions,
             AttnQuantity         keep,
             const AttnIndexSet  *heads,
             gsize                first_layer,
             AttnKept            *kept,
             GError             **error)
{
  const AttnTrace *trace = query->trace;
  g_autoptr (AttnIndexSet) layers = attn_index_set_new_range (query->layer, query->layer);
  AttnTensor *residual;
  AttnForward forward = {
    .model = trace->model,
    .ids = trace->ids,
    .n_ids = trace->n_ids,
    .interventions = interventions,
    .keep = keep,
    .layers = layers,
    .heads = heads,
    .kept = kept,
    .progress = query->progress,
    .cancellable = query->cancellable,
  };

  forward.first_layer = attn_trace_find_residual (trace, first_layer, &residual);
  forward.residual = residual;
  return attn_model_run (&forward, error);
}

/* Returns a quantity of the layer without interventions. If the trace does not keep it, it is
 * computed once and kept until another layer is requested. */
static AttnTensor *
get_baseline (const Query   *query,
              AttnQuantity   quantity,
              GError       **error)
{
  AttnTrace *trace = query->trace;
  AttnTensor *tensor = attn_kept_get (&trace->layers[query->layer], quantity);

  if (tensor != NULL)
    return attn_tensor_ref (tensor);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&trace->lock);
  if (trace->shown_layer != query->layer)
    attn_kept_clear (&trace->shown);
  trace->shown_layer = query->layer;
  tensor = attn_kept_get (&trace->shown, quantity);
  if (tensor == NULL)
    {
      const gsize n_layers = query->info->n_layers;
      g_autofree AttnKept *kept = g_new0 (AttnKept, n_layers);
      AttnQuantity wanted = quantity;

      if (quantity == ATTN_QUANTITY_QUERY || quantity == ATTN_QUANTITY_KEY)
        wanted = ATTN_QUANTITY_QUERY | ATTN_QUANTITY_KEY;
      gboolean is_done = run_forward (query, NULL, wanted, NULL, query->layer, kept, error);
      for (gsize i = 0; is_done && i < ATTN_N_LAYER_QUANTITIES; i++)
        if (kept[query->layer].tensors[i] != NULL)
          {
            g_clear_pointer (&trace->shown.tensors[i], attn_tensor_unref);
            trace->shown.tensors[i] = g_steal_pointer (&kept[query->layer].tensors[i]);
          }
      attn_kept_clear (&kept[query->layer]);
      tensor = is_done ? attn_kept_get (&trace->shown, quantity) : NULL;
    }
  return tensor != NULL ? attn_tensor_ref (tensor) : NULL;
}

/* Tells whether the trace has the maps of all heads, or memory has room for them. */
static gboolean
can_keep_maps (const Query  *query,
               AttnQuantity  quantity)
{
  const AttnTrace *trace = query->trace;
  const gsize shape[] = { query->info->n_heads, trace->n_ids,
                          attn_model_count_keys (trace->model, trace->n_ids) };
  gsize n_elements;

  return attn_kept_get (&trace->layers[query->layer], quantity) != NULL ||
         query->info->n_recorded_keys > 0 ||
         (attn_shape_get_n_elements (3, shape, &n_elements) &&
          n_elements * sizeof (float) <= attn_memory_get_limit () / KEPT_SHARE);
}

/* Returns memory for maps, [@n_maps, T, S], which the caller fills row by row as @rules say. */
static AttnTensor *
new_rows (const Query           *query,
          gsize                  n_maps,
          const AttnScoreRules  *rules,
          GError               **error)
{
  gsize n_tokens = query->trace->n_ids;
  const gsize shape[] = { n_maps, n_tokens, attn_model_count_keys (query->trace->model, n_tokens) };

  return attn_attention_new_weights (rules, shape, error);
}

/* Returns the requested heads of [H, T, S], without a copy if they are contiguous. */
static AttnTensor *
select_heads (const Query  *query,
              AttnTensor   *all,
              GError      **error)
{
  gsize n_heads = query->info->n_heads;
  gsize n = attn_index_set_count (query->heads, n_heads);
  gsize first = attn_index_set_get_first (query->heads);

  if (attn_index_set_count (query->heads, first + n) == n)
    return attn_tensor_slice_range (all, first, n);

  const gsize shape[] = { n, all->shape[1], all->shape[2] };
  AttnTensor *weights = attn_tensor_new (3, shape, error);
  gsize n_cells = shape[1] * shape[2];
  float *out = weights != NULL ? weights->data : NULL;
  for (gsize head = 0; out != NULL && head < n_heads; head++)
    if (attn_index_set_contains (query->heads, head))
      {
        memcpy (out, all->data + head * n_cells, n_cells * sizeof (float));
        out += n_cells;
      }
  return weights;
}

static double
get_own_factor (const AttnIntervention *intervention)
{
  return intervention->operation == ATTN_OPERATION_ZERO ? 0.0 : intervention->factor;
}

/* Returns ε of a head, the product of all factors of its queries or keys. */
static double
get_factor (const Query *query,
            gsize        head)
{
  double factor = 1.0;

  for (guint i = 0; i < query->interventions->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (query->interventions, i);

      if (attn_intervention_changes_scores (intervention, query->layer) &&
          touches_head (query, intervention, head))
        factor *= get_own_factor (intervention);
    }
  return factor;
}

/* Returns memory for the weights, which @deferred fills later: softmax (ε S) of each requested
 * head. */
static AttnTensor *
defer_closed_form (const Query   *query,
                   AttnDeferred **deferred,
                   GError       **error)
{
  const AttnScoreRules *rules = attn_model_get_rules (query->trace->model, query->layer);
  g_autoptr (AttnTensor) scores = get_baseline (query, ATTN_QUANTITY_SCORES, error);
  gsize n_maps = attn_index_set_count (query->heads, query->info->n_heads);
  AttnTensor *weights = scores != NULL ? new_rows (query, n_maps, rules, error) : NULL;

  if (weights == NULL)
    return NULL;

  *deferred = attn_deferred_new (scores, rules, weights);
  for (gsize head = 0; head < query->info->n_heads; head++)
    if (attn_index_set_contains (query->heads, head))
      attn_deferred_add (*deferred, head, (float) get_factor (query, head));
  return weights;
}

/* Returns queries or keys after the layer's interventions, without a copy if there are none. */
static AttnTensor *
get_changed_part (const Query    *query,
                  AttnComponent   component,
                  GError        **error)
{
  g_autoptr (AttnTensor) tensor = get_baseline (
      query, component == ATTN_COMPONENT_QUERY ? ATTN_QUANTITY_QUERY : ATTN_QUANTITY_KEY, error);
  gboolean is_copy = FALSE;

  for (guint i = 0; tensor != NULL && query->interventions != NULL && i < query->interventions->len;
       i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (query->interventions, i);

      if (intervention->component != component ||
          !attn_intervention_changes_scores (intervention, query->layer))
        continue;
      if (!is_copy)
        {
          AttnTensor *copy = attn_tensor_copy (tensor, error);

          attn_tensor_unref (tensor);
          tensor = copy;
          is_copy = TRUE;
          if (copy == NULL)
            break;
        }
      AttnVectors vectors = attn_vectors_wrap (tensor, query->info->n_heads);
      attn_vectors_intervene (&vectors, intervention, query->layer, NULL);
    }
  return g_steal_pointer (&tensor);
}

static gboolean
get_changed (const Query  *query,
             AttnTensor  **queries,
             AttnTensor  **keys,
             GError      **error)
{
  *queries = get_changed_part (query, ATTN_COMPONENT_QUERY, error);
  if (*queries == NULL)
    return FALSE;
  *keys = get_changed_part (query, ATTN_COMPONENT_KEY, error);
  return *keys != NULL;
}

static AttnTensor *
compute_from_layer (const Query  *query,
                    GError      **error)
{
  g_autoptr (AttnTensor) queries = NULL;
  g_autoptr (AttnTensor) keys = NULL;
  g_autoptr (AttnTensor) weights = NULL;
  const AttnScoreRules *rules = attn_model_get_rules (query->trace->model, query->layer);
  gsize n = attn_index_set_count (query->heads, query->info->n_heads);

  if (!get_changed (query, &queries, &keys, error) ||
      (weights = new_rows (query, n, rules, error)) == NULL)
    return NULL;

  AttnAttention attention = {
    .query = attn_vectors_wrap (queries, query->info->n_heads),
    .key = attn_vectors_wrap (keys, query->info->n_heads),
    .rules = *rules,
    .heads = query->heads,
    .weights = weights,
    .interventions = query->interventions,
    .seen.layer = query->layer,
    .cancellable = query->cancellable,
  };
  return attn_attention_compute (&attention, error) ? g_steal_pointer (&weights) : NULL;
}

/* Returns the layer at which a pass with the interventions must begin. */
static gsize
find_first_touched (const Query *query)
{
  return MIN (query->layer, attn_interventions_find_first_layer (query->interventions));
}

static AttnTensor *
compute_forward (const Query  *query,
                 GError      **error)
{
  g_autofree AttnKept *kept = g_new0 (AttnKept, query->info->n_layers);
  AttnTensor *weights = NULL;

  if (run_forward (query, query->interventions, ATTN_QUANTITY_WEIGHTS, query->heads,
                   find_first_touched (query), kept, error))
    weights = attn_tensor_ref (attn_kept_get (&kept[query->layer], ATTN_QUANTITY_WEIGHTS));
  attn_kept_clear (&kept[query->layer]);
  return weights;
}

/* Checks the arguments of a request and stores them in @query. */
static gboolean
query_init (Query               *query,
            AttnTrace           *baseline,
            gsize                layer,
            const AttnIndexSet  *heads,
            GPtrArray           *interventions,
            const AttnProgress  *progress,
            GCancellable        *cancellable,
            GError             **error)
{
  *query = (Query) {
    .trace = baseline,
    .info = &baseline->model->info,
    .layer = layer,
    .heads = heads,
    .interventions = interventions,
    .progress = progress,
    .cancellable = cancellable,
  };

  g_return_val_if_fail (baseline->is_baseline, FALSE);
  if (layer >= query->info->n_layers)
    return attn_fail (error, ATTN_ERROR_ARGUMENT, _("layer %zu found, expected 0 to %zu"), layer,
                      query->info->n_layers - 1);
  return attn_model_check_map (baseline->model, layer, error) &&
         attn_index_set_check (heads, query->info->n_heads, _("heads"), error) &&
         attn_interventions_check (interventions, baseline->model, baseline->n_ids, error) &&
         attn_interventions_prepare (interventions, cancellable, error) &&
         !g_cancellable_set_error_if_cancelled (cancellable, error);
}

/**
 * attn_trace_compute_weights:
 * @baseline: a trace without interventions; what it does not keep of @layer is computed and stays
 *   with it until another layer is asked for
 * @layer: the layer to compute the weights of
 * @heads: (nullable): the heads to compute, %NULL for all
 * @interventions: (nullable) (element-type AttnIntervention): applied in the order of the array
 * @progress: (nullable): told once a layer, where layers have to be computed
 * @cancellable: (nullable)
 * @error: return location: %ATTN_ERROR_ARGUMENT for layers, heads or interventions that the model
 *   does not have, %ATTN_ERROR_MEMORY, %G_IO_ERROR_CANCELLED
 *
 * Computes the weights of one layer after @interventions, by the cheapest of four ways that agree
 * up to rounding:
 *
 * 1. Nothing touches them (such as a change of the layer's own values): the baseline's own, not
 *    copied where the heads lie side by side.
 * 2. Queries or keys are scaled for all tokens, in this layer only, with no norm, cap or slope
 *    behind: softmax (ε S) of the baseline's scores, O(T^2) a head and no matrix product.
 * 3. Only this layer is touched: from its queries and keys, the heads asked for only.
 * 4. A forward pass from the first layer touched.
 *
 * Any thread may call; two calls on the same trace wait for each other while one fills in what it
 * lacks.
 *
 * Returns: (transfer full) (nullable): [heads asked for, T, T], or [.., T, S] of a recording
 */
AttnTensor *
attn_trace_compute_weights (AttnTrace           *baseline,
                            gsize                layer,
                            const AttnIndexSet  *heads,
                            GPtrArray           *interventions,
                            const AttnProgress  *progress,
                            GCancellable        *cancellable,
                            GError             **error)
{
  g_autoptr (AttnDeferred) deferred = NULL;
  g_autoptr (AttnTensor) weights = attn_trace_defer_weights (
      baseline, layer, heads, interventions, progress, cancellable, &deferred, error);

  if (deferred != NULL && !attn_deferred_finish (deferred, cancellable, error))
    return NULL;
  return g_steal_pointer (&weights);
}

/**
 * attn_trace_defer_weights:
 * @deferred: (out): the object by which the caller fills the weights before they are read; %NULL if
 *   they are filled already
 *
 * Does what [func@attn_trace_compute_weights] does, but computes no row yet if it takes the second
 * way: a caller that works on one row after the other has each computed just before, so that it
 * still is in the processor's cache.
 */
AttnTensor *
attn_trace_defer_weights (AttnTrace           *baseline,
                          gsize                layer,
                          const AttnIndexSet  *heads,
                          GPtrArray           *interventions,
                          const AttnProgress  *progress,
                          GCancellable        *cancellable,
                          AttnDeferred       **deferred,
                          GError             **error)
{
  Query query;

  *deferred = NULL;
  if (!query_init (&query, baseline, layer, heads, interventions, progress, cancellable, error))
    return NULL;

  switch (find_route (&query))
    {
    case ROUTE_CLOSED_FORM:
      return can_keep_maps (&query, ATTN_QUANTITY_SCORES)
                 ? defer_closed_form (&query, deferred, error)
                 : compute_from_layer (&query, error);
    case ROUTE_LAYER:
      return compute_from_layer (&query, error);
    case ROUTE_FORWARD:
      return compute_forward (&query, error);
    case ROUTE_BASELINE:
    default:
      {
        if (!can_keep_maps (&query, ATTN_QUANTITY_WEIGHTS))
          return compute_from_layer (&query, error);
        g_autoptr (AttnTensor) all = get_baseline (&query, ATTN_QUANTITY_WEIGHTS, error);

        return all != NULL ? select_heads (&query, all, error) : NULL;
      }
    }
}

/* Computes the mean over heads without holding the maps of all heads at once. */
static AttnTensor *
average_one_by_one (const Query  *query,
                    GError      **error)
{
  gsize n_heads = query->info->n_heads;
  g_autoptr (AttnTensor) mean = NULL;

  for (gsize head = 0; head < n_heads; head++)
    {
      g_autoptr (AttnIndexSet) heads = attn_index_set_new_range (head, head);
      g_autoptr (AttnTensor) weights =
          attn_trace_compute_weights (query->trace, query->layer, heads, query->interventions,
                                      query->progress, query->cancellable, error);

      if (weights == NULL ||
          (mean == NULL && (mean = attn_tensor_new (2, weights->shape + 1, error)) == NULL))
        return NULL;
      attn_ops_add (mean->data, weights->data, attn_tensor_get_n_elements (mean));
    }
  attn_ops_scale (mean->data, 1.0f / (float) n_heads, attn_tensor_get_n_elements (mean));
  return g_steal_pointer (&mean);
}

/* Computes the mean of the heads' weights, all of which are in memory for it, if it cannot be
 * computed from the scores. */
static AttnTensor *
average_weights (const Query  *query,
                 GError      **error)
{
  g_autoptr (AttnTensor) all =
      attn_trace_compute_weights (query->trace, query->layer, NULL, query->interventions,
                                  query->progress, query->cancellable, error);
  AttnTensor *mean = all != NULL ? attn_tensor_new_unset (2, all->shape + 1, error) : NULL;

  if (mean != NULL)
    attn_attention_average (all, attn_threads_get (), mean);
  return mean;
}

/* Computes the means over heads for which @is_scaled is set, reading the scores only once.
 * @queries, @means: [n]. */
static gboolean
rescale_means (const Query     *queries,
               const gboolean  *is_scaled,
               gsize            n,
               AttnTensor     **means,
               GError         **error)
{
  const AttnScoreRules *rules = attn_model_get_rules (queries->trace->model, queries->layer);
  gsize n_heads = queries->info->n_heads;
  g_autofree float *factors = g_new (float, n *n_heads);
  g_autoptr (GPtrArray) maps = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_tensor_unref);
  g_autoptr (AttnTensor) scores = get_baseline (queries, ATTN_QUANTITY_SCORES, error);

  for (gsize i = 0; i < n && scores != NULL; i++)
    {
      if (!is_scaled[i])
        continue;
      float *own = factors + maps->len * n_heads;
      guint place = 0;

      for (gsize head = 0; head < n_heads; head++)
        own[head] = (float) get_factor (&queries[i], head);
      /* Lists of heads with equal factors, as for an ε that scales queries and one that scales
       * keys, share a map. */
      while (place < maps->len &&
             memcmp (factors + place * n_heads, own, n_heads * sizeof (float)) != 0)
        place++;
      if (place == maps->len)
        {
          AttnTensor *map = new_rows (queries, 1, rules, error);

          if (map == NULL)
            return FALSE;
          g_ptr_array_add (maps, map);
        }
      means[i] = attn_tensor_slice (maps->pdata[place], 0);
    }
  if (scores != NULL)
    attn_attention_rescale_means (scores, factors, maps->len, rules, attn_threads_get (),
                                  (AttnTensor **) maps->pdata);
  return scores != NULL;
}

/**
 * attn_trace_compute_means:
 * @interventions: (array length=n): lists that may be %NULL
 * @n: how many lists there are, at least 1
 * @means: (array length=n) (inout): all %NULL before; the mean over all heads after each of the
 *   lists, on an error only for some. [T, T], or [T, S] of a recording. For the caller to unref,
 *   whatever is returned
 *
 * Computes the mean over all heads of the weights that [func@attn_trace_compute_weights] gives.
 * Where queries or keys are scaled, it needs no memory for the weights of each head, and reads the
 * scores once for all lists.
 */
gboolean
attn_trace_compute_means (AttnTrace           *baseline,
                          gsize                layer,
                          GPtrArray          **interventions,
                          gsize                n,
                          const AttnProgress  *progress,
                          GCancellable        *cancellable,
                          AttnTensor         **means,
                          GError             **error)
{
  g_autofree Query *queries = g_new0 (Query, n);
  g_autofree gboolean *is_scaled = g_new0 (gboolean, n);
  gboolean any_is_scaled = FALSE;

  for (gsize i = 0; i < n; i++)
    {
      Query *query = &queries[i];

      if (!query_init (query, baseline, layer, NULL, interventions[i], progress, cancellable,
                       error))
        return FALSE;
      gboolean can_keep = can_keep_maps (query, ATTN_QUANTITY_WEIGHTS);
      is_scaled[i] = can_keep && find_route (query) == ROUTE_CLOSED_FORM;
      any_is_scaled = any_is_scaled || is_scaled[i];
      if (!is_scaled[i])
        means[i] = can_keep ? average_weights (query, error) : average_one_by_one (query, error);
      if (!is_scaled[i] && means[i] == NULL)
        return FALSE;
    }
  return !any_is_scaled || rescale_means (queries, is_scaled, n, means, error);
}

/**
 * attn_trace_compute_mean:
 *
 * Does what [func@attn_trace_compute_means] does, for a single list of interventions.
 *
 * Returns: (transfer full) (nullable): [T, T], or [T, S] of a recording
 */
AttnTensor *
attn_trace_compute_mean (AttnTrace           *baseline,
                         gsize                layer,
                         GPtrArray           *interventions,
                         const AttnProgress  *progress,
                         GCancellable        *cancellable,
                         GError             **error)
{
  g_autoptr (AttnTensor) mean = NULL;

  return attn_trace_compute_means (baseline, layer, &interventions, 1, progress, cancellable, &mean,
                                   error)
             ? g_steal_pointer (&mean)
             : NULL;
}

/* Computes the vectors from which the weights of @layer follow: queries and keys after all
 * interventions, also those in lower layers. @queries and @keys: NULL on entry. */
gboolean
attn_trace_get_vectors (AttnTrace           *baseline,
                        gsize                layer,
                        GPtrArray           *interventions,
                        const AttnProgress  *progress,
                        GCancellable        *cancellable,
                        AttnTensor         **queries,
                        AttnTensor         **keys,
                        GError             **error)
{
  Query query;

  if (!query_init (&query, baseline, layer, NULL, interventions, progress, cancellable, error))
    return FALSE;
  if (find_route (&query) != ROUTE_FORWARD)
    return get_changed (&query, queries, keys, error);

  g_autofree AttnKept *kept = g_new0 (AttnKept, query.info->n_layers);
  if (run_forward (&query, interventions, ATTN_QUANTITY_QUERY | ATTN_QUANTITY_KEY, NULL,
                   find_first_touched (&query), kept, error))
    {
      *queries = attn_tensor_ref (attn_kept_get (&kept[layer], ATTN_QUANTITY_QUERY));
      *keys = attn_tensor_ref (attn_kept_get (&kept[layer], ATTN_QUANTITY_KEY));
    }
  attn_kept_clear (&kept[layer]);
  return *keys != NULL;
}

/**
 * attn_trace_get_sink:
 *
 * Returns: the score of @head's sink, which belongs to no key and which ε does not scale; -INFINITY
 *   if the head has no sink
 */
double
attn_trace_get_sink (AttnTrace *baseline,
                     gsize      layer,
                     gsize      head)
{
  const AttnScoreRules *rules = attn_model_get_rules (baseline->model, layer);

  return rules->sinks != NULL ? (double) rules->sinks[head] : -INFINITY;
}

/**
 * attn_trace_get_factors:
 * @head: number of a head of @layer
 * @interventions: (nullable) (element-type AttnIntervention): as for
 *   [func@attn_trace_compute_weights]
 * @queries: (array) (out caller-allocates): [T], the factor of each query
 * @keys: (array) (out caller-allocates): [T], or [S] of a recording, the factor of each key
 *
 * Returns: whether the scores of @head after @interventions are those without interventions, times
 *   the factors of their query and key; a factor is 1 where no intervention touches the vector
 */
gboolean
attn_trace_get_factors (AttnTrace *baseline,
                        gsize      layer,
                        gsize      head,
                        GPtrArray *interventions,
                        double    *queries,
                        double    *keys)
{
  g_autoptr (AttnIndexSet) heads = attn_index_set_new_range (head, head);
  Query query;

  if (!query_init (&query, baseline, layer, heads, interventions, NULL, NULL, NULL) ||
      attn_interventions_find_first_layer (interventions) < layer)
    return FALSE;
  gsize n_queries = count_vectors (&query, ATTN_COMPONENT_QUERY);
  gsize n_keys = count_vectors (&query, ATTN_COMPONENT_KEY);
  for (gsize i = 0; i < n_queries; i++)
    queries[i] = 1.0;
  for (gsize i = 0; i < n_keys; i++)
    keys[i] = 1.0;
  for (guint i = 0; interventions != NULL && i < interventions->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (interventions, i);
      double *factors = intervention->component == ATTN_COMPONENT_QUERY ? queries : keys;
      gsize n = intervention->component == ATTN_COMPONENT_QUERY ? n_queries : n_keys;

      if (!attn_intervention_changes_scores (intervention, layer))
        continue;
      if (intervention->component == ATTN_COMPONENT_RESIDUAL)
        return FALSE;
      if (!touches_head (&query, intervention, head))
        continue;
      if (!scales_scores (&query, intervention))
        return FALSE;
      for (gsize k = 0; k < n; k++)
        if (attn_index_set_contains (intervention->tokens, k))
          factors[k] *= get_own_factor (intervention);
    }
  return TRUE;
}

/**
 * attn_trace_compute_scores:
 * @head: number of a head of @layer
 * @error: return location: as for [func@attn_trace_compute_weights]
 *
 * The scores of all heads of @layer stay with the trace until another layer is asked for.
 *
 * Returns: (transfer full) (nullable): the scores of @head without interventions, not copied: [T,
 *   T], or [T, S] of a recording
 */
AttnTensor *
attn_trace_compute_scores (AttnTrace     *baseline,
                           gsize          layer,
                           gsize          head,
                           GCancellable  *cancellable,
                           GError       **error)
{
  g_autoptr (AttnIndexSet) heads = attn_index_set_new_range (head, head);
  Query query;

  if (!query_init (&query, baseline, layer, heads, NULL, NULL, cancellable, error))
    return NULL;
  g_autoptr (AttnTensor) all = get_baseline (&query, ATTN_QUANTITY_SCORES, error);
  return all != NULL ? attn_tensor_slice (all, head) : NULL;
}
