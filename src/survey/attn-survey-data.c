/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-data.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-json.h"
#include "attn-memory.h"
#include "attn-save.h"
#include "attn-text.h"

/* Names in the file beside those of the statistics. */
#define SURVEY "survey"
#define DONE   "done"
#define TEXTS  "texts"
#define COUNTS "sink.key_counts"

/* Far above any model, so that products of them fit. */
#define MAX_NUMBERS (1 << 16)

/* -- What is surveyed -- */

/* An array of numbers in order, such as those of the layers. */
static gsize *
read_numbers (AttnJsonReader *json,
              const char     *member,
              gsize          *n)
{
  JsonArray *array = attn_json_read_array (json, member);
  gsize *numbers = NULL;

  *n = array != NULL ? json_array_get_length (array) : 0;
  if (*n > 0 && *n <= MAX_NUMBERS)
    numbers = g_new (gsize, *n);
  else
    attn_json_fail (json, ATTN_ERROR_FORMAT, _("%s: “%s”: %zu numbers found, expected 1 to %d"),
                    json->where, member, *n, MAX_NUMBERS);
  for (gsize i = 0; numbers != NULL && i < *n; i++)
    {
      JsonNode *node = json_array_get_element (array, (guint) i);
      gint64 value = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_int (node) : -1;

      if (value < 0 || value > G_MAXINT32)
        attn_json_fail (json, ATTN_ERROR_FORMAT,
                        _("%s: “%s”: another value found, expected numbers from 0 on"),
                        json->where, member);
      numbers[i] = (gsize) value;
    }
  return numbers;
}

static char **
read_strings (AttnJsonReader *json,
              const char     *member)
{
  g_autoptr (GPtrArray) strings = g_ptr_array_new_with_free_func (g_free);
  JsonArray *array = attn_json_read_array (json, member);

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      const char *text = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_string (node) : NULL;

      if (text != NULL)
        g_ptr_array_add (strings, g_strdup (text));
      else
        attn_json_fail (json, ATTN_ERROR_FORMAT, _("%s: “%s”: another value found, expected text"),
                        json->where, member);
    }
  if (strings->len == 0 || strings->len > MAX_NUMBERS)
    attn_json_fail (json, ATTN_ERROR_FORMAT, _("%s: “%s”: %u texts found, expected at least one"),
                    json->where, member, strings->len);
  g_ptr_array_add (strings, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&strings), FALSE);
}

static gboolean
read_json (AttnSurveyData  *data,
           const char      *where,
           GError         **error)
{
  g_autoptr (JsonNode) node = attn_json_parse (where, data->json, -1, error);
  g_auto (GStrv) statistics = NULL;

  if (node == NULL)
    return FALSE;
  AttnJsonReader json = attn_json_begin (node, where);
  data->conditions = read_strings (&json, "conditions");
  data->n_conditions = g_strv_length (data->conditions);
  statistics = read_strings (&json, "statistics");
  data->layers = read_numbers (&json, "layers", &data->n_layers);
  data->heads = read_numbers (&json, "heads", &data->n_heads);
  data->length = attn_json_read_size (&json, "length", 1, 1 << 24, 64);
  data->is_causal = attn_json_read_boolean (&json, "causal", TRUE);
  if (!attn_json_finish (&json, error))
    return FALSE;
  for (char **name = statistics; *name != NULL; name++)
    {
      AttnStatistic statistic;

      if (!attn_text_parse_name (attn_statistic_names, *name, &statistic, error))
        {
          g_prefix_error (error, "%s: ", where);
          return FALSE;
        }
      data->statistics |= 1u << statistic;
    }
  return TRUE;
}

/**
 * attn_survey_data_new:
 * @where: what messages call it
 * @json: what is surveyed
 * @error: return location for %ATTN_ERROR_FORMAT and %ATTN_ERROR_MEMORY
 *
 * Returns: (transfer full) (nullable): a survey of no texts yet
 */
AttnSurveyData *
attn_survey_data_new (const char  *where,
                      const char  *json,
                      GError     **error)
{
  g_autoptr (AttnSurveyData) data = g_new0 (AttnSurveyData, 1);
  gsize n_bytes;

  data->json = g_strdup (json);
  data->done = g_byte_array_new ();
  if (!read_json (data, where, error))
    return NULL;

  gsize n_cells = attn_survey_data_get_n_cells (data);
  g_autofree char *what = g_strdup_printf (_("a survey of %zu heads"), n_cells);
  /* A cell of a tally has a little below 1 KiB. */
  if (!g_size_checked_mul (&n_bytes, n_cells, 1024 * ATTN_N_STATISTICS + 8 * data->length))
    n_bytes = G_MAXSIZE;
  if (!attn_memory_check (n_bytes, what, error))
    return NULL;
  for (AttnStatistic statistic = 0; statistic < ATTN_N_STATISTICS; statistic++)
    if ((data->statistics & 1u << statistic) != 0)
      {
        double minimum;
        double maximum;

        attn_statistic_get_range (statistic, data->length, data->is_causal, &minimum, &maximum);
        data->tallies[statistic] = attn_tally_new (n_cells, minimum, maximum);
      }
  data->key_counts = g_new0 (guint64, n_cells * data->length);
  return g_steal_pointer (&data);
}

void
attn_survey_data_free (AttnSurveyData *data)
{
  if (data == NULL)
    return;
  for (gsize i = 0; i < ATTN_N_STATISTICS; i++)
    attn_tally_free (data->tallies[i]);
  g_strfreev (data->conditions);
  g_byte_array_unref (data->done);
  g_free (data->json);
  g_free (data->layers);
  g_free (data->heads);
  g_free (data->key_counts);
  g_free (data);
}

/**
 * attn_survey_data_get_n_cells:
 *
 * Returns: conditions x layers x heads
 */
gsize
attn_survey_data_get_n_cells (const AttnSurveyData *data)
{
  return data->n_conditions * data->n_layers * data->n_heads;
}

/**
 * attn_survey_data_has:
 *
 * Returns: whether the texts of @chunk are in the sums
 */
gboolean
attn_survey_data_has (const AttnSurveyData *data,
                      guint64               chunk)
{
  return chunk < data->done->len && data->done->data[chunk] != 0;
}

void
attn_survey_data_set_done (AttnSurveyData *data,
                           guint64         chunk)
{
  guint n = data->done->len;

  g_return_if_fail (chunk < G_MAXUINT);

  if (chunk >= n)
    {
      g_byte_array_set_size (data->done, (guint) chunk + 1);
      memset (data->done->data + n, 0, chunk + 1 - n);
    }
  data->done->data[chunk] = 1;
}

/**
 * attn_survey_data_count_missing:
 *
 * Returns: chunks that are not in the sums, as far as the number of texts is known; 0 for a survey
 *   that is complete
 */
gsize
attn_survey_data_count_missing (const AttnSurveyData *data)
{
  gsize n_chunks = (data->n_texts + ATTN_SURVEY_CHUNK - 1) / ATTN_SURVEY_CHUNK;
  gsize n_missing = 0;

  for (gsize chunk = 0; chunk < n_chunks; chunk++)
    n_missing += !attn_survey_data_has (data, chunk);
  return n_missing;
}

/**
 * attn_survey_data_merge:
 * @other: of other texts
 * @where: what messages call @other
 * @error: return location for %ATTN_ERROR_ARGUMENT: another survey, or texts that are in both
 *
 * Adds what @other has. In which order surveys are merged does not matter.
 */
gboolean
attn_survey_data_merge (AttnSurveyData        *data,
                        const AttnSurveyData  *other,
                        const char            *where,
                        GError               **error)
{
  gsize n_cells = attn_survey_data_get_n_cells (data);

  if (!g_str_equal (data->json, other->json))
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("%s: a survey with other settings, of another model or of other texts "
                        "found, expected the same"),
                      where);
  for (guint chunk = 0; chunk < other->done->len; chunk++)
    if (other->done->data[chunk] != 0 && attn_survey_data_has (data, chunk))
      return attn_fail (error, ATTN_ERROR_ARGUMENT,
                        _("%s: texts %u to %u found again, expected others than before"), where,
                        chunk * ATTN_SURVEY_CHUNK, (chunk + 1) * ATTN_SURVEY_CHUNK - 1);

  for (gsize i = 0; i < ATTN_N_STATISTICS; i++)
    if (data->tallies[i] != NULL)
      attn_tally_merge (data->tallies[i], other->tallies[i]);
  for (gsize i = 0; i < n_cells * data->length; i++)
    data->key_counts[i] += other->key_counts[i];
  for (guint chunk = 0; chunk < other->done->len; chunk++)
    if (other->done->data[chunk] != 0)
      attn_survey_data_set_done (data, chunk);
  data->n_texts = MAX (data->n_texts, other->n_texts);
  return TRUE;
}

/* -- The file -- */

static gboolean
add_bytes (AttnArrayFile  *file,
           const char     *name,
           AttnDtype       dtype,
           guint           n_dims,
           const gsize    *shape,
           gconstpointer   data,
           gsize           n_bytes,
           GError        **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, n_bytes);
  AttnArray *array = attn_array_new (name, dtype, n_dims, shape, bytes, error);

  return array != NULL && attn_array_file_add (file, array, error);
}

static gboolean
add_numbers (AttnArrayFile  *file,
             const char     *name,
             const gsize    *numbers,
             gsize           n,
             GError        **error)
{
  G_STATIC_ASSERT (sizeof (gsize) == 8);
  return add_bytes (file, name, ATTN_DTYPE_U64, 1, &n, numbers, n * sizeof *numbers, error);
}

/* The share of the texts in which each key is a sink: [conditions, layers, heads, T]; of key 0 it
 * is the sink rate. */
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
  return add_bytes (file, "sink.rate", ATTN_DTYPE_F64, 3, shape, rates, n_cells * sizeof *rates,
                    error) &&
         add_bytes (file, "sink.by_key", ATTN_DTYPE_F64, 4, shape, shares, n * sizeof *shares,
                    error) &&
         add_bytes (file, COUNTS, ATTN_DTYPE_U64, 4, shape, data->key_counts,
                    n * sizeof *data->key_counts, error);
}

/**
 * attn_survey_data_save:
 * @path: (type filename): an .npz
 * @error: return location for errors of [func@attn_save_bytes]
 *
 * Writes everything as arrays, see DESIGN, section 10. The same texts give the same bytes.
 */
gboolean
attn_survey_data_save (const AttnSurveyData  *data,
                       const char            *path,
                       GError               **error)
{
  static const char * const axes[] = { "conditions", "layers", "heads", NULL };
  const gsize shape[] = { data->n_conditions, data->n_layers, data->n_heads };
  const gsize n_done = data->done->len;
  g_autoptr (AttnArrayFile) file = attn_array_file_new (path);
  const char *names[ATTN_N_STATISTICS + 1] = { NULL };
  gsize n_names = 0;

  for (gsize i = 0; i < ATTN_N_STATISTICS; i++)
    if (data->tallies[i] != NULL)
      names[n_names++] = attn_statistic_names[i];
  attn_array_file_set_metadata (file, SURVEY, data->json);
  if (!attn_array_file_add (file, attn_array_new_strings ("axes", axes), error) ||
      !attn_array_file_add (
          file, attn_array_new_strings ("conditions", (const char * const *) data->conditions),
          error) ||
      !attn_array_file_add (file, attn_array_new_strings ("statistics", names), error) ||
      !add_numbers (file, "layers", data->layers, data->n_layers, error) ||
      !add_numbers (file, "heads", data->heads, data->n_heads, error) ||
      !add_numbers (file, TEXTS, &data->n_texts, 1, error) ||
      !add_bytes (file, DONE, ATTN_DTYPE_U8, 1, &n_done, data->done->data, n_done, error) ||
      !add_sinks (data, file, error))
    return FALSE;
  for (gsize i = 0; i < ATTN_N_STATISTICS; i++)
    if (data->tallies[i] != NULL &&
        !attn_tally_save (data->tallies[i], attn_statistic_names[i], 3, shape, file, error))
      return FALSE;

  g_autoptr (GBytes) bytes = attn_array_file_serialize (file, path, error);
  return bytes != NULL && attn_save_bytes (path, bytes, error);
}

/* The bytes of an array as this machine has them. @n_bytes: (inout): how many are expected,
 * %G_MAXSIZE for any number; then how many there are */
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

/**
 * attn_survey_data_load:
 * @path: (type filename): an .npz that [func@attn_survey_data_save] wrote
 * @error: return location for %ATTN_ERROR_FORMAT and errors of reading a file
 *
 * Returns: (transfer full) (nullable): the survey as it was
 */
AttnSurveyData *
attn_survey_data_load (const char  *path,
                       GError     **error)
{
  g_autoptr (AttnArrayFile) file = attn_array_file_load (path, error);
  g_autofree char *where = g_filename_display_name (path);
  const char *json = file != NULL ? attn_array_file_get_metadata (file, SURVEY) : NULL;
  gsize n_done = G_MAXSIZE;
  gsize n_bytes = sizeof (guint64);

  if (file == NULL)
    return NULL;
  if (json == NULL)
    return attn_fail_null (error, ATTN_ERROR_FORMAT,
                           _("%s: no “%s” found, expected what a survey writes"), where, SURVEY);

  g_autoptr (AttnSurveyData) data = attn_survey_data_new (where, json, error);
  if (data == NULL)
    return NULL;
  for (gsize i = 0; i < ATTN_N_STATISTICS; i++)
    if (data->tallies[i] != NULL &&
        !attn_tally_load (data->tallies[i], attn_statistic_names[i], file, error))
      return NULL;

  const guint8 *done = get_bytes (file, DONE, ATTN_DTYPE_U8, &n_done, error);
  if (done == NULL)
    return NULL;
  g_byte_array_append (data->done, done, (guint) MIN (n_done, G_MAXUINT));
  const void *texts = get_bytes (file, TEXTS, ATTN_DTYPE_U64, &n_bytes, error);
  if (texts == NULL)
    return NULL;
  memcpy (&data->n_texts, texts, n_bytes);
  if (data->tallies[ATTN_STATISTIC_SINK] != NULL)
    {
      n_bytes = attn_survey_data_get_n_cells (data) * data->length * sizeof (guint64);
      const void *counts = get_bytes (file, COUNTS, ATTN_DTYPE_U64, &n_bytes, error);

      if (counts == NULL)
        return NULL;
      memcpy (data->key_counts, counts, n_bytes);
    }
  return g_steal_pointer (&data);
}
