/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Prepares sounds for a model as WhisperFeatureExtractor of the Python library transformers 4.57
 * does (feature_extraction_whisper.py and audio_utils.py). */

#include "config.h"

#include "attn-log-mel.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-fourier.h"
#include "attn-json.h"
#include "attn-sound-resample.h"
#include "attn-wav.h"

#define MAX_BINS    1024
#define MAX_FFT     2048
#define MAX_SECONDS 300

#define HIGHEST_HERTZ 8000.0
#define SMALLEST      1e-10 /* the smallest power of a frequency whose logarithm is taken */
#define RANGE         8.0   /* number of decades below the largest power to which lower values are
                             * raised */

/* The settings of Whisper's models, which are also the defaults for a checkpoint's missing
 * settings. */
const AttnLogMel attn_log_mel_usual = {
  .rate = 16000,
  .seconds = 30,
  .n_bins = 80,
  .n_fft = 400,
  .hop = 160,
};

static void
read_members (AttnJsonReader *json,
              AttnLogMel     *log_mel)
{
  static const char extractor[] = "WhisperFeatureExtractor";
  const AttnLogMel *usual = &attn_log_mel_usual;
  const char *name = attn_json_read_string (json, "feature_extractor_type", extractor);

  if (strcmp (name, extractor) != 0)
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected one of %s"),
                    json->where, "feature_extractor_type", name, extractor);
  log_mel->rate = attn_json_read_size (json, "sampling_rate", ATTN_WAV_MIN_RATE, ATTN_WAV_MAX_RATE,
                                       usual->rate);
  log_mel->seconds = attn_json_read_size (json, "chunk_length", 1, MAX_SECONDS, usual->seconds);
  log_mel->n_bins = attn_json_read_size (json, "feature_size", 1, MAX_BINS, usual->n_bins);
  log_mel->n_fft = attn_json_read_size (json, "n_fft", 4, MAX_FFT, usual->n_fft);
  log_mel->hop = attn_json_read_size (json, "hop_length", 16, MAX_FFT, usual->hop);
  log_mel->padding = attn_json_read_number (json, "padding_value", usual->padding);
  if (!(fabs (log_mel->padding) <= 1.0))
    attn_json_fail (json, ATTN_ERROR_LIMIT, _("%s: “%s”: %g found, expected %g to %g"), json->where,
                    "padding_value", log_mel->padding, -1.0, 1.0);
  if (attn_json_read_number (json, "dither", 0.0) != 0.0)
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: noise found, expected 0"),
                    json->where, "dither");
}

/**
 * attn_log_mel_load:
 * @path: the path of a checkpoint's folder, or of a file in it
 * @log_mel: (out caller-allocates): the settings in its preprocessor_config.json
 * @error: return location: #GFileError if there is no such file, %ATTN_ERROR_UNSUPPORTED for
 *   another feature extractor, %ATTN_ERROR_FORMAT, %ATTN_ERROR_LIMIT
 */
gboolean
attn_log_mel_load (const char  *path,
                   AttnLogMel  *log_mel,
                   GError     **error)
{
  g_autofree char *directory =
      g_file_test (path, G_FILE_TEST_IS_DIR) ? g_strdup (path) : g_path_get_dirname (path);
  g_autofree char *file = g_build_filename (directory, "preprocessor_config.json", NULL);
  g_autofree char *where = g_filename_display_name (file);

  *log_mel = attn_log_mel_usual;
  if (!g_file_test (file, G_FILE_TEST_EXISTS))
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                   _("%s: no such file found, expected it, for it says how sounds are prepared; "
                     "an array of features needs none"),
                   where);
      return FALSE;
    }
  g_autoptr (JsonNode) root = attn_json_load (file, error);
  if (root == NULL)
    return FALSE;
  AttnJsonReader json = attn_json_begin (root, where);
  read_members (&json, log_mel);
  return attn_json_finish (&json, error);
}

/**
 * attn_log_mel_count_frames:
 *
 * Returns: the number of frames of a prepared sound. It is the same for all sounds, since they are
 *   filled up or cut to one length.
 */
gsize
attn_log_mel_count_frames (const AttnLogMel *log_mel)
{
  return log_mel->seconds * log_mel->rate / log_mel->hop;
}

/* Converts mels, a measure of perceived pitch, to hertz on Slaney's scale: 3 mels for each 200 Hz
 * up to 1 kHz, and above that 27 mels for each factor of 6.4. */
static double
get_hertz (double mels)
{
  return mels < 15.0 ? 200.0 * mels / 3.0 : 1000.0 * exp (log (6.4) / 27.0 * (mels - 15.0));
}

static double
get_mels (double hertz)
{
  return hertz < 1000.0 ? 3.0 * hertz / 200.0
                        : 15.0 + log (hertz / 1000.0) * (27.0 / log (6.4));
}

/* Computes the mel filters, one for each bin of frequencies. Each is a triangle over three
 * consecutive frequencies of n_bins + 2; all have the same area. @filters: (out caller-allocates):
 * [n_bins, n_powers] */
static void
fill_filters (const AttnLogMel *log_mel,
              gsize             n_powers,
              double           *filters)
{
  double highest = get_mels (HIGHEST_HERTZ);
  double step = highest / (double) (log_mel->n_bins + 1);
  double last = (double) (log_mel->rate / 2);

  for (gsize bin = 0; bin < log_mel->n_bins; bin++)
    {
      double low = get_hertz ((double) bin * step);
      double middle = get_hertz ((double) (bin + 1) * step);
      double high = get_hertz ((double) (bin + 2) * step);

      for (gsize k = 0; k < n_powers; k++)
        {
          double hertz = last * (double) k / (double) (n_powers - 1);
          double side = MIN ((hertz - low) / (middle - low), (high - hertz) / (high - middle));

          filters[bin * n_powers + k] = MAX (side, 0.0) * 2.0 / (high - low);
        }
    }
}

/* Returns the sample number @at. Beyond the beginning and the end, the sound is mirrored. @n: the
 * samples of the sound with its padding */
static double
get_sample (const AttnLogMel *log_mel,
            const AttnTensor *samples,
            gssize            at,
            gsize             n)
{
  if (at < 0)
    at = -at;
  if (at >= (gssize) n)
    at = 2 * ((gssize) n - 1) - at;
  return at < (gssize) samples->shape[0] ? samples->data[at] : log_mel->padding;
}

/* Computes the decimal logarithms of the power in each bin of frequencies and each frame. @out:
 * (out caller-allocates): [bins, frames]. Returns the largest logarithm. */
static double
fill_decades (const AttnLogMel *log_mel,
              const AttnTensor *samples,
              AttnTensor       *out)
{
  gsize n_fft = log_mel->n_fft, n_powers = n_fft / 2 + 1;
  gsize n = log_mel->seconds * log_mel->rate;
  g_autoptr (AttnFourier) fourier = attn_fourier_new (n_fft);
  g_autofree double *filters = g_new (double, log_mel->n_bins *n_powers);
  g_autofree double *window = g_new (double, n_fft);
  g_autofree double *x = g_new (double, n_fft);
  g_autofree double *powers = g_new (double, n_powers);
  double most = log10 (SMALLEST);

  fill_filters (log_mel, n_powers, filters);
  for (gsize i = 0; i < n_fft; i++)
    window[i] = 0.5 - 0.5 * cos (2.0 * G_PI * (double) i / (double) n_fft);
  for (gsize frame = 0; frame < out->shape[1]; frame++)
    {
      gssize first = (gssize) (frame * log_mel->hop) - (gssize) (n_fft / 2);

      for (gsize i = 0; i < n_fft; i++)
        x[i] = window[i] * get_sample (log_mel, samples, first + (gssize) i, n);
      attn_fourier_get_power (fourier, x, powers);
      for (gsize bin = 0; bin < log_mel->n_bins; bin++)
        {
          double sum = 0.0;

          for (gsize k = 0; k < n_powers; k++)
            sum += filters[bin * n_powers + k] * powers[k];
          double decade = log10 (MAX (sum, SMALLEST));
          out->data[bin * out->shape[1] + frame] = (float) decade;
          most = MAX (most, decade);
        }
    }
  return most;
}

/**
 * attn_log_mel_compute:
 * @samples: [n]: the sound at the rate of @log_mel; samples beyond its seconds are ignored
 * @error: return location: %ATTN_ERROR_MEMORY
 *
 * Computes the log-mel spectrogram of Whisper. Frames are centered on every hop-th sample, with the
 * sound mirrored at its ends, and multiplied by a periodic Hann window; the frame around the end is
 * left out. Their powers are summed in bins of Slaney's mel scale. The result is (decimal logarithm
 * + 4) / 4, with no logarithm more than 8 below the largest.
 *
 * Returns: (transfer full) (nullable): [bins, frames]
 */
AttnTensor *
attn_log_mel_compute (const AttnLogMel  *log_mel,
                      const AttnTensor  *samples,
                      GError           **error)
{
  const gsize shape[] = { log_mel->n_bins, attn_log_mel_count_frames (log_mel) };
  AttnTensor *features = attn_tensor_new_unset (2, shape, error);

  if (features == NULL)
    return NULL;
  double least = fill_decades (log_mel, samples, features) - RANGE;
  for (gsize i = 0; i < shape[0] * shape[1]; i++)
    features->data[i] = (float) ((MAX ((double) features->data[i], least) + 4.0) / 4.0);
  return features;
}

/**
 * attn_log_mel_prepare:
 * @path: the path of a WAV file
 * @error: return location: errors of [func@attn_wav_read]
 *
 * Reads a sound, mixes its channels to one, resamples it to the rate of @log_mel and computes its
 * spectrogram.
 *
 * Returns: (transfer full) (nullable): [bins, frames]: the input of the model
 */
AttnTensor *
attn_log_mel_prepare (const AttnLogMel  *log_mel,
                      const char        *path,
                      GError           **error)
{
  AttnWav wav;
  /* Reads one second more of the sound than is used, since resampling needs samples after the last
   * one. */
  g_autoptr (AttnTensor) samples =
      attn_wav_read (path, (double) log_mel->seconds + 1.0, &wav, error);

  if (samples == NULL)
    return NULL;
  g_autoptr (AttnTensor) resampled =
      attn_sound_resample (samples, wav.rate, log_mel->rate, error);
  return resampled != NULL ? attn_log_mel_compute (log_mel, resampled, error) : NULL;
}
