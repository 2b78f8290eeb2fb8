/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-popover.h"

#include "attn-pressed.h"

static gboolean
unparent_cb (gpointer user_data)
{
  GtkWidget *popover = user_data;

  if (gtk_widget_get_parent (popover) != NULL)
    {
      /* If a press on the popover is handled after it was hidden, GTK 4.8 keeps a pointer to it
       * without a reference (GtkPointerFocus). Making it insensitive clears that pointer. */
      gtk_widget_set_sensitive (popover, FALSE);
      gtk_widget_unparent (popover);
    }
  return G_SOURCE_REMOVE;
}

/* Unparents a closed popover in an idle callback, since the press that closed it is still being
 * handled. */
static void
closed_cb (GtkWidget *popover)
{
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, unparent_cb, g_object_ref (popover), g_object_unref);
}

/**
 * attn_popover_open:
 * @popover: (transfer floating): a new popover
 * @widget: the widget that the popover belongs to
 * @place: (nullable): the rectangle that it points at, in coordinates of @widget; %NULL for all of
 *   @widget, which then must have a layout manager, even if it is moved later
 *
 * Shows the popover until it is closed, and then frees it.
 *
 * Returns: whether the popover could be placed; if not, it has been freed
 */
gboolean
attn_popover_open (GtkPopover         *popover,
                   GtkWidget          *widget,
                   const GdkRectangle *place)
{
  GtkWidget *parent = widget;
  double x = 0, y = 0;

  /* The popover gets the nearest parent with a layout manager: without one a widget does not place
   * popovers. */
  while (parent != NULL && gtk_widget_get_layout_manager (parent) == NULL)
    parent = gtk_widget_get_parent (parent);
  if (parent == NULL ||
      (place != NULL && !gtk_widget_translate_coordinates (widget, parent, place->x, place->y, &x,
                                                           &y)))
    {
      g_object_ref_sink (popover);
      g_object_unref (popover);
      return FALSE;
    }
  gtk_widget_set_parent (GTK_WIDGET (popover), parent);
  if (place != NULL)
    gtk_popover_set_pointing_to (
        popover, &(GdkRectangle) { (int) x, (int) y, place->width, place->height });
  gtk_popover_set_position (popover, GTK_POS_BOTTOM);
  attn_pressed_guard (GTK_WIDGET (popover));
  g_signal_connect (popover, "closed", G_CALLBACK (closed_cb), NULL);
  /* A parent that is a widget of GTK does not unparent the popover by itself when it is
   * destroyed. */
  g_signal_connect_object (parent, "destroy", G_CALLBACK (gtk_widget_unparent), popover,
                           G_CONNECT_SWAPPED);
  gtk_popover_popup (popover);
  return TRUE;
}
