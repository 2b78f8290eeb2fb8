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

/* Tokens that go through a layer at a time, but for a text that is longer by itself. Fixed, for
 * products of other sizes round differently. */
#define BATCH_TOKENS 512

/* Changes when the same survey would give other numbers. */
#define VERSION 2

/**
 * AttnSurvey:
 * @shape: a survey of no texts, for its sizes
 * @texts: in front of the first
 * @layer_places: by the number of a layer, which of the surveyed ones it is
 * @head_places: by the number of a head
 */
struct _AttnSurvey
{
  const AttnSurveySpec *spec;
  AttnSurveyData *shape;
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
  return (survey->spec->statistics & 1u << ATTN_STATISTIC_VARIATION) != 0 &&
         survey->spec->conditions->len > 1;
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
} Batch;

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

  gsize n_cells = attn_survey_data_get_n_cells (shape);
  gsize n_statistics = (gsize) __builtin_popcount (shape->statistics);
  gsize cell = get_cell (batch, layer, head);
  double *values =
      batch->chunk->values + (batch->first + rows->text) * n_statistics * n_cells + cell;
  double all[ATTN_N_STATISTICS];

  attn_map_reader_finish (reader, all, batch->by_key);
  for (gsize i = 0; i < ATTN_N_STATISTICS; i++)
    if ((shape->statistics & 1u << i) != 0)
      {
        *values = all[i];
        values += n_cells;
      }
  if (batch->by_key[0] > ATTN_SINK_THRESHOLD)
    batch->chunk->length_counts[cell * shape->n_lengths +
                                attn_survey_data_get_length (shape, rows->stride)]++;
  for (gsize key = 0; key < rows->stride; key++)
    batch->chunk->key_counts[cell * shape->length + key] +=
        batch->by_key[key] > ATTN_SINK_THRESHOLD;
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
  g_autoptr (GPtrArray) readers =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_map_reader_free);
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
      g_ptr_array_add (readers, attn_map_reader_new (sample->ids, sample->n_ids, n_repeated,
                                                     shape->is_causal));
    }
  g_autofree float *baselines =
      keeps_baseline (batch->survey)
          ? g_new (float, shape->n_layers * shape->n_heads * batch->n_map_floats)
          : NULL;
  batch->readers = (AttnMapReader **) readers->pdata;
  batch->map_offsets = offsets;
  batch->baselines = baselines;
  batch->by_key = by_key;

  for (guint i = 0; is_done && i < spec->conditions->len; i++)
    {
      const AttnCondition *condition = spec->conditions->pdata[i];
      AttnBatch work = { (const guint32 *) (gconstpointer) ids->data,
                         ends, batch->n_texts, condition->interventions,
                         spec->layers, spec->heads, look_at_rows, batch };

      batch->condition = i;
      is_done = attn_batch_run (spec->model, &work, cancellable, error);
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
