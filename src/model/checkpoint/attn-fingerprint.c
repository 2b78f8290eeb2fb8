/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-fingerprint.h"

#include <string.h>

#include "attn-checksum.h"
#include "attn-file.h"

/* The sample of a file: 64 pieces of 4 KiB (a page of memory) spread over its data, which take only
 * milliseconds to read, even from a hard disk. */
#define N_SAMPLES    64
#define SAMPLE_BYTES 4096

/* The largest size of a config.json in bytes, far above that of any model. */
#define MAX_CONFIG ((gsize) 1 << 30)

static void
update_with_size (AttnChecksum *checksum,
                  guint64       size)
{
  guint64 little_endian = GUINT64_TO_LE (size);

  attn_checksum_update (checksum, &little_endian, sizeof little_endian);
}

/* Returns the offset in bytes of piece @index of the sample in data of @size bytes. */
static gsize
get_sample (gsize size,
            gsize index)
{
  return (size - SAMPLE_BYTES) / (N_SAMPLES - 1) * index;
}

static void
update_with_sample (AttnChecksum *checksum,
                    const guint8 *data,
                    gsize         size)
{
  if (size <= N_SAMPLES * SAMPLE_BYTES)
    {
      attn_checksum_update (checksum, data, size);
      return;
    }
  for (gsize i = 0; i < N_SAMPLES; i++)
    attn_file_expect (data + get_sample (size, i), SAMPLE_BYTES);
  for (gsize i = 0; i < N_SAMPLES; i++)
    attn_checksum_update (checksum, data + get_sample (size, i), SAMPLE_BYTES);
}

/* Returns how many bytes at the beginning of a safetensors file are the header's length (8 bytes)
 * and the header, at most @n_bytes; 0 for a file of another format. */
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

/* Adds a file to the checksum. @n_header: number of bytes at the beginning that are all added; 0 to
 * measure the header of a safetensors file, or for a file without one */
static gboolean
update_with_file (AttnChecksum  *checksum,
                  const char    *path,
                  gsize          n_header,
                  GError       **error)
{
  g_autoptr (GBytes) bytes = attn_file_map (path, error);
  gsize n_bytes;

  if (bytes == NULL)
    return FALSE;

  const guint8 *data = g_bytes_get_data (bytes, &n_bytes);
  gsize n_before = n_header > 0 ? MIN (n_header, n_bytes) : measure_header (data, n_bytes);
  update_with_size (checksum, n_bytes);
  attn_checksum_update (checksum, data, n_before);
  update_with_sample (checksum, data + n_before, n_bytes - n_before);
  return TRUE;
}

/* A message to the thread that computes the checksum: a file to be added after the files sent
 * before. */
typedef struct
{
  char *path; /* (nullable): NULL ends the thread */
  gsize n_header;
  gboolean is_config;
} Part;

struct _AttnFingerprint
{
  GThread *thread;
  GAsyncQueue *parts;
  gint is_given_up; /* whether files that were not read yet are to be skipped; atomic */

  /* Members that only the computing thread uses until it ends. */
  AttnChecksum *checksum;
  GError *error;
};

static void
push (AttnFingerprint *self,
      const char      *path,
      gsize            n_header,
      gboolean         is_config)
{
  Part *part = g_new (Part, 1);

  *part = (Part) { g_strdup (path), n_header, is_config };
  g_async_queue_push (self->parts, part);
}

static void
part_free (gpointer data)
{
  Part *part = data;

  g_free (part->path);
  g_free (part);
}

static void
update_with_config (AttnFingerprint *self,
                    const char      *path)
{
  g_autoptr (GBytes) config = attn_file_read (path, MAX_CONFIG, &self->error);
  gsize n_config;

  if (config == NULL)
    return;
  const guint8 *data = g_bytes_get_data (config, &n_config);
  attn_checksum_update (self->checksum, data, n_config);
}

static gpointer
run (gpointer data)
{
  AttnFingerprint *self = data;

  for (;;)
    {
      Part *part = g_async_queue_pop (self->parts);
      gboolean is_last = part->path == NULL;

      if (!is_last && self->error == NULL && !g_atomic_int_get (&self->is_given_up))
        {
          if (part->is_config)
            update_with_config (self, part->path);
          else
            update_with_file (self->checksum, part->path, part->n_header, &self->error);
        }
      part_free (part);
      if (is_last)
        return NULL;
    }
}

static void
join (AttnFingerprint *self)
{
  push (self, NULL, 0, FALSE);
  g_thread_join (g_steal_pointer (&self->thread));
}

/**
 * attn_fingerprint_new:
 * @config_path: (nullable): the checkpoint's config.json
 *
 * SHA-256 over the bytes of @config_path and over the files, in the order in which they are added.
 * A file counts with its size in bytes (64 bits, little-endian), its header (for safetensors with
 * the length before it), and the data behind the header: all data up to 256 KiB, else 64 pieces of
 * 4 KiB that begin at multiples of (size of the data - 4096) / 63. Two checkpoints that differ only
 * between the pieces have the same fingerprint: it recognizes the model a study was made with, it
 * does not vouch for it.
 *
 * A thread reads the files while the caller goes on with opening the model.
 *
 * Returns: (transfer full): a fingerprint, to which files are added with
 *   [func@attn_fingerprint_add]
 */
AttnFingerprint *
attn_fingerprint_new (const char *config_path)
{
  AttnFingerprint *self = g_new0 (AttnFingerprint, 1);

  self->checksum = attn_checksum_new ();
  self->parts = g_async_queue_new_full (part_free);
  if (config_path != NULL)
    push (self, config_path, 0, TRUE);
  self->thread = g_thread_new ("fingerprint", run, self);
  return self;
}

/**
 * attn_fingerprint_add:
 * @path: path of a file of the checkpoint
 * @n_header: bytes at the beginning that all count, for a GGUF file those before its tensors; 0 to
 *   count the header of a safetensors file, and none of another format's
 */
void
attn_fingerprint_add (AttnFingerprint *self,
                      const char      *path,
                      gsize            n_header)
{
  push (self, path, n_header, FALSE);
}

/**
 * attn_fingerprint_finish:
 * @error: return location for #GFileError
 *
 * Waits until all files that were added are read. To be called once.
 *
 * Returns: (transfer full) (nullable): 64 hexadecimal digits
 */
char *
attn_fingerprint_finish (AttnFingerprint  *self,
                         GError          **error)
{
  join (self);
  if (self->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&self->error));
      return NULL;
    }
  return attn_checksum_finish_hex (self->checksum);
}

/* Frees a fingerprint, even if unfinished; files that were not read yet are skipped. */
void
attn_fingerprint_free (AttnFingerprint *self)
{
  g_atomic_int_set (&self->is_given_up, TRUE);
  if (self->thread != NULL)
    join (self);
  g_async_queue_unref (self->parts);
  attn_checksum_free (self->checksum);
  g_clear_error (&self->error);
  g_free (self);
}

/**
 * attn_fingerprint_compute:
 * @config_path: (nullable): as for [func@attn_fingerprint_new]
 * @path: a file, as for [func@attn_fingerprint_add]
 * @n_header: as for [func@attn_fingerprint_add]
 * @error: return location for #GFileError
 *
 * Returns: (transfer full) (nullable): the fingerprint of one file, in 64 hexadecimal digits
 */
char *
attn_fingerprint_compute (const char  *config_path,
                          const char  *path,
                          gsize        n_header,
                          GError     **error)
{
  g_autoptr (AttnFingerprint) self = attn_fingerprint_new (config_path);

  attn_fingerprint_add (self, path, n_header);
  return attn_fingerprint_finish (self, error);
}
