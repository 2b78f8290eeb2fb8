/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Builds the study that a command line describes: a preset or a file, changed by options. Also
 * computes its panels. Private to src/cli. */

#pragma once

#include "attn-cli-options.h"
#include "attn-job.h"

G_BEGIN_DECLS

AttnStudy  *attn_cli_load_study    (const char           *operand,
                                    const AttnCliOptions *options,
                                    AttnWorkspace        *workspace,
                                    int                  *status);
gboolean    attn_cli_study_apply   (AttnStudy            *study,
                                    const AttnCliOptions *options,
                                    GError              **error);
GPtrArray  *attn_cli_study_list_extra (const AttnStudy   *study,
                                    const AttnCliOptions *options);
AttnResult *attn_cli_run_study     (const char           *operand,
                                    const AttnCliOptions *options,
                                    int                  *status);

G_END_DECLS
