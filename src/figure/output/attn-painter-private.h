/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The painter in two halves: attn-painter.c draws on pixels, attn-painter-vector.c where there are
 * none. Private to src/figure. */

#pragma once

#include <cairo.h>

#include "attn-scene.h"
#include "attn-visible.h"

G_BEGIN_DECLS

/* The white line of a pin, of the whole width. */
#define ATTN_PAINTER_PIN_SHARE 0.4

cairo_surface_t *attn_painter_make_surface (const AttnMark *mark,
                                            const AttnStyle *style);
cairo_surface_t *attn_painter_make_cells   (const AttnMark  *mark,
                                            const AttnStyle *style,
                                            const AttnVisible *visible,
                                            gsize            max_pixels,
                                            gsize            max_magnification);
void attn_painter_draw_vector_heatmap  (cairo_t         *cr,
                                        const AttnStyle *style,
                                        const AttnMark  *mark);
void attn_painter_draw_vector_colorbar (cairo_t         *cr,
                                        const AttnStyle *style,
                                        const AttnMark  *mark);

void attn_painter_trace_sides          (cairo_t         *cr,
                                        const AttnMark  *mark);

/* Pixels that an image of a panel has use for, along its longer side: what a press can print, and
 * no more than @limit. A thumbnail of hundreds of tokens is reduced to them. */
static inline gsize
attn_painter_get_useful_pixels (const AttnMark *heatmap,
                                gsize           limit)
{
  const double pixels_per_point = 600.0 / 72.0;
  double side = MAX (heatmap->rectangle.width, heatmap->rectangle.height);

  return (gsize) CLAMP (side * pixels_per_point, 64, limit);
}

static inline void
attn_painter_set_color (cairo_t *cr,
                        AttnRgb  color)
{
  cairo_set_source_rgb (cr, color.red / 255.0, color.green / 255.0, color.blue / 255.0);
}

static inline guint32
attn_painter_pack (AttnRgb color)
{
  return (guint32) color.red << 16 | (guint32) color.green << 8 | color.blue;
}

G_END_DECLS
