/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Processes rows of a matrix in one pass: reduces each 2 x 2 block of cells to one, which gives
 * rows of half the width and height, and finds the extent of the values, such as the smallest and
 * largest. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-clones.h"
#include "attn-panel-private.h"

/* Like fmaxf(), which takes the other number if one is NaN, but compilers can vectorize it: a
 * maximum and, where there may be a NaN, a selection. */
static inline __attribute__ ((always_inline)) float
larger (float    a,
        float    b,
        gboolean has_nan)
{
  float largest = a > b ? a : b;

  return !has_nan || b == b ? largest : a;
}

/* The number of pairs of columns that are processed at a time. Their intermediate results fit into
 * the first-level cache. */
#define N_PAIRS 256

/* Takes the maximum of each column of two rows first, and then of each pair of columns. That needs
 * half as many shuffles of vectors as the other way around. @has_nan: a constant, whether a number
 * may be NaN; without, a maximum is a single instruction */
static inline __attribute__ ((always_inline)) void
reduce_columns (const float      *upper,
                const float      *lower,
                gsize             n_pairs,
                gboolean          has_nan,
                float * restrict  out)
{
  float columns[2 * N_PAIRS];

  for (gsize first = 0; first < n_pairs; first += N_PAIRS)
    {
      gsize n = MIN (n_pairs - first, N_PAIRS);

      for (gsize i = 0; i < 2 * n; i++)
        columns[i] = larger (upper[2 * first + i], lower[2 * first + i], has_nan);
      for (gsize i = 0; i < n; i++)
        out[first + i] = larger (columns[2 * i], columns[2 * i + 1], has_nan);
    }
}

ATTN_CLONES (static, void, reduce_numbers,
             (const float *upper, const float *lower, gsize n_pairs, float *restrict out),
             (upper, lower, n_pairs, out))
{
  reduce_columns (upper, lower, n_pairs, FALSE, out);
}

ATTN_CLONES (static, void, reduce_numbers_and_nan,
             (const float *upper, const float *lower, gsize n_pairs, float *restrict out),
             (upper, lower, n_pairs, out))
{
  reduce_columns (upper, lower, n_pairs, TRUE, out);
}

/* Two neighboring rows that are reduced to one coarser row, and the columns of each row that are
 * not masked. */
typedef struct
{
  const float *rows[2];
  AttnSpan seen[2];
  gboolean is_signed;
  gboolean has_nan;
} Pair;

/* Reduces a 2 x 2 block of cells that is partly masked or at the edge of the matrix. */
static float
reduce_block (const Pair *pair,
              gsize       block)
{
  float reduced = NAN;
  gboolean is_seen = FALSE;

  for (guint i = 0; i < 2; i++)
    for (gsize column = MAX (2 * block, pair->seen[i].first);
         column < MIN (2 * block + 2, pair->seen[i].end); column++)
      {
        float value = pair->rows[i][column];

        reduced = pair->is_signed ? attn_panel_pick_farther (reduced, value)
                                  : larger (reduced, value, TRUE);
        is_seen = TRUE;
      }
  return is_seen ? reduced : 0;
}

/* Reduces 2 x 2 blocks of which no cell is masked, without looking at the mask again. */
static void
reduce_whole_blocks (const Pair *pair,
                     AttnSpan    blocks,
                     float      *out)
{
  const float *upper = pair->rows[0];
  const float *lower = pair->rows[1];

  if (!pair->is_signed)
    {
      (pair->has_nan ? reduce_numbers_and_nan : reduce_numbers) (
          upper + 2 * blocks.first, lower + 2 * blocks.first, blocks.end - blocks.first,
          out + blocks.first);
      return;
    }
  for (gsize block = blocks.first; block < blocks.end; block++)
    {
      float above = attn_panel_pick_farther (upper[2 * block], upper[2 * block + 1]);
      float below = attn_panel_pick_farther (lower[2 * block], lower[2 * block + 1]);

      out[block] = attn_panel_pick_farther (above, below);
    }
}

/* Reduces two rows to one: masked blocks to 0, and whole blocks the quick way. @n_blocks: half of
 * the number of columns, the length of @out */
static void
reduce_pair (const Pair *pair,
             gsize       n_blocks,
             float      *out)
{
  const AttnSpan *seen = pair->seen;
  AttnSpan some = { n_blocks, 0 };
  AttnSpan whole = { (MAX (seen[0].first, seen[1].first) + 1) / 2,
                     MIN (seen[0].end, seen[1].end) / 2 };

  for (guint i = 0; i < 2; i++)
    if (seen[i].first < seen[i].end)
      {
        some.first = MIN (some.first, seen[i].first / 2);
        some.end = MAX (some.end, (seen[i].end + 1) / 2);
      }
  some.first = MIN (some.first, some.end);
  if (whole.first >= whole.end)
    whole.first = whole.end = some.first;

  memset (out, 0, some.first * sizeof *out);
  for (gsize block = some.first; block < whole.first; block++)
    out[block] = reduce_block (pair, block);
  reduce_whole_blocks (pair, whole, out);
  for (gsize block = whole.end; block < some.end; block++)
    out[block] = reduce_block (pair, block);
  memset (out + some.end, 0, (n_blocks - some.end) * sizeof *out);
}

/* Returns the columns of a row that are not masked, among the @n_columns from @first_column on,
 * counted from @first_column. */
static AttnSpan
get_seen (const AttnPanel *panel,
          guint            level,
          gsize            row,
          gsize            first_column,
          gsize            n_columns)
{
  AttnSpan span = attn_panel_get_visible_at (panel, level, row);
  gsize end_column = first_column + n_columns;

  return (AttnSpan) { CLAMP (span.first, first_column, end_column) - first_column,
                      CLAMP (span.end, first_column, end_column) - first_column };
}

/* Reduces each 2 x 2 block of cells to its maximum, or in a signed panel to the value farthest from
 * 0. If the number of rows or columns is odd, the last block is smaller. Masked cells are ignored;
 * a block of masked cells only becomes 0. NaN results only if all cells that are not masked are
 * NaN. @fine: cells at @level, from @first_row and @first_column of the panel on. @has_nan: whether
 * one that is not masked may be NaN. @coarse: [half of n_rows, half of n_columns], the same cells
 * at the next level. */
void
attn_panel_halve (const AttnPanel *panel,
                  guint            level,
                  gsize            first_row,
                  gsize            first_column,
                  const float     *fine,
                  gsize            n_rows,
                  gsize            n_columns,
                  gsize            stride,
                  gboolean         has_nan,
                  float           *coarse)
{
  gsize n_blocks = (n_columns + 1) / 2;

  for (gsize row = 0; row < n_rows; row += 2)
    {
      gsize lower = MIN (row + 1, n_rows - 1);
      const Pair pair = {
        .rows = { fine + row * stride, fine + lower * stride },
        .seen = { get_seen (panel, level, first_row + row, first_column, n_columns),
                  get_seen (panel, level, first_row + lower, first_column, n_columns) },
        .is_signed = panel->is_signed,
        .has_nan = has_nan,
      };

      reduce_pair (&pair, n_blocks, coarse + row / 2 * n_blocks);
    }
}

/* Adds the cells of some rows, within @columns, that are not masked to @extent: the smallest and
 * largest value and the like. */
void
attn_panel_scan_rows (const AttnPanel *panel,
                      gsize            first_row,
                      gsize            n_rows,
                      AttnSpan         columns,
                      const float     *rows,
                      AttnExtent      *extent)
{
  for (gsize row = 0; row < n_rows; row++)
    {
      AttnSpan span = attn_panel_get_visible (panel, first_row + row);
      gsize first = MAX (span.first, columns.first);
      gsize end = MIN (span.end, columns.end);

      if (first < end)
        attn_extent_add (extent, rows + row * panel->n_columns + first, end - first);
    }
}
