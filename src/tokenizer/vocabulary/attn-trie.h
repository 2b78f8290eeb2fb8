/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A trie of the pieces of a vocabulary, which finds every piece that begins at a position of a
 * text. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The id of a node of the trie at which no piece ends. */
#define ATTN_TRIE_NO_ID G_MAXUINT32

/* The node of the trie where every search begins. Since the root is never a child, 0 as a child
 * means "none". */
#define ATTN_TRIE_ROOT 0

/**
 * AttnTrieEntry:
 * @text: (array length=length): bytes of a text that is to be found
 * @length: number of bytes; an entry without any is ignored
 * @id: id of the entry; of entries with the same text the one with the largest id counts
 *
 * A text that a trie is to find.
 */
typedef struct
{
  const char *text;
  guint32 length;
  guint32 id;
} AttnTrieEntry;

typedef struct _AttnTrie AttnTrie;

AttnTrie *attn_trie_new        (AttnTrieEntry   *entries,
                                gsize            n_entries);
void      attn_trie_free       (AttnTrie        *trie);
guint32   attn_trie_get_child  (const AttnTrie  *trie,
                                guint32          node,
                                guint8           byte);
guint32   attn_trie_get_id     (const AttnTrie  *trie,
                                guint32          node);
gsize     attn_trie_find       (const AttnTrie  *trie,
                                guint32          node,
                                const char      *text,
                                gsize            length,
                                guint32         *id);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnTrie, attn_trie_free)

G_END_DECLS
