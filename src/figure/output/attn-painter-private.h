/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Draws marks on a target without pixels, such as PDF: called by attn-painter.c, written in
 * attn-painter-vector.c. Private to src/figure. */

#pragma once

#include <cairo.h>

#include "attn-scene.h"

G_BEGIN_DECLS

void attn_painter_draw_vector_heatmap  (cairo_t        *cr,
                                        const AttnMark *mark);
void attn_painter_draw_vector_colorbar (cairo_t        *cr,
                                        const AttnMark *mark);
void attn_painter_trace_sides          (cairo_t        *cr,
                                        const AttnMark *mark);

G_END_DECLS
