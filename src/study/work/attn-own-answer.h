/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The target of a decoder that is given none. Private to src/study. */

#pragma once

#include "attn-model.h"

G_BEGIN_DECLS

/* The most tokens of it. */
#define ATTN_OWN_ANSWER_TOKENS 64

AttnTokens *attn_own_answer_compute (AttnModel         *model,
                                     const AttnTokens  *begun,
                                     GCancellable      *cancellable,
                                     GError           **error);

G_END_DECLS
