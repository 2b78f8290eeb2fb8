/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What attn-json.c asks of the text before json-glib sees it, what a walk shares with that, and
 * what the safetensors reader asks of attn-json.c. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-json-walk.h"

G_BEGIN_DECLS

/**
 * AttnJsonOmit:
 * @object: a member of the root
 * @members: (array zero-terminated=1): members of that object
 * @walks: (array): one each; those of members that are not there stay as they are
 * @rest: where the text without their values is appended, null in their place
 */
typedef struct
{
  const char *object;
  const char * const *members;
  AttnJsonWalk *walks;
  GString *rest;
} AttnJsonOmit;

gboolean    attn_json_scan           (const char    *where,
                                      const char    *text,
                                      gsize          length,
                                      AttnJsonOmit  *omit,
                                      GError       **error);
int         attn_json_read_code_unit (const char    *p,
                                      const char    *end);
const char *attn_json_skip_space     (const char    *p,
                                      const char    *end);
const char *attn_json_skip_number    (const char    *p,
                                      const char    *end);
JsonNode   *attn_json_parse_unique   (const char    *where,
                                      const char    *text,
                                      gsize          length,
                                      GError       **error);

G_END_DECLS
