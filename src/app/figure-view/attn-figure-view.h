/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The widget that draws the figure and takes the pointer and the keyboard. */

#pragma once

#include <gtk/gtk.h>

#include "attn-reading.h"

G_BEGIN_DECLS

#define ATTN_TYPE_FIGURE_VIEW (attn_figure_view_get_type ())
G_DECLARE_FINAL_TYPE (AttnFigureView, attn_figure_view, ATTN, FIGURE_VIEW, GtkWidget)

AttnFigureView *attn_figure_view_new         (void);
AttnReading    *attn_figure_view_get_reading (AttnFigureView *view);

G_END_DECLS
