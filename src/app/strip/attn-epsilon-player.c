/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-player.h"

#include <math.h>

#include "attn-intervention.h"
#include "attn-key-guard.h"

struct _AttnEpsilonPlayer
{
  GtkWidget *widget; /* unowned: the button that starts and stops the player, and owns it */
  AttnEpsilonStepFunc step;
  AttnEpsilonEndFunc end;
  gpointer user_data;

  /* The state of a run of the player, in which ε goes from 1 to its smallest value and back. */
  const AttnEpsilonCurves *curves; /* (nullable): unowned */
  guint tick;
  gint64 start; /* frame time, microseconds */
  double shown; /* ε of the last frame that was shown */
  GtkWidget *root;
  GtkEventController *controller; /* controller on the window that gets every key and press before
                                   * other widgets */
};

/**
 * attn_epsilon_player_new:
 * @widget: the button that starts and stops the player; its frame clock gives the time
 * @step: called in each frame with the ε of that time
 * @end: called when a run is complete or the user interrupts it, but not by
 *   attn_epsilon_player_stop()
 */
AttnEpsilonPlayer *
attn_epsilon_player_new (GtkWidget           *widget,
                         AttnEpsilonStepFunc  step,
                         AttnEpsilonEndFunc   end,
                         gpointer             user_data)
{
  AttnEpsilonPlayer *player = g_new0 (AttnEpsilonPlayer, 1);

  player->widget = widget;
  player->step = step;
  player->end = end;
  player->user_data = user_data;
  return player;
}

/**
 * attn_epsilon_player_free:
 *
 * Stops and frees the player without a call of its functions.
 */
void
attn_epsilon_player_free (AttnEpsilonPlayer *player)
{
  if (player == NULL)
    return;
  attn_epsilon_player_stop (player);
  g_free (player);
}

/**
 * attn_epsilon_player_get_epsilon:
 * @curves: (nullable): ε goes slowly over the ranges in which these curves change
 * @seconds: the time since the start of the run
 * @is_smooth: whether ε changes in every frame; if not, it jumps by a power of ten, for users who
 *   have animations turned off
 *
 * Returns: ε at that time, from 1 down and up again on a logarithmic scale; NaN when it is over
 */
double
attn_epsilon_player_get_epsilon (const AttnEpsilonCurves *curves,
                                 double                   seconds,
                                 gboolean                 is_smooth)
{
  double position = seconds / ATTN_EPSILON_PLAYER_SECONDS;

  if (position >= 2)
    return NAN;
  double exponent =
      attn_epsilon_curves_walk (curves, position <= 1 ? MAX (position, 0) : 2 - position);
  return pow (10, is_smooth ? exponent : round (exponent));
}

static gboolean
wants_motion (GtkWidget *widget)
{
  gboolean is_enabled;

  g_object_get (gtk_widget_get_settings (widget), "gtk-enable-animations", &is_enabled, NULL);
  return is_enabled;
}

static void
finish (AttnEpsilonPlayer *player,
        gboolean           is_complete)
{
  attn_epsilon_player_stop (player);
  player->end (player->user_data, is_complete);
}

static gboolean
tick_cb (GtkWidget     *widget,
         GdkFrameClock *clock,
         gpointer       user_data)
{
  AttnEpsilonPlayer *player = user_data;
  gint64 now = gdk_frame_clock_get_frame_time (clock);

  if (player->start == 0)
    player->start = now;
  double epsilon = attn_epsilon_player_get_epsilon (
      player->curves, (now - player->start) / 1e6, wants_motion (widget));
  if (isnan (epsilon))
    {
      player->tick = 0;
      finish (player, TRUE);
      return G_SOURCE_REMOVE;
    }
  if (epsilon != player->shown)
    {
      player->shown = epsilon;
      player->step (player->user_data, epsilon);
    }
  return G_SOURCE_CONTINUE;
}

/* Tells whether a press or a key is for the play button. Any other stops the run at once; the
 * button itself stops it when it is clicked. */
static gboolean
is_for_button (AttnEpsilonPlayer *player,
               GdkEvent          *event)
{
  double x, y;

  if (gdk_event_get_event_type (event) == GDK_KEY_PRESS)
    return gtk_root_get_focus (GTK_ROOT (player->root)) == player->widget &&
           attn_key_guard_sets_off (gdk_key_event_get_keyval (event));
  if (!gdk_event_get_position (event, &x, &y))
    return FALSE;
  double surface_x, surface_y;
  gtk_native_get_surface_transform (GTK_NATIVE (player->root), &surface_x, &surface_y);
  GtkWidget *target =
      gtk_widget_pick (player->root, x - surface_x, y - surface_y, GTK_PICK_DEFAULT);
  return target != NULL &&
         (target == player->widget || gtk_widget_is_ancestor (target, player->widget));
}

static gboolean
event_cb (AttnEpsilonPlayer *player,
          GdkEvent          *event)
{
  switch ((int) gdk_event_get_event_type (event))
    {
    case GDK_BUTTON_PRESS:
    case GDK_KEY_PRESS:
    case GDK_SCROLL:
    case GDK_TOUCH_BEGIN:
      if (!is_for_button (player, event))
        finish (player, FALSE);
      break;
    default:
      break;
    }
  return GDK_EVENT_PROPAGATE;
}

/**
 * attn_epsilon_player_start:
 * @curves: (nullable): as for attn_epsilon_player_get_epsilon(); they must live until the run ends
 *
 * Starts a run, at ε = 1.
 */
void
attn_epsilon_player_start (AttnEpsilonPlayer       *player,
                           const AttnEpsilonCurves *curves)
{
  if (player->tick != 0)
    return;
  player->curves = curves;
  player->start = 0;
  player->shown = 0;
  player->tick = gtk_widget_add_tick_callback (player->widget, tick_cb, player, NULL);
  player->root = GTK_WIDGET (gtk_widget_get_root (player->widget));
  if (player->root == NULL)
    return;
  g_object_add_weak_pointer (G_OBJECT (player->root), (gpointer *) &player->root);
  player->controller = gtk_event_controller_legacy_new ();
  gtk_event_controller_set_propagation_phase (player->controller, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (player->controller, "event", G_CALLBACK (event_cb), player);
  gtk_widget_add_controller (player->root, player->controller);
}

/**
 * attn_epsilon_player_stop:
 *
 * Stops a run. ε stays at its present value.
 */
void
attn_epsilon_player_stop (AttnEpsilonPlayer *player)
{
  if (player->tick != 0)
    gtk_widget_remove_tick_callback (player->widget, player->tick);
  player->tick = 0;
  if (player->root != NULL)
    {
      g_object_remove_weak_pointer (G_OBJECT (player->root), (gpointer *) &player->root);
      gtk_widget_remove_controller (player->root, player->controller);
    }
  player->root = NULL;
  player->controller = NULL;
}

gboolean
attn_epsilon_player_is_playing (AttnEpsilonPlayer *player)
{
  return player->controller != NULL || player->tick != 0;
}
