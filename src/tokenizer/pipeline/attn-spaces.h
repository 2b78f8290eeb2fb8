/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The character "▁", which stands for a space in SentencePiece, and where it begins a word. */

#pragma once

#include "attn-vocabulary.h"

G_BEGIN_DECLS

#define ATTN_SPACE "\xE2\x96\x81" /* U+2581 */
#define ATTN_SPACE_LENGTH 3

/**
 * AttnWord:
 * @begin: first byte of the word in a text
 * @end: one past the last byte
 *
 * A word that the pre-tokenizer has cut out of a text.
 */
typedef struct
{
  gsize begin;
  gsize end;
} AttnWord;

gboolean attn_spaces_begin_pieces (const AttnVocabulary  *vocabulary);
void     attn_spaces_cut          (const char            *text,
                                   GArray                *words);

G_END_DECLS
