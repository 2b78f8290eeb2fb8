/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the usual form of a safetensors header without building a JSON tree. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

/* A tensor as the header describes it. */
typedef struct
{
  const char *name; /* not its own */
  AttnDtype dtype;
  guint n_dims;
  gsize shape[ATTN_ARRAY_MAX_DIMS];
  gsize begin; /* in the bytes after the header */
  gsize end;
} AttnSafetensor;

typedef struct
{
  GArray *tensors;       /* of AttnSafetensor, in the order of the file */
  GHashTable *metadata;  /* of strings */
  GStringChunk *strings; /* the names */
} AttnSafetensorsHeader;

void attn_safetensors_header_clear (AttnSafetensorsHeader *header);
gboolean attn_safetensors_header_read (AttnSafetensorsHeader *header,
                                       const char            *text,
                                       gsize                  length,
                                       gsize                  n_bytes);
gboolean attn_safetensors_find_dtype (const char *name,
                                      AttnDtype  *dtype);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AttnSafetensorsHeader,
                                  attn_safetensors_header_clear)

G_END_DECLS
