/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-result-data.h"

#include <math.h>

#include "attn-markup.h"
#include "attn-outcome-data.h"
#include "attn-result-private.h"
#include "attn-study-private.h"

/* Returns the title of a panel without markup, or its name if it has no title. */
static char *
dup_plain_title (const AttnGridCell *cell)
{
  g_autofree char *text = cell->title != NULL ? attn_markup_to_text (cell->title) : NULL;

  return text != NULL && *text != '\0' ? g_steal_pointer (&text) : g_strdup (cell->name);
}

/* Returns the name of an array of a panel, such as "panel_0_1_rows". (transfer full) */
static char *
dup_array_name (const AttnResult *result,
                gsize             index,
                const char       *suffix)
{
  gsize n_columns = result->grid->n_columns;

  return g_strdup_printf ("panel_%zu_%zu%s", index / n_columns, index % n_columns, suffix);
}

/* Adds an array of the labels of a panel. @strings: (nullable): none, as for a matrix file without
 * labels */
static gboolean
add_strings (AttnArrayFile       *file,
             const AttnResult    *result,
             gsize                index,
             const char          *suffix,
             const char * const  *strings,
             GError             **error)
{
  g_autofree char *name = dup_array_name (result, index, suffix);

  return strings == NULL ||
         attn_array_file_add (file, attn_array_new_strings (name, strings), error);
}

/* Copies all values of a panel, even if it has so many that they were not kept in memory. */
static AttnTensor *
dup_values (AttnPanel  *panel,
            GError    **error)
{
  AttnTensor *values = attn_panel_get_values (panel);
  const gsize shape[] = { attn_panel_get_n_rows (panel), attn_panel_get_n_columns (panel) };

  if (values != NULL)
    return attn_tensor_ref (values);

  g_autoptr (AttnTensor) all = attn_tensor_new_unset (2, shape, error);
  if (all == NULL || !attn_panel_read_rows (panel, 0, shape[0], all->data, error))
    return NULL;
  return g_steal_pointer (&all);
}

static gboolean
add_panel (AttnArrayFile     *file,
           const AttnResult  *result,
           gsize              index,
           GError           **error)
{
  const AttnGridCell *cell = &result->grid->cells[index];
  g_autofree char *name = dup_array_name (result, index, "");
  g_autofree char *text = dup_plain_title (cell);
  const char *title[] = { text, NULL };
  const char * const *rows = attn_panel_get_row_labels (cell->panel);
  const char * const *columns = attn_panel_get_column_labels (cell->panel);
  g_autoptr (AttnTensor) values = dup_values (cell->panel, error);

  if (values == NULL)
    return FALSE;
  return attn_array_file_add (file, attn_array_new_from_tensor (name, values), error) &&
         add_strings (file, result, index, "_rows", rows, error) &&
         add_strings (file, result, index, "_columns", columns, error) &&
         add_strings (file, result, index, "_title", title, error);
}

typedef gsize (*PositionFunc) (const AttnPanel *panel,
                               gsize index);

/* Adds the positions of rows or columns in the input: int64 [n]. */
static gboolean
add_positions (AttnArrayFile     *file,
               const AttnResult  *result,
               gsize              index,
               const char        *suffix,
               gsize              n,
               PositionFunc       get_position,
               GError           **error)
{
  const AttnPanel *panel = result->grid->cells[index].panel;
  g_autofree char *name = dup_array_name (result, index, suffix);
  g_autofree gint64 *positions = g_new (gint64, n);

  for (gsize i = 0; i < n; i++)
    positions[i] = (gint64) get_position (panel, i);
  return attn_array_file_add_numbers (file, name, ATTN_DTYPE_I64, 1, &n, positions, error);
}

/* Adds the numbers of a panel beside its weights as arrays, such as the distance of each row. */
static gboolean
add_more (AttnArrayFile     *file,
          const AttnResult  *result,
          gsize              index,
          GError           **error)
{
  const AttnGridCell *cell = &result->grid->cells[index];
  const gsize n_rows = attn_panel_get_n_rows (cell->panel);
  g_autofree char *name = dup_array_name (result, index, "_row_distances");
  g_autofree char *prefix = dup_array_name (result, index, "");

  if (!attn_outcome_add_arrays (attn_result_get_outcome (result, index), prefix, file, error))
    return FALSE;
  if (attn_panel_has_positions (cell->panel) &&
      (!add_positions (file, result, index, "_row_positions", n_rows, attn_panel_get_row_position,
                       error) ||
       !add_positions (file, result, index, "_column_positions",
                       attn_panel_get_n_columns (cell->panel), attn_panel_get_column_position,
                       error)))
    return FALSE;
  if (!cell->is_difference)
    return TRUE;

  g_autoptr (AttnTensor) distances = attn_tensor_new (1, &n_rows, error);
  if (distances == NULL)
    return FALSE;
  for (gsize i = 0; i < n_rows; i++)
    distances->data[i] = (float) attn_result_get_row_distance (result, index, i);
  return attn_array_file_add (file, attn_array_new_from_tensor (name, distances), error);
}

/* Adds the curves over ε below a grid, or each chart of a survey with its index. */
static gboolean
add_charts (AttnArrayFile    *file,
            const GPtrArray  *charts,
            GError          **error)
{
  for (guint i = 0; charts != NULL && i < charts->len; i++)
    if (!attn_outcome_add_curves (charts->pdata[i], i, file, error))
      return FALSE;
  return TRUE;
}

/* Returns the result whose score atlas is in the order of layers and heads, since data files
 * contain it unsorted. */
static const AttnResult *
get_unsorted (const AttnResult *result)
{
  return attn_study_get_traits (result->study)->has_measure && result->computed != NULL
             ? result->computed
             : result;
}

/**
 * attn_result_to_arrays:
 * @panel: index of one panel, row-major in the grid, for a file of a single array of numbers; or
 *   %ATTN_ALL_PANELS
 * @error: return location: errors of [func@attn_array_file_add]
 *
 * Writes an array [T, T] named panel_R_C for each panel (R and C are its row and column in the
 * grid, from 0), its tokens as panel_R_C_rows and panel_R_C_columns, and its title as
 * panel_R_C_title. Empty places of the grid are left out. With %ATTN_ALL_PANELS there are also, if
 * only part of the input is shown, the positions of that part, panel_R_C_row_positions and
 * panel_R_C_column_positions (int64); for a difference, the total variation distance of each row,
 * panel_R_C_row_distances [T]; and the effects on the prediction that the study shows, see
 * [func@attn_outcome_add_arrays] and [func@attn_outcome_add_curves].
 *
 * Returns: (transfer full) (nullable): the contents of a file of arrays
 */
AttnArrayFile *
attn_result_to_arrays (const AttnResult  *result,
                       gssize             panel,
                       GError           **error)
{
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autofree char *metadata = attn_result_to_metadata (result, result->study);

  result = get_unsorted (result);

  attn_array_file_set_metadata (file, "attention-grid", metadata);
  for (gsize i = 0; i < result->grid->n_rows * result->grid->n_columns; i++)
    if ((panel == ATTN_ALL_PANELS || i == (gsize) panel) && result->grid->cells[i].panel != NULL &&
        (!add_panel (file, result, i, error) ||
         (panel == ATTN_ALL_PANELS && !add_more (file, result, i, error))))
      return NULL;
  return panel != ATTN_ALL_PANELS || add_charts (file, result->grid->charts, error)
             ? g_steal_pointer (&file)
             : NULL;
}

static void
write_panel (AttnJsonWriter   *writer,
             const AttnResult *result,
             gsize             index)
{
  const AttnGridCell *cell = &result->grid->cells[index];
  AttnPanel *panel = cell->panel;
  g_autofree char *title = dup_plain_title (cell);

  attn_json_writer_begin_object (writer, NULL);
  attn_json_writer_add_string (writer, "name", cell->name);
  attn_json_writer_add_string (writer, "title", title);
  attn_json_writer_add_strings (writer, "rows", attn_panel_get_row_labels (panel));
  attn_json_writer_add_strings (writer, "columns", attn_panel_get_column_labels (panel));
  attn_result_write_positions (result, index, writer);
  attn_json_writer_begin_array (writer, "values");
  for (gsize i = 0; i < attn_panel_get_n_rows (panel); i++)
    {
      attn_json_writer_begin_array (writer, NULL);
      for (gsize k = 0; k < attn_panel_get_n_columns (panel); k++)
        attn_json_writer_add_number (writer, NULL, attn_panel_get_value (panel, i, k));
      attn_json_writer_end_array (writer);
    }
  attn_json_writer_end_array (writer);
  attn_result_write_difference (result, index, writer);
  attn_outcome_write (attn_result_get_outcome (result, index), writer);
  attn_json_writer_end_object (writer);
}

/**
 * attn_result_to_json:
 *
 * Returns: (transfer full): an object with the study, name and fingerprint of each model and, in
 *   "panels", each panel's name, title, tokens, their positions if not all are shown, and values by
 *   rows; for a difference also the total variation distance of each row and the token pairs that
 *   changed most. NaN is written as null.
 */
char *
attn_result_to_json (const AttnResult *result)
{
  AttnJsonWriter writer = { .text = g_string_new (NULL) };
  const AttnStudy *study = result->study;

  result = get_unsorted (result);
  attn_json_writer_begin_object (&writer, NULL);
  attn_json_writer_add_string (&writer, "program", "attention-grid");
  attn_json_writer_add_string (&writer, "version", ATTN_VERSION);
  attn_json_writer_add_string (&writer, "model", attn_model_get_name (result->model));
  attn_json_writer_add_string (&writer, "fingerprint", attn_model_get_fingerprint (result->model));
  if (result->models->len > 1)
    {
      attn_json_writer_begin_array (&writer, "other-models");
      for (guint i = 1; i < result->models->len; i++)
        {
          const AttnModel *model = g_ptr_array_index (result->models, i);

          attn_json_writer_begin_object (&writer, NULL);
          attn_json_writer_add_string (&writer, "model", attn_model_get_name (model));
          attn_json_writer_add_string (&writer, "fingerprint", attn_model_get_fingerprint (model));
          attn_json_writer_end_object (&writer);
        }
      attn_json_writer_end_array (&writer);
    }
  attn_json_writer_begin_array (&writer, "panels");
  for (gsize i = 0; i < result->grid->n_rows * result->grid->n_columns; i++)
    if (result->grid->cells[i].panel != NULL)
      write_panel (&writer, result, i);
  attn_json_writer_end_array (&writer);
  attn_outcome_write_charts (result->grid->charts, &writer);
  attn_study_write (study, &writer, "study");
  attn_json_writer_end_object (&writer);
  g_string_append_c (writer.text, '\n');
  return g_string_free (writer.text, FALSE);
}

/* Appends a cell of a text table: the label of a row or column, or its number if there are no
 * labels. Characters that would end the cell are replaced by spaces. @labels: (nullable) */
static void
append_cell (GString            *text,
             const char * const *labels,
             gsize               index)
{
  g_autofree char *copy =
      labels != NULL ? g_strdup (labels[index]) : g_strdup_printf ("%zu", index);

  g_string_append (text, g_strdelimit (copy, "\t\r\n", ' '));
}

/**
 * attn_panel_to_text:
 *
 * Returns: (transfer full): the panel as a table for a spreadsheet: tabs between the columns, the
 *   keys in the first line, the query before each row; numbers with nine digits and a decimal point
 */
char *
attn_panel_to_text (AttnPanel *panel)
{
  GString *text = g_string_new (NULL);
  const char * const *rows = attn_panel_get_row_labels (panel);
  const char * const *columns = attn_panel_get_column_labels (panel);
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  for (gsize k = 0; k < attn_panel_get_n_columns (panel); k++)
    {
      g_string_append_c (text, '\t');
      append_cell (text, columns, k);
    }
  g_string_append_c (text, '\n');
  for (gsize i = 0; i < attn_panel_get_n_rows (panel); i++)
    {
      append_cell (text, rows, i);
      for (gsize k = 0; k < attn_panel_get_n_columns (panel); k++)
        {
          float value = attn_panel_get_value (panel, i, k);

          g_ascii_formatd (number, sizeof number, "%.9g", value);
          g_string_append_printf (text, "\t%s", isnan (value) ? "NaN" : number);
        }
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}
