/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The place of a factor ε in a figure, which is a row, a column or the whole figure, and the names
 * that assistive technology tells for each factor. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * AttnEpsilonPlace:
 * @ATTN_EPSILON_PLACE_ALONE: one factor for the whole figure
 * @ATTN_EPSILON_PLACE_COLUMNS: one for each column
 * @ATTN_EPSILON_PLACE_ROWS: one for each row
 */
typedef enum
{
  ATTN_EPSILON_PLACE_ALONE,
  ATTN_EPSILON_PLACE_COLUMNS,
  ATTN_EPSILON_PLACE_ROWS,
} AttnEpsilonPlace;

void attn_epsilon_place_name (AttnEpsilonPlace place,
                              guint            number,
                              GtkWidget       *scale,
                              GtkWidget       *entry);

G_END_DECLS
