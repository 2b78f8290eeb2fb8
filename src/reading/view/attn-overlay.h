/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Marks over a figure that change with every motion: the cell under the pointer, the cursor, chosen
 * rows, tokens that were found, the handles of a region and the one that is being drawn. */

#pragma once

#include <cairo.h>

#include "attn-reading.h"

G_BEGIN_DECLS

void attn_overlay_draw (AttnReading     *reading,
                        cairo_pattern_t *accent,
                        cairo_t         *cr);

G_END_DECLS
