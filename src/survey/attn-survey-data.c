/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-data-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-file.h"
#include "attn-json.h"
#include "attn-memory.h"
#include "attn-text.h"

/* Separator between the names of the processor kernels that computed a survey. */
#define SEPARATOR ", "

/* Largest number of layers or heads that a file can declare. No model has as many, and the product
 * of both does not overflow. */
#define MAX_NUMBERS (1 << 16)

/* -- What is surveyed -- */

/* Reads an array of numbers, such as those of the surveyed layers. *n: (out): their count */
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

/* Reads the factor of each condition; NaN for a condition without a factor, for which the file has
 * null. */
static double *
read_factors (AttnJsonReader *json,
              guint           n)
{
  JsonArray *array = attn_json_read_array (json, "factors");
  double *factors = g_new (double, n);

  for (guint i = 0; i < n; i++)
    {
      JsonNode *node = array != NULL && i < json_array_get_length (array)
                           ? json_array_get_element (array, i)
                           : NULL;

      factors[i] = node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_double (node) : NAN;
    }
  return factors;
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

/* Reads the position at which the KL divergence of an attribution is measured. The last one is the
 * default. */
static int
read_at (const AttnSurveyData *data,
         AttnJsonReader       *json)
{
  const char *name = attn_json_read_string (json, "at", "last");
  guint64 at;

  if (g_str_equal (name, "last"))
    return ATTN_AT_LAST;
  if (g_ascii_string_to_unsigned (name, 10, 0, data->length - 1, &at, NULL))
    return (int) at;
  if (!g_str_equal (name, "all"))
    attn_json_fail (json, ATTN_ERROR_FORMAT, _("%s: no “%s” found, expected what a survey writes"),
                    json->where, "at");
  return ATTN_AT_ALL;
}

/* Reads the description of an attribution, whose conditions are its steps. */
static void
read_attribution (AttnSurveyData *data,
                  AttnJsonReader *json)
{
  static const char * const units[] = { "nats", "bits", NULL };
  const char *unit = attn_json_read_string (json, "unit", "nats");
  gsize rank = attn_json_read_size (json, "rank", 1, ATTN_ATTRIBUTION_MOST_RANK, 1);
  gsize width = attn_json_read_size (json, "width", 1, 1 << 24, 1);

  if (!g_strv_contains (units, unit) || data->n_conditions > ATTN_ATTRIBUTION_MOST_STEPS)
    attn_json_fail (json, ATTN_ERROR_FORMAT, _("%s: no “%s” found, expected what a survey writes"),
                    json->where, "unit");
  data->attribution =
      attn_attribution_new (attn_json_read_string (json, "operation", ""),
                            g_str_equal (unit, "bits"), read_at (data, json), data->n_conditions,
                            rank, width, data->n_layers * data->n_heads);
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
  data->series = read_strings (&json, "series");
  data->factors = read_factors (&json, data->n_conditions);
  statistics = read_strings (&json, "statistics");
  data->layers = read_numbers (&json, "layers", &data->n_layers);
  data->heads = read_numbers (&json, "heads", &data->n_heads);
  data->length = attn_json_read_size (&json, "length", 1, 1 << 24, 64);
  data->is_causal = attn_json_read_boolean (&json, "causal", TRUE);
  if (attn_json_read_size (&json, "rank", 1, ATTN_ATTRIBUTION_MOST_RANK, 0) > 0)
    read_attribution (data, &json);
  gsize n_answer = attn_json_read_size (&json, "max_tokens", 1, ATTN_SURVEY_MOST_ANSWER,
                                        ATTN_SURVEY_ANSWER);
  if (!attn_json_finish (&json, error))
    return FALSE;
  if (g_strv_length (data->series) != data->n_conditions)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: no “%s” found, expected what a survey writes"),
                      where, "series");
  data->n_lengths = MIN (data->length, ATTN_SURVEY_LENGTHS);
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
  if ((data->attribution != NULL) !=
      (data->statistics == 1u << ATTN_STATISTIC_ATTRIBUTION))
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: no “%s” found, expected what a survey writes"), where, "rank");
  if (data->attribution != NULL && data->n_conditions > data->n_layers * data->n_heads)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: %u steps found, expected at most the %zu heads"), where,
                      data->n_conditions, data->n_layers * data->n_heads);
  data->n_answer = attn_statistics_need_answers (data->statistics) ? n_answer : 0;
  return TRUE;
}

/* Parses the settings of a survey from @json without allocating memory for its results. @where: the
 * name of the survey in messages */
AttnSurveyData *
attn_survey_data_parse (const char  *where,
                        const char  *json,
                        GError     **error)
{
  g_autoptr (AttnSurveyData) data = g_atomic_rc_box_new0 (AttnSurveyData);

  data->json = g_strdup (json);
  data->done = g_byte_array_new ();
  data->kernels = g_ptr_array_new_with_free_func (g_free);
  data->most_chunks = ATTN_SURVEY_MOST_CHUNKS;
  if (!read_json (data, where, error))
    return NULL;
  for (AttnStatistic statistic = 0; statistic < ATTN_N_STATISTICS; statistic++)
    if ((data->statistics & 1u << statistic) != 0)
      data->n_values += attn_survey_data_count_cells (data, statistic);
  if ((data->statistics & 1u << ATTN_STATISTIC_OFFSET) != 0)
    data->n_offsets = data->is_causal ? data->length : 2 * data->length - 1;
  if ((data->statistics & 1u << ATTN_STATISTIC_SINK) != 0)
    {
      data->n_keys = data->length;
      data->n_key_lengths = data->n_lengths;
    }
  return g_steal_pointer (&data);
}

gboolean
attn_survey_data_allocate (AttnSurveyData  *data,
                           GError         **error)
{
  gsize n_cells = attn_survey_data_get_n_cells (data);
  g_autofree char *what = g_strdup_printf (_("a survey of %zu heads"), n_cells);
  gsize n_bytes, n_count_bytes;

  /* A cell of a tally takes a little less than 1 KiB of memory. */
  if (!g_size_checked_mul (&n_bytes, data->n_values, 1024) ||
      !g_size_checked_mul (&n_count_bytes, n_cells,
                           8 * (data->n_keys + data->n_offsets + data->n_key_lengths)) ||
      !g_size_checked_add (&n_bytes, n_bytes, n_count_bytes))
    n_bytes = G_MAXSIZE;
  if (!attn_memory_check (n_bytes, what, error))
    return FALSE;
  if (data->attribution != NULL)
    attn_attribution_prepare (data->attribution);
  for (AttnStatistic statistic = 0; statistic < ATTN_N_STATISTICS; statistic++)
    if ((data->statistics & 1u << statistic) != 0)
      {
        double minimum;
        double maximum;

        attn_statistic_get_range (statistic, data->length, data->is_causal, &minimum, &maximum);
        data->tallies[statistic] = attn_tally_new (
            attn_survey_data_count_cells (data, statistic), minimum, maximum);
      }
  data->key_counts = g_new0 (guint64, n_cells * data->n_keys);
  data->offset_counts = g_new0 (guint64, n_cells * data->n_offsets);
  data->length_counts = g_new0 (guint64, n_cells * data->n_key_lengths);
  data->length_texts = g_new0 (guint64, data->n_lengths);
  return TRUE;
}

/**
 * attn_survey_data_new:
 * @where: the name of the survey in messages, such as the path of its file
 * @json: what is surveyed, as [func@attn_survey_get_json] returns it
 * @error: return location for %ATTN_ERROR_FORMAT and %ATTN_ERROR_MEMORY
 *
 * Returns: (transfer full) (nullable): the results of a survey, with no texts in them yet
 */
AttnSurveyData *
attn_survey_data_new (const char  *where,
                      const char  *json,
                      GError     **error)
{
  g_autoptr (AttnSurveyData) data = attn_survey_data_parse (where, json, error);

  return data != NULL && attn_survey_data_allocate (data, error) ? g_steal_pointer (&data) : NULL;
}

static void
clear_data (gpointer user_data)
{
  AttnSurveyData *data = user_data;

  for (gsize i = 0; i < ATTN_N_STATISTICS; i++)
    attn_tally_free (data->tallies[i]);
  attn_attribution_free (data->attribution);
  g_strfreev (data->conditions);
  g_strfreev (data->series);
  g_free (data->factors);
  g_free (data->model_path);
  g_free (data->adapter_path);
  g_free (data->texts_path);
  g_free (data->stamp);
  g_free (data->length_counts);
  g_free (data->length_texts);
  g_byte_array_unref (data->done);
  g_ptr_array_unref (data->kernels);
  g_free (data->json);
  g_free (data->layers);
  g_free (data->heads);
  g_free (data->key_counts);
  g_free (data->offset_counts);
}

AttnSurveyData *
attn_survey_data_ref (AttnSurveyData *data)
{
  return g_atomic_rc_box_acquire (data);
}

void
attn_survey_data_unref (AttnSurveyData *data)
{
  if (data != NULL)
    g_atomic_rc_box_release_full (data, clear_data);
}

/**
 * attn_survey_data_get_length:
 * @n_tokens: from 1 to T
 *
 * Returns: index of the interval of text lengths that contains @n_tokens, below n_lengths
 */
gsize
attn_survey_data_get_length (const AttnSurveyData *data,
                             gsize                 n_tokens)
{
  return (n_tokens - 1) * data->n_lengths / data->length;
}

/**
 * attn_survey_data_get_n_cells:
 *
 * Returns: number of heads under all conditions: conditions x layers x heads
 */
gsize
attn_survey_data_get_n_cells (const AttnSurveyData *data)
{
  return data->n_conditions * data->n_layers * data->n_heads;
}

/**
 * attn_survey_data_get_shape:
 * @shape: (out): dimensions of the cells of @statistic: [conditions, layers, heads], [conditions,
 *   layers, T] or [conditions, 1, 1]
 *
 * Returns: number of dimensions, 3 or 1
 */
guint
attn_survey_data_get_shape (const AttnSurveyData *data,
                            AttnStatistic         statistic,
                            gsize                 shape[3])
{
  gboolean is_of_text = statistic >= ATTN_N_MAP_STATISTICS;

  shape[0] = data->n_conditions;
  shape[1] = is_of_text ? 1 : data->n_layers;
  shape[2] = is_of_text                           ? 1
             : statistic < ATTN_N_HEAD_STATISTICS ? data->n_heads
                                                  : data->length;
  return is_of_text ? 1 : 3;
}

gsize
attn_survey_data_count_cells (const AttnSurveyData *data,
                              AttnStatistic         statistic)
{
  gsize shape[3];

  attn_survey_data_get_shape (data, statistic, shape);
  return shape[0] * shape[1] * shape[2];
}

/**
 * attn_survey_data_get_distance:
 * @offset: index of a distance, below n_offsets
 *
 * Returns: how many tokens the key is before the query; negative for a key behind it
 */
gssize
attn_survey_data_get_distance (const AttnSurveyData *data,
                               gsize                 offset)
{
  return (gssize) offset - (data->is_causal ? 0 : (gssize) data->length - 1);
}

/**
 * attn_survey_data_has:
 *
 * Returns: whether the results of @chunk (or of a unit of an attribution) are in the sums
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

static int
compare_names (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(const char * const *) a, *(const char * const *) b);
}

/**
 * attn_survey_data_add_kernels:
 * @name: name of the processor kernels that computed a part of the sums, such as "avx2 Haswell"
 */
void
attn_survey_data_add_kernels (AttnSurveyData *data,
                              const char     *name)
{
  if (g_ptr_array_find_with_equal_func (data->kernels, name, g_str_equal, NULL))
    return;
  g_ptr_array_add (data->kernels, g_strdup (name));
  g_ptr_array_sort (data->kernels, compare_names);
}

/* Returns the names of all processor kernels as one text, in the form written to files. (transfer
 * full) (nullable) */
char *
attn_survey_data_join_kernels (const AttnSurveyData *data)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < data->kernels->len; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? SEPARATOR : "",
                            (const char *) data->kernels->pdata[i]);
  return names->len > 0 ? g_string_free (g_steal_pointer (&names), FALSE) : NULL;
}

void
attn_survey_data_split_kernels (AttnSurveyData *data,
                                const char     *joined)
{
  g_auto (GStrv) names = joined != NULL ? g_strsplit (joined, SEPARATOR, -1) : NULL;

  for (char **name = names; name != NULL && *name != NULL; name++)
    attn_survey_data_add_kernels (data, *name);
}

/**
 * attn_survey_data_describe_kernels:
 *
 * Returns: (transfer full) (nullable): a sentence for the user if parts of the survey were computed
 *   by different processor kernels, else %NULL
 */
char *
attn_survey_data_describe_kernels (const AttnSurveyData *data)
{
  g_autofree char *names = attn_survey_data_join_kernels (data);

  return data->kernels->len < 2
             ? NULL
             : g_strdup_printf (_("parts computed by different kernels found (%s), expected the "
                                  "same: their last digits differ; README says how to choose them"),
                                names);
}

static guint64
count_chunks (const AttnSurveyData *data)
{
  return data->n_texts / ATTN_SURVEY_CHUNK + (data->n_texts % ATTN_SURVEY_CHUNK != 0);
}

/**
 * attn_survey_data_count_of_step:
 *
 * Returns: number of units of work in a step of an attribution: chunks x heads; 0 where the number
 *   of texts is not known, or where there is no attribution
 */
gsize
attn_survey_data_count_of_step (const AttnSurveyData *data)
{
  return data->attribution != NULL ? count_chunks (data) * data->attribution->n_cells : 0;
}

/**
 * attn_survey_data_finish_steps:
 *
 * Finishes the steps of an attribution that are complete: chooses their heads and measures the
 * angles between the effects of heads.
 */
void
attn_survey_data_finish_steps (AttnSurveyData *data)
{
  AttnAttribution *attribution = data->attribution;
  gsize n = attn_survey_data_count_of_step (data);

  while (n > 0 && attribution->n_chosen < attribution->n_steps)
    {
      gsize first = attribution->n_chosen * n;
      gsize i = 0;

      while (i < n && attn_survey_data_has (data, first + i))
        i++;
      if (i < n)
        return;
      attn_attribution_finish_step (attribution);
    }
}

/**
 * attn_survey_data_count_missing:
 *
 * Returns: number of chunks, or units of an attribution, that are not in the sums; 0 for a survey
 *   that is complete, or whose number of texts is not known
 */
gsize
attn_survey_data_count_missing (const AttnSurveyData *data)
{
  guint64 n_chunks = data->attribution != NULL
                         ? data->attribution->n_steps * attn_survey_data_count_of_step (data)
                         : count_chunks (data);
  guint64 n_missing = n_chunks;

  for (guint64 chunk = 0; chunk < MIN (n_chunks, data->done->len); chunk++)
    n_missing -= data->done->data[chunk] != 0;
  return n_missing;
}

/* Fails with a message that names the texts (and the head of an attribution) that two merged parts
 * both contain. @unit: number of the unit of work that is in both */
static gboolean
fail_again (const AttnSurveyData  *data,
            guint                  unit,
            const char            *where,
            GError               **error)
{
  gsize n_cells = data->attribution != NULL ? data->attribution->n_cells : 1;
  guint chunk = (guint) (unit / n_cells);
  guint first = chunk * ATTN_SURVEY_CHUNK;
  guint last = first + ATTN_SURVEY_CHUNK - 1;

  if (data->attribution == NULL)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("%s: texts %u to %u found again, expected others than before"), where,
                      first, last);
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("%s: head %zu of layer %zu with texts %u to %u found again, expected others "
                      "than before"),
                    where, data->heads[unit % n_cells % data->n_heads],
                    data->layers[unit % n_cells / data->n_heads], first, last);
}

/**
 * attn_survey_data_merge:
 * @other: results of the same survey for other texts
 * @where: name of @other in messages, such as the path of its file
 * @error: return location for %ATTN_ERROR_ARGUMENT if @other is of another survey, or if a text is
 *   in both
 *
 * Adds the results of @other. The order in which surveys are merged does not matter.
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
      return fail_again (data, chunk, where, error);
  /* A part of the texts does not suffice to choose the heads that stay changed in later steps. */
  if (data->attribution != NULL && data->attribution->n_steps > 1)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("%s: a part of a survey of several steps found, expected one of a single "
                        "step, for each follows from all texts of the one before"),
                      where);

  for (gsize i = 0; i < ATTN_N_STATISTICS; i++)
    if (data->tallies[i] != NULL)
      attn_tally_merge (data->tallies[i], other->tallies[i]);
  for (gsize i = 0; i < n_cells * data->n_keys; i++)
    data->key_counts[i] += other->key_counts[i];
  for (gsize i = 0; i < n_cells * data->n_offsets; i++)
    data->offset_counts[i] += other->offset_counts[i];
  for (gsize i = 0; i < n_cells * data->n_key_lengths; i++)
    data->length_counts[i] += other->length_counts[i];
  for (gsize i = 0; i < data->n_lengths; i++)
    data->length_texts[i] += other->length_texts[i];
  if (data->attribution != NULL)
    attn_attribution_merge (data->attribution, other->attribution);
  attn_survey_data_take_paths (data, other->model_path, other->adapter_path, other->texts_path);
  for (guint i = 0; i < other->kernels->len; i++)
    attn_survey_data_add_kernels (data, other->kernels->pdata[i]);
  for (guint chunk = 0; chunk < other->done->len; chunk++)
    if (other->done->data[chunk] != 0)
      attn_survey_data_set_done (data, chunk);
  data->n_texts = MAX (data->n_texts, other->n_texts);
  attn_survey_data_finish_steps (data);
  return TRUE;
}
