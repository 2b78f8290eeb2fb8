/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sorts the heads of a score atlas by value. Private to src/study. */

#pragma once

#include "attn-grid.h"

G_BEGIN_DECLS

gsize    *attn_map_order_find (const double *values,
                               gsize         n);
gsize    *attn_map_order_read (AttnPanel    *atlas);
AttnGrid *attn_map_order_sort (AttnGrid     *atlas);

G_END_DECLS
