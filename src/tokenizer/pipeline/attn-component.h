/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the stages of a tokenizer.json have in common: an object whose "type" says which one it
 * is. */

#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/**
 * AttnComponent:
 * @object: its JSON
 * @where: what messages begin with
 * @stage: what is being put together
 * @kind: the number of its row
 * @error: (nullable): the first failure, after which each member is its fallback
 *
 * An object that is being read.
 */
typedef struct
{
  JsonObject *object;
  const char *where;
  gpointer stage;
  int kind;
  GError *error;
} AttnComponent;

/**
 * AttnComponentType:
 * @name: what a file calls the type
 * @kind: a number for @read
 * @read: (nullable): adds the component to its stage, or sets its error
 * @sequence: (nullable): the member with a list of components, of a type that is nothing else
 *
 * A row of the types that a stage knows; a row without a name ends them.
 */
typedef struct
{
  const char *name;
  int kind;
  void (*read) (AttnComponent *component);
  const char *sequence;
} AttnComponentType;

gboolean    attn_component_get_object  (JsonNode                 *node,
                                        const char               *where,
                                        const char               *what,
                                        JsonObject              **object,
                                        GError                  **error);
gboolean    attn_component_read        (JsonNode                 *node,
                                        const AttnComponentType  *types,
                                        gpointer                  stage,
                                        const char               *where,
                                        const char               *what,
                                        GError                  **error);
gboolean    attn_component_finish      (AttnComponent            *component,
                                        GError                  **error);
int         attn_component_find_kind   (AttnComponent            *component,
                                        const AttnComponentType  *types,
                                        const char               *name,
                                        const char               *what);
gboolean    attn_component_get_boolean (AttnComponent            *component,
                                        const char               *member,
                                        gboolean                  fallback);
gsize       attn_component_get_size    (AttnComponent            *component,
                                        const char               *member,
                                        gsize                     maximum,
                                        gsize                     fallback);
const char *attn_component_get_string  (AttnComponent            *component,
                                        const char               *member,
                                        const char               *fallback);
JsonArray  *attn_component_get_array   (AttnComponent            *component,
                                        const char               *member);
JsonObject *attn_component_get_member  (AttnComponent            *component,
                                        const char               *member);
const char *attn_component_get_inner_string (AttnComponent       *component,
                                        const char               *member,
                                        const char               *inner);

G_END_DECLS
