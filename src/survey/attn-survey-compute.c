/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computes the results of a chunk of texts, in batches of texts that go through the model
 * together. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-batch.h"
#include "attn-continuation.h"
#include "attn-survey-chunk.h"
#include "attn-survey-private.h"
#include "attn-survey-states.h"

/* Number of tokens in a batch, unless a single text is longer. It is constant because the size of a
 * matrix product affects its rounding. */
#define BATCH_TOKENS 512

static gboolean
keeps_baseline (const AttnSurvey *survey)
{
  return attn_survey_has (survey, ATTN_STATISTIC_VARIATION) && survey->spec->conditions->len > 1;
}

/* Tells whether the surveyed model is an encoder with a decoder. Effects are then measured on the
 * predictions of the decoder. */
static gboolean
has_speaker (const AttnSurvey *survey)
{
  return attn_model_has_decoder (survey->spec->model);
}

/* Returns the quantities (bits of #AttnQuantity) that a pass through the model must keep in
 * addition to the attention weights. */
static guint
list_seen (const AttnSurvey *survey)
{
  static const struct
  {
    AttnStatistic statistic;
    AttnQuantity quantity;
  } needs[] = {
    { ATTN_STATISTIC_RESIDUAL_NORM, ATTN_QUANTITY_RESIDUAL },
    { ATTN_STATISTIC_MASSIVE, ATTN_QUANTITY_RESIDUAL },
    { ATTN_STATISTIC_QUERY_NORM, ATTN_QUANTITY_QUERY },
    { ATTN_STATISTIC_KEY_NORM, ATTN_QUANTITY_KEY },
    { ATTN_STATISTIC_VALUE_NORM, ATTN_QUANTITY_VALUE },
    { ATTN_STATISTIC_KL, ATTN_QUANTITY_FINAL },
    { ATTN_STATISTIC_LOSS, ATTN_QUANTITY_FINAL },
  };
  guint seen = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (needs); i++)
    if (attn_survey_has (survey, needs[i].statistic))
      seen |= needs[i].quantity;
  /* An encoder's final states predict nothing: its decoder predicts, see add_spoken_effects(). */
  return has_speaker (survey) ? seen & ~(guint) ATTN_QUANTITY_FINAL : seen;
}

/* Returns the first layer in which a condition differs from the baseline. Earlier layers are not
 * computed for the condition. At least one layer is computed, even if none differs. */
static gsize
find_first_layer (const AttnSurvey *survey,
                  guint             condition)
{
  const AttnCondition *of = survey->spec->conditions->pdata[condition];
  gsize n_layers = (list_seen (survey) & ATTN_QUANTITY_FINAL) != 0
                       ? attn_model_get_info (survey->spec->model)->n_layers
                       : survey->shape->layers[survey->shape->n_layers - 1] + 1;

  gsize first = MIN (attn_interventions_find_first_layer (of->interventions), n_layers - 1);
  return condition > 0
             ? attn_model_info_find_start (attn_model_get_info (survey->spec->model), first)
             : 0;
}

static void
copy_counts (guint64              *counts,
             gsize                 condition,
             gsize                 n_layers,
             const AttnSurveyData *shape,
             gsize                 n_a_cell)
{
  gsize n_a_layer = shape->n_heads * n_a_cell;

  memcpy (counts + condition * shape->n_layers * n_a_layer, counts,
          n_layers * n_a_layer * sizeof *counts);
}

/* Copies the baseline's results of the layers before the first changed layer to the other
 * conditions, which have not computed these layers. */
static void
copy_unchanged_layers (const AttnSurvey *survey,
                       AttnSurveyChunk  *chunk)
{
  const AttnSurveyData *shape = survey->shape;

  for (guint i = 1; i < survey->spec->conditions->len; i++)
    {
      gsize first = find_first_layer (survey, i);
      gsize n = 0; /* number of surveyed layers before the layer @first */

      while (n < shape->n_layers && shape->layers[n] < first)
        n++;
      for (AttnStatistic statistic = 0; statistic < ATTN_N_STATISTICS; statistic++)
        {
          gsize cells[3];

          attn_survey_data_get_shape (shape, statistic, cells);
          if (!attn_survey_has (survey, statistic) || cells[1] < shape->n_layers)
            continue;
          for (gsize text = 0; text < chunk->n_texts; text++)
            {
              double *values = chunk->values + text * shape->n_values + survey->places[statistic];

              memcpy (values + i * cells[1] * cells[2], values, n * cells[2] * sizeof *values);
            }
        }
      copy_counts (chunk->key_counts, i, n, shape, shape->n_keys);
      copy_counts (chunk->offset_counts, i, n, shape, shape->n_offsets);
      copy_counts (chunk->length_counts, i, n, shape, shape->n_key_lengths);
    }
}

/* A batch of texts of the chunk that go through the layers of the model together. */
typedef struct
{
  const AttnSurvey *survey;
  AttnSurveyChunk *chunk;
  gsize first; /* index in the chunk of the batch's first text */
  gsize n_texts;
  AttnMapReader **readers;
  gsize *map_offsets; /* index in the maps at which the maps of each text begin */
  gsize n_map_floats; /* number of floats in the maps of one head, of all texts */
  gsize condition;
  float *baselines; /* (nullable): maps of the baseline, by layer, head and text */
  double *by_key;   /* [T], filled for one map at a time */
  double *by_offset;
  const guint32 *ids;
  const gsize *ends;
  AttnTensor *finals[2]; /* (nullable): [tokens, D], final states of the baseline and of the
                          * condition */
} Batch;

/* Returns the place where the numbers of a statistic begin for one text of the batch. */
static double *
get_values (const Batch   *batch,
            gsize          text,
            AttnStatistic  statistic)
{
  return batch->chunk->values + (batch->first + text) * batch->survey->shape->n_values +
         batch->survey->places[statistic];
}

static gsize
get_cell (const Batch *batch,
          gsize        layer_place,
          gsize        head_place)
{
  const AttnSurveyData *shape = batch->survey->shape;

  return (batch->condition * shape->n_layers + layer_place) * shape->n_heads + head_place;
}

static void
look_at_rows (const AttnWeightsRows *rows,
              gpointer               user_data)
{
  Batch *batch = user_data;
  const AttnSurveyData *shape = batch->survey->shape;
  AttnMapReader *reader = batch->readers[rows->text];
  gsize layer = batch->survey->layer_places[rows->layer];
  gsize head = batch->survey->head_places[rows->head];
  float *baseline = NULL;

  if (batch->baselines != NULL)
    baseline = batch->baselines + (layer * shape->n_heads + head) * batch->n_map_floats +
               batch->map_offsets[rows->text] + rows->first_row * rows->stride;
  for (gsize i = 0; batch->condition == 0 && baseline != NULL && i < rows->n_rows; i++)
    memcpy (baseline + i * rows->stride, rows->weights + i * rows->stride,
            rows->n_columns * sizeof (float));
  if (!attn_map_reader_add (reader, rows, batch->condition > 0 ? baseline : NULL))
    return;

  gsize cell = get_cell (batch, layer, head);
  double all[ATTN_N_HEAD_STATISTICS];

  attn_map_reader_finish (reader, all, batch->by_key, batch->by_offset);
  for (AttnStatistic i = 0; i < ATTN_N_HEAD_STATISTICS; i++)
    if (attn_survey_has (batch->survey, i))
      get_values (batch, rows->text, i)[cell] = all[i];
  if (shape->n_keys > 0 && batch->by_key[0] > ATTN_SINK_THRESHOLD)
    batch->chunk->length_counts[cell * shape->n_key_lengths +
                                attn_survey_data_get_length (shape, rows->stride)]++;
  for (gsize key = 0; key < MIN (rows->stride, shape->n_keys); key++)
    batch->chunk->key_counts[cell * shape->n_keys + key] +=
        batch->by_key[key] > ATTN_SINK_THRESHOLD;
  if (shape->n_offsets == 0)
    return;
  /* If the model is not causal, distance 0 has index T - 1, where T is the longest length of the
   * survey, not the length of this text. */
  gsize n_offsets = shape->is_causal ? rows->stride : 2 * rows->stride - 1;
  gsize shift = shape->is_causal ? 0 : shape->length - rows->stride;
  for (gsize i = 0; i < n_offsets; i++)
    batch->chunk->offset_counts[cell * shape->n_offsets + shift + i] +=
        batch->by_offset[i] > ATTN_SINK_THRESHOLD;
}

static void
see_states (const AttnStates *states,
            gpointer          user_data)
{
  static const AttnStatistic norms[] = {
    [ATTN_QUANTITY_RESIDUAL] = ATTN_STATISTIC_RESIDUAL_NORM,
    [ATTN_QUANTITY_QUERY] = ATTN_STATISTIC_QUERY_NORM,
    [ATTN_QUANTITY_KEY] = ATTN_STATISTIC_KEY_NORM,
    [ATTN_QUANTITY_VALUE] = ATTN_STATISTIC_VALUE_NORM,
  };
  Batch *batch = user_data;
  const AttnSurvey *survey = batch->survey;
  const AttnSurveyData *shape = survey->shape;

  if (states->quantity == ATTN_QUANTITY_FINAL)
    {
      gsize begin = states->text > 0 ? batch->ends[states->text - 1] : 0;
      gsize width = states->vectors.width;

      memcpy (batch->finals[batch->condition > 0]->data + begin * width, states->vectors.data,
              states->vectors.n_tokens * width * sizeof (float));
      return;
    }

  gsize place = (batch->condition * shape->n_layers + survey->layer_places[states->layer]) *
                shape->length;
  AttnStatistic norm = norms[states->quantity];
  if (attn_survey_has (survey, norm))
    attn_survey_states_measure (&states->vectors, get_values (batch, states->text, norm) + place);
  if (states->quantity == ATTN_QUANTITY_RESIDUAL &&
      attn_survey_has (survey, ATTN_STATISTIC_MASSIVE))
    attn_survey_states_count_massive (
        &states->vectors, get_values (batch, states->text, ATTN_STATISTIC_MASSIVE) + place);
}

/* Stores the effects of the current condition on the predictions for one text of the batch. */
static void
set_effects (const Batch *batch,
             gsize        text,
             double       kl,
             double       loss)
{
  const AttnSurvey *survey = batch->survey;

  if (attn_survey_has (survey, ATTN_STATISTIC_KL))
    get_values (batch, text, ATTN_STATISTIC_KL)[batch->condition] = kl;
  if (attn_survey_has (survey, ATTN_STATISTIC_LOSS))
    get_values (batch, text, ATTN_STATISTIC_LOSS)[batch->condition] = loss;
}

/* Computes the effects of the current condition on the predictions for each text of the batch. */
static gboolean
add_effects (Batch         *batch,
             GCancellable  *cancellable,
             GError       **error)
{
  const AttnSurvey *survey = batch->survey;
  const AttnTensor *before = attn_survey_has (survey, ATTN_STATISTIC_KL) ? batch->finals[0] : NULL;
  g_autofree double *kl = g_new (double, batch->n_texts);
  g_autofree double *loss = g_new (double, batch->n_texts);

  if (!attn_survey_states_compare (survey->spec->model, batch->ids, batch->ends, batch->n_texts,
                                   batch->condition > 0 ? before : NULL,
                                   batch->finals[batch->condition > 0], kl, loss, cancellable,
                                   error))
    return FALSE;
  for (gsize text = 0; text < batch->n_texts; text++)
    set_effects (batch, text, kl[text], loss[text]);
  return TRUE;
}

static void
keep_final (const AttnStates *states,
            gpointer          user_data)
{
  AttnTensor *final = user_data;

  memcpy (final->data, states->vectors.data,
          final->shape[0] * final->shape[1] * sizeof (float));
}

/* Returns: (transfer full) (nullable): [tokens, D], output of the last layer of the decoder
 * @speaker for @ids */
static AttnTensor *
compute_final (AttnModel      *speaker,
               const guint32  *ids,
               gsize           n_ids,
               GCancellable   *cancellable,
               GError        **error)
{
  const gsize shape[] = { n_ids, attn_model_get_info (speaker)->width };
  g_autoptr (AttnTensor) final = attn_tensor_new_unset (2, shape, error);
  const AttnBatch work = {
    .ids = ids,
    .ends = &n_ids,
    .n_texts = 1,
    .see = keep_final,
    .seen = ATTN_QUANTITY_FINAL,
    .user_data = final,
  };

  return final != NULL && attn_batch_run (speaker, &work, cancellable, error)
             ? g_steal_pointer (&final)
             : NULL;
}

/* Computes the effect of each condition on the decoder's prediction of its target, or of the answer
 * it generates without interventions. @model: the encoder with its text. The result is NaN for a
 * text that is too short for a condition. */
static gboolean
add_spoken_effects (Batch             *batch,
                    AttnModel         *model,
                    const AttnSample  *sample,
                    GCancellable      *cancellable,
                    GError           **error)
{
  const AttnSurvey *survey = batch->survey;
  const GPtrArray *conditions = survey->spec->conditions;
  gboolean has_kl = attn_survey_has (survey, ATTN_STATISTIC_KL);
  g_autoptr (AttnModel) speaker =
      attn_survey_bind_speaker (model, sample, NULL, cancellable, error);
  g_autoptr (GArray) said =
      speaker != NULL ? attn_survey_say (survey, speaker, sample, NULL, cancellable, error) : NULL;
  g_autoptr (AttnTensor) before = NULL;

  if (said == NULL)
    return FALSE;
  const guint32 *ids = (const guint32 *) (gconstpointer) said->data;
  const gsize end = said->len;
  for (guint i = 0; i < conditions->len; i++)
    {
      GPtrArray *changes = ((AttnCondition *) conditions->pdata[i])->interventions;
      g_autoptr (AttnModel) changed = NULL;
      double kl;
      double loss;

      batch->condition = i;
      if (!attn_interventions_check (changes, model, sample->n_ids, NULL))
        {
          set_effects (batch, 0, NAN, NAN);
          continue;
        }
      changed = attn_survey_bind_speaker (model, sample, changes, cancellable, error);
      g_autoptr (AttnTensor) after =
          changed != NULL ? compute_final (changed, ids, end, cancellable, error) : NULL;
      if (after == NULL ||
          !attn_survey_states_compare (speaker, ids, &end, 1, i > 0 && has_kl ? before : NULL,
                                       after, &kl, &loss, cancellable, error))
        return FALSE;
      set_effects (batch, 0, kl, loss);
      if (i == 0)
        before = g_steal_pointer (&after);
    }
  return TRUE;
}

/* Returns an array [n_ids] with a number for each token: 1 for punctuation, line breaks and special
 * tokens, else 0. */
static guint8 *
find_delimiters (const AttnSurvey  *survey,
                 const guint32     *ids,
                 gsize              n_ids,
                 GError           **error)
{
  const AttnTokenizer *tokenizer = attn_model_get_tokenizer (survey->spec->model, error);
  g_autoptr (AttnTokens) tokens =
      tokenizer != NULL ? attn_tokenizer_label_ids (tokenizer, ids, n_ids, error)
                        : NULL;

  return tokens != NULL ? attn_survey_states_find_delimiters (tokens) : NULL;
}

static void
clear_tensor (gpointer tensor)
{
  g_clear_pointer ((AttnTensor **) &tensor, attn_tensor_unref);
}

/* Makes a reader for the attention maps of one text of the batch, which computes their statistics,
 * and notes number and length of the text in the chunk. @model: the model that runs; @source: the
 * text; @ids: (element-type guint32): tokens of the pass: the text, or the target of a decoder */
static AttnMapReader *
begin_text (Batch             *batch,
            const AttnModel   *model,
            gsize              index,
            const AttnSample  *source,
            const GArray      *ids,
            GError           **error)
{
  const AttnSurvey *survey = batch->survey;
  const AttnSurveyData *shape = survey->shape;
  const AttnTextsSpec *texts = &survey->spec->texts;
  gboolean is_cross = attn_model_is_cross (survey->spec->model);
  const guint32 *own = (const guint32 *) (gconstpointer) ids->data;
  gsize n_keys = is_cross ? source->n_ids : ids->len;
  g_autofree guint8 *delimiters =
      attn_survey_has (survey, ATTN_STATISTIC_DELIMITER)
          ? find_delimiters (survey, is_cross ? source->ids : own, n_keys, error)
          : NULL;

  if (attn_survey_has (survey, ATTN_STATISTIC_DELIMITER) && delimiters == NULL)
    return NULL;
  batch->n_map_floats += ids->len * n_keys;
  batch->chunk->numbers[batch->first + index] = source->number;
  batch->chunk->length_texts[attn_survey_data_get_length (shape, n_keys)]++;

  const AttnModelInfo *info = attn_model_get_info (model);
  const AttnMapText text = {
    .n_columns = info->needs_picture ? info->n_patch_columns : 0,
    .n_leading = info->needs_picture ? info->n_leading_tokens : 0,
    .ids = own,
    .n_ids = ids->len,
    .n_keys = is_cross ? n_keys : 0,
    .n_repeated = texts->path == NULL && !attn_model_get_info (survey->spec->model)->needs_source
                      ? MAX (texts->length / 2, 1)
                      : 0,
    .is_causal = shape->is_causal,
    .delimiters = delimiters,
    .has_offsets = shape->n_offsets > 0,
  };
  return attn_map_reader_new (&text);
}

static gboolean
run_batch (Batch         *batch,
           GPtrArray     *samples,
           GCancellable  *cancellable,
           GError       **error)
{
  const AttnSurveySpec *spec = batch->survey->spec;
  const AttnSurveyData *shape = batch->survey->shape;
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autofree gsize *ends = g_new (gsize, batch->n_texts);
  g_autofree gsize *offsets = g_new (gsize, batch->n_texts);
  g_autofree double *by_key = g_new (double, shape->length);
  g_autofree double *by_offset = g_new (double, 2 * shape->length);
  g_autoptr (GPtrArray) readers =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_map_reader_free);
  guint seen = list_seen (batch->survey);
  g_autoptr (AttnModel) model = NULL;
  gboolean is_done = TRUE;

  batch->n_map_floats = 0;
  for (gsize i = 0; i < batch->n_texts; i++)
    {
      const AttnSample *sample = samples->pdata[batch->first + i];
      g_autoptr (GArray) own = NULL;

      /* If texts have models of their own (bound to a source, sound or picture), the batch has a
       * single text, so that the last model bound is the one that runs. */
      g_clear_pointer (&model, attn_model_unref);
      model = attn_survey_bind_text (batch->survey, sample, &own, NULL, cancellable, error);
      offsets[i] = batch->n_map_floats;
      AttnMapReader *reader =
          model != NULL ? begin_text (batch, model, i, sample, own, error) : NULL;
      if (reader == NULL)
        return FALSE;
      g_ptr_array_add (readers, reader);
      g_array_append_vals (ids, own->data, own->len);
      ends[i] = ids->len;
    }
  g_autofree float *baselines =
      keeps_baseline (batch->survey)
          ? g_new (float, shape->n_layers * shape->n_heads * batch->n_map_floats)
          : NULL;
  batch->readers = (AttnMapReader **) readers->pdata;
  batch->map_offsets = offsets;
  batch->baselines = baselines;
  batch->by_key = by_key;
  batch->by_offset = by_offset;
  batch->ids = (const guint32 *) (gconstpointer) ids->data;
  batch->ends = ends;

  g_autoptr (AttnTensor) before = NULL;
  g_autoptr (AttnTensor) after = NULL;
  if ((seen & ATTN_QUANTITY_FINAL) != 0)
    {
      const gsize finals[] = { ids->len, attn_model_get_info (spec->model)->width };

      before = attn_tensor_new_unset (2, finals, error);
      after = before != NULL ? attn_tensor_new_unset (2, finals, error) : NULL;
      if (after == NULL)
        return FALSE;
      batch->finals[0] = before;
      batch->finals[1] = after;
    }

  gsize n_layers = attn_model_get_info (spec->model)->n_layers;
  g_autoptr (GPtrArray) residuals = g_ptr_array_new_full (n_layers, clear_tensor);
  g_ptr_array_set_size (residuals, (int) n_layers);
  for (guint i = 1; i < spec->conditions->len; i++)
    {
      const gsize streams[] = { ids->len, attn_model_get_info (spec->model)->width };
      gsize first = find_first_layer (batch->survey, i);

      if (first == 0 || residuals->pdata[first] != NULL)
        continue;
      residuals->pdata[first] = attn_tensor_new_unset (2, streams, error);
      if (residuals->pdata[first] == NULL)
        return FALSE;
    }

  for (guint i = 0; is_done && i < spec->conditions->len; i++)
    {
      const AttnCondition *condition = spec->conditions->pdata[i];
      gsize first = find_first_layer (batch->survey, i);
      AttnBatch work = { batch->ids,
                         ends, batch->n_texts, condition->interventions,
                         spec->layers, spec->heads, look_at_rows, batch,
                         see_states, seen,
                         i == 0 ? (AttnTensor * const *) residuals->pdata : NULL,
                         first, residuals->pdata[first] };

      batch->condition = i;
      is_done = attn_batch_run (model, &work, cancellable, error) &&
                ((seen & ATTN_QUANTITY_FINAL) == 0 || add_effects (batch, cancellable, error));
    }
  gboolean has_effects = attn_survey_has (batch->survey, ATTN_STATISTIC_KL) ||
                         attn_survey_has (batch->survey, ATTN_STATISTIC_LOSS);
  return is_done && (!has_effects || !has_speaker (batch->survey) ||
                     add_spoken_effects (batch, model, samples->pdata[batch->first], cancellable,
                                         error));
}

/* Computes the model's generated answers to each text of the chunk, under all conditions. */
static gboolean
add_answers (const AttnSurvey  *survey,
             AttnSurveyChunk   *chunk,
             GPtrArray         *samples,
             GCancellable      *cancellable,
             GError           **error)
{
  static const AttnStatistic statistics[] = { ATTN_STATISTIC_ANSWER,
                                              ATTN_STATISTIC_ANSWER_POSITION };
  gsize n = survey->shape->n_conditions;
  g_autofree double *both = g_new (double, 2 * n);

  for (guint text = 0; text < samples->len; text++)
    {
      guint64 *answers = chunk->answers + text * n * survey->shape->n_answer;

      if (!attn_survey_answers_compute (survey, samples->pdata[text], answers, both, both + n,
                                        cancellable, error))
        return FALSE;
      for (gsize i = 0; i < G_N_ELEMENTS (statistics); i++)
        if (attn_survey_has (survey, statistics[i]))
          memcpy (chunk->values + text * survey->shape->n_values + survey->places[statistics[i]],
                  both + i * n, n * sizeof *both);
    }
  return TRUE;
}

/**
 * attn_survey_estimate_memory:
 *
 * Returns: bytes of memory that one thread needs while it computes a chunk
 */
gsize
attn_survey_estimate_memory (const AttnSurvey *survey)
{
  const AttnModelInfo *info = attn_model_get_info (survey->spec->model);
  const AttnSurveyData *shape = survey->shape;
  gsize n_tokens = MAX (shape->length, BATCH_TOKENS);
  gsize n_bytes = attn_batch_estimate (survey->spec->model, n_tokens);
  gsize n_maps = keeps_baseline (survey) ? shape->n_layers * shape->n_heads : 0;
  if (survey->work != NULL)
    return attn_attribution_work_estimate (survey->work);
  gsize n_streams = MIN (shape->n_conditions, info->n_layers) - 1;

  n_bytes += n_streams * n_tokens * info->width * sizeof (float);
  n_bytes += attn_survey_chunk_get_size (shape, ATTN_SURVEY_CHUNK);
  if ((list_seen (survey) & ATTN_QUANTITY_FINAL) != 0)
    n_bytes += attn_survey_states_estimate (survey->spec->model, n_tokens);
  /* Adds the memory of the encoder, and of the answer that a decoder generates. */
  if (info->needs_source || has_speaker (survey))
    n_bytes += attn_batch_estimate (survey->spec->model, shape->length) +
               attn_continuation_estimate (survey->spec->model, 1, shape->length);
  if (shape->n_answer > 0)
    n_bytes += attn_continuation_estimate (survey->spec->model, shape->length,
                                           shape->length + shape->n_answer);
  return n_bytes + n_maps * n_tokens * shape->length * sizeof (float);
}

/**
 * attn_survey_compute:
 * @number: number of the chunk, or of a unit of work of the current step of an attribution
 * @samples: (element-type AttnSample): texts of the chunk, without those that have no tokens
 * @cancellable: (nullable)
 * @error: return location for errors of [func@attn_batch_run]
 *
 * Computes all texts of a chunk under all conditions, in the calling thread alone.
 *
 * Returns: (transfer full) (nullable): the results, for [func@attn_survey_chunk_add]; the same
 *   bytes for any number of threads, on all machines with the same processor kernels
 */
GBytes *
attn_survey_compute (const AttnSurvey  *survey,
                     guint64            number,
                     GPtrArray         *samples,
                     GCancellable      *cancellable,
                     GError           **error)
{
  const AttnModelInfo *info = attn_model_get_info (survey->spec->model);
  gboolean is_alone = info->depends_on_length || info->needs_source || info->needs_picture ||
                      info->needs_sound || has_speaker (survey);
  AttnSurveyChunk chunk;

  if (survey->work != NULL)
    return attn_attribution_work_compute (survey->work, number, samples, cancellable, error);
  g_autoptr (GBytes) bytes =
      attn_survey_chunk_new (survey->shape, number, samples->len, &chunk);
  gsize n_texts;

  for (gsize first = 0; first < samples->len; first += n_texts)
    {
      gsize n_tokens = 0;

      for (n_texts = 0; first + n_texts < samples->len; n_texts++)
        {
          const AttnSample *sample = samples->pdata[first + n_texts];

          n_tokens += sample->n_ids;
          if (n_texts > 0 && (is_alone || n_tokens > BATCH_TOKENS))
            break;
        }

      Batch batch = { .survey = survey, .chunk = &chunk, .first = first, .n_texts = n_texts };
      if (!run_batch (&batch, samples, cancellable, error))
        return NULL;
    }
  copy_unchanged_layers (survey, &chunk);
  if (survey->shape->n_answer > 0 && !add_answers (survey, &chunk, samples, cancellable, error))
    return NULL;
  return g_steal_pointer (&bytes);
}
