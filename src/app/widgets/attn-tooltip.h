/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sets tooltips without waiting for the display server, as they may change often. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Sets a tooltip. GTK then asks the display server for the position of the pointer and waits, even
 * if the text is the same; this took longer than drawing the figure when a slider moved. GTK does
 * not ask for a hidden widget, so a widget that was never on the screen is hidden while its tooltip
 * is set. */
static inline void
attn_tooltip_set (GtkWidget  *widget,
                  const char *text)
{
  gboolean is_quiet = !gtk_widget_get_realized (widget) && gtk_widget_get_visible (widget);

  if (g_strcmp0 (gtk_widget_get_tooltip_text (widget), text) == 0)
    return;
  if (is_quiet)
    gtk_widget_set_visible (widget, FALSE);
  gtk_widget_set_tooltip_text (widget, text);
  if (is_quiet)
    gtk_widget_set_visible (widget, TRUE);
}

/* Sets the tooltip of a control. @reason: tooltip in place of @explanation if @widget is not
 * available, and so insensitive */
static inline void
attn_tooltip_set_available (gpointer    widget,
                            gboolean    is_available,
                            const char *explanation,
                            const char *reason)
{
  gtk_widget_set_sensitive (widget, is_available);
  attn_tooltip_set (widget, is_available ? explanation : reason);
}

G_END_DECLS
