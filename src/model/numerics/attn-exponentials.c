/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Exponentials of a row of scores, most of what a softmax costs. The code names the registers
 * itself: compilers leave the sums of loops over their lanes in memory, or add them one by one. */

#include "config.h"

#include <string.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

#include "attn-clones.h"
#include "attn-ops.h"

/* The exponent at which a power of 2 is taken as 0. Processors take a hundred times as long for
 * numbers below 2^-126 (subnormal ones). */
#define LOWEST_POWER -126.0f
/* The exponent of 2 above which no exponential of a row is near LOWEST_POWER. */
#define NEAR_POWER -120.0f

/* The number of registers of a row that go through each step of the computation together. More than
 * four were not quicker with 32 registers, and slower with 16. */
#define TOGETHER       4
#define FOR_EACH(k, n) _Pragma ("GCC unroll 8") for (gsize k = 0; k < (n); k++)

static const gint32 lane_numbers[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

#if defined(__x86_64__) && defined(__GNUC__)

#define KERNEL(name)        name##_512
#define KERNEL_TARGET       __attribute__ ((target ("avx512f")))
#define KERNEL_LANES        16
#define KERNEL_LARGER(a, b) (LANES) _mm512_max_ps ((__m512) (a), (__m512) (b))
#include "attn-exponentials-kernel.h"

#define KERNEL(name)        name##_256
#define KERNEL_TARGET       __attribute__ ((target ("avx2,fma")))
#define KERNEL_LANES        8
#define KERNEL_LARGER(a, b) (LANES) _mm256_max_ps ((__m256) (a), (__m256) (b))
#include "attn-exponentials-kernel.h"

#endif

#define KERNEL(name) name##_128
#define KERNEL_TARGET
#define KERNEL_LANES        4
#define KERNEL_LARGER(a, b) (LANES) (((INTS) (a) & ((a) > (b))) | ((INTS) (b) & ~((a) > (b))))
#include "attn-exponentials-kernel.h"

/**
 * attn_ops_exponentials:
 * @scores: [n], those of the visible keys only
 * @n: at least 1
 * @lowest: no score is below it, and none NaN; -INFINITY if that is not known, which takes longer
 *   and gives the same numbers
 * @maximum: the largest of the scores
 * @factor: at least 0
 * @sum: (out): sum of the exponentials, each of which is at most 1
 * @moment: (out) (optional): Σ out_j log2 out_j, with an error of up to 1e-6 of the sum of the
 *   magnitudes
 * @out: [n], may be @scores
 *
 * out_j = e^(factor (s_j - max s)): the weights of a row before they are divided by their sum; 0
 * where they are below 2^-125.5, 1.7e-38. A score of -INFINITY has 0; a NaN or +INFINITY anywhere
 * makes the sum NaN.
 */
void
attn_ops_exponentials (const float *scores,
                       gsize        n,
                       float        lowest,
                       float        maximum,
                       float        factor,
                       float       *sum,
                       float       *moment,
                       float       *out)
{
  float power = factor * 1.44269504f; /* log2 e */

#if defined(__x86_64__) && defined(__GNUC__)
  if (attn_clones_get () == ATTN_CLONE_AVX512)
    *sum = exponentials_512 (scores, n, lowest, maximum, power, moment, out);
  else if (attn_clones_get () == ATTN_CLONE_AVX2)
    *sum = exponentials_256 (scores, n, lowest, maximum, power, moment, out);
  else
#endif
    *sum = exponentials_128 (scores, n, lowest, maximum, power, moment, out);
}
