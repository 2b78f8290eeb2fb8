/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Dot products of one vector with rows of Q4_K and Q6_K in integers. Processors multiply 32 bytes
 * at a time where they multiply 8 floats, so the vector is written in digits of a byte: x =
 * s (65536 a + 256 b + c), with a scale s for each 256 numbers. Three digits are off by at most
 * 2^-24 of the largest of the 256, as float32 is of each. Two, by up to 1.5e-5 of it, are too few
 * for logits that are exact to 1e-4. */

#include "config.h"

#include "attn-linear-private.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <cpuid.h>
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "attn-clones.h"

/* Numbers of a block, of a sub-block and of a piece of one, and bytes of a block. */
#define BLOCK      ((gsize) 256)
#define SUB_BLOCK  32
#define PIECE      8
#define Q4_K_BYTES ((gsize) 144)
#define Q6_K_BYTES ((gsize) 210)

#define N_SUB_BLOCKS 8
#define N_PIECES     (SUB_BLOCK / PIECE)
#define N_DIGITS     3
/* The number that is as large as the largest of a block. With rounding it stays below that of which
 * each digit is 127. In Q4_K, 16 products of it and of weights up to 15 are below 2^31. */
#define LARGEST (127.0f * 65536.0f)
/* The distance in bytes at which weights are prefetched before their use, and the bytes of a cache
 * line. */
#define AHEAD ((gsize) 4096)
#define LINE  ((gsize) 64)

/**
 * Block:
 * @digits: for Q6_K: by sub-blocks, the highest first
 * @pieces: for Q4_K: the highest first, by pieces, so that a register has one of each sub-block,
 *   and products are added within sub-blocks before their scales are needed
 * @sums: for Q4_K of the numbers of each sub-block, for Q6_K of the halves of each
 * @scales: the magnitude of the largest number, and ones: what the first two numbers of a block of
 *   weights are multiplied by. In place of s, with which products might be subnormal
 *
 * A block of the vector. Its size is a multiple of a cache line's.
 */
typedef struct
{
  union
  {
    gint8 digits[N_SUB_BLOCKS][N_DIGITS][SUB_BLOCK];
    gint8 pieces[N_DIGITS][N_PIECES][N_SUB_BLOCKS][PIECE];
  };
  float sums[2 * N_SUB_BLOCKS];
  float scales[4];
  float unused[12];
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

/* The two scales of a block of Q4_K, of the products and of the minima, times those of the
 * vector's. */
TARGET_INLINE __m128
read_block_scales (const guint8 *row,
                   const Block  *block)
{
  gint32 halves;

  memcpy (&halves, row, sizeof halves);
  return _mm_mul_ps (_mm_cvtph_ps (_mm_cvtsi32_si128 (halves)), _mm_loadu_ps (block->scales));
}

/* Each of eight bytes twice. */
TARGET_INLINE __m128i
double_bytes (guint64 bytes)
{
  __m128i once = _mm_cvtsi64_si128 ((gint64) bytes);

  return _mm_unpacklo_epi8 (once, once);
}

/* Adds the minima of the sub-blocks of Q4_K, a byte each, times the sums of the vector's. */
TARGET_INLINE __m256
add_minima (guint64      bytes,
            __m128       scales,
            const Block *block,
            __m256       offsets)
{
  __m256 minima =
      _mm256_cvtepi32_ps (_mm256_cvtepu8_epi32 (_mm_cvtsi64_si128 ((gint64) bytes)));

  return _mm256_fmadd_ps (_mm256_broadcastss_ps (_mm_movehdup_ps (scales)),
                          _mm256_mul_ps (minima, _mm256_loadu_ps (block->sums)), offsets);
}

TARGET_INLINE float
subtract (__m256 products,
          __m256 offsets)
{
  return add_up (_mm256_fmsub_ps (products, _mm256_set1_ps (1.0f / LARGEST), offsets));
}

/* Sums of four products each, of four sub-blocks from @first on. */
TARGET_INLINE __m256i
multiply_pairs (const __m256i quants[N_PIECES],
                const gint8   pieces[N_PIECES][N_SUB_BLOCKS][PIECE],
                gsize         first)
{
  __m256i sums = _mm256_maddubs_epi16 (quants[0], load (pieces[0][first]));

#pragma GCC unroll 3
  for (gsize i = 1; i < N_PIECES; i++)
    sums = _mm256_add_epi16 (sums, _mm256_maddubs_epi16 (quants[i], load (pieces[i][first])));
  return _mm256_madd_epi16 (sums, _mm256_set1_epi16 (1));
}

#define TARGET_VNNI __attribute__ ((target ("avx2,fma,f16c,avxvnni")))

static inline __attribute__ ((always_inline)) TARGET_VNNI __m256i
multiply_vnni (const __m256i quants[N_PIECES],
               const gint8   pieces[N_PIECES][N_SUB_BLOCKS][PIECE],
               gsize         first)
{
  __m256i sums = _mm256_setzero_si256 ();

#pragma GCC unroll 4
  for (gsize i = 0; i < N_PIECES; i++)
    sums = _mm256_dpbusd_avx_epi32 (sums, quants[i], load (pieces[i][first]));
  return sums;
}

#define KERNEL(name)           name##_pairs
#define KERNEL_TARGET          TARGET
#define KERNEL_MULTIPLY        multiply_pairs
#define KERNEL_ADD(sums, a, b) _mm256_add_epi32 (sums, _mm256_madd_epi16 (a, b))
#include "attn-linear-digits-kernel.h"

#define KERNEL(name)           name##_vnni
#define KERNEL_TARGET          TARGET_VNNI
#define KERNEL_MULTIPLY        multiply_vnni
#define KERNEL_ADD(sums, a, b) _mm256_dpwssd_avx_epi32 (sums, a, b)
#include "attn-linear-digits-kernel.h"

#define TARGET_VNNI_512 __attribute__ ((target ("avx512f,avx512vl,avx512vnni,fma,f16c")))

#define KERNEL(name)           name##_vnni_512
#define KERNEL_TARGET          TARGET_VNNI_512
#define KERNEL_ADD(sums, a, b) _mm256_dpwssd_epi32 (sums, a, b)
#include "attn-linear-digits-kernel.h"

/* The same as dot_q4_k_vnni() in registers of 512 bits, each of which has a piece of all eight
 * sub-blocks. */
TARGET_VNNI_512 static float
dot_q4_k_vnni_512 (const float  *x,
                   const guint8 *row,
                   gsize         n_in)
{
  const Block *block = (const Block *) x;
  const __m512i shifts = _mm512_setr_epi64 (0, 4, 0, 4, 0, 4, 0, 4);
  const __m512i first_pieces = _mm512_setr_epi64 (0, 0, 4, 4, 8, 8, 12, 12);
  __m512 products = _mm512_setzero_ps ();
  __m256 offsets = _mm256_setzero_ps ();

  for (gsize i = 0; i < n_in; i += BLOCK, row += Q4_K_BYTES, block++)
    {
      guint64 bytes[2];
      __m512i quants[N_PIECES];
      __m512i sums[N_DIGITS];

      prefetch (row, Q4_K_BYTES);
      attn_linear_read_scales (row + 4, bytes);
      __m128 scales = read_block_scales (row, block);
      __m512i low = _mm512_loadu_si512 (row + 16);
      __m512i high = _mm512_loadu_si512 (row + 16 + LINE);
#pragma GCC unroll 4
      for (gint64 k = 0; k < N_PIECES; k++)
        {
          __m512i pieces = _mm512_add_epi64 (first_pieces, _mm512_set1_epi64 (k));
          __m512i both = _mm512_permutex2var_epi64 (low, pieces, high);

          quants[k] =
              _mm512_and_si512 (_mm512_srlv_epi64 (both, shifts), _mm512_set1_epi8 (15));
        }
#pragma GCC unroll 3
      for (gsize digit = 0; digit < N_DIGITS; digit++)
        {
          sums[digit] = _mm512_setzero_si512 ();
#pragma GCC unroll 4
          for (gsize k = 0; k < N_PIECES; k++)
            sums[digit] = _mm512_dpbusd_epi32 (sums[digit], quants[k],
                                               _mm512_load_si512 (block->pieces[digit][k]));
        }
      __m512i sum = _mm512_add_epi32 (_mm512_slli_epi32 (sums[0], 8), sums[1]);
      sum = _mm512_add_epi32 (_mm512_slli_epi32 (sum, 8), sums[2]);
      __m512 own = _mm512_cvtepi32_ps (_mm512_cvtepu8_epi32 (double_bytes (bytes[0])));
      products = _mm512_fmadd_ps (_mm512_mul_ps (_mm512_cvtepi32_ps (sum), own),
                                  _mm512_broadcastss_ps (scales), products);
      offsets = add_minima (bytes[1], scales, block, offsets);
    }

  __m256 upper = _mm256_castpd_ps (_mm512_extractf64x4_pd (_mm512_castps_pd (products), 1));
  return subtract (_mm256_add_ps (_mm512_castps512_ps256 (products), upper), offsets);
}

/* Returns the largest magnitude, NaN where a number is none or not finite. */
TARGET static float
find_largest (const float *x,
              gsize        n)
{
  gint32 all[8];
  gint32 largest = 0;
  __m256i eight = _mm256_setzero_si256 ();
  float value;

  /* Magnitudes are in the order of their bits. */
  for (gsize i = 0; i < n; i += 8)
    eight = _mm256_max_epi32 (
        eight, _mm256_and_si256 (load (x + i), _mm256_set1_epi32 (G_MAXINT32)));
  _mm256_storeu_si256 ((__m256i *) all, eight);
  for (gsize i = 0; i < 8; i++)
    largest = MAX (largest, all[i]);
  memcpy (&value, &largest, sizeof value);
  return isfinite (value) ? value : NAN;
}

/* Writes the digits of a sub-block, the highest first. */
TARGET static void
write_digits (const float *x,
              float        factor,
              gint8        digits[N_DIGITS][SUB_BLOCK])
{
  const __m256i halves = _mm256_set1_epi32 (0x808080);
  const __m256i gather = _mm256_setr_epi8 (2, 6, 10, 14, 1, 5, 9, 13, 0, 4, 8, 12, 3, 7, 11, 15,
                                           2, 6, 10, 14, 1, 5, 9, 13, 0, 4, 8, 12, 3, 7, 11, 15);

  for (gsize i = 0; i < SUB_BLOCK; i += 8)
    {
      gint32 fours[8];
      __m256i eight =
          _mm256_cvtps_epi32 (_mm256_mul_ps (_mm256_loadu_ps (x + i), _mm256_set1_ps (factor)));

      /* With half a digit more in each place no digit is below 0; it is taken away again. */
      eight = _mm256_xor_si256 (_mm256_add_epi32 (eight, halves), halves);
      _mm256_storeu_si256 ((__m256i *) fours, _mm256_shuffle_epi8 (eight, gather));
      for (gsize k = 0; k < N_DIGITS; k++)
        {
          memcpy (digits[k] + i, &fours[k], 4);
          memcpy (digits[k] + i + 4, &fours[4 + k], 4);
        }
    }
}

TARGET static float
add_up_16 (const float *x)
{
  return add_up (_mm256_add_ps (_mm256_loadu_ps (x), _mm256_loadu_ps (x + 8)));
}

/* Writes what both types need of a block, and returns what its numbers are multiplied by before
 * they are written in digits. In a block with a NaN, the scale makes the product NaN. */
TARGET static float
begin_block (const float *x,
             Block       *block)
{
  float largest = find_largest (x, BLOCK);
  float factor = largest > 0.0f ? LARGEST / largest : 0.0f;

  for (gsize k = 0; k < G_N_ELEMENTS (block->scales); k++)
    block->scales[k] = k == 0 ? largest : 1.0f;
  for (gsize k = 0; k < G_N_ELEMENTS (block->sums); k++)
    block->sums[k] = add_up_16 (x + k * SUB_BLOCK / 2);
  /* Numbers so small that the quotient is infinite count as 0. */
  return isfinite (factor) ? factor : 0.0f;
}

/**
 * attn_linear_arrange_q4_k:
 *
 * An AttnArrangeFunc for processors with AVX2.
 */
void
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
          gint8 digits[N_DIGITS][N_PIECES][PIECE];

          write_digits (x + i + k * SUB_BLOCK, factor, (gint8 (*)[SUB_BLOCK]) digits);
          for (gsize digit = 0; digit < N_DIGITS; digit++)
            for (gsize piece = 0; piece < N_PIECES; piece++)
              memcpy (block->pieces[digit][piece][k], digits[digit][piece], PIECE);
          block->sums[k] = block->sums[2 * k] + block->sums[2 * k + 1];
        }
    }
}

/**
 * attn_linear_arrange_q6_k:
 *
 * An AttnArrangeFunc for processors with AVX2.
 */
void
attn_linear_arrange_q6_k (const float *x,
                          gsize        n_in,
                          float       *out)
{
  Block *block = (Block *) out;

  for (gsize i = 0; i < n_in; i += BLOCK, block++)
    {
      float factor = begin_block (x + i, block);

      for (gsize k = 0; k < N_SUB_BLOCKS; k++)
        write_digits (x + i + k * SUB_BLOCK, factor, block->digits[k]);
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

/* Returns the quickest way of adding that the processor has. */
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

#define CALL(name, x, row, n_in)                                     \
  (get_adding () == ADDING_VNNI_512 ? name##_vnni_512 (x, row, n_in) \
   : get_adding () == ADDING_VNNI   ? name##_vnni (x, row, n_in)     \
                                    : name##_pairs (x, row, n_in))

/**
 * attn_linear_dot_q4_k:
 *
 * An AttnDotFunc for processors with AVX2, for what [func@attn_linear_arrange_q4_k] writes. The
 * same bits on each of them.
 */
float
attn_linear_dot_q4_k (const float  *x,
                      const guint8 *row,
                      gsize         n_in)
{
  return CALL (dot_q4_k, x, row, n_in);
}

/**
 * attn_linear_dot_q6_k:
 *
 * The same as [func@attn_linear_dot_q4_k] for Q6_K, for what [func@attn_linear_arrange_q6_k]
 * writes.
 */
float
attn_linear_dot_q6_k (const float  *x,
                      const guint8 *row,
                      gsize         n_in)
{
  return CALL (dot_q6_k, x, row, n_in);
}

#endif
