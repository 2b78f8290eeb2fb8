/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is done with every row of a table of fields. */

#include "config.h"

#include "attn-field.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-json.h"

static gboolean *
get_flag (const AttnField *field,
          gconstpointer    owner)
{
  return field->flag != 0 ? G_STRUCT_MEMBER_P (owner, field->flag) : NULL;
}

/* Whether the flag of @field says that the member does not count. */
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

/* The member's name within the object that it is in. */
static const char *
get_leaf (const AttnField *field)
{
  const char *dot = strchr (field->name, '.');

  return dot != NULL ? dot + 1 : field->name;
}

/* The name of the object that the field is in; "" for the record's own. */
static char *
dup_object_name (const AttnField *field)
{
  return g_strndup (field->name, MAX (get_leaf (field) - field->name, 1) - 1);
}

/**
 * attn_record_init:
 * @owner: whose plain members are set
 *
 * Makes members of their own of those that are lists.
 */
void
attn_record_init (const AttnRecord *record,
                  gpointer          owner)
{
  for (gsize i = 0; i < record->n_fields; i++)
    if (record->fields[i].type->init != NULL)
      record->fields[i].type->init (&record->fields[i],
                                    G_STRUCT_MEMBER_P (owner, record->fields[i].offset));
}

/**
 * attn_record_new:
 *
 * Returns: (transfer full): a struct with the defaults
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
 * attn_record_clear:
 *
 * Frees what the members of @owner own, not @owner.
 */
void
attn_record_clear (const AttnRecord *record,
                   gpointer          owner)
{
  for (gsize i = 0; i < record->n_fields; i++)
    if (record->fields[i].type->clear != NULL)
      record->fields[i].type->clear (&record->fields[i],
                                     G_STRUCT_MEMBER_P (owner, record->fields[i].offset));
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

  for (gsize i = 0; i < record->n_fields; i++)
    {
      const AttnField *field = &record->fields[i];

      if (field->type->copy != NULL)
        field->type->copy (field, G_STRUCT_MEMBER_P (owner, field->offset),
                           G_STRUCT_MEMBER_P (copy, field->offset));
    }
  return copy;
}

/**
 * attn_field_equal:
 *
 * Returns: whether the structs @a and @b agree in that member and its flag
 */
gboolean
attn_field_equal (const AttnField *field,
                  gconstpointer    a,
                  gconstpointer    b)
{
  gconstpointer first = G_STRUCT_MEMBER_P (a, field->offset);
  gconstpointer second = G_STRUCT_MEMBER_P (b, field->offset);

  if (field->flag != 0 && *get_flag (field, a) != *get_flag (field, b))
    return FALSE;
  return field->type->equal != NULL ? field->type->equal (field, first, second)
                                    : memcmp (first, second, field->type->size) == 0;
}

/**
 * attn_record_equal:
 *
 * Returns: whether both say the same in every member
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

/* Refuses a member of @object that no field of the object @name is called by: a typing error that
 * is passed over would be a wrong picture that nobody notices. */
static gboolean
check_members (const AttnRecord  *record,
               const char        *name,
               JsonObject        *object,
               const char        *where,
               GError           **error)
{
  g_autoptr (GPtrArray) known = g_ptr_array_new_with_free_func (g_free);
  JsonObjectIter iter;
  const char *member;

  for (gsize i = 0; i < record->n_fields; i++)
    {
      g_autofree char *object_name = dup_object_name (&record->fields[i]);
      const char *known_name = g_str_equal (object_name, name) ? get_leaf (&record->fields[i])
                               : *name == '\0'                 ? object_name
                                                               : NULL;

      if (known_name != NULL &&
          !g_ptr_array_find_with_equal_func (known, known_name, g_str_equal, NULL))
        g_ptr_array_add (known, g_strdup (known_name));
    }
  g_ptr_array_add (known, NULL);

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &member, NULL))
    if (!g_strv_contains ((const char * const *) known->pdata, member))
      {
        g_autofree char *list = g_strjoinv (", ", (char **) known->pdata);
        return attn_fail (error, ATTN_ERROR_FORMAT, _("%s: member “%s” found, expected only %s"),
                          where, member, list);
      }
  return TRUE;
}

static gboolean
read_field (const AttnField  *field,
            JsonObject       *object,
            const char       *where,
            gpointer          owner,
            GError          **error)
{
  const char *name = get_leaf (field);
  JsonNode *node = json_object_get_member (object, name);
  gboolean *flag = get_flag (field, owner);

  if ((node == NULL || JSON_NODE_HOLDS_NULL (node)) && !field->is_required)
    return TRUE;
  if (flag != NULL)
    {
      *flag = field->word_flag;
      if (JSON_NODE_HOLDS_VALUE (node) && is_word (field, json_node_get_string (node)))
        return TRUE;
      *flag = !field->word_flag;
    }
  return field->type->read (field, object, where, name, G_STRUCT_MEMBER_P (owner, field->offset),
                            error);
}

/**
 * attn_record_read:
 * @object: of which a member that is missing or null leaves that of @owner as it is
 * @where: what messages begin with
 * @owner: initialised
 * @error: return location for %ATTN_ERROR_FORMAT, %ATTN_ERROR_LIMIT or %ATTN_ERROR_ARGUMENT: a
 *   member that is not known, of another type or out of range, by its name
 */
gboolean
attn_record_read (const AttnRecord  *record,
                  JsonObject        *object,
                  const char        *where,
                  gpointer           owner,
                  GError           **error)
{
  g_autofree char *entered = g_strdup ("");
  g_autofree char *place = g_strdup (where);
  JsonObject *inner = object;

  if (!check_members (record, "", object, where, error))
    return FALSE;
  for (gsize i = 0; i < record->n_fields; i++)
    {
      g_autofree char *name = dup_object_name (&record->fields[i]);

      if (!g_str_equal (name, entered))
        {
          g_free (place);
          place = *name != '\0' ? g_strdup_printf ("%s: “%s”", where, name) : g_strdup (where);
          inner = object;
          if (*name != '\0' && (!attn_json_get_object (object, where, name, &inner, error) ||
                                (inner != NULL &&
                                 !check_members (record, name, inner, place, error))))
            return FALSE;
          g_free (entered);
          entered = g_steal_pointer (&name);
        }
      if (inner != NULL && !read_field (&record->fields[i], inner, place, owner, error))
        return FALSE;
    }
  return record->check == NULL || record->check (owner, object, where, error);
}

/* Whether a member that is written only where it is not as usual is as usual. */
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
 * @writer: within an object
 *
 * What attn_record_read() reads back to an equal struct.
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
 * @text: an option's argument
 * @owner: the struct
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
  if (says_off && field->type->clear != NULL)
    field->type->clear (field, member);
  else if (says_off)
    memset (member, 0, field->type->size);
  if (field->flag != 0)
    *get_flag (field, owner) = says_off == field->word_flag;
  return TRUE;
}
