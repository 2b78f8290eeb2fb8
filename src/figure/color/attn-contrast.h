/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Colours of text on a coloured background. */

#pragma once

#include "attn-colormap.h"

G_BEGIN_DECLS

AttnRgb attn_contrast_get_text (AttnRgb color);

G_END_DECLS
