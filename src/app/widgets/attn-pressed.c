/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-pressed.h"

#define BUTTONS \
  (GDK_BUTTON1_MASK | GDK_BUTTON2_MASK | GDK_BUTTON3_MASK | GDK_BUTTON4_MASK | GDK_BUTTON5_MASK)

/**
 * attn_pressed_is_active:
 *
 * Returns: whether GTK counts @widget or a child of it as pressed, by its state flags
 */
gboolean
attn_pressed_is_active (GtkWidget *widget)
{
  return (gtk_widget_get_state_flags (widget) & GTK_STATE_FLAG_ACTIVE) != 0;
}

/**
 * attn_pressed_is_held:
 *
 * Asks the pointing device as well as GTK: if GTK's count is wrong, the widget would be held for
 * ever. The device may know of a release before GTK, which learns of it by an event.
 *
 * Returns: whether a button of the pointer is held on @widget or on a child of it
 */
gboolean
attn_pressed_is_held (GtkWidget *widget)
{
  GtkNative *native = gtk_widget_get_native (widget);
  GdkModifierType state = 0;
  GdkSurface *surface;
  GdkSeat *seat;

  if (!attn_pressed_is_active (widget) || native == NULL)
    return FALSE;
  surface = gtk_native_get_surface (native);
  seat = gdk_display_get_default_seat (gtk_widget_get_display (widget));
  if (surface == NULL || seat == NULL || gdk_seat_get_pointer (seat) == NULL)
    return FALSE;
  gdk_surface_get_device_position (surface, gdk_seat_get_pointer (seat), NULL, NULL, &state);
  return (state & BUTTONS) != 0;
}
