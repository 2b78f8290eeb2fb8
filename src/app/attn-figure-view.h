/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The figure on screen: drawn, hovered over, zoomed and moved. */

#pragma once

#include <gtk/gtk.h>

#include "attn-scene.h"

G_BEGIN_DECLS

#define ATTN_TYPE_FIGURE_VIEW (attn_figure_view_get_type ())
G_DECLARE_FINAL_TYPE (AttnFigureView, attn_figure_view, ATTN, FIGURE_VIEW, GtkWidget)

AttnFigureView *attn_figure_view_new          (void);
void            attn_figure_view_set_figure   (AttnFigureView     *view,
                                               AttnGrid           *grid,
                                               const AttnStyle    *style);
AttnScene      *attn_figure_view_get_scene    (AttnFigureView     *view);
AttnViewport    attn_figure_view_get_viewport (AttnFigureView     *view);
void            attn_figure_view_set_viewport (AttnFigureView     *view,
                                               const AttnViewport *viewport);
const AttnHit  *attn_figure_view_get_hit      (AttnFigureView     *view);
double          attn_figure_view_get_scale    (AttnFigureView     *view);
void            attn_figure_view_zoom         (AttnFigureView     *view,
                                               double              factor);
void            attn_figure_view_pan          (AttnFigureView     *view,
                                               double              dx,
                                               double              dy);
void            attn_figure_view_fit          (AttnFigureView     *view);

G_END_DECLS
