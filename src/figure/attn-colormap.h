/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Colour maps: pure functions from 0..1 to a colour. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint8 red;
  guint8 green;
  guint8 blue;
} AttnRgb;

typedef enum
{
  ATTN_COLORMAP_COOLWARM,
  ATTN_COLORMAP_BLUES,
  ATTN_COLORMAP_VIRIDIS,
  ATTN_COLORMAP_MAGMA,
  ATTN_COLORMAP_CIVIDIS,
  ATTN_COLORMAP_RDBU,
  ATTN_COLORMAP_GRAY,
} AttnColormap;

#define ATTN_N_COLORMAPS 7
#define ATTN_COLORMAP_SIZE 256

/* The colour of a cell that is not a number: in none of the maps. */
#define ATTN_COLOR_NAN ((AttnRgb) { 0xd3, 0x3f, 0xd3 })

static inline gboolean
attn_rgb_equal (AttnRgb a,
                AttnRgb b)
{
  return a.red == b.red && a.green == b.green && a.blue == b.blue;
}

AttnRgb        attn_colormap_get       (AttnColormap   colormap,
                                        double         position);
const AttnRgb *attn_colormap_get_table (AttnColormap   colormap);
const char    *attn_colormap_get_name  (AttnColormap   colormap);
gboolean       attn_colormap_parse     (const char    *name,
                                        AttnColormap  *colormap,
                                        GError       **error);

G_END_DECLS
