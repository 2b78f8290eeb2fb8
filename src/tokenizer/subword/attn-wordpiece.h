/* SPDX-License-Identifier: GPL-3.0-or-later */

/* WordPiece: the longest piece first, from left to right. */

#pragma once

#include "attn-subword.h"
#include "attn-vocabulary.h"

G_BEGIN_DECLS

AttnSubword *attn_wordpiece_new (const AttnVocabulary  *vocabulary,
                                 const char            *prefix,
                                 guint32                unknown_id,
                                 gsize                  max_characters,
                                 const guint8          *types);

G_END_DECLS
