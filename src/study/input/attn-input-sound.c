/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-input-sound.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-input-array.h"
#include "attn-log-mel.h"

/* Checks that the numbers of mel bins and frames that the processor makes are those that the model
 * takes, before the sound is converted. */
static gboolean
check_sizes (const AttnLogMel     *log_mel,
             const AttnModelInfo  *info,
             GError              **error)
{
  gsize n_frames = attn_log_mel_count_frames (log_mel);

  return (log_mel->n_bins == info->n_bins && n_frames == info->n_frames) ||
         attn_fail (error, ATTN_ERROR_SHAPE,
                    _("preprocessor_config.json: %zu mel bins and %zu frames found, expected %zu "
                      "and %zu as the model takes them"),
                    log_mel->n_bins, n_frames, info->n_bins, info->n_frames);
}

/**
 * attn_input_get_seconds:
 * @model: a model that takes sounds
 *
 * Returns: seconds from one token of the model's encoder to the next, by its processor; as in
 *   Whisper if it has none
 */
double
attn_input_get_seconds (const AttnModel *model)
{
  AttnLogMel log_mel;

  if (!attn_log_mel_load (attn_model_get_path (model), &log_mel, NULL))
    log_mel = attn_log_mel_usual;
  return ATTN_MODEL_FRAMES_A_TOKEN * (double) log_mel.hop / (double) log_mel.rate;
}

/**
 * attn_input_load_sound:
 * @input: an input that is a sound
 * @model: a model that takes sounds
 * @seconds: (out): seconds from one token of the encoder to the next
 * @error: return location: errors of [func@attn_input_load_array], [func@attn_log_mel_load] and
 *   [func@attn_log_mel_prepare], %ATTN_ERROR_SHAPE if the processor makes other sizes than the
 *   model takes
 *
 * Reads a sound and prepares it as the model's processor says, or reads an array without
 * preparation.
 *
 * Returns: (transfer full) (nullable): the features that the model takes, [bins, frames]
 */
AttnTensor *
attn_input_load_sound (const AttnInput  *input,
                       const AttnModel  *model,
                       double           *seconds,
                       GError          **error)
{
  g_autoptr (GError) local_error = NULL;
  AttnLogMel log_mel;
  gboolean is_known = attn_log_mel_load (attn_model_get_path (model), &log_mel, &local_error);

  if (!is_known)
    log_mel = attn_log_mel_usual;
  *seconds = ATTN_MODEL_FRAMES_A_TOKEN * (double) log_mel.hop / (double) log_mel.rate;
  if (input->features != NULL)
    return attn_input_load_array (input->features, 2, "[bins, frames]", error);
  if (!is_known)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return NULL;
    }
  return check_sizes (&log_mel, attn_model_get_info (model), error)
             ? attn_log_mel_prepare (&log_mel, input->audio, error)
             : NULL;
}
