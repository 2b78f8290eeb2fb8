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

/* Cells below which waking a thread costs more than it saves. */
#define MIN_CELLS ((gsize) 1 << 15)
/* Floats of a cache line. */
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

/* Sums over steps of N_LANES cells, one for each lane. */
typedef struct
{
  float entropy[N_LANES];
  float variation[N_LANES];
  float largest[N_LANES];
} Lanes;

ATTN_INLINE void
add_step (const float *weights,
          const float *baseline,
          Lanes       *lanes)
{
  for (gsize lane = 0; lane < N_LANES; lane++)
    {
      float weight = weights[lane];
      float difference = fabsf (weight - baseline[lane]);

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

/* Adds the visible @n cells of a row. */
ATTN_CLONES (static, void, add_row,
             (const float *weights, const float *baseline, gsize n, AttnMeasures *measures),
             (weights, baseline, n, measures))
{
  Lanes lanes = { 0 };
  gsize n_whole = n - n % N_LANES;

  for (gsize i = 0; i < n_whole; i += N_LANES)
    add_step (weights + i, baseline + i, &lanes);
  if (n_whole < n)
    {
      float rest[2][N_LANES];

      copy_rest (weights, n, rest[0]);
      copy_rest (baseline, n, rest[1]);
      add_step (rest[0], rest[1], &lanes);
    }
  measures->mean_entropy += reduce_sum (lanes.entropy);
  measures->total_variation += reduce_sum (lanes.variation);
  float largest = reduce_maximum (lanes.largest);
  measures->largest_difference = MAX (measures->largest_difference, largest);
}

/**
 * attn_measures_get_entropy:
 * @weights: (array length=n): a row, or as much of it as is not masked
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

typedef struct
{
  const float *weights;
  const float *baseline;
  gsize first_row;
  gsize n_rows;
  gsize n_columns;
  gboolean is_causal;
  AttnMeasures *blocks;
  AttnTaskFunc func; /* (nullable) */
  gpointer user_data;
} Task;

static gsize
count_blocks (const Task *task)
{
  return (task->n_rows + ATTN_MEASURES_BLOCK_ROWS - 1) / ATTN_MEASURES_BLOCK_ROWS;
}

/* Prefetches the next row, since the processor's own prefetching ends at a page of 4 kB, which a
 * row of 1,024 cells fills. */
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

static void
measure_block (gsize    index,
               gsize    worker,
               gpointer user_data)
{
  const Task *task = user_data;
  /* The last block, which has the most visible cells, is taken first, so that no thread ends up
   * working on it alone. */
  gsize block = count_blocks (task) - 1 - index;
  gsize end = MIN ((block + 1) * ATTN_MEASURES_BLOCK_ROWS, task->n_rows);
  AttnMeasures *measures = &task->blocks[block];

  for (gsize row = block * ATTN_MEASURES_BLOCK_ROWS; row < end; row++)
    {
      gsize offset = row * task->n_columns;
      gsize n_visible = task->is_causal ? MIN (task->first_row + row + 1, task->n_columns)
                                        : task->n_columns;

      measures->sink_score += task->weights[offset];
      if (row + 1 < end)
        fetch_row (task->weights + offset + task->n_columns,
                   task->baseline + offset + task->n_columns, n_visible);
      add_row (task->weights + offset, task->baseline + offset, n_visible, measures);
    }
  if (task->func != NULL)
    task->func (block, worker, task->user_data);
}

static void
add_blocks (Task         *task,
            AttnMeasures *sums)
{
  gsize n_blocks = count_blocks (task);
  g_autofree AttnMeasures *blocks = g_new0 (AttnMeasures, n_blocks);

  task->blocks = blocks;
  attn_parallel_run (n_blocks,
                     task->n_rows * task->n_columns < MIN_CELLS ? 1 : attn_threads_get (),
                     measure_block, task);
  for (gsize i = 0; i < n_blocks; i++)
    {
      sums->sink_score += blocks[i].sink_score;
      sums->mean_entropy += blocks[i].mean_entropy;
      sums->total_variation += blocks[i].total_variation;
      sums->largest_difference = MAX (sums->largest_difference, blocks[i].largest_difference);
    }
}

/**
 * attn_measures_add:
 * @sums: all 0 to begin with
 * @weights: [n_rows, n_columns]
 * @baseline: [n_rows, n_columns]; @weights itself where nothing was done
 * @first_row: which query the first of them is
 * @is_causal: whether cells above the diagonal are masked and not read
 *
 * Adds rows of a map that is not there as a whole; [func@attn_measures_finish] makes measures of
 * it.
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
  Task task = { weights, baseline, first_row, n_rows, n_columns, is_causal };

  add_blocks (&task, sums);
}

/**
 * attn_measures_finish:
 * @sums: of all rows
 * @n_rows: how many they were
 */
void
attn_measures_finish (AttnMeasures *sums,
                      gsize         n_rows)
{
  sums->sink_score /= (double) n_rows;
  sums->mean_entropy /= (double) n_rows;
  if (sums->mean_entropy <= 0.0) /* -0, or a rounding error of a row with one visible key */
    sums->mean_entropy = 0.0;
  sums->total_variation /= 2.0 * (double) n_rows;
  if (isnan (sums->total_variation))
    sums->largest_difference = NAN;
}

/**
 * attn_measures_compute:
 * @weights: [T, S]
 * @baseline: [T, S]; @weights itself where nothing was done
 * @is_causal: whether cells above the diagonal are masked and not read
 * @func: (nullable): is run for each block of %ATTN_MEASURES_BLOCK_ROWS rows by the thread that has
 *   just read it, for what else is to be found out while the rows are near the processor
 *
 * Returns: all measures, to seven digits. A NaN in a visible cell makes those that read it NaN.
 */
AttnMeasures
attn_measures_compute (const AttnTensor *weights,
                       const AttnTensor *baseline,
                       gboolean          is_causal,
                       AttnTaskFunc      func,
                       gpointer          user_data)
{
  AttnMeasures measures = { 0 };
  const AttnMeasures none = { NAN, NAN, NAN, NAN };

  g_return_val_if_fail (weights->n_dims == 2 && baseline->n_dims == 2, none);
  g_return_val_if_fail (weights->shape[0] == baseline->shape[0], none);
  g_return_val_if_fail (weights->shape[1] == baseline->shape[1], none);

  Task task = { weights->data, baseline->data, 0, weights->shape[0], weights->shape[1], is_causal,
                .func = func, .user_data = user_data };

  add_blocks (&task, &measures);
  attn_measures_finish (&measures, weights->shape[0]);
  return measures;
}
