/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-row.h"

#include <glib/gi18n.h>

#include "attn-drop-down.h"
#include "attn-edits.h"
#include "attn-epsilon-player.h"
#include "attn-epsilon-slider.h"
#include "attn-signal.h"
#include "attn-study-table.h"
#include "attn-template.h"
#include "attn-text.h"

/* The largest number of factors ε in a figure: the handles of more could not be told apart. */
#define MAX_EPSILONS 12

/* The largest number of panels for which curves are computed. For an atlas, which has a panel for
 * each head, they would take too long. */
#define MAX_SWEPT_PANELS 64

struct _AttnEpsilonRow
{
  GtkBox parent_instance;

  AttnSession *session;
  GArray *known;             /* array of double: the factors ε as last shown */
  guint moved;               /* index of the factor moved last */
  AttnSweep *wide;           /* (nullable): the measure of the panels, computed for ε over its whole
                              * range */
  AttnSweep *close;          /* (nullable): the measure of the panels for finer steps of ε, over the
                              * range in which sinks end */
  AttnEpsilonCurves *curves; /* (nullable): curves over the track, drawn from @wide and @close */
  AttnEpsilonPlayer *player;
  double played; /* value of the moved factor ε before the run of the player */

  /* Template widgets */
  GtkLabel *scaled;   /* the components that ε multiplies */
  GtkDropDown *along; /* which measure the curves show */
  GtkStringList *along_names;
  GtkPicture *room; /* empty picture as wide as the longest name, which keeps room for it */
  AttnEpsilonSlider *slider;
  GtkButton *play;
  GtkWidget *add;
  GtkWidget *remove;
};

enum
{
  SIGNAL_FAILED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnEpsilonRow, attn_epsilon_row, GTK_TYPE_BOX)

/* --- Values of the factors -------------------------------------------------------------------- */

static void
set_epsilon (AttnEpsilonRow *self,
             guint           index,
             double          epsilon,
             const char     *what)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));

  if (index < study->epsilons->len)
    g_array_index (study->epsilons, double, index) = epsilon;
  attn_session_edit (self->session, study, what);
}

static void
changed_cb (AttnEpsilonRow *self,
            guint           index,
            double          epsilon)
{
  g_autofree char *what = g_strdup_printf ("epsilon-%u", index);

  set_epsilon (self, index, epsilon, what);
}

static void
removed_cb (AttnEpsilonRow *self,
            guint           index)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));

  if (attn_edits_count_epsilons (study) > 1 && index < study->epsilons->len)
    g_array_remove_index (study->epsilons, index);
  attn_session_edit (self->session, study, NULL);
}

static void
failed_cb (AttnEpsilonRow *self,
           const GError   *error)
{
  g_signal_emit (self, signals[SIGNAL_FAILED], 0, error);
}

static void
add (GtkWidget  *widget,
     const char *action_name,
     GVariant   *parameter)
{
  AttnEpsilonRow *self = ATTN_EPSILON_ROW (widget);
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));

  attn_edits_append_epsilon (study);
  attn_session_edit (self->session, study, NULL);
}

static void
remove_moved (GtkWidget  *widget,
              const char *action_name,
              GVariant   *parameter)
{
  AttnEpsilonRow *self = ATTN_EPSILON_ROW (widget);

  removed_cb (self, attn_epsilon_slider_get_active (self->slider));
}

/* --- Curves over the track -------------------------------------------------------------------- */

static AttnEpsilonMeasure
get_measure (AttnEpsilonRow *self)
{
  guint chosen = gtk_drop_down_get_selected (self->along);

  return self->curves != NULL && chosen < ATTN_EPSILON_N_MEASURES &&
                 attn_epsilon_curves_has (self->curves, chosen)
             ? chosen
             : ATTN_EPSILON_SINK;
}

/* Reserves the width of the longest name of a measure, if the row is wide enough, so that the track
 * does not move when another measure is chosen. */
static void
keep_room (AttnEpsilonRow *self)
{
  int width = attn_drop_down_measure_widest (self->along);
  g_autoptr (GdkPaintable) room = width > 0 ? gdk_paintable_new_empty (width, 0) : NULL;

  gtk_picture_set_paintable (self->room, room);
}

static void
show_curves (AttnEpsilonRow *self,
             const char     *reason)
{
  gboolean has_kl =
      self->curves != NULL && attn_epsilon_curves_has (self->curves, ATTN_EPSILON_KL);
  gboolean lists_kl =
      g_list_model_get_n_items (G_LIST_MODEL (self->along_names)) > ATTN_EPSILON_KL;

  if (has_kl && !lists_kl)
    gtk_string_list_append (self->along_names, _("KL, bits"));
  else if (!has_kl && lists_kl && self->curves != NULL)
    gtk_string_list_remove (self->along_names, ATTN_EPSILON_KL);
  if (has_kl != lists_kl)
    keep_room (self);
  attn_epsilon_slider_set_curves (self->slider, self->curves, get_measure (self), reason);
}

static void
measure_chosen_cb (AttnEpsilonRow *self)
{
  show_curves (self, NULL);
}

static void
drop_curves (AttnEpsilonRow *self,
             const char     *reason)
{
  attn_epsilon_player_stop (self->player);
  attn_epsilon_slider_set_curves (self->slider, NULL, ATTN_EPSILON_SINK, reason);
  g_clear_pointer (&self->curves, attn_epsilon_curves_free);
  g_clear_pointer (&self->wide, attn_sweep_unref);
  g_clear_pointer (&self->close, attn_sweep_unref);
}

/* Takes a finished sweep, the measures of the panels at many values of ε. The first sweep of a
 * study covers the whole range of ε; the next is a finer one of the range in which sinks end. */
static void
take_sweep (AttnEpsilonRow *self,
            AttnSweep      *sweep)
{
  AttnSweepRange all = ATTN_SWEEP_RANGE_DEFAULT;
  gboolean is_wide = sweep->range.first == all.first && sweep->range.last == all.last;
  AttnSweep **place = is_wide ? &self->wide : &self->close;

  if (*place == sweep || (!is_wide && self->wide == NULL))
    return;
  if (is_wide)
    drop_curves (self, NULL);
  g_clear_pointer (place, attn_sweep_unref);
  *place = attn_sweep_ref (sweep);

  AttnEpsilonCurves *old = g_steal_pointer (&self->curves);
  self->curves = attn_epsilon_curves_new (self->wide, self->close);
  show_curves (self, NULL);
  g_clear_pointer (&old, attn_epsilon_curves_free);
}

/* Tells whether ε multiplies something. In an atlas of effects it does even if no component is
 * chosen: the output of each head. */
static gboolean
scales_something (const AttnStudy *study)
{
  AttnOperation operation;

  return attn_study_has_operation (study) || attn_study_measures_effect (study, &operation);
}

/* Returns what ε multiplies: "Key × ε", "Q, K × ε" for several components, "ε" for none. */
static char *
name_scaled (const AttnStudy *study)
{
  static const char * const names[] = { N_("Query"), N_("Key"), N_("Value") };
  static const char letters[] = "QKV";
  gboolean is_one = attn_study_count_flags (study->components, ATTN_N_COMPONENTS) == 1;
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < ATTN_N_COMPONENTS; i++)
    if (study->components[i] && is_one)
      g_string_append (text, _(names[i]));
    else if (study->components[i])
      g_string_append_printf (text, "%s%c", text->len > 0 ? ", " : "", letters[i]);
  g_string_append (text, text->len > 0 ? " × ε" : "ε");
  return g_string_free (text, FALSE);
}

/* Shows the curves of the study with its answers, or requests them: a sweep over the whole range of
 * ε first, then a finer one where sinks end. While the player runs, the curves stay those that it
 * began with; while the model is generating an answer there are none. */
static void
sync_curves (AttnEpsilonRow *self)
{
  const AttnStudy *study = attn_session_get_shown (self->session);
  AttnSweep *sweep = attn_session_get_sweep (self->session);
  const AttnAddition *addition = attn_session_get_addition (self->session);
  AttnSweepRange range = ATTN_SWEEP_RANGE_DEFAULT;

  if (attn_epsilon_player_is_playing (self->player))
    return;
  if (self->wide != NULL && !attn_sweep_is_of (self->wide, study))
    drop_curves (self, NULL);
  if (!scales_something (study))
    drop_curves (self, _("Choose a component to scale"));
  if (!attn_study_has_factor (study) || !attn_session_is_current (self->session) ||
      (addition != NULL && addition->is_running))
    return;
  const AttnGrid *grid = attn_session_get_result (self->session)->grid;
  if (grid->n_rows * grid->n_columns > MAX_SWEPT_PANELS)
    {
      drop_curves (self, _("Too many panels for curves"));
      return;
    }
  gboolean is_known = sweep != NULL && attn_sweep_is_of (sweep, study);
  if (is_known)
    take_sweep (self, sweep);
  if (self->wide == NULL || (is_known && attn_sweep_find_transition (sweep, &range)))
    attn_session_request_sweep (self->session, &range);
}

/* --- Play: the animation of ε ----------------------------------------------------------------- */

static void
show_playing (AttnEpsilonRow *self,
              gboolean        is_playing)
{
  gtk_button_set_icon_name (self->play, is_playing ? "media-playback-stop-symbolic"
                                                   : "media-playback-start-symbolic");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->play), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  is_playing ? _("Stop") : _("Play"), -1);
}

static void
play_step_cb (gpointer user_data,
              double   epsilon)
{
  AttnEpsilonRow *self = user_data;

  set_epsilon (self, self->moved, attn_epsilon_round (epsilon, 2), ATTN_STEP_PLAY);
}

/* Ends a run of the player: if it is complete, ε gets its value from before the run. If the user
 * stopped it, ε stays at its present value. */
static void
play_end_cb (gpointer user_data,
             gboolean is_complete)
{
  AttnEpsilonRow *self = user_data;

  show_playing (self, FALSE);
  if (is_complete)
    set_epsilon (self, self->moved, self->played, ATTN_STEP_PLAY);
}

static void
play (GtkWidget  *widget,
      const char *action_name,
      GVariant   *parameter)
{
  AttnEpsilonRow *self = ATTN_EPSILON_ROW (widget);
  const AttnStudy *study = attn_session_get_study (self->session);

  if (attn_epsilon_player_is_playing (self->player))
    {
      attn_epsilon_player_stop (self->player);
      show_playing (self, FALSE);
      return;
    }
  if (self->moved >= study->epsilons->len)
    return;
  self->played = g_array_index (study->epsilons, double, self->moved);
  attn_epsilon_player_start (self->player, self->curves);
  show_playing (self, TRUE);
}

/* --- Changes of the study --------------------------------------------------------------------- */

/* Finds the factor that has changed, in the slider or by another control, and remembers its index
 * as @moved. @moved is 0 if several have changed. */
static void
find_moved (AttnEpsilonRow *self,
            const GArray   *epsilons,
            guint           n)
{
  guint n_moved = 0;

  for (guint i = 0; i < MIN (n, self->known->len); i++)
    if (g_array_index (epsilons, double, i) != g_array_index (self->known, double, i))
      self->moved = n_moved++ == 0 ? i : 0;
  self->moved = MIN (self->moved, MAX (n, 1) - 1);
  g_array_set_size (self->known, 0);
  if (n > 0)
    g_array_append_vals (self->known, epsilons->data, n);
}

static void
study_changed_cb (AttnEpsilonRow *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  guint n = attn_edits_count_epsilons (study);
  gboolean varies = attn_study_changes_along (study, ATTN_DIMENSION_EPSILON);
  GtkWidget *widget = GTK_WIDGET (self);
  g_autofree char *scaled = name_scaled (study);

  gtk_label_set_label (self->scaled, scaled);
  find_moved (self, study->epsilons, n);
  if (n == 0)
    attn_epsilon_player_stop (self->player);
  /* A comparison has a column for each of its two sides even if ε does not vary. */
  attn_epsilon_slider_set_place (self->slider,
                                 !varies ? ATTN_EPSILON_PLACE_ALONE
                                 : study->rows == ATTN_DIMENSION_EPSILON
                                     ? ATTN_EPSILON_PLACE_ROWS
                                     : ATTN_EPSILON_PLACE_COLUMNS,
                                 attn_study_shows_baseline_column (study) && varies &&
                                         study->rows != ATTN_DIMENSION_EPSILON
                                     ? 2
                                     : 1);
  attn_epsilon_slider_set_epsilons (self->slider, (const double *) study->epsilons->data, n,
                                    attn_session_is_step (self->session, ATTN_STEP_PLAY));
  gtk_widget_set_sensitive (GTK_WIDGET (self->slider), scales_something (study));
  gtk_widget_action_set_enabled (widget, "epsilon.play", attn_study_has_factor (study));
  gtk_widget_action_set_enabled (widget, "epsilon.add", varies && n < MAX_EPSILONS);
  gtk_widget_action_set_enabled (widget, "epsilon.remove", varies && n > 1);
  gtk_widget_set_visible (self->add, varies);
  gtk_widget_set_visible (self->remove, varies);
  /* A figure that shows no attention weights has no measure whose curve along ε could be chosen. */
  gtk_widget_set_visible (GTK_WIDGET (self->along), attn_study_get_traits (study)->has_grid);
  sync_curves (self);
}

/* --- The class of the row --------------------------------------------------------------------- */

static void
attn_epsilon_row_css_changed (GtkWidget         *widget,
                              GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (attn_epsilon_row_parent_class)->css_changed (widget, change);
  if (gtk_widget_get_mapped (widget))
    keep_room (ATTN_EPSILON_ROW (widget));
}

static void
attn_epsilon_row_dispose (GObject *object)
{
  AttnEpsilonRow *self = ATTN_EPSILON_ROW (object);
  GtkWidget *child;

  if (self->player != NULL)
    drop_curves (self, NULL);
  g_clear_pointer (&self->player, attn_epsilon_player_free);
  g_clear_pointer (&self->known, g_array_unref);
  g_clear_object (&self->session);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);

  G_OBJECT_CLASS (attn_epsilon_row_parent_class)->dispose (object);
}

static void
attn_epsilon_row_class_init (AttnEpsilonRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = attn_epsilon_row_dispose;
  widget_class->css_changed = attn_epsilon_row_css_changed;

  /* (GError *error): emitted when the typed text is no valid factor. */
  signals[SIGNAL_FAILED] = attn_signal_new (klass, "failed", 1, G_TYPE_ERROR);

  gtk_widget_class_set_css_name (widget_class, "epsilonrow");
  g_type_ensure (ATTN_TYPE_EPSILON_SLIDER);
  gtk_widget_class_install_action (widget_class, "epsilon.add", NULL, add);
  gtk_widget_class_install_action (widget_class, "epsilon.remove", NULL, remove_moved);
  gtk_widget_class_install_action (widget_class, "epsilon.play", NULL, play);
  attn_template_set (widget_class, "epsilon-row.ui");
  gtk_widget_class_bind_template_child (widget_class, AttnEpsilonRow, scaled);
  gtk_widget_class_bind_template_child (widget_class, AttnEpsilonRow, along);
  gtk_widget_class_bind_template_child (widget_class, AttnEpsilonRow, along_names);
  gtk_widget_class_bind_template_child (widget_class, AttnEpsilonRow, room);
  gtk_widget_class_bind_template_child (widget_class, AttnEpsilonRow, slider);
  gtk_widget_class_bind_template_child (widget_class, AttnEpsilonRow, play);
  gtk_widget_class_bind_template_child (widget_class, AttnEpsilonRow, add);
  gtk_widget_class_bind_template_child (widget_class, AttnEpsilonRow, remove);
}

static void
explain_play (AttnEpsilonRow *self)
{
  g_autofree char *smallest =
      attn_text_format_epsilon (attn_study_find_field ("epsilons")->minimum);
  /* Translators: the smallest ε there is */
  g_autofree char *text =
      g_strdup_printf (_("Sweep the ε last moved from 1 to %s, to where the track grows, and back, "
                         "slowest where the curves change; any key or click stops it"),
                       smallest);

  gtk_widget_set_tooltip_text (GTK_WIDGET (self->play), text);
}

static void
attn_epsilon_row_init (AttnEpsilonRow *self)
{
  self->known = g_array_new (FALSE, FALSE, sizeof (double));
  gtk_widget_init_template (GTK_WIDGET (self));
  explain_play (self);
  attn_drop_down_set_label (self->along, _("Curves along ε"));
  g_signal_connect_swapped (self->along, "map", G_CALLBACK (keep_room), self);
  self->player = attn_epsilon_player_new (GTK_WIDGET (self->play), play_step_cb, play_end_cb, self);
  g_signal_connect_swapped (self->along, "notify::selected", G_CALLBACK (measure_chosen_cb),
                            self);
  g_signal_connect_swapped (self->slider, "changed", G_CALLBACK (changed_cb), self);
  g_signal_connect_swapped (self->slider, "removed", G_CALLBACK (removed_cb), self);
  g_signal_connect_swapped (self->slider, "failed", G_CALLBACK (failed_cb), self);
}

/**
 * attn_epsilon_row_set_session:
 * @session: the session whose study has the factors that are shown and edited
 *
 * Connects the row with the session. To be called once.
 */
void
attn_epsilon_row_set_session (AttnEpsilonRow *row,
                              AttnSession    *session)
{
  static const char * const for_curves[] = { "result-changed", "sweep-changed",
                                             "addition-changed" };

  g_return_if_fail (row->session == NULL);

  row->session = g_object_ref (session);
  g_signal_connect_object (session, "study-changed", G_CALLBACK (study_changed_cb), row,
                           G_CONNECT_SWAPPED);
  for (gsize i = 0; i < G_N_ELEMENTS (for_curves); i++)
    g_signal_connect_object (session, for_curves[i], G_CALLBACK (sync_curves), row,
                             G_CONNECT_SWAPPED);
  study_changed_cb (row);
}

/* Focuses the number of the ε that was moved last, with its text selected. */
void
attn_epsilon_row_type (AttnEpsilonRow *row)
{
  attn_epsilon_slider_type (row->slider);
}
