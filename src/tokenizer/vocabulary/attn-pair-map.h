/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A hash table from 64-bit keys, such as a pair of token ids, to 64-bit values. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _AttnPairMap AttnPairMap;

/* The only key that a pair map cannot have, as it marks empty slots. */
#define ATTN_PAIR_MAP_NO_KEY G_MAXUINT64

AttnPairMap *attn_pair_map_new    (gsize               n_expected);
void         attn_pair_map_free   (AttnPairMap        *map);
void         attn_pair_map_insert (AttnPairMap        *map,
                                   guint64             key,
                                   guint64             value);
gboolean     attn_pair_map_lookup (const AttnPairMap  *map,
                                   guint64             key,
                                   guint64            *value);

static inline guint64
attn_pair_map_key (guint32 left,
                   guint32 right)
{
  return (guint64) left << 32 | right;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnPairMap, attn_pair_map_free)

G_END_DECLS
