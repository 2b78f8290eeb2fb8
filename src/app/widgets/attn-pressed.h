/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A widget that a button of the pointer is held on must not be moved or hidden: GTK counts what is
 * pressed along the parents, and never takes back what has gone from below the pointer. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

gboolean attn_pressed_is_active (GtkWidget *widget);
gboolean attn_pressed_is_held   (GtkWidget *widget);

G_END_DECLS
