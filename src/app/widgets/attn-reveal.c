/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-reveal.h"

#define N_FRAMES 4 /* number of frames after which all widgets have been laid out */

/* Scrolls by the least amount that shows the widget; one that is higher than the list is shown from
 * its top. The value of the adjustment is set even if it stays the same: this ends the animated
 * scrolling to the widget's old place, which its focus has begun. */
static void
scroll_to (GtkWidget *widget,
           GtkWidget *viewport)
{
  GtkAdjustment *place = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (viewport));
  GtkWidget *content = gtk_viewport_get_child (GTK_VIEWPORT (viewport));
  graphene_rect_t bounds, all;

  if (!gtk_widget_compute_bounds (widget, viewport, &bounds) ||
      !gtk_widget_compute_bounds (content, viewport, &all))
    return;
  double top = bounds.origin.y - all.origin.y + gtk_widget_get_margin_top (content);
  double least = top + bounds.size.height - gtk_adjustment_get_page_size (place);
  gtk_adjustment_set_value (place, MIN (MAX (gtk_adjustment_get_value (place), least), top));
}

/* Scrolls to a widget in the last of %N_FRAMES frames. @user_data: the number of frames so far */
static gboolean
reveal_cb (GtkWidget     *widget,
           GdkFrameClock *clock,
           gpointer       user_data)
{
  GtkWidget *viewport = gtk_widget_get_ancestor (widget, GTK_TYPE_VIEWPORT);

  if (++*(guint *) user_data < N_FRAMES)
    return G_SOURCE_CONTINUE;
  if (viewport != NULL && gtk_widget_get_mapped (widget))
    scroll_to (widget, viewport);
  return G_SOURCE_REMOVE;
}

/**
 * attn_reveal:
 * @widget: a widget in a list that scrolls, which may just have been unfolded
 *
 * Scrolls to the widget as soon as it has been laid out and the list, or the popover around it, has
 * its new height.
 */
void
attn_reveal (GtkWidget *widget)
{
  gtk_widget_add_tick_callback (widget, reveal_cb, g_new0 (guint, 1), g_free);
}
