/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The stage that cuts words into pieces of the vocabulary. Byte-pair encoding (BPE) merges
 * neighbouring pieces; Unigram finds the most probable way to cut a word; WordPiece takes the
 * longest piece first, from left to right; WordLevel only has whole words. */

#pragma once

#include "attn-pair-map.h"
#include "attn-spaces.h"
#include "attn-vocabulary.h"

G_BEGIN_DECLS

/* Names of the kinds of subword models. */
#define ATTN_SUBWORD_BYTE_LEVEL_BPE "byte-level BPE"
#define ATTN_SUBWORD_BYTE_FALLBACK_BPE "BPE with byte fallback"
#define ATTN_SUBWORD_BPE "BPE"
#define ATTN_SUBWORD_UNIGRAM "Unigram"
#define ATTN_SUBWORD_WORDPIECE "WordPiece"
#define ATTN_SUBWORD_WORDLEVEL "WordLevel"

typedef struct _AttnSubword AttnSubword;

/**
 * AttnSubword:
 * @kind: its kind, one of the above
 * @cuts_at_spaces: whether no piece crosses the place before a "▁": words that are cut there, as
 *   [func@attn_spaces_cut] does, have the same pieces and are encoded faster
 * @word_end: (nullable): what a piece ends with that ends a word, such as "</w>"
 * @encode: appends the #AttnToken of every word to an array, offsets counted in the text; FALSE
 *   with %ATTN_ERROR_FORMAT where the vocabulary has nothing for a byte of the text. Any thread may
 *   call.
 * @free: frees it
 *
 * First member of each model's struct. Immutable.
 */
struct _AttnSubword
{
  const char *kind;
  gboolean cuts_at_spaces;
  const char *word_end;
  gboolean (*encode) (const AttnSubword  *subword,
                      const char         *text,
                      const AttnWord     *words,
                      gsize               n_words,
                      GArray             *tokens,
                      GError            **error);
  void (*free) (AttnSubword *subword);
};

/**
 * AttnBpeOptions:
 * @is_byte_level: whether the bytes of a word are merged, which the vocabulary spells in the
 *   byte-level alphabet, not its characters
 * @has_byte_fallback: whether characters without a piece are spelled in bytes, "<0xE2>"
 * @fuses_unknown: whether adjacent characters without a piece become one unknown token
 * @ignores_merges: whether a word that is a piece as a whole is not cut
 * @unknown_id: the piece for text that has none, or %ATTN_TRIE_NO_ID
 * @word_end: (nullable): what a piece ends with that ends a word; only where @is_byte_level
 *
 * Settings of a model of byte-pair encoding.
 */
typedef struct
{
  gboolean is_byte_level;
  gboolean has_byte_fallback;
  gboolean fuses_unknown;
  gboolean ignores_merges;
  guint32 unknown_id;
  const char *word_end;
} AttnBpeOptions;

const char  *attn_bpe_get_kind (const AttnBpeOptions  *options);
AttnSubword *attn_bpe_new      (const AttnVocabulary  *vocabulary,
                                AttnPairMap           *merges,
                                const AttnBpeOptions  *options,
                                const guint8          *types);

AttnSubword *attn_unigram_new (const AttnVocabulary  *vocabulary,
                               const double          *scores,
                               guint32                unknown_id,
                               gboolean               has_byte_fallback,
                               const guint8          *types);

AttnSubword *attn_wordpiece_new (const AttnVocabulary  *vocabulary,
                                 const char            *prefix,
                                 guint32                unknown_id,
                                 gsize                  max_characters,
                                 const guint8          *types);
AttnSubword *attn_wordlevel_new (const AttnVocabulary  *vocabulary,
                                 guint32                unknown_id);

G_END_DECLS
