/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Parts of a survey for the file that reads and writes it. Private to src/survey. */

#pragma once

#include "attn-survey-data.h"

G_BEGIN_DECLS

/* More than can be counted one after the other. */
#define ATTN_SURVEY_MOST_CHUNKS G_MAXINT32

AttnSurveyData *attn_survey_data_parse         (const char            *where,
                                                const char            *json,
                                                GError               **error);
gboolean        attn_survey_data_allocate      (AttnSurveyData        *data,
                                                GError               **error);
char           *attn_survey_data_join_kernels  (const AttnSurveyData  *data);
void            attn_survey_data_split_kernels (AttnSurveyData        *data,
                                                const char            *names);

G_END_DECLS
