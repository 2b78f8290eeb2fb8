/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Accessible labels for drop-downs, which GTK 4.8 lacks. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Labels the button inside a drop-down, which has the focus; the label beside a drop-down is not
 * passed on to it. @label: what @drop_down chooses */
static inline void
attn_drop_down_set_label (gpointer    drop_down,
                          const char *label)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (gtk_widget_get_first_child (drop_down)),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

G_END_DECLS
