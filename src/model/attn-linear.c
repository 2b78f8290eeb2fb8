/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-linear.h"

#include "attn-blas.h"
#include "attn-ops.h"
#include "attn-parallel.h"

/* Multiplications below which waking a thread costs more than it saves. */
#define MIN_WORK ((gsize) 1 << 20)
/* Columns come in whole registers. */
#define SLAB_UNIT 16

typedef struct
{
  const AttnLinear *linear;
  gsize slab_width;
} Slabs;

/* Columns rather than rows: each thread then reads its own part of the weights, which are the
 * larger operand, once. */
static void
run_slab (gsize    task,
          gsize    worker,
          gpointer user_data)
{
  const Slabs *slabs = user_data;
  const AttnLinear *linear = slabs->linear;
  gsize begin = task * slabs->slab_width;
  gsize n = MIN (slabs->slab_width, linear->n_out - begin);
  AttnMatrix x = { linear->x, linear->n_in, FALSE };
  AttnMatrix weight = { linear->weight + begin, linear->n_out, FALSE };
  float *out = linear->out + begin;

  if (!linear->is_input_major)
    weight = (AttnMatrix) { linear->weight + begin * linear->n_in, linear->n_in, TRUE };
  attn_blas_multiply (linear->n_rows, n, linear->n_in, 1.0f, x, weight,
                      linear->accumulates ? 1.0f : 0.0f, out, linear->out_stride);
  const float *bias = linear->bias != NULL ? linear->bias + begin : NULL;
  if (bias == NULL && linear->activation == NULL)
    return;
  for (gsize row = 0; row < linear->n_rows; row++, out += linear->out_stride)
    if (linear->activation != NULL)
      attn_ops_activate (*linear->activation, bias, n, out);
    else
      attn_ops_add (out, bias, n);
}

/**
 * attn_linear_run:
 * @linear: what to compute
 * @n_workers: how many threads at most
 *
 * out = activation (x weight + bias), or out += x weight + bias.
 */
void
attn_linear_run (const AttnLinear *linear,
                 gsize             n_workers)
{
  gsize work = linear->n_rows * linear->n_in * linear->n_out;
  gsize n_slabs = work < MIN_WORK ? 1 : n_workers;
  gsize n_units = (linear->n_out + SLAB_UNIT - 1) / SLAB_UNIT;
  Slabs slabs = { linear, (n_units + n_slabs - 1) / n_slabs * SLAB_UNIT };

  n_slabs = (linear->n_out + slabs.slab_width - 1) / slabs.slab_width;
  attn_parallel_run (n_slabs, n_workers, run_slab, &slabs);
}
