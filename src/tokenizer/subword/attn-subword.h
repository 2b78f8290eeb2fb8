/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The stage that cuts words into pieces of the vocabulary: what every subword model can do. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Kinds of subword models, as people call them. */
#define ATTN_SUBWORD_BYTE_LEVEL_BPE "byte-level BPE"
#define ATTN_SUBWORD_BYTE_FALLBACK_BPE "BPE with byte fallback"
#define ATTN_SUBWORD_BPE "BPE"
#define ATTN_SUBWORD_UNIGRAM "Unigram"
#define ATTN_SUBWORD_WORDPIECE "WordPiece"

/**
 * AttnSpan:
 * @begin: first byte
 * @end: one past the last
 */
typedef struct
{
  gsize begin;
  gsize end;
} AttnSpan;

typedef struct _AttnSubword AttnSubword;

/**
 * AttnSubword:
 * @kind: its kind, one of the above
 * @encode: appends the #AttnToken of every word to an array, offsets counted in the text; FALSE
 *   with %ATTN_ERROR_FORMAT where the vocabulary has nothing for a byte of the text. Any thread may
 *   call.
 * @free: frees it
 *
 * First member of each model's struct. Immutable.
 */
struct _AttnSubword
{
  const char *kind;
  gboolean (*encode) (const AttnSubword  *subword,
                      const char         *text,
                      const AttnSpan     *words,
                      gsize               n_words,
                      GArray             *tokens,
                      GError            **error);
  void (*free) (AttnSubword *subword);
};

G_END_DECLS
