/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Labels of drop-downs for assistive technology, which GTK 4.8 lacks, and their widths. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

int  attn_drop_down_measure_widest (GtkDropDown *drop_down);
void attn_drop_down_set_label      (gpointer     drop_down,
                                    const char  *label);

G_END_DECLS
