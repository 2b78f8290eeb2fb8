/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The vectorised passes against plain double precision. */

#include "config.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "attn-attention.h"
#include "attn-linear-private.h"
#include "attn-ops.h"
#include "attn-rotary.h"
#include "attn-visible-keys.h"
#include "attn-weights.h"
#include "model-fixture.h"

#define N_MAX 300

/* The same numbers come out where it is known that no score is lower, by the same steps but for a
 * check that is left out. */
static void
assert_known_lowest (const float *scores,
                     gsize        n,
                     float        largest,
                     float        factor)
{
  float found[2][N_MAX];
  float sums[2];

  attn_ops_exponentials (scores, n, -INFINITY, largest, factor, &sums[0], NULL, found[0]);
  attn_ops_exponentials (scores, n, -attn_ops_get_magnitude (scores, n), largest, factor,
                         &sums[1], NULL, found[1]);
  g_assert_cmpmem (found[0], n * sizeof (float), found[1], n * sizeof (float));
  g_assert_cmpfloat (sums[0], ==, sums[1]);
}

/* e^x has a relative error of 2e-7 (2 units in the last place); the difference of scores before it
 * another 6e-8 of its own size, and the sum a few more. */
static void
assert_softmax (const float *scores,
                gsize        n,
                float        factor)
{
  float found[N_MAX];
  float entropy;
  double largest = -INFINITY;
  double sum = 0.0;
  double bits = 0.0;

  attn_ops_softmax (scores, n, factor, &entropy, found);
  for (gsize i = 0; i < n; i++)
    largest = MAX (largest, scores[i]);
  assert_known_lowest (scores, n, (float) largest, factor);
  for (gsize i = 0; i < n; i++)
    sum += exp (factor * (scores[i] - largest));
  for (gsize i = 0; i < n; i++)
    {
      double argument = factor * (scores[i] - largest);
      double expected = exp (argument) / sum;
      double tolerance = expected * (1e-6 + 1.8e-7 * fabs (argument));

      bits -= expected > 0.0 ? expected * log2 (expected) : 0.0;
      /* Weights below 2^-125.5 of the largest are 0, which is on either side where the float32
       * argument is rounded; below 2^-126 a float has fewer digits. */
      if (argument < -125.5 * G_LN2 * (1.0 - 2e-7) && found[i] == 0.0f)
        continue;
      g_assert_cmpfloat (argument, >=, -125.5 * G_LN2 * (1.0 + 2e-7));
      g_assert_cmpfloat_with_epsilon (found[i], expected, tolerance + 1e-44);
    }
  /* Off by as much as the sum and the moment, each of some times 6e-8, are. */
  g_assert_cmpfloat_with_epsilon (entropy, bits, 1e-6 * (1.0 + bits));
}

/* A sink's own share counts in the weights of the others, and is no term of their entropy. */
static void
test_entropy_beside (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (32);
  float scores[N_MAX];
  float weights[N_MAX];
  float entropy;

  for (gsize n = 1; n < N_MAX; n += n < 40 ? 1 : 37)
    {
      float other = (float) g_rand_double_range (rand, -3.0, 6.0);
      double sum = exp (other);
      double bits = 0.0;

      for (gsize i = 0; i < n; i++)
        {
          scores[i] = (float) g_rand_double_range (rand, -4.0, 4.0);
          sum += exp (0.5 * scores[i]);
        }
      for (gsize i = 0; i < n; i++)
        bits -= exp (0.5 * scores[i]) / sum * log2 (exp (0.5 * scores[i]) / sum);
      attn_ops_softmax_beside (scores, n, 0.5f, other, &entropy, weights);
      g_assert_cmpfloat_with_epsilon (entropy, bits, 2e-6 * (1.0 + bits));
    }
  scores[0] = scores[1] = -INFINITY;
  attn_ops_softmax_beside (scores, 2, 1.0f, 0.0f, &entropy, weights);
  g_assert_cmpfloat (entropy, ==, 0.0f);
}

static void
test_softmax_range (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (31);
  float scores[N_MAX];

  /* Every length up to two registers and more, spreads from nothing to beyond what e^x can hold. */
  for (gsize n = 1; n < N_MAX; n += n < 70 ? 1 : 37)
    for (double spread = 1e-6; spread < 1e4; spread *= 10.0)
      {
        for (gsize i = 0; i < n; i++)
          scores[i] = (float) g_rand_double_range (rand, -spread, spread);
        assert_softmax (scores, n, 1.0f);
        assert_softmax (scores, n, 0.5f);
        assert_softmax (scores, n, 1e-10f);
      }
}

static void
test_softmax_extremes (void)
{
  const float masked[] = { 1.0f, -INFINITY, 3.0f, -FLT_MAX, 3.0f };
  const float huge[] = { FLT_MAX, 0.0f, -FLT_MAX, FLT_MAX };
  float found[5];

  attn_ops_softmax (masked, 5, 1.0f, NULL, found);
  g_assert_cmpfloat (found[1], ==, 0.0f);
  g_assert_cmpfloat (found[3], ==, 0.0f);
  assert_softmax (masked, 5, 1.0f);
  attn_ops_softmax (huge, 4, 1.0f, NULL, found);
  g_assert_cmpfloat (found[0], ==, 0.5f);
  g_assert_cmpfloat (found[1], ==, 0.0f);
  g_assert_cmpfloat (found[2], ==, 0.0f);
  g_assert_cmpfloat (found[3], ==, 0.5f);
}

static void
test_softmax_nan (void)
{
  const float bad[] = { NAN, INFINITY };

  for (gsize which = 0; which < 2; which++)
    for (gsize n = 1; n < 80; n += 13)
      {
        float row[80] = { 0 };

        row[n / 2] = bad[which];
        attn_ops_softmax (row, n, 1.0f, NULL, row);
        for (gsize i = 0; i < n; i++)
          g_assert_true (isnan (row[i]));
      }
}

static void
test_softmax_in_place (void)
{
  float row[N_MAX];
  float other[N_MAX];

  for (gsize i = 0; i < N_MAX; i++)
    row[i] = (float) sin ((double) i) * 5.0f;
  attn_ops_softmax (row, N_MAX, 1.0f, NULL, other);
  attn_ops_softmax (row, N_MAX, 1.0f, NULL, row);
  g_assert_cmpmem (row, sizeof row, other, sizeof other);
}

static double
activate (AttnActivation activation,
          double         x)
{
  switch (activation)
    {
    case ATTN_ACTIVATION_GELU:
      return x * 0.5 * erfc (-x / G_SQRT2);
    case ATTN_ACTIVATION_GELU_TANH:
      return 0.5 * x * (1.0 + tanh (sqrt (2.0 / G_PI) * (x + 0.044715 * x * x * x)));
    case ATTN_ACTIVATION_GELU_FAST:
      return x / (1.0 + exp (-1.702 * x));
    case ATTN_ACTIVATION_RELU:
      return MAX (x, 0.0);
    case ATTN_ACTIVATION_SILU:
      return x / (1.0 + exp (-x));
    case ATTN_ACTIVATION_TANH:
    default:
      return tanh (x);
    }
}

static void
test_activations (void)
{
  for (AttnActivation activation = ATTN_ACTIVATION_GELU; activation <= ATTN_ACTIVATION_TANH;
       activation++)
    for (double magnitude = 1e-8; magnitude < 1e5; magnitude *= 1.07)
      {
        float x[] = { (float) magnitude, (float) -magnitude };
        const float bias[] = { 0.0f, 0.0f };
        double expected[] = { activate (activation, x[0]), activate (activation, x[1]) };

        attn_ops_activate (activation, bias, 2, x);
        for (gsize i = 0; i < 2; i++)
          /* As the function promises; and near 0, where all are almost linear, relative as well. */
          g_assert_cmpfloat_with_epsilon (x[i], expected[i],
                                          magnitude < 0.1 ? 1e-6 * magnitude
                                                          : 4e-7 * MAX (1.0, fabs (expected[i])));
      }
}

static void
test_activations_of_nan (void)
{
  for (AttnActivation activation = ATTN_ACTIVATION_GELU; activation <= ATTN_ACTIVATION_TANH;
       activation++)
    {
      float x[] = { NAN, 1.0f };
      const float bias[] = { 0.0f, 0.0f };

      attn_ops_activate (activation, bias, 2, x);
      g_assert_true (isnan (x[0]));
      g_assert_false (isnan (x[1]));
    }
}

static void
test_layer_norm (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (32);
  float x[N_MAX], scale[N_MAX], bias[N_MAX], found[N_MAX];

  for (gsize n = 1; n <= N_MAX; n += 23)
    {
      double mean = 0.0;
      double variance = 0.0;

      for (gsize i = 0; i < n; i++)
        {
          /* Far from 0, as the residual stream of a real model is in some places. */
          x[i] = (float) g_rand_double_range (rand, 99.0, 101.0);
          scale[i] = (float) g_rand_double_range (rand, -1.0, 1.0);
          bias[i] = (float) g_rand_double_range (rand, -1.0, 1.0);
          mean += (double) x[i] / (double) n;
        }
      for (gsize i = 0; i < n; i++)
        variance += (x[i] - mean) * (x[i] - mean) / (double) n;
      attn_ops_layer_norm (x, n, scale, bias, 1e-5f, found);
      for (gsize i = 0; i < n; i++)
        /* The mean is rounded to 8e-6 at its size of 100; the deviation it is divided by is about
         * 0.6. */
        g_assert_cmpfloat_with_epsilon (found[i],
                                        (x[i] - mean) / sqrt (variance + 1e-5) * scale[i] + bias[i],
                                        n == 1 ? 1e-6 : 5e-5);
    }
}

/* Also in place and without a bias. */
static void
test_norms_in_place (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (33);
  float x[N_MAX], scale[N_MAX], found[N_MAX];
  const float zeros[N_MAX] = { 0 };

  for (gsize i = 0; i < N_MAX; i++)
    {
      x[i] = (float) g_rand_double_range (rand, -3.0, 3.0);
      scale[i] = (float) g_rand_double_range (rand, -1.0, 1.0);
    }
  attn_ops_layer_norm (x, N_MAX, scale, zeros, 1e-5f, found);
  attn_ops_layer_norm (x, N_MAX, scale, NULL, 1e-5f, x);
  for (gsize i = 0; i < N_MAX; i++)
    /* The compiler may contract the addition of 0 with the product: the last bit. */
    g_assert_cmpfloat_with_epsilon (x[i], found[i], 1e-6);
}

static void
test_rms_norm (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (34);
  float x[N_MAX], scale[N_MAX], found[N_MAX];

  for (gsize n = 1; n <= N_MAX; n += 23)
    for (gsize offset = 0; offset <= 1; offset++)
      {
        double square = 0.0;

        for (gsize i = 0; i < n; i++)
          {
            x[i] = (float) g_rand_double_range (rand, -3.0, 3.0);
            scale[i] = (float) g_rand_double_range (rand, -1.0, 1.0);
            square += (double) x[i] * x[i] / (double) n;
          }
        attn_ops_rms_norm (x, n, scale, (float) offset, 0.01f, found);
        for (gsize i = 0; i < n; i++)
          /* Some roundings of numbers up to 4. */
          g_assert_cmpfloat_with_epsilon (
              found[i], x[i] / sqrt (square + 0.01) * ((double) offset + scale[i]), 3e-6);
      }
}

static void
test_cap (void)
{
  float x[] = { 0.0f, 1e-3f, 5.0f, -30.0f, 1e9f, -INFINITY, NAN };

  attn_ops_cap (30.0f, G_N_ELEMENTS (x), x);
  g_assert_cmpfloat (x[0], ==, 0.0f);
  /* Some last bits at the size of the cap, and of the number where that is almost linear. */
  g_assert_cmpfloat_with_epsilon (x[1], 30.0 * tanh (1e-3 / 30.0), 1e-9);
  g_assert_cmpfloat_with_epsilon (x[2], 30.0 * tanh (5.0 / 30.0), 1e-5);
  g_assert_cmpfloat_with_epsilon (x[3], -30.0 * tanh (1.0), 1e-5);
  g_assert_cmpfloat (x[4], ==, 30.0f);
  g_assert_cmpfloat (x[5], ==, -30.0f);
  g_assert_true (isnan (x[6]));
}

static void
test_multiply (void)
{
  float x[] = { 1.0f, -2.0f, 3.0f };
  const float y[] = { 5.0f, 7.0f, 0.0f };

  attn_ops_multiply (x, y, 3);
  g_assert_cmpfloat (x[0], ==, 5.0f);
  g_assert_cmpfloat (x[1], ==, -14.0f);
  g_assert_cmpfloat (x[2], ==, 0.0f);
}

enum
{
  N_MAX_ROWS = 65,
};

/* What a product of float32 numbers may differ by from the exact one: the roundings of @n_in terms
 * of up to 1. */
static double
get_tolerance (gsize n_in)
{
  return 4e-7 * (double) n_in;
}

/* Both orientations, with and without a bias, an activation and an old value, across slabs; as
 * float32, and by way of the array, of which few rows take another path than many. */
static void
test_linear (void)
{
  enum
  {
    N_IN = 130,
    N_OUT = 150
  };
  static const gsize row_counts[] = { 1, 3, 8, 31, 32, 33, N_MAX_ROWS };
  g_autoptr (GRand) rand = g_rand_new_with_seed (33);
  g_autofree float *x = g_new (float, N_MAX_ROWS *N_IN);
  g_autofree float *weight = g_new (float, N_IN *N_OUT);
  g_autofree float *transposed = g_new (float, N_IN *N_OUT);
  g_autofree float *out = g_new (float, N_MAX_ROWS *N_OUT);
  float bias[N_OUT];
  const AttnActivation relu = ATTN_ACTIVATION_RELU;

  for (gsize i = 0; i < N_MAX_ROWS * N_IN; i++)
    x[i] = (float) g_rand_double_range (rand, -1.0, 1.0);
  for (gsize i = 0; i < N_IN * N_OUT; i++)
    {
      weight[i] = (float) g_rand_double_range (rand, -1.0, 1.0);
      transposed[i % N_OUT * N_IN + i / N_OUT] = weight[i];
    }
  for (gsize i = 0; i < N_OUT; i++)
    bias[i] = (float) i;

  const gsize shape[] = { N_OUT, N_IN };
  const gsize swapped_shape[] = { N_IN, N_OUT };
  const gsize n_bytes = N_IN * N_OUT * sizeof (float);
  g_autoptr (GBytes) bytes = g_bytes_new (transposed, n_bytes);
  g_autoptr (GBytes) swapped_bytes = g_bytes_new (weight, n_bytes);
  g_autoptr (AttnArray) array = attn_array_new ("a", ATTN_DTYPE_F32, 2, shape, bytes, NULL);
  g_autoptr (AttnArray) swapped_array =
      attn_array_new ("b", ATTN_DTYPE_F32, 2, swapped_shape, swapped_bytes, NULL);
  g_autofree float *scratch = g_new (float, 3 * 2 * N_IN); /* tiles of two columns, three threads */

  for (gsize variant = 0; variant < 16 * G_N_ELEMENTS (row_counts); variant++)
    {
      gsize n_rows = row_counts[variant / 16];
      gboolean is_input_major = (variant & 1) != 0;
      gboolean accumulates = (variant & 2) != 0;
      gboolean has_bias = (variant & 4) != 0;
      gboolean is_converted = (variant & 8) != 0;
      AttnLinear linear = {
        .x = x,
        .n_rows = n_rows,
        .n_in = N_IN,
        .n_out = N_OUT,
        .weight = is_converted ? NULL : is_input_major ? weight
                                                       : transposed,
        .array = !is_converted ? NULL : is_input_major ? swapped_array
                                                       : array,
        .scratch = scratch,
        .n_scratch = 2 * N_IN,
        .is_input_major = is_input_major,
        .bias = has_bias ? bias : NULL,
        .activation = has_bias && !accumulates ? &relu : NULL,
        .accumulates = accumulates,
        .out = out,
        .out_stride = N_OUT,
      };

      for (gsize i = 0; i < N_MAX_ROWS * N_OUT; i++)
        out[i] = accumulates ? 1.0f : NAN;
      attn_linear_run (&linear, 3);
      for (gsize row = 0; row < n_rows; row++)
        for (gsize o = 0; o < N_OUT; o++)
          {
            double sum = (accumulates ? 1.0 : 0.0) + (has_bias ? bias[o] : 0.0);

            for (gsize i = 0; i < N_IN; i++)
              sum += (double) x[row * N_IN + i] * weight[i * N_OUT + o];
            if (linear.activation != NULL)
              sum = MAX (sum, 0.0);
            /* And of a bias of up to 150. */
            g_assert_cmpfloat_with_epsilon (out[row * N_OUT + o], sum, get_tolerance (N_IN));
          }
    }
}

/* A matrix as files have it, in pieces of every kind: whole and cut tiles, blocks and rows. */
static void
check_few (AttnDtype dtype,
           gboolean  is_input_major,
           gsize     n_in,
           gsize     n_out,
           gsize     n_workers)
{
  static const gsize row_counts[] = { 1, 5, 16, 32 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (34);
  g_autofree float *x = g_new (float, 32 * n_in);
  g_autofree float *out = g_new (float, 32 * n_out);
  g_autofree float *plain = g_new (float, n_in *n_out);
  /* Both bytes of a 16-bit number, and those of a scale, give numbers below 1 that way. */
  g_autoptr (AttnArray) array = random_array (rand, dtype, is_input_major ? n_in : n_out,
                                              is_input_major ? n_out : n_in, 0x20, 0x38);

  g_assert_true (attn_array_read (array, 0, n_in * n_out, plain, NULL));
  double largest = 0.0;
  for (gsize i = 0; i < n_in * n_out; i++)
    largest = MAX (largest, fabs (plain[i]));
  for (gsize i = 0; i < 32 * n_in; i++)
    x[i] = (float) g_rand_double_range (rand, -1.0, 1.0);

  for (gsize k = 0; k < G_N_ELEMENTS (row_counts); k++)
    {
      AttnLinear linear = {
        .x = x,
        .n_rows = row_counts[k],
        .n_in = n_in,
        .n_out = n_out,
        .array = array,
        .is_input_major = is_input_major,
        .out = out,
        .out_stride = n_out,
      };

      attn_linear_run (&linear, n_workers);
      for (gsize row = 0; row < row_counts[k]; row++)
        for (gsize o = 0; o < n_out; o++)
          {
            double sum = 0.0;

            for (gsize i = 0; i < n_in; i++)
              sum += (double) x[row * n_in + i] *
                     plain[is_input_major ? i * n_out + o : o * n_in + i];
            g_assert_cmpfloat_with_epsilon (out[row * n_out + o], sum,
                                            get_tolerance (n_in) * largest);
          }
    }
}

static void
test_linear_of_few_rows (void)
{
  check_few (ATTN_DTYPE_BF16, TRUE, 200, 300, 2);
  check_few (ATTN_DTYPE_BF16, FALSE, 2100, 70, 2);
  check_few (ATTN_DTYPE_F16, TRUE, 63, 257, 2);
  check_few (ATTN_DTYPE_F16, FALSE, 77, 259, 2);
  check_few (ATTN_DTYPE_Q8_0, FALSE, 2112, 33, 2);
  check_few (ATTN_DTYPE_Q4_K, FALSE, 2304, 33, 2);
  /* Fewer columns than threads. */
  check_few (ATTN_DTYPE_F32, FALSE, 8192, 16, 64);
}

/* Bytes of every kind but those of scales, which are small numbers, and of infinities and NaN. */
static AttnArray *
random_blocks (GRand       *rand,
               AttnDtype    dtype,
               gsize        n_rows,
               gsize        n_columns,
               const gsize *scales,
               gsize        n_scales)
{
  const gsize shape[] = { n_rows, n_columns };
  gsize n_elements, n_block_bytes;

  attn_dtype_get_block (dtype, &n_elements, &n_block_bytes);
  gsize n_bytes = n_rows * n_columns / n_elements * n_block_bytes;
  guint8 *bytes = g_malloc (n_bytes);

  for (gsize i = 0; i < n_bytes; i++)
    bytes[i] = (guint8) g_rand_int_range (rand, 0, 256);
  for (gsize i = 0; i < n_bytes; i += n_block_bytes)
    for (gsize k = 0; k < n_scales; k++)
      {
        guint8 *high = &bytes[i + scales[k]];

        /* Of float32 and bfloat16 below 1, of binary16 below 2, subnormals included. */
        *high = dtype == ATTN_DTYPE_F32 || dtype == ATTN_DTYPE_BF16
                    ? (guint8) ((*high & 0x80) | (0x30 + *high % 15))
                    : (guint8) (*high & 0xbf);
      }
  g_autoptr (GBytes) owner = g_bytes_new_take (bytes, n_bytes);
  return attn_array_new ("w", dtype, 2, shape, owner, NULL);
}

/* Takes one row of Q4_K, which some processors multiply in integers, times numbers that are far
 * apart, nothing but 0, and what is no number. */
static void
test_linear_of_one_row_extremes (void)
{
  enum
  {
    N_IN = 512,
  };
  static const gsize scales[] = { 1, 3 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (38);
  g_autoptr (AttnArray) array = random_blocks (rand, ATTN_DTYPE_Q4_K, 1, N_IN, scales, 2);
  float x[N_IN] = { 0 }, row[N_IN], out;
  const AttnLinear linear = {
    .x = x,
    .n_rows = 1,
    .n_in = N_IN,
    .n_out = 1,
    .array = array,
    .out = &out,
    .out_stride = 1,
  };

  g_assert_true (attn_array_read (array, 0, N_IN, row, NULL));
  attn_linear_run (&linear, 1);
  g_assert_cmpfloat (out, ==, 0.0f);
  x[7] = 1e20f;
  x[300] = -1e-20f;
  attn_linear_run (&linear, 1);
  g_assert_cmpfloat_with_epsilon (out / 1e20f, row[7], 2e-6);
  x[7] = 0.0f;
  attn_linear_run (&linear, 1);
  g_assert_cmpfloat_with_epsilon (out * 1e20f, -row[300], 2e-6);
  for (gsize i = 0; i < 2; i++)
    {
      x[301] = i == 0 ? NAN : INFINITY;
      attn_linear_run (&linear, 1);
      g_assert_false (isfinite (out));
    }
}

/* One row takes a way of its own. 2e-6 of the sum of what is added: some hundred roundings of part
 * sums, and an offset that is taken off the sum of 32 numbers in place of each. */
static void
test_linear_of_one_row (void)
{
  enum
  {
    N_OUT = 48,
    PAIRED_WIDTH = 8,
    MAX_IN = 2560,
  };
  static const struct
  {
    AttnDtype dtype;
    gsize n_in;
    gsize n_scales;
    gsize scales[2]; /* upper bytes, of a block */
  } cases[] = {
    { ATTN_DTYPE_F32, 192, 1, { 3 } },
    { ATTN_DTYPE_F16, 2112, 1, { 1 } },
    { ATTN_DTYPE_BF16, 2112, 1, { 1 } },
    { ATTN_DTYPE_BF16, 100, 1, { 1 } },
    { ATTN_DTYPE_Q8_0, 2112, 1, { 1 } },
    { ATTN_DTYPE_Q8_0, 96, 1, { 1 } },
    { ATTN_DTYPE_Q4_0, 2240, 1, { 1 } },
    { ATTN_DTYPE_Q4_K, 2560, 2, { 1, 3 } },
    { ATTN_DTYPE_Q6_K, 2304, 1, { 209 } },
    { ATTN_DTYPE_Q5_K, 512, 2, { 1, 3 } },
  };
  g_autoptr (GRand) rand = g_rand_new_with_seed (37);
  float x[MAX_IN], row[MAX_IN], out[N_OUT];

  for (gsize k = 0; k < G_N_ELEMENTS (cases) * 2; k++)
    {
      gsize index = k / 2, n_in = cases[index].n_in;
      gboolean is_paired = k % 2 == 1;
      g_autoptr (AttnArray) array = random_blocks (rand, cases[index].dtype, N_OUT, n_in,
                                                   cases[index].scales, cases[index].n_scales);
      const AttnLinear linear = {
        .x = x,
        .n_rows = 1,
        .n_in = n_in,
        .n_out = N_OUT,
        .array = array,
        .paired_width = is_paired ? PAIRED_WIDTH : 0,
        .accumulates = is_paired,
        .out = out,
        .out_stride = N_OUT,
      };

      for (gsize i = 0; i < n_in; i++)
        x[i] = (float) g_rand_double_range (rand, -1.0, 2.0);
      for (gsize o = 0; o < N_OUT; o++)
        out[o] = 1.0f;
      attn_linear_run (&linear, 3);
      for (gsize o = 0; o < N_OUT; o++)
        {
          gsize place = is_paired ? attn_weights_find_row (o, PAIRED_WIDTH) : o;
          double sum = is_paired ? 1.0 : 0.0, size = 1.0;

          g_assert_true (attn_array_read (array, place * n_in, n_in, row, NULL));
          for (gsize i = 0; i < n_in; i++)
            {
              sum += (double) x[i] * row[i];
              size += fabs ((double) x[i] * row[i]);
            }
          g_assert_cmpfloat_with_epsilon (out[o], sum, 2e-6 * size);
        }
    }
}

/* Registers of each width that this processor has, and that others may have to do with. */
static void
test_kernels (void)
{
  enum
  {
    N_ROWS = 11,
    N_IN = 45,
    N_COLUMNS = 64, /* for those of the columns a multiple of what they take at a time */
    STRIDE = 70,
  };
  g_autoptr (GRand) rand = g_rand_new_with_seed (35);
  float x[N_ROWS * STRIDE], weight[STRIDE * STRIDE], c[N_ROWS * STRIDE];

  G_STATIC_ASSERT (N_COLUMNS % ATTN_KERNEL_COLUMNS == 0);
  for (gsize i = 0; i < G_N_ELEMENTS (x); i++)
    x[i] = (float) g_rand_double_range (rand, -1.0, 1.0);
  for (gsize i = 0; i < G_N_ELEMENTS (weight); i++)
    weight[i] = (float) g_rand_double_range (rand, -1.0, 1.0);
  for (gsize lanes = 4; lanes <= 16; lanes *= 2)
    {
      const AttnKernels *kernels = attn_linear_get_kernels (lanes);

      g_assert_cmpuint (kernels->n_lanes, <=, lanes);
      for (int by_column = 0; by_column < 2; by_column++)
        {
          gsize n_columns = by_column ? N_COLUMNS : N_COLUMNS - 1;

          for (gsize i = 0; i < G_N_ELEMENTS (c); i++)
            c[i] = 2.0f;
          (by_column ? kernels->multiply_columns : kernels->multiply_rows) (
              x, STRIDE, N_ROWS, weight, STRIDE, n_columns, N_IN, c, STRIDE);
          for (gsize row = 0; row < N_ROWS; row++)
            for (gsize o = 0; o < STRIDE; o++)
              {
                double sum = 2.0;

                for (gsize i = 0; i < N_IN && o < n_columns; i++)
                  sum += (double) x[row * STRIDE + i] *
                         weight[by_column ? i * STRIDE + o : o * STRIDE + i];
                g_assert_cmpfloat_with_epsilon (c[row * STRIDE + o], sum, get_tolerance (N_IN));
              }
        }
    }
}

static AttnTensor *
new_tensor (guint n_dims,
            gsize a,
            gsize b,
            gsize c)
{
  const gsize shape[] = { a, b, c };
  AttnTensor *tensor = attn_tensor_new (n_dims, shape, NULL);

  for (gsize i = 0; n_dims == 3 && i < a * b * c; i++)
    tensor->data[i] = (float) i;
  return tensor;
}

static void
expect_refusal (const char *function)
{
  g_autofree char *pattern = g_strdup_printf ("%s: assertion*failed", function);

  g_test_expect_message (NULL, G_LOG_LEVEL_CRITICAL, pattern);
}

static void
assert_untouched (const AttnTensor *tensor)
{
  g_test_assert_expected_messages ();
  for (gsize i = 0; i < attn_tensor_get_n_elements (tensor); i++)
    g_assert_cmpfloat (tensor->data[i], ==, 0);
}

/* Tensors that do not fit each other are neither read nor written. */
static void
test_shapes (void)
{
  const float factors[] = { 1, 1 };
  const AttnScoreRules causal = { .is_causal = TRUE };
  g_autoptr (AttnTensor) wide = new_tensor (3, 2, 3, 5);
  g_autoptr (AttnTensor) square = new_tensor (3, 2, 3, 3);
  g_autoptr (AttnTensor) wide_out = new_tensor (2, 3, 5, 0);
  g_autoptr (AttnTensor) square_out = new_tensor (2, 3, 3, 0);
  g_autoptr (AttnTensor) stack = new_tensor (3, 1, 5, 5);
  AttnVectors vectors = attn_vectors_wrap (wide, 4);
  AttnAttention attention = { .query = vectors,
                              .key = vectors,
                              .n_workers = 1,
                              .weights = stack,
                              .rules = { .is_causal = TRUE } };

  attn_attention_average (wide, 2, wide_out);
  for (gsize i = 0; i < 15; i++)
    g_assert_cmpfloat (wide_out->data[i], ==, i + 7.5f);
  expect_refusal ("attn_attention_average");
  attn_attention_average (wide, 1, square_out);
  assert_untouched (square_out);
  expect_refusal ("attn_attention_rescale_means");
  attn_attention_rescale_means (wide, factors, 1, &causal, 1, &square_out);
  assert_untouched (square_out);
  memset (stack->data, 0, 25 * sizeof (float));
  expect_refusal ("attn_attention_rescale");
  attn_attention_rescale (square, 0, 1, &causal, 1, stack, 0);
  assert_untouched (stack);
  expect_refusal ("attn_attention_rescale");
  attn_attention_rescale (stack, 1, 1, &causal, 1, stack, 0);
  assert_untouched (stack);
  expect_refusal ("attn_attention_run");
  attn_attention_run (&attention);
  assert_untouched (stack);
  expect_refusal ("attn_vectors_wrap");
  g_assert_cmpuint (attn_vectors_wrap (wide, 3).n_heads, ==, 0);
  g_test_assert_expected_messages ();
}

/* Whatever memory held before, weights are 0 where a query sees no key, and sum to 1 where it sees
 * some: of causal maps, with a window, with a block that is seen both ways, and without a mask. */
static void
test_weights_in_used_memory (void)
{
  enum
  {
    N_HEADS = 4,
    N_TOKENS = 150,
    WIDTH = 8
  };
  static const gsize block[][2] = { { 40, 60 } };
  const AttnScoreRules rules[] = {
    { .factor = 1.0f, .is_causal = TRUE },
    { .factor = 1.0f, .is_causal = TRUE, .window = 20 },
    { .factor = 1.0f, .is_causal = TRUE, .blocks = block, .n_blocks = 1 },
    { .factor = 1.0f },
  };
  const gsize shape[] = { N_HEADS, N_TOKENS, N_TOKENS };
  const gsize size = N_HEADS * N_TOKENS * N_TOKENS;
  const gsize heads[] = { N_HEADS, N_TOKENS, WIDTH };
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  g_autoptr (AttnTensor) states = attn_tensor_new (3, heads, NULL);

  for (gsize i = 0; i < attn_tensor_get_n_elements (states); i++)
    states->data[i] = (float) g_rand_double_range (rand, -2, 2);
  for (gsize round = 0; round < 3 * G_N_ELEMENTS (rules); round++)
    {
      const AttnScoreRules *mask = &rules[round / 3];
      AttnTensor *before = attn_tensor_new_unset (1, &size, NULL);

      for (gsize i = 0; i < size; i++)
        before->data[i] = 9.0f;
      attn_tensor_unref (before);
      for (int again = 0; again < 2; again++)
        {
          g_autoptr (AttnTensor) weights = attn_attention_new_weights (mask, shape, NULL);
          AttnVectors vectors = attn_vectors_wrap (states, N_HEADS);
          AttnAttention attention = { .query = vectors,
                                      .key = vectors,
                                      .value = vectors,
                                      .rules = *mask,
                                      .weights = weights };

          g_assert_true (attn_attention_compute (&attention, NULL));
          for (gsize row = 0; row < N_HEADS * N_TOKENS; row++)
            {
              gsize begin;
              gsize end;
              double sum = 0.0;

              attn_rules_get_visible_keys (mask, N_TOKENS, row % N_TOKENS, &begin, &end);
              for (gsize key = 0; key < N_TOKENS; key++)
                if (key >= begin && key < end)
                  sum += weights->data[row * N_TOKENS + key];
                else
                  g_assert_cmpfloat (weights->data[row * N_TOKENS + key], ==, 0);
              /* 150 weights, each of which is rounded by 6e-8 of itself */
              g_assert_cmpfloat_with_epsilon (sum, 1.0, 1e-5);
            }
        }
    }
}

static void
test_magnitude (void)
{
  const float others[] = { NAN, -NAN, INFINITY, -INFINITY };
  float x[N_MAX];

  for (gsize i = 0; i < N_MAX; i++)
    x[i] = i % 2 == 0 ? -FLT_MAX : FLT_TRUE_MIN;
  for (gsize n = 0; n < N_MAX; n++)
    g_assert_cmpfloat (attn_ops_get_magnitude (x, n), ==, n > 0 ? FLT_MAX : 0.0f);
  for (gsize n = 1; n < N_MAX; n += 7)
    for (gsize at = 0; at < n; at++)
      {
        float kept = x[at];

        x[at] = others[(n + at) % G_N_ELEMENTS (others)];
        g_assert_false (isfinite (attn_ops_get_magnitude (x, n)));
        g_assert_true (isfinite (attn_ops_get_magnitude (x, at)));
        x[at] = kept;
      }
}

/* Half of the share that yarn leaves as it is: half way from yarn's angle to the stretched one. */
static void
test_partial_yarn (void)
{
  float tables[3][2 * 16];

  for (gsize i = 0; i < 3; i++)
    {
      const AttnRope rope = { .width = 16,
                              .base = 10000.0,
                              .scaling = ATTN_ROPE_SCALING_YARN,
                              .factor = 4.0,
                              .n_original = 64,
                              .beta_fast = 4.0,
                              .beta_slow = 1.0,
                              .extrapolation_factor = 0.5 * (double) i,
                              .truncates = TRUE,
                              .attention_factor = 1.0 };

      attn_rotary_fill (&rope, 2, 0, tables[i]);
    }
  for (gsize i = 0; i < 8; i++)
    {
      double angles[3];

      for (gsize j = 0; j < 3; j++)
        angles[j] = atan2 (tables[j][16 + 8 + i], tables[j][16 + i]);
      g_assert_cmpfloat (fabs (angles[1] - (angles[0] + angles[2]) / 2.0), <, 1e-6);
    }
  g_assert_cmpfloat (fabs (tables[0][16] - cos (0.25)), <, 1e-6);
  g_assert_cmpfloat (fabs (tables[2][16] - cos (1.0)), <, 1e-6);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/ops/softmax-range", test_softmax_range);
  g_test_add_func ("/model/ops/softmax-extremes", test_softmax_extremes);
  g_test_add_func ("/model/ops/entropy-beside", test_entropy_beside);
  g_test_add_func ("/model/ops/softmax-not-a-number", test_softmax_nan);
  g_test_add_func ("/model/ops/softmax-in-place", test_softmax_in_place);
  g_test_add_func ("/model/ops/activations", test_activations);
  g_test_add_func ("/model/ops/activations-of-not-a-number", test_activations_of_nan);
  g_test_add_func ("/model/ops/layer-norm", test_layer_norm);
  g_test_add_func ("/model/ops/norms-in-place", test_norms_in_place);
  g_test_add_func ("/model/ops/rms-norm", test_rms_norm);
  g_test_add_func ("/model/ops/cap", test_cap);
  g_test_add_func ("/model/ops/multiply", test_multiply);
  g_test_add_func ("/model/ops/linear", test_linear);
  g_test_add_func ("/model/ops/linear-of-few-rows", test_linear_of_few_rows);
  g_test_add_func ("/model/ops/linear-of-one-row", test_linear_of_one_row);
  g_test_add_func ("/model/ops/linear-of-one-row-extremes", test_linear_of_one_row_extremes);
  g_test_add_func ("/model/ops/kernels", test_kernels);
  g_test_add_func ("/model/ops/shapes", test_shapes);
  g_test_add_func ("/model/ops/weights-in-used-memory", test_weights_in_used_memory);
  g_test_add_func ("/model/ops/magnitude", test_magnitude);
  g_test_add_func ("/model/ops/partial-yarn", test_partial_yarn);
  return g_test_run ();
}
