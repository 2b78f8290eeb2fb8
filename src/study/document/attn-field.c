/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Types of the fields that hold one value: flags, choices, numbers, texts and sets. A field that
 * can be parsed from the argument of an option can be parsed from a string or a number in JSON,
 * too. */

#include "config.h"

#include "attn-field.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-index-set.h"
#include "attn-text.h"

/* Largest number that an index set can contain. */
#define MAX_INDEX (G_MAXINT32 - 1)

/* --- Flags and choices --- */

static gboolean
read_flag (const AttnField  *field,
           JsonObject       *object,
           JsonNode         *node,
           gpointer          member,
           GError          **error)
{
  if (json_node_get_value_type (node) != G_TYPE_BOOLEAN)
    return attn_field_fail_node (node, _("true or false"), error);
  *(gboolean *) member = json_node_get_boolean (node);
  return TRUE;
}

static void
write_flag (const AttnField *field,
            gconstpointer    member,
            AttnJsonWriter  *writer,
            const char      *name)
{
  attn_json_writer_add_boolean (writer, name, *(const gboolean *) member);
}

const AttnFieldType attn_field_flag = {
  .size = sizeof (gboolean), .read = read_flag, .write = write_flag
};

static gboolean
parse_choice (const AttnField  *field,
              const char       *text,
              gpointer          member,
              GError          **error)
{
  int place;

  if (!attn_text_parse_name (field->names, text, &place, error))
    return FALSE;
  *(int *) member = field->values != NULL ? field->values[place] : place;
  return TRUE;
}

static void
write_choice (const AttnField *field,
              gconstpointer    member,
              AttnJsonWriter  *writer,
              const char      *name)
{
  int place = *(const int *) member;

  for (int i = 0; field->values != NULL && field->names[i] != NULL; i++)
    if (field->values[i] == *(const int *) member)
      place = i;
  attn_json_writer_add_string (writer, name, field->names[place]);
}

const AttnFieldType attn_field_choice = {
  .size = sizeof (int), .json = G_TYPE_STRING, .write = write_choice, .parse = parse_choice
};

static gboolean
flags_equal (const AttnField *field,
             gconstpointer    a,
             gconstpointer    b)
{
  return memcmp (a, b, g_strv_length ((char **) field->names) * sizeof (gboolean)) == 0;
}

static gboolean
read_flags (const AttnField  *field,
            JsonObject       *object,
            JsonNode         *node,
            gpointer          member,
            GError          **error)
{
  gsize n = g_strv_length ((char **) field->names);
  g_autofree gboolean *flags = g_new0 (gboolean, n);
  JsonArray *array = attn_field_get_array (node, error);
  AttnField element = *field;
  int choice;

  if (array == NULL)
    return FALSE;
  element.type = &attn_field_choice;
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      if (!attn_field_read (&element, NULL, json_array_get_element (array, i), &choice, error))
        return FALSE;
      flags[choice] = TRUE;
    }
  memcpy (member, flags, n * sizeof *flags);
  return TRUE;
}

static void
write_flags (const AttnField *field,
             gconstpointer    member,
             AttnJsonWriter  *writer,
             const char      *name)
{
  const gboolean *flags = member;

  attn_json_writer_begin_array (writer, name);
  for (int i = 0; field->names[i] != NULL; i++)
    if (flags[i])
      attn_json_writer_add_string (writer, NULL, field->names[i]);
  attn_json_writer_end_array (writer);
}

static gboolean
parse_flags (const AttnField  *field,
             const char       *text,
             gpointer          member,
             GError          **error)
{
  g_auto (GStrv) names = g_strsplit (*text != '\0' ? text : ",", ",", -1);
  gsize n = g_strv_length ((char **) field->names);
  g_autofree gboolean *flags = g_new0 (gboolean, n);

  for (char **name = names; *name != NULL; name++)
    {
      int choice;

      if (!attn_text_parse_name (field->names, *name, &choice, error))
        return FALSE;
      flags[choice] = TRUE;
    }
  memcpy (member, flags, n * sizeof *flags);
  return TRUE;
}

const AttnFieldType attn_field_flags = {
  .equal = flags_equal, .read = read_flags, .write = write_flags, .parse = parse_flags
};

/* --- Numbers --- */

static gboolean
fail_range (const AttnField  *field,
            const char       *text,
            double            maximum,
            GError          **error)
{
  g_autofree char *range = g_strdup_printf (_("%.10g to %.10g"), field->minimum, maximum);

  return attn_field_fail (text, field->expected != NULL ? _(field->expected) : range, error);
}

static gboolean
parse_whole (const AttnField  *field,
             const char       *text,
             gpointer          member,
             GError          **error)
{
  guint64 maximum = field->maximum > 0 ? (guint64) field->maximum : MAX_INDEX;
  guint64 value;

  if (!g_ascii_string_to_unsigned (text, 10, field->minimum, maximum, &value, NULL))
    return fail_range (field, text, maximum, error);
  if (field->type->size == sizeof (guint))
    *(guint *) member = value;
  else
    *(gsize *) member = value;
  return TRUE;
}

static void
write_whole (const AttnField *field,
             gconstpointer    member,
             AttnJsonWriter  *writer,
             const char      *name)
{
  gboolean is_count = field->type->size == sizeof (guint);

  attn_json_writer_add_integer (writer, name,
                                is_count ? *(const guint *) member : *(const gsize *) member);
}

const AttnFieldType attn_field_count = {
  .size = sizeof (guint), .json = G_TYPE_INT64, .write = write_whole, .parse = parse_whole
};

const AttnFieldType attn_field_size = {
  .size = sizeof (gsize), .json = G_TYPE_INT64, .write = write_whole, .parse = parse_whole
};

static gboolean
parse_index (const AttnField  *field,
             const char       *text,
             gpointer          member,
             GError          **error)
{
  guint64 value;
  int place;

  if (g_ascii_string_to_unsigned (text, 10, 0, MAX_INDEX, &value, NULL))
    *(int *) member = value;
  else if (attn_text_parse_name (field->names, text, &place, NULL))
    *(int *) member = -1 - place;
  else
    return attn_field_fail (text, _(field->expected), error);
  return TRUE;
}

static void
write_index (const AttnField *field,
             gconstpointer    member,
             AttnJsonWriter  *writer,
             const char      *name)
{
  int index = *(const int *) member;

  if (index < 0)
    attn_json_writer_add_string (writer, name, field->names[-1 - index]);
  else
    attn_json_writer_add_integer (writer, name, index);
}

const AttnFieldType attn_field_index = {
  .size = sizeof (int), .write = write_index, .parse = parse_index
};

/**
 * attn_field_numbers_equal:
 * @field: its type says by its size how many doubles @a and @b point to
 *
 * Returns: whether the numbers are equal, as 0 and -0 are, though their bytes differ
 */
gboolean
attn_field_numbers_equal (const AttnField *field,
                          gconstpointer    a,
                          gconstpointer    b)
{
  const double *first = a;
  const double *second = b;

  for (gsize i = 0; i < field->type->size / sizeof *first; i++)
    if (first[i] != second[i])
      return FALSE;
  return TRUE;
}

static void
write_number (const AttnField *field,
              gconstpointer    member,
              AttnJsonWriter  *writer,
              const char      *name)
{
  attn_json_writer_add_number (writer, name, *(const double *) member);
}

static gboolean
parse_number (const AttnField  *field,
              const char       *text,
              gpointer          member,
              GError          **error)
{
  double value;

  if (!attn_text_parse_number (text, &value) || value < field->minimum || value > field->maximum)
    return fail_range (field, text, field->maximum, error);
  *(double *) member = value;
  return TRUE;
}

const AttnFieldType attn_field_number = {
  .size = sizeof (double),
  .json = G_TYPE_DOUBLE,
  .equal = attn_field_numbers_equal,
  .write = write_number,
  .parse = parse_number,
};

/* --- Texts --- */

static void
write_text (const AttnField *field,
            gconstpointer    member,
            AttnJsonWriter  *writer,
            const char      *name)
{
  attn_json_writer_add_string (writer, name, *(char * const *) member);
}

static gboolean
parse_text (const AttnField  *field,
            const char       *text,
            gpointer          member,
            GError          **error)
{
  if (!g_utf8_validate (text, -1, NULL))
    return attn_field_fail (text, _("UTF-8 text"), error);
  g_free (*(char **) member);
  *(char **) member = g_strdup (text);
  return TRUE;
}

const AttnFieldType attn_field_text = {
  .json = G_TYPE_STRING,
  .free = g_free,
  .dup = (AttnDupFunc) g_strdup,
  .same = g_str_equal,
  .write = write_text,
  .parse = parse_text,
};

static gboolean
read_path (const AttnField  *field,
           JsonObject       *object,
           JsonNode         *node,
           gpointer          member,
           GError          **error)
{
  if (json_node_get_value_type (node) != G_TYPE_STRING)
    return attn_field_fail_node (node, _("a string"), error);
  g_free (*(char **) member);
  *(char **) member = attn_text_unescape_path (json_node_get_string (node));
  return TRUE;
}

static void
write_path (const AttnField *field,
            gconstpointer    member,
            AttnJsonWriter  *writer,
            const char      *name)
{
  const char *path = *(char * const *) member;
  g_autofree char *text = path != NULL ? attn_text_escape_path (path) : NULL;

  attn_json_writer_add_string (writer, name, text);
}

const AttnFieldType attn_field_path = {
  .free = g_free,
  .dup = (AttnDupFunc) g_strdup,
  .same = g_str_equal,
  .read = read_path,
  .write = write_path,
};

static gboolean
parse_interned (const AttnField  *field,
                const char       *text,
                gpointer          member,
                GError          **error)
{
  if (*text == '\0' || !g_utf8_validate (text, -1, NULL))
    return attn_field_fail (text, _(field->expected), error);
  *(const char **) member = g_intern_string (text);
  return TRUE;
}

const AttnFieldType attn_field_interned = {
  .size = sizeof (const char *),
  .json = G_TYPE_STRING,
  .same = g_str_equal,
  .write = write_text,
  .parse = parse_interned,
};

static gboolean
parse_set (const AttnField  *field,
           const char       *text,
           gpointer          member,
           GError          **error)
{
  AttnIndexSet *set = NULL;

  if (!g_str_equal (text, "all") && (set = attn_index_set_parse (text, error)) == NULL)
    return FALSE;
  g_clear_pointer ((AttnIndexSet **) member, attn_index_set_unref);
  *(AttnIndexSet **) member = set;
  return TRUE;
}

static void
write_set (const AttnField *field,
           gconstpointer    member,
           AttnJsonWriter  *writer,
           const char      *name)
{
  g_autofree char *text = attn_index_set_to_string (*(AttnIndexSet * const *) member);

  attn_json_writer_add_string (writer, name, text);
}

const AttnFieldType attn_field_set = {
  .json = G_TYPE_STRING,
  .free = (GDestroyNotify) attn_index_set_unref,
  .dup = (AttnDupFunc) attn_index_set_ref,
  .same = (GEqualFunc) attn_index_set_equal,
  .write = write_set,
  .parse = parse_set,
};
