/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Parts of a drop-down that GTK 4.8 leaves out. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* @label: what @drop_down chooses. The label beside it names the drop-down, not the button within,
 * which is what has the focus. */
static inline void
attn_drop_down_set_label (gpointer    drop_down,
                          const char *label)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (gtk_widget_get_first_child (drop_down)),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

G_END_DECLS
