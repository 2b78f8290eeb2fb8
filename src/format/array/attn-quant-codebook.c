/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Decoders of the rarer block types of GGUF files, which store weights in a few bits: those with
 * indices into a table, a grid, whose points are several elements each (IQ1 to IQ3), ternary ones
 * (TQ) and others. A block has 256 elements and a scale d, a 16-bit float, unless noted otherwise.
 * Everything little-endian.
 *
 *   IQ4_XS   d, h[2], l[4], q[128]              d (s - 32) table[q]                       136 bytes
 *   IQ3_XXS  d, g[64], w[32]                    d (2 s + 1) / 4 ± grid[g]                  98
 *   IQ3_S    d, g[64], h[8], signs[32], s[4]    d (2 s + 1) ± grid[g]                     110
 *   IQ2_XXS  d, w[64]                           d (2 s + 1) / 8 ± grid[g]                  66
 *   IQ2_XS   d, w[64], s[8]                     d (2 s + 1) / 8 ± grid[g]                  74
 *   IQ2_S    d, g[32], signs[32], h[8], s[8]    d (2 s + 1) / 8 ± grid[g]                  82
 *   IQ1_S    d, g[32], w[16]                    d (2 s + 1) (grid[g] ± 1/8)                50
 *   IQ1_M    g[32], h[16], w[8]                 d (2 s + 1) (grid[g] ± 1/8)                56
 *   TQ1_0    q[48], q[4], d                     d (q - 1), five powers of three a byte     54
 *   TQ2_0    q[64], d                           d (q - 1)                                  66
 *   Q1_0     d, q[16]                           ± d, of 128 elements                       18
 *   Q2_0     d, q[16]                           d (q - 1), of 64 elements                  18
 *   NVFP4    s[4], q[32]                        s table[q], of 64 elements                 36
 *
 * q are the codes of elements and s the scales of parts of the block. g are the low eight bits of
 * indices of grid points, h their highest bits, and w words whose bits are scales, signs and more
 * bits of such indices. https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h
 *
 * Each product is exact in float32: d has 11 bits, 2 s + 1 at most 6, a grid's number 6. */

#include "config.h"

#include "attn-quant-grids.h"
#include "attn-quant-private.h"
#include "attn-quant.h"

/* The values that the 2-bit codes of an element stand for, in grids whose points have eight
 * elements. */
static const float eight_levels[4] = { 8.0f, 25.0f, 43.0f, 0.0f };
static const float ternary_levels[4] = { -1.0f, 0.0f, 1.0f, 0.0f };
/* The values that the 4-bit codes of an element stand for, in grids whose points have four
 * elements. */
static const float xxs_levels[16] = { 4.0f, 12.0f, 20.0f, 28.0f, 36.0f, 44.0f, 52.0f, 62.0f };
static const float s_levels[16] = { 1.0f, 3.0f, 5.0f, 7.0f, 9.0f, 11.0f, 13.0f, 15.0f };

static guint
read_16 (const guint8 *source)
{
  return source[0] | (guint) source[1] << 8;
}

static guint32
read_32 (const guint8 *source)
{
  return read_16 (source) | (guint32) read_16 (source + 2) << 16;
}

/* Returns seven sign bits with an eighth, which is not stored: it makes the number of negative
 * signs even. */
static guint
complete_signs (guint seven)
{
  return seven | ((guint) __builtin_popcount (seven) & 1) << 7;
}

/* Decodes eight elements: the values of a grid point times @scale, negative where a bit of @signs
 * is set. */
static inline void
put_eight (guint            point,
           const float      levels[4],
           float            scale,
           guint            signs,
           float * restrict out)
{
  for (guint i = 0; i < 8; i++)
    {
      float value = scale * levels[point >> 2 * i & 3];

      out[i] = signs >> i & 1 ? -value : value;
    }
}

/* Decodes eight elements, like put_eight(), from two grid points of four elements each. */
static inline void
put_fours (guint            first,
           guint            second,
           const float      levels[16],
           float            scale,
           guint            signs,
           float * restrict out)
{
  guint points = first | second << 16;

  for (guint i = 0; i < 8; i++)
    {
      float value = scale * levels[points >> 4 * i & 15];

      out[i] = signs >> i & 1 ? -value : value;
    }
}

/* Decodes eight elements, each -1, 0 or 1: all are moved by @move and multiplied by @scale. */
static inline void
put_moved (guint            point,
           float            scale,
           float            move,
           float * restrict out)
{
  for (guint i = 0; i < 8; i++)
    out[i] = scale * (ternary_levels[point >> 2 * i & 3] + move);
}

static inline void
decode_iq4_xs (const guint8     *block,
               float * restrict  out)
{
  float scale = attn_quant_read_half (block);
  guint high = read_16 (block + 2);
  const guint8 *low = block + 4;

  for (guint sub = 0; sub < 8; sub++)
    {
      const guint8 *quants = block + 8 + 16 * sub;
      guint bits = (low[sub / 2] >> sub % 2 * 4 & 15) | (high >> 2 * sub & 3) << 4;
      float factor = scale * ((int) bits - 32);

      for (guint i = 0; i < 16; i++)
        {
          out[32 * sub + i] = factor * attn_quant_uneven[quants[i] & 15];
          out[32 * sub + i + 16] = factor * attn_quant_uneven[quants[i] >> 4];
        }
    }
}

/* Decodes a block of IQ2_XXS. Each 32 elements have four bytes, the indices of grid points, and a
 * 32-bit word: four times seven sign bits, and four bits of scale. */
static inline void
decode_iq2_xxs (const guint8     *block,
                float * restrict  out)
{
  float scale = 0.125f * attn_quant_read_half (block);

  for (guint sub = 0; sub < 8; sub++)
    {
      const guint8 *points = block + 2 + 8 * sub;
      guint32 word = read_32 (points + 4);
      float factor = scale * (2 * (word >> 28) + 1);

      for (guint i = 0; i < 4; i++)
        put_eight (iq2_xxs_grid[points[i]], eight_levels, factor,
                   complete_signs (word >> 7 * i & 127), out + 32 * sub + 8 * i);
    }
}

/* Decodes a block of IQ2_XS. A 16-bit word has nine bits for the index of a grid point and seven
 * sign bits; 16 elements share a scale. */
static inline void
decode_iq2_xs (const guint8     *block,
               float * restrict  out)
{
  float scale = 0.125f * attn_quant_read_half (block);

  for (guint i = 0; i < 32; i++)
    {
      guint word = read_16 (block + 2 + 2 * i);
      float factor = scale * (2 * (block[66 + i / 4] >> i % 4 / 2 * 4 & 15) + 1);

      put_eight (iq2_xs_grid[word & 511], eight_levels, factor, complete_signs (word >> 9),
                 out + 8 * i);
    }
}

static inline void
decode_iq2_s (const guint8     *block,
              float * restrict  out)
{
  float scale = 0.125f * attn_quant_read_half (block);

  for (guint i = 0; i < 32; i++)
    {
      guint point = block[2 + i] | (guint) (block[66 + i / 4] >> i % 4 * 2 & 3) << 8;
      float factor = scale * (2 * (block[74 + i / 4] >> i % 4 / 2 * 4 & 15) + 1);

      put_eight (iq2_s_grid[point], eight_levels, factor, block[34 + i], out + 8 * i);
    }
}

/* Decodes a block of IQ3_XXS: like IQ2_XXS, but the words with signs and scales come after all
 * indices. */
static inline void
decode_iq3_xxs (const guint8     *block,
                float * restrict  out)
{
  float scale = 0.25f * attn_quant_read_half (block);

  for (guint i = 0; i < 32; i++)
    {
      const guint8 *points = block + 2 + 2 * i;
      guint32 word = read_32 (block + 66 + i / 4 * 4);

      put_fours (iq3_xxs_grid[points[0]], iq3_xxs_grid[points[1]], xxs_levels,
                 scale * (2 * (word >> 28) + 1), complete_signs (word >> i % 4 * 7 & 127),
                 out + 8 * i);
    }
}

static inline void
decode_iq3_s (const guint8     *block,
              float * restrict  out)
{
  float scale = attn_quant_read_half (block);

  for (guint i = 0; i < 32; i++)
    {
      guint high = block[66 + i / 4] >> i % 4 * 2;
      guint first = block[2 + 2 * i] | (high & 1) << 8;
      guint second = block[3 + 2 * i] | (high & 2) << 7;
      float factor = scale * (2 * (block[106 + i / 8] >> i / 4 % 2 * 4 & 15) + 1);

      put_fours (iq3_s_grid[first], iq3_s_grid[second], s_levels, factor, block[74 + i],
                 out + 8 * i);
    }
}

/* Decodes a block of IQ1_S. Each 32 elements have a 16-bit word: four times the three high bits of
 * an index, three bits of scale, and the sign of the 1/8 by which the elements are moved. */
static inline void
decode_iq1_s (const guint8     *block,
              float * restrict  out)
{
  float scale = attn_quant_read_half (block);

  for (guint i = 0; i < 32; i++)
    {
      guint word = read_16 (block + 34 + i / 4 * 2);
      guint point = block[2 + i] | (word >> i % 4 * 3 & 7) << 8;

      put_moved (iq1_grid[point], scale * (2 * (word >> 12 & 7) + 1),
                 word >> 15 ? -0.125f : 0.125f, out + 8 * i);
    }
}

/* Decodes a block of IQ1_M. Each of four 16-bit words has four scales of three bits, each for 16
 * elements, and four bits of d. Each eight elements have four more bits: the three high bits of an
 * index, and the sign of the 1/8 by which they are moved. */
static inline void
decode_iq1_m (const guint8     *block,
              float * restrict  out)
{
  const guint8 *words = block + 48;
  guint half = 0;

  for (guint i = 0; i < 4; i++)
    half |= (read_16 (words + 2 * i) >> 12) << 4 * i;
  float scale = attn_float_from_half ((guint16) half);
  for (guint i = 0; i < 32; i++)
    {
      guint high = block[32 + i / 2] >> i % 2 * 4;
      guint sub_scale = read_16 (words + i / 8 * 2) >> i % 8 / 2 * 3 & 7;

      put_moved (iq1_grid[block[i] | (high & 7) << 8], scale * (2 * sub_scale + 1),
                 high & 8 ? -0.125f : 0.125f, out + 8 * i);
    }
}

/* Decodes ternary digits, which stand for -1, 0 and 1. A byte holds a number of five digits as a
 * fraction of 256: when it is multiplied by 3, the integer part is the next digit. The digits of a
 * byte belong to elements that are @n_bytes apart. */
static inline void
put_ternary (const guint8     *bytes,
             guint             n_bytes,
             guint             n_digits,
             float             scale,
             float * restrict  out)
{
  for (guint i = 0; i < n_bytes; i++)
    {
      guint rest = bytes[i];

      for (guint digit = 0; digit < n_digits; digit++)
        {
          rest = 3 * (rest & 255);
          out[digit * n_bytes + i] = scale * ((int) (rest >> 8) - 1);
        }
    }
}

static inline void
decode_tq1_0 (const guint8     *block,
              float * restrict  out)
{
  float scale = attn_quant_read_half (block + 52);

  put_ternary (block, 32, 5, scale, out);
  put_ternary (block + 32, 16, 5, scale, out + 160);
  put_ternary (block + 48, 4, 4, scale, out + 240);
}

static inline void
decode_q1_0 (const guint8     *block,
             float * restrict  out)
{
  float scale = attn_quant_read_half (block);

  for (guint i = 0; i < 128; i++)
    out[i] = block[2 + i / 8] >> i % 8 & 1 ? scale : -scale;
}

static inline void
decode_q2_0 (const guint8     *block,
             float * restrict  out)
{
  float scale = attn_quant_read_half (block);

  for (guint i = 0; i < 64; i++)
    out[i] = scale * ((block[2 + i / 4] >> i % 4 * 2 & 3) - 1);
}

/* Reads a scale, an E4M3 number (4 bits of exponent, 3 of mantissa). As in ggml, 0x7f is 0 rather
 * than NaN, and the sign bit is ignored. */
static float
read_scale_8 (guint8 byte)
{
  guint exponent = byte >> 3 & 15;
  guint mantissa = byte & 7;

  if ((byte & 127) == 127 && byte < 128)
    return 0.0f;
  return exponent == 0 ? (float) mantissa * 0x1p-9f
                       : (float) (8 + mantissa) * attn_float_from_bits ((exponent + 117) << 23);
}

/* Decodes a block of NVFP4. Each 16 elements share a scale; the first eight are in the low half of
 * the bytes. */
static inline void
decode_nvfp4 (const guint8     *block,
              float * restrict  out)
{
  for (guint i = 0; i < 64; i++)
    out[i] = read_scale_8 (block[i / 16]) *
             0.5f * attn_quant_read_four_bits (block[4 + i / 16 * 8 + i % 8] >> i % 16 / 8 * 4);
}

static inline void
decode_tq2_0 (const guint8     *block,
              float * restrict  out)
{
  float scale = attn_quant_read_half (block + 64);

  for (guint i = 0; i < 256; i++)
    out[i] = scale * ((block[i / 128 * 32 + i % 32] >> i % 128 / 32 * 2 & 3) - 1);
}

ATTN_QUANT_DEFINE_ROW (iq4_xs)
ATTN_QUANT_DEFINE_ROW (iq3_xxs)
ATTN_QUANT_DEFINE_ROW (iq3_s)
ATTN_QUANT_DEFINE_ROW (iq2_xxs)
ATTN_QUANT_DEFINE_ROW (iq2_xs)
ATTN_QUANT_DEFINE_ROW (iq2_s)
ATTN_QUANT_DEFINE_ROW (iq1_s)
ATTN_QUANT_DEFINE_ROW (iq1_m)
ATTN_QUANT_DEFINE_ROW (tq1_0)
ATTN_QUANT_DEFINE_ROW (tq2_0)
ATTN_QUANT_DEFINE_ROW (q1_0)
ATTN_QUANT_DEFINE_ROW (q2_0)
ATTN_QUANT_DEFINE_ROW (nvfp4)
