/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which heads of a survey are of a known kind, and how sure that is. */

#pragma once

#include "attn-survey-data.h"

G_BEGIN_DECLS

/**
 * AttnHeadKind:
 * @name: such as "induction"
 * @statistic: whose mean over the texts decides
 * @threshold: what it has to be above; of a sink, the share of texts in which the key is one
 */
typedef struct
{
  const char *name;
  AttnStatistic statistic;
  double threshold;
} AttnHeadKind;

#define ATTN_N_HEAD_KINDS 4

extern const AttnHeadKind attn_head_kinds[ATTN_N_HEAD_KINDS];

/**
 * AttnHeadFinding:
 * @kind: which of #attn_head_kinds
 * @layer: number of the layer
 * @head: number of the head
 * @key: of a sink, the key
 * @value: the mean of the statistic, or the share of the texts
 * @confidence: share of the bootstrap samples in which it is above the threshold, too
 */
typedef struct
{
  gsize kind;
  gsize condition;
  gsize layer;
  gsize head;
  gsize key;
  double value;
  double confidence;
} AttnHeadFinding;

GArray *attn_survey_report_find    (const AttnSurveyData *data);
char   *attn_survey_report_to_text (const AttnSurveyData *data);
char   *attn_survey_report_to_json (const AttnSurveyData *data);

G_END_DECLS
