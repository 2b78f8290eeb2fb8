/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The regions and pins of all panels of a figure. */

#pragma once

#include <gtk/gtk.h>

#include "attn-reading.h"
#include "attn-session.h"

G_BEGIN_DECLS

#define ATTN_TYPE_REGION_LIST (attn_region_list_get_type ())
G_DECLARE_FINAL_TYPE (AttnRegionList, attn_region_list, ATTN, REGION_LIST, GtkBox)

void attn_region_list_read (AttnRegionList *list,
                            AttnSession    *session,
                            AttnReading    *figure);

G_END_DECLS
