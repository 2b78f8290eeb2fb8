/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sounds against NumPy's reading, resampling and log-mel spectrograms of them, and files that are
 * none. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "../compare-tensors.h"
#include "attn-array.h"
#include "attn-error.h"
#include "attn-fourier.h"
#include "attn-log-mel.h"
#include "attn-sound-resample.h"
#include "attn-wav.h"

static const char * const names[] = { "byte-8000", "short-16000", "packed-44100",
                                      "word-48000", "float-22050", "double-11025",
                                      "extensible-32000", "streamed-12000", "long-8000" };

static char *
build_path (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "sound", name, NULL);
}

static char *
build_wav_path (const char *name)
{
  g_autofree char *file = g_strconcat (name, ".wav", NULL);

  return build_path (file);
}

static AttnTensor *
read_expected (const char *name,
               const char *what)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = build_path ("expected.npz");
  g_autofree char *array = g_strdup_printf ("%s/%s", name, what);
  g_autoptr (AttnArrayFile) file = attn_array_file_load (path, &error);

  g_assert_no_error (error);
  AttnTensor *tensor = attn_array_to_tensor (attn_array_file_lookup (file, array), &error);
  g_assert_no_error (error);
  return tensor;
}

/* 1e-7: the last bit of a sample; 1e-6: of some hundred products of them. */
static void
test_read (gconstpointer name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = build_wav_path (name);
  g_autoptr (AttnTensor) expected = read_expected (name, "mono");
  g_autoptr (AttnTensor) expected_resampled = read_expected (name, "resampled");
  AttnWav wav, described;
  g_autoptr (AttnTensor) samples = attn_wav_read (path, 30.0, &wav, &error);

  g_assert_no_error (error);
  g_assert_true (attn_wav_is_file (path));
  g_assert_true (attn_wav_describe (path, &described, &error));
  g_assert_cmpuint (described.n_samples, ==, wav.n_samples);
  g_assert_cmpuint (wav.n_samples, ==, expected->shape[0]);
  g_assert_cmpfloat (compare_tensors (samples, expected), <, 1e-7);
  g_autoptr (AttnTensor) resampled = attn_sound_resample (samples, wav.rate, 16000, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (compare_tensors (resampled, expected_resampled), <, 1e-6);
}

/* Frames up to those of silence are NumPy's, and the others the smallest number. 1e-4: NumPy's
 * spectrogram is of single precision. */
static void
test_features (gconstpointer name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = build_wav_path (name);
  g_autoptr (AttnTensor) expected = read_expected (name, "features");
  AttnLogMel log_mel = attn_log_mel_usual;
  double largest = 0.0;
  float smallest = G_MAXFLOAT;

  log_mel.seconds = 1;
  log_mel.n_bins = expected->shape[0];
  g_autoptr (AttnTensor) features = attn_log_mel_prepare (&log_mel, path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (features->shape[0], ==, expected->shape[0]);
  g_assert_cmpuint (features->shape[1], ==, 100);
  for (gsize i = 0; i < features->shape[0] * 100; i++)
    smallest = MIN (smallest, features->data[i]);
  for (gsize i = 0; i < features->shape[0] * 100; i++)
    {
      gsize frame = i % 100;
      float number = frame < expected->shape[1]
                         ? expected->data[i / 100 * expected->shape[1] + frame]
                         : smallest;

      largest = MAX (largest, fabs ((double) features->data[i] - number));
    }
  g_test_message ("largest difference: %g", largest);
  g_assert_cmpfloat (largest, <, 1e-4);
}

/* 30 seconds are 3000 frames, however short a sound; silence is the smallest number that there
 * is. */
static void
test_silence (void)
{
  g_autoptr (GError) error = NULL;
  const gsize shape[] = { 5 };
  g_autoptr (AttnTensor) samples = attn_tensor_new (1, shape, &error);
  g_autoptr (AttnTensor) features =
      attn_log_mel_compute (&attn_log_mel_usual, samples, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (attn_log_mel_count_frames (&attn_log_mel_usual), ==, 3000);
  g_assert_cmpuint (features->shape[0], ==, 80);
  g_assert_cmpuint (features->shape[1], ==, 3000);
  for (gsize i = 0; i < 80 * 3000; i++)
    g_assert_cmpfloat_with_epsilon (features->data[i], -1.5, 1e-6);
}

/* A tone below half of both rates stays what it is. 1e-4: the filter's ripple. */
static void
test_tone (void)
{
  static const gsize rates[] = { 8000, 11025, 22050, 44100, 48000, 96000, 8001 };

  for (gsize r = 0; r < G_N_ELEMENTS (rates); r++)
    {
      const gsize shape[] = { rates[r] / 10 };
      g_autoptr (AttnTensor) samples = attn_tensor_new (1, shape, NULL);

      for (gsize i = 0; i < shape[0]; i++)
        samples->data[i] = (float) sin (2.0 * G_PI * 1234.5 * (double) i / (double) rates[r]);
      g_autoptr (AttnTensor) resampled = attn_sound_resample (samples, rates[r], 16000, NULL);
      g_assert_cmpuint (resampled->shape[0], ==, (shape[0] * 16000 + rates[r] - 1) / rates[r]);
      for (gsize i = 200; i < resampled->shape[0] - 200; i++)
        g_assert_cmpfloat_with_epsilon (resampled->data[i],
                                        sin (2.0 * G_PI * 1234.5 * (double) i / 16000.0), 1e-4);
    }
}

/* Powers are the sums that they are said to be, whatever the length. 1e-9: of sums of some hundred
 * numbers. */
static void
test_fourier (void)
{
  static const gsize lengths[] = { 1, 2, 3, 4, 30, 37, 49, 400, 401 };

  for (gsize l = 0; l < G_N_ELEMENTS (lengths); l++)
    {
      gsize n = lengths[l];
      g_autoptr (AttnFourier) fourier = attn_fourier_new (n);
      g_autofree double *x = g_new (double, n);
      g_autofree double *powers = g_new (double, n / 2 + 1);

      for (gsize i = 0; i < n; i++)
        x[i] = cos (0.7 * (double) (i * i % 101));
      attn_fourier_get_power (fourier, x, powers);
      for (gsize k = 0; k <= n / 2; k++)
        {
          double re = 0.0, im = 0.0;

          for (gsize i = 0; i < n; i++)
            {
              double angle = 2.0 * G_PI * (double) (i * k % n) / (double) n;

              re += x[i] * cos (angle);
              im -= x[i] * sin (angle);
            }
          g_assert_cmpfloat_with_epsilon (powers[k], re * re + im * im, 1e-9);
        }
    }
}

typedef struct
{
  gsize at;      /* first byte that is another */
  gsize n_bytes; /* of what is written there */
  guint32 value;
  gssize n_left; /* of the file; -1 for all */
  AttnError code;
  const char *words;
} Change;

/* What short-16000.wav would be with another number in it, or with less of it. Its chunk "LIST" of
 * 18 bytes stands at 36, "data" at 62. */
static const Change changes[] = {
  { 0, 4, 0x58464952, -1, ATTN_ERROR_FORMAT, "no WAV file found" },                 /* RIFX */
  { 0, 4, 0x43614c66, -1, ATTN_ERROR_FORMAT, "“ffmpeg -i SOUND sound.wav” makes" }, /* fLaC */
  { 20, 2, 2, -1, ATTN_ERROR_UNSUPPORTED, "samples of WAV format 2 found" },
  { 20, 2, 0x55, -1, ATTN_ERROR_UNSUPPORTED, "samples of WAV format 85 found" },
  { 20, 2, 0xfffe, -1, ATTN_ERROR_UNSUPPORTED, "samples of WAV format 0 found" },
  { 16, 4, 14, -1, ATTN_ERROR_UNSUPPORTED, "samples of WAV format 0 found" },
  { 22, 2, 0, -1, ATTN_ERROR_LIMIT, "0 channels found, expected 1 to 64" },
  { 22, 2, 65535, -1, ATTN_ERROR_LIMIT, "65535 channels found" },
  { 22, 2, 2, -1, ATTN_ERROR_FORMAT, "2 bytes a moment found, expected 4" },
  { 24, 4, 0, -1, ATTN_ERROR_LIMIT, "0 samples a second found, expected 8000 to 192000" },
  { 24, 4, 0xffffffff, -1, ATTN_ERROR_LIMIT, "4294967295 samples a second" },
  { 34, 2, 12, -1, ATTN_ERROR_UNSUPPORTED, "12 bits a sample found, expected one of 8, 16, 24" },
  { 34, 2, 64, -1, ATTN_ERROR_UNSUPPORTED, "64 bits a sample found" },
  { 20, 2, 3, -1, ATTN_ERROR_UNSUPPORTED, "16 bits a sample found, expected one of 32, 64" },
  { 40, 4, 0x7fffffff, -1, ATTN_ERROR_FORMAT, "a part of 2147483647 bytes found where 8026 are" },
  { 66, 4, 0xfffffffe, -1, ATTN_ERROR_FORMAT, "a part of 4294967294 bytes found where 8000 are" },
  { 66, 4, 0, -1, ATTN_ERROR_FORMAT, "a sound without samples found" },
  { 62, 4, 0x78787878, -1, ATTN_ERROR_FORMAT, "no samples found, expected the parts" },
  { 12, 4, 0x78787878, -1, ATTN_ERROR_FORMAT, "no samples found, expected the parts" },
  { 0, 0, 0, 4000, ATTN_ERROR_FORMAT, "a part of 8000 bytes found where 3930 are left" },
  { 0, 0, 0, 70, ATTN_ERROR_FORMAT, "a part of 8000 bytes found where 0 are left" },
  { 0, 0, 0, 66, ATTN_ERROR_FORMAT, "no samples found" },
  { 0, 0, 0, 20, ATTN_ERROR_FORMAT, "a part of 16 bytes found where 0 are left" },
  { 0, 0, 0, 12, ATTN_ERROR_FORMAT, "no samples found" },
  { 0, 0, 0, 11, ATTN_ERROR_FORMAT, "no WAV file found" },
};

static void
assert_refused (const char *path,
                AttnError   code,
                const char *words)
{
  g_autoptr (GError) error = NULL;
  AttnWav wav;

  g_assert_null (attn_wav_read (path, 30.0, &wav, &error));
  if (error == NULL || strstr (error->message, words) == NULL)
    g_test_message ("%s: %s", words, error != NULL ? error->message : "taken");
  g_assert_error (error, ATTN_ERROR, (int) code);
  g_assert_nonnull (strstr (error->message, words));
  g_clear_error (&error);
  g_assert_false (attn_wav_describe (path, &wav, &error));
  g_assert_error (error, ATTN_ERROR, (int) code);
}

static void
test_refused (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *whole = build_wav_path ("short-16000");
  g_autofree char *directory = g_dir_make_tmp ("attn-XXXXXX", &error);
  g_autofree char *path = g_build_filename (directory, "changed.wav", NULL);
  g_autofree char *content = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (whole, &content, &size, &error));
  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      const Change *change = &changes[i];
      g_autofree char *changed = g_memdup2 (content, size);

      for (gsize k = 0; k < change->n_bytes; k++)
        changed[change->at + k] = (char) (change->value >> 8 * k & 0xff);
      g_assert_true (g_file_set_contents (path, changed,
                                          change->n_left < 0 ? (gssize) size : change->n_left,
                                          &error));
      assert_refused (path, change->code, change->words);
    }
  g_unlink (path);
  g_rmdir (directory);
}

/* Ten hours are not read, and a number that is none is not heard. */
static void
test_long_and_infinite (void)
{
  static const guint8 head[] = "RIFF\xff\xff\xff\xff"
                               "WAVEfmt \x10\0\0\0\x1\0\x1\0\x40\x1f\0\0\x40\x1f\0\0\x1\0\x8\0"
                               "data";
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_dir_make_tmp ("attn-XXXXXX", &error);
  g_autofree char *path = g_build_filename (directory, "long.wav", NULL);
  g_autofree char *floats = build_wav_path ("float-22050");
  g_autofree char *content = NULL;
  const guint32 n_bytes = GUINT32_TO_LE (8000 * 36000);
  const guint32 infinity = GUINT32_TO_LE (0x7f800000);
  gsize size;
  AttnWav wav;

  /* The samples are a hole in the file. */
  FILE *file = g_fopen (path, "wb");
  g_assert_nonnull (file);
  g_assert_cmpuint (fwrite (head, 1, 40, file), ==, 40);
  g_assert_cmpuint (fwrite (&n_bytes, 4, 1, file), ==, 1);
  g_assert_cmpint (fseek (file, 43 + 8000 * 36000, SEEK_SET), ==, 0);
  g_assert_cmpint (fputc (0, file), ==, 0);
  fclose (file);
  assert_refused (path, ATTN_ERROR_LIMIT, "a sound of 36000 seconds found, expected less than");

  g_assert_true (g_file_get_contents (floats, &content, &size, &error));
  memcpy (content + 44 + 40, &infinity, 4);
  g_assert_true (g_file_set_contents (path, content, (gssize) size, &error));
  g_assert_null (attn_wav_read (path, 30.0, &wav, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
  g_assert_nonnull (strstr (error->message, "inf found at 10, expected numbers from -1 to 1"));
  g_unlink (path);
  g_rmdir (directory);
}

static void
assert_config_refused (const char *json,
                       const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_dir_make_tmp ("attn-XXXXXX", &error);
  g_autofree char *path = g_build_filename (directory, "preprocessor_config.json", NULL);
  AttnLogMel log_mel;

  g_assert_true (g_file_set_contents (path, json, -1, &error));
  g_assert_false (attn_log_mel_load (directory, &log_mel, &error));
  if (error == NULL || strstr (error->message, words) == NULL)
    g_test_message ("%s: %s", json, error != NULL ? error->message : "taken");
  g_assert_nonnull (strstr (error->message, words));
  g_unlink (path);
  g_rmdir (directory);
}

static void
test_config (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *nowhere = build_path ("generators");
  AttnLogMel log_mel;

  assert_config_refused ("{\"feature_extractor_type\": \"Wav2Vec2FeatureExtractor\"}",
                         "Wav2Vec2FeatureExtractor found, expected one of "
                         "WhisperFeatureExtractor");
  assert_config_refused ("{\"dither\": 0.1}", "“dither”: noise found");
  assert_config_refused ("{\"padding_value\": 2.5}", "“padding_value”: 2.5 found");
  assert_config_refused ("{\"chunk_length\": 0}", "“chunk_length”");
  assert_config_refused ("{\"hop_length\": 1}", "“hop_length”");
  assert_config_refused ("{\"sampling_rate\": \"high\"}", "“sampling_rate”");
  g_assert_false (attn_log_mel_load (nowhere, &log_mel, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_nonnull (strstr (error->message, "it says how sounds are prepared"));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *read = g_strconcat ("/sound/read/", names[i], NULL);
      g_autofree char *features = g_strconcat ("/sound/features/", names[i], NULL);

      g_test_add_data_func (read, names[i], test_read);
      g_test_add_data_func (features, names[i], test_features);
    }
  g_test_add_func ("/sound/silence", test_silence);
  g_test_add_func ("/sound/tone", test_tone);
  g_test_add_func ("/sound/fourier", test_fourier);
  g_test_add_func ("/sound/refused", test_refused);
  g_test_add_func ("/sound/long-and-infinite", test_long_and_infinite);
  g_test_add_func ("/sound/config", test_config);
  return g_test_run ();
}
