/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-settle.h"

#include "attn-array-format.h"
#include "attn-array.h"

/* Default factor ε, as published in arXiv 2410.13708: it nearly removes the query. */
#define USUAL_FACTOR 1e-5

/* Attribution excludes all other statistics. If the edit selected another statistic, attribution is
 * deselected, else the others. */
static void
settle_statistics (AttnStudy       *study,
                   const AttnStudy *before)
{
  gboolean *statistics = study->survey.statistics;
  const gboolean *had = before->survey.statistics;

  for (AttnStatistic i = 0; had[ATTN_STATISTIC_ATTRIBUTION] && i < ATTN_N_STATISTICS; i++)
    if (i != ATTN_STATISTIC_ATTRIBUTION && statistics[i] && !had[i])
      statistics[ATTN_STATISTIC_ATTRIBUTION] = FALSE;
  for (AttnStatistic i = 0; statistics[ATTN_STATISTIC_ATTRIBUTION] && i < ATTN_N_STATISTICS; i++)
    statistics[i] = i == ATTN_STATISTIC_ATTRIBUTION;
  if (statistics[ATTN_STATISTIC_ATTRIBUTION])
    study->survey.statistic = ATTN_STATISTIC_ATTRIBUTION;
  else if (study->survey.statistic == ATTN_STATISTIC_ATTRIBUTION)
    {
      AttnStatistic first = 0;

      while (first < ATTN_N_HEAD_STATISTICS && !statistics[first])
        first++;
      study->survey.statistic = first < ATTN_N_HEAD_STATISTICS ? first : ATTN_STATISTIC_SINK;
    }
}

/* Keeps only one ε, as an attribution allows: the one that the edit added, or else the first. */
static void
settle_epsilons (AttnStudy       *study,
                 const AttnStudy *before)
{
  double kept = USUAL_FACTOR;

  for (guint i = study->epsilons->len; i-- > 0;)
    {
      double epsilon = g_array_index (study->epsilons, double, i);
      gboolean is_new = TRUE;

      for (guint k = 0; k < before->epsilons->len; k++)
        is_new &= g_array_index (before->epsilons, double, k) != epsilon;
      if (is_new || i == 0)
        {
          kept = epsilon;
          break;
        }
    }
  g_array_set_size (study->epsilons, 0);
  g_array_append_val (study->epsilons, kept);
}

/* Keeps only one component, as an attribution allows: the one that the edit added, or else the
 * first, or the query if none is chosen. */
static void
settle_components (AttnStudy       *study,
                   const AttnStudy *before)
{
  gssize kept = -1;

  for (AttnComponent i = 0; i < ATTN_N_COMPONENTS; i++)
    if (study->components[i] && (kept < 0 || !before->components[i]))
      kept = (gssize) i;
  if (kept < 0)
    {
      kept = ATTN_COMPONENT_QUERY;
      study->operation = ATTN_OPERATION_SCALE;
      g_array_set_size (study->epsilons, 0);
    }
  for (AttnComponent i = 0; i < ATTN_N_COMPONENTS; i++)
    study->components[i] = (gssize) i == kept;
}

/* Keeps only one operation, as an attribution allows: the study's own, or the last of its extra
 * interventions. */
static void
settle_operation (AttnStudy       *study,
                  const AttnStudy *before)
{
  GPtrArray *changes = study->extra_interventions;
  gboolean has_own = attn_study_has_operation (study) && study->operation <= ATTN_OPERATION_ZERO;

  if (changes->len > 0 && (!has_own || changes->len > before->extra_interventions->len))
    {
      g_ptr_array_remove_range (changes, 0, changes->len - 1);
      for (AttnComponent i = 0; i < ATTN_N_COMPONENTS; i++)
        study->components[i] = FALSE;
      return;
    }
  g_ptr_array_set_size (changes, 0);
  if (study->operation > ATTN_OPERATION_ZERO)
    study->operation = ATTN_OPERATION_SCALE;
  settle_components (study, before);
  if (study->operation == ATTN_OPERATION_SCALE)
    settle_epsilons (study, before);
}

/**
 * attn_survey_settle_attribution:
 * @before: the study before the edit
 *
 * Adjusts a survey with an attribution (which heads matter most?) after an edit. It has no other
 * statistic, one operation on one component with one factor, and no scope of heads, as the
 * operation is done to each head in turn. Earlier settings give way to what the edit has set.
 */
void
attn_survey_settle_attribution (AttnStudy       *study,
                                const AttnStudy *before)
{
  if (!attn_study_get_traits (study)->has_survey ||
      !(study->survey.statistics[ATTN_STATISTIC_ATTRIBUTION] ||
        before->survey.statistics[ATTN_STATISTIC_ATTRIBUTION]))
    return;
  settle_statistics (study, before);
  if (!study->survey.statistics[ATTN_STATISTIC_ATTRIBUTION])
    return;

  settle_operation (study, before);
  study->survey.is_together = FALSE;
  study->acts_on_shown_layer = TRUE;
  g_clear_pointer (&study->scope_layers, attn_index_set_unref);
  study->acts_on_shown_head = FALSE;
  g_clear_pointer (&study->scope_heads, attn_index_set_unref);
}

/**
 * attn_survey_fit_study:
 * @path: (nullable): path of the survey's file that the study now has as its model
 *
 * Sets the statistics of the charts to ones that the file has.
 */
void
attn_survey_fit_study (AttnStudy  *study,
                       const char *path)
{
  g_autoptr (AttnArrayFile) file = path != NULL ? attn_array_file_load (path, NULL) : NULL;
  AttnStatistic *chosen[] = { &study->survey.statistic, &study->survey.against };
  AttnStatistic first = ATTN_N_HEAD_STATISTICS;
  gboolean has[ATTN_N_HEAD_STATISTICS];

  for (AttnStatistic i = ATTN_N_HEAD_STATISTICS; file != NULL && i-- > 0;)
    {
      g_autofree char *name = g_strconcat (attn_statistic_names[i], ".mean", NULL);

      has[i] = attn_array_file_lookup (file, name) != NULL;
      first = has[i] ? i : first;
    }
  for (guint i = 0; i < G_N_ELEMENTS (chosen) && first < ATTN_N_HEAD_STATISTICS; i++)
    if (!has[*chosen[i]])
      *chosen[i] = first;
}

/**
 * attn_survey_file_is_one:
 *
 * Returns: whether @reference names a file that a survey wrote, and not a single array of it
 */
gboolean
attn_survey_file_is_one (const AttnModelReference *reference)
{
  const char *path = reference->path;

  if (path == NULL || reference->array != NULL || g_file_test (path, G_FILE_TEST_IS_DIR) ||
      !attn_array_format_has (path, ATTN_ARRAY_FORMAT_RECORDING) ||
      attn_array_format_has (path, ATTN_ARRAY_FORMAT_TEXT))
    return FALSE;

  g_autoptr (AttnArrayFile) file = attn_array_file_load (path, NULL);
  return file != NULL && attn_array_file_get_metadata (file, "survey") != NULL;
}

/**
 * attn_survey_load_study:
 * @reference: a reference to the file of a survey
 * @error: return location for errors of [func@attn_presets_load]
 *
 * Returns: (transfer full) (nullable): a study that draws the survey
 */
AttnStudy *
attn_survey_load_study (const AttnModelReference  *reference,
                        GError                   **error)
{
  AttnStudy *study = attn_presets_load ("survey", error);

  if (study == NULL)
    return NULL;
  attn_model_reference_take (&study->model, reference);
  attn_survey_fit_study (study, reference->path);
  return study;
}
