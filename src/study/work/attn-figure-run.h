/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions that compute figures, one for each kind of figure, defined in the folder of that
 * kind. */

#pragma once

#include "attn-progress.h"
#include "attn-workspace.h"

G_BEGIN_DECLS

/**
 * ATTN_FIGURE_RUN:
 * @study: a study whose figure is of this kind
 * @workspace: the cache of earlier jobs, which is not prepared for @study yet
 * @progress: (nullable): is told how far the computation is
 * @cancellable: (nullable): checked often
 * @error: return location
 *
 * Declares attn_NAME_figure_run(), which computes a figure of the kind NAME. It prepares the
 * workspace for the inputs that it computes.
 *
 * Returns: (transfer full) (nullable): the result with the panels of the figure
 */
#define ATTN_FIGURE_RUN(NAME, name, word, ...)                                     \
  AttnResult *attn_##name##_figure_run (const AttnStudy *study,                    \
                                        AttnWorkspace *workspace,                  \
                                        const AttnProgress *progress,              \
                                        GCancellable *cancellable, GError **error);

ATTN_FIGURE_KINDS (ATTN_FIGURE_RUN)

G_END_DECLS
