/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is told at the pointer, below all of a widget: a tooltip would lie on what it is about. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

GtkPopover *attn_pointer_tip_new  (GtkWidget          *widget,
                                   int                 n_chars);
void        attn_pointer_tip_tell (GtkPopover         *tip,
                                   const GdkRectangle *place,
                                   const char         *text);

G_END_DECLS
