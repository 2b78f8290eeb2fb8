/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a grid keeps of its ranges, and what ranges are made of. Private to src/figure. */

#pragma once

#include "attn-range.h"

G_BEGIN_DECLS

gpointer   attn_range_cache_new   (gsize            n_cells);
void       attn_range_cache_free  (gpointer         cache);
void       attn_range_cache_share (AttnGrid        *grid,
                                   gsize            index,
                                   AttnGrid        *other,
                                   gsize            other_index);
AttnPanel *attn_range_make_ratio  (AttnPanel       *panel);
float     *attn_range_sort_values (const GPtrArray *panels,
                                   gsize           *n_values);

G_END_DECLS
