/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How the tokenizer makes a list of tokens. */

#pragma once

#include "attn-tokenizer.h"

G_BEGIN_DECLS

AttnTokens *attn_tokens_new_take (GArray  *tokens,
                                  char   **labels);

G_END_DECLS
