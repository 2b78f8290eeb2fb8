/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A linear layer for one token, as each of an answer is: it takes as long as reading the weights
 * once, if nothing else is done with them than to multiply them out of the registers that they are
 * read into. */

#include "config.h"

#include <string.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

#include "attn-clones.h"
#include "attn-half.h"
#include "attn-linear-private.h"

/**
 * AttnDotFunc:
 * @x: [n_in]
 * @x_sums: [n_in / 32], sums of as many of them
 * @row: n_in weights, one of the rows of a matrix [n_out, n_in]
 * @n_in: a multiple of %DOT_UNIT, and of the numbers of a block
 *
 * Returns: their product
 */
typedef float (*AttnDotFunc) (const float *x,
                              const float *x_sums,
                              const guint8 *row,
                              gsize n_in);

/* Inputs come in so many at a time. */
#define DOT_UNIT ((gsize) 64)
/* More than any model has. */
#define MAX_INPUTS ((gsize) 1 << 17)
/* Bytes that are fetched from memory together, and how many before they are needed. */
#define DOT_LINE  ((gsize) 64)
#define DOT_AHEAD ((gsize) 4096)
/* Scales that are converted together: of blocks of 32 numbers, and of so many blocks of 256. */
#define DOT_SCALES ((gsize) 64)
#define DOT_BLOCKS ((gsize) 8)

/* In the order of the functions in attn-linear-dot.h. */
static const AttnDtype dtypes[] = {
  ATTN_DTYPE_F32,
  ATTN_DTYPE_F16,
  ATTN_DTYPE_BF16,
  ATTN_DTYPE_Q8_0,
  ATTN_DTYPE_Q4_0,
  ATTN_DTYPE_Q4_K,
  ATTN_DTYPE_Q6_K,
};

#define N_DOTS G_N_ELEMENTS (dtypes)

static inline float
read_half (const guint8 *from)
{
  return attn_float_from_half ((guint16) (from[0] | from[1] << 8));
}

typedef gint32 FourInts __attribute__ ((vector_size (4 * sizeof (gint32))));

static inline FourInts
widen (const guint8 *from)
{
  return (FourInts) { from[0], from[1], from[2], from[3] };
}

static inline FourInts
widen_signed (const gint8 *from)
{
  return (FourInts) { from[0], from[1], from[2], from[3] };
}

#if defined(__x86_64__) && defined(__GNUC__)

#define KERNEL(name)  name##_512
#define KERNEL_TARGET __attribute__ ((target ("avx512f")))
#define KERNEL_LANES  16
#include "attn-linear-dot.h"

#define KERNEL(name)  name##_256
#define KERNEL_TARGET __attribute__ ((target ("avx2,fma")))
#define KERNEL_LANES  8
#define KERNEL_WIDEN(from) \
  (INTS) _mm256_cvtepu8_epi32 (_mm_loadu_si64 (from))
#define KERNEL_WIDEN_SIGNED(from) \
  (INTS) _mm256_cvtepi8_epi32 (_mm_loadu_si64 (from))
#include "attn-linear-dot.h"

#endif

#define KERNEL(name) name##_128
#define KERNEL_TARGET
#define KERNEL_LANES              4
#define KERNEL_WIDEN(from)        widen (from)
#define KERNEL_WIDEN_SIGNED(from) widen_signed ((const gint8 *) (from))
#include "attn-linear-dot.h"

/* Blocks are taken apart no quicker in wider registers than in those of 256 bits. */
static const AttnDotFunc *
get_dots (void)
{
  static const AttnDotFunc narrow[N_DOTS] = { dot_f32_128, dot_f16_128, dot_bf16_128, dot_q8_0_128,
                                              dot_q4_0_128, dot_q4_k_128, dot_q6_k_128 };
#if defined(__x86_64__) && defined(__GNUC__)
  static const AttnDotFunc wide[N_DOTS] = { dot_f32_256, dot_f16_256, dot_bf16_256, dot_q8_0_256,
                                            dot_q4_0_256, dot_q4_k_256, dot_q6_k_256 };
  static const AttnDotFunc widest[N_DOTS] = { dot_f32_512, dot_f16_512, dot_bf16_512,
                                              dot_q8_0_256, dot_q4_0_256, dot_q4_k_256,
                                              dot_q6_k_256 };
  AttnClone clone = attn_clones_get ();

  if (clone >= ATTN_CLONE_AVX512)
    return widest;
  if (clone >= ATTN_CLONE_AVX2)
    return wide;
#endif
  return narrow;
}

/* NULL for weights of another type, or that lie otherwise than row by row. */
static AttnDotFunc
find_dot (const AttnLinear *linear)
{
  const AttnArray *array = linear->array;
  gsize n_elements, n_bytes;

  if (linear->n_rows != 1 || array == NULL || linear->is_input_major ||
      !attn_array_is_row_major (array) || array->is_swapped || array->scales != NULL ||
      array->packed != NULL || G_BYTE_ORDER != G_LITTLE_ENDIAN)
    return NULL;
  attn_dtype_get_block (array->dtype, &n_elements, &n_bytes);
  if (linear->n_in % DOT_UNIT != 0 || linear->n_in % n_elements != 0 || linear->n_in > MAX_INPUTS)
    return NULL;
  for (gsize i = 0; i < N_DOTS; i++)
    if (dtypes[i] == array->dtype)
      return get_dots ()[i];
  return NULL;
}

/**
 * attn_linear_can_run_one:
 *
 * Returns: whether [func@attn_linear_run_one] can do it
 */
gboolean
attn_linear_can_run_one (const AttnLinear *linear)
{
  return find_dot (linear) != NULL;
}

/**
 * attn_linear_run_one:
 * @linear: what to compute, of one row
 * @begin: the first column
 * @n: how many columns
 *
 * out += x weight, or out = x weight, of some columns; neither bias nor activation. Each column is
 * the same whatever the others are. For any thread; needs no scratch memory.
 */
void
attn_linear_run_one (const AttnLinear *linear,
                     gsize             begin,
                     gsize             n)
{
  AttnDotFunc dot = find_dot (linear);
  const guint8 *bytes = g_bytes_get_data (linear->array->bytes, NULL);
  float x_sums[MAX_INPUTS / 32];
  gsize n_elements, n_bytes;

  g_return_if_fail (dot != NULL);

  attn_dtype_get_block (linear->array->dtype, &n_elements, &n_bytes);
  gsize n_row_bytes = linear->n_in / n_elements * n_bytes;
  for (gsize i = 0; i < linear->n_in; i += 32)
    {
      float sum = 0.0f;

      for (gsize k = 0; k < 32; k++)
        sum += linear->x[i + k];
      x_sums[i / 32] = sum;
    }
  for (gsize column = begin; column < begin + n; column++)
    {
      float sum =
          dot (linear->x, x_sums, bytes + attn_linear_find_row (linear, column) * n_row_bytes,
               linear->n_in);

      linear->out[column] = (linear->accumulates ? linear->out[column] : 0.0f) + sum;
    }
}
