/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Results of one chunk of texts (32 of them, the last chunk may have fewer) as bytes that can be
 * written to a file or sent to another process. */

#pragma once

#include "attn-survey-data.h"

G_BEGIN_DECLS

/**
 * AttnSurveyChunk:
 * @chunk: number of the chunk, from 0
 * @n_texts: number of its texts that have tokens
 * @kernels: names of the processor kernels that computed it, such as "avx2 Haswell"
 * @numbers: (array length=n_texts): numbers of the texts in the survey
 * @values: [texts, n_values]: the cells of all surveyed statistics, one statistic after the other;
 *   NaN at first
 * @key_counts: [cells, n_keys]: number of texts in which the key at that position is a sink
 * @offset_counts: [cells, n_offsets]: number of texts in which the mean weight at that distance is
 *   above %ATTN_SINK_THRESHOLD
 * @length_counts: [cells, n_key_lengths]: number of texts with a length of that interval in which
 *   key 0 is a sink
 * @length_texts: [n_lengths]: number of texts with a length of that interval
 * @answers: [texts, conditions, n_answer]: the token ids of each answer, then %ATTN_SURVEY_NO_TOKEN
 *
 * All arrays point into the bytes that [func@attn_survey_chunk_new] returns. Cells are heads under
 * a condition: [conditions, layers, heads].
 */
typedef struct
{
  guint64 chunk;
  gsize n_texts;
  char *kernels;
  guint64 *numbers;
  double *values;
  guint64 *key_counts;
  guint64 *offset_counts;
  guint64 *length_counts;
  guint64 *length_texts;
  guint64 *answers;
} AttnSurveyChunk;

/* The value in place of a token after the end of an answer. */
#define ATTN_SURVEY_NO_TOKEN G_MAXUINT64

GBytes  *attn_survey_chunk_new      (const AttnSurveyData  *data,
                                     guint64                number,
                                     gsize                  n_texts,
                                     AttnSurveyChunk       *chunk);
gsize    attn_survey_chunk_get_size (const AttnSurveyData  *data,
                                     gsize                  n_texts);
gboolean attn_survey_chunk_add      (GBytes                *bytes,
                                     AttnSurveyData        *data);

G_END_DECLS
