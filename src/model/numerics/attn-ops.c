/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-ops.h"

#include <math.h>
#include <string.h>

#include "attn-lanes.h"

/* Approximately the smallest number whose exponential is not 0, and the largest whose exponential
 * is finite. */
#define LOWEST_EXPONENT  -104.0f
#define HIGHEST_EXPONENT 89.0f

/* Computes e^r and n of e^x = 2^n e^r, with n = round (x / ln 2), |r| <= ln 2 / 2. ln 2 is in two
 * parts, the first with few enough bits that its product with n is exact; e^r is by the minimax
 * polynomial up to r^6 of those that begin with 1 + r, off by 3e-9. @x: within the limits above, or
 * NaN. Returns e^r */
ATTN_INLINE float
split_exp (float   x,
           gint32 *n)
{
  const float magic = 0x1.8p23f; /* a number that, added to another, rounds it to an integer, which
                                  * the low bits of the sum then hold */

  float shifted = x * 0x1.715476p0f + magic;
  float rounded = shifted - magic;
  float r = x - rounded * 0x1.62e4p-1f - rounded * 0x1.7f7d1cp-20f;
  float p = 1.381459879e-3f;
  p = p * r + 8.368716575e-3f;
  p = p * r + 4.166838899e-2f;
  p = p * r + 1.666652113e-1f;
  p = p * r + 4.999999404e-1f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;

  *n = (gint32) (bits_from_float (shifted) - bits_from_float (magic));
  return p;
}

/* Returns e^x. Multiplies e^r by 2^n in two factors, so that results below 2^-126 and the step to
 * infinity are right. The relative error is below 2 units in the last place; -INFINITY gives 0, NaN
 * gives NaN. */
ATTN_INLINE float
exp_one (float x)
{
  gint32 n;

  x = x < LOWEST_EXPONENT ? LOWEST_EXPONENT : x;
  x = x > HIGHEST_EXPONENT ? HIGHEST_EXPONENT : x;
  float p = split_exp (x, &n);
  gint32 half = n >> 1;
  float first = float_from_bits ((guint32) (half + 127) << 23);
  float second = float_from_bits ((guint32) (n - half + 127) << 23);
  return p * first * second;
}

/* Computes tanh from e^-2|x|, so that neither end overflows. Near 0, where 1 - e would cancel, it
 * uses the series. */
ATTN_INLINE float
tanh_one (float x)
{
  float magnitude = fabsf (x);
  float e = exp_one (-2.0f * magnitude);
  float far = (1.0f - e) / (1.0f + e);
  float s = x * x;
  float near = magnitude + magnitude * s *
                               (-1.0f / 3.0f +
                                s * (2.0f / 15.0f + s * (-17.0f / 315.0f + s * 62.0f / 2835.0f)));
  float value = magnitude < 0.25f ? near : far;

  return x != x ? x : copysignf (value, x);
}

/* The error function: below 1 as x P(x^2), above as 1 - exp (Q(|x|)), which is 1 from 4 on. Both
 * polynomials are least squares at 2,000 Chebyshev nodes, P to erf (sqrt (s)) / sqrt (s) and Q to
 * log (erfc (t)); off by less than 2 units in the last place. */
ATTN_INLINE float
erf_one (float x)
{
  float t = fabsf (x);
  float s = x * x;

  float near = 7.882497110e-05f;
  near = near * s - 8.018854993e-04f;
  near = near * s + 5.189311943e-03f;
  near = near * s - 2.685432880e-02f;
  near = near * s + 1.128359746e-01f;
  near = near * s - 3.761262690e-01f;
  near = near * s + 1.128379166e+00f;

  float far = 1.614061613e-06f;
  far = far * t - 4.559062265e-05f;
  far = far * t + 5.927695396e-04f;
  far = far * t - 4.740222350e-03f;
  far = far * t + 2.636471739e-02f;
  far = far * t - 1.099782452e-01f;
  far = far * t - 6.319370936e-01f;
  far = far * t - 1.130166676e+00f;
  far = far * t + 3.032129772e-04f;
  far = t < 4.0f ? 1.0f - exp_one (far) : 1.0f;

  return t < 1.0f ? x * near : x != x ? x
                                      : copysignf (far, x);
}

ATTN_INLINE float
activate_one (AttnActivation activation,
              float          x)
{
  switch (activation)
    {
    case ATTN_ACTIVATION_GELU:
      return 0.5f * x * (1.0f + erf_one (x * (float) G_SQRT2 * 0.5f));
    case ATTN_ACTIVATION_GELU_TANH:
      /* sqrt (2 / pi) */
      return 0.5f * x * (1.0f + tanh_one (0.79788456f * (x + 0.044715f * x * x * x)));
    case ATTN_ACTIVATION_GELU_FAST:
      return x / (1.0f + exp_one (-1.702f * x));
    case ATTN_ACTIVATION_RELU:
      return x < 0.0f ? 0.0f : x;
    case ATTN_ACTIVATION_SILU:
      return x / (1.0f + exp_one (-x));
    case ATTN_ACTIVATION_TANH:
    default:
      return tanh_one (x);
    }
}

/* Returns the maximum of a row of numbers, ignoring NaN. */
ATTN_INLINE float
get_maximum (const float *x,
             gsize        n)
{
  float lanes[N_LANES];

  if (n < N_LANES)
    {
      float maximum = -INFINITY;

      for (gsize i = 0; i < n; i++)
        maximum = x[i] > maximum ? x[i] : maximum;
      return maximum;
    }
  for (gsize lane = 0; lane < N_LANES; lane++)
    lanes[lane] = -INFINITY;
  for (gsize i = 0; i + N_LANES <= n; i += N_LANES)
    for (gsize lane = 0; lane < N_LANES; lane++)
      lanes[lane] = x[i + lane] > lanes[lane] ? x[i + lane] : lanes[lane];
  /* The numbers behind the last whole step of lanes are processed by a step that overlaps the last
   * one. */
  for (gsize lane = 0; lane < N_LANES; lane++)
    lanes[lane] = x[n - N_LANES + lane] > lanes[lane] ? x[n - N_LANES + lane] : lanes[lane];
  return reduce_maximum (lanes);
}

/**
 * attn_ops_get_maximum:
 * @x: [n]
 *
 * Returns: the largest of @x that is not NaN; -INFINITY where there is none
 */
ATTN_CLONES (extern, float, attn_ops_get_maximum,
             (const float *x, gsize n),
             (x, n))
{
  return get_maximum (x, n);
}

/**
 * attn_ops_get_magnitude:
 * @x: [n]
 *
 * Returns: the largest magnitude of @x; not finite if any of @x is not. Magnitudes have the same
 *   order as their bits taken as integers, so integers are compared.
 */
ATTN_CLONES (extern, float, attn_ops_get_magnitude,
             (const float *x, gsize n),
             (x, n))
{
  guint32 largest = 0;

  for (gsize i = 0; i < n; i++)
    largest = MAX (largest, bits_from_float (fabsf (x[i])));
  return float_from_bits (largest);
}

/**
 * attn_ops_scale:
 * @x: (inout): [n]
 *
 * Multiplies each number by @factor.
 */
ATTN_CLONES (extern, void, attn_ops_scale,
             (float *x, float factor, gsize n),
             (x, factor, n))
{
  for (gsize i = 0; i < n; i++)
    x[i] *= factor;
}

/**
 * attn_ops_softmax:
 * @scores: [n], those of the visible keys only
 * @n: at least 1
 * @factor: above 0
 * @entropy: (out) (optional): -Σ w log2 w in bits, with an error of at most 1e-6 bits and 1e-6 of
 *   itself
 * @weights: [n], may be @scores
 *
 * weights_j = e^(factor (s_j - max s)) / sum. A NaN or +INFINITY anywhere makes the whole row NaN.
 * A score of -INFINITY has weight 0.
 */
void
attn_ops_softmax (const float *scores,
                  gsize        n,
                  float        factor,
                  float       *entropy,
                  float       *weights)
{
  float sum;
  float moment;

  attn_ops_exponentials (scores, n, -INFINITY, attn_ops_get_maximum (scores, n), factor, &sum,
                         entropy != NULL ? &moment : NULL, weights);
  attn_ops_scale (weights, 1.0f / sum, n);
  if (entropy != NULL)
    *entropy = log2f (sum) - moment / sum;
}

/**
 * attn_ops_softmax_beside:
 * @other: a score that takes its share of the row and whose weight is dropped
 *
 * Does what [func@attn_ops_softmax] does with @other, which @factor does not scale, among the
 * scores: the weights sum to less than 1. All weights are 0 where every score is -INFINITY.
 */
void
attn_ops_softmax_beside (const float *scores,
                         gsize        n,
                         float        factor,
                         float        other,
                         float       *entropy,
                         float       *weights)
{
  float maximum = factor * attn_ops_get_maximum (scores, n);

  if (maximum == -INFINITY)
    {
      memset (weights, 0, n * sizeof *weights);
      if (entropy != NULL)
        *entropy = 0.0f;
      return;
    }
  attn_ops_softmax (scores, n, factor, entropy, weights);
  /* The largest weight is 1 / the sum of all e^(s - max). */
  float share = expf (other - maximum) * attn_ops_get_maximum (weights, n);
  attn_ops_scale (weights, 1.0f / (1.0f + share), n);
  if (entropy != NULL)
    *entropy = (*entropy + log2f (1.0f + share)) / (1.0f + share);
}

/* The number of elements that are summed in float32. The sums of such blocks are added in double
 * precision. */
#define SUM_BLOCK ((gsize) 256)

/**
 * attn_ops_compare_logits:
 * @p: [n], logits
 * @q: [n], other logits
 * @n: at least 1
 * @log_sums: (out caller-allocates): [2], ln (sum of e^p) and ln (sum of e^q)
 *
 * The relative error of the sums is below 1e-6.
 *
 * Returns: the Kullback-Leibler divergence of softmax (p) from softmax (q) in nats, exactly 0 where
 *   @p and @q are the same bits
 */
ATTN_CLONES (extern, double, attn_ops_compare_logits,
             (const float *p, const float *q, gsize n, double *log_sums),
             (p, q, n, log_sums))
{
  const float largest[2] = { get_maximum (p, n), get_maximum (q, n) };
  double sums[3] = { 0.0, 0.0, 0.0 };

  for (gsize begin = 0; begin < n; begin += SUM_BLOCK)
    {
      gsize end = MIN (begin + SUM_BLOCK, n);
      float lanes[3][N_LANES] = { { 0 } };
      gsize i = begin;

      for (; i + N_LANES <= end; i += N_LANES)
        for (gsize lane = 0; lane < N_LANES; lane++)
          {
            float x = p[i + lane] - largest[0];
            float y = q[i + lane] - largest[1];
            float e = exp_one (x);

            lanes[0][lane] += e;
            lanes[1][lane] += exp_one (y);
            lanes[2][lane] += e * (x - y);
          }
      for (gsize lane = 0; i < end; i++, lane++)
        {
          float x = p[i] - largest[0];
          float y = q[i] - largest[1];
          float e = exp_one (x);

          lanes[0][lane] += e;
          lanes[1][lane] += exp_one (y);
          lanes[2][lane] += e * (x - y);
        }
      for (gsize k = 0; k < 3; k++)
        sums[k] += reduce_sum (lanes[k]);
    }
  log_sums[0] = largest[0] + log (sums[0]);
  log_sums[1] = largest[1] + log (sums[1]);
  return MAX (sums[2] / sums[0] + log (sums[1]) - log (sums[0]), 0.0);
}

/**
 * attn_ops_get_variation:
 * @log_sums: [2], by [func@attn_ops_compare_logits]
 *
 * Returns: the total variation distance of softmax (p) and softmax (q), exactly 0 where @p and @q
 *   are the same bits
 */
ATTN_CLONES (extern, double, attn_ops_get_variation,
             (const float *p, const float *q, gsize n, const double *log_sums),
             (p, q, n, log_sums))
{
  const float logs[2] = { (float) log_sums[0], (float) log_sums[1] };
  double sum = 0.0;

  for (gsize begin = 0; begin < n; begin += SUM_BLOCK)
    {
      gsize end = MIN (begin + SUM_BLOCK, n);
      float lanes[N_LANES] = { 0 };
      gsize i = begin;

      for (; i + N_LANES <= end; i += N_LANES)
        for (gsize lane = 0; lane < N_LANES; lane++)
          lanes[lane] +=
              fabsf (exp_one (p[i + lane] - logs[0]) - exp_one (q[i + lane] - logs[1]));
      for (gsize lane = 0; i < end; i++, lane++)
        lanes[lane] += fabsf (exp_one (p[i] - logs[0]) - exp_one (q[i] - logs[1]));
      sum += reduce_sum (lanes);
    }
  return sum / 2.0;
}

/**
 * attn_ops_layer_norm:
 * @x: [n]
 * @scale: (nullable): [n], %NULL for ones
 * @bias: (nullable): [n], %NULL where there is no @scale
 * @epsilon: added to the variance
 * @out: [n], may be @x
 *
 * out = (x - mean) / sqrt (variance + epsilon) * scale + bias, the variance with divisor n (Ba et
 * al. 2016, arXiv 1607.06450).
 */
ATTN_CLONES (extern, void, attn_ops_layer_norm,
             (const float *x, gsize n, const float *scale, const float *bias, float epsilon, float
              *out),
             (x, n, scale, bias, epsilon, out))
{
  float lanes[N_LANES] = { 0 };
  gsize i = 0;

  for (; i + N_LANES <= n; i += N_LANES)
    for (gsize lane = 0; lane < N_LANES; lane++)
      lanes[lane] += x[i + lane];
  for (gsize lane = 0; i < n; i++, lane++)
    lanes[lane] += x[i];
  float mean = reduce_sum (lanes) / (float) n;

  memset (lanes, 0, sizeof lanes);
  for (i = 0; i + N_LANES <= n; i += N_LANES)
    for (gsize lane = 0; lane < N_LANES; lane++)
      lanes[lane] += (x[i + lane] - mean) * (x[i + lane] - mean);
  for (gsize lane = 0; i < n; i++, lane++)
    lanes[lane] += (x[i] - mean) * (x[i] - mean);
  float factor = 1.0f / sqrtf (reduce_sum (lanes) / (float) n + epsilon);

  for (i = 0; bias != NULL && i < n; i++)
    out[i] = (x[i] - mean) * factor * scale[i] + bias[i];
  for (i = 0; bias == NULL && scale != NULL && i < n; i++)
    out[i] = (x[i] - mean) * factor * scale[i];
  for (i = 0; scale == NULL && i < n; i++)
    out[i] = (x[i] - mean) * factor;
}

/**
 * attn_ops_rms_norm:
 * @x: [n]
 * @scale: (nullable): [n]; %NULL for ones, whatever @offset is
 * @offset: added to @scale: 0 or 1
 * @epsilon: added to the mean square
 * @out: [n], may be @x
 *
 * out = x / sqrt (mean of x^2 + epsilon) * (offset + scale) (Zhang and Sennrich 2019, arXiv
 * 1910.07467).
 */
ATTN_CLONES (extern, void, attn_ops_rms_norm,
             (const float *x, gsize n, const float *scale, float offset, float epsilon, float
              *out),
             (x, n, scale, offset, epsilon, out))
{
  float lanes[N_LANES] = { 0 };
  gsize i = 0;

  for (; i + N_LANES <= n; i += N_LANES)
    for (gsize lane = 0; lane < N_LANES; lane++)
      lanes[lane] += x[i + lane] * x[i + lane];
  for (gsize lane = 0; i < n; i++, lane++)
    lanes[lane] += x[i] * x[i];
  float factor = 1.0f / sqrtf (reduce_sum (lanes) / (float) n + epsilon);

  for (i = 0; i < n; i++)
    out[i] = x[i] * factor * (scale != NULL ? offset + scale[i] : 1.0f);
}

/**
 * attn_ops_cap:
 * @cap: c, above 0
 * @x: (inout): [n]
 *
 * x = c tanh (x / c), which keeps it between -c and c.
 */
ATTN_CLONES (extern, void, attn_ops_cap,
             (float cap, gsize n, float *x),
             (cap, n, x))
{
  float reciprocal = 1.0f / cap;

  for (gsize i = 0; i < n; i++)
    x[i] = cap * tanh_one (x[i] * reciprocal);
}

/**
 * attn_ops_multiply:
 * @x: (inout): [n]
 * @y: [n]
 *
 * Multiplies each number of @x by that of @y.
 */
ATTN_CLONES (extern, void, attn_ops_multiply,
             (float *x, const float *y, gsize n),
             (x, y, n))
{
  for (gsize i = 0; i < n; i++)
    x[i] *= y[i];
}

/**
 * attn_ops_add:
 * @x: (inout): [n]
 * @y: [n]
 *
 * Adds each number of @y to that of @x.
 */
ATTN_CLONES (extern, void, attn_ops_add,
             (float *x, const float *y, gsize n),
             (x, y, n))
{
  for (gsize i = 0; i < n; i++)
    x[i] += y[i];
}

/**
 * attn_ops_add_multiple:
 * @x: (inout): [n]
 * @y: [n]
 *
 * x = x + factor y
 */
ATTN_CLONES (extern, void, attn_ops_add_multiple,
             (float *x, const float *y, float factor, gsize n),
             (x, y, factor, n))
{
  for (gsize i = 0; i < n; i++)
    x[i] += factor * y[i];
}

/**
 * attn_ops_activate:
 * @bias: (nullable): [n], added before
 * @x: (inout): [n]
 *
 * Computes x = activation (x + bias), with an absolute error below 4e-7 times the larger of 1 and
 * the magnitude of the result.
 */
ATTN_CLONES (extern, void, attn_ops_activate,
             (AttnActivation activation, const float *bias, gsize n, float *x),
             (activation, bias, n, x))
{
#define CASE(value)                                \
  case value:                                      \
    for (gsize i = 0; bias != NULL && i < n; i++)  \
      x[i] = activate_one (value, x[i] + bias[i]); \
    for (gsize i = 0; bias == NULL && i < n; i++)  \
      x[i] = activate_one (value, x[i]);           \
    break

  /* Each activation has a loop of its own, so that it is not chosen again for each element. */
  switch (activation)
    {
      CASE (ATTN_ACTIVATION_GELU);
      CASE (ATTN_ACTIVATION_GELU_TANH);
      CASE (ATTN_ACTIVATION_GELU_FAST);
      CASE (ATTN_ACTIVATION_RELU);
      CASE (ATTN_ACTIVATION_SILU);
      CASE (ATTN_ACTIVATION_TANH);
    default:
      g_return_if_reached ();
    }
#undef CASE
}
