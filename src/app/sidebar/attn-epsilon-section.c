/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-section.h"

#include <glib/gi18n.h>

#include "attn-edits.h"
#include "attn-epsilon-chart.h"
#include "attn-epsilon-player.h"
#include "attn-epsilon-track.h"

/* Panels of a figure whose curves are worth the time: of an atlas of heads they are not. */
#define MAX_SWEPT_PANELS 64

struct _AttnEpsilonSection
{
  GtkBox parent_instance;

  AttnSession *session;
  AttnBinder *binder;
  GArray *known;         /* of double: the factors until now */
  guint moved_epsilon;   /* the one of them that was moved last */
  double played_epsilon; /* what it was before it was played */
  AttnEpsilonPlayer *player;
  AttnEpsilonChart *chart;
};

G_DEFINE_FINAL_TYPE (AttnEpsilonSection, attn_epsilon_section, GTK_TYPE_BOX)

static void
set_epsilon (AttnEpsilonSection *self,
             guint               index,
             double              epsilon,
             const char         *what)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));

  if (index < study->epsilons->len)
    g_array_index (study->epsilons, double, index) = epsilon;
  attn_session_edit (self->session, study, what);
}

/* Which one moves, by whatever control; where several do, the first of all. */
static void
find_moved (AttnEpsilonSection *self,
            const GArray       *epsilons,
            guint               n)
{
  guint n_moved = 0;

  for (guint i = 0; i < MIN (n, self->known->len); i++)
    if (g_array_index (epsilons, double, i) != g_array_index (self->known, double, i))
      self->moved_epsilon = n_moved++ == 0 ? i : 0;
  self->moved_epsilon = MIN (self->moved_epsilon, MAX (n, 1) - 1);
  g_array_set_size (self->known, 0);
  if (n > 0)
    g_array_append_vals (self->known, epsilons->data, n);
}

/**
 * attn_epsilon_section_sync:
 *
 * Marks the factors of the study in the chart.
 */
void
attn_epsilon_section_sync (AttnEpsilonSection *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  guint n = attn_edits_count_epsilons (study);

  find_moved (self, study->epsilons, n);
  attn_epsilon_chart_set_epsilons (self->chart, (const double *) study->epsilons->data, n);
  if (n == 0)
    attn_epsilon_player_stop (self->player);
}

/* --- Play --- */

static void
show_playing (AttnEpsilonSection *self,
              gboolean            is_playing)
{
  const char *label = is_playing ? _("Stop") : _("Play");
  GtkButton *button = attn_binder_find (self->binder, "play");

  gtk_button_set_icon_name (button, is_playing ? "media-playback-stop-symbolic"
                                               : "media-playback-start-symbolic");
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  label, -1);
}

static void
play_step_cb (gpointer user_data,
              double   epsilon)
{
  AttnEpsilonSection *self = user_data;

  set_epsilon (self, self->moved_epsilon, attn_epsilon_round (epsilon, 2), ATTN_STEP_PLAY);
}

/* A play that has run its course leaves nothing behind; one that was stopped stays where it was
 * caught. */
static void
play_end_cb (gpointer user_data,
             gboolean is_complete)
{
  AttnEpsilonSection *self = user_data;

  show_playing (self, FALSE);
  if (is_complete)
    set_epsilon (self, self->moved_epsilon, self->played_epsilon, ATTN_STEP_PLAY);
}

static void
play (GtkWidget  *widget,
      const char *action_name,
      GVariant   *parameter)
{
  AttnEpsilonSection *self = ATTN_EPSILON_SECTION (widget);
  const AttnStudy *study = attn_session_get_study (self->session);

  if (attn_epsilon_player_is_playing (self->player))
    {
      attn_epsilon_player_stop (self->player);
      show_playing (self, FALSE);
      return;
    }
  if (self->moved_epsilon >= study->epsilons->len)
    return;
  self->played_epsilon = g_array_index (study->epsilons, double, self->moved_epsilon);
  attn_epsilon_player_start (self->player);
  show_playing (self, TRUE);
}

/* --- The sweep --- */

/**
 * attn_epsilon_section_sync_sweep:
 *
 * Shows the curves, or asks for those of the present study: all of ε first, then more closely where
 * panels collapse.
 */
void
attn_epsilon_section_sync_sweep (AttnEpsilonSection *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  AttnSweep *sweep = attn_session_get_sweep (self->session);
  AttnSweepRange range = ATTN_SWEEP_RANGE_DEFAULT;

  if (!attn_study_has_factor (study) || !attn_session_is_current (self->session))
    return;
  const AttnGrid *grid = attn_session_get_result (self->session)->grid;
  if (grid->n_rows * grid->n_columns > MAX_SWEPT_PANELS)
    {
      attn_epsilon_chart_set_sweep (self->chart, NULL, _("Too many panels for curves"));
      return;
    }
  gboolean is_known = sweep != NULL && attn_sweep_is_of (sweep, study);
  if (is_known)
    attn_epsilon_chart_set_sweep (self->chart, sweep, NULL);
  if (!is_known || attn_sweep_find_transition (sweep, &range))
    attn_session_request_sweep (self->session, &range);
}

static void
picked_cb (AttnEpsilonSection *self,
           double              epsilon)
{
  set_epsilon (self, self->moved_epsilon, attn_epsilon_round (epsilon, 2), "picked");
}

static void
attn_epsilon_section_dispose (GObject *object)
{
  AttnEpsilonSection *self = ATTN_EPSILON_SECTION (object);

  g_clear_pointer (&self->player, attn_epsilon_player_free);
  g_clear_pointer (&self->known, g_array_unref);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (attn_epsilon_section_parent_class)->dispose (object);
}

static void
attn_epsilon_section_class_init (AttnEpsilonSectionClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = attn_epsilon_section_dispose;
  gtk_widget_class_install_action (widget_class, "sidebar.play", NULL, play);
  g_type_ensure (ATTN_TYPE_EPSILON_CHART);
}

static void
attn_epsilon_section_init (AttnEpsilonSection *self)
{
  self->known = g_array_new (FALSE, FALSE, sizeof (double));
}

/**
 * attn_epsilon_section_set_up:
 * @session: whose factors are shown and edited
 * @binder: of the side bar, which finds the parts of the section; it must live as long
 */
void
attn_epsilon_section_set_up (AttnEpsilonSection *self,
                             AttnSession        *session,
                             AttnBinder         *binder)
{
  self->session = g_object_ref (session);
  self->binder = binder;
  self->chart = attn_binder_find (binder, "chart");
  self->player =
      attn_epsilon_player_new (attn_binder_find (binder, "play"), play_step_cb, play_end_cb, self);
  g_signal_connect_object (self->chart, "picked", G_CALLBACK (picked_cb), self, G_CONNECT_SWAPPED);
}
