/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A fingerprint that tells checkpoints apart without reading gigabytes. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *attn_fingerprint_compute (const char          *config_path,
                                const char * const  *weights_paths,
                                GError             **error);
char *attn_fingerprint_compute_gguf (const char * const  *paths,
                                     gsize        n_header_bytes,
                                     GError     **error);

G_END_DECLS
