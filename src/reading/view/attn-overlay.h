/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Marks over a figure that change with the pointer: the current cell, the cursor, selected rows,
 * search results, region handles and the region that is being drawn. */

#pragma once

#include <cairo.h>

#include "attn-reading.h"

G_BEGIN_DECLS

void attn_overlay_draw (AttnReading     *reading,
                        cairo_pattern_t *accent,
                        cairo_t         *cr);

G_END_DECLS
