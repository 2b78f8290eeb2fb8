/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A linear layer with what follows it, over the threads that compute. */

#pragma once

#include <glib.h>

#include "attn-family.h"

G_BEGIN_DECLS

/**
 * AttnLinear:
 * @x: [n_rows, n_in]
 * @weight: [n_in, n_out] if @is_input_major, else [n_out, n_in]
 * @bias: (nullable): [n_out]
 * @activation: (nullable): what follows
 * @accumulates: whether the result is added to @out, as a residual stream wants it
 * @out: [n_rows, n_out], rows @out_stride floats apart; not @x
 */
typedef struct
{
  const float *x;
  gsize n_rows;
  gsize n_in;
  gsize n_out;
  const float *weight;
  gboolean is_input_major;
  const float *bias;
  const AttnActivation *activation;
  gboolean accumulates;
  float *out;
  gsize out_stride;
} AttnLinear;

void attn_linear_run (const AttnLinear *linear,
                      gsize             n_workers);

G_END_DECLS
