/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Colour maps: pure functions from 0..1 to a colour. The shipped ones are constants. Others are
 * registered at run time and numbered from ATTN_N_COLORMAPS on. */

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
  ATTN_COLORMAP_ON_OFF,
  ATTN_N_COLORMAPS,
} AttnColormap;

#define ATTN_COLORMAP_SIZE 256
#define ATTN_COLORMAP_MAX 1024        /* the shipped maps included */
#define ATTN_COLORMAP_MAX_COLORS 4096 /* the most that a map is made from */

/* The colour of NaN, which no colour map has. */
#define ATTN_COLOR_NAN ((AttnRgb) { 0xd3, 0x3f, 0xd3 })

static inline gboolean
attn_rgb_equal (AttnRgb a,
                AttnRgb b)
{
  return a.red == b.red && a.green == b.green && a.blue == b.blue;
}

gboolean       attn_rgb_parse                   (const char     *text,
                                                 AttnRgb        *color);
const AttnRgb *attn_colormap_get_table          (AttnColormap    colormap,
                                                 gboolean        is_reversed);
const char    *attn_colormap_get_name           (AttnColormap    colormap);
gboolean       attn_colormap_parse              (const char     *name,
                                                 AttnColormap   *colormap,
                                                 GError        **error);
gboolean       attn_colormap_register           (const char     *name,
                                                 const double   *colors,
                                                 gsize           n_colors,
                                                 AttnColormap   *colormap,
                                                 GError        **error);
gboolean       attn_colormap_parse_csv          (const char     *name,
                                                 const char     *text,
                                                 gsize           length,
                                                 AttnColormap   *colormap,
                                                 GError        **error);
gboolean       attn_colormap_load_csv           (const char     *path,
                                                 AttnColormap   *colormap,
                                                 GError        **error);

G_END_DECLS
