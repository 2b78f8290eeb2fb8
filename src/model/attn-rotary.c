/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-rotary.h"

#include <math.h>

/* The angle between neighbouring positions, as the scaling leaves it. */
static double
scale_frequency (const AttnRope *rope,
                 double          frequency)
{
  if (rope->scaling == ATTN_ROPE_SCALING_LINEAR)
    return frequency / rope->factor;
  if (rope->scaling != ATTN_ROPE_SCALING_LLAMA3)
    return frequency;

  /* Turns over the original length: short waves stay, long ones are stretched, between them both
   * are mixed. */
  double n_turns = (double) rope->n_original * frequency / (2.0 * G_PI);
  double share = (n_turns - rope->low_factor) / (rope->high_factor - rope->low_factor);
  share = CLAMP (share, 0.0, 1.0);
  return (1.0 - share) * frequency / rope->factor + share * frequency;
}

/**
 * attn_rotary_fill:
 * @n_tokens: T
 * @table: (out caller-allocates): [T, R]: R / 2 cosines, then R / 2 sines a position
 *
 * Angle i of position t is t θ^(-2 i / R) (Su et al. 2021, arXiv 2104.09864, section 3.2.2), scaled:
 * linear divides positions by the factor s; dynamic is, beyond the original length n, the base θ (s
 * T / n - s + 1)^(R / (R - 2)); llama3 is that of Dubey et al. 2024, arXiv 2407.21783, in the form
 * of its reference code.
 */
void
attn_rotary_fill (const AttnRope *rope,
                  gsize           n_tokens,
                  float          *table)
{
  gsize n_angles = rope->width / 2;
  double width = (double) rope->width;
  double base = rope->base;

  if (rope->scaling == ATTN_ROPE_SCALING_DYNAMIC && n_tokens > rope->n_original && width > 2.0)
    base *= pow (rope->factor * (double) n_tokens / (double) rope->n_original - rope->factor + 1.0,
                 width / (width - 2.0));
  for (gsize i = 0; i < n_angles; i++)
    {
      double frequency = scale_frequency (rope, pow (base, -2.0 * (double) i / width));

      for (gsize token = 0; token < n_tokens; token++)
        {
          double angle = (double) token * frequency;

          table[token * rope->width + i] = (float) cos (angle);
          table[token * rope->width + n_angles + i] = (float) sin (angle);
        }
    }
}

/**
 * attn_rotary_apply:
 * @vectors: (inout): [heads, T, d]
 * @width: R, at most d
 * @is_paired: whether number 2 i is turned with number 2 i + 1, else number i with i + R / 2
 * @table: [T, R], as [func@attn_rotary_fill] makes it
 */
void
attn_rotary_apply (const AttnVectors *vectors,
                   gsize              width,
                   gboolean           is_paired,
                   const float       *table)
{
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
