/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs a survey on the ranks (processes) of an MPI job. */

#pragma once

#include "attn-survey-run.h"

G_BEGIN_DECLS

AttnSurveyData *attn_mpi_run       (const AttnSurvey     *survey,
                                    const AttnSurveyRun  *run,
                                    const AttnProgress   *progress,
                                    GCancellable         *cancellable,
                                    GError              **error);
gboolean        attn_mpi_agree     (const char           *subject,
                                    GError              **error);
gboolean        attn_mpi_has_begun (void);

G_END_DECLS
