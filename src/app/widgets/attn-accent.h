/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The accent colour, which highlights in drawings of widgets, mixed so that it can be read in the
 * light and in the dark theme. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The share of the text colour that is mixed into the theme's accent colour, which alone is too
 * dark on a dark background. */
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
