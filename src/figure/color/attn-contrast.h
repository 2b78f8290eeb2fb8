/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Colours that stand out from what is behind them, and from one another. */

#pragma once

#include "attn-colormap.h"

G_BEGIN_DECLS

/* The number of colours that attn_contrast_get_distinct() has. */
#define ATTN_N_DISTINCT 18

double  attn_contrast_get_luminance (AttnRgb  color);
AttnRgb attn_contrast_get_text      (AttnRgb  color);
AttnRgb attn_contrast_mix           (AttnRgb  color,
                                     double   share,
                                     gboolean with_white);
AttnRgb attn_contrast_get_distinct  (gsize    index,
                                     gboolean is_on_dark);

G_END_DECLS
