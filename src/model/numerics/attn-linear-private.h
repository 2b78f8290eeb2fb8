/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions that the files of linear layers share: for one row of input, for few rows, and for
 * reading weights. */

#pragma once

#include <string.h>

#include "attn-linear.h"

G_BEGIN_DECLS

/* The most rows of input for which it is faster to multiply weights as they are read than to let
 * OpenBLAS pack them first. */
#define ATTN_LINEAR_FEW ((gsize) 32)

/**
 * AttnMultiplyFunc:
 * @x: [n_rows, n_in]
 * @weight: [n_columns, n_in] or [n_in, n_columns]
 * @c: (inout): [n_rows, n_columns]
 *
 * Computes c += x weight. The rows of each matrix are as many floats apart as its stride says.
 */
typedef void (*AttnMultiplyFunc) (const float *x,
                                  gsize        x_stride,
                                  gsize        n_rows,
                                  const float *weight,
                                  gsize        weight_stride,
                                  gsize        n_columns,
                                  gsize        n_in,
                                  float       *c,
                                  gsize        c_stride);

/**
 * AttnKernels:
 * @n_lanes: floats of a register
 * @multiply_rows: for weights [n_columns, n_in]
 * @multiply_columns: for weights [n_in, n_columns]; both the weights and c have room for a multiple
 *   of %ATTN_KERNEL_COLUMNS columns
 */
typedef struct
{
  gsize n_lanes;
  AttnMultiplyFunc multiply_rows;
  AttnMultiplyFunc multiply_columns;
} AttnKernels;

#define ATTN_KERNEL_COLUMNS ((gsize) 32)

/**
 * AttnDotFunc:
 * @x: [n_in], or what an AttnArrangeFunc made of it
 * @row: n_in weights, one of the rows of a matrix [n_out, n_in]
 * @n_in: a multiple of 64, and of the numbers of a block
 *
 * Returns: the dot product of @x and @row
 */
typedef float (*AttnDotFunc) (const float *x,
                              const guint8 *row,
                              gsize n_in);

/**
 * AttnArrangeFunc:
 * @x: [n_in]
 * @n_in: as for an AttnDotFunc
 * @out: (out caller-allocates): [n_in + n_in / 16], at the beginning of a cache line
 *
 * Writes the vector in the order in which rows of a type of weights are read, and sums of its
 * numbers behind it.
 */
typedef void (*AttnArrangeFunc) (const float *x,
                                 gsize n_in,
                                 float *out);

const AttnKernels *attn_linear_get_kernels (gsize             max_lanes);
void               attn_linear_read        (const AttnLinear *linear,
                                            gsize             first_input,
                                            gsize             n_inputs,
                                            gsize             first_column,
                                            gsize             n_columns,
                                            float            *out,
                                            gsize             stride);
void               attn_linear_prefetch    (const AttnLinear *linear,
                                            gsize             first_input,
                                            gsize             n_inputs,
                                            gsize             first_column,
                                            gsize             n_columns);
gsize              attn_linear_find_row    (const AttnLinear *linear,
                                            gsize             row);
gboolean           attn_linear_can_run_one (const AttnLinear *linear);
float             *attn_linear_arrange_one (const AttnLinear *linear);
void               attn_linear_run_one     (const AttnLinear *linear,
                                            const float      *x,
                                            gsize             begin,
                                            gsize             n);
void               attn_linear_run_few     (const AttnLinear *linear,
                                            gsize             begin,
                                            gsize             n);
gsize              attn_linear_get_n_multiplications (void);
void               attn_linear_arrange_q4_k (const float     *x,
                                            gsize             n_in,
                                            float            *out);
void               attn_linear_arrange_q6_k (const float     *x,
                                            gsize             n_in,
                                            float            *out);
AttnDotFunc        attn_linear_choose_dot_q4_k (void);
AttnDotFunc        attn_linear_choose_dot_q6_k (void);

/* Reads the scales and minima of the eight sub-blocks of a block of Q4_K, eight bytes each, from
 * the 12 bytes in which the file has them: four scales and four minima of six bits each, whose
 * upper bits belong to the other eight. */
static inline __attribute__ ((always_inline)) void
attn_linear_read_scales (const guint8 *from,
                         guint64       bytes[2])
{
  guint64 low, high;
  guint32 rest;

  memcpy (&low, from, sizeof low);
  memcpy (&rest, from + 8, sizeof rest);
  high = (((guint64) rest << 28 | rest) & 0x0f0f0f0f0f0f0f0f) | (low >> 2 & 0x3030303030303030);
  low &= 0x3f3f3f3f3f3f3f3f;
  bytes[0] = (guint32) low | high << 32;
  bytes[1] = low >> 32 | (high >> 32 << 32);
}

G_END_DECLS
