/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Makes the tokens that a model reads from an input, and binds (attaches) pictures, sounds and
 * sources to the model. */

#pragma once

#include "attn-model.h"
#include "attn-study.h"

G_BEGIN_DECLS

AttnTokens *attn_input_tokenize     (const AttnInput     *input,
                                     gsize                number,
                                     const AttnModel     *model,
                                     AttnFraming          framing,
                                     GError             **error);
AttnTokens *attn_input_tokenize_target (const AttnInput  *input,
                                     gsize                number,
                                     const AttnModel     *model,
                                     AttnFraming          framing,
                                     GError             **error);
AttnTokens *attn_input_insert_pictures (const AttnInput  *input,
                                     gsize                number,
                                     AttnModel           *bound,
                                     AttnFraming          framing,
                                     GError             **error);
gboolean    attn_input_has_target   (const AttnInput     *input);
AttnModel  *attn_input_bind         (const AttnInput     *input,
                                     gsize                number,
                                     AttnModel           *model,
                                     const AttnStudy     *study,
                                     gssize               n_answer,
                                     GCancellable        *cancellable,
                                     AttnTokens         **tokens,
                                     AttnTokens         **source,
                                     GError             **error);

G_END_DECLS
