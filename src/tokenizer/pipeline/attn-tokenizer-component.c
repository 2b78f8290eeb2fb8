/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-tokenizer-component.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-json.h"

/**
 * attn_tokenizer_component_begin:
 * @node: (nullable): a component
 * @what: what it is, translated, such as "pre-tokenizer"
 *
 * Returns: a reader of the members of @node; its error is %ATTN_ERROR_FORMAT if @node is no object
 */
AttnJsonReader
attn_tokenizer_component_begin (JsonNode   *node,
                                const char *where,
                                const char *what)
{
  AttnJsonReader json = { .where = where };

  if (node != NULL && JSON_NODE_HOLDS_OBJECT (node))
    json.object = json_node_get_object (node);
  else
    attn_json_fail (&json, ATTN_ERROR_FORMAT,
                    _("%s: %s that is not an object found, expected an object"), where, what);
  return json;
}

static const AttnTokenizerComponentType *
find_type (AttnJsonReader                   *json,
           const AttnTokenizerComponentType *types,
           const char                       *name,
           const char                       *what)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (; types->name != NULL && json->error == NULL; types++)
    {
      if (g_str_equal (types->name, name))
        return types;
      g_string_append_printf (known, "%s%s", known->len > 0 ? ", " : "", types->name);
    }
  attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: %s “%s” found, expected one of %s"),
                  json->where, what, name, known->str);
  return NULL;
}

/**
 * attn_tokenizer_component_find_kind:
 * @types: the types that are known
 * @name: the name that a file gives
 * @what: what the file names so, translated, such as "split behavior"
 *
 * Looks up a name in a table of types.
 *
 * Returns: the @kind of the row of that name; -1 with %ATTN_ERROR_UNSUPPORTED where there is none
 */
int
attn_tokenizer_component_find_kind (AttnJsonReader                   *json,
                                    const AttnTokenizerComponentType *types,
                                    const char                       *name,
                                    const char                       *what)
{
  const AttnTokenizerComponentType *type = find_type (json, types, name, what);

  return type != NULL ? type->kind : -1;
}

/**
 * attn_tokenizer_component_read:
 * @node: (nullable): a component; %NULL, or null in the file, adds nothing
 * @types: the types that are known
 * @stage: the stage to which the component is added
 * @where: name of the file in error messages
 * @what: what the component is, translated, such as "pre-tokenizer"
 * @error: return location for %ATTN_ERROR_FORMAT, %ATTN_ERROR_UNSUPPORTED for a type that is not
 *   known, and what the function in its row reports
 *
 * Reads a component of a tokenizer.json and adds it to a stage of the tokenizer.
 */
gboolean
attn_tokenizer_component_read (JsonNode                          *node,
                               const AttnTokenizerComponentType  *types,
                               gpointer                           stage,
                               const char                        *where,
                               const char                        *what,
                               GError                           **error)
{
  AttnTokenizerComponent component = { .stage = stage };
  const AttnTokenizerComponentType *type;
  JsonArray *array = NULL;

  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    return TRUE;
  component.json = attn_tokenizer_component_begin (node, where, what);
  const char *name = attn_json_read_string (&component.json, "type", "");
  type = find_type (&component.json, types, name, what);
  component.kind = type != NULL ? type->kind : -1;
  if (type != NULL && type->sequence == NULL)
    type->read (&component);
  else if (type != NULL)
    array = attn_json_read_array (&component.json, type->sequence);
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    if (!attn_tokenizer_component_read (json_array_get_element (array, i), types, stage, where,
                                        what, error))
      return FALSE;
  return attn_json_finish (&component.json, error);
}
