/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the stages of a tokenizer.json have in common: an object whose "type" says which one it
 * is. */

#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/**
 * AttnComponentFunc:
 * @user_data: the stage that is put together
 * @node: a component of it
 * @where: the file
 */
typedef gboolean (*AttnComponentFunc) (gpointer     user_data,
                                       JsonNode    *node,
                                       const char  *where,
                                       GError     **error);

int      attn_component_find_type     (JsonObject          *object,
                                       const char          *where,
                                       const char          *what,
                                       const char * const  *types,
                                       GError             **error);
gboolean attn_component_get_object    (JsonNode            *node,
                                       const char          *where,
                                       const char          *what,
                                       JsonObject         **object,
                                       GError             **error);
gboolean attn_component_read_sequence (JsonObject          *object,
                                       const char          *where,
                                       const char          *member,
                                       AttnComponentFunc    func,
                                       gpointer             user_data,
                                       GError             **error);

G_END_DECLS
