/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Effect of interventions on the predictions of a model for one text. */

#pragma once

#include "attn-prediction.h"

G_BEGIN_DECLS

/**
 * AttnOutcome:
 * @n: positions of the text
 * @positions: (array length=n): of each
 * @kl: the mean over the positions, bits
 * @total_variation: the same
 * @loss: the mean over the positions that have one, before and after; NaN where none has
 * @logit_difference: at the last position that has one, before and after; NaN where none has
 * @labels: (nullable): of a picture, what the classifier takes it for, before and after
 * @shares: the probabilities of these
 *
 * Immutable, in an atomically reference-counted box.
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
