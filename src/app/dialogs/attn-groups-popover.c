/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-groups-popover.h"

#include <glib/gi18n.h>

#include "attn-head-groups.h"
#include "attn-popover.h"
#include "attn-template.h"

#define LONGEST_TOKEN 10 /* largest number of letters of a token on its button; a longer token is
                          * cut, and whole in the tooltip */
#define MIN_COLUMNS   6

struct _AttnGroupsPopover
{
  GtkPopover parent_instance;

  AttnSession *session;
  GtkSpinButton *head;
  GtkFlowBox *tokens;
  gboolean is_filling;
};

G_DEFINE_FINAL_TYPE (AttnGroupsPopover, attn_groups_popover, GTK_TYPE_POPOVER)

/**
 * attn_groups_popover_get_result:
 *
 * Returns: (transfer none) (nullable): the result of @session if groups of tokens can be edited in
 *   it: its figure is one of groups, and its tokens are those of the present study
 */
AttnResult *
attn_groups_popover_get_result (AttnSession *session)
{
  const AttnStudy *study = attn_session_get_study (session);
  AttnResult *result = attn_session_get_result (session);

  return attn_study_get_traits (study)->has_groups && result != NULL &&
                 result->grid->diagram != NULL &&
                 attn_session_get_tokens (session, 0) == result->inputs[0]
             ? result
             : NULL;
}

static gsize
get_head (AttnGroupsPopover *self)
{
  return (gsize) gtk_spin_button_get_value_as_int (self->head);
}

static void
toggled_cb (AttnGroupsPopover *self,
            GtkToggleButton   *button)
{
  AttnResult *result = attn_groups_popover_get_result (self->session);

  if (self->is_filling || result == NULL)
    return;

  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));
  attn_groups_toggle_unit (study, result, get_head (self),
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
  /* The focus is taken by the buttons of the tokens, not by the children of the flow box that hold
   * them. */
  gtk_widget_set_focusable (child, FALSE);
  gtk_flow_box_insert (self->tokens, child, -1);
}

/* Shows on a button for each token whether the token is in the group. The buttons are kept, with
 * the focus, if the tokens are the same as before. */
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
                              get_head (self), &members);
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
attn_groups_popover_dispose (GObject *object)
{
  g_clear_object (&((AttnGroupsPopover *) object)->session);

  G_OBJECT_CLASS (attn_groups_popover_parent_class)->dispose (object);
}

static void
attn_groups_popover_class_init (AttnGroupsPopoverClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = attn_groups_popover_dispose;
  attn_template_set (widget_class, "groups-popover.ui");
  gtk_widget_class_bind_template_child (widget_class, AttnGroupsPopover, head);
  gtk_widget_class_bind_template_child (widget_class, AttnGroupsPopover, tokens);
  gtk_widget_class_bind_template_callback (widget_class, show_groups);
}

static void
attn_groups_popover_init (AttnGroupsPopover *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * attn_groups_popover_open:
 * @widget: the widget that shows the figure
 * @place: the rectangle of the head's box in the figure, in coordinates of @widget
 * @session: the session, whose result is a figure of groups
 * @head: index of the head in the figure
 *
 * Opens a popover in which the user edits the groups of tokens of a head. Each change is a step
 * that can be undone.
 *
 * Returns: (transfer none) (nullable): the popover; %NULL if there is no figure of groups
 */
GtkWidget *
attn_groups_popover_open (GtkWidget          *widget,
                          const GdkRectangle *place,
                          AttnSession        *session,
                          gsize               head)
{
  AttnResult *result = attn_groups_popover_get_result (session);

  if (result == NULL)
    return NULL;

  AttnGroupsPopover *self = g_object_new (ATTN_TYPE_GROUPS_POPOVER, NULL);
  self->session = g_object_ref (session);
  gtk_spin_button_set_range (self->head, 0,
                             (double) attn_model_get_info (result->model)->n_heads - 1);
  gtk_spin_button_set_value (self->head, (double) head);
  show_groups (self);
  g_signal_connect_object (session, "study-changed", G_CALLBACK (show_groups), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "result-changed", G_CALLBACK (show_groups), self,
                           G_CONNECT_SWAPPED);
  return attn_popover_open (GTK_POPOVER (self), widget, place) ? GTK_WIDGET (self) : NULL;
}
