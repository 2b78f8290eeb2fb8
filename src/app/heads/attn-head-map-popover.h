/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A map of all heads, coloured by a measure, over the figure. */

#pragma once

#include <gtk/gtk.h>

#include "attn-session.h"

G_BEGIN_DECLS

void attn_head_map_popover_open (GtkWidget          *widget,
                                 const GdkRectangle *place,
                                 AttnSession        *session,
                                 int                 index,
                                 gboolean            is_atlas);

G_END_DECLS
