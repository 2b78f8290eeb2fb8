/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Loads templates of widgets without a round trip to the display server for each tooltip. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void attn_template_set (GtkWidgetClass *widget_class,
                        const char     *name);

char *attn_template_dup_quiet (const char *text);

G_END_DECLS
