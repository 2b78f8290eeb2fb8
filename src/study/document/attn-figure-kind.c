/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "attn-study-private.h"

#define TRAITS(NAME, name, word, ...) [ATTN_FIGURE_##NAME] = { __VA_ARGS__ },

static const AttnFigureTraits traits[] = { ATTN_FIGURE_KINDS (TRAITS) };

/**
 * attn_study_get_traits:
 *
 * Returns: (transfer none): what the study's kind of figure has, such as a grid of panels
 */
const AttnFigureTraits *
attn_study_get_traits (const AttnStudy *study)
{
  return &traits[study->figure];
}

/**
 * attn_study_varies:
 *
 * Returns: whether the study has @dimension along its rows or columns, also if its figure has no
 *   grid
 */
gboolean
attn_study_varies (const AttnStudy *study,
                   AttnDimension    dimension)
{
  return study->rows == dimension || study->columns == dimension;
}

/**
 * attn_study_changes_along:
 *
 * Returns: whether the figure is a grid and @dimension changes from panel to panel: along the rows,
 *   the columns, or from A to B of a comparison
 */
gboolean
attn_study_changes_along (const AttnStudy *study,
                          AttnDimension    dimension)
{
  if (!attn_study_get_traits (study)->has_grid || dimension == ATTN_DIMENSION_NONE)
    return FALSE;
  return attn_study_varies (study, dimension) ||
         (attn_study_varies (study, ATTN_DIMENSION_COMPARISON) && study->compared == dimension);
}

/**
 * attn_study_has_operation:
 *
 * Returns: whether the operation of @study acts on the model: it has a component (query, key or
 *   value), or is a cut
 */
gboolean
attn_study_has_operation (const AttnStudy *study)
{
  return study->operation == ATTN_OPERATION_CUT ||
         attn_study_count_flags (study->components, ATTN_N_COMPONENTS) > 0;
}

/**
 * attn_study_has_factor:
 *
 * Returns: whether the user can move a factor ε: the figure is a grid, and its operation multiplies
 *   a component by ε
 */
gboolean
attn_study_has_factor (const AttnStudy *study)
{
  return attn_study_get_traits (study)->has_grid && study->operation == ATTN_OPERATION_SCALE &&
         attn_study_has_operation (study);
}

/**
 * attn_study_does:
 *
 * Returns: whether @study does @operation to the model, as its own operation or as an extra
 *   intervention
 */
gboolean
attn_study_does (const AttnStudy *study,
                 AttnOperation    operation)
{
  const GPtrArray *further = study->extra_interventions;

  for (guint i = 0; i < further->len; i++)
    if (((const AttnIntervention *) further->pdata[i])->operation == operation)
      return TRUE;
  return study->operation == operation && attn_study_has_operation (study);
}

/**
 * attn_study_means_heads:
 *
 * Returns: whether the figure shows the effect of replacing each head by its mean over the study's
 *   axis
 */
gboolean
attn_study_means_heads (const AttnStudy *study)
{
  return attn_study_get_traits (study)->has_measure &&
         (study->measure == ATTN_HEAD_MEASURE_EFFECT_MEAN ||
          study->measure == ATTN_HEAD_MEASURE_LOSS_MEAN);
}

/**
 * attn_study_measures_effect:
 * @operation: (out): the operation that is done to one head after the other
 *
 * Returns: whether the figure shows how the prediction changes (KL or loss) when each head alone is
 *   changed
 */
gboolean
attn_study_measures_effect (const AttnStudy *study,
                            AttnOperation   *operation)
{
  *operation = study->measure == ATTN_HEAD_MEASURE_EFFECT_MEAN    ? ATTN_OPERATION_MEAN
               : study->measure == ATTN_HEAD_MEASURE_EFFECT_SCALE ? ATTN_OPERATION_SCALE
                                                                  : ATTN_OPERATION_ZERO;
  return attn_study_get_traits (study)->has_measure &&
         (study->measure == ATTN_HEAD_MEASURE_EFFECT_ZERO ||
          *operation != ATTN_OPERATION_ZERO);
}

/**
 * attn_study_shows_operation:
 *
 * Returns: whether the effect of the study's interventions is seen in the figure: not if the figure
 *   makes interventions of its own for each cell
 */
gboolean
attn_study_shows_operation (const AttnStudy *study)
{
  const AttnFigureTraits *figure = attn_study_get_traits (study);
  AttnOperation operation;

  return !figure->has_own_map || attn_study_measures_effect (study, &operation) ||
         (figure->has_measure && (study->measure == ATTN_HEAD_MEASURE_CHANGE ||
                                  study->measure >= ATTN_HEAD_MEASURE_OUTPUT_NORM));
}

/**
 * attn_study_is_changed:
 *
 * Returns: whether @study does anything to the model, by its own operation or an extra intervention
 */
gboolean
attn_study_is_changed (const AttnStudy *study)
{
  return attn_study_has_operation (study) || study->extra_interventions->len > 0;
}

/**
 * attn_study_has_baseline:
 *
 * Returns: whether the figure can also be shown without the study's interventions
 */
gboolean
attn_study_has_baseline (const AttnStudy *study)
{
  const AttnFigureTraits *figure = attn_study_get_traits (study);

  /* A model without interventions is its own baseline, so that a figure of the baseline would be
   * the same. */
  if (!attn_study_is_changed (study) &&
      !attn_study_changes_along (study, ATTN_DIMENSION_COMPARISON))
    return FALSE;
  return !figure->has_own_map ||
         (figure->has_measure && study->measure >= ATTN_HEAD_MEASURE_OUTPUT_NORM);
}

/**
 * attn_study_takes_baseline_column:
 *
 * Returns: whether the panels of each row differ in nothing but what is done to the model, so that
 *   one panel of the baseline can stand before them
 */
gboolean
attn_study_takes_baseline_column (const AttnStudy *study)
{
  static const AttnDimension dimensions[] = { ATTN_DIMENSION_NONE, ATTN_DIMENSION_COMPONENT,
                                              ATTN_DIMENSION_EPSILON, ATTN_DIMENSION_SITE,
                                              ATTN_DIMENSION_AXIS };
  gboolean has_operations = FALSE;

  for (gsize i = 0; i < G_N_ELEMENTS (dimensions); i++)
    has_operations = has_operations || study->columns == dimensions[i];
  return attn_study_get_traits (study)->has_grid && has_operations &&
         study->rows != ATTN_DIMENSION_COMPARISON && attn_study_is_changed (study);
}

/**
 * attn_study_shows_baseline_column:
 *
 * Returns: whether @study asks for a first column that shows the baseline, and its figure can have
 *   one
 */
gboolean
attn_study_shows_baseline_column (const AttnStudy *study)
{
  return study->has_baseline_column && attn_study_takes_baseline_column (study);
}

/**
 * attn_study_asks_question:
 *
 * Returns: whether the figure is made of a question with its answer, and not of the study's inputs
 */
gboolean
attn_study_asks_question (const AttnStudy *study)
{
  return attn_study_get_traits (study)->has_roles && !study->roles.has_positions;
}

/**
 * attn_study_assigns_groups:
 *
 * Returns: whether the study assigns a group of tokens to each head, within which the head attends
 */
gboolean
attn_study_assigns_groups (const AttnStudy *study)
{
  return attn_study_get_traits (study)->has_groups &&
         study->groups.rule == ATTN_GROUP_RULE_ASSIGNED;
}
