/* SPDX-License-Identifier: GPL-3.0-or-later */

/* SentencePiece's precompiled normalizer: a table of short texts and their replacements. */

#pragma once

#include "attn-mapped-text.h"
#include "attn-trie.h"

G_BEGIN_DECLS

typedef struct _AttnCharsmap AttnCharsmap;

AttnCharsmap *attn_charsmap_new             (GBytes                *bytes,
                                             const char            *where,
                                             GError               **error);
AttnCharsmap *attn_charsmap_new_from_base64 (const char            *text,
                                             const char            *where,
                                             GError               **error);
void          attn_charsmap_free            (AttnCharsmap          *charsmap);
void          attn_charsmap_protect         (AttnCharsmap          *charsmap,
                                             AttnTrie              *protected_texts);
gboolean      attn_charsmap_apply           (const AttnCharsmap    *charsmap,
                                             AttnMappedText        *text,
                                             GError               **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnCharsmap, attn_charsmap_free)

G_END_DECLS
