/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What has the focus is seen before a key sets it off. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

gboolean attn_focus_in_view_show    (GtkWindow *window);
void     attn_focus_in_view_install (GtkWindow *window);

G_END_DECLS
