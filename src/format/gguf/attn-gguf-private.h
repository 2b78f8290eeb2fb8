/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A cursor that reads a GGUF file from front to back and checks each size against the bytes that
 * remain. */

#pragma once

#include "attn-gguf.h"

G_BEGIN_DECLS

/* The most bytes of a key or of the name of a tensor. */
#define ATTN_GGUF_MAX_NAME_BYTES 65535

/**
 * AttnGgufCursor:
 * @path: the path of the file, for messages
 * @data: (array length=size): the whole file
 * @position: the offset of the next byte to be read, at most @size
 * @error: return location for the first failure
 */
typedef struct
{
  const char *path;
  const guint8 *data;
  gsize size;
  gsize position;
  GError **error;
} AttnGgufCursor;

/* Functions of the cursor; each returns FALSE (or NULL) and sets the cursor's error if the file
 * ends within @what. */
gboolean attn_gguf_cursor_require     (AttnGgufCursor  *cursor,
                                       guint64          n_bytes,
                                       const char      *what);
gboolean attn_gguf_cursor_read_uint   (AttnGgufCursor  *cursor,
                                       guint            n_bytes,
                                       const char      *what,
                                       guint64         *value);
gboolean attn_gguf_cursor_read_string (AttnGgufCursor  *cursor,
                                       const char      *what,
                                       AttnGgufString  *string);
char    *attn_gguf_cursor_dup_name    (AttnGgufCursor  *cursor,
                                       const char      *what);

struct _AttnGgufMetadata
{
  char *path;
  GBytes *bytes;       /* keeps the file mapped */
  JsonObject *values;  /* by key; arrays are empty */
  GHashTable *arrays;  /* by key */
  gsize n_header_bytes;
};

AttnGgufMetadata *attn_gguf_metadata_read   (AttnGgufCursor    *cursor,
                                             guint64            n_pairs,
                                             AttnArrayFile     *file,
                                             GBytes            *bytes);
void              attn_array_file_take_gguf (AttnArrayFile     *file,
                                             AttnGgufMetadata  *metadata,
                                             GDestroyNotify     free_metadata);

G_END_DECLS
