/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A set of layers, heads or token positions, which the user writes as "all", "3" or "1,4-6". */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _AttnIndexSet AttnIndexSet;

AttnIndexSet *attn_index_set_new_range (gsize                first,
                                        gsize                last);
AttnIndexSet *attn_index_set_new_from_flags (const gboolean  *flags,
                                             gsize            n);
AttnIndexSet *attn_index_set_parse     (const char          *text,
                                        GError             **error);
AttnIndexSet *attn_index_set_ref       (AttnIndexSet        *set);
void          attn_index_set_unref     (AttnIndexSet        *set);
gboolean      attn_index_set_contains  (const AttnIndexSet  *set,
                                        gsize                index);
gboolean      attn_index_set_contains_any (const AttnIndexSet *set,
                                        gsize                first,
                                        gsize                end);
gboolean      attn_index_set_contains_all (const AttnIndexSet *set,
                                        gsize                first,
                                        gsize                end);
gsize         attn_index_set_get_first (const AttnIndexSet  *set);
gsize         attn_index_set_count     (const AttnIndexSet  *set,
                                        gsize                n);
gboolean      attn_index_set_equal     (const AttnIndexSet  *a,
                                        const AttnIndexSet  *b);
gboolean      attn_index_set_check     (const AttnIndexSet  *set,
                                        gsize                n,
                                        const char          *what,
                                        GError             **error);
char         *attn_index_set_to_string (const AttnIndexSet  *set);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnIndexSet, attn_index_set_unref)

G_END_DECLS
