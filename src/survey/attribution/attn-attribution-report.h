/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Report of the heads that matter over a data set, with confidence intervals. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-survey-data.h"

G_BEGIN_DECLS

/**
 * AttnAttributionFinding:
 * @kl: the mean over the texts with this head alone changed; NaN where it is not known
 * @low: 2.5 % of the bootstrap samples are below it
 * @high: 2.5 % are above it
 * @n_first: in how many texts the head is among the %ATTN_ATTRIBUTION_FIRST
 * @angle: in degrees, of the first step; NaN where it is not known
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
