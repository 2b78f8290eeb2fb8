/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-chunk.h"

#include <math.h>
#include <string.h>

#include "attn-attribution-unit.h"
#include "attn-blas.h"
#include "attn-clones.h"

/* Bytes in the header of a chunk for the name of the processor kernels, which is padded with
 * zeros. */
#define KERNELS_SIZE 32

/* Number of 64-bit words in the header: number of the chunk, number of texts, and name of the
 * processor kernels. */
#define N_HEADER (2 + KERNELS_SIZE / 8)

/**
 * attn_survey_chunk_get_size:
 *
 * Returns: size in bytes of the results of a chunk with @n_texts texts
 */
gsize
attn_survey_chunk_get_size (const AttnSurveyData *data,
                            gsize                 n_texts)
{
  gsize n_cells = attn_survey_data_get_n_cells (data);

  return 8 * (N_HEADER + n_texts * (1 + data->n_values + data->n_conditions * data->n_answer) +
              n_cells * (data->n_keys + data->n_offsets + data->n_key_lengths) + data->n_lengths);
}

static void
find_parts (const AttnSurveyData *data,
            guint64              *words,
            AttnSurveyChunk      *chunk)
{
  gsize n_cells = attn_survey_data_get_n_cells (data);

  chunk->chunk = words[0];
  chunk->n_texts = words[1];
  chunk->kernels = (char *) (words + 2);
  chunk->numbers = words + N_HEADER;
  chunk->values = (double *) (chunk->numbers + chunk->n_texts);
  chunk->key_counts = (guint64 *) (chunk->values + chunk->n_texts * data->n_values);
  chunk->offset_counts = chunk->key_counts + n_cells * data->n_keys;
  chunk->length_counts = chunk->offset_counts + n_cells * data->n_offsets;
  chunk->length_texts = chunk->length_counts + n_cells * data->n_key_lengths;
  chunk->answers = chunk->length_texts + data->n_lengths;
}

/**
 * attn_survey_chunk_new:
 * @number: number of the chunk, from 0
 * @n_texts: texts that have tokens, at most %ATTN_SURVEY_CHUNK
 * @chunk: (out): pointers to the arrays in which the caller writes the results; counts are 0 and
 *   values NaN at first
 *
 * Returns: (transfer full): the bytes that @chunk points into
 */
GBytes *
attn_survey_chunk_new (const AttnSurveyData *data,
                       guint64               number,
                       gsize                 n_texts,
                       AttnSurveyChunk      *chunk)
{
  gsize size = attn_survey_chunk_get_size (data, n_texts);
  guint64 *words = g_malloc0 (size);

  words[0] = number;
  words[1] = n_texts;
  find_parts (data, words, chunk);
  g_snprintf (chunk->kernels, KERNELS_SIZE, "%s %s", attn_clones_get_name (),
              attn_blas_get_kernels ());
  for (gsize i = 0; i < n_texts * data->n_values; i++)
    chunk->values[i] = NAN;
  for (gsize i = 0; i < n_texts * data->n_conditions * data->n_answer; i++)
    chunk->answers[i] = ATTN_SURVEY_NO_TOKEN;
  return g_bytes_new_take (words, size);
}

/**
 * attn_survey_chunk_add:
 * @bytes: bytes of [func@attn_survey_chunk_new] with the results, or a copy of them
 *
 * Adds the results of a chunk to the sums in @data, unless the chunk is already in them.
 *
 * Returns: %FALSE if @bytes are no chunk of this survey
 */
gboolean
attn_survey_chunk_add (GBytes         *bytes,
                       AttnSurveyData *data)
{
  gsize size;
  const guint64 *words = g_bytes_get_data (bytes, &size);
  gsize n_cells = attn_survey_data_get_n_cells (data);
  AttnSurveyChunk chunk;

  if (data->attribution != NULL)
    return attn_attribution_unit_add (bytes, data);
  if (size < N_HEADER * sizeof *words || words[1] > ATTN_SURVEY_CHUNK ||
      words[0] >= data->most_chunks ||
      size != attn_survey_chunk_get_size (data, words[1]))
    return FALSE;
  find_parts (data, (guint64 *) words, &chunk);
  if (memchr (chunk.kernels, '\0', KERNELS_SIZE) == NULL || !g_str_is_ascii (chunk.kernels))
    return FALSE;
  if (attn_survey_data_has (data, chunk.chunk))
    return TRUE;

  const double *values = chunk.values;
  for (gsize text = 0; text < chunk.n_texts; text++)
    for (AttnStatistic i = 0; i < ATTN_N_STATISTICS; i++)
      {
        gsize n = data->tallies[i] != NULL ? attn_survey_data_count_cells (data, i) : 0;

        for (gsize cell = 0; cell < n; cell++)
          attn_tally_add (data->tallies[i], cell, chunk.numbers[text], *values++);
      }
  for (gsize i = 0; i < n_cells * data->n_keys; i++)
    data->key_counts[i] += chunk.key_counts[i];
  for (gsize i = 0; i < n_cells * data->n_offsets; i++)
    data->offset_counts[i] += chunk.offset_counts[i];
  for (gsize i = 0; i < n_cells * data->n_key_lengths; i++)
    data->length_counts[i] += chunk.length_counts[i];
  for (gsize i = 0; i < data->n_lengths; i++)
    data->length_texts[i] += chunk.length_texts[i];
  attn_survey_data_add_kernels (data, chunk.kernels);
  attn_survey_data_set_done (data, chunk.chunk);
  return TRUE;
}
