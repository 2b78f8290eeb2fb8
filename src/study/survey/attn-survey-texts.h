/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads texts of a survey in which a head has its largest or smallest values, and makes studies of
 * them. */

#pragma once

#include "attn-workspace.h"
#include "attn-survey-text-list.h"

G_BEGIN_DECLS

gboolean         attn_survey_texts_are_missing (const AttnResult  *result);
AttnResult      *attn_survey_texts_add         (const AttnResult  *result,
                                                AttnWorkspace     *workspace,
                                                GCancellable      *cancellable,
                                                GError           **error);
AttnStudy       *attn_survey_texts_open        (const AttnResult  *result,
                                                gsize              index);

G_END_DECLS
