/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A fingerprint of a checkpoint: a checksum over a sample of its files, which tells checkpoints
 * apart without reading gigabytes. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _AttnFingerprint AttnFingerprint;

AttnFingerprint *attn_fingerprint_new     (const char       *config_path);
void             attn_fingerprint_add     (AttnFingerprint  *self,
                                           const char       *path,
                                           gsize             n_header);
char            *attn_fingerprint_finish  (AttnFingerprint  *self,
                                           GError          **error);
void             attn_fingerprint_free    (AttnFingerprint  *self);
char            *attn_fingerprint_compute (const char       *config_path,
                                           const char       *path,
                                           gsize             n_header,
                                           GError          **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnFingerprint, attn_fingerprint_free)

G_END_DECLS
