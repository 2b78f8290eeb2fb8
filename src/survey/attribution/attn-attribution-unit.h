/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A unit of an attribution: the effect of one changed head on a chunk of texts, as bytes that can
 * be written to a file or sent to another process. */

#pragma once

#include "attn-survey-data.h"

G_BEGIN_DECLS

/**
 * AttnAttributionUnit:
 * @unit: number of the unit: (step x chunks + chunk) x cells + cell, where a cell is a head
 * @numbers: (array length=n_texts): numbers of the texts in the survey
 * @n_tokens: (array length=n_texts): lengths of the texts in tokens
 * @kl: (array length=n_texts): KL divergence from the baseline; NaN for a head that stays changed
 * @states: [texts, D]: the final states of the last tokens with the head changed
 * @baselines: (nullable): [texts, D]: the final states of the unchanged model, which only the units
 *   of the first head have
 *
 * All arrays point into the bytes that [func@attn_attribution_unit_new] returns.
 */
typedef struct
{
  guint64 unit;
  gsize n_texts;
  guint64 *numbers;
  guint64 *n_tokens;
  double *kl;
  float *states;
  float *baselines;
} AttnAttributionUnit;

GBytes  *attn_attribution_unit_new     (const AttnSurveyData *data,
                                        guint64               number,
                                        gsize                 n_texts,
                                        gboolean              has_baselines,
                                        AttnAttributionUnit  *unit);
gboolean attn_attribution_unit_reserve (GBytes               *bytes,
                                        const AttnSurveyData *data,
                                        GError              **error);
gboolean attn_attribution_unit_add     (GBytes               *bytes,
                                        AttnSurveyData       *data);

G_END_DECLS
