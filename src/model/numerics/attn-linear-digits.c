/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Dot products of one vector with rows of Q4_K and Q6_K, types of quantized weights in GGUF files,
 * in integers. Processors multiply 32 bytes at a time where they multiply 8 floats, so the vector
 * is written in digits of a byte: x = s (65536 a + 256 b + c), with a scale s for each 256 numbers.
 * Three digits are off by at most 2^-24 of the largest of the 256, as float32 is of each. Two, by
 * up to 1.5e-5 of it, are too few for logits that are exact to 1e-4. */

#include "config.h"

#include "attn-linear-private.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <cpuid.h>
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "attn-clones.h"

/* Numbers of elements of a quantized block, of a sub-block and of a part of a sub-block, and the
 * bytes of a block of each type. */
#define BLOCK      ((gsize) 256)
#define SUB_BLOCK  32
#define PART       4
#define Q4_K_BYTES ((gsize) 144)
#define Q6_K_BYTES ((gsize) 210)

#define N_SUB_BLOCKS 8
#define N_PARTS      (SUB_BLOCK / PART)
/* The number of registers of 256 bits that the even sub-blocks of a block take; the odd ones take
 * as many. A piece is one register of both. */
#define N_PIECES (N_PARTS / 2)
#define N_DIGITS 3
/* The integer that the largest number of a block becomes. Even rounded up, it stays below the
 * integer whose digits are all 127. */
#define LARGEST (127.0f * 65536.0f)
/* The distance in bytes at which weights are prefetched before their use, and the bytes of a cache
 * line. */
#define AHEAD ((gsize) 4096)
#define LINE  ((gsize) 64)

/* A digit of a block's numbers, by pieces, of which each has two parts of the even sub-blocks and
 * then of the odd ones, so that products are added within sub-blocks before their scales are
 * needed. */
typedef gint8 Pieces[N_PIECES][2][2][N_SUB_BLOCKS / 2][PART];

/**
 * Block:
 * @digits: for Q6_K: digits by sub-blocks, the highest digit first
 * @pieces: for Q4_K: digits, the highest first
 * @sums: sums of the numbers of each sub-block for Q4_K, of each half sub-block for Q6_K
 * @scales: the magnitude of the largest number, 1 and zeros: what the first numbers of a block of
 *   weights are multiplied by. In place of s, with which products might be subnormal
 *
 * A block of the vector, 256 numbers in digits. Its size in bytes is a multiple of a cache line's.
 */
typedef struct
{
  union
  {
    gint8 digits[N_SUB_BLOCKS][N_DIGITS][SUB_BLOCK];
    Pieces pieces[N_DIGITS];
  };
  float sums[2 * N_SUB_BLOCKS];
  float scales[8];
  float unused[8];
} Block;

G_STATIC_ASSERT (sizeof (Block) % LINE == 0);
G_STATIC_ASSERT (sizeof (Block) <= (256 + 256 / 16) * sizeof (float));

#define TARGET        __attribute__ ((target ("avx2,fma,f16c")))
#define TARGET_INLINE static inline __attribute__ ((always_inline)) TARGET

TARGET_INLINE float
add_up (__m256 eight)
{
  __m128 four = _mm_add_ps (_mm256_castps256_ps128 (eight), _mm256_extractf128_ps (eight, 1));
  __m128 two = _mm_add_ps (four, _mm_movehl_ps (four, four));

  return _mm_cvtss_f32 (_mm_add_ss (two, _mm_movehdup_ps (two)));
}

TARGET_INLINE __m256i
load (const void *from)
{
  return _mm256_loadu_si256 (from);
}

TARGET_INLINE void
prefetch (const guint8 *block,
          gsize         n_bytes)
{
  for (gsize k = 0; k < n_bytes; k += LINE)
    __builtin_prefetch (block + AHEAD + k);
}

/* Reads the scales of a block of Q4_K to bytes: in either half of the register, those of the eight
 * sub-blocks' products and then those of their minima. They are what attn_linear_read_scales()
 * reads: the lower half begins with the four scales that have their six bits together and the lower
 * four bits of the others, the upper half with the upper two bits of these. */
TARGET_INLINE __m256i
read_scales (const guint8 *row)
{
  const __m256i fields = _mm256_setr_epi8 (
      4, 5, 6, 7, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15,
      -1, -1, -1, -1, 4, 5, 6, 7, -1, -1, -1, -1, 8, 9, 10, 11);
  const __m256i shifts = _mm256_setr_epi32 (0, 0, 0, 4, 0, 2, 0, 2);
  const __m256i masks = _mm256_setr_epi32 (0x3f3f3f3f, 0x0f0f0f0f, 0x3f3f3f3f, 0x0f0f0f0f,
                                           0, 0x30303030, 0, 0x30303030);
  __m256i bits = _mm256_broadcastsi128_si256 (_mm_loadu_si128 ((const __m128i *) row));

  bits = _mm256_srlv_epi32 (_mm256_shuffle_epi8 (bits, fields), shifts);
  bits = _mm256_and_si256 (bits, masks);
  return _mm256_or_si256 (bits, _mm256_permute2x128_si256 (bits, bits, 1));
}

/* Returns the scales of products in the order of a piece, two of 16 bits for each part: @a and @b
 * tell which, 0 that of the even sub-block and 1 that of the odd one. */
TARGET_INLINE __m256i
order_scales (__m256i scales,
              char    a,
              char    b)
{
  const __m256i order = _mm256_setr_epi8 (
      a, -1, b, -1, 2 + a, -1, 2 + b, -1, 4 + a, -1, 4 + b, -1, 6 + a, -1, 6 + b, -1,
      a, -1, b, -1, 2 + a, -1, 2 + b, -1, 4 + a, -1, 4 + b, -1, 6 + a, -1, 6 + b, -1);

  return _mm256_shuffle_epi8 (scales, order);
}

/* Reads what a block's products are multiplied by, and second what its minima are; the rest has no
 * use. They are broadcast from memory later, which takes no shuffle, and are aligned, as a vector
 * across two pages is slow to read back. */
TARGET_INLINE void
read_factors (const guint8 *row,
              const Block  *block,
              float         factors[8])
{
  __m256 eight = _mm256_cvtph_ps (_mm_loadu_si128 ((const __m128i *) row));

  _mm256_store_ps (factors, _mm256_mul_ps (eight, _mm256_loadu_ps (block->scales)));
}

/* Adds the minima of the sub-blocks of Q4_K, times the vector's sums over the same sub-blocks, to
 * @offsets. */
TARGET_INLINE __m256
add_minima (__m256i      scales,
            const Block *block,
            const float  factors[8],
            __m256       offsets)
{
  const __m256i order = _mm256_setr_epi8 (
      8, -1, -1, -1, 9, -1, -1, -1, 10, -1, -1, -1, 11, -1, -1, -1,
      12, -1, -1, -1, 13, -1, -1, -1, 14, -1, -1, -1, 15, -1, -1, -1);
  __m256 minima = _mm256_cvtepi32_ps (_mm256_shuffle_epi8 (scales, order));

  return _mm256_fmadd_ps (_mm256_broadcast_ss (&factors[1]),
                          _mm256_mul_ps (minima, _mm256_loadu_ps (block->sums)), offsets);
}

/* Combines the sums of products of the highest digit with the sums of both lower digits. */
TARGET_INLINE __m256
join_sums (__m256 high,
           __m256 low)
{
  return _mm256_fmadd_ps (high, _mm256_set1_ps (65536.0f), low);
}

/* Returns the sums of products as floats, combined from the sums of each digit. */
TARGET_INLINE __m256
join_digits (const __m256i sums[N_DIGITS])
{
  __m256 low = _mm256_fmadd_ps (_mm256_cvtepi32_ps (sums[1]), _mm256_set1_ps (256.0f),
                                _mm256_cvtepi32_ps (sums[2]));

  return join_sums (_mm256_cvtepi32_ps (sums[0]), low);
}

TARGET_INLINE float
subtract (__m256 products,
          __m256 offsets)
{
  return add_up (_mm256_fmsub_ps (products, _mm256_set1_ps (1.0f / LARGEST), offsets));
}

/* A sum of 16 bits has eight products of at most 15 x 128. It is multiplied by its scale as it is
 * widened. */
TARGET_INLINE __m256i
add_up_pairs (const __m256i quants[N_PIECES],
              const Pieces  digits,
              int           odd,
              __m256i       scales)
{
  __m256i sum = _mm256_setzero_si256 ();

#pragma GCC unroll 4
  for (gsize piece = 0; piece < N_PIECES; piece++)
    sum = _mm256_add_epi16 (sum, _mm256_maddubs_epi16 (quants[piece], load (digits[piece][odd])));
  return _mm256_madd_epi16 (sum, order_scales (scales, odd, odd));
}

#define KERNEL(name)                   name##_pairs
#define KERNEL_TARGET                  TARGET
#define KERNEL_ADD_UP                  add_up_pairs
#define KERNEL_JOIN(even, odd, scales) _mm256_add_epi32 (even, odd)
/* The upper halves of bytes are shifted down here, as two products of a number of up to 240 would
 * not fit 16 bits. */
#define KERNEL_UPPER(bytes) \
  _mm256_and_si256 (_mm256_srli_epi16 (bytes, 4), _mm256_set1_epi8 (15))
#define KERNEL_ADD(sums, a, b) _mm256_add_epi32 (sums, _mm256_madd_epi16 (a, b))
#include "attn-linear-digits-kernel.h"

#define TARGET_VNNI        __attribute__ ((target ("avx2,fma,f16c,avxvnni")))
#define TARGET_VNNI_INLINE static inline __attribute__ ((always_inline)) TARGET_VNNI

TARGET_VNNI_INLINE __m256i
add_up_vnni (const __m256i quants[N_PIECES],
             const Pieces  digits,
             int           odd)
{
  __m256i sum = _mm256_setzero_si256 ();

#pragma GCC unroll 4
  for (gsize piece = 0; piece < N_PIECES; piece++)
    sum = _mm256_dpbusd_avx_epi32 (sum, quants[piece], load (digits[piece][odd]));
  return sum;
}

/* 16 bits have a sum, of 16 products of at most 15 x 128. The upper halves of bytes are multiplied
 * where they stand, so that the sums of odd sub-blocks are 16 times too large: 12 bits further up
 * they are the upper 16 bits of 32. */
TARGET_VNNI_INLINE __m256i
join_vnni (__m256i even,
           __m256i odd,
           __m256i scales)
{
  return _mm256_madd_epi16 (_mm256_blend_epi16 (even, _mm256_slli_epi32 (odd, 12), 0xaa),
                            order_scales (scales, 0, 1));
}

#define KERNEL(name)  name##_vnni
#define KERNEL_TARGET TARGET_VNNI
#define KERNEL_ADD_UP(quants, digits, odd, scales) \
  add_up_vnni (quants, digits, odd)
#define KERNEL_JOIN            join_vnni
#define KERNEL_UPPER(bytes)    _mm256_andnot_si256 (_mm256_set1_epi8 (15), bytes)
#define KERNEL_ADD(sums, a, b) _mm256_dpwssd_avx_epi32 (sums, a, b)
#include "attn-linear-digits-kernel.h"

#define TARGET_VNNI_512 __attribute__ ((target ("avx512f,avx512vl,avx512vnni,fma,f16c")))

#define KERNEL(name)           name##_vnni_512
#define KERNEL_TARGET          TARGET_VNNI_512
#define KERNEL_ADD(sums, a, b) _mm256_dpwssd_epi32 (sums, a, b)
#include "attn-linear-digits-kernel.h"

/* Computes the dot product of dot_q4_k_vnni() in registers of 512 bits, each of which has a whole
 * piece. */
TARGET_VNNI_512 static float
dot_q4_k_vnni_512 (const float  *x,
                   const guint8 *row,
                   gsize         n_in)
{
  const Block *block = (const Block *) x;
  const __m512i halves = _mm512_inserti64x4 (_mm512_set1_epi8 (15), _mm256_set1_epi8 (-16), 1);
  const __m512i first_parts =
      _mm512_setr_epi32 (0, 8, 16, 24, 4, 12, 20, 28, 0, 8, 16, 24, 4, 12, 20, 28);
  const __m512i order = _mm512_setr_epi32 (0, 2, 4, 6, 0, 2, 4, 6, 1, 3, 5, 7, 1, 3, 5, 7);
  const __m512i shifts = _mm512_inserti64x4 (_mm512_setzero_si512 (), _mm256_set1_epi32 (4), 1);
  __m512 products = _mm512_setzero_ps ();
  __m256 offsets = _mm256_setzero_ps ();

  for (gsize i = 0; i < n_in; i += BLOCK, row += Q4_K_BYTES, block++)
    {
      __m512i quants[N_PIECES];
      __m512i sums[N_DIGITS];
      _Alignas(32) float factors[8];

      prefetch (row, Q4_K_BYTES);
      __m256i scales = read_scales (row);
      __m512i low = _mm512_loadu_si512 (row + 16);
      __m512i high = _mm512_loadu_si512 (row + 16 + LINE);
#pragma GCC unroll 4
      for (int k = 0; k < N_PIECES; k++)
        {
          __m512i parts = _mm512_add_epi32 (first_parts, _mm512_set1_epi32 (k));

          quants[k] = _mm512_and_si512 (_mm512_permutex2var_epi32 (low, parts, high), halves);
        }
      __m256i of_products = _mm256_cvtepu8_epi32 (_mm256_castsi256_si128 (scales));
      __m512i ordered = _mm512_permutexvar_epi32 (order, _mm512_castsi256_si512 (of_products));
#pragma GCC unroll 3
      for (gsize digit = 0; digit < N_DIGITS; digit++)
        {
          __m512i sum = _mm512_setzero_si512 ();

#pragma GCC unroll 4
          for (gsize k = 0; k < N_PIECES; k++)
            sum = _mm512_dpbusd_epi32 (sum, quants[k],
                                       _mm512_load_si512 (block->pieces[digit][k]));
          /* The lower 16 bits hold the sum, see join_vnni(); the upper 16 bits are multiplied by
           * 0. */
          sums[digit] = _mm512_dpwssd_epi32 (_mm512_setzero_si512 (),
                                             _mm512_srav_epi32 (sum, shifts), ordered);
        }
      /* One half has the sums of the highest digit, the other the sums of both lower digits
       * together. */
      __m512i lower = _mm512_add_epi32 (_mm512_slli_epi32 (sums[1], 8), sums[2]);
      __m512i joined = _mm512_add_epi32 (_mm512_shuffle_i64x2 (sums[0], lower, 0x44),
                                         _mm512_shuffle_i64x2 (sums[0], lower, 0xee));
      read_factors (row, block, factors);
      products = _mm512_fmadd_ps (_mm512_cvtepi32_ps (joined), _mm512_set1_ps (factors[0]),
                                  products);
      offsets = add_minima (scales, block, factors, offsets);
    }

  __m256 low = _mm256_castpd_ps (_mm512_extractf64x4_pd (_mm512_castps_pd (products), 1));
  return subtract (join_sums (_mm512_castps512_ps256 (products), low), offsets);
}

/* Returns the largest magnitude of the vector's numbers; NaN if a number is NaN or infinite. */
TARGET static float
find_largest (const float *x,
              gsize        n)
{
  gint32 all[8];
  gint32 largest = 0;
  __m256i eight = _mm256_setzero_si256 ();
  float value;

  /* Magnitudes have the same order as their bits taken as integers, so integers are compared. */
  for (gsize i = 0; i < n; i += 8)
    eight = _mm256_max_epi32 (
        eight, _mm256_and_si256 (load (x + i), _mm256_set1_epi32 (G_MAXINT32)));
  _mm256_storeu_si256 ((__m256i *) all, eight);
  for (gsize i = 0; i < 8; i++)
    largest = MAX (largest, all[i]);
  memcpy (&value, &largest, sizeof value);
  return isfinite (value) ? value : NAN;
}

/* Splits eight numbers into digits. @fours: the highest digits of the first four numbers, a byte
 * each, their second ones, their third ones, and four bytes without use; then the same of the last
 * four */
TARGET_INLINE void
split (const float *x,
       float        factor,
       gint32       fours[8])
{
  const __m256i halves = _mm256_set1_epi32 (0x808080);
  const __m256i gather = _mm256_setr_epi8 (2, 6, 10, 14, 1, 5, 9, 13, 0, 4, 8, 12, 3, 7, 11, 15,
                                           2, 6, 10, 14, 1, 5, 9, 13, 0, 4, 8, 12, 3, 7, 11, 15);
  __m256i eight =
      _mm256_cvtps_epi32 (_mm256_mul_ps (_mm256_loadu_ps (x), _mm256_set1_ps (factor)));

  /* With 128 added, no digit is below 0 and borrows from the next; the 128 is subtracted again. */
  eight = _mm256_xor_si256 (_mm256_add_epi32 (eight, halves), halves);
  _mm256_storeu_si256 ((__m256i *) fours, _mm256_shuffle_epi8 (eight, gather));
}

TARGET static float
add_up_16 (const float *x)
{
  return add_up (_mm256_add_ps (_mm256_loadu_ps (x), _mm256_loadu_ps (x + 8)));
}

/* Writes the scales and sums of a block, which both types need, and returns the factor of its
 * numbers before they are written in digits. In a block with a NaN, the scale makes the product
 * NaN. */
TARGET static float
begin_block (const float *x,
             Block       *block)
{
  float largest = find_largest (x, BLOCK);
  float factor = largest > 0.0f ? LARGEST / largest : 0.0f;
  const float scales[G_N_ELEMENTS (block->scales)] = { largest, 1.0f };

  memcpy (block->scales, scales, sizeof scales);
  for (gsize k = 0; k < G_N_ELEMENTS (block->sums); k++)
    block->sums[k] = add_up_16 (x + k * SUB_BLOCK / 2);
  /* Numbers so small that the quotient is infinite count as 0 when they are written in digits. */
  return isfinite (factor) ? factor : 0.0f;
}

/**
 * attn_linear_arrange_q4_k:
 *
 * Writes a vector in digits, for products with rows of Q4_K: an AttnArrangeFunc for processors with
 * AVX2.
 */
TARGET void
attn_linear_arrange_q4_k (const float *x,
                          gsize        n_in,
                          float       *out)
{
  Block *block = (Block *) out;

  for (gsize i = 0; i < n_in; i += BLOCK, block++)
    {
      float factor = begin_block (x + i, block);

      for (gsize k = 0; k < N_SUB_BLOCKS; k++)
        {
          for (gsize part = 0; part < N_PARTS; part += 2)
            {
              gint32 fours[8];

              split (x + i + k * SUB_BLOCK + part * PART, factor, fours);
              for (gsize digit = 0; digit < N_DIGITS; digit++)
                for (gsize m = part; m < part + 2; m++)
                  memcpy (block->pieces[digit][m % N_PIECES][k % 2][m / N_PIECES][k / 2],
                          &fours[4 * (m - part) + digit], PART);
            }
          block->sums[k] = block->sums[2 * k] + block->sums[2 * k + 1];
        }
    }
}

/**
 * attn_linear_arrange_q6_k:
 *
 * Writes a vector in digits, for products with rows of Q6_K: an AttnArrangeFunc for processors with
 * AVX2.
 */
TARGET void
attn_linear_arrange_q6_k (const float *x,
                          gsize        n_in,
                          float       *out)
{
  Block *block = (Block *) out;

  for (gsize i = 0; i < n_in; i += BLOCK, block++)
    {
      float factor = begin_block (x + i, block);

      for (gsize k = 0; k < BLOCK; k += 8)
        {
          gint32 fours[8];

          split (x + i + k, factor, fours);
          for (gsize digit = 0; digit < N_DIGITS; digit++)
            for (gsize m = 0; m < 2; m++)
              memcpy (block->digits[k / SUB_BLOCK][digit] + k % SUB_BLOCK + 4 * m,
                      &fours[4 * m + digit], PART);
        }
    }
}

/* Tells whether the processor multiplies and adds bytes, or 16 bits, in one step in registers of
 * 256 bits that need not be those of AVX-512. Not all compilers have a built-in function for
 * this. */
static gboolean
has_avx_vnni (void)
{
  unsigned int a, b, c, d;

  return __get_cpuid_count (7, 1, &a, &b, &c, &d) && (a & 1 << 4) != 0;
}

typedef enum
{
  ADDING_UNKNOWN,
  ADDING_PAIRS,
  ADDING_VNNI,
  ADDING_VNNI_512,
} Adding;

/* Returns the quickest way of multiplying and adding digits that the processor has. */
static Adding
get_adding (void)
{
  static int chosen = ADDING_UNKNOWN;
  int adding = g_atomic_int_get (&chosen);

  if (adding == ADDING_UNKNOWN)
    {
      if (attn_clones_get () >= ATTN_CLONE_AVX512 && __builtin_cpu_supports ("avx512vnni") &&
          __builtin_cpu_supports ("avx512vl"))
        adding = ADDING_VNNI_512;
      else
        adding = has_avx_vnni () ? ADDING_VNNI : ADDING_PAIRS;
      g_atomic_int_set (&chosen, adding);
    }
  return (Adding) adding;
}

#define CHOOSE(name)                                  \
  (get_adding () == ADDING_VNNI_512 ? name##_vnni_512 \
   : get_adding () == ADDING_VNNI   ? name##_vnni     \
                                    : name##_pairs)

/**
 * attn_linear_choose_dot_q4_k:
 *
 * Returns: the quickest function on this processor, which has AVX2, that multiplies a row of Q4_K
 *   by a vector from [func@attn_linear_arrange_q4_k]; each gives the same bits
 */
AttnDotFunc
attn_linear_choose_dot_q4_k (void)
{
  return CHOOSE (dot_q4_k);
}

/**
 * attn_linear_choose_dot_q6_k:
 *
 * Does the same as [func@attn_linear_choose_dot_q4_k] for rows of Q6_K and a vector from
 * [func@attn_linear_arrange_q6_k].
 */
AttnDotFunc
attn_linear_choose_dot_q6_k (void)
{
  return CHOOSE (dot_q6_k);
}

#endif
