/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lays out a figure: grid + style + viewport -> scene. A pure function. */

#pragma once

#include "attn-scene.h"

G_BEGIN_DECLS

AttnScene *attn_layout_figure       (AttnGrid            *grid,
                                     const AttnStyle     *style,
                                     const AttnViewport  *viewport,
                                     double               width,
                                     double               height);
AttnScene *attn_layout_figure_views (AttnGrid            *grid,
                                     const AttnStyle     *style,
                                     const AttnViewport  *viewport,
                                     const AttnViewport  *viewports,
                                     double               width,
                                     double               height);

G_END_DECLS
