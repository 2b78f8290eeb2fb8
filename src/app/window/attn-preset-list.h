/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The presets in a drop-down: their titles, and in the list what each of them shows. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Data of the drop-down: the stack in its button, whose pages are "plain" and "changed". */
#define ATTN_PRESET_LIST_PAGES "preset-pages"

void attn_preset_list_fill         (GtkDropDown *drop_down);
void attn_preset_list_show_changed (GtkDropDown *drop_down,
                                    gboolean     is_changed);

G_END_DECLS
