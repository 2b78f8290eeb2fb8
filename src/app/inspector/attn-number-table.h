/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A table of numbers: those of the row or cell under the cursor, and those of the baseline or panel
 * that it is compared with. */

#pragma once

#include <gtk/gtk.h>

#include "attn-grid.h"
#include "attn-side.h"

G_BEGIN_DECLS

/* Indices of the columns of the table of numbers; column 0 has the names of the rows. */
#define ATTN_NUMBER_COLUMN(side) (1 + (side))
#define ATTN_NUMBER_BASELINE     ATTN_NUMBER_COLUMN (ATTN_SIDE_BASELINE)
#define ATTN_NUMBER_NOW          ATTN_NUMBER_COLUMN (ATTN_SIDE_MODIFIED)

#define ATTN_TYPE_NUMBER_TABLE (attn_number_table_get_type ())
G_DECLARE_FINAL_TYPE (AttnNumberTable, attn_number_table, ATTN, NUMBER_TABLE, GtkGrid)

void attn_number_table_add       (AttnNumberTable    *table,
                                  const char         *name,
                                  const char         *tooltip);
void attn_number_table_rename    (AttnNumberTable    *table,
                                  int                 row,
                                  const char         *name,
                                  const char         *tooltip);
void attn_number_table_name      (AttnNumberTable    *table,
                                  const AttnGridCell *cell,
                                  gboolean            is_compared);
void attn_number_table_show_row  (AttnNumberTable    *table,
                                  int                 row,
                                  gboolean            is_shown);
void attn_number_table_set       (AttnNumberTable    *table,
                                  int                 row,
                                  int                 column,
                                  double              value);
void attn_number_table_set_text  (AttnNumberTable    *table,
                                  int                 row,
                                  int                 column,
                                  const char         *text);

G_END_DECLS
