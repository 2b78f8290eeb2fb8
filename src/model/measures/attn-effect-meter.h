/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Measures the effects of successive changes on the model's prediction for one text. */

#pragma once

#include "attn-panel.h"
#include "attn-trace.h"

G_BEGIN_DECLS

typedef struct _AttnEffectMeter AttnEffectMeter;

/**
 * AttnMeanEffect:
 * @kl: KL(p ‖ q) in bits, the mean over the positions that are compared; exactly 0 where nothing
 *   changes
 * @loss: what the change adds to −log2 of the probability of the token that really follows, the
 *   mean over the positions that have one; NaN where none has
 */
typedef struct
{
  double kl;
  double loss;
} AttnMeanEffect;

AttnEffectMeter *attn_effect_meter_new     (AttnModel        *model,
                                   const guint32    *ids,
                                   gsize             n_ids,
                                   AttnSpan          rows,
                                   const AttnTrace  *baseline,
                                   GCancellable     *cancellable,
                                   GError          **error);
void         attn_effect_meter_set_encoder (AttnEffectMeter  *effects,
                                   AttnModel        *encoder,
                                   AttnTokens       *source);
void         attn_effect_meter_free    (AttnEffectMeter      *effects);
gboolean     attn_effect_meter_compute (AttnEffectMeter      *effects,
                                   GPtrArray        *interventions,
                                   AttnMeanEffect   *effect,
                                   GCancellable     *cancellable,
                                   GError          **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnEffectMeter, attn_effect_meter_free)

G_END_DECLS
