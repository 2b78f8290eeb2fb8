/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-spec.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-cell.h"
#include "attn-error.h"
#include "attn-input-bind.h"
#include "attn-input-picture.h"
#include "attn-input-sound.h"
#include "attn-source.h"
#include "attn-text-folder.h"
#include "attn-workspace.h"

static GPtrArray *
new_interventions (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);
}

static void
add_condition (GPtrArray *conditions,
               GPtrArray *interventions)
{
  g_ptr_array_add (conditions, attn_condition_new_named (interventions));
}

/* Adds the study's own operation with its factor ε of index @epsilon. @component: the component to
 * change, or %ATTN_N_COMPONENTS for all */
static void
add_operation (const AttnStudy *study,
               guint            component,
               guint            epsilon,
               GPtrArray       *interventions)
{
  AttnCell cell = { .axis = study->axis, .site = study->site };

  for (guint i = 0; i < ATTN_N_COMPONENTS; i++)
    cell.components[i] =
        study->components[i] && (component == i || component == ATTN_N_COMPONENTS);
  if (epsilon < study->epsilons->len)
    cell.epsilon = g_array_index (study->epsilons, double, epsilon);
  attn_cell_add_operation (&cell, study, interventions);
}

/* Adds a condition of the survey for each single intervention; for a scaling, one for each ε. */
static void
add_each (const AttnStudy *study,
          guint            n_epsilons,
          GPtrArray       *conditions)
{
  gboolean is_cut = study->operation == ATTN_OPERATION_CUT;

  for (guint i = 0; i < study->extra_interventions->len; i++)
    {
      GPtrArray *interventions = new_interventions ();

      g_ptr_array_add (interventions,
                       attn_intervention_copy (study->extra_interventions->pdata[i]));
      add_condition (conditions, interventions);
    }
  for (guint component = 0; component < (is_cut ? 1 : ATTN_N_COMPONENTS); component++)
    for (guint i = 0; (is_cut || study->components[component]) && i < n_epsilons; i++)
      {
        GPtrArray *interventions = new_interventions ();

        add_operation (study, component, i, interventions);
        add_condition (conditions, interventions);
      }
}

/* Adds conditions of the survey with all interventions at once, one for each ε. */
static void
add_together (const AttnStudy *study,
              guint            n_epsilons,
              GPtrArray       *conditions)
{
  for (guint i = 0; i < n_epsilons; i++)
    {
      GPtrArray *interventions = new_interventions ();

      for (guint k = 0; k < study->extra_interventions->len; k++)
        g_ptr_array_add (interventions,
                         attn_intervention_copy (study->extra_interventions->pdata[k]));
      add_operation (study, ATTN_N_COMPONENTS, i, interventions);
      if (interventions->len > 0)
        add_condition (conditions, interventions);
      else
        g_ptr_array_unref (interventions);
    }
}

/* Sets the source of each patch, the data of the input that it takes from. Patches from the same
 * input share one source. A patch whose input does not exist gets none, and attn_survey_new() then
 * fails. */
static gboolean
bind_patches (const AttnStudy  *study,
              AttnModel        *model,
              const GPtrArray  *conditions,
              GError          **error)
{
  g_autoptr (GPtrArray) sources =
      g_ptr_array_new_full (study->inputs->len, (GDestroyNotify) attn_source_unref);

  g_ptr_array_set_size (sources, (int) study->inputs->len);
  for (guint i = 0; i < conditions->len; i++)
    {
      const GPtrArray *done = ((AttnCondition *) conditions->pdata[i])->interventions;

      for (guint k = 0; done != NULL && k < done->len; k++)
        {
          AttnIntervention *patch = done->pdata[k];
          gsize input = patch->input;

          if (patch->operation != ATTN_OPERATION_PATCH || input >= sources->len)
            continue;
          if (sources->pdata[input] == NULL)
            {
              AttnTokens *tokens, *source;
              g_autoptr (AttnModel) bound =
                  attn_input_bind (study->inputs->pdata[input], input + 1, model, study, 0, NULL,
                                   &tokens, &source, error);

              if (bound == NULL)
                return FALSE;
              g_autofree guint32 *ids = attn_tokens_dup_ids (tokens);
              sources->pdata[input] = attn_source_new (bound, ids, tokens->n_tokens);
              attn_tokens_unref (tokens);
              g_clear_pointer (&source, attn_tokens_unref);
            }
          patch->source = attn_source_ref (sources->pdata[input]);
        }
    }
  return TRUE;
}

/* Makes an attribution of the only condition besides the baseline. Its intervention is applied to
 * each head in turn, and each step, which chooses one head, becomes a condition. */
static gboolean
set_attributed (const AttnStudy  *study,
                AttnSurveySpec   *spec,
                GError          **error)
{
  const AttnCondition *only = spec->conditions->len == 2 ? spec->conditions->pdata[1] : NULL;
  gsize n_statistics = attn_study_count_flags (study->survey.statistics, ATTN_N_STATISTICS);

  if (n_statistics > 1)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("--attribute: %zu other statistics found, expected none beside it"),
                      n_statistics - 1);
  if (only == NULL || only->interventions->len != 1)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("--attribute: %u operations found, expected one --scale, --mean or --zero "
                        "of query, key, value or output, with one factor"),
                      only != NULL ? only->interventions->len : spec->conditions->len - 1);
  const AttnIntervention *operation = only->interventions->pdata[0];
  if (operation->operation > ATTN_OPERATION_ZERO || operation->component > ATTN_COMPONENT_OUTPUT)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("--attribute: another operation found (%s), expected one --scale, --mean "
                        "or --zero of query, key, value or output"),
                      only->name);
  if (!study->acts_on_shown_layer || study->scope_heads != NULL)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("--attribute: a scope in layers or heads found, expected none, since each "
                        "head alone is changed in turn"));
  spec->attributed = attn_intervention_copy (operation);
  g_clear_pointer (&spec->attributed->layers, attn_index_set_unref);
  g_clear_pointer (&spec->attributed->heads, attn_index_set_unref);
  spec->rank = study->survey.rank;
  spec->is_in_bits = study->survey.unit == ATTN_SURVEY_BITS;
  spec->at = study->survey.at;
  g_ptr_array_set_size (spec->conditions, 0);
  for (gsize i = 1; i <= study->survey.steps; i++)
    {
      g_autofree char *name = g_strdup_printf ("step %zu", i);

      g_ptr_array_add (spec->conditions, attn_condition_new (name, NULL));
    }
  return TRUE;
}

static void
set_statistics (const AttnStudy *study,
                AttnSurveySpec  *spec)
{
  const guint usual = 1u << ATTN_STATISTIC_SINK | 1u << ATTN_STATISTIC_ENTROPY |
                      1u << ATTN_STATISTIC_DISTANCE | 1u << ATTN_STATISTIC_PREVIOUS |
                      1u << ATTN_STATISTIC_DUPLICATE | 1u << ATTN_STATISTIC_INDUCTION |
                      1u << ATTN_STATISTIC_OFFSET;

  const AttnModelInfo *info = attn_model_get_info (spec->model);
  gboolean has_pictures = info->needs_picture;
  gboolean hears = info->needs_sound && (!info->needs_source || attn_model_is_cross (spec->model));

  for (AttnStatistic i = 0; i < ATTN_N_STATISTICS; i++)
    if (study->survey.statistics[i])
      spec->statistics |= 1u << i;
  /* The statistic of changed answers always comes with that of the positions at which answers
   * change. */
  if ((spec->statistics & 1u << ATTN_STATISTIC_ANSWER) != 0)
    spec->statistics |= 1u << ATTN_STATISTIC_ANSWER_POSITION;
  if (spec->statistics != 0)
    return;
  for (AttnStatistic i = 0; i < ATTN_N_STATISTICS; i++)
    if ((usual & 1u << i) != 0 &&
        !(attn_model_is_cross (spec->model) && attn_statistic_has_positions (i)) &&
        (!has_pictures || attn_statistic_is_of_pictures (i)) &&
        (!hears || attn_statistic_is_of_sounds (i)))
      spec->statistics |= 1u << i;
  if (study->survey.texts == NULL)
    spec->statistics |= info->needs_source ? 0 : 1u << ATTN_STATISTIC_REPEAT;
  else if (info->has_tokenizer && !has_pictures && !hears)
    spec->statistics |= 1u << ATTN_STATISTIC_DELIMITER;
  if (spec->conditions->len > 1)
    spec->statistics |= 1u << ATTN_STATISTIC_VARIATION;
}

/**
 * attn_survey_spec_bind_picture:
 * @model: a model of pictures
 * @path: path of a picture
 * @error: return location: errors of [func@attn_input_load_picture] and
 *   [func@attn_model_bind_pixels]
 *
 * Loads a picture of a survey, as the bind_file of #AttnTextsSpec. Any thread can call it.
 *
 * Returns: (transfer full) (nullable): a model that sees that picture
 */
AttnModel *
attn_survey_spec_bind_picture (AttnModel   *model,
                               const char  *path,
                               GError     **error)
{
  g_autoptr (AttnInput) input = attn_input_new_picture (path, FALSE);
  g_autoptr (AttnImage) image = NULL;
  g_autoptr (AttnTensor) pixels = attn_input_load_picture (input, 0, model, &image, error);
  AttnModel *bound =
      pixels != NULL ? attn_model_bind_pixels (model, pixels, error) : NULL;

  if (bound == NULL)
    {
      g_autofree char *where = g_filename_display_name (path);

      if (error != NULL && *error != NULL && strstr ((*error)->message, where) == NULL)
        g_prefix_error (error, "%s: ", where);
    }
  return bound;
}

/**
 * attn_survey_spec_bind_sound:
 * @model: a model of sounds
 * @path: path of a sound
 * @error: return location: errors of [func@attn_input_load_sound] and
 *   [func@attn_model_bind_features]
 *
 * Loads a sound of a survey, as the bind_file of #AttnTextsSpec. Any thread can call it.
 *
 * Returns: (transfer full) (nullable): a model that hears that sound
 */
AttnModel *
attn_survey_spec_bind_sound (AttnModel   *model,
                             const char  *path,
                             GError     **error)
{
  g_autoptr (AttnInput) input = attn_input_new_sound (path, FALSE);
  double seconds;
  g_autoptr (AttnTensor) features = attn_input_load_sound (input, model, &seconds, error);
  g_autoptr (AttnTokens) frames =
      features != NULL ? attn_model_list_frames (model, seconds) : NULL;

  return features != NULL ? attn_model_bind_features (model, features, frames, error) : NULL;
}

/**
 * attn_survey_spec_set_files:
 * @model: the model of the survey
 * @spec: (inout): the specification of the survey's texts
 *
 * Sets the function that loads each file of a folder of pictures or sounds, if @model takes these
 * instead of texts.
 */
void
attn_survey_spec_set_files (const AttnModel *model,
                            AttnTextsSpec   *spec)
{
  const AttnModelInfo *info = attn_model_get_info (model);

  spec->has_sounds = info->needs_sound;
  spec->bind_file = info->needs_picture ? attn_survey_spec_bind_picture
                    : info->needs_sound ? attn_survey_spec_bind_sound
                                        : NULL;
  spec->n_file_tokens = info->needs_sound ? info->n_frames / ATTN_MODEL_FRAMES_A_TOKEN
                                          : spec->length;
}

/* Sets up a folder of sounds. The decoder generates up to as many tokens as the text length, and
 * attends to the whole sound. */
static gboolean
set_sounds (AttnSurveySpec  *spec,
            GError         **error)
{
  const AttnModelInfo *info = attn_model_get_info (spec->model);
  g_autofree char *first = NULL;

  if (spec->texts.path == NULL)
    return TRUE;
  first = attn_text_folder_find_first (spec->texts.path, TRUE, error);
  if (first == NULL)
    return FALSE;
  attn_survey_spec_set_files (spec->model, &spec->texts);
  spec->texts.seconds = attn_input_get_seconds (spec->model);
  gsize n = spec->texts.n_file_tokens;
  spec->texts.length = !info->needs_source ? n : MIN (spec->texts.length, info->n_positions);
  if (attn_model_is_cross (spec->model))
    spec->texts.length = MAX (spec->texts.length, n);
  return TRUE;
}

/* Sets up a folder of pictures. The first picture determines the number of tokens. */
static gboolean
set_pictures (AttnSurveySpec  *spec,
              GError         **error)
{
  g_autofree char *first = spec->texts.path != NULL
                               ? attn_text_folder_find_first (spec->texts.path, FALSE, error)
                               : NULL;
  g_autoptr (AttnModel) bound = NULL;

  /* Nothing is set without a folder: attn_survey_new() refuses random tokens for a model of
   * pictures. */
  if (spec->texts.path == NULL)
    return TRUE;
  if (first == NULL ||
      (bound = attn_survey_spec_bind_picture (spec->model, first, error)) == NULL)
    return FALSE;
  spec->texts.length = attn_model_get_info (bound)->n_positions;
  attn_survey_spec_set_files (spec->model, &spec->texts);
  return TRUE;
}

/**
 * attn_survey_spec_new:
 * @study: a study whose figure is %ATTN_FIGURE_SURVEY
 * @model: the model of @study
 * @error: return location for %ATTN_ERROR_ARGUMENT, or errors of [func@attn_input_tokenize] for the
 *   input of a patch
 *
 * Returns: (transfer full) (nullable): the specification of the survey: its texts, conditions and
 *   statistics. @study and @model must outlive it.
 */
AttnSurveySpec *
attn_survey_spec_new (const AttnStudy  *study,
                      AttnModel        *model,
                      GError          **error)
{
  const AttnSurveyOptions *asked = &study->survey;
  gboolean scales = study->operation == ATTN_OPERATION_SCALE &&
                    attn_study_count_flags (study->components, ATTN_N_COMPONENTS) > 0;
  guint n_epsilons = scales ? MAX (study->epsilons->len, 1) : 1;

  if (asked->texts == NULL && asked->n_random == 0)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("survey: no texts found, expected a file of texts, how many random "
                             "sequences, or a survey in place of the model"));

  g_autoptr (AttnSurveySpec) spec = g_new0 (AttnSurveySpec, 1);
  spec->model = model;
  spec->texts = (AttnTextsSpec) {
    .path = asked->texts,
    .field = asked->field,
    .column = asked->column,
    .length = asked->texts != NULL ? asked->length : 2 * asked->length,
    .is_packed = asked->is_packed,
    .framing = attn_study_get_framing (study),
    .skip = asked->skip,
    .limit = asked->limit,
    .n_random = asked->texts != NULL ? 0 : asked->n_random,
    .seed = (guint32) asked->seed,
  };
  if ((attn_model_get_info (model)->needs_picture && !set_pictures (spec, error)) ||
      (attn_model_get_info (model)->needs_sound && !set_sounds (spec, error)))
    return NULL;
  spec->heads = study->heads;
  spec->n_answer = asked->max_tokens;
  spec->conditions = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_condition_free);
  g_ptr_array_add (spec->conditions, attn_condition_new ("baseline", NULL));
  if (asked->is_together)
    add_together (study, n_epsilons, spec->conditions);
  else
    add_each (study, n_epsilons, spec->conditions);
  if (!bind_patches (study, model, spec->conditions, error))
    return NULL;
  set_statistics (study, spec);
  if (study->survey.statistics[ATTN_STATISTIC_ATTRIBUTION] &&
      !set_attributed (study, spec, error))
    return NULL;
  spec->layers = study->layers != NULL || !attn_statistics_need_maps (spec->statistics)
                     ? study->layers
                     : attn_model_get_info (model)->mapped_layers;
  return g_steal_pointer (&spec);
}

void
attn_survey_spec_free (AttnSurveySpec *spec)
{
  if (spec == NULL)
    return;
  g_clear_pointer (&spec->conditions, g_ptr_array_unref);
  g_clear_pointer (&spec->attributed, attn_intervention_free);
  g_free (spec);
}
