/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-maps.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-linear.h"
#include "attn-ops.h"
#include "attn-prediction.h"
#include "attn-threads.h"
#include "attn-transformer.h"
#include "attn-visible-keys.h"

const char * const attn_map_names[] = { "weights", "scores", "value-norm",
                                        "logit", "rollout", "cosine", "norms", NULL };

/**
 * AttnMaps:
 * @spec: the quantity that the maps are of
 * @trace: what was kept of the pass
 * @output: (nullable): [H d, D], the output projection of @layer
 * @directions: (nullable): [T, D]: w (u_t − u_t') / s_i of each row, w the final norm's weight
 * @rollouts: (nullable): [L, T, T] rollout of the layers up to the last requested one
 */
struct _AttnMaps
{
  AttnMapSpec spec;
  AttnModel *model;
  AttnTrace *trace;
  guint32 *ids;
  gsize n_ids;
  gsize n_layers; /* number of layers up to the last requested layer */
  gsize layer;
  AttnTensor *output;
  AttnTensor *directions;
  AttnTensor *rollouts;
};

/* Returns the reason why @model has no linear map from its heads to the logits, or %NULL if it has
 * one. */
static const char *
find_obstacle (const AttnModel *model)
{
  const AttnConfig *config = &((const AttnTransformer *) model)->config;

  if (!model->info.has_logits)
    return _("no language-model head");
  if (model->info.needs_picture)
    return _("a classifier of whole pictures");
  if (!attn_config_has_role (config, ATTN_ROLE_FINAL_NORM) ||
      attn_config_has_role (config, ATTN_ROLE_PROJECT_OUT) ||
      attn_config_has_role (config, ATTN_ROLE_HEAD))
    return _("no norm before the unembedding");
  if (config->order == ATTN_ORDER_POST_NORM || config->adds_normed ||
      attn_config_has_role (config, ATTN_ROLE_OUTPUT_NORM))
    return _("a norm after the output of the heads");
  return NULL;
}

/**
 * attn_map_check:
 * @error: return location for %ATTN_ERROR_UNSUPPORTED: a recording, which lacks what the map is
 *   computed from, or a model with norms at places where the map `logit` would not be linear;
 *   %ATTN_ERROR_LIMIT for a token beyond the vocabulary
 *
 * Returns: whether the maps that @spec describes can be computed from @model
 */
gboolean
attn_map_check (const AttnMapSpec  *spec,
                const AttnModel    *model,
                GError            **error)
{
  const AttnModelInfo *info = &model->info;
  const char *name = attn_map_names[spec->kind];
  gboolean is_of_weights = spec->kind == ATTN_MAP_WEIGHTS ||
                           (spec->kind == ATTN_MAP_ROLLOUT &&
                            (info->n_recorded_keys == 0 ||
                             info->n_recorded_keys == info->n_positions));

  if (spec->kind == ATTN_MAP_ROLLOUT && attn_model_is_cross (model))
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: keys of another sequence found, expected those of the queries for "
                        "“%s”"),
                      model->path, name);

  if (spec->kind == ATTN_MAP_ROLLOUT && info->mapped_layers != NULL)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: layers without attention weights found in a %s model, expected them "
                        "in each layer for “%s”"),
                      model->path, info->family, name);
  gboolean is_of_vectors = spec->kind == ATTN_MAP_SCORES || spec->kind == ATTN_MAP_COSINE ||
                           spec->kind == ATTN_MAP_NORMS;
  if (is_of_weights || (is_of_vectors && info->has_queries_and_keys))
    return TRUE;
  if (info->is_recording)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: recorded arrays found, expected a model that computes “%s”"),
                      model->path, name);
  if (is_of_vectors)
    return TRUE;
  if (info->has_output_gate)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: a gate after the values of each head found in a %s model, expected "
                        "values that are added as they are for “%s”"),
                      model->path, info->family, name);
  if (spec->kind != ATTN_MAP_LOGIT)
    return TRUE;

  const char *obstacle = find_obstacle (model);
  if (obstacle != NULL)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: %s found in a %s model, expected a linear way from a head to the "
                        "logits for “%s”"),
                      model->path, obstacle, info->family, name);
  const AttnAnswer answer = { spec->token, spec->versus };
  return attn_answer_check (&answer, model, error);
}

static AttnQuantity
get_kept (AttnMapKind kind)
{
  switch (kind)
    {
    case ATTN_MAP_SCORES:
      return ATTN_QUANTITY_SCORES;
    case ATTN_MAP_VALUE_NORM:
      return ATTN_QUANTITY_WEIGHTS | ATTN_QUANTITY_VALUE;
    case ATTN_MAP_LOGIT:
      return ATTN_QUANTITY_WEIGHTS | ATTN_QUANTITY_VALUE | ATTN_QUANTITY_FINAL;
    case ATTN_MAP_COSINE:
    case ATTN_MAP_NORMS:
      return ATTN_QUANTITY_QUERY | ATTN_QUANTITY_KEY;
    case ATTN_MAP_WEIGHTS:
    case ATTN_MAP_ROLLOUT:
    default:
      return ATTN_QUANTITY_WEIGHTS;
    }
}

/**
 * attn_maps_new:
 * @ids: (array length=n_ids): token ids; no special tokens are added
 * @interventions: (nullable) (element-type AttnIntervention): applied in the order of the array
 * @layers: (nullable): layers to compute maps of, %NULL for all
 * @baseline: (nullable): a trace without interventions; the layers in it that are below the first
 *   change are not computed again
 * @progress: (nullable): told once a layer
 * @cancellable: (nullable)
 * @error: return location: errors of [func@attn_map_check] and [func@attn_trace_compute]
 *
 * Runs one pass and keeps what the maps of @layers are computed from; for `rollout`, which depends
 * on the layers below, of all layers up to the last of @layers.
 *
 * Returns: (transfer full) (nullable): what [func@attn_maps_compute] computes maps from
 */
AttnMaps *
attn_maps_new (const AttnMapSpec   *spec,
               AttnModel           *model,
               const guint32       *ids,
               gsize                n_ids,
               GPtrArray           *interventions,
               AttnIndexSet        *layers,
               const AttnTrace     *baseline,
               const AttnProgress  *progress,
               GCancellable        *cancellable,
               GError             **error)
{
  const AttnModelInfo *info = &model->info;
  gsize n_layers = info->n_layers;

  if (!attn_map_check (spec, model, error) ||
      !attn_index_set_check (layers, info->n_layers, _("layers"), error))
    return NULL;
  if (!attn_model_info_check_maps (info, layers, error))
    return NULL;
  if (layers == NULL)
    layers = info->mapped_layers;
  while (n_layers > 1 && !attn_index_set_contains (layers, n_layers - 1))
    n_layers--;

  g_autoptr (AttnIndexSet) below = attn_index_set_new_range (0, n_layers - 1);
  const AttnTraceRequest request = {
    .ids = ids,
    .n_ids = n_ids,
    .interventions = interventions,
    .keep = get_kept (spec->kind),
    .layers = spec->kind == ATTN_MAP_ROLLOUT ? below : layers,
  };
  AttnTrace *trace =
      attn_trace_compute (model, &request, baseline, progress, cancellable, error);
  if (trace == NULL)
    return NULL;

  AttnMaps *maps = g_new0 (AttnMaps, 1);
  maps->spec = *spec;
  maps->model = attn_model_ref (model);
  maps->trace = trace;
  maps->ids = g_memdup2 (ids, n_ids * sizeof *ids);
  maps->n_ids = n_ids;
  maps->n_layers = n_layers;
  return maps;
}

void
attn_maps_free (AttnMaps *maps)
{
  if (maps == NULL)
    return;
  g_clear_pointer (&maps->output, attn_tensor_unref);
  g_clear_pointer (&maps->directions, attn_tensor_unref);
  g_clear_pointer (&maps->rollouts, attn_tensor_unref);
  attn_trace_unref (maps->trace);
  attn_model_unref (maps->model);
  g_free (maps->ids);
  g_free (maps);
}

/* Computes C = A B from A, [m, k], and B, [k, n]; or C = A B^T from B, [n, k], if
 * @is_transposed. */
static void
multiply (const float *a,
          const float *b,
          gboolean     is_transposed,
          gsize        m,
          gsize        k,
          gsize        n,
          float       *c)
{
  const AttnLinear linear = {
    .x = a,
    .n_rows = m,
    .n_in = k,
    .n_out = n,
    .weight = b,
    .is_input_major = !is_transposed,
    .out = c,
    .out_stride = n,
  };

  attn_linear_run (&linear, attn_threads_get ());
}

/* Reads the output projection of @layer as [H d, D], even if the file has it transposed, unless the
 * matrix was read already. */
static gboolean
need_output (AttnMaps  *maps,
             gsize      layer,
             GError   **error)
{
  const AttnTransformer *transformer = (const AttnTransformer *) maps->model;
  gsize width = transformer->config.width;

  if (maps->output != NULL && maps->layer == layer)
    return TRUE;
  g_clear_pointer (&maps->output, attn_tensor_unref);
  maps->layer = layer;
  g_autoptr (AttnTensor) stored = attn_array_to_tensor (
      attn_weights_get (transformer->weights,
                        transformer->is_cross ? ATTN_ROLE_CROSS_OUTPUT : ATTN_ROLE_OUTPUT, layer),
      error);
  if (stored == NULL || transformer->config.is_input_major)
    {
      maps->output = g_steal_pointer (&stored);
      return maps->output != NULL;
    }

  const gsize shape[] = { stored->shape[1], width };
  maps->output = attn_tensor_new_unset (2, shape, error);
  for (gsize i = 0; maps->output != NULL && i < shape[0]; i++)
    for (gsize j = 0; j < width; j++)
      maps->output->data[i * width + j] = stored->data[j * shape[0] + i];
  return maps->output != NULL;
}

/* Adds @sign times the row of @token in the unembedding to @out, [D]. A negative @token adds
 * nothing. @row: [D], scratch */
static gboolean
add_unembedding (const AttnMaps  *maps,
                 gint64           token,
                 float            sign,
                 float           *row,
                 float           *out,
                 GError         **error)
{
  const AttnTransformer *transformer = (const AttnTransformer *) maps->model;
  const AttnArray *array = attn_weights_get (transformer->weights, ATTN_ROLE_LOGITS, 0);
  gsize width = transformer->config.width;

  if (token < 0)
    return TRUE;
  if (!attn_array_read (array, (gsize) token * width, width, row, error))
    return FALSE;
  for (gsize i = 0; i < width; i++)
    out[i] += sign * row[i];
  return TRUE;
}

/* Multiplies @direction, [D], by the final norm's linear part at row @x of the residual stream: its
 * weight, if it has one, its centering and its divisor, and the model's factors before and after
 * the norm. */
static void
apply_norm (const AttnConfig *config,
            const float      *x,
            const float      *scale,
            float            *direction)
{
  gsize width = config->width;
  gboolean is_centred = config->norm == ATTN_NORM_LAYER;
  double mean = 0.0, square = 0.0, sum = 0.0;

  for (gsize i = 0; is_centred && i < width; i++)
    mean += x[i] / (double) width;
  for (gsize i = 0; i < width; i++)
    square += (x[i] - mean) * (x[i] - mean) / (double) width;
  for (gsize i = 0; i < width; i++)
    {
      if (scale != NULL)
        direction[i] *= scale[i] + (config->norm == ATTN_NORM_RMS_OFFSET ? 1.0f : 0.0f);
      sum += direction[i] / (double) width;
    }
  double divisor = sqrt (square + config->norm_epsilon) /
                   (config->residual_multiplier * config->logit_scale);
  for (gsize i = 0; i < width; i++)
    direction[i] = (float) ((direction[i] - (is_centred ? sum : 0.0)) / divisor);
}

static gboolean
need_directions (AttnMaps  *maps,
                 GError   **error)
{
  const AttnTransformer *transformer = (const AttnTransformer *) maps->model;
  gsize width = transformer->config.width;
  const gsize shape[] = { maps->n_ids, width };
  g_autoptr (AttnTensor) final = attn_trace_get (maps->trace, ATTN_QUANTITY_FINAL, 0);
  g_autoptr (AttnTensor) scale = NULL;
  g_autofree float *row = g_new (float, width);

  if (maps->directions != NULL)
    return TRUE;
  if (!attn_weights_load (transformer->weights, ATTN_ROLE_FINAL_NORM, ATTN_SLOT_WEIGHT, &scale,
                          error))
    return FALSE;
  g_autoptr (AttnTensor) directions = attn_tensor_new (2, shape, error);
  for (gsize i = 0; directions != NULL && i < maps->n_ids; i++)
    {
      gboolean is_next = maps->spec.token == ATTN_MAP_TOKEN_NEXT;
      gint64 token = !is_next              ? maps->spec.token
                     : i + 1 < maps->n_ids ? (gint64) maps->ids[i + 1]
                                           : -1;
      float *direction = directions->data + i * width;

      if (!add_unembedding (maps, token, 1.0f, row, direction, error) ||
          !add_unembedding (maps, maps->spec.versus, -1.0f, row, direction, error))
        return FALSE;
      apply_norm (&transformer->config, final->data + i * width,
                  scale != NULL ? scale->data : NULL, direction);
      for (gsize k = 0; token < 0 && k < width; k++)
        direction[k] = NAN;
    }
  maps->directions = g_steal_pointer (&directions);
  return maps->directions != NULL;
}

/* Computes ‖v_j W_O^h‖ A[i,j], see %ATTN_MAP_VALUE_NORM. @out: [n_rows, S], (inout): the weights
 * A */
static gboolean
scale_by_norms (const AttnTensor  *values,
                const float       *output,
                gsize              width,
                gsize              n_rows,
                float             *out,
                GError           **error)
{
  gsize n = values->shape[0];
  const gsize shape[] = { n, width };
  g_autoptr (AttnTensor) moved = attn_tensor_new_unset (2, shape, error);
  g_autofree float *norms = g_new (float, n);

  if (moved == NULL)
    return FALSE;
  multiply (values->data, output, FALSE, n, values->shape[1], width, moved->data);
  for (gsize j = 0; j < n; j++)
    {
      double sum = 0.0;

      for (gsize k = 0; k < width; k++)
        sum += (double) moved->data[j * width + k] * moved->data[j * width + k];
      norms[j] = (float) sqrt (sum);
    }
  for (gsize i = 0; i < n_rows; i++)
    attn_ops_multiply (out + i * n, norms, n);
  return TRUE;
}

/* Computes v_j · (W_O^h g_i) A[i,j], see %ATTN_MAP_LOGIT; g_i is row i of @directions. @out: [T,
 * S], (inout): the weights A */
static gboolean
scale_by_logits (const AttnTensor  *values,
                 const float       *output,
                 const AttnTensor  *directions,
                 float             *out,
                 GError           **error)
{
  gsize n = values->shape[0];
  gsize head_width = values->shape[1];
  gsize n_rows = directions->shape[0];
  const gsize seen[] = { n_rows, head_width };
  const gsize shape[] = { n_rows, n };
  g_autoptr (AttnTensor) projected = attn_tensor_new_unset (2, seen, error);
  g_autoptr (AttnTensor) products =
      projected != NULL ? attn_tensor_new_unset (2, shape, error) : NULL;

  if (products == NULL)
    return FALSE;
  multiply (directions->data, output, TRUE, n_rows, directions->shape[1], head_width,
            projected->data);
  multiply (projected->data, values->data, TRUE, n_rows, head_width, n, products->data);
  attn_ops_multiply (out, products->data, n_rows * n);
  return TRUE;
}

/* Measures the length of each vector, and divides the vector by it if @is_unit. A vector of zeros,
 * which has no direction, becomes NaN. */
static void
measure_lengths (AttnTensor *vectors,
                 gboolean    is_unit,
                 double     *lengths)
{
  gsize width = vectors->shape[1];

  for (gsize i = 0; i < vectors->shape[0]; i++)
    {
      float *vector = vectors->data + i * width;
      double sum = 0.0;

      for (gsize k = 0; k < width; k++)
        sum += (double) vector[k] * vector[k];
      lengths[i] = sqrt (sum);
      for (gsize k = 0; is_unit && k < width; k++)
        vector[k] = lengths[i] > 0.0 ? (float) (vector[k] / lengths[i]) : NAN;
    }
}

static AttnTensor *
dup_vectors (const AttnMaps  *maps,
             AttnQuantity     quantity,
             gsize            layer,
             gsize            head,
             GError         **error)
{
  g_autoptr (AttnTensor) all = attn_trace_get (maps->trace, quantity, layer);

  if (all == NULL)
    return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                           _("%s: recorded arrays found, expected a model that computes “%s”"),
                           maps->model->path, attn_map_names[maps->spec.kind]);
  g_autoptr (AttnTensor) slice =
      attn_tensor_slice (all, head / (maps->model->info.n_heads / all->shape[0]));
  return attn_tensor_copy (slice, error);
}

/* Computes a head's map of cosines, or of the products of the lengths of its queries and keys. */
static AttnTensor *
compare_vectors (const AttnMaps  *maps,
                 gsize            layer,
                 gsize            head,
                 GError         **error)
{
  const AttnScoreRules *rules = attn_model_get_rules (maps->model, layer);
  gboolean is_cosine = maps->spec.kind == ATTN_MAP_COSINE;
  g_autoptr (AttnTensor) queries = dup_vectors (maps, ATTN_QUANTITY_QUERY, layer, head, error);
  g_autoptr (AttnTensor) keys =
      queries != NULL ? dup_vectors (maps, ATTN_QUANTITY_KEY, layer, head, error) : NULL;

  if (keys == NULL)
    return NULL;
  const gsize shape[] = { queries->shape[0], keys->shape[0] };
  g_autoptr (AttnTensor) map = attn_tensor_new_unset (2, shape, error);
  g_autofree double *rows = g_new (double, shape[0]);
  g_autofree double *columns = g_new (double, shape[1]);

  if (map == NULL)
    return NULL;
  measure_lengths (queries, is_cosine, rows);
  measure_lengths (keys, is_cosine, columns);
  if (is_cosine)
    multiply (queries->data, keys->data, TRUE, shape[0], queries->shape[1], shape[1], map->data);
  for (gsize i = 0; i < shape[0]; i++)
    {
      float *out = map->data + i * shape[1];
      gsize begin;
      gsize end;

      attn_rules_get_visible_keys (rules, shape[1], i, &begin, &end);
      for (gsize j = 0; j < shape[1]; j++)
        if (j < begin || j >= end)
          out[j] = NAN;
        else if (is_cosine)
          out[j] = isnan (out[j]) ? NAN : CLAMP (out[j], -1.0f, 1.0f);
        else
          out[j] = (float) (rows[i] * columns[j] * rules->factor);
    }
  return g_steal_pointer (&map);
}

/* Copies one head of the kept scores or weights, [H, T, T], so that the caller may change it. */
static AttnTensor *
dup_head (const AttnMaps  *maps,
          AttnQuantity     quantity,
          gsize            layer,
          gsize            head,
          GError         **error)
{
  g_autoptr (AttnTensor) all = attn_trace_get (maps->trace, quantity, layer);

  if (all == NULL)
    return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                           _("%s: recorded arrays found, expected a model that computes “%s”"),
                           maps->model->path, attn_map_names[maps->spec.kind]);
  g_autoptr (AttnTensor) slice = attn_tensor_slice (all, head);
  return attn_tensor_copy (slice, error);
}

static AttnTensor *
compute_head (AttnMaps  *maps,
              gsize      layer,
              gsize      head,
              GError   **error)
{
  const AttnModelInfo *info = &maps->model->info;
  gboolean is_score = maps->spec.kind == ATTN_MAP_SCORES;

  if (maps->spec.kind == ATTN_MAP_COSINE || maps->spec.kind == ATTN_MAP_NORMS)
    return compare_vectors (maps, layer, head, error);
  g_autoptr (AttnTensor) map = dup_head (
      maps, is_score ? ATTN_QUANTITY_SCORES : ATTN_QUANTITY_WEIGHTS, layer, head, error);

  if (map == NULL || maps->spec.kind == ATTN_MAP_WEIGHTS)
    return g_steal_pointer (&map);
  if (is_score)
    {
      for (gsize i = 0; i < attn_tensor_get_n_elements (map); i++)
        if (map->data[i] == -INFINITY)
          map->data[i] = NAN;
      return g_steal_pointer (&map);
    }

  g_autoptr (AttnTensor) all = attn_trace_get (maps->trace, ATTN_QUANTITY_VALUE, layer);
  g_autoptr (AttnTensor) values =
      attn_tensor_slice (all, head / (info->n_heads / all->shape[0]));
  if (!need_output (maps, layer, error))
    return NULL;
  const float *output = maps->output->data + head * values->shape[1] * info->width;
  gboolean is_done =
      maps->spec.kind == ATTN_MAP_VALUE_NORM
          ? scale_by_norms (values, output, info->width, map->shape[0], map->data, error)
          : need_directions (maps, error) &&
                scale_by_logits (values, output, maps->directions, map->data, error);
  return is_done ? g_steal_pointer (&map) : NULL;
}

/* Computes the rollout matrix of every layer up to the last requested one, unless that was done
 * already. */
static gboolean
need_rollouts (AttnMaps  *maps,
               GError   **error)
{
  gsize n = maps->n_ids;
  const gsize shape[] = { maps->n_layers, n, n };

  if (maps->rollouts != NULL)
    return TRUE;
  g_autoptr (AttnTensor) rollouts = attn_tensor_new_unset (3, shape, error);
  g_autoptr (AttnTensor) mean = rollouts != NULL ? attn_tensor_new (2, shape + 1, error) : NULL;
  for (gsize layer = 0; mean != NULL && layer < maps->n_layers; layer++)
    {
      g_autoptr (AttnTensor) weights =
          attn_trace_get (maps->trace, ATTN_QUANTITY_WEIGHTS, layer);
      float *out = rollouts->data + layer * n * n;

      attn_attention_average (weights, attn_threads_get (), mean);
      for (gsize i = 0; i < n; i++)
        for (gsize j = 0; j < n; j++)
          mean->data[i * n + j] = (mean->data[i * n + j] + (i == j ? 1.0f : 0.0f)) / 2.0f;
      if (layer == 0)
        memcpy (out, mean->data, n * n * sizeof (float));
      else
        multiply (mean->data, out - n * n, FALSE, n, n, n, out);
    }
  if (mean != NULL)
    maps->rollouts = g_steal_pointer (&rollouts);
  return maps->rollouts != NULL;
}

/**
 * attn_maps_compute:
 * @layer: one of the layers that @maps was made for
 * @head: number of a head, or %ATTN_MAPS_MEAN
 * @error: return location: %ATTN_ERROR_MEMORY, %ATTN_ERROR_UNSUPPORTED for a recording that lacks
 *   what the map is computed from
 *
 * Returns: (transfer full) (nullable): the map, [T, T] float32, a row for each query and a column
 *   for each key
 */
AttnTensor *
attn_maps_compute (AttnMaps  *maps,
                   gsize      layer,
                   int        head,
                   GError   **error)
{
  gsize n_heads = maps->model->info.n_heads;

  g_return_val_if_fail (layer < maps->n_layers && head < (int) n_heads, NULL);

  if (maps->spec.kind == ATTN_MAP_ROLLOUT)
    return need_rollouts (maps, error) ? attn_tensor_slice (maps->rollouts, layer) : NULL;
  if (head >= 0)
    return compute_head (maps, layer, (gsize) head, error);

  g_autoptr (AttnTensor) mean = NULL;
  for (gsize i = 0; i < n_heads; i++)
    {
      AttnTensor *map = compute_head (maps, layer, i, error);

      if (map == NULL)
        return NULL;
      if (mean == NULL)
        {
          mean = map;
          continue;
        }
      attn_ops_add (mean->data, map->data, attn_tensor_get_n_elements (map));
      attn_tensor_unref (map);
    }
  attn_ops_scale (mean->data, 1.0f / (float) n_heads, attn_tensor_get_n_elements (mean));
  return g_steal_pointer (&mean);
}
