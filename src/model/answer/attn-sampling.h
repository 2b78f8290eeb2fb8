/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Chooses the next token from the logits of the vocabulary. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnSampling:
 * @temperature: t, 0 for the most probable token
 * @top_k: how many of the most probable tokens are left, 0 for all
 * @top_p: the share of the probability that the tokens that are left have at least, 0 to 1; the
 *   fewest that have it
 * @seed: what the draws depend on
 */
typedef struct
{
  double temperature;
  gsize top_k;
  double top_p;
  guint64 seed;
} AttnSampling;

double  attn_sampling_draw   (guint64             seed,
                              gsize               number);
guint32 attn_sampling_choose (const AttnSampling *sampling,
                              const float        *logits,
                              gsize               n,
                              gsize               number);

G_END_DECLS
