/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The SVG writer: attn-svg.c writes the document, attn-svg-cells.c the cells, attn-svg-append.c the
 * basic parts. Private to src/figure. */

#pragma once

#include "attn-svg.h"

G_BEGIN_DECLS

/* The number of visible cells above which blocks of cells are written as one with the largest
 * value: no viewer opens an SVG with millions of cells. */
#define ATTN_SVG_MAX_CELLS (1024 * 1024)

/* The largest image in an SVG, in pixels along the longer side, which bounds the time to make
 * it. */
#define ATTN_SVG_MAX_IMAGE 3072
#define ATTN_SVG_MAX_MAGNIFICATION 8

gsize    attn_svg_count_cells      (const AttnMark  *heatmap);
void     attn_svg_write_heatmap    (GString         *svg,
                                    const char      *id_prefix,
                                    const AttnMark  *mark);
gboolean attn_svg_write_image      (GString         *svg,
                                    const char      *id_prefix,
                                    const AttnMark  *mark,
                                    gboolean         is_inline,
                                    GError         **error);
gboolean attn_svg_write_picture    (GString         *svg,
                                    const char      *id_prefix,
                                    GPtrArray       *pictures,
                                    const AttnMark  *mark,
                                    GError         **error);
gboolean attn_svg_has_titles       (const AttnMark  *mark);
void     attn_svg_write_titles     (GString         *svg,
                                    const AttnMark  *mark);

void     attn_svg_append_number    (GString         *svg,
                                    double           value);
void     attn_svg_append_point     (GString         *svg,
                                    const char      *before,
                                    double           x,
                                    double           y,
                                    const char      *after);
void     attn_svg_append_factor    (GString         *svg,
                                    double           value);
void     attn_svg_append_transform (GString         *svg,
                                    double           x,
                                    double           y,
                                    double           x_scale,
                                    double           y_scale);
void     attn_svg_append_attribute (GString         *svg,
                                    const char      *name,
                                    double           value);
void     attn_svg_append_rectangle (GString         *svg,
                                    double           x,
                                    double           y,
                                    double           width,
                                    double           height);
void     attn_svg_append_color     (GString         *svg,
                                    const char      *name,
                                    AttnRgb          color);
void     attn_svg_append_text      (GString         *svg,
                                    const char      *text);
void     attn_svg_append_element   (GString         *svg,
                                    const char      *name,
                                    const char      *text);

G_END_DECLS
