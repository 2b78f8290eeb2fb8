/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Animates ε from 1 to its smallest value and back, frame by frame. */

#pragma once

#include <gtk/gtk.h>

#include "attn-epsilon-curves.h"

G_BEGIN_DECLS

/* The seconds from 1 to the smallest ε. The way back to 1 takes the same time. */
#define ATTN_EPSILON_PLAYER_SECONDS 5.0

typedef struct _AttnEpsilonPlayer AttnEpsilonPlayer;

/* Shows a value of ε. Called in each frame of a run of the player. */
typedef void (*AttnEpsilonStepFunc) (gpointer user_data,
                                     double epsilon);

/* Ends a run of the player. Called when the run is complete, or the user pressed a key or
 * button. */
typedef void (*AttnEpsilonEndFunc) (gpointer user_data,
                                    gboolean is_complete);

AttnEpsilonPlayer *attn_epsilon_player_new         (GtkWidget           *widget,
                                                    AttnEpsilonStepFunc  step,
                                                    AttnEpsilonEndFunc   end,
                                                    gpointer             user_data);
void               attn_epsilon_player_free        (AttnEpsilonPlayer   *player);
void               attn_epsilon_player_start       (AttnEpsilonPlayer   *player,
                                                    const AttnEpsilonCurves *curves);
void               attn_epsilon_player_stop        (AttnEpsilonPlayer   *player);
gboolean           attn_epsilon_player_is_playing  (AttnEpsilonPlayer   *player);
double             attn_epsilon_player_get_epsilon (const AttnEpsilonCurves *curves,
                                                    double               seconds,
                                                    gboolean             is_smooth);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnEpsilonPlayer, attn_epsilon_player_free)

G_END_DECLS
