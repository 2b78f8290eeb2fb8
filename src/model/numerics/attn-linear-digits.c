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

/* Numbers of a block and of a sub-block, and bytes of a block. */
#define BLOCK      ((gsize) 256)
#define SUB_BLOCK  32
#define Q4_K_BYTES ((gsize) 144)
#define Q6_K_BYTES ((gsize) 210)

#define N_SUB_BLOCKS 8
#define N_DIGITS     3
/* The number that is as large as the largest of a block. With rounding it stays below that of which
 * each digit is 127. */
#define LARGEST (127.0f * 65536.0f)
/* The distance in bytes at which weights are prefetched before their use, and the bytes of a cache
 * line. */
#define AHEAD ((gsize) 4096)
#define LINE  ((gsize) 64)

/**
 * Block:
 * @digits: by sub-blocks, the highest first
 * @sums: of the numbers of each sub-block
 * @half_sums: of the first and of the last half of each
 * @scales: the magnitude of the largest number, and ones: what the first two numbers of a block of
 *   weights are multiplied by. In place of s, with which products might be subnormal
 *
 * A block of the vector. Its size is a multiple of a register's.
 */
typedef struct
{
  gint8 digits[N_SUB_BLOCKS][N_DIGITS][SUB_BLOCK];
  float sums[N_SUB_BLOCKS];
  float half_sums[2 * N_SUB_BLOCKS];
  float scales[4];
  float unused[4];
} Block;

G_STATIC_ASSERT (sizeof (Block) <= (256 + 256 / 16) * sizeof (float));

#define TARGET __attribute__ ((target ("avx2,fma,f16c")))

static inline __attribute__ ((always_inline)) TARGET float
add_up (__m256 eight)
{
  __m128 four = _mm_add_ps (_mm256_castps256_ps128 (eight), _mm256_extractf128_ps (eight, 1));
  __m128 two = _mm_add_ps (four, _mm_movehl_ps (four, four));

  return _mm_cvtss_f32 (_mm_add_ss (two, _mm_movehdup_ps (two)));
}

#define KERNEL(name)           name##_pairs
#define KERNEL_TARGET          TARGET
#define KERNEL_ADD(sums, a, b) _mm256_add_epi32 (sums, _mm256_madd_epi16 (a, b))
#include "attn-linear-digits-kernel.h"

#define KERNEL(name)           name##_vnni
#define KERNEL_TARGET          __attribute__ ((target ("avx2,fma,f16c,avxvnni")))
#define KERNEL_ADD(sums, a, b) _mm256_dpwssd_avx_epi32 (sums, a, b)
#include "attn-linear-digits-kernel.h"

#define KERNEL(name)           name##_vnni_512
#define KERNEL_TARGET          __attribute__ ((target ("avx512f,avx512vl,avx512vnni,fma,f16c")))
#define KERNEL_ADD(sums, a, b) _mm256_dpwssd_epi32 (sums, a, b)
#include "attn-linear-digits-kernel.h"

/* Returns the largest magnitude, NaN where a number is none or not finite. */
TARGET static float
find_largest (const float *x,
              gsize        n)
{
  gint32 largest = 0;
  float value;

  /* Magnitudes are in the order of their bits. */
  for (gsize i = 0; i < n; i++)
    {
      gint32 bits;

      memcpy (&bits, &x[i], sizeof bits);
      bits &= G_MAXINT32;
      largest = MAX (largest, bits);
    }
  memcpy (&value, &largest, sizeof value);
  return isfinite (value) ? value : NAN;
}

/* Writes the digits of a sub-block. */
TARGET static void
write_digits (const float *x,
              float        factor,
              gint8        digits[N_DIGITS][SUB_BLOCK])
{
  gint32 rests[SUB_BLOCK];

  for (gsize i = 0; i < SUB_BLOCK; i += 8)
    _mm256_storeu_si256 (
        (__m256i *) (rests + i),
        _mm256_cvtps_epi32 (_mm256_mul_ps (_mm256_loadu_ps (x + i), _mm256_set1_ps (factor))));
  for (gsize k = N_DIGITS; k-- > 0;)
    for (gsize i = 0; i < SUB_BLOCK; i++)
      {
        gint8 digit = (gint8) rests[i];

        digits[k][i] = digit;
        rests[i] = (rests[i] - digit) >> 8;
      }
}

TARGET static float
add_up_16 (const float *x)
{
  return add_up (_mm256_add_ps (_mm256_loadu_ps (x), _mm256_loadu_ps (x + 8)));
}

/**
 * attn_linear_arrange_digits:
 *
 * An AttnArrangeFunc for Q4_K and Q6_K, for processors with AVX2.
 */
void
attn_linear_arrange_digits (const float *x,
                            gsize        n_in,
                            float       *out)
{
  Block *block = (Block *) out;

  for (gsize i = 0; i < n_in; i += BLOCK, block++)
    {
      float largest = find_largest (x + i, BLOCK);
      /* In a block with a NaN, the scale makes the product NaN. */
      float factor = largest > 0.0f ? LARGEST / largest : 0.0f;

      /* Numbers so small that the quotient is infinite count as 0. */
      factor = isfinite (factor) ? factor : 0.0f;
      for (gsize k = 0; k < G_N_ELEMENTS (block->scales); k++)
        block->scales[k] = k == 0 ? largest : 1.0f;
      for (gsize k = 0; k < N_SUB_BLOCKS; k++)
        {
          const float *from = x + i + k * SUB_BLOCK;
          float *halves = block->half_sums + 2 * k;

          write_digits (from, factor, block->digits[k]);
          halves[0] = add_up_16 (from);
          halves[1] = add_up_16 (from + SUB_BLOCK / 2);
          block->sums[k] = halves[0] + halves[1];
        }
    }
}

/* Tells whether the processor adds products of 16 bits in one step in registers of 256 bits that
 * need not be those of AVX-512. Not all compilers have a built-in function for this. */
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
 * An AttnDotFunc for processors with AVX2, for what [func@attn_linear_arrange_digits] writes. The
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
 * The same as [func@attn_linear_dot_q4_k] for Q6_K.
 */
float
attn_linear_dot_q6_k (const float  *x,
                      const guint8 *row,
                      gsize         n_in)
{
  return CALL (dot_q6_k, x, row, n_in);
}

#endif
