/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A survey describes the statistics of a model over many texts, and computes them chunk by chunk
 * (32 texts). The unit of work is a chunk; in an attribution, which changes one head after the
 * other, a chunk with one head in one step. */

#pragma once

#include <gio/gio.h>

#include "attn-intervention.h"
#include "attn-survey-data.h"
#include "attn-texts.h"

G_BEGIN_DECLS

/**
 * AttnCondition:
 * @name: "baseline", or the interventions as text, such as "zero L3 H1; zero L4"
 * @interventions: (nullable) (element-type AttnIntervention): applied one after the other; %NULL
 *   for the baseline
 */
typedef struct
{
  char *name;
  GPtrArray *interventions;
} AttnCondition;

AttnCondition *attn_condition_new  (const char    *name,
                                    GPtrArray     *interventions);
AttnCondition *attn_condition_new_named (GPtrArray *interventions);
void           attn_condition_free (AttnCondition *condition);

/**
 * AttnSurveySpec:
 * @conditions: (element-type AttnCondition): conditions under which each text is computed, the
 *   baseline first
 * @statistics: a bit for each #AttnStatistic
 * @layers: (nullable): the surveyed layers; %NULL for all
 * @heads: (nullable): the surveyed heads of each layer; %NULL for all
 * @n_answer: tokens that a generated answer has at most, where a statistic needs answers
 * @attributed: (nullable): the intervention on each head in turn, of an attribution;
 *   %ATTN_STATISTIC_ATTRIBUTION is then the only statistic, and @conditions are its steps, which
 *   have no interventions of their own
 * @rank: singular vectors that an attribution computes, see #AttnAttribution
 * @is_in_bits: whether the KL divergence of an attribution is in bits; else in nats
 * @at: position at which the KL divergence of an attribution is measured, or %ATTN_AT_LAST or
 *   %ATTN_AT_ALL
 */
typedef struct
{
  AttnModel *model;
  AttnTextsSpec texts;
  GPtrArray *conditions;
  guint statistics;
  AttnIndexSet *layers;
  AttnIndexSet *heads;
  gsize n_answer;
  AttnIntervention *attributed;
  gsize rank;
  gboolean is_in_bits;
  int at;
} AttnSurveySpec;

/**
 * AttnSurvey:
 *
 * A survey that can be computed, possibly in parts. Several threads may compute chunks of it at a
 * time. Its spec has to outlive it.
 */
typedef struct _AttnSurvey AttnSurvey;

AttnSurvey     *attn_survey_new             (const AttnSurveySpec  *spec,
                                             GCancellable          *cancellable,
                                             GError               **error);
void            attn_survey_free            (AttnSurvey            *survey);
const AttnTextsLoss *attn_survey_get_loss   (const AttnSurvey *survey);
guint64         attn_survey_get_most_chunks (const AttnSurvey *survey);
void            attn_survey_begin_step      (const AttnSurvey *survey,
                                             guint64           first_unit,
                                             gsize             step,
                                             const gsize      *chosen);
guint64         attn_survey_get_first_unit  (const AttnSurvey *survey);
guint64         attn_survey_get_chunk       (const AttnSurvey *survey,
                                             guint64           unit);
guint64         attn_survey_count_units     (const AttnSurvey *survey,
                                             guint64           n_texts);
gsize           attn_survey_count_steps     (const AttnSurvey *survey);
AttnSurveyData *attn_survey_create_data     (const AttnSurvey      *survey,
                                             GError               **error);
const char     *attn_survey_get_json        (const AttnSurvey      *survey);
AttnTexts      *attn_survey_open_texts      (const AttnSurvey      *survey,
                                             GError               **error);
gsize           attn_survey_estimate_memory (const AttnSurvey      *survey);
GBytes         *attn_survey_compute         (const AttnSurvey      *survey,
                                             guint64                chunk,
                                             GPtrArray             *samples,
                                             GCancellable          *cancellable,
                                             GError               **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnCondition, attn_condition_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnSurvey, attn_survey_free)

G_END_DECLS
