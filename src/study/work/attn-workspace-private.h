/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the job asks of the workspace. Private to src/study. */

#pragma once

#include "attn-baseline.h"
#include "attn-job.h"

G_BEGIN_DECLS

gboolean      attn_workspace_prepare     (AttnWorkspace        *workspace,
                                          const AttnStudy      *study,
                                          GError              **error);
void          attn_workspace_trim        (AttnWorkspace        *workspace);
AttnModel    *attn_workspace_get_model (AttnWorkspace      *workspace,
                                          gsize                 model);
gsize         attn_workspace_get_n_models (AttnWorkspace       *workspace);
gsize         attn_workspace_get_n_inputs (AttnWorkspace       *workspace);
AttnBaseline *attn_workspace_get_baseline (AttnWorkspace       *workspace,
                                          gsize                 model,
                                          gsize                 index);

G_END_DECLS
