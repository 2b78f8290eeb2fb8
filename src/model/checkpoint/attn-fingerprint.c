/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-fingerprint.h"

#include <string.h>

#include "attn-file.h"

/* 64 pages spread over the data take only milliseconds to read, even from a hard disk. */
#define N_SAMPLES    64
#define SAMPLE_BYTES 4096

/* A limit on the size of a configuration, far above that of any. */
#define MAX_CONFIG ((gsize) 1 << 30)

static void
update_with_size (GChecksum *checksum,
                  guint64    size)
{
  guint64 little_endian = GUINT64_TO_LE (size);

  g_checksum_update (checksum, (const guchar *) &little_endian, sizeof little_endian);
}

/* Returns the offset of sample @index in data of @size bytes. */
static gsize
get_sample (gsize size,
            gsize index)
{
  return (size - SAMPLE_BYTES) / (N_SAMPLES - 1) * index;
}

static void
update_with_sample (GChecksum    *checksum,
                    const guint8 *data,
                    gsize         size)
{
  if (size <= N_SAMPLES * SAMPLE_BYTES)
    {
      g_checksum_update (checksum, data, size);
      return;
    }
  for (gsize i = 0; i < N_SAMPLES; i++)
    attn_file_expect (data + get_sample (size, i), SAMPLE_BYTES);
  for (gsize i = 0; i < N_SAMPLES; i++)
    g_checksum_update (checksum, data + get_sample (size, i), SAMPLE_BYTES);
}

/* Returns the bytes of a safetensors file's length and header, as far as the data go, or 0 for
 * another kind of file. */
static gsize
measure_header (const guint8 *data,
                gsize         n_bytes)
{
  guint64 n_header = 0;

  if (n_bytes <= sizeof n_header || data[sizeof n_header] != '{')
    return 0;
  memcpy (&n_header, data, sizeof n_header);
  n_header = MIN (GUINT64_FROM_LE (n_header), n_bytes - MIN (sizeof n_header, n_bytes));
  return MIN (sizeof n_header, n_bytes) + n_header;
}

/* Adds a file to the checksum. @n_header: bytes of the header, 0 to derive them from a safetensors
 * file */
static gboolean
update_with_file (GChecksum   *checksum,
                  const char  *path,
                  gsize        n_header,
                  GError     **error)
{
  g_autoptr (GBytes) bytes = attn_file_map (path, error);
  gsize n_bytes;

  if (bytes == NULL)
    return FALSE;

  const guint8 *data = g_bytes_get_data (bytes, &n_bytes);
  gsize n_before = n_header > 0 ? MIN (n_header, n_bytes) : measure_header (data, n_bytes);
  update_with_size (checksum, n_bytes);
  g_checksum_update (checksum, data, n_before);
  update_with_sample (checksum, data + n_before, n_bytes - n_before);
  return TRUE;
}

/**
 * attn_fingerprint_compute:
 * @config_path: (nullable): the checkpoint's config.json
 * @weights_paths: (array zero-terminated=1): its files of weights, and what else it is made of
 * @error: return location for #GFileError
 *
 * SHA-256 over the bytes of @config_path, and of each of @weights_paths in order: its size in bytes
 * (64 bits, little-endian); of safetensors its header with the length before it; and its data, all
 * that there is of any other file, whole up to 256 KiB, else 64 pieces of 4 KiB that begin at
 * multiples of (size - 4096) / 63. Two checkpoints that differ only between the pieces have the
 * same one: it recognises the model a study was made with, it does not vouch for it.
 *
 * Returns: (transfer full) (nullable): 64 hexadecimal digits
 */
char *
attn_fingerprint_compute (const char          *config_path,
                          const char * const  *weights_paths,
                          GError             **error)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autoptr (GBytes) config =
      config_path != NULL ? attn_file_read (config_path, MAX_CONFIG, error) : NULL;
  gsize n_config;

  if (config_path != NULL && config == NULL)
    return NULL;
  if (config != NULL)
    {
      const guint8 *config_data = g_bytes_get_data (config, &n_config);

      g_checksum_update (checksum, config_data, n_config);
    }
  for (const char * const *path = weights_paths; *path != NULL; path++)
    if (!update_with_file (checksum, *path, 0, error))
      return NULL;
  return g_strdup (g_checksum_get_string (checksum));
}

/**
 * attn_fingerprint_compute_gguf:
 * @paths: (array zero-terminated=1): a GGUF file, or its parts
 * @n_header_bytes: where the tensors of the first begin
 * @error: return location for #GFileError
 *
 * The same over the file's size, all that lies before the tensors, and a sample of these; of
 * further parts a sample of the whole.
 *
 * Returns: (transfer full) (nullable): 64 hexadecimal digits
 */
char *
attn_fingerprint_compute_gguf (const char * const  *paths,
                               gsize                n_header_bytes,
                               GError             **error)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);

  for (gsize i = 0; paths[i] != NULL; i++)
    if (!update_with_file (checksum, paths[i], i == 0 ? n_header_bytes : 1, error))
      return NULL;
  return g_strdup (g_checksum_get_string (checksum));
}
