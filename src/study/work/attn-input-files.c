/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Inputs that are pictures or sounds, given to their models. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-input-picture.h"
#include "attn-input-sound.h"
#include "attn-workspace-private.h"

/**
 * attn_input_bind_picture:
 * @number: of the input, from 1, which an error names
 * @model: one of pictures
 * @tokens: (out) (transfer full): those of the picture
 * @error: return location: errors of [func@attn_input_load_picture] and
 *   [func@attn_model_bind_pixels], %ATTN_ERROR_ARGUMENT for an input that is no picture
 *
 * Returns: (transfer full) (nullable): the model with the picture
 */
AttnModel *
attn_input_bind_picture (const AttnInput *input,
                         gsize number,
                         AttnModel *model,
                         AttnTokens **tokens,
                         GError **error)
{
  g_autoptr (AttnTensor) pixels = NULL;
  g_autoptr (AttnImage) image = NULL;
  AttnModel *bound = NULL;

  if (!attn_input_is_picture (input))
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _ ("input %zu: no picture found, expected one for %s, a model of "
                              "pictures"),
                           number, attn_model_get_path (model));
  if (input->n_tokens > 0)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _ ("input %zu: %zu tokens of a picture found, expected all of them"),
                           number, input->n_tokens);
  pixels = attn_input_load_picture (input, model, &image, error);
  if (pixels != NULL)
    bound = attn_model_bind_pixels (model, pixels, image, error);
  if (bound == NULL)
    {
      g_prefix_error (error, _ ("input %zu: "), number);
      return NULL;
    }
  *tokens = attn_model_list_patches (bound);
  return bound;
}

/**
 * attn_input_bind_sound:
 * @number: of the input, from 1, which an error names
 * @model: one of sounds: an encoder, or a decoder, whose source the tokens of the sound are then
 * @frames: (out) (transfer full): these tokens
 * @error: return location: errors of [func@attn_input_load_sound] and
 *   [func@attn_model_bind_features], %ATTN_ERROR_ARGUMENT for an input that is no sound
 *
 * Returns: (transfer full) (nullable): the model with the sound
 */
AttnModel *
attn_input_bind_sound (const AttnInput *input,
                       gsize number,
                       AttnModel *model,
                       AttnTokens **frames,
                       GError **error)
{
  g_autoptr (AttnTensor) features = NULL;
  AttnModel *bound = NULL;
  double seconds;

  if (!attn_input_is_sound (input))
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _ ("input %zu: no sound found, expected one for %s, a model of sounds"),
                           number, attn_model_get_path (model));
  if (input->n_tokens > 0)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _ ("input %zu: %zu tokens of a sound found, expected all of them"),
                           number, input->n_tokens);
  features = attn_input_load_sound (input, model, &seconds, error);
  g_autoptr (AttnTokens) listed =
      features != NULL ? attn_model_list_frames (model, seconds) : NULL;
  if (features != NULL)
    bound = attn_model_bind_features (model, features, listed, error);
  if (bound == NULL)
    {
      g_prefix_error (error, _ ("input %zu: "), number);
      return NULL;
    }
  *frames = g_steal_pointer (&listed);
  return bound;
}
