/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-spec.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"

static GPtrArray *
new_interventions (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);
}

/* What the study does to a component. */
static AttnIntervention *
build_intervention (const AttnStudy *study,
                    AttnComponent    component,
                    guint            epsilon)
{
  AttnIntervention *intervention =
      attn_intervention_new (component, study->operation, study->site);

  intervention->axis = study->axis;
  if (study->operation == ATTN_OPERATION_SCALE && epsilon < study->epsilons->len)
    intervention->factor = g_array_index (study->epsilons, double, epsilon);
  if (!study->acts_on_shown_layer && study->scope_layers != NULL)
    intervention->layers = attn_index_set_ref (study->scope_layers);
  if (study->scope_heads != NULL)
    intervention->heads = attn_index_set_ref (study->scope_heads);
  if (study->scope_tokens != NULL)
    intervention->tokens = attn_index_set_ref (study->scope_tokens);
  return intervention;
}

static void
add_condition (GPtrArray *conditions,
               GPtrArray *interventions)
{
  g_ptr_array_add (conditions, attn_condition_new_named (interventions));
}

/* Each thing that is done by itself, a factor with each of the ε. */
static void
add_each (const AttnStudy *study,
          guint            n_epsilons,
          GPtrArray       *conditions)
{
  for (guint i = 0; i < study->extra_interventions->len; i++)
    {
      GPtrArray *interventions = new_interventions ();

      g_ptr_array_add (interventions,
                       attn_intervention_copy (study->extra_interventions->pdata[i]));
      add_condition (conditions, interventions);
    }
  for (AttnComponent component = 0; component < ATTN_N_COMPONENTS; component++)
    for (guint i = 0; study->components[component] && i < n_epsilons; i++)
      {
        GPtrArray *interventions = new_interventions ();

        g_ptr_array_add (interventions, build_intervention (study, component, i));
        add_condition (conditions, interventions);
      }
}

/* All of it at once, with each of the ε. */
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
      for (AttnComponent component = 0; component < ATTN_N_COMPONENTS; component++)
        if (study->components[component])
          g_ptr_array_add (interventions, build_intervention (study, component, i));
      if (interventions->len > 0)
        add_condition (conditions, interventions);
      else
        g_ptr_array_unref (interventions);
    }
}

static void
set_statistics (const AttnStudy *study,
                AttnSurveySpec  *spec)
{
  const guint usual = 1u << ATTN_STATISTIC_SINK | 1u << ATTN_STATISTIC_ENTROPY |
                      1u << ATTN_STATISTIC_DISTANCE | 1u << ATTN_STATISTIC_PREVIOUS |
                      1u << ATTN_STATISTIC_DUPLICATE | 1u << ATTN_STATISTIC_INDUCTION |
                      1u << ATTN_STATISTIC_OFFSET;

  for (AttnStatistic i = 0; i < ATTN_N_STATISTICS; i++)
    if (study->survey.statistics[i])
      spec->statistics |= 1u << i;
  if (spec->statistics != 0)
    return;
  spec->statistics = usual;
  if (study->survey.texts == NULL)
    spec->statistics |= 1u << ATTN_STATISTIC_REPEAT;
  else if (attn_model_get_info (spec->model)->has_tokenizer)
    spec->statistics |= 1u << ATTN_STATISTIC_DELIMITER;
  if (spec->conditions->len > 1)
    spec->statistics |= 1u << ATTN_STATISTIC_VARIATION;
}

/**
 * attn_survey_spec_new:
 * @study: whose figure is %ATTN_FIGURE_SURVEY
 * @model: that of @study
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: (transfer full) (nullable): what is counted, which the study and the model must outlive
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

  if (study->operation >= ATTN_OPERATION_PATCH && attn_study_has_operation (study))
    return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                           _("%s found with many texts, expected mean, scale or zero"),
                           attn_operation_names[study->operation]);

  AttnSurveySpec *spec = g_new0 (AttnSurveySpec, 1);
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
  spec->heads = study->heads;
  spec->conditions = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_condition_free);
  g_ptr_array_add (spec->conditions, attn_condition_new ("baseline", NULL));
  if (asked->is_together)
    add_together (study, n_epsilons, spec->conditions);
  else
    add_each (study, n_epsilons, spec->conditions);
  set_statistics (study, spec);
  spec->layers = study->layers != NULL || !attn_statistics_need_maps (spec->statistics)
                     ? study->layers
                     : attn_model_get_info (model)->mapped_layers;
  return spec;
}

void
attn_survey_spec_free (AttnSurveySpec *spec)
{
  if (spec == NULL)
    return;
  g_ptr_array_unref (spec->conditions);
  g_free (spec);
}
