/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Members of an #AttnSurvey for the files of this folder that create and compute it. */

#pragma once

#include "attn-answer-rules.h"
#include "attn-attribution-work.h"
#include "attn-survey.h"

G_BEGIN_DECLS

/**
 * AttnSurvey:
 * @shape: results without texts, for the numbers of layers, heads, cells and so on
 * @places: by #AttnStatistic: index of the statistic's first cell among the numbers of a text
 * @texts: the texts, opened and not read yet
 * @layer_places: by the number of a layer in the model: its index among the surveyed layers
 * @head_places: by the number of a head in a layer: its index among the surveyed heads
 * @work: (nullable): what computes an attribution; %NULL for any other survey
 * @ends: (nullable) (element-type guint32): ids of the tokens that end an answer
 * @rules: (nullable): the checkpoint's rules for what a decoder may generate
 */
struct _AttnSurvey
{
  const AttnSurveySpec *spec;
  AttnSurveyData *shape;
  gsize places[ATTN_N_STATISTICS];
  AttnTexts *texts;
  gsize *layer_places;
  gsize *head_places;
  AttnAttributionWork *work;
  GArray *ends;
  AttnAnswerRules *rules;
};

/* Tells whether the survey computes @statistic. */
static inline gboolean
attn_survey_has (const AttnSurvey *survey,
                 AttnStatistic     statistic)
{
  return (survey->spec->statistics & 1u << statistic) != 0;
}

/* Functions of attn-survey-answers.c: answers that the model generates */
GArray    *attn_survey_say           (const AttnSurvey  *survey,
                                      AttnModel         *speaker,
                                      const AttnSample  *sample,
                                      gsize             *n_given,
                                      GCancellable      *cancellable,
                                      GError           **error);
AttnModel *attn_survey_bind_text     (const AttnSurvey  *survey,
                                      const AttnSample  *sample,
                                      GArray           **ids,
                                      gsize             *n_given,
                                      GCancellable      *cancellable,
                                      GError           **error);
AttnModel *attn_survey_bind_speaker  (AttnModel         *model,
                                      const AttnSample  *sample,
                                      GPtrArray         *interventions,
                                      GCancellable      *cancellable,
                                      GError           **error);
gboolean attn_survey_answers_compute (const AttnSurvey  *survey,
                                      const AttnSample  *sample,
                                      guint64           *answers,
                                      double            *changes,
                                      double            *positions,
                                      GCancellable      *cancellable,
                                      GError           **error);

G_END_DECLS
