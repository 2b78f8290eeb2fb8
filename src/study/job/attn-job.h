/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Job that computes the panels of a study. It is cancellable and without side effects; the
 * workspace only makes it faster. */

#pragma once

#include "attn-progress.h"
#include "attn-workspace.h"

G_BEGIN_DECLS

AttnResult *attn_job_run            (const AttnStudy     *study,
                                     AttnWorkspace       *workspace,
                                     const AttnProgress  *progress,
                                     GCancellable        *cancellable,
                                     GError             **error);

G_END_DECLS
