/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Makes the specification of a survey from a study: its texts, its statistics, and its conditions,
 * which are the baseline and each intervention or group of interventions. */

#pragma once

#include "attn-study.h"
#include "attn-survey.h"

G_BEGIN_DECLS

AttnSurveySpec *attn_survey_spec_new          (const AttnStudy  *study,
                                               AttnModel        *model,
                                               GError          **error);
void            attn_survey_spec_free         (AttnSurveySpec   *spec);
AttnModel      *attn_survey_spec_bind_picture (AttnModel        *model,
                                               const char       *path,
                                               GError          **error);
AttnModel      *attn_survey_spec_bind_sound   (AttnModel        *model,
                                               const char       *path,
                                               GError          **error);
void            attn_survey_spec_set_files    (const AttnModel  *model,
                                               AttnTextsSpec    *spec);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnSurveySpec, attn_survey_spec_free)

G_END_DECLS
