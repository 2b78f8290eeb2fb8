/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The stage that adds special tokens before and after a text. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-vocabulary.h"

G_BEGIN_DECLS

/**
 * AttnPostProcessor:
 * @prefix: (element-type guint32): ids of the tokens in front of the text
 * @suffix: (element-type guint32): ids of the tokens behind it
 *
 * The special tokens that a tokenizer puts around a text.
 */
typedef struct
{
  GArray *prefix;
  GArray *suffix;
} AttnPostProcessor;

AttnPostProcessor *attn_post_processor_new  (JsonNode              *node,
                                             const char            *where,
                                             const AttnVocabulary  *vocabulary,
                                             GError               **error);
void               attn_post_processor_free (AttnPostProcessor     *processor);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnPostProcessor, attn_post_processor_free)

G_END_DECLS
