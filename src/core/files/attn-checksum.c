/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-checksum.h"

#include <nettle/sha2.h>

struct _AttnChecksum
{
  struct sha256_ctx context;
};

G_STATIC_ASSERT (ATTN_CHECKSUM_BYTES == SHA256_DIGEST_SIZE);

/**
 * attn_checksum_new:
 *
 * Returns: (transfer full): a checksum of no bytes yet, to which [func@attn_checksum_update] adds
 *   some
 */
AttnChecksum *
attn_checksum_new (void)
{
  AttnChecksum *self = g_new (AttnChecksum, 1);

  sha256_init (&self->context);
  return self;
}

void
attn_checksum_update (AttnChecksum  *self,
                      gconstpointer  data,
                      gsize          n_bytes)
{
  sha256_update (&self->context, n_bytes, data);
}

/**
 * attn_checksum_finish:
 * @digest: (out): the checksum of all bytes that were added; afterwards @self is one of no bytes
 *   again
 */
void
attn_checksum_finish (AttnChecksum *self,
                      guint8        digest[ATTN_CHECKSUM_BYTES])
{
  sha256_digest (&self->context, ATTN_CHECKSUM_BYTES, digest);
}

/**
 * attn_checksum_finish_hex:
 *
 * Returns: (transfer full): the checksum of all bytes that were added as 64 hexadecimal digits in
 *   lower case; afterwards @self is a checksum of no bytes again
 */
char *
attn_checksum_finish_hex (AttnChecksum *self)
{
  static const char digits[] = "0123456789abcdef";
  guint8 digest[ATTN_CHECKSUM_BYTES];
  char *hex = g_malloc (2 * ATTN_CHECKSUM_BYTES + 1);

  attn_checksum_finish (self, digest);
  for (gsize i = 0; i < ATTN_CHECKSUM_BYTES; i++)
    {
      hex[2 * i] = digits[digest[i] >> 4];
      hex[2 * i + 1] = digits[digest[i] & 15];
    }
  hex[2 * ATTN_CHECKSUM_BYTES] = '\0';
  return hex;
}

void
attn_checksum_free (AttnChecksum *self)
{
  g_free (self);
}

/**
 * attn_checksum_compute:
 * @digest: (out): the checksum of @data
 */
void
attn_checksum_compute (gconstpointer data,
                       gsize         n_bytes,
                       guint8        digest[ATTN_CHECKSUM_BYTES])
{
  g_autoptr (AttnChecksum) checksum = attn_checksum_new ();

  attn_checksum_update (checksum, data, n_bytes);
  attn_checksum_finish (checksum, digest);
}
