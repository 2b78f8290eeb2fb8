/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The source of a patch: queries, keys and the like of another input, computed without
 * interventions. */

#pragma once

#include <gio/gio.h>

#include "attn-intervention.h"
#include "attn-tensor.h"

G_BEGIN_DECLS

typedef struct _AttnSource AttnSource;

AttnSource *attn_source_new           (AttnModel            *model,
                                       const guint32        *ids,
                                       gsize                 n_ids);
AttnSource *attn_source_ref           (AttnSource           *source);
void        attn_source_unref         (AttnSource           *source);
const AttnModel *attn_source_get_model (const AttnSource    *source);
gsize       attn_source_count_tokens  (const AttnSource     *source);
const guint32 *attn_source_get_ids    (const AttnSource     *source);
AttnTensor *attn_source_get           (const AttnSource     *source,
                                       const AttnIntervention *intervention,
                                       gsize                 layer);

gboolean    attn_interventions_prepare (const GPtrArray     *interventions,
                                        GCancellable        *cancellable,
                                        GError             **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnSource, attn_source_unref)

G_END_DECLS
