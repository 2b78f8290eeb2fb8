/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The figure view in two halves: attn-figure-view.c draws, attn-figure-view-input.c takes pointer
 * and keys. */

#pragma once

#include "attn-figure-view.h"
#include "attn-painter.h"

G_BEGIN_DECLS

struct _AttnFigureView
{
  GtkWidget parent_instance;

  /* What is shown */
  AttnGrid *grid; /* (nullable) */
  AttnStyle style;
  AttnViewport viewport;

  /* Made from it when needed, dropped when it changes */
  AttnScene *scene;    /* (nullable) */
  GskRenderNode *node; /* (nullable): the scene drawn */
  AttnPainter *painter;

  /* The pointer: widget pixels; scroll events of GTK 4.8 do not say where they are */
  gboolean has_pointer;
  double pointer_x;
  double pointer_y;
  gboolean has_hit;
  AttnHit hit;

  /* A gesture under way */
  AttnViewport gesture_viewport; /* when it began */
  AttnRectangle gesture_panel;   /* widget pixels */
};

void     attn_figure_view_add_controllers (AttnFigureView *view);
void     attn_figure_view_add_bindings    (GtkWidgetClass *klass);
void     attn_figure_view_update_hit      (AttnFigureView *view);
gboolean attn_figure_view_find_panel      (AttnFigureView *view,
                                           double          x,
                                           double          y,
                                           AttnRectangle  *panel);
void     attn_figure_view_zoom_at         (AttnFigureView *view,
                                           AttnViewport    viewport,
                                           double          factor,
                                           double          x,
                                           double          y);

G_END_DECLS
