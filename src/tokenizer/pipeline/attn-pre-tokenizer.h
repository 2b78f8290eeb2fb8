/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The stage that cuts a text into words. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-mapped-text.h"

G_BEGIN_DECLS

/**
 * AttnPrefix:
 * @ATTN_PREFIX_ALWAYS: a space is put in front of each word that does not begin with a space
 * @ATTN_PREFIX_FIRST: only in front of the word at the beginning of the text, if that does not
 *   begin with a space
 * @ATTN_PREFIX_NEVER: in front of no word
 * @ATTN_PREFIX_DUMMY: in front of the word at the beginning of the text, even if that begins with a
 *   space
 *
 * Selects the words in front of which a tokenizer puts a space.
 */
typedef enum
{
  ATTN_PREFIX_ALWAYS,
  ATTN_PREFIX_FIRST,
  ATTN_PREFIX_NEVER,
  ATTN_PREFIX_DUMMY,
} AttnPrefix;

typedef struct _AttnPreTokenizer AttnPreTokenizer;

AttnPreTokenizer *attn_pre_tokenizer_new               (JsonNode                *node,
                                                        const char              *where,
                                                        GError                 **error);
void              attn_pre_tokenizer_free              (AttnPreTokenizer        *pre_tokenizer);
gboolean          attn_pre_tokenizer_append_split      (AttnPreTokenizer        *pre_tokenizer,
                                                        const char              *pattern,
                                                        const char              *where,
                                                        GError                 **error);
void              attn_pre_tokenizer_append_byte_level (AttnPreTokenizer        *pre_tokenizer,
                                                        gboolean                 adds_prefix_space,
                                                        gboolean                 uses_regex);
void              attn_pre_tokenizer_append_metaspace  (AttnPreTokenizer        *pre_tokenizer,
                                                        const char              *space,
                                                        AttnPrefix               prefix,
                                                        gboolean                 splits);
void              attn_pre_tokenizer_append_spaces     (AttnPreTokenizer        *pre_tokenizer);
void              attn_pre_tokenizer_append_white_space (AttnPreTokenizer       *pre_tokenizer);
void              attn_pre_tokenizer_append_bert       (AttnPreTokenizer        *pre_tokenizer);
gboolean          attn_pre_tokenizer_is_byte_level     (const AttnPreTokenizer  *pre_tokenizer);
gboolean          attn_pre_tokenizer_split             (const AttnPreTokenizer  *pre_tokenizer,
                                                        AttnMappedText          *text,
                                                        gboolean                 is_first,
                                                        GArray                  *words,
                                                        GError                 **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnPreTokenizer, attn_pre_tokenizer_free)

G_END_DECLS
