/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The files that a tokenizer can lie in. */

#pragma once

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

G_END_DECLS
