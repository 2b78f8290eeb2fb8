/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a survey has found so far, and its file. */

#pragma once

#include "attn-array.h"
#include "attn-statistic.h"
#include "attn-tally.h"

G_BEGIN_DECLS

/* Texts are computed so many at a time; the last chunk may have fewer. */
#define ATTN_SURVEY_CHUNK 32

/**
 * AttnSurveyData:
 * @json: what is surveyed: model, texts, conditions, statistics; surveys with the same can be
 *   merged
 * @conditions: (array zero-terminated=1): their names; the first is "baseline"
 * @statistics: a bit for each #AttnStatistic
 * @layers: (array length=n_layers): their numbers
 * @heads: (array length=n_heads): their numbers
 * @length: T, the most tokens of a text
 * @tallies: by #AttnStatistic, %NULL for those that are not surveyed; of
 *   [conditions, layers, heads] cells
 * @key_counts: [conditions, layers, heads, T]: texts in which that key is a sink, see
 *   %ATTN_SINK_THRESHOLD
 * @done: a byte for each chunk, 1 where it is in the sums
 * @n_texts: how many texts there are, those without tokens included; 0 as long as it is not known
 */
typedef struct
{
  char *json;
  char **conditions;
  guint n_conditions;
  guint statistics;
  gsize *layers;
  gsize n_layers;
  gsize *heads;
  gsize n_heads;
  gsize length;
  gboolean is_causal;
  AttnTally *tallies[ATTN_N_STATISTICS];
  guint64 *key_counts;
  GByteArray *done;
  guint64 n_texts;
} AttnSurveyData;

AttnSurveyData *attn_survey_data_new          (const char            *where,
                                               const char            *json,
                                               GError               **error);
AttnSurveyData *attn_survey_data_load         (const char            *path,
                                               GError               **error);
void            attn_survey_data_free         (AttnSurveyData        *data);
gsize           attn_survey_data_get_n_cells  (const AttnSurveyData  *data);
gboolean        attn_survey_data_has          (const AttnSurveyData  *data,
                                               guint64                chunk);
void            attn_survey_data_set_done     (AttnSurveyData        *data,
                                               guint64                chunk);
gsize           attn_survey_data_count_missing (const AttnSurveyData *data);
gboolean        attn_survey_data_merge        (AttnSurveyData        *data,
                                               const AttnSurveyData  *other,
                                               const char            *where,
                                               GError               **error);
gboolean        attn_survey_data_save         (const AttnSurveyData  *data,
                                               const char            *path,
                                               GError               **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnSurveyData, attn_survey_data_free)

G_END_DECLS
