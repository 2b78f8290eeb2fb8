/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A tip, a small popover beside a widget, with a text about the point of the widget at the pointer.
 * A tooltip would cover the widget. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

GtkPopover *attn_pointer_tip_new  (GtkWidget          *widget,
                                   int                 n_chars);
void        attn_pointer_tip_tell (GtkPopover         *tip,
                                   const GdkRectangle *place,
                                   const char         *text);

G_END_DECLS
