/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Types of the fields that are arrays or structs. Reading an array adds an element to the member
 * for each JSON element, and parses it like a field of a single value. */

#include "config.h"

#include "attn-field.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-study.h"
#include "attn-text.h"
#include "attn-viewport.h"

/* Largest number of elements that a list in a file can have, so that a file cannot exhaust
 * memory. */
#define MAX_NUMBERS 1024

static gboolean
read_elements (const AttnField  *field,
               JsonObject       *object,
               JsonNode         *node,
               gpointer          member,
               GError          **error)
{
  guint most = field->type->most > 0 ? field->type->most : (guint) field->maximum;
  JsonArray *array = attn_field_get_array (node, error);
  guint n = array != NULL ? json_array_get_length (array) : 0;
  AttnField element = *field;

  element.type = field->type->element;
  if (n > most)
    return attn_fail (error, ATTN_ERROR_LIMIT, _("%u elements found, expected at most %u"), n,
                      most);
  for (guint i = 0; i < n; i++)
    if (!attn_field_read (&element, NULL, json_array_get_element (array, i),
                          field->type->add (field, member), error))
      {
        g_prefix_error (error, "[%u]: ", i);
        return FALSE;
      }
  return array != NULL;
}

/* --- Arrays of numbers --- */

static gpointer
new_array (const AttnField *field)
{
  return g_array_new (FALSE, FALSE, field->type->element->size);
}

static gpointer
add_number (const AttnField *field,
            gpointer         member)
{
  GArray **array = member;

  if (*array == NULL)
    *array = new_array (field);
  g_array_set_size (*array, (*array)->len + 1);
  return (*array)->data + ((*array)->len - 1) * field->type->element->size;
}

static gboolean
arrays_equal (const AttnField *field,
              gconstpointer    a,
              gconstpointer    b)
{
  const GArray *first = *(GArray * const *) a;
  const GArray *second = *(GArray * const *) b;
  gsize size = field->type->element->size;
  AttnField element = { .type = field->type->element };

  if (first == NULL || second == NULL || first->len != second->len)
    return first == second;
  for (guint i = 0; i < first->len; i++)
    if (!attn_field_numbers_equal (&element, first->data + i * size, second->data + i * size))
      return FALSE;
  return TRUE;
}

static void
write_array (const AttnField *field,
             gconstpointer    member,
             AttnJsonWriter  *writer,
             const char      *name)
{
  const GArray *array = *(GArray * const *) member;
  const AttnFieldType *type = field->type->element;

  attn_json_writer_begin_array (writer, name);
  for (guint i = 0; i < array->len; i++)
    type->write (field, array->data + i * type->size, writer, NULL);
  attn_json_writer_end_array (writer);
}

const AttnFieldType attn_field_numbers = {
  .element = &attn_field_number,
  .most = MAX_NUMBERS,
  .init = new_array,
  .add = add_number,
  .free = (GDestroyNotify) g_array_unref,
  .dup = (AttnDupFunc) g_array_copy,
  .equal = arrays_equal,
  .read = read_elements,
  .write = write_array,
};

static gboolean
read_viewport (const AttnField  *field,
               JsonObject       *object,
               JsonNode         *node,
               gpointer          member,
               GError          **error)
{
  JsonArray *array = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  double numbers[4] = { 0, 0, 0, 0 };
  gboolean is_valid = array != NULL && json_array_get_length (array) == G_N_ELEMENTS (numbers);

  for (guint i = 0; is_valid && i < G_N_ELEMENTS (numbers); i++)
    {
      GType type = json_node_get_value_type (json_array_get_element (array, i));

      numbers[i] = type == G_TYPE_INT64 || type == G_TYPE_DOUBLE
                       ? json_array_get_double_element (array, i)
                       : -1;
      is_valid = numbers[i] >= (i < 2 ? 0 : DBL_MIN) && numbers[i] <= 1;
    }
  if (!is_valid)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("no part of a panel found, expected left, top, width and height from 0 to "
                        "1"));
  *(AttnViewport *) member =
      attn_viewport_clamp ((AttnViewport) { numbers[0], numbers[1], numbers[2], numbers[3] });
  return TRUE;
}

static void
write_viewport (const AttnField *field,
                gconstpointer    member,
                AttnJsonWriter  *writer,
                const char      *name)
{
  const AttnViewport *viewport = member;
  const double numbers[] = { viewport->x, viewport->y, viewport->width, viewport->height };

  attn_json_writer_begin_array (writer, name);
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    attn_json_writer_add_number (writer, NULL, numbers[i]);
  attn_json_writer_end_array (writer);
}

const AttnFieldType attn_field_viewport = {
  .size = sizeof (AttnViewport),
  .equal = attn_field_numbers_equal,
  .read = read_viewport,
  .write = write_viewport,
};

const AttnFieldType attn_field_views = {
  .element = &attn_field_viewport,
  .add = add_number,
  .free = (GDestroyNotify) g_array_unref,
  .dup = (AttnDupFunc) g_array_copy,
  .equal = arrays_equal,
  .read = read_elements,
  .write = write_array,
};

static gboolean
read_span (const AttnField  *field,
           JsonObject       *object,
           JsonNode         *node,
           gpointer          member,
           GError          **error)
{
  gsize *span = member;
  JsonArray *array = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  gint64 ends[2] = { -1, -1 };

  for (guint i = 0; array != NULL && json_array_get_length (array) == 2 && i < 2; i++)
    if (json_node_get_value_type (json_array_get_element (array, i)) == G_TYPE_INT64)
      ends[i] = json_array_get_int_element (array, i);
  if (ends[0] < 0 || ends[1] < ends[0] || ends[1] >= G_MAXINT32)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("no first and last position found, expected two such as [0, 3]"));
  span[0] = ends[0];
  span[1] = ends[1];
  return TRUE;
}

static void
write_span (const AttnField *field,
            gconstpointer    member,
            AttnJsonWriter  *writer,
            const char      *name)
{
  const gsize *span = member;

  attn_json_writer_add_span (writer, name, span[0], span[1]);
}

const AttnFieldType attn_field_span = {
  .size = 2 * sizeof (gsize), .read = read_span, .write = write_span
};

/* Layout of the token ids within AttnInput: the array, followed by its length. */
typedef struct
{
  guint32 *ids;
  gsize n_ids;
} Ids;

static gpointer
add_id (const AttnField *field,
        gpointer         member)
{
  Ids *ids = member;

  ids->ids = g_renew (guint32, ids->ids, ids->n_ids + 1);
  return &ids->ids[ids->n_ids++];
}

static void
copy_ids (const AttnField *field,
          gpointer         member)
{
  Ids *ids = member;

  ids->ids = g_memdup2 (ids->ids, ids->n_ids * sizeof *ids->ids);
}

static gboolean
ids_equal (const AttnField *field,
           gconstpointer    a,
           gconstpointer    b)
{
  const Ids *first = a;
  const Ids *second = b;

  return first->n_ids == second->n_ids &&
         (first->n_ids == 0 ||
          memcmp (first->ids, second->ids, first->n_ids * sizeof *first->ids) == 0);
}

static void
write_ids (const AttnField *field,
           gconstpointer    member,
           AttnJsonWriter  *writer,
           const char      *name)
{
  const Ids *ids = member;

  attn_json_writer_begin_array (writer, name);
  for (gsize i = 0; i < ids->n_ids; i++)
    attn_json_writer_add_integer (writer, NULL, ids->ids[i]);
  attn_json_writer_end_array (writer);
}

const AttnFieldType attn_field_ids = {
  .element = &attn_field_count,
  .most = G_MAXUINT,
  .add = add_id,
  .free = g_free,
  .copy = copy_ids,
  .equal = ids_equal,
  .read = read_elements,
  .write = write_ids,
};

/* --- Texts --- */

static gpointer
new_strings (const AttnField *field)
{
  return g_new0 (char *, 1);
}

static gboolean
read_strings (const AttnField  *field,
              JsonObject       *object,
              JsonNode         *node,
              gpointer          member,
              GError          **error)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  JsonArray *array = attn_field_get_array (node, error);

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonNode *element = json_array_get_element (array, i);

      if (json_node_get_value_type (element) != G_TYPE_STRING)
        return attn_field_fail_node (element, _("a string"), error);
      g_strv_builder_add (builder, json_node_get_string (element));
    }
  if (array == NULL)
    return FALSE;
  g_strfreev (*(GStrv *) member);
  *(GStrv *) member = g_strv_builder_end (builder);
  return TRUE;
}

static void
write_strings (const AttnField *field,
               gconstpointer    member,
               AttnJsonWriter  *writer,
               const char      *name)
{
  attn_json_writer_add_strings (writer, name, *(const char * const * const *) member);
}

const AttnFieldType attn_field_strings = {
  .init = new_strings,
  .free = (GDestroyNotify) g_strfreev,
  .dup = (AttnDupFunc) g_strdupv,
  .same = (GEqualFunc) g_strv_equal,
  .read = read_strings,
  .write = write_strings,
};

static gboolean
read_paths (const AttnField  *field,
            JsonObject       *object,
            JsonNode         *node,
            gpointer          member,
            GError          **error)
{
  g_auto (GStrv) texts = NULL;

  if (json_node_get_value_type (node) == G_TYPE_STRING)
    {
      texts = g_new0 (char *, 2);
      texts[0] = g_strdup (json_node_get_string (node));
    }
  else if (!read_strings (field, object, node, &texts, error))
    return FALSE;
  if (texts[0] == NULL)
    return attn_field_fail_node (node, _("one string or more"), error);
  if (g_strv_length (texts) > ATTN_MAX_PICTURES)
    return attn_fail (error, ATTN_ERROR_LIMIT, _("%u elements found, expected at most %u"),
                      g_strv_length (texts), (guint) ATTN_MAX_PICTURES);
  g_strfreev (*(GStrv *) member);
  *(GStrv *) member = g_new0 (char *, g_strv_length (texts) + 1);
  for (gsize i = 0; texts[i] != NULL; i++)
    (*(GStrv *) member)[i] = attn_text_unescape_path (texts[i]);
  return TRUE;
}

static void
write_paths (const AttnField *field,
             gconstpointer    member,
             AttnJsonWriter  *writer,
             const char      *name)
{
  char * const *paths = *(GStrv const *) member;
  gboolean is_list = paths != NULL && paths[0] != NULL && paths[1] != NULL;

  if (is_list)
    attn_json_writer_begin_array (writer, name);
  for (gsize i = 0; paths != NULL && paths[i] != NULL; i++)
    {
      g_autofree char *text = attn_text_escape_path (paths[i]);

      attn_json_writer_add_string (writer, is_list ? NULL : name, text);
    }
  if (is_list)
    attn_json_writer_end_array (writer);
}

const AttnFieldType attn_field_paths = {
  .free = (GDestroyNotify) g_strfreev,
  .dup = (AttnDupFunc) g_strdupv,
  .same = (GEqualFunc) g_strv_equal,
  .read = read_paths,
  .write = write_paths,
};

/* --- Structs within structs --- */

static gboolean
record_equal (const AttnField *field,
              gconstpointer    a,
              gconstpointer    b)
{
  return attn_record_equal (field->record, a, b);
}

static gboolean
read_record (const AttnField  *field,
             JsonObject       *object,
             JsonNode         *node,
             gpointer          member,
             GError          **error)
{
  return JSON_NODE_HOLDS_OBJECT (node)
             ? attn_record_read (field->record, json_node_get_object (node), member, error)
             : attn_field_fail_node (node, _("an object"), error);
}

static void
write_record (const AttnField *field,
              gconstpointer    member,
              AttnJsonWriter  *writer,
              const char      *name)
{
  attn_json_writer_begin_object (writer, name);
  attn_record_write (field->record, member, writer);
  attn_json_writer_end_object (writer);
}

const AttnFieldType attn_field_record = {
  .equal = record_equal, .read = read_record, .write = write_record
};

static gpointer
new_list (const AttnField *field)
{
  return g_ptr_array_new_with_free_func (field->record->free);
}

static gpointer
add_struct (const AttnField *field,
            gpointer         member)
{
  gpointer element = attn_record_new (field->record);

  g_ptr_array_add (*(GPtrArray **) member, element);
  return element;
}

static gpointer
copy_struct (gconstpointer element,
             gpointer      record)
{
  return attn_record_copy (record, element);
}

static void
copy_list (const AttnField *field,
           gpointer         member)
{
  GPtrArray **list = member;

  *list = g_ptr_array_copy (*list, copy_struct, (gpointer) field->record);
}

static gboolean
list_equal (const AttnField *field,
            gconstpointer    a,
            gconstpointer    b)
{
  const GPtrArray *first = *(GPtrArray * const *) a;
  const GPtrArray *second = *(GPtrArray * const *) b;

  if (first->len != second->len)
    return FALSE;
  for (guint i = 0; i < first->len; i++)
    if (!attn_record_equal (field->record, first->pdata[i], second->pdata[i]))
      return FALSE;
  return TRUE;
}

static void
write_list (const AttnField *field,
            gconstpointer    member,
            AttnJsonWriter  *writer,
            const char      *name)
{
  const GPtrArray *list = *(GPtrArray * const *) member;

  attn_json_writer_begin_array (writer, name);
  for (guint i = 0; i < list->len; i++)
    write_record (field, list->pdata[i], writer, NULL);
  attn_json_writer_end_array (writer);
}

const AttnFieldType attn_field_list = {
  .element = &attn_field_record,
  .init = new_list,
  .add = add_struct,
  .free = (GDestroyNotify) g_ptr_array_unref,
  .copy = copy_list,
  .equal = list_equal,
  .read = read_elements,
  .write = write_list,
};
