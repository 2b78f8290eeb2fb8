/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Exponentials of a row in registers of one width. Included once for each width, with
 *
 * - KERNEL(name): the name of a function of that width,
 * - KERNEL_TARGET: the processors that it is for,
 * - KERNEL_LANES: floats of a register, a power of 2 from 4 to 16,
 * - KERNEL_LARGER(a, b): the larger of two registers' numbers, @b where either is NaN.
 */

#define KERNEL_INLINE static inline __attribute__ ((always_inline)) KERNEL_TARGET
#define LANES         KERNEL (Lanes)
#define INTS          KERNEL (Ints)
#define LOAD(type, from)             \
  ({                                 \
    type KERNEL (loaded);            \
    memcpy (&KERNEL (loaded), from,  \
            sizeof KERNEL (loaded)); \
    KERNEL (loaded);                 \
  })

typedef float LANES __attribute__ ((vector_size (KERNEL_LANES * sizeof (float))));
typedef gint32 INTS __attribute__ ((vector_size (KERNEL_LANES * sizeof (gint32))));

/* Replaces numbers y <= 0, or NaN, by 2^x of x = factor y: 0 where x is below -125.5. 2^x =
 * 2^(n - 1) 2^(f + 1) with n = round (x), |f| <= 1/2: the second factor is at least sqrt (2), so
 * that no product is subnormal, and the bits of the first are 0 where n is the limit. Its
 * polynomial is minimax up to f^5 of those that are 2 at 0; the result is off by less than 3 units
 * in the last place. If @is_near, no x is NaN or near the limit: then n - 1 is added to the
 * exponent of the second factor, which gives the same bits without a check for the limit.
 *
 * The @n registers go through each step together: if they came one after the other, the processor's
 * queue would hold too few of them to hide how long a step takes. */
KERNEL_INLINE void
KERNEL (raise_2) (LANES    *y,
                  float     factor,
                  gboolean  is_near,
                  gsize     n)
{
  static const float coefficients[] = { 0x1.3cea88p-6f, 0x1.c6b752p-4f, 0x1.ebf9bcp-2f,
                                        0x1.62e42ap0f, 2.0f };
  const LANES lowest = (LANES) { 0 } + LOWEST_POWER / factor;
  /* A number that, added to another, rounds it to an integer n; the low bits of the sum then hold n
   * + 126, or n - 1. */
  const float magic = 0x1.8p23f - (is_near ? 1.0f : LOWEST_POWER);
  LANES powers[TOGETHER];
  LANES p[TOGETHER];

  if (!is_near)
    FOR_EACH (k, n)
      y[k] = KERNEL_LARGER (lowest, y[k]);
  FOR_EACH (k, n)
    powers[k] = factor * y[k] + magic;
  FOR_EACH (k, n)
    p[k] = powers[k] - magic;
  FOR_EACH (k, n)
    y[k] = factor * y[k] - p[k];
  FOR_EACH (k, n)
    p[k] = 0x1.5bba14p-9f * y[k] + coefficients[0];
#pragma GCC unroll 8
  for (gsize i = 1; i < G_N_ELEMENTS (coefficients); i++)
    FOR_EACH (k, n)
      p[k] = p[k] * y[k] + coefficients[i];
  FOR_EACH (k, n)
    y[k] = is_near ? (LANES) ((INTS) p[k] + ((INTS) powers[k] << 23))
                   : p[k] * (LANES) ((INTS) powers[k] << 23);
}

/* Returns the last register of a row, which overlaps the register before. A row shorter than a
 * register fills the end of a register, whose beginning is @maximum. */
KERNEL_INLINE LANES
KERNEL (load_end) (const float *scores,
                   gsize        n,
                   float        maximum)
{
  float padded[KERNEL_LANES];

  if (n >= KERNEL_LANES)
    return LOAD (LANES, scores + n - KERNEL_LANES);
  for (gsize lane = 0; lane < KERNEL_LANES; lane++)
    padded[lane] = maximum;
#pragma GCC unroll 1
  for (gsize i = 0; i < n; i++)
    padded[KERNEL_LANES - n + i] = scores[i];
  return LOAD (LANES, padded);
}

KERNEL_INLINE float
KERNEL (add_up) (LANES sums)
{
  float lanes[KERNEL_LANES];

  memcpy (lanes, &sums, sizeof lanes);
#pragma GCC unroll 4
  for (gsize width = KERNEL_LANES / 2; width > 0; width /= 2)
    for (gsize i = 0; i < width; i++)
      lanes[i] += lanes[i + width];
  return lanes[0];
}

/* Fills @out and returns its sum, see attn_ops_exponentials(). @factor: for powers of 2, not of e.
 * @moment is left alone unless @has_moment, which the compiler knows beforehand, as it knows
 * @is_near. */
KERNEL_INLINE float
KERNEL (compute) (const float *scores,
                  gsize        n,
                  float        maximum,
                  float        factor,
                  gboolean     is_near,
                  gboolean     has_moment,
                  float       *moment,
                  float       *out)
{
  const LANES lowest = (LANES) { 0 } + LOWEST_POWER;
  LANES sums[TOGETHER] = { 0 };
  LANES moments[TOGETHER] = { 0 };
  gsize n_whole = n / KERNEL_LANES * KERNEL_LANES;
  /* Rows of a causal map are short, and it would take long to compute the numbers at their ends one
   * by one. @out may be @scores, so the end is read before anything is written. */
  LANES end = KERNEL (load_end) (scores, n, maximum);
  gsize i = 0;

  for (; i + TOGETHER * KERNEL_LANES <= n_whole; i += TOGETHER * KERNEL_LANES)
    {
      LANES x[TOGETHER];
      LANES y[TOGETHER];

      FOR_EACH (k, TOGETHER)
        x[k] = y[k] = LOAD (LANES, scores + i + k * KERNEL_LANES) - maximum;
      KERNEL (raise_2) (x, factor, is_near, TOGETHER);
      FOR_EACH (k, TOGETHER)
        {
          sums[k] += x[k];
          if (has_moment)
            moments[k] += x[k] * KERNEL_LARGER (lowest, factor * y[k]);
          memcpy (out + i + k * KERNEL_LANES, &x[k], sizeof x[k]);
        }
    }
  for (; i < n_whole; i += KERNEL_LANES)
    {
      LANES y = LOAD (LANES, scores + i) - maximum;
      LANES x = y;

      KERNEL (raise_2) (&x, factor, is_near, 1);
      sums[0] += x;
      if (has_moment)
        moments[0] += x * KERNEL_LARGER (lowest, factor * y);
      memcpy (out + i, &x, sizeof x);
    }
  if (n_whole < n)
    {
      gint32 n_twice = (gint32) (KERNEL_LANES - (n - n_whole));
      LANES y = end - maximum;
      LANES x = y;

      KERNEL (raise_2) (&x, factor, is_near, 1);
      LANES once = (LANES) ((INTS) x & (LOAD (INTS, lane_numbers) >= n_twice));
      sums[1] += once;
      if (has_moment)
        moments[1] += once * KERNEL_LARGER (lowest, factor * y);
      if (n >= KERNEL_LANES)
        memcpy (out + n - KERNEL_LANES, &x, sizeof x);
      else
        {
          float padded[KERNEL_LANES];

          memcpy (padded, &x, sizeof padded);
#pragma GCC unroll 1
          for (i = 0; i < n; i++)
            out[i] = padded[KERNEL_LANES - n + i];
        }
    }
  if (has_moment)
    *moment = KERNEL (add_up) ((moments[0] + moments[1]) + (moments[2] + moments[3]));
  return KERNEL (add_up) ((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

KERNEL_TARGET static float
KERNEL (exponentials) (const float *scores,
                       gsize        n,
                       float        lowest,
                       float        maximum,
                       float        factor,
                       float       *moment,
                       float       *out)
{
  if (moment != NULL)
    return KERNEL (compute) (scores, n, maximum, factor, FALSE, TRUE, moment, out);
  /* The condition is false if the lowest score is -INFINITY. */
  if (factor * (lowest - maximum) > NEAR_POWER)
    return KERNEL (compute) (scores, n, maximum, factor, TRUE, FALSE, NULL, out);
  return KERNEL (compute) (scores, n, maximum, factor, FALSE, FALSE, NULL, out);
}

#undef LOAD
#undef INTS
#undef LANES
#undef KERNEL_INLINE
#undef KERNEL
#undef KERNEL_TARGET
#undef KERNEL_LANES
#undef KERNEL_LARGER
