/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Generates the answer of a model to an input, whose tokens then become part of the input. Private
 * to src/study. */

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
