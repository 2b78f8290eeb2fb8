/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tells whether a button of the pointer is held on a widget, which must not be moved or hidden
 * then: GTK counts presses in the widget and all its parents, and never takes a press back if the
 * widget is no longer under the pointer. And keeps a press that is shorter than a frame. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

gboolean attn_pressed_is_active (GtkWidget *widget);
gboolean attn_pressed_is_held   (GtkWidget *widget);
void     attn_pressed_guard     (GtkWidget *widget);

G_END_DECLS
