/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a figure asks of the values of a panel whatever it shows of them, found out of a few rows at
 * a time: they are read once, and by several threads. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-clones.h"
#include "attn-panel-private.h"

/* A stripe is one row of the last of these levels. */
#define N_STRIPE_LEVELS 6
G_STATIC_ASSERT (ATTN_PANEL_STRIPE_ROWS == (gsize) 1 << N_STRIPE_LEVELS);

struct _AttnPanelScan
{
  AttnPanel *panel;
  AttnTensor *levels[N_STRIPE_LEVELS]; /* from the first on, those there is memory for */
  AttnExtent *extents;                 /* one a stripe */
};

/* As fmaxf(), which the compiler leaves a call; a maximum and a choice of what vectors have. */
static inline float
larger (float a,
        float b)
{
  float largest = a > b ? a : b;

  return b == b ? largest : a;
}

/* So many pairs at a time: what is between the two steps stays near the processor. */
#define N_PAIRS 256

/* First the larger of each column, as they lie, and then of each pair: vectors have to be taken
 * apart half as often. */
ATTN_CLONES static void
reduce_rows (const float      *upper,
             const float      *lower,
             gsize             n_pairs,
             float * restrict  out)
{
  float columns[2 * N_PAIRS];

  for (gsize first = 0; first < n_pairs; first += N_PAIRS)
    {
      gsize n = MIN (n_pairs - first, N_PAIRS);

      for (gsize i = 0; i < 2 * n; i++)
        columns[i] = larger (upper[2 * first + i], lower[2 * first + i]);
      for (gsize i = 0; i < n; i++)
        out[first + i] = larger (columns[2 * i], columns[2 * i + 1]);
    }
}

/* The cells of two rows that make one coarser row, and what of each is not masked. */
typedef struct
{
  const float *rows[2];
  AttnSpan seen[2];
  gboolean is_signed;
} Pair;

/* A block at the edge of what is seen, or of the matrix. */
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

        reduced =
            pair->is_signed ? attn_panel_pick_farther (reduced, value) : larger (reduced, value);
        is_seen = TRUE;
      }
  return is_seen ? reduced : 0;
}

/* Blocks of which both rows see all. */
static void
reduce_whole_blocks (const Pair *pair,
                     AttnSpan    blocks,
                     float      *out)
{
  const float *upper = pair->rows[0];
  const float *lower = pair->rows[1];

  if (!pair->is_signed)
    {
      reduce_rows (upper + 2 * blocks.first, lower + 2 * blocks.first, blocks.end - blocks.first,
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

/* @n_blocks: half of the columns */
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

/* Of @n_columns from @first_column on, those that a row sees, counted from there. */
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

/* The largest of each 2 x 2 block, or of a signed panel the one farthest from 0; a block at an odd
 * edge is smaller. Masked cells do not count, whatever they hold; what has no others is 0. NaN only
 * where all that count are NaN. @fine: at @level, from @first_row and @first_column on. @coarse:
 * [half of n_rows, half of n_columns], beside @fine. */
void
attn_panel_halve (const AttnPanel *panel,
                  guint            level,
                  gsize            first_row,
                  gsize            first_column,
                  const float     *fine,
                  gsize            n_rows,
                  gsize            n_columns,
                  gsize            stride,
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
      };

      reduce_pair (&pair, n_blocks, coarse + row / 2 * n_blocks);
    }
}

/* What is visible of @columns. */
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

/**
 * attn_panel_scan_new:
 *
 * Returns: (transfer full) (nullable): what finds out the levels and the extent of @panel; %NULL
 *   where they are known, and for a long panel
 */
AttnPanelScan *
attn_panel_scan_new (AttnPanel *panel)
{
  g_mutex_lock (&panel->mutex);
  gboolean is_known = panel->has_extent && panel->levels[0] != NULL;
  g_mutex_unlock (&panel->mutex);
  if (is_known || panel->values == NULL)
    return NULL;

  AttnPanelScan *scan = g_new0 (AttnPanelScan, 1);
  const AttnTensor *finer = panel->values;

  scan->panel = attn_panel_ref (panel);
  scan->extents = g_new (AttnExtent, attn_panel_scan_count_stripes (scan));
  for (guint i = 0; i < N_STRIPE_LEVELS && (finer->shape[0] > 1 || finer->shape[1] > 1); i++)
    {
      const gsize shape[] = { attn_panel_shift (finer->shape[0], 1),
                              attn_panel_shift (finer->shape[1], 1) };

      scan->levels[i] = attn_tensor_new_unset (2, shape, NULL);
      if (scan->levels[i] == NULL)
        break;
      finer = scan->levels[i];
    }
  return scan;
}

/**
 * attn_panel_scan_count_stripes:
 *
 * Returns: of how many stripes of %ATTN_PANEL_STRIPE_ROWS rows the panel consists
 */
gsize
attn_panel_scan_count_stripes (const AttnPanelScan *scan)
{
  return attn_panel_shift (scan->panel->n_rows, N_STRIPE_LEVELS);
}

/**
 * attn_panel_scan_stripe:
 * @stripe: which, each once
 *
 * Any thread may call, and several at a time.
 */
void
attn_panel_scan_stripe (AttnPanelScan *scan,
                        gsize          stripe)
{
  const AttnPanel *panel = scan->panel;
  gsize first_row = stripe * ATTN_PANEL_STRIPE_ROWS;
  gsize n_rows = MIN (ATTN_PANEL_STRIPE_ROWS, panel->n_rows - first_row);
  gsize n_columns = panel->n_columns;
  const float *from = panel->values->data + first_row * n_columns;
  AttnExtent extent = ATTN_EXTENT_EMPTY;

  attn_panel_scan_rows (panel, first_row, n_rows, (AttnSpan) { 0, n_columns }, from, &extent);
  scan->extents[stripe] = extent;
  for (guint i = 0; i < N_STRIPE_LEVELS && scan->levels[i] != NULL; i++)
    {
      const AttnTensor *level = scan->levels[i];
      float *to = level->data + (first_row >> (i + 1)) * level->shape[1];

      attn_panel_halve (panel, i, first_row >> i, 0, from, n_rows, n_columns, n_columns, to);
      from = to;
      n_rows = attn_panel_shift (n_rows, 1);
      n_columns = level->shape[1];
    }
}

/**
 * attn_panel_scan_finish:
 * @scan: (transfer full): that has seen all stripes
 *
 * From here on the panel knows all its levels and its extent.
 */
void
attn_panel_scan_finish (AttnPanelScan *scan)
{
  AttnPanel *panel = scan->panel;
  gsize n_stripes = attn_panel_scan_count_stripes (scan);
  AttnExtent extent = ATTN_EXTENT_EMPTY;

  extent.has_masked = attn_panel_has_masked (panel);
  for (gsize i = 0; i < n_stripes; i++)
    attn_extent_merge (&extent, &scan->extents[i]);

  g_mutex_lock (&panel->mutex);
  panel->extent = extent;
  panel->has_extent = TRUE;
  for (guint i = 0; i < N_STRIPE_LEVELS; i++)
    if (panel->levels[i] == NULL)
      panel->levels[i] = g_steal_pointer (&scan->levels[i]);
  g_mutex_unlock (&panel->mutex);
  attn_panel_get_level (panel, ATTN_PANEL_MAX_LEVELS);

  for (guint i = 0; i < N_STRIPE_LEVELS; i++)
    g_clear_pointer (&scan->levels[i], attn_tensor_unref);
  attn_panel_unref (panel);
  g_free (scan->extents);
  g_free (scan);
}
