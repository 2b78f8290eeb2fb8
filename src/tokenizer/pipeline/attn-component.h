/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the stages of a tokenizer.json have in common: an object whose "type" says which one it
 * is. */

#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/**
 * AttnComponentType:
 * @name: what a file calls the type
 * @kind: a number for @read
 * @read: (nullable): adds the component @object to @stage, which is being put together
 * @sequence: (nullable): the member with a list of components, of a type that is nothing else
 *
 * A row of the types that a stage knows; a row without a name ends them.
 */
typedef struct
{
  const char *name;
  int kind;
  gboolean (*read) (gpointer     stage,
                    JsonObject  *object,
                    int          kind,
                    const char  *where,
                    GError     **error);
  const char *sequence;
} AttnComponentType;

const AttnComponentType *attn_component_find_type (const AttnComponentType  *components,
                                          const char           *name,
                                          const char           *where,
                                          const char           *what,
                                          GError              **error);
gboolean attn_component_get_object    (JsonNode            *node,
                                       const char          *where,
                                       const char          *what,
                                       JsonObject         **object,
                                       GError             **error);
gboolean attn_component_read       (JsonNode             *node,
                                    const AttnComponentType  *components,
                                    gpointer              stage,
                                    const char           *where,
                                    const char           *what,
                                    GError              **error);

G_END_DECLS
