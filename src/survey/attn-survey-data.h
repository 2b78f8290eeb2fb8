/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Results of a survey, as sums over its texts, and the file that stores them. A chunk is 32 texts;
 * a cell is one number of a statistic, such as of one head of one layer under one condition. */

#pragma once

#include "attn-array.h"
#include "attn-attribution.h"
#include "attn-statistic.h"
#include "attn-tally.h"
#include "attn-texts.h"

G_BEGIN_DECLS

/* Number of texts that are computed as one chunk. The last chunk may have fewer. */
#define ATTN_SURVEY_CHUNK 32

/* JSON member for the token ids of the inputs that interventions copy activations from
 * (patches). */
#define ATTN_SURVEY_INPUTS "inputs"

/* Largest number of equal intervals of text lengths, such as 1 to 64 tokens, for which the sink
 * rate is counted separately. */
#define ATTN_SURVEY_LENGTHS 16

/**
 * AttnSurveyData:
 * @json: what is surveyed: model, texts, conditions, statistics; surveys with equal text here can
 *   be merged
 * @model_path: (nullable) (type filename): where the model was; surveys are merged whatever it is
 * @adapter_path: (nullable) (type filename): where the adapter was that changes the model's weights
 * @texts_path: (nullable) (type filename): where the texts were; surveys are merged whatever it is
 * @stamp: (nullable): [func@attn_file_dup_stamp] of the file, taken before the survey was loaded
 *   from it
 * @conditions: (array zero-terminated=1): names of the conditions; the first is "baseline"
 * @series: (array zero-terminated=1): names of the conditions without their factor: conditions of
 *   the same series differ in the factor alone
 * @factors: (array length=n_conditions): the factor by which each condition scales something; NaN
 *   for a condition that scales nothing
 * @statistics: a bit for each #AttnStatistic
 * @layers: (array length=n_layers): numbers of the surveyed layers, ascending
 * @heads: (array length=n_heads): numbers of the surveyed heads of each layer, ascending
 * @length: T, the most tokens of a text
 * @n_answer: tokens that a generated answer has at most; 0 where no statistic needs answers
 * @tallies: by #AttnStatistic, %NULL for a statistic that is not surveyed; for the cells see
 *   attn_survey_data_get_shape()
 * @attribution: (nullable): the effects of single heads on each text, in a survey that has no other
 *   statistic: its conditions are the steps of the attribution, and its unit of work is a chunk
 *   with one head
 * @n_values: numbers of one text: the cells of all tallies together
 * @n_keys: number of key positions for which sinks are counted: T; 0 where %ATTN_STATISTIC_SINK is
 *   not surveyed
 * @key_counts: [conditions, layers, heads, n_keys]: number of texts in which the key at that
 *   position is a sink, see %ATTN_SINK_THRESHOLD
 * @n_offsets: number of distances between query and key that are told apart: 0 to T - 1, in a model
 *   that sees both ways 1 - T to T - 1; 0 where %ATTN_STATISTIC_OFFSET is not surveyed
 * @offset_counts: [conditions, layers, heads, n_offsets]: number of texts in which the mean weight
 *   at that distance is above %ATTN_SINK_THRESHOLD
 * @n_lengths: number of intervals of text lengths that are told apart; see
 *   attn_survey_data_get_length()
 * @n_key_lengths: @n_lengths; 0 where %ATTN_STATISTIC_SINK is not surveyed
 * @length_counts: [conditions, layers, heads, n_key_lengths]: number of texts with a length of that
 *   interval in which key 0 is a sink
 * @length_texts: [n_lengths]: number of texts with a length of that interval
 * @done: a byte for each chunk, or for each step, chunk and head of an attribution: 1 where its
 *   results are in the sums
 * @n_texts: number of all texts, including those without tokens; 0 until it is known
 * @kernels: (element-type utf8): names of the processor kernels that computed the sums: the
 *   compiled variant of our own loops and the kernels of OpenBLAS, such as "avx2 Haswell"; empty if
 *   the file does not name any. Different kernels round differently
 * @most_chunks: upper limit: a chunk in a journal with this number or a higher one is refused
 *
 * The struct is in an atomically reference-counted box, see attn_survey_data_ref().
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
