/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What only some figures have, as members of a study's JSON. Each is written only where it is
 * there.
 *
 *   "groups": { "rule": "assigned", "threshold" or "share",  "level": 0.7,
 *               "heads": [ { "head": 0, "tokens": ["It", "I"] } ],
 *               "graded": false,  "mask": "model", "none" or "causal" }
 *   "roles": { "question": "...",  "answer": "...",  "exact-answer": "...",
 *              "positions": { "answer": 12, "exact": [15, 17] },
 *              "after-last": false,  "reduction": "mean", "max" or "relative" }
 *   "regions": [ { "panel": 0, "name": "sink", "rows": [0, 3], "columns": [4, 28], "pin": false } ]
 */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-json.h"
#include "attn-study-fields.h"
#include "attn-study-private.h"

/* More than any figure has: bounds what a file can make the program do. */
#define MAX_GROUPS  4096
#define MAX_REGIONS 4096

static const char * const groups_members[] = {
  "rule", "level", "heads", "graded", "mask", NULL
};
static const char * const group_members[] = { "head", "tokens", NULL };
static const char * const roles_members[] = {
  "question", "answer", "exact-answer", "positions", "after-last", "reduction", NULL
};
static const char * const positions_members[] = { "answer", "exact", NULL };
static const char * const region_members[] = { "panel", "name", "rows", "columns", "pin", NULL };

/* "model" stands for the model's own; the others in the order of AttnMask. */
static const char * const mask_names[] = { "none", "causal", "model", NULL };

#define MASK_OF_MODEL 2

ATTN_DEFINE_PARSE (group_rule, AttnGroupRule)
ATTN_DEFINE_PARSE (reduction, AttnReduction)

static gboolean
parse_mask (const char  *text,
            int         *value,
            GError     **error)
{
  return attn_names_parse (mask_names, text, value, error);
}

/* The object of that name and its place in messages; NULL where it is missing. */
static gboolean
get_object (JsonObject          *root,
            const char          *where,
            const char          *member,
            const char * const  *known,
            JsonObject         **object,
            char               **place,
            GError             **error)
{
  *place = g_strdup_printf ("%s: “%s”", where, member);
  return attn_json_get_object (root, where, member, object, error) &&
         (*object == NULL || attn_fields_check_members (*object, *place, known, error));
}

static gpointer
read_group (JsonObject  *object,
            const char  *where,
            GError     **error)
{
  g_autoptr (AttnGroup) group = attn_group_new (0, NULL);

  if (!attn_fields_check_members (object, where, group_members, error) ||
      !attn_fields_get_size (object, where, "head", &group->head, error) ||
      !attn_fields_get_strings (object, where, "tokens", &group->tokens, error))
    return NULL;
  return g_steal_pointer (&group);
}

gboolean
attn_study_read_groups (AttnStudy   *study,
                        JsonObject  *root,
                        const char  *where,
                        GError     **error)
{
  AttnGroupOptions *groups = &study->groups;
  g_autofree char *place = NULL;
  JsonObject *object;
  int rule = groups->rule;
  int mask = MASK_OF_MODEL;

  if (!get_object (root, where, "groups", groups_members, &object, &place, error))
    return FALSE;
  if (object == NULL)
    return TRUE;
  if (!attn_fields_get_choice (object, place, "rule", parse_group_rule, &rule, error) ||
      !attn_fields_get_number (object, place, "level", 0, 1, &groups->level, error) ||
      !attn_fields_read_objects (object, place, "heads", MAX_GROUPS, read_group, groups->assigned,
                                 error) ||
      !attn_fields_get_flag (object, place, "graded", &groups->is_graded, error) ||
      !attn_fields_get_choice (object, place, "mask", parse_mask, &mask, error))
    return FALSE;
  groups->rule = rule;
  groups->has_mask = mask != MASK_OF_MODEL;
  groups->mask = groups->has_mask ? (AttnMask) mask : ATTN_MASK_NONE;
  return TRUE;
}

void
attn_study_write_groups (const AttnStudy *study,
                         AttnJsonWriter  *writer)
{
  const AttnGroupOptions *groups = &study->groups;

  if (study->figure != ATTN_FIGURE_HEAD_GROUPS && groups->assigned->len == 0)
    return;
  attn_json_writer_begin_object (writer, "groups");
  attn_json_writer_add_string (writer, "rule", attn_group_rule_get_name (groups->rule));
  attn_json_writer_add_number (writer, "level", groups->level);
  attn_json_writer_begin_array (writer, "heads");
  for (guint i = 0; i < groups->assigned->len; i++)
    {
      const AttnGroup *group = g_ptr_array_index (groups->assigned, i);

      attn_json_writer_begin_object (writer, NULL);
      attn_json_writer_add_integer (writer, "head", group->head);
      attn_json_writer_begin_array (writer, "tokens");
      for (gsize k = 0; group->tokens != NULL && group->tokens[k] != NULL; k++)
        attn_json_writer_add_string (writer, NULL, group->tokens[k]);
      attn_json_writer_end_array (writer);
      attn_json_writer_end_object (writer);
    }
  attn_json_writer_end_array (writer);
  attn_json_writer_add_boolean (writer, "graded", groups->is_graded);
  attn_json_writer_add_string (writer, "mask",
                               mask_names[groups->has_mask ? groups->mask : MASK_OF_MODEL]);
  attn_json_writer_end_object (writer);
}

/* [first, last], both inclusive. */
static gboolean
read_span (JsonObject  *object,
           const char  *where,
           const char  *member,
           gsize       *first,
           gsize       *last,
           GError     **error)
{
  JsonArray *array;
  gint64 ends[2] = { -1, -1 };

  if (!attn_json_get_array (object, where, member, &array, error))
    return FALSE;
  for (guint i = 0; array != NULL && json_array_get_length (array) == 2 && i < 2; i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      if (json_node_get_value_type (node) == G_TYPE_INT64)
        ends[i] = json_node_get_int (node);
    }
  if (ends[0] < 0 || ends[1] < ends[0] || ends[1] >= G_MAXINT32)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                   _("%s: “%s”: no first and last position found, expected two such as [0, 3]"),
                   where, member);
      return FALSE;
    }
  *first = ends[0];
  *last = ends[1];
  return TRUE;
}

static gboolean
read_positions (AttnRoleOptions  *roles,
                JsonObject       *parent,
                const char       *where,
                GError          **error)
{
  g_autofree char *place = NULL;
  JsonObject *object;

  if (!get_object (parent, where, "positions", positions_members, &object, &place, error))
    return FALSE;
  roles->has_positions = object != NULL;
  return object == NULL ||
         (attn_fields_get_size (object, place, "answer", &roles->answer_first, error) &&
          read_span (object, place, "exact", &roles->exact_first, &roles->exact_last, error));
}

gboolean
attn_study_read_roles (AttnStudy   *study,
                       JsonObject  *root,
                       const char  *where,
                       GError     **error)
{
  AttnRoleOptions *roles = &study->roles;
  g_autofree char *place = NULL;
  JsonObject *object;
  int reduction = roles->reduction;

  if (!get_object (root, where, "roles", roles_members, &object, &place, error))
    return FALSE;
  if (object == NULL)
    return TRUE;
  if (!attn_fields_dup_string (object, place, "question", &roles->question, error) ||
      !attn_fields_dup_string (object, place, "answer", &roles->answer, error) ||
      !attn_fields_dup_string (object, place, "exact-answer", &roles->exact_answer, error) ||
      !read_positions (roles, object, place, error) ||
      !attn_fields_get_flag (object, place, "after-last", &roles->has_after_last, error) ||
      !attn_fields_get_choice (object, place, "reduction", parse_reduction, &reduction, error))
    return FALSE;
  roles->reduction = reduction;
  return TRUE;
}

static void
add_span (AttnJsonWriter *writer,
          const char     *member,
          gsize           first,
          gsize           last)
{
  attn_json_writer_begin_array (writer, member);
  attn_json_writer_add_integer (writer, NULL, first);
  attn_json_writer_add_integer (writer, NULL, last);
  attn_json_writer_end_array (writer);
}

void
attn_study_write_roles (const AttnStudy *study,
                        AttnJsonWriter  *writer)
{
  const AttnRoleOptions *roles = &study->roles;

  if (study->figure != ATTN_FIGURE_LAYER_TOKEN && roles->question == NULL &&
      roles->answer == NULL && roles->exact_answer == NULL && !roles->has_positions)
    return;
  attn_json_writer_begin_object (writer, "roles");
  attn_json_writer_add_string (writer, "question", roles->question);
  attn_json_writer_add_string (writer, "answer", roles->answer);
  attn_json_writer_add_string (writer, "exact-answer", roles->exact_answer);
  if (roles->has_positions)
    {
      attn_json_writer_begin_object (writer, "positions");
      attn_json_writer_add_integer (writer, "answer", roles->answer_first);
      add_span (writer, "exact", roles->exact_first, roles->exact_last);
      attn_json_writer_end_object (writer);
    }
  attn_json_writer_add_boolean (writer, "after-last", roles->has_after_last);
  attn_json_writer_add_string (writer, "reduction", attn_reduction_get_name (roles->reduction));
  attn_json_writer_end_object (writer);
}

static gpointer
read_region (JsonObject  *object,
             const char  *where,
             GError     **error)
{
  AttnRegion region = { 0 };
  const char *name;
  gsize panel = 0;

  if (!attn_fields_check_members (object, where, region_members, error) ||
      !attn_json_get_string (object, where, "name", NULL, &name, error) ||
      !attn_fields_get_size (object, where, "panel", &panel, error) ||
      !read_span (object, where, "rows", &region.first_row, &region.last_row, error) ||
      !read_span (object, where, "columns", &region.first_column, &region.last_column, error) ||
      !attn_fields_get_flag (object, where, "pin", &region.is_pin, error))
    return NULL;
  region.name = (char *) name;
  return attn_study_region_new (panel, &region);
}

gboolean
attn_study_read_regions (AttnStudy   *study,
                         JsonObject  *root,
                         const char  *where,
                         GError     **error)
{
  return attn_fields_read_objects (root, where, "regions", MAX_REGIONS, read_region, study->regions,
                                   error);
}

void
attn_study_write_regions (const AttnStudy *study,
                          AttnJsonWriter  *writer)
{
  if (study->regions->len == 0)
    return;
  attn_json_writer_begin_array (writer, "regions");
  for (guint i = 0; i < study->regions->len; i++)
    {
      const AttnStudyRegion *place = g_ptr_array_index (study->regions, i);
      const AttnRegion *region = &place->region;

      attn_json_writer_begin_object (writer, NULL);
      attn_json_writer_add_integer (writer, "panel", place->panel);
      attn_json_writer_add_string (writer, "name", region->name);
      add_span (writer, "rows", region->first_row, region->last_row);
      add_span (writer, "columns", region->first_column, region->last_column);
      if (region->is_pin)
        attn_json_writer_add_boolean (writer, "pin", TRUE);
      attn_json_writer_end_object (writer);
    }
  attn_json_writer_end_array (writer);
}
