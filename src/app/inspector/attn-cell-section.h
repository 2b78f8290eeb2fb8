/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A section that shows the numbers of the cell under the cursor. */

#pragma once

#include <gtk/gtk.h>

#include "attn-reading.h"

G_BEGIN_DECLS

#define ATTN_TYPE_CELL_SECTION (attn_cell_section_get_type ())
G_DECLARE_FINAL_TYPE (AttnCellSection, attn_cell_section, ATTN, CELL_SECTION, GtkBox)

void attn_cell_section_read (AttnCellSection *section,
                             const AttnStudy *study,
                             AttnReading     *figure);

G_END_DECLS
