/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Adjusts the study of a survey after an edit, or to the file of a survey. An attribution, which
 * finds the heads that matter most, allows only one operation, and charts need statistics that were
 * computed. */

#pragma once

#include "attn-study.h"

G_BEGIN_DECLS

void       attn_survey_settle_attribution (AttnStudy                 *study,
                                           const AttnStudy           *before);
void       attn_survey_fit_study          (AttnStudy                 *study,
                                           const char                *path);
gboolean   attn_survey_file_is_one        (const AttnModelReference  *reference);
AttnStudy *attn_survey_load_study         (const AttnModelReference  *reference,
                                           GError                   **error);

G_END_DECLS
