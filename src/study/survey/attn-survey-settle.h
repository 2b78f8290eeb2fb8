/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Edits of a study of a survey: one that asks which heads matter is about one operation and nothing
 * else, and charts are about what was counted. */

#pragma once

#include "attn-study.h"

G_BEGIN_DECLS

void attn_survey_settle_attribution (AttnStudy       *study,
                                     const AttnStudy *before);
void attn_survey_fit_study          (AttnStudy       *study,
                                     const char      *path);

G_END_DECLS
