/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-input-sound.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-input-array.h"
#include "attn-log-mel.h"

/* Checks before the computation that the processor's numbers of mel bins and frames are those that
 * the model takes. */
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
 * @model: one of sounds
 *
 * Returns: from one token of its encoder to the next, as its processor says; as Whisper's usual one
 *   where there is none
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
 * @input: a sound
 * @model: one of sounds
 * @seconds: (out): from one token of the encoder to the next
 * @error: return location: errors of [func@attn_input_load_array], [func@attn_log_mel_load] and
 *   [func@attn_log_mel_prepare], %ATTN_ERROR_SHAPE for a processor of another model
 *
 * Reads a sound and prepares it as the checkpoint says, or reads an array as it is.
 *
 * Returns: (transfer full) (nullable): [bins, frames], as the model takes it
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
