/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Access to the metadata of a GGUF file about its model, such as its sizes and its vocabulary, by
 * key and with their types. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-array.h"

G_BEGIN_DECLS

/**
 * AttnGgufString:
 * @data: the bytes, in the mapped file itself; not terminated by a zero
 * @length: the number of bytes
 *
 * An element of an array of strings. The format prescribes UTF-8, but that is not checked: the
 * caller must do so.
 */
typedef struct
{
  const char *data;
  gsize length;
} AttnGgufString;

/**
 * AttnGgufMetadata:
 *
 * The metadata of a GGUF file. They belong to an #AttnArrayFile and live as long as it. Immutable;
 * any thread may read them.
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
