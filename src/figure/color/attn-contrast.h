/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Text on a colour. */

#pragma once

#include "attn-colormap.h"

G_BEGIN_DECLS

AttnRgb attn_contrast_get_text (AttnRgb color);

G_END_DECLS
