/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Decoders of the common block types of GGUF files, in which a block of weights shares a scale. A
 * block of 32 elements has a scale d and, in the types whose name ends in _1, an offset m, both
 * 16-bit floats; a block of 256 (the types named _K) is divided into sub-blocks of 16 or 32, whose
 * small integer scales multiply d and m. Everything little-endian.
 *
 *   Q8_0    d, q[32]                            d q                                        34 bytes
 *   Q4_0    d, q[16]                            d (q - 8)                                  18
 *   Q4_1    d, m, q[16]                         d q + m                                    20
 *   Q5_0    d, h[4], q[16]                      d (q - 16)                                 22
 *   Q5_1    d, m, h[4], q[16]                   d q + m                                    24
 *   IQ4_NL  d, q[16]                            d table[q]                                 18
 *   MXFP4   e, q[16]                            2^(e - 127) table[q]                       17
 *   Q2_K    s[16], q[64], d, m                  d (s & 15) q - m (s >> 4)                  84
 *   Q3_K    h[32], q[64], s[12], d              d (s - 32) (q - 4)                        110
 *   Q4_K    d, m, s[12], q[128]                 d s q - m o                               144
 *   Q5_K    d, m, s[12], h[32], q[128]          d s q - m o                               176
 *   Q6_K    q[128], h[64], s[16], d             d s (q - 32)                              210
 *
 * q are the low bits of the elements, h their highest bits, s the scales of the sub-blocks and o
 * their offsets; e is an exponent, and table has the 16 values of 4-bit codes.
 * https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h
 *
 * An integer factor has at most 8 bits, d and m have 11. So each product is exact in float32, and
 * only the final sum is rounded, once. */

#include "config.h"

#include "attn-quant.h"

#include "attn-quant-private.h"

static inline void
decode_q8_0 (const guint8     *block,
             float * restrict  out)
{
  float scale = attn_quant_read_half (block);
  const gint8 *quants = (const gint8 *) block + 2;

  for (guint i = 0; i < 32; i++)
    out[i] = scale * quants[i];
}

/* Decodes a block of Q4_0. The low halves of the bytes are the first 16 elements, the high halves
 * the last 16. */
static inline void
decode_q4_0 (const guint8     *block,
             float * restrict  out)
{
  float scale = attn_quant_read_half (block);
  const guint8 *quants = block + 2;

  for (guint i = 0; i < 16; i++)
    {
      out[i] = scale * ((quants[i] & 15) - 8);
      out[i + 16] = scale * ((quants[i] >> 4) - 8);
    }
}

static inline void
decode_q4_1 (const guint8     *block,
             float * restrict  out)
{
  float scale = attn_quant_read_half (block);
  float offset = attn_quant_read_half (block + 2);
  const guint8 *quants = block + 4;

  for (guint i = 0; i < 16; i++)
    {
      out[i] = scale * (quants[i] & 15) + offset;
      out[i + 16] = scale * (quants[i] >> 4) + offset;
    }
}

/* Unpacks 32 numbers of 5 bits: bit i of the four bytes @high is the fifth bit of element i. The
 * bits are selected by masks instead of shifts, since SSE2 cannot shift each lane by a different
 * number of bits. */
static inline void
unpack_five_bits (const guint8   *high,
                  const guint8   *low,
                  int * restrict  quants)
{
  static const int masks[16] = { 0x1, 0x2, 0x4, 0x8, 0x10, 0x20, 0x40, 0x80,
                                 0x100, 0x200, 0x400, 0x800, 0x1000, 0x2000, 0x4000, 0x8000 };
  int first = high[0] | high[1] << 8;
  int second = high[2] | high[3] << 8;

  for (guint i = 0; i < 16; i++)
    quants[i] = (low[i] & 15) | ((first & masks[i]) != 0 ? 16 : 0);
  for (guint i = 0; i < 16; i++)
    quants[i + 16] = low[i] >> 4 | ((second & masks[i]) != 0 ? 16 : 0);
}

static inline void
decode_q5_0 (const guint8     *block,
             float * restrict  out)
{
  float scale = attn_quant_read_half (block);
  int quants[32];

  unpack_five_bits (block + 2, block + 6, quants);
  for (guint i = 0; i < 32; i++)
    out[i] = scale * (quants[i] - 16);
}

static inline void
decode_q5_1 (const guint8     *block,
             float * restrict  out)
{
  float scale = attn_quant_read_half (block);
  float offset = attn_quant_read_half (block + 2);
  int quants[32];

  unpack_five_bits (block + 4, block + 8, quants);
  for (guint i = 0; i < 32; i++)
    out[i] = scale * quants[i] + offset;
}

static inline void
decode_iq4_nl (const guint8     *block,
               float * restrict  out)
{
  float scale = attn_quant_read_half (block);
  const guint8 *quants = block + 2;
  float scaled[16];

  for (guint i = 0; i < 16; i++)
    scaled[i] = scale * attn_quant_uneven[i];
  for (guint i = 0; i < 16; i++)
    {
      out[i] = scaled[quants[i] & 15];
      out[i + 16] = scaled[quants[i] >> 4];
    }
}

/* Decodes a block of MXFP4. Half the scale is multiplied by twice the numbers, since the largest
 * scale, 2^128, would overflow. */
static inline void
decode_mxfp4 (const guint8     *block,
              float * restrict  out)
{
  guint8 exponent = block[0];
  float half = attn_float_from_bits (exponent < 2 ? 0x200000u << exponent
                                                  : (guint32) (exponent - 1) << 23);
  gint8 low[16];
  gint8 high[16];

  /* The low and the high halves of the bytes have an array each, which is read in whole vectors, as
   * it was written. */
  for (guint i = 0; i < 16; i++)
    low[i] = attn_quant_read_four_bits (block[1 + i]);
  for (guint i = 0; i < 16; i++)
    out[i] = half * low[i];
  for (guint i = 0; i < 16; i++)
    high[i] = attn_quant_read_four_bits (block[1 + i] >> 4);
  for (guint i = 0; i < 16; i++)
    out[i + 16] = half * high[i];
}

static inline void
decode_f4 (const guint8     *block,
           float * restrict  out)
{
  out[0] = 0.5f * attn_quant_read_four_bits (*block);
  out[1] = 0.5f * attn_quant_read_four_bits (*block >> 4);
}

/* Decodes a block of Q2_K. Each half of the block, 128 elements, takes 32 bytes: element 32 j + i
 * is the j-th pair of bits of byte i. Sub-blocks have 16 elements. */
static inline void
decode_q2_k (const guint8     *block,
             float * restrict  out)
{
  const guint8 *scales = block;
  float scale = attn_quant_read_half (block + 80);
  float minimum = attn_quant_read_half (block + 82);

  for (guint sub = 0; sub < 16; sub++)
    {
      const guint8 *quants = block + 16 + sub / 8 * 32 + sub % 2 * 16;
      guint shift = sub % 8 / 2 * 2;
      float factor = scale * (scales[sub] & 15);
      float offset = minimum * (scales[sub] >> 4);

      for (guint i = 0; i < 16; i++)
        out[16 * sub + i] = factor * ((quants[i] >> shift) & 3) - offset;
    }
}

/* Decodes a block of Q3_K: like Q2_K, but with a third bit for each element, bit sub / 2 of the
 * first 32 bytes. The 16 scales have 6 bits: the low four bits are in 8 bytes, the first eight
 * scales in the low halves; the high two bits are 16 pairs in 4 bytes. */
static inline void
decode_q3_k (const guint8     *block,
             float * restrict  out)
{
  const guint8 *scales = block + 96;
  float scale = attn_quant_read_half (block + 108);

  for (guint sub = 0; sub < 16; sub++)
    {
      const guint8 *high = block + sub % 2 * 16;
      const guint8 *quants = block + 32 + sub / 8 * 32 + sub % 2 * 16;
      guint shift = sub % 8 / 2 * 2;
      guint bit = sub / 2;
      int low_scale = (scales[sub % 8] >> sub / 8 * 4) & 15;
      int high_scale = (scales[8 + sub % 4] >> sub / 4 * 2) & 3;
      float factor = scale * ((low_scale | high_scale << 4) - 32);

      for (guint i = 0; i < 16; i++)
        out[16 * sub + i] =
            factor * ((int) (((quants[i] >> shift) & 3) | ((high[i] >> bit) & 1) << 2) - 4);
    }
}

/* Unpacks the scale and the offset of sub-block @sub from 12 bytes, which have eight of each with 6
 * bits. The first four scales are the low 6 bits of bytes 0-3, the first four offsets those of
 * bytes 4-7. The last four of each have their low four bits in the halves of bytes 8-11, and their
 * high two bits in the high bits of bytes 0-7. */
static inline void
unpack_scales (const guint8 *packed,
               guint         sub,
               guint        *scale,
               guint        *offset)
{
  if (sub < 4)
    {
      *scale = packed[sub] & 63;
      *offset = packed[sub + 4] & 63;
    }
  else
    {
      *scale = (packed[sub + 4] & 15) | packed[sub - 4] >> 6 << 4;
      *offset = packed[sub + 4] >> 4 | packed[sub] >> 6 << 4;
    }
}

/* Decodes a block of Q4_K. Each 64 elements take 32 bytes, the first 32 in the low halves.
 * Sub-blocks have 32 elements. */
static inline void
decode_q4_k (const guint8     *block,
             float * restrict  out)
{
  float scale = attn_quant_read_half (block);
  float minimum = attn_quant_read_half (block + 2);

  for (guint sub = 0; sub < 8; sub++)
    {
      const guint8 *quants = block + 16 + sub / 2 * 32;
      guint shift = sub % 2 * 4;
      guint sub_scale;
      guint sub_offset;

      unpack_scales (block + 4, sub, &sub_scale, &sub_offset);
      float factor = scale * sub_scale;
      float offset = minimum * sub_offset;
      for (guint i = 0; i < 32; i++)
        out[32 * sub + i] = factor * ((quants[i] >> shift) & 15) - offset;
    }
}

/* Decodes a block of Q5_K: like Q4_K, but with a fifth bit for each element, bit sub of the 32
 * bytes between the scales and the low bits. */
static inline void
decode_q5_k (const guint8     *block,
             float * restrict  out)
{
  const guint8 *high = block + 16;
  float scale = attn_quant_read_half (block);
  float minimum = attn_quant_read_half (block + 2);

  for (guint sub = 0; sub < 8; sub++)
    {
      const guint8 *quants = block + 48 + sub / 2 * 32;
      guint shift = sub % 2 * 4;
      guint sub_scale;
      guint sub_offset;

      unpack_scales (block + 4, sub, &sub_scale, &sub_offset);
      float factor = scale * sub_scale;
      float offset = minimum * sub_offset;
      for (guint i = 0; i < 32; i++)
        out[32 * sub + i] =
            factor * (((quants[i] >> shift) & 15) | ((high[i] >> sub) & 1) << 4) - offset;
    }
}

/* Decodes a block of Q6_K. Each half of the block, 128 elements, takes 64 bytes for the low four
 * bits, the first 64 elements in the low halves of the bytes, and 32 bytes of pairs of high bits as
 * in Q2_K. Sub-blocks have 16 elements. */
static inline void
decode_q6_k (const guint8     *block,
             float * restrict  out)
{
  const gint8 *scales = (const gint8 *) block + 192;
  float scale = attn_quant_read_half (block + 208);

  for (guint half = 0; half < 2; half++)
    {
      const guint8 *low = block + 64 * half;
      const guint8 *high = block + 128 + 32 * half;
      gint8 quants[128];

      for (guint i = 0; i < 32; i++)
        {
          quants[i] = (gint8) (((low[i] & 15) | (high[i] & 3) << 4) - 32);
          quants[i + 32] = (gint8) (((low[i + 32] & 15) | (high[i] & 12) << 2) - 32);
          quants[i + 64] = (gint8) ((low[i] >> 4 | (high[i] & 48)) - 32);
          quants[i + 96] = (gint8) ((low[i + 32] >> 4 | (high[i] & 192) >> 2) - 32);
        }
      for (guint sub = 0; sub < 8; sub++)
        {
          float factor = scale * scales[8 * half + sub];

          for (guint i = 0; i < 16; i++)
            out[128 * half + 16 * sub + i] = factor * quants[16 * sub + i];
        }
    }
}

ATTN_QUANT_DEFINE_ROW (q8_0)
ATTN_QUANT_DEFINE_ROW (q4_0)
ATTN_QUANT_DEFINE_ROW (q4_1)
ATTN_QUANT_DEFINE_ROW (q5_0)
ATTN_QUANT_DEFINE_ROW (q5_1)
ATTN_QUANT_DEFINE_ROW (iq4_nl)
ATTN_QUANT_DEFINE_ROW (mxfp4)
ATTN_QUANT_DEFINE_ROW (f4)
ATTN_QUANT_DEFINE_ROW (q2_k)
ATTN_QUANT_DEFINE_ROW (q3_k)
ATTN_QUANT_DEFINE_ROW (q4_k)
ATTN_QUANT_DEFINE_ROW (q5_k)
ATTN_QUANT_DEFINE_ROW (q6_k)
