/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Binds keys to the commands of a figure: moving its cursor, scrolling and zooming. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Arguments of the function that a key calls: an AttnCommand, the step downwards or the factor, and
 * the step to the right. */
#define ATTN_KEY_FORMAT "(idd)"

void attn_figure_keys_bind (GtkWidgetClass  *klass,
                            GtkShortcutFunc  func);

G_END_DECLS
