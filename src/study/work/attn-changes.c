/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Finds the changes of weights in a panel: by an intervention, or from A to B of a comparison. */

#include "config.h"

#include "attn-result-private.h"

#include <math.h>

/* Largest number of token pairs that are written to files, sorted by descending change of their
 * weight. */
#define N_WRITTEN 20

/* Finds the two panels that are compared in a cell of the grid. Returns FALSE if the cell compares
 * nothing. */
static gboolean
get_sides (const AttnResult  *result,
           gsize              index,
           AttnPanel        **baseline,
           AttnPanel        **modified)
{
  const AttnGridCell *place = &result->grid->cells[index];

  *baseline = place->baseline;
  *modified = place->is_difference ? place->minuend : place->panel;
  return *baseline != NULL && *modified != NULL;
}

/* Compares two changes, which are sorted by descending size, then by row, then by column. */
static gboolean
comes_before (const AttnChange *a,
              const AttnChange *b)
{
  double a_size = fabs (a->difference);
  double b_size = fabs (b->difference);

  if (a_size != b_size)
    return a_size > b_size;
  return a->row != b->row ? a->row < b->row : a->column < b->column;
}

/* Inserts @change into @changes, the sorted list of the @n largest changes, if it is large
 * enough. */
static void
take_in (GArray           *changes,
         const AttnChange *change,
         gsize             n)
{
  guint place = changes->len;

  while (place > 0 && comes_before (change, &g_array_index (changes, AttnChange, place - 1)))
    place--;
  if (place >= n)
    return;
  g_array_insert_vals (changes, place, change, 1);
  g_array_set_size (changes, MIN (changes->len, n));
}

/**
 * attn_result_get_changes:
 * @index: index of a panel, row-major in the grid
 * @n: largest number of pairs to return
 *
 * Lists the token pairs whose weights differ most from the baseline, or from A to B for the
 * difference of a comparison, as the panel shows them: of words if tokens are joined, and without
 * hidden keys. Cells that are masked, equal or NaN are left out.
 *
 * Returns: (transfer full) (element-type AttnChange): the largest change first
 */
GArray *
attn_result_get_changes (const AttnResult *result,
                         gsize             index,
                         gsize             n)
{
  GArray *changes = g_array_new (FALSE, FALSE, sizeof (AttnChange));
  AttnPanel *baseline, *modified;

  g_return_val_if_fail (index < result->grid->n_rows * result->grid->n_columns, changes);

  if (n == 0 || !get_sides (result, index, &baseline, &modified) || baseline == modified)
    return changes;

  g_auto (AttnPanelReader) baseline_reader = { .panel = baseline, .passes = TRUE };
  g_auto (AttnPanelReader) modified_reader = { .panel = modified, .passes = TRUE };
  for (gsize row = 0; row < attn_panel_get_n_rows (modified); row++)
    {
      AttnSpan visible = attn_panel_get_visible (modified, row);
      const float *baselines = attn_panel_reader_get_row (&baseline_reader, row);
      const float *values = attn_panel_reader_get_row (&modified_reader, row);

      for (gsize column = visible.first; column < visible.end; column++)
        {
          double before = baselines[column];
          double after = values[column];
          AttnChange change = { row, column, before, after, after - before };

          if (change.difference != 0 && !isnan (change.difference))
            take_in (changes, &change, n);
        }
    }
  return changes;
}

/**
 * attn_result_get_row_distance:
 * @index: index of a panel, row-major in the grid
 * @row: row of that panel
 *
 * Returns: the total variation distance of a row from that of the baseline, or of B from A: half
 *   the sum of |difference| over the shown cells of the row, 0 to 1. It is 0 if there is no
 *   baseline.
 */
double
attn_result_get_row_distance (const AttnResult *result,
                              gsize             index,
                              gsize             row)
{
  AttnPanel *baseline, *modified;
  double sum = 0;

  g_return_val_if_fail (index < result->grid->n_rows * result->grid->n_columns, 0);

  if (!get_sides (result, index, &baseline, &modified) || baseline == modified)
    return 0;

  g_return_val_if_fail (row < attn_panel_get_n_rows (modified), 0);

  g_auto (AttnPanelReader) baseline_reader = { .panel = baseline };
  g_auto (AttnPanelReader) modified_reader = { .panel = modified };
  AttnSpan visible = attn_panel_get_visible (modified, row);
  const float *before = attn_panel_reader_get_row (&baseline_reader, row);
  const float *after = attn_panel_reader_get_row (&modified_reader, row);
  for (gsize column = visible.first; column < visible.end; column++)
    sum += fabs ((double) after[column] - (double) before[column]);
  return sum / 2;
}

/* Writes the token pairs whose weights differ most, with their positions in the input. */
static void
write_changes (const AttnResult *result,
               gsize             index,
               AttnJsonWriter   *writer)
{
  AttnPanel *panel = result->grid->cells[index].panel;
  g_autoptr (GArray) changes = attn_result_get_changes (result, index, N_WRITTEN);

  attn_json_writer_begin_array (writer, "changes");
  for (guint i = 0; i < changes->len; i++)
    {
      const AttnChange *change = &g_array_index (changes, AttnChange, i);

      attn_json_writer_begin_object (writer, NULL);
      attn_json_writer_add_integer (writer, "query",
                                    attn_panel_get_row_position (panel, change->row));
      attn_json_writer_add_integer (writer, "key",
                                    attn_panel_get_column_position (panel, change->column));
      attn_json_writer_add_number (writer, "minuend", change->modified);
      attn_json_writer_add_number (writer, "subtrahend", change->baseline);
      attn_json_writer_add_number (writer, "difference", change->difference);
      attn_json_writer_end_object (writer);
    }
  attn_json_writer_end_array (writer);
}

/**
 * attn_result_write_difference:
 * @index: index of a panel, row-major in the grid
 * @writer: a writer that is within a JSON object
 *
 * Writes the numbers of a panel that shows a difference: "row-distances", the total variation
 * distance of each row, and "changes", the token pairs that changed most. Writes nothing for other
 * panels.
 */
void
attn_result_write_difference (const AttnResult *result,
                              gsize             index,
                              AttnJsonWriter   *writer)
{
  const AttnGridCell *place = &result->grid->cells[index];

  if (!place->is_difference)
    return;
  attn_json_writer_begin_array (writer, "row-distances");
  for (gsize row = 0; row < attn_panel_get_n_rows (place->panel); row++)
    attn_json_writer_add_number (writer, NULL, attn_result_get_row_distance (result, index, row));
  attn_json_writer_end_array (writer);
  write_changes (result, index, writer);
}
