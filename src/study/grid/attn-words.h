/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Joins the tokens of each word, so that panels show one row and column for a word. */

#pragma once

#include "attn-panel.h"
#include "attn-study.h"
#include "attn-tokenizer.h"

G_BEGIN_DECLS

/**
 * AttnWords:
 * @n_words: W, the number of words
 * @starts: (array): [W + 1]: position of the first token of each word; the last element is the
 *   number of tokens
 * @labels: (array zero-terminated=1): the text of each word, as the figure shows it
 */
typedef struct
{
  gsize n_words;
  gsize *starts;
  GStrv labels;
} AttnWords;

AttnWords *attn_words_new  (const AttnTokens     *tokens,
                            const AttnTokenizer  *tokenizer);
void       attn_words_free (AttnWords            *words);
AttnPanel *attn_words_join (const AttnWords      *words,
                            const AttnStudy   *study,
                            AttnPanel            *panel,
                            GError              **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnWords, attn_words_free)

G_END_DECLS
