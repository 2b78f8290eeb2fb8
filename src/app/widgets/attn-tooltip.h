/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tooltips that are set again whenever something changes. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* When a tooltip is set GTK asks the display where the pointer is and waits for the answer, even if
 * the text is what it was: of a slider's move that took longer than to draw the figure. It does not
 * ask for a widget that is hidden, as this one is for so long if it was never on the screen. */
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

/* @reason: why @widget, for a control that is not available */
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
