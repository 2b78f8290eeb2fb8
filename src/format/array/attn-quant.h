/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Quantised element types: numbers that share a scale, a block at a time. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

/* The largest block of any type, in elements. */
#define ATTN_QUANT_MAX_BLOCK 256

void attn_quant_to_float32 (AttnDtype      dtype,
                            const guint8  *source,
                            gsize          n_blocks,
                            float         *out);

G_END_DECLS
