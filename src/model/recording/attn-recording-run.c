/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Answers a request for a forward pass over a recording: reads what it has of each layer, applies
 * interventions, and computes scores and weights from queries and keys. */

#include "config.h"

#include "attn-recording-run.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"

/* Reads the first @n_rows rows and @n_columns columns of each of the @n_heads matrices of a layer.
 * Returns: [n_heads, n_rows, n_columns] */
static AttnTensor *
read_layer (const AttnArray  *array,
            gsize             layer,
            gsize             n_heads,
            gsize             n_all_rows,
            gsize             n_all_columns,
            gsize             n_rows,
            gsize             n_columns,
            GError          **error)
{
  const gsize shape[] = { n_heads, n_rows, n_columns };
  g_autoptr (AttnTensor) tensor = attn_tensor_new (3, shape, error);

  for (gsize head = 0; tensor != NULL && head < n_heads; head++)
    {
      gsize first = (layer * n_heads + head) * n_all_rows * n_all_columns;
      float *out = tensor->data + head * n_rows * n_columns;
      /* Whole rows lie one behind the other in the file: one read gets them all. */
      gsize n_runs = n_columns == n_all_columns ? 1 : n_rows;
      gsize n_run = n_columns == n_all_columns ? n_rows * n_columns : n_columns;

      for (gsize i = 0; i < n_runs; i++)
        if (!attn_array_read (array, first + i * n_all_columns, n_run, out + i * n_run, error))
          return NULL;
    }
  return g_steal_pointer (&tensor);
}

static void
intervene (const AttnRecording *recording,
           const AttnForward   *forward,
           gsize                layer,
           AttnKept            *kept)
{
  static const AttnQuantity quantities[ATTN_N_COMPONENTS] = {
    [ATTN_COMPONENT_QUERY] = ATTN_QUANTITY_QUERY,
    [ATTN_COMPONENT_KEY] = ATTN_QUANTITY_KEY,
    [ATTN_COMPONENT_VALUE] = ATTN_QUANTITY_VALUE,
  };

  for (guint i = 0; forward->interventions != NULL && i < forward->interventions->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (forward->interventions, i);
      const AttnTensor *tensor = intervention->component < ATTN_N_COMPONENTS
                                     ? attn_kept_get (kept, quantities[intervention->component])
                                     : NULL;

      if (tensor == NULL || !attn_index_set_contains (intervention->layers, layer))
        continue;
      AttnVectors vectors = attn_vectors_wrap (tensor, recording->model.info.n_heads);
      attn_vectors_intervene (&vectors, intervention, layer, NULL);
    }
}

/* Tells whether the recorded weights of a layer can be used as they are: the file has weights, and
 * no intervention changes the scores of the layer. */
static gboolean
has_weights (const AttnRecording *recording,
             const AttnForward   *forward,
             gsize                layer)
{
  return recording->weights != NULL &&
         !attn_interventions_change_scores (forward->interventions, layer);
}

/* Computes the attention of a layer from its queries and keys. @scores, @weights: (nullable): what
 * to fill in; @first_column: (nullable): gets the weights on key 0, [H, T] */
static gboolean
multiply (const AttnRecording  *recording,
          const AttnForward    *forward,
          gsize                 layer,
          const AttnKept       *kept,
          AttnTensor           *scores,
          AttnTensor           *weights,
          float                *first_column,
          GError              **error)
{
  gsize n_heads = recording->model.info.n_heads;
  AttnAttention attention = {
    .query = attn_vectors_wrap (attn_kept_get (kept, ATTN_QUANTITY_QUERY), n_heads),
    .key = attn_vectors_wrap (attn_kept_get (kept, ATTN_QUANTITY_KEY), n_heads),
    .rules = *attn_model_get_rules (&recording->model, layer),
    .scores = scores,
    .weights = weights,
    .first_column = first_column,
    .interventions = forward->interventions,
    .seen.layer = layer,
    .cancellable = forward->cancellable,
  };

  return attn_attention_compute (&attention, error);
}

/* Sets the weights of a layer, as recorded, or computed from queries and keys if there are no
 * recorded ones or an intervention changes them; and, if there are queries and keys, the scores. */
static gboolean
load_maps (const AttnRecording  *recording,
           const AttnForward    *forward,
           gsize                 layer,
           AttnKept             *kept,
           GError              **error)
{
  const AttnModelInfo *info = &recording->model.info;
  const gsize shape[] = { info->n_heads, forward->n_ids,
                          attn_model_count_keys (&recording->model, forward->n_ids) };
  gsize n_columns =
      recording->n_keys == info->n_positions ? forward->n_ids : recording->n_keys;
  AttnTensor **scores = attn_kept_place (kept, ATTN_QUANTITY_SCORES);
  AttnTensor **weights = attn_kept_place (kept, ATTN_QUANTITY_WEIGHTS);
  gboolean is_recorded = has_weights (recording, forward, layer);

  *weights = is_recorded ? read_layer (recording->weights, layer, info->n_heads,
                                       info->n_positions, recording->n_keys, forward->n_ids,
                                       n_columns, error)
                         : attn_tensor_new (3, shape, error);
  if (*weights == NULL || recording->query == NULL)
    return *weights != NULL;
  *scores = attn_tensor_new (3, shape, error);
  return *scores != NULL && multiply (recording, forward, layer, kept, *scores,
                                      is_recorded ? NULL : *weights, NULL, error);
}

/* Sets @column to the weight of each query on key 0, [H, T], without keeping all weights in
 * memory. */
static gboolean
find_first_column (const AttnRecording  *recording,
                   const AttnForward    *forward,
                   gsize                 layer,
                   const AttnKept       *kept,
                   float                *column,
                   GError              **error)
{
  const AttnModelInfo *info = &recording->model.info;

  if (!has_weights (recording, forward, layer))
    return multiply (recording, forward, layer, kept, NULL, NULL, column, error);
  for (gsize head = 0; head < info->n_heads; head++)
    for (gsize row = 0; row < forward->n_ids; row++)
      {
        gsize index = (layer * info->n_heads + head) * info->n_positions + row;

        if (!attn_array_read (recording->weights, index * recording->n_keys, 1,
                              column + head * forward->n_ids + row, error))
          return FALSE;
      }
  return TRUE;
}

/* Sets the sink score of each head of the layer, its mean weight on key 0. */
static gboolean
set_sink_scores (const AttnRecording  *recording,
                 const AttnForward    *forward,
                 gsize                 layer,
                 const AttnKept       *kept,
                 GError              **error)
{
  const AttnTensor *weights = attn_kept_get (kept, ATTN_QUANTITY_WEIGHTS);
  gsize n_heads = recording->model.info.n_heads;
  gsize n_rows = forward->n_ids;
  gsize stride = weights != NULL ? weights->shape[2] : 1;
  g_autofree float *column = weights == NULL ? g_new (float, n_heads *n_rows) : NULL;

  if (weights == NULL &&
      !find_first_column (recording, forward, layer, kept, column, error))
    return FALSE;
  const float *value = weights != NULL ? weights->data : column;
  for (gsize head = 0; head < n_heads; head++)
    {
      double sum = 0.0;

      for (gsize i = 0; i < n_rows; i++, value += stride)
        sum += *value;
      forward->sink_scores[layer * n_heads + head] = (float) (sum / (double) n_rows);
    }
  return TRUE;
}

/* Reads queries, keys and values of a layer, applies the interventions to them, and sets the
 * scores, weights and sink scores that the request asks for. */
static gboolean
load_layer (const AttnRecording  *recording,
            const AttnForward    *forward,
            gsize                 layer,
            AttnKept             *kept,
            GError              **error)
{
  const AttnModelInfo *info = &recording->model.info;
  gsize n_keys = attn_model_count_keys (&recording->model, forward->n_ids);
  const struct
  {
    const AttnArray *array;
    AttnQuantity quantity;
    gsize n_heads;
    gsize n_all_rows;
    gsize n_rows;
  } vectors[] = {
    { recording->query, ATTN_QUANTITY_QUERY, info->n_heads, info->n_positions, forward->n_ids },
    { recording->key, ATTN_QUANTITY_KEY, info->n_key_heads, recording->n_keys, n_keys },
    { recording->value, ATTN_QUANTITY_VALUE, info->n_key_heads, recording->n_keys, n_keys },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (vectors); i++)
    if (vectors[i].array != NULL)
      {
        const AttnArray *array = vectors[i].array;
        gsize width = array->shape[array->n_dims - 1];
        AttnTensor **place = attn_kept_place (kept, vectors[i].quantity);

        *place = read_layer (array, layer, vectors[i].n_heads, vectors[i].n_all_rows, width,
                             vectors[i].n_rows, width, error);
        if (*place == NULL)
          return FALSE;
      }
  intervene (recording, forward, layer, kept);
  return ((forward->keep & (ATTN_QUANTITY_SCORES | ATTN_QUANTITY_WEIGHTS)) == 0 ||
          load_maps (recording, forward, layer, kept, error)) &&
         (forward->sink_scores == NULL ||
          set_sink_scores (recording, forward, layer, kept, error));
}

/**
 * attn_recording_run:
 * @forward: the request, whose model is an #AttnRecording; sink scores are set for its layers only
 * @error: return location: %ATTN_ERROR_UNSUPPORTED for logits and for an intervention in a layer
 *   below one that is asked for, %ATTN_ERROR_MEMORY, %G_IO_ERROR_CANCELLED
 *
 * Does for a recording what [func@attn_forward_run] does for a checkpoint. Each layer is read by
 * itself: a recording has no weights to run a layer with, so a change in one layer cannot reach the
 * layers above.
 */
gboolean
attn_recording_run (const AttnForward  *forward,
                    GError            **error)
{
  const AttnRecording *recording = (const AttnRecording *) forward->model;
  const AttnModelInfo *info = &recording->model.info;
  const char *path = recording->model.path;
  gsize first_changed = attn_interventions_find_first_layer (forward->interventions);

  if (forward->keep & ATTN_QUANTITY_LOGITS)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: recorded arrays found, expected a model for the logits"), path);

  for (gsize layer = 0; layer < info->n_layers; layer++)
    {
      AttnKept all = { 0 };

      if (g_cancellable_set_error_if_cancelled (forward->cancellable, error))
        return FALSE;
      if (!attn_index_set_contains (forward->layers, layer))
        continue;
      if (first_changed < layer)
        return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                          _("%s: an intervention below the layer on display found, expected one "
                            "in that layer, since arrays hold no layers that could be run"),
                          path);
      gboolean is_loaded =
          load_layer (recording, forward, layer, &all, error);
      for (gsize i = 0; is_loaded && i < ATTN_N_LAYER_QUANTITIES; i++)
        if ((forward->keep & 1u << i) != 0 && forward->kept[layer].tensors[i] == NULL)
          forward->kept[layer].tensors[i] = g_steal_pointer (&all.tensors[i]);
      attn_kept_clear (&all);
      if (!is_loaded)
        return FALSE;
    }
  return TRUE;
}

/**
 * attn_recording_read_rows:
 * @model: an #AttnRecording with weights
 * @weights: (out caller-allocates): [n_rows, n_columns] float32
 *
 * Reads the first @n_columns recorded weights of @n_rows queries from @first_row on. Reading cannot
 * fail, since the array's size and element type were checked when the recording was opened.
 */
void
attn_recording_read_rows (const AttnModel *model,
                          gsize            layer,
                          gsize            head,
                          gsize            first_row,
                          gsize            n_rows,
                          gsize            n_columns,
                          float           *weights)
{
  const AttnRecording *recording = (const AttnRecording *) model;
  gsize first = (layer * model->info.n_heads + head) * model->info.n_positions + first_row;

  for (gsize row = 0; row < n_rows; row++)
    if (!attn_array_read (recording->weights, (first + row) * recording->n_keys, n_columns,
                          weights + row * n_columns, NULL))
      g_assert_not_reached ();
}
