/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-linear.h"

#include "attn-blas.h"
#include "attn-ops.h"
#include "attn-parallel.h"
#include "attn-weights.h"

/* Multiplications below which waking a thread costs more than it saves. */
#define MIN_WORK ((gsize) 1 << 20)
/* Columns come in whole registers. */
#define SLAB_UNIT 16
/* Of tiles: enough that packing @x for each costs little beside the product, and that some are left
 * for the thread that is done first. */
#define MAX_TILE_WIDTH 512
#define TILES_A_WORKER 2

typedef struct
{
  const AttnLinear *linear;
  gsize slab_width;
} Slabs;

/* Columns @begin to @begin + @n of what x is multiplied by, as float32: [n_in, n] or [n, n_in]. That
 * the array is of numbers and of this shape was checked when the model was opened, so that reading
 * it cannot fail. */
static void
read_tile (const AttnLinear *linear,
           gsize             begin,
           gsize             n,
           float            *tile)
{
  if (linear->is_input_major)
    for (gsize row = 0; row < linear->n_in; row++)
      attn_array_read (linear->array, row * linear->n_out + begin, n, tile + row * n, NULL);
  else if (linear->paired_width == 0)
    attn_array_read (linear->array, begin * linear->n_in, n * linear->n_in, tile, NULL);
  else
    for (gsize row = 0; row < n; row++)
      attn_array_read (linear->array,
                       attn_weights_find_row (begin + row, linear->paired_width) * linear->n_in,
                       linear->n_in, tile + row * linear->n_in, NULL);
}

/* Columns rather than rows: each thread then reads its own part of the weights, which are the
 * larger operand, once. What has to be converted is converted by the thread that multiplies by it,
 * while the others multiply. */
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
  AttnMatrix weight = { NULL, linear->n_in, TRUE };
  float *out = linear->out + begin;

  if (linear->weight == NULL)
    {
      float *tile = linear->scratch + worker * linear->n_scratch;

      read_tile (linear, begin, n, tile);
      weight.data = tile;
      if (linear->is_input_major)
        weight = (AttnMatrix) { tile, n, FALSE };
    }
  else if (linear->is_input_major)
    weight = (AttnMatrix) { linear->weight + begin, linear->n_out, FALSE };
  else
    weight.data = linear->weight + begin * linear->n_in;
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

static gsize
round_up (gsize n)
{
  return (n + SLAB_UNIT - 1) / SLAB_UNIT * SLAB_UNIT;
}

/* A slab for each thread; of tiles as many more as the memory of one asks for. */
static gsize
choose_slab_width (const AttnLinear *linear,
                   gsize             n_workers)
{
  gsize work = linear->n_rows * linear->n_in * linear->n_out;

  gsize n_slabs = work < MIN_WORK ? 1 : n_workers;

  if (linear->weight != NULL)
    return round_up ((linear->n_out + n_slabs - 1) / n_slabs);

  n_slabs *= TILES_A_WORKER;
  gsize largest = linear->n_scratch / linear->n_in;
  gsize width = MIN (round_up ((linear->n_out + n_slabs - 1) / n_slabs), MAX_TILE_WIDTH);

  if (width > largest)
    width = largest >= SLAB_UNIT ? largest / SLAB_UNIT * SLAB_UNIT : largest;
  return width;
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
  Slabs slabs = { linear, choose_slab_width (linear, n_workers) };
  gsize n_slabs = (linear->n_out + slabs.slab_width - 1) / slabs.slab_width;

  attn_parallel_run (n_slabs, n_workers, run_slab, &slabs);
}
