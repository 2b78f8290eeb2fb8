/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-component.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-json.h"

/**
 * attn_component_get_object:
 * @node: (nullable): a component
 * @what: what it is, translated, such as "pre-tokenizer"
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

static const AttnComponentType *
find_type (AttnComponent           *component,
           const AttnComponentType *types,
           const char              *name,
           const char              *what)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (; types->name != NULL && component->error == NULL; types++)
    {
      if (g_str_equal (types->name, name))
        return types;
      g_string_append_printf (known, "%s%s", known->len > 0 ? ", " : "", types->name);
    }
  if (component->error == NULL)
    attn_set_error (&component->error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: %s “%s” found, expected one of %s"), component->where, what, name,
                    known->str);
  return NULL;
}

/**
 * attn_component_find_kind:
 * @types: those that are known
 * @name: what a file says
 * @what: what it says it of, translated
 *
 * Returns: the number of the row of that name; -1 with %ATTN_ERROR_UNSUPPORTED where there is none
 */
int
attn_component_find_kind (AttnComponent           *component,
                          const AttnComponentType *types,
                          const char              *name,
                          const char              *what)
{
  const AttnComponentType *type = find_type (component, types, name, what);

  return type != NULL ? type->kind : -1;
}

/**
 * attn_component_finish:
 *
 * Returns: whether nothing failed
 */
gboolean
attn_component_finish (AttnComponent  *component,
                       GError        **error)
{
  if (component->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&component->error));
  return FALSE;
}

/**
 * attn_component_read:
 * @node: (nullable): a component; none, or null, adds nothing
 * @types: the types that are known
 * @stage: what is put together
 * @where: the file
 * @what: what the component is, translated, such as "pre-tokenizer"
 * @error: return location for %ATTN_ERROR_FORMAT, %ATTN_ERROR_UNSUPPORTED for a type that is not
 *   known, and for what its row reports
 */
gboolean
attn_component_read (JsonNode                 *node,
                     const AttnComponentType  *types,
                     gpointer                  stage,
                     const char               *where,
                     const char               *what,
                     GError                  **error)
{
  AttnComponent component = { .where = where, .stage = stage };
  const AttnComponentType *type;
  JsonArray *array = NULL;

  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    return TRUE;
  if (!attn_component_get_object (node, where, what, &component.object, error))
    return FALSE;
  type = find_type (&component, types, attn_component_get_string (&component, "type", ""), what);
  component.kind = type != NULL ? type->kind : -1;
  if (type != NULL && type->sequence == NULL)
    type->read (&component);
  else if (type != NULL)
    array = attn_component_get_array (&component, type->sequence);
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    if (!attn_component_read (json_array_get_element (array, i), types, stage, where, what, error))
      return FALSE;
  return attn_component_finish (&component, error);
}

/**
 * attn_component_get_boolean:
 *
 * Returns: the member; @fallback where it is missing or null, or with %ATTN_ERROR_FORMAT where it
 *   is of another type, as in the getters below
 */
gboolean
attn_component_get_boolean (AttnComponent *component,
                            const char    *member,
                            gboolean       fallback)
{
  gboolean value = fallback;

  if (component->error == NULL)
    attn_json_get_boolean (component->object, component->where, member, fallback, &value,
                           &component->error);
  return value;
}

/**
 * attn_component_get_size:
 * @maximum: the largest value allowed; the smallest is 0
 */
gsize
attn_component_get_size (AttnComponent *component,
                         const char    *member,
                         gsize          maximum,
                         gsize          fallback)
{
  gsize value = fallback;

  if (component->error == NULL)
    attn_json_get_size (component->object, component->where, member, 0, maximum, fallback, &value,
                        &component->error);
  return value;
}

/**
 * attn_component_get_string:
 * @fallback: (nullable)
 *
 * Returns: (transfer none) (nullable): the member
 */
const char *
attn_component_get_string (AttnComponent *component,
                           const char    *member,
                           const char    *fallback)
{
  const char *value = fallback;

  if (component->error == NULL)
    attn_json_get_string (component->object, component->where, member, fallback, &value,
                          &component->error);
  return value;
}

/**
 * attn_component_get_array:
 *
 * Returns: (transfer none) (nullable): the member
 */
JsonArray *
attn_component_get_array (AttnComponent *component,
                          const char    *member)
{
  JsonArray *array = NULL;

  if (component->error == NULL)
    attn_json_get_array (component->object, component->where, member, &array, &component->error);
  return array;
}

/**
 * attn_component_get_member:
 *
 * Returns: (transfer none) (nullable): the member, an object
 */
JsonObject *
attn_component_get_member (AttnComponent *component,
                           const char    *member)
{
  JsonObject *object = NULL;

  if (component->error == NULL)
    attn_json_get_object (component->object, component->where, member, &object, &component->error);
  return object;
}

/**
 * attn_component_get_inner_string:
 *
 * Returns: (transfer none) (nullable): the member @inner of the object @member; %NULL where there
 *   is no such object
 */
const char *
attn_component_get_inner_string (AttnComponent *component,
                                 const char    *member,
                                 const char    *inner)
{
  JsonObject *object = attn_component_get_member (component, member);
  const char *value = NULL;

  if (object != NULL)
    attn_json_get_string (object, component->where, inner, NULL, &value, &component->error);
  return value;
}
