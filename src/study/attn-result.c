/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-result-private.h"

#include "attn-cell.h"
#include "attn-layout.h"
#include "attn-study-private.h"

/**
 * attn_result_new:
 * @grid: (transfer full): the panels
 *
 * Returns: (transfer full): a result whose maker fills in the inputs and the measures, both of
 * them zero
 */
AttnResult *
attn_result_new (const AttnStudy *study,
                 AttnModel       *model,
                 AttnGrid        *grid,
                 gsize            layer,
                 int              head)
{
  AttnResult *result = g_new0 (AttnResult, 1);

  g_atomic_ref_count_init (&result->ref_count);
  result->study = attn_study_copy (study);
  result->model = attn_model_ref (model);
  result->grid = grid;
  result->n_inputs = study->inputs->len;
  result->inputs = g_new0 (AttnTokens *, result->n_inputs);
  result->layer = layer;
  result->head = head;
  result->measures = g_new0 (AttnPanelMeasures, grid->n_rows * grid->n_columns);
  return result;
}

AttnResult *
attn_result_ref (AttnResult *result)
{
  g_atomic_ref_count_inc (&result->ref_count);
  return result;
}

void
attn_result_unref (AttnResult *result)
{
  if (!g_atomic_ref_count_dec (&result->ref_count))
    return;
  for (gsize i = 0; i < result->n_inputs; i++)
    g_clear_pointer (&result->inputs[i], attn_tokens_unref);
  g_free (result->inputs);
  g_free (result->measures);
  attn_grid_unref (result->grid);
  attn_model_unref (result->model);
  attn_study_free (result->study);
  g_free (result);
}

static AttnCell
get_cell (const AttnResult *result,
          gsize             index)
{
  return attn_cell_get (result->study, index / result->grid->n_columns,
                        index % result->grid->n_columns);
}

static GPtrArray *
build_interventions (const AttnResult *result,
                     gsize             index)
{
  AttnCell cell = get_cell (result, index);

  return attn_cell_build_interventions (&cell, result->study, result->layer);
}

/**
 * attn_result_get_intervention_text:
 * @index: of a panel, row-major in the grid
 *
 * Returns: (transfer full): all that is done to the model in that panel, in order; "" for the
 * baseline
 */
char *
attn_result_get_intervention_text (const AttnResult *result,
                                   gsize             index)
{
  g_return_val_if_fail (index < result->grid->n_rows * result->grid->n_columns, NULL);

  g_autoptr (GPtrArray) interventions = build_interventions (result, index);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < interventions->len; i++)
    {
      g_autofree char *part = attn_intervention_to_string (g_ptr_array_index (interventions, i));

      g_string_append_printf (text, "%s%s", i > 0 ? "; " : "", part);
    }
  return g_string_free (text, FALSE);
}

static void
add_model (AttnJsonWriter  *writer,
           const AttnModel *model)
{
  attn_json_writer_begin_object (writer, "model");
  attn_json_writer_add_string (writer, "name", attn_model_get_name (model));
  attn_json_writer_add_string (writer, "family", attn_model_get_info (model)->family);
  attn_json_writer_add_string (writer, "fingerprint", attn_model_get_fingerprint (model));
  attn_json_writer_end_object (writer);
}

static void
add_inputs (AttnJsonWriter   *writer,
            const AttnResult *result)
{
  attn_json_writer_begin_array (writer, "inputs");
  for (gsize i = 0; i < result->n_inputs; i++)
    {
      const AttnTokens *tokens = result->inputs[i];

      attn_json_writer_begin_object (writer, NULL);
      attn_json_writer_begin_array (writer, "ids");
      for (gsize k = 0; k < tokens->n_tokens; k++)
        attn_json_writer_add_integer (writer, NULL, tokens->tokens[k].id);
      attn_json_writer_end_array (writer);
      attn_json_writer_begin_array (writer, "tokens");
      for (gsize k = 0; k < tokens->n_tokens; k++)
        attn_json_writer_add_string (writer, NULL, tokens->labels[k]);
      attn_json_writer_end_array (writer);
      attn_json_writer_end_object (writer);
    }
  attn_json_writer_end_array (writer);
}

static void
add_panel (AttnJsonWriter   *writer,
           const AttnResult *result,
           gsize             index)
{
  g_autoptr (GPtrArray) interventions = build_interventions (result, index);
  AttnCell cell = get_cell (result, index);

  attn_json_writer_begin_object (writer, NULL);
  attn_json_writer_add_string (writer, "name", result->grid->cells[index].name);
  attn_json_writer_add_integer (writer, "input", cell.input);
  attn_json_writer_begin_array (writer, "interventions");
  for (guint i = 0; i < interventions->len; i++)
    {
      g_autofree char *text = attn_intervention_to_string (g_ptr_array_index (interventions, i));

      attn_json_writer_add_string (writer, NULL, text);
    }
  attn_json_writer_end_array (writer);
  attn_json_writer_end_object (writer);
}

/**
 * attn_result_to_metadata:
 *
 * Returns: (transfer full): JSON that says how the figure came about: the study, the version of the
 *   program, name and fingerprint of the model, tokens, layer, head, and the interventions of each
 *   panel. The same result gives the same text on every machine.
 */
char *
attn_result_to_metadata (const AttnResult *result)
{
  AttnJsonWriter writer = { .text = g_string_new (NULL) };

  attn_json_writer_begin_object (&writer, NULL);
  attn_json_writer_add_string (&writer, "program", "attention-grid");
  attn_json_writer_add_string (&writer, "version", ATTN_VERSION);
  add_model (&writer, result->model);
  attn_json_writer_add_integer (&writer, "layer", result->layer);
  if (result->head == ATTN_HEAD_MEAN)
    attn_json_writer_add_string (&writer, "head", "mean");
  else
    attn_json_writer_add_integer (&writer, "head", result->head);
  add_inputs (&writer, result);
  attn_json_writer_begin_array (&writer, "panels");
  for (gsize i = 0; i < result->grid->n_rows * result->grid->n_columns; i++)
    add_panel (&writer, result, i);
  attn_json_writer_end_array (&writer);
  attn_study_write (result->study, &writer, "study");
  attn_json_writer_end_object (&writer);
  return g_string_free (writer.text, FALSE);
}

/**
 * attn_result_export:
 * @style: how it looks; without a background of its own it becomes black on white
 * @viewport: the part of every panel that is shown
 * @format: of the file
 * @resolution: dots per inch of a PNG
 * @error: return location: errors of [func@attn_export_to_bytes]
 *
 * Lays the figure out at its natural size. The same arguments give the same bytes. Any thread may
 * call.
 *
 * Returns: (transfer full) (nullable): what a file of that format holds
 */
GBytes *
attn_result_export (const AttnResult    *result,
                    const AttnStyle     *style,
                    const AttnViewport  *viewport,
                    AttnExportFormat     format,
                    double               resolution,
                    GError             **error)
{
  AttnStyle paper = *style;
  g_autofree char *metadata = attn_result_to_metadata (result);
  g_autofree char *title = g_strdup_printf ("%s, %s",
                                            result->study->preset != NULL ? result->study->preset
                                                                          : "attention-grid",
                                            attn_model_get_name (result->model));

  if (!style->has_background)
    {
      /* The window shows through on the screen, and with it the colour of the text. */
      paper.has_background = TRUE;
      paper.background = (AttnRgb) { 255, 255, 255 };
      paper.foreground = (AttnRgb) { 0, 0, 0 };
    }
  g_autoptr (AttnScene) scene = attn_layout_figure (result->grid, &paper, viewport, 0, 0);
  return attn_export_to_bytes (scene, format, resolution, title, metadata, error);
}
