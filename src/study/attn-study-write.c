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
add_color (AttnJsonWriter *writer,
           const char     *member,
           AttnRgb         color)
{
  g_autofree char *text = g_strdup_printf ("#%02x%02x%02x", color.red, color.green, color.blue);

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

static void
add_style (AttnJsonWriter  *writer,
           const AttnStyle *style)
{
  attn_json_writer_begin_object (writer, "style");
  attn_json_writer_add_string (writer, "colormap", attn_colormap_get_name (style->colormap));
  attn_json_writer_add_number (writer, "low", style->low);
  attn_json_writer_add_number (writer, "high", style->high);
  attn_json_writer_add_number (writer, "tick", style->tick);
  attn_json_writer_add_string (writer, "font", style->font_family);
  attn_json_writer_add_number (writer, "font-size", style->font_size);
  attn_json_writer_add_integer (writer, "digits", style->n_digits);
  add_color (writer, "foreground", style->foreground);
  add_color (writer, "background", style->background);
  attn_json_writer_add_boolean (writer, "has-background", style->has_background);
  attn_json_writer_add_boolean (writer, "shows-titles", style->shows_titles);
  attn_json_writer_add_boolean (writer, "shows-caption", style->shows_caption);
  attn_json_writer_add_boolean (writer, "shows-colorbar", style->shows_colorbar);
  attn_json_writer_add_boolean (writer, "shows-tokens", style->shows_tokens);
  attn_json_writer_add_boolean (writer, "shows-values", style->shows_values);
  attn_json_writer_end_object (writer);
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
  attn_json_writer_add_string (writer, "path", study->model_path);
  attn_json_writer_add_string (writer, "fingerprint", study->model_fingerprint);
  attn_json_writer_end_object (writer);
  add_inputs (writer, study);
  attn_json_writer_add_boolean (writer, "special-tokens", study->adds_special_tokens);
  add_index (writer, "layer", study->layer);
  add_index (writer, "head", study->head);
  add_grid (writer, study);
  add_scope (writer, study);
  add_extra_interventions (writer, study);
  attn_json_writer_add_string (writer, "title", study->title);
  attn_json_writer_add_string (writer, "caption", study->caption);
  add_style (writer, &study->style);
  attn_json_writer_end_object (writer);
}

/**
 * attn_study_to_json:
 *
 * Returns: (transfer full): JSON that [func@attn_study_from_json] reads back to an equal study;
 * the same
 *   study gives the same text
 */
char *
attn_study_to_json (const AttnStudy *study)
{
  AttnJsonWriter writer = { .text = g_string_new (NULL), .is_pretty = TRUE };

  attn_study_write (study, &writer, NULL);
  g_string_append_c (writer.text, '\n');
  return g_string_free (writer.text, FALSE);
}
