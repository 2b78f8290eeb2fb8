/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Effect of one head on a chunk of texts as bytes that can be stored or sent. */

#pragma once

#include "attn-survey-data.h"

G_BEGIN_DECLS

/**
 * AttnAttributionUnit:
 * @unit: its number: (step x chunks + chunk) x cells + cell
 * @numbers: (array length=n_texts): of the texts
 * @n_tokens: (array length=n_texts): their lengths
 * @kl: (array length=n_texts): NaN of a head that stays changed
 * @states: [texts, D]: the final states with the head changed
 * @baselines: (nullable): [texts, D]: of the model as it is, in the units of the first head
 *
 * All arrays are parts of one piece of memory.
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
