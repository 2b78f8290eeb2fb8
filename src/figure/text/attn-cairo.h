/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Cleanup functions for Cairo's types, defined only here, and a function that sets the source
 * colour. Pango defines such functions for its types itself. */

#pragma once

#include <cairo.h>
#include <pango/pangocairo.h>

#include "attn-colormap.h"

G_BEGIN_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC (cairo_t, cairo_destroy)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (cairo_surface_t, cairo_surface_destroy)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (cairo_pattern_t, cairo_pattern_destroy)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (cairo_font_options_t, cairo_font_options_destroy)

static inline void
attn_cairo_set_color (cairo_t *cr,
                      AttnRgb  color)
{
  cairo_set_source_rgb (cr, color.red / 255.0, color.green / 255.0, color.blue / 255.0);
}

G_END_DECLS
