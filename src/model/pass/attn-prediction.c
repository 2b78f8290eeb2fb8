/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-prediction.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-error.h"
#include "attn-trace-private.h"

/* Positions whose logits are held at a time, of two passes. */
#define BLOCK_ROWS ((gsize) 32)

/**
 * attn_trace_compute_logits:
 * @trace: keeps %ATTN_QUANTITY_FINAL
 * @first_row: the first position
 * @n_rows: how many of them, at least 1
 * @cancellable: (nullable)
 * @error: return location: %ATTN_ERROR_UNSUPPORTED for a model without a language-model head and
 *   for a recording, %ATTN_ERROR_MEMORY, %G_IO_ERROR_CANCELLED
 *
 * What stands behind the last layer and nothing before it.
 *
 * Returns: (transfer full) (nullable): [n_rows, V]
 */
AttnTensor *
attn_trace_compute_logits (const AttnTrace  *trace,
                           gsize             first_row,
                           gsize             n_rows,
                           GCancellable     *cancellable,
                           GError          **error)
{
  AttnTensor *logits = NULL;

  g_return_val_if_fail (n_rows > 0 && first_row + n_rows <= trace->n_ids, NULL);

  if (trace->final == NULL)
    return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                           _("%s: no logits found, expected a model that computes them"),
                           trace->model->path);
  g_autoptr (AttnTensor) rows = attn_tensor_slice_range (trace->final, first_row, n_rows);
  const AttnForward forward = {
    .model = trace->model,
    .ids = trace->ids + first_row,
    .n_ids = n_rows,
    .keep = ATTN_QUANTITY_LOGITS,
    .first_layer = trace->model->info.n_layers,
    .residual = rows,
    .logits = &logits,
    .cancellable = cancellable,
  };

  return attn_model_run (&forward, error) ? logits : NULL;
}

/* log (sum of exp) of [V], in double precision. */
static double
sum_logarithms (const float *logits,
                gsize        n)
{
  double largest = -INFINITY;
  double sum = 0.0;

  for (gsize i = 0; i < n; i++)
    largest = MAX (largest, logits[i]);
  for (gsize i = 0; i < n; i++)
    sum += exp (logits[i] - largest);
  return largest + log (sum);
}

/* @logits: [V] of the pass before and of that after; @target: the token that follows, V for none */
static void
compare (const float * const   logits[2],
         gsize                 n,
         gsize                 target,
         AttnPredictionEffect *effect)
{
  const double sums[] = { sum_logarithms (logits[0], n), sum_logarithms (logits[1], n) };
  double kl = 0.0, distance = 0.0;

  for (gsize i = 0; i < n; i++)
    {
      double p = logits[0][i] - sums[0];
      double q = logits[1][i] - sums[1];

      kl += exp (p) * (p - q);
      distance += fabs (exp (p) - exp (q));
    }
  *effect = (AttnPredictionEffect) {
    .kl = MAX (kl, 0.0) / G_LN2,
    .total_variation = distance / 2.0,
    .loss = { NAN, NAN },
  };
  for (gsize k = 0; k < 2 && target < n; k++)
    {
      effect->loss[k] = (sums[k] - logits[k][target]) / G_LN2;
      effect->rank[k] = 1;
      for (gsize i = 0; i < n; i++)
        effect->rank[k] += logits[k][i] > logits[k][target];
    }
}

/* The @n_top most probable of [V], the lower id first where two are alike. */
static void
list_top (const float *logits,
          gsize        n,
          gsize        n_top,
          gint64      *ids,
          float       *probabilities)
{
  double sum = sum_logarithms (logits, n);

  for (gsize k = 0; k < n_top; k++)
    ids[k] = -1;
  for (gsize i = 0; i < n; i++)
    {
      gsize place = n_top;

      while (place > 0 && (ids[place - 1] < 0 || logits[i] > logits[ids[place - 1]]))
        place--;
      for (gsize k = n_top; k-- > place + 1;)
        ids[k] = ids[k - 1];
      if (place < n_top)
        ids[place] = (gint64) i;
    }
  for (gsize k = 0; k < n_top; k++)
    probabilities[k] = (float) exp (logits[ids[k]] - sum);
}

/**
 * attn_prediction_compare:
 * @before: keeps %ATTN_QUANTITY_FINAL
 * @after: the same of the same ids, changed
 * @n_top: how many tokens to list of each position, at most V
 * @effects: (out caller-allocates): [T]
 * @top_ids: (out caller-allocates) (nullable): [2, T, n_top], the most probable first
 * @top_probabilities: (out caller-allocates) (nullable): [2, T, n_top]
 * @cancellable: (nullable): polled for each block of positions
 * @error: return location: errors of [func@attn_trace_compute_logits]
 *
 * The logits of a block of positions are held at a time, never those of a whole text.
 */
gboolean
attn_prediction_compare (const AttnTrace       *before,
                         const AttnTrace       *after,
                         gsize                  n_top,
                         AttnPredictionEffect  *effects,
                         gint64                *top_ids,
                         float                 *top_probabilities,
                         GCancellable          *cancellable,
                         GError               **error)
{
  const AttnModelInfo *info = &before->model->info;
  gsize n = before->n_ids;
  gsize n_ahead = info->is_causal ? 1 : 0;

  g_return_val_if_fail (after->n_ids == n && n_top <= info->vocabulary_size, FALSE);

  for (gsize first = 0; first < n; first += BLOCK_ROWS)
    {
      gsize n_rows = MIN (BLOCK_ROWS, n - first);
      g_autoptr (AttnTensor) p = attn_trace_compute_logits (before, first, n_rows, cancellable,
                                                            error);
      g_autoptr (AttnTensor) q =
          p != NULL ? attn_trace_compute_logits (after, first, n_rows, cancellable, error) : NULL;

      if (q == NULL)
        return FALSE;
      for (gsize i = first; i < first + n_rows; i++)
        {
          const float * const logits[] = { p->data + (i - first) * p->shape[1],
                                           q->data + (i - first) * p->shape[1] };
          gsize target = i + n_ahead < n ? before->ids[i + n_ahead] : G_MAXSIZE;

          compare (logits, p->shape[1], target, &effects[i]);
          for (gsize k = 0; k < 2 && top_ids != NULL; k++)
            list_top (logits[k], p->shape[1], n_top, top_ids + (k * n + i) * n_top,
                      top_probabilities + (k * n + i) * n_top);
        }
    }
  return TRUE;
}
