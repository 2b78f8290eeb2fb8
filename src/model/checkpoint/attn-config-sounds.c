/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the sizes of a speech model (Whisper: Radford et al. 2022, arXiv 2212.04356), whose encoder
 * hears a sound. */

#include "config.h"

#include "attn-config-private.h"
#include "attn-model.h"

#define MAX_BINS 4096

/**
 * attn_config_read_sounds:
 * @config: (inout): of a family of sounds, with the roles of its tensors set
 *
 * Reads how many positions the encoder or the decoder has, and for the encoder the sizes of a
 * sound.
 */
void
attn_config_read_sounds (AttnJsonReader *json,
                         AttnConfig     *config)
{
  const AttnFamilySounds *usual = &config->family->sounds;
  gboolean is_encoder = config->stack == ATTN_STACK_ONLY;

  config->n_positions =
      attn_json_read_size (json, is_encoder ? "max_source_positions" : "max_target_positions", 1,
                           MAX_POSITIONS / ATTN_MODEL_FRAMES_A_TOKEN,
                           is_encoder ? usual->n_positions : usual->n_target_positions);
  config->n_position_rows = config->n_positions;
  if (is_encoder)
    {
      config->sounds.n_bins = attn_json_read_size (json, "num_mel_bins", 1, MAX_BINS,
                                                   usual->n_bins);
      config->sounds.n_frames = ATTN_MODEL_FRAMES_A_TOKEN * config->n_positions;
      return;
    }
  attn_config_drop_role (config, ATTN_ROLE_CONVOLUTION);
  attn_config_drop_role (config, ATTN_ROLE_SECOND_CONVOLUTION);
}
