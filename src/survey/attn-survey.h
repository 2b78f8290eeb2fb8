/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A survey describes the statistics of a model over many texts, and computes them for a chunk of
 * texts. */

#pragma once

#include <gio/gio.h>

#include "attn-intervention.h"
#include "attn-survey-data.h"
#include "attn-texts.h"

G_BEGIN_DECLS

/**
 * AttnCondition:
 * @name: "baseline", or what is done
 * @interventions: (nullable) (element-type AttnIntervention): applied in order
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
 * @conditions: (element-type AttnCondition): the baseline first
 * @statistics: a bit for each #AttnStatistic
 * @layers: (nullable): %NULL for all
 * @heads: (nullable): %NULL for all
 * @n_answer: tokens that an answer has at most, where a statistic is of one
 * @attributed: (nullable): what is done to each head in turn; %ATTN_STATISTIC_ATTRIBUTION is then
 *   the only statistic, and conditions are its steps, of which each does nothing by itself
 * @rank: of an attribution, see #AttnAttribution
 * @is_in_bits: its KL
 * @at: where that is taken, the same
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
 * Immutable; any thread may compute chunks of it. Its spec has to outlive it.
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
