/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Adjusts the study of a survey after an edit. An attribution allows one operation only, and charts
 * need statistics that were computed. */

#pragma once

#include "attn-study.h"

G_BEGIN_DECLS

void attn_survey_settle_attribution (AttnStudy       *study,
                                     const AttnStudy *before);
void attn_survey_fit_study          (AttnStudy       *study,
                                     const char      *path);

G_END_DECLS
