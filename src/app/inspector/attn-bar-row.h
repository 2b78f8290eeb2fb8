/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A row of a list: a name, a number and a bar for the number. */

#pragma once

#include <gtk/gtk.h>

#include "attn-model.h"

G_BEGIN_DECLS

#define ATTN_TYPE_BAR_ROW (attn_bar_row_get_type ())
G_DECLARE_FINAL_TYPE (AttnBarRow, attn_bar_row, ATTN, BAR_ROW, GtkBox)

GtkWidget *attn_bar_row_new (void);
void       attn_bar_row_set (AttnBarRow *row,
                             const char *name,
                             const char *number,
                             double      share);
void       attn_bar_row_set_token (AttnBarRow *row,
                             AttnModel  *model,
                             gint64      id,
                             double      share);
void       attn_bar_row_explain (AttnBarRow *row,
                             const char *text);
char      *attn_bar_row_format_share (double share);

G_END_DECLS
