/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Report of an attribution: the heads whose change matters most over a data set, with confidence
 * intervals. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-survey-data.h"

G_BEGIN_DECLS

/**
 * AttnAttributionFinding:
 * @kl: KL divergence from the baseline with this head alone changed, the mean over the texts; NaN
 *   where it is not known
 * @low: lower end of the confidence interval: 2.5 % of the bootstrap samples have a lower mean
 * @high: upper end of the confidence interval: 2.5 % of the bootstrap samples have a higher mean
 * @n_first: number of texts in which the head is among the %ATTN_ATTRIBUTION_FIRST with the largest
 *   KL divergence
 * @angle: angle of the first step in degrees; NaN where it is not known
 */
typedef struct
{
  gsize layer;
  gsize head;
  double kl;
  double low;
  double high;
  guint64 n_first;
  double angle;
} AttnAttributionFinding;

GArray *attn_attribution_report_find    (const AttnSurveyData *data);
char   *attn_attribution_report_to_text (const AttnSurveyData *data);
void    attn_attribution_report_add     (const AttnSurveyData *data,
                                         JsonBuilder          *builder);

G_END_DECLS
