/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computes the range of a scale from the panels that share it, and finds values beyond its ends. */

#pragma once

#include "attn-grid.h"
#include "attn-style.h"
#include "attn-viewport.h"

G_BEGIN_DECLS

/**
 * AttnRange:
 * @scale: its quantiles belong to the range
 * @is_fixed: its ends are those of the style, not of the data
 * @has_under: a value that is not masked lies below the lower end
 * @has_over: one lies above the upper end
 * @has_nan: one is not a number
 * @has_masked: cells are masked
 */
typedef struct
{
  AttnScale scale;
  gboolean is_fixed;
  gboolean has_under;
  gboolean has_over;
  gboolean has_nan;
  gboolean has_masked;
} AttnRange;

void       attn_range_resolve             (AttnGrid           *grid,
                                           gsize               first,
                                           gsize               n_cells,
                                           gboolean            is_difference,
                                           const AttnStyle    *style,
                                           const AttnViewport *viewports,
                                           AttnRange          *range);
void       attn_range_scan_view           (AttnPanel          *panel,
                                           const AttnViewport *viewport,
                                           AttnExtent         *extent);
gsize      attn_range_count               (const AttnGrid     *grid,
                                           const AttnStyle    *style);
gboolean   attn_range_follows_data        (AttnGrid           *grid,
                                           const AttnStyle    *style);
gboolean   attn_range_needs_pass          (AttnGrid           *grid,
                                           const AttnStyle    *style,
                                           const AttnStyle    *known);
void       attn_range_prepare             (AttnGrid           *grid,
                                           const AttnStyle    *style);
AttnPanel *attn_range_get_drawn           (AttnGrid           *grid,
                                           gsize               index,
                                           AttnScaleKind       kind);
void       attn_range_clear               (AttnRange          *range);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AttnRange, attn_range_clear)

G_END_DECLS
