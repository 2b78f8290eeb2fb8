/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions for reading a configuration from the metadata of a GGUF file. Its keys are translated
 * into members of a config.json, which attn_config_read() then reads. */

#pragma once

#include "attn-config-private.h"
#include "attn-gguf.h"

G_BEGIN_DECLS

#define ATTN_GGUF_YARN_LOG_MULTIPLIER "rope.scaling.yarn_log_multiplier"

typedef enum
{
  ATTN_GGUF_SIZE,
  ATTN_GGUF_NUMBER,
  ATTN_GGUF_BOOLEAN,
} AttnGgufKind;

/* The state of translating the metadata of a GGUF file. Keys of the file are prefixed with
 * "ARCHITECTURE.", as in "llama.block_count". */
typedef struct
{
  const AttnArrayFile *file;
  const AttnGgufMetadata *metadata;
  AttnJsonReader values; /* reads @metadata by key */
  const AttnFamily *family;
  JsonObject *object;
} AttnGgufReader;

char *attn_gguf_reader_make_key (const AttnGgufReader *reader, const char *key);
void attn_gguf_reader_take (AttnGgufReader *reader, const char *name, const char *member,
                            AttnGgufKind kind, gboolean is_required);
gsize attn_gguf_reader_get_size (const AttnGgufReader *reader, const char *member);
gsize attn_gguf_reader_read_size (AttnGgufReader *reader, const char *name, gsize fallback);

void attn_gguf_reader_take_latents (AttnGgufReader *reader);
void attn_gguf_reader_take_delta (AttnGgufReader *reader);
void attn_gguf_reader_take_globals (AttnGgufReader *reader);

void attn_gguf_reader_take_rope_scaling (AttnGgufReader *reader);
gboolean attn_gguf_reader_take_rope_factors (const AttnGgufReader *reader, AttnConfig *config,
                                             GError **error);

G_END_DECLS
