/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The colour in which a drawing marks what counts, readable on light and on dark. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* How much of the text's colour is in it: the theme's own is too dark on a dark ground. */
#define ATTN_ACCENT_TEXT 0.3f

static inline GdkRGBA
attn_accent_get (GtkWidget *widget)
{
  GtkStyleContext *context = gtk_widget_get_style_context (widget);
  GdkRGBA accent = { 0.21f, 0.52f, 0.89f, 1 };
  GdkRGBA text;

  gtk_style_context_get_color (context, &text);
  gtk_style_context_lookup_color (context, "theme_selected_bg_color", &accent);
  return (GdkRGBA) {
    accent.red + (text.red - accent.red) * ATTN_ACCENT_TEXT,
    accent.green + (text.green - accent.green) * ATTN_ACCENT_TEXT,
    accent.blue + (text.blue - accent.blue) * ATTN_ACCENT_TEXT,
    1,
  };
}

G_END_DECLS
