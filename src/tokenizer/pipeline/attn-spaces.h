/* SPDX-License-Identifier: GPL-3.0-or-later */

/* "▁", the visible space of SentencePiece. */

#pragma once

#include "attn-vocabulary.h"

G_BEGIN_DECLS

#define ATTN_SPACE "\xE2\x96\x81" /* U+2581 */
#define ATTN_SPACE_LENGTH 3

gboolean attn_spaces_begin_pieces (const AttnVocabulary  *vocabulary);
gsize    attn_spaces_find_cut     (const char            *text,
                                   gsize                  begin,
                                   gsize                  end);

G_END_DECLS
