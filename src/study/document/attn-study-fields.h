/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Members of a study's JSON objects. Each getter leaves @value as it is where the member is
 * missing, and fails with a message that names the place and the member where it is of another
 * type or out of range. Private to src/study. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-colormap.h"
#include "attn-index-set.h"

G_BEGIN_DECLS

/* Reads a choice by its name. */
typedef gboolean (*AttnParseFunc) (const char  *name,
                                   int         *value,
                                   GError     **error);

/* Makes an element of a list out of an object; NULL on failure. */
typedef gpointer (*AttnReadFunc)  (JsonObject  *object,
                                   const char  *where,
                                   GError     **error);

gboolean attn_fields_check_members (JsonObject          *object,
                                    const char          *where,
                                    const char * const  *known,
                                    GError             **error);
gboolean attn_fields_get_number    (JsonObject          *object,
                                    const char          *where,
                                    const char          *member,
                                    double               minimum,
                                    double               maximum,
                                    double              *value,
                                    GError             **error);
gboolean attn_fields_get_choice    (JsonObject          *object,
                                    const char          *where,
                                    const char          *member,
                                    AttnParseFunc        parse,
                                    int                 *value,
                                    GError             **error);
gboolean attn_fields_get_set       (JsonObject          *object,
                                    const char          *where,
                                    const char          *member,
                                    gboolean            *shown,
                                    AttnIndexSet       **set,
                                    GError             **error);
gboolean attn_fields_get_index     (JsonObject          *object,
                                    const char          *where,
                                    const char          *member,
                                    const char * const  *names,
                                    const char          *expected,
                                    int                 *value,
                                    GError             **error);
gboolean attn_fields_parse_color   (const char          *text,
                                    AttnRgb             *color);
gboolean attn_fields_get_color     (JsonObject          *object,
                                    const char          *where,
                                    const char          *member,
                                    AttnRgb             *color,
                                    GError             **error);
gboolean attn_fields_get_flag      (JsonObject          *object,
                                    const char          *where,
                                    const char          *member,
                                    gboolean            *value,
                                    GError             **error);
gboolean attn_fields_get_flags     (JsonObject          *object,
                                    const char          *where,
                                    const char          *member,
                                    AttnParseFunc        parse,
                                    gboolean            *flags,
                                    GError             **error);
gboolean attn_fields_get_size      (JsonObject          *object,
                                    const char          *where,
                                    const char          *member,
                                    gsize               *value,
                                    GError             **error);
gboolean attn_fields_get_strings   (JsonObject          *object,
                                    const char          *where,
                                    const char          *member,
                                    GStrv               *value,
                                    GError             **error);
gboolean attn_fields_read_objects  (JsonObject          *object,
                                    const char          *where,
                                    const char          *member,
                                    guint                maximum,
                                    AttnReadFunc         read,
                                    GPtrArray           *list,
                                    GError             **error);
gboolean attn_fields_dup_string    (JsonObject          *object,
                                    const char          *where,
                                    const char          *member,
                                    char               **value,
                                    GError             **error);
gboolean attn_fields_dup_path      (JsonObject          *object,
                                    const char          *where,
                                    const char          *member,
                                    char               **value,
                                    GError             **error);

G_END_DECLS
