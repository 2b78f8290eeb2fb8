/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Results of a survey, and the file that stores them. */

#pragma once

#include "attn-array.h"
#include "attn-attribution.h"
#include "attn-statistic.h"
#include "attn-tally.h"
#include "attn-texts.h"

G_BEGIN_DECLS

/* Number of texts that are computed as one chunk. The last chunk may have fewer. */
#define ATTN_SURVEY_CHUNK 32

/* JSON member for the inputs that are sources of patches. */
#define ATTN_SURVEY_INPUTS "inputs"

/* Largest number of equal intervals of text lengths for which results are kept separately. */
#define ATTN_SURVEY_LENGTHS 16

/**
 * AttnSurveyData:
 * @json: what is surveyed: model, texts, conditions, statistics; surveys with the same can be
 *   merged
 * @model_path: (nullable) (type filename): where the model was; surveys are merged whatever it is
 * @adapter_path: (nullable) (type filename): likewise, of what changes its weights
 * @texts_path: (nullable) (type filename): where the texts were, the same
 * @stamp: (nullable): [func@attn_file_dup_stamp] of the file that it was loaded from, before that
 * @conditions: (array zero-terminated=1): their names; the first is "baseline"
 * @series: (array zero-terminated=1): the same without the factor: conditions of the same series
 *   differ in it alone
 * @factors: (array length=n_conditions): what is multiplied with; NaN where nothing is
 * @statistics: a bit for each #AttnStatistic
 * @layers: (array length=n_layers): their numbers
 * @heads: (array length=n_heads): their numbers
 * @length: T, the most tokens of a text
 * @n_answer: tokens that an answer has at most; 0 where no statistic is of one
 * @tallies: by #AttnStatistic, %NULL for those that are not surveyed; for their cells see
 *   attn_survey_data_get_shape()
 * @attribution: (nullable): of heads over the texts, which is surveyed by itself: conditions are
 *   its steps, and a chunk with one head is what is computed at a time
 * @n_values: numbers of one text: the cells of all tallies together
 * @n_keys: how many keys are counted as sinks: T; 0 where %ATTN_STATISTIC_SINK is not surveyed
 * @key_counts: [conditions, layers, heads, n_keys]: texts in which that key is a sink, see
 *   %ATTN_SINK_THRESHOLD
 * @n_offsets: how many distances of a query from its key are told apart: 0 to T - 1, in a model
 *   that sees both ways 1 - T to T - 1; 0 where %ATTN_STATISTIC_OFFSET is not surveyed
 * @offset_counts: [conditions, layers, heads, n_offsets]: texts in which the mean weight at that
 *   distance is above %ATTN_SINK_THRESHOLD
 * @n_lengths: how many lengths of texts are told apart; see attn_survey_data_get_length()
 * @n_key_lengths: @n_lengths; 0 where %ATTN_STATISTIC_SINK is not surveyed
 * @length_counts: [conditions, layers, heads, n_key_lengths]: texts of that length in which key 0
 *   is a sink
 * @length_texts: [n_lengths]: texts of that length
 * @done: a byte for each chunk, or for each step, chunk and head of an attribution, 1 where it is
 *   in the sums
 * @n_texts: how many texts there are, those without tokens included; 0 as long as it is not known
 * @kernels: (element-type utf8): by name what computed the sums: the copy of our own loops and the
 *   kernels of OpenBLAS, such as "avx2 Haswell"; none of a file that does not say it. Two of them
 *   round differently
 * @most_chunks: no chunk has a number as high as that, whatever a journal says
 *
 * In an atomically reference-counted box.
 */
typedef struct
{
  char *json;
  char *model_path;
  char *adapter_path;
  char *texts_path;
  char *stamp;
  char **conditions;
  char **series;
  double *factors;
  guint n_conditions;
  guint statistics;
  gsize *layers;
  gsize n_layers;
  gsize *heads;
  gsize n_heads;
  gsize length;
  gboolean is_causal;
  gsize n_answer;
  AttnTally *tallies[ATTN_N_STATISTICS];
  AttnAttribution *attribution;
  gsize n_values;
  gsize n_keys;
  guint64 *key_counts;
  gsize n_offsets;
  guint64 *offset_counts;
  gsize n_lengths;
  gsize n_key_lengths;
  guint64 *length_counts;
  guint64 *length_texts;
  GByteArray *done;
  guint64 n_texts;
  GPtrArray *kernels;
  guint64 most_chunks;
} AttnSurveyData;

AttnSurveyData *attn_survey_data_new          (const char            *where,
                                               const char            *json,
                                               GError               **error);
AttnSurveyData *attn_survey_data_load         (const char            *path,
                                               GError               **error);
AttnSurveyData *attn_survey_data_ref          (AttnSurveyData        *data);
void            attn_survey_data_unref         (AttnSurveyData        *data);
void            attn_survey_data_set_origin   (AttnSurveyData        *data,
                                               const char            *model_path,
                                               const char            *adapter_path,
                                               const char            *texts_path);
void            attn_survey_data_get_texts    (const AttnSurveyData  *data,
                                               AttnTextsSpec         *spec);
double          attn_survey_data_get_seconds (const AttnSurveyData  *data);
char           *attn_survey_data_dup_attention (const AttnSurveyData *data);
char           *attn_survey_data_dup_checksum (const AttnSurveyData  *data);
char           *attn_survey_data_dup_fingerprint (const AttnSurveyData *data);
GPtrArray      *attn_survey_data_list_inputs  (const AttnSurveyData  *data);
gsize           attn_survey_data_get_length   (const AttnSurveyData  *data,
                                               gsize                  n_tokens);
gsize           attn_survey_data_get_n_cells  (const AttnSurveyData  *data);
guint           attn_survey_data_get_shape    (const AttnSurveyData  *data,
                                               AttnStatistic          statistic,
                                               gsize                  shape[3]);
gsize           attn_survey_data_count_cells  (const AttnSurveyData  *data,
                                               AttnStatistic          statistic);
gssize          attn_survey_data_get_distance (const AttnSurveyData  *data,
                                               gsize                  offset);
gboolean        attn_survey_data_has          (const AttnSurveyData  *data,
                                               guint64                chunk);
void            attn_survey_data_set_done     (AttnSurveyData        *data,
                                               guint64                chunk);
void            attn_survey_data_add_kernels  (AttnSurveyData        *data,
                                               const char            *name);
char           *attn_survey_data_describe_kernels (const AttnSurveyData *data);
gsize           attn_survey_data_count_of_step (const AttnSurveyData *data);
void            attn_survey_data_finish_steps (AttnSurveyData        *data);
gsize           attn_survey_data_count_missing (const AttnSurveyData *data);
gboolean        attn_survey_data_merge        (AttnSurveyData        *data,
                                               const AttnSurveyData  *other,
                                               const char            *where,
                                               GError               **error);
gboolean        attn_survey_data_save         (const AttnSurveyData  *data,
                                               const char            *path,
                                               GError               **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnSurveyData, attn_survey_data_unref)

G_END_DECLS
