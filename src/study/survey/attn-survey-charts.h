/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Charts below the maps of a survey. Private to src/study. */

#pragma once

#include "attn-grid.h"
#include "attn-study.h"
#include "attn-survey-data.h"

G_BEGIN_DECLS

/**
 * AttnSurveyChoice:
 * @condition: which of the conditions the charts are about
 * @layer: place of the head among the layers of the survey
 * @head: among its heads
 * @statistic: one that the survey has
 * @against: another, or the same
 * @group: the panel of the statistic and the condition
 *
 * What is chosen among what a survey has.
 */
typedef struct
{
  gsize condition;
  gsize layer;
  gsize head;
  AttnStatistic statistic;
  AttnStatistic against;
  gsize group;
} AttnSurveyChoice;

/* Texts of the figure, which are not translated. */
const char *attn_survey_charts_get_label (const AttnSurveyData   *data,
                                          AttnStatistic           statistic);
const char *attn_survey_charts_get_things (const AttnSurveyData  *data);
gsize       attn_survey_charts_get_cell  (const AttnSurveyData   *data,
                                          const AttnSurveyChoice *choice);
char       *attn_survey_charts_build_name (const AttnSurveyData    *data,
                                          gsize                   condition,
                                          gboolean                has_factor);
char       *attn_survey_charts_write_operation (const char *operation);
void        attn_survey_charts_add       (const AttnStudy        *study,
                                          const AttnSurveyData   *data,
                                          const AttnSurveyChoice *choice,
                                          AttnGrid               *grid);

G_END_DECLS
