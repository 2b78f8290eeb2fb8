/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-model.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-file.h"
#include "attn-model-private.h"
#include "attn-sight.h"
#include "attn-visible-keys.h"

/* Sets what checkpoints and recordings have in common. @model is filled with zeros before; it is
 * returned with one reference. */
AttnModel *
attn_model_init (AttnModel            *model,
                 const AttnModelClass *class)
{
  model->class = class;
  g_atomic_ref_count_init (&model->ref_count);
  g_mutex_init (&model->lock);
  return model;
}

/* Sets the numbers of parameters and bytes of the model to the sums over all arrays of the file.
 * Arrays that share their memory, as tied weights saved by PyTorch do, count once. */
void
attn_model_count_arrays (AttnModel           *model,
                         const AttnArrayFile *file)
{
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);

  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (file, i);
      gsize n_bytes;
      gconstpointer place = g_bytes_get_data (array->bytes, &n_bytes);

      if (n_bytes > 0 && !g_hash_table_add (places, (gpointer) place))
        continue;
      model->info.n_parameters += attn_array_get_n_elements (array);
      model->info.n_bytes += g_bytes_get_size (array->bytes);
    }
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
  g_clear_pointer (&model->tokenizer, attn_tokenizer_free);
  g_clear_error (&model->tokenizer_error);
  g_clear_pointer (&model->recorded_tokens, attn_tokens_unref);
  g_strfreev (model->recorded_keys);
  model->class->clear (model);
  attn_file_list_free (model->files);
  g_clear_pointer (&model->base, attn_model_unref);
  g_clear_pointer (&model->decoder, attn_model_unref);
  g_clear_pointer (&model->image, attn_image_unref);
  g_clear_pointer (&model->pictures, g_array_unref);
  g_free (model->image_path);
  g_mutex_clear (&model->lock);
  g_clear_pointer (&model->info.mapped_layers, attn_index_set_unref);
  g_free (model->info.layers);
  g_free (model->rules);
  g_free (model->fingerprint);
  g_free (model->name);
  g_free (model->path);
  g_free (model->adapter);
  g_free (model);
}

/**
 * attn_model_bind:
 * @model: a decoder, whose `needs_source` is set
 * @source: the text that its encoder reads; checked by the caller with attn_model_check_ids()
 *
 * Gives a decoder the text that its encoder reads. The encoder runs when a pass over the decoder
 * first needs its output.
 *
 * Returns: (transfer full): a model with the same weights, which has the source
 */
AttnModel *
attn_model_bind (AttnModel        *model,
                 const AttnTokens *source)
{
  g_return_val_if_fail (model->info.needs_source && model->base == NULL, NULL);

  return model->class->bind (model, source);
}

/**
 * attn_model_bind_features:
 * @model: one whose `needs_sound` is set
 * @features: [bins, frames], prepared as the model expects them; a reference is taken
 * @source: the encoder's tokens, from [func@attn_model_list_frames]
 * @error: return location: %ATTN_ERROR_SHAPE for another number of bins or frames
 *
 * Gives an encoder its sound, or a decoder the sound that its encoder hears.
 *
 * Returns: (transfer full) (nullable): a model with the same weights, which has the sound; the
 *   token ids of an encoder are 0, 1, … to its last token
 */
AttnModel *
attn_model_bind_features (AttnModel         *model,
                          AttnTensor        *features,
                          const AttnTokens  *source,
                          GError           **error)
{
  g_return_val_if_fail (model->info.needs_sound && model->base == NULL, NULL);

  return model->class->bind_features (model, features, source, error);
}

/**
 * attn_model_format_time:
 * @index: number of a token of a sound, from 0
 * @seconds: from the beginning of one token to that of the next
 *
 * Returns: (transfer full): the time at which it begins, "0.02 s"
 */
char *
attn_model_format_time (double index,
                        double seconds)
{
  const char *format = fabs (100.0 * seconds - rint (100.0 * seconds)) < 1e-6 ? "%.2f" : "%.4f";
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strconcat (g_ascii_formatd (number, sizeof number, format, index * seconds), " s", NULL);
}

/**
 * attn_model_list_frames:
 * @model: one whose `needs_sound` is set
 * @seconds: from the beginning of one token of its encoder to that of the next
 *
 * Returns: (transfer full): the encoder's tokens, each labeled with the time at which it begins,
 *   "0.02 s"
 */
AttnTokens *
attn_model_list_frames (const AttnModel *model,
                        double           seconds)
{
  gsize n = model->info.n_frames / ATTN_MODEL_FRAMES_A_TOKEN;
  g_autofree guint32 *ids = g_new (guint32, n);
  g_auto (GStrv) labels = g_new0 (char *, n + 1);

  for (gsize i = 0; i < n; i++)
    {
      ids[i] = (guint32) i;
      labels[i] = attn_model_format_time ((double) i, seconds);
    }
  return attn_tokens_new_from_ids (ids, n, labels);
}

/**
 * attn_model_get_base:
 *
 * Returns: (transfer none): the model without the source, picture or sound that @model was given;
 *   @model itself if it was given none
 */
const AttnModel *
attn_model_get_base (const AttnModel *model)
{
  return model->base != NULL ? model->base : model;
}

/**
 * attn_model_count_keys:
 * @n_ids: number of tokens of the input
 *
 * Returns: the number of keys that each query has: the source's tokens in cross-attention, else
 *   @n_ids
 */
gsize
attn_model_count_keys (const AttnModel *model,
                       gsize            n_ids)
{
  return model->n_keys > 0 ? model->n_keys : n_ids;
}

/**
 * attn_model_is_cross:
 *
 * Returns: whether the attention that the model was opened with is cross-attention, whose keys are
 *   of another sequence than its queries
 */
gboolean
attn_model_is_cross (const AttnModel *model)
{
  return g_str_equal (model->info.attention, "cross");
}

/**
 * attn_model_has_decoder:
 *
 * Returns: whether the model is an encoder whose checkpoint has a decoder, too, or the half for
 *   pictures of a vision-language model, whose other half is for texts
 */
gboolean
attn_model_has_decoder (const AttnModel *model)
{
  return model->info.sees ? model->info.needs_picture
                          : !model->info.needs_source && attn_model_info_has_decoder (&model->info);
}

/**
 * attn_model_is_about_picture:
 *
 * Returns: whether the model predicts labels of a whole picture, and not tokens
 */
gboolean
attn_model_is_about_picture (const AttnModel *model)
{
  return model->info.needs_picture && !model->info.sees;
}

/**
 * attn_model_check_logits:
 * @error: return location: %ATTN_ERROR_UNSUPPORTED if it has none
 *
 * Returns: whether the model has logits, by a language-model head or a classifier of pictures; an
 *   encoder that has a decoder has none
 */
gboolean
attn_model_check_logits (const AttnModel  *model,
                         GError          **error)
{
  const AttnModelInfo *info = &model->info;

  if (info->has_logits)
    return TRUE;
  if (attn_model_is_about_picture (model))
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: no classifier found, expected one for the logits"), model->path);
  if (attn_model_has_decoder (model))
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: attention “%s” found, expected “%s”, for the logits are the "
                        "decoder’s"),
                      model->path, info->attention, info->attentions[info->sees ? 0 : 1]);
  return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: no language-model head found, expected one for the logits"),
                    model->path);
}

/**
 * attn_model_check_source:
 * @error: return location: %ATTN_ERROR_ARGUMENT if it was not given what it needs
 *
 * Returns: whether the model was given the source, picture or sound that it needs, or needs none
 */
gboolean
attn_model_check_source (const AttnModel  *model,
                         GError          **error)
{
  if (model->info.needs_picture && model->base == NULL)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("%s: a model of pictures found and no picture, expected one"), model->path);
  if (model->info.needs_sound && !model->info.needs_source && model->base == NULL)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("%s: a model of sounds found and no sound, expected one"), model->path);
  return !model->info.needs_source || model->base != NULL ||
         attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("%s: attention “%s” of a decoder found without a source, expected “%s” here"),
                    model->path, model->info.attention, model->info.attentions[0]);
}

/**
 * attn_model_get_path:
 *
 * Returns: (transfer none): the checkpoint's directory, as the user gave it or in the Hugging Face
 *   cache, or the GGUF file
 */
const char *
attn_model_get_path (const AttnModel *model)
{
  return model->path;
}

/**
 * attn_model_get_adapter:
 *
 * Returns: (transfer none) (nullable): the folder of the adapter (LoRA) that changes its weights,
 *   %NULL without one
 */
const char *
attn_model_get_adapter (const AttnModel *model)
{
  return model->adapter;
}

/**
 * attn_model_get_name:
 *
 * Returns: (transfer none): the model's name for display, valid UTF-8: the last part of its
 *   directory's path, or its name in the Hugging Face cache, or a file's name without the suffix
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
 * Returns: the width w of the sliding window, in which query i of @layer sees only keys i - w + 1
 *   to i; 0 if the layer has no window
 */
gsize
attn_model_get_window (const AttnModel *model,
                       gsize            layer)
{
  g_return_val_if_fail (layer < model->info.n_layers, 0);

  return attn_model_get_rules (model, layer)->window;
}

/**
 * attn_model_has_block:
 *
 * Returns: whether there are runs of tokens within which all see each other, while other tokens do
 *   not see those behind them; a sliding window does not count
 */
gboolean
attn_model_has_block (const AttnModel *model)
{
  return model->n_rules > 0 && (model->rules[0].n_blocks > 0 || model->rules[0].n_spans > 0);
}

/**
 * attn_model_get_visible_keys:
 * @layer: below the number of layers
 * @has_window: whether the layer's sliding window limits the keys; without it only causality does
 * @n_tokens: length of the text
 * @first: (out): the first key that the query in @row sees
 * @end: (out): the position behind the last key that it sees
 */
void
attn_model_get_visible_keys (const AttnModel *model,
                             gsize            layer,
                             gboolean         has_window,
                             gsize            n_tokens,
                             gsize            row,
                             gsize           *first,
                             gsize           *end)
{
  AttnScoreRules rules = *attn_model_get_rules (model, layer);

  g_return_if_fail (layer < model->info.n_layers);

  if (!has_window)
    rules.window = 0;
  attn_rules_get_visible_keys (&rules, n_tokens, row, first, end);
}

/**
 * attn_model_has_map:
 * @layer: below the number of layers
 *
 * Returns: whether the layer has attention weights; a layer of linear attention has none
 */
gboolean
attn_model_has_map (const AttnModel *model,
                    gsize            layer)
{
  return attn_index_set_contains (model->info.mapped_layers, layer);
}

/**
 * attn_model_info_has_decoder:
 *
 * Returns: whether the model has a decoder beside its encoder; the decoder reads a text of its own,
 *   the target
 */
gboolean
attn_model_info_has_decoder (const AttnModelInfo *info)
{
  return info->attentions != NULL && g_strv_contains (info->attentions, "decoder");
}

/**
 * attn_model_info_get_layer:
 * @layer: below the number of layers
 *
 * Returns: the sizes of the layer and the layer that its keys are from, by default those that @info
 *   has for all layers
 */
AttnModelLayer
attn_model_info_get_layer (const AttnModelInfo *info,
                           gsize                layer)
{
  return info->layers != NULL
             ? info->layers[layer]
             : (AttnModelLayer) { info->n_key_heads, info->head_width, info->value_width, layer };
}

/**
 * attn_model_info_find_start:
 * @layer: the layer where a pass is to begin
 *
 * Returns: the layer where it has to begin: @layer, or a lower one if layers from @layer on use the
 *   keys and values of that one
 */
gsize
attn_model_info_find_start (const AttnModelInfo *info,
                            gsize                layer)
{
  gsize start = layer;

  for (gsize i = layer; info->layers != NULL && i < info->n_layers; i++)
    start = MIN (start, info->layers[i].key_source);
  return start;
}

/**
 * attn_model_check_map:
 * @layer: below the number of layers
 * @error: return location: %ATTN_ERROR_ARGUMENT for a layer of linear attention
 *
 * Returns: whether the layer has attention weights
 */
gboolean
attn_model_check_map (const AttnModel  *model,
                      gsize             layer,
                      GError          **error)
{
  g_autoptr (AttnIndexSet) layers = attn_index_set_new_range (layer, layer);

  return attn_model_info_check_maps (&model->info, layers, error);
}

/**
 * attn_model_info_check_maps:
 * @layers: (nullable): each below the number of layers; %NULL for the layers that have weights
 * @error: return location: %ATTN_ERROR_ARGUMENT for a layer of linear attention
 *
 * Returns: whether each of @layers has attention weights
 */
gboolean
attn_model_info_check_maps (const AttnModelInfo  *info,
                            const AttnIndexSet   *layers,
                            GError              **error)
{
  for (gsize layer = 0; layers != NULL && layer < info->n_layers; layer++)
    if (attn_index_set_contains (layers, layer) &&
        !attn_index_set_contains (info->mapped_layers, layer))
      {
        g_autofree char *mapped = attn_index_set_to_string (info->mapped_layers);

        return attn_fail (error, ATTN_ERROR_ARGUMENT,
                          _("layer %zu: linear attention found, which has no attention weights, "
                            "expected one of the layers %s"),
                          layer, mapped);
      }
  return TRUE;
}

/**
 * attn_model_dup_recorded_tokens:
 *
 * Returns: (transfer full) (nullable): the query tokens of a recording, with ids 0, 1, … and the
 *   recorded labels; %NULL for a checkpoint
 */
AttnTokens *
attn_model_dup_recorded_tokens (const AttnModel *model)
{
  return model->recorded_tokens != NULL ? attn_tokens_ref (model->recorded_tokens) : NULL;
}

/**
 * attn_model_get_recorded_keys:
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1): the labels of the keys of a
 *   recording, such as "the"; %NULL for a checkpoint
 */
const char * const *
attn_model_get_recorded_keys (const AttnModel *model)
{
  return (const char * const *) model->recorded_keys;
}

static gboolean
check_tokenizer (const AttnModel  *model,
                 GError          **error)
{
  g_autofree char *where = g_filename_display_name (model->path);

  if (model->info.is_recording)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: recorded arrays found, expected a model with a tokenizer"), where);
  if (model->info.has_tokenizer)
    return TRUE;
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
               _("%s: no tokenizer found, expected a tokenizer.json or token ids as input"),
               where);
  return FALSE;
}

/**
 * attn_model_get_tokenizer:
 * @error: return location: errors of [func@attn_tokenizer_load]
 *
 * Loads the tokenizer when it is first asked for, and remembers the tokenizer or the error. Any
 * thread may call.
 *
 * Returns: (transfer none) (nullable): the tokenizer, or %NULL if the checkpoint has none or a bad
 *   one; the model works with token ids all the same
 */
const AttnTokenizer *
attn_model_get_tokenizer (const AttnModel  *model,
                          GError          **error)
{
  AttnModel *self = (AttnModel *) attn_model_get_base (model);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (!self->has_tried_tokenizer)
    {
      attn_file_list_begin (self->files);
      if (check_tokenizer (self, &self->tokenizer_error))
        self->tokenizer = attn_tokenizer_load (self->path, &self->tokenizer_error);
      attn_file_list_end (self->files);
      /* The tokenizer must be from the same state of the files as the weights, so it is dropped if
       * a file has changed since the model was opened. */
      if (self->tokenizer != NULL && !attn_file_list_check (self->files, &self->tokenizer_error))
        g_clear_pointer (&self->tokenizer, attn_tokenizer_free);
      self->has_tried_tokenizer = TRUE;
    }
  if (self->tokenizer == NULL && error != NULL)
    *error = g_error_copy (self->tokenizer_error);
  return self->tokenizer;
}

/**
 * attn_model_outline_tokenizer:
 * @outlining: (nullable): the outline that was begun in a thread before the model was opened
 * @outline: (out caller-allocates): kind and size of the tokenizer that
 *   [func@attn_model_get_tokenizer] returns, or would return
 * @error: return location: errors of [func@attn_tokenizer_outline]
 *
 * Tells the tokenizer's kind and size without loading it, which takes longer. Any thread may call.
 */
gboolean
attn_model_outline_tokenizer (const AttnModel         *model,
                              AttnTokenizerOutlining  *outlining,
                              AttnTokenizerOutline    *outline,
                              GError                 **error)
{
  AttnModel *self = (AttnModel *) attn_model_get_base (model);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (!self->has_tried_tokenizer)
    return check_tokenizer (model, error) &&
           attn_tokenizer_outlining_finish (outlining, model->path, outline, error);
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
 * attn_model_dup_output_label:
 * @id: of a token that the model predicts, or of a label of a picture
 *
 * Returns: (transfer full): the token's text or the label's name; the id in digits where it has
 *   none
 */
char *
attn_model_dup_output_label (const AttnModel *model,
                             gint64           id)
{
  const AttnModelInfo *info = &model->info;
  const guint32 ids[] = { (guint32) id };

  if (info->label_names != NULL && id >= 0 && (guint64) id < info->vocabulary_size)
    return g_strdup (info->label_names[id]);
  const AttnTokenizer *tokenizer =
      info->needs_picture ? NULL : attn_model_get_tokenizer (model, NULL);
  g_autoptr (AttnTokens) tokens =
      tokenizer != NULL ? attn_tokenizer_label_ids (tokenizer, ids, 1, NULL) : NULL;
  return tokens != NULL ? g_strdup (tokens->labels[0])
                        : g_strdup_printf ("%" G_GINT64_FORMAT, id);
}

/**
 * attn_model_check_files:
 * @error: return location: %ATTN_ERROR_CHANGED, with the name of a file that has changed
 *
 * Returns: whether the files of the model, which stay mapped, are unchanged since it was opened
 */
gboolean
attn_model_check_files (const AttnModel  *model,
                        GError          **error)
{
  return attn_file_list_check (attn_model_get_base (model)->files, error);
}

/* Runs a pass, see attn_forward_run(). If a file of weights has changed meanwhile,
 * %ATTN_ERROR_CHANGED replaces whatever error the changed numbers caused. */
gboolean
attn_model_run (const AttnForward  *forward,
                GError            **error)
{
  g_autoptr (GError) local_error = NULL;
  gboolean is_done = forward->model->class->run (forward, &local_error);

  if (!attn_model_check_files (forward->model, error))
    return FALSE;
  if (!is_done)
    g_propagate_error (error, g_steal_pointer (&local_error));
  return is_done;
}

/**
 * attn_model_check_ids:
 * @ids: (array length=n_ids): token ids
 * @error: return location for %ATTN_ERROR_LIMIT: no token, more than the model has positions, or an
 *   id beyond the vocabulary
 *
 * Returns: whether the model can run over the tokens
 */
gboolean
attn_model_check_ids (const AttnModel  *model,
                      const guint32    *ids,
                      gsize             n_ids,
                      GError          **error)
{
  const AttnModelInfo *info = &model->info;

  if (n_ids == 0 || n_ids > info->n_positions)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("%zu tokens found, expected 1 to %zu, the positions of the model"), n_ids,
                      info->n_positions);
  gboolean is_numbered = info->needs_picture || (info->needs_sound && !info->needs_source);
  gsize n_known = is_numbered ? info->n_positions : info->vocabulary_size;
  for (gsize i = 0; i < n_ids; i++)
    if (ids[i] >= n_known)
      return attn_fail (error, ATTN_ERROR_LIMIT,
                        _("token id %u found at position %zu, expected 0 to %zu"), ids[i], i,
                        n_known - 1);
  return TRUE;
}

/**
 * attn_model_estimate_memory:
 * @n_tokens: length of an input
 *
 * Returns: the bytes that a forward pass over @n_tokens takes beyond the mapped weights:
 *   activations, the residual stream of every layer and the scores and weights of all heads of one
 *   layer. Grows with the square of @n_tokens. %G_MAXSIZE if the number does not fit a gsize.
 */
gsize
attn_model_estimate_memory (const AttnModel *model,
                            gsize            n_tokens)
{
  const AttnModelInfo *info = &model->info;
  gsize n_bytes = model->class->estimate != NULL ? model->class->estimate (model, n_tokens) : 0;
  gsize n_residual = 0;
  gsize n_weights = 0;

  if (!g_size_checked_mul (&n_residual, info->n_layers * sizeof (float) * info->width,
                           n_tokens) ||
      !g_size_checked_mul (&n_weights, n_tokens, attn_model_count_keys (model, n_tokens)) ||
      !g_size_checked_mul (&n_weights, n_weights, 2 * sizeof (float) * info->n_heads) ||
      !g_size_checked_add (&n_bytes, n_bytes, n_residual) ||
      !g_size_checked_add (&n_bytes, n_bytes, n_weights))
    return G_MAXSIZE;
  return n_bytes;
}

/**
 * attn_model_get_families:
 *
 * Returns: (transfer none) (array zero-terminated=1): the families that can be opened, as
 *   config.json names them: "gpt2", …
 */
const char * const *
attn_model_get_families (void)
{
  return attn_sight_get_families ();
}
