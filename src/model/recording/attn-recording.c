/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-recording.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-attention.h"
#include "attn-error.h"
#include "attn-recording-labels.h"
#include "attn-threads.h"
#include "attn-trace-private.h"

/* Rows of a matrix that are looked at to find out whether it is causal. */
#define N_SAMPLED_ROWS 16

/* What an array may be called, in any case. What `compute` writes comes first. */
static const char * const weights_names[] = {
  "weights", "attention", "attentions", "attn", "pattern", NULL
};
static const char * const query_names[] = { "query", "queries", "q", NULL };
static const char * const key_names[] = { "key", "keys", "k", NULL };
static const char * const value_names[] = { "value", "values", "v", NULL };

/* What `compute` calls the tokens of queries, keys or values. */
#define VECTOR_LABELS "token_labels"

/* What tokens may be called, best first. */
static const char * const query_label_names[] = {
  "query_labels", "query_tokens", "row_labels", VECTOR_LABELS, "tokens", "labels", NULL
};
static const char * const key_label_names[] = {
  "key_labels", "key_tokens", "column_labels", "tokens", "labels", NULL
};

/* The only array of a file may have no name of its own. */
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

/* The array of a file that holds only one, whatever it is called. */
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

static void
find_arrays (AttnRecording *recording)
{
  recording->weights = find_array (recording->file, weights_names);
  recording->query = find_array (recording->file, query_names);
  recording->key = find_array (recording->file, key_names);
  recording->value = find_array (recording->file, value_names);
  if (recording->query == NULL || recording->key == NULL)
    recording->query = recording->key = recording->value = NULL;
  if (recording->weights == NULL && recording->query == NULL)
    recording->weights = find_only_array (recording->file);
}

/**
 * attn_recording_is_file:
 * @path: what was given for a model
 *
 * Returns: whether it is an array file and no part of a checkpoint: by its suffix, or a safetensors
 *   file that holds attention, or that has no config.json beside it
 */
gboolean
attn_recording_is_file (const char *path)
{
  static const char * const suffixes[] = { ".npy", ".npz", ".csv", ".tsv" };
  g_autofree char *lower = g_ascii_strdown (path, -1);
  g_autofree char *directory = g_path_get_dirname (path);
  g_autofree char *config = g_build_filename (directory, "config.json", NULL);

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
    if (g_str_has_suffix (lower, suffixes[i]))
      return TRUE;
  if (!g_str_has_suffix (lower, ".safetensors"))
    return FALSE;
  if (!g_file_test (config, G_FILE_TEST_EXISTS))
    return TRUE;

  g_autoptr (AttnArrayFile) file = attn_array_file_load (path, NULL);
  return file != NULL && (find_array (file, weights_names) != NULL ||
                          (find_array (file, query_names) != NULL &&
                           find_array (file, key_names) != NULL));
}

/* The sizes of an array as [L, H, T, x]: what is missing in front is 1, and a batch of one behind
 * the layers is passed over. */
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
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_SHAPE,
                   _("%s: “%s” of shape %s found, expected [layers, heads, queries, keys], the "
                     "last three of them or the last two"),
                   attn_array_file_get_path (recording->file), get_name (recording, array), shape);
      return FALSE;
    }
  for (gsize i = 0; i < 4; i++)
    sizes[i] = i + n_dims >= 4 ? all[i + n_dims - 4] : 1;
  return TRUE;
}

static gboolean
fail_shapes (const AttnRecording  *recording,
             const AttnArray      *a,
             const AttnArray      *b,
             GError              **error)
{
  g_autofree char *first = attn_shape_to_string (a->n_dims, a->shape);
  g_autofree char *second = attn_shape_to_string (b->n_dims, b->shape);

  g_set_error (error, ATTN_ERROR, ATTN_ERROR_SHAPE,
               _("%s: “%s” of shape %s and “%s” of shape %s found, expected shapes of one forward "
                 "pass"),
               attn_array_file_get_path (recording->file), get_name (recording, a), first,
               get_name (recording, b), second);
  return FALSE;
}

/* [L, H, T, d] and [L, Hk, T, d] */
static gboolean
check_vectors (AttnRecording  *recording,
               GError        **error)
{
  gsize query[4];
  gsize key[4];
  gsize value[4];

  if (!get_sizes (recording, recording->query, query, error) ||
      !get_sizes (recording, recording->key, key, error) ||
      (recording->value != NULL && !get_sizes (recording, recording->value, value, error)))
    return FALSE;
  if (query[0] != key[0] || query[1] % key[1] != 0 || query[2] != key[2] || query[3] != key[3])
    return fail_shapes (recording, recording->query, recording->key, error);
  if (recording->value != NULL && memcmp (key, value, 3 * sizeof *key) != 0)
    return fail_shapes (recording, recording->key, recording->value, error);
  recording->n_layers = query[0];
  recording->n_heads = query[1];
  recording->n_key_heads = key[1];
  recording->n_queries = recording->n_keys = query[2];
  recording->head_width = query[3];
  return TRUE;
}

static gboolean
check_weights (AttnRecording  *recording,
               GError        **error)
{
  gsize sizes[4];

  if (!get_sizes (recording, recording->weights, sizes, error))
    return FALSE;
  if (recording->query != NULL &&
      (sizes[0] != recording->n_layers || sizes[1] != recording->n_heads ||
       sizes[2] != recording->n_queries || sizes[3] != recording->n_keys))
    return fail_shapes (recording, recording->query, recording->weights, error);
  recording->n_layers = sizes[0];
  recording->n_heads = sizes[1];
  recording->n_queries = sizes[2];
  recording->n_keys = sizes[3];
  if (recording->query == NULL)
    recording->n_key_heads = sizes[1];
  return TRUE;
}

static gboolean
check_sizes (const AttnRecording  *recording,
             GError              **error)
{
  const gsize sizes[] = { recording->n_layers, recording->n_heads, recording->n_queries,
                          recording->n_keys, recording->head_width };

  /* Every size fits an int of the matrix products, their products a gsize. */
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    if (sizes[i] > G_MAXINT32 / 64)
      {
        g_set_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT,
                     _("%s: a dimension of %zu found, expected at most %d"),
                     attn_array_file_get_path (recording->file), sizes[i], G_MAXINT32 / 64);
        return FALSE;
      }
  return TRUE;
}

/* Whether all that lies above the diagonal is exactly 0, in a sample of the rows of each matrix. */
static gboolean
looks_causal (const AttnRecording  *recording,
              gboolean             *is_causal,
              GError              **error)
{
  gsize n = recording->n_keys;
  gsize n_matrices = recording->n_layers * recording->n_heads;
  gsize step = MAX (recording->n_queries / N_SAMPLED_ROWS, 1);
  g_autofree float *row = g_new (float, n);

  *is_causal = recording->n_queries == n && n > 1;
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

/* What the file says of itself, else what the weights look like, else causal. */
static gboolean
find_mask (AttnRecording  *recording,
           GError        **error)
{
  static const char * const names[] = { "causal", "is_causal", NULL };
  const AttnArray *array = find_array (recording->file, names);
  const char *text = attn_array_file_get_metadata (recording->file, "causal");
  float value;

  recording->is_causal = TRUE;
  if (text != NULL)
    {
      recording->is_causal = g_ascii_strcasecmp (text, "true") == 0 || g_str_equal (text, "1");
      return TRUE;
    }
  if (array != NULL && attn_array_get_n_elements (array) == 1)
    {
      if (!attn_array_read (array, 0, 1, &value, error))
        return FALSE;
      recording->is_causal = value != 0.0f;
      return TRUE;
    }
  return recording->weights == NULL || looks_causal (recording, &recording->is_causal, error);
}

/* @own: looked for before @names. */
static char **
load_side (const AttnRecording  *recording,
           const char           *own,
           const char * const   *names,
           gsize                 n_labels,
           GError              **error)
{
  const char *all[G_N_ELEMENTS (query_label_names) + 1] = { own };

  for (gsize i = 0; names[i] != NULL; i++)
    all[i + 1] = names[i];
  return attn_recording_load_labels (recording->file, all, n_labels, error);
}

/* A panel that `compute` writes has its labels under its own name; what it writes beside queries or
 * keys are the labels of both sides of the weights, but of no column where these are alone. */
static gboolean
load_labels (AttnRecording  *recording,
             GError        **error)
{
  const char *name = recording->weights != NULL ? recording->weights->name : "";
  g_autofree char *rows =
      recording->weights != NULL ? g_strconcat (name, "_rows", NULL) : g_strdup (VECTOR_LABELS);
  g_autofree char *columns = recording->query != NULL ? g_strdup (VECTOR_LABELS)
                                                      : g_strconcat (name, "_columns", NULL);

  recording->query_labels =
      load_side (recording, rows, query_label_names, recording->n_queries, error);
  if (recording->query_labels == NULL)
    return FALSE;
  recording->key_labels =
      load_side (recording, columns, key_label_names, recording->n_keys, error);
  return recording->key_labels != NULL;
}

static gboolean
fail_names (const AttnRecording  *recording,
            GError              **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  gsize n_arrays = attn_array_file_get_n_arrays (recording->file);

  for (gsize i = 0; i < MIN (n_arrays, 8); i++)
    g_string_append_printf (names, "%s“%s”", i > 0 ? ", " : "",
                            get_name (recording, attn_array_file_get_nth (recording->file, i)));
  g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
               _("%s: %zu arrays found (%s%s), expected “attention”, or “query” and “key”, or one "
                 "array only"),
               attn_array_file_get_path (recording->file), n_arrays, names->str,
               n_arrays > 8 ? ", …" : "");
  return FALSE;
}

/**
 * attn_recording_load:
 * @path: a file of arrays
 * @error: return location: errors of [func@attn_array_file_load], %ATTN_ERROR_FORMAT for a file
 *   without attention, %ATTN_ERROR_SHAPE for arrays or labels that do not fit each other
 *
 * "attention" (or "weights", "pattern"), [L, H, T, S] or the last three or two of these, or the
 * only array of the file; "query" and "key" [L, H, T, d] and [L, Hk, T, d], with or without
 * "value". A dimension of 1 behind the layers is a batch. A boolean "causal" says whether a query
 * sees only keys up to itself; without it the weights tell, and queries and keys are taken for
 * causal.
 *
 * Returns: (transfer full) (nullable): the recording; the arrays stay in the mapped file
 */
AttnRecording *
attn_recording_load (const char  *path,
                     GError     **error)
{
  g_autoptr (AttnRecording) recording = g_new0 (AttnRecording, 1);

  recording->file = attn_array_file_load (path, error);
  if (recording->file == NULL)
    return NULL;
  find_arrays (recording);
  if (recording->weights == NULL && recording->query == NULL)
    {
      fail_names (recording, error);
      return NULL;
    }
  if ((recording->query != NULL && !check_vectors (recording, error)) ||
      (recording->weights != NULL && !check_weights (recording, error)) ||
      !check_sizes (recording, error) || !find_mask (recording, error) ||
      !load_labels (recording, error))
    return NULL;
  return g_steal_pointer (&recording);
}

void
attn_recording_free (AttnRecording *recording)
{
  if (recording == NULL)
    return;
  g_clear_pointer (&recording->file, attn_array_file_unref);
  g_strfreev (recording->query_labels);
  g_strfreev (recording->key_labels);
  g_free (recording);
}

/* The first @n_rows x @n_columns of each of the @n_heads matrices [n_queries, width] of a layer. */
static AttnTensor *
read_layer (const AttnArray  *array,
            gsize             layer,
            gsize             n_heads,
            gsize             n_all_rows,
            gsize             n_all_columns,
            gsize             n_rows,
            gsize             n_columns,
            GError          **error)
{
  const gsize shape[] = { n_heads, n_rows, n_columns };
  g_autoptr (AttnTensor) tensor = attn_tensor_new (3, shape, error);

  for (gsize head = 0; tensor != NULL && head < n_heads; head++)
    {
      gsize first = (layer * n_heads + head) * n_all_rows * n_all_columns;
      float *out = tensor->data + head * n_rows * n_columns;
      /* Whole rows lie one behind the other. */
      gsize n_runs = n_columns == n_all_columns ? 1 : n_rows;
      gsize n_run = n_columns == n_all_columns ? n_rows * n_columns : n_columns;

      for (gsize i = 0; i < n_runs; i++)
        if (!attn_array_read (array, first + i * n_all_columns, n_run, out + i * n_run, error))
          return NULL;
    }
  return g_steal_pointer (&tensor);
}

static AttnTensor *
read_vectors (const AttnRecording  *recording,
              const AttnArray      *array,
              gsize                 n_heads,
              gsize                 layer,
              gsize                 n_tokens,
              GError              **error)
{
  gsize width = array->shape[array->n_dims - 1];

  return read_layer (array, layer, n_heads, recording->n_queries, width, n_tokens, width, error);
}

/* Whether something changes the queries, keys or values of the layer. */
static gboolean
is_changed (const AttnForward *forward,
            gsize              layer)
{
  for (guint i = 0; forward->interventions != NULL && i < forward->interventions->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (forward->interventions, i);

      if (attn_trace_can_change (intervention) &&
          attn_index_set_contains (intervention->layers, layer))
        return TRUE;
    }
  return FALSE;
}

static void
intervene (const AttnRecording *recording,
           const AttnForward   *forward,
           gsize                layer,
           AttnKept            *kept)
{
  static const AttnQuantity quantities[ATTN_N_COMPONENTS] = {
    [ATTN_COMPONENT_QUERY] = ATTN_QUANTITY_QUERY,
    [ATTN_COMPONENT_KEY] = ATTN_QUANTITY_KEY,
    [ATTN_COMPONENT_VALUE] = ATTN_QUANTITY_VALUE,
  };

  for (guint i = 0; forward->interventions != NULL && i < forward->interventions->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (forward->interventions, i);
      const AttnTensor *tensor = attn_kept_get (kept, quantities[intervention->component]);

      if (tensor == NULL || !attn_index_set_contains (intervention->layers, layer))
        continue;
      AttnVectors vectors = attn_vectors_wrap (tensor, recording->n_heads);
      attn_vectors_intervene (&vectors, intervention);
    }
}

/* What is to be computed from the queries and keys of a layer; whoever calls says what of it. */
static AttnAttention
make_attention (const AttnRecording *recording,
                const AttnForward   *forward,
                gsize                layer,
                const AttnKept      *kept,
                AttnTensor          *scratch,
                GCancellable        *cancellable)
{
  AttnAttention attention = {
    .query = attn_vectors_wrap (attn_kept_get (kept, ATTN_QUANTITY_QUERY), recording->n_heads),
    .key = attn_vectors_wrap (attn_kept_get (kept, ATTN_QUANTITY_KEY), recording->n_heads),
    .n_workers = attn_threads_get (),
    .scratch = scratch->data,
    .cancellable = cancellable,
  };

  attn_forward_set_rules (forward->model, layer, &attention);
  return attention;
}

/* Scores of all heads from queries and keys, and weights where none are there. */
static gboolean
multiply (const AttnRecording  *recording,
          const AttnForward    *forward,
          gsize                 layer,
          AttnKept             *kept,
          GCancellable         *cancellable,
          GError              **error)
{
  const gsize shape[] = { recording->n_heads, forward->n_ids, forward->n_ids };
  const gsize n_scratch = attn_attention_get_scratch (forward->n_ids, attn_threads_get ());
  g_autoptr (AttnTensor) scratch = attn_tensor_new (1, &n_scratch, error);
  AttnTensor **scores = attn_kept_place (kept, ATTN_QUANTITY_SCORES);
  AttnTensor **weights = attn_kept_place (kept, ATTN_QUANTITY_WEIGHTS);
  gboolean is_computed = *weights == NULL;

  if (scratch == NULL || (*scores = attn_tensor_new (3, shape, error)) == NULL ||
      (is_computed && (*weights = attn_tensor_new (3, shape, error)) == NULL))
    return FALSE;

  AttnAttention attention =
      make_attention (recording, forward, layer, kept, scratch, cancellable);
  attention.scores = *scores;
  attention.weights = is_computed ? *weights : NULL;
  attn_attention_run (&attention);
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}

/* Each row's weight on key 0 without the maps: [H, T]. */
static gboolean
find_first_column (const AttnRecording  *recording,
                   const AttnForward    *forward,
                   gsize                 layer,
                   const AttnKept       *kept,
                   float                *column,
                   GCancellable         *cancellable,
                   GError              **error)
{
  const gsize n_scratch = attn_attention_get_scratch (forward->n_ids, attn_threads_get ());

  if (recording->weights != NULL && !is_changed (forward, layer))
    {
      for (gsize head = 0; head < recording->n_heads; head++)
        for (gsize row = 0; row < forward->n_ids; row++)
          {
            gsize index = (layer * recording->n_heads + head) * recording->n_queries + row;

            if (!attn_array_read (recording->weights, index * recording->n_keys, 1,
                                  column + head * forward->n_ids + row, error))
              return FALSE;
          }
      return TRUE;
    }

  g_autoptr (AttnTensor) scratch = attn_tensor_new_unset (1, &n_scratch, error);
  if (scratch == NULL)
    return FALSE;
  AttnAttention attention =
      make_attention (recording, forward, layer, kept, scratch, cancellable);
  attention.first_column = column;
  attn_attention_run (&attention);
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}

static void
set_sink_scores_from_maps (const AttnRecording *recording,
                           const AttnKept      *kept,
                           float               *sink_scores)
{
  const AttnTensor *weights = attn_kept_get (kept, ATTN_QUANTITY_WEIGHTS);
  gsize n_rows = weights->shape[1];
  gsize n_columns = weights->shape[2];

  for (gsize head = 0; head < recording->n_heads; head++)
    {
      double sum = 0.0;

      for (gsize i = 0; i < n_rows; i++)
        sum += weights->data[(head * n_rows + i) * n_columns];
      sink_scores[head] = (float) (sum / (double) n_rows);
    }
}

static gboolean
set_sink_scores (const AttnRecording  *recording,
                 const AttnForward    *forward,
                 gsize                 layer,
                 const AttnKept       *kept,
                 float                *sink_scores,
                 GCancellable         *cancellable,
                 GError              **error)
{
  gsize n_rows = forward->n_ids;
  g_autofree float *column = g_new (float, recording->n_heads *n_rows);

  if (!find_first_column (recording, forward, layer, kept, column, cancellable, error))
    return FALSE;
  for (gsize head = 0; head < recording->n_heads; head++)
    {
      double sum = 0.0;

      for (gsize i = 0; i < n_rows; i++)
        sum += column[head * n_rows + i];
      sink_scores[head] = (float) (sum / (double) n_rows);
    }
  return TRUE;
}

/* Everything that was recorded of a layer, what the interventions make of it, and what follows. */
static gboolean
load_layer (const AttnRecording  *recording,
            const AttnForward    *forward,
            gsize                 layer,
            AttnKept             *kept,
            float                *sink_scores,
            GCancellable         *cancellable,
            GError              **error)
{
  gboolean has_maps = (forward->keep & (ATTN_QUANTITY_SCORES | ATTN_QUANTITY_WEIGHTS)) != 0;
  const struct
  {
    const AttnArray *array;
    AttnQuantity quantity;
    gsize n_heads;
  } vectors[] = {
    { recording->query, ATTN_QUANTITY_QUERY, recording->n_heads },
    { recording->key, ATTN_QUANTITY_KEY, recording->n_key_heads },
    { recording->value, ATTN_QUANTITY_VALUE, recording->n_key_heads },
  };
  gsize n_columns = recording->n_keys == recording->n_queries ? forward->n_ids : recording->n_keys;

  for (gsize i = 0; i < G_N_ELEMENTS (vectors); i++)
    if (vectors[i].array != NULL)
      {
        AttnTensor **place = attn_kept_place (kept, vectors[i].quantity);

        *place = read_vectors (recording, vectors[i].array, vectors[i].n_heads, layer,
                               forward->n_ids, error);
        if (*place == NULL)
          return FALSE;
      }
  intervene (recording, forward, layer, kept);
  if (!has_maps)
    return sink_scores == NULL || set_sink_scores (recording, forward, layer, kept, sink_scores,
                                                   cancellable, error);
  if (recording->weights != NULL && !is_changed (forward, layer))
    {
      AttnTensor **place = attn_kept_place (kept, ATTN_QUANTITY_WEIGHTS);

      *place = read_layer (recording->weights, layer, recording->n_heads, recording->n_queries,
                           recording->n_keys, forward->n_ids, n_columns, error);
      if (*place == NULL)
        return FALSE;
    }
  if (recording->query != NULL &&
      !multiply (recording, forward, layer, kept, cancellable, error))
    return FALSE;
  if (sink_scores != NULL)
    set_sink_scores_from_maps (recording, kept, sink_scores);
  return TRUE;
}

/* What changes a layer changes those above, which cannot be run. */
static gboolean
check_below (const AttnForward  *forward,
             gsize               layer,
             GError            **error)
{
  for (gsize below = 0; below < layer; below++)
    if (is_changed (forward, below))
      {
        g_set_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
                     _("%s: an intervention below the layer on display found, expected one in "
                       "that layer, since arrays hold no layers that could be run"),
                     attn_model_get_path (forward->model));
        return FALSE;
      }
  return TRUE;
}

/**
 * attn_recording_run:
 * @forward: what is asked for
 * @kept: [L], filled for the layers asked for with what was recorded of them
 * @sink_scores: (nullable): [L, H], filled for all layers
 * @error: return location: %ATTN_ERROR_UNSUPPORTED for logits and for interventions below a layer
 *   that is asked for, %ATTN_ERROR_MEMORY, %G_IO_ERROR_CANCELLED
 *
 * What [func@attn_forward_run] does for a model, with every layer standing for itself.
 */
gboolean
attn_recording_run (const AttnRecording  *recording,
                    const AttnForward    *forward,
                    AttnKept             *kept,
                    float                *sink_scores,
                    GCancellable         *cancellable,
                    GError              **error)
{
  if (forward->keep & ATTN_QUANTITY_LOGITS)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
                   _("%s: recorded arrays found, expected a model for the logits"),
                   attn_model_get_path (forward->model));
      return FALSE;
    }

  for (gsize layer = 0; layer < recording->n_layers; layer++)
    {
      gboolean is_kept = attn_index_set_contains (forward->layers, layer) &&
                         (forward->keep & ~ATTN_QUANTITY_RESIDUAL) != 0;
      AttnKept all = { 0 };
      /* Sink scores of layers that nobody asked for are looked for only where all layers are. */
      gboolean is_wanted = is_kept || forward->layers == NULL;

      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (!is_wanted)
        continue;
      if (!check_below (forward, layer, error))
        return FALSE;
      gboolean is_loaded = load_layer (
          recording, forward, layer, &all,
          sink_scores != NULL ? sink_scores + layer * recording->n_heads : NULL, cancellable,
          error);
      if (is_loaded && is_kept)
        for (gsize i = 0; i < ATTN_N_LAYER_QUANTITIES; i++)
          if (forward->keep & (1 << i))
            kept[layer].tensors[i] = g_steal_pointer (&all.tensors[i]);
      attn_kept_clear (&all);
      if (!is_loaded)
        return FALSE;
    }
  return TRUE;
}
