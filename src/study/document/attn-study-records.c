/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tables of the structs that a study contains, alone or in lists, such as its inputs: a row for
 * each member, as in the table of its settings. */

#include "config.h"

#include "attn-study-table.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"

#define AT(Type, member) .offset = G_STRUCT_OFFSET (Type, member)

static const AttnField model_fields[] = {
  { "path", &attn_field_path, AT (AttnModelReference, path) },
  { "adapter", &attn_field_path, AT (AttnModelReference, adapter), .is_optional = TRUE },
  { "array", &attn_field_text, AT (AttnModelReference, array), .is_optional = TRUE },
  { "header", &attn_field_choice, AT (AttnModelReference, header),
    .names = attn_table_header_names, .is_optional = TRUE },
  { "fingerprint", &attn_field_text, AT (AttnModelReference, fingerprint) },
};

const AttnRecord attn_model_record = {
  .size = sizeof (AttnModelReference),
  .fields = model_fields,
  .n_fields = G_N_ELEMENTS (model_fields),
  .free = (GDestroyNotify) attn_model_reference_free,
};

static gboolean
has_ids (gconstpointer input)
{
  return ((const AttnInput *) input)->ids != NULL;
}

static gboolean
check_input (gconstpointer   owner,
             JsonObject     *object,
             GError        **error)
{
  static const char * const kinds[] = { "text", "ids", "image", "pixels", "audio", "features" };
  const char *found = NULL;
  gboolean is_text = FALSE;

  if (json_object_has_member (object, "target") && json_object_has_member (object, "target_ids"))
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("both “target” and “target_ids” found, expected one of them"));
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      if (!json_object_has_member (object, kinds[i]))
        continue;
      /* An input is of one kind only, except that a text can have pictures. */
      if (found != NULL && !(is_text && (i == 2 || i == 3)))
        return attn_fail (error, ATTN_ERROR_FORMAT,
                          _("both “%s” and “%s” found, expected one of them"), found, kinds[i]);
      found = kinds[i];
      is_text = i < 2;
    }
  return found != NULL ||
         attn_fail (error, ATTN_ERROR_FORMAT,
                    _("neither “text” nor “ids” found, nor a picture by “image” or “pixels”, nor a "
                      "sound by “audio” or “features”, expected one of them"));
}

static const AttnField input_fields[] = {
  { "text", &attn_field_text, AT (AttnInput, text) },
  { "ids", &attn_field_ids, AT (AttnInput, ids), .maximum = G_MAXUINT32,
    .is_written = has_ids },
  { "image", &attn_field_paths, AT (AttnInput, images) },
  { "pixels", &attn_field_paths, AT (AttnInput, pixels) },
  { "audio", &attn_field_path, AT (AttnInput, audio) },
  { "features", &attn_field_path, AT (AttnInput, features) },
  { "stands_for", &attn_field_text, AT (AttnInput, stands_for) },
  { "tokens", &attn_field_size, AT (AttnInput, n_tokens), .is_optional = TRUE },
  { "target", &attn_field_text, AT (AttnInput, target), .is_optional = TRUE },
  { "target_ids", &attn_field_ids, AT (AttnInput, target_ids), .maximum = G_MAXUINT32,
    .is_optional = TRUE },
  { "language", &attn_field_text, AT (AttnInput, language), .is_optional = TRUE },
  { "task", &attn_field_text, AT (AttnInput, task), .is_optional = TRUE },
};

const AttnRecord attn_input_record = {
  .size = sizeof (AttnInput),
  .fields = input_fields,
  .n_fields = G_N_ELEMENTS (input_fields),
  .free = (GDestroyNotify) attn_input_free,
  .check = check_input,
};

static gboolean
is_mean (gconstpointer intervention)
{
  return ((const AttnIntervention *) intervention)->operation == ATTN_OPERATION_MEAN;
}

static gboolean
is_scale (gconstpointer intervention)
{
  return ((const AttnIntervention *) intervention)->operation == ATTN_OPERATION_SCALE;
}

static gboolean
is_patch (gconstpointer intervention)
{
  return ((const AttnIntervention *) intervention)->operation == ATTN_OPERATION_PATCH;
}

static gboolean
is_cut (gconstpointer intervention)
{
  return ((const AttnIntervention *) intervention)->operation == ATTN_OPERATION_CUT;
}

/* Parses pairs of token positions such as "2=3,5-7=6-8"; "" for no pairs. */
static gboolean
parse_pairs (const AttnField  *field,
             const char       *text,
             gpointer          member,
             GError          **error)
{
  GArray *pairs = *text != '\0' ? attn_pairs_parse (text, error) : NULL;

  if (pairs == NULL && *text != '\0')
    return FALSE;
  g_clear_pointer ((GArray **) member, g_array_unref);
  *(GArray **) member = pairs;
  return TRUE;
}

static void
write_pairs (const AttnField *field,
             gconstpointer    member,
             AttnJsonWriter  *writer,
             const char      *name)
{
  g_autofree char *text = attn_pairs_to_string (*(GArray * const *) member);

  attn_json_writer_add_string (writer, name, text);
}

static gboolean
pairs_equal (gconstpointer a,
             gconstpointer b)
{
  return attn_pairs_equal (a, b);
}

const AttnFieldType attn_field_pairs = {
  .json = G_TYPE_STRING,
  .free = (GDestroyNotify) g_array_unref,
  .dup = (AttnDupFunc) g_array_copy,
  .same = pairs_equal,
  .write = write_pairs,
  .parse = parse_pairs,
};

static gboolean
check_intervention (gconstpointer   owner,
                    JsonObject     *object,
                    GError        **error)
{
  if (json_object_has_member (object, "component") && json_object_has_member (object, "operation"))
    return TRUE;
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("no “component” or no “operation” found, expected both"));
}

static const AttnField intervention_fields[] = {
  { "component", &attn_field_choice, AT (AttnIntervention, component),
    .names = attn_component_names },
  { "operation", &attn_field_choice, AT (AttnIntervention, operation),
    .names = attn_operation_names },
  { "axis", &attn_field_choice, AT (AttnIntervention, axis), .names = attn_axis_names,
    .is_written = is_mean },
  { "factor", &attn_field_number, AT (AttnIntervention, factor), .minimum = ATTN_EPSILON_MIN,
    .maximum = ATTN_EPSILON_MAX, .is_written = is_scale },
  { "site", &attn_field_choice, AT (AttnIntervention, site), .names = attn_site_names },
  { "layers", &attn_field_set, AT (AttnIntervention, layers) },
  { "heads", &attn_field_set, AT (AttnIntervention, heads) },
  { "tokens", &attn_field_set, AT (AttnIntervention, tokens) },
  { "keys", &attn_field_set, AT (AttnIntervention, keys), .is_written = is_cut },
  { "input", &attn_field_size, AT (AttnIntervention, input), .is_written = is_patch },
  { "positions", &attn_field_pairs, AT (AttnIntervention, pairs), .is_optional = TRUE,
    .is_written = is_patch },
};

static const AttnIntervention usual_intervention = { .factor = 1 };

const AttnRecord attn_intervention_record = {
  .size = sizeof (AttnIntervention),
  .fields = intervention_fields,
  .n_fields = G_N_ELEMENTS (intervention_fields),
  .free = (GDestroyNotify) attn_intervention_free,
  .usual = &usual_intervention,
  .check = check_intervention,
};

static const AttnField group_fields[] = {
  { "head", &attn_field_size, AT (AttnGroup, head) },
  { "tokens", &attn_field_strings, AT (AttnGroup, tokens) },
};

const AttnRecord attn_group_record = {
  .size = sizeof (AttnGroup),
  .fields = group_fields,
  .n_fields = G_N_ELEMENTS (group_fields),
  .free = (GDestroyNotify) attn_group_free,
};

static const AttnField region_fields[] = {
  { "panel", &attn_field_size, AT (AttnStudyRegion, panel) },
  { "name", &attn_field_text, AT (AttnStudyRegion, region.name) },
  { "rows", &attn_field_span, AT (AttnStudyRegion, region.first_row), .is_required = TRUE },
  { "columns", &attn_field_span, AT (AttnStudyRegion, region.first_column), .is_required = TRUE },
  { "pin", &attn_field_flag, AT (AttnStudyRegion, region.is_pin), .is_optional = TRUE },
};

const AttnRecord attn_region_record = {
  .size = sizeof (AttnStudyRegion),
  .fields = region_fields,
  .n_fields = G_N_ELEMENTS (region_fields),
  .free = (GDestroyNotify) attn_study_region_free,
};

static const AttnField position_fields[] = {
  { "answer", &attn_field_size, AT (AttnRoleOptions, answer_first) },
  { "exact", &attn_field_span, AT (AttnRoleOptions, exact_first), .is_required = TRUE },
};

const AttnRecord attn_positions_record = {
  .fields = position_fields,
  .n_fields = G_N_ELEMENTS (position_fields),
};

static void
free_element (const AttnRecord *record,
              gpointer          element)
{
  if (element == NULL)
    return;
  attn_record_clear (record, element);
  g_free (element);
}

/**
 * attn_input_copy:
 * Returns: (transfer full): a copy that shares nothing with @input
 */
AttnInput *
attn_input_copy (const AttnInput *input)
{
  return attn_record_copy (&attn_input_record, input);
}

/**
 * attn_input_equal:
 * Returns: whether both are the same text, ids, pictures or sound, with the same number of tokens
 *   used
 */
gboolean
attn_input_equal (const AttnInput *a,
                  const AttnInput *b)
{
  return attn_record_equal (&attn_input_record, a, b);
}

void
attn_input_free (AttnInput *input)
{
  free_element (&attn_input_record, input);
}

void
attn_study_region_free (AttnStudyRegion *region)
{
  free_element (&attn_region_record, region);
}

void
attn_group_free (AttnGroup *group)
{
  free_element (&attn_group_record, group);
}
