/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Opens a recording: finds its arrays by their names, and checks that their shapes fit each
 * other. */

#include "config.h"

#include "attn-recording.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-array-format.h"
#include "attn-error.h"
#include "attn-fingerprint.h"
#include "attn-recording-labels.h"
#include "attn-recording-layers.h"
#include "attn-recording-picture.h"
#include "attn-recording-run.h"

/* The number of bytes at the start of an array file that all count in its fingerprint; of the other
 * bytes, only a sample counts. */
#define N_HEADER_BYTES 128

/* The approximate number of rows of each recorded matrix of weights that are read to find out
 * whether it is causal. */
#define N_SAMPLED_ROWS 16

/* Accepted names of arrays, in upper or lower case. The first name of each list is the one that the
 * command `compute` writes. */
static const char * const weights_names[] = {
  "weights", "attention", "attentions", "attn", "pattern", NULL
};
static const char * const query_names[] = { "query", "queries", "q", NULL };
static const char * const key_names[] = { "key", "keys", "k", NULL };
static const char * const value_names[] = { "value", "values", "v", NULL };

/* The name of the array in which the command `compute` writes the labels of queries, keys or
 * values. */
#define VECTOR_LABELS "token_labels"

/* Accepted names of the arrays of labels of queries and of keys. The first name that a file has is
 * used. */
static const char * const query_label_names[] = {
  "query_labels", "query_tokens", "row_labels", VECTOR_LABELS, "tokens", "labels", NULL
};
static const char * const key_label_names[] = {
  "key_labels", "key_tokens", "column_labels", "tokens", "labels", NULL
};

/* Returns the name of an array for a message, or the file's name for the array of a file that gives
 * it no name, such as .npy. */
static const char *
get_name (const AttnRecording *recording,
          const AttnArray     *array)
{
  const char *path = attn_array_file_get_path (recording->file);
  const char *slash = strrchr (path, G_DIR_SEPARATOR);

  if (*array->name != '\0')
    return array->name;
  return slash != NULL ? slash + 1 : path;
}

static gboolean
is_numeric (const AttnArray *array)
{
  return array->dtype != ATTN_DTYPE_UNICODE;
}

static const AttnArray *
find_array (const AttnArrayFile *file,
            const char * const  *names)
{
  for (gsize n = 0; names[n] != NULL; n++)
    for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
      {
        const AttnArray *array = attn_array_file_get_nth (file, i);

        if (is_numeric (array) && g_ascii_strcasecmp (array->name, names[n]) == 0)
          return array;
      }
  return NULL;
}

/* Returns the only array of numbers in the file, whatever its name; NULL if there are several or
 * none. */
static const AttnArray *
find_only_array (const AttnArrayFile *file)
{
  const AttnArray *only = NULL;

  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (file, i);

      if (!is_numeric (array) || array->n_dims == 0)
        continue;
      if (only != NULL)
        return NULL;
      only = array;
    }
  return only;
}

static gboolean
fail_names (const AttnRecording  *recording,
            GError              **error)
{
  gsize n_arrays;
  g_autofree char *names = attn_array_file_dup_names (recording->file, &n_arrays);

  return attn_fail (error, n_arrays > 1 ? ATTN_ERROR_AMBIGUOUS : ATTN_ERROR_FORMAT,
                    _("%s: %zu arrays found (%s), expected “attention”, or “query” and “key”, or "
                      "one array only, or one a layer (arr_0, arr_1, …), or FILE:NAME for one of "
                      "several"),
                    attn_array_file_get_path (recording->file), n_arrays, names);
}

static gboolean
find_arrays (AttnRecording  *recording,
             GError        **error)
{
  recording->weights = attn_array_file_get_selected (recording->file);
  if (recording->weights != NULL)
    return TRUE;
  recording->weights = find_array (recording->file, weights_names);
  recording->query = find_array (recording->file, query_names);
  recording->key = find_array (recording->file, key_names);
  recording->value = find_array (recording->file, value_names);
  if (recording->query == NULL || recording->key == NULL)
    recording->query = recording->key = recording->value = NULL;
  if (recording->weights == NULL && recording->query == NULL)
    recording->weights = find_only_array (recording->file);
  if (recording->weights != NULL || recording->query != NULL)
    return TRUE;
  if (!attn_recording_stack_layers (recording->file, &recording->stacked, error))
    return FALSE;
  recording->weights = recording->stacked;
  return recording->weights != NULL || fail_names (recording, error);
}

/**
 * attn_recording_is_file:
 * @path: the path that a user has given for a model
 *
 * Returns: whether it is a recording and not a part of a checkpoint: an array file by its suffix; a
 *   safetensors file only if it has no config.json beside it, or holds arrays named like attention
 */
gboolean
attn_recording_is_file (const char *path)
{
  g_autofree char *directory = g_path_get_dirname (path);
  g_autofree char *config = g_build_filename (directory, "config.json", NULL);

  if (g_file_test (path, G_FILE_TEST_IS_DIR) ||
      !attn_array_format_has (path, ATTN_ARRAY_FORMAT_RECORDING))
    return FALSE;
  if (!attn_array_format_has (path, ATTN_ARRAY_FORMAT_MODEL) ||
      !g_file_test (config, G_FILE_TEST_EXISTS))
    return TRUE;

  g_autoptr (AttnArrayFile) file = attn_array_file_load (path, NULL);
  return file != NULL && (find_array (file, weights_names) != NULL ||
                          (find_array (file, query_names) != NULL &&
                           find_array (file, key_names) != NULL));
}

/* Sets @sizes to the sizes of an array as [L, H, T, x]. Missing first dimensions count as 1, and a
 * dimension of size 1 for a batch, behind the layers, is left out. */
static gboolean
get_sizes (const AttnRecording  *recording,
           const AttnArray      *array,
           gsize                 sizes[4],
           GError              **error)
{
  g_autofree char *shape = attn_shape_to_string (array->n_dims, array->shape);
  gsize n_dims = array->n_dims;
  gsize all[ATTN_ARRAY_MAX_DIMS];

  memcpy (all, array->shape, n_dims * sizeof *all);
  if (n_dims == 5 && all[1] == 1)
    {
      memmove (all + 1, all + 2, 3 * sizeof *all);
      n_dims = 4;
    }
  if (n_dims < 1 || n_dims > 4 || attn_array_get_n_elements (array) == 0)
    return attn_fail (error, ATTN_ERROR_SHAPE,
                      _("%s: “%s” of shape %s found, expected [layers, heads, queries, keys], the "
                        "last three of them or the last two"),
                      attn_array_file_get_path (recording->file), get_name (recording, array),
                      shape);
  for (gsize i = 0; i < 4; i++)
    sizes[i] = i + n_dims >= 4 ? all[i + n_dims - 4] : 1;
  return TRUE;
}

/* Checks that queries are [L, H, T, d], keys [L, Hk, S, d] and values [L, Hk, S, e], and stores the
 * sizes. */
static gboolean
check_vectors (AttnRecording  *recording,
               GError        **error)
{
  AttnModelInfo *info = &recording->model.info;
  gsize query[4];
  gsize key[4];
  gsize value[4];

  if (!get_sizes (recording, recording->query, query, error) ||
      !get_sizes (recording, recording->key, key, error) ||
      (recording->value != NULL && !get_sizes (recording, recording->value, value, error)))
    return FALSE;
  if (query[0] != key[0] || query[1] % key[1] != 0 || query[3] != key[3])
    return attn_recording_fail_shapes (recording->file, recording->query, recording->key, error);
  if (recording->value != NULL && memcmp (key, value, 3 * sizeof *key) != 0)
    return attn_recording_fail_shapes (recording->file, recording->key, recording->value, error);
  info->n_layers = query[0];
  info->n_heads = query[1];
  info->n_key_heads = key[1];
  info->n_positions = query[2];
  recording->n_keys = key[2];
  info->head_width = query[3];
  return TRUE;
}

static gboolean
check_weights (AttnRecording  *recording,
               GError        **error)
{
  AttnModelInfo *info = &recording->model.info;
  gsize sizes[4];

  if (!get_sizes (recording, recording->weights, sizes, error))
    return FALSE;
  if (recording->query != NULL &&
      (sizes[0] != info->n_layers || sizes[1] != info->n_heads || sizes[2] != info->n_positions ||
       sizes[3] != recording->n_keys))
    return attn_recording_fail_shapes (recording->file, recording->query, recording->weights,
                                       error);
  info->n_layers = sizes[0];
  info->n_heads = sizes[1];
  info->n_positions = sizes[2];
  info->n_recorded_keys = recording->n_keys = sizes[3];
  if (recording->query == NULL)
    info->n_key_heads = sizes[1];
  return TRUE;
}

static gboolean
check_sizes (const AttnRecording  *recording,
             GError              **error)
{
  const AttnModelInfo *info = &recording->model.info;
  const gsize sizes[] = { info->n_layers, info->n_heads, info->n_positions, recording->n_keys,
                          info->head_width };

  /* Matrix products take sizes as int, and the number of elements, the product of the sizes, must
   * fit a gsize. */
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    if (sizes[i] > G_MAXINT32 / 64)
      return attn_fail (error, ATTN_ERROR_LIMIT,
                        _("%s: a dimension of %zu found, expected at most %d"),
                        attn_array_file_get_path (recording->file), sizes[i], G_MAXINT32 / 64);
  return TRUE;
}

/* Sets *is_causal to whether recorded weights look causal: whether all values above the diagonal
 * are exactly 0, in a sample of each matrix's rows. */
static gboolean
looks_causal (const AttnRecording  *recording,
              gboolean             *is_causal,
              GError              **error)
{
  const AttnModelInfo *info = &recording->model.info;
  gsize n = recording->n_keys;
  gsize n_matrices = info->n_layers * info->n_heads;
  gsize step = MAX (info->n_positions / N_SAMPLED_ROWS, 1);
  g_autofree float *row = g_new (float, n);

  *is_causal = info->n_positions == n && n > 1;
  for (gsize m = 0; *is_causal && m < n_matrices; m++)
    for (gsize i = 0; *is_causal && i + 1 < n; i += step)
      {
        if (!attn_array_read (recording->weights, (m * n + i) * n, n, row, error))
          return FALSE;
        for (gsize k = i + 1; k < n; k++)
          *is_causal = *is_causal && row[k] == 0.0f;
      }
  return TRUE;
}

/* Tells whether queries and keys are of two sequences (cross-attention): they must be if their
 * numbers differ. */
static gboolean
is_cross (const AttnRecording *recording)
{
  return recording->query != NULL && recording->n_keys != recording->model.info.n_positions;
}

/* Sets whether the recording is causal: as “causal” in the file says; else as the weights look;
 * else, with queries and keys alone, causal unless they are of two sequences. */
static gboolean
find_mask (AttnRecording  *recording,
           GError        **error)
{
  static const char * const names[] = { "causal", "is_causal", NULL };
  const AttnArray *array = find_array (recording->file, names);
  const char *text = attn_array_file_get_metadata (recording->file, "causal");
  gboolean *is_causal = &recording->model.info.is_causal;
  gsize n_queries = recording->model.info.n_positions;
  float value = 1;

  if (text != NULL)
    value = g_ascii_strcasecmp (text, "true") == 0 || g_str_equal (text, "1");
  else if (array == NULL || attn_array_get_n_elements (array) != 1)
    {
      *is_causal = !is_cross (recording);
      return recording->weights == NULL || looks_causal (recording, is_causal, error);
    }
  else if (!attn_array_read (array, 0, 1, &value, error))
    return FALSE;
  *is_causal = value != 0.0f;
  /* A causal mask, in which a query sees the keys up to itself, makes sense only if keys and
   * queries are the same tokens. */
  if (!*is_causal || n_queries == recording->n_keys)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_SHAPE,
                    _("%s: “causal” found with %zu queries x %zu keys, expected as many keys as "
                      "queries"),
                    attn_array_file_get_path (recording->file), n_queries,
                    recording->n_keys);
}

/* Loads the labels of queries or keys. @own: a name that is tried before @names. If the user chose
 * one array of several, labels in another number than @n_labels are of another array and are
 * skipped. */
static char **
load_side (const AttnRecording  *recording,
           const char           *own,
           const char * const   *names,
           gsize                 n_labels,
           GError              **error)
{
  const char *all[G_N_ELEMENTS (query_label_names) + 1] = { own };

  gsize n = 1;

  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_auto (GStrv) labels = attn_array_file_dup_labels (recording->file, names[i]);

      if (labels == NULL || attn_array_file_get_selected (recording->file) == NULL ||
          g_strv_length (labels) == n_labels)
        all[n++] = names[i];
    }
  return attn_recording_load_labels (recording->file, recording->model.path, all, n_labels, error);
}

/* Loads the labels of queries and keys. The command `compute` writes those of weights as
 * “NAME_rows” and “NAME_columns”, and those of queries, keys and values as VECTOR_LABELS, which
 * label both sides of the weights, except in cross-attention. */
static gboolean
load_labels (AttnRecording  *recording,
             GError        **error)
{
  const char *name = recording->weights != NULL ? recording->weights->name : "";
  g_autofree char *rows =
      recording->weights != NULL ? g_strconcat (name, "_rows", NULL) : g_strdup (VECTOR_LABELS);
  g_autofree char *columns = recording->query != NULL && !is_cross (recording)
                                 ? g_strdup (VECTOR_LABELS)
                                 : g_strconcat (name, "_columns", NULL);

  gsize n_tokens = recording->model.info.n_positions;
  g_auto (GStrv) labels = load_side (recording, rows, query_label_names, n_tokens, error);
  if (labels == NULL)
    return FALSE;
  g_autofree guint32 *ids = g_new (guint32, n_tokens);
  for (gsize i = 0; i < n_tokens; i++)
    ids[i] = (guint32) i;
  recording->model.recorded_tokens = attn_tokens_new_from_ids (ids, n_tokens, labels);
  recording->model.recorded_keys =
      load_side (recording, columns, key_label_names, recording->n_keys, error);
  return recording->model.recorded_keys != NULL;
}

static void
clear_recording (AttnModel *model)
{
  AttnRecording *recording = (AttnRecording *) model;

  g_clear_pointer (&recording->stacked, attn_array_free);
  g_clear_pointer (&recording->file, attn_array_file_unref);
}

static const AttnModelClass recording_class = {
  .clear = clear_recording,
  .run = attn_recording_run,
  .read_rows = attn_recording_read_rows,
};

/* -- Statistics over many texts -- */

/* Sets *n to one more than the last number of the array @name, which lists layers or heads in
 * rising order. Fails without such an array. */
static gboolean
count_numbers (const AttnRecording  *recording,
               const char           *name,
               gsize                *n,
               GError              **error)
{
  const AttnArray *array = attn_array_file_lookup (recording->file, name);
  gsize n_elements = array != NULL ? attn_array_get_n_elements (array) : 0;
  float last = 0;

  if (n_elements == 0 || !is_numeric (array) ||
      !attn_array_read (array, n_elements - 1, 1, &last, NULL) || !(last >= 0 && last < 1 << 16))
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: no “%s” found, expected what a survey writes"),
                      attn_array_file_get_path (recording->file), name);
  *n = (gsize) last + 1;
  return TRUE;
}

static gboolean
load_survey (AttnRecording  *recording,
             GError        **error)
{
  AttnModelInfo *info = &recording->model.info;
  const AttnArray *conditions = attn_array_file_lookup (recording->file, "conditions");
  const guint32 id = 0;

  info->n_surveyed = conditions != NULL ? MAX (attn_array_get_n_elements (conditions), 1) : 1;
  info->n_positions = 1;
  recording->model.recorded_tokens = attn_tokens_new_from_ids (&id, 1, NULL);
  recording->model.recorded_keys = g_new0 (char *, 1);
  if (!count_numbers (recording, "layers", &info->n_layers, error) ||
      !count_numbers (recording, "heads", &info->n_heads, error))
    return FALSE;
  info->n_key_heads = info->n_heads;
  return TRUE;
}

static gboolean
load (AttnRecording             *recording,
      const AttnModelReference  *reference,
      GError                   **error)
{
  recording->file = attn_model_reference_load_arrays (reference, error);
  if (recording->file == NULL)
    return FALSE;
  if (reference->array == NULL &&
      attn_array_file_get_metadata (recording->file, "survey") != NULL)
    return load_survey (recording, error);
  return find_arrays (recording, error) &&
         (recording->query == NULL || check_vectors (recording, error)) &&
         (recording->weights == NULL || check_weights (recording, error)) &&
         check_sizes (recording, error) && find_mask (recording, error) &&
         load_labels (recording, error) && attn_recording_load_picture (recording, error);
}

/* Fills in the members of #AttnModelInfo that follow from the sizes and arrays of the recording. */
static void
fill_info (AttnRecording *recording)
{
  const AttnArray *first = recording->weights != NULL ? recording->weights : recording->query;
  static const char * const attentions[] = { "text", NULL };
  static const char * const cross[] = { "cross", NULL };
  AttnModelInfo *info = &recording->model.info;

  info->family = info->n_surveyed > 0 ? "survey" : "recording";
  info->width = info->n_heads * info->head_width;
  info->vocabulary_size = info->n_positions;
  info->position_scheme = "none";
  info->dtype = attn_dtype_get_name (first != NULL ? first->dtype : ATTN_DTYPE_F64);
  info->attentions = is_cross (recording) ? cross : attentions;
  info->attention = info->attentions[0];
  info->is_recording = TRUE;
  /* The number of keys is set only for a recording with queries and keys; with weights alone,
   * nothing is computed from keys. */
  recording->model.n_keys = is_cross (recording) ? recording->n_keys : 0;
  info->is_probe =
      first != NULL && first->n_dims == 2 &&
      attn_array_file_get_metadata (recording->file, ATTN_MODEL_REFERENCE_PROBE) != NULL;
  info->is_matrix = info->is_probe || (first != NULL && first->n_dims == 2 &&
                                       find_only_array (recording->file) == first);
  info->has_queries_and_keys = recording->query != NULL;
  attn_model_count_arrays (&recording->model, recording->file);
  recording->model.n_rules = 1;
  recording->model.rules = g_new0 (AttnScoreRules, 1);
  recording->model.rules->factor = (float) (1.0 / sqrt ((double) MAX (info->head_width, 1)));
  recording->model.rules->is_causal = info->is_causal;
}

/**
 * attn_recording_open:
 * @reference: to a file of arrays, or to one array in it
 * @error: return location: errors of [func@attn_model_reference_load_arrays], %ATTN_ERROR_FORMAT
 *   for a file without attention, %ATTN_ERROR_AMBIGUOUS for a file of several arrays, any of which
 *   can be meant, %ATTN_ERROR_SHAPE for arrays or labels that do not fit each other
 *
 * The file has attention weights in an array "attention" (or "weights", "pattern"), [L, H, T, S] or
 * the last three or two of these dimensions; or in its only array; or in an array for each layer,
 * "arr_0", "arr_1", …. Or it has "query" [L, H, T, d] and "key" [L, Hk, S, d], with or without
 * "value" [L, Hk, S, e]. A dimension of 1 behind the layers is a batch. S ≠ T makes keys and values
 * those of another sequence: a cross-attention, which has no mask. If there are as many keys as
 * queries, a boolean "causal" says whether a query sees only keys up to itself; without it the
 * weights tell, and queries and keys alone are taken for causal. An “image” and a “grid”, its rows
 * and columns of patches, make the last keys patches of that picture.
 *
 * Returns: (transfer full) (nullable): an #AttnRecording; the arrays stay in the mapped file
 */
AttnModel *
attn_recording_open (const AttnModelReference  *reference,
                     GError                   **error)
{
  const char *path = reference->path;
  AttnRecording *recording = g_new0 (AttnRecording, 1);
  g_autoptr (AttnModel) model = attn_model_init (&recording->model, &recording_class);
  g_autofree char *base = g_path_get_basename (path);
  char *dot = strrchr (base, '.');

  model->path = g_strdup (path);
  if (!load (recording, reference, error))
    return NULL;
  model->fingerprint = attn_fingerprint_compute (NULL, path, N_HEADER_BYTES, error);
  if (model->fingerprint == NULL)
    return NULL;
  if (dot != NULL && dot > base)
    *dot = '\0';
  model->name = g_filename_display_name (base);
  if (reference->array != NULL)
    {
      char *name = g_strconcat (model->name, ":", reference->array, NULL);

      g_free (model->name);
      model->name = name;
    }
  fill_info (recording);
  return g_steal_pointer (&model);
}
