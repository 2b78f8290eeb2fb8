/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-attention.h"

#include <math.h>
#include <string.h>

#include "attn-blas.h"
#include "attn-ops.h"
#include "attn-parallel.h"
#include "attn-threads.h"
#include "attn-visible-keys.h"

/* The number of query rows that are computed together, as a block. Under a causal mask a block
 * needs only the keys up to its last row, so at most half a block of products is wasted. The number
 * is fixed so that results do not depend on the number of threads. */
#define BLOCK_ROWS ((gsize) 128)
/* The number of multiplications of an attention head below which waking a thread costs more than it
 * saves. */
#define MIN_WORK ((gsize) 1 << 16)
/* The number of floats in a cache line of the processor. */
#define CACHE_LINE ((gsize) 16)

static gsize
count_blocks (gsize n_tokens)
{
  return (n_tokens + BLOCK_ROWS - 1) / BLOCK_ROWS;
}

/* Returns the first row of the block that is computed as number @index. The last block, which has
 * the most columns, comes first, so that no thread ends up working on it alone. */
static gsize
get_block_row (gsize index,
               gsize n_tokens)
{
  return (count_blocks (n_tokens) - 1 - index) * BLOCK_ROWS;
}

/**
 * attn_attention_get_scratch:
 * @n_queries: tokens of the queries
 * @n_keys: tokens of the keys
 *
 * Returns: how many floats [func@attn_attention_run] needs: one block of scores and one of weights
 *   a worker
 */
gsize
attn_attention_get_scratch (gsize n_queries,
                            gsize n_keys,
                            gsize n_workers)
{
  return n_workers * 2 * MIN (BLOCK_ROWS, n_queries) * n_keys;
}

static double
round_to_bfloat16 (double number)
{
  float value = (float) number;
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
  memcpy (&value, &bits, sizeof value);
  return value;
}

/* Returns the slope of a head's biases by distance (Press et al. 2022, arXiv 2108.12409, section
 * 3): a geometric sequence if the number of heads is a power of 2. Otherwise the next lower power
 * of 2 gives the first slopes, and twice that power gives every other one of its slopes to the
 * remaining heads. */
static double
get_slope (const AttnScoreRules *rules,
           gsize                 head,
           gsize                 n_heads)
{
  double range = rules->alibi;
  gsize power = 1;

  while (2 * power <= n_heads)
    power *= 2;
  double exponent = head < power ? range * (double) (head + 1) / (double) power
                                 : range * (double) (2 * (head - power) + 1) / (double) (2 * power);
  return rules->has_coarse_alibi ? round_to_bfloat16 (exp2 (-exponent)) : exp2 (-exponent);
}

static inline double
bend (const AttnScoreRules *rules,
      double                slope,
      gsize                 query,
      gsize                 key)
{
  return rules->has_coarse_alibi ? rules->factor * (round_to_bfloat16 (slope * (double) key) -
                                                    round_to_bfloat16 (slope * (double) query))
                                 : slope * ((double) key - (double) query);
}

/* Returns the biases that a head adds to its scores, as a pointer that is indexed by the distance
 * of query and key, which may be negative. */
static const float *
get_distances (const AttnScoreRules *rules,
               gsize                 head)
{
  return rules->distances + head * (2 * rules->n_distances + 1) + rules->n_distances;
}

static inline float
look_up (const AttnScoreRules *rules,
         const float          *distances,
         gsize                 query,
         gsize                 key)
{
  gssize n = (gssize) rules->n_distances;

  return distances[CLAMP ((gssize) key - (gssize) query, -n, n)];
}

/**
 * attn_attention_get_bias:
 * @rules: rules for which attn_score_rules_have_bias() holds
 *
 * Returns: what the head adds to the score of @query and @key for the distance between them
 */
double
attn_attention_get_bias (const AttnScoreRules *rules,
                         gsize                 head,
                         gsize                 n_heads,
                         gsize                 query,
                         gsize                 key)
{
  return rules->distances != NULL
             ? look_up (rules, get_distances (rules, head), query, key)
             : bend (rules, get_slope (rules, head, n_heads), query, key);
}

/* Computes the attention weights of a row on its visible keys, with the head's sink in the
 * softmax. */
static void
normalize_row (const AttnScoreRules *rules,
               gsize                 head,
               const float          *scores,
               gsize                 n_keys,
               float                 factor,
               float                *entropy,
               float                *weights)
{
  if (rules->sinks != NULL)
    attn_ops_softmax_beside (scores, n_keys, factor, rules->sinks[head], entropy, weights);
  else
    attn_ops_softmax (scores, n_keys, factor, entropy, weights);
}

/* Turns a query's products with keys into scores by what follows the product: the softcap, and
 * biases by distance. */
static void
finish_scores (const AttnAttention *attention,
               gsize                head,
               gsize                row,
               gsize                begin,
               gsize                end,
               float               *scores)
{
  if (attention->rules.logit_softcap > 0.0f)
    attn_ops_cap (attention->rules.logit_softcap, end - begin, scores + begin);
  if (attention->rules.alibi > 0.0f)
    {
      double slope = get_slope (&attention->rules, head, attention->query.n_heads);

      for (gsize column = begin; column < end; column++)
        scores[column] += (float) bend (&attention->rules, slope, row, column);
    }
  if (attention->rules.distances != NULL)
    {
      const float *distances = get_distances (&attention->rules, head);

      for (gsize column = begin; column < end; column++)
        scores[column] += look_up (&attention->rules, distances, row, column);
    }
}

/* Sets the scores that interventions cut to -infinity, so that their weights are 0. A query that
 * would lose all its keys keeps them all, as it happens in the shorter ones of several texts. */
static void
cut_scores (const AttnAttention *attention,
            gsize                head,
            gsize                query,
            gsize                begin,
            gsize                end,
            float               *scores)
{
  const GPtrArray *interventions = attention->interventions;
  gsize layer = attention->seen.layer;
  gsize left = begin;

  if (!attn_interventions_act_on (interventions, ATTN_COMPONENT_SCORES, layer))
    return;
  while (left < end &&
         attn_interventions_are_cut (interventions, layer, head, query, left, begin, end))
    left++;
  if (left == end)
    return;
  for (gsize key = begin; key < end; key++)
    if (key < left ||
        attn_interventions_are_cut (interventions, layer, head, query, key, begin, end))
      scores[key] = -INFINITY;
}

/**
 * attn_attention_new_weights:
 * @rules: rules of the layer
 * @shape: [heads, T, S]
 * @error: return location for %ATTN_ERROR_SHAPE, %ATTN_ERROR_MEMORY
 *
 * Returns: (transfer full) (nullable): memory for weights, to be filled row by row; where each
 *   query sees the keys up to its own position, a tensor of triangles, whose cells above the
 *   diagonals are 0 from the beginning
 */
AttnTensor *
attn_attention_new_weights (const AttnScoreRules  *rules,
                            const gsize            shape[3],
                            GError               **error)
{
  if (!rules->is_causal || rules->n_blocks > 0 || rules->n_spans > 0 || shape[1] != shape[2])
    return attn_tensor_new_unset (3, shape, error);
  return attn_tensor_new_triangles (shape[0], shape[1], error);
}

/* Tells whether the weights of @row, whose query sees the keys before @end, are 0 from @end on
 * without being cleared. */
static gboolean
is_clear_from (const AttnTensor *weights,
               gsize             row,
               gsize             end)
{
  return weights->triangle == weights->shape[2] && end == row + 1;
}

/* Turns scores into weights for the rows of a block, masked cells included. @first_row: the first
 * of these queries. @n_columns: how many columns of the weights are read afterwards. The scores
 * have memory apart from the weights, for the products with keys that a query does not see must not
 * get into a tensor of triangles. */
static void
compute_weights (const AttnAttention *attention,
                 gsize                first_row,
                 gsize                n_rows,
                 gsize                n_columns,
                 gsize                head,
                 float               *scores,
                 float               *weights)
{
  gsize n_keys = attention->key.n_tokens;

  for (gsize i = 0; i < n_rows; i++)
    {
      gsize row = first_row + i;
      gsize position = attention->first_query + row;
      float *row_scores = scores + i * n_keys;
      float *row_weights = weights + i * n_keys;
      gsize begin;
      gsize end;

      attn_rules_get_visible_keys (&attention->rules, n_keys, position, &begin, &end);
      finish_scores (attention, head, position, begin, end, row_scores);
      cut_scores (attention, head, position, begin, end, row_scores);
      normalize_row (&attention->rules, head, row_scores + begin, end - begin, 1.0f, NULL,
                     row_weights + begin);
      memset (row_weights, 0, begin * sizeof (float));
      if (attention->weights == NULL || !is_clear_from (attention->weights, row, end))
        memset (row_weights + end, 0, (n_columns - end) * sizeof (float));
      for (gsize column = 0; attention->scores != NULL && column < begin; column++)
        row_scores[column] = -INFINITY;
      for (gsize column = end; attention->scores != NULL && column < n_keys; column++)
        row_scores[column] = -INFINITY;
      if (attention->first_column != NULL)
        attention->first_column[head * attention->query.n_tokens + row] = row_weights[0];
    }
}

/* Counts the keys, from the first one on, that any of the rows may see. */
static gsize
count_columns (const AttnAttention *attention,
               gsize                first_row,
               gsize                n_rows)
{
  const AttnScoreRules *rules = &attention->rules;
  gsize n_keys = attention->key.n_tokens;
  gsize end = attention->first_query + first_row + n_rows;

  if (!rules->is_causal)
    return n_keys;
  gsize n_columns = end;
  for (gsize i = 0; i < rules->n_blocks; i++)
    if (end > rules->blocks[i][0])
      n_columns = MAX (n_columns, MIN (rules->blocks[i][1], n_keys));
  return n_columns;
}

/* Computes one block of query rows of one head: scores, weights and context. */
static void
run_block (gsize    task,
           gsize    worker,
           gpointer user_data)
{
  const AttnAttention *attention = user_data;
  const AttnVectors *query = &attention->query;
  gsize n_queries = query->n_tokens;
  gsize n_keys = attention->key.n_tokens;
  gsize n_blocks = count_blocks (n_queries);
  gsize head = task / n_blocks;
  gsize key_head = head / attention->key.n_shared;
  gsize first_row = get_block_row (task % n_blocks, n_queries);
  gsize n_rows = MIN (BLOCK_ROWS, n_queries - first_row);
  gsize n_columns = count_columns (attention, first_row, n_rows);

  if (!attn_index_set_contains (attention->heads, head) ||
      g_cancellable_is_cancelled (attention->cancellable))
    return;

  gsize offset = (attn_index_set_count (attention->heads, head) * n_queries + first_row) * n_keys;
  float *scratch = attention->scratch + worker * attn_attention_get_scratch (n_queries, n_keys, 1);
  float *weights = attention->weights != NULL ? attention->weights->data + offset : scratch;
  float *scores = attention->scores != NULL
                      ? attention->scores->data + offset
                      : scratch + MIN (BLOCK_ROWS, n_queries) * n_keys;

  /* S = factor Q K^T, the scores: (rows, d)(d, columns) */
  attn_blas_multiply (n_rows, n_columns, query->width, attention->rules.factor,
                      (AttnMatrix) { attn_vectors_get (query, head, first_row), query->token_stride,
                                     FALSE },
                      (AttnMatrix) { attn_vectors_get (&attention->key, key_head, 0),
                                     attention->key.token_stride, TRUE },
                      0.0f, scores, n_keys);
  compute_weights (attention, first_row, n_rows, attention->weights != NULL ? n_keys : n_columns,
                   head, scores, weights);
  if (attention->look != NULL)
    {
      AttnWeightsRows rows = attention->seen;

      rows.head = head;
      rows.first_row = attention->first_query + first_row;
      rows.n_rows = n_rows;
      rows.n_columns = n_columns;
      rows.window = attention->rules.is_causal ? attention->rules.window : 0;
      rows.stride = n_keys;
      rows.weights = weights;
      attention->look (&rows, attention->look_data);
    }

  /* C = A V, the context from weights and values: (rows, columns)(columns, d) */
  gsize value_width = attention->value.width;
  if (attention->context != NULL)
    attn_blas_multiply (n_rows, value_width, n_columns, 1.0f,
                        (AttnMatrix) { weights, n_keys, FALSE },
                        (AttnMatrix) { attn_vectors_get (&attention->value, key_head, 0),
                                       attention->value.token_stride, FALSE },
                        0.0f,
                        attention->context + (first_row * query->n_heads + head) * value_width,
                        query->n_heads * value_width);
}

/* Checks that queries, keys, values and results have matching shapes, and that rows do not
 * overlap. */
static gboolean
check_sizes (const AttnAttention *attention)
{
  const AttnVectors *query = &attention->query;
  const AttnVectors *key = &attention->key;
  const AttnVectors *value = &attention->value;
  const gsize shape[] = { attn_index_set_count (attention->heads, query->n_heads),
                          query->n_tokens, key->n_tokens };

  return query->width > 0 && query->width == key->width && query->token_stride >= query->width &&
         key->token_stride >= key->width && query->n_heads == key->n_heads * key->n_shared &&
         (!attention->rules.is_causal ||
          (query->n_tokens <= key->n_tokens &&
           attention->first_query <= key->n_tokens - query->n_tokens)) &&
         (attention->context == NULL ||
          (value->n_heads == key->n_heads && value->n_tokens == key->n_tokens &&
           value->width > 0 && value->token_stride >= value->width)) &&
         (attention->scores == NULL || attn_tensor_has_shape (attention->scores, 3, shape)) &&
         (attention->weights == NULL || attn_tensor_has_shape (attention->weights, 3, shape));
}

static gsize
choose_workers (const AttnAttention *attention)
{
  const AttnVectors *query = &attention->query;
  gsize n_products = query->n_heads * query->n_tokens * attention->key.n_tokens;
  gsize width = query->width + (attention->context != NULL ? attention->value.width : 0);

  return n_products * width < MIN_WORK ? 1 : attention->n_workers;
}

/**
 * attn_attention_run:
 *
 *     S = factor Q K^T, with its cap and what distances add
 *     A = softmax over the visible keys of S, C = A V
 *
 * Vaswani et al. 2017, section 3.2.1. A key that is not visible is left out of the softmax, rather
 * than masked by a large negative number. Returns early, with the outputs half filled, once the
 * cancellable is canceled.
 */
void
attn_attention_run (const AttnAttention *attention)
{
  g_return_if_fail (check_sizes (attention));

  attn_parallel_run (attention->query.n_heads * count_blocks (attention->query.n_tokens),
                     choose_workers (attention), run_block, (gpointer) attention);
}

/**
 * attn_attention_compute:
 * @attention: (inout): what to compute; its @n_workers and @scratch are set here
 * @error: return location for %ATTN_ERROR_MEMORY, %G_IO_ERROR_CANCELLED
 *
 * Does what [func@attn_attention_run] does, in as many threads as attn_threads_get() says.
 */
gboolean
attn_attention_compute (AttnAttention  *attention,
                        GError        **error)
{
  gsize n_workers = attn_threads_get ();
  gsize n_floats = attn_attention_get_scratch (attention->query.n_tokens,
                                               attention->key.n_tokens, n_workers);
  g_autoptr (AttnTensor) scratch =
      attn_blas_check (n_workers, error) ? attn_tensor_new_unset (1, &n_floats, error) : NULL;

  if (scratch == NULL)
    return FALSE;
  attention->n_workers = n_workers;
  attention->scratch = scratch->data;
  attn_attention_run (attention);
  return !g_cancellable_set_error_if_cancelled (attention->cancellable, error);
}

/* Prefetches the next row, since the processor's own prefetching ends at a page of 4 kB, which a
 * row of 1,024 keys fills. @scores: [n_keys]; @weights: [n_columns] */
static void
fetch_row (const float *scores,
           gsize        n_keys,
           const float *weights,
           gsize        n_columns)
{
  for (gsize i = 0; i < n_keys; i += CACHE_LINE)
    __builtin_prefetch (scores + i);
  for (gsize i = 0; i < n_columns; i += CACHE_LINE)
    __builtin_prefetch (weights + i, 1);
}

/* Clears @row of @weights where its query sees no key: outside of @begin to @end. In a tensor of
 * triangles the weights above the diagonal are 0 already. */
static void
clear_masked (const AttnTensor *weights,
              gsize             row,
              gsize             begin,
              gsize             end,
              float            *to)
{
  gsize n_columns = weights->shape[2];

  memset (to, 0, begin * sizeof (float));
  if (!is_clear_from (weights, row, end))
    memset (to + end, 0, (n_columns - end) * sizeof (float));
}

static gboolean
can_rescale (const AttnTensor *scores,
             gsize             head,
             const AttnTensor *weights,
             gsize             index)
{
  return scores->n_dims == 3 && head < scores->shape[0] && weights->n_dims == 3 &&
         index < weights->shape[0] && weights->shape[1] == scores->shape[1] &&
         weights->shape[2] == scores->shape[2];
}

/**
 * attn_attention_rescale_rows:
 * @first_row: the first of the @n_rows rows that are filled as by [func@attn_attention_rescale]
 * @entropy: (inout) (optional): the sum of the rows' entropies, in bits, is added to it
 *
 * Any thread may call.
 */
void
attn_attention_rescale_rows (const AttnTensor     *scores,
                             gsize                 head,
                             float                 factor,
                             const AttnScoreRules *rules,
                             gsize                 first_row,
                             gsize                 n_rows,
                             AttnTensor           *weights,
                             gsize                 index,
                             double               *entropy)
{
  g_return_if_fail (can_rescale (scores, head, weights, index));
  g_return_if_fail (first_row <= scores->shape[1] && n_rows <= scores->shape[1] - first_row);

  gsize n_columns = scores->shape[2];
  for (gsize row = first_row; row < first_row + n_rows; row++)
    {
      const float *from = scores->data + (head * scores->shape[1] + row) * n_columns;
      float *to = weights->data + (index * scores->shape[1] + row) * n_columns;
      gsize begin;
      gsize end;
      float bits;

      attn_rules_get_visible_keys (rules, n_columns, row, &begin, &end);
      if (row + 1 < first_row + n_rows)
        fetch_row (from + n_columns, end, to + n_columns,
                   is_clear_from (weights, row, end) ? end + 1 : n_columns);
      normalize_row (rules, head, from + begin, end - begin, factor,
                     entropy != NULL ? &bits : NULL, to + begin);
      if (entropy != NULL)
        *entropy += bits;
      clear_masked (weights, row, begin, end, to);
    }
}

typedef struct
{
  const AttnTensor *scores;
  gsize head;
  float factor;
  const AttnScoreRules *rules;
  AttnTensor *weights;
  gsize index;
} Rescale;

static void
rescale_block (gsize    task,
               gsize    worker,
               gpointer user_data)
{
  const Rescale *rescale = user_data;
  gsize n_rows = rescale->scores->shape[1];
  gsize first_row = get_block_row (task, n_rows);

  attn_attention_rescale_rows (rescale->scores, rescale->head, rescale->factor, rescale->rules,
                               first_row, MIN (BLOCK_ROWS, n_rows - first_row), rescale->weights,
                               rescale->index, NULL);
}

/**
 * attn_attention_rescale:
 * @scores: [H, T, S]
 * @head: the head whose scores are used
 * @factor: ε, 0 or more
 * @rules: rules of the layer, of which the mask and the sinks are applied
 * @n_workers: how many threads at most
 * @weights: (inout): [heads, T, S]
 * @index: which of the matrices in @weights is filled
 *
 * Computes A = softmax (ε S), the weights that scaling all queries or keys of a head by ε gives,
 * without a matrix product. This holds only for scores without a cap and biases by distance.
 */
void
attn_attention_rescale (const AttnTensor     *scores,
                        gsize                 head,
                        float                 factor,
                        const AttnScoreRules *rules,
                        gsize                 n_workers,
                        AttnTensor           *weights,
                        gsize                 index)
{
  g_return_if_fail (can_rescale (scores, head, weights, index));

  Rescale rescale = { scores, head, factor, rules, weights, index };

  attn_parallel_run (count_blocks (scores->shape[1]), n_workers, rescale_block, &rescale);
}

typedef struct
{
  const AttnTensor *scores;
  const float *factors; /* [n_means, H] */
  const AttnScoreRules *rules;
  gsize n_means;
  float *rows;        /* [n_workers, S] */
  AttnTensor **means; /* [n_means], each [1, T, S] */
} RescaleMeans;

/* Adds the weights of a head's row, divided by the number of heads, to a row of their mean; the
 * weights of the first head overwrite it. */
static void
add_weights (const RescaleMeans *rescale,
             gsize               head,
             const float        *scores,
             gsize               n_keys,
             float               lowest,
             float               maximum,
             float               factor,
             float              *weights,
             float              *mean)
{
  float *to = head == 0 ? mean : weights;
  float sum = 1.0f;

  if (rescale->rules->sinks != NULL)
    normalize_row (rescale->rules, head, scores, n_keys, factor, NULL, to);
  else
    attn_ops_exponentials (scores, n_keys, lowest, maximum, factor, &sum, NULL, to);
  float share = 1.0f / (sum * (float) rescale->scores->shape[0]);
  if (head == 0)
    attn_ops_scale (mean, share, n_keys);
  else
    attn_ops_add_multiple (mean, weights, share, n_keys);
}

static void
rescale_mean_rows (gsize    task,
                   gsize    worker,
                   gpointer user_data)
{
  const RescaleMeans *rescale = user_data;
  gsize n_heads = rescale->scores->shape[0];
  gsize n_rows = rescale->scores->shape[1];
  gsize n_columns = rescale->scores->shape[2];
  gsize first_row = get_block_row (task, n_rows);
  gsize end_row = MIN (first_row + BLOCK_ROWS, n_rows);
  float *weights = rescale->rows + worker * n_columns;

  for (gsize row = first_row; row < end_row; row++)
    {
      gsize begin;
      gsize end;

      attn_rules_get_visible_keys (rescale->rules, n_columns, row, &begin, &end);
      for (gsize i = 0; i < rescale->n_means; i++)
        clear_masked (rescale->means[i], row, begin, end,
                      rescale->means[i]->data + row * n_columns);
      for (gsize head = 0; head < n_heads; head++)
        {
          const float *scores = rescale->scores->data + (head * n_rows + row) * n_columns;
          float maximum = attn_ops_get_maximum (scores + begin, end - begin);
          float magnitude = attn_ops_get_magnitude (scores + begin, end - begin);
          float lowest = isfinite (magnitude) ? -magnitude : -INFINITY;

          if (row + 1 < end_row)
            fetch_row (scores + n_columns, end, NULL, 0);
          for (gsize i = 0; i < rescale->n_means; i++)
            add_weights (rescale, head, scores + begin, end - begin, lowest, maximum,
                         rescale->factors[i * n_heads + head], weights,
                         rescale->means[i]->data + row * n_columns + begin);
        }
    }
}

/**
 * attn_attention_rescale_means:
 * @scores: [H, T, S]
 * @factors: [n_means, H], ε of each head, above 0
 * @n_means: how many sets of factors there are, each for a mean of its own
 * @means: (inout): [n_means] of [1, T, S], filled
 *
 * Computes the mean over the heads of the weights that [func@attn_attention_rescale] gives, without
 * storing those of each head. Several means in one call read the scores, which are more than a
 * cache holds, only once.
 */
void
attn_attention_rescale_means (const AttnTensor      *scores,
                              const float           *factors,
                              gsize                  n_means,
                              const AttnScoreRules  *rules,
                              gsize                  n_workers,
                              AttnTensor           **means)
{
  for (gsize i = 0; i < n_means; i++)
    g_return_if_fail (can_rescale (scores, 0, means[i], 0));

  g_autofree float *rows = g_new (float, n_workers * scores->shape[2]);
  RescaleMeans rescale = { scores, factors, rules, n_means, rows, means };

  attn_parallel_run (count_blocks (scores->shape[1]), n_workers, rescale_mean_rows, &rescale);
}

typedef struct
{
  const AttnTensor *weights;
  float *mean;
} Average;

static void
average_rows (gsize    task,
              gsize    worker,
              gpointer user_data)
{
  const Average *average = user_data;
  gsize n_heads = average->weights->shape[0];
  gsize n_rows = average->weights->shape[1];
  gsize n_columns = average->weights->shape[2];
  gsize end_row = MIN ((task + 1) * BLOCK_ROWS, n_rows);

  for (gsize row = task * BLOCK_ROWS; row < end_row; row++)
    {
      float *mean = average->mean + row * n_columns;

      memcpy (mean, average->weights->data + row * n_columns, n_columns * sizeof (float));
      for (gsize head = 1; head < n_heads; head++)
        attn_ops_add (mean, average->weights->data + (head * n_rows + row) * n_columns, n_columns);
      attn_ops_scale (mean, 1.0f / (float) n_heads, n_columns);
    }
}

/**
 * attn_attention_average:
 * @weights: [H, T, S]
 * @mean: (inout): [T, S], filled with the mean over the heads
 */
void
attn_attention_average (const AttnTensor *weights,
                        gsize             n_workers,
                        AttnTensor       *mean)
{
  g_return_if_fail (weights->n_dims == 3 && attn_tensor_has_shape (mean, 2, weights->shape + 1));

  Average average = { weights, mean->data };

  attn_parallel_run (count_blocks (weights->shape[1]), n_workers, average_rows, &average);
}
