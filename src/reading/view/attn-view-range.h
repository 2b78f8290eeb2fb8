/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Finds the smallest and the largest value in the visible part of the panels. */

#pragma once

#include "attn-grid.h"
#include "attn-scale.h"
#include "attn-style.h"
#include "attn-viewport.h"

G_BEGIN_DECLS

gboolean attn_view_range_find (AttnGrid           *grid,
                               int                 panel,
                               const AttnViewport *viewport,
                               double             *low,
                               double             *high);
gboolean attn_view_range_is_dim (AttnGrid          *grid,
                               const AttnStyle    *style);
gboolean attn_view_range_drag  (const AttnScale    *scale,
                               double              from,
                               double              to,
                               double             *low,
                               double             *high);

G_END_DECLS
