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
  char **row_labels;
  char **column_labels;

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
  g_strfreev (panel->row_labels);
  g_strfreev (panel->column_labels);
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
  return panel->mask == ATTN_MASK_NONE || column <= row;
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

/* The largest of each 2 x 2 block; a block at an odd edge is smaller. NaN only where all are NaN. */
static AttnTensor *
reduce_by_maximum (const AttnTensor *fine)
{
  gsize shape[2] = { (fine->shape[0] + 1) / 2, (fine->shape[1] + 1) / 2 };
  gsize n_columns = fine->shape[1];
  AttnTensor *coarse = attn_tensor_new (2, shape, NULL);

  if (coarse == NULL)
    return NULL;
  for (gsize row = 0; row < shape[0]; row++)
    {
      const float *upper = fine->data + 2 * row * n_columns;
      const float *lower = 2 * row + 1 < fine->shape[0] ? upper + n_columns : upper;
      float *out = coarse->data + row * shape[1];

      for (gsize column = 0; column < n_columns / 2; column++)
        out[column] = fmaxf (fmaxf (upper[2 * column], upper[2 * column + 1]),
                             fmaxf (lower[2 * column], lower[2 * column + 1]));
      if (n_columns % 2 != 0)
        out[shape[1] - 1] = fmaxf (upper[n_columns - 1], lower[n_columns - 1]);
    }
  return coarse;
}

/**
 * attn_panel_get_level:
 * @level: how often to halve; 0 is the matrix itself
 *
 * The matrix reduced so that each cell is the largest of 2^@level x 2^@level cells. Made on first use,
 * which costs a pass over the matrix: call it in the worker for a large panel. Takes a third of the
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
        panel->levels[i] = reduce_by_maximum (current);
      if (panel->levels[i] == NULL)
        break;
      current = panel->levels[i];
    }
  return current;
}
