/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Keeps the mouse wheel from changing the values of controls in a long column, so that it only
 * scrolls the column. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Keeps the wheel from changing the value of a control. @widget: a slider or a spin button */
static inline void
attn_wheel_ignore (gpointer widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = g_list_model_get_n_items (controllers); i > 0; i--)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i - 1);

      if (GTK_IS_EVENT_CONTROLLER_SCROLL (controller))
        gtk_widget_remove_controller (widget, controller);
    }
}

G_END_DECLS
