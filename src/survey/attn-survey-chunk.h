/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Results of one chunk of texts as bytes that can be stored or sent. */

#pragma once

#include "attn-survey-data.h"

G_BEGIN_DECLS

/**
 * AttnSurveyChunk:
 * @chunk: its number
 * @n_texts: of texts that have tokens
 * @kernels: what computed it
 * @numbers: (array length=n_texts): the texts' own
 * @values: [texts, n_values]: the cells of each statistic that is surveyed; NaN to begin with
 * @key_counts: [cells, n_keys]: texts in which that key is a sink
 * @offset_counts: [cells, n_offsets]: texts in which that distance is held
 * @length_counts: [cells, n_key_lengths]: texts of that length in which key 0 is a sink
 * @length_texts: [lengths]: texts of that length
 * @answers: [texts, conditions, n_answer]: the token ids of each answer, %ATTN_SURVEY_NO_TOKEN
 *   behind its last
 *
 * All arrays are parts of one piece of memory.
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

/* Placeholder for a token after the end of an answer. */
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
