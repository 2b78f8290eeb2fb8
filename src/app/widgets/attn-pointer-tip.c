/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-pointer-tip.h"

#define LINE_CHARS 60

/**
 * attn_pointer_tip_new:
 * @widget: the widget that it belongs to. It is to present the popover when it gets its size, and
 *   to unparent it in the end
 *
 * Returns: (transfer none): a popover that takes neither the focus nor the pointer
 */
GtkPopover *
attn_pointer_tip_new (GtkWidget *widget)
{
  GtkWidget *tip = gtk_popover_new ();
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), LINE_CHARS);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (tip, "pointer-tip");
  gtk_popover_set_child (GTK_POPOVER (tip), label);
  gtk_popover_set_autohide (GTK_POPOVER (tip), FALSE);
  gtk_popover_set_has_arrow (GTK_POPOVER (tip), FALSE);
  gtk_popover_set_position (GTK_POPOVER (tip), GTK_POS_BOTTOM);
  gtk_widget_set_can_focus (tip, FALSE);
  gtk_widget_set_can_target (tip, FALSE);
  gtk_widget_set_parent (tip, widget);
  return GTK_POPOVER (tip);
}

/**
 * attn_pointer_tip_tell:
 * @place: the part of the widget below which it is told
 * @text: (nullable): %NULL takes back what was told
 */
void
attn_pointer_tip_tell (GtkPopover         *tip,
                       const GdkRectangle *place,
                       const char         *text)
{
  GdkRectangle before;

  if (text == NULL)
    {
      gtk_popover_popdown (tip);
      return;
    }
  gtk_label_set_label (GTK_LABEL (gtk_popover_get_child (tip)), text);
  /* GTK moves the surface at each call, even where it is already. */
  if (!gtk_popover_get_pointing_to (tip, &before) || !gdk_rectangle_equal (&before, place))
    gtk_popover_set_pointing_to (tip, place);
  gtk_popover_popup (tip);
}
