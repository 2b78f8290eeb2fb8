/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-json.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-file.h"

/* State of reading a JSON text into a tree of json-glib's nodes. */
typedef struct
{
  AttnJsonWalk walk;
  GString *string; /* buffer for names and strings */
  gboolean is_unique;
  char *duplicate; /* (nullable): the first name found twice in an object, if names must be
                    * unique */

  /* Members of one object within the root that are not added to the tree; each has a walk, by which
   * the caller can read the member later. */
  const char *object;
  const char * const *members;
  AttnJsonWalk *walks;
  gboolean is_inside; /* in that object */
} Reader;

static gboolean
read_scalar (Reader   *reader,
             JsonNode *node)
{
  AttnJsonWalk *walk = &reader->walk;

  if (attn_json_walk_is_at (walk, '"'))
    {
      if (attn_json_walk_read_string (walk, reader->string))
        json_node_init_string (node, reader->string->str);
      return walk->problem == NULL;
    }
  if (attn_json_walk_is_at (walk, 't') || attn_json_walk_is_at (walk, 'f'))
    {
      gboolean is_true = attn_json_walk_is_at (walk, 't');

      json_node_init_boolean (node, is_true);
      return attn_json_walk_read_word (walk, is_true ? "true" : "false");
    }
  if (attn_json_walk_is_at (walk, 'n'))
    return attn_json_walk_read_word (walk, "null");

  const char *start;
  if (!attn_json_walk_read_digits (walk, &start))
    return FALSE;
  g_autofree char *digits = g_strndup (start, walk->p - start);
  if (strpbrk (digits, ".eE") != NULL)
    json_node_init_double (node, g_ascii_strtod (digits, NULL));
  else
    json_node_init_int (node, g_ascii_strtoll (digits, NULL, 10));
  return TRUE;
}

/* Returns the walk for a member that is not to be added to the tree, or NULL for any other
 * member. */
static AttnJsonWalk *
find_walk (Reader     *reader,
           const char *name)
{
  if (reader->walk.depth == 1)
    reader->is_inside = g_strcmp0 (reader->object, name) == 0;
  for (gsize i = 0; reader->walk.depth == 2 && reader->is_inside && reader->members[i] != NULL; i++)
    if (g_str_equal (reader->members[i], name))
      return &reader->walks[i];
  return NULL;
}

static gboolean read_value (Reader *reader,
                            JsonNode *node);

static gboolean
read_member (Reader     *reader,
             JsonObject *object)
{
  if (!attn_json_walk_read_name (&reader->walk, reader->string))
    return FALSE;

  g_autofree char *name = g_strdup (reader->string->str);
  AttnJsonWalk *walk = find_walk (reader, name);
  JsonNode *value = json_node_new (JSON_NODE_NULL);
  if (reader->is_unique && json_object_has_member (object, name) && reader->duplicate == NULL)
    reader->duplicate = g_strdup (name);
  json_object_set_member (object, name, value);
  if (walk == NULL)
    return read_value (reader, value);
  *walk = reader->walk;
  if (!attn_json_walk_skip (&reader->walk))
    return FALSE;
  walk->end = reader->walk.p;
  return TRUE;
}

/* Reads a value of any type with all that is in it. @node: (inout): a new node, which gets the
 * value */
static gboolean
read_value (Reader   *reader,
            JsonNode *node)
{
  AttnJsonWalk *walk = &reader->walk;

  if (attn_json_walk_is_at (walk, '{'))
    {
      JsonObject *object = json_object_new ();

      json_node_init (node, JSON_NODE_OBJECT);
      json_node_take_object (node, object);
      attn_json_walk_enter (walk, '{');
      while (attn_json_walk_next (walk, '}') && read_member (reader, object))
        ;
      return walk->problem == NULL;
    }
  if (!attn_json_walk_is_at (walk, '['))
    return read_scalar (reader, node);

  JsonArray *array = json_array_new ();
  json_node_init (node, JSON_NODE_ARRAY);
  json_node_take_array (node, array);
  attn_json_walk_enter (walk, '[');
  while (attn_json_walk_next (walk, ']'))
    {
      JsonNode *element = json_node_new (JSON_NODE_NULL);

      json_array_add_element (array, element);
      if (!read_value (reader, element))
        return FALSE;
    }
  return walk->problem == NULL;
}

static JsonNode *
parse (Reader      *reader,
       const char  *where,
       const char  *text,
       gsize        length,
       GError     **error)
{
  g_autoptr (GString) string = g_string_new (NULL);
  g_autoptr (JsonNode) root = json_node_new (JSON_NODE_NULL);

  reader->string = string;
  if (!attn_json_walk_init (&reader->walk, where, text, length, error))
    return NULL;
  read_value (reader, root);
  return attn_json_walk_finish (&reader->walk, error) ? g_steal_pointer (&root) : NULL;
}

/**
 * attn_json_parse:
 * @where: the beginning of messages, such as the file's path
 * @text: JSON in UTF-8
 * @length: the bytes of @text, or -1 if it ends with NUL
 * @error: return location: %ATTN_ERROR_FORMAT for text that is not JSON, %ATTN_ERROR_LIMIT for
 *   brackets nested more than 64 deep, %ATTN_ERROR_UNSUPPORTED for "\u0000" in a string
 *
 * Builds a tree of a JSON text. If an object has several members with one name, the last is used.
 * An integer of more than 64 bits becomes the nearest of 64 bits.
 *
 * Returns: (transfer full) (nullable): the root
 */
JsonNode *
attn_json_parse (const char  *where,
                 const char  *text,
                 gssize       length,
                 GError     **error)
{
  Reader reader = { 0 };

  return parse (&reader, where, text, length >= 0 ? (gsize) length : strlen (text), error);
}

/**
 * attn_json_parse_unique:
 *
 * Like [func@attn_json_parse], but two members with one name in an object are an error,
 * %ATTN_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): the root
 */
JsonNode *
attn_json_parse_unique (const char  *where,
                        const char  *text,
                        gsize        length,
                        GError     **error)
{
  Reader reader = { .is_unique = TRUE };
  g_autoptr (JsonNode) root = parse (&reader, where, text, length, error);
  g_autofree char *duplicate = reader.duplicate;

  if (root != NULL && duplicate != NULL)
    return attn_fail_null (error, ATTN_ERROR_FORMAT,
                           _("%s: “%s” found twice in one object, expected it once"), where,
                           duplicate);
  return g_steal_pointer (&root);
}

/**
 * attn_json_parse_without:
 * @object: the name of a member of the root that is an object
 * @members: (array zero-terminated=1): names of members of that object that are not parsed: in the
 *   tree they are null
 * @walks: (out caller-allocates) (array): for each of @members a walk that reads its value, valid
 *   as long as @where and @text; its p is %NULL if the member does not exist
 *
 * Like [func@attn_json_parse], for texts with long members, such as a vocabulary, whose tree would
 * take much memory.
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
  Reader reader = { .object = object, .members = members, .walks = walks };

  for (gsize i = 0; members[i] != NULL; i++)
    walks[i] = (AttnJsonWalk) { .where = where };
  return parse (&reader, where, text, length, error);
}

/**
 * attn_json_load:
 * @error: return location: errors of [func@attn_json_parse], #GFileError
 *
 * Returns: (transfer full) (nullable): the root of the JSON file at @path
 */
JsonNode *
attn_json_load (const char  *path,
                GError     **error)
{
  g_autoptr (GBytes) bytes = attn_file_read_text (path, error);
  gsize length;

  if (bytes == NULL)
    return NULL;
  const char *text = g_bytes_get_data (bytes, &length);
  g_autofree char *where = g_filename_display_name (path);
  return attn_json_parse (where, text, length, error);
}

/**
 * attn_json_fail:
 * @format: the message, as for printf(), which has to begin with @where of @reader
 *
 * Sets the error of @reader, unless one is set already: only the first failure is reported.
 */
void
attn_json_fail (AttnJsonReader *reader,
                AttnError       code,
                const char     *format,
                                ...)
{
  va_list args;

  va_start (args, format);
  if (reader->error == NULL)
    reader->error = g_error_new_valist (ATTN_ERROR, code, format, args);
  va_end (args);
}

/**
 * attn_json_finish:
 *
 * Returns: whether all members that were read were right; if not, @error is the first failure
 */
gboolean
attn_json_finish (AttnJsonReader  *reader,
                  GError         **error)
{
  if (reader->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&reader->error));
  return FALSE;
}

/**
 * attn_json_begin:
 * @where: the beginning of messages; it must live longer than the reader
 *
 * Returns: a reader of the object that @node holds; its error is %ATTN_ERROR_FORMAT if @node holds
 *   something else
 */
AttnJsonReader
attn_json_begin (JsonNode   *node,
                 const char *where)
{
  AttnJsonReader reader = { .where = where };

  if (JSON_NODE_HOLDS_OBJECT (node))
    reader.object = json_node_get_object (node);
  else
    attn_json_fail (&reader, ATTN_ERROR_FORMAT, _("%s: %s found, expected an object"), where,
                    json_node_type_name (node));
  return reader;
}

/* Returns the value of a member, or NULL if it is missing or null or if an error was set before.
 * The caller then uses its fallback. */
static JsonNode *
find_member (AttnJsonReader *reader,
             const char     *member)
{
  JsonNode *node =
      reader->error == NULL ? json_object_get_member (reader->object, member) : NULL;

  return node != NULL && !JSON_NODE_HOLDS_NULL (node) ? node : NULL;
}

static void
fail_type (AttnJsonReader *reader,
           const char     *member,
           JsonNode       *node,
           const char     *expected)
{
  attn_json_fail (reader, ATTN_ERROR_FORMAT, _("%s: “%s”: %s found, expected %s"), reader->where,
                  member, json_node_type_name (node), expected);
}

/* Like find_member(), but returns NULL and sets the reader's error if the value is not of @type. */
static JsonNode *
find_typed (AttnJsonReader *reader,
            const char     *member,
            GType           type,
            const char     *expected)
{
  JsonNode *node = find_member (reader, member);

  if (node == NULL || json_node_get_value_type (node) == type)
    return node;
  fail_type (reader, member, node, expected);
  return NULL;
}

/**
 * attn_json_read_size:
 * @minimum: the smallest value allowed
 * @maximum: the largest value allowed, at most %G_MAXINT64
 * @fallback: returned if there is no valid value; it need not be in the range
 *
 * Returns: the value of the member. @fallback if it is missing or null; also, with the reader's
 *   error set, if it is not an integer (%ATTN_ERROR_FORMAT, also for 1.0) or is out of range
 *   (%ATTN_ERROR_LIMIT)
 */
gsize
attn_json_read_size (AttnJsonReader *reader,
                     const char     *member,
                     gsize           minimum,
                     gsize           maximum,
                     gsize           fallback)
{
  JsonNode *node = find_typed (reader, member, G_TYPE_INT64, _("an integer"));
  gint64 number = node != NULL ? json_node_get_int (node) : 0;

  if (node == NULL)
    return fallback;
  if (number >= 0 && (guint64) number >= minimum && (guint64) number <= maximum)
    return number;
  attn_json_fail (reader, ATTN_ERROR_LIMIT, _("%s: “%s”: %" PRId64 " found, expected %zu to %zu"),
                  reader->where, member, number, minimum, maximum);
  return fallback;
}

/**
 * attn_json_read_number:
 *
 * Integers are accepted too; numbers too large for a double are not.
 *
 * Returns: the value of the member. @fallback if it is missing or null; also, with the reader's
 *   error set to %ATTN_ERROR_FORMAT, if it is of another type. The getters below do the same.
 */
double
attn_json_read_number (AttnJsonReader *reader,
                       const char     *member,
                       double          fallback)
{
  JsonNode *node = find_member (reader, member);
  GType type = node != NULL ? json_node_get_value_type (node) : G_TYPE_INVALID;
  gboolean is_number = type == G_TYPE_INT64 || type == G_TYPE_DOUBLE;

  if (is_number && isfinite (json_node_get_double (node)))
    return json_node_get_double (node);
  if (node != NULL)
    fail_type (reader, member, node, is_number ? _("a finite number") : _("a number"));
  return fallback;
}

gboolean
attn_json_read_boolean (AttnJsonReader *reader,
                        const char     *member,
                        gboolean        fallback)
{
  JsonNode *node = find_typed (reader, member, G_TYPE_BOOLEAN, _("true or false"));

  return node != NULL ? json_node_get_boolean (node) : fallback;
}

/**
 * attn_json_read_string:
 * @fallback: (nullable)
 *
 * Returns: (transfer none) (nullable): the value of the member, valid as long as the reader's
 *   object
 */
const char *
attn_json_read_string (AttnJsonReader *reader,
                       const char     *member,
                       const char     *fallback)
{
  JsonNode *node = find_typed (reader, member, G_TYPE_STRING, _("a string"));

  return node != NULL ? json_node_get_string (node) : fallback;
}

/**
 * attn_json_read_object:
 *
 * Returns: (transfer none) (nullable): the value of the member, valid as long as the reader's
 *   object
 */
JsonObject *
attn_json_read_object (AttnJsonReader *reader,
                       const char     *member)
{
  JsonNode *node = find_member (reader, member);

  if (node == NULL || JSON_NODE_HOLDS_OBJECT (node))
    return node != NULL ? json_node_get_object (node) : NULL;
  fail_type (reader, member, node, _("an object"));
  return NULL;
}

/**
 * attn_json_read_array:
 *
 * Returns: (transfer none) (nullable): the value of the member, valid as long as the reader's
 *   object
 */
JsonArray *
attn_json_read_array (AttnJsonReader *reader,
                      const char     *member)
{
  JsonNode *node = find_member (reader, member);

  if (node == NULL || JSON_NODE_HOLDS_ARRAY (node))
    return node != NULL ? json_node_get_array (node) : NULL;
  fail_type (reader, member, node, _("an array"));
  return NULL;
}

/**
 * attn_json_read_inner_string:
 *
 * Returns: (transfer none) (nullable): the member @inner, a string, of the object @member; %NULL if
 *   there is no such object or member
 */
const char *
attn_json_read_inner_string (AttnJsonReader *reader,
                             const char     *member,
                             const char     *inner)
{
  AttnJsonReader object = { attn_json_read_object (reader, member), reader->where };

  if (object.object == NULL)
    return NULL;
  const char *value = attn_json_read_string (&object, inner, NULL);
  reader->error = object.error;
  return value;
}
