/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computes the log-mel spectrogram of a sound with the settings of a checkpoint's
 * preprocessor_config.json. */

#pragma once

#include "attn-tensor.h"

G_BEGIN_DECLS

/**
 * AttnLogMel:
 * @rate: samples a second that a sound has to have
 * @seconds: that are heard; a shorter sound is filled up, of a longer one the first are taken
 * @n_bins: of frequencies
 * @n_fft: samples of a frame
 * @hop: samples from one to the next
 * @padding: number of a sample that fills up
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
