/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The number of the layer or head on display, on the button of the list in which it is chosen. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void attn_place_number_begin (GtkDropDown *number,
                              GtkWidget   *name,
                              GtkWidget   *initial,
                              const char  *meaning);
void attn_place_number_show  (GtkDropDown *number,
                              gboolean     applies,
                              int          shown,
                              gboolean     is_strongest);

G_END_DECLS
