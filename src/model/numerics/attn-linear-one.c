/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A linear layer for one token, as in each step of an answer. It takes as long as reading the
 * weights once, provided that they are only multiplied in the registers they were read into. */

#include "config.h"

#include <string.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

#include "attn-clones.h"
#include "attn-half.h"
#include "attn-linear-private.h"
#include "attn-weights.h"

/**
 * Dot:
 * @dot: (nullable): the function for rows of a type; %NULL where @choose returns it
 * @arrange: (nullable): how the vector is arranged for it first; %NULL to take it as it is
 */
typedef struct
{
  AttnDotFunc dot;
  AttnArrangeFunc arrange;
  AttnDotFunc (*choose) (void);
} Dot;

/* The number of which a linear layer's inputs must be a multiple for its dot products. */
#define DOT_UNIT ((gsize) 64)
/* Bytes of a cache line, and the number of bytes by which weights are prefetched ahead of their
 * use. */
#define DOT_LINE  ((gsize) 64)
#define DOT_AHEAD ((gsize) 4096)
/* The number of blocks of 256 numbers whose scales are converted together. */
#define DOT_BLOCKS ((gsize) 8)

/* The factor by which arrange_q4_k() makes results too large, a power of two. */
#define DOT_SCALE 4096.0f

/* The types of weights that have dot products, in the order of the functions in get_dots(). */
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

static inline gint16
read_short (const guint8 *from)
{
  return (gint16) (from[0] | from[1] << 8);
}

static inline float
read_half (const guint8 *from)
{
  return attn_float_from_half ((guint16) read_short (from));
}

typedef float FourFloats __attribute__ ((vector_size (4 * sizeof (float))));
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

static inline FourInts
widen_shorts (const guint8 *from)
{
  guint16 shorts[4];

  memcpy (shorts, from, sizeof shorts);
  return (FourInts) { shorts[0], shorts[1], shorts[2], shorts[3] };
}

static inline FourFloats
read_halves (const guint8 *from)
{
  return (FourFloats) { read_half (from), read_half (from + 2), read_half (from + 4),
                        read_half (from + 6) };
}

#if defined(__x86_64__) && defined(__GNUC__)

#define KERNEL(name)  name##_512
#define KERNEL_TARGET __attribute__ ((target ("avx512f")))
#define KERNEL_LANES  16
#define KERNEL_WIDEN(from) \
  (INTS) _mm512_cvtepu8_epi32 (_mm_loadu_si128 ((const void *) (from)))
#define KERNEL_WIDEN_SIGNED(from) \
  (INTS) _mm512_cvtepi8_epi32 (_mm_loadu_si128 ((const void *) (from)))
#define KERNEL_WIDEN_SHORTS(from) \
  (INTS) _mm512_cvtepu16_epi32 (_mm256_loadu_si256 ((const void *) (from)))
#define KERNEL_HALVES(from) \
  (LANES) _mm512_cvtph_ps (_mm256_loadu_si256 ((const void *) (from)))
#define KERNEL_HALF(from) (LANES) _mm512_cvtph_ps (_mm256_set1_epi16 (read_short (from)))
#include "attn-linear-dot.h"

#define KERNEL(name)  name##_256
#define KERNEL_TARGET __attribute__ ((target ("avx2,fma,f16c")))
#define KERNEL_LANES  8
#define KERNEL_WIDEN(from) \
  (INTS) _mm256_cvtepu8_epi32 (_mm_loadu_si64 (from))
#define KERNEL_WIDEN_SIGNED(from) \
  (INTS) _mm256_cvtepi8_epi32 (_mm_loadu_si64 (from))
#define KERNEL_WIDEN_SHORTS(from) \
  (INTS) _mm256_cvtepu16_epi32 (_mm_loadu_si128 ((const void *) (from)))
#define KERNEL_HALVES(from) \
  (LANES) _mm256_cvtph_ps (_mm_loadu_si128 ((const void *) (from)))
#define KERNEL_HALF(from) (LANES) _mm256_cvtph_ps (_mm_set1_epi16 (read_short (from)))
#include "attn-linear-dot.h"

#endif

#define KERNEL(name) name##_128
#define KERNEL_TARGET
#define KERNEL_LANES              4
#define KERNEL_WIDEN(from)        widen (from)
#define KERNEL_WIDEN_SIGNED(from) widen_signed ((const gint8 *) (from))
#define KERNEL_WIDEN_SHORTS(from) widen_shorts (from)
#define KERNEL_HALVES(from)       read_halves ((const guint8 *) (from))
#define KERNEL_HALF(from)         read_half (from)
#include "attn-linear-dot.h"

#define DOTS(lanes)                                                                     \
  { dot_f32_##lanes }, { dot_f16_##lanes }, { dot_bf16_##lanes }, { dot_q8_0_##lanes }, \
  {                                                                                     \
    dot_q4_0_##lanes                                                                    \
  }

static const Dot *
get_dots (void)
{
  static const Dot narrow[N_DOTS] = {
    DOTS (128),
    { dot_q4_k_128, arrange_q4_k_128 },
    { dot_q6_k_128 },
  };
#if defined(__x86_64__) && defined(__GNUC__)
#define DIGITS                                                     \
  { NULL, attn_linear_arrange_q4_k, attn_linear_choose_dot_q4_k }, \
  {                                                                \
    NULL, attn_linear_arrange_q6_k, attn_linear_choose_dot_q6_k    \
  }
  static const Dot wide[N_DOTS] = { DOTS (256), DIGITS };
  static const Dot widest[N_DOTS] = { DOTS (512), DIGITS };
  AttnClone clone = attn_clones_get ();

  if (clone >= ATTN_CLONE_AVX512)
    return widest;
  if (clone >= ATTN_CLONE_AVX2)
    return wide;
#endif
  return narrow;
}

/* Returns the function for the layer's weights, or NULL if their type or layout has none. */
static const Dot *
find_dot (const AttnLinear *linear)
{
  const AttnArray *array = linear->array;
  gsize n_elements, n_bytes;

  if (linear->n_rows != 1 || array == NULL || linear->is_input_major ||
      !attn_array_is_row_major (array) || array->is_swapped || array->scales != NULL ||
      array->packed != NULL || G_BYTE_ORDER != G_LITTLE_ENDIAN)
    return NULL;
  attn_dtype_get_block (array->dtype, &n_elements, &n_bytes);
  if (linear->n_in % DOT_UNIT != 0 || linear->n_in % n_elements != 0)
    return NULL;
  for (gsize i = 0; i < N_DOTS; i++)
    if (dtypes[i] == array->dtype)
      return &get_dots ()[i];
  return NULL;
}

/**
 * attn_linear_can_run_one:
 *
 * Returns: whether [func@attn_linear_run_one] can compute the layer: one row of input, and weights
 *   of a type and in an order that have a dot product
 */
gboolean
attn_linear_can_run_one (const AttnLinear *linear)
{
  return find_dot (linear) != NULL;
}

/**
 * attn_linear_arrange_one:
 * @linear: a layer that [func@attn_linear_can_run_one] accepts
 *
 * Returns: (transfer full) (nullable): the input in the order in which rows of the weights' type
 *   are read, for the caller to free by g_aligned_free(); %NULL where that is the input's own order
 */
float *
attn_linear_arrange_one (const AttnLinear *linear)
{
  const Dot *dot = find_dot (linear);
  float *x;

  if (dot->arrange == NULL)
    return NULL;
  x = g_aligned_alloc (linear->n_in + linear->n_in / 16, sizeof (float), DOT_LINE);
  dot->arrange (linear->x, linear->n_in, x);
  return x;
}

/**
 * attn_linear_run_one:
 * @linear: what to compute, with one row of input
 * @x: its input, as [func@attn_linear_arrange_one] arranges it
 * @begin: the first column
 * @n: how many columns; with a @paired_width, those of whole heads
 *
 * Computes out += x weight, or out = x weight, in @n columns of the output, without bias and
 * activation. The result of a column does not depend on which others are computed. Any thread may
 * call; needs no scratch memory.
 */
void
attn_linear_run_one (const AttnLinear *linear,
                     const float      *x,
                     gsize             begin,
                     gsize             n)
{
  const Dot *dots = find_dot (linear);
  const guint8 *bytes = g_bytes_get_data (linear->array->bytes, NULL);
  gsize paired_width = linear->paired_width;
  gsize n_elements, n_bytes;

  g_return_if_fail (dots != NULL);
  g_return_if_fail (paired_width == 0 || (begin % paired_width == 0 && n % paired_width == 0));

  AttnDotFunc dot = dots->choose != NULL ? dots->choose () : dots->dot;
  attn_dtype_get_block (linear->array->dtype, &n_elements, &n_bytes);
  gsize n_row_bytes = linear->n_in / n_elements * n_bytes;
  /* Rows of weights are taken in the order of the file, so that prefetched rows come next. */
  for (gsize row = begin; row < begin + n; row++)
    {
      gsize column = paired_width > 0 ? attn_weights_find_place (row, paired_width) : row;
      float sum = dot (x, bytes + row * n_row_bytes, linear->n_in);

      linear->out[column] = (linear->accumulates ? linear->out[column] : 0.0f) + sum;
    }
}
