/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What attn-json.c asks of the text before json-glib sees it, and what the safetensors reader asks
 * of attn-json.c. */

#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

gboolean  attn_json_scan         (const char  *where,
                                  const char  *text,
                                  gsize        length,
                                  GError     **error);
JsonNode *attn_json_parse_unique (const char  *where,
                                  const char  *text,
                                  gsize        length,
                                  GError     **error);

G_END_DECLS
