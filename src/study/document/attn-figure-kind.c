/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "attn-study.h"

#define TRAITS(NAME, name, word, ...) [ATTN_FIGURE_##NAME] = { __VA_ARGS__ },

static const AttnFigureTraits traits[] = { ATTN_FIGURE_KINDS (TRAITS) };

/**
 * attn_study_get_traits:
 *
 * Returns: (transfer none): what the kind of its figure has
 */
const AttnFigureTraits *
attn_study_get_traits (const AttnStudy *study)
{
  return &traits[study->figure];
}

/**
 * attn_study_means_heads:
 *
 * Returns: whether the figure replaces each head by its mean, over the study's axis
 */
gboolean
attn_study_means_heads (const AttnStudy *study)
{
  return attn_study_get_traits (study)->has_measure &&
         (study->measure == ATTN_HEAD_MEASURE_EFFECT_MEAN ||
          study->measure == ATTN_HEAD_MEASURE_LOSS_MEAN);
}

/**
 * attn_study_shows_operation:
 *
 * Returns: whether what the study does to the model is seen in the figure: not where the figure
 *   does something to it for each cell, but for an atlas of what changes
 */
gboolean
attn_study_shows_operation (const AttnStudy *study)
{
  const AttnFigureTraits *figure = attn_study_get_traits (study);

  return !figure->has_own_map ||
         (figure->has_measure && study->measure == ATTN_HEAD_MEASURE_CHANGE);
}

/**
 * attn_study_asks_question:
 *
 * Returns: whether a question with its answer stands in place of the inputs
 */
gboolean
attn_study_asks_question (const AttnStudy *study)
{
  return attn_study_get_traits (study)->has_roles && !study->roles.has_positions;
}

/**
 * attn_study_assigns_groups:
 *
 * Returns: whether the study says itself which head attends within which tokens
 */
gboolean
attn_study_assigns_groups (const AttnStudy *study)
{
  return attn_study_get_traits (study)->has_groups &&
         study->groups.rule == ATTN_GROUP_RULE_ASSIGNED;
}
