/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Writes and reads the arrays of an attribution in the file of a survey. */

#pragma once

#include "attn-survey-data.h"

G_BEGIN_DECLS

gboolean attn_attribution_save  (const AttnSurveyData  *data,
                                 AttnArrayFile         *file,
                                 GError               **error);
gboolean attn_attribution_load  (AttnSurveyData        *data,
                                 const AttnArrayFile   *file,
                                 GError               **error);

G_END_DECLS
