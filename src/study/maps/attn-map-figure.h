/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Figures of one map, with a number for each head (score atlas) or for each patched layer and
 * position or head (patch map). */

#pragma once

#include "attn-result.h"

G_BEGIN_DECLS

AttnStudy *attn_map_figure_open (const AttnResult *result,
                                 gsize             layer,
                                 gsize             column);

const char *attn_map_figure_explain (AttnHeadMeasure measure);

G_END_DECLS
