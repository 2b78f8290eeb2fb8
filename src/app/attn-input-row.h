/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One input in the side bar: its text, how many tokens it has, a button to remove it. */

#pragma once

#include <gtk/gtk.h>

#include "attn-study.h"

G_BEGIN_DECLS

#define ATTN_TYPE_INPUT_ROW (attn_input_row_get_type ())
G_DECLARE_FINAL_TYPE (AttnInputRow, attn_input_row, ATTN, INPUT_ROW, GtkWidget)

AttnInputRow *attn_input_row_new          (guint             index);
void          attn_input_row_set_input    (AttnInputRow     *row,
                                           const AttnInput  *input,
                                           gboolean          is_removable);
void          attn_input_row_set_status   (AttnInputRow     *row,
                                           const char       *status);
AttnInput    *attn_input_row_dup_input    (AttnInputRow     *row,
                                           GError          **error);

G_END_DECLS
