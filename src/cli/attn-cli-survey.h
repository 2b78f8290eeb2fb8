/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `attention-grid survey`, also as run under MPI. */

#pragma once

#include "attn-survey-run.h"

G_BEGIN_DECLS

/**
 * AttnSurveyRunFunc:
 *
 * As attn_survey_run(). It may return %NULL without an error where this process has nothing to say.
 */
typedef AttnSurveyData *(*AttnSurveyRunFunc) (const AttnSurvey     *survey,
                                              const AttnSurveyRun  *run,
                                              const AttnProgress   *progress,
                                              GCancellable         *cancellable,
                                              GError              **error);

int attn_cli_survey_with (int                 argc,
                          char              **argv,
                          AttnSurveyRunFunc   func);

G_END_DECLS
