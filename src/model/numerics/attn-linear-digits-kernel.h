/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The product of one row of weights, Q4_K or Q6_K, and of a vector in digits, in registers of 256
 * bits. Included once for each way of multiplying, all of which give the same numbers, with
 *
 * - KERNEL(name): the name of a function of that way,
 * - KERNEL_TARGET: the processors that it is for,
 * - KERNEL_ADD_UP(quants, digits, odd, scales): for Q4_K, which is left out without it: sums,
 *   within each even sub-block or each odd one, of products of quants and a digit of the vector,
 * - KERNEL_JOIN(even, odd, scales): the sums of both, in 32 bits, each times its scale if
 *   KERNEL_ADD_UP() has not done that,
 * - KERNEL_UPPER(bytes): the upper halves of bytes, as KERNEL_ADD_UP() takes them,
 * - KERNEL_ADD(sums, a, b): for Q6_K: adds products of pairs of 16 bits to sums of 32 bits.
 */

#define KERNEL_INLINE static inline __attribute__ ((always_inline)) KERNEL_TARGET

#ifdef KERNEL_ADD_UP

/* Reads a block of weights into pieces, registers that each have two parts of every even sub-block
 * and of every odd one. In the file, an even sub-block is the lower halves of 32 bytes, and the odd
 * one behind it the upper halves. Four by four parts are transposed. */
KERNEL_INLINE void
KERNEL (read_pieces) (const guint8 *from,
                      __m256i       pieces[N_PIECES])
{
  __m256i rows[N_SUB_BLOCKS / 2], pairs[N_PIECES];

#pragma GCC unroll 4
  for (gsize i = 0; i < N_SUB_BLOCKS / 2; i++)
    rows[i] = load (from + i * SUB_BLOCK);
#pragma GCC unroll 2
  for (gsize i = 0; i < 2; i++)
    {
      pairs[i] = _mm256_unpacklo_epi32 (rows[2 * i], rows[2 * i + 1]);
      pairs[2 + i] = _mm256_unpackhi_epi32 (rows[2 * i], rows[2 * i + 1]);
    }
#pragma GCC unroll 4
  for (gsize i = 0; i < N_PIECES; i++)
    {
      const __m256i *pair = pairs + i / 2 * 2;

      pieces[i] = i % 2 == 0 ? _mm256_unpacklo_epi64 (pair[0], pair[1])
                             : _mm256_unpackhi_epi64 (pair[0], pair[1]);
    }
}

KERNEL_TARGET static float
KERNEL (dot_q4_k) (const float  *x,
                   const guint8 *row,
                   gsize         n_in)
{
  const Block *block = (const Block *) x;
  __m256 high = _mm256_setzero_ps ();
  __m256 low = _mm256_setzero_ps ();
  __m256 offsets = _mm256_setzero_ps ();

  for (gsize i = 0; i < n_in; i += BLOCK, row += Q4_K_BYTES, block++)
    {
      __m256i pieces[N_PIECES];
      __m256i sums[2][N_DIGITS];
      __m256i joined[N_DIGITS];
      _Alignas (32) float factors[8];

      prefetch (row, Q4_K_BYTES);
      __m256i scales = read_scales (row);
      KERNEL (read_pieces) (row + 16, pieces);
#pragma GCC unroll 2
      for (int odd = 0; odd < 2; odd++)
        {
          __m256i quants[N_PIECES];

#pragma GCC unroll 4
          for (gsize piece = 0; piece < N_PIECES; piece++)
            quants[piece] = odd ? KERNEL_UPPER (pieces[piece])
                                : _mm256_and_si256 (pieces[piece], _mm256_set1_epi8 (15));
#pragma GCC unroll 3
          for (gsize k = 0; k < N_DIGITS; k++)
            sums[odd][k] = KERNEL_ADD_UP (quants, block->pieces[k], odd, scales);
        }
#pragma GCC unroll 3
      for (gsize k = 0; k < N_DIGITS; k++)
        joined[k] = KERNEL_JOIN (sums[0][k], sums[1][k], scales);
      read_factors (row, block, factors);
      __m256 factor = _mm256_broadcast_ss (&factors[0]);
      high = _mm256_fmadd_ps (_mm256_cvtepi32_ps (joined[0]), factor, high);
      /* A sum has 32 products of at most 15 x 128, times 63, so that 32 bits hold the sums of the
       * two lower digits together. */
      __m256i lower = _mm256_add_epi32 (_mm256_slli_epi32 (joined[1], 8), joined[2]);
      low = _mm256_fmadd_ps (_mm256_cvtepi32_ps (lower), factor, low);
      offsets = add_minima (scales, block, factors, offsets);
    }

  return subtract (join_sums (high, low), offsets);
}

#endif

/* Adds the products of the weights of a quantized sub-block and each digit of the vector to the sum
 * of that digit. @factor: the sub-block's scale, in every 16 bits */
KERNEL_INLINE void
KERNEL (add_sub_block) (__m256i     quants,
                        const gint8 digits[N_DIGITS][SUB_BLOCK],
                        __m256i     factor,
                        __m256i     sums[N_DIGITS])
{
#pragma GCC unroll 3
  for (gsize k = 0; k < N_DIGITS; k++)
    sums[k] = KERNEL_ADD (
        sums[k], _mm256_maddubs_epi16 (quants, load (digits[k])), factor);
}

/* Converts the scales of eight half sub-blocks, signed bytes, to 16 bits and writes each twice.
 * Returns the scales times @sums. */
KERNEL_INLINE __m256
KERNEL (read_signed_scales) (const guint8 *from,
                             const float  *sums,
                             gint32        scales[8])
{
  __m256i scale = _mm256_cvtepi8_epi32 (_mm_loadl_epi64 ((const __m128i *) from));

  _mm256_storeu_si256 ((__m256i *) scales,
                       _mm256_or_si256 (_mm256_and_si256 (scale, _mm256_set1_epi32 (0xffff)),
                                        _mm256_slli_epi32 (scale, 16)));
  return _mm256_mul_ps (_mm256_cvtepi32_ps (scale), _mm256_loadu_ps (sums));
}

/* Adds the products of a quantized sub-block of which each half has its own scale. */
KERNEL_INLINE void
KERNEL (add_halves) (__m256i      low,
                     __m256i      high,
                     const gint8  digits[N_DIGITS][SUB_BLOCK],
                     const gint32 scales[2],
                     __m256i      sums[N_DIGITS])
{
  KERNEL (add_sub_block) (_mm256_or_si256 (low, high), digits,
                          _mm256_blend_epi32 (_mm256_set1_epi32 (scales[0]),
                                              _mm256_set1_epi32 (scales[1]), 0xf0),
                          sums);
}

KERNEL_TARGET static float
KERNEL (dot_q6_k) (const float  *x,
                   const guint8 *row,
                   gsize         n_in)
{
  const Block *block = (const Block *) x;
  const __m256i nibbles = _mm256_set1_epi8 (15);
  const __m256i upper = _mm256_set1_epi8 (48);
  __m256 products = _mm256_setzero_ps ();
  __m256 offsets = _mm256_setzero_ps ();

  for (gsize i = 0; i < n_in; i += BLOCK, row += Q6_K_BYTES, block++)
    {
      guint16 half;
      gint32 scales[2 * N_SUB_BLOCKS];
      __m256i sums[N_DIGITS] = { _mm256_setzero_si256 (), _mm256_setzero_si256 (),
                                 _mm256_setzero_si256 () };

      prefetch (row, Q6_K_BYTES);
      __m256 offset = KERNEL (read_signed_scales) (row + 192, block->sums, scales);
      offset = _mm256_add_ps (
          offset, KERNEL (read_signed_scales) (row + 200, block->sums + 8, scales + 8));
#pragma GCC unroll 1
      for (gsize k = 0; k < N_SUB_BLOCKS; k += 4)
        {
          __m256i a = load (row + 16 * k);
          __m256i b = load (row + 16 * k + 32);
          __m256i c = load (row + 128 + 8 * k);

          KERNEL (add_halves) (_mm256_and_si256 (a, nibbles),
                               _mm256_and_si256 (_mm256_slli_epi16 (c, 4), upper),
                               block->digits[k], scales + 2 * k, sums);
          KERNEL (add_halves) (_mm256_and_si256 (b, nibbles),
                               _mm256_and_si256 (_mm256_slli_epi16 (c, 2), upper),
                               block->digits[k + 1], scales + 2 * k + 2, sums);
          KERNEL (add_halves) (_mm256_and_si256 (_mm256_srli_epi16 (a, 4), nibbles),
                               _mm256_and_si256 (c, upper), block->digits[k + 2],
                               scales + 2 * k + 4, sums);
          KERNEL (add_halves) (_mm256_and_si256 (_mm256_srli_epi16 (b, 4), nibbles),
                               _mm256_and_si256 (_mm256_srli_epi16 (c, 2), upper),
                               block->digits[k + 3], scales + 2 * k + 6, sums);
        }

      memcpy (&half, row + 208, sizeof half);
      __m128 scale = _mm_cvtph_ps (_mm_cvtsi32_si128 (half));
      products = _mm256_fmadd_ps (
          _mm256_broadcastss_ps (_mm_mul_ss (scale, _mm_load_ss (block->scales))),
          join_digits (sums), products);
      offsets = _mm256_fmadd_ps (_mm256_broadcastss_ps (scale), offset, offsets);
    }

  offsets = _mm256_mul_ps (offsets, _mm256_set1_ps (32.0f));
  return subtract (products, offsets);
}

#undef KERNEL_INLINE
#undef KERNEL
#undef KERNEL_TARGET
#undef KERNEL_ADD_UP
#undef KERNEL_JOIN
#undef KERNEL_UPPER
#undef KERNEL_ADD
