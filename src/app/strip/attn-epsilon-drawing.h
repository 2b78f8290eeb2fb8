/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Draws a slider for ε: the curves above it, the track, powers of ten, detents and handles. */

#pragma once

#include <gtk/gtk.h>

#include "attn-epsilon-curves.h"
#include "attn-epsilon-track.h"

G_BEGIN_DECLS

/* Pixels */
#define ATTN_EPSILON_MARGIN       16 /* from the ends of the widget to the ends of the track */
#define ATTN_EPSILON_TRACK_HEIGHT 22
#define ATTN_EPSILON_PLOT_HEIGHT  40 /* height above the track, if there is room */
#define ATTN_EPSILON_RADIUS       8 /* of a handle */

/**
 * AttnEpsilonDrawing:
 * @widget: whose font and colours are taken
 * @top: of the track
 * @plot_height: of the curves, from the line of the track up
 * @taken: (element-type double): from where to where there are labels
 * @handles: (element-type double): where handles will be
 *
 * What is drawn on. What is drawn first has its label; a later one that would lie on it has none.
 */
typedef struct
{
  GtkWidget *widget;
  cairo_t *cr;
  const AttnEpsilonTrack *track;
  double top;
  double plot_height;
  GdkRGBA color;
  GdkRGBA accent;
  GArray *taken;
  GArray *handles;
} AttnEpsilonDrawing;

double attn_epsilon_drawing_get_x         (const AttnEpsilonTrack *track,
                                           double                  epsilon);
int    attn_epsilon_drawing_measure_label (GtkWidget              *widget);
int    attn_epsilon_drawing_measure_number (GtkWidget             *entry);
void   attn_epsilon_drawing_begin         (AttnEpsilonDrawing     *drawing,
                                           GtkWidget              *widget,
                                           GtkSnapshot            *snapshot,
                                           const AttnEpsilonTrack *track,
                                           double                  top,
                                           double                  plot_height);
void   attn_epsilon_drawing_expect_handle (AttnEpsilonDrawing     *drawing,
                                           double                  epsilon);
void   attn_epsilon_drawing_add_curves    (AttnEpsilonDrawing      *drawing,
                                           const AttnEpsilonCurves *curves,
                                           AttnEpsilonMeasure       measure);
void   attn_epsilon_drawing_add_reason    (AttnEpsilonDrawing     *drawing,
                                           const char             *reason);
void   attn_epsilon_drawing_add_mark      (AttnEpsilonDrawing     *drawing,
                                           double                  epsilon,
                                           const char             *names,
                                           guint                   n_names);
void   attn_epsilon_drawing_add_ticks     (AttnEpsilonDrawing     *drawing);
void   attn_epsilon_drawing_add_handle    (AttnEpsilonDrawing     *drawing,
                                           double                  epsilon,
                                           gboolean                is_active,
                                           gboolean                has_focus);
void   attn_epsilon_drawing_end           (AttnEpsilonDrawing     *drawing);

G_END_DECLS
