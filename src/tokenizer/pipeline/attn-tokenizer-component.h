/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the stages of a tokenizer.json, which have a common form: an object whose "type" names the
 * kind. */

#pragma once

#include "attn-json.h"

G_BEGIN_DECLS

/**
 * AttnTokenizerComponent:
 * @json: reads the members of the object
 * @stage: the stage that is being put together, such as an #AttnNormalizer
 * @kind: the @kind of its #AttnTokenizerComponentType
 *
 * An object of a tokenizer.json that is being read.
 */
typedef struct
{
  AttnJsonReader json;
  gpointer stage;
  int kind;
} AttnTokenizerComponent;

/**
 * AttnTokenizerComponentType:
 * @name: what a file calls the type
 * @kind: a number for the type, which @read gets and [func@attn_tokenizer_component_find_kind]
 *   returns
 * @read: (nullable): adds the component to its stage, or sets its error
 * @sequence: (nullable): the member that lists other components, for a type that is only a list of
 *   them
 *
 * A row in the table of the types of component that a stage knows; a row without a name ends the
 * table.
 */
typedef struct
{
  const char *name;
  int kind;
  void (*read) (AttnTokenizerComponent *component);
  const char *sequence;
} AttnTokenizerComponentType;

AttnJsonReader attn_tokenizer_component_begin     (JsonNode       *node,
                                                   const char     *where,
                                                   const char     *what);
gboolean       attn_tokenizer_component_read      (JsonNode       *node,
                                                   const AttnTokenizerComponentType *types,
                                                   gpointer        stage,
                                                   const char     *where,
                                                   const char     *what,
                                                   GError        **error);
int            attn_tokenizer_component_find_kind (AttnJsonReader *json,
                                                   const AttnTokenizerComponentType *types,
                                                   const char     *name,
                                                   const char     *what);

G_END_DECLS
