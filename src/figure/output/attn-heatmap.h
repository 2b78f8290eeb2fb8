/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Paints a panel: from values to an image of the size that it has on the device. Private to
 * src/figure. */

#pragma once

#include <cairo.h>

#include "attn-raster.h"
#include "attn-scene.h"
#include "attn-visible.h"

G_BEGIN_DECLS

/* All that the pixels of a heatmap depend on, as the key of a cache. The axes are relative to their
 * first pixel, so that a panel that moves by whole pixels keeps its surface. */
typedef struct
{
  AttnPanel *panel;   /* the values that are drawn */
  AttnPanelTile tile; /* tile with the values, at full resolution or reduced to some level */
  gboolean is_coarse; /* whether the tile is reduced more than the raster asks for */
  AttnRaster raster;
  AttnSpan rows; /* rows of the panel that the raster shows */
  AttnSpan columns;
  AttnScale scale;
  const AttnRgb *table; /* [ATTN_COLORMAP_SIZE], never freed */
  gboolean has_masked_color;
  AttnRgb masked_color;
} AttnHeatmapKey;

AttnHeatmapKey   attn_heatmap_key_new   (const AttnMark       *mark,
                                         const AttnRaster     *raster,
                                         gboolean              waits);
gboolean         attn_heatmap_key_equal (const AttnHeatmapKey *a,
                                         const AttnHeatmapKey *b);
cairo_surface_t *attn_heatmap_paint     (const AttnHeatmapKey *key);
cairo_surface_t *attn_heatmap_paint_cells (const AttnMark     *mark,
                                         const AttnVisible    *visible,
                                         gsize                 max_pixels,
                                         gsize                 max_magnification);
gsize            attn_heatmap_get_useful_pixels (const AttnMark *mark,
                                         gsize                 limit);
gboolean         attn_heatmap_take_tile (AttnPanel            *panel,
                                         guint                 level,
                                         AttnSpan              rows,
                                         AttnSpan              columns,
                                         gboolean              waits,
                                         AttnPanelTile        *tile);

G_END_DECLS
