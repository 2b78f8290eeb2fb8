/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-bootstrap.h"

#include <math.h>

/**
 * attn_bootstrap_draw:
 * @expected: how many texts there are of a kind
 *
 * A text comes into a sample as often as Poisson's distribution with mean 1 says (Hanley &
 * MacGibbon 2006), so that n texts come with mean n: Knuth's way, and beyond 30 the normal
 * distribution, which is as good there.
 *
 * Returns: how many there are in a sample
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
 * @means: of each sample, in order afterwards
 * @low: (out): 2.5 % of them are below it
 * @high: (out): 2.5 % are above it
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
