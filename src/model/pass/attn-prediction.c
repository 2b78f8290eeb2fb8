/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-prediction.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-error.h"
#include "attn-ops.h"
#include "attn-parallel.h"
#include "attn-threads.h"
#include "attn-trace-private.h"

/* Bytes and bounds that determine for how many positions the logits of two passes are held at a
 * time. The weights of the output head are read once for each such block. */
#define BLOCK_BYTES    ((gsize) 64 << 20)
#define SMALLEST_BLOCK ((gsize) 32)
#define LARGEST_BLOCK  ((gsize) 128)

/* Computes logits from the output of the last layer that the trace keeps, for all tokens of the
 * vocabulary or only for @ids. */
static AttnTensor *
run_head (const AttnTrace  *trace,
          gsize             first_row,
          gsize             n_rows,
          const guint32    *ids,
          gsize             n_ids,
          GCancellable     *cancellable,
          GError          **error)
{
  AttnTensor *logits = NULL;

  g_return_val_if_fail (n_rows > 0 && first_row + n_rows <= trace->n_ids, NULL);

  if (trace->final == NULL)
    return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                           _("%s: no logits found, expected a model that computes them"),
                           trace->model->path);
  /* A classifier of pictures needs all tokens, whichever rows are requested. */
  gboolean is_whole = trace->model->info.needs_picture;
  g_autoptr (AttnTensor) rows =
      is_whole ? attn_tensor_slice_range (trace->final, 0, trace->n_ids)
               : attn_tensor_slice_range (trace->final, first_row, n_rows);
  const AttnForward forward = {
    .model = trace->model,
    .ids = is_whole ? trace->ids : trace->ids + first_row,
    .n_ids = is_whole ? trace->n_ids : n_rows,
    .n_logit_rows = is_whole ? n_rows : 0,
    .keep = ATTN_QUANTITY_LOGITS,
    .first_layer = trace->model->info.n_layers,
    .residual = rows,
    .logits = &logits,
    .logit_ids = ids,
    .n_logit_ids = n_ids,
    .cancellable = cancellable,
  };

  return attn_model_run (&forward, error) ? logits : NULL;
}

/**
 * attn_trace_compute_logits:
 * @trace: keeps %ATTN_QUANTITY_FINAL, or the logits themselves
 * @first_row: the first position
 * @n_rows: how many positions, at least 1
 * @cancellable: (nullable)
 * @error: return location: %ATTN_ERROR_UNSUPPORTED for a model without a language-model head and
 *   for a recording, %ATTN_ERROR_MEMORY, %G_IO_ERROR_CANCELLED
 *
 * Computes the output head alone, nothing of the layers before.
 *
 * Returns: (transfer full) (nullable): the logits, [n_rows, V]
 */
AttnTensor *
attn_trace_compute_logits (const AttnTrace  *trace,
                           gsize             first_row,
                           gsize             n_rows,
                           GCancellable     *cancellable,
                           GError          **error)
{
  if (trace->logits != NULL)
    return attn_tensor_slice_range (trace->logits, first_row, n_rows);
  return run_head (trace, first_row, n_rows, NULL, 0, cancellable, error);
}

/**
 * attn_answer_check:
 * @error: return location for %ATTN_ERROR_LIMIT
 *
 * Returns: whether the tokens that @answer names are in the vocabulary of @model
 */
gboolean
attn_answer_check (const AttnAnswer  *answer,
                   const AttnModel   *model,
                   GError           **error)
{
  gint64 largest = MAX (answer->token, answer->versus);

  return largest < (gint64) model->info.vocabulary_size ||
         attn_fail (error, ATTN_ERROR_LIMIT,
                    _("token id %d found, expected ids below %zu, the size of the vocabulary"),
                    (int) largest,
                    model->info.vocabulary_size);
}

/**
 * attn_trace_compute_difference:
 * @trace: keeps %ATTN_QUANTITY_FINAL
 * @row: a position
 * @answer: two tokens, both chosen
 * @difference: (out): logit of t − logit of t' at @row
 * @error: return location: errors of [func@attn_trace_compute_logits] and [func@attn_answer_check]
 *
 * Reads two rows of the unembedding and no others.
 */
gboolean
attn_trace_compute_difference (const AttnTrace   *trace,
                               gsize              row,
                               const AttnAnswer  *answer,
                               double            *difference,
                               GCancellable      *cancellable,
                               GError           **error)
{
  const guint32 ids[] = { (guint32) answer->token, (guint32) answer->versus };

  g_return_val_if_fail (answer->token >= 0 && answer->versus >= 0, FALSE);

  if (!attn_answer_check (answer, trace->model, error))
    return FALSE;
  g_autoptr (AttnTensor) logits = run_head (trace, row, 1, ids, 2, cancellable, error);
  if (logits != NULL)
    *difference = (double) logits->data[0] - logits->data[1];
  return logits != NULL;
}

/* Compares the predictions of one position. @logits: [V] of the passes before and after the change;
 * @target: the token that follows, V or more for none; @log_sums: (out): for each pass, ln of the
 * sum of e to its logits */
static void
compare (const float * const   logits[2],
         gsize                 n,
         gsize                 target,
         const AttnAnswer     *answer,
         double                log_sums[2],
         AttnPredictionEffect *effect)
{
  gsize token = answer->token >= 0 ? (gsize) answer->token : target;

  *effect = (AttnPredictionEffect) {
    .kl = attn_ops_compare_logits (logits[0], logits[1], n, log_sums) / G_LN2,
    .total_variation = attn_ops_get_variation (logits[0], logits[1], n, log_sums),
    .loss = { NAN, NAN },
    .logit_difference = { NAN, NAN },
  };
  for (gsize k = 0; k < 2 && target < n; k++)
    {
      effect->loss[k] = (log_sums[k] - logits[k][target]) / G_LN2;
      effect->rank[k] = 1;
      for (gsize i = 0; i < n; i++)
        effect->rank[k] += logits[k][i] > logits[k][target];
    }
  for (gsize k = 0; k < 2 && answer->versus >= 0 && token < n; k++)
    effect->logit_difference[k] = (double) logits[k][token] - logits[k][answer->versus];
}

/* Lists the @n_top most probable tokens of V. Of two equal logits the one with the lower id comes
 * first. @log_sum: ln of the sum of e to the logits */
static void
list_top (const float *logits,
          gsize        n,
          gsize        n_top,
          double       log_sum,
          gint64      *ids,
          float       *probabilities)
{
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
    probabilities[k] = (float) exp (logits[ids[k]] - log_sum);
}

/* A block of positions whose predictions are the task of one thread. */
typedef struct
{
  const AttnPredictionRequest *request;
  const AttnTrace *trace;
  gsize first_row;
  const AttnTensor *logits[2]; /* logits [rows, V] from @first_row on, before and after the
                                * change */
  AttnPredictionEffect *effects;
  const AttnPredictionTop *top; /* (nullable) */
} Block;

static void
compare_row (gsize    task,
             gsize    worker,
             gpointer user_data)
{
  const Block *block = user_data;
  const AttnPredictionRequest *request = block->request;
  gsize n_ahead = block->trace->model->info.predicts_next ? 1 : 0;
  gsize n = block->logits[0]->shape[1];
  gsize row = block->first_row + task;
  gsize index = row - request->first_row;
  const float * const logits[] = { block->logits[0]->data + task * n,
                                   block->logits[1]->data + task * n };
  gsize target =
      row + n_ahead < block->trace->n_ids && !block->trace->model->info.needs_picture
          ? block->trace->ids[row + n_ahead]
          : G_MAXSIZE;
  double log_sums[2];

  compare (logits, n, target, &request->answer, log_sums, &block->effects[index]);
  for (gsize k = 0; k < 2 && block->top != NULL; k++)
    {
      gsize place = (k * request->n_rows + index) * request->n_top;
      const gint64 *ids = block->top->ids + place;

      list_top (logits[k], n, request->n_top, log_sums[k], block->top->ids + place,
                block->top->probabilities + place);
      if (block->top->others == NULL)
        continue;
      for (gsize i = 0; i < request->n_top; i++)
        block->top->others[place + i] = (float) exp (logits[1 - k][ids[i]] - log_sums[1 - k]);
    }
}

/**
 * attn_prediction_compare:
 * @before: keeps %ATTN_QUANTITY_FINAL, or logits
 * @after: of the same ids under an intervention; keeps %ATTN_QUANTITY_FINAL, too
 * @request: the positions, and what to compute of them
 * @effects: (out caller-allocates): [n], one of each position
 * @top: (nullable): where to list the most probable tokens
 * @cancellable: (nullable): polled for each block of positions
 * @error: return location: errors of [func@attn_trace_compute_logits] and [func@attn_answer_check]
 *
 * The logits of a block of positions are held at a time, never those of a whole text.
 */
gboolean
attn_prediction_compare (const AttnTrace              *before,
                         const AttnTrace              *after,
                         const AttnPredictionRequest  *request,
                         AttnPredictionEffect         *effects,
                         const AttnPredictionTop      *top,
                         GCancellable                 *cancellable,
                         GError                      **error)
{
  gsize end = request->first_row + request->n_rows;
  gsize n_tokens = before->model->info.vocabulary_size;
  gsize n_block =
      CLAMP (BLOCK_BYTES / (n_tokens * sizeof (float)), SMALLEST_BLOCK, LARGEST_BLOCK);

  g_return_val_if_fail (after->n_ids == before->n_ids && end <= before->n_ids, FALSE);
  g_return_val_if_fail (request->n_top <= n_tokens, FALSE);

  if (!attn_answer_check (&request->answer, before->model, error))
    return FALSE;
  for (gsize first = request->first_row; first < end; first += n_block)
    {
      gsize n_rows = MIN (n_block, end - first);
      g_autoptr (AttnTensor) p = attn_trace_compute_logits (before, first, n_rows, cancellable,
                                                            error);
      g_autoptr (AttnTensor) q =
          p != NULL ? attn_trace_compute_logits (after, first, n_rows, cancellable, error) : NULL;
      Block block = { request, before, first, { p, q }, effects, top };

      if (q == NULL)
        return FALSE;
      attn_parallel_run (n_rows, attn_threads_get (), compare_row, &block);
    }
  return TRUE;
}
