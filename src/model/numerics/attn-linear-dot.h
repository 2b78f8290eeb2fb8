/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The product of one row of weights, as they lie in the file, and of one vector, in registers of
 * one width. Included once for each width, with KERNEL(), KERNEL_TARGET and KERNEL_LANES as in
 * attn-linear-kernel.h, and
 *
 * - KERNEL_WIDEN (from): bytes, as many as lanes, converted to int32,
 * - KERNEL_WIDEN_SIGNED (from), KERNEL_WIDEN_SHORTS (from): the same of signed bytes, and of
 *   numbers of 16 bits; compilers would convert the numbers one after the other,
 * - KERNEL_HALVES (from), KERNEL_HALF (from): floats of 16 bits, as many as lanes, converted to
 *   floats, and one for all lanes; processors with AVX2 have instructions for this.
 *
 * Each function is an AttnDotFunc and adds to several sums in turn: with only one, each addition
 * would wait for the one before. */

#define DOT_INLINE   static inline __attribute__ ((always_inline)) KERNEL_TARGET
#define LANES        KERNEL (Lanes)
#define INTS         KERNEL (Ints)
#define LOAD(type, from)                                        \
  ({                                                            \
    type KERNEL (loaded);                                       \
    memcpy (&KERNEL (loaded), (from), sizeof KERNEL (loaded)); \
    KERNEL (loaded);                                            \
  })
#define TO_FLOATS(vector) __builtin_convertvector (vector, LANES)

typedef float LANES __attribute__ ((vector_size (KERNEL_LANES * sizeof (float))));
typedef gint32 INTS __attribute__ ((vector_size (KERNEL_LANES * sizeof (gint32))));

/* Prefetches @n_bytes of weights that lie DOT_AHEAD bytes after @from. */
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
          INTS bits = KERNEL_WIDEN_SHORTS (row + k * sizeof (guint16)) << 16;

          sums[k / KERNEL_LANES % 4] += LOAD (LANES, x + i + k) * (LANES) bits;
        }
    }
  return KERNEL (add_up) (sums);
}

KERNEL_TARGET static float
KERNEL (dot_f16) (const float  *x,
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
            KERNEL_HALVES (row + k * sizeof (guint16));
    }
  return KERNEL (add_up) (sums);
}

/* Dot products of blocks of quantized weights, whose layouts are in attn-quant.c. */

/* Processors with wider registers take Q4_K and Q6_K in integers, see attn-linear-digits.c. */
#if KERNEL_LANES <= 4

/* Multiplies the first eight of 16 bytes by @low and the others by @high, as floats. */
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

/* Reads the factors and offsets of a block's eight sub-blocks, [16], eight bytes at a time. Of the
 * converted floats of 16 bits only the first two are used. */
DOT_INLINE void
KERNEL (read_scales) (const guint8 *block,
                      float        *factors)
{
  LANES scales = KERNEL_HALVES (block);
  guint64 words[2];
  guint8 bytes[16];

  attn_linear_read_scales (block + 4, words);
  memcpy (bytes, words, sizeof bytes);
  KERNEL (scale_bytes) (bytes, FALSE, scales[0], scales[1], factors);
}

/* Arranges a vector for dot_q4_k(), an AttnArrangeFunc. Four bytes of quants, weights of 4 bits,
 * are one integer for each lane: of its eight quants, which belong to two sub-blocks in turn, each
 * is converted where it stands, and comes out up to 16^3 times too large, which makes up for inputs
 * that are as many times too small for the result to be %DOT_SCALE times too large: none of them
 * becomes smaller, for subnormals are slow. Behind the vector stand the factors of the minima,
 * [n_in / 256, 16], with zeros where a block has its scales. */
static void
KERNEL (arrange_q4_k) (const float *x,
                       gsize        n_in,
                       float       *out)
{
  float *sums = out + n_in;

  for (gsize i = 0; i < n_in; i += 8 * KERNEL_LANES)
    for (gsize k = 0; k < 8; k++)
      for (gsize lane = 0; lane < KERNEL_LANES; lane++)
        {
          gsize byte = i / 2 + 4 * lane + k / 2;
          float input = x[64 * (byte / 32) + 32 * (k % 2) + byte % 32];

          *out++ = input * DOT_SCALE / (float) (1 << 4 * (k % 4));
        }
  memset (sums, 0, n_in / 16 * sizeof *sums);
  for (gsize i = 0; i < n_in; i++)
    sums[i / 256 * 16 + 8 + i % 256 / 32] -= x[i] * DOT_SCALE;
}

KERNEL_TARGET static float
KERNEL (dot_q4_k) (const float  *x,
                   const guint8 *row,
                   gsize         n_in)
{
  LANES sums[4] = { 0 };
  float factors[2][16];

  KERNEL (read_scales) (row, factors[0]);
  for (gsize i = 0; i < n_in; i += 256, row += 144)
    {
      const float *factor = factors[i / 256 % 2];

      KERNEL (fetch) (row, 144);
      /* Reads the scales of the next block before any of them is used, so that no load must be
       * waited for. */
      KERNEL (read_scales) (i + 256 < n_in ? row + 144 : row, factors[1 - i / 256 % 2]);
#pragma GCC unroll 8
      for (gsize k = 0; k < 32; k += KERNEL_LANES)
        {
          INTS quants = LOAD (INTS, row + 16 + 4 * k);
          const float *at = x + i + 8 * k;
          LANES parts[2] = { 0 };

#pragma GCC unroll 8
          for (gsize nibble = 0; nibble < 8; nibble++)
            {
              INTS quant = (nibble < 4 ? quants : quants >> 16) & 15 << 4 * (nibble % 4);

              parts[nibble % 2] += LOAD (LANES, at + nibble * KERNEL_LANES) * TO_FLOATS (quant);
            }
          sums[0] += factor[k / 8 * 2] * parts[0];
          sums[1] += factor[k / 8 * 2 + 1] * parts[1];
        }
#pragma GCC unroll 2
      for (gsize k = 8; k < 16; k += KERNEL_LANES)
        sums[2] += LOAD (LANES, factor + k) * LOAD (LANES, x + n_in + i / 16 + k);
    }
  return KERNEL (add_up) (sums) / DOT_SCALE;
}

#endif

/* Multiplies a row of Q8_0 by a vector. The products of a block are added up before they are
 * multiplied by its scale. */
KERNEL_TARGET static float
KERNEL (dot_q8_0) (const float  *x,
                   const guint8 *row,
                   gsize         n_in)
{
  LANES sums[4] = { 0 };

  for (gsize i = 0; i < n_in; i += DOT_UNIT)
#pragma GCC unroll 2
    for (gsize second = 0; second < 2; second++, row += 34)
      {
        const float *at = x + i + 32 * second;
        LANES part = { 0 };

        KERNEL (fetch) (row, 34);
#pragma GCC unroll 8
        for (gsize k = 0; k < 32; k += KERNEL_LANES)
          part += LOAD (LANES, at + k) * TO_FLOATS (KERNEL_WIDEN_SIGNED (row + 2 + k));
        sums[second] += KERNEL_HALF (row) * part;
      }
  return KERNEL (add_up) (sums);
}

KERNEL_TARGET static float
KERNEL (dot_q4_0) (const float  *x,
                   const guint8 *row,
                   gsize         n_in)
{
  LANES sums[4] = { 0 };

  for (gsize i = 0; i < n_in; i += DOT_UNIT)
#pragma GCC unroll 2
    for (gsize second = 0; second < 2; second++, row += 18)
      {
        const float *at = x + i + 32 * second;
        LANES part = { 0 };

        KERNEL (fetch) (row, 18);
#pragma GCC unroll 4
        for (gsize k = 0; k < 16; k += KERNEL_LANES)
          {
            INTS quants = KERNEL_WIDEN (row + 2 + k);

            part += LOAD (LANES, at + k) * TO_FLOATS ((quants & 15) - 8);
            part += LOAD (LANES, at + 16 + k) * TO_FLOATS ((quants >> 4) - 8);
          }
        sums[second] += KERNEL_HALF (row) * part;
      }
  return KERNEL (add_up) (sums);
}

#if KERNEL_LANES <= 4

KERNEL_TARGET static float
KERNEL (dot_q6_k) (const float  *x,
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
#undef LOAD
#undef INTS
#undef LANES
#undef DOT_INLINE
#undef KERNEL
#undef KERNEL_TARGET
#undef KERNEL_LANES
#undef KERNEL_WIDEN
#undef KERNEL_WIDEN_SIGNED
#undef KERNEL_WIDEN_SHORTS
#undef KERNEL_HALVES
#undef KERNEL_HALF
