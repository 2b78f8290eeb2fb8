/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The types of fields. Messages about JSON name the place and the member, what was found and what
 * was expected; those about an option leave its name to the caller. */

#include "config.h"

#include "attn-field.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-colormap.h"
#include "attn-error.h"
#include "attn-index-set.h"
#include "attn-json.h"
#include "attn-names.h"
#include "attn-text.h"

/* An index set holds no larger number. */
#define MAX_INDEX ((gsize) G_MAXINT32 - 1)

/**
 * attn_field_fail:
 * @found: any bytes
 * @expected: translated
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
 * attn_field_fail_at:
 * @where: the place of the JSON object
 * @name: of its member
 * @found: what stands there
 * @expected: translated
 * @error: return location for %ATTN_ERROR_FORMAT
 *
 * Returns: %FALSE
 */
gboolean
attn_field_fail_at (const char  *where,
                    const char  *name,
                    const char  *found,
                    const char  *expected,
                    GError     **error)
{
  return attn_fail (error, ATTN_ERROR_FORMAT, _("%s: “%s”: “%s” found, expected %s"), where, name,
                    found, expected);
}

/* --- Flags and choices --- */

static gboolean
read_flag (const AttnField  *field,
           JsonObject       *object,
           const char       *where,
           const char       *name,
           gpointer          member,
           GError          **error)
{
  gboolean *value = member;

  return attn_json_get_boolean (object, where, name, *value, value, error);
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

  if (!attn_names_parse (field->names, text, &place, error))
    return FALSE;
  *(int *) member = field->values != NULL ? field->values[place] : place;
  return TRUE;
}

static gboolean
read_choice (const AttnField  *field,
             JsonObject       *object,
             const char       *where,
             const char       *name,
             gpointer          member,
             GError          **error)
{
  const char *text;

  if (!attn_json_get_string (object, where, name, NULL, &text, error))
    return FALSE;
  if (parse_choice (field, text, member, error))
    return TRUE;
  g_prefix_error (error, "%s: “%s”: ", where, name);
  return FALSE;
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
  .size = sizeof (int), .read = read_choice, .write = write_choice, .parse = parse_choice
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
            const char       *where,
            const char       *name,
            gpointer          member,
            GError          **error)
{
  gboolean *flags = member;
  JsonArray *array;

  if (!attn_json_get_array (object, where, name, &array, error))
    return FALSE;
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      gboolean is_name = json_node_get_value_type (node) == G_TYPE_STRING;
      int choice;

      if (!attn_names_parse (field->names,
                             is_name ? json_node_get_string (node) : json_node_type_name (node),
                             &choice, error))
        {
          g_prefix_error (error, "%s: “%s”: ", where, name);
          return FALSE;
        }
      flags[choice] = TRUE;
    }
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

      if (!attn_names_parse (field->names, *name, &choice, error))
        return FALSE;
      flags[choice] = TRUE;
    }
  memcpy (member, flags, n * sizeof *flags);
  return TRUE;
}

const AttnFieldType attn_field_flags = {
  .equal = flags_equal, .read = read_flags, .write = write_flags, .parse = parse_flags
};

static gboolean
read_index (const AttnField  *field,
            JsonObject       *object,
            const char       *where,
            const char       *name,
            gpointer          member,
            GError          **error)
{
  JsonNode *node = json_object_get_member (object, name);
  gsize index;

  if (json_node_get_value_type (node) == G_TYPE_STRING)
    {
      int place;

      if (!attn_names_parse (field->names, json_node_get_string (node), &place, NULL))
        return attn_field_fail_at (where, name, json_node_get_string (node), _(field->expected),
                                   error);
      *(int *) member = -1 - place;
      return TRUE;
    }
  if (!attn_json_get_size (object, where, name, 0, MAX_INDEX, 0, &index, error))
    return FALSE;
  *(int *) member = index;
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
  .size = sizeof (int), .read = read_index, .write = write_index
};

/* --- Numbers --- */

static gboolean
read_size (const AttnField  *field,
           JsonObject       *object,
           const char       *where,
           const char       *name,
           gpointer          member,
           GError          **error)
{
  gsize maximum = field->maximum > 0 ? (gsize) field->maximum : MAX_INDEX;

  return attn_json_get_size (object, where, name, field->minimum, maximum, 0, member, error);
}

static void
write_size (const AttnField *field,
            gconstpointer    member,
            AttnJsonWriter  *writer,
            const char      *name)
{
  attn_json_writer_add_integer (writer, name, *(const gsize *) member);
}

static gboolean
parse_size (const AttnField  *field,
            const char       *text,
            gpointer          member,
            GError          **error)
{
  guint64 maximum = field->maximum > 0 ? (guint64) field->maximum : MAX_INDEX;
  guint64 value;

  if (!g_ascii_string_to_unsigned (text, 10, field->minimum, maximum, &value, NULL))
    return attn_field_fail (text, _(field->expected), error);
  *(gsize *) member = value;
  return TRUE;
}

const AttnFieldType attn_field_size = {
  .size = sizeof (gsize), .read = read_size, .write = write_size, .parse = parse_size
};

static gboolean
read_count (const AttnField  *field,
            JsonObject       *object,
            const char       *where,
            const char       *name,
            gpointer          member,
            GError          **error)
{
  gsize value = 0;

  if (!read_size (field, object, where, name, &value, error))
    return FALSE;
  *(guint *) member = value;
  return TRUE;
}

static void
write_count (const AttnField *field,
             gconstpointer    member,
             AttnJsonWriter  *writer,
             const char      *name)
{
  attn_json_writer_add_integer (writer, name, *(const guint *) member);
}

static gboolean
parse_count (const AttnField  *field,
             const char       *text,
             gpointer          member,
             GError          **error)
{
  gsize value = 0;

  if (!parse_size (field, text, &value, error))
    return FALSE;
  *(guint *) member = value;
  return TRUE;
}

const AttnFieldType attn_field_count = {
  .size = sizeof (guint), .read = read_count, .write = write_count, .parse = parse_count
};

static gboolean
read_span (const AttnField  *field,
           JsonObject       *object,
           const char       *where,
           const char       *name,
           gpointer          member,
           GError          **error)
{
  gsize *span = member;
  JsonArray *array;
  gint64 ends[2] = { -1, -1 };

  if (!attn_json_get_array (object, where, name, &array, error))
    return FALSE;
  for (guint i = 0; array != NULL && json_array_get_length (array) == 2 && i < 2; i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      if (json_node_get_value_type (node) == G_TYPE_INT64)
        ends[i] = json_node_get_int (node);
    }
  if (ends[0] < 0 || ends[1] < ends[0] || ends[1] >= G_MAXINT32)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: “%s”: no first and last position found, expected two such as [0, 3]"),
                      where, name);
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

static gboolean
number_equal (const AttnField *field,
              gconstpointer    a,
              gconstpointer    b)
{
  return *(const double *) a == *(const double *) b;
}

static gboolean
is_within (const AttnField *field,
           double           value)
{
  return value >= field->minimum && value <= field->maximum;
}

static gboolean
read_number (const AttnField  *field,
             JsonObject       *object,
             const char       *where,
             const char       *name,
             gpointer          member,
             GError          **error)
{
  double value;

  if (!attn_json_get_number (object, where, name, 0, &value, error))
    return FALSE;
  if (!is_within (field, value))
    return attn_fail (error, ATTN_ERROR_LIMIT, _("%s: “%s”: %g found, expected %g to %g"), where,
                      name, value, field->minimum, field->maximum);
  *(double *) member = value;
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

  if (!attn_text_parse_number (text, &value) || !is_within (field, value))
    return attn_field_fail (text, _(field->expected), error);
  *(double *) member = value;
  return TRUE;
}

const AttnFieldType attn_field_number = {
  .equal = number_equal, .read = read_number, .write = write_number, .parse = parse_number
};

static void
init_numbers (const AttnField *field,
              gpointer         member)
{
  *(GArray **) member = g_array_new (FALSE, FALSE, sizeof (double));
}

static void
clear_numbers (const AttnField *field,
               gpointer         member)
{
  g_clear_pointer ((GArray **) member, g_array_unref);
}

static void
copy_numbers (const AttnField *field,
              gconstpointer    from,
              gpointer         to)
{
  *(GArray **) to = g_array_copy (*(GArray * const *) from);
}

static gboolean
numbers_equal (const AttnField *field,
               gconstpointer    a,
               gconstpointer    b)
{
  const GArray *first = *(GArray * const *) a;
  const GArray *second = *(GArray * const *) b;

  if (first->len != second->len)
    return FALSE;
  for (guint i = 0; i < first->len; i++)
    if (g_array_index (first, double, i) != g_array_index (second, double, i))
      return FALSE;
  return TRUE;
}

/* More than any figure has: bounds what a file can make the program do. */
#define MAX_NUMBERS 1024

static gboolean
read_numbers (const AttnField  *field,
              JsonObject       *object,
              const char       *where,
              const char       *name,
              gpointer          member,
              GError          **error)
{
  JsonArray *array;

  if (!attn_json_get_array (object, where, name, &array, error))
    return FALSE;
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      GType type = json_node_get_value_type (node);
      gboolean is_number = type == G_TYPE_INT64 || type == G_TYPE_DOUBLE;
      double value = is_number ? json_node_get_double (node) : 0;

      if (!is_within (field, value) || i >= MAX_NUMBERS)
        return attn_fail (error, ATTN_ERROR_LIMIT,
                          _("%s: “%s”: element %u is %g, expected at most %u numbers from %g to "
                            "%g"),
                          where, name, i, value, MAX_NUMBERS, field->minimum, field->maximum);
      g_array_append_val (*(GArray **) member, value);
    }
  return TRUE;
}

static void
write_numbers (const AttnField *field,
               gconstpointer    member,
               AttnJsonWriter  *writer,
               const char      *name)
{
  const GArray *numbers = *(GArray * const *) member;

  attn_json_writer_begin_array (writer, name);
  for (guint i = 0; i < numbers->len; i++)
    attn_json_writer_add_number (writer, NULL, g_array_index (numbers, double, i));
  attn_json_writer_end_array (writer);
}

const AttnFieldType attn_field_numbers = {
  .init = init_numbers,
  .clear = clear_numbers,
  .copy = copy_numbers,
  .equal = numbers_equal,
  .read = read_numbers,
  .write = write_numbers,
};

static void
clear_pointer (const AttnField *field,
               gpointer         member)
{
  g_clear_pointer ((gpointer *) member, g_free);
}

/* As in AttnInput: the ids and, behind them, how many they are. */
typedef struct
{
  guint32 *ids;
  gsize n_ids;
} Ids;

static void
copy_ids (const AttnField *field,
          gconstpointer    from,
          gpointer         to)
{
  const Ids *ids = from;

  ((Ids *) to)->ids = g_memdup2 (ids->ids, ids->n_ids * sizeof *ids->ids);
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

static gboolean
read_ids (const AttnField  *field,
          JsonObject       *object,
          const char       *where,
          const char       *name,
          gpointer          member,
          GError          **error)
{
  Ids *ids = member;
  JsonArray *array;

  if (!attn_json_get_array (object, where, name, &array, error))
    return FALSE;
  ids->n_ids = json_array_get_length (array);
  ids->ids = g_new0 (guint32, ids->n_ids);
  for (guint i = 0; i < ids->n_ids; i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      gint64 number =
          json_node_get_value_type (node) == G_TYPE_INT64 ? json_node_get_int (node) : -1;

      if (number < 0 || number > G_MAXUINT32)
        return attn_fail (error, ATTN_ERROR_FORMAT,
                          _("%s: “ids”: element %u is no token id, expected integers from 0"),
                          where, i);
      ids->ids[i] = number;
    }
  return TRUE;
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
  .clear = clear_pointer,
  .copy = copy_ids,
  .equal = ids_equal,
  .read = read_ids,
  .write = write_ids,
};

/* --- Texts --- */

static void
copy_text (const AttnField *field,
           gconstpointer    from,
           gpointer         to)
{
  *(char **) to = g_strdup (*(char * const *) from);
}

static gboolean
text_equal (const AttnField *field,
            gconstpointer    a,
            gconstpointer    b)
{
  return g_strcmp0 (*(char * const *) a, *(char * const *) b) == 0;
}

static gboolean
read_text (const AttnField  *field,
           JsonObject       *object,
           const char       *where,
           const char       *name,
           gpointer          member,
           GError          **error)
{
  const char *text;

  if (!attn_json_get_string (object, where, name, NULL, &text, error))
    return FALSE;
  g_free (*(char **) member);
  *(char **) member = g_strdup (text);
  return TRUE;
}

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
  .clear = clear_pointer,
  .copy = copy_text,
  .equal = text_equal,
  .read = read_text,
  .write = write_text,
  .parse = parse_text,
};

static gboolean
read_path (const AttnField  *field,
           JsonObject       *object,
           const char       *where,
           const char       *name,
           gpointer          member,
           GError          **error)
{
  const char *text;

  if (!attn_json_get_string (object, where, name, NULL, &text, error))
    return FALSE;
  g_free (*(char **) member);
  *(char **) member = attn_text_unescape_path (text);
  return TRUE;
}

static void
write_path (const AttnField *field,
            gconstpointer    member,
            AttnJsonWriter  *writer,
            const char      *name)
{
  attn_json_writer_add_path (writer, name, *(char * const *) member);
}

const AttnFieldType attn_field_path = {
  .clear = clear_pointer,
  .copy = copy_text,
  .equal = text_equal,
  .read = read_path,
  .write = write_path,
};

static gboolean
read_interned (const AttnField  *field,
               JsonObject       *object,
               const char       *where,
               const char       *name,
               gpointer          member,
               GError          **error)
{
  const char *text;

  if (!attn_json_get_string (object, where, name, NULL, &text, error))
    return FALSE;
  *(const char **) member = g_intern_string (text);
  return TRUE;
}

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
  .equal = text_equal, .read = read_interned, .write = write_text, .parse = parse_interned
};

static void
clear_strings (const AttnField *field,
               gpointer         member)
{
  g_clear_pointer ((GStrv *) member, g_strfreev);
}

static void
copy_strings (const AttnField *field,
              gconstpointer    from,
              gpointer         to)
{
  *(GStrv *) to = g_strdupv (*(GStrv *) from);
}

static gboolean
strings_equal (const AttnField *field,
               gconstpointer    a,
               gconstpointer    b)
{
  const char * const *first = *(const char * const * const *) a;
  const char * const *second = *(const char * const * const *) b;

  return first == second || (first != NULL && second != NULL && g_strv_equal (first, second));
}

static gboolean
read_strings (const AttnField  *field,
              JsonObject       *object,
              const char       *where,
              const char       *name,
              gpointer          member,
              GError          **error)
{
  JsonArray *array;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (!attn_json_get_array (object, where, name, &array, error))
    return FALSE;
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      if (json_node_get_value_type (node) != G_TYPE_STRING)
        return attn_field_fail_at (where, name, json_node_type_name (node), _("a list of texts"),
                                   error);
      g_strv_builder_add (builder, json_node_get_string (node));
    }
  *(GStrv *) member = g_strv_builder_end (builder);
  return TRUE;
}

static void
write_strings (const AttnField *field,
               gconstpointer    member,
               AttnJsonWriter  *writer,
               const char      *name)
{
  const char * const *strings = *(const char * const * const *) member;

  attn_json_writer_add_strings (writer, name, strings);
}

const AttnFieldType attn_field_strings = {
  .clear = clear_strings,
  .copy = copy_strings,
  .equal = strings_equal,
  .read = read_strings,
  .write = write_strings,
};

static void
clear_set (const AttnField *field,
           gpointer         member)
{
  g_clear_pointer ((AttnIndexSet **) member, attn_index_set_unref);
}

static void
copy_set (const AttnField *field,
          gconstpointer    from,
          gpointer         to)
{
  AttnIndexSet *set = *(AttnIndexSet * const *) from;

  *(AttnIndexSet **) to = set != NULL ? attn_index_set_ref (set) : NULL;
}

static gboolean
set_equal (const AttnField *field,
           gconstpointer    a,
           gconstpointer    b)
{
  return attn_index_set_equal (*(AttnIndexSet * const *) a, *(AttnIndexSet * const *) b);
}

static gboolean
parse_set (const AttnField  *field,
           const char       *text,
           gpointer          member,
           GError          **error)
{
  AttnIndexSet *set = NULL;

  if (!g_str_equal (text, "all") && (set = attn_index_set_parse (text, error)) == NULL)
    return FALSE;
  clear_set (field, member);
  *(AttnIndexSet **) member = set;
  return TRUE;
}

static gboolean
read_set (const AttnField  *field,
          JsonObject       *object,
          const char       *where,
          const char       *name,
          gpointer          member,
          GError          **error)
{
  const char *text;

  if (!attn_json_get_string (object, where, name, NULL, &text, error))
    return FALSE;
  if (parse_set (field, text, member, error))
    return TRUE;
  g_prefix_error (error, "%s: “%s”: ", where, name);
  return FALSE;
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
  .clear = clear_set,
  .copy = copy_set,
  .equal = set_equal,
  .read = read_set,
  .write = write_set,
  .parse = parse_set,
};

/* --- Colours --- */

static gboolean
read_color (const AttnField  *field,
            JsonObject       *object,
            const char       *where,
            const char       *name,
            gpointer          member,
            GError          **error)
{
  const char *text;

  if (!attn_json_get_string (object, where, name, NULL, &text, error))
    return FALSE;
  return attn_rgb_parse (text, member) ||
         attn_field_fail_at (where, name, text, _("a colour such as #1f77b4"), error);
}

static void
write_color (const AttnField *field,
             gconstpointer    member,
             AttnJsonWriter  *writer,
             const char      *name)
{
  const AttnRgb *color = member;
  g_autofree char *text = g_strdup_printf ("#%02x%02x%02x", color->red, color->green, color->blue);

  attn_json_writer_add_string (writer, name, text);
}

static gboolean
parse_color (const AttnField  *field,
             const char       *text,
             gpointer          member,
             GError          **error)
{
  return attn_rgb_parse (text, member) ||
         attn_field_fail (text, _("a colour such as #1f77b4"), error);
}

const AttnFieldType attn_field_color = {
  .size = sizeof (AttnRgb), .read = read_color, .write = write_color, .parse = parse_color
};

/* --- Structs within structs --- */

static void
init_list (const AttnField *field,
           gpointer         member)
{
  *(GPtrArray **) member = g_ptr_array_new_with_free_func (field->record->free);
}

static void
clear_list (const AttnField *field,
            gpointer         member)
{
  g_clear_pointer ((GPtrArray **) member, g_ptr_array_unref);
}

static void
copy_list (const AttnField *field,
           gconstpointer    from,
           gpointer         to)
{
  const GPtrArray *list = *(GPtrArray * const *) from;
  GPtrArray *copy = g_ptr_array_new_full (list->len, field->record->free);

  for (guint i = 0; i < list->len; i++)
    g_ptr_array_add (copy, attn_record_copy (field->record, list->pdata[i]));
  *(GPtrArray **) to = copy;
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

/* The objects of an array, one after the other, each with its own place in the message. */
static gboolean
read_list (const AttnField  *field,
           JsonObject       *object,
           const char       *where,
           const char       *name,
           gpointer          member,
           GError          **error)
{
  JsonArray *array;

  if (!attn_json_get_array (object, where, name, &array, error))
    return FALSE;
  if (json_array_get_length (array) > field->maximum)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("%s: “%s”: %u elements found, expected at most %u"), where, name,
                      json_array_get_length (array), (guint) field->maximum);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      g_autofree char *place = g_strdup_printf ("%s: “%s”[%u]", where, name, i);
      gpointer element = attn_record_new (field->record);

      g_ptr_array_add (*(GPtrArray **) member, element);
      if (!JSON_NODE_HOLDS_OBJECT (node))
        return attn_fail (error, ATTN_ERROR_FORMAT, _("%s: %s found, expected an object"), place,
                          json_node_type_name (node));
      if (!attn_record_read (field->record, json_node_get_object (node), place, element, error))
        return FALSE;
    }
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
    {
      attn_json_writer_begin_object (writer, NULL);
      attn_record_write (field->record, list->pdata[i], writer);
      attn_json_writer_end_object (writer);
    }
  attn_json_writer_end_array (writer);
}

const AttnFieldType attn_field_list = {
  .init = init_list,
  .clear = clear_list,
  .copy = copy_list,
  .equal = list_equal,
  .read = read_list,
  .write = write_list,
};

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
             const char       *where,
             const char       *name,
             gpointer          member,
             GError          **error)
{
  g_autofree char *place = g_strdup_printf ("%s: “%s”", where, name);
  JsonObject *inner;

  return attn_json_get_object (object, where, name, &inner, error) &&
         attn_record_read (field->record, inner, place, member, error);
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
