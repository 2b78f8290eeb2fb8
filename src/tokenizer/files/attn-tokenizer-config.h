/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tokenizer_config.json that lies beside a vocabulary. */

#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/**
 * AttnTokenizerConfig:
 * @where: the file, for messages
 * @node: (nullable): what holds @object
 * @object: (nullable): its content, %NULL where there is no file
 */
typedef struct
{
  char *where;
  JsonNode *node;
  JsonObject *object;
} AttnTokenizerConfig;

gboolean attn_tokenizer_config_load        (AttnTokenizerConfig        *config,
                                            const char                 *beside,
                                            GError                    **error);
void     attn_tokenizer_config_clear       (AttnTokenizerConfig        *config);
gboolean attn_tokenizer_config_get_boolean (const AttnTokenizerConfig  *config,
                                            const char                 *member,
                                            gboolean                    fallback,
                                            gboolean                   *value,
                                            GError                    **error);
gboolean attn_tokenizer_config_get_string  (const AttnTokenizerConfig  *config,
                                            const char                 *member,
                                            const char                 *fallback,
                                            const char                **value,
                                            GError                    **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AttnTokenizerConfig, attn_tokenizer_config_clear)

G_END_DECLS
