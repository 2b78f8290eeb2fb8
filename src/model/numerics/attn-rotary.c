/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-rotary.h"

#include <math.h>

/* Returns the share of frequency number @index that YaRN leaves unscaled: 1 for frequencies that
 * turn often over the original length, 0 for those that hardly turn, and between for the others. */
static double
compute_yarn_share (const AttnRope *rope,
                    gsize           index)
{
  double width = (double) rope->width;
  double turns[] = { rope->beta_fast, rope->beta_slow };
  double bounds[2];

  /* A bound is the index (not rounded) of the frequency with the given number of turns over the
   * original length. */
  for (gsize i = 0; i < G_N_ELEMENTS (bounds); i++)
    bounds[i] = width * log ((double) rope->n_original / (turns[i] * 2.0 * G_PI)) /
                (2.0 * log (rope->base));
  if (rope->truncates)
    {
      bounds[0] = floor (bounds[0]);
      bounds[1] = ceil (bounds[1]);
    }
  bounds[0] = MAX (bounds[0], 0.0);
  bounds[1] = MIN (bounds[1], width - 1.0);
  if (bounds[0] == bounds[1])
    bounds[1] += 0.001;
  return 1.0 - CLAMP (((double) index - bounds[0]) / (bounds[1] - bounds[0]), 0.0, 1.0);
}

/* Returns the share of a frequency that stays unscaled, by its turns over the original length: 1
 * for short waves, 0 for long ones, and a mixture between. */
static double
compute_llama3_share (const AttnRope *rope,
                      double          frequency)
{
  double n_turns = (double) rope->n_original * frequency / (2.0 * G_PI);
  double low = rope->low_freq_factor;
  double share = (n_turns - low) / (rope->high_freq_factor - low);

  return CLAMP (share, 0.0, 1.0);
}

/* Returns the angle between neighboring positions, scaled. @factors: (nullable): divisors of the
 * frequencies, applied before */
static double
scale_frequency (const AttnRope *rope,
                 const float    *factors,
                 gsize           index,
                 double          frequency)
{
  double share;

  if (factors != NULL)
    frequency /= factors[index];
  switch (rope->scaling)
    {
    case ATTN_ROPE_SCALING_LINEAR:
      return frequency / rope->factor;
    case ATTN_ROPE_SCALING_LLAMA3:
      share = compute_llama3_share (rope, frequency);
      break;
    case ATTN_ROPE_SCALING_YARN:
      share = rope->extrapolation_factor * compute_yarn_share (rope, index);
      break;
    default:
      return frequency;
    }
  return (1.0 - share) * frequency / rope->factor + share * frequency;
}

/**
 * attn_rotary_fill:
 * @n_tokens: T, the length of the text, on which the scalings dynamic and longrope depend
 * @first_token: p, the first position to fill the table for
 * @table: (out caller-allocates): [T - p, R]: R / 2 cosines, then R / 2 sines a position
 *
 * Angle i of position t is t θ^(-2 i / R) (Su et al. 2021, arXiv 2104.09864, section 3.2.2),
 * scaled: linear divides positions by the factor s; dynamic is, beyond the original length n, the
 * base θ (s T / n - s + 1)^(R / (R - 2)); llama3 is that of Dubey et al. 2024, arXiv 2407.21783, in
 * the form of its reference code; yarn that of Peng et al. 2023, arXiv 2309.00071, section 3.2;
 * longrope divides each frequency by a number of its own (Ding et al. 2024, arXiv 2402.13753), as
 * GGUF files do.
 */
void
attn_rotary_fill (const AttnRope *rope,
                  gsize           n_tokens,
                  gsize           first_token,
                  float          *table)
{
  gsize n_angles = rope->width / 2;
  double width = (double) rope->width;
  double base = rope->base;
  gboolean is_long = rope->long_factors != NULL && n_tokens > rope->n_original;
  const float *factors = is_long ? rope->long_factors : rope->factors;

  if (rope->scaling == ATTN_ROPE_SCALING_DYNAMIC && n_tokens > rope->n_original && width > 2.0)
    base *= pow (rope->factor * (double) n_tokens / (double) rope->n_original - rope->factor + 1.0,
                 width / (width - 2.0));
  for (gsize i = 0; i < n_angles; i++)
    {
      double frequency =
          scale_frequency (rope, factors, i, pow (base, -2.0 * (double) i / width));

      for (gsize token = first_token; token < n_tokens; token++)
        {
          double angle = (double) token * frequency;
          float *row = table + (token - first_token) * rope->width;

          row[i] = (float) (rope->attention_factor * cos (angle));
          row[n_angles + i] = (float) (rope->attention_factor * sin (angle));
        }
    }
}

/**
 * attn_rotary_is_same:
 *
 * Returns: whether texts of @n_tokens and of @n_others turn a position by the same angles
 */
gboolean
attn_rotary_is_same (const AttnRope *rope,
                     gsize           n_tokens,
                     gsize           n_others)
{
  gsize n = rope->n_original;

  if (rope->scaling == ATTN_ROPE_SCALING_DYNAMIC && MAX (n_tokens, n) != MAX (n_others, n))
    return FALSE;
  return rope->long_factors == NULL || (n_tokens > n) == (n_others > n);
}

/**
 * attn_rotary_apply:
 * @vectors: (inout): [heads, T, d]
 * @width: R, how many numbers of a vector are turned, at most d
 * @is_paired: whether number 2 i is turned with number 2 i + 1, else number i with i + R / 2
 * @table: [T, R], as [func@attn_rotary_fill] makes it
 *
 * Turns pairs of numbers of each vector by the angles of its token.
 */
void
attn_rotary_apply (const AttnVectors *vectors,
                   gsize              width,
                   gboolean           is_paired,
                   const float       *table)
{
  g_return_if_fail (width <= vectors->width && width % 2 == 0);

  gsize n_angles = width / 2;
  gsize step = is_paired ? 2 : 1;
  gsize distance = is_paired ? 1 : n_angles;

  for (gsize token = 0; token < vectors->n_tokens; token++)
    for (gsize head = 0; head < vectors->n_heads; head++)
      {
        const float *cosines = table + token * width;
        const float *sines = cosines + n_angles;
        float *x = attn_vectors_get (vectors, head, token);

        for (gsize i = 0; i < n_angles; i++, x += step)
          {
            float first = x[0];
            float second = x[distance];

            x[0] = first * cosines[i] - second * sines[i];
            x[distance] = second * cosines[i] + first * sines[i];
          }
      }
}
