/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The head map: a popover over the figure with a cell for each layer and head of the model,
 * coloured by a measure. */

#pragma once

#include <gtk/gtk.h>

#include "attn-session.h"

G_BEGIN_DECLS

void  attn_head_map_popover_open             (GtkWidget          *widget,
                                              const GdkRectangle *place,
                                              AttnSession        *session,
                                              int                 index,
                                              gboolean            is_atlas,
                                              gboolean            is_arranged);
char *attn_head_map_popover_describe_weights (const AttnResult   *result,
                                              gsize               index);

G_END_DECLS
