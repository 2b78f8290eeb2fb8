/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-pointer-tip.h"

/* Closes the tip when the focus moves, when the window is no longer active, or when the list that
 * contains the widget scrolls. */
static void
watch (GtkPopover *tip)
{
  GtkWidget *viewport = gtk_widget_get_ancestor (GTK_WIDGET (tip), GTK_TYPE_VIEWPORT);
  gpointer root = gtk_widget_get_root (GTK_WIDGET (tip));
  gpointer place =
      viewport != NULL ? gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (viewport)) : NULL;
  const struct
  {
    gpointer object; /* (nullable) */
    const char *signal;
  } watched[] = {
    { root, "notify::focus-widget" },
    { root, "notify::is-active" },
    { place, "value-changed" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (watched); i++)
    if (watched[i].object != NULL)
      g_signal_handlers_disconnect_by_func (watched[i].object, gtk_popover_popdown, tip);
  for (gsize i = 0; i < G_N_ELEMENTS (watched); i++)
    if (watched[i].object != NULL)
      g_signal_connect_object (watched[i].object, watched[i].signal,
                               G_CALLBACK (gtk_popover_popdown), tip, G_CONNECT_SWAPPED);
}

/**
 * attn_pointer_tip_new:
 * @widget: the widget that the tip belongs to. It must present the popover when its own size is
 *   allocated, and unparent it when it is disposed of
 * @n_chars: the largest number of characters of a line
 *
 * Returns: (transfer none): the tip, a popover below the widget or where the caller sets. It takes
 *   neither the focus nor the pointer, and closes when the focus moves
 */
GtkPopover *
attn_pointer_tip_new (GtkWidget *widget,
                      int        n_chars)
{
  GtkWidget *tip = gtk_popover_new ();
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), n_chars);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (tip, "pointer-tip");
  gtk_popover_set_child (GTK_POPOVER (tip), label);
  gtk_popover_set_autohide (GTK_POPOVER (tip), FALSE);
  gtk_popover_set_has_arrow (GTK_POPOVER (tip), FALSE);
  gtk_popover_set_position (GTK_POPOVER (tip), GTK_POS_BOTTOM);
  gtk_widget_set_can_focus (tip, FALSE);
  gtk_widget_set_can_target (tip, FALSE);
  g_signal_connect (tip, "realize", G_CALLBACK (watch), NULL);
  gtk_widget_set_parent (tip, widget);
  return GTK_POPOVER (tip);
}

/**
 * attn_pointer_tip_tell:
 * @place: the part of the widget that the tip is placed beside, as far as that part is in sight
 * @text: (nullable): the text of the tip; %NULL closes it
 */
void
attn_pointer_tip_tell (GtkPopover         *tip,
                       const GdkRectangle *place,
                       const char         *text)
{
  GtkWidget *widget = gtk_widget_get_parent (GTK_WIDGET (tip));
  GtkWidget *viewport = gtk_widget_get_ancestor (widget, GTK_TYPE_VIEWPORT);
  graphene_rect_t bounds;
  GdkRectangle visible = *place;
  GdkRectangle before;

  if (text == NULL)
    {
      gtk_popover_popdown (tip);
      return;
    }
  if (viewport != NULL && gtk_widget_compute_bounds (viewport, widget, &bounds))
    gdk_rectangle_intersect (place,
                             &(GdkRectangle) { (int) bounds.origin.x, (int) bounds.origin.y,
                                               (int) bounds.size.width, (int) bounds.size.height },
                             &visible);
  gtk_label_set_label (GTK_LABEL (gtk_popover_get_child (tip)), text);
  /* The place of the tip is set only if it has changed: GTK moves the surface of the popover at
   * each call. */
  if (!gtk_popover_get_pointing_to (tip, &before) || !gdk_rectangle_equal (&before, &visible))
    gtk_popover_set_pointing_to (tip, &visible);
  gtk_popover_popup (tip);
}
