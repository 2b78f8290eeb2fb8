/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The pieces "<0x00>" to "<0xFF>", which represent the bytes of characters without a piece. */

#pragma once

#include "attn-vocabulary.h"

G_BEGIN_DECLS

int      attn_byte_pieces_parse  (const char            *piece);
void     attn_byte_pieces_find   (const AttnVocabulary  *vocabulary,
                                  guint32               *ids);
gboolean attn_byte_pieces_append (const guint32         *ids,
                                  const char            *text,
                                  gsize                  begin,
                                  gsize                  end,
                                  GArray                *tokens);

G_END_DECLS
