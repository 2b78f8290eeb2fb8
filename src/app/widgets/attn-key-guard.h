/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Keys that GTK 4.8 is not told of at once.
 *
 * A control that has the focus may have been scrolled out of sight. A key that sets it off shows it
 * first and does nothing else: what is out of sight is not changed, and a list would open where the
 * control is, which GTK 4.8 cannot if that is off the screen (gdk_x11_surface_layout_popup finds no
 * monitor).
 *
 * While a button of the pointer is held only Escape counts, and what is typed: a list or a menu
 * that a key opens takes the pointer, and GTK 4.8 counts the button up twice
 * (handle_pointing_event). */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

gboolean attn_key_guard_sets_off   (guint      keyval);
gboolean attn_key_guard_show_focus (GtkWindow *window);
void     attn_key_guard_install    (GtkWindow *window);

G_END_DECLS
