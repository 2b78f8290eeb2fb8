/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Builds a tokenizer from its parts in memory (the pieces of its vocabulary, their scores,
 * options), for all file formats except tokenizer.json. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-chat.h"
#include "attn-tokenizer.h"

G_BEGIN_DECLS

/**
 * AttnTokenizerModel:
 * @ATTN_TOKENIZER_BYTE_LEVEL_BPE: pieces in the byte-level alphabet, and merges (GPT-2, Llama 3)
 * @ATTN_TOKENIZER_SCORED_BPE: SentencePiece's BPE: two pieces are joined first if their union has
 *   the highest score (Llama 2, Mistral, Gemma)
 * @ATTN_TOKENIZER_UNIGRAM: SentencePiece's Unigram: scores are log probabilities (T5, ALBERT)
 * @ATTN_TOKENIZER_WORDPIECE: pieces that continue a word begin with "##" (BERT)
 * @ATTN_TOKENIZER_WORD_BPE: merges join the characters of each word; the spaces between words are
 *   dropped (Jina's Chinese models, in GGUF files)
 * @ATTN_TOKENIZER_WORDLEVEL: each word between spaces is one piece or unknown, except that
 *   user-defined pieces are found anywhere (ESM)
 *
 * The kinds of subword models, by which a text is cut into pieces.
 */
typedef enum
{
  ATTN_TOKENIZER_BYTE_LEVEL_BPE,
  ATTN_TOKENIZER_SCORED_BPE,
  ATTN_TOKENIZER_UNIGRAM,
  ATTN_TOKENIZER_WORDPIECE,
  ATTN_TOKENIZER_WORD_BPE,
  ATTN_TOKENIZER_WORDLEVEL,
} AttnTokenizerModel;

/**
 * AttnPieceType:
 * @ATTN_PIECE_NORMAL: an ordinary piece, found in a text
 * @ATTN_PIECE_UNKNOWN: stands for text that has no piece
 * @ATTN_PIECE_CONTROL: a special token, such as <s>
 * @ATTN_PIECE_USER_DEFINED: found in a text and never joined or cut
 * @ATTN_PIECE_UNUSED: never found
 * @ATTN_PIECE_BYTE: one byte, spelled "<0xE2>"
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

/* The regular expression by which Qwen2's tokenizer cuts a text into words. */
#define ATTN_QWEN2_PATTERN                                                                  \
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+" \
  "[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"

/* The id that means "no token". */
#define ATTN_TOKENIZER_NO_ID G_MAXUINT32

/**
 * AttnTokenizerParts:
 * @path: (type filename): the tokenizer's file
 * @where: name of the file, with which error messages begin
 * @strings: holds the text of @pieces and @merges
 * @pieces: the spelling of each piece by its id, in UTF-8; %NULL for an id without a piece
 * @scores: (element-type float): for each piece; needed by the models of SentencePiece, unless
 *   @has_merges
 * @types: an #AttnPieceType for each piece
 * @merges: pairs of pieces to be joined, "a b", the first to be done first; for byte-level BPE, and
 *   where @has_merges
 * @has_merges: SentencePiece's BPE: pieces are joined by @merges, not by their scores
 * @model: how a text is cut into pieces
 * @patterns: (nullable) (array zero-terminated=1): byte-level BPE only: regular expressions that
 *   cut a text into words, one after the other; %NULL for the one of GPT-2
 * @unknown_id: the piece for text that has none, or %ATTN_TOKENIZER_NO_ID
 * @begin_id: the special token in front of a text, or %ATTN_TOKENIZER_NO_ID
 * @end_id: the special token behind a text, or %ATTN_TOKENIZER_NO_ID
 * @adds_prefix_space: whether a text begins as if a space stood before it; with SentencePiece, even
 *   a text that begins with a space
 * @removes_extra_spaces: SentencePiece: of spaces in a row one remains, and none at the ends of a
 *   text
 * @has_byte_fallback: SentencePiece, BPE of words: characters without a piece are spelled in bytes
 * @ignores_merges: byte-level BPE: a word that is a piece as a whole is not cut
 * @composes: byte-level BPE: characters are composed first (NFC)
 * @lowercases: WordPiece: letters become lower case, without accents; BPE of words: letters become
 *   lower case
 * @strips_accents: WordPiece: accents are dropped; with @lowercases they are unless
 *   @keeps_accents
 * @keeps_accents: WordPiece: see @strips_accents
 * @joins_chinese: WordPiece: Chinese characters are not words of their own
 * @added: (nullable): tokens added to the vocabulary, in the form that they have in a
 *   tokenizer.json
 * @charsmap: (nullable): SentencePiece's precompiled normalizer
 * @has_chat: whether the file was asked for a chat template: then @chat is set, or @chat_error
 *
 * What was read of a tokenizer's file. Members that do not concern @model are ignored.
 */
typedef struct
{
  const char *path;
  char *where;
  GStringChunk *strings;
  GPtrArray *pieces;
  GArray *scores;
  GByteArray *types;
  GPtrArray *merges;
  AttnTokenizerModel model;
  const char *const *patterns;
  guint32 unknown_id;
  guint32 begin_id;
  guint32 end_id;
  gboolean has_merges;
  gboolean adds_prefix_space;
  gboolean removes_extra_spaces;
  gboolean has_byte_fallback;
  gboolean ignores_merges;
  gboolean composes;
  gboolean lowercases;
  gboolean strips_accents;
  gboolean keeps_accents;
  gboolean joins_chinese;
  JsonArray *added;
  GBytes *charsmap;
  gboolean has_chat;
  AttnChat chat;
  GError *chat_error;
} AttnTokenizerParts;

void           attn_tokenizer_parts_init     (AttnTokenizerParts        *parts,
                                              const char                *path);
void           attn_tokenizer_parts_clear    (AttnTokenizerParts        *parts);
guint32        attn_tokenizer_parts_find     (const AttnTokenizerParts  *parts,
                                              const char                *piece);
AttnTokenizer *attn_tokenizer_new_from_parts (const AttnTokenizerParts  *parts,
                                              GError                   **error);
void           attn_tokenizer_outline_parts  (const AttnTokenizerParts  *parts,
                                              AttnTokenizerOutline      *outline);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AttnTokenizerParts, attn_tokenizer_parts_clear)

G_END_DECLS
