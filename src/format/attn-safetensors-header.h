/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the header of a .safetensors file in the usual form, without building a JSON tree. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

/* A tensor as the header of the file describes it. */
typedef struct
{
  const char *name; /* owned by the header */
  AttnDtype dtype;
  guint n_dims;
  gsize shape[ATTN_ARRAY_MAX_DIMS];
  gsize begin; /* first of the tensor's bytes, counted from the end of the header */
  gsize end;
} AttnSafetensor;

typedef struct
{
  GArray *tensors;       /* of AttnSafetensor: the tensors, in the order of the file */
  GHashTable *metadata;  /* texts by key */
  GStringChunk *strings; /* memory of the names */
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
