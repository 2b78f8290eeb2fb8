/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Panels of the quantities that a study can show in place of attention weights, such as scores or
 * logits. Private to src/study. */

#pragma once

#include "attn-cell.h"
#include "attn-maps.h"
#include "attn-prediction.h"
#include "attn-workspace-private.h"

G_BEGIN_DECLS

typedef struct _AttnQuantities AttnQuantities;

AttnQuantities *attn_quantities_new  (const AttnStudy       *study,
                                      AttnWorkspace         *workspace,
                                      const AttnCell        *cells,
                                      gsize                  n_cells,
                                      const AttnProgress    *progress,
                                      GCancellable          *cancellable);
void            attn_quantities_free (AttnQuantities        *quantities);
AttnPanel      *attn_quantities_make (AttnQuantities        *quantities,
                                      const AttnCell        *cell,
                                      gboolean               is_baseline,
                                      GError               **error);

const char     *attn_quantities_get_word (AttnMapKind        quantity);
const char     *attn_quantities_get_label (AttnMapKind       quantity);
char           *attn_quantities_dup_label  (const char      *text,
                                            AttnModel       *model);
char           *attn_quantities_build_note (const AttnStudy *study,
                                            const char      *token,
                                            const char      *versus);
gboolean        attn_quantities_find_answer (const AttnStudy *study,
                                             AttnModel       *model,
                                             AttnAnswer      *answer,
                                             GError         **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnQuantities, attn_quantities_free)

G_END_DECLS
