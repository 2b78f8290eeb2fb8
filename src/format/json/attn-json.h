/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads JSON files of unknown origin, with messages that say what is wrong and where. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-error.h"
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

/**
 * AttnJsonReader:
 * @object: the object whose members are read
 * @where: the beginning of messages
 * @error: (nullable): the first failure, after which each read returns its fallback
 *
 * Reads the members of an object. The caller reads all that it needs, and then attn_json_finish()
 * tells whether each had the right type and range; one that is missing or null is read as its
 * fallback.
 */
typedef struct
{
  JsonObject *object;
  const char *where;
  GError *error;
} AttnJsonReader;

void        attn_json_fail          (AttnJsonReader  *reader,
                                     AttnError        code,
                                     const char      *format,
                                     ...) G_GNUC_PRINTF (3, 4);
AttnJsonReader attn_json_begin      (JsonNode        *node,
                                     const char      *where);
gboolean    attn_json_finish        (AttnJsonReader  *reader,
                                     GError         **error);
gsize       attn_json_read_size      (AttnJsonReader  *reader,
                                     const char      *member,
                                     gsize            minimum,
                                     gsize            maximum,
                                     gsize            fallback);
double      attn_json_read_number    (AttnJsonReader  *reader,
                                     const char      *member,
                                     double           fallback);
gboolean    attn_json_read_boolean   (AttnJsonReader  *reader,
                                     const char      *member,
                                     gboolean         fallback);
const char *attn_json_read_string    (AttnJsonReader  *reader,
                                     const char      *member,
                                     const char      *fallback);
JsonObject *attn_json_read_object    (AttnJsonReader  *reader,
                                     const char      *member);
JsonArray  *attn_json_read_array     (AttnJsonReader  *reader,
                                     const char      *member);
const char *attn_json_read_inner_string (AttnJsonReader *reader,
                                     const char      *member,
                                     const char      *inner);

G_END_DECLS
