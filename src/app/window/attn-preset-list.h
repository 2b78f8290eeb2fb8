/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A drop-down of the presets. Its list shows titles and descriptions. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Data of the drop-down: the GtkStack in its button, with pages "plain" and "changed". */
#define ATTN_PRESET_LIST_PAGES "preset-pages"

void attn_preset_list_fill         (GtkDropDown *drop_down);
void attn_preset_list_show_changed (GtkDropDown *drop_down,
                                    gboolean     is_changed);

G_END_DECLS
