/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Popovers that are created when they open and freed when they close. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

gboolean attn_popover_open (GtkPopover         *popover,
                            GtkWidget          *widget,
                            const GdkRectangle *place);

G_END_DECLS
