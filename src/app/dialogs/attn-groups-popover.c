/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-groups-popover.h"

#include <glib/gi18n.h>

#include "attn-head-groups.h"
#include "attn-popover.h"

/* Pixels. */
#define WIDEST  420
#define HIGHEST 320

#define LONGEST_TOKEN 10 /* letters; longer ones are cut, and whole in the tooltip */
#define MIN_COLUMNS   6

struct _AttnGroupsPopover
{
  GtkPopover parent_instance;

  AttnSession *session;
  GtkDropDown *heads;
  GtkFlowBox *tokens;
  gboolean is_filling;
};

G_DEFINE_FINAL_TYPE (AttnGroupsPopover, attn_groups_popover, GTK_TYPE_POPOVER)

/**
 * attn_groups_popover_get_result:
 *
 * Returns: (transfer none) (nullable): the result of @session, where it is one of groups and has
 *   the tokens of the study as it is now, so that groups can be edited in it
 */
AttnResult *
attn_groups_popover_get_result (AttnSession *session)
{
  const AttnStudy *study = attn_session_get_study (session);
  AttnResult *result = attn_session_get_result (session);

  return study->figure == ATTN_FIGURE_HEAD_GROUPS && result != NULL &&
                 result->grid->diagram != NULL &&
                 attn_session_get_tokens (session, 0) == result->inputs[0]
             ? result
             : NULL;
}

static void
toggled_cb (AttnGroupsPopover *self,
            GtkToggleButton   *button)
{
  AttnResult *result = attn_groups_popover_get_result (self->session);

  if (self->is_filling || result == NULL)
    return;

  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));
  attn_groups_toggle_unit (study, result, gtk_drop_down_get_selected (self->heads),
                           GPOINTER_TO_SIZE (g_object_get_data (G_OBJECT (button), "unit")));
  attn_session_edit (self->session, study, NULL);
}

static GtkWidget *
get_button (AttnGroupsPopover *self,
            gsize              unit)
{
  GtkFlowBoxChild *child = gtk_flow_box_get_child_at_index (self->tokens, (int) unit);

  return child != NULL ? gtk_flow_box_child_get_child (child) : NULL;
}

static void
add_button (AttnGroupsPopover *self,
            gsize              unit,
            const char        *label)
{
  GtkWidget *button = gtk_toggle_button_new_with_label (label);
  GtkWidget *child = gtk_flow_box_child_new ();
  GtkLabel *text = GTK_LABEL (gtk_button_get_child (GTK_BUTTON (button)));

  gtk_label_set_ellipsize (text, PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (text, LONGEST_TOKEN);
  gtk_widget_set_tooltip_text (button, label);
  g_object_set_data (G_OBJECT (button), "unit", GSIZE_TO_POINTER (unit));
  g_signal_connect_object (button, "toggled", G_CALLBACK (toggled_cb), self, G_CONNECT_SWAPPED);
  gtk_flow_box_child_set_child (GTK_FLOW_BOX_CHILD (child), button);
  /* The buttons take the focus, not the places that they stand in. */
  gtk_widget_set_focusable (child, FALSE);
  gtk_flow_box_insert (self->tokens, child, -1);
}

/* Shows the groups as the study has them now. The buttons stay, and with them the focus, as long as
 * the tokens are the same. */
static void
show_groups (AttnGroupsPopover *self)
{
  AttnResult *result = attn_groups_popover_get_result (self->session);
  g_autofree gboolean *members = NULL;

  if (result == NULL)
    {
      gtk_popover_popdown (GTK_POPOVER (self));
      return;
    }

  g_auto (GStrv) labels =
      attn_groups_list_units (attn_session_get_study (self->session), result,
                              gtk_drop_down_get_selected (self->heads), &members);
  self->is_filling = TRUE;
  gtk_flow_box_set_min_children_per_line (self->tokens,
                                          CLAMP (g_strv_length (labels), 1, MIN_COLUMNS));
  for (gsize i = 0; labels[i] != NULL; i++)
    {
      GtkWidget *button = get_button (self, i);

      if (button == NULL)
        add_button (self, i, labels[i]);
      else if (g_strcmp0 (gtk_button_get_label (GTK_BUTTON (button)), labels[i]) != 0)
        {
          gtk_button_set_label (GTK_BUTTON (button), labels[i]);
          gtk_widget_set_tooltip_text (button, labels[i]);
        }
      gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get_button (self, i)), members[i]);
    }
  while (get_button (self, g_strv_length (labels)) != NULL)
    gtk_flow_box_remove (self->tokens, GTK_WIDGET (gtk_flow_box_get_child_at_index (
                                           self->tokens, (int) g_strv_length (labels))));
  self->is_filling = FALSE;
}

static void
fill_heads (AttnGroupsPopover *self,
            gsize              head)
{
  AttnResult *result = attn_groups_popover_get_result (self->session);
  gsize n_heads = attn_model_get_info (result->model)->n_heads;
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);

  for (gsize i = 0; i < n_heads; i++)
    {
      g_autofree char *number = g_strdup_printf ("%zu", i);
      g_autofree char *name = g_strdup_printf (_("Head %s"), number);

      gtk_string_list_append (names, name);
    }
  gtk_drop_down_set_model (self->heads, G_LIST_MODEL (names));
  gtk_drop_down_set_selected (self->heads, (guint) MIN (head, n_heads - 1));
}

static void
attn_groups_popover_dispose (GObject *object)
{
  g_clear_object (&((AttnGroupsPopover *) object)->session);

  G_OBJECT_CLASS (attn_groups_popover_parent_class)->dispose (object);
}

static void
attn_groups_popover_class_init (AttnGroupsPopoverClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = attn_groups_popover_dispose;
}

/* The keys of the window end at a popover. */
static void
add_key (AttnGroupsPopover *self,
         const char        *trigger,
         const char        *action)
{
  GtkEventController *controller = gtk_shortcut_controller_new ();

  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (controller),
      gtk_shortcut_new (gtk_shortcut_trigger_parse_string (trigger),
                        gtk_named_action_new (action)));
  gtk_widget_add_controller (GTK_WIDGET (self), controller);
}

static void
attn_groups_popover_init (AttnGroupsPopover *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 9);
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  self->heads = GTK_DROP_DOWN (gtk_drop_down_new (NULL, NULL));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->heads), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _("Head"), -1);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->heads));
  self->tokens = GTK_FLOW_BOX (gtk_flow_box_new ());
  gtk_flow_box_set_selection_mode (self->tokens, GTK_SELECTION_NONE);
  gtk_widget_set_valign (GTK_WIDGET (self->tokens), GTK_ALIGN_START);
  gtk_flow_box_set_max_children_per_line (self->tokens, 8);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->tokens), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _("Tokens of the group"), -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (self->tokens));
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_width (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_scrolled_window_set_max_content_width (GTK_SCROLLED_WINDOW (scrolled), WIDEST);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scrolled), HIGHEST);
  gtk_box_append (GTK_BOX (box), scrolled);
  gtk_popover_set_child (GTK_POPOVER (self), box);
  add_key (self, "<Control>z", "win.undo");
  add_key (self, "<Control><Shift>z|<Control>y", "win.redo");
}

/**
 * attn_groups_popover_open:
 * @widget: that shows the figure
 * @place: of the head's box, in coordinates of @widget
 * @session: whose result is a figure of groups
 * @head: number of the head
 *
 * Lets the groups be edited, each change one step of undoing, until it is closed.
 *
 * Returns: (transfer none) (nullable): the popover; %NULL where there is no figure of groups
 */
GtkWidget *
attn_groups_popover_open (GtkWidget          *widget,
                          const GdkRectangle *place,
                          AttnSession        *session,
                          gsize               head)
{
  AttnGroupsPopover *self = g_object_new (ATTN_TYPE_GROUPS_POPOVER, NULL);
  self->session = g_object_ref (session);
  if (attn_groups_popover_get_result (self->session) == NULL)
    {
      g_object_ref_sink (self);
      g_object_unref (self);
      return NULL;
    }
  fill_heads (self, head);
  show_groups (self);
  g_signal_connect_object (self->heads, "notify::selected", G_CALLBACK (show_groups), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "study-changed", G_CALLBACK (show_groups), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "result-changed", G_CALLBACK (show_groups), self, G_CONNECT_SWAPPED);
  return attn_popover_open (GTK_POPOVER (self), widget, place) ? GTK_WIDGET (self) : NULL;
}
