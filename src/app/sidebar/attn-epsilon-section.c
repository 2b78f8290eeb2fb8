/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-section.h"

#include <glib/gi18n.h>

#include "attn-cell.h"
#include "attn-edits.h"
#include "attn-epsilon-chart.h"
#include "attn-epsilon-player.h"
#include "attn-epsilon-row.h"

/* As many as make columns that one can tell apart. */
#define MAX_EPSILONS 12

/* Panels of a figure whose curves are worth the time: of an atlas of heads they are not. */
#define MAX_SWEPT_PANELS 64

struct _AttnEpsilonSection
{
  GtkBox parent_instance;

  AttnSession *session;
  AttnBinder *binder;
  GPtrArray *rows;       /* (element-type AttnEpsilonRow): unowned */
  guint moved_epsilon;   /* the row that was moved last */
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

static void
epsilon_changed_cb (AttnEpsilonSection *self,
                    AttnEpsilonRow     *row)
{
  g_autofree char *what = NULL;

  g_ptr_array_find (self->rows, row, &self->moved_epsilon);
  what = g_strdup_printf ("epsilon-%u", self->moved_epsilon);
  set_epsilon (self, self->moved_epsilon, attn_epsilon_row_get_epsilon (row), what);
}

static void
failed_cb (AttnEpsilonSection *self,
           const GError       *error)
{
  attn_binder_fail (self->binder, error);
}

/* Without a dimension of ε only the first one counts. */
static guint
count_epsilons (const AttnStudy *study)
{
  if (study->operation != ATTN_OPERATION_SCALE)
    return 0;
  return attn_cell_varies (study, ATTN_DIMENSION_EPSILON) ? study->epsilons->len
                                                          : MIN (study->epsilons->len, 1);
}

/**
 * attn_epsilon_section_sync:
 *
 * Makes the sliders say what the study says.
 */
void
attn_epsilon_section_sync (AttnEpsilonSection *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  GtkBox *list = attn_binder_find (self->binder, "epsilon_list");
  guint n = count_epsilons (study);

  while (self->rows->len > n)
    {
      guint last = self->rows->len - 1;

      gtk_box_remove (list, g_ptr_array_index (self->rows, last));
      g_ptr_array_set_size (self->rows, last);
    }
  while (self->rows->len < n)
    {
      AttnEpsilonRow *row = attn_epsilon_row_new (self->rows->len);

      g_signal_connect_object (row, "changed", G_CALLBACK (epsilon_changed_cb), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (row, "failed", G_CALLBACK (failed_cb), self,
                               G_CONNECT_SWAPPED);
      gtk_box_append (list, GTK_WIDGET (row));
      g_ptr_array_add (self->rows, row);
    }
  for (guint i = 0; i < n; i++)
    {
      AttnEpsilonRow *row = g_ptr_array_index (self->rows, i);

      attn_epsilon_row_set_epsilon (row, g_array_index (study->epsilons, double, i));
      attn_epsilon_row_set_removable (row, n > 1);
    }
  self->moved_epsilon = MIN (self->moved_epsilon, MAX (n, 1) - 1);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sidebar.add-epsilon",
                                 attn_cell_varies (study, ATTN_DIMENSION_EPSILON) &&
                                     n < MAX_EPSILONS);
  attn_epsilon_chart_set_epsilons (self->chart, (const double *) study->epsilons->data, n);
  if (n == 0)
    attn_epsilon_player_stop (self->player);
}

static void
add_epsilon (GtkWidget  *widget,
             const char *action_name,
             GVariant   *parameter)
{
  AttnEpsilonSection *self = ATTN_EPSILON_SECTION (widget);
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));

  attn_edits_append_epsilon (study);
  attn_session_edit (self->session, study, NULL);
}

static void
remove_epsilon (GtkWidget  *widget,
                const char *action_name,
                GVariant   *index)
{
  AttnEpsilonSection *self = ATTN_EPSILON_SECTION (widget);
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));

  if (study->epsilons->len > 1)
    g_array_remove_index (study->epsilons, g_variant_get_uint32 (index));
  attn_session_edit (self->session, study, NULL);
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

  set_epsilon (self, self->moved_epsilon, attn_epsilon_row_round (epsilon), "play");
}

/* What has run its course leaves nothing behind; what was stopped stays where it was caught. */
static void
play_end_cb (gpointer user_data,
             gboolean is_complete)
{
  AttnEpsilonSection *self = user_data;

  show_playing (self, FALSE);
  if (is_complete)
    set_epsilon (self, self->moved_epsilon, self->played_epsilon, "play");
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

/* What the curves depend on: not on where ε is, nor on how the figure looks. */
static gboolean
has_same_sweep (const AttnStudy *a,
                const AttnStudy *b)
{
  g_autoptr (AttnStudy) first = attn_sweep_build_study (a, 1);
  g_autoptr (AttnStudy) second = attn_sweep_build_study (b, 1);

  second->style = first->style;
  second->viewport = first->viewport;
  second->page = first->page;
  g_ptr_array_set_size (first->regions, 0);
  g_ptr_array_set_size (second->regions, 0);
  for (gsize i = 0; i < 2; i++)
    {
      AttnStudy *study = i == 0 ? first : second;

      g_clear_pointer (&study->views, g_array_unref);
      g_clear_pointer (&study->title, g_free);
      g_clear_pointer (&study->caption, g_free);
      g_clear_pointer (&study->preset, g_free);
    }
  return attn_study_equal (first, second);
}

/**
 * attn_epsilon_section_sync_sweep:
 *
 * Shows the curves, or asks for those of the present study.
 */
void
attn_epsilon_section_sync_sweep (AttnEpsilonSection *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  AttnSweep *sweep = attn_session_get_sweep (self->session);
  AttnSweepRange range = ATTN_SWEEP_RANGE_DEFAULT;

  if (!attn_sweep_is_possible (study) || !attn_session_is_current (self->session) ||
      !gtk_expander_get_expanded (attn_binder_find (self->binder, "chart_expander")))
    return;
  const AttnGrid *grid = attn_session_get_result (self->session)->grid;
  if (grid->n_rows * grid->n_columns > MAX_SWEPT_PANELS)
    attn_epsilon_chart_set_sweep (self->chart, NULL, _("Too many panels for curves"));
  else if (sweep != NULL && has_same_sweep (sweep->study, study))
    attn_epsilon_chart_set_sweep (self->chart, sweep, NULL);
  else
    attn_session_request_sweep (self->session, &range);
}

static void
picked_cb (AttnEpsilonSection *self,
           double              epsilon)
{
  set_epsilon (self, self->moved_epsilon, attn_epsilon_row_round (epsilon), "picked");
}

static void
attn_epsilon_section_dispose (GObject *object)
{
  AttnEpsilonSection *self = ATTN_EPSILON_SECTION (object);

  g_clear_pointer (&self->player, attn_epsilon_player_free);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (attn_epsilon_section_parent_class)->dispose (object);
}

static void
attn_epsilon_section_class_init (AttnEpsilonSectionClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = attn_epsilon_section_dispose;
  gtk_widget_class_install_action (widget_class, "sidebar.add-epsilon", NULL, add_epsilon);
  gtk_widget_class_install_action (widget_class, "sidebar.remove-epsilon", "u", remove_epsilon);
  gtk_widget_class_install_action (widget_class, "sidebar.play", NULL, play);
  g_type_ensure (ATTN_TYPE_EPSILON_CHART);
}

static void
attn_epsilon_section_init (AttnEpsilonSection *self)
{
  self->rows = g_ptr_array_new ();
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
  g_signal_connect_object (attn_binder_find (binder, "chart_expander"), "notify::expanded",
                           G_CALLBACK (attn_epsilon_section_sync_sweep), self, G_CONNECT_SWAPPED);
}
