/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-trace-rows.h"

#include "attn-ops.h"
#include "attn-parallel.h"
#include "attn-threads.h"
#include "attn-trace-private.h"

/* The number of rows of a recorded map that a thread converts at a time. */
#define TASK_ROWS ((gsize) 64)

/**
 * AttnTraceRows:
 *
 * Keeps the model and what the rows are computed from, queries and keys, whose memory grows with
 * the number of tokens and not with its square. Immutable; any thread may use it.
 */
struct _AttnTraceRows
{
  AttnModel *model;
  gsize layer;
  int head; /* number of the head whose rows are computed, or ATTN_TRACE_ROWS_MEAN */
  gsize n_heads;
  gsize n_rows;
  gsize n_columns;
  AttnTensor *queries;      /* (nullable): queries [H, T, d]; NULL if the weights are recorded */
  AttnTensor *keys;         /* (nullable): [Hk, T, d] */
  GPtrArray *interventions; /* (nullable) */
};

/**
 * attn_trace_rows_new:
 * @baseline: a trace without interventions
 * @head: number of a head, or %ATTN_TRACE_ROWS_MEAN
 * @interventions: (nullable) (element-type AttnIntervention): applied in the order of the array
 * @error: return location: errors of [func@attn_trace_compute_weights]
 *
 * Computes once what all rows need: queries and keys as the interventions leave them, by a pass
 * through lower layers if the interventions begin there.
 *
 * Returns: (transfer full) (nullable): what [func@attn_trace_rows_compute] computes rows from
 */
AttnTraceRows *
attn_trace_rows_new (AttnTrace           *baseline,
                     gsize                layer,
                     int                  head,
                     GPtrArray           *interventions,
                     const AttnProgress  *progress,
                     GCancellable        *cancellable,
                     GError             **error)
{
  const AttnModelInfo *info = &baseline->model->info;
  g_autoptr (AttnTraceRows) rows = g_new0 (AttnTraceRows, 1);

  rows->model = attn_model_ref (baseline->model);
  rows->layer = layer;
  rows->head = head;
  rows->n_heads = info->n_heads;
  rows->n_rows = baseline->n_ids;
  rows->n_columns = attn_model_count_keys (baseline->model, baseline->n_ids);
  rows->interventions = interventions != NULL ? g_ptr_array_ref (interventions) : NULL;
  if (info->n_recorded_keys > 0 && layer < info->n_layers &&
      !attn_interventions_change_scores (interventions, layer))
    {
      if (info->n_recorded_keys != info->n_positions)
        rows->n_columns = info->n_recorded_keys;
      return g_steal_pointer (&rows);
    }
  if (!attn_trace_get_vectors (baseline, layer, interventions, progress, cancellable,
                               &rows->queries, &rows->keys, error))
    return NULL;
  return g_steal_pointer (&rows);
}

void
attn_trace_rows_free (AttnTraceRows *rows)
{
  if (rows == NULL)
    return;
  g_clear_pointer (&rows->queries, attn_tensor_unref);
  g_clear_pointer (&rows->keys, attn_tensor_unref);
  g_clear_pointer (&rows->interventions, g_ptr_array_unref);
  attn_model_unref (rows->model);
  g_free (rows);
}

static gboolean
compute_head (const AttnTraceRows  *rows,
              gsize                 head,
              gsize                 first_row,
              gsize                 n_rows,
              float                *weights,
              GError              **error)
{
  g_autoptr (AttnIndexSet) heads = attn_index_set_new_range (head, head);
  AttnTensor out = { .n_dims = 3, .shape = { 1, n_rows, rows->n_columns }, .data = weights };
  AttnAttention attention = {
    .query = attn_vectors_wrap (rows->queries, rows->n_heads),
    .key = attn_vectors_wrap (rows->keys, rows->n_heads),
    .first_query = first_row,
    .rules = *attn_model_get_rules (rows->model, rows->layer),
    .heads = heads,
    .weights = &out,
    .interventions = rows->interventions,
    .seen.layer = rows->layer,
  };

  attention.query.data = attn_vectors_get (&attention.query, 0, first_row);
  attention.query.n_tokens = n_rows;
  return attn_attention_compute (&attention, error);
}

typedef struct
{
  const AttnTraceRows *rows;
  gsize head;
  gsize first_row;
  gsize n_rows;
  float *weights;
} Conversion;

static void
convert_rows (gsize    task,
              gsize    worker,
              gpointer user_data)
{
  const Conversion *conversion = user_data;
  const AttnTraceRows *rows = conversion->rows;
  gsize first = task * TASK_ROWS;

  rows->model->class->read_rows (rows->model, rows->layer, conversion->head,
                                 conversion->first_row + first,
                                 MIN (TASK_ROWS, conversion->n_rows - first), rows->n_columns,
                                 conversion->weights + first * rows->n_columns);
}

static gboolean
read_head (const AttnTraceRows  *rows,
           gsize                 head,
           gsize                 first_row,
           gsize                 n_rows,
           float                *weights,
           GError              **error)
{
  Conversion conversion = { rows, head, first_row, n_rows, weights };

  if (rows->queries != NULL)
    return compute_head (rows, head, first_row, n_rows, weights, error);
  attn_parallel_run ((n_rows + TASK_ROWS - 1) / TASK_ROWS, attn_threads_get (), convert_rows,
                     &conversion);
  return attn_model_check_files (rows->model, error);
}

/**
 * attn_trace_rows_compute:
 * @first_row: number of the first query; if it is a multiple of 128, the rows have the same bits
 *   whichever others are requested with them
 * @n_rows: how many rows
 * @weights: (out caller-allocates): [n_rows, T]
 * @error: return location: %ATTN_ERROR_MEMORY, %ATTN_ERROR_CHANGED
 */
gboolean
attn_trace_rows_compute (const AttnTraceRows  *rows,
                         gsize                 first_row,
                         gsize                 n_rows,
                         float                *weights,
                         GError              **error)
{
  const gsize shape[] = { n_rows, rows->n_columns };
  gsize n = n_rows * rows->n_columns;

  g_return_val_if_fail (n_rows > 0 && first_row + n_rows <= rows->n_rows, FALSE);

  if (rows->head != ATTN_TRACE_ROWS_MEAN)
    return read_head (rows, (gsize) rows->head, first_row, n_rows, weights, error);
  if (!read_head (rows, 0, first_row, n_rows, weights, error))
    return FALSE;

  g_autoptr (AttnTensor) other = attn_tensor_new_unset (2, shape, error);
  if (other == NULL)
    return FALSE;
  for (gsize head = 1; head < rows->n_heads; head++)
    {
      if (!read_head (rows, head, first_row, n_rows, other->data, error))
        return FALSE;
      attn_ops_add (weights, other->data, n);
    }
  attn_ops_scale (weights, 1.0f / (float) rows->n_heads, n);
  return TRUE;
}
