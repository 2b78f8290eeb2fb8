/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A row for a region or a pin, several cells or one that the user has marked in the figure: its
 * name, which can be edited, and its measures, the mean and the largest weight. */

#pragma once

#include <gtk/gtk.h>

#include "attn-reading.h"
#include "attn-session.h"

G_BEGIN_DECLS

#define ATTN_TYPE_REGION_ROW (attn_region_row_get_type ())
G_DECLARE_FINAL_TYPE (AttnRegionRow, attn_region_row, ATTN, REGION_ROW, GtkListBoxRow)

GtkWidget *attn_region_row_new  (AttnSession   *session,
                                 AttnReading   *figure);
void       attn_region_row_show (AttnRegionRow *row,
                                 int            group,
                                 gsize          index);

G_END_DECLS
