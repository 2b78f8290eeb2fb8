/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <math.h>

#include "attn-measures.h"

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

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/measures/sink-score", test_sink_score);
  g_test_add_func ("/model/measures/entropy", test_entropy);
  g_test_add_func ("/model/measures/differences", test_differences);
  g_test_add_func ("/model/measures/not-a-number", test_nan);
  return g_test_run ();
}
