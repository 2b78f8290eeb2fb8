/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-blas.h"
#include "attn-linear-private.h"
#include "attn-low-rank.h"
#include "attn-ops.h"
#include "attn-packed.h"
#include "attn-parallel.h"

/* The number of multiplications of a linear layer below which waking a thread costs more than it
 * saves. */
#define MIN_WORK ((gsize) 1 << 20)
/* The number of multiplications below which a linear layer of one input row wakes no thread; each
 * of them reads a weight. */
#define MIN_WORK_OF_ONE ((gsize) 1 << 17)
/* The width of a slab, the columns of the output that a thread computes at a time, is a multiple of
 * this, so that registers are full. */
#define SLAB_UNIT 16
/* The most columns whose weights a thread converts at a time. */
#define MAX_TILE_WIDTH 512
/* The least number of slabs (parts of the output's columns), however few threads compute. OpenBLAS
 * rounds a column differently at another place of a slab, so with any number of threads up to this,
 * results are the same to the last bit. It packs the rows anew for each slab, which takes 7 % of a
 * product of 512 rows with 768 x 2304. A product that a single thread runs in any case has one
 * slab. */
#define MIN_SLABS 4
/* The number of rows of weights that are prefetched while as many are converted. */
#define ROWS_AHEAD ((gsize) 4)
/* For a single row, where OpenBLAS's rounding does not matter, each of n threads takes 1 /
 * (SHARE_OF_ONE n) of the columns that are left at a time, but at least 1 / (LEAST_SHARE_OF_ONE n)
 * of all columns. */
#define SHARE_OF_ONE       ((gsize) 2)
#define LEAST_SHARE_OF_ONE ((gsize) 16)

/**
 * Slabs:
 * @x: the input, as attn_linear_run_one() takes it
 * @begins: (array length=n_slabs+1): the first column of each slab, and last the number of columns
 */
typedef struct
{
  const AttnLinear *linear;
  const float *x;
  gsize *begins;
  gsize n_slabs;
} Slabs;

static gsize n_multiplications; /* of all threads; atomic */

/* Converts the weights of a slab, and prefetches the next rows of the file: they are not next to
 * one another, or longer than a page, where the processor's own prefetching ends. */
static void
read_slab (const AttnLinear *linear,
           gsize             begin,
           gsize             n,
           gsize             stride,
           float            *out)
{
  gsize n_rows = linear->is_input_major ? linear->n_in : n;

  for (gsize row = 0; row < n_rows; row += ROWS_AHEAD, out += ROWS_AHEAD * stride)
    {
      gsize next = row + ROWS_AHEAD;
      gsize n_read = MIN (n_rows - row, ROWS_AHEAD);
      gsize n_next = next < n_rows ? MIN (n_rows - next, ROWS_AHEAD) : 0;

      if (linear->is_input_major)
        {
          attn_linear_prefetch (linear, next, n_next, begin, n);
          attn_linear_read (linear, row, n_read, begin, n, out, stride);
        }
      else
        {
          attn_linear_prefetch (linear, 0, linear->n_in, begin + next, n_next);
          attn_linear_read (linear, 0, linear->n_in, begin + row, n_read, out, stride);
        }
    }
}

/* Multiplies a slab by OpenBLAS, after converting its weights if needed. */
static void
multiply_slab (const AttnLinear *linear,
               gsize             begin,
               gsize             n,
               float            *scratch)
{
  AttnMatrix x = { linear->x, linear->n_in, FALSE };
  AttnMatrix weight = { NULL, linear->n_in, TRUE };

  if (linear->weight == NULL)
    {
      gsize stride = linear->is_input_major ? n : linear->n_in;

      read_slab (linear, begin, n, stride, scratch);
      weight = (AttnMatrix) { scratch, stride, !linear->is_input_major };
    }
  else if (linear->is_input_major)
    weight = (AttnMatrix) { linear->weight + begin, linear->n_out, FALSE };
  else
    weight.data = linear->weight + begin * linear->n_in;
  attn_blas_multiply (linear->n_rows, n, linear->n_in, 1.0f, x, weight,
                      linear->accumulates ? 1.0f : 0.0f, linear->out + begin, linear->out_stride);
}

/* Tells whether the input has so few rows that packing the weights would cost more than it
 * saves. */
static gboolean
has_few_rows (const AttnLinear *linear)
{
  return linear->array != NULL && linear->n_rows <= ATTN_LINEAR_FEW;
}

/* Runs a slab of columns. Work is split by columns rather than rows, so that each thread reads its
 * own part of the weights, the larger operand, once. Each thread converts the weights that it
 * multiplies by. */
static void
run_slab (gsize    task,
          gsize    worker,
          gpointer user_data)
{
  const Slabs *slabs = user_data;
  const AttnLinear *linear = slabs->linear;
  gsize begin = slabs->begins[task];
  gsize n = slabs->begins[task + 1] - begin;
  float *out = linear->out + begin;

  if (attn_linear_can_run_one (linear))
    attn_linear_run_one (linear, slabs->x, begin, n);
  else if (has_few_rows (linear))
    attn_linear_run_few (linear, begin, n);
  else
    multiply_slab (linear, begin, n,
                   linear->scratch != NULL ? linear->scratch + worker * linear->n_scratch : NULL);
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
round_up (gsize n,
          gsize unit)
{
  return (n + unit - 1) / unit * unit;
}

/* Chooses the width of a slab (columns of the output) so that each thread has one, or several if a
 * thread's tile of converted weights would not fit its memory. */
static gsize
choose_slab_width (const AttnLinear *linear,
                   gsize             n_workers)
{
  gsize work = linear->n_rows * linear->n_in * linear->n_out;
  gsize n_slabs = work < MIN_WORK || linear->is_alone ? 1 : MAX (n_workers, MIN_SLABS);
  gsize width = round_up ((linear->n_out + n_slabs - 1) / n_slabs, SLAB_UNIT);

  if (linear->weight != NULL || has_few_rows (linear))
    return width;

  gsize largest = linear->n_scratch / linear->n_in;
  width = MIN (width, MAX_TILE_WIDTH);
  if (width > largest)
    width = largest >= SLAB_UNIT ? largest / SLAB_UNIT * SLAB_UNIT : largest;
  return width;
}

/* Chooses the width of the next slab for a single row: the wider, the more columns are left, by
 * "guided self-scheduling" (Polychronopoulos and Kuck 1987, IEEE Transactions on Computers C-36).
 * Threads wait for memory, which they do not share evenly: quicker ones take more slabs, the last
 * of which are so small that none waits long for another. More slabs would be slower, as each
 * begins with weights that were not prefetched. */
static gsize
choose_width_of_one (const AttnLinear *linear,
                     gsize             n_workers,
                     gsize             n_left)
{
  gsize unit = linear->paired_width > 0 ? linear->paired_width : SLAB_UNIT;

  if (linear->n_in * linear->n_out < MIN_WORK_OF_ONE)
    return n_left;
  gsize width = MAX (n_left / (SHARE_OF_ONE * n_workers),
                     linear->n_out / (LEAST_SHARE_OF_ONE * n_workers));
  return round_up (MAX (width, 1), unit);
}

static void
choose_slabs (Slabs *slabs,
              gsize  n_workers)
{
  const AttnLinear *linear = slabs->linear;
  gboolean is_one = attn_linear_can_run_one (linear);
  gsize width = is_one ? 0 : choose_slab_width (linear, n_workers);
  g_autoptr (GArray) begins = g_array_sized_new (FALSE, FALSE, sizeof (gsize), 32);

  for (gsize begin = 0; begin < linear->n_out; begin += width)
    {
      if (is_one)
        width = choose_width_of_one (linear, n_workers, linear->n_out - begin);
      g_array_append_val (begins, begin);
    }
  slabs->n_slabs = begins->len;
  g_array_append_val (begins, linear->n_out);
  slabs->begins = g_array_steal (begins, NULL);
}

/* Runs a layer with an adapter's low-rank change, as W x + B (s A x). If the change has magnitudes,
 * the outputs are multiplied by their gains before bias and activation. */
static void
run_changed (const AttnLinear  *linear,
             const AttnLowRank *change,
             gsize              n_workers)
{
  const float *gains = attn_low_rank_get_gains (linear->array, n_workers);
  gsize rank = change->a->shape[0];
  gsize n_between = linear->n_rows * rank;
  g_autofree float *between = g_new (float, n_between);
  g_autofree float *own =
      gains != NULL ? g_new (float, linear->n_rows * linear->n_out) : NULL;
  AttnLinear base = *linear;
  const AttnLinear down = {
    .x = linear->x,
    .n_rows = linear->n_rows,
    .n_in = linear->n_in,
    .n_out = rank,
    .weight = attn_array_peek_float32 (change->a),
    .array = change->a,
    .scratch = linear->scratch,
    .n_scratch = linear->n_scratch,
    .is_alone = linear->is_alone,
    .out = between,
    .out_stride = rank,
  };

  base.array = change->base;
  base.weight = linear->paired_width == 0 ? attn_array_peek_float32 (change->base) : NULL;
  base.bias = NULL;
  base.activation = NULL;
  if (gains != NULL)
    {
      base.accumulates = FALSE;
      base.out = own;
      base.out_stride = linear->n_out;
    }
  const AttnLinear up = {
    .x = between,
    .n_rows = linear->n_rows,
    .n_in = rank,
    .n_out = linear->n_out,
    .weight = attn_array_peek_float32 (change->b),
    .array = change->b,
    .scratch = linear->scratch,
    .n_scratch = linear->n_scratch,
    .is_alone = linear->is_alone,
    .bias = gains == NULL ? linear->bias : NULL,
    .activation = gains == NULL ? linear->activation : NULL,
    .accumulates = TRUE,
    .out = base.out,
    .out_stride = base.out_stride,
  };

  attn_linear_run (&base, n_workers);
  attn_linear_run (&down, n_workers);
  attn_ops_scale (between, change->scale, n_between);
  attn_linear_run (&up, n_workers);
  for (gsize row = 0; gains != NULL && row < linear->n_rows; row++)
    {
      const float *from = own + row * linear->n_out;
      float *out = linear->out + row * linear->out_stride;

      for (gsize i = 0; i < linear->n_out; i++)
        out[i] = (linear->accumulates ? out[i] : 0.0f) + gains[i] * from[i];
      if (linear->activation != NULL)
        attn_ops_activate (*linear->activation, linear->bias, linear->n_out, out);
      else if (linear->bias != NULL)
        attn_ops_add (out, linear->bias, linear->n_out);
    }
}

/**
 * attn_linear_run:
 * @linear: what to compute
 * @n_workers: how many threads at most
 *
 * Computes out = activation (x weight + bias), or out += x weight + bias. If the matrix has a
 * low-rank change, what the change adds is computed separately, in memory of [n_rows, rank] floats,
 * and of [n_rows, n_out] if it has magnitudes.
 */
void
attn_linear_run (const AttnLinear *linear,
                 gsize             n_workers)
{
  g_return_if_fail (linear->n_in > 0 && linear->n_out > 0 && linear->out_stride >= linear->n_out);
  g_return_if_fail (linear->weight != NULL ||
                    (linear->array != NULL && attn_array_get_n_elements (linear->array) >=
                                                  linear->n_in * linear->n_out));

  const AttnLowRank *change =
      linear->weight == NULL ? attn_low_rank_get (linear->array) : NULL;
  if (change != NULL)
    {
      run_changed (linear, change, n_workers);
      return;
    }

  /* Packed weights have the order of their packing, whatever the family's order is. */
  AttnLinear own = *linear;
  if (linear->weight == NULL && linear->array->packed != NULL)
    own.is_input_major = attn_packed_is_input_major (linear->array);
  linear = &own;

  float *arranged =
      attn_linear_can_run_one (linear) ? attn_linear_arrange_one (linear) : NULL;
  Slabs slabs = { linear, arranged != NULL ? arranged : linear->x, NULL, 0 };

  choose_slabs (&slabs, n_workers);
  g_atomic_pointer_add (&n_multiplications, linear->n_rows * linear->n_in * linear->n_out);
  attn_parallel_run (slabs.n_slabs, n_workers, run_slab, &slabs);
  g_free (slabs.begins);
  g_aligned_free (arranged);
}

/**
 * attn_linear_get_n_multiplications:
 *
 * Returns: how many numbers all linear layers have multiplied since the program started, modulo the
 *   range of a gsize; it tells whether something was computed at all
 */
gsize
attn_linear_get_n_multiplications (void)
{
  return GPOINTER_TO_SIZE (g_atomic_pointer_get ((gpointer *) &n_multiplications));
}
