/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-attention.h"

#include <math.h>
#include <string.h>

#include "attn-blas.h"
#include "attn-ops.h"
#include "attn-parallel.h"

/* Query rows that are computed together. Under a causal mask a block needs only the keys up to its
 * last row; what a product then computes in vain is half a block. Fixed, so that the number of
 * threads does not change a result. */
#define BLOCK_ROWS ((gsize) 128)

static gsize
count_blocks (gsize n_tokens)
{
  return (n_tokens + BLOCK_ROWS - 1) / BLOCK_ROWS;
}

/**
 * attn_attention_get_scratch:
 *
 * Returns: how many floats [func@attn_attention_run] needs: one block of scores and one of weights
 *   a worker
 */
gsize
attn_attention_get_scratch (gsize n_tokens,
                            gsize n_workers)
{
  return n_workers * 2 * MIN (BLOCK_ROWS, n_tokens) * n_tokens;
}

/* The keys that the query in a row sees: from *begin on, up to but not *end. */
static void
get_visible (gboolean  is_causal,
             gsize     window,
             gsize     n_tokens,
             gsize     row,
             gsize    *begin,
             gsize    *end)
{
  *end = is_causal ? row + 1 : n_tokens;
  *begin = is_causal && window > 0 && row + 1 > window ? row + 1 - window : 0;
}

/* The slopes of Press et al. 2022, arXiv 2108.12409, section 3: a geometric sequence where the
 * number of heads is a power of 2; else that of the next lower power, and for the heads that remain
 * every other slope of twice that power. */
static double
get_slope (gsize head,
           gsize n_heads)
{
  gsize power = 1;

  while (2 * power <= n_heads)
    power *= 2;
  if (head < power)
    return exp2 (-8.0 * (double) (head + 1) / (double) power);
  return exp2 (-8.0 * (double) (2 * (head - power) + 1) / (double) (2 * power));
}

/* What follows the product on the way to the scores of a row: a cap, or a slope. */
static void
finish_scores (const AttnAttention *attention,
               gsize                head,
               gsize                row,
               gsize                begin,
               gsize                end,
               float               *scores)
{
  if (attention->score_cap > 0.0f)
    attn_ops_cap (attention->score_cap, end - begin, scores + begin);
  if (attention->has_alibi)
    {
      double slope = get_slope (head, attention->query.n_heads);

      for (gsize column = begin; column < end; column++)
        scores[column] += (float) (slope * ((double) column - (double) row));
    }
}

/* Scores to weights for the rows of a block, masked cells included. @n_columns: how many columns
 * the context's product will read. */
static void
compute_weights (const AttnAttention *attention,
                 gsize                first_row,
                 gsize                n_rows,
                 gsize                n_columns,
                 gsize                head,
                 float               *scores,
                 float               *weights)
{
  gsize n_tokens = attention->query.n_tokens;

  for (gsize i = 0; i < n_rows; i++)
    {
      gsize row = first_row + i;
      float *row_scores = scores + i * n_tokens;
      float *row_weights = weights + i * n_tokens;
      gsize begin;
      gsize end;

      get_visible (attention->is_causal, attention->window, n_tokens, row, &begin, &end);
      finish_scores (attention, head, row, begin, end, row_scores);
      attn_ops_softmax (row_scores + begin, end - begin, 1.0f, row_weights + begin);
      memset (row_weights, 0, begin * sizeof (float));
      memset (row_weights + end, 0, (n_columns - end) * sizeof (float));
      for (gsize column = 0; attention->scores != NULL && column < begin; column++)
        row_scores[column] = -INFINITY;
      for (gsize column = end; attention->scores != NULL && column < n_tokens; column++)
        row_scores[column] = -INFINITY;
      if (attention->first_column != NULL)
        attention->first_column[head * n_tokens + row] = row_weights[0];
    }
}

/* One block of query rows of one head: scores, weights, context. */
static void
run_block (gsize    task,
           gsize    worker,
           gpointer user_data)
{
  const AttnAttention *attention = user_data;
  const AttnVectors *query = &attention->query;
  gsize n_tokens = query->n_tokens;
  gsize n_blocks = count_blocks (n_tokens);
  gsize head = task / n_blocks;
  gsize key_head = head / attention->key.n_shared;
  /* The last block has the most columns: begin with it, so that no thread is left with it alone. */
  gsize first_row = (n_blocks - 1 - task % n_blocks) * BLOCK_ROWS;
  gsize n_rows = MIN (BLOCK_ROWS, n_tokens - first_row);
  gsize n_columns = attention->is_causal ? first_row + n_rows : n_tokens;

  if (!attn_index_set_contains (attention->heads, head) ||
      g_cancellable_is_cancelled (attention->cancellable))
    return;

  gsize offset = (attn_index_set_count (attention->heads, head) * n_tokens + first_row) * n_tokens;
  float *scratch = attention->scratch + worker * attn_attention_get_scratch (n_tokens, 1);
  float *weights = attention->weights != NULL ? attention->weights->data + offset : scratch;
  float *scores = attention->scores != NULL    ? attention->scores->data + offset
                  : attention->weights != NULL ? weights
                                               : scratch + MIN (BLOCK_ROWS, n_tokens) * n_tokens;

  /* S = factor Q K^T: (rows, d)(d, columns) */
  attn_blas_multiply (n_rows, n_columns, query->width, attention->factor,
                      (AttnMatrix) { attn_vectors_get (query, head, first_row), query->token_stride,
                                     FALSE },
                      (AttnMatrix) { attn_vectors_get (&attention->key, key_head, 0),
                                     attention->key.token_stride, TRUE },
                      0.0f, scores, n_tokens);
  compute_weights (attention, first_row, n_rows, n_columns, head, scores, weights);

  /* C = A V: (rows, columns)(columns, d) */
  if (attention->context != NULL)
    attn_blas_multiply (n_rows, query->width, n_columns, 1.0f,
                        (AttnMatrix) { weights, n_tokens, FALSE },
                        (AttnMatrix) { attn_vectors_get (&attention->value, key_head, 0),
                                       attention->value.token_stride, FALSE },
                        0.0f,
                        attention->context + first_row * query->n_heads * query->width +
                            head * query->width,
                        query->n_heads * query->width);
}

/**
 * attn_attention_run:
 *
 *     S = factor Q K^T, with its cap and slopes; A = softmax over the visible keys of S, C = A V
 *
 * Vaswani et al. 2017, section 3.2.1. No large number stands in for the mask: a key that is not
 * visible takes no part. Returns early, with the outputs half filled, once the cancellable is
 * cancelled.
 */
void
attn_attention_run (const AttnAttention *attention)
{
  attn_parallel_run (attention->query.n_heads * count_blocks (attention->query.n_tokens),
                     attention->n_workers, run_block, (gpointer) attention);
}

typedef struct
{
  const float *scores;
  float *weights;
  gsize n_tokens;
  float factor;
  gboolean is_causal;
  gsize window;
} Rescale;

static void
rescale_rows (gsize    task,
              gsize    worker,
              gpointer user_data)
{
  const Rescale *rescale = user_data;
  gsize first_row = task * BLOCK_ROWS;
  gsize end_row = MIN (first_row + BLOCK_ROWS, rescale->n_tokens);

  for (gsize row = first_row; row < end_row; row++)
    {
      gsize begin;
      gsize end;

      get_visible (rescale->is_causal, rescale->window, rescale->n_tokens, row, &begin, &end);
      begin += row * rescale->n_tokens;
      end += row * rescale->n_tokens;
      attn_ops_softmax (rescale->scores + begin, end - begin, rescale->factor,
                        rescale->weights + begin);
    }
}

/**
 * attn_attention_rescale:
 * @scores: [H, T, T]
 * @head: which of them
 * @factor: ε, above 0
 * @window: how many keys up to itself a query sees, 0 for all
 * @n_workers: how many threads at most
 * @weights: (inout): [T, T] of zeros
 *
 * A = softmax (ε S): what scaling all queries or keys of a head gives, without a matrix product,
 * where scores have no cap and no slopes.
 */
void
attn_attention_rescale (const AttnTensor *scores,
                        gsize             head,
                        float             factor,
                        gboolean          is_causal,
                        gsize             window,
                        gsize             n_workers,
                        float            *weights)
{
  gsize n_tokens = scores->shape[2];
  Rescale rescale = { scores->data + head * n_tokens * n_tokens, weights, n_tokens, factor,
                      is_causal, window };

  attn_parallel_run (count_blocks (n_tokens), n_workers, rescale_rows, &rescale);
}
