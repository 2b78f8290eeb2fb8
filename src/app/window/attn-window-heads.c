/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The layer and head on display: steps to the next, typing their numbers, and the way back to those
 * shown before; and the baseline, shown while its key is held. */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-head-map.h"
#include "attn-head-map-popover.h"
#include "attn-head-place.h"
#include "attn-popover.h"
#include "attn-single.h"
#include "attn-tooltip.h"
#include "attn-typed.h"

/* Makes the session show a study with another layer or head. @study: (transfer full) (nullable):
 * %NULL if there is no such layer or head */
static void
show_study (AttnWindow *self,
            AttnStudy  *study)
{
  if (study != NULL)
    attn_session_edit (self->session, study, NULL);
}

/* --- Stepping to another layer or head -------------------------------------------------------- */

static const struct
{
  const char *action;
  int layers;
  int heads;
} steps[] = {
  { "head-previous", 0, -1 },
  { "head-next", 0, 1 },
  { "layer-previous", -1, 0 },
  { "layer-next", 1, 0 },
};

static void
step (AttnWindow *self,
      GVariant   *parameter,
      GAction    *action)
{
  AttnResult *result = attn_session_get_result (self->session);

  for (gsize i = 0; i < G_N_ELEMENTS (steps) && result != NULL; i++)
    if (g_str_equal (g_action_get_name (action), steps[i].action))
      show_study (self, attn_head_place_step (attn_session_get_study (self->session), result,
                                              steps[i].layers, steps[i].heads));
}

/* Enables the actions that step to another layer or head, each if there is one in its direction. */
static void
enable_steps (AttnWindow *self)
{
  AttnResult *result = attn_session_get_result (self->session);

  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      g_autoptr (AttnStudy) study = NULL;

      if (result != NULL)
        study = attn_head_place_step (attn_session_get_study (self->session), result,
                                      steps[i].layers, steps[i].heads);
      attn_actions_enable (self, steps[i].action, study != NULL);
    }
}

/* Returns the rectangle, in coordinates of the figure view, that a popover about heads points at:
 * the button of the strip that opens the map of the heads, or the top of the figure if the strip
 * has no room for that button. */
static GdkRectangle
get_place_of_heads (AttnWindow *self)
{
  GtkWidget *button = attn_binder_find (attn_strip_get_binder (self->strip), "head_map");
  GtkWidget *view = GTK_WIDGET (self->view);
  graphene_rect_t bounds;

  if (!gtk_widget_get_mapped (button) ||
      gtk_widget_get_ancestor (button, GTK_TYPE_POPOVER) != NULL ||
      !gtk_widget_compute_bounds (button, view, &bounds))
    return (GdkRectangle) { gtk_widget_get_width (view) / 2, 0, 1, 1 };
  return (GdkRectangle) { (int) bounds.origin.x, (int) bounds.origin.y, (int) bounds.size.width,
                          (int) bounds.size.height };
}

/* --- Typing of a layer and head --------------------------------------------------------------- */

static void
typed_cb (AttnWindow *self,
          GtkEntry   *entry)
{
  AttnResult *result = attn_session_get_result (self->session);
  GtkWidget *popover = gtk_widget_get_ancestor (GTK_WIDGET (entry), GTK_TYPE_POPOVER);
  GtkWidget *message = gtk_widget_get_last_child (gtk_widget_get_parent (GTK_WIDGET (entry)));
  g_autoptr (GError) error = NULL;
  int layer, head;

  if (result == NULL ||
      !attn_head_place_parse (gtk_editable_get_text (GTK_EDITABLE (entry)),
                              attn_model_get_info (result->model), &layer, &head, &error))
    {
      attn_typed_refuse (GTK_WIDGET (entry), NULL);
      gtk_label_set_label (GTK_LABEL (message), error != NULL ? error->message : "");
      return;
    }
  gtk_popover_popdown (GTK_POPOVER (popover));
  show_study (self,
              attn_head_place_go (attn_session_get_study (self->session), result, layer, head));
}

/* Opens a popover in which a layer and head are typed. @text: first text of the entry: the letter
 * of the key that opened it, such as "L" */
static void
type_head (AttnWindow *self,
           GVariant   *text)
{
  const GdkRectangle place = get_place_of_heads (self);
  GtkWidget *popover = gtk_popover_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *entry = gtk_entry_new ();
  GtkWidget *message = gtk_label_new (_("Layer and head, such as L12 H27"));

  gtk_label_set_wrap (GTK_LABEL (message), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (message), 30);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _("Layer and head"), -1);
  gtk_editable_set_text (GTK_EDITABLE (entry), g_variant_get_string (text, NULL));
  gtk_editable_set_position (GTK_EDITABLE (entry), -1);
  gtk_box_append (GTK_BOX (box), entry);
  gtk_box_append (GTK_BOX (box), message);
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  g_signal_connect_object (entry, "activate", G_CALLBACK (typed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (popover, "closed", G_CALLBACK (gtk_widget_grab_focus), self->view,
                           G_CONNECT_SWAPPED);
  if (attn_popover_open (GTK_POPOVER (popover), GTK_WIDGET (self->view), &place))
    gtk_entry_grab_focus_without_selecting (GTK_ENTRY (entry));
}

/* --- The way back to earlier views ------------------------------------------------------------ */

/* Shows the layer and head of an earlier view of the figure when the user goes back or forward to
 * it. */
static void
viewport_changed_cb (AttnWindow *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  const AttnStudy *place = attn_reading_get (self->reading).views->place;

  if (place != NULL && !attn_head_place_equal (place, study))
    attn_session_edit (self->session, attn_head_place_return (study, place), NULL);
}

/* Tells whether the way back leads to the figure from which a head was opened. */
static gboolean
leads_back (AttnWindow *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  const AttnStudy *from = self->came_from;
  g_autoptr (AttnStudy) there = from != NULL ? attn_head_place_return (study, from) : NULL;

  /* A figure of another model is not shown again. */
  return there != NULL && !attn_head_place_equal (from, study) &&
         attn_head_place_equal (there, from) && attn_reading_has_been_at (self->reading, from);
}

/* Goes back to the figure from which a head was opened, past all that was shown since. */
static void
go_back (AttnWindow *self)
{
  while (leads_back (self) && attn_reading_can (self->reading, ATTN_COMMAND_BACK))
    attn_reading_do (self->reading, ATTN_COMMAND_BACK, 0, 0);
}

/* Shows a button that leads back, with the name of the figure or head that it leads to. */
static void
sync_back (AttnWindow *self)
{
  gboolean is_shown = leads_back (self);

  if (gtk_widget_get_visible (GTK_WIDGET (self->back_pill)) != is_shown)
    {
      gtk_widget_set_visible (GTK_WIDGET (self->back_pill), is_shown);
      attn_window_sync_readout (self);
    }
  attn_actions_enable (self, "go-back", is_shown);
  if (!is_shown)
    return;
  g_autofree char *name =
      attn_head_place_name (self->came_from, attn_session_get_study (self->session));
  /* Translators: the name of a figure, such as “All Heads”, or of a head, such as “L1 H2” */
  g_autofree char *tooltip = g_strdup_printf (_("Back to %s (Alt+Left)"), name);
  /* Translators: the name of a figure, such as “All Heads”, or of a head, such as “L1 H2” */
  g_autofree char *label = g_strdup_printf (_("Back to %s"), name);
  gtk_label_set_label (self->back_name, label);
  attn_tooltip_set (GTK_WIDGET (self->back_pill), tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->back_pill),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, tooltip, -1);
}

/**
 * attn_window_leave_figure:
 *
 * Remembers the figure that is shown, since a head is opened from it: a button then leads back to
 * it. If there is such a button already, it stays.
 */
void
attn_window_leave_figure (AttnWindow *self)
{
  if (leads_back (self))
    return;
  g_clear_pointer (&self->came_from, attn_study_unref);
  self->came_from = attn_study_ref (attn_session_get_study (self->session));
}

/* --- The map of all heads --------------------------------------------------------------------- */

static void
open_map (AttnWindow *self)
{
  const GdkRectangle place = get_place_of_heads (self);

  attn_head_map_popover_open (GTK_WIDGET (self->view), &place, self->session,
                              attn_reading_get (self->reading).cursor.group,
                              attn_window_is_overview (self),
                              attn_reading_is_arranged (self->reading));
}

/* Arranges the panels of an atlas. @heads: the heads to show, in this order, each as layer x
 * n_heads + head; empty for all heads in the order of their layers */
static void
arrange_atlas (AttnWindow *self,
               GVariant   *heads)
{
  AttnResult *result = attn_session_get_result (self->session);
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (gsize));
  gsize n = 0;

  if (result == NULL || !attn_window_is_overview (self))
    return;
  const guint32 *chosen = g_variant_get_fixed_array (heads, &n, sizeof *chosen);
  gsize n_heads = attn_model_get_info (result->model)->n_heads;
  for (gsize i = 0; i < n; i++)
    for (gsize panel = 0; panel < result->grid->n_rows * result->grid->n_columns; panel++)
      if (result->cells[panel].layer * n_heads + (gsize) result->cells[panel].head == chosen[i])
        g_array_append_val (order, panel);
  attn_reading_arrange (self->reading, order->len > 0 ? g_steal_pointer (&order) : NULL);
}

/* Shows another head. If the grid has a panel for each head, that head is opened alone in a new
 * figure. @where: (ii): layer and head */
static void
go_to_head (AttnWindow *self,
            GVariant   *where)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  AttnResult *result = attn_session_get_result (self->session);
  int layer, head;

  g_variant_get (where, "(ii)", &layer, &head);
  if (result == NULL || !attn_study_get_traits (study)->has_grid)
    return;
  attn_window_leave_figure (self);
  if (attn_head_place_has_layer (study) && attn_head_place_has_head (study))
    show_study (self, attn_head_place_go (study, result, layer, head));
  else
    {
      AttnStudy *single = attn_study_new_single (result, 0);

      if (layer != ATTN_HEAD_PLACE_SAME)
        single->layer = layer;
      if (head != ATTN_HEAD_PLACE_SAME)
        single->head = head;
      show_study (self, single);
    }
}

/**
 * attn_window_get_extreme_title:
 *
 * Returns: (nullable): the words for the head with the largest value of the measure, such as in a
 *   menu; %NULL for a measure that is not computed from the weights
 */
const char *
attn_window_get_extreme_title (AttnHeadMeasure measure)
{
  static const char * const titles[ATTN_N_HEAD_MEASURES] = {
    [ATTN_HEAD_MEASURE_SINK] = N_("Most sink-like head"),
    [ATTN_HEAD_MEASURE_ENTROPY] = N_("Head with the highest entropy"),
    [ATTN_HEAD_MEASURE_DISTANCE] = N_("Head that looks furthest back"),
    [ATTN_HEAD_MEASURE_PREVIOUS] = N_("Most previous-token-like head"),
    [ATTN_HEAD_MEASURE_DUPLICATE] = N_("Most duplicate-token-like head"),
    [ATTN_HEAD_MEASURE_INDUCTION] = N_("Most induction-like head"),
  };

  return titles[measure] != NULL ? _(titles[measure]) : NULL;
}

/* Returns a text about the input and operation that the head map was computed from; %NULL if all
 * panels are of one input without an operation. */
static char *
describe_source (AttnWindow *self)
{
  AttnResult *result = attn_session_get_result (self->session);

  if (result == NULL || (result->study->inputs->len == 1 && !attn_study_is_changed (result->study)))
    return NULL;
  return attn_head_map_popover_describe_weights (result, attn_head_map_find_panel (result, -1));
}

/* The head map has been computed: if it was requested by go_to_extreme_head(), goes to the head
 * with the largest value of the measure, and tells the head and the value in a note. */
static void
head_map_changed_cb (AttnWindow *self)
{
  AttnHeadMap *map = attn_session_get_head_map (self->session);
  int measure = self->extreme_measure;

  self->extreme_measure = -1;
  if (measure < 0)
    return;
  g_autofree gsize *order = attn_head_map_sort (map, (AttnHeadMeasure) measure);
  double value = map->values[measure][order[0]];
  g_autofree char *source = describe_source (self);
  if (isnan (value))
    {
      attn_window_show_figure_note (self, _("No head has this measure for these tokens"));
      return;
    }
  gtk_widget_activate_action (GTK_WIDGET (self), "win.go-to-head", "(ii)",
                              (int) (order[0] / map->n_heads), (int) (order[0] % map->n_heads));

  g_autofree char *number = attn_text_format_weight (value, 3);
  g_autofree char *note =
      g_strdup_printf ("%s: L%zu H%zu, %s%s%s",
                       attn_window_get_extreme_title ((AttnHeadMeasure) measure),
                       order[0] / map->n_heads, order[0] % map->n_heads, number,
                       source != NULL ? " · " : "", source != NULL ? source : "");
  attn_window_show_figure_note (self, note);
}

/* Requests the head map, to show the head with the largest value of a measure. @name: name of a
 * measure that is computed from the weights */
static void
go_to_extreme_head (AttnWindow *self,
                    GVariant   *name)
{
  int measure;

  if (!attn_text_parse_name (attn_head_measure_names, g_variant_get_string (name, NULL), &measure,
                             NULL) ||
      (ATTN_HEAD_MEASURES_OF_WEIGHTS >> measure & 1) == 0)
    return;
  self->extreme_measure = measure;
  attn_session_request_head_map (self->session, -1);
}

/* --- The baseline, shown while a key is held -------------------------------------------------- */

static void
show_baseline (AttnWindow *self,
               GVariant   *is_shown)
{
  attn_reading_show_baseline (self->reading, g_variant_get_boolean (is_shown));
  attn_actions_set_state (self, "baseline", is_shown);
  gtk_widget_set_visible (self->baseline_pill, g_variant_get_boolean (is_shown));
  attn_strip_show_baseline (self->strip, g_variant_get_boolean (is_shown));
  attn_window_sync_readout (self);
}

/**
 * attn_window_shows_baseline:
 *
 * Returns: whether each panel shows its baseline in place of its own weights; panels are then also
 *   copied and exported so
 */
gboolean
attn_window_shows_baseline (AttnWindow *self)
{
  g_autoptr (GVariant) state = g_action_group_get_action_state (G_ACTION_GROUP (self), "baseline");

  return g_variant_get_boolean (state);
}

static void
set_baseline (AttnWindow *self,
              gboolean    is_shown)
{
  g_action_group_change_action_state (G_ACTION_GROUP (self), "baseline",
                                      g_variant_new_boolean (is_shown));
}

static gboolean
pressed_cb (AttnWindow      *self,
            guint            keyval,
            guint            keycode,
            GdkModifierType  state)
{
  if (gdk_keyval_to_lower (keyval) != GDK_KEY_b ||
      !g_action_group_get_action_enabled (G_ACTION_GROUP (self), "baseline") ||
      (state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK)) != 0)
    return FALSE;
  self->holds_baseline = TRUE;
  set_baseline (self, TRUE);
  return TRUE;
}

static void
let_go (AttnWindow *self)
{
  if (self->holds_baseline)
    set_baseline (self, FALSE);
  self->holds_baseline = FALSE;
}

static void
released_cb (AttnWindow *self,
             guint       keyval)
{
  if (gdk_keyval_to_lower (keyval) == GDK_KEY_b)
    let_go (self);
}

/* --- Keys that change controls of the strip --------------------------------------------------- */

static void
set_operation (AttnWindow *self,
               GVariant   *name)
{
  for (AttnOperation operation = 0; attn_operation_names[operation] != NULL; operation++)
    if (g_str_equal (attn_operation_names[operation], g_variant_get_string (name, NULL)))
      attn_strip_set_operation (self->strip, operation);
}

/* Chooses a component of the operation. @parameter: (sb): the name of the component, and whether it
 * is added to the chosen ones or removed from them; if not, it is chosen alone */
static void
choose_component (AttnWindow *self,
                  GVariant   *parameter)
{
  const char *name;
  gboolean toggles;

  g_variant_get (parameter, "(&sb)", &name, &toggles);
  for (AttnComponent component = 0; component < ATTN_N_COMPONENTS; component++)
    if (g_str_equal (attn_component_names[component], name))
      attn_strip_choose_component (self->strip, component, toggles);
}

static void
type_epsilon (AttnWindow *self)
{
  attn_strip_type_epsilon (self->strip);
}

/* --- Windows that are opened beside the pointer ----------------------------------------------- */

static void
sync_readout (AttnWindow *self)
{
  AttnResult *result = attn_session_get_result (self->session);
  g_autofree char *place =
      result != NULL ? attn_head_place_describe (result->study, result, FALSE) : g_strdup ("");

  attn_reading_set_readout (self->reading, self->has_pointer_readout ? place : NULL);
}

static void
set_pointer_readout (AttnWindow *self,
                     GVariant   *is_shown)
{
  self->has_pointer_readout = g_variant_get_boolean (is_shown);
  attn_actions_set_state (self, "pointer-readout", is_shown);
  if (self->settings != NULL)
    g_settings_set_boolean (self->settings, "shows-pointer-readout", self->has_pointer_readout);
  sync_readout (self);
}

/* --- The layer and head that the program chose ------------------------------------------------ */

static void
result_changed_cb (AttnWindow *self)
{
  AttnResult *result = attn_session_get_result (self->session);
  g_autofree char *place = attn_head_place_describe (result->study, result, TRUE);
  g_autofree char *note =
      self->shown_study != NULL
          ? attn_head_place_describe_choice (self->shown_study, self->shown_place, result)
          : NULL;

  g_clear_pointer (&self->shown_study, attn_study_unref);
  g_free (self->shown_place);
  self->shown_study = attn_study_ref (result->study);
  self->shown_place = g_steal_pointer (&place);
  sync_readout (self);
  /* An edit of the study cancels the head map that is being computed: the head with the largest
   * value, asked for before, must not be shown from a later map. */
  self->extreme_measure = -1;
  if (note != NULL)
    attn_window_show_figure_note (self, note);
}

/**
 * attn_window_sync_heads:
 *
 * Enables the actions of layer, head and baseline that the study allows, and adds its layer and
 * head to the way back.
 */
void
attn_window_sync_heads (AttnWindow *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  gboolean has_result = attn_session_get_result (self->session) != NULL;
  gboolean has_layer = has_result && attn_head_place_has_layer (study);
  gboolean has_head = has_result && attn_head_place_has_head (study);
  gboolean has_column = attn_study_shows_baseline_column (study);

  enable_steps (self);
  attn_actions_enable (self, "type-head", has_layer || has_head);
  attn_actions_enable (self, "baseline", attn_study_has_baseline (study));
  /* The baseline is no longer shown in place of the weights if the figure has none, or if the
   * figure gets a column for the baseline: all columns would then look the same. */
  if (!attn_study_has_baseline (study) || (has_column && !self->had_baseline_column))
    set_baseline (self, FALSE);
  self->had_baseline_column = has_column;
  attn_actions_enable (self, "head-map", has_result && attn_study_get_traits (study)->has_grid);
  attn_actions_enable (self, "go-to-extreme-head",
                       has_result && attn_study_get_traits (study)->has_grid);
  attn_actions_enable (self, "arrange-atlas", has_result && attn_window_is_overview (self));
  attn_reading_set_place (self->reading, study);
  sync_back (self);
}

/**
 * attn_window_add_heads:
 *
 * Adds the actions of layer, head and baseline, and shows the baseline while its key is held.
 */
void
attn_window_add_heads (AttnWindow *self)
{
  static const AttnAction actions[] = {
    { "type-head", G_CALLBACK (type_head), "s" },
    { "head-map", G_CALLBACK (open_map) },
    { "go-to-head", G_CALLBACK (go_to_head), "(ii)" },
    { "go-back", G_CALLBACK (go_back) },
    { "go-to-extreme-head", G_CALLBACK (go_to_extreme_head), "s" },
    { "arrange-atlas", G_CALLBACK (arrange_atlas), "au" },
    { "baseline", G_CALLBACK (show_baseline), NULL, "false" },
    { "operation", G_CALLBACK (set_operation), "s" },
    { "component", G_CALLBACK (choose_component), "(sb)" },
    { "type-epsilon", G_CALLBACK (type_epsilon) },
    { "pointer-readout", G_CALLBACK (set_pointer_readout), NULL, "true" },
  };
  GtkEventController *keys = gtk_event_controller_key_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    attn_actions_add (self, &(AttnAction) { steps[i].action, G_CALLBACK (step) }, 1, self);
  attn_actions_add (self, actions, G_N_ELEMENTS (actions), self);
  g_signal_connect_object (self->reading, "viewport-changed", G_CALLBACK (viewport_changed_cb),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "result-changed", G_CALLBACK (result_changed_cb), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (pressed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (keys, "key-released", G_CALLBACK (released_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect (self, "notify::is-active", G_CALLBACK (let_go), NULL);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  self->extreme_measure = -1;
  g_signal_connect_object (self->session, "head-map-changed", G_CALLBACK (head_map_changed_cb),
                           self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  self->has_pointer_readout = TRUE;
  if (self->settings != NULL)
    {
      g_autoptr (GVariant) shows =
          g_settings_get_value (self->settings, "shows-pointer-readout");

      g_action_group_change_action_state (G_ACTION_GROUP (self), "pointer-readout", shows);
    }
}

/* --- Keys of the window ----------------------------------------------------------------------- */

static const struct
{
  guint key;
  GdkModifierType modifiers;
  const char *action;
  const char *argument;
} keys[] = {
  { GDK_KEY_bracketleft, 0, "win.head-previous" },
  { GDK_KEY_bracketright, 0, "win.head-next" },
  { GDK_KEY_braceleft, 0, "win.layer-previous" },
  { GDK_KEY_braceright, 0, "win.layer-next" },
  { GDK_KEY_g, 0, "win.type-head", "" },
  { GDK_KEY_h, 0, "win.head-map" },
  { GDK_KEY_l, GDK_CONTROL_MASK, "win.type-head", "" },
  { GDK_KEY_L, GDK_SHIFT_MASK, "win.type-head", "L" },
  { GDK_KEY_p, 0, "win.pin" },
  { GDK_KEY_r, 0, "win.draw-regions" },
  { GDK_KEY_z, 0, "win.zoom-rectangle" },
  { GDK_KEY_m, 0, "win.maximize-panel" },
  { GDK_KEY_l, 0, "win.link-panels" },
  { GDK_KEY_1, 0, "win.operation", "mean" },
  { GDK_KEY_KP_1, 0, "win.operation", "mean" },
  { GDK_KEY_2, 0, "win.operation", "scale" },
  { GDK_KEY_KP_2, 0, "win.operation", "scale" },
  { GDK_KEY_3, 0, "win.operation", "zero" },
  { GDK_KEY_KP_3, 0, "win.operation", "zero" },
  { GDK_KEY_e, 0, "win.type-epsilon" },
  { GDK_KEY_Escape, 0, "win.leave" }, /* Escape: leaves the present mode if no widget with the focus
                                       * handles the key */
};

/**
 * attn_window_find_key:
 * @key: key value of a key, such as %GDK_KEY_b
 * @modifiers: held down with it
 * @argument: (out) (nullable): the text of the action's parameter
 *
 * Returns: (nullable): the name of the action that the window binds the key to
 */
const char *
attn_window_find_key (guint             key,
                      GdkModifierType   modifiers,
                      const char      **argument)
{
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    if (keys[i].key == key && keys[i].modifiers == modifiers)
      {
        *argument = keys[i].argument;
        return keys[i].action;
      }
  return NULL;
}

/**
 * attn_window_bind_keys:
 * @klass: the class of the window
 *
 * Binds letters and brackets to actions of the window. A text entry that has the focus takes them
 * first.
 */
void
attn_window_bind_keys (GtkWidgetClass *klass)
{
  static const struct
  {
    guint key;
    const char *component;
  } components[] = {
    { GDK_KEY_q, "query" },
    { GDK_KEY_k, "key" },
    { GDK_KEY_v, "value" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding_action (klass, keys[i].key, keys[i].modifiers, keys[i].action,
                                         keys[i].argument != NULL ? "s" : NULL, keys[i].argument);
  for (gsize i = 0; i < G_N_ELEMENTS (components); i++)
    {
      gtk_widget_class_add_binding_action (klass, components[i].key, 0, "win.component", "(sb)",
                                           components[i].component, FALSE);
      gtk_widget_class_add_binding_action (klass, gdk_keyval_to_upper (components[i].key),
                                           GDK_SHIFT_MASK, "win.component", "(sb)",
                                           components[i].component, TRUE);
    }
}
