/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Unigram: of all ways to cut a word, the likeliest. */

#pragma once

#include "attn-subword.h"
#include "attn-vocabulary.h"

G_BEGIN_DECLS

AttnSubword *attn_unigram_new (const AttnVocabulary  *vocabulary,
                               const double          *scores,
                               guint32                unknown_id,
                               gboolean               has_byte_fallback,
                               const guint8          *types);

G_END_DECLS
