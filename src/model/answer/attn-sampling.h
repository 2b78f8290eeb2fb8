/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Chooses the next token of an answer from the logits of all tokens: the most probable one, or a
 * random one. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnSampling:
 * @temperature: t, by which logits are divided; 0 to choose the most probable token
 * @top_k: only so many of the most probable tokens can be chosen, 0 for all
 * @top_p: only the most probable tokens whose probabilities sum to at least this, from 0 to 1, can
 *   be chosen, as few as possible
 * @seed: seed of the random numbers; the same seed gives the same answer
 *
 * The rule by which a token of an answer is chosen.
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
