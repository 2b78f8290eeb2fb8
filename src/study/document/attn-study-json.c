/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads and writes a study as JSON, with the members that the table in attn-study-table.c lists. An
 * unknown member is an error; a missing member has the value from attn_study_new(). */

#include "config.h"

#include "attn-study-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-array-format.h"
#include "attn-error.h"
#include "attn-json.h"

/* Adds an empty input to a study of recorded arrays that has no inputs: the recording contains its
 * own input. */
static void
complete_inputs (AttnStudy *study)
{
  if (study->inputs->len == 0 && study->model.path != NULL &&
      (study->model.array != NULL ||
       attn_array_format_has (study->model.path, ATTN_ARRAY_FORMAT_RECORDING)))
    g_ptr_array_add (study->inputs, attn_input_new_text ("", 0));
}

/**
 * attn_study_read:
 * @root: the JSON object of a study, which can be part of a larger document
 * @where: what messages begin with, such as the file's path
 * @error: return location: errors of [func@attn_study_from_json]
 *
 * Returns: (transfer full) (nullable): the study
 */
AttnStudy *
attn_study_read (JsonObject  *root,
                 const char  *where,
                 GError     **error)
{
  g_autoptr (AttnStudy) study = attn_study_new ();

  if (!attn_record_read (attn_study_get_record (), root, study, error))
    {
      g_prefix_error (error, "%s: ", where);
      return NULL;
    }
  complete_inputs (study);
  if (study->inputs->len > 0 || attn_study_get_traits (study)->has_roles)
    return g_steal_pointer (&study);
  return attn_fail_null (error, ATTN_ERROR_FORMAT,
                         _("%s: no “inputs” found, expected at least one"), where);
}

/**
 * attn_study_write:
 * @member: (nullable): the study's name as a member of a larger document; %NULL if the study is the
 *   document
 */
void
attn_study_write (const AttnStudy *study,
                  AttnJsonWriter  *writer,
                  const char      *member)
{
  attn_json_writer_begin_object (writer, member);
  attn_record_write (attn_study_get_record (), study, writer);
  attn_json_writer_end_object (writer);
}

/**
 * attn_study_to_json:
 *
 * Returns: (transfer full): JSON that [func@attn_study_from_json] reads back to an equal study;
 *   the same study gives the same text
 */
char *
attn_study_to_json (const AttnStudy *study)
{
  AttnJsonWriter writer = { .text = g_string_new (NULL), .is_pretty = TRUE };

  attn_study_write (study, &writer, NULL);
  g_string_append_c (writer.text, '\n');
  return g_string_free (writer.text, FALSE);
}

/**
 * attn_study_from_json:
 * @where: what messages begin with, such as the file's path
 * @json: a study as JSON
 * @length: number of bytes of @json, or -1 if it ends with a NUL
 * @error: return location: %ATTN_ERROR_UNSUPPORTED for another version, %ATTN_ERROR_FORMAT,
 *   %ATTN_ERROR_LIMIT or %ATTN_ERROR_ARGUMENT for a member that is not known, of another type or
 *   out of range; each message names the member
 *
 * Returns: (transfer full) (nullable): the study
 */
AttnStudy *
attn_study_from_json (const char  *where,
                      const char  *json,
                      gssize       length,
                      GError     **error)
{
  g_autoptr (JsonNode) node = attn_json_parse (where, json, length, error);

  if (node == NULL)
    return NULL;
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return attn_fail_null (error, ATTN_ERROR_FORMAT, _("%s: %s found, expected a study, an object"),
                           where, json_node_type_name (node));

  return attn_study_read (json_node_get_object (node), where, error);
}

/* Makes a record (a table of fields) that describes only the member of a study that @field
 * describes. */
static AttnRecord
take_row (const AttnField *field)
{
  const AttnRecord *all = attn_study_get_record ();

  return (AttnRecord) { .size = all->size, .fields = field, .n_fields = 1, .usual = all->usual };
}

/**
 * attn_study_write_setting:
 * @field: a row of the study's table
 *
 * Returns: (transfer full): the setting's value as JSON, for [func@attn_study_read_setting]; "null"
 *   if a file of @study would not contain it
 */
char *
attn_study_write_setting (const AttnStudy *study,
                          const AttnField *field)
{
  AttnJsonWriter writer = { .text = g_string_new (NULL) };
  const AttnRecord record = take_row (field);
  const char *dot = strchr (field->name, '.');
  g_autofree char *member = g_strdup_printf ("\"%s\":", dot != NULL ? dot + 1 : field->name);

  attn_record_write (&record, study, &writer);
  g_autofree char *text = g_string_free (writer.text, FALSE);
  const char *value = strstr (text, member);
  if (value == NULL)
    return g_strdup ("null");
  value += strlen (member);
  return g_strndup (value, strlen (value) - (dot != NULL ? 1 : 0));
}

/**
 * attn_study_read_setting:
 * @study: (inout): the study whose setting is changed
 * @field: a row of the study's table
 * @json: the setting's new value as JSON; null for its default, as in attn_study_new()
 * @error: return location: errors of [func@attn_study_from_json]; conditions that involve several
 *   members, such as an operation and its factors, are not checked
 */
gboolean
attn_study_read_setting (AttnStudy        *study,
                         const AttnField  *field,
                         const char       *json,
                         GError          **error)
{
  g_autoptr (JsonNode) node = attn_json_parse (field->name, json, -1, error);
  g_autoptr (JsonObject) object = json_object_new ();
  const AttnRecord record = take_row (field);
  const char *dot = strchr (field->name, '.');

  if (node == NULL)
    return FALSE;
  if (JSON_NODE_HOLDS_NULL (node))
    {
      attn_field_reset (field, study, record.usual);
      return TRUE;
    }
  /* Existing elements are removed first, since reading a list would append to them. */
  if (field->type->free != NULL)
    attn_field_reset (field, study, NULL);
  if (dot == NULL)
    json_object_set_member (object, field->name, g_steal_pointer (&node));
  else
    {
      g_autofree char *name = g_strndup (field->name, (gsize) (dot - field->name));
      JsonObject *inner = json_object_new ();

      json_object_set_member (inner, dot + 1, g_steal_pointer (&node));
      json_object_set_object_member (object, name, inner);
    }
  return attn_record_read (&record, object, study, error);
}

/**
 * attn_study_check:
 * @error: return location for %ATTN_ERROR_FORMAT or %ATTN_ERROR_LIMIT
 *
 * Returns: whether the members of @study agree with each other, which is also checked when a file
 *   is read
 */
gboolean
attn_study_check (const AttnStudy  *study,
                  GError          **error)
{
  return attn_study_get_record ()->check (study, NULL, error);
}
