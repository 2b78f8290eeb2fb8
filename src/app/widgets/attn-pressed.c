/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-pressed.h"

/* The key of the data that a guarded window or popover keeps: the buttons of the pointer that are
 * held. */
#define GUARD "attn-pressed-guard"

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

/* Returns the mask of a button in the state of an event, 0 for a button that has none. */
static GdkModifierType
get_mask (guint button)
{
  return button >= 1 && button <= 5 ? GDK_BUTTON1_MASK << (button - 1) : 0;
}

/* Stops a motion event made up by GTK, which has no time, if its state lacks a button whose release
 * is yet to come. @held: the buttons that are held as far as GTK was told */
static gboolean
event_cb (GdkModifierType *held,
          GdkEvent        *event)
{
  GdkModifierType state = gdk_event_get_modifier_state (event) & BUTTONS;
  switch ((int) gdk_event_get_event_type (event))
    {
    case GDK_BUTTON_PRESS:
      *held |= get_mask (gdk_button_event_get_button (event));
      return GDK_EVENT_PROPAGATE;

    case GDK_BUTTON_RELEASE:
      *held &= ~get_mask (gdk_button_event_get_button (event));
      return GDK_EVENT_PROPAGATE;

    case GDK_MOTION_NOTIFY:
      if (gdk_event_get_time (event) == GDK_CURRENT_TIME)
        return (*held & ~state) != 0;
      *held &= state;
      return GDK_EVENT_PROPAGATE;

    default:
      return GDK_EVENT_PROPAGATE;
    }
}

static void
guard_native (GtkWidget *native)
{
  GtkEventController *events = gtk_event_controller_legacy_new ();
  GdkModifierType *held = g_new0 (GdkModifierType, 1);

  g_object_set_data_full (G_OBJECT (native), GUARD, held, g_free);
  gtk_event_controller_set_propagation_phase (events, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (events, "event", G_CALLBACK (event_cb), held);
  gtk_widget_add_controller (native, events);
}

/**
 * attn_pressed_guard:
 * @widget: a widget with all its children
 *
 * Lets every click count, however short it is, in each window and popover that @widget is or has;
 * the events of a popover do not come by its window. When GTK has laid out a window it makes up a
 * motion of the pointer (gdk_surface_ensure_motion) with the buttons that the display server holds
 * at that moment. If a button was pressed and released at the server, but GTK has handled the press
 * alone, the motion has no button, and the gestures that wait for the release give up
 * (gtk_gesture_single_handle_event). Such a motion is kept from them.
 */
void
attn_pressed_guard (GtkWidget *widget)
{
  if (GTK_IS_NATIVE (widget) && g_object_get_data (G_OBJECT (widget), GUARD) == NULL)
    guard_native (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    attn_pressed_guard (child);
}
