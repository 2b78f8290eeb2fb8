/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operations on all fields of a record (a table that describes the members of a struct): copy,
 * compare, free, read and write. */

#include "config.h"

#include "attn-field.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"

static gboolean *
get_flag (const AttnField *field,
          gconstpointer    owner)
{
  return field->flag != 0 ? G_STRUCT_MEMBER_P (owner, field->flag) : NULL;
}

/* Tells whether the flag of @field is set with which the value of the field itself is ignored. */
static gboolean
is_off (const AttnField *field,
        gconstpointer    owner)
{
  return field->flag != 0 && *get_flag (field, owner) == field->word_flag;
}

static gboolean
is_word (const AttnField *field,
         const char      *text)
{
  return field->word != NULL && text != NULL && g_ascii_strcasecmp (text, field->word) == 0;
}

/* Returns the name of the field without the names of the JSON objects around it. */
static const char *
get_leaf (const AttnField *field)
{
  const char *dot = strchr (field->name, '.');

  return dot != NULL ? dot + 1 : field->name;
}

/* Returns the name of the JSON object that contains the field, or "" for the record itself. */
static char *
dup_object_name (const AttnField *field)
{
  return g_strndup (field->name, MAX (get_leaf (field) - field->name, 1) - 1);
}

/**
 * attn_record_init:
 * @owner: a struct whose members that are not pointers are set
 *
 * Gives @owner new empty values for the members that are pointers and never %NULL, such as lists.
 */
void
attn_record_init (const AttnRecord *record,
                  gpointer          owner)
{
  for (gsize i = 0; i < record->n_fields; i++)
    {
      const AttnField *field = &record->fields[i];

      if (field->type->init != NULL)
        G_STRUCT_MEMBER (gpointer, owner, field->offset) = field->type->init (field);
    }
}

/**
 * attn_record_new:
 *
 * Returns: (transfer full): a struct of the record's type with the defaults in all members
 */
gpointer
attn_record_new (const AttnRecord *record)
{
  gpointer owner =
      record->usual != NULL ? g_memdup2 (record->usual, record->size) : g_malloc0 (record->size);

  attn_record_init (record, owner);
  return owner;
}

/**
 * attn_field_clear:
 *
 * Frees the value of the member of @owner that @field describes, if it is a pointer, and makes it
 * %NULL.
 */
void
attn_field_clear (const AttnField *field,
                  gpointer         owner)
{
  gpointer *member = G_STRUCT_MEMBER_P (owner, field->offset);

  if (field->type->free != NULL)
    g_clear_pointer (member, field->type->free);
}

/**
 * attn_field_reset:
 * @usual: (nullable): a struct from which the member's value is copied; %NULL for an empty value
 */
void
attn_field_reset (const AttnField *field,
                  gpointer         owner,
                  gconstpointer    usual)
{
  gpointer *member = G_STRUCT_MEMBER_P (owner, field->offset);
  gpointer const *value = usual != NULL ? G_STRUCT_MEMBER_P (usual, field->offset) : NULL;

  attn_field_clear (field, owner);
  if (field->type->free != NULL && value != NULL && *value != NULL && field->type->dup != NULL)
    *member = field->type->dup (*value);
  else if (field->type->init != NULL)
    *member = field->type->init (field);
  else if (field->type->free == NULL && value != NULL)
    memcpy (member, value, field->type->size);
  if (field->flag != 0 && usual != NULL)
    *get_flag (field, owner) = *get_flag (field, usual);
}

/**
 * attn_record_clear:
 *
 * Frees what the members of @owner own, but not @owner itself.
 */
void
attn_record_clear (const AttnRecord *record,
                   gpointer          owner)
{
  for (gsize i = 0; i < record->n_fields; i++)
    attn_field_clear (&record->fields[i], owner);
}

/**
 * attn_record_own:
 * @copy: a struct that was copied from another byte for byte
 *
 * Copies what the members of @copy point to, so that nothing is shared that can be changed.
 */
void
attn_record_own (const AttnRecord *record,
                 gpointer          copy)
{
  for (gsize i = 0; i < record->n_fields; i++)
    {
      const AttnField *field = &record->fields[i];
      gpointer *member = G_STRUCT_MEMBER_P (copy, field->offset);

      if (field->type->copy != NULL)
        field->type->copy (field, member);
      else if (field->type->dup != NULL && *member != NULL)
        *member = field->type->dup (*member);
    }
}

/**
 * attn_record_copy:
 *
 * Returns: (transfer full): a copy that shares nothing that can be changed; free it with
 *   attn_record_clear() and g_free()
 */
gpointer
attn_record_copy (const AttnRecord *record,
                  gconstpointer     owner)
{
  gpointer copy = g_memdup2 (owner, record->size);

  attn_record_own (record, copy);
  return copy;
}

/**
 * attn_field_get_need:
 *
 * Returns: (nullable): options or presets, such as "--mean, --zero", of which @owner needs one for
 *   the member @field to have an effect; %NULL if it has one already
 */
const char *
attn_field_get_need (const AttnField *field,
                     gconstpointer    owner)
{
  return field->needs != NULL ? field->needs (owner) : NULL;
}

/**
 * attn_field_equal:
 *
 * Returns: whether the structs @a and @b agree in the member that @field describes, and in its flag
 */
gboolean
attn_field_equal (const AttnField *field,
                  gconstpointer    a,
                  gconstpointer    b)
{
  const AttnFieldType *type = field->type;
  gconstpointer first = G_STRUCT_MEMBER_P (a, field->offset);
  gconstpointer second = G_STRUCT_MEMBER_P (b, field->offset);

  if (field->flag != 0 && *get_flag (field, a) != *get_flag (field, b))
    return FALSE;
  if (type->equal != NULL)
    return type->equal (field, first, second);
  if (type->same == NULL)
    return memcmp (first, second, type->size) == 0;
  first = *(gconstpointer const *) first;
  second = *(gconstpointer const *) second;
  return first == second || (first != NULL && second != NULL && type->same (first, second));
}

/**
 * attn_record_equal:
 *
 * Returns: whether the structs @a and @b agree in every member that @record describes
 */
gboolean
attn_record_equal (const AttnRecord *record,
                   gconstpointer     a,
                   gconstpointer     b)
{
  for (gsize i = 0; i < record->n_fields; i++)
    if (!attn_field_equal (&record->fields[i], a, b))
      return FALSE;
  return TRUE;
}

/**
 * attn_record_take_changes:
 * @beginning: how the names of the fields begin that are taken, such as "style."; each of them must
 *   be a value within the struct, not a pointer that it owns
 * @owner: the struct that is changed
 * @changed: the struct whose fields are copied
 * @origin: (nullable): the struct that @changed was made from; %NULL if each field is a change
 *
 * Copies to @owner the fields in which @changed differs from @origin. All others stay as they are.
 */
void
attn_record_take_changes (const AttnRecord *record,
                          const char       *beginning,
                          gpointer          owner,
                          gconstpointer     changed,
                          gconstpointer     origin)
{
  for (gsize i = 0; i < record->n_fields; i++)
    {
      const AttnField *field = &record->fields[i];

      if (!g_str_has_prefix (field->name, beginning) ||
          (origin != NULL && attn_field_equal (field, changed, origin)))
        continue;
      g_return_if_fail (field->type->size > 0 && field->type->free == NULL);
      attn_field_reset (field, owner, changed);
    }
}

/**
 * attn_field_fail:
 * @found: the text that was found, any bytes
 * @expected: what was expected instead, translated, such as "a number"
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: %FALSE
 */
gboolean
attn_field_fail (const char  *found,
                 const char  *expected,
                 GError     **error)
{
  g_autofree char *display = g_filename_display_name (found);

  return attn_fail (error, ATTN_ERROR_ARGUMENT, _("“%s” found, expected %s"), display, expected);
}

/**
 * attn_field_fail_node:
 * @node: the JSON that was found
 * @expected: what was expected instead, translated, such as "an array"
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: %FALSE
 */
gboolean
attn_field_fail_node (JsonNode    *node,
                      const char  *expected,
                      GError     **error)
{
  g_autofree char *value = JSON_NODE_HOLDS_VALUE (node) ? json_to_string (node, FALSE) : NULL;

  return attn_field_fail (value != NULL ? value : json_node_type_name (node), expected, error);
}

/**
 * attn_field_get_array:
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: (transfer none) (nullable): the JSON array that @node holds; %NULL with @error if it
 *   holds something else
 */
JsonArray *
attn_field_get_array (JsonNode  *node,
                      GError   **error)
{
  if (JSON_NODE_HOLDS_ARRAY (node))
    return json_node_get_array (node);
  attn_field_fail_node (node, _("an array"), error);
  return NULL;
}

/**
 * attn_field_read:
 * @object: (nullable): the JSON object that @node is a member of; %NULL for an element of an array
 * @node: the JSON value of the struct's member, or of an element of it
 * @member: the struct's member, initialised, which gets the value
 * @error: return location for %ATTN_ERROR_FORMAT, %ATTN_ERROR_LIMIT or %ATTN_ERROR_ARGUMENT: what
 *   was found and what was expected
 */
gboolean
attn_field_read (const AttnField  *field,
                 JsonObject       *object,
                 JsonNode         *node,
                 gpointer          member,
                 GError          **error)
{
  GType found = json_node_get_value_type (node);
  GType asked = field->type->json;
  gboolean takes_text = asked != G_TYPE_INT64 && asked != G_TYPE_DOUBLE;
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (field->type->read != NULL)
    return field->type->read (field, object, node, member, error);
  if (found == G_TYPE_STRING && takes_text)
    return field->type->parse (field, json_node_get_string (node), member, error);
  if (found == G_TYPE_INT64 && asked != G_TYPE_STRING)
    g_snprintf (buffer, sizeof buffer, "%" G_GINT64_FORMAT, json_node_get_int (node));
  else if (found == G_TYPE_DOUBLE && asked == G_TYPE_DOUBLE)
    g_ascii_dtostr (buffer, sizeof buffer, json_node_get_double (node));
  else
    return attn_field_fail_node (node,
                                 asked == G_TYPE_INT64    ? _("an integer")
                                 : asked == G_TYPE_DOUBLE ? _("a number")
                                 : asked == G_TYPE_STRING ? _("a string")
                                                          : _(field->expected),
                                 error);
  return field->type->parse (field, buffer, member, error);
}

static gboolean
read_member (const AttnField  *field,
             JsonObject       *object,
             gpointer          owner,
             GError          **error)
{
  g_autoptr (JsonNode) none = json_node_new (JSON_NODE_NULL);
  JsonNode *node = json_object_get_member (object, get_leaf (field));
  gboolean *flag = get_flag (field, owner);

  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    {
      if (!field->is_required)
        return TRUE;
      node = none;
    }
  if (flag != NULL)
    {
      *flag = field->word_flag;
      if (JSON_NODE_HOLDS_VALUE (node) && is_word (field, json_node_get_string (node)))
        return TRUE;
      *flag = !field->word_flag;
    }
  if (attn_field_read (field, object, node, G_STRUCT_MEMBER_P (owner, field->offset), error))
    return TRUE;
  g_prefix_error (error, "“%s”: ", field->name);
  return FALSE;
}

/* Finds the first field whose name is @name, or begins with @name and a dot. Returns the rest of
 * its name behind @name, "" or ".low"; NULL if no field fits. */
static const char *
find_rest (const AttnRecord *record,
           const char       *name)
{
  for (gsize i = 0; i < record->n_fields; i++)
    {
      const char *rest = record->fields[i].name + strlen (name);

      if (g_str_has_prefix (record->fields[i].name, name) && (*rest == '\0' || *rest == '.'))
        return rest;
    }
  return NULL;
}

static char *
list_members (const AttnRecord *record,
              const char       *inside)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; i < record->n_fields; i++)
    {
      const char *rest = record->fields[i].name + strlen (inside);
      g_autofree char *name = g_str_has_prefix (record->fields[i].name, inside)
                                  ? g_strndup (rest, strcspn (rest, "."))
                                  : NULL;

      if (name != NULL && !g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
        g_ptr_array_add (names, g_steal_pointer (&name));
    }
  g_ptr_array_add (names, NULL);
  return g_strjoinv (", ", (char **) names->pdata);
}

/* Fails if the object has a member that is not a field: if a misspelt name were ignored, the figure
 * would change without a message. @inside is "" or a prefix such as "style.". */
static gboolean
check_members (const AttnRecord  *record,
               const char        *inside,
               JsonObject        *object,
               GError           **error)
{
  JsonObjectIter iter;
  const char *member;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &member, &node))
    {
      g_autofree char *name = g_strconcat (inside, member, NULL);
      g_autofree char *deeper = g_strconcat (name, ".", NULL);
      g_autofree char *list = NULL;
      const char *rest = find_rest (record, name);

      if (rest == NULL)
        {
          list = list_members (record, inside);
          return attn_fail (error, ATTN_ERROR_FORMAT, _("member “%s” found, expected only %s"),
                            member, list);
        }
      if (*rest == '\0' || JSON_NODE_HOLDS_NULL (node) ||
          (JSON_NODE_HOLDS_OBJECT (node)
               ? check_members (record, deeper, json_node_get_object (node), error)
               : attn_field_fail_node (node, _("an object"), error)))
        continue;
      g_prefix_error (error, "“%s”: ", name);
      return FALSE;
    }
  return TRUE;
}

/**
 * attn_record_read:
 * @object: the JSON object; where a member is missing or null there, that of @owner stays as it is
 * @owner: the struct that is read into, initialised
 * @error: return location for %ATTN_ERROR_FORMAT, %ATTN_ERROR_LIMIT or %ATTN_ERROR_ARGUMENT: a
 *   member that is not known, of another type or out of range; the message names it
 */
gboolean
attn_record_read (const AttnRecord  *record,
                  JsonObject        *object,
                  gpointer           owner,
                  GError           **error)
{
  for (gsize i = 0; i < record->n_fields; i++)
    {
      g_autofree char *name = dup_object_name (&record->fields[i]);
      JsonNode *node = json_object_get_member (object, name);
      JsonObject *inner = NULL;

      if (*name == '\0')
        inner = object;
      else if (node != NULL && JSON_NODE_HOLDS_OBJECT (node))
        inner = json_node_get_object (node);
      if (inner != NULL && !read_member (&record->fields[i], inner, owner, error))
        return FALSE;
    }
  return check_members (record, "", object, error) &&
         (record->check == NULL || record->check (owner, object, error));
}

/* Tells whether the field has its default value and can be left out of the file. */
static gboolean
is_usual (const AttnRecord *record,
          const AttnField  *field,
          gconstpointer     owner)
{
  g_autofree gpointer zeros = record->usual == NULL ? g_malloc0 (record->size) : NULL;
  gconstpointer usual = record->usual != NULL ? record->usual : zeros;

  if (field->flag != 0)
    return *get_flag (field, owner) == *get_flag (field, usual);
  return attn_field_equal (field, owner, usual);
}

static void
write_field (const AttnRecord *record,
             const AttnField  *field,
             gconstpointer     owner,
             AttnJsonWriter   *writer)
{
  if (field->is_optional && is_usual (record, field, owner))
    return;
  if (is_off (field, owner))
    attn_json_writer_add_string (writer, get_leaf (field), field->word);
  else
    field->type->write (field, G_STRUCT_MEMBER_P (owner, field->offset), writer,
                        get_leaf (field));
}

/**
 * attn_record_write:
 * @writer: a writer that is within a JSON object
 *
 * Writes all members of @owner that attn_record_read() needs to read back an equal struct.
 */
void
attn_record_write (const AttnRecord *record,
                   gconstpointer     owner,
                   AttnJsonWriter   *writer)
{
  g_autofree char *entered = g_strdup ("");

  for (gsize i = 0; i < record->n_fields; i++)
    {
      const AttnField *field = &record->fields[i];
      g_autofree char *name = dup_object_name (field);

      if (field->is_written != NULL && !field->is_written (owner))
        continue;
      if (!g_str_equal (name, entered))
        {
          if (*entered != '\0')
            attn_json_writer_end_object (writer);
          if (*name != '\0')
            attn_json_writer_begin_object (writer, name);
          g_free (entered);
          entered = g_steal_pointer (&name);
        }
      write_field (record, field, owner, writer);
    }
  if (*entered != '\0')
    attn_json_writer_end_object (writer);
}

/**
 * attn_field_parse:
 * @text: the argument of a command-line option
 * @owner: the struct whose member @field is set
 * @error: return location for %ATTN_ERROR_ARGUMENT: what was found and what was expected
 */
gboolean
attn_field_parse (const AttnField  *field,
                  const char       *text,
                  gpointer          owner,
                  GError          **error)
{
  gpointer member = G_STRUCT_MEMBER_P (owner, field->offset);
  gboolean says_off = is_word (field, text);

  if (!says_off && !field->type->parse (field, text, member, error))
    return FALSE;
  if (says_off && field->type->free != NULL)
    attn_field_clear (field, owner);
  else if (says_off)
    memset (member, 0, field->type->size);
  if (field->flag != 0)
    *get_flag (field, owner) = says_off == field->word_flag;
  return TRUE;
}
