/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The inspector, the pane at the right of the window: the cell under the cursor, its row and its
 * column as numbers, what the model computes for it, and the regions (marked cells). */

#pragma once

#include <gtk/gtk.h>

#include "attn-reading.h"
#include "attn-session.h"

G_BEGIN_DECLS

#define ATTN_TYPE_INSPECTOR (attn_inspector_get_type ())
G_DECLARE_FINAL_TYPE (AttnInspector, attn_inspector, ATTN, INSPECTOR, GtkBox)

void attn_inspector_set_figure (AttnInspector *inspector,
                                AttnSession   *session,
                                AttnReading   *figure);

G_END_DECLS
