/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Scores of heads, worked out by hand. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-head-scores.h"
#include "attn-tensor.h"

/* Float32 weights summed in double. */
#define TOLERANCE 1e-7

static AttnTensor *
make_weights (gsize        n,
              const float *values)
{
  const gsize shape[] = { n, n };
  AttnTensor *weights = attn_tensor_new (2, shape, NULL);

  memcpy (weights->data, values, n * n * sizeof *values);
  return weights;
}

/* The scores of a map, of which each row is summed up by itself, as if threads had shared it. */
static AttnHeadScores
compute (const AttnTensor *weights,
         const guint32    *ids)
{
  gsize n = weights->shape[0];
  g_autoptr (AttnHeadScorer) scorer = attn_head_scorer_new (ids, n);
  AttnHeadSums sums = { 0 };

  for (gsize row = 0; row < n; row++)
    {
      AttnHeadSums part = { 0 };

      attn_head_scorer_add (scorer, row, weights->data + row * n, &part);
      attn_head_sums_merge (&sums, &part);
    }
  return attn_head_sums_finish (&sums);
}

/* a b a a b: query 2 has seen a at 0; query 3 at 0 and 2; query 4 has seen b at 1. */
static void
test_by_hand (void)
{
  const guint32 ids[] = { 7, 9, 7, 7, 9 };
  const float values[] = {
    1,
    0,
    0,
    0,
    0, /**/
    0.4f,
    0.6f,
    0,
    0,
    0, /**/
    0.3f,
    0.2f,
    0.5f,
    0,
    0, /**/
    0.1f,
    0.25f,
    0.35f,
    0.3f,
    0, /**/
    0.5f,
    0.125f,
    0.0625f,
    0.2f,
    0.1125f,
  };
  g_autoptr (AttnTensor) weights = make_weights (5, values);
  AttnHeadScores scores = compute (weights, ids);

  g_assert_cmpfloat_with_epsilon (scores.previous_token, (0.4 + 0.2 + 0.35 + 0.2) / 4, TOLERANCE);
  g_assert_cmpfloat_with_epsilon (scores.duplicate_token, (0.3 + (0.1 + 0.35) + 0.125) / 3,
                                  TOLERANCE);
  g_assert_cmpfloat_with_epsilon (scores.induction, (0.2 + (0.25 + 0.3) + 0.0625) / 3, TOLERANCE);
}

/* A head that does nothing else scores 1. */
static void
test_perfect (void)
{
  const guint32 ids[] = { 1, 2, 3, 1, 2, 3 };
  const float previous[] = {
    1,
    0,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    0,
  };
  const float duplicate[] = {
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
  };
  const float induction[] = {
    1,
    0,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
  };
  g_autoptr (AttnTensor) a = make_weights (6, previous);
  g_autoptr (AttnTensor) b = make_weights (6, duplicate);
  g_autoptr (AttnTensor) c = make_weights (6, induction);

  g_assert_cmpfloat (compute (a, ids).previous_token, ==, 1);
  g_assert_cmpfloat (compute (a, ids).duplicate_token, ==, 0);
  g_assert_cmpfloat (compute (b, ids).duplicate_token, ==, 1);
  g_assert_cmpfloat (compute (c, ids).induction, ==, 1);
}

/* Nothing to measure is not a score of 0. */
static void
test_nothing_repeats (void)
{
  const guint32 ids[] = { 0, 1 };
  const float values[] = { 1, 0, 0.25f, 0.75f };
  g_autoptr (AttnTensor) weights = make_weights (2, values);
  g_autoptr (AttnTensor) one = make_weights (1, values);
  AttnHeadScores scores = compute (weights, ids);

  g_assert_cmpfloat (scores.previous_token, ==, 0.25);
  g_assert_true (isnan (scores.duplicate_token));
  g_assert_true (isnan (scores.induction));
  g_assert_true (isnan (compute (one, ids).previous_token));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/head-scores/by-hand", test_by_hand);
  g_test_add_func ("/model/head-scores/perfect", test_perfect);
  g_test_add_func ("/model/head-scores/nothing-repeats", test_nothing_repeats);
  return g_test_run ();
}
