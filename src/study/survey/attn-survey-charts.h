/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Charts below the maps of a survey. Private to src/study. */

#pragma once

#include "attn-grid.h"
#include "attn-study.h"
#include "attn-survey-data.h"

G_BEGIN_DECLS

/**
 * AttnSurveyChoice:
 * @condition: index of the condition that the charts show
 * @layer: index of the head's layer among the layers of the survey
 * @head: index of the head among the heads of the survey
 * @statistic: the statistic that the charts show, one that the survey has
 * @against: the statistic along the horizontal axis of the scatter, also one that the survey has
 * @group: index of the panel that shows the statistic under the condition
 *
 * Choice of what the charts of a survey show.
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

/* Functions that return texts of a survey's figure, which are not translated. */
const char *attn_survey_charts_get_label (const AttnSurveyData   *data,
                                          AttnStatistic           statistic);
const char *attn_survey_charts_get_things (const AttnSurveyData  *data);
gsize       attn_survey_charts_get_cell  (const AttnSurveyData   *data,
                                          const AttnSurveyChoice *choice);
char       *attn_survey_charts_build_name (const AttnSurveyData    *data,
                                          gsize                   condition,
                                          gboolean                has_factor);
char       *attn_survey_charts_write_operation (const char *operation);
const char *attn_survey_charts_explain_curves (const AttnSurveyData *data);
void        attn_survey_charts_add       (const AttnStudy        *study,
                                          const AttnSurveyData   *data,
                                          const AttnSurveyChoice *choice,
                                          AttnGrid               *grid);

G_END_DECLS
