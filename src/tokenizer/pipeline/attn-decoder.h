/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The stage that turns pieces of the vocabulary back to text. */

#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/**
 * AttnDecoderDefault:
 * @ATTN_DECODER_PLAIN: pieces are spelled like the text
 * @ATTN_DECODER_BYTE_LEVEL: pieces are spelled in the byte-level alphabet
 * @ATTN_DECODER_SPACES: "▁" is a space, which is dropped at the beginning of a text, where the
 *   tokenizer put it; "<0xE2>" is a byte
 * @ATTN_DECODER_ALL_SPACES: the same, but no space is dropped
 * @ATTN_DECODER_WORDPIECE: a piece that begins with "##" continues a word
 *
 * Selects how pieces are decoded where the tokenizer's file does not say so.
 */
typedef enum
{
  ATTN_DECODER_PLAIN,
  ATTN_DECODER_BYTE_LEVEL,
  ATTN_DECODER_SPACES,
  ATTN_DECODER_ALL_SPACES,
  ATTN_DECODER_WORDPIECE,
} AttnDecoderDefault;

typedef struct _AttnDecoder AttnDecoder;

AttnDecoder *attn_decoder_new          (JsonNode            *node,
                                        AttnDecoderDefault   fallback,
                                        const char          *where,
                                        GError             **error);
void         attn_decoder_free         (AttnDecoder         *decoder);
void         attn_decoder_set_word_end (AttnDecoder         *decoder,
                                        const char          *word_end);
void         attn_decoder_append       (const AttnDecoder   *decoder,
                                        const char          *piece,
                                        gboolean             is_added,
                                        gboolean             is_first,
                                        GString             *bytes);
void         attn_decoder_append_alone (const AttnDecoder   *decoder,
                                        const char          *piece,
                                        GString             *bytes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnDecoder, attn_decoder_free)

G_END_DECLS
