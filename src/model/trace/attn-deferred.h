/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Attention weights whose rows are computed only when they are needed, by the thread that needs
 * them. */

#pragma once

#include "attn-attention.h"

G_BEGIN_DECLS

typedef struct _AttnDeferred AttnDeferred;

AttnDeferred *attn_deferred_new   (AttnTensor           *scores,
                                   const AttnScoreRules *rules,
                                   AttnTensor           *weights);
void          attn_deferred_add   (AttnDeferred         *deferred,
                                   gsize                 head,
                                   float                 factor);
void          attn_deferred_free  (AttnDeferred         *deferred);
void          attn_deferred_fill  (const AttnDeferred   *deferred,
                                   gsize                 index,
                                   gsize                 first_row,
                                   gsize                 n_rows,
                                   double               *entropy);
gboolean      attn_deferred_finish (const AttnDeferred  *deferred,
                                   GCancellable         *cancellable,
                                   GError              **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnDeferred, attn_deferred_free)

G_END_DECLS
