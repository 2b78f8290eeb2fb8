/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A linear layer, with its bias and activation, run by all computing threads. */

#pragma once

#include <glib.h>

#include "attn-array.h"
#include "attn-family.h"

G_BEGIN_DECLS

/* Floats of a matrix that a worker converts at a time, so that they fit a core's caches. */
#define ATTN_LINEAR_TILE ((gsize) 1 << 20)

/**
 * AttnLinear:
 * @x: [n_rows, n_in]
 * @weight: (nullable): [n_in, n_out] if @is_input_major, else [n_out, n_in]; %NULL to
 *   convert @array
 * @array: (nullable): the weights as the file has them; may be %NULL if there is a @weight
 * @paired_width: the head width if rows of @array lie in the order of
 *   [func@attn_weights_find_row], else 0
 * @scratch: (nullable): if there is no @weight, @n_scratch floats for each worker
 * @n_scratch: %ATTN_LINEAR_TILE, or @n_in if that is more
 * @bias: (nullable): [n_out]
 * @activation: (nullable): what is applied to the result
 * @is_alone: whether one thread runs the product whatever the number of threads, so that its bits
 *   need not be those of a product that is cut into slabs
 * @accumulates: whether the result is added to @out, as to a residual stream
 * @out: [n_rows, n_out], rows @out_stride floats apart; must not be @x
 */
typedef struct
{
  const float *x;
  gsize n_rows;
  gsize n_in;
  gsize n_out;
  const float *weight;
  const AttnArray *array;
  gsize paired_width;
  float *scratch;
  gsize n_scratch;
  gboolean is_input_major;
  const float *bias;
  const AttnActivation *activation;
  gboolean is_alone;
  gboolean accumulates;
  float *out;
  gsize out_stride;
} AttnLinear;

void attn_linear_run (const AttnLinear *linear,
                      gsize             n_workers);

G_END_DECLS
