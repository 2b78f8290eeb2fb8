/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The presets in a drop-down: their titles, and in the list what each of them shows. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void attn_preset_list_fill (GtkDropDown *drop_down);

G_END_DECLS
