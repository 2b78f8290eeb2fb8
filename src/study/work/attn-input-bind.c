/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Makes the tokens that a model reads from an input of a study, and binds (attaches) the picture,
 * sound or source of the input to the model. */

#include "config.h"

#include "attn-input-bind.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-continuation.h"
#include "attn-error.h"
#include "attn-input-picture.h"
#include "attn-input-sound.h"
#include "attn-own-answer.h"
#include "attn-target.h"

static AttnTokens *
tokenize (const AttnInput  *input,
          const AttnModel  *model,
          AttnFraming       framing,
          GError          **error)
{
  if (input->text == NULL)
    {
      const AttnTokenizer *tokenizer = attn_model_get_tokenizer (model, NULL);

      return tokenizer != NULL
                 ? attn_tokenizer_label_ids (tokenizer, input->ids, input->n_ids, error)
                 : attn_tokens_new_from_ids (input->ids, input->n_ids, NULL);
    }

  const AttnTokenizer *tokenizer = attn_model_get_tokenizer (model, error);
  if (tokenizer == NULL)
    return NULL;
  return attn_tokenizer_encode (tokenizer, input->text, -1, framing, error);
}

/* Returns the first tokens of @all, in the number that the input specifies, if the model can take
 * as many. @all: (transfer full) (nullable) */
static AttnTokens *
take_tokens (const AttnInput  *input,
             gsize             number,
             const AttnModel  *model,
             AttnTokens       *all,
             GError          **error)
{
  g_autoptr (AttnTokens) tokens = all;

  if (tokens != NULL && input->n_tokens > 0 && input->n_tokens < tokens->n_tokens)
    {
      tokens = attn_tokens_truncate (all, input->n_tokens);
      attn_tokens_unref (all);
    }

  g_autofree guint32 *ids = tokens != NULL ? attn_tokens_dup_ids (tokens) : NULL;
  if (tokens != NULL && attn_model_check_ids (model, ids, tokens->n_tokens, error))
    return g_steal_pointer (&tokens);
  g_prefix_error (error, _("input %zu: "), number);
  return NULL;
}

static void
clear_pixels (gpointer data)
{
  AttnPixels *pixels = data;

  g_clear_pointer (&pixels->pixels, attn_tensor_unref);
  g_clear_pointer (&pixels->image, attn_image_unref);
}

/* Reads the pictures of an input and binds them to a model. @shown: number of the picture that a
 * vision model sees, from 0 */
static AttnModel *
bind_pictures (const AttnInput  *input,
               gsize             number,
               AttnModel        *model,
               gsize             shown,
               GError          **error)
{
  gsize n = attn_input_count_pictures (input);
  g_autoptr (GArray) pictures = g_array_new (FALSE, TRUE, sizeof (AttnPixels));
  AttnModel *bound = NULL;
  gboolean is_good = TRUE;

  g_array_set_clear_func (pictures, clear_pixels);
  for (gsize i = 0; is_good && i < n; i++)
    {
      AttnPixels picture = { NULL };

      picture.pixels = attn_input_load_picture (input, i, model, &picture.image, error);
      is_good = picture.pixels != NULL;
      if (is_good)
        g_array_append_val (pictures, picture);
    }
  if (is_good)
    bound = attn_model_bind_pictures ((AttnModel *) attn_model_get_base (model),
                                      (const AttnPixels *) (gpointer) pictures->data, n, shown,
                                      error);
  if (bound == NULL)
    g_prefix_error (error, _("input %zu: "), number);
  return bound;
}

/* Binds the picture of an input to a vision model, whose tokens are its patches. @shown: number of
 * the picture, from 0, if a text has several */
static AttnModel *
bind_picture (const AttnInput  *input,
              gsize             number,
              AttnModel        *model,
              gsize             shown,
              AttnTokens      **tokens,
              GError          **error)
{
  gsize n = attn_input_count_pictures (input);

  if (n == 0)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("input %zu: no picture found, expected one for %s, a model of "
                             "pictures"),
                           number, attn_model_get_path (model));
  if (attn_input_is_text (input) && !attn_model_get_info (model)->sees)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("input %zu: a text beside a picture found, expected the picture alone "
                             "for %s"),
                           number, attn_model_get_path (model));
  if (n > 1 && !attn_model_get_info (model)->sees)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("input %zu: %zu pictures found, expected one for %s, a model of "
                             "pictures"),
                           number, n, attn_model_get_path (model));
  if (input->n_tokens > 0 && !attn_input_is_text (input))
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("input %zu: %zu tokens of a picture found, expected all of them"),
                           number, input->n_tokens);
  if (shown >= n)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("input %zu: picture %zu asked for, expected one of its %zu"), number,
                           shown + 1, n);
  AttnModel *bound = bind_pictures (input, number, model, shown, error);
  if (bound != NULL)
    *tokens = attn_model_list_patches (bound);
  return bound;
}

/* Inserts the tokens of the pictures into @tokens, or labels those that stand for pictures, and
 * checks the number of tokens that the input uses. @tokens: (transfer full) (nullable) */
static AttnTokens *
insert_pictures (const AttnInput  *input,
                 gsize             number,
                 AttnModel        *bound,
                 AttnTokens       *tokens,
                 GError          **error)
{
  g_autoptr (AttnTokens) written = tokens;
  g_autoptr (AttnTokens) all =
      written != NULL ? attn_model_insert_pictures (bound, written, error) : NULL;
  gsize n_least = attn_model_get_picture (bound, attn_model_count_pictures (bound) - 1).end;

  if (all == NULL)
    {
      g_prefix_error (error, _("input %zu: "), number);
      return NULL;
    }
  if (input->n_tokens > 0 && input->n_tokens < n_least)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("input %zu: %zu tokens found, expected at least %zu, up to the end of "
                             "its picture"),
                           number, input->n_tokens, n_least);
  return take_tokens (input, number, bound, g_steal_pointer (&all), error);
}

static gpointer
fail_without_text (gsize             number,
                   const AttnModel  *model,
                   GError          **error)
{
  return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                         _("input %zu: a picture found and no text, expected one with the token of "
                           "a picture, for %s reads texts"),
                         number, attn_model_get_path (model));
}

static gboolean
has_picture_token (const AttnTokens    *tokens,
                   const AttnModelInfo *info)
{
  gsize i = 0;

  while (i < tokens->n_tokens && tokens->tokens[i].id != (guint32) info->image_token)
    i++;
  return i < tokens->n_tokens;
}

/* Tokenizes a text that contains pictures. The short mark for a picture is expanded as the
 * published processor of the model does, unless the text already has the tokens that stand for it.
 * Token positions refer to the text of the input. */
static AttnTokens *
tokenize_around (const AttnInput  *input,
                 const AttnModel  *model,
                 AttnFraming       framing,
                 GError          **error)
{
  const AttnModelInfo *info = attn_model_get_info (model);
  const AttnPictureMark mark = { info->picture_text, "<image>", info->picture_written };
  const AttnTokenizer *tokenizer =
      input->text != NULL ? attn_model_get_tokenizer (model, error) : NULL;
  g_autoptr (AttnTokens) tokens = NULL;

  if (input->text == NULL)
    return tokenize (input, model, framing, error);
  if (tokenizer == NULL)
    return NULL;
  if (framing != ATTN_FRAMING_CHAT)
    tokens = attn_tokenizer_encode (tokenizer, input->text, -1, framing, error);
  if (framing != ATTN_FRAMING_CHAT && (tokens == NULL || has_picture_token (tokens, info)))
    return g_steal_pointer (&tokens);
  return attn_tokenizer_encode_seen (tokenizer, input->text, -1, framing, &mark, error);
}

/* Binds the pictures of an input to a model that takes text and pictures. @tokens: (out) (transfer
 * full): the tokens of the text and the pictures */
static AttnModel *
bind_seen (const AttnInput  *input,
           gsize             number,
           AttnModel        *model,
           AttnFraming       framing,
           AttnTokens      **tokens,
           GError          **error)
{
  if (!attn_input_is_text (input))
    return fail_without_text (number, model, error);
  g_autoptr (AttnModel) bound = bind_pictures (input, number, model, 0, error);
  if (bound == NULL)
    return NULL;
  *tokens = insert_pictures (input, number, bound,
                             tokenize_around (input, model, framing, error), error);
  return *tokens != NULL ? g_steal_pointer (&bound) : NULL;
}

/**
 * attn_input_insert_pictures:
 * @input: a text with pictures
 * @number: number of the input, from 1, for error messages
 * @bound: a decoder from [func@attn_model_bind_decoder] that reads the pictures of its other half,
 *   the vision encoder
 * @framing: what is added around a text, as for [func@attn_input_tokenize]
 * @error: return location: errors of [func@attn_input_tokenize], %ATTN_ERROR_ARGUMENT
 *
 * Returns: (transfer full) (nullable): the tokens of the text, with the tokens of each picture in
 *   its place
 */
AttnTokens *
attn_input_insert_pictures (const AttnInput  *input,
                            gsize             number,
                            AttnModel        *bound,
                            AttnFraming       framing,
                            GError          **error)
{
  if (!attn_input_is_text (input))
    return fail_without_text (number, bound, error);
  return insert_pictures (input, number, bound, tokenize_around (input, bound, framing, error),
                          error);
}

/* Tokenizes a text without a picture. If the model takes pictures, the text must not contain a
 * picture token. */
static AttnTokens *
read_text (const AttnInput  *input,
           gsize             number,
           const AttnModel  *model,
           AttnFraming       framing,
           GError          **error)
{
  g_autoptr (AttnTokens) tokens =
      take_tokens (input, number, model, tokenize (input, model, framing, error), error);

  if (tokens == NULL || attn_model_check_picture_token (model, tokens, error))
    return g_steal_pointer (&tokens);
  g_prefix_error (error, _("input %zu: "), number);
  return NULL;
}

/* Returns the target ids unchanged, or tokenizes the target text as a decoder does. */
static AttnTokens *
tokenize_target (const AttnInput  *input,
                 const AttnModel  *model,
                 AttnFraming       framing,
                 GError          **error)
{
  const AttnTokenizer *tokenizer =
      attn_model_get_tokenizer (model, input->target != NULL ? error : NULL);
  g_autoptr (GArray) ids = NULL;

  if (input->target != NULL && tokenizer == NULL)
    return NULL;
  if (input->target_ids == NULL)
    ids = attn_target_encode (model, input->target, framing, error);
  else
    {
      ids = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_array_append_vals (ids, input->target_ids, (guint) input->n_target_ids);
    }
  if (ids == NULL)
    return NULL;
  return tokenizer != NULL ? attn_tokenizer_label_ids (tokenizer, (guint32 *) ids->data, ids->len,
                                                       error)
                           : attn_tokens_new_from_ids ((guint32 *) ids->data, ids->len, NULL);
}

/* Binds the sound of an input to the encoder of a speech model, or to its decoder, which attends to
 * the encoder's tokens of the sound. @frames: (out) (transfer full): these tokens */
static AttnModel *
bind_sound (const AttnInput  *input,
            gsize             number,
            AttnModel        *model,
            AttnTokens      **frames,
            GError          **error)
{
  g_autoptr (AttnTensor) features = NULL;
  AttnModel *bound = NULL;
  double seconds;

  if (!attn_input_is_sound (input))
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("input %zu: no sound found, expected one for %s, a model of sounds"),
                           number, attn_model_get_path (model));
  if (input->n_tokens > 0)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("input %zu: %zu tokens of a sound found, expected all of them"),
                           number, input->n_tokens);
  features = attn_input_load_sound (input, model, &seconds, error);
  g_autoptr (AttnTokens) listed =
      features != NULL ? attn_model_list_frames (model, seconds) : NULL;
  if (features != NULL)
    bound = attn_model_bind_features (model, features, listed, error);
  if (bound == NULL)
    {
      g_prefix_error (error, _("input %zu: "), number);
      return NULL;
    }
  *frames = g_steal_pointer (&listed);
  return bound;
}

/**
 * attn_input_tokenize:
 * @number: number of the input, from 1, for error messages
 * @framing: what is added around a text, such as special tokens; ids are used as they are
 * @error: return location: %ATTN_ERROR_LIMIT for no token, more tokens than the model has positions
 *   or an id beyond its vocabulary, and errors of the tokenizer
 *
 * Returns: (transfer full) (nullable): the tokens of @input that a study uses, which are the first
 *   n_tokens of it; for a recording all recorded tokens, whatever @input says
 */
AttnTokens *
attn_input_tokenize (const AttnInput  *input,
                     gsize             number,
                     const AttnModel  *model,
                     AttnFraming       framing,
                     GError          **error)
{
  if (attn_model_get_info (model)->n_surveyed > 0)
    {
      g_autofree char *where = g_filename_display_name (attn_model_get_path (model));

      return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                             _("%s: a survey found, which the preset survey shows, expected a "
                               "model"),
                             where);
    }
  if (attn_model_get_info (model)->is_recording)
    return attn_model_dup_recorded_tokens (model);
  if (attn_model_get_info (model)->needs_picture)
    {
      AttnTokens *patches;
      g_autoptr (AttnModel) bound =
          bind_picture (input, number, (AttnModel *) model, 0, &patches, error);

      return bound != NULL ? patches : NULL;
    }
  if (attn_model_get_info (model)->needs_sound)
    {
      AttnTokens *frames;
      g_autoptr (AttnModel) bound = bind_sound (input, number, (AttnModel *) model, &frames, error);

      return bound != NULL ? frames : NULL;
    }
  if (attn_model_get_info (model)->takes_picture && attn_input_is_picture (input))
    {
      AttnTokens *tokens;
      g_autoptr (AttnModel) bound =
          bind_seen (input, number, (AttnModel *) model, framing, &tokens, error);

      return bound != NULL ? tokens : NULL;
    }

  return read_text (input, number, model, framing, error);
}

/**
 * attn_input_tokenize_target:
 * @number: number of the input, from 1, for error messages
 * @model: a decoder
 * @framing: what is added around a text, as for [func@attn_input_tokenize]
 * @error: return location: errors of [func@attn_input_tokenize]
 *
 * Returns: (transfer full) (nullable): the tokens that the decoder reads: the start token and the
 *   target, if the input has one; or the target ids, unchanged
 */
AttnTokens *
attn_input_tokenize_target (const AttnInput  *input,
                            gsize             number,
                            const AttnModel  *model,
                            AttnFraming       framing,
                            GError          **error)
{
  return take_tokens (input, number, model, tokenize_target (input, model, framing, error), error);
}

/**
 * attn_input_has_target:
 *
 * Returns: whether @input has a target, a text or ids that a decoder reads
 */
gboolean
attn_input_has_target (const AttnInput *input)
{
  return input->target != NULL || input->target_ids != NULL;
}

/* Appends the answer that the model generates, at most @n_answer tokens. @tokens: (transfer full)
 * (nullable) */
static AttnTokens *
add_answer (AttnModel        *model,
            AttnTokens       *tokens,
            const AttnInput  *input,
            gssize            n_answer,
            gsize             number,
            GCancellable     *cancellable,
            GError          **error)
{
  const AttnSoundWords words = { input->language, input->task };
  g_autoptr (AttnTokens) begun = tokens;
  AttnTokens *whole;

  if (begun == NULL || n_answer <= 0)
    return g_steal_pointer (&begun);
  whole = attn_own_answer_compute (model, begun, &words, (gsize) n_answer, cancellable, error);
  if (whole == NULL)
    g_prefix_error (error, _("input %zu: "), number);
  return whole;
}

/* Tokenizes or generates the target of a decoder whose source is set; see attn_input_bind(). */
static AttnTokens *
read_target (const AttnInput  *input,
             gsize             number,
             AttnModel        *bound,
             AttnFraming       framing,
             gssize            n_answer,
             GCancellable     *cancellable,
             GError          **error)
{
  gboolean is_usual = n_answer == 0 && !attn_input_has_target (input);
  AttnTokens *begun = attn_input_tokenize_target (input, number, bound, framing, error);

  return add_answer (bound, begun, input, is_usual ? ATTN_OWN_ANSWER_TOKENS : n_answer, number,
                     cancellable, error);
}

/**
 * attn_input_bind:
 * @number: number of the input, from 1, for error messages
 * @model: a model of @study
 * @study: says what is added around a text, and which of several pictures a vision model sees
 * @n_answer: largest number of tokens that the model generates behind the input, or behind the
 *   target of a decoder; 0 for the default, which is %ATTN_OWN_ANSWER_TOKENS for a decoder without
 *   a target and otherwise none; -1 for none. An encoder generates none; its decoder does.
 * @cancellable: (nullable): cancels the generation of the answer
 * @tokens: (out) (transfer full): the tokens to which the queries of the attention belong
 * @source: (out) (transfer full) (nullable): the tokens of the source, the encoder's input, if the
 *   model is a decoder
 * @error: return location: errors of [func@attn_input_tokenize], [func@attn_continuation_check] and
 *   [func@attn_own_answer_compute], %ATTN_ERROR_ARGUMENT for a target if the model has no decoder
 *
 * Returns: (transfer full) (nullable): the model to run: @model itself, or a copy with what it
 *   reads apart from tokens: the source of a decoder, pictures or a sound
 */
AttnModel *
attn_input_bind (const AttnInput  *input,
                 gsize             number,
                 AttnModel        *model,
                 const AttnStudy  *study,
                 gssize            n_answer,
                 GCancellable     *cancellable,
                 AttnTokens      **tokens,
                 AttnTokens      **source,
                 GError          **error)
{
  const AttnModelInfo *info = attn_model_get_info (model);
  AttnFraming framing = attn_study_get_framing (study);
  g_autoptr (AttnModel) bound = NULL;
  g_autoptr (AttnTokens) own = NULL;

  *source = NULL;
  if (attn_input_has_target (input) && !attn_model_info_has_decoder (info))
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("input %zu: a target found for a model without a decoder, expected "
                             "none"),
                           number);
  if ((input->language != NULL || input->task != NULL) && !info->needs_sound &&
      !info->is_recording)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("input %zu: a language or a task found for a model that hears no "
                             "sounds, expected none"),
                           number);
  if (n_answer > 0 && !attn_model_has_decoder (model) &&
      !attn_continuation_check (model, error))
    return NULL;
  if (info->needs_picture)
    return bind_picture (input, number, model, MAX (study->picture, 1) - 1, tokens, error);
  if (attn_input_is_sound (input) && !info->needs_sound && !info->is_recording)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("input %zu: a sound found, expected a text or ids for %s"), number,
                           attn_model_get_path (model));
  if (attn_input_is_picture (input) && !info->takes_picture && !info->needs_sound &&
      !info->is_recording)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("input %zu: a picture found, expected a text or ids for %s"), number,
                           attn_model_get_path (model));
  if (info->needs_sound)
    bound = bind_sound (input, number, model, &own, error);
  else if (info->takes_picture && attn_input_is_picture (input))
    bound = bind_seen (input, number, model, framing, &own, error);
  else
    own = attn_input_tokenize (input, number, model, framing, error);
  if (own != NULL && bound == NULL)
    bound = info->needs_source ? attn_model_bind (model, own) : attn_model_ref (model);
  if (bound == NULL)
    return NULL;
  if (info->needs_source)
    *tokens = read_target (input, number, bound, framing, n_answer, cancellable, error);
  else if (attn_model_has_decoder (model))
    *tokens = attn_tokens_ref (own);
  else
    *tokens = add_answer (bound, attn_tokens_ref (own), input, n_answer, number, cancellable,
                          error);
  /* The answer was labelled by the tokenizer together with all other tokens, so picture tokens need
   * their labels again. */
  if (*tokens != NULL && info->takes_picture && n_answer > 0 && attn_input_is_picture (input))
    *tokens = insert_pictures (input, number, bound, *tokens, error);
  if (*tokens == NULL)
    return NULL;
  *source = info->needs_source ? g_steal_pointer (&own) : NULL;
  return g_steal_pointer (&bound);
}
