/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Report of the heads of a survey that are of a known kind, such as induction heads, with
 * confidence intervals. */

#pragma once

#include "attn-survey-data.h"

G_BEGIN_DECLS

/**
 * AttnHeadKind:
 * @name: such as "induction"
 * @statistic: statistic that decides, by its mean over the texts
 * @has_place: whether a share of the texts decides instead of the mean: the share in which one
 *   place (the key of a sink, or the distance of a positional head) has more than
 *   %ATTN_SINK_THRESHOLD of the weight
 * @threshold: a head is of the kind if the mean or the share is above it
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
 * @kind: index in #attn_head_kinds
 * @layer: number of the layer
 * @head: number of the head
 * @place: position of the key for a sink; for a positional head the number of tokens from the key
 *   to the query, negative for a key behind the query
 * @value: the mean of the statistic, or the share of the texts, see @has_place of #AttnHeadKind
 * @low: lower end of the confidence interval: 2.5 % of the bootstrap samples have a lower value
 * @high: upper end of the confidence interval: 2.5 % of the bootstrap samples have a higher value
 * @confidence: share of the bootstrap samples whose value is above the threshold, too
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
