/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `attention-grid survey`, which attention-grid-mpi runs with another function that computes. */

#pragma once

#include "attn-survey-run.h"

G_BEGIN_DECLS

/**
 * AttnSurveyRunFunc:
 *
 * Computes a survey as attn_survey_run() does. It can also return %NULL without an error, if
 * another process prints the message.
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
