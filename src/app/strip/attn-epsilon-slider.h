/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A slider for several factors ε, by which an operation multiplies, on one logarithmic track: each
 * factor has a handle and an entry for its number. */

#pragma once

#include <gtk/gtk.h>

#include "attn-epsilon-curves.h"
#include "attn-epsilon-place.h"
#include "attn-epsilon-track.h"

G_BEGIN_DECLS

#define ATTN_TYPE_EPSILON_SLIDER (attn_epsilon_slider_get_type ())
G_DECLARE_FINAL_TYPE (AttnEpsilonSlider, attn_epsilon_slider, ATTN, EPSILON_SLIDER, GtkWidget)

void             attn_epsilon_slider_set_epsilons (AttnEpsilonSlider *slider,
                                                   const double      *epsilons,
                                                   gsize              n_epsilons,
                                                   gboolean           plays);
void             attn_epsilon_slider_set_place    (AttnEpsilonSlider *slider,
                                                   AttnEpsilonPlace   place,
                                                   guint              first);
void             attn_epsilon_slider_set_curves   (AttnEpsilonSlider *slider,
                                                   const AttnEpsilonCurves *curves,
                                                   AttnEpsilonMeasure measure,
                                                   const char        *reason);
guint            attn_epsilon_slider_get_active   (AttnEpsilonSlider *slider);
void             attn_epsilon_slider_type         (AttnEpsilonSlider *slider);
AttnEpsilonTrack attn_epsilon_slider_get_track    (AttnEpsilonSlider *slider,
                                                   double            *start);

G_END_DECLS
