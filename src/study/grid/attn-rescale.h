/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Panels that follow changes of the factor ε by a formula, without another pass through the model.
 * Private to src/study. */

#pragma once

#include "attn-cell.h"
#include "attn-grid.h"
#include "attn-words.h"
#include "attn-workspace-private.h"

G_BEGIN_DECLS

gboolean attn_rescale_is_possible (const AttnStudy    *study);
gboolean attn_rescale_is_quick    (const AttnStudy    *study,
                                   AttnWorkspace      *workspace,
                                   gsize               n,
                                   gsize               input);
gboolean attn_rescale_find        (const AttnStudy    *study,
                                   AttnWorkspace      *workspace,
                                   const AttnCell     *cell,
                                   const AttnWords    *words,
                                   const AttnCell     *subtracted,
                                   const AttnWords    *subtracted_words,
                                   const AttnGridCell *place,
                                   GCancellable       *cancellable,
                                   AttnRescaling      *rescaling);
void     attn_rescale_clear       (AttnRescaling      *rescaling);

G_END_DECLS
