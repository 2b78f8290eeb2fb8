/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Report of the heads of a survey that belong to a known kind, with confidence intervals. */

#pragma once

#include "attn-survey-data.h"

G_BEGIN_DECLS

/**
 * AttnHeadKind:
 * @name: such as "induction"
 * @statistic: whose mean over the texts decides
 * @has_place: the share of the texts decides in which a place, a key of a sink or a distance of a
 *   positional head, has more than %ATTN_SINK_THRESHOLD of the weight
 * @threshold: what the mean or the share has to be above
 */
typedef struct
{
  const char *name;
  AttnStatistic statistic;
  gboolean has_place;
  double threshold;
} AttnHeadKind;

#define ATTN_N_HEAD_KINDS 6

extern const AttnHeadKind attn_head_kinds[ATTN_N_HEAD_KINDS];

/**
 * AttnHeadFinding:
 * @kind: which of #attn_head_kinds
 * @layer: number of the layer
 * @head: number of the head
 * @place: of a sink, the key; of a positional head, how many tokens before the query its key is,
 *   below 0 for behind it
 * @value: the mean of the statistic, or the share of the texts
 * @low: 2.5 % of the bootstrap samples are below it
 * @high: 2.5 % are above it
 * @confidence: share of the bootstrap samples in which it is above the threshold, too
 */
typedef struct
{
  gsize kind;
  gsize condition;
  gsize layer;
  gsize head;
  gssize place;
  double value;
  double low;
  double high;
  double confidence;
} AttnHeadFinding;

GArray *attn_survey_report_find    (const AttnSurveyData *data);
char   *attn_survey_report_to_text (const AttnSurveyData *data);
char   *attn_survey_report_to_json (const AttnSurveyData *data);

G_END_DECLS
