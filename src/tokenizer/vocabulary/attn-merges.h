/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The merges of byte-pair encoding: the pairs of pieces that are joined, and their order. */

#pragma once

#include "attn-pair-map.h"
#include "attn-vocabulary.h"

G_BEGIN_DECLS

/* The maps of merges go from (left id, right id) to (rank << 32 | id of the piece that both form).
 * The pair with the lowest rank is joined first. */
AttnPairMap *attn_merges_new_from_json    (AttnJsonWalk          *walk,
                                           const AttnVocabulary  *vocabulary,
                                           GError               **error);
AttnPairMap *attn_merges_new_from_strings (const char *const     *strings,
                                           gsize                  n_strings,
                                           const char            *where,
                                           const AttnVocabulary  *vocabulary,
                                           GError               **error);
AttnPairMap *attn_merges_new_from_scores  (const AttnVocabulary  *vocabulary,
                                           const float           *scores,
                                           const guint8          *types);

G_END_DECLS
