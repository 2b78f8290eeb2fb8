/* SPDX-License-Identifier: GPL-3.0-or-later */

/* SHA-256 checksums (FIPS 180-4) by the library nettle, which uses the processor's own instructions
 * for them. GLib does not, and takes several times as long. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define ATTN_CHECKSUM_BYTES 32

typedef struct _AttnChecksum AttnChecksum;

AttnChecksum *attn_checksum_new    (void);
void          attn_checksum_update (AttnChecksum  *self,
                                    gconstpointer  data,
                                    gsize          n_bytes);
void          attn_checksum_finish (AttnChecksum  *self,
                                    guint8         digest[ATTN_CHECKSUM_BYTES]);
char         *attn_checksum_finish_hex (AttnChecksum *self);
void          attn_checksum_free   (AttnChecksum  *self);

void          attn_checksum_compute (gconstpointer data,
                                     gsize         n_bytes,
                                     guint8        digest[ATTN_CHECKSUM_BYTES]);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnChecksum, attn_checksum_free)

G_END_DECLS
