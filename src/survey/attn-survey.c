/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey.h"

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "attn-batch.h"
#include "attn-continuation.h"
#include "attn-end-tokens.h"
#include "attn-error.h"
#include "attn-source.h"
#include "attn-survey-private.h"

/* Bit mask of the statistics that compare the model's predictions. */
#define EFFECTS \
  (1u << ATTN_STATISTIC_KL | 1u << ATTN_STATISTIC_LOSS | 1u << ATTN_STATISTIC_ATTRIBUTION)

/* Version of the computation. It goes up when a new release gives other numbers for the same
 * survey. */
#define VERSION 3

/**
 * attn_condition_new:
 * @name: "baseline", or the interventions as text
 * @interventions: (nullable) (transfer full) (element-type AttnIntervention): %NULL for the
 *   baseline
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
 * @interventions: (transfer full) (element-type AttnIntervention): one or more
 *
 * Returns: (transfer full): a condition whose name is the text of its interventions
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
           const char          *checksum,
           const char          *chat)
{
  g_autofree char *name = spec->path != NULL ? g_filename_display_basename (spec->path) : NULL;

  json_builder_set_member_name (builder, "texts");
  json_builder_begin_object (builder);
  add_string (builder, "file", name);
  add_string (builder, "kind", spec->bind_file != NULL && !spec->has_sounds ? "pictures" : NULL);
  add_string (builder, "checksum", checksum);
  add_string (builder, "field", spec->field);
  add_string (builder, "column", spec->column);
  add_switch (builder, "packed", spec->is_packed);
  add_switch (builder, "special_tokens", spec->framing == ATTN_FRAMING_SPECIAL);
  if (chat != NULL)
    {
      /* The chat template can insert the date of the day. Its result is stored, so that parts of a
       * survey that were computed on different days are not merged. */
      add_switch (builder, "chat", TRUE);
      add_string (builder, "chat_template", chat);
    }
  if (spec->has_sounds)
    {
      json_builder_set_member_name (builder, "seconds");
      json_builder_add_double_value (builder, spec->seconds);
    }
  add_number (builder, "skip", spec->skip);
  add_number (builder, "limit", spec->limit);
  if (spec->path == NULL)
    {
      add_number (builder, "random", spec->n_random);
      add_number (builder, "seed", spec->seed);
    }
  json_builder_end_object (builder);
}

/* Adds the first scaling factor of each condition, and the name of its series, which is the
 * condition without factors. */
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

/* Makes the sources of the patches (element-type AttnSource), indexed by the number of the input;
 * %NULL for inputs from which no patch copies. */
static GPtrArray *
list_sources (const GPtrArray *conditions)
{
  GPtrArray *sources = g_ptr_array_new ();

  for (guint i = 0; i < conditions->len; i++)
    {
      const GPtrArray *done = ((AttnCondition *) conditions->pdata[i])->interventions;

      for (guint k = 0; done != NULL && k < done->len; k++)
        {
          const AttnIntervention *patch = done->pdata[k];

          if (patch->operation != ATTN_OPERATION_PATCH)
            continue;
          if (patch->input >= sources->len)
            g_ptr_array_set_size (sources, (int) patch->input + 1);
          sources->pdata[patch->input] = patch->source;
        }
    }
  return sources;
}

/* Adds the token ids of each input from which a patch copies activations. */
static void
add_inputs (JsonBuilder     *builder,
            const GPtrArray *conditions)
{
  g_autoptr (GPtrArray) sources = list_sources (conditions);

  if (sources->len == 0)
    return;
  json_builder_set_member_name (builder, ATTN_SURVEY_INPUTS);
  json_builder_begin_array (builder);
  for (guint i = 0; i < sources->len; i++)
    {
      const AttnSource *source = sources->pdata[i];
      gsize n_ids = source != NULL ? attn_source_count_tokens (source) : 0;

      json_builder_begin_array (builder);
      for (gsize k = 0; k < n_ids; k++)
        json_builder_add_int_value (builder, attn_source_get_ids (source)[k]);
      json_builder_end_array (builder);
    }
  json_builder_end_array (builder);
}

/* Adds the settings of an attribution: the intervention that is applied to each head in turn, the
 * unit and position of the KL divergence, and the rank. */
static void
add_attribution (JsonBuilder          *builder,
                 const AttnSurveySpec *spec)
{
  g_autofree char *operation = attn_intervention_to_string (spec->attributed);
  g_autofree char *at = g_strdup_printf ("%d", spec->at);

  add_string (builder, "operation", operation);
  add_string (builder, "unit", spec->is_in_bits ? "bits" : "nats");
  if (spec->at == ATTN_AT_ALL)
    add_string (builder, "at", "all");
  else if (spec->at >= 0)
    add_string (builder, "at", at);
  add_number (builder, "rank", spec->rank);
  add_number (builder, "width", attn_model_get_info (spec->model)->width);
}

static char *
write_json (const AttnSurveySpec *spec,
            const char           *checksum,
            const char           *chat)
{
  const AttnModelInfo *info = attn_model_get_info (spec->model);
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  add_number (builder, "version", VERSION);
  add_string (builder, "model", attn_model_get_name (spec->model));
  add_string (builder, "fingerprint", attn_model_get_fingerprint (spec->model));
  if (info->attentions[1] != NULL)
    add_string (builder, "attention", info->attention);
  add_texts (builder, &spec->texts, checksum, chat);
  add_number (builder, "length", spec->texts.length);
  add_switch (builder, "causal", info->is_causal);
  json_builder_set_member_name (builder, "conditions");
  json_builder_begin_array (builder);
  for (guint i = 0; i < spec->conditions->len; i++)
    json_builder_add_string_value (builder, ((AttnCondition *) spec->conditions->pdata[i])->name);
  json_builder_end_array (builder);
  add_factors (builder, spec->conditions);
  add_inputs (builder, spec->conditions);
  json_builder_set_member_name (builder, "statistics");
  json_builder_begin_array (builder);
  for (gsize i = 0; i < ATTN_N_STATISTICS; i++)
    if ((spec->statistics & 1u << i) != 0)
      json_builder_add_string_value (builder, attn_statistic_names[i]);
  json_builder_end_array (builder);
  if (attn_statistics_need_answers (spec->statistics))
    add_number (builder, "max_tokens", spec->n_answer);
  if (spec->attributed != NULL)
    add_attribution (builder, spec);
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

/* Finds the text that the model's chat template puts around each text. Leaves *chat unset if the
 * survey does not use the template. */
static gboolean
find_chat (const AttnSurveySpec  *spec,
           char                 **chat,
           GError               **error)
{
  if (spec->texts.framing != ATTN_FRAMING_CHAT)
    return TRUE;
  const AttnTokenizer *tokenizer = attn_model_get_tokenizer (spec->model, error);
  return tokenizer != NULL && (*chat = attn_tokenizer_dup_chat (tokenizer, error)) != NULL;
}

/* Checks that the decoder has a start token, with which its answers begin. */
static gboolean
check_start (const AttnModel  *decoder,
             GError          **error)
{
  return attn_model_get_info (decoder)->start_token >= 0 ||
         attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("%s: no “decoder_start_token_id” found, expected one for what the decoder "
                      "says of each text"),
                    attn_model_get_path (decoder));
}

/* Checks that statistics of cross-attention do not need positions: there is no distance between a
 * key and a query of different sequences. */
static gboolean
check_positions (const AttnSurveySpec  *spec,
                 GError               **error)
{
  if (attn_model_get_info (spec->model)->needs_source && !check_start (spec->model, error))
    return FALSE;
  for (AttnStatistic i = 0; attn_model_is_cross (spec->model) && i < ATTN_N_STATISTICS; i++)
    if ((spec->statistics & 1u << i) != 0 && attn_statistic_has_positions (i))
      return attn_fail (error, ATTN_ERROR_ARGUMENT,
                        _("survey: statistic “%s” found for keys of another sequence, expected one "
                          "without positions, such as sink or entropy"),
                        attn_statistic_names[i]);
  return TRUE;
}

/* Checks that the statistics suit sounds. Statistics about words need a decoder, whose tokens are
 * words. */
static gboolean
check_sounds (const AttnSurveySpec  *spec,
              GError               **error)
{
  const AttnModelInfo *info = attn_model_get_info (spec->model);
  gboolean is_decoder = info->needs_source && !attn_model_is_cross (spec->model);
  guint others = 1u << ATTN_STATISTIC_KL | 1u << ATTN_STATISTIC_LOSS |
                 1u << ATTN_STATISTIC_ANSWER | 1u << ATTN_STATISTIC_ANSWER_POSITION |
                 1u << ATTN_STATISTIC_ATTRIBUTION;

  if (spec->texts.path == NULL || spec->texts.bind_file == NULL)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("%s: a model of sounds found without sounds, expected a folder of them"),
                      attn_model_get_path (spec->model));
  for (AttnStatistic i = 0; !is_decoder && i < ATTN_N_STATISTICS; i++)
    if ((spec->statistics & ~others & 1u << i) != 0 && !attn_statistic_is_of_sounds (i))
      return attn_fail (error, ATTN_ERROR_ARGUMENT,
                        _("survey: statistic “%s” found for sounds, expected one that is not about "
                          "words, such as sink, entropy or distance"),
                        attn_statistic_names[i]);
  return TRUE;
}

/* Checks that the statistics suit pictures: their tokens have no order, and no token follows that
 * could be predicted. */
static gboolean
check_pictures (const AttnSurveySpec  *spec,
                GError               **error)
{
  if (spec->texts.path == NULL || spec->texts.bind_file == NULL)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("%s: a model of pictures found without pictures, expected a folder of "
                        "them"),
                      attn_model_get_path (spec->model));
  for (AttnStatistic i = 0; i < ATTN_N_STATISTICS; i++)
    if ((spec->statistics & 1u << i) != 0 && !attn_statistic_is_of_pictures (i))
      return attn_fail (error, ATTN_ERROR_ARGUMENT,
                        _("survey: statistic “%s” found for pictures, expected one that has a "
                          "meaning without an order of tokens, such as sink, entropy or distance"),
                        attn_statistic_names[i]);
  return TRUE;
}

static gboolean
check_attribution (const AttnSurveySpec  *spec,
                   GError               **error)
{
  const AttnModelInfo *info = attn_model_get_info (spec->model);
  gsize n_heads = attn_index_set_count (spec->layers, info->n_layers) *
                  attn_index_set_count (spec->heads, info->n_heads);
  gsize n_most = MIN (n_heads, ATTN_ATTRIBUTION_MOST_STEPS);
  gsize rank_most = MIN (info->width, ATTN_ATTRIBUTION_MOST_RANK);
  g_autoptr (GPtrArray) changes =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);
  gsize layer = 0;
  gsize head = 0;

  while (layer + 1 < info->n_layers && !attn_index_set_contains (spec->layers, layer))
    layer++;
  while (head + 1 < info->n_heads && !attn_index_set_contains (spec->heads, head))
    head++;
  g_ptr_array_add (changes, attn_attribution_bind (spec->attributed, layer, head));
  if (!attn_interventions_check_texts (changes, spec->model, spec->texts.length, error))
    return FALSE;
  if (spec->at >= 0 && (gsize) spec->at >= spec->texts.length)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("--at: %d found, expected last, all or 0 to %zu, for a text has at most "
                        "%zu tokens"),
                      spec->at, spec->texts.length - 1, spec->texts.length);
  if (spec->conditions->len > n_most)
    return attn_fail (error, ATTN_ERROR_ARGUMENT, _("--steps: %u found, expected 1 to %zu"),
                      spec->conditions->len, n_most);
  return (spec->rank > 0 && spec->rank <= rank_most) ||
         attn_fail (error, ATTN_ERROR_ARGUMENT, _("--rank: %zu found, expected 1 to %zu"),
                    spec->rank, rank_most);
}

/* Checks that there are at least as many texts as singular vectors, and a text that has the
 * position at which an attribution is measured. Positions in a decoder's answer are not checked, as
 * its length is not known before it is generated. */
static gboolean
check_texts (const AttnSurveySpec  *spec,
             const AttnTexts       *texts,
             GError               **error)
{
  gboolean says = attn_model_get_info (spec->model)->needs_source ||
                  attn_model_has_decoder (spec->model);
  g_autoptr (AttnTexts) own = attn_texts_dup (texts, error);
  gsize n_texts = 0;
  gsize longest = 0;

  if (own == NULL)
    return FALSE;
  while (n_texts < spec->rank || (spec->at >= 0 && longest <= (gsize) spec->at && !says))
    {
      g_autoptr (GError) local_error = NULL;
      g_autoptr (AttnSample) sample = NULL;

      if (!attn_texts_next (own, TRUE, &sample, &local_error))
        {
          if (local_error == NULL && n_texts >= spec->rank && longest > 0)
            return attn_fail (error, ATTN_ERROR_ARGUMENT,
                              _("--at: %d found, expected last, all or 0 to %zu, for the longest "
                                "text has %zu tokens"),
                              spec->at, longest - 1, longest);
          if (local_error == NULL)
            return attn_fail (error, ATTN_ERROR_ARGUMENT,
                              _("--rank: %zu found, expected at most the number of texts, %zu"),
                              spec->rank, n_texts);
          g_propagate_error (error, g_steal_pointer (&local_error));
          return FALSE;
        }
      n_texts += sample != NULL;
      longest = sample != NULL ? MAX (longest, sample->n_ids) : longest;
    }
  return TRUE;
}

/* Checks that the model predicts tokens. The decoder of an encoder predicts, and needs a start
 * token. */
static gboolean
check_prediction (const AttnSurveySpec  *spec,
                  GError               **error)
{
  g_autoptr (AttnModel) decoder = NULL;

  if (!attn_model_has_decoder (spec->model))
    return attn_model_check_logits (spec->model, error);
  decoder = attn_model_dup_decoder (spec->model, error);
  return decoder != NULL && attn_model_check_logits (decoder, error) &&
         check_start (decoder, error);
}

static gboolean
check_spec (const AttnSurveySpec  *spec,
            GError               **error)
{
  const AttnModelInfo *info = attn_model_get_info (spec->model);
  gboolean has_files = info->needs_picture || info->needs_sound;

  /* A decoder with a source is not checked for batches: it is bound to a new source for each text,
   * so that each text is computed alone. */
  if ((info->needs_picture && !check_pictures (spec, error)) ||
      (info->needs_sound && !check_sounds (spec, error)) ||
      (!info->needs_source && !has_files && !attn_batch_check (spec->model, error)) ||
      !check_positions (spec, error) ||
      !attn_index_set_check (spec->layers, info->n_layers, _("layers"), error) ||
      (attn_statistics_need_maps (spec->statistics) &&
       !attn_model_info_check_maps (info, spec->layers, error)) ||
      !attn_index_set_check (spec->heads, info->n_heads, _("heads"), error))
    return FALSE;
  if (spec->texts.length == 0 || (!has_files && spec->texts.length > info->n_positions))
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("%zu tokens a text found, expected 1 to %zu, which the model has positions "
                        "for"),
                      spec->texts.length, info->n_positions);
  if ((spec->statistics & EFFECTS) != 0 && !check_prediction (spec, error))
    return FALSE;
  if (spec->attributed != NULL && !check_attribution (spec, error))
    return FALSE;
  if (attn_statistics_need_answers (spec->statistics) &&
      (attn_model_has_decoder (spec->model) ? !check_prediction (spec, error)
                                            : !attn_continuation_check (spec->model, error)))
    return FALSE;
  if ((spec->statistics & 1u << ATTN_STATISTIC_DELIMITER) != 0 &&
      attn_model_get_tokenizer (spec->model, error) == NULL)
    return FALSE;
  for (guint i = 0; i < spec->conditions->len; i++)
    {
      const AttnCondition *condition = spec->conditions->pdata[i];

      if (!attn_interventions_check_texts (condition->interventions, spec->model,
                                           spec->texts.length, error))
        return FALSE;
    }
  return TRUE;
}

/**
 * attn_survey_new:
 * @spec: has the baseline as its first condition, and one statistic or more
 * @cancellable: (nullable): asked while the texts are opened
 * @error: return location: %ATTN_ERROR_ARGUMENT for a model that is a recording, an intervention or
 *   layers and heads that the model does not have, %ATTN_ERROR_LIMIT for texts longer than its
 *   positions, errors of [func@attn_texts_open]
 *
 * Returns: (transfer full) (nullable): the survey, of which nothing is computed yet
 */
AttnSurvey *
attn_survey_new (const AttnSurveySpec  *spec,
                 GCancellable          *cancellable,
                 GError               **error)
{
  const AttnModelInfo *info = attn_model_get_info (spec->model);

  g_return_val_if_fail (spec->conditions->len > 0 && spec->statistics != 0, NULL);

  g_autoptr (AttnTexts) texts =
      check_spec (spec, error) ? attn_texts_open (&spec->texts, spec->model, cancellable, error)
                               : NULL;
  if (texts == NULL || (spec->attributed != NULL && !check_texts (spec, texts, error)))
    return NULL;

  g_autofree char *chat = NULL;
  if (!find_chat (spec, &chat, error))
    return NULL;
  g_autofree char *json = write_json (spec, attn_texts_get_checksum (texts), chat);
  g_autoptr (AttnSurvey) survey = g_new0 (AttnSurvey, 1);
  survey->spec = spec;
  survey->shape = attn_survey_data_new (_("the survey"), json, error);
  if (survey->shape == NULL)
    return NULL;
  for (AttnStatistic i = 1; i < ATTN_N_STATISTICS; i++)
    survey->places[i] =
        survey->places[i - 1] +
        (attn_survey_has (survey, i - 1) ? attn_survey_data_count_cells (survey->shape, i - 1) : 0);
  gboolean says = info->needs_source ||
                  (attn_model_has_decoder (spec->model) &&
                   (survey->shape->n_answer > 0 || (spec->statistics & EFFECTS) != 0));
  if ((survey->shape->n_answer > 0 || says) &&
      !attn_model_list_end_tokens (spec->model, &survey->ends, error))
    return NULL;
  if (says && (survey->rules = attn_answer_rules_load (spec->model, error)) == NULL)
    return NULL;
  survey->layer_places =
      make_places (survey->shape->layers, survey->shape->n_layers, info->n_layers);
  survey->head_places = make_places (survey->shape->heads, survey->shape->n_heads, info->n_heads);
  survey->texts = g_steal_pointer (&texts);
  if (spec->attributed != NULL)
    survey->work = attn_attribution_work_new (survey, spec->attributed);
  return g_steal_pointer (&survey);
}

void
attn_survey_free (AttnSurvey *survey)
{
  if (survey == NULL)
    return;
  attn_attribution_work_free (survey->work);
  g_clear_pointer (&survey->shape, attn_survey_data_unref);
  attn_texts_free (survey->texts);
  g_free (survey->layer_places);
  g_free (survey->head_places);
  g_clear_pointer (&survey->ends, g_array_unref);
  g_clear_pointer (&survey->rules, attn_answer_rules_unref);
  g_free (survey);
}

/**
 * attn_survey_get_json:
 *
 * Returns: (transfer none): model, texts, conditions and statistics as JSON; equal for two surveys
 *   that can be merged
 */
const char *
attn_survey_get_json (const AttnSurvey *survey)
{
  return survey->shape->json;
}

/**
 * attn_survey_get_loss:
 *
 * Returns: (transfer none): counts of the characters that were left out of the texts that this
 *   process has read, as the vocabulary has no token for them
 */
const AttnTextsLoss *
attn_survey_get_loss (const AttnSurvey *survey)
{
  return attn_texts_get_loss (survey->texts);
}

/**
 * attn_survey_get_most_chunks:
 *
 * Returns: an upper limit of the number of chunks, or of units of an attribution (chunks x heads x
 *   steps), as the size of the texts allows
 */
guint64
attn_survey_get_most_chunks (const AttnSurvey *survey)
{
  guint64 n_chunks = MIN (attn_texts_get_most (survey->texts) / ATTN_SURVEY_CHUNK + 1, G_MAXINT32);
  const AttnAttribution *attribution = survey->shape->attribution;

  if (attribution != NULL)
    n_chunks *= attribution->n_steps * attribution->n_cells;
  return MIN (n_chunks, G_MAXINT32);
}

/**
 * attn_survey_begin_step:
 * @first_unit: number of the step's first unit of work
 * @step: number of the step of an attribution, from 0
 * @chosen: (array length=step): cells (layer x heads + head) of the heads that earlier steps chose,
 *   which stay changed
 *
 * Begins a step of an attribution. No thread may compute meanwhile.
 */
void
attn_survey_begin_step (const AttnSurvey *survey,
                        guint64           first_unit,
                        gsize             step,
                        const gsize      *chosen)
{
  if (survey->work != NULL)
    attn_attribution_work_begin (survey->work, first_unit, step, chosen);
}

/**
 * attn_survey_get_first_unit:
 *
 * Returns: number of the first unit of work of the current step; 0 without an attribution
 */
guint64
attn_survey_get_first_unit (const AttnSurvey *survey)
{
  return survey->work != NULL ? attn_attribution_work_get_first (survey->work) : 0;
}

/**
 * attn_survey_get_chunk:
 * @unit: number of a unit of work: of a chunk, or in an attribution of a chunk with one head
 *
 * Returns: number of the chunk whose texts the unit computes
 */
guint64
attn_survey_get_chunk (const AttnSurvey *survey,
                       guint64           unit)
{
  return survey->work != NULL ? attn_attribution_work_get_chunk (survey->work, unit) : unit;
}

/**
 * attn_survey_count_units:
 * @n_texts: number of all texts, including those without tokens
 *
 * Returns: number of units of work in each step: chunks, or in an attribution chunks x heads
 */
guint64
attn_survey_count_units (const AttnSurvey *survey,
                         guint64           n_texts)
{
  guint64 n_chunks = n_texts / ATTN_SURVEY_CHUNK + (n_texts % ATTN_SURVEY_CHUNK != 0);

  return n_chunks * (survey->work != NULL ? survey->shape->attribution->n_cells : 1);
}

/**
 * attn_survey_count_steps:
 *
 * Returns: how often all texts are gone through: the steps of an attribution, else 1
 */
gsize
attn_survey_count_steps (const AttnSurvey *survey)
{
  return survey->work != NULL ? survey->shape->attribution->n_steps : 1;
}

/**
 * attn_survey_create_data:
 *
 * Returns: (transfer full) (nullable): empty results, with the paths of the model and the texts
 */
AttnSurveyData *
attn_survey_create_data (const AttnSurvey  *survey,
                         GError           **error)
{
  AttnSurveyData *data = attn_survey_data_new (_("the survey"), survey->shape->json, error);

  if (data == NULL)
    return NULL;
  attn_survey_data_set_origin (data, attn_model_get_path (survey->spec->model),
                               attn_model_get_adapter (survey->spec->model),
                               survey->spec->texts.path);
  data->most_chunks = attn_survey_get_most_chunks (survey);
  return data;
}

/**
 * attn_survey_open_texts:
 *
 * Returns: (transfer full) (nullable): a reader of its own that begins with the first text
 */
AttnTexts *
attn_survey_open_texts (const AttnSurvey  *survey,
                        GError           **error)
{
  return attn_texts_dup (survey->texts, error);
}
