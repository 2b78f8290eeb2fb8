/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The layer-token figure: one map of layers x roles of tokens in a question and its answer. */

#pragma once

#include "attn-job.h"

G_BEGIN_DECLS

AttnStudy  *attn_layer_token_build_inputs (const AttnStudy     *study,
                                           GError             **error);
AttnResult *attn_layer_token_run          (const AttnStudy     *study,
                                           AttnWorkspace       *workspace,
                                           const AttnProgress  *progress,
                                           GCancellable        *cancellable,
                                           GError             **error);
AttnResult *attn_layer_token_draw_matrix  (const AttnStudy     *study,
                                           AttnWorkspace       *workspace,
                                           GError             **error);

G_END_DECLS
