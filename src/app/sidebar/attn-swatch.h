/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A colour map as a small strip. */

#pragma once

#include <gtk/gtk.h>

#include "attn-colormap.h"

G_BEGIN_DECLS

#define ATTN_TYPE_SWATCH (attn_swatch_get_type ())
G_DECLARE_FINAL_TYPE (AttnSwatch, attn_swatch, ATTN, SWATCH, GtkWidget)

GtkWidget *attn_swatch_new          (void);
void       attn_swatch_set_colormap (AttnSwatch   *swatch,
                                     AttnColormap  colormap,
                                     gboolean      is_reversed);

G_END_DECLS
