/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-input-sound.h"

#include "attn-input-array.h"

/* From one token of Whisper's encoder to the next: two hops of 160 samples at 16 kHz. */
#define USUAL_SECONDS 0.02

/**
 * attn_input_load_sound:
 * @input: a sound
 * @seconds: (out): from one token of the encoder to the next
 * @error: return location: errors of [func@attn_input_load_array]
 *
 * Reads an array as it is.
 *
 * Returns: (transfer full) (nullable): [bins, frames], as the model takes it
 */
AttnTensor *
attn_input_load_sound (const AttnInput  *input,
                       double           *seconds,
                       GError          **error)
{
  *seconds = USUAL_SECONDS;
  return attn_input_load_array (input->features, 2, "[bins, frames]", error);
}
