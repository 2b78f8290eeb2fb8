/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A job computes the panels of a study. It can be canceled, and has no side effects except in the
 * workspace, a cache that makes later jobs faster. */

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
