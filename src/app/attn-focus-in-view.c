/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A control that has the focus may have been scrolled out of sight. A key that sets it off shows it
 * first and does nothing else: nobody changes what they do not see, and a list would open where the
 * control is, which GTK 4.8 cannot if that is off the screen (gdk_x11_surface_layout_popup finds no
 * monitor). */

#include "config.h"

#include "attn-focus-in-view.h"

/**
 * attn_focus_in_view_show:
 *
 * Scrolls to what has the focus, if nothing of it is to be seen.
 *
 * Returns: whether it had to
 */
gboolean
attn_focus_in_view_show (GtkWindow *window)
{
  GtkWidget *focus = gtk_window_get_focus (window);
  GtkWidget *view = focus != NULL ? gtk_widget_get_ancestor (focus, GTK_TYPE_VIEWPORT) : NULL;
  graphene_rect_t bounds;

  if (view == NULL || !gtk_widget_compute_bounds (focus, view, &bounds))
    return FALSE;
  double start = bounds.origin.y;
  double end = start + bounds.size.height;

  if (end > 0 && start < gtk_widget_get_height (view))
    return FALSE;

  GtkAdjustment *adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (view));
  double value = gtk_adjustment_get_value (adjustment);

  gtk_adjustment_clamp_page (adjustment, value + start, value + end);
  return TRUE;
}

/* Text takes these keys as text. */
static gboolean
key_pressed_cb (GtkEventControllerKey *keys,
                guint                  keyval,
                guint                  keycode,
                GdkModifierType        state,
                GtkWindow             *window)
{
  gboolean sets_off = keyval == GDK_KEY_space || keyval == GDK_KEY_KP_Space ||
                      keyval == GDK_KEY_Return || keyval == GDK_KEY_ISO_Enter ||
                      keyval == GDK_KEY_KP_Enter;
  GtkWidget *focus = gtk_window_get_focus (window);

  return sets_off && focus != NULL && !GTK_IS_TEXT (focus) && !GTK_IS_TEXT_VIEW (focus) &&
         attn_focus_in_view_show (window);
}

/**
 * attn_focus_in_view_install:
 * @window: in which keys are watched
 */
void
attn_focus_in_view_install (GtkWindow *window)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (key_pressed_cb), window);
  gtk_widget_add_controller (GTK_WIDGET (window), keys);
}
