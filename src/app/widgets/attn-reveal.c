/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-reveal.h"

#define N_FRAMES 4 /* in which everything has its place */

/* Scrolls as little as shows the widget, from its top if it is higher than the list. The value is
 * set rather than clamped, which ends the slide to where the widget was before, begun by its
 * focus. */
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

/* @user_data: counts the frames */
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
 * @widget: in a list that scrolls, or has just been unfolded there
 *
 * Scrolls to the widget as soon as it has its place, and the list, or the popover that it is in,
 * its new height.
 */
void
attn_reveal (GtkWidget *widget)
{
  gtk_widget_add_tick_callback (widget, reveal_cb, g_new0 (guint, 1), g_free);
}
