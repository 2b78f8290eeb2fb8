/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-attribution-unit.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-blas.h"
#include "attn-clones.h"
#include "attn-memory.h"

/* Bytes in the header of a unit for the name of the processor kernels, which is padded with
 * zeros. */
#define KERNELS_SIZE 32

/* Number of 64-bit words in the header of a unit: number of the unit, number of texts, number of
 * arrays of final states (1 or 2), and name of the processor kernels. */
#define N_HEADER (3 + KERNELS_SIZE / 8)

/* Returns the size of one array of final states in words of 8 bytes. */
static gsize
measure_states (const AttnSurveyData *data,
                gsize                 n_texts)
{
  return (n_texts * data->attribution->width + 1) / 2;
}

static gsize
measure (const AttnSurveyData *data,
         gsize                 n_texts,
         gsize                 n_arrays)
{
  return 8 * (N_HEADER + 3 * n_texts + n_arrays * measure_states (data, n_texts));
}

static void
find_parts (const AttnSurveyData *data,
            guint64              *words,
            AttnAttributionUnit  *unit)
{
  unit->unit = words[0];
  unit->n_texts = words[1];
  unit->numbers = words + N_HEADER;
  unit->n_tokens = unit->numbers + unit->n_texts;
  unit->kl = (double *) (unit->n_tokens + unit->n_texts);
  unit->states = (float *) (unit->kl + unit->n_texts);
  unit->baselines = words[2] > 1 ? unit->states + 2 * measure_states (data, unit->n_texts) : NULL;
}

/**
 * attn_attribution_unit_new:
 * @number: number of the unit
 * @n_texts: texts that have tokens, at most %ATTN_SURVEY_CHUNK
 * @has_baselines: whether the unit also has the final states of the unchanged model
 * @unit: (out): pointers to the arrays in which the caller writes the results; KL divergences are
 *   NaN and states 0 at first
 *
 * Returns: (transfer full): the bytes that @unit points into
 */
GBytes *
attn_attribution_unit_new (const AttnSurveyData *data,
                           guint64               number,
                           gsize                 n_texts,
                           gboolean              has_baselines,
                           AttnAttributionUnit  *unit)
{
  gsize n_arrays = has_baselines ? 2 : 1;
  gsize size = measure (data, n_texts, n_arrays);
  guint64 *words = g_malloc0 (size);

  words[0] = number;
  words[1] = n_texts;
  words[2] = n_arrays;
  g_snprintf ((char *) (words + 3), KERNELS_SIZE, "%s %s", attn_clones_get_name (),
              attn_blas_get_kernels ());
  find_parts (data, words, unit);
  for (gsize i = 0; i < n_texts; i++)
    unit->kl[i] = NAN;
  return g_bytes_new_take (words, size);
}

static gboolean
parse (GBytes               *bytes,
       const AttnSurveyData *data,
       AttnAttributionUnit  *unit)
{
  gsize size;
  const guint64 *words = g_bytes_get_data (bytes, &size);
  const char *kernels = (const char *) (words + 3);

  if (size < N_HEADER * sizeof *words || words[1] > ATTN_SURVEY_CHUNK || words[2] < 1 ||
      words[2] > 2 || words[0] >= data->most_chunks ||
      size != measure (data, words[1], words[2]) ||
      memchr (kernels, '\0', KERNELS_SIZE) == NULL || !g_str_is_ascii (kernels))
    return FALSE;
  find_parts (data, (guint64 *) words, unit);
  for (gsize i = 0; i < unit->n_texts; i++)
    if (unit->n_tokens[i] < 1 || unit->n_tokens[i] > data->length)
      return FALSE;
  return TRUE;
}

/**
 * attn_attribution_unit_reserve:
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Checks that there is memory for the texts of a unit in addition to those that @data already has.
 */
gboolean
attn_attribution_unit_reserve (GBytes                *bytes,
                               const AttnSurveyData  *data,
                               GError               **error)
{
  const AttnAttribution *attribution = data->attribution;
  gsize n_texts = attribution->texts->len + ATTN_SURVEY_CHUNK;
  g_autofree char *what =
      g_strdup_printf (_("the final states of %zu texts with each of %zu heads changed"), n_texts,
                       attribution->n_cells);
  gsize n_bytes;

  if (!g_size_checked_mul (&n_bytes, n_texts, attn_attribution_measure_text (attribution)))
    n_bytes = G_MAXSIZE;
  return attn_memory_check (n_bytes, what, error);
}

/**
 * attn_attribution_unit_add:
 * @bytes: bytes of [func@attn_attribution_unit_new] with the results, or a copy of them
 *
 * Adds the results of a unit to @data, unless the unit is already in it.
 *
 * Returns: %FALSE if @bytes are no unit of the current step of this survey
 */
gboolean
attn_attribution_unit_add (GBytes         *bytes,
                           AttnSurveyData *data)
{
  AttnAttribution *attribution = data->attribution;
  AttnTally *tally = data->tallies[ATTN_STATISTIC_ATTRIBUTION];
  gsize width = attribution->width;
  AttnAttributionUnit unit;

  if (!parse (bytes, data, &unit))
    return FALSE;
  if (attn_survey_data_has (data, unit.unit))
    return TRUE;
  gsize n_of_step = attn_survey_data_count_of_step (data);
  gsize step = n_of_step > 0 ? unit.unit / n_of_step : 0;
  gsize cell = unit.unit % attribution->n_cells;
  if (step != attribution->n_chosen || step >= attribution->n_steps)
    return FALSE;

  for (gsize i = 0; i < unit.n_texts; i++)
    {
      AttnAttributionText *text = attn_attribution_take (attribution, unit.numbers[i]);

      text->kl[step * attribution->n_cells + cell] = unit.kl[i];
      memcpy (text->states + (1 + cell) * width, unit.states + i * width, width * sizeof (float));
      if (unit.baselines != NULL)
        memcpy (text->states, unit.baselines + i * width, width * sizeof (float));
      attn_tally_add (tally, step * attribution->n_cells + cell, unit.numbers[i], unit.kl[i]);
      if (step == 0 && cell == 0)
        data->length_texts[attn_survey_data_get_length (data, unit.n_tokens[i])]++;
    }
  attn_survey_data_add_kernels (data, (const char *) g_bytes_get_data (bytes, NULL) + 24);
  attn_survey_data_set_done (data, unit.unit);
  return TRUE;
}
