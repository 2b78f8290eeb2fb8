/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-attribution-file.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-memory.h"

/* Names of the arrays of an attribution with the numbers of the texts, and with KL divergences and
 * final states of each text. */
#define TEXTS  "attribution.texts"
#define VALUES "attribution.values"
#define STATES "attribution.states"

/* Names of the arrays with the heads that the complete steps chose, and with the angles of all
 * heads. */
#define CHOSEN "attribution.chosen"
#define ANGLES "attribution.angle"

/* Adds the mean KL divergence of each head that is changed alone, and the number of texts in which
 * it is among the first heads. Both numbers are from the first step. */
static gboolean
add_first_step (const AttnSurveyData  *data,
                AttnArrayFile         *file,
                GError               **error)
{
  const AttnTally *tally = data->tallies[ATTN_STATISTIC_ATTRIBUTION];
  gsize n_cells = data->attribution->n_cells;
  const gsize shape[] = { data->n_layers, data->n_heads };
  g_autofree guint64 *counts = attn_attribution_count_first (data->attribution, 0);
  g_autofree double *means = g_new (double, n_cells);

  for (gsize cell = 0; cell < n_cells; cell++)
    means[cell] = attn_tally_get_mean (tally, cell);
  return attn_array_file_add_numbers (file, "attribution.kl", ATTN_DTYPE_F64, 2, shape, means,
                                      error) &&
         attn_array_file_add_numbers (file, "attribution.first", ATTN_DTYPE_U64, 2, shape, counts,
                                      error);
}

/* Adds the layer and the head that each step of an attribution chose, -1 for steps that are not
 * complete. */
static gboolean
add_chosen (const AttnSurveyData  *data,
            AttnArrayFile         *file,
            GError               **error)
{
  const AttnAttribution *attribution = data->attribution;
  const gsize shape[] = { attribution->n_steps, 2 };
  g_autofree gint64 *chosen = g_new (gint64, 2 * attribution->n_steps);

  for (gsize step = 0; step < attribution->n_steps; step++)
    {
      gsize cell = attribution->chosen[step];
      gboolean is_known = cell != ATTN_ATTRIBUTION_NONE;

      chosen[2 * step] = is_known ? (gint64) data->layers[cell / data->n_heads] : -1;
      chosen[2 * step + 1] = is_known ? (gint64) data->heads[cell % data->n_heads] : -1;
    }
  return attn_array_file_add_numbers (file, CHOSEN, ATTN_DTYPE_I64, 2, shape, chosen, error);
}

static gboolean
add_texts (const AttnAttribution  *attribution,
           AttnArrayFile          *file,
           const gsize            *cells,
           GError                **error)
{
  gsize n = attribution->texts->len;
  gsize n_values = attribution->n_steps * attribution->n_cells;
  gsize n_states = (1 + attribution->n_cells) * attribution->width;
  const gsize shape[] = { n, cells[0], cells[1], cells[2] };
  const gsize states_shape[] = { n, 1 + attribution->n_cells, attribution->width };
  gboolean has_states = attribution->n_chosen < attribution->n_steps;
  g_autofree guint64 *numbers = g_new (guint64, MAX (n, 1));
  g_autofree double *values = g_new (double, MAX (n * n_values, 1));
  g_autofree float *states = has_states ? g_new (float, MAX (n * n_states, 1)) : NULL;

  for (gsize i = 0; i < n; i++)
    {
      const AttnAttributionText *text = attribution->texts->pdata[i];

      numbers[i] = text->number;
      memcpy (values + i * n_values, text->kl, n_values * sizeof *values);
      if (states != NULL)
        memcpy (states + i * n_states, text->states, n_states * sizeof *states);
    }
  return attn_array_file_add_numbers (file, TEXTS, ATTN_DTYPE_U64, 1, shape, numbers, error) &&
         attn_array_file_add_numbers (file, VALUES, ATTN_DTYPE_F64, 4, shape, values, error) &&
         (states == NULL || attn_array_file_add_numbers (file, STATES, ATTN_DTYPE_F32, 3,
                                                         states_shape, states, error));
}

/**
 * attn_attribution_save:
 * @data: with an attribution
 *
 * Adds the results so far to the file of the survey. The file has the final states until all steps
 * are complete, since later steps and merging need them.
 */
gboolean
attn_attribution_save (const AttnSurveyData  *data,
                       AttnArrayFile         *file,
                       GError               **error)
{
  const AttnAttribution *attribution = data->attribution;
  const gsize cells[] = { attribution->n_steps, data->n_layers, data->n_heads };

  return add_first_step (data, file, error) &&
         attn_array_file_add_numbers (file, ANGLES, ATTN_DTYPE_F64, 3, cells, attribution->angles,
                                      error) &&
         add_chosen (data, file, error) && add_texts (attribution, file, cells, error);
}

/* Returns @n elements of an array, which must be in the byte order of this machine. */
static const void *
get (const AttnArrayFile  *file,
     const char           *name,
     AttnDtype             dtype,
     gsize                 n,
     GError              **error)
{
  const AttnArray *array = attn_array_file_lookup (file, name);

  if (array == NULL || array->bytes == NULL || array->dtype != dtype || array->is_swapped ||
      array->is_fortran || g_bytes_get_size (array->bytes) != n * attn_dtype_get_size (dtype))
    return attn_fail_null (error, ATTN_ERROR_FORMAT,
                           _("%s: no “%s” found, expected what a survey writes"),
                           attn_array_file_get_path (file), name);
  return n > 0 ? g_bytes_get_data (array->bytes, NULL) : "";
}

static gssize
find_place (const gsize *numbers,
            gsize        n,
            gint64       number)
{
  for (gsize i = 0; i < n; i++)
    if (number >= 0 && numbers[i] == (gsize) number)
      return (gssize) i;
  return -1;
}

/* Reads the heads that the complete steps of an attribution chose. */
static gboolean
load_chosen (AttnSurveyData       *data,
             const AttnArrayFile  *file,
             GError              **error)
{
  AttnAttribution *attribution = data->attribution;
  gsize n = 2 * attribution->n_steps;
  const void *bytes = get (file, CHOSEN, ATTN_DTYPE_I64, n, error);

  if (bytes == NULL)
    return FALSE;
  g_autofree gint64 *chosen = g_memdup2 (bytes, n * sizeof (gint64));
  for (gsize step = 0; step < attribution->n_steps; step++)
    {
      gssize layer = find_place (data->layers, data->n_layers, chosen[2 * step]);
      gssize head = find_place (data->heads, data->n_heads, chosen[2 * step + 1]);

      if (layer < 0 || head < 0)
        break;
      attribution->chosen[step] = (gsize) layer * data->n_heads + (gsize) head;
      attribution->n_chosen = step + 1;
    }
  return TRUE;
}

/**
 * attn_attribution_load:
 * @data: has an attribution without texts
 * @error: return location for %ATTN_ERROR_FORMAT and %ATTN_ERROR_MEMORY
 *
 * Reads what [func@attn_attribution_save] wrote.
 */
gboolean
attn_attribution_load (AttnSurveyData       *data,
                       const AttnArrayFile  *file,
                       GError              **error)
{
  AttnAttribution *attribution = data->attribution;
  const AttnArray *array = attn_array_file_lookup (file, TEXTS);
  gsize n = array != NULL && array->n_dims == 1 ? array->shape[0] : 0;
  gsize n_values = attribution->n_steps * attribution->n_cells;
  gsize n_states = (1 + attribution->n_cells) * attribution->width;
  gsize n_bytes;
  const char *states = NULL;

  if (!load_chosen (data, file, error))
    return FALSE;
  gboolean has_states = attribution->n_chosen < attribution->n_steps;
  if (!g_size_checked_mul (&n_bytes, n, attn_attribution_measure_text (attribution)))
    n_bytes = G_MAXSIZE;
  if (!attn_memory_check (n_bytes, _("the texts of a survey"), error))
    return FALSE;
  const void *angles = get (file, ANGLES, ATTN_DTYPE_F64, n_values, error);
  const void *numbers = angles != NULL ? get (file, TEXTS, ATTN_DTYPE_U64, n, error) : NULL;
  const char *values =
      numbers != NULL ? get (file, VALUES, ATTN_DTYPE_F64, n * n_values, error) : NULL;
  if (values == NULL ||
      (has_states &&
       (states = get (file, STATES, ATTN_DTYPE_F32, n * n_states, error)) == NULL))
    return FALSE;
  memcpy (attribution->angles, angles, n_values * sizeof (double));
  for (gsize i = 0; i < n; i++)
    {
      guint64 number;

      memcpy (&number, (const char *) numbers + i * sizeof number, sizeof number);
      AttnAttributionText *text = attn_attribution_take (attribution, number);
      memcpy (text->kl, values + i * n_values * sizeof (double), n_values * sizeof (double));
      if (has_states)
        memcpy (text->states, states + i * n_states * sizeof (float), n_states * sizeof (float));
    }
  return TRUE;
}
