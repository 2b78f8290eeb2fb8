/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Statistics that do not use attention maps: norms of vectors, predictions, and the kinds of tokens
 * (delimiters). */

#pragma once

#include <gio/gio.h>

#include "attn-model.h"
#include "attn-vectors.h"

G_BEGIN_DECLS

guint8  *attn_survey_states_find_delimiters (const AttnTokens   *tokens);
void     attn_survey_states_measure         (const AttnVectors  *vectors,
                                             double             *norms);
void     attn_survey_states_count_massive   (const AttnVectors  *vectors,
                                             double             *counts);
gsize    attn_survey_states_estimate        (const AttnModel    *model,
                                             gsize               n_tokens);
gboolean attn_survey_states_compare         (AttnModel          *model,
                                             const guint32      *ids,
                                             const gsize        *ends,
                                             gsize               n_texts,
                                             const AttnTensor   *before,
                                             const AttnTensor   *after,
                                             double             *kl,
                                             double             *loss,
                                             GCancellable       *cancellable,
                                             GError            **error);

G_END_DECLS
