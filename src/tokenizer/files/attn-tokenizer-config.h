/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tokenizer_config.json that lies beside a vocabulary. */

#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

JsonObject *attn_tokenizer_config_load      (const char   *beside,
                                             char        **where,
                                             GError      **error);
gboolean    attn_tokenizer_config_get_token (JsonObject   *config,
                                             const char   *where,
                                             const char   *member,
                                             const char   *fallback,
                                             const char  **token,
                                             GError      **error);

G_END_DECLS
