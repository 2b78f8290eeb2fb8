/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-model.h"

#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-fingerprint.h"
#include "attn-forward.h"
#include "attn-model-private.h"

/**
 * AttnModel:
 *
 * Immutable but for the tokenizer, which is loaded by the first who asks. Reference-counted; any
 * thread may use it.
 */
struct _AttnModel
{
  gatomicrefcount ref_count;
  char *path; /* of the directory */
  char *name;
  char *fingerprint;
  AttnConfig config;
  AttnWeights *weights;
  AttnModelInfo info;

  GMutex lock; /* of what follows */
  AttnTokenizer *tokenizer;
  GError *tokenizer_error;
  gboolean has_tried_tokenizer;
};

/* What a checkpoint may hold instead of one safetensors file, and what to do then. */
static void
fail_without_weights (const char  *directory,
                      const char  *wanted,
                      GError     **error)
{
  const struct
  {
    const char *name;
    const char *remedy;
  } others[] = {
    { "model.safetensors.index.json",
      N_("weights in several files found, expected one model.safetensors") },
    { "pytorch_model.bin",
      N_("pickled weights found, which can run code when they are read; expected model.safetensors "
          "(save the model with safe_serialization=True)") },
    { "pytorch_model.bin.index.json",
      N_("pickled weights found, which can run code when they are read; expected model.safetensors "
          "(save the model with safe_serialization=True)") },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autofree char *path = g_build_filename (directory, others[i].name, NULL);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        {
          g_set_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED, "%s: %s", path,
                       _(others[i].remedy));
          return;
        }
    }
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
               _("%s: no such file found, expected the weights of the checkpoint"), wanted);
}

/* From a directory or a file in it to the two files that a checkpoint needs. */
static gboolean
find_files (AttnModel   *model,
            const char  *path,
            char       **config_path,
            char       **weights_path,
            GError     **error)
{
  g_autofree char *name = NULL;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    model->path = g_strdup (path);
  else if (g_file_test (path, G_FILE_TEST_EXISTS))
    {
      model->path = g_path_get_dirname (path);
      name = g_path_get_basename (path);
    }
  else
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                   _("%s: no such file or directory found, expected a checkpoint"), path);
      return FALSE;
    }

  if (name != NULL && g_str_has_suffix (name, ".safetensors"))
    *weights_path = g_strdup (path);
  else
    *weights_path = g_build_filename (model->path, "model.safetensors", NULL);
  if (name != NULL && !g_str_has_suffix (name, ".safetensors") &&
      strcmp (name, "config.json") != 0 && !g_str_has_prefix (name, "pytorch_model.bin"))
    {
      g_set_error (
          error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
          _("%s: a file of another kind found, expected a checkpoint directory, its config.json "
            "or its model.safetensors"),
          path);
      return FALSE;
    }
  if (!g_file_test (*weights_path, G_FILE_TEST_EXISTS))
    {
      fail_without_weights (model->path, *weights_path, error);
      return FALSE;
    }
  *config_path = g_build_filename (model->path, "config.json", NULL);
  return TRUE;
}

/* The name of the directory, whatever dots and slashes the path ends in. */
static char *
make_name (const char *directory)
{
  g_autofree char *canonical = g_canonicalize_filename (directory, NULL);
  g_autofree char *base = g_path_get_basename (canonical);

  return g_filename_display_name (base);
}

static void
fill_info (AttnModel           *model,
           const AttnArrayFile *file)
{
  const AttnConfig *config = &model->config;
  AttnModelInfo *info = &model->info;

  info->family = config->family->model_type;
  info->n_layers = config->n_layers;
  info->n_heads = config->n_heads;
  info->n_key_heads = config->n_key_heads;
  info->head_width = config->head_width;
  info->width = config->width;
  info->inner_width = config->inner_width;
  info->n_positions = config->n_positions;
  info->vocabulary_size = config->vocabulary_size;
  info->is_causal = config->family->is_causal;
  info->position_scheme = config->family->position_scheme;
  info->dtype = attn_dtype_get_name (attn_weights_get (model->weights, ATTN_ROLE_QKV, 0)->dtype);
  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (file, i);

      info->n_parameters += attn_array_get_n_elements (array);
      info->n_bytes += g_bytes_get_size (array->bytes);
    }
}

/**
 * attn_model_open:
 * @path: a checkpoint directory in the layout of Hugging Face, or its config.json or
 *   model.safetensors
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
  g_autofree char *config_path = NULL;
  g_autofree char *weights_path = NULL;

  g_atomic_ref_count_init (&model->ref_count);
  g_mutex_init (&model->lock);
  if (!find_files (model, path, &config_path, &weights_path, error) ||
      !attn_config_load (config_path, &model->config, error))
    return NULL;

  g_autoptr (AttnArrayFile) file = attn_array_file_load (weights_path, error);
  if (file == NULL)
    return NULL;
  model->weights = attn_weights_new (file, &model->config, error);
  if (model->weights == NULL)
    return NULL;
  model->fingerprint = attn_fingerprint_compute (config_path, weights_path, error);
  if (model->fingerprint == NULL)
    return NULL;
  model->name = make_name (model->path);
  fill_info (model, file);
  return g_steal_pointer (&model);
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
  g_mutex_clear (&model->lock);
  g_free (model->fingerprint);
  g_free (model->name);
  g_free (model->path);
  g_free (model);
}

/**
 * attn_model_get_path:
 *
 * Returns: (transfer none): the checkpoint's directory, as it was given
 */
const char *
attn_model_get_path (const AttnModel *model)
{
  return model->path;
}

/**
 * attn_model_get_name:
 *
 * Returns: (transfer none): the directory's own name, valid UTF-8
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
      if (attn_tokenizer_exists (self->path))
        self->tokenizer = attn_tokenizer_load (self->path, &self->tokenizer_error);
      else
        g_set_error (&self->tokenizer_error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                     _("%s: no tokenizer found, expected a tokenizer.json or token ids as input"),
                     self->path);
      self->has_tried_tokenizer = TRUE;
    }
  if (self->tokenizer == NULL && error != NULL)
    *error = g_error_copy (self->tokenizer_error);
  return self->tokenizer;
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
  gsize n_bytes = attn_forward_estimate (model, n_tokens);
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
