/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A button that shows a font family and size, and chooses them in a popover. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ATTN_TYPE_FONT_ROW (attn_font_row_get_type ())
G_DECLARE_FINAL_TYPE (AttnFontRow, attn_font_row, ATTN, FONT_ROW, GtkBox)

void        attn_font_row_set_font   (AttnFontRow *row,
                                      const char  *family,
                                      double       size);
const char *attn_font_row_get_family (AttnFontRow *row);
double      attn_font_row_get_size   (AttnFontRow *row);

G_END_DECLS
