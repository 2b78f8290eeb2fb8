/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the stages of a tokenizer.json, which have a common form: an object whose "type" names the
 * kind. */

#pragma once

#include "attn-json.h"

G_BEGIN_DECLS

/**
 * AttnTokenizerComponent:
 * @json: its members
 * @stage: what is being put together
 * @kind: the number of its row
 *
 * An object that is being read.
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
