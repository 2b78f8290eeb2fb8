/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Draws random numbers that depend on a seed alone, and chooses tokens by them. */

#include "config.h"

#include "attn-sampling.h"

#include <math.h>
#include <stdlib.h>

/**
 * attn_sampling_draw:
 * @number: number of the draw, from 0
 *
 * Computes random number @number of the generator SplitMix64, which can be computed without those
 * before it (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators", OOPSLA).
 *
 * Returns: a number from 0 to below 1, made of the upper 53 of the generator's 64 bits
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

/* A token that may be chosen, and its weight: e to the power of (logit - largest logit) /
 * temperature. */
typedef struct
{
  double weight;
  guint32 id;
} Candidate;

/* Compares tokens to sort them by falling weight. Of two equal weights, the one with the lower id
 * comes first. */
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

/* Sorts the fewest, most probable candidates whose probabilities sum to at least @top_p to the
 * front, and returns their number. Candidates that are too improbable to be among these are left
 * out before, so that most are not sorted. */
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
 * @logits: [n], finite, or -INFINITY for a token that cannot be chosen
 * @n: size of the vocabulary, at least 1
 * @number: number of the draw, from 0
 *
 * At temperature 0 chooses the token with the largest logit, of several such tokens the one with
 * the lowest id. Else the probabilities are softmax (logits / t), limited to the tokens that @top_k
 * allows, and of these to those that @top_p allows, and scaled to sum to 1 again. The token is then
 * the first, in the order of the ids, at which the sum of the probabilities so far is above the
 * random number. Sums are in double precision and in this order, so that the same logits always
 * give the same token.
 *
 * Returns: the id of the token
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
