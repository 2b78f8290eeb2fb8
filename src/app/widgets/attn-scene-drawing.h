/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Draws scenes (drawings as those of exported figures) in widgets, with the font and the colours of
 * the widget. */

#pragma once

#include <gtk/gtk.h>

#include "attn-painter.h"

G_BEGIN_DECLS

GdkRGBA   attn_scene_drawing_get_ground (GtkWidget       *widget,
                                         const char      *name);
AttnStyle attn_scene_drawing_get_style  (GtkWidget       *widget,
                                         double           size);
AttnRgb   attn_scene_drawing_get_accent (GtkWidget       *widget);
void      attn_scene_drawing_append     (GtkWidget       *widget,
                                         GtkSnapshot     *snapshot,
                                         AttnPainter     *painter,
                                         const AttnScene *scene);

G_END_DECLS
