/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Code that the decoders of GGUF's block types share. */

#pragma once

#include "attn-clones.h"
#include "attn-half.h"

G_BEGIN_DECLS

/* The values that the 4-bit codes of the IQ4 types stand for. They are closer together around zero,
 * where most weights are. */
static const gint8 attn_quant_uneven[16] = { -127, -104, -83, -65, -49, -35, -22, -10,
                                             1, 13, 25, 38, 53, 69, 89, 113 };

/* Returns twice the value of an E2M1 number, which has a sign, two bits of exponent and one of
 * mantissa: so the value is an integer. It is computed, since compilers can vectorize that, unlike
 * a table. */
static inline gint8
attn_quant_read_four_bits (guint8 bits)
{
  guint8 magnitude = bits & 7;
  guint8 twice = MAX (magnitude, 4) - 4 + magnitude + (magnitude == 7 ? 2 : 0);

  return (gint8) ((bits & 8) != 0 ? -twice : twice);
}

static inline float
attn_quant_read_half (const guint8 *source)
{
  return attn_float_from_half ((guint16) (source[0] | source[1] << 8));
}

/* Defines the decoder of several blocks by that of one, decode_NAME(), for each width of the vector
 * registers. All give the same results, since products are exact: see attn-quant.c. */
#define ATTN_QUANT_DEFINE_ROW(name)                                                           \
  ATTN_CLONES (extern, void, attn_quant_decode_##name,                                        \
               (const guint8 *source, gsize n_blocks, float *restrict out),                   \
               (source, n_blocks, out))                                                       \
  {                                                                                           \
    for (gsize i = 0; i < n_blocks; i++)                                                      \
      decode_##name (source + i * ATTN_QUANT_BYTES_##name, out + i * ATTN_QUANT_ELEMENTS_##name); \
  }

G_END_DECLS
