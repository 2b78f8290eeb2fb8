/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Activation patching from a clean into a corrupted input, which shows the layers and positions, or
 * heads, of a model that decide its answer. */

#pragma once

#include "attn-prediction.h"
#include "attn-progress.h"
#include "attn-workspace.h"

G_BEGIN_DECLS

AttnIntervention *attn_patch_map_build_patch (AttnPatched          patched,
                                              gsize                layer,
                                              gsize                column);
AttnTensor       *attn_patch_map_new         (const AttnStudy     *study,
                                              AttnWorkspace       *workspace,
                                              GError             **error);
gboolean          attn_patch_map_find_answer (const AttnStudy     *study,
                                              AttnWorkspace       *workspace,
                                              AttnAnswer          *answer,
                                              GCancellable        *cancellable,
                                              GError             **error);
gboolean          attn_patch_map_fill        (AttnTensor          *values,
                                              const AttnStudy     *study,
                                              AttnWorkspace       *workspace,
                                              const AttnAnswer    *answer,
                                              const AttnProgress  *progress,
                                              GCancellable        *cancellable,
                                              GError             **error);

G_END_DECLS
