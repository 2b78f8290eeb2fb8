/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The row for ε: the slider with its curves, and the controls for them. */

#pragma once

#include <gtk/gtk.h>

#include "attn-session.h"

G_BEGIN_DECLS

#define ATTN_TYPE_EPSILON_ROW (attn_epsilon_row_get_type ())
G_DECLARE_FINAL_TYPE (AttnEpsilonRow, attn_epsilon_row, ATTN, EPSILON_ROW, GtkBox)

void attn_epsilon_row_set_session (AttnEpsilonRow *row,
                                   AttnSession    *session);
void attn_epsilon_row_type        (AttnEpsilonRow *row);

G_END_DECLS
