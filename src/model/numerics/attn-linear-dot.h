/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The product of one row of weights, as they lie in the file, and of one vector, in registers of
 * one width. Included once for each, with KERNEL(), KERNEL_TARGET and KERNEL_LANES as in
 * attn-linear-kernel.h, and
 *
 * - KERNEL_WIDEN (from): as many bytes as lanes as int32, and
 * - KERNEL_WIDEN_SIGNED (from): the same of signed ones; compilers make one number after the other
 *   of what they could do at once.
 *
 * Each function is an AttnDotFunc and has some sums under way: one would wait for itself. */

#define DOT_INLINE   static inline __attribute__ ((always_inline)) KERNEL_TARGET
#define LANES        KERNEL (Lanes)
#define INTS         KERNEL (Ints)
#define SHORTS       KERNEL (Shorts)
#define LOAD(type, from)                                        \
  ({                                                            \
    type KERNEL (loaded);                                       \
    memcpy (&KERNEL (loaded), (from), sizeof KERNEL (loaded)); \
    KERNEL (loaded);                                            \
  })
#define TO_INTS(vector)   __builtin_convertvector (vector, INTS)
#define TO_FLOATS(vector) __builtin_convertvector (vector, LANES)

typedef float LANES __attribute__ ((vector_size (KERNEL_LANES * sizeof (float))));
typedef gint32 INTS __attribute__ ((vector_size (KERNEL_LANES * sizeof (gint32))));
typedef guint16 SHORTS __attribute__ ((vector_size (KERNEL_LANES * sizeof (guint16))));

/* The processor fetches what comes so many bytes further on. */
DOT_INLINE void
KERNEL (fetch) (const guint8 *from,
                gsize         n_bytes)
{
  for (gsize i = 0; i < n_bytes; i += DOT_LINE)
    __builtin_prefetch (from + DOT_AHEAD + i);
}

DOT_INLINE float
KERNEL (add_up) (const LANES sums[4])
{
  float lanes[KERNEL_LANES];
  LANES all = (sums[0] + sums[1]) + (sums[2] + sums[3]);

  memcpy (lanes, &all, sizeof lanes);
  for (gsize width = KERNEL_LANES / 2; width > 0; width /= 2)
    for (gsize i = 0; i < width; i++)
      lanes[i] += lanes[i + width];
  return lanes[0];
}

KERNEL_TARGET static float
KERNEL (dot_f32) (const float  *x,
                  const float  *x_sums,
                  const guint8 *row,
                  gsize         n_in)
{
  LANES sums[4] = { 0 };

  for (gsize i = 0; i < n_in; i += DOT_UNIT, row += DOT_UNIT * sizeof (float))
    {
      KERNEL (fetch) (row, DOT_UNIT * sizeof (float));
#pragma GCC unroll 8
      for (gsize k = 0; k < DOT_UNIT; k += KERNEL_LANES)
        sums[k / KERNEL_LANES % 4] +=
            LOAD (LANES, x + i + k) * LOAD (LANES, row + k * sizeof (float));
    }
  return KERNEL (add_up) (sums);
}

KERNEL_TARGET static float
KERNEL (dot_bf16) (const float  *x,
                   const float  *x_sums,
                   const guint8 *row,
                   gsize         n_in)
{
  LANES sums[4] = { 0 };

  for (gsize i = 0; i < n_in; i += DOT_UNIT, row += DOT_UNIT * sizeof (guint16))
    {
      KERNEL (fetch) (row, DOT_UNIT * sizeof (guint16));
#pragma GCC unroll 8
      for (gsize k = 0; k < DOT_UNIT; k += KERNEL_LANES)
        {
          INTS bits = TO_INTS (LOAD (SHORTS, row + k * sizeof (guint16))) << 16;

          sums[k / KERNEL_LANES % 4] += LOAD (LANES, x + i + k) * (LANES) bits;
        }
    }
  return KERNEL (add_up) (sums);
}

/* As attn_float_from_half(). @bits: of each the lower 16 */
DOT_INLINE LANES
KERNEL (from_halves) (INTS bits)
{
  INTS magnitude = bits & 0x7fff;
  LANES normal = (LANES) ((magnitude << 13) + (224 << 23)) * 0x1p-112f;
  LANES subnormal = (LANES) (magnitude | (126 << 23)) - 0.5f;
  INTS is_subnormal = magnitude < 0x400;

  return (LANES) (((INTS) subnormal & is_subnormal) | ((INTS) normal & ~is_subnormal) |
                  (bits & 0x8000) << 16);
}

KERNEL_TARGET static float
KERNEL (dot_f16) (const float  *x,
                  const float  *x_sums,
                  const guint8 *row,
                  gsize         n_in)
{
  LANES sums[4] = { 0 };

  for (gsize i = 0; i < n_in; i += DOT_UNIT, row += DOT_UNIT * sizeof (guint16))
    {
      KERNEL (fetch) (row, DOT_UNIT * sizeof (guint16));
#pragma GCC unroll 8
      for (gsize k = 0; k < DOT_UNIT; k += KERNEL_LANES)
        sums[k / KERNEL_LANES % 4] +=
            LOAD (LANES, x + i + k) *
            KERNEL (from_halves) (TO_INTS (LOAD (SHORTS, row + k * sizeof (guint16))));
    }
  return KERNEL (add_up) (sums);
}

#if KERNEL_LANES <= 8

/* Numbers of blocks, whose layouts stand in attn-quant.c. */

/* The scales of many blocks that are @stride bytes apart: before any is used, for each would be
 * waited for. @n: at most %DOT_SCALES */
DOT_INLINE void
KERNEL (read_halves) (const guint8 *from,
                      gsize         stride,
                      gsize         n,
                      float        *scales)
{
  guint16 halves[DOT_SCALES + KERNEL_LANES];

  for (gsize i = 0; i < n; i++)
    memcpy (&halves[i], from + i * stride, sizeof halves[i]);
  memset (halves + n, 0, KERNEL_LANES * sizeof *halves);
  for (gsize k = 0; k < n; k += KERNEL_LANES)
    {
      LANES converted = KERNEL (from_halves) (TO_INTS (LOAD (SHORTS, halves + k)));

      memcpy (scales + k, &converted, sizeof converted);
    }
}

/* Each of 16 bytes times @low, or from the ninth on times @high. */
DOT_INLINE void
KERNEL (scale_bytes) (const guint8 *bytes,
                      gboolean      is_signed,
                      float         low,
                      float         high,
                      float         factors[16])
{
#pragma GCC unroll 4
  for (gsize k = 0; k < 16; k += KERNEL_LANES)
    {
      INTS numbers = is_signed ? KERNEL_WIDEN_SIGNED (bytes + k) : KERNEL_WIDEN (bytes + k);
      LANES scaled = TO_FLOATS (numbers) * (k < 8 ? low : high);

      memcpy (factors + k, &scaled, sizeof scaled);
    }
}

KERNEL_TARGET static float
KERNEL (dot_q8_0) (const float  *x,
                   const float  *x_sums,
                   const guint8 *row,
                   gsize         n_in)
{
  LANES sums[4] = { 0 };

  for (gsize i = 0; i < n_in; i += 32 * DOT_SCALES)
    {
      gsize n_blocks = MIN (n_in - i, 32 * DOT_SCALES) / 32;
      float scales[DOT_SCALES];

      KERNEL (read_halves) (row, 34, n_blocks, scales);
      for (gsize block = 0; block < n_blocks; block += 2)
#pragma GCC unroll 2
        for (gsize second = 0; second < 2; second++, row += 34)
          {
            const float *at = x + i + 32 * (block + second);
            LANES parts[2] = { 0 };

            KERNEL (fetch) (row, 34);
#pragma GCC unroll 8
            for (gsize k = 0; k < 32; k += KERNEL_LANES)
              parts[k / KERNEL_LANES % 2] +=
                  LOAD (LANES, at + k) * TO_FLOATS (KERNEL_WIDEN_SIGNED (row + 2 + k));
            sums[2 * second] += scales[block + second] * parts[0];
            sums[2 * second + 1] += scales[block + second] * parts[1];
          }
    }
  return KERNEL (add_up) (sums);
}

KERNEL_TARGET static float
KERNEL (dot_q4_0) (const float  *x,
                   const float  *x_sums,
                   const guint8 *row,
                   gsize         n_in)
{
  LANES sums[4] = { 0 };

  for (gsize i = 0; i < n_in; i += 32 * DOT_SCALES)
    {
      gsize n_blocks = MIN (n_in - i, 32 * DOT_SCALES) / 32;
      float scales[DOT_SCALES];

      KERNEL (read_halves) (row, 18, n_blocks, scales);
      for (gsize block = 0; block < n_blocks; block += 2)
#pragma GCC unroll 2
        for (gsize second = 0; second < 2; second++, row += 18)
          {
            const float *at = x + i + 32 * (block + second);
            LANES parts[2] = { 0 };

            KERNEL (fetch) (row, 18);
#pragma GCC unroll 4
            for (gsize k = 0; k < 16; k += KERNEL_LANES)
              {
                INTS quants = KERNEL_WIDEN (row + 2 + k);

                parts[0] += LOAD (LANES, at + k) * TO_FLOATS ((quants & 15) - 8);
                parts[1] += LOAD (LANES, at + 16 + k) * TO_FLOATS ((quants >> 4) - 8);
              }
            sums[2 * second] += scales[block + second] * parts[0];
            sums[2 * second + 1] += scales[block + second] * parts[1];
          }
    }
  return KERNEL (add_up) (sums);
}

/* Factors and offsets of the eight sub-blocks, [16]: eight bytes are worked on at a time. */
DOT_INLINE void
KERNEL (read_scales) (const guint8 *block,
                      float         scale,
                      float         minimum,
                      float        *factors)
{
  guint32 packed[3], high[2];
  guint64 words[2];
  guint8 bytes[16];

  memcpy (packed, block + 4, sizeof packed);
  high[0] = (packed[2] & 0x0f0f0f0f) | (packed[0] >> 6 & 0x03030303) << 4;
  high[1] = (packed[2] >> 4 & 0x0f0f0f0f) | (packed[1] >> 6 & 0x03030303) << 4;
  words[0] = (packed[0] & 0x3f3f3f3f) | (guint64) high[0] << 32;
  words[1] = (packed[1] & 0x3f3f3f3f) | (guint64) high[1] << 32;
  memcpy (bytes, words, sizeof bytes);
  KERNEL (scale_bytes) (bytes, FALSE, scale, minimum, factors);
}

/* Reads the factors of at most %DOT_BLOCKS blocks from @row on, before any is used, as above. */
DOT_INLINE void
KERNEL (read_factors) (const guint8 *row,
                       gsize         n,
                       float         factors[DOT_BLOCKS][16])
{
  guint32 pairs[DOT_BLOCKS] = { 0 };
  float scales[DOT_BLOCKS], minima[DOT_BLOCKS];

  for (gsize i = 0; i < n; i++)
    memcpy (&pairs[i], row + 144 * i, sizeof pairs[i]);
#pragma GCC unroll 2
  for (gsize k = 0; k < DOT_BLOCKS; k += KERNEL_LANES)
    {
      INTS both = LOAD (INTS, pairs + k);
      LANES low = KERNEL (from_halves) (both & 0xffff);
      LANES high = KERNEL (from_halves) (both >> 16 & 0xffff);

      memcpy (scales + k, &low, sizeof low);
      memcpy (minima + k, &high, sizeof high);
    }
  for (gsize i = 0; i < n; i++)
    KERNEL (read_scales) (row + 144 * i, scales[i], minima[i], factors[i]);
}

KERNEL_TARGET static float
KERNEL (dot_q4_k) (const float  *x,
                   const float  *x_sums,
                   const guint8 *row,
                   gsize         n_in)
{
  LANES sums[4] = { 0 };
  float factors[DOT_BLOCKS][16];

  for (gsize i = 0; i < n_in; i += 256, row += 144)
    {
      gsize block = i / 256 % DOT_BLOCKS;

      KERNEL (fetch) (row, 144);
      if (block == 0)
        KERNEL (read_factors) (row, MIN ((n_in - i) / 256, DOT_BLOCKS), factors);
#pragma GCC unroll 4
      for (gsize pair = 0; pair < 4; pair++)
        {
          const guint8 *from = row + 16 + 32 * pair;
          const float *at = x + i + 64 * pair;
          const float *factor = factors[block] + 2 * pair;

          LANES parts[2] = { 0 };

#pragma GCC unroll 8
          for (gsize k = 0; k < 32; k += KERNEL_LANES)
            {
              INTS quants = KERNEL_WIDEN (from + k);

              parts[0] += LOAD (LANES, at + k) * TO_FLOATS (quants & 15);
              parts[1] += LOAD (LANES, at + 32 + k) * TO_FLOATS (quants >> 4);
            }
          sums[0] += factor[0] * parts[0];
          sums[1] += factor[1] * parts[1];
        }
#pragma GCC unroll 2
      for (gsize k = 0; k < 8; k += KERNEL_LANES)
        sums[2] -= LOAD (LANES, factors[block] + 8 + k) * LOAD (LANES, x_sums + i / 32 + k);
    }
  return KERNEL (add_up) (sums);
}

KERNEL_TARGET static float
KERNEL (dot_q6_k) (const float  *x,
                   const float  *x_sums,
                   const guint8 *row,
                   gsize         n_in)
{
  LANES sums[4] = { 0 };
  float factors[DOT_BLOCKS][16];

  for (gsize i = 0; i < n_in; i += 256, row += 210)
    {
      gsize block = i / 256 % DOT_BLOCKS;

      KERNEL (fetch) (row, 210);
      for (gsize k = 0; block == 0 && k < MIN ((n_in - i) / 256, DOT_BLOCKS); k++)
        {
          float scale = read_half (row + 210 * k + 208);

          KERNEL (scale_bytes) (row + 210 * k + 192, TRUE, scale, scale, factors[k]);
        }
#pragma GCC unroll 2
      for (gsize half = 0; half < 2; half++)
        {
          const guint8 *low = row + 64 * half;
          const guint8 *high = row + 128 + 32 * half;
          const float *at = x + i + 128 * half;

#pragma GCC unroll 8
          for (gsize k = 0; k < 32; k += KERNEL_LANES)
            {
              INTS a = KERNEL_WIDEN (low + k);
              INTS b = KERNEL_WIDEN (low + 32 + k);
              INTS c = KERNEL_WIDEN (high + k);
              const float *factor = factors[block] + 8 * half + k / 16;

              sums[0] += LOAD (LANES, at + k) *
                         (TO_FLOATS (((a & 15) | (c & 3) << 4) - 32) * factor[0]);
              sums[1] += LOAD (LANES, at + 32 + k) *
                         (TO_FLOATS (((b & 15) | (c & 12) << 2) - 32) * factor[2]);
              sums[2] += LOAD (LANES, at + 64 + k) *
                         (TO_FLOATS ((a >> 4 | (c & 48)) - 32) * factor[4]);
              sums[3] += LOAD (LANES, at + 96 + k) *
                         (TO_FLOATS ((b >> 4 | (c & 192) >> 2) - 32) * factor[6]);
            }
        }
    }
  return KERNEL (add_up) (sums);
}

#endif

#undef TO_FLOATS
#undef TO_INTS
#undef LOAD
#undef SHORTS
#undef INTS
#undef LANES
#undef DOT_INLINE
#undef KERNEL
#undef KERNEL_TARGET
#undef KERNEL_LANES
#undef KERNEL_WIDEN
#undef KERNEL_WIDEN_SIGNED
