/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Draws a slider for ε: its track with curves and ticks as an exported figure has them, and what
 * only the slider has, the line and the handles. */

#pragma once

#include <gtk/gtk.h>

#include "attn-epsilon-scene.h"
#include "attn-painter.h"

G_BEGIN_DECLS

/* Pixels */
#define ATTN_EPSILON_MARGIN       16 /* distance from the left and right edge of the slider to the
                                      * ends of its track, pixels */
#define ATTN_EPSILON_TRACK_HEIGHT 22
#define ATTN_EPSILON_PLOT_HEIGHT  40 /* height of the curves above the track in pixels, if there is
                                      * room */
#define ATTN_EPSILON_RADIUS       8 /* radius of a handle */

/**
 * AttnEpsilonDrawing:
 * @widget: the slider, whose font and colours are used
 *
 * The canvas of a slider for ε, with what its track shows and the colours of the theme.
 */
typedef struct
{
  GtkWidget *widget;
  cairo_t *cr;
  const AttnEpsilonPlan *plan;
  GdkRGBA color;
  GdkRGBA accent;
} AttnEpsilonDrawing;

int  attn_epsilon_drawing_measure_label  (GtkWidget               *widget);
int  attn_epsilon_drawing_measure_number (GtkWidget               *entry);
void attn_epsilon_drawing_begin          (AttnEpsilonDrawing      *drawing,
                                          GtkWidget               *widget,
                                          GtkSnapshot             *snapshot,
                                          const AttnEpsilonPlan   *plan);
void attn_epsilon_drawing_add_scene      (AttnEpsilonDrawing      *drawing,
                                          AttnPainter             *painter,
                                          const AttnEpsilonCurves *curves,
                                          AttnEpsilonMeasure       measure);
void attn_epsilon_drawing_add_reason     (AttnEpsilonDrawing      *drawing,
                                          const char              *reason);
void attn_epsilon_drawing_add_stem       (AttnEpsilonDrawing      *drawing,
                                          double                   epsilon,
                                          gboolean                 is_active);
void attn_epsilon_drawing_add_handle     (AttnEpsilonDrawing      *drawing,
                                          double                   epsilon,
                                          gboolean                 is_active,
                                          gboolean                 has_focus);
void attn_epsilon_drawing_end            (AttnEpsilonDrawing      *drawing);

G_END_DECLS
