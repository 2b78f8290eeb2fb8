/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <math.h>

#include "attn-measures.h"
#include "attn-threads.h"
#include "plain-measures.h"

static AttnTensor *
matrix (gsize        n,
        const float *cells)
{
  const gsize shape[] = { n, n };
  AttnTensor *tensor = attn_tensor_new (2, shape, NULL);

  for (gsize i = 0; i < n * n; i++)
    tensor->data[i] = cells[i];
  return tensor;
}

/* Powers of two: every result is exact. */
static const float cells[] = {
  1.0f, 0.0f, 0.0f, 0.0f,     /* 0 bits */
  0.5f, 0.5f, 0.0f, 0.0f,     /* 1 bit */
  0.5f, 0.25f, 0.25f, 0.0f,   /* 1.5 bits */
  0.25f, 0.25f, 0.25f, 0.25f, /* 2 bits */
};
static const float others[] = {
  1.0f, 0.0f, 0.0f, 0.0f,   /* the same */
  1.0f, 0.0f, 0.0f, 0.0f,   /* 0.5 moved */
  0.25f, 0.5f, 0.25f, 0.0f, /* 0.25 moved */
  0.0f, 0.25f, 0.5f, 0.25f, /* 0.25 moved */
};

static void
test_sink_score (void)
{
  g_autoptr (AttnTensor) weights = matrix (4, cells);

  g_assert_cmpfloat (attn_measure_sink_score (weights, 0), ==, (1.0 + 0.5 + 0.5 + 0.25) / 4.0);
  /* The first row cannot see key 1: three rows are left. */
  g_assert_cmpfloat (attn_measure_sink_score (weights, 1), ==, (0.5 + 0.25 + 0.25) / 3.0);
  g_assert_cmpfloat (attn_measure_sink_score (weights, 3), ==, 0.25);
}

static void
test_entropy (void)
{
  const double expected[] = { 0.0, 1.0, 1.5, 2.0 };
  g_autoptr (AttnTensor) weights = matrix (4, cells);

  for (gsize row = 0; row < 4; row++)
    g_assert_cmpfloat (attn_measure_row_entropy (weights, row), ==, expected[row]);
  g_assert_false (signbit (attn_measure_row_entropy (weights, 0)));
  g_assert_cmpfloat (attn_measure_mean_entropy (weights), ==, 4.5 / 4.0);
}

static void
test_differences (void)
{
  g_autoptr (AttnTensor) weights = matrix (4, cells);
  g_autoptr (AttnTensor) baseline = matrix (4, others);

  g_assert_cmpfloat (attn_measure_largest_difference (weights, baseline), ==, 0.5);
  g_assert_cmpfloat (attn_measure_total_variation (weights, baseline), ==,
                     (0.5 + 0.25 + 0.25) / 4.0);
  g_assert_cmpfloat (attn_measure_largest_difference (weights, weights), ==, 0.0);
  g_assert_cmpfloat (attn_measure_total_variation (weights, weights), ==, 0.0);
}

static void
test_nan (void)
{
  g_autoptr (AttnTensor) weights = matrix (4, cells);
  g_autoptr (AttnTensor) baseline = matrix (4, others);

  weights->data[4] = NAN;
  g_assert_true (isnan (attn_measure_sink_score (weights, 0)));
  g_assert_false (isnan (attn_measure_sink_score (weights, 2)));
  g_assert_true (isnan (attn_measure_row_entropy (weights, 1)));
  g_assert_true (isnan (attn_measure_mean_entropy (weights)));
  g_assert_true (isnan (attn_measure_largest_difference (weights, baseline)));
  g_assert_true (isnan (attn_measure_total_variation (weights, baseline)));
}

/* All from one pass, against each as it is defined; sizes that fill the vectors and such that do
 * not, one block of rows and several. */
static AttnMeasures
measure_all (const AttnTensor *weights,
             const AttnTensor *baseline,
             gboolean          is_causal)
{
  AttnMeasures measures = { 0 };

  attn_measures_add (&measures, weights->data, baseline->data, 0, weights->shape[0],
                     weights->shape[1], is_causal);
  attn_measures_finish (&measures, weights->shape[0]);
  return measures;
}

static void
test_all_at_once (void)
{
  static const gsize sizes[] = { 1, 2, 31, 33, 100, 257 };
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (gsize i = 0; i < 2 * G_N_ELEMENTS (sizes); i++)
    {
      gsize n = sizes[i / 2];
      gboolean is_causal = i % 2 == 0;
      const gsize shape[] = { n, n };
      g_autoptr (AttnTensor) weights = attn_tensor_new (2, shape, NULL);
      g_autoptr (AttnTensor) baseline = attn_tensor_new (2, shape, NULL);

      for (gsize row = 0; row < n; row++)
        for (gsize column = 0; column < (is_causal ? row + 1 : n); column++)
          {
            double sharpness = g_rand_double_range (random, 0.0, 40.0);

            weights->data[row * n + column] = (float) (exp (-sharpness));
            baseline->data[row * n + column] = (float) g_rand_double (random) / (float) n;
          }

      attn_threads_set (1);
      AttnMeasures alone = measure_all (weights, baseline, is_causal);
      attn_threads_set (4);
      AttnMeasures found = measure_all (weights, baseline, is_causal);
      attn_threads_set (0);

      /* Float32 sums along a row of a few hundred cells, and a logarithm good to 1e-7. */
      const double tolerance = 1e-5;
      g_assert_cmpmem (&alone, sizeof alone, &found, sizeof found);
      g_assert_cmpfloat_with_epsilon (found.sink_score, attn_measure_sink_score (weights, 0),
                                      1e-12);
      g_assert_cmpfloat_with_epsilon (found.mean_entropy, attn_measure_mean_entropy (weights),
                                      tolerance * MAX (found.mean_entropy, 1.0));
      g_assert_cmpfloat_with_epsilon (found.largest_difference,
                                      attn_measure_largest_difference (weights, baseline), 1e-7);
      g_assert_cmpfloat_with_epsilon (found.total_variation,
                                      attn_measure_total_variation (weights, baseline),
                                      tolerance * MAX (found.total_variation, 1.0));
    }
}

static void
test_all_at_once_exactly (void)
{
  g_autoptr (AttnTensor) weights = matrix (4, cells);
  g_autoptr (AttnTensor) baseline = matrix (4, others);
  AttnMeasures found = measure_all (weights, baseline, TRUE);

  g_assert_cmpfloat (found.sink_score, ==, (1.0 + 0.5 + 0.5 + 0.25) / 4.0);
  g_assert_cmpfloat (found.mean_entropy, ==, 4.5 / 4.0);
  g_assert_cmpfloat (found.largest_difference, ==, 0.5);
  g_assert_cmpfloat (found.total_variation, ==, (0.5 + 0.25 + 0.25) / 4.0);

  /* A masked cell is not read, a visible one is. */
  weights->data[1] = NAN;
  g_assert_false (isnan (measure_all (weights, baseline, TRUE).mean_entropy));
  found = measure_all (weights, baseline, FALSE);
  g_assert_false (isnan (found.sink_score));
  g_assert_true (isnan (found.mean_entropy));
  g_assert_true (isnan (found.largest_difference));
  g_assert_true (isnan (found.total_variation));
}

/* Rounded weights are those of a softmax, other numbers are not; masked cells are not read, and
 * what is not a number is not counted. */
static void
test_distributions (void)
{
  const float rounded[] = { 1.0f, 5.0f, 0.334f, 0.664f };
  const float large[] = { 1.0f, 0.0f, 0.7f, 0.4f };
  const float negative[] = { 1.0f, 0.0f, 1.5f, -0.5f };
  const float broken[] = { 1.0f, 0.0f, NAN, 0.5f };
  const float beside_sink[] = { 0.2f, 0.0f, 0.3f, 0.1f };

  g_assert_true (attn_measures_are_distributions (rounded, 0, 2, 2, TRUE));
  g_assert_false (attn_measures_are_distributions (rounded, 0, 2, 2, FALSE));
  g_assert_true (attn_measures_are_distributions (rounded + 2, 1, 1, 2, TRUE));
  g_assert_false (attn_measures_are_distributions (large, 0, 2, 2, TRUE));
  g_assert_false (attn_measures_are_distributions (negative, 0, 2, 2, TRUE));
  g_assert_true (attn_measures_are_distributions (broken, 0, 2, 2, TRUE));
  g_assert_true (attn_measures_are_distributions (beside_sink, 0, 2, 2, TRUE));
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/measures/sink-score", test_sink_score);
  g_test_add_func ("/model/measures/entropy", test_entropy);
  g_test_add_func ("/model/measures/differences", test_differences);
  g_test_add_func ("/model/measures/not-a-number", test_nan);
  g_test_add_func ("/model/measures/all-at-once", test_all_at_once);
  g_test_add_func ("/model/measures/all-at-once-exactly", test_all_at_once_exactly);
  g_test_add_func ("/model/measures/distributions", test_distributions);
  return g_test_run ();
}
