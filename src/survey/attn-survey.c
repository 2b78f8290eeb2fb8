/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey.h"

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "attn-batch.h"
#include "attn-error.h"
#include "attn-survey-chunk.h"
#include "attn-survey-states.h"

/* Tokens that go through a layer at a time, but for a text that is longer by itself. Fixed, for
 * products of other sizes round differently. */
#define BATCH_TOKENS 512

/* Statistics of the prediction. */
#define EFFECTS (1u << ATTN_STATISTIC_KL | 1u << ATTN_STATISTIC_LOSS)

/* Changes when the same survey would give other numbers. */
#define VERSION 3

/**
 * AttnSurvey:
 * @shape: a survey of no texts, for its sizes
 * @places: by #AttnStatistic: where its cells begin among the numbers of a text
 * @texts: in front of the first
 * @layer_places: by the number of a layer, which of the surveyed ones it is
 * @head_places: by the number of a head
 */
struct _AttnSurvey
{
  const AttnSurveySpec *spec;
  AttnSurveyData *shape;
  gsize places[ATTN_N_STATISTICS];
  AttnTexts *texts;
  gsize *layer_places;
  gsize *head_places;
};

/**
 * attn_condition_new:
 * @interventions: (nullable) (transfer full): %NULL for the baseline
 */
AttnCondition *
attn_condition_new (const char *name,
                    GPtrArray  *interventions)
{
  AttnCondition *condition = g_new (AttnCondition, 1);

  *condition = (AttnCondition) { g_strdup (name), interventions };
  return condition;
}

void
attn_condition_free (AttnCondition *condition)
{
  if (condition == NULL)
    return;
  g_clear_pointer (&condition->interventions, g_ptr_array_unref);
  g_free (condition->name);
  g_free (condition);
}

/**
 * attn_condition_new_named:
 * @interventions: (transfer full): one or more
 *
 * Returns: (transfer full): a condition that is called by what is done
 */
AttnCondition *
attn_condition_new_named (GPtrArray *interventions)
{
  g_autoptr (GString) name = g_string_new (NULL);

  for (guint i = 0; i < interventions->len; i++)
    {
      g_autofree char *text = attn_intervention_to_string (interventions->pdata[i]);

      g_string_append_printf (name, "%s%s", i > 0 ? "; " : "", text);
    }
  return attn_condition_new (name->str, interventions);
}

static double
get_factor (const AttnCondition *condition)
{
  for (guint i = 0; condition->interventions != NULL && i < condition->interventions->len; i++)
    {
      const AttnIntervention *intervention = condition->interventions->pdata[i];

      if (intervention->operation == ATTN_OPERATION_SCALE)
        return intervention->factor;
    }
  return NAN;
}

static char *
build_series (const AttnCondition *condition)
{
  if (condition->interventions == NULL)
    return g_strdup (condition->name);

  GPtrArray *alike = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);
  for (guint i = 0; i < condition->interventions->len; i++)
    {
      AttnIntervention *copy = attn_intervention_copy (condition->interventions->pdata[i]);

      copy->factor = 1;
      g_ptr_array_add (alike, copy);
    }
  g_autoptr (AttnCondition) series = attn_condition_new_named (alike);
  return g_steal_pointer (&series->name);
}

/* -- What is surveyed, in JSON -- */

static void
add_numbers (JsonBuilder        *builder,
             const char         *name,
             const AttnIndexSet *set,
             gsize               n)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (gsize i = 0; i < n; i++)
    if (attn_index_set_contains (set, i))
      json_builder_add_int_value (builder, (gint64) i);
  json_builder_end_array (builder);
}

static void
add_string (JsonBuilder *builder,
            const char  *name,
            const char  *value)
{
  if (value == NULL)
    return;
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value);
}

static void
add_number (JsonBuilder *builder,
            const char  *name,
            guint64      value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, (gint64) value);
}

static void
add_switch (JsonBuilder *builder,
            const char  *name,
            gboolean     value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_boolean_value (builder, value);
}

static void
add_texts (JsonBuilder         *builder,
           const AttnTextsSpec *spec,
           const char          *checksum)
{
  g_autofree char *name = spec->path != NULL ? g_filename_display_basename (spec->path) : NULL;

  json_builder_set_member_name (builder, "texts");
  json_builder_begin_object (builder);
  add_string (builder, "file", name);
  add_string (builder, "checksum", checksum);
  add_string (builder, "field", spec->field);
  add_string (builder, "column", spec->column);
  add_switch (builder, "packed", spec->is_packed);
  add_switch (builder, "special_tokens", spec->adds_special_tokens);
  add_number (builder, "skip", spec->skip);
  add_number (builder, "limit", spec->limit);
  if (spec->path == NULL)
    {
      add_number (builder, "random", spec->n_random);
      add_number (builder, "seed", spec->seed);
    }
  json_builder_end_object (builder);
}

/* Of each condition the first factor, and its name without factors. */
static void
add_factors (JsonBuilder     *builder,
             const GPtrArray *conditions)
{
  json_builder_set_member_name (builder, "factors");
  json_builder_begin_array (builder);
  for (guint i = 0; i < conditions->len; i++)
    {
      double factor = get_factor (conditions->pdata[i]);

      if (isnan (factor))
        json_builder_add_null_value (builder);
      else
        json_builder_add_double_value (builder, factor);
    }
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "series");
  json_builder_begin_array (builder);
  for (guint i = 0; i < conditions->len; i++)
    {
      g_autofree char *name = build_series (conditions->pdata[i]);

      json_builder_add_string_value (builder, name);
    }
  json_builder_end_array (builder);
}

static char *
write_json (const AttnSurveySpec *spec,
            const char           *checksum)
{
  const AttnModelInfo *info = attn_model_get_info (spec->model);
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  add_number (builder, "version", VERSION);
  add_string (builder, "model", attn_model_get_name (spec->model));
  add_string (builder, "fingerprint", attn_model_get_fingerprint (spec->model));
  add_texts (builder, &spec->texts, checksum);
  add_number (builder, "length", spec->texts.length);
  add_switch (builder, "causal", info->is_causal);
  json_builder_set_member_name (builder, "conditions");
  json_builder_begin_array (builder);
  for (guint i = 0; i < spec->conditions->len; i++)
    json_builder_add_string_value (builder, ((AttnCondition *) spec->conditions->pdata[i])->name);
  json_builder_end_array (builder);
  add_factors (builder, spec->conditions);
  json_builder_set_member_name (builder, "statistics");
  json_builder_begin_array (builder);
  for (gsize i = 0; i < ATTN_N_STATISTICS; i++)
    if ((spec->statistics & 1u << i) != 0)
      json_builder_add_string_value (builder, attn_statistic_names[i]);
  json_builder_end_array (builder);
  add_numbers (builder, "layers", spec->layers, info->n_layers);
  add_numbers (builder, "heads", spec->heads, info->n_heads);
  json_builder_end_object (builder);

  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  return json_to_string (root, FALSE);
}

/* -- Making -- */

static gboolean
has (const AttnSurvey *survey,
     AttnStatistic     statistic)
{
  return (survey->spec->statistics & 1u << statistic) != 0;
}

static gsize *
make_places (const gsize *numbers,
             gsize        n,
             gsize        n_all)
{
  gsize *places = g_new0 (gsize, n_all);

  for (gsize i = 0; i < n; i++)
    places[numbers[i]] = i;
  return places;
}

static gboolean
check_spec (const AttnSurveySpec  *spec,
            GError               **error)
{
  const AttnModelInfo *info = attn_model_get_info (spec->model);

  if (!attn_batch_check (spec->model, error) ||
      !attn_index_set_check (spec->layers, info->n_layers, _("layers"), error) ||
      !attn_index_set_check (spec->heads, info->n_heads, _("heads"), error))
    return FALSE;
  if (spec->texts.length == 0 || spec->texts.length > info->n_positions)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("%zu tokens a text found, expected 1 to %zu, which the model has positions "
                        "for"),
                      spec->texts.length, info->n_positions);
  if ((spec->statistics & EFFECTS) != 0 && !info->has_logits)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: no language-model head found, expected one for the logits"),
                      attn_model_get_path (spec->model));
  if ((spec->statistics & 1u << ATTN_STATISTIC_DELIMITER) != 0 &&
      attn_model_get_tokenizer (spec->model, error) == NULL)
    return FALSE;
  for (guint i = 0; i < spec->conditions->len; i++)
    {
      const AttnCondition *condition = spec->conditions->pdata[i];

      if (!attn_interventions_check (condition->interventions, spec->model, spec->texts.length,
                                     error))
        return FALSE;
    }
  return TRUE;
}

/**
 * attn_survey_new:
 * @spec: with the baseline as its first condition, and one statistic or more
 * @error: return location: %ATTN_ERROR_ARGUMENT for a model that is a recording, an intervention or
 *   layers and heads that the model does not have, %ATTN_ERROR_LIMIT for texts longer than its
 *   positions, errors of [func@attn_texts_open]
 *
 * Returns: (transfer full) (nullable): the survey, nothing of it computed
 */
AttnSurvey *
attn_survey_new (const AttnSurveySpec  *spec,
                 GError               **error)
{
  const AttnModelInfo *info = attn_model_get_info (spec->model);

  g_return_val_if_fail (spec->conditions->len > 0 && spec->statistics != 0, NULL);

  g_autoptr (AttnTexts) texts =
      check_spec (spec, error) ? attn_texts_open (&spec->texts, spec->model, error) : NULL;
  if (texts == NULL)
    return NULL;

  g_autofree char *json = write_json (spec, attn_texts_get_checksum (texts));
  g_autoptr (AttnSurvey) survey = g_new0 (AttnSurvey, 1);
  survey->spec = spec;
  survey->shape = attn_survey_data_new (_("the survey"), json, error);
  if (survey->shape == NULL)
    return NULL;
  for (AttnStatistic i = 1; i < ATTN_N_STATISTICS; i++)
    survey->places[i] =
        survey->places[i - 1] +
        (has (survey, i - 1) ? attn_survey_data_count_cells (survey->shape, i - 1) : 0);
  survey->layer_places =
      make_places (survey->shape->layers, survey->shape->n_layers, info->n_layers);
  survey->head_places = make_places (survey->shape->heads, survey->shape->n_heads, info->n_heads);
  survey->texts = g_steal_pointer (&texts);
  return g_steal_pointer (&survey);
}

void
attn_survey_free (AttnSurvey *survey)
{
  if (survey == NULL)
    return;
  g_clear_pointer (&survey->shape, attn_survey_data_unref);
  attn_texts_free (survey->texts);
  g_free (survey->layer_places);
  g_free (survey->head_places);
  g_free (survey);
}

/**
 * attn_survey_get_json:
 *
 * Returns: (transfer none): what is surveyed; equal for two surveys that can be merged
 */
const char *
attn_survey_get_json (const AttnSurvey *survey)
{
  return survey->shape->json;
}

/**
 * attn_survey_create_data:
 *
 * Returns: (transfer full) (nullable): a place for what the survey finds, with nothing in it
 */
AttnSurveyData *
attn_survey_create_data (const AttnSurvey  *survey,
                         GError           **error)
{
  AttnSurveyData *data = attn_survey_data_new (_("the survey"), survey->shape->json, error);

  if (data != NULL)
    attn_survey_data_set_origin (data, attn_model_get_path (survey->spec->model),
                                 survey->spec->texts.path);
  return data;
}

/**
 * attn_survey_open_texts:
 *
 * Returns: (transfer full) (nullable): the texts, in front of the first
 */
AttnTexts *
attn_survey_open_texts (const AttnSurvey  *survey,
                        GError           **error)
{
  return attn_texts_dup (survey->texts, error);
}

/* -- Computing -- */

static gboolean
keeps_baseline (const AttnSurvey *survey)
{
  return has (survey, ATTN_STATISTIC_VARIATION) && survey->spec->conditions->len > 1;
}

/* Bits of #AttnQuantity: what a pass has to show beside its weights. */
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
    if (has (survey, needs[i].statistic))
      seen |= needs[i].quantity;
  return seen;
}

/* Texts that go through the layers together. */
typedef struct
{
  const AttnSurvey *survey;
  AttnSurveyChunk *chunk;
  gsize first; /* text of the chunk */
  gsize n_texts;
  AttnMapReader **readers;
  gsize *map_offsets; /* floats of the maps of the texts before */
  gsize n_map_floats; /* of one head, all texts */
  gsize condition;
  float *baselines; /* (nullable): maps without intervention: layers, heads, texts */
  double *by_key;   /* [T] */
  double *by_offset;
  const guint32 *ids;
  const gsize *ends;
  AttnTensor *finals[2]; /* (nullable): [tokens, D] at the end of baseline and condition */
} Batch;

/* Where a statistic's first number of a text stands. */
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
    if (has (batch->survey, i))
      get_values (batch, rows->text, i)[cell] = all[i];
  if (batch->by_key[0] > ATTN_SINK_THRESHOLD)
    batch->chunk->length_counts[cell * shape->n_lengths +
                                attn_survey_data_get_length (shape, rows->stride)]++;
  for (gsize key = 0; key < rows->stride; key++)
    batch->chunk->key_counts[cell * shape->length + key] +=
        batch->by_key[key] > ATTN_SINK_THRESHOLD;
  if (shape->n_offsets == 0)
    return;
  /* The distance 0 of a model that sees both ways stands at T - 1, whatever the text's length. */
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
  if (has (survey, norm))
    attn_survey_states_measure (&states->vectors, get_values (batch, states->text, norm) + place);
  if (states->quantity == ATTN_QUANTITY_RESIDUAL && has (survey, ATTN_STATISTIC_MASSIVE))
    attn_survey_states_count_massive (
        &states->vectors, get_values (batch, states->text, ATTN_STATISTIC_MASSIVE) + place);
}

/* What the condition does to the prediction of each text. */
static gboolean
add_effects (Batch         *batch,
             GCancellable  *cancellable,
             GError       **error)
{
  const AttnSurvey *survey = batch->survey;
  const AttnTensor *before = has (survey, ATTN_STATISTIC_KL) ? batch->finals[0] : NULL;
  g_autofree double *kl = g_new (double, batch->n_texts);
  g_autofree double *loss = g_new (double, batch->n_texts);

  if (!attn_survey_states_compare (survey->spec->model, batch->ids, batch->ends, batch->n_texts,
                                   batch->condition > 0 ? before : NULL,
                                   batch->finals[batch->condition > 0], kl, loss, cancellable,
                                   error))
    return FALSE;
  for (gsize text = 0; text < batch->n_texts; text++)
    {
      if (has (survey, ATTN_STATISTIC_KL))
        get_values (batch, text, ATTN_STATISTIC_KL)[batch->condition] = kl[text];
      if (has (survey, ATTN_STATISTIC_LOSS))
        get_values (batch, text, ATTN_STATISTIC_LOSS)[batch->condition] = loss[text];
    }
  return TRUE;
}

/* [T], 1 for punctuation, an end of a line or a special token. */
static guint8 *
find_delimiters (const AttnSurvey  *survey,
                 const AttnSample  *sample,
                 GError           **error)
{
  const AttnTokenizer *tokenizer = attn_model_get_tokenizer (survey->spec->model, error);
  g_autoptr (AttnTokens) tokens =
      tokenizer != NULL ? attn_tokenizer_label_ids (tokenizer, sample->ids, sample->n_ids, error)
                        : NULL;

  return tokens != NULL ? attn_survey_states_find_delimiters (tokens) : NULL;
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
  gsize n_repeated = spec->texts.path == NULL ? MAX (spec->texts.length / 2, 1) : 0;
  gboolean is_done = TRUE;

  batch->n_map_floats = 0;
  for (gsize i = 0; i < batch->n_texts; i++)
    {
      const AttnSample *sample = samples->pdata[batch->first + i];

      g_array_append_vals (ids, sample->ids, (guint) sample->n_ids);
      ends[i] = ids->len;
      offsets[i] = batch->n_map_floats;
      batch->n_map_floats += sample->n_ids * sample->n_ids;
      batch->chunk->numbers[batch->first + i] = sample->number;
      batch->chunk->length_texts[attn_survey_data_get_length (shape, sample->n_ids)]++;
      g_autofree guint8 *delimiters =
          has (batch->survey, ATTN_STATISTIC_DELIMITER)
              ? find_delimiters (batch->survey, sample, error)
              : NULL;
      if (has (batch->survey, ATTN_STATISTIC_DELIMITER) && delimiters == NULL)
        return FALSE;
      const AttnMapText text = { sample->ids, sample->n_ids, n_repeated,
                                 shape->is_causal, delimiters, shape->n_offsets > 0 };
      g_ptr_array_add (readers, attn_map_reader_new (&text));
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

  for (guint i = 0; is_done && i < spec->conditions->len; i++)
    {
      const AttnCondition *condition = spec->conditions->pdata[i];
      AttnBatch work = { batch->ids,
                         ends, batch->n_texts, condition->interventions,
                         spec->layers, spec->heads, look_at_rows, batch,
                         see_states, seen };

      batch->condition = i;
      is_done = attn_batch_run (spec->model, &work, cancellable, error) &&
                ((seen & ATTN_QUANTITY_FINAL) == 0 || add_effects (batch, cancellable, error));
    }
  return is_done;
}

/**
 * attn_survey_estimate_memory:
 *
 * Returns: bytes that a thread takes while it computes a chunk
 */
gsize
attn_survey_estimate_memory (const AttnSurvey *survey)
{
  const AttnSurveyData *shape = survey->shape;
  gsize n_tokens = MAX (shape->length, BATCH_TOKENS);
  gsize n_bytes = attn_batch_estimate (survey->spec->model, n_tokens);
  gsize n_maps = keeps_baseline (survey) ? shape->n_layers * shape->n_heads : 0;

  n_bytes += attn_survey_chunk_get_size (shape, ATTN_SURVEY_CHUNK);
  if ((list_seen (survey) & ATTN_QUANTITY_FINAL) != 0)
    n_bytes += attn_survey_states_estimate (survey->spec->model, n_tokens);
  return n_bytes + n_maps * n_tokens * shape->length * sizeof (float);
}

/**
 * attn_survey_compute:
 * @chunk: number of the chunk
 * @samples: (element-type AttnSample): its texts, those without tokens left out
 * @cancellable: (nullable)
 * @error: return location for errors of [func@attn_batch_run]
 *
 * Computes all texts of a chunk under all conditions, in the calling thread alone.
 *
 * Returns: (transfer full) (nullable): what [func@attn_survey_chunk_add] adds; the same bytes
 *   whoever computes them on a machine of this kind
 */
GBytes *
attn_survey_compute (const AttnSurvey  *survey,
                     guint64            number,
                     GPtrArray         *samples,
                     GCancellable      *cancellable,
                     GError           **error)
{
  gboolean is_alone = attn_model_get_info (survey->spec->model)->depends_on_length;
  AttnSurveyChunk chunk;
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
  return g_steal_pointer (&bytes);
}
