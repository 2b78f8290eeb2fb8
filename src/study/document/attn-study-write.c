/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The study as JSON; attn-study-json.c describes the format and reads it. */

#include "config.h"

#include "attn-study-private.h"

static void
add_set (AttnJsonWriter     *writer,
         const char         *member,
         const AttnIndexSet *set)
{
  g_autofree char *text = attn_index_set_to_string (set);

  attn_json_writer_add_string (writer, member, text);
}

static void
add_inputs (AttnJsonWriter  *writer,
            const AttnStudy *study)
{
  attn_json_writer_begin_array (writer, "inputs");
  for (guint i = 0; i < study->inputs->len; i++)
    {
      const AttnInput *input = g_ptr_array_index (study->inputs, i);

      attn_json_writer_begin_object (writer, NULL);
      attn_json_writer_add_string (writer, "text", input->text);
      if (input->text == NULL)
        {
          attn_json_writer_begin_array (writer, "ids");
          for (gsize k = 0; k < input->n_ids; k++)
            attn_json_writer_add_integer (writer, NULL, input->ids[k]);
          attn_json_writer_end_array (writer);
        }
      if (input->n_tokens > 0)
        attn_json_writer_add_integer (writer, "tokens", input->n_tokens);
      attn_json_writer_end_object (writer);
    }
  attn_json_writer_end_array (writer);
}

static void
add_index (AttnJsonWriter *writer,
           const char     *member,
           int             index)
{
  /* The special values are the same for a layer and a head. */
  if (index == ATTN_HEAD_MEAN)
    attn_json_writer_add_string (writer, member, "mean");
  else if (index < 0)
    attn_json_writer_add_string (writer, member, "strongest-sink");
  else
    attn_json_writer_add_integer (writer, member, index);
}

static void
add_grid (AttnJsonWriter  *writer,
          const AttnStudy *study)
{
  attn_json_writer_add_string (writer, "rows", attn_dimension_get_name (study->rows));
  attn_json_writer_add_string (writer, "columns", attn_dimension_get_name (study->columns));
  attn_json_writer_add_string (writer, "operation", attn_operation_get_name (study->operation));
  attn_json_writer_begin_array (writer, "components");
  for (int c = 0; c < ATTN_N_COMPONENTS; c++)
    if (study->components[c])
      attn_json_writer_add_string (writer, NULL, attn_component_get_name (c));
  attn_json_writer_end_array (writer);
  attn_json_writer_add_string (writer, "axis", attn_axis_get_name (study->axis));
  attn_json_writer_add_string (writer, "site", attn_site_get_name (study->site));
  attn_json_writer_begin_array (writer, "epsilons");
  for (guint i = 0; i < study->epsilons->len; i++)
    attn_json_writer_add_number (writer, NULL, g_array_index (study->epsilons, double, i));
  attn_json_writer_end_array (writer);
}

typedef const char *(*GetName) (int value);

typedef const char *(*GetName) (int value);

/* What most studies do not have is written only where it is there: their files stay short, and the
 * same from one version of the program to the next. */
static void
add_flags (AttnJsonWriter *writer,
           const char     *member,
           const gboolean *flags,
           int             n_flags,
           GetName         get_name)
{
  gboolean has_any = FALSE;

  for (int i = 0; i < n_flags; i++)
    has_any = has_any || flags[i];
  if (!has_any)
    return;
  attn_json_writer_begin_array (writer, member);
  for (int i = 0; i < n_flags; i++)
    if (flags[i])
      attn_json_writer_add_string (writer, NULL, get_name (i));
  attn_json_writer_end_array (writer);
}

static const char *
get_axis_name (int axis)
{
  return attn_axis_get_name (axis);
}

static const char *
get_site_name (int site)
{
  return attn_site_get_name (site);
}

static void
add_dimensions (AttnJsonWriter  *writer,
                const AttnStudy *study)
{
  if (study->layers != NULL)
    add_set (writer, "layers", study->layers);
  if (study->heads != NULL)
    add_set (writer, "heads", study->heads);
  add_flags (writer, "axes", study->axes, ATTN_N_AXES, get_axis_name);
  add_flags (writer, "sites", study->sites, ATTN_N_SITES, get_site_name);
  if (study->compared != ATTN_DIMENSION_NONE)
    attn_json_writer_add_string (writer, "compared", attn_dimension_get_name (study->compared));
}

static void
add_parts_of_panels (AttnJsonWriter  *writer,
                     const AttnStudy *study)
{
  if (study->joins_words)
    attn_json_writer_add_boolean (writer, "words", TRUE);
  if (study->shows_differences)
    add_set (writer, "differences", study->differences);
  if (study->hides_keys)
    add_set (writer, "hidden-keys", study->hidden_keys);
  if (study->renormalises)
    attn_json_writer_add_boolean (writer, "renormalise", TRUE);
  if (study->queries != NULL)
    add_set (writer, "queries", study->queries);
  if (study->n_last_queries > 0)
    attn_json_writer_add_integer (writer, "last-queries", study->n_last_queries);
}

static void
add_other_models (AttnJsonWriter  *writer,
                  const AttnStudy *study)
{
  if (study->other_models->len == 0)
    return;
  attn_json_writer_begin_array (writer, "other-models");
  for (guint i = 0; i < study->other_models->len; i++)
    {
      const AttnModelReference *reference = g_ptr_array_index (study->other_models, i);

      attn_json_writer_begin_object (writer, NULL);
      attn_json_writer_add_path (writer, "path", reference->path);
      attn_json_writer_add_string (writer, "fingerprint", reference->fingerprint);
      attn_json_writer_end_object (writer);
    }
  attn_json_writer_end_array (writer);
}

static void
add_scope (AttnJsonWriter  *writer,
           const AttnStudy *study)
{
  attn_json_writer_begin_object (writer, "scope");
  if (study->acts_on_shown_layer)
    attn_json_writer_add_string (writer, "layers", "shown");
  else
    add_set (writer, "layers", study->scope_layers);
  add_set (writer, "heads", study->scope_heads);
  add_set (writer, "tokens", study->scope_tokens);
  attn_json_writer_end_object (writer);
}

static void
add_extra_interventions (AttnJsonWriter  *writer,
                         const AttnStudy *study)
{
  attn_json_writer_begin_array (writer, "extra-interventions");
  for (guint i = 0; i < study->extra_interventions->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (study->extra_interventions, i);

      attn_json_writer_begin_object (writer, NULL);
      attn_json_writer_add_string (writer, "component",
                                   attn_component_get_name (intervention->component));
      attn_json_writer_add_string (writer, "operation",
                                   attn_operation_get_name (intervention->operation));
      if (intervention->operation == ATTN_OPERATION_MEAN)
        attn_json_writer_add_string (writer, "axis", attn_axis_get_name (intervention->axis));
      else
        attn_json_writer_add_number (writer, "factor", intervention->factor);
      attn_json_writer_add_string (writer, "site", attn_site_get_name (intervention->site));
      add_set (writer, "layers", intervention->layers);
      add_set (writer, "heads", intervention->heads);
      add_set (writer, "tokens", intervention->tokens);
      attn_json_writer_end_object (writer);
    }
  attn_json_writer_end_array (writer);
}

/* The study as an object in a larger document, or as the document itself with @member NULL. */
void
attn_study_write (const AttnStudy *study,
                  AttnJsonWriter  *writer,
                  const char      *member)
{
  attn_json_writer_begin_object (writer, member);
  attn_json_writer_add_integer (writer, "version", ATTN_STUDY_VERSION);
  attn_json_writer_add_string (writer, "preset", study->preset);
  attn_json_writer_begin_object (writer, "model");
  attn_json_writer_add_path (writer, "path", study->model_path);
  attn_json_writer_add_string (writer, "fingerprint", study->model_fingerprint);
  attn_json_writer_end_object (writer);
  add_other_models (writer, study);
  add_inputs (writer, study);
  attn_json_writer_add_boolean (writer, "special-tokens", study->adds_special_tokens);
  add_index (writer, "layer", study->layer);
  add_index (writer, "head", study->head);
  if (study->figure != ATTN_FIGURE_GRID)
    attn_json_writer_add_string (writer, "figure", attn_figure_kind_get_name (study->figure));
  add_grid (writer, study);
  add_dimensions (writer, study);
  add_parts_of_panels (writer, study);
  add_scope (writer, study);
  add_extra_interventions (writer, study);
  attn_json_writer_add_string (writer, "title", study->title);
  attn_json_writer_add_string (writer, "caption", study->caption);
  attn_json_writer_add_string (writer, "value-label", study->value_label);
  attn_study_write_groups (study, writer);
  attn_study_write_roles (study, writer);
  attn_study_write_regions (study, writer);
  attn_study_write_style (study, writer);
  attn_study_write_view (study, writer);
  attn_study_write_page (study, writer);
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
