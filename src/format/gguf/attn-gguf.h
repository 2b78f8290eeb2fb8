/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a GGUF file says of its model: its sizes, its vocabulary, by key and typed. */

#pragma once

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
 *
 * Each getter returns %FALSE with a message that begins with the file's path and names the key when
 * the key is there with another type or out of range; a missing one yields the fallback, and for an
 * array %NULL with 0 elements.
 */
typedef struct _AttnGgufMetadata AttnGgufMetadata;

gboolean                attn_gguf_is_file        (const char          *path);
const AttnGgufMetadata *attn_array_file_get_gguf (const AttnArrayFile *file);

gsize    attn_gguf_metadata_get_n_header_bytes (const AttnGgufMetadata *metadata);
gboolean attn_gguf_metadata_has          (const AttnGgufMetadata  *metadata,
                                          const char              *key);
gboolean attn_gguf_metadata_get_size     (const AttnGgufMetadata  *metadata,
                                          const char              *key,
                                          gsize                    minimum,
                                          gsize                    maximum,
                                          gsize                    fallback,
                                          gsize                   *value,
                                          GError                 **error);
gboolean attn_gguf_metadata_get_number   (const AttnGgufMetadata  *metadata,
                                          const char              *key,
                                          double                   fallback,
                                          double                  *value,
                                          GError                 **error);
gboolean attn_gguf_metadata_get_boolean  (const AttnGgufMetadata  *metadata,
                                          const char              *key,
                                          gboolean                 fallback,
                                          gboolean                *value,
                                          GError                 **error);
gboolean attn_gguf_metadata_get_string   (const AttnGgufMetadata  *metadata,
                                          const char              *key,
                                          const char              *fallback,
                                          const char             **value,
                                          GError                 **error);
gboolean attn_gguf_metadata_get_strings  (const AttnGgufMetadata  *metadata,
                                          const char              *key,
                                          const AttnGgufString   **strings,
                                          gsize                   *n_strings,
                                          GError                 **error);
gboolean attn_gguf_metadata_dup_integers (const AttnGgufMetadata  *metadata,
                                          const char              *key,
                                          gint64                 **integers,
                                          gsize                   *n_integers,
                                          GError                 **error);
gboolean attn_gguf_metadata_dup_floats   (const AttnGgufMetadata  *metadata,
                                          const char              *key,
                                          float                  **floats,
                                          gsize                   *n_floats,
                                          GError                 **error);

G_END_DECLS
