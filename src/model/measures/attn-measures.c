/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computes all measures in one pass over the visible cells, since a panel of 1024 tokens has a
 * million cells and a figure of nine panels must fit a frame of 16.7 ms. Sums are float32 along a
 * row and double across rows, for seven digits. */

#include "config.h"

#include "attn-measures.h"

#include <math.h>

#include "attn-lanes.h"
#include "attn-parallel.h"
#include "attn-threads.h"

/* The number of floats in a cache line of the processor. */
#define CACHE_LINE ((gsize) 16)

/* Returns log2 of a positive number. x = 2^e m with m from sqrt (1/2) to sqrt (2), and log2 m = s P
 * (s^2) with s = (m - 1) / (m + 1) and a minimax polynomial, whose relative error is 1.2e-7. A
 * division takes less time than the six more terms of a polynomial of m - 1. For 0 the result is a
 * negative number, so that 0 times it is 0. */
ATTN_INLINE float
log2_one (float x)
{
  gint32 exponent = (gint32) (bits_from_float (x) - 0x3f3504f3) >> 23;
  float m = float_from_bits (bits_from_float (x) - ((guint32) exponent << 23));
  float s = (m - 1.0f) / (m + 1.0f);
  float square = s * s;

  float p = 0.595780730f * square + 0.961588323f;
  p = p * square + 2.885390520f;
  return p * s + (float) exponent;
}

/* Sums and maxima over steps of N_LANES cells of a row, one for each lane (number of a vector
 * register). */
typedef struct
{
  float entropy[N_LANES];
  float variation[N_LANES];
  float largest[N_LANES];
} Lanes;

/* Adds N_LANES cells of a row to the sums. @has_entropy: a constant, so that the compiler can leave
 * out the entropy */
ATTN_INLINE void
add_step (const float *weights,
          const float *baseline,
          gboolean     has_entropy,
          Lanes       *lanes)
{
  for (gsize lane = 0; lane < N_LANES; lane++)
    {
      float weight = weights[lane];
      float difference = fabsf (weight - baseline[lane]);

      if (has_entropy)
        lanes->entropy[lane] -= weight * log2_one (weight);
      lanes->variation[lane] += difference;
      lanes->largest[lane] = difference > lanes->largest[lane] ? difference : lanes->largest[lane];
    }
}

/* Copies the cells after the last whole step into a step of their own, with zeros in front, which
 * add nothing. One by one, these cells would take as long as all before them. */
ATTN_INLINE void
copy_rest (const float *row,
           gsize        n,
           float       *rest)
{
  guint n_before = (guint) (N_LANES - n % N_LANES);

  if (n < N_LANES)
    {
      memset (rest, 0, N_LANES * sizeof *rest);
      memcpy (rest + n_before, row, n * sizeof *rest);
      return;
    }
  memcpy (rest, row + n - N_LANES, N_LANES * sizeof *rest);
  for (guint lane = 0; lane < N_LANES; lane++)
    rest[lane] = lane < n_before ? 0.0f : rest[lane];
}

ATTN_INLINE void
add_cells (const float  *weights,
           const float  *baseline,
           gsize         n,
           gboolean      has_entropy,
           AttnMeasures *measures)
{
  Lanes lanes = { 0 };
  gsize n_whole = n - n % N_LANES;

  for (gsize i = 0; i < n_whole; i += N_LANES)
    add_step (weights + i, baseline + i, has_entropy, &lanes);
  if (n_whole < n)
    {
      float rest[2][N_LANES];

      copy_rest (weights, n, rest[0]);
      copy_rest (baseline, n, rest[1]);
      add_step (rest[0], rest[1], has_entropy, &lanes);
    }
  if (has_entropy)
    measures->mean_entropy += reduce_sum (lanes.entropy);
  measures->total_variation += reduce_sum (lanes.variation);
  float largest = reduce_maximum (lanes.largest);
  measures->largest_difference = MAX (measures->largest_difference, largest);
}

/* Adds the visible @n cells of a row to the sums. */
ATTN_CLONES (static, void, add_row,
             (const float *weights, const float *baseline, gsize n, AttnMeasures *measures),
             (weights, baseline, n, measures))
{
  add_cells (weights, baseline, n, TRUE, measures);
}

/* Adds the visible @n cells of a row to the sums, without their entropy. */
ATTN_CLONES (static, void, add_differences,
             (const float *weights, const float *baseline, gsize n, AttnMeasures *measures),
             (weights, baseline, n, measures))
{
  add_cells (weights, baseline, n, FALSE, measures);
}

/**
 * attn_measures_get_entropy:
 * @weights: (array length=n): a row of weights, or the part of it that is not masked
 *
 * Returns: -Σ w log2 w, in bits, to seven digits
 */
double
attn_measures_get_entropy (const float *weights,
                           gsize        n)
{
  AttnMeasures measures = { 0 };

  add_row (weights, weights, n, &measures);
  return measures.mean_entropy;
}

/**
 * attn_measures_are_distributions:
 * @weights: [n_rows, n_columns]
 * @first_row: number of the query of the first row
 * @is_causal: whether cells above the diagonal are masked and not read
 *
 * Recorded arrays can be anything. The weights of a softmax are not negative and sum to 1 in each
 * row, or to less where it had a sink that is no key, to within %ATTN_MEASURES_SUM_TOLERANCE; only
 * for such rows are sink scores and entropies defined. A row with a NaN in it is not counted.
 *
 * Returns: whether all rows are weights of a softmax
 */
gboolean
attn_measures_are_distributions (const float *weights,
                                 gsize        first_row,
                                 gsize        n_rows,
                                 gsize        n_columns,
                                 gboolean     is_causal)
{
  for (gsize row = 0; row < n_rows; row++)
    {
      gsize n_visible = is_causal ? MIN (first_row + row + 1, n_columns) : n_columns;
      double sum = 0.0;
      float lowest = 0.0f;

      for (gsize column = 0; column < n_visible; column++)
        {
          sum += weights[row * n_columns + column];
          lowest = MIN (lowest, weights[row * n_columns + column]);
        }
      if (sum > 1.0 + ATTN_MEASURES_SUM_TOLERANCE ||
          lowest < -ATTN_MEASURES_SUM_TOLERANCE)
        return FALSE;
    }
  return TRUE;
}

/* Prefetches the next row of the map, since the processor's own prefetching ends at a page of 4 kB,
 * which a row of 1,024 cells fills. */
static void
fetch_row (const float *weights,
           const float *baseline,
           gsize        n)
{
  for (gsize i = 0; i < n; i += CACHE_LINE)
    {
      __builtin_prefetch (weights + i);
      __builtin_prefetch (baseline + i);
    }
}

/**
 * attn_measures_add_block:
 * @n_rows: %ATTN_MEASURES_BLOCK_ROWS, or fewer in the last block
 * @entropy: (nullable): the sum of the rows' entropies in bits, if it is known; else it is computed
 *
 * Does what [func@attn_measures_add] does for one block of rows, in the calling thread alone. Any
 * thread may call.
 */
void
attn_measures_add_block (AttnMeasures *sums,
                         const float  *weights,
                         const float  *baseline,
                         gsize         first_row,
                         gsize         n_rows,
                         gsize         n_columns,
                         gboolean      is_causal,
                         const double *entropy)
{
  if (entropy != NULL)
    sums->mean_entropy += *entropy;
  for (gsize row = 0; row < n_rows; row++)
    {
      gsize offset = row * n_columns;
      gsize n_visible = is_causal ? MIN (first_row + row + 1, n_columns) : n_columns;

      sums->sink_score += weights[offset];
      if (row + 1 < n_rows)
        fetch_row (weights + offset + n_columns, baseline + offset + n_columns, n_visible);
      if (entropy != NULL)
        add_differences (weights + offset, baseline + offset, n_visible, sums);
      else
        add_row (weights + offset, baseline + offset, n_visible, sums);
    }
}

/**
 * attn_measures_merge:
 * @other: sums of other rows, which come after those of @sums
 *
 * Adds @other to @sums.
 */
void
attn_measures_merge (AttnMeasures       *sums,
                     const AttnMeasures *other)
{
  sums->sink_score += other->sink_score;
  sums->mean_entropy += other->mean_entropy;
  sums->total_variation += other->total_variation;
  sums->largest_difference = MAX (sums->largest_difference, other->largest_difference);
}

typedef struct
{
  const float *weights;
  const float *baseline;
  gsize first_row;
  gsize n_rows;
  gsize n_columns;
  gboolean is_causal;
  gsize n_blocks;
  AttnMeasures *blocks;
} Task;

static void
measure_block (gsize    index,
               gsize    worker,
               gpointer user_data)
{
  const Task *task = user_data;
  /* The last block of rows, which has the most visible cells, is taken first, so that no thread
   * ends up working on it alone. */
  gsize block = task->n_blocks - 1 - index;
  gsize row = block * ATTN_MEASURES_BLOCK_ROWS;

  attn_measures_add_block (&task->blocks[block], task->weights + row * task->n_columns,
                           task->baseline + row * task->n_columns, task->first_row + row,
                           MIN (ATTN_MEASURES_BLOCK_ROWS, task->n_rows - row), task->n_columns,
                           task->is_causal, NULL);
}

/**
 * attn_measures_add:
 * @sums: all 0 to begin with
 * @weights: [n_rows, n_columns]
 * @baseline: [n_rows, n_columns]; @weights itself where no intervention changed them
 * @first_row: number of the query of the first row
 * @is_causal: whether cells above the diagonal are masked and not read
 *
 * Adds some rows of a map to sums, from which [func@attn_measures_finish] makes measures, to seven
 * digits, once all rows are added. A NaN in a visible cell makes the measures NaN that depend on
 * the cell.
 */
void
attn_measures_add (AttnMeasures *sums,
                   const float  *weights,
                   const float  *baseline,
                   gsize         first_row,
                   gsize         n_rows,
                   gsize         n_columns,
                   gboolean      is_causal)
{
  gsize n_blocks = (n_rows + ATTN_MEASURES_BLOCK_ROWS - 1) / ATTN_MEASURES_BLOCK_ROWS;
  g_autofree AttnMeasures *blocks = g_new0 (AttnMeasures, n_blocks);
  Task task = { weights, baseline, first_row, n_rows, n_columns, is_causal, n_blocks, blocks };

  attn_parallel_run (n_blocks,
                     n_rows * n_columns < ATTN_MEASURES_MIN_CELLS ? 1 : attn_threads_get (),
                     measure_block, &task);
  for (gsize i = 0; i < n_blocks; i++)
    attn_measures_merge (sums, &blocks[i]);
}

/**
 * attn_measures_finish:
 * @sums: (inout): sums over all rows, made into measures
 * @n_rows: how many rows were added
 */
void
attn_measures_finish (AttnMeasures *sums,
                      gsize         n_rows)
{
  sums->sink_score /= (double) n_rows;
  sums->mean_entropy /= (double) n_rows;
  if (sums->mean_entropy <= 0.0) /* Entropies of -0, or below 0 by a rounding error of a row with
                                  * one visible key, become 0. */
    sums->mean_entropy = 0.0;
  sums->total_variation /= 2.0 * (double) n_rows;
  if (isnan (sums->total_variation))
    sums->largest_difference = NAN;
}
