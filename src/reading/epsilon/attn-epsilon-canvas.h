/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The scene of the track of ε while it is laid out: where an ε stands, and text and lines in
 * pixels. */

#pragma once

#include "attn-epsilon-scene.h"

G_BEGIN_DECLS

/**
 * AttnEpsilonCanvas:
 * @plan: the room for the parts of the scene
 * @scene: what is laid out; its font is that of all text
 */
typedef struct
{
  const AttnEpsilonPlan *plan;
  AttnScene *scene;
} AttnEpsilonCanvas;

double    attn_epsilon_canvas_get_x    (const AttnEpsilonCanvas *canvas,
                                        double                   epsilon);
gboolean  attn_epsilon_canvas_has      (const AttnEpsilonCanvas *canvas,
                                        double                   epsilon);
double    attn_epsilon_canvas_measure  (const AttnEpsilonCanvas *canvas,
                                        const char              *text);
void      attn_epsilon_canvas_add_text (const AttnEpsilonCanvas *canvas,
                                        const char              *role,
                                        const char              *text,
                                        double                   x,
                                        double                   middle,
                                        AttnAnchor               anchor,
                                        double                   opacity);
AttnMark *attn_epsilon_canvas_add_line (const AttnEpsilonCanvas *canvas,
                                        const char              *role,
                                        double                   x,
                                        double                   y,
                                        double                   dx,
                                        double                   dy,
                                        double                   width,
                                        double                   opacity);

G_END_DECLS
