/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads WAV files and mixes their channels to one. */

#pragma once

#include "attn-tensor.h"

G_BEGIN_DECLS

/* The fewest and the most samples per second of a sound, and its greatest length in seconds. */
#define ATTN_WAV_MIN_RATE    8000
#define ATTN_WAV_MAX_RATE    192000
#define ATTN_WAV_MAX_SECONDS 3600

/**
 * AttnWav:
 * @rate: samples per second
 * @n_channels: the number of channels, which are mixed to one
 * @n_samples: the samples of each channel
 *
 * The facts about a sound in the header of its WAV file.
 */
typedef struct
{
  gsize rate;
  gsize n_channels;
  gsize n_samples;
} AttnWav;

/* Returns the duration of a sound in seconds. */
static inline double
attn_wav_get_duration (const AttnWav *wav)
{
  return (double) wav->n_samples / (double) wav->rate;
}

gboolean attn_wav_is_file (const char *path);
gboolean attn_wav_describe (const char *path,
                            AttnWav *wav,
                            GError **error);
AttnTensor *attn_wav_read (const char *path,
                           double seconds,
                           AttnWav *wav,
                           GError **error);

G_END_DECLS
