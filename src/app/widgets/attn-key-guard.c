/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-key-guard.h"

#include "attn-pressed.h"

#define BUTTONS (GDK_BUTTON1_MASK | GDK_BUTTON2_MASK | GDK_BUTTON3_MASK)

/**
 * attn_key_guard_show_focus:
 *
 * Scrolls to the widget with the focus if it is scrolled out of sight.
 *
 * Returns: whether it was out of sight
 */
gboolean
attn_key_guard_show_focus (GtkWindow *window)
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

static gboolean
is_text (const GtkWidget *focus)
{
  return GTK_IS_TEXT (focus) || GTK_IS_TEXT_VIEW (focus);
}

/**
 * attn_key_guard_sets_off:
 *
 * Returns: whether the key, such as Return or space, activates the button that has the focus
 */
gboolean
attn_key_guard_sets_off (guint keyval)
{
  return keyval == GDK_KEY_space || keyval == GDK_KEY_KP_Space || keyval == GDK_KEY_Return ||
         keyval == GDK_KEY_ISO_Enter || keyval == GDK_KEY_KP_Enter;
}

static gboolean
is_character (guint           keyval,
              GdkModifierType state)
{
  return gdk_keyval_to_unicode (keyval) != 0 && (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) == 0;
}

static gboolean
key_pressed_cb (GtkEventControllerKey *keys,
                guint                  keyval,
                guint                  keycode,
                GdkModifierType        state,
                GtkWindow             *window)
{
  GtkWidget *focus = gtk_window_get_focus (window);

  if ((state & BUTTONS) != 0 && keyval != GDK_KEY_Escape)
    return !is_text (focus) || !is_character (keyval, state);
  return attn_key_guard_sets_off (keyval) && focus != NULL && !is_text (focus) &&
         attn_key_guard_show_focus (window);
}

/* Keeps the focus out of the content of folded expanders: GTK 4.8 moves it there, too, and then
 * warns, as the content is in no window while it is folded. Popovers there are guarded as well. */
static void
guard_expanders (GtkWidget *widget)
{
  GtkWidget *content =
      GTK_IS_EXPANDER (widget) ? gtk_expander_get_child (GTK_EXPANDER (widget)) : NULL;

  if (content != NULL)
    g_object_bind_property (widget, "expanded", content, "can-focus", G_BINDING_SYNC_CREATE);
  if (content != NULL && gtk_widget_get_parent (content) == NULL)
    {
      attn_pressed_guard (content);
      guard_expanders (content);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    guard_expanders (child);
}

/**
 * attn_key_guard_add:
 * @widget: a widget whose clicks and expanders are guarded, with all its children: one that comes
 *   into a window after attn_key_guard_install()
 */
void
attn_key_guard_add (GtkWidget *widget)
{
  attn_pressed_guard (widget);
  guard_expanders (widget);
}

/**
 * attn_key_guard_install:
 * @window: the window whose keys, clicks and expanders are guarded
 */
void
attn_key_guard_install (GtkWindow *window)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (key_pressed_cb), window);
  gtk_widget_add_controller (GTK_WIDGET (window), keys);
  attn_key_guard_add (GTK_WIDGET (window));
}
