/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The pieces of a vocabulary, by id and by text. */

#pragma once

#include "attn-json-walk.h"
#include "attn-tokenizer-parts.h"
#include "attn-trie.h"

G_BEGIN_DECLS

typedef struct _AttnVocabulary AttnVocabulary;

AttnVocabulary *attn_vocabulary_new         (void);
void            attn_vocabulary_free        (AttnVocabulary        *vocabulary);
gboolean        attn_vocabulary_add         (AttnVocabulary        *vocabulary,
                                             const char            *where,
                                             const char            *piece,
                                             gint64                 id,
                                             GError               **error);
gboolean        attn_vocabulary_add_object  (AttnVocabulary        *vocabulary,
                                             AttnJsonWalk          *pieces,
                                             GError               **error);
gsize           attn_vocabulary_get_size    (const AttnVocabulary  *vocabulary);
const char     *attn_vocabulary_get_piece   (const AttnVocabulary  *vocabulary,
                                             gsize                  id);
gboolean        attn_vocabulary_lookup      (const AttnVocabulary  *vocabulary,
                                             const char            *piece,
                                             guint32               *id);
AttnTrie       *attn_vocabulary_create_trie (const AttnVocabulary  *vocabulary,
                                             const guint8          *types);
AttnTrie       *attn_vocabulary_create_user_trie (const AttnVocabulary  *vocabulary,
                                             const guint8          *types);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnVocabulary, attn_vocabulary_free)

G_END_DECLS
