/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-head-scores.h"

#include <math.h>

static double
average (double sum,
         gsize  n)
{
  return n > 0 ? sum / n : NAN;
}

/* Returns for each position the last earlier position with the same token, or the position itself
 * if there is none. */
static gsize *
find_previous_occurrences (const guint32 *ids,
                           gsize          n)
{
  /* A hash table from an id to its last position + 1, with linear probing and at most a quarter of
   * its slots taken. A GHashTable takes several times as long. */
  gsize n_slots = (gsize) 1 << (g_bit_storage (n) + 2);
  g_autofree gsize *last = g_new0 (gsize, n_slots);
  gsize *previous = g_new (gsize, n);

  for (gsize i = 0; i < n; i++)
    {
      gsize slot = (gsize) ((ids[i] * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 32) % n_slots;

      while (last[slot] != 0 && ids[last[slot] - 1] != ids[i])
        slot = (slot + 1) % n_slots;
      previous[i] = last[slot] != 0 ? last[slot] - 1 : i;
      last[slot] = i + 1;
    }
  return previous;
}

struct _AttnHeadScorer
{
  gsize *previous;
  gsize n_tokens;
};

/**
 * attn_head_scorer_new:
 * @ids: (array length=n): the tokens
 *
 * Returns: (transfer full): a scorer of maps of these tokens
 */
AttnHeadScorer *
attn_head_scorer_new (const guint32 *ids,
                      gsize          n)
{
  AttnHeadScorer *scorer = g_new (AttnHeadScorer, 1);

  *scorer = (AttnHeadScorer) { find_previous_occurrences (ids, n), n };
  return scorer;
}

/**
 * attn_head_scorer_add:
 * @row: number of the query
 * @weights: [T], the attention weights of that query
 * @sums: (inout): gets what the row adds to the scores of its map
 *
 * The keys that count are those of TransformerLens' head detector (the lower triangles of
 * get_previous_token_head_detection_pattern() and its kin): for a query i the key i - 1; every key
 * j < i with the same token; every key j + 1 behind one of those, which may be i itself. The last
 * is the prefix matching score of Olsson et al. 2022, "In-context Learning and Induction Heads",
 * arXiv 2209.11895. TransformerLens divides the weight on them by all weight; here it is averaged
 * over the queries that have such a key, so that a head that does nothing else scores 1. Time grows
 * with the number of pairs of equal tokens.
 */
void
attn_head_scorer_add (const AttnHeadScorer *scorer,
                      gsize                 row,
                      const float          *weights,
                      AttnHeadSums         *sums)
{
  const gsize *previous = scorer->previous;

  g_return_if_fail (row < scorer->n_tokens);

  if (row == 0)
    return;
  sums->previous += weights[row - 1];
  sums->n_previous++;
  sums->n_duplicated += previous[row] != row;
  for (gsize j = row; previous[j] != j;)
    {
      j = previous[j];
      sums->duplicates += weights[j];
      sums->induction += weights[j + 1];
    }
}

void
attn_head_scorer_free (AttnHeadScorer *scorer)
{
  g_free (scorer->previous);
  g_free (scorer);
}

/**
 * attn_head_sums_merge:
 * @sums: (inout): gets the sum of both
 * @other: of other rows of the same map
 */
void
attn_head_sums_merge (AttnHeadSums       *sums,
                      const AttnHeadSums *other)
{
  sums->previous += other->previous;
  sums->duplicates += other->duplicates;
  sums->induction += other->induction;
  sums->n_previous += other->n_previous;
  sums->n_duplicated += other->n_duplicated;
}

/**
 * attn_head_sums_finish:
 *
 * Returns: the scores of a map, of which @sums has all rows
 */
AttnHeadScores
attn_head_sums_finish (const AttnHeadSums *sums)
{
  return (AttnHeadScores) {
    .previous_token = average (sums->previous, sums->n_previous),
    .duplicate_token = average (sums->duplicates, sums->n_duplicated),
    .induction = average (sums->induction, sums->n_duplicated),
    .previous_sum = sums->previous,
    .duplicate_sum = sums->duplicates,
    .induction_sum = sums->induction,
  };
}
