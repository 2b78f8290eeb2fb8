/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-model.h"

#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-checkpoint.h"
#include "attn-error.h"
#include "attn-fingerprint.h"
#include "attn-forward.h"
#include "attn-gguf.h"
#include "attn-model-private.h"
#include "attn-recording.h"

/**
 * AttnModel:
 *
 * Immutable but for the tokenizer, which is loaded by the first who asks. Reference-counted; any
 * thread may use it.
 */
struct _AttnModel
{
  gatomicrefcount ref_count;
  char *path; /* of the directory, or of the GGUF file */
  char *name;
  char *fingerprint;
  AttnConfig config;
  AttnWeights *weights;
  AttnRecording *recording; /* instead of weights */
  AttnModelInfo info;

  GMutex lock; /* of what follows */
  AttnTokenizer *tokenizer;
  GError *tokenizer_error;
  gboolean has_tried_tokenizer;
};

static void
fill_info (AttnModel           *model,
           const AttnArrayFile *file)
{
  const AttnConfig *config = &model->config;
  AttnModelInfo *info = &model->info;

  info->has_queries_and_keys = TRUE;
  info->family = config->family->model_type;
  info->n_layers = config->n_layers;
  info->n_heads = config->n_heads;
  info->n_key_heads = config->n_key_heads;
  info->head_width = config->head_width;
  info->width = config->width;
  info->inner_width = config->inner_width;
  info->n_positions = config->n_positions;
  info->vocabulary_size = config->vocabulary_size;
  info->is_causal = config->is_causal;
  info->has_query_key_norm = attn_config_has_role (config, ATTN_ROLE_QUERY_NORM_SCALE);
  info->has_rotary = config->rope.width > 0;
  info->position_scheme = attn_config_get_position_scheme (config);
  info->dtype = attn_dtype_get_name (attn_weights_get (model->weights, ATTN_ROLE_OUTPUT, 0)->dtype);
  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (file, i);

      info->n_parameters += attn_array_get_n_elements (array);
      info->n_bytes += g_bytes_get_size (array->bytes);
    }
}

static char *
compute_fingerprint (const AttnCheckpoint  *checkpoint,
                     const AttnArrayFile   *file,
                     char                 **weights_paths,
                     GError               **error)
{
  const AttnGgufMetadata *metadata = attn_array_file_get_gguf (file);

  if (checkpoint->config_path == NULL)
    return attn_fingerprint_compute_gguf (
        checkpoint->weights_path, attn_gguf_metadata_get_n_header_bytes (metadata), error);
  return attn_fingerprint_compute (checkpoint->config_path, (const char * const *) weights_paths,
                                   error);
}

/* What the trace asks of a configuration, for arrays. */
static const AttnFamily recording_family = { .model_type = "recording" };

/* Bytes of an array file, beside a sample of the rest, that its fingerprint depends on. */
#define N_RECORDING_HEADER_BYTES 128

static void
fill_recording_info (AttnModel *model)
{
  const AttnRecording *recording = model->recording;
  const AttnArray *first =
      recording->weights != NULL ? recording->weights : recording->query;
  AttnConfig *config = &model->config;
  AttnModelInfo *info = &model->info;

  config->family = &recording_family;
  config->n_layers = info->n_layers = recording->n_layers;
  config->n_heads = info->n_heads = recording->n_heads;
  config->n_key_heads = info->n_key_heads = recording->n_key_heads;
  config->head_width = info->head_width = recording->head_width;
  config->width = info->width = recording->n_heads * recording->head_width;
  config->n_positions = info->n_positions = recording->n_queries;
  config->vocabulary_size = info->vocabulary_size = recording->n_queries;
  config->is_causal = info->is_causal = recording->is_causal;
  config->query_scalar = MAX (recording->head_width, 1);
  info->family = recording_family.model_type;
  info->position_scheme = "none";
  info->dtype = attn_dtype_get_name (first->dtype);
  info->is_recording = TRUE;
  info->has_queries_and_keys = recording->query != NULL;
  for (gsize i = 0; i < attn_array_file_get_n_arrays (recording->file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (recording->file, i);

      info->n_parameters += attn_array_get_n_elements (array);
      info->n_bytes += g_bytes_get_size (array->bytes);
    }
}

static gboolean
open_recording (AttnModel   *model,
                const char  *path,
                GError     **error)
{
  g_autofree char *base = g_path_get_basename (path);
  char *dot = strrchr (base, '.');

  model->recording = attn_recording_load (path, error);
  if (model->recording == NULL)
    return FALSE;
  model->fingerprint = attn_fingerprint_compute_gguf (path, N_RECORDING_HEADER_BYTES, error);
  if (model->fingerprint == NULL)
    return FALSE;
  if (dot != NULL && dot > base)
    *dot = '\0';
  model->path = g_strdup (path);
  model->name = g_filename_display_name (base);
  fill_recording_info (model);
  return TRUE;
}

/**
 * attn_model_open:
 * @path: a checkpoint directory in the layout of Hugging Face, its config.json, a file of its
 *   weights or their index, a model's folder in the Hugging Face cache, a GGUF file, or an array
 *   file that holds what a forward pass left, see [func@attn_recording_load]
 * @error: return location: #GFileError, %ATTN_ERROR_UNSUPPORTED for a family or a kind of weights
 *   that is not supported, %ATTN_ERROR_FORMAT, %ATTN_ERROR_SHAPE and %ATTN_ERROR_LIMIT for files
 *   that break their rules or do not fit each other
 *
 * Maps the weights and checks every name and shape; reads none of them but a sample for the
 * fingerprint.
 *
 * Returns: (transfer full) (nullable): the model
 */
AttnModel *
attn_model_open (const char  *path,
                 GError     **error)
{
  g_autoptr (AttnModel) model = g_new0 (AttnModel, 1);
  g_auto (GStrv) weights_paths = NULL;

  g_atomic_ref_count_init (&model->ref_count);
  g_mutex_init (&model->lock);
  if (attn_recording_is_file (path))
    return open_recording (model, path, error) ? g_steal_pointer (&model) : NULL;

  g_autoptr (AttnCheckpoint) checkpoint = attn_checkpoint_find (path, error);
  if (checkpoint == NULL || (checkpoint->config_path != NULL &&
                             !attn_config_load (checkpoint->config_path, &model->config, error)))
    return NULL;

  g_autoptr (AttnArrayFile) file = attn_checkpoint_load (checkpoint, &weights_paths, error);
  if (file == NULL || (checkpoint->config_path == NULL &&
                       !attn_config_load_gguf (file, &model->config, error)))
    return NULL;
  model->weights = attn_weights_new (file, &model->config, error);
  if (model->weights == NULL)
    return NULL;
  model->fingerprint = compute_fingerprint (checkpoint, file, weights_paths, error);
  if (model->fingerprint == NULL)
    return NULL;
  model->path =
      g_strdup (model->config.is_gguf ? checkpoint->weights_path : checkpoint->directory);
  model->name = g_strdup (checkpoint->name);
  fill_info (model, file);
  return g_steal_pointer (&model);
}

/**
 * attn_model_is_array_file:
 * @path: of a file
 *
 * Returns: whether [func@attn_model_open] takes it for a recording; looks into a safetensors file
 *   that lies beside a config.json
 */
gboolean
attn_model_is_array_file (const char *path)
{
  return attn_recording_is_file (path);
}

AttnModel *
attn_model_ref (AttnModel *model)
{
  g_atomic_ref_count_inc (&model->ref_count);
  return model;
}

void
attn_model_unref (AttnModel *model)
{
  if (!g_atomic_ref_count_dec (&model->ref_count))
    return;
  g_clear_pointer (&model->tokenizer, attn_tokenizer_unref);
  g_clear_error (&model->tokenizer_error);
  attn_weights_free (model->weights);
  attn_recording_free (model->recording);
  attn_config_clear (&model->config);
  g_mutex_clear (&model->lock);
  g_free (model->fingerprint);
  g_free (model->name);
  g_free (model->path);
  g_free (model);
}

/**
 * attn_model_get_path:
 *
 * Returns: (transfer none): the checkpoint's directory, as it was given or as the cache places it,
 *   or the GGUF file
 */
const char *
attn_model_get_path (const AttnModel *model)
{
  return model->path;
}

/**
 * attn_model_get_name:
 *
 * Returns: (transfer none): the directory's own name, or the model's in the Hugging Face cache, or
 *   that of the GGUF file without the suffix; valid UTF-8
 */
const char *
attn_model_get_name (const AttnModel *model)
{
  return model->name;
}

/**
 * attn_model_get_fingerprint:
 *
 * Returns: (transfer none): 64 hexadecimal digits that change with the checkpoint's contents; see
 *   [func@attn_fingerprint_compute]
 */
const char *
attn_model_get_fingerprint (const AttnModel *model)
{
  return model->fingerprint;
}

const AttnModelInfo *
attn_model_get_info (const AttnModel *model)
{
  return &model->info;
}

/**
 * attn_model_get_window:
 * @layer: below the number of layers
 *
 * Returns: w, if query i of @layer sees keys i - w + 1 to i only (sliding window attention); 0 if
 *   it sees all that causality leaves it
 */
gsize
attn_model_get_window (const AttnModel *model,
                       gsize            layer)
{
  g_return_val_if_fail (layer < model->config.n_layers, 0);

  return attn_config_get_window (&model->config, layer);
}

const AttnConfig *
attn_model_get_config (const AttnModel *model)
{
  return &model->config;
}

const AttnWeights *
attn_model_get_weights (const AttnModel *model)
{
  return model->weights;
}

const AttnRecording *
attn_model_get_recording (const AttnModel *model)
{
  return model->recording;
}

/**
 * attn_model_dup_recorded_tokens:
 *
 * Returns: (transfer full) (nullable): the query tokens of a recording, numbered from 0; %NULL for
 *   a model
 */
AttnTokens *
attn_model_dup_recorded_tokens (const AttnModel *model)
{
  const AttnRecording *recording = model->recording;

  if (recording == NULL)
    return NULL;
  g_autofree guint32 *ids = g_new (guint32, recording->n_queries);
  for (gsize i = 0; i < recording->n_queries; i++)
    ids[i] = i;
  return attn_tokens_new_from_ids (ids, recording->n_queries, recording->query_labels);
}

/**
 * attn_model_get_recorded_keys:
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1): the labels of all keys of a
 *   recording; %NULL for a model
 */
const char * const *
attn_model_get_recorded_keys (const AttnModel *model)
{
  return model->recording != NULL ? (const char * const *) model->recording->key_labels : NULL;
}

static gboolean
check_tokenizer (const AttnModel  *model,
                 GError          **error)
{
  if (model->recording != NULL)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
                   _("%s: recorded arrays found, expected a model with a tokenizer"), model->path);
      return FALSE;
    }
  if (attn_tokenizer_exists (model->path))
    return TRUE;
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
               _("%s: no tokenizer found, expected a tokenizer.json or token ids as input"),
               model->path);
  return FALSE;
}

/**
 * attn_model_get_tokenizer:
 * @error: return location: errors of [func@attn_tokenizer_load]
 *
 * Loads the tokenizer when it is first asked for, and remembers the outcome either way. Any thread
 * may call.
 *
 * Returns: (transfer none) (nullable): the tokenizer, or %NULL if the checkpoint has none or a bad
 *   one; the model works with token ids all the same
 */
const AttnTokenizer *
attn_model_get_tokenizer (const AttnModel  *model,
                          GError          **error)
{
  AttnModel *self = (AttnModel *) model;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (!self->has_tried_tokenizer)
    {
      if (check_tokenizer (self, &self->tokenizer_error))
        self->tokenizer = attn_tokenizer_load (self->path, &self->tokenizer_error);
      self->has_tried_tokenizer = TRUE;
    }
  if (self->tokenizer == NULL && error != NULL)
    *error = g_error_copy (self->tokenizer_error);
  return self->tokenizer;
}

/**
 * attn_model_outline_tokenizer:
 * @outline: (out caller-allocates): what [func@attn_model_get_tokenizer] returns, or would return
 * @error: return location: errors of [func@attn_tokenizer_outline]
 *
 * Does not load a tokenizer that nobody has asked for. Any thread may call.
 */
gboolean
attn_model_outline_tokenizer (const AttnModel       *model,
                              AttnTokenizerOutline  *outline,
                              GError               **error)
{
  AttnModel *self = (AttnModel *) model;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (!self->has_tried_tokenizer)
    return check_tokenizer (model, error) && attn_tokenizer_outline (model->path, outline, error);
  if (self->tokenizer == NULL)
    {
      g_propagate_error (error, g_error_copy (self->tokenizer_error));
      return FALSE;
    }
  outline->kind = attn_tokenizer_get_kind (self->tokenizer);
  outline->size = attn_tokenizer_get_size (self->tokenizer);
  return TRUE;
}

/**
 * attn_model_check_ids:
 * @ids: (array length=n_ids): token ids
 * @error: return location for %ATTN_ERROR_LIMIT: no token, more than the model has positions, or an
 *   id beyond the vocabulary
 *
 * Returns: whether the model can take the input
 */
gboolean
attn_model_check_ids (const AttnModel  *model,
                      const guint32    *ids,
                      gsize             n_ids,
                      GError          **error)
{
  const AttnConfig *config = &model->config;

  if (n_ids == 0 || n_ids > config->n_positions)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT,
                   _("input: %zu tokens found, expected 1 to %zu, the positions of the model"),
                   n_ids, config->n_positions);
      return FALSE;
    }
  for (gsize i = 0; i < n_ids; i++)
    if (ids[i] >= config->vocabulary_size)
      {
        g_set_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT,
                     _("input: token id %u found at position %zu, expected 0 to %zu"),
                     ids[i], i, config->vocabulary_size - 1);
        return FALSE;
      }
  return TRUE;
}

/**
 * attn_model_estimate_memory:
 * @n_tokens: length of an input
 *
 * Returns: the bytes that a forward pass over @n_tokens takes beyond the mapped weights:
 *   activations, the residual stream of every layer and the scores and weights of all heads of one
 *   layer. Grows with the square of @n_tokens. %G_MAXSIZE if that is more than fits.
 */
gsize
attn_model_estimate_memory (const AttnModel *model,
                            gsize            n_tokens)
{
  const AttnConfig *config = &model->config;
  gsize n_bytes = model->recording == NULL ? attn_forward_estimate (model, n_tokens) : 0;
  gsize n_residual = 0;
  gsize n_weights = 0;

  if (!g_size_checked_mul (&n_residual, config->n_layers * sizeof (float) * config->width,
                           n_tokens) ||
      !g_size_checked_mul (&n_weights, n_tokens, n_tokens) ||
      !g_size_checked_mul (&n_weights, n_weights, 2 * sizeof (float) * config->n_heads) ||
      !g_size_checked_add (&n_bytes, n_bytes, n_residual) ||
      !g_size_checked_add (&n_bytes, n_bytes, n_weights))
    return G_MAXSIZE;
  return n_bytes;
}

/**
 * attn_model_get_families:
 *
 * Returns: (transfer none) (array zero-terminated=1): the families that can be opened
 */
const char * const *
attn_model_get_families (void)
{
  return attn_family_get_names ();
}
