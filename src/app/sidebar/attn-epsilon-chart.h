/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sink score and distance to the baseline of all panels along ε, with the point of collapse. */

#pragma once

#include <gtk/gtk.h>

#include "attn-sweep.h"

G_BEGIN_DECLS

#define ATTN_TYPE_EPSILON_CHART (attn_epsilon_chart_get_type ())
G_DECLARE_FINAL_TYPE (AttnEpsilonChart, attn_epsilon_chart, ATTN, EPSILON_CHART, GtkWidget)

void   attn_epsilon_chart_set_sweep    (AttnEpsilonChart *chart,
                                        AttnSweep        *sweep,
                                        const char       *reason);
void   attn_epsilon_chart_set_epsilons (AttnEpsilonChart *chart,
                                        const double     *epsilons,
                                        gsize             n_epsilons);
double attn_epsilon_chart_get_x        (AttnEpsilonChart *chart,
                                        double            epsilon);
double attn_epsilon_chart_get_epsilon  (AttnEpsilonChart *chart,
                                        double            x);
char  *attn_epsilon_chart_describe     (AttnSweep        *sweep);

G_END_DECLS
