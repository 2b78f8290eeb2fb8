/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-panel.h"

#include <math.h>

/* 2^20 cells along the longer side is far beyond what memory allows. */
#define MAX_LEVELS 20

/**
 * AttnPanel:
 *
 * Immutable and reference-counted; any thread may use it. The reduced levels are made when first asked
 * for, under a lock.
 */
struct _AttnPanel
{
  gatomicrefcount ref_count;
  AttnTensor *values; /* [n_rows, n_columns] */
  AttnMask mask;
  AttnSpan *spans; /* (nullable): one a row, for ATTN_MASK_SPANS */
  gboolean is_signed;
  char **row_labels;
  char **column_labels;
  gsize *row_positions; /* (nullable): where the rows stood before others were left out */
  gsize *column_positions;

  GMutex mutex;
  AttnTensor *levels[MAX_LEVELS]; /* guarded by the mutex; level 0 is values and not kept here */
};

/**
 * attn_panel_new:
 * @values: [n_rows, n_columns] float32; NaN is "not a number" and shown as such
 * @mask: which cells take part
 * @row_labels: (nullable) (array zero-terminated=1): one label a row (query token), or %NULL
 * @column_labels: (nullable) (array zero-terminated=1): one label a column (key token), or %NULL
 *
 * Labels are plain UTF-8 text; equal labels stay separate rows.
 */
AttnPanel *
attn_panel_new (AttnTensor         *values,
                AttnMask            mask,
                const char * const *row_labels,
                const char * const *column_labels)
{
  g_return_val_if_fail (values->n_dims == 2, NULL);
  g_return_val_if_fail (row_labels == NULL ||
                            g_strv_length ((char **) row_labels) == values->shape[0],
                        NULL);
  g_return_val_if_fail (column_labels == NULL ||
                            g_strv_length ((char **) column_labels) == values->shape[1],
                        NULL);

  AttnPanel *panel = g_new0 (AttnPanel, 1);
  g_atomic_ref_count_init (&panel->ref_count);
  panel->values = attn_tensor_ref (values);
  panel->mask = mask;
  panel->row_labels = g_strdupv ((char **) row_labels);
  panel->column_labels = g_strdupv ((char **) column_labels);
  g_mutex_init (&panel->mutex);
  return panel;
}

/* The mask that says the same as @spans. */
static AttnMask
find_mask (const AttnSpan *spans,
           gsize           n_rows,
           gsize           n_columns)
{
  gboolean is_full = TRUE;
  gboolean is_causal = TRUE;

  for (gsize row = 0; row < n_rows; row++)
    {
      is_full = is_full && spans[row].first == 0 && spans[row].end == n_columns;
      is_causal = is_causal && spans[row].first == 0 && spans[row].end == MIN (row + 1, n_columns);
    }
  return is_full ? ATTN_MASK_NONE : is_causal ? ATTN_MASK_CAUSAL
                                              : ATTN_MASK_SPANS;
}

/**
 * attn_panel_new_with_visibility:
 * @values: [n_rows, n_columns] float32
 * @spans: (array): the columns that each row sees; copied. One that ends beyond the last column
 *   ends there.
 * @row_labels: (nullable) (array zero-terminated=1): one label a row, or %NULL
 * @column_labels: (nullable) (array zero-terminated=1): one label a column, or %NULL
 *
 * A panel with any mask in which what a row sees lies side by side.
 */
AttnPanel *
attn_panel_new_with_visibility (AttnTensor         *values,
                                const AttnSpan     *spans,
                                const char * const *row_labels,
                                const char * const *column_labels)
{
  AttnPanel *panel = attn_panel_new (values, ATTN_MASK_NONE, row_labels, column_labels);

  g_return_val_if_fail (panel != NULL, NULL);

  gsize n_rows = values->shape[0];
  gsize n_columns = values->shape[1];
  AttnSpan *copy = g_new (AttnSpan, n_rows);
  for (gsize row = 0; row < n_rows; row++)
    {
      copy[row].end = MIN (spans[row].end, n_columns);
      copy[row].first = MIN (spans[row].first, copy[row].end);
    }
  panel->mask = find_mask (copy, n_rows, n_columns);
  if (panel->mask == ATTN_MASK_SPANS)
    panel->spans = g_steal_pointer (&copy);
  g_free (copy);
  return panel;
}

/**
 * attn_panel_new_difference:
 * @panel: [n_rows, n_columns]
 * @baseline: of the same size; what it masks, @panel masks
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Returns: (transfer full) (nullable): @panel - @baseline with the mask and the labels of @panel.
 *   It is signed: where cells are too many to be shown, the one farthest from 0 is.
 */
AttnPanel *
attn_panel_new_difference (AttnPanel  *panel,
                           AttnPanel  *baseline,
                           GError    **error)
{
  const AttnTensor *a = panel->values;
  const AttnTensor *b = baseline->values;

  g_return_val_if_fail (a->shape[0] == b->shape[0] && a->shape[1] == b->shape[1], NULL);

  g_autoptr (AttnTensor) values = attn_tensor_new (2, a->shape, error);
  if (values == NULL)
    return NULL;
  gsize n = attn_tensor_get_n_elements (values);
  for (gsize i = 0; i < n; i++)
    values->data[i] = a->data[i] - b->data[i];

  AttnPanel *difference = attn_panel_new (values, panel->mask,
                                          (const char * const *) panel->row_labels,
                                          (const char * const *) panel->column_labels);
  if (panel->spans != NULL)
    difference->spans = g_memdup2 (panel->spans, a->shape[0] * sizeof *panel->spans);
  difference->is_signed = TRUE;
  attn_panel_set_positions (difference, panel->row_positions, panel->column_positions);
  return difference;
}

/**
 * attn_panel_set_positions:
 * @panel: not shared yet
 * @rows: (nullable) (array): where each row stood before others were left out; %NULL if none were
 * @columns: (nullable) (array): the same of the columns
 */
void
attn_panel_set_positions (AttnPanel   *panel,
                          const gsize *rows,
                          const gsize *columns)
{
  g_clear_pointer (&panel->row_positions, g_free);
  g_clear_pointer (&panel->column_positions, g_free);
  if (rows != NULL)
    panel->row_positions = g_memdup2 (rows, panel->values->shape[0] * sizeof *rows);
  if (columns != NULL)
    panel->column_positions = g_memdup2 (columns, panel->values->shape[1] * sizeof *columns);
}

/**
 * attn_panel_get_row_position:
 * @row: below the number of rows
 *
 * Returns: where the row stands in the input: its number, unless rows before it were left out
 */
gsize
attn_panel_get_row_position (const AttnPanel *panel,
                             gsize            row)
{
  return panel->row_positions != NULL ? panel->row_positions[row] : row;
}

/**
 * attn_panel_get_column_position:
 * @column: below the number of columns
 *
 * Returns: where the column stands in the input
 */
gsize
attn_panel_get_column_position (const AttnPanel *panel,
                                gsize            column)
{
  return panel->column_positions != NULL ? panel->column_positions[column] : column;
}

AttnPanel *
attn_panel_ref (AttnPanel *panel)
{
  g_atomic_ref_count_inc (&panel->ref_count);
  return panel;
}

void
attn_panel_unref (AttnPanel *panel)
{
  if (!g_atomic_ref_count_dec (&panel->ref_count))
    return;
  for (guint i = 0; i < MAX_LEVELS; i++)
    g_clear_pointer (&panel->levels[i], attn_tensor_unref);
  attn_tensor_unref (panel->values);
  g_free (panel->spans);
  g_strfreev (panel->row_labels);
  g_strfreev (panel->column_labels);
  g_free (panel->row_positions);
  g_free (panel->column_positions);
  g_mutex_clear (&panel->mutex);
  g_free (panel);
}

/**
 * attn_panel_get_values:
 *
 * Returns: (transfer none): [n_rows, n_columns] float32, immutable
 */
AttnTensor *
attn_panel_get_values (AttnPanel *panel)
{
  return panel->values;
}

gsize
attn_panel_get_n_rows (const AttnPanel *panel)
{
  return panel->values->shape[0];
}

gsize
attn_panel_get_n_columns (const AttnPanel *panel)
{
  return panel->values->shape[1];
}

float
attn_panel_get_value (const AttnPanel *panel,
                      gsize            row,
                      gsize            column)
{
  return panel->values->data[row * panel->values->shape[1] + column];
}

gboolean
attn_panel_is_visible (const AttnPanel *panel,
                       gsize            row,
                       gsize            column)
{
  AttnSpan span = attn_panel_get_visible (panel, row);

  return column >= span.first && column < span.end;
}

/**
 * attn_panel_get_visible:
 *
 * Returns: the columns that @row sees
 */
AttnSpan
attn_panel_get_visible (const AttnPanel *panel,
                        gsize            row)
{
  gsize n_columns = panel->values->shape[1];

  switch (panel->mask)
    {
    case ATTN_MASK_CAUSAL:
      return (AttnSpan) { 0, MIN (row + 1, n_columns) };
    case ATTN_MASK_SPANS:
      return panel->spans[row];
    case ATTN_MASK_NONE:
    default:
      return (AttnSpan) { 0, n_columns };
    }
}

/**
 * attn_panel_is_any_visible:
 * @end_row: the row behind the last one, above @first_row
 * @end_column: the column behind the last one, above @first_column
 *
 * Returns: whether one of these cells is not masked
 */
gboolean
attn_panel_is_any_visible (const AttnPanel *panel,
                           gsize            first_row,
                           gsize            end_row,
                           gsize            first_column,
                           gsize            end_column)
{
  if (panel->mask == ATTN_MASK_NONE)
    return TRUE;
  if (panel->mask == ATTN_MASK_CAUSAL)
    return first_column < end_row;
  for (gsize row = first_row; row < end_row; row++)
    if (MAX (first_column, panel->spans[row].first) < MIN (end_column, panel->spans[row].end))
      return TRUE;
  return FALSE;
}

/**
 * attn_panel_has_masked:
 *
 * Returns: whether there is a masked cell
 */
gboolean
attn_panel_has_masked (const AttnPanel *panel)
{
  return panel->mask == ATTN_MASK_SPANS ||
         (panel->mask == ATTN_MASK_CAUSAL && panel->values->shape[1] > 1);
}

/**
 * attn_panel_is_signed:
 *
 * Returns: whether the values are differences: of several, the one farthest from 0 counts, not the
 *   largest
 */
gboolean
attn_panel_is_signed (const AttnPanel *panel)
{
  return panel->is_signed;
}

/**
 * attn_panel_get_rank:
 *
 * Returns: 1 for the largest visible value of the row, 2 for the next; equal values share the better
 *   rank. 0 for a masked cell and for NaN.
 */
gsize
attn_panel_get_rank (const AttnPanel *panel,
                     gsize            row,
                     gsize            column)
{
  float value = attn_panel_get_value (panel, row, column);
  gsize rank = 1;

  if (!attn_panel_is_visible (panel, row, column) || isnan (value))
    return 0;
  for (gsize other = 0; other < attn_panel_get_n_columns (panel); other++)
    if (attn_panel_is_visible (panel, row, other) && attn_panel_get_value (panel, row, other) > value)
      rank++;
  return rank;
}

AttnMask
attn_panel_get_mask (const AttnPanel *panel)
{
  return panel->mask;
}

/**
 * attn_panel_get_row_labels:
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1): the query tokens
 */
const char * const *
attn_panel_get_row_labels (AttnPanel *panel)
{
  return (const char * const *) panel->row_labels;
}

/**
 * attn_panel_get_column_labels:
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1): the key tokens
 */
const char * const *
attn_panel_get_column_labels (AttnPanel *panel)
{
  return (const char * const *) panel->column_labels;
}

/* As fmaxf(), which the compiler leaves a call. */
static inline float
larger (float a,
        float b)
{
  return b > a ? b : (a == a ? a : b);
}

static void
reduce_rows (const float      *upper,
             const float      *lower,
             gsize             n_pairs,
             float * restrict  out)
{
  for (gsize i = 0; i < n_pairs; i++)
    out[i] = larger (larger (upper[2 * i], upper[2 * i + 1]),
                     larger (lower[2 * i], lower[2 * i + 1]));
}

/* The largest of each 2 x 2 block, or of a signed panel the one farthest from 0; a block at an odd
 * edge is smaller. NaN only where all are NaN. */
static AttnTensor *
reduce_by_maximum (const AttnTensor *fine,
                   gboolean          is_signed)
{
  gsize shape[2] = { (fine->shape[0] + 1) / 2, (fine->shape[1] + 1) / 2 };
  gsize n_columns = fine->shape[1];
  AttnTensor *coarse = attn_tensor_new_unset (2, shape, NULL);

  if (coarse == NULL)
    return NULL;
  for (gsize row = 0; row < shape[0]; row++)
    {
      const float *upper = fine->data + 2 * row * n_columns;
      const float *lower = 2 * row + 1 < fine->shape[0] ? upper + n_columns : upper;
      float *out = coarse->data + row * shape[1];

      if (is_signed)
        {
          for (gsize column = 0; column < shape[1]; column++)
            {
              gsize left = 2 * column;
              gsize right = MIN (left + 1, n_columns - 1);
              float above = attn_panel_pick_farther (upper[left], upper[right]);
              float below = attn_panel_pick_farther (lower[left], lower[right]);

              out[column] = attn_panel_pick_farther (above, below);
            }
          continue;
        }
      reduce_rows (upper, lower, n_columns / 2, out);
      if (n_columns % 2 != 0)
        out[shape[1] - 1] = larger (upper[n_columns - 1], lower[n_columns - 1]);
    }
  return coarse;
}

/**
 * attn_panel_get_level:
 * @level: how often to halve; 0 is the matrix itself
 *
 * The matrix reduced so that each cell is the largest of 2^@level x 2^@level cells, or of a signed
 * panel the one farthest from 0. Made on first use, which costs a pass over the matrix: call it in the worker for a large panel. Takes a third of the
 * matrix's memory for all levels together.
 *
 * Returns: (transfer none): the level, or the coarsest there is
 */
AttnTensor *
attn_panel_get_level (AttnPanel *panel,
                      guint      level)
{
  AttnTensor *current = panel->values;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&panel->mutex);

  for (guint i = 0; i < MIN (level, MAX_LEVELS); i++)
    {
      if (current->shape[0] == 1 && current->shape[1] == 1)
        break;
      if (panel->levels[i] == NULL)
        panel->levels[i] = reduce_by_maximum (current, panel->is_signed);
      if (panel->levels[i] == NULL)
        break;
      current = panel->levels[i];
    }
  return current;
}
