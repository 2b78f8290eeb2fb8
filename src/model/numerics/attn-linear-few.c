/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A linear layer for few tokens. Its time goes into reading the weights, so they are read once,
 * directly from the file, and are not converted or packed elsewhere first. */

#include "config.h"

#include <string.h>

#include "attn-clones.h"
#include "attn-linear-private.h"

/* The numbers of columns and inputs of a tile of the weights. A tile and its sums fit the nearest
 * caches. */
#define N_COLUMNS ((gsize) 256)
#define N_INPUTS  ((gsize) 64)
/* The floats from a row of a tile to the next: a cache line more than its columns, since rows a
 * power of 2 apart would share few sets of the nearest cache. */
#define TILE_STRIDE (N_COLUMNS + 16)
/* The numbers of rows and inputs of a tile if the weights are stored as [n_out, n_in] and read by
 * rows. */
#define N_ROWS_READ     ((gsize) 4)
#define N_INPUTS_OF_ROW ((gsize) 2048)

#if defined(__x86_64__) && defined(__GNUC__)

#define KERNEL(name)  name##_512
#define KERNEL_TARGET __attribute__ ((target ("avx512f")))
#define KERNEL_LANES  16
#define KERNEL_ROWS   8
#include "attn-linear-kernel.h"

#define KERNEL(name)  name##_256
#define KERNEL_TARGET __attribute__ ((target ("avx2,fma")))
#define KERNEL_LANES  8
#define KERNEL_ROWS   4
#include "attn-linear-kernel.h"

#endif

#define KERNEL(name) name##_128
#define KERNEL_TARGET
#define KERNEL_LANES 4
#define KERNEL_ROWS  4
#include "attn-linear-kernel.h"

/**
 * attn_linear_get_kernels:
 * @max_lanes: floats of the widest register that may be used
 *
 * Returns: (transfer none): the quickest kernels with registers of up to so many floats that this
 *   processor runs, or slower ones if the environment asks for them
 */
const AttnKernels *
attn_linear_get_kernels (gsize max_lanes)
{
  static const AttnKernels narrow = { 4, multiply_rows_128, multiply_columns_128 };
#if defined(__x86_64__) && defined(__GNUC__)
  static const AttnKernels wide = { 8, multiply_rows_256, multiply_columns_256 };
  static const AttnKernels widest = { 16, multiply_rows_512, multiply_columns_512 };
  AttnClone clone = attn_clones_get ();

  if (max_lanes >= 16 && clone >= ATTN_CLONE_AVX512)
    return &widest;
  if (max_lanes >= 8 && clone >= ATTN_CLONE_AVX2)
    return &wide;
#endif
  return &narrow;
}

/* Adds the product of x and columns @begin to @begin + @n of the weights, [n_in, n_out], to @sums,
 * [n_rows, N_COLUMNS]. Prefetches the next part of the weights while a part is multiplied. */
static void
add_columns (const AttnLinear  *linear,
             const AttnKernels *kernels,
             gsize              begin,
             gsize              n,
             float             *sums)
{
  float tile[N_INPUTS * TILE_STRIDE];
  /* Weights that are float32 in memory are multiplied where they are. */
  gboolean is_direct = linear->weight != NULL && n % ATTN_KERNEL_COLUMNS == 0;

  if (n < N_COLUMNS && !is_direct)
    memset (tile, 0, sizeof tile);
  for (gsize input = 0; input < linear->n_in; input += N_INPUTS)
    {
      gsize n_inputs = MIN (linear->n_in - input, N_INPUTS);
      gsize next = input + n_inputs;
      gsize n_next = MIN (linear->n_in - next, N_INPUTS);

      const float *weights = tile;
      gsize stride = TILE_STRIDE;

      if (is_direct)
        {
          weights = linear->weight + input * linear->n_out + begin;
          stride = linear->n_out;
        }
      else
        attn_linear_read (linear, input, n_inputs, begin, n, tile, TILE_STRIDE);
      for (gsize column = 0; column < n; column += ATTN_KERNEL_COLUMNS)
        {
          gsize first = n_next * column / n;
          gsize end = n_next * MIN (column + ATTN_KERNEL_COLUMNS, n) / n;

          attn_linear_prefetch (linear, next + first, end - first, begin, n);
          kernels->multiply_columns (linear->x + input, linear->n_in, linear->n_rows,
                                     weights + column, stride, ATTN_KERNEL_COLUMNS, n_inputs,
                                     sums + column, N_COLUMNS);
        }
    }
}

/* Does what add_columns() does for weights that are stored as [n_out, n_in]. */
static void
add_rows (const AttnLinear  *linear,
          const AttnKernels *kernels,
          gsize              begin,
          gsize              n,
          float             *sums)
{
  float tile[N_ROWS_READ * N_INPUTS_OF_ROW];
  gboolean is_direct = linear->weight != NULL && linear->paired_width == 0;

  for (gsize column = 0; column < n; column += N_ROWS_READ)
    for (gsize input = 0; input < linear->n_in; input += N_INPUTS_OF_ROW)
      {
        gsize n_columns = MIN (n - column, N_ROWS_READ);
        gsize n_inputs = MIN (linear->n_in - input, N_INPUTS_OF_ROW);
        gboolean is_end = input + n_inputs == linear->n_in;
        gsize next = is_end ? 0 : input + n_inputs;
        gsize next_column = is_end ? column + n_columns : column;
        gsize n_next = MIN (linear->n_in - next, N_INPUTS_OF_ROW);
        gsize n_next_columns = MIN (n - next_column, N_ROWS_READ);

        const float *weights = tile;
        gsize stride = N_INPUTS_OF_ROW;

        if (is_direct)
          {
            weights = linear->weight + (begin + column) * linear->n_in + input;
            stride = linear->n_in;
          }
        else
          attn_linear_read (linear, input, n_inputs, begin + column, n_columns, tile,
                            N_INPUTS_OF_ROW);
        for (gsize row = 0; row < linear->n_rows; row += N_ROWS_READ)
          {
            gsize n_rows = MIN (linear->n_rows - row, N_ROWS_READ);
            gsize first = n_next * row / linear->n_rows;
            gsize end = n_next * (row + n_rows) / linear->n_rows;

            attn_linear_prefetch (linear, next + first, end - first, begin + next_column,
                                  n_next_columns);
            kernels->multiply_rows (linear->x + row * linear->n_in + input, linear->n_in, n_rows,
                                    weights, stride, n_columns, n_inputs,
                                    sums + row * N_COLUMNS + column, N_COLUMNS);
          }
      }
}

/**
 * attn_linear_run_few:
 * @linear: what to compute, with at most %ATTN_LINEAR_FEW rows, its weights in an array
 * @begin: the first column
 * @n: how many columns
 *
 * Computes out += x weight, or out = x weight, in @n columns of the output, without bias and
 * activation. Any thread may call; needs no scratch memory.
 */
void
attn_linear_run_few (const AttnLinear *linear,
                     gsize             begin,
                     gsize             n)
{
  const AttnKernels *kernels = attn_linear_get_kernels (16);
  float sums[ATTN_LINEAR_FEW * N_COLUMNS];

  g_return_if_fail (linear->n_rows <= ATTN_LINEAR_FEW);
  for (gsize end = begin + n; begin < end; begin += N_COLUMNS)
    {
      gsize n_columns = MIN (end - begin, N_COLUMNS);

      memset (sums, 0, linear->n_rows * N_COLUMNS * sizeof *sums);
      if (linear->is_input_major)
        add_columns (linear, kernels, begin, n_columns, sums);
      else
        add_rows (linear, kernels, begin, n_columns, sums);
      for (gsize row = 0; row < linear->n_rows; row++)
        {
          float *out = linear->out + row * linear->out_stride + begin;

          for (gsize i = 0; i < n_columns; i++)
            out[i] = (linear->accumulates ? out[i] : 0.0f) + sums[row * N_COLUMNS + i];
        }
    }
}
