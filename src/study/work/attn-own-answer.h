/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tokens that a model generates and that become part of its input. Private to src/study. */

#pragma once

#include "attn-model.h"
#include "attn-sound-prompt.h"

G_BEGIN_DECLS

/* Default for the largest number of tokens that a model generates as its answer. */
#define ATTN_OWN_ANSWER_TOKENS 64

AttnTokens *attn_own_answer_compute (AttnModel             *model,
                                     const AttnTokens      *begun,
                                     const AttnSoundWords  *words,
                                     gsize                  n_most,
                                     GCancellable          *cancellable,
                                     GError               **error);

G_END_DECLS
