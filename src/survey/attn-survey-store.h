/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Stores the results of a survey while it is computed. Each chunk's result is on disk at once, in a
 * journal beside the file. */

#pragma once

#include "attn-survey.h"

G_BEGIN_DECLS

typedef struct _AttnSurveyStore AttnSurveyStore;

AttnSurveyStore *attn_survey_store_open        (const AttnSurvey      *survey,
                                                const char            *path,
                                                GError               **error);
gboolean         attn_survey_store_has         (const AttnSurveyStore *store,
                                                guint64                chunk);
gboolean         attn_survey_store_add         (AttnSurveyStore       *store,
                                                GBytes                *chunk,
                                                GError               **error);
void             attn_survey_store_set_n_texts (AttnSurveyStore       *store,
                                                guint64                n_texts);
const AttnSurveyData *attn_survey_store_get_data (const AttnSurveyStore *store);
gboolean         attn_survey_store_begin_step  (AttnSurveyStore       *store,
                                                const AttnSurvey      *survey);
gboolean         attn_survey_store_end_step    (AttnSurveyStore       *store,
                                                GError               **error);
AttnSurveyData  *attn_survey_store_close       (AttnSurveyStore       *store,
                                                gboolean               is_done,
                                                GError               **error);

G_END_DECLS
