/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The stage that cuts words into pieces of the vocabulary: what every subword model can do. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

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
 * @kind: its name for people, such as "byte-level BPE"
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
