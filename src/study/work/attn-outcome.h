/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An outcome is the effect of interventions on the predictions of a model for one input. */

#pragma once

#include "attn-prediction.h"

G_BEGIN_DECLS

/**
 * AttnOutcome:
 * @n: number of positions of the text
 * @positions: (array length=n): the effect at each position
 * @kl: KL divergence of the predictions, mean over the positions, in bits
 * @total_variation: total variation distance of the predictions, mean over the positions, 0 to 1
 * @loss: loss before and after the interventions, mean over the positions that have one; NaN if
 *   none has
 * @logit_difference: logit difference before and after, at the last position that has one; NaN if
 *   none has
 * @labels: (nullable): for a picture, the most probable class before and after
 * @shares: the probabilities of these two classes
 *
 * Effect of interventions on the predictions for one input. Immutable, in an atomically
 * reference-counted box.
 */
typedef struct
{
  gsize n;
  AttnPredictionEffect *positions;
  double kl;
  double total_variation;
  double loss[2];
  double logit_difference[2];
  char *labels[2];
  double shares[2];
} AttnOutcome;

AttnOutcome *attn_outcome_ref   (AttnOutcome *outcome);
void         attn_outcome_unref (AttnOutcome *outcome);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnOutcome, attn_outcome_unref)

G_END_DECLS
