/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Compares and joins the tokens of an input or of an answer. */

#pragma once

#include "attn-tokenizer.h"

G_BEGIN_DECLS

gsize    attn_token_list_count       (const AttnTokens *tokens);
gboolean attn_token_list_equal       (const AttnTokens *a,
                                      const AttnTokens *b);
gboolean attn_token_list_begins_with (const AttnTokens *tokens,
                                      const AttnTokens *start);
char    *attn_token_list_join        (const AttnTokens *tokens,
                                      gsize             n_most);

G_END_DECLS
