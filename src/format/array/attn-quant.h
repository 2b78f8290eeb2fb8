/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Quantized element types: blocks of numbers that share a scale. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The largest block of any type, in elements. */
#define ATTN_QUANT_MAX_BLOCK 256

/* Declares the decoder of a type, which decodes @n_blocks blocks to float32. Blocks are
 * little-endian on every machine and may be unaligned. Results are exact, except that types with an
 * offset round the sum. */
#define ATTN_QUANT_DECODER(name)                         \
  void attn_quant_decode_##name (const guint8 *source,   \
                                 gsize         n_blocks, \
                                 float *restrict out);

ATTN_QUANT_DECODER (q8_0)
ATTN_QUANT_DECODER (q4_0)
ATTN_QUANT_DECODER (q4_1)
ATTN_QUANT_DECODER (q5_0)
ATTN_QUANT_DECODER (q5_1)
ATTN_QUANT_DECODER (iq4_nl)
ATTN_QUANT_DECODER (mxfp4)
ATTN_QUANT_DECODER (f4)
ATTN_QUANT_DECODER (q2_k)
ATTN_QUANT_DECODER (q3_k)
ATTN_QUANT_DECODER (q4_k)
ATTN_QUANT_DECODER (q5_k)
ATTN_QUANT_DECODER (q6_k)
ATTN_QUANT_DECODER (iq4_xs)
ATTN_QUANT_DECODER (iq3_xxs)
ATTN_QUANT_DECODER (iq3_s)
ATTN_QUANT_DECODER (iq2_xxs)
ATTN_QUANT_DECODER (iq2_xs)
ATTN_QUANT_DECODER (iq2_s)
ATTN_QUANT_DECODER (iq1_s)
ATTN_QUANT_DECODER (iq1_m)
ATTN_QUANT_DECODER (tq1_0)
ATTN_QUANT_DECODER (tq2_0)
ATTN_QUANT_DECODER (q1_0)
ATTN_QUANT_DECODER (q2_0)
ATTN_QUANT_DECODER (nvfp4)

G_END_DECLS
