/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-sentence-letters.h"

#include <math.h>

#include "attn-contrast.h"

/* The contrast of all letters with their background (WCAG 2, 1.4.3). */
#define CONTRAST 4.5

/* The contrast from which letters of one colour are kept on a background, which is then moved to
 * the nearest colour that gives %CONTRAST, by 16 of 255 steps of a channel at most. Without it
 * black and white would alternate on a row of nearly one colour, as both have little more than
 * %CONTRAST where they meet. */
#define LEAST_CONTRAST 4.2

/* Luminances of backgrounds: black letters have a contrast on all lighter ones, white letters on
 * all darker ones. */
#define DARKEST_UNDER_BLACK(contrast)  (0.05 * (contrast) -0.05)
#define LIGHTEST_UNDER_WHITE(contrast) (1.05 / (contrast) -0.05)

static int
compare (gconstpointer a,
         gconstpointer b)
{
  double first = *(const double *) a;
  double second = *(const double *) b;

  return (first > second) - (first < second);
}

/* Returns the luminance from which on the letters are black; white ones stand on darker grounds.
 * Where letters of one colour are possible on all grounds, they are; otherwise the colour changes
 * at the widest gap between two grounds that leaves all of them enough contrast. @luminances: of
 * the grounds, ascending */
static double
find_change (const double *luminances,
             gsize         n)
{
  double lightest = LIGHTEST_UNDER_WHITE (LEAST_CONTRAST);
  double darkest = DARKEST_UNDER_BLACK (LEAST_CONTRAST);
  double change = lightest;
  double widest = -1;

  if (n == 0 || luminances[n - 1] <= lightest)
    return INFINITY;
  if (luminances[0] >= darkest)
    return 0;
  for (gsize i = 1; i < n; i++)
    if (luminances[i - 1] <= lightest && luminances[i] >= darkest &&
        luminances[i] - luminances[i - 1] > widest)
      {
        change = luminances[i];
        widest = luminances[i] - luminances[i - 1];
      }
  return change;
}

/* Darkens or lightens a background, if need be, until letters have %CONTRAST on it. */
static AttnRgb
give_contrast (AttnRgb  ground,
               gboolean is_under_black)
{
  double luminance = attn_contrast_get_luminance (ground);
  double darkest = DARKEST_UNDER_BLACK (CONTRAST);
  double lightest = LIGHTEST_UNDER_WHITE (CONTRAST);

  if (is_under_black && luminance < darkest)
    return attn_contrast_mix (ground, (darkest - luminance) / (1 - luminance), TRUE);
  if (!is_under_black && luminance > lightest)
    return attn_contrast_mix (ground, 1 - lightest / luminance, FALSE);
  return ground;
}

/**
 * attn_sentence_letters_choose:
 * @grounds: (inout) (array length=n_grounds): the colours of a map; one on which both black and
 *   white letters have little contrast is changed by a shade
 * @is_used: (array length=n_grounds): whether a token has this colour
 * @letters: (out) (array length=n_grounds): black or white for each ground that is used; the others
 *   are not set
 *
 * Chooses letters that have a contrast of 4.5 to 1 on each ground, and the same letters on grounds
 * that are nearly one colour. Their colour changes at most once from the darkest ground to the
 * lightest.
 */
void
attn_sentence_letters_choose (AttnRgb        *grounds,
                              const gboolean *is_used,
                              gsize           n_grounds,
                              AttnRgb        *letters)
{
  g_autoptr (GArray) luminances = g_array_new (FALSE, FALSE, sizeof (double));

  for (gsize i = 0; i < n_grounds; i++)
    {
      double luminance = is_used[i] ? attn_contrast_get_luminance (grounds[i]) : 0;

      if (is_used[i])
        g_array_append_val (luminances, luminance);
    }
  g_array_sort (luminances, compare);
  double change = find_change ((const double *) (void *) luminances->data, luminances->len);

  for (gsize i = 0; i < n_grounds; i++)
    {
      if (!is_used[i])
        continue;
      gboolean is_black = attn_contrast_get_luminance (grounds[i]) >= change;

      grounds[i] = give_contrast (grounds[i], is_black);
      letters[i] = is_black ? (AttnRgb) { 0, 0, 0 } : (AttnRgb) { 255, 255, 255 };
    }
}
