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

/* For each position the last earlier one that has the same token; its own where there is none. */
static gsize *
find_previous_occurrences (const guint32 *ids,
                           gsize          n)
{
  g_autoptr (GHashTable) last = g_hash_table_new (NULL, NULL);
  gsize *previous = g_new (gsize, n);

  for (gsize i = 0; i < n; i++)
    {
      gpointer key = GUINT_TO_POINTER (ids[i]);
      gpointer value;

      previous[i] = g_hash_table_lookup_extended (last, key, NULL, &value)
                        ? GPOINTER_TO_SIZE (value)
                        : i;
      g_hash_table_insert (last, key, GSIZE_TO_POINTER (i));
    }
  return previous;
}

/**
 * attn_head_scores_compute:
 * @weights: [T, T]
 * @ids: (array): [T], the tokens
 *
 * The keys that count are those of TransformerLens' head detector (the lower triangles of
 * get_previous_token_head_detection_pattern() and its kin): for a query i the key i - 1; every key
 * j < i with the same token; every key j + 1 behind one of those, which may be i itself. The last is
 * the prefix matching score of Olsson et al. 2022, "In-context Learning and Induction Heads", arXiv
 * 2209.11895. TransformerLens divides the weight on them by all weight; here it is averaged over
 * the queries that have such a key, so that a head that does nothing else scores 1.
 *
 * Returns: the scores; time grows with the number of pairs of equal tokens
 */
AttnHeadScores
attn_head_scores_compute (const AttnTensor *weights,
                          const guint32    *ids)
{
  AttnHeadScores none = { NAN, NAN, NAN };

  g_return_val_if_fail (weights->n_dims == 2 && weights->shape[0] == weights->shape[1], none);

  gsize n = weights->shape[0];
  g_autofree gsize *previous = find_previous_occurrences (ids, n);
  double before = 0;
  double duplicates = 0;
  double behind = 0;
  gsize n_duplicated = 0;

  for (gsize i = 1; i < n; i++)
    {
      const float *row = weights->data + i * n;

      before += row[i - 1];
      n_duplicated += previous[i] != i;
      for (gsize j = i; previous[j] != j;)
        {
          j = previous[j];
          duplicates += row[j];
          behind += row[j + 1];
        }
    }
  return (AttnHeadScores) {
    .previous_token = average (before, n - 1),
    .duplicate_token = average (duplicates, n_duplicated),
    .induction = average (behind, n_duplicated),
  };
}
