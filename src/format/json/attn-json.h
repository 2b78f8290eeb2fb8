/* SPDX-License-Identifier: GPL-3.0-or-later */

/* JSON files that nobody vouches for, read with clear errors. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-json-walk.h"

G_BEGIN_DECLS

JsonNode   *attn_json_parse         (const char  *where,
                                     const char  *text,
                                     gssize       length,
                                     GError     **error);
JsonNode   *attn_json_parse_unique  (const char  *where,
                                     const char  *text,
                                     gsize        length,
                                     GError     **error);
JsonNode   *attn_json_parse_without (const char          *where,
                                     const char          *text,
                                     gsize                length,
                                     const char          *object,
                                     const char * const  *members,
                                     AttnJsonWalk        *walks,
                                     GError             **error);
JsonNode   *attn_json_load          (const char  *path,
                                     GError     **error);

/* Members of an object. Each getter returns FALSE with a message that begins with @where and names
 * the member when it is there with another type or out of range; a missing or null one yields the
 * fallback. */
gboolean    attn_json_get_size      (JsonObject  *object,
                                     const char  *where,
                                     const char  *member,
                                     gsize        minimum,
                                     gsize        maximum,
                                     gsize        fallback,
                                     gsize       *value,
                                     GError     **error);
gboolean    attn_json_get_number    (JsonObject  *object,
                                     const char  *where,
                                     const char  *member,
                                     double       fallback,
                                     double      *value,
                                     GError     **error);
gboolean    attn_json_get_boolean   (JsonObject  *object,
                                     const char  *where,
                                     const char  *member,
                                     gboolean     fallback,
                                     gboolean    *value,
                                     GError     **error);
gboolean    attn_json_get_string    (JsonObject  *object,
                                     const char  *where,
                                     const char  *member,
                                     const char  *fallback,
                                     const char **value,
                                     GError     **error);
gboolean    attn_json_get_object    (JsonObject  *object,
                                     const char  *where,
                                     const char  *member,
                                     JsonObject **value,
                                     GError     **error);
gboolean    attn_json_get_array     (JsonObject  *object,
                                     const char  *where,
                                     const char  *member,
                                     JsonArray  **value,
                                     GError     **error);

G_END_DECLS
