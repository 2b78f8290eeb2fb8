/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Opens a model, a checkpoint or a recording as its path tells; and the decoder of an encoder. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "attn-adapter.h"
#include "attn-checkpoint.h"
#include "attn-error.h"
#include "attn-file.h"
#include "attn-recording.h"
#include "attn-source.h"
#include "attn-transformer.h"

/**
 * attn_model_open:
 * @path: a checkpoint directory in the layout of Hugging Face, its config.json, a file of its
 *   weights or their index, a model's folder in the Hugging Face cache, a GGUF file, the folder of
 *   an adapter whose model is found, or an array file with the attention of another program's
 *   forward pass, see [func@attn_recording_open]
 * @error: return location: #GFileError, %ATTN_ERROR_UNSUPPORTED for a family or a kind of weights
 *   that is not supported, %ATTN_ERROR_FORMAT, %ATTN_ERROR_SHAPE and %ATTN_ERROR_LIMIT for files
 *   that break their rules or do not fit each other, %ATTN_ERROR_CHANGED
 *
 * Maps the weights or arrays and checks every name and shape; reads none of their numbers but a
 * sample, for the fingerprint and to tell the mask of a recording.
 *
 * Returns: (transfer full) (nullable): the model
 */
AttnModel *
attn_model_open (const char  *path,
                 GError     **error)
{
  return attn_model_open_attention (path, NULL, error);
}

/**
 * attn_model_open_attention:
 * @path: what [func@attn_model_open] takes
 * @attention: (nullable): one of the `attentions` of the model's #AttnModelInfo, such as "decoder";
 *   %NULL for the first
 * @error: return location: errors of [func@attn_model_open], %ATTN_ERROR_ARGUMENT for an attention
 *   that the model does not have
 *
 * Returns: (transfer full) (nullable): the model, whose layers, heads and sizes are those of
 *   @attention
 */
AttnModel *
attn_model_open_attention (const char  *path,
                           const char  *attention,
                           GError     **error)
{
  const AttnModelReference reference = { .path = (char *) path };

  return attn_model_open_reference (&reference, attention, error);
}

/**
 * attn_model_open_reference:
 * @reference: a reference with a path that [func@attn_model_open] takes
 * @attention: (nullable): as for [func@attn_model_open_attention]
 * @error: return location: errors of [func@attn_model_open_attention]
 *
 * Opens a model with the adapter, the array and the table header that @reference names. The
 * fingerprint in @reference is not compared.
 *
 * Returns: (transfer full) (nullable): the model
 */
AttnModel *
attn_model_open_reference (const AttnModelReference  *reference,
                           const char                *attention,
                           GError                   **error)
{
  g_autoptr (AttnFileList) files = attn_file_list_new ();

  attn_file_list_begin (files);
  g_autoptr (AttnModel) model =
      reference->array != NULL || attn_recording_is_file (reference->path)
          ? attn_recording_open (reference, error)
          : attn_transformer_open (reference->path, reference->adapter, attention, error);
  attn_file_list_end (files);
  if (model != NULL && reference->adapter != NULL && model->adapter == NULL)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("%s: arrays found with an adapter, expected a model that it changes"),
                           model->path);
  if (model != NULL && attention != NULL &&
      !g_strv_contains (model->info.attentions, attention))
    {
      g_autofree char *known = g_strjoinv (", ", (char **) model->info.attentions);

      return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                             _("%s: attention “%s” found, expected one of %s"), model->path,
                             attention, known);
    }
  if (model == NULL || !attn_file_list_check (files, error))
    return NULL;
  model->files = g_steal_pointer (&files);
  return g_steal_pointer (&model);
}

/* Returns the decoder of an encoder's checkpoint, or for the half that reads pictures the half that
 * reads texts. The first call opens it. */
static AttnModel *
get_decoder (AttnModel  *encoder,
             GError    **error)
{
  const AttnModelReference reference = { .path = encoder->path, .adapter = encoder->adapter };
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&encoder->lock);

  if (encoder->decoder == NULL)
    encoder->decoder = attn_model_open_reference (
        &reference, encoder->info.attentions[encoder->info.sees ? 0 : 1], error);
  return encoder->decoder;
}

/**
 * attn_model_dup_decoder:
 * @encoder: one of which [func@attn_model_has_decoder] is true
 * @error: return location: errors of [func@attn_model_open_reference]
 *
 * Returns: (transfer full) (nullable): the decoder of the same checkpoint, without a source
 */
AttnModel *
attn_model_dup_decoder (AttnModel  *encoder,
                        GError    **error)
{
  AttnModel *decoder = get_decoder ((AttnModel *) attn_model_get_base (encoder), error);

  return decoder != NULL ? attn_model_ref (decoder) : NULL;
}

/**
 * attn_model_bind_decoder:
 * @encoder: one of which [func@attn_model_has_decoder] is true; with its sound or picture, if it
 *   needs one
 * @source: the tokens that the encoder reads; checked by the caller with attn_model_check_ids()
 * @interventions: (nullable) (element-type AttnIntervention): interventions on the encoder
 * @cancellable: (nullable)
 * @error: return location: errors of [func@attn_model_open_reference],
 *   [func@attn_interventions_check] and [func@attn_interventions_prepare]
 *
 * Makes a decoder that reads what @encoder puts out under @interventions. The encoder runs when a
 * pass over the decoder first needs its output.
 *
 * Returns: (transfer full) (nullable): the decoder, with its self-attention on display; for a half
 *   for pictures, the half for texts, to be told by [func@attn_model_insert_pictures] where in the
 *   text the pictures stand
 */
AttnModel *
attn_model_bind_decoder (AttnModel         *encoder,
                         const AttnTokens  *source,
                         GPtrArray         *interventions,
                         GCancellable      *cancellable,
                         GError           **error)
{
  g_return_val_if_fail (attn_model_has_decoder (encoder) &&
                            (encoder->base != NULL) ==
                                (encoder->info.needs_sound || encoder->info.needs_picture),
                        NULL);

  AttnModel *decoder = get_decoder ((AttnModel *) attn_model_get_base (encoder), error);
  if (decoder == NULL || !attn_model_check_logits (decoder, error) ||
      !attn_interventions_check (interventions, encoder, source->n_tokens, error) ||
      !attn_interventions_prepare (interventions, cancellable, error))
    return NULL;

  if (encoder->info.sees)
    return attn_transformer_see (decoder, encoder, interventions);
  AttnModel *bound = attn_model_bind (decoder, source);
  attn_transformer_set_encoder (bound, encoder, interventions);
  return bound;
}

/**
 * attn_model_is_adapter:
 * @path: path of a file or folder
 *
 * Returns: whether @path is an adapter (LoRA), which [func@attn_model_open] opens with the model
 *   that it changes
 */
gboolean
attn_model_is_adapter (const char *path)
{
  return attn_adapter_is_one (path);
}

/**
 * attn_model_dup_base:
 * @path: (nullable): path of a file or folder that may be an adapter
 * @base: (out) (transfer full) (nullable): the path of the model that the adapter was trained on
 *
 * Returns: whether @path is an adapter and its model is found on this machine
 */
gboolean
attn_model_dup_base (const char  *path,
                     char       **base)
{
  g_autoptr (AttnAdapter) adapter =
      attn_adapter_is_one (path) ? attn_adapter_load (path, NULL) : NULL;
  const char *revision;
  const char *name = adapter != NULL ? attn_adapter_get_base (adapter, &revision) : NULL;

  *base = name != NULL ? attn_adapter_find_base (attn_adapter_get_folder (adapter), name, revision)
                       : NULL;
  return *base != NULL;
}

/**
 * attn_model_reference_settle:
 * @beside: reference to the model that is open when the user opens @reference
 *
 * If @reference is to an adapter whose own model is not found, changes it into a reference to the
 * model of @beside with that adapter.
 */
void
attn_model_reference_settle (AttnModelReference       *reference,
                             const AttnModelReference *beside)
{
  g_autofree char *base = NULL;

  if (beside->path == NULL || reference->adapter != NULL ||
      !attn_adapter_is_one (reference->path) || attn_model_dup_base (reference->path, &base) ||
      attn_adapter_is_one (beside->path) || attn_recording_is_file (beside->path))
    return;
  reference->adapter = reference->path;
  reference->path = g_strdup (beside->path);
}

/**
 * attn_model_is_described_by:
 * @path: path of a file
 *
 * Returns: whether the file describes a checkpoint, as config.json or tokenizer.json do, so that
 *   [func@attn_model_open] opens the checkpoint for it
 */
gboolean
attn_model_is_described_by (const char *path)
{
  return attn_checkpoint_has_file (path);
}

/**
 * attn_model_is_array_file:
 * @path: path of a file
 *
 * Returns: whether [func@attn_model_open] takes the file for a recording; a safetensors file beside
 *   a config.json may be weights or a recording, so its contents are looked at
 */
gboolean
attn_model_is_array_file (const char *path)
{
  return attn_recording_is_file (path);
}
