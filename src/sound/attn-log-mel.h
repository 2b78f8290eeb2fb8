/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computes the log-mel spectrogram of a sound, the power of its frequencies over time, with the
 * settings of a checkpoint's preprocessor_config.json. */

#pragma once

#include "attn-tensor.h"

G_BEGIN_DECLS

/**
 * AttnLogMel:
 * @rate: the samples per second that a sound must have
 * @seconds: the length of a sound that the model hears; a shorter one is filled up, a longer one
 *   cut
 * @n_bins: the number of ranges of frequencies
 * @n_fft: the samples of a frame, from which frequencies are computed
 * @hop: the samples from the beginning of a frame to that of the next
 * @padding: the value of samples that fill up a shorter sound
 *
 * The settings of a log-mel spectrogram.
 */
typedef struct
{
  gsize rate;
  gsize seconds;
  gsize n_bins;
  gsize n_fft;
  gsize hop;
  double padding;
} AttnLogMel;

extern const AttnLogMel attn_log_mel_usual;

gboolean attn_log_mel_load (const char *path,
                            AttnLogMel *log_mel,
                            GError **error);
gsize attn_log_mel_count_frames (const AttnLogMel *log_mel);
AttnTensor *attn_log_mel_prepare (const AttnLogMel *log_mel,
                                  const char *path,
                                  GError **error);
AttnTensor *attn_log_mel_compute (const AttnLogMel *log_mel,
                                  const AttnTensor *samples,
                                  GError **error);

G_END_DECLS
