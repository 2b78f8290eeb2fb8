/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Size of the page in the export dialog: the entries of its width and height, the unit of both, and
 * the widths that are offered by name, those of the columns of most journals. */

#pragma once

#include <gtk/gtk.h>

#include "attn-export.h"

G_BEGIN_DECLS

/**
 * AttnPageSize:
 * @width: entry of the width; empty for the figure's own
 * @height: entry of the height, likewise
 * @unit_choice: the unit that the user has chosen
 * @unit: the unit of the numbers in the entries; attn_page_size_convert() makes it the chosen one
 */
typedef struct
{
  GtkEntry *width;
  GtkEntry *height;
  GtkDropDown *unit_choice;
  AttnUnit unit;
} AttnPageSize;

void     attn_page_size_set_up        (AttnPageSize            *size);
void     attn_page_size_show          (AttnPageSize            *size,
                                       const AttnExportOptions *page);
gboolean attn_page_size_read          (const AttnPageSize      *size,
                                       AttnExportOptions       *page);
gboolean attn_page_size_convert       (AttnPageSize            *size,
                                       double                   resolution);
int      attn_page_size_find_column   (const AttnExportOptions *page);
double   attn_page_size_choose_column (AttnExportOptions       *page,
                                       int                      column);

G_END_DECLS
