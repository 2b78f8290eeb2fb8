/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-study-fields.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-json.h"
#include "attn-text.h"

/* An index set holds no larger number. */
#define MAX_INDEX ((gsize) G_MAXINT32 - 1)

/* Whether the object has no member that is not known. */
gboolean
attn_fields_check_members (JsonObject          *object,
                           const char          *where,
                           const char * const  *known,
                           GError             **error)
{
  JsonObjectIter iter;
  const char *member;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &member, NULL))
    if (!g_strv_contains (known, member))
      {
        g_autofree char *list = g_strjoinv (", ", (char **) known);
        g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                     _("%s: member “%s” found, expected only %s"), where, member, list);
        return FALSE;
      }
  return TRUE;
}

static gboolean
fail (const char  *where,
      const char  *member,
      const char  *found,
      const char  *expected,
      GError     **error)
{
  g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT, _("%s: “%s”: “%s” found, expected %s"), where,
               member, found, expected);
  return FALSE;
}

gboolean
attn_fields_get_number (JsonObject  *object,
                        const char  *where,
                        const char  *member,
                        double       minimum,
                        double       maximum,
                        double      *value,
                        GError     **error)
{
  double number;

  if (!attn_json_get_number (object, where, member, *value, &number, error))
    return FALSE;
  if (!(number >= minimum && number <= maximum))
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT, _("%s: “%s”: %g found, expected %g to %g"),
                   where, member, number, minimum, maximum);
      return FALSE;
    }
  *value = number;
  return TRUE;
}

gboolean
attn_fields_get_choice (JsonObject     *object,
                        const char     *where,
                        const char     *member,
                        AttnParseFunc   parse,
                        int            *value,
                        GError        **error)
{
  const char *name;

  if (!attn_json_get_string (object, where, member, NULL, &name, error))
    return FALSE;
  if (name == NULL || parse (name, value, error))
    return TRUE;
  g_prefix_error (error, "%s: “%s”: ", where, member);
  return FALSE;
}

/* "all", or the set; @shown is set for "shown" where that is allowed. */
gboolean
attn_fields_get_set (JsonObject    *object,
                     const char    *where,
                     const char    *member,
                     gboolean      *shown,
                     AttnIndexSet **set,
                     GError       **error)
{
  const char *text;

  if (!attn_json_get_string (object, where, member, shown != NULL && *shown ? "shown" : "all",
                             &text, error))
    return FALSE;
  if (shown != NULL)
    *shown = g_str_equal (text, "shown");
  if (g_str_equal (text, "all") || (shown != NULL && *shown))
    return TRUE;
  *set = attn_index_set_parse (text, error);
  if (*set == NULL)
    g_prefix_error (error, "%s: “%s”: ", where, member);
  return *set != NULL;
}

gboolean
attn_fields_dup_string (JsonObject  *object,
                        const char  *where,
                        const char  *member,
                        char       **value,
                        GError     **error)
{
  const char *text;

  if (!attn_json_get_string (object, where, member, NULL, &text, error))
    return FALSE;
  *value = g_strdup (text);
  return TRUE;
}

/* As attn_json_writer_add_path() writes it. */
gboolean
attn_fields_dup_path (JsonObject  *object,
                      const char  *where,
                      const char  *member,
                      char       **value,
                      GError     **error)
{
  const char *text;

  if (!attn_json_get_string (object, where, member, NULL, &text, error))
    return FALSE;
  *value = text != NULL ? attn_text_unescape_path (text) : NULL;
  return TRUE;
}

/* A number, or one of @names whose place in the list tells its special value: -1, -2, ... */
gboolean
attn_fields_get_index (JsonObject          *object,
                       const char          *where,
                       const char          *member,
                       const char * const  *names,
                       const char          *expected,
                       int                 *value,
                       GError             **error)
{
  JsonNode *node = json_object_get_member (object, member);
  gsize index;

  if (node != NULL && json_node_get_value_type (node) == G_TYPE_STRING)
    {
      for (int i = 0; names[i] != NULL; i++)
        if (g_str_equal (json_node_get_string (node), names[i]))
          {
            *value = -1 - i;
            return TRUE;
          }
      return fail (where, member, json_node_get_string (node), expected, error);
    }
  if (!attn_json_get_size (object, where, member, 0, MAX_INDEX, G_MAXSIZE, &index, error))
    return FALSE;
  if (index != G_MAXSIZE)
    *value = index;
  return TRUE;
}

/* "#1f77b4"; @text may be NULL, which is none. */
gboolean
attn_fields_parse_color (const char *text,
                         AttnRgb    *color)
{
  guint64 value;

  if (text == NULL || text[0] != '#' || strlen (text) != 7 ||
      !g_ascii_string_to_unsigned (text + 1, 16, 0, 0xffffff, &value, NULL))
    return FALSE;
  *color = (AttnRgb) { value >> 16, value >> 8 & 0xff, value & 0xff };
  return TRUE;
}

gboolean
attn_fields_get_color (JsonObject  *object,
                       const char  *where,
                       const char  *member,
                       AttnRgb     *color,
                       GError     **error)
{
  const char *text;

  if (!attn_json_get_string (object, where, member, NULL, &text, error))
    return FALSE;
  return text == NULL || attn_fields_parse_color (text, color) ||
         fail (where, member, text, _("a colour such as #1f77b4"), error);
}

gboolean
attn_fields_get_flag (JsonObject  *object,
                      const char  *where,
                      const char  *member,
                      gboolean    *value,
                      GError     **error)
{
  return attn_json_get_boolean (object, where, member, *value, value, error);
}

/* A list of choices by their names sets the flag of each. */
gboolean
attn_fields_get_flags (JsonObject     *object,
                       const char     *where,
                       const char     *member,
                       AttnParseFunc   parse,
                       gboolean       *flags,
                       GError        **error)
{
  JsonArray *array;

  if (!attn_json_get_array (object, where, member, &array, error))
    return FALSE;
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      gboolean is_name = json_node_get_value_type (node) == G_TYPE_STRING;
      int choice;

      if (!parse (is_name ? json_node_get_string (node) : json_node_type_name (node), &choice,
                  error))
        {
          g_prefix_error (error, "%s: “%s”: ", where, member);
          return FALSE;
        }
      flags[choice] = TRUE;
    }
  return TRUE;
}

/* A count or a position. */
gboolean
attn_fields_get_size (JsonObject  *object,
                      const char  *where,
                      const char  *member,
                      gsize       *value,
                      GError     **error)
{
  return attn_json_get_size (object, where, member, 0, MAX_INDEX, *value, value, error);
}

gboolean
attn_fields_get_strings (JsonObject  *object,
                         const char  *where,
                         const char  *member,
                         GStrv       *value,
                         GError     **error)
{
  JsonArray *array;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (!attn_json_get_array (object, where, member, &array, error))
    return FALSE;
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      if (json_node_get_value_type (node) != G_TYPE_STRING)
        return fail (where, member, json_node_type_name (node), _("a list of texts"), error);
      g_strv_builder_add (builder, json_node_get_string (node));
    }
  *value = g_strv_builder_end (builder);
  return TRUE;
}

/* The objects of an array, one after the other, each with its own place in the message. */
gboolean
attn_fields_read_objects (JsonObject    *object,
                          const char    *where,
                          const char    *member,
                          guint          maximum,
                          AttnReadFunc   read,
                          GPtrArray     *list,
                          GError       **error)
{
  JsonArray *array;

  if (!attn_json_get_array (object, where, member, &array, error))
    return FALSE;
  if (array != NULL && json_array_get_length (array) > maximum)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT,
                   _("%s: “%s”: %u elements found, expected at most %u"), where, member,
                   json_array_get_length (array), maximum);
      return FALSE;
    }
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      g_autofree char *place = g_strdup_printf ("%s: “%s”[%u]", where, member, i);

      if (!JSON_NODE_HOLDS_OBJECT (node))
        {
          g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT, _("%s: %s found, expected an object"),
                       place, json_node_type_name (node));
          return FALSE;
        }
      gpointer element = read (json_node_get_object (node), place, error);
      if (element == NULL)
        return FALSE;
      g_ptr_array_add (list, element);
    }
  return TRUE;
}
