/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Figure of a survey, which is statistics of heads over many texts, without and with interventions:
 * maps of layers x heads for each, and charts below them. */

#pragma once

#include "attn-result.h"
#include "attn-survey-charts.h"

G_BEGIN_DECLS

AttnStudy  *attn_survey_figure_choose (const AttnResult    *result,
                                       int                  group,
                                       gsize                row,
                                       gsize                column);
AttnSurveyChoice attn_survey_figure_get_choice (const AttnStudy      *study,
                                                const AttnSurveyData *data);
gboolean    attn_survey_is_growing    (const AttnResult    *result);
gboolean    attn_survey_has_grown     (const AttnResult    *result);

G_END_DECLS
