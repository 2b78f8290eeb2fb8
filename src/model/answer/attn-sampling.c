/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-sampling.h"

#include <math.h>
#include <stdlib.h>

/**
 * attn_sampling_draw:
 * @number: of the draw, from 0
 *
 * SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators",
 * OOPSLA), of which any number can be had without those before it.
 *
 * Returns: a number from 0 to below 1: the upper 53 bits of the one that the generator of that seed
 *   gives after @number others
 */
double
attn_sampling_draw (guint64 seed,
                    gsize   number)
{
  guint64 z = seed + ((guint64) number + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  z ^= z >> 31;
  return (double) (z >> 11) * 0x1p-53;
}

/* A token and its weight, e to the power of (logit - largest logit) / temperature. */
typedef struct
{
  double weight;
  guint32 id;
} Candidate;

/* Sorts by falling weight. Of two equal weights, the one with the lower id comes first. */
static int
compare_weights (const void *a,
                 const void *b)
{
  const Candidate *first = a;
  const Candidate *second = b;

  if (first->weight != second->weight)
    return first->weight > second->weight ? -1 : 1;
  return first->id < second->id ? -1 : first->id > second->id;
}

static int
compare_ids (const void *a,
             const void *b)
{
  const Candidate *first = a;
  const Candidate *second = b;

  return first->id < second->id ? -1 : first->id > second->id;
}

static guint32
find_largest (const float *logits,
              gsize        n)
{
  guint32 largest = 0;

  for (gsize i = 1; i < n; i++)
    if (logits[i] > logits[largest])
      largest = (guint32) i;
  return largest;
}

static double
sum_weights (const Candidate *candidates,
             gsize            n)
{
  double sum = 0.0;

  for (gsize i = 0; i < n; i++)
    sum += candidates[i].weight;
  return sum;
}

/* Keeps the fewest candidates whose probabilities sum to @top_p, the most probable first. Leaves
 * out beforehand those that are too improbable to be needed, so that most are not sorted. */
static gsize
cut_share (Candidate *candidates,
           gsize      n,
           double     top_p)
{
  double sum = sum_weights (candidates, n);
  double least = (1.0 - top_p) * sum / (double) n / 2.0;
  double share = 0.0;
  gsize n_kept = 0;
  gsize n_left = 0;

  for (gsize i = 0; i < n; i++)
    if (candidates[i].weight >= least)
      candidates[n_kept++] = candidates[i];
  qsort (candidates, n_kept, sizeof *candidates, compare_weights);
  while (n_left < n_kept && (n_left == 0 || share < top_p * sum))
    share += candidates[n_left++].weight;
  return n_left;
}

/**
 * attn_sampling_choose:
 * @logits: [n], finite but for -INFINITY, for a token that cannot be chosen
 * @n: at least 1
 * @number: of the draw, from 0
 *
 * At temperature 0 the token with the largest logit, of several the one with the lowest id. Else
 * the probabilities are softmax (logits / t); what @top_k leaves of them, and then what @top_p
 * leaves of that, is made to sum to 1 again; and the token is the first, in the order of the ids,
 * where the sum of the probabilities up to it is above the draw. In double precision and one order,
 * so that the same logits give the same token.
 */
guint32
attn_sampling_choose (const AttnSampling *sampling,
                      const float        *logits,
                      gsize               n,
                      gsize               number)
{
  guint32 largest = find_largest (logits, n);

  if (sampling->temperature <= 0.0)
    return largest;

  g_autofree Candidate *candidates = g_new (Candidate, n);
  for (gsize i = 0; i < n; i++)
    candidates[i] = (Candidate) {
      exp (((double) logits[i] - logits[largest]) / sampling->temperature), (guint32) i
    };
  gsize n_left = n;
  if (sampling->top_k > 0 && sampling->top_k < n)
    {
      qsort (candidates, n, sizeof *candidates, compare_weights);
      n_left = sampling->top_k;
    }
  if (sampling->top_p < 1.0)
    n_left = cut_share (candidates, n_left, sampling->top_p);
  if (n_left < n)
    qsort (candidates, n_left, sizeof *candidates, compare_ids);

  double goal = attn_sampling_draw (sampling->seed, number) * sum_weights (candidates, n_left);
  double sum = 0.0;
  for (gsize i = 0; i < n_left; i++)
    {
      sum += candidates[i].weight;
      if (sum > goal)
        return candidates[i].id;
    }
  return candidates[n_left - 1].id;
}
