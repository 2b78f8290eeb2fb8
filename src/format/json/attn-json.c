/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-json.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "attn-error.h"
#include "attn-file.h"
#include "attn-json-private.h"

/* json-glib keeps the last of equal members. While it reads, an object has as many members as were
 * announced, until one replaces another. */
typedef struct
{
  GHashTable *n_members; /* JsonObject to the number announced; an address is not used again before
                          * a duplicate has been seen, since only a duplicate frees an object */
  char *duplicate;
} Announced;

static void
object_member_cb (JsonParser *parser,
                  JsonObject *object,
                  const char *member,
                  gpointer    user_data)
{
  Announced *announced = user_data;
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (announced->n_members, object)) + 1;

  g_hash_table_insert (announced->n_members, object, GUINT_TO_POINTER (n));
  if (announced->duplicate == NULL && json_object_get_size (object) < n)
    announced->duplicate = g_strdup (member);
}

static JsonNode *
parse (JsonParser    *parser,
       const char    *where,
       const char    *text,
       gsize          length,
       AttnJsonOmit  *omit,
       GError       **error)
{
  g_autoptr (GError) local_error = NULL;

  if (length > G_MAXINT32)
    return attn_fail_null (error, ATTN_ERROR_LIMIT,
                           _("%s: %zu bytes of JSON found, expected fewer than 2 GB"), where,
                           length);
  if (!attn_json_scan (where, text, length, omit, error))
    return NULL;
  if (omit != NULL)
    {
      text = omit->rest->str;
      length = omit->rest->len;
    }
  if (!json_parser_load_from_data (parser, text, length, &local_error))
    {
      /* "<data>:line:column: what", which may be cut off within a character */
      g_autofree char *valid = g_utf8_make_valid (local_error->message, -1);
      const char *message = valid;

      if (g_str_has_prefix (message, "<data>"))
        message += strlen ("<data>");
      return attn_fail_null (error, ATTN_ERROR_FORMAT, "%s%s%s", where,
                             message[0] == ':' ? "" : ": ", message);
    }
  return json_parser_steal_root (parser);
}

/**
 * attn_json_parse:
 * @where: what messages begin with, such as the file's path
 * @text: JSON in UTF-8
 * @length: its bytes, or -1 up to the NUL
 * @error: return location: %ATTN_ERROR_FORMAT for what is not JSON, %ATTN_ERROR_LIMIT for brackets
 *   nested more than 64 deep or 2 GB of text, %ATTN_ERROR_UNSUPPORTED for "\u0000" in a string
 *
 * Of equal members in an object the last one counts. An integer beyond 64 bits comes out negative.
 *
 * Returns: (transfer full) (nullable): the root
 */
JsonNode *
attn_json_parse (const char  *where,
                 const char  *text,
                 gssize       length,
                 GError     **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();

  return parse (parser, where, text, length >= 0 ? (gsize) length : strlen (text), NULL,
                error);
}

/**
 * attn_json_parse_unique:
 *
 * Like [func@attn_json_parse], but equal members of an object are %ATTN_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): the root
 */
JsonNode *
attn_json_parse_unique (const char  *where,
                        const char  *text,
                        gsize        length,
                        GError     **error)
{
  g_autoptr (GHashTable) n_members = g_hash_table_new (NULL, NULL);
  Announced announced = { n_members, NULL };
  g_autoptr (JsonParser) parser = json_parser_new ();

  g_signal_connect (parser, "object-member", G_CALLBACK (object_member_cb), &announced);
  g_autoptr (JsonNode) root = parse (parser, where, text, length, NULL, error);
  g_autofree char *duplicate = announced.duplicate;
  if (root != NULL && duplicate != NULL)
    return attn_fail_null (error, ATTN_ERROR_FORMAT,
                           _("%s: “%s” found twice in one object, expected it once"), where,
                           duplicate);
  return g_steal_pointer (&root);
}

/**
 * attn_json_parse_without:
 * @object: the name of an object in the root
 * @members: (array zero-terminated=1): members of it that are to be left out of the tree, where
 *   they are null
 * @walks: (out caller-allocates) (array): a walk for each of @members, valid as long as @where and
 *   @text; all zero for one that is not there
 *
 * Like [func@attn_json_parse], for texts most of which need no tree. The values that are left out
 * are known to be made of the words of JSON; their order is checked by who walks them. A name that
 * is spelled with escapes is not recognized.
 *
 * Returns: (transfer full) (nullable): the root
 */
JsonNode *
attn_json_parse_without (const char          *where,
                         const char          *text,
                         gsize                length,
                         const char          *object,
                         const char * const  *members,
                         AttnJsonWalk        *walks,
                         GError             **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GString) rest = g_string_new (NULL);
  AttnJsonOmit omit = { object, members, walks, rest };

  for (gsize i = 0; members[i] != NULL; i++)
    walks[i] = (AttnJsonWalk) { .where = where };
  return parse (parser, where, text, length, &omit, error);
}

/**
 * attn_json_load:
 * @error: return location: as for [func@attn_json_parse], and #GFileError
 *
 * Returns: (transfer full) (nullable): the root of the file at @path
 */
JsonNode *
attn_json_load (const char  *path,
                GError     **error)
{
  g_autoptr (GBytes) bytes = attn_file_read (path, G_MAXSIZE, error);
  gsize length;

  if (bytes == NULL)
    return NULL;
  const char *text = g_bytes_get_data (bytes, &length);
  g_autofree char *where = g_filename_display_name (path);
  return attn_json_parse (where, text, length, error);
}

/* %NULL for a member that is missing or null: then the fallback holds. */
static JsonNode *
find_member (JsonObject *object,
             const char *member)
{
  JsonNode *node = json_object_get_member (object, member);

  return node != NULL && !JSON_NODE_HOLDS_NULL (node) ? node : NULL;
}

static gboolean
fail_type (const char  *where,
           const char  *member,
           JsonNode    *node,
           const char  *expected,
           GError     **error)
{
  return attn_fail (error, ATTN_ERROR_FORMAT, _("%s: “%s”: %s found, expected %s"), where, member,
                    json_node_type_name (node), expected);
}

/**
 * attn_json_get_size:
 * @minimum: the smallest value allowed
 * @maximum: the largest value allowed, at most %G_MAXINT64
 * @fallback: for a member that is missing or null; need not be in the range
 * @error: return location: %ATTN_ERROR_FORMAT for what is no integer (1.0 is none),
 *   %ATTN_ERROR_LIMIT out of range
 */
gboolean
attn_json_get_size (JsonObject  *object,
                    const char  *where,
                    const char  *member,
                    gsize        minimum,
                    gsize        maximum,
                    gsize        fallback,
                    gsize       *value,
                    GError     **error)
{
  JsonNode *node = find_member (object, member);

  if (node == NULL)
    {
      *value = fallback;
      return TRUE;
    }
  if (json_node_get_value_type (node) != G_TYPE_INT64)
    return fail_type (where, member, node, _("an integer"), error);

  gint64 number = json_node_get_int (node);
  if (number < 0 || (guint64) number < minimum || (guint64) number > maximum)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("%s: “%s”: %" PRId64 " found, expected %zu to %zu"), where, member, number,
                      minimum, maximum);
  *value = number;
  return TRUE;
}

/**
 * attn_json_get_number:
 * @error: return location for %ATTN_ERROR_FORMAT
 *
 * An integer is a number, too.
 */
gboolean
attn_json_get_number (JsonObject  *object,
                      const char  *where,
                      const char  *member,
                      double       fallback,
                      double      *value,
                      GError     **error)
{
  JsonNode *node = find_member (object, member);
  GType type = node != NULL ? json_node_get_value_type (node) : G_TYPE_INVALID;

  if (node != NULL && type != G_TYPE_INT64 && type != G_TYPE_DOUBLE)
    return fail_type (where, member, node, _("a number"), error);
  *value = node != NULL ? json_node_get_double (node) : fallback;
  return TRUE;
}

/**
 * attn_json_get_boolean:
 * @error: return location for %ATTN_ERROR_FORMAT
 */
gboolean
attn_json_get_boolean (JsonObject  *object,
                       const char  *where,
                       const char  *member,
                       gboolean     fallback,
                       gboolean    *value,
                       GError     **error)
{
  JsonNode *node = find_member (object, member);

  if (node != NULL && json_node_get_value_type (node) != G_TYPE_BOOLEAN)
    return fail_type (where, member, node, _("true or false"), error);
  *value = node != NULL ? json_node_get_boolean (node) : fallback;
  return TRUE;
}

/**
 * attn_json_get_string:
 * @value: (out) (transfer none): valid as long as @object
 * @error: return location for %ATTN_ERROR_FORMAT
 */
gboolean
attn_json_get_string (JsonObject  *object,
                      const char  *where,
                      const char  *member,
                      const char  *fallback,
                      const char **value,
                      GError     **error)
{
  JsonNode *node = find_member (object, member);

  if (node != NULL && json_node_get_value_type (node) != G_TYPE_STRING)
    return fail_type (where, member, node, _("a string"), error);
  *value = node != NULL ? json_node_get_string (node) : fallback;
  return TRUE;
}

/**
 * attn_json_get_object:
 * @value: (out) (transfer none) (nullable): valid as long as @object; %NULL where it is missing or
 *   null
 * @error: return location for %ATTN_ERROR_FORMAT
 */
gboolean
attn_json_get_object (JsonObject  *object,
                      const char  *where,
                      const char  *member,
                      JsonObject **value,
                      GError     **error)
{
  JsonNode *node = find_member (object, member);

  if (node != NULL && !JSON_NODE_HOLDS_OBJECT (node))
    return fail_type (where, member, node, _("an object"), error);
  *value = node != NULL ? json_node_get_object (node) : NULL;
  return TRUE;
}

/**
 * attn_json_get_array:
 * @value: (out) (transfer none) (nullable): valid as long as @object; %NULL where it is missing or
 *   null
 * @error: return location for %ATTN_ERROR_FORMAT
 */
gboolean
attn_json_get_array (JsonObject  *object,
                     const char  *where,
                     const char  *member,
                     JsonArray  **value,
                     GError     **error)
{
  JsonNode *node = find_member (object, member);

  if (node != NULL && !JSON_NODE_HOLDS_ARRAY (node))
    return fail_type (where, member, node, _("an array"), error);
  *value = node != NULL ? json_node_get_array (node) : NULL;
  return TRUE;
}
