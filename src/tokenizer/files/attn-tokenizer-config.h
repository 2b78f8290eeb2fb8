/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the tokenizer_config.json next to a vocabulary. */

#pragma once

#include "attn-tokenizer-component.h"

G_BEGIN_DECLS

/**
 * AttnTokenizerConfig:
 * @values: the members of the JSON object, none where there is no file
 * @where: name of the file, with which error messages begin
 *
 * A tokenizer_config.json of Hugging Face that is being read.
 */
typedef struct
{
  AttnJsonReader values;
  char *where;
} AttnTokenizerConfig;

gboolean    attn_tokenizer_config_load      (AttnTokenizerConfig  *config,
                                             const char           *beside,
                                             GError              **error);
void        attn_tokenizer_config_clear     (AttnTokenizerConfig  *config);
const char *attn_tokenizer_config_get_token (AttnTokenizerConfig  *config,
                                             const char           *member,
                                             const char           *fallback);

JsonArray  *attn_tokenizer_config_load_added (const char          *beside,
                                             GError              **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AttnTokenizerConfig, attn_tokenizer_config_clear)

G_END_DECLS
