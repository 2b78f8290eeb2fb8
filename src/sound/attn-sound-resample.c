/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Resamples a sound with a sinc filter in a Kaiser window (Smith and Gossett 1984, ICASSP). This is
 * the filter “kaiser_best” of resampy and librosa, and “sinc_interp_kaiser” of functional.resample
 * in torchaudio 2. The published feature extractors expect sounds of the right rate, so they name
 * no filter. */

#include "config.h"

#include "attn-sound-resample.h"

#include <math.h>

#define N_CROSSINGS 64                 /* number of zero crossings of the filter's sinc on each
                                        * side */
#define ROLLOFF     0.9475937167399596 /* cutoff frequency of the filter as a share of half the
                                        * lower rate */
#define BETA        14.769656459379492 /* shape of the Kaiser window */

/* Returns I0, the modified Bessel function of the first kind, as the sum of its series. */
static double
get_bessel (double x)
{
  double sum = 1.0, term = 1.0;

  for (int i = 1; term > 1e-17 * sum; i++)
    {
      term *= (x / (2.0 * i)) * (x / (2.0 * i));
      sum += term;
    }
  return sum;
}

/* Returns the weight of the filter at a distance from its center. @x: the distance, counted in zero
 * crossings of the sinc; @peak: maximum of the window before it is scaled */
static double
get_filter (double x,
            double peak)
{
  double share = x / N_CROSSINGS;

  if (fabs (share) >= 1.0)
    return 0.0;
  double window = get_bessel (BETA * sqrt (1.0 - share * share)) / peak;
  return x == 0.0 ? window : window * sin (G_PI * x) / (G_PI * x);
}

static gsize
find_divisor (gsize a,
              gsize b)
{
  while (b > 0)
    {
      gsize rest = a % b;

      a = b;
      b = rest;
    }
  return a;
}

/**
 * attn_sound_resample:
 * @samples: [n]: the sound
 * @rate: its samples per second
 * @new_rate: the samples per second of the result
 * @error: return location: %ATTN_ERROR_MEMORY
 *
 * Computes y(j) = s * sum over i of x(i) h(s (i - j rate / new_rate)), where h is a sinc in a
 * Kaiser window and s the share of the sound's frequencies that the new rate can hold. Beyond its
 * ends the sound is taken to be silent.
 *
 * Returns: (transfer full) (nullable): [ceil (n new_rate / rate)]: the resampled sound
 */
AttnTensor *
attn_sound_resample (const AttnTensor  *samples,
                     gsize              rate,
                     gsize              new_rate,
                     GError           **error)
{
  gsize divisor = find_divisor (rate, new_rate);
  gsize from = rate / divisor, to = new_rate / divisor;
  gsize n = samples->shape[0];
  const gsize shape[] = { (n * to + from - 1) / from };
  double share = ROLLOFF * (double) MIN (from, to) / (double) from;
  double peak = get_bessel (BETA);
  gsize reach = (gsize) ceil (N_CROSSINGS / share);
  g_autofree double *taps = g_new (double, 2 * reach + 1);

  if (rate == new_rate)
    return attn_tensor_ref ((AttnTensor *) samples);
  AttnTensor *resampled = attn_tensor_new_unset (1, shape, error);
  /* Output samples whose indices differ by a multiple of @to lie at the same place between two
   * input samples, and so have the same weights. */
  for (gsize phase = 0; resampled != NULL && phase < MIN (to, shape[0]); phase++)
    {
      gsize middle = phase * from / to;
      double offset = (double) (phase * from % to) / (double) to;

      for (gsize k = 0; k <= 2 * reach; k++)
        taps[k] = share * get_filter (((double) k - (double) reach - offset) * share, peak);
      for (gsize j = phase; j < shape[0]; j += to, middle += from)
        {
          gsize first = middle > reach ? middle - reach : 0;
          gsize end = MIN (middle + reach + 1, n);
          double sum = 0.0;

          for (gsize i = first; i < end; i++)
            sum += samples->data[i] * taps[i + reach - middle];
          resampled->data[j] = (float) sum;
        }
    }
  return resampled;
}
