/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One ε in the side bar: a logarithmic slider and an entry that say the same. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ATTN_TYPE_EPSILON_ROW (attn_epsilon_row_get_type ())
G_DECLARE_FINAL_TYPE (AttnEpsilonRow, attn_epsilon_row, ATTN, EPSILON_ROW, GtkBox)

AttnEpsilonRow *attn_epsilon_row_new           (guint           index);
double          attn_epsilon_row_get_epsilon   (AttnEpsilonRow *row);
void            attn_epsilon_row_set_epsilon   (AttnEpsilonRow *row,
                                                double          epsilon);
void            attn_epsilon_row_set_removable (AttnEpsilonRow *row,
                                                gboolean        is_removable);
double          attn_epsilon_row_round         (double          epsilon);

G_END_DECLS
