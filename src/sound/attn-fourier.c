/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-fourier.h"

#include <math.h>
#include <string.h>

typedef struct
{
  double re;
  double im;
} Complex;

/**
 * AttnFourier:
 * @roots: [n]: exp (-2 π i k / n) for k = 0, 1, …
 * @result: [n]: the transform of the last samples
 * @work: [n]: intermediate results
 */
struct _AttnFourier
{
  gsize n;
  Complex *roots;
  Complex *result;
  Complex *work;
};

/**
 * attn_fourier_new:
 * @n: the number of samples that are transformed at a time
 *
 * Returns: (transfer full): a transform of that length
 */
AttnFourier *
attn_fourier_new (gsize n)
{
  AttnFourier *fourier = g_new0 (AttnFourier, 1);

  fourier->n = n;
  fourier->roots = g_new (Complex, n);
  fourier->result = g_new (Complex, n);
  fourier->work = g_new (Complex, n);
  for (gsize k = 0; k < n; k++)
    {
      double angle = -2.0 * G_PI * (double) k / (double) n;

      fourier->roots[k] = (Complex) { cos (angle), sin (angle) };
    }
  return fourier;
}

void
attn_fourier_free (AttnFourier *fourier)
{
  g_free (fourier->roots);
  g_free (fourier->result);
  g_free (fourier->work);
  g_free (fourier);
}

static gsize
find_factor (gsize n)
{
  for (gsize factor = 2; factor * factor <= n; factor++)
    if (n % factor == 0)
      return factor;
  return n;
}

/* Transforms @n numbers of x, those with index 0, @step, 2 @step and so on. Splits them into parts
 * by the remainder of their number divided by a factor of n, transforms each part recursively and
 * combines the results (Cooley and Tukey 1965, Math. Comp. 19, page 297). @out: [n]; @work: [n] */
static void
transform (const AttnFourier *fourier,
           const double      *x,
           gsize              n,
           gsize              step,
           Complex           *out,
           Complex           *work)
{
  gsize factor = find_factor (n);
  gsize m = n / factor;

  if (n == 1)
    {
      *out = (Complex) { *x, 0.0 };
      return;
    }
  for (gsize rest = 0; rest < factor; rest++)
    transform (fourier, x + rest * step, m, factor * step, work + rest * m, out + rest * m);
  for (gsize k = 0; k < n; k++)
    {
      Complex sum = work[k % m];

      for (gsize rest = 1; rest < factor; rest++)
        {
          Complex root = fourier->roots[rest * k % n * step];
          Complex part = work[rest * m + k % m];

          sum.re += root.re * part.re - root.im * part.im;
          sum.im += root.re * part.im + root.im * part.re;
        }
      out[k] = sum;
    }
}

/**
 * attn_fourier_get_power:
 * @x: [n]: samples
 * @power: (out): [n / 2 + 1]: |sum over j of x(j) exp (-2 π i j k / n)|² for each frequency k = 0,
 *   1, …
 */
void
attn_fourier_get_power (AttnFourier  *fourier,
                        const double *x,
                        double       *power)
{
  transform (fourier, x, fourier->n, 1, fourier->result, fourier->work);
  for (gsize k = 0; k <= fourier->n / 2; k++)
    power[k] = fourier->result[k].re * fourier->result[k].re +
               fourier->result[k].im * fourier->result[k].im;
}
