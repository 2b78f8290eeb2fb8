/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The stage that cuts a text into words. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-mapped-text.h"

G_BEGIN_DECLS

typedef struct _AttnPreTokenizer AttnPreTokenizer;

AttnPreTokenizer *attn_pre_tokenizer_new           (JsonNode                *node,
                                                    const char              *where,
                                                    GError                 **error);
void              attn_pre_tokenizer_free          (AttnPreTokenizer        *pre_tokenizer);
gboolean          attn_pre_tokenizer_is_byte_level (const AttnPreTokenizer  *pre_tokenizer);
gboolean          attn_pre_tokenizer_split         (const AttnPreTokenizer  *pre_tokenizer,
                                                    AttnMappedText          *text,
                                                    GArray                  *words,
                                                    GError                 **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnPreTokenizer, attn_pre_tokenizer_free)

G_END_DECLS
