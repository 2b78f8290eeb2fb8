/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The struct of a tokenizer, with the stages of its pipeline, for the files that construct one. */

#pragma once

#include "attn-added-tokens.h"
#include "attn-chat.h"
#include "attn-decoder.h"
#include "attn-normalizer.h"
#include "attn-post-processor.h"
#include "attn-pre-tokenizer.h"
#include "attn-subword.h"
#include "attn-tokenizer.h"

G_BEGIN_DECLS

/**
 * AttnTokenizer:
 *
 * A pipeline: added tokens are found in the text as given; the stretches between them are
 * normalized, cut into words by the pre-tokenizer and into pieces by the subword model; the
 * post-processor puts special tokens around the whole. It is immutable once attn_tokenizer_finish()
 * was called; then any number of threads may use it at once.
 */
struct _AttnTokenizer
{
  AttnVocabulary *vocabulary;
  AttnAddedTokens *added_tokens;
  AttnNormalizer *normalizer;
  AttnPreTokenizer *pre_tokenizer;
  AttnSubword *subword;
  AttnPostProcessor *post_processor;
  AttnDecoder *decoder;

  /* The chat template. It is read on first use, unless it was read together with the tokenizer. */
  char *file;
  gsize has_chat; /* whether the chat template was read, see g_once_init_enter() */
  AttnChat chat;
  GError *chat_error;
};

AttnTokenizer *attn_tokenizer_new_empty          (void);
gboolean       attn_tokenizer_finish             (AttnTokenizer  *tokenizer,
                                                  GError        **error);

G_END_DECLS
