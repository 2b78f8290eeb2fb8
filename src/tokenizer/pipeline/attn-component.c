/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-component.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-json.h"

/**
 * attn_component_find:
 * @components: those that are known
 * @name: what a file says
 * @where: the file
 * @what: what it says it of, translated, such as "pre-tokenizer"
 * @error: return location for %ATTN_ERROR_UNSUPPORTED
 *
 * Returns: (transfer none) (nullable): the row of that name
 */
const AttnComponentType *
attn_component_find_type (const AttnComponentType  *components,
                          const char               *name,
                          const char               *where,
                          const char               *what,
                          GError                  **error)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (const AttnComponentType *component = components; component->name != NULL; component++)
    {
      if (g_str_equal (component->name, name))
        return component;
      g_string_append_printf (known, "%s%s", known->len > 0 ? ", " : "", component->name);
    }
  return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED, _("%s: %s “%s” found, expected one of %s"),
                         where, what, name, known->str);
}

/**
 * attn_component_get_object:
 * @node: (nullable): a component
 * @object: (out) (transfer none): its object
 * @error: return location for %ATTN_ERROR_FORMAT
 */
gboolean
attn_component_get_object (JsonNode    *node,
                           const char  *where,
                           const char  *what,
                           JsonObject **object,
                           GError     **error)
{
  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: %s that is not an object found, expected an object"), where, what);
  *object = json_node_get_object (node);
  return TRUE;
}

/**
 * attn_component_read:
 * @node: a component
 * @components: the types that are known
 * @stage: what is put together
 * @error: return location for %ATTN_ERROR_FORMAT, %ATTN_ERROR_UNSUPPORTED for a type that is not
 *   known, and for what its row reports
 */
gboolean
attn_component_read (JsonNode                 *node,
                     const AttnComponentType  *components,
                     gpointer                  stage,
                     const char               *where,
                     const char               *what,
                     GError                  **error)
{
  JsonObject *object;
  JsonArray *array;
  const char *type;

  if (!attn_component_get_object (node, where, what, &object, error) ||
      !attn_json_get_string (object, where, "type", "", &type, error))
    return FALSE;

  const AttnComponentType *component = attn_component_find_type (components, type, where, what, error);
  if (component == NULL)
    return FALSE;
  if (component->sequence == NULL)
    return component->read (stage, object, component->kind, where, error);
  if (!attn_json_get_array (object, where, component->sequence, &array, error))
    return FALSE;
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    if (!attn_component_read (json_array_get_element (array, i), components, stage, where, what,
                              error))
      return FALSE;
  return TRUE;
}
