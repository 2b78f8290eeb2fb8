/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A tokenizer from its parts in memory, as formats other than tokenizer.json hold them. */

#pragma once

#include "attn-tokenizer.h"

G_BEGIN_DECLS

/**
 * AttnTokenizerModel:
 * @ATTN_TOKENIZER_BYTE_LEVEL_BPE: pieces in the byte-level alphabet, and merges (GPT-2, Llama 3)
 * @ATTN_TOKENIZER_SCORED_BPE: SentencePiece's BPE: what has the higher score is joined first
 *   (Llama 2, Mistral, Gemma)
 * @ATTN_TOKENIZER_UNIGRAM: SentencePiece's Unigram: scores are log probabilities (T5, ALBERT)
 * @ATTN_TOKENIZER_WORDPIECE: pieces that continue a word begin with "##" (BERT)
 */
typedef enum
{
  ATTN_TOKENIZER_BYTE_LEVEL_BPE,
  ATTN_TOKENIZER_SCORED_BPE,
  ATTN_TOKENIZER_UNIGRAM,
  ATTN_TOKENIZER_WORDPIECE,
} AttnTokenizerModel;

/**
 * AttnPieceType:
 * @ATTN_PIECE_NORMAL: found in a text
 * @ATTN_PIECE_UNKNOWN: stands for what has no piece
 * @ATTN_PIECE_CONTROL: a special token, such as <s>
 * @ATTN_PIECE_USER_DEFINED: found in a text and never joined or cut
 * @ATTN_PIECE_UNUSED: never found
 * @ATTN_PIECE_BYTE: one byte, "<0xE2>"
 *
 * The numbers are those of SentencePiece and of GGUF.
 */
typedef enum
{
  ATTN_PIECE_NORMAL = 1,
  ATTN_PIECE_UNKNOWN = 2,
  ATTN_PIECE_CONTROL = 3,
  ATTN_PIECE_USER_DEFINED = 4,
  ATTN_PIECE_UNUSED = 5,
  ATTN_PIECE_BYTE = 6,
} AttnPieceType;

/* An id that is not there. */
#define ATTN_TOKENIZER_NO_ID G_MAXUINT32

/**
 * AttnTokenizerParts:
 * @model: how a text is cut
 * @n_pieces: how many
 * @pieces: (array length=n_pieces): by id, in UTF-8; %NULL for an id without one
 * @scores: (nullable) (array length=n_pieces): needed by the models of SentencePiece
 * @types: (nullable) (array length=n_pieces): an #AttnPieceType each; %NULL where all are normal
 * @n_merges: how many
 * @merges: (array length=n_merges): "a b", the first to be done first; byte-level BPE only
 * @patterns: (nullable) (array zero-terminated=1): byte-level BPE only: regular expressions that
 *   cut a text into words, one after the other; %NULL for the one of GPT-2
 * @unknown_id: the piece for what has none, or %ATTN_TOKENIZER_NO_ID
 * @begin_id: the special token in front of a text, or %ATTN_TOKENIZER_NO_ID
 * @end_id: that behind it, or %ATTN_TOKENIZER_NO_ID
 * @adds_prefix_space: whether a text begins as if a space stood before it; to SentencePiece, even
 *   one that begins with a space
 * @removes_extra_spaces: SentencePiece: of spaces in a row one remains, none at the ends
 * @has_byte_fallback: SentencePiece: characters without a piece are spelled in bytes
 * @ignores_merges: byte-level BPE: a word that is a piece is that piece
 * @composes: byte-level BPE: characters are composed first (NFC)
 * @lowercases: WordPiece: capital letters and accents are dropped
 * @strips_accents: WordPiece: accents are dropped; with @lowercases they are unless
 *   @keeps_accents
 * @keeps_accents: WordPiece: see @strips_accents
 * @joins_chinese: WordPiece: Chinese characters are not words of their own
 * @charsmap: (nullable): SentencePiece's precompiled normalizer
 *
 * Everything is copied. Members that do not concern the model are ignored.
 */
typedef struct
{
  AttnTokenizerModel model;
  gsize n_pieces;
  const char *const *pieces;
  const float *scores;
  const guint8 *types;
  gsize n_merges;
  const char *const *merges;
  const char *const *patterns;
  guint32 unknown_id;
  guint32 begin_id;
  guint32 end_id;
  gboolean adds_prefix_space;
  gboolean removes_extra_spaces;
  gboolean has_byte_fallback;
  gboolean ignores_merges;
  gboolean composes;
  gboolean lowercases;
  gboolean strips_accents;
  gboolean keeps_accents;
  gboolean joins_chinese;
  GBytes *charsmap;
} AttnTokenizerParts;

/**
 * AttnTokenizerSource:
 * @path: (type filename): the file
 * @where: what messages begin with
 * @strings: what @pieces and @merges are in
 * @pieces: by id; %NULL for an id without one
 * @merges: see #AttnTokenizerParts
 * @scores: float, for each piece or none
 * @types: an #AttnPieceType for each piece or none
 * @parts: the rest; its lists are set by attn_tokenizer_source_get_parts()
 *
 * A tokenizer's file as it is read: owns what @parts points to.
 */
typedef struct
{
  const char *path;
  char *where;
  GStringChunk *strings;
  GPtrArray *pieces;
  GPtrArray *merges;
  GArray *scores;
  GByteArray *types;
  AttnTokenizerParts parts;
} AttnTokenizerSource;

void                      attn_tokenizer_source_init       (AttnTokenizerSource       *source,
                                                            const char                *path);
void                      attn_tokenizer_source_clear      (AttnTokenizerSource       *source);
guint32                   attn_tokenizer_source_find       (const AttnTokenizerSource *source,
                                                            const char                *piece);
const AttnTokenizerParts *attn_tokenizer_source_get_parts  (AttnTokenizerSource       *source);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AttnTokenizerSource, attn_tokenizer_source_clear)

AttnTokenizer *attn_tokenizer_new_from_parts (const AttnTokenizerParts  *parts,
                                              const char                *where,
                                              GError                   **error);
void           attn_tokenizer_outline_parts  (const AttnTokenizerParts  *parts,
                                              AttnTokenizerOutline      *outline);

G_END_DECLS
