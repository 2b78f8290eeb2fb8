/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Readers of the file formats of tokenizers. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-subword.h"
#include "attn-tokenizer-parts.h"

G_BEGIN_DECLS

AttnTokenizer *attn_tokenizer_read_json          (const char            *path,
                                                  GError               **error);
gboolean       attn_tokenizer_outline_json       (const char            *path,
                                                  AttnTokenizerOutline  *outline,
                                                  GError               **error);
gboolean       attn_tokenizer_read_vocab_txt     (AttnTokenizerParts   *parts,
                                                  GError               **error);
gboolean       attn_tokenizer_read_vocab_json    (AttnTokenizerParts   *parts,
                                                  GError               **error);
gboolean       attn_tokenizer_read_sentencepiece (AttnTokenizerParts   *parts,
                                                  GError               **error);
gboolean       attn_tokenizer_read_gguf          (AttnTokenizerParts   *parts,
                                                  GError               **error);

/* Functions of attn-subword-json.c, which read the subword model of a tokenizer.json. */
AttnSubword *attn_subword_new_from_json (JsonNode        *node,
                                         AttnJsonWalk    *pieces,
                                         AttnJsonWalk    *merges,
                                         gboolean         is_byte_level,
                                         AttnVocabulary  *vocabulary,
                                         GError         **error);
gboolean     attn_subword_outline_json  (JsonNode        *node,
                                         AttnJsonWalk    *pieces,
                                         AttnJsonWalk    *merges,
                                         gboolean         is_byte_level,
                                         const char     **kind,
                                         gsize           *n_ids,
                                         GError         **error);

G_END_DECLS
