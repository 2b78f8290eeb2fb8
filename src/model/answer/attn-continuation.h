/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A text that grows token by token, as an answer does. A new token is computed alone: keys and
 * values of those before it are kept. */

#pragma once

#include <gio/gio.h>

#include "attn-model.h"
#include "attn-progress.h"

G_BEGIN_DECLS

typedef struct _AttnContinuation AttnContinuation;

gboolean          attn_continuation_check    (const AttnModel     *model,
                                              GError             **error);
gsize             attn_continuation_estimate (const AttnModel     *model,
                                              gsize                n_ids,
                                              gsize                n_most);
AttnContinuation *attn_continuation_new      (AttnModel           *model,
                                              const guint32       *ids,
                                              gsize                n_ids,
                                              gsize                n_most,
                                              GPtrArray           *interventions,
                                              gsize                n_workers,
                                              const AttnProgress  *progress,
                                              GCancellable        *cancellable,
                                              GError             **error);
void              attn_continuation_free     (AttnContinuation    *continuation);
gboolean          attn_continuation_append   (AttnContinuation    *continuation,
                                              guint32              id,
                                              GCancellable        *cancellable,
                                              GError             **error);
const guint32    *attn_continuation_get_ids  (const AttnContinuation *continuation,
                                              gsize               *n_ids);
const float      *attn_continuation_get_logits (const AttnContinuation *continuation);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnContinuation, attn_continuation_free)

G_END_DECLS
