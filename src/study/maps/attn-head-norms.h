/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Measures the norms of the output, query, key and value vectors of each head. Private to
 * src/study. */

#pragma once

#include "attn-head-map.h"
#include "attn-progress.h"
#include "attn-workspace.h"

G_BEGIN_DECLS

gboolean attn_head_norms_fill (AttnHeadMap         *map,
                               const AttnStudy     *study,
                               AttnWorkspace       *workspace,
                               const AttnProgress  *progress,
                               GCancellable        *cancellable,
                               GError             **error);

G_END_DECLS
