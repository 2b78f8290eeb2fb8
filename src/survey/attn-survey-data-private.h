/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions for the source files that read and write the results of a survey. Private to
 * src/survey. */

#pragma once

#include "attn-survey-data.h"

G_BEGIN_DECLS

/* Largest number of chunks of a survey, for which its numbers fit an int. */
#define ATTN_SURVEY_MOST_CHUNKS G_MAXINT32

AttnSurveyData *attn_survey_data_parse         (const char            *where,
                                                const char            *json,
                                                GError               **error);
gboolean        attn_survey_data_allocate      (AttnSurveyData        *data,
                                                GError               **error);
char           *attn_survey_data_join_kernels  (const AttnSurveyData  *data);
void            attn_survey_data_split_kernels (AttnSurveyData        *data,
                                                const char            *names);
void            attn_survey_data_take_paths    (AttnSurveyData        *data,
                                                const char            *model_path,
                                                const char            *adapter_path,
                                                const char            *texts_path);

G_END_DECLS
