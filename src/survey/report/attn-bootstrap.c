/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-bootstrap.h"

#include <math.h>

/**
 * attn_bootstrap_draw:
 * @expected: number of texts in the survey that have the same value, such as those in a bin
 *
 * Each text is in a sample as often as a Poisson variable with mean 1 (Hanley & MacGibbon 2006), so
 * that n texts are in it as often as one with mean n. It is drawn by Knuth's algorithm, and beyond
 * 30 from the normal distribution, which is close enough there.
 *
 * Returns: how many such texts a bootstrap sample contains, a random number
 */
double
attn_bootstrap_draw (GRand  *rand,
                     double  expected)
{
  if (expected > 30.0)
    {
      double angle = g_rand_double_range (rand, 0.0, 2.0 * G_PI);
      double radius = sqrt (-2.0 * log (1.0 - g_rand_double (rand)));

      return MAX (0.0, expected + sqrt (expected) * radius * cos (angle));
    }

  double limit = exp (-expected);
  double product = g_rand_double (rand);
  double n = 0.0;

  for (; product > limit; product *= g_rand_double (rand))
    n++;
  return n;
}

static int
compare_numbers (gconstpointer a,
                 gconstpointer b,
                 gpointer      user_data)
{
  double first = *(const double *) a;
  double second = *(const double *) b;

  return (first > second) - (first < second);
}

/**
 * attn_bootstrap_find_interval:
 * @means: (inout): the mean of each bootstrap sample; sorted on return
 * @low: (out): lower end of the 95 % interval: 2.5 % of the means are below it
 * @high: (out): upper end of the interval: 2.5 % of the means are above it
 */
void
attn_bootstrap_find_interval (double  means[ATTN_BOOTSTRAP_SAMPLES],
                              double *low,
                              double *high)
{
  g_qsort_with_data (means, ATTN_BOOTSTRAP_SAMPLES, sizeof *means, compare_numbers, NULL);
  *low = means[ATTN_BOOTSTRAP_SAMPLES / 40];
  *high = means[ATTN_BOOTSTRAP_SAMPLES - 1 - ATTN_BOOTSTRAP_SAMPLES / 40];
}
