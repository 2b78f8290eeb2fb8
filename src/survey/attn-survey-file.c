/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The file of a survey, an .npz that stores all results as arrays. */

#include "config.h"

#include "attn-survey-data-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-attribution-file.h"
#include "attn-error.h"
#include "attn-file.h"
#include "attn-save.h"

/* Names of arrays in the file of a survey that are not named after a statistic. */
#define SURVEY  "survey"
#define DONE    "done"
#define TEXTS   "texts"
#define COUNTS  "sink.key_counts"
#define OFFSETS "offset.distance_counts"

/* Names of the arrays with results by the length of the text. */
#define LENGTHS       "lengths"
#define LENGTH_TEXTS  "lengths.texts"
#define LENGTH_COUNTS "sink.length_counts"

/* Metadata name for the processor kernels that computed the survey. */
#define KERNELS "kernels"

/* Metadata names in the file of a survey for the paths of model, texts and adapter. */
static const char * const origins[] = { "model_path", "texts_path", "adapter_path" };

static gboolean
add_numbers (AttnArrayFile  *file,
             const char     *name,
             const guint64  *numbers,
             gsize           n,
             GError        **error)
{
  return attn_array_file_add_numbers (file, name, ATTN_DTYPE_U64, 1, &n, numbers, error);
}

/* Adds the share of the texts in which each key is a sink: [conditions, layers, heads, T]. The
 * share of key 0 is the sink rate, which is also added as an array of its own. */
static gboolean
add_sinks (const AttnSurveyData  *data,
           AttnArrayFile         *file,
           GError               **error)
{
  const AttnTally *sink = data->tallies[ATTN_STATISTIC_SINK];
  const gsize shape[] = { data->n_conditions, data->n_layers, data->n_heads, data->length };
  gsize n_cells = attn_survey_data_get_n_cells (data);
  gsize n = n_cells * data->length;

  if (sink == NULL)
    return TRUE;
  g_autofree double *shares = g_new (double, n);
  g_autofree double *rates = g_new (double, n_cells);
  for (gsize cell = 0; cell < n_cells; cell++)
    {
      for (gsize key = 0; key < data->length; key++)
        shares[cell * data->length + key] = (double) data->key_counts[cell * data->length + key] /
                                            (double) attn_tally_get_count (sink, cell);
      rates[cell] = shares[cell * data->length];
    }
  return attn_array_file_add_numbers (file, "sink.rate", ATTN_DTYPE_F64, 3, shape, rates, error) &&
         attn_array_file_add_numbers (file, "sink.by_key", ATTN_DTYPE_F64, 4, shape, shares,
                                      error) &&
         attn_array_file_add_numbers (file, COUNTS, ATTN_DTYPE_U64, 4, shape, data->key_counts,
                                      error);
}

/* Adds the share of the texts in which each distance between query and key is a fixed offset of a
 * head, [conditions, layers, heads, distances], and the distances in tokens. */
static gboolean
add_offsets (const AttnSurveyData  *data,
             AttnArrayFile         *file,
             GError               **error)
{
  const AttnTally *tally = data->tallies[ATTN_STATISTIC_OFFSET];
  const gsize shape[] = { data->n_conditions, data->n_layers, data->n_heads, data->n_offsets };
  gsize n = attn_survey_data_get_n_cells (data) * data->n_offsets;

  if (tally == NULL)
    return TRUE;
  g_autofree gint64 *distances = g_new (gint64, data->n_offsets);
  g_autofree double *shares = g_new (double, n);
  for (gsize i = 0; i < data->n_offsets; i++)
    distances[i] = attn_survey_data_get_distance (data, i);
  for (gsize i = 0; i < n; i++)
    shares[i] = (double) data->offset_counts[i] /
                (double) attn_tally_get_count (tally, i / data->n_offsets);
  return attn_array_file_add_numbers (file, "offset.distances", ATTN_DTYPE_I64, 1, shape + 3,
                                      distances, error) &&
         attn_array_file_add_numbers (file, "offset.by_distance", ATTN_DTYPE_F64, 4, shape,
                                      shares, error) &&
         attn_array_file_add_numbers (file, OFFSETS, ATTN_DTYPE_U64, 4, shape,
                                      data->offset_counts, error);
}

/* Adds an array with the names of the axes, for a statistic that does not belong to heads. */
static gboolean
add_axes (AttnStatistic   statistic,
          AttnArrayFile  *file,
          GError        **error)
{
  static const char * const axes[] = { "conditions", "layers", "positions", NULL };
  static const char * const texts[] = { "conditions", NULL };
  g_autofree char *name = g_strconcat (attn_statistic_names[statistic], ".axes", NULL);

  return statistic < ATTN_N_HEAD_STATISTICS ||
         attn_array_file_add (
             file,
             attn_array_new_strings (name, statistic < ATTN_N_MAP_STATISTICS ? axes : texts),
             error);
}

/* Adds three arrays by the length of the text: the upper limit of each interval of lengths, the
 * number of texts in it, and the share of these in which key 0 is a sink: [conditions, layers,
 * heads, lengths]. */
static gboolean
add_lengths (const AttnSurveyData  *data,
             AttnArrayFile         *file,
             GError               **error)
{
  const gsize shape[] = { data->n_conditions, data->n_layers, data->n_heads, data->n_lengths };
  gsize n = attn_survey_data_get_n_cells (data) * data->n_key_lengths;
  g_autofree gsize *longest = g_new (gsize, data->n_lengths);
  g_autofree double *shares = g_new (double, n);

  for (gsize i = 0; i < data->n_lengths; i++)
    longest[i] = ((i + 1) * data->length + data->n_lengths - 1) / data->n_lengths;
  for (gsize i = 0; i < n; i++)
    shares[i] = (double) data->length_counts[i] / (double) data->length_texts[i % data->n_lengths];
  return add_numbers (file, LENGTHS, longest, data->n_lengths, error) &&
         add_numbers (file, LENGTH_TEXTS, data->length_texts, data->n_lengths, error) &&
         (data->n_keys == 0 ||
          (attn_array_file_add_numbers (file, "sink.by_length", ATTN_DTYPE_F64, 4, shape, shares,
                                        error) &&
           attn_array_file_add_numbers (file, LENGTH_COUNTS, ATTN_DTYPE_U64, 4, shape,
                                        data->length_counts, error)));
}

/**
 * attn_survey_data_save:
 * @path: (type filename): the .npz to write
 * @error: return location for errors of [func@attn_save_bytes]
 *
 * Writes all results as arrays, see DESIGN, section 10. The same results give the same bytes in the
 * file.
 */
gboolean
attn_survey_data_save (const AttnSurveyData  *data,
                       const char            *path,
                       GError               **error)
{
  static const char * const axes[] = { "conditions", "layers", "heads", NULL };
  const gsize n_done = data->done->len;
  g_autofree char *kernels = attn_survey_data_join_kernels (data);
  g_autoptr (AttnArrayFile) file = attn_array_file_new (path);
  const char *names[ATTN_N_STATISTICS + 1] = { NULL };
  gsize n_names = 0;

  for (gsize i = 0; i < ATTN_N_STATISTICS; i++)
    if (data->tallies[i] != NULL)
      names[n_names++] = attn_statistic_names[i];
  attn_array_file_set_metadata (file, SURVEY, data->json);
  if (kernels != NULL)
    attn_array_file_set_metadata (file, KERNELS, kernels);
  if (data->model_path != NULL)
    attn_array_file_set_metadata (file, origins[0], data->model_path);
  if (data->adapter_path != NULL)
    attn_array_file_set_metadata (file, origins[2], data->adapter_path);
  if (data->texts_path != NULL)
    attn_array_file_set_metadata (file, origins[1], data->texts_path);
  if (!attn_array_file_add (file, attn_array_new_strings ("axes", axes), error) ||
      !attn_array_file_add (
          file, attn_array_new_strings ("conditions", (const char * const *) data->conditions),
          error) ||
      !attn_array_file_add (file, attn_array_new_strings ("statistics", names), error) ||
      !add_numbers (file, "layers", data->layers, data->n_layers, error) ||
      !add_numbers (file, "heads", data->heads, data->n_heads, error) ||
      !add_numbers (file, TEXTS, &data->n_texts, 1, error) ||
      !attn_array_file_add_numbers (file, DONE, ATTN_DTYPE_U8, 1, &n_done, data->done->data,
                                    error) ||
      !add_sinks (data, file, error) || !add_offsets (data, file, error) ||
      !add_lengths (data, file, error))
    return FALSE;
  for (AttnStatistic i = 0; i < ATTN_N_STATISTICS; i++)
    {
      gsize shape[3];
      guint n_dims = attn_survey_data_get_shape (data, i, shape);

      if (data->tallies[i] != NULL &&
          (!attn_tally_save (data->tallies[i], attn_statistic_names[i], n_dims, shape, file,
                             error) ||
           !add_axes (i, file, error)))
        return FALSE;
    }
  if (data->attribution != NULL && !attn_attribution_save (data, file, error))
    return FALSE;

  g_autoptr (GBytes) bytes = attn_array_file_serialize (file, path, error);
  return bytes != NULL && attn_save_bytes (path, bytes, error);
}

/* Returns the bytes of an array, which must be in the byte order of this machine. @n_bytes:
 * (inout): the expected size, or %G_MAXSIZE for any size; on return the actual size */
static const void *
get_bytes (const AttnArrayFile  *file,
           const char           *name,
           AttnDtype             dtype,
           gsize                *n_bytes,
           GError              **error)
{
  const AttnArray *array = attn_array_file_lookup (file, name);

  if (array == NULL || array->bytes == NULL || array->dtype != dtype || array->is_swapped ||
      array->is_fortran ||
      (*n_bytes != G_MAXSIZE && g_bytes_get_size (array->bytes) != *n_bytes))
    return attn_fail_null (error, ATTN_ERROR_FORMAT,
                           _("%s: no “%s” found, expected what a survey writes"),
                           attn_array_file_get_path (file), name);
  *n_bytes = g_bytes_get_size (array->bytes);
  return *n_bytes > 0 ? g_bytes_get_data (array->bytes, NULL) : "";
}

static gboolean
read_counts (const AttnArrayFile  *file,
             const char           *name,
             guint64              *counts,
             gsize                 n,
             GError              **error)
{
  gsize n_bytes = n * sizeof *counts;
  const void *bytes = get_bytes (file, name, ATTN_DTYPE_U64, &n_bytes, error);

  if (bytes != NULL)
    memcpy (counts, bytes, n_bytes);
  return bytes != NULL;
}

static gboolean
check_counts (const AttnArrayFile  *file,
              const char           *name,
              gsize                 n_cells,
              gsize                 n,
              GError              **error)
{
  gsize n_bytes;

  if (!g_size_checked_mul (&n_bytes, n_cells, n) || !g_size_checked_mul (&n_bytes, n_bytes, 8))
    n_bytes = G_MAXSIZE - 1;
  return get_bytes (file, name, ATTN_DTYPE_U64, &n_bytes, error) != NULL;
}

/* Checks that the file has all arrays that its description declares, with their sizes, before
 * memory is allocated for them. */
static gboolean
check_arrays (const AttnSurveyData  *data,
              const AttnArrayFile   *file,
              GError               **error)
{
  gsize n_cells = attn_survey_data_get_n_cells (data);

  for (AttnStatistic i = 0; i < ATTN_N_STATISTICS; i++)
    if ((data->statistics & 1u << i) != 0 &&
        !attn_tally_check (attn_survey_data_count_cells (data, i), attn_statistic_names[i], file,
                           error))
      return FALSE;
  return check_counts (file, LENGTH_TEXTS, 1, data->n_lengths, error) &&
         (data->n_keys == 0 ||
          (check_counts (file, COUNTS, n_cells, data->n_keys, error) &&
           check_counts (file, LENGTH_COUNTS, n_cells, data->n_key_lengths, error))) &&
         (data->n_offsets == 0 || check_counts (file, OFFSETS, n_cells, data->n_offsets, error));
}

/**
 * attn_survey_data_load:
 * @path: (type filename): an .npz that [func@attn_survey_data_save] wrote
 * @error: return location for %ATTN_ERROR_FORMAT and errors of reading a file
 *
 * Returns: (transfer full) (nullable): the results of the survey as they were saved
 */
AttnSurveyData *
attn_survey_data_load (const char  *path,
                       GError     **error)
{
  g_autofree char *stamp = attn_file_dup_stamp (path);
  g_autoptr (AttnArrayFile) file = attn_array_file_load (path, error);
  g_autofree char *where = g_filename_display_name (path);
  const char *json = file != NULL ? attn_array_file_get_metadata (file, SURVEY) : NULL;
  gsize n_done = G_MAXSIZE;

  if (file == NULL)
    return NULL;
  if (json == NULL)
    return attn_fail_null (error, ATTN_ERROR_FORMAT,
                           _("%s: no “%s” found, expected what a survey writes"), where, SURVEY);

  g_autoptr (AttnSurveyData) data = attn_survey_data_parse (where, json, error);
  if (data == NULL || !check_arrays (data, file, error) || !attn_survey_data_allocate (data, error))
    return NULL;
  gsize n_cells = attn_survey_data_get_n_cells (data);
  for (gsize i = 0; i < ATTN_N_STATISTICS; i++)
    if (data->tallies[i] != NULL &&
        !attn_tally_load (data->tallies[i], attn_statistic_names[i], file, error))
      return NULL;

  const guint8 *done = get_bytes (file, DONE, ATTN_DTYPE_U8, &n_done, error);
  if (done == NULL)
    return NULL;
  g_byte_array_append (data->done, done, (guint) MIN (n_done, G_MAXUINT));
  if (!read_counts (file, TEXTS, &data->n_texts, 1, error))
    return NULL;
  if (data->n_texts > (guint64) ATTN_SURVEY_MOST_CHUNKS * ATTN_SURVEY_CHUNK)
    return attn_fail_null (error, ATTN_ERROR_LIMIT,
                           _("%s: %zu texts found, expected at most %zu"), where,
                           (gsize) data->n_texts,
                           (gsize) ATTN_SURVEY_MOST_CHUNKS * ATTN_SURVEY_CHUNK);
  if (!read_counts (file, LENGTH_TEXTS, data->length_texts, data->n_lengths, error) ||
      (data->n_keys > 0 &&
       (!read_counts (file, COUNTS, data->key_counts, n_cells * data->n_keys, error) ||
        !read_counts (file, LENGTH_COUNTS, data->length_counts, n_cells * data->n_key_lengths,
                      error))) ||
      (data->n_offsets > 0 &&
       !read_counts (file, OFFSETS, data->offset_counts, n_cells * data->n_offsets, error)))
    return NULL;
  if (data->attribution != NULL && !attn_attribution_load (data, file, error))
    return NULL;
  attn_survey_data_set_origin (data, attn_array_file_get_metadata (file, origins[0]),
                               attn_array_file_get_metadata (file, origins[2]),
                               attn_array_file_get_metadata (file, origins[1]));
  attn_survey_data_split_kernels (data, attn_array_file_get_metadata (file, KERNELS));
  data->stamp = g_steal_pointer (&stamp);
  return g_steal_pointer (&data);
}
