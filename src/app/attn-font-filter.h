/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which families of fonts may be chosen. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void attn_font_filter_install (GtkFontChooser *chooser);

G_END_DECLS
