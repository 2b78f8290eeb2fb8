/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Byte-pair encoding. */

#pragma once

#include "attn-pair-map.h"
#include "attn-subword.h"
#include "attn-vocabulary.h"

G_BEGIN_DECLS

/**
 * AttnBpeOptions:
 * @is_byte_level: whether a word begins as bytes, which the vocabulary spells in the byte-level
 *   alphabet, or as characters
 * @has_byte_fallback: whether characters without a piece are spelled in bytes, "<0xE2>"
 * @fuses_unknown: what has no piece is one unknown token for a row of it
 * @ignores_merges: a word that is a piece is that piece
 * @unknown_id: the piece for what has none, or %ATTN_TRIE_NO_ID
 */
typedef struct
{
  gboolean is_byte_level;
  gboolean has_byte_fallback;
  gboolean fuses_unknown;
  gboolean ignores_merges;
  guint32 unknown_id;
} AttnBpeOptions;

const char  *attn_bpe_get_kind (const AttnBpeOptions  *options);
AttnSubword *attn_bpe_new      (const AttnVocabulary  *vocabulary,
                                AttnPairMap           *merges,
                                const AttnBpeOptions  *options,
                                const guint8          *types);

G_END_DECLS
