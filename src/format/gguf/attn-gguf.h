/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Typed access to the metadata of a GGUF file about its model: sizes, vocabulary and other values
 * by key. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-array.h"

G_BEGIN_DECLS

/**
 * AttnGgufString:
 * @data: the bytes, where they lie in the mapped file; no zero stands behind them
 * @length: how many
 *
 * An element of an array of strings. The format prescribes UTF-8; whoever uses one checks it.
 */
typedef struct
{
  const char *data;
  gsize length;
} AttnGgufString;

/**
 * AttnGgufMetadata:
 *
 * Belongs to an #AttnArrayFile and lives as long. Immutable; any thread may read it.
 */
typedef struct _AttnGgufMetadata AttnGgufMetadata;

gboolean                attn_gguf_is_file        (const char          *path);
const AttnGgufMetadata *attn_array_file_get_gguf (const AttnArrayFile *file);

gsize       attn_gguf_metadata_get_n_header_bytes (const AttnGgufMetadata *metadata);
JsonObject *attn_gguf_metadata_get_values  (const AttnGgufMetadata  *metadata);
gboolean    attn_gguf_metadata_get_strings (const AttnGgufMetadata  *metadata,
                                            const char              *key,
                                            const AttnGgufString   **strings,
                                            gsize                   *n_strings,
                                            GError                 **error);
gboolean    attn_gguf_metadata_dup_floats  (const AttnGgufMetadata  *metadata,
                                            const char              *key,
                                            float                  **floats,
                                            gsize                   *n_floats,
                                            GError                 **error);

G_END_DECLS
