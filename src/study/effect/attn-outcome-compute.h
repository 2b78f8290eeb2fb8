/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computes outcomes: the effects of interventions on predictions. Private to src/study. */

#pragma once

#include "attn-cell.h"
#include "attn-outcome.h"
#include "attn-workspace-private.h"

G_BEGIN_DECLS

gboolean     attn_outcome_find_ends (AttnBaseline       *baseline,
                                     GPtrArray          *interventions,
                                     AttnTrace          *ends[2],
                                     GCancellable       *cancellable,
                                     GError            **error);
AttnOutcome *attn_outcome_compute   (const AttnStudy    *study,
                                     AttnWorkspace      *workspace,
                                     const AttnCell     *cell,
                                     GCancellable       *cancellable,
                                     GError            **error);

G_END_DECLS
