/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The row of the strip for the factors ε: the slider, over which curves show a measure of the
 * panels for each ε, and buttons to add, remove and animate factors. */

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
