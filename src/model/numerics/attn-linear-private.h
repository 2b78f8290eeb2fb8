/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Members that both ways of running a linear layer share, and the kernels of one of them. */

#pragma once

#include "attn-linear.h"

G_BEGIN_DECLS

/* The most rows for which multiplying the weights as they are read is faster. */
#define ATTN_LINEAR_FEW ((gsize) 32)

/**
 * AttnMultiplyFunc:
 * @x: [n_rows, n_in]
 * @weight: [n_columns, n_in] or [n_in, n_columns]
 * @c: (inout): [n_rows, n_columns]
 *
 * c += x weight. Rows of each are so many floats apart as its stride says.
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
 * @multiply_rows: of weights [n_columns, n_in]
 * @multiply_columns: of weights [n_in, n_columns]; both they and c have room for a multiple of
 *   %ATTN_KERNEL_COLUMNS columns
 */
typedef struct
{
  gsize n_lanes;
  AttnMultiplyFunc multiply_rows;
  AttnMultiplyFunc multiply_columns;
} AttnKernels;

#define ATTN_KERNEL_COLUMNS ((gsize) 32)

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

G_END_DECLS
