/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-component.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-json.h"

/**
 * attn_component_find_type:
 * @object: the component
 * @where: the file
 * @what: the stage, translated, such as "pre-tokenizer"
 * @types: (array zero-terminated=1): those that are known
 * @error: return location for %ATTN_ERROR_FORMAT, and %ATTN_ERROR_UNSUPPORTED for a type that is
 *   not known
 *
 * Returns: the index into @types, or -1
 */
int
attn_component_find_type (JsonObject          *object,
                          const char          *where,
                          const char          *what,
                          const char * const  *types,
                          GError             **error)
{
  const char *type;

  if (!attn_json_get_string (object, where, "type", "", &type, error))
    return -1;
  for (int i = 0; types[i] != NULL; i++)
    if (g_str_equal (types[i], type))
      return i;

  g_autofree char *known = g_strjoinv (", ", (char **) types);
  g_set_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
               _("%s: %s “%s” found, expected one of %s"), where, what, type, known);
  return -1;
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
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                   _("%s: %s that is not an object found, expected an object"), where,
                   what);
      return FALSE;
    }
  *object = json_node_get_object (node);
  return TRUE;
}

/**
 * attn_component_read_sequence:
 * @object: a component of type "Sequence"
 * @member: what it calls its list
 * @func: called for each component of the list, in order
 * @error: return location for %ATTN_ERROR_FORMAT, and for what @func reports
 */
gboolean
attn_component_read_sequence (JsonObject         *object,
                              const char         *where,
                              const char         *member,
                              AttnComponentFunc   func,
                              gpointer            user_data,
                              GError            **error)
{
  JsonArray *array;

  if (!attn_json_get_array (object, where, member, &array, error))
    return FALSE;
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    if (!func (user_data, json_array_get_element (array, i), where, error))
      return FALSE;
  return TRUE;
}
