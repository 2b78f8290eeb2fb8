/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads WAV files. They begin with "RIFF", the number of bytes that follow, and "WAVE"; then come
 * chunks: each has four letters, the number of its bytes, and the bytes, padded to an even number.
 * "fmt " describes the samples and "data" contains them; the samples of all channels for one moment
 * are adjacent. All numbers are little-endian (Microsoft, Multiple Channel Audio Data and WAVE
 * Files, 2007). */

#include "config.h"

#include "attn-wav.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-file.h"

#define HEAD           12 /* bytes before the first chunk */
#define CHUNK_HEAD     8
#define FORMAT_BYTES   16
#define EXTENDED_BYTES 40
#define MAX_CHANNELS   64
#define MAX_LOUDNESS   1e9 /* largest magnitude of a sample: some programs write floats up to
                            * 32768 */

/* Codes of sample formats in the chunk "fmt " of a WAV file. After FORMAT_EXTENSIBLE, later bytes
 * of the chunk have the code. */
#define FORMAT_PCM        1
#define FORMAT_FLOAT      3
#define FORMAT_EXTENSIBLE 0xfffe

/* The size of the chunk "data" of a WAV file whose header was written before the length of the
 * sound was known. */
#define UNKNOWN_SIZE G_MAXUINT32

/**
 * Samples:
 * @data: (nullable): the samples in the mapped file; %NULL until they are found
 * @n_bytes: the bytes of all samples
 * @is_float: whether a sample is a floating-point number, not an integer
 * @bits: the bits of a sample
 */
typedef struct
{
  const guint8 *data;
  gsize n_bytes;
  gboolean is_float;
  guint bits;
} Samples;

static guint
get_short (const guint8 *bytes)
{
  return bytes[0] | (guint) bytes[1] << 8;
}

static guint32
get_word (const guint8 *bytes)
{
  return get_short (bytes) | (guint32) get_short (bytes + 2) << 16;
}

static gboolean
is_wav (const guint8 *data,
        gsize         size)
{
  return size >= HEAD && memcmp (data, "RIFF", 4) == 0 && memcmp (data + 8, "WAVE", 4) == 0;
}

/**
 * attn_wav_is_file:
 *
 * Returns: whether @path is a file that begins as a WAV file, whatever its name
 */
gboolean
attn_wav_is_file (const char *path)
{
  gsize size;
  g_autoptr (GBytes) start = attn_file_read_start (path, HEAD, &size, NULL);

  return start != NULL && is_wav (g_bytes_get_data (start, NULL), g_bytes_get_size (start));
}

/* Reads the chunk "fmt ", which describes the samples. @where: the name of the file in messages,
 * also in the functions below */
static gboolean
read_format (const char    *where,
             const guint8  *chunk,
             gsize          size,
             AttnWav       *wav,
             Samples       *samples,
             GError       **error)
{
  guint format = size >= FORMAT_BYTES ? get_short (chunk) : 0;

  if (format == FORMAT_EXTENSIBLE)
    format = size >= EXTENDED_BYTES ? get_short (chunk + 24) : 0;
  if (format != FORMAT_PCM && format != FORMAT_FLOAT)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: samples of WAV format %u found, expected whole numbers (1) or "
                        "floating-point ones (3), not compressed"),
                      where, format);
  wav->n_channels = get_short (chunk + 2);
  wav->rate = get_word (chunk + 4);
  samples->is_float = format == FORMAT_FLOAT;
  samples->bits = get_short (chunk + 14);
  if (wav->n_channels == 0 || wav->n_channels > MAX_CHANNELS)
    return attn_fail (error, ATTN_ERROR_LIMIT, _("%s: %zu channels found, expected 1 to %d"), where,
                      wav->n_channels, MAX_CHANNELS);
  if (wav->rate < ATTN_WAV_MIN_RATE || wav->rate > ATTN_WAV_MAX_RATE)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("%s: %zu samples a second found, expected %d to %d"), where, wav->rate,
                      ATTN_WAV_MIN_RATE, ATTN_WAV_MAX_RATE);
  if (samples->is_float ? samples->bits != 32 && samples->bits != 64
                        : samples->bits % 8 != 0 || samples->bits < 8 || samples->bits > 32)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: %u bits a sample found, expected one of %s"), where, samples->bits,
                      samples->is_float ? "32, 64" : "8, 16, 24, 32");
  gsize n_bytes = wav->n_channels * samples->bits / 8;
  if (get_short (chunk + 12) != n_bytes)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: %u bytes a moment found, expected %zu for its channels and bits"),
                      where, get_short (chunk + 12), n_bytes);
  return TRUE;
}

/* Reads the chunks of a file up to its samples, and checks their number. @wav: (out), @samples:
 * (out) */
static gboolean
find_samples (const char    *where,
              const guint8  *data,
              gsize          size,
              AttnWav       *wav,
              Samples       *samples,
              GError       **error)
{
  gsize at = HEAD;

  if (!is_wav (data, size))
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: no WAV file found, expected one, which “ffmpeg -i SOUND sound.wav” "
                        "makes of other sounds"),
                      where);
  while (samples->data == NULL && size - at >= CHUNK_HEAD)
    {
      const guint8 *chunk = data + at + CHUNK_HEAD;
      gsize n_left = size - at - CHUNK_HEAD;
      gsize n_bytes = get_word (data + at + 4);
      gboolean is_data = memcmp (data + at, "data", 4) == 0;

      if (is_data && n_bytes == UNKNOWN_SIZE)
        n_bytes = n_left;
      if (n_bytes > n_left)
        return attn_fail (error, ATTN_ERROR_FORMAT,
                          _("%s: a part of %zu bytes found where %zu are left, expected a whole "
                            "file"),
                          where, n_bytes, n_left);
      if (memcmp (data + at, "fmt ", 4) == 0 &&
          !read_format (where, chunk, n_bytes, wav, samples, error))
        return FALSE;
      if (is_data && wav->rate > 0)
        {
          samples->data = chunk;
          samples->n_bytes = n_bytes;
        }
      at += CHUNK_HEAD + MIN (n_bytes + n_bytes % 2, n_left);
    }
  if (samples->data == NULL)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: no samples found, expected the parts “fmt ” and “data”"), where);
  wav->n_samples = samples->n_bytes / (wav->n_channels * samples->bits / 8);
  if (wav->n_samples == 0)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: a sound without samples found, expected some"), where);
  if (wav->n_samples / wav->rate >= ATTN_WAV_MAX_SECONDS)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("%s: a sound of %zu seconds found, expected less than %d; a model hears "
                        "the first of them"),
                      where, wav->n_samples / wav->rate, ATTN_WAV_MAX_SECONDS);
  return TRUE;
}

/* Returns the value of a sample that is stored at @bytes. Integers are scaled to at least -1 and
 * less than 1. */
static double
get_number (const Samples *samples,
            const guint8  *bytes)
{
  union
  {
    guint32 bits;
    float number;
  } single;
  union
  {
    guint64 bits;
    double number;
  } full;

  if (samples->is_float && samples->bits == 32)
    {
      single.bits = get_word (bytes);
      return single.number;
    }
  if (samples->is_float)
    {
      full.bits = get_word (bytes) | (guint64) get_word (bytes + 4) << 32;
      return full.number;
    }
  switch (samples->bits)
    {
    case 8: /* the only samples without a sign */
      return (bytes[0] - 128) / 128.0;
    case 16:
      return (gint16) get_short (bytes) / 32768.0;
    case 24:
      return (gint32) ((guint32) get_short (bytes) << 8 | (guint32) bytes[2] << 24) / 2147483648.0;
    default:
      return (gint32) get_word (bytes) / 2147483648.0;
    }
}

/* Reads the first @n samples of a sound and mixes its channels to one. Returns: (transfer full)
 * (nullable): [n]: the mean of the channels */
static AttnTensor *
average_channels (const char     *where,
                  const AttnWav  *wav,
                  const Samples  *samples,
                  gsize           n,
                  GError        **error)
{
  const gsize shape[] = { n };
  gsize n_bytes = samples->bits / 8;
  AttnTensor *mono = attn_tensor_new_unset (1, shape, error);

  for (gsize i = 0; mono != NULL && i < n; i++)
    {
      double sum = 0.0;

      for (gsize channel = 0; channel < wav->n_channels; channel++)
        sum += get_number (samples, samples->data + (i * wav->n_channels + channel) * n_bytes);
      mono->data[i] = (float) (sum / (double) wav->n_channels);
      if (!(fabs (sum) <= MAX_LOUDNESS))
        {
          attn_tensor_unref (mono);
          return attn_fail_null (error, ATTN_ERROR_FORMAT,
                                 _("%s: %g found at %zu, expected numbers from -1 to 1 or a little "
                                   "more"),
                                 where, sum, i);
        }
    }
  return mono;
}

/**
 * attn_wav_describe:
 * @wav: (out caller-allocates): the rate, channels and length of the sound
 * @error: return location: errors of [func@attn_wav_read]
 *
 * Reads the header of a WAV file, and no samples.
 */
gboolean
attn_wav_describe (const char  *path,
                   AttnWav     *wav,
                   GError     **error)
{
  g_autoptr (GBytes) bytes = attn_file_map (path, error);
  g_autofree char *where = g_filename_display_name (path);
  Samples samples = { 0 };

  *wav = (AttnWav) { 0 };
  return bytes != NULL &&
         find_samples (where, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), wav,
                       &samples, error) &&
         attn_file_check (bytes, error);
}

/**
 * attn_wav_read:
 * @path: the path of a WAV file whose samples are integers of 8, 16, 24 or 32 bits or
 *   floating-point numbers of 32 or 64
 * @seconds: how much of the sound to read, from its beginning
 * @wav: (out caller-allocates): the rate, channels and length of the sound
 * @error: return location: #GFileError, %ATTN_ERROR_FORMAT for a file that is no WAV file or is cut
 *   off, %ATTN_ERROR_UNSUPPORTED for compressed samples, %ATTN_ERROR_LIMIT for a rate or number of
 *   channels out of range, and for an hour of sound or more, %ATTN_ERROR_MEMORY
 *
 * Reads a sound and mixes its channels to one by their mean.
 *
 * Returns: (transfer full) (nullable): [samples]: values from -1 to 1, or a little beyond for
 *   floating-point files
 */
AttnTensor *
attn_wav_read (const char  *path,
               double       seconds,
               AttnWav     *wav,
               GError     **error)
{
  g_autoptr (GBytes) bytes = attn_file_map (path, error);
  g_autofree char *where = g_filename_display_name (path);
  Samples samples = { 0 };

  *wav = (AttnWav) { 0 };
  if (bytes == NULL || !find_samples (where, g_bytes_get_data (bytes, NULL),
                                      g_bytes_get_size (bytes), wav, &samples, error))
    return NULL;
  gsize n_wanted = (gsize) ceil (CLAMP (seconds, 0.0, ATTN_WAV_MAX_SECONDS) * (double) wav->rate);
  g_autoptr (AttnTensor) mono = average_channels (
      where, wav, &samples, CLAMP (n_wanted, 1, wav->n_samples), error);
  return mono != NULL && attn_file_check (bytes, error) ? g_steal_pointer (&mono) : NULL;
}
