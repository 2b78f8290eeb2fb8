/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Handles keys that must not act at once. If the focused control is scrolled out of sight, a key
 * that would activate it only scrolls it into view: nothing changes unseen, and GTK 4.8 cannot open
 * a list at a place off the screen (gdk_x11_surface_layout_popup finds no monitor). While a pointer
 * button is held, only Escape and typed text are handled: a list or menu that a key opened would
 * grab the pointer, and GTK 4.8 counts the release of the button twice (handle_pointing_event).
 * Clicks are guarded as well (attn-pressed.h). */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

gboolean attn_key_guard_sets_off   (guint      keyval);
gboolean attn_key_guard_show_focus (GtkWindow *window);
void     attn_key_guard_add        (GtkWidget *widget);
void     attn_key_guard_install    (GtkWindow *window);

G_END_DECLS
