/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-map-order.h"

#include <math.h>

static int
compare (gconstpointer a,
         gconstpointer b,
         gpointer      values)
{
  gsize first = *(const gsize *) a;
  gsize second = *(const gsize *) b;
  double x = ((const double *) values)[first];
  double y = ((const double *) values)[second];

  if (isnan (x) || isnan (y))
    return isnan (x) - isnan (y);
  return x != y ? (x < y) - (x > y) : (first > second) - (first < second);
}

/**
 * attn_map_order_find:
 * @values: (array length=n): a value for each head, by layer and head
 *
 * Returns: (transfer full) (array): the indices of @values (layer x heads + head), sorted by
 *   descending value; NaN comes last
 */
gsize *
attn_map_order_find (const double *values,
                     gsize         n)
{
  gsize *order = g_new (gsize, n);

  for (gsize i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, (int) n, sizeof *order, compare, (gpointer) values);
  return order;
}

/**
 * attn_map_order_read:
 * @atlas: a panel [layers, heads] of a value for each head
 *
 * Returns: (transfer full) (array): the indices of its cells by descending value, see
 *   [func@attn_map_order_find]
 */
gsize *
attn_map_order_read (AttnPanel *atlas)
{
  AttnTensor *values = attn_panel_get_values (atlas);
  gsize n = attn_tensor_get_n_elements (values);
  g_autofree double *numbers = g_new (double, n);

  for (gsize i = 0; i < n; i++)
    numbers[i] = values->data[i];
  return attn_map_order_find (numbers, n);
}

/**
 * attn_map_order_sort:
 * @atlas: a grid of one panel, [layers, heads]
 *
 * Returns: (transfer full): the same grid, whose values descend from left to right and from row to
 *   row. Each cell has the name of its head, and each row the rank of its first head as its label.
 */
AttnGrid *
attn_map_order_sort (AttnGrid *atlas)
{
  AttnPanel *panel = atlas->cells[0].panel;
  gsize n_rows = attn_panel_get_n_rows (panel);
  gsize n_columns = attn_panel_get_n_columns (panel);
  const float *values = attn_panel_get_values (panel)->data;
  g_autofree gsize *order = attn_map_order_read (panel);
  gboolean has_baseline = atlas->cells[0].baseline != panel;
  const float *others = attn_panel_get_values (atlas->cells[0].baseline)->data;
  g_autoptr (AttnTensor) sorted = attn_tensor_copy (attn_panel_get_values (panel), NULL);
  g_autoptr (AttnTensor) before = attn_tensor_copy (attn_panel_get_values (panel), NULL);
  g_auto (GStrv) rows = g_new0 (char *, n_rows + 1);
  g_auto (GStrv) columns = g_new0 (char *, n_columns + 1);
  AttnGrid *grid = attn_grid_copy (atlas);
  AttnGridCell *cell = &grid->cells[0];

  if (sorted == NULL || before == NULL)
    return grid;
  cell->cell_names = g_new0 (char *, n_rows *n_columns + 1);
  for (gsize i = 0; i < n_rows * n_columns; i++)
    {
      sorted->data[i] = values[order[i]];
      before->data[i] = others[order[i]];
      cell->cell_names[i] =
          g_strdup_printf ("L%zu H%zu", order[i] / n_columns, order[i] % n_columns);
    }
  for (gsize i = 0; i < n_rows; i++)
    rows[i] = g_strdup_printf ("%zu", i * n_columns + 1);
  for (gsize i = 0; i < n_columns; i++)
    columns[i] = g_strdup ("");
  attn_panel_unref (cell->panel);
  attn_panel_unref (cell->baseline);
  cell->panel = attn_panel_new (sorted, ATTN_MASK_NONE, (const char * const *) rows,
                                (const char * const *) columns);
  cell->baseline = has_baseline ? attn_panel_new (before, ATTN_MASK_NONE,
                                                  (const char * const *) rows,
                                                  (const char * const *) columns)
                                : attn_panel_ref (cell->panel);
  g_free (grid->row_title);
  g_free (grid->column_title);
  grid->row_title = g_strdup ("Rank");
  grid->column_title = g_strdup ("");
  return grid;
}
