/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-grid.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/**
 * attn_grid_new:
 * @n_rows: at least 1
 * @n_columns: at least 1
 *
 * Returns: (transfer full): a grid of cells without panels, to be filled before other threads see
 *   it
 */
AttnGrid *
attn_grid_new (gsize n_rows,
               gsize n_columns)
{
  gsize n_cells;

  g_return_val_if_fail (n_rows > 0 && n_columns > 0, NULL);
  g_return_val_if_fail (g_size_checked_mul (&n_cells, n_rows, n_columns) && n_cells <= G_MAXINT,
                        NULL);

  AttnGrid *grid = g_new0 (AttnGrid, 1);
  g_atomic_ref_count_init (&grid->ref_count);
  grid->n_rows = n_rows;
  grid->n_columns = n_columns;
  grid->cells = g_new0 (AttnGridCell, n_cells);
  g_mutex_init (&grid->mutex);
  return grid;
}

/**
 * attn_grid_ref:
 *
 * Returns: (transfer full): @grid. Any thread may call.
 */
AttnGrid *
attn_grid_ref (AttnGrid *grid)
{
  g_atomic_ref_count_inc (&grid->ref_count);
  return grid;
}

/**
 * attn_grid_unref:
 * @grid: (transfer full)
 *
 * Frees it with the last reference. Any thread may call.
 */
void
attn_grid_unref (AttnGrid *grid)
{
  if (!g_atomic_ref_count_dec (&grid->ref_count))
    return;
  for (gsize i = 0; i < grid->n_rows * grid->n_columns; i++)
    {
      AttnGridCell *cell = &grid->cells[i];

      g_clear_pointer (&cell->panel, attn_panel_unref);
      g_clear_pointer (&cell->baseline, attn_panel_unref);
      g_clear_pointer (&cell->minuend, attn_panel_unref);
      g_clear_pointer (&cell->ratio, attn_panel_unref);
      g_clear_pointer (&cell->rescaling.heads, g_array_unref);
      g_clear_pointer (&cell->rescaling.subtracted, g_array_unref);
      g_free (cell->minuend_name);
      g_free (cell->baseline_name);
      g_free (cell->value_name);
      g_free (cell->title);
      g_free (cell->name);
      g_free (cell->operation);
      g_strfreev (cell->numbers);
      g_strfreev (cell->cell_names);
      g_free (cell->cell_numbers);
      g_free (cell->cell_intervals);
      g_clear_pointer (&cell->image, attn_image_unref);
      g_clear_pointer (&cell->strip, attn_bars_unref);
      for (gsize region = 0; region < cell->n_regions; region++)
        g_free (cell->regions[region].name);
      g_free (cell->regions);
    }
  g_clear_pointer (&grid->ranges, g_ptr_array_unref);
  g_mutex_clear (&grid->mutex);
  g_free (grid->cells);
  g_free (grid->caption);
  g_free (grid->bars_note);
  g_strfreev (grid->number_names);
  g_free (grid->value_label);
  g_free (grid->row_title);
  g_free (grid->column_title);
  g_strfreev (grid->row_headings);
  g_strfreev (grid->column_headings);
  g_clear_pointer (&grid->diagram, attn_diagram_free);
  g_clear_pointer (&grid->charts, g_ptr_array_unref);
  g_clear_pointer (&grid->whole, attn_grid_unref);
  g_free (grid);
}

/**
 * attn_grid_get_cell:
 * @row: below n_rows
 * @column: below n_columns
 *
 * Returns: (transfer none): the cell; its members belong to the grid
 */
AttnGridCell *
attn_grid_get_cell (AttnGrid *grid,
                    gsize     row,
                    gsize     column)
{
  g_return_val_if_fail (row < grid->n_rows && column < grid->n_columns, NULL);

  return &grid->cells[row * grid->n_columns + column];
}

static void
append_region (AttnGridCell     *cell,
               const AttnRegion *region)
{
  cell->regions = g_renew (AttnRegion, cell->regions, cell->n_regions + 1);
  cell->regions[cell->n_regions] = *region;
  cell->regions[cell->n_regions].name = g_strdup (region->name);
  cell->n_regions++;
}

/**
 * attn_grid_add_chart:
 * @chart: (transfer full): stands at the right of the charts that are there
 *
 * Only before other threads see the grid.
 */
void
attn_grid_add_chart (AttnGrid  *grid,
                     AttnChart *chart)
{
  if (grid->charts == NULL)
    grid->charts = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_chart_unref);
  g_ptr_array_add (grid->charts, chart);
  grid->has_chart = TRUE;
}

/**
 * attn_grid_add_region:
 * @row: below n_rows
 * @column: below n_columns
 * @region: copied; a pin gets the value of its cell, for which the panel must be there already
 *
 * Only before other threads see the grid.
 */
void
attn_grid_add_region (AttnGrid         *grid,
                      gsize             row,
                      gsize             column,
                      const AttnRegion *region)
{
  AttnGridCell *cell = attn_grid_get_cell (grid, row, column);

  g_return_if_fail (cell != NULL);

  append_region (cell, region);
  if (region->is_pin && cell->panel != NULL &&
      region->first_row < attn_panel_get_n_rows (cell->panel) &&
      region->first_column < attn_panel_get_n_columns (cell->panel))
    cell->regions[cell->n_regions - 1].value =
        attn_panel_get_value (cell->panel, region->first_row, region->first_column);
}

/**
 * attn_grid_is_compared:
 * @group: index of a panel, or -1 to ask for any panel
 *
 * Returns: whether the panel has a baseline to compare it with: another panel, or the panel itself
 *   if operations have left it as it was
 */
gboolean
attn_grid_is_compared (const AttnGrid *grid,
                       int             group)
{
  if (group < 0)
    {
      for (gsize i = 0; i < grid->n_rows * grid->n_columns; i++)
        if (attn_grid_is_compared (grid, (int) i))
          return TRUE;
      return FALSE;
    }

  const AttnGridCell *cell = &grid->cells[group];
  return cell->baseline != NULL && (cell->baseline != cell->panel || !grid->is_untouched);
}

/**
 * attn_grid_check:
 * @error: return location for %ATTN_ERROR_CHANGED
 *
 * Returns: whether the files that long panels are read from are unchanged, see
 *   [func@attn_panel_check]
 */
gboolean
attn_grid_check (const AttnGrid  *grid,
                 GError         **error)
{
  for (gsize i = 0; i < grid->n_rows * grid->n_columns; i++)
    if (grid->cells[i].panel != NULL && !attn_panel_check (grid->cells[i].panel, error))
      return FALSE;
  return TRUE;
}

/* Copies what a cell of a grid has beside its panel. @panel: (nullable): the panel of the copy.
 * Numbers and intervals of single cells of the panel are copied only with the panel itself */
static void
copy_cell (AttnGridCell       *to,
           const AttnGridCell *from,
           AttnPanel          *panel)
{
  to->panel = panel != NULL ? attn_panel_ref (panel) : NULL;
  to->title = g_strdup (from->title);
  to->name = g_strdup (from->name);
  to->value_name = g_strdup (from->value_name);
  to->column_name = from->column_name;
  to->cell_names = g_strdupv (from->cell_names);
  if (from->cell_numbers != NULL && panel == from->panel)
    to->cell_numbers =
        g_memdup2 (from->cell_numbers, attn_panel_get_n_rows (panel) *
                                           attn_panel_get_n_columns (panel) *
                                           sizeof *from->cell_numbers);
  if (from->cell_intervals != NULL && panel == from->panel)
    to->cell_intervals = g_memdup2 (from->cell_intervals,
                                    2 * attn_panel_get_n_rows (panel) *
                                        attn_panel_get_n_columns (panel) *
                                        sizeof *from->cell_intervals);
  to->image = from->image != NULL ? attn_image_ref (from->image) : NULL;
  to->picture = from->picture;
  to->input = from->input;
}

/**
 * attn_rescaling_share:
 *
 * Returns: (transfer full): a copy that shares the arrays of heads
 */
AttnRescaling
attn_rescaling_share (const AttnRescaling *rescaling)
{
  if (rescaling->heads != NULL)
    g_array_ref (rescaling->heads);
  if (rescaling->subtracted != NULL)
    g_array_ref (rescaling->subtracted);
  return *rescaling;
}

static void
copy_whole_cell (AttnGridCell       *to,
                 const AttnGridCell *from)
{
  copy_cell (to, from, from->panel);
  to->baseline = from->baseline != NULL ? attn_panel_ref (from->baseline) : NULL;
  to->minuend = from->minuend != NULL ? attn_panel_ref (from->minuend) : NULL;
  to->minuend_name = g_strdup (from->minuend_name);
  to->baseline_name = g_strdup (from->baseline_name);
  to->is_baseline = from->is_baseline;
  to->is_difference = from->is_difference;
  to->operation = g_strdup (from->operation);
  to->rescaling = attn_rescaling_share (&from->rescaling);
  to->lacks_distributions = from->lacks_distributions;
  to->numbers = g_strdupv (from->numbers);
  to->strip = from->strip != NULL ? attn_bars_ref (from->strip) : NULL;
  for (gsize i = 0; i < from->n_regions; i++)
    append_region (to, &from->regions[i]);
}

/* Makes a grid of empty cells that have the look and the scale of @grid. (transfer full) */
static AttnGrid *
new_like (AttnGrid *grid,
          gsize     n_rows,
          gsize     n_columns,
          gsize     group)
{
  AttnGrid *copy = attn_grid_new (n_rows, n_columns);

  copy->caption = g_strdup (grid->caption);
  copy->bars_note = g_strdup (grid->bars_note);
  copy->value_label = g_strdup (grid->value_label);
  copy->is_untouched = grid->is_untouched;
  copy->value_word = grid->value_word;
  copy->nan_name = grid->nan_name;
  copy->number_word = grid->number_word;
  copy->row_title = g_strdup (grid->row_title);
  copy->column_title = g_strdup (grid->column_title);
  copy->number_names = g_strdupv (grid->number_names);
  copy->has_numbers_once = grid->has_numbers_once;
  copy->n_strip_columns = grid->n_strip_columns;
  copy->has_top_labels = grid->has_top_labels;
  copy->scope = grid->scope;
  copy->is_binary = grid->is_binary;
  copy->aspect = grid->aspect;
  copy->row_step = grid->row_step;
  copy->has_names = grid->has_names;
  copy->whole = attn_grid_ref (grid->whole != NULL ? grid->whole : grid);
  copy->group = grid->group + group;
  return copy;
}

/**
 * attn_grid_arrange:
 * @order: (array length=n): indices of panels, row-major
 * @n: at least 1
 * @keeps_scale: whether values have the colours that they have in @grid, all of whose panels share
 *   a scale
 *
 * Returns: (transfer full): a grid of these panels in this order, whose width relative to its
 *   height is about that of @grid. It keeps @grid alive
 */
AttnGrid *
attn_grid_arrange (AttnGrid    *grid,
                   const gsize *order,
                   gsize        n,
                   gboolean     keeps_scale)
{
  gsize n_columns = (gsize) ceil (sqrt ((double) n * grid->n_columns / grid->n_rows));
  AttnGrid *arranged = new_like (grid, (n + n_columns - 1) / n_columns, n_columns, 0);

  if (!keeps_scale)
    g_clear_pointer (&arranged->whole, attn_grid_unref);
  for (gsize i = 0; i < n; i++)
    copy_whole_cell (&arranged->cells[i], &grid->cells[order[i]]);
  return arranged;
}

/**
 * attn_grid_get_place_words:
 * @index: index of a panel, row-major
 *
 * Returns: (transfer none) (nullable): a format, to be translated, that names a cell of the panel
 *   by the labels of its row and of its column, such as "Layer %s, head %s"; %NULL if these are
 *   queries and keys, or axes without a phrase of their own
 */
const char *
attn_grid_get_place_words (const AttnGrid *grid,
                           gsize           index)
{
  static const struct
  {
    const char *row_title;
    const char *column_title;
    const char *words;
  } axes[] = {
    /* Translators: the numbers of a layer and of a head */
    { "Layer", "Head", N_("Layer %s, head %s") },
    /* Translators: the number of a layer, then position and text of a token */
    { "Layer", "Token", N_("Layer %s, token %s") },
    /* Translators: the number of a layer, then that of a position in a text */
    { "Layer", "Position", N_("Layer %s, position %s") },
    { "Row", "Column", N_("Row %s, column %s") },
  };

  const AttnGridCell *cell = &grid->cells[index];
  const char *column_title = cell->column_name != NULL ? cell->column_name : grid->column_title;

  /* Translators: the row and the column of a patch of a picture */
  if (cell->image != NULL)
    return N_("patch %s,%s");
  for (gsize i = 0; i < G_N_ELEMENTS (axes); i++)
    if (g_strcmp0 (grid->row_title, axes[i].row_title) == 0 &&
        g_strcmp0 (column_title, axes[i].column_title) == 0)
      return axes[i].words;
  return NULL;
}

/**
 * attn_grid_take_panel:
 * @index: index of a panel, row-major
 *
 * Returns: (transfer full): a grid of that panel alone, without the diagram and the charts. Its
 *   values have the colours that they have in @grid, which it keeps alive.
 */
AttnGrid *
attn_grid_take_panel (AttnGrid *grid,
                      gsize     index)
{
  g_return_val_if_fail (index < grid->n_rows * grid->n_columns, attn_grid_new (1, 1));

  AttnGrid *alone = new_like (grid, 1, 1, index);
  copy_whole_cell (&alone->cells[0], &grid->cells[index]);
  if (grid->has_numbers_once && alone->cells[0].numbers == NULL)
    g_clear_pointer (&alone->number_names, g_strfreev);
  return alone;
}

/**
 * attn_grid_copy:
 *
 * Returns: (transfer full): a grid of the same panels without the diagram and the charts, to be
 *   filled before other threads see it; it has the scale of @grid, which it keeps alive
 */
AttnGrid *
attn_grid_copy (AttnGrid *grid)
{
  AttnGrid *copy = new_like (grid, grid->n_rows, grid->n_columns, 0);

  copy->row_headings = g_strdupv (grid->row_headings);
  copy->column_headings = g_strdupv (grid->column_headings);
  copy->has_baseline_column = grid->has_baseline_column;
  copy->has_operation_columns = grid->has_operation_columns;
  copy->has_own_titles = grid->has_own_titles;
  copy->has_chart = grid->has_chart;
  copy->has_key = grid->has_key;
  for (gsize i = 0; i < grid->n_rows * grid->n_columns; i++)
    copy_whole_cell (&copy->cells[i], &grid->cells[i]);
  return copy;
}

/* Gives each column that shows the baseline its name, whatever the column's operation was. */
static void
head_baseline_columns (AttnGrid *grid)
{
  for (gsize column = 0; grid->column_headings != NULL && column < grid->n_columns; column++)
    {
      const AttnGridCell *cell = attn_grid_get_cell (grid, 0, column);

      if (!cell->is_baseline)
        continue;
      g_free (grid->column_headings[column]);
      grid->column_headings[column] = g_strdup (cell->minuend_name);
    }
}

/**
 * attn_grid_take_baseline:
 *
 * Returns: (transfer full) (nullable): a grid with baselines in place of the panels that have one,
 *   as its names, titles, caption and the headings of columns of operations say, in the colours
 *   that values have in @grid; %NULL if no panel has a baseline
 */
AttnGrid *
attn_grid_take_baseline (AttnGrid *grid)
{
  g_autoptr (AttnGrid) before = new_like (grid, grid->n_rows, grid->n_columns, 0);
  gboolean has_baseline = FALSE;

  before->row_headings = g_strdupv (grid->row_headings);
  before->column_headings = g_strdupv (grid->column_headings);
  before->has_baseline_column = grid->has_baseline_column;
  before->has_operation_columns = grid->has_operation_columns;
  before->has_own_titles = grid->has_own_titles;
  g_clear_pointer (&before->bars_note, g_free);
  if (grid->caption != NULL)
    {
      g_free (before->caption);
      before->caption = g_strdup (ATTN_GRID_BASELINE_CAPTION);
    }
  for (gsize i = 0; i < grid->n_rows * grid->n_columns; i++)
    {
      const AttnGridCell *from = &grid->cells[i];
      AttnGridCell *to = &before->cells[i];

      copy_cell (to, from, from->baseline != NULL ? from->baseline : from->panel);
      to->is_baseline = from->baseline != NULL;
      has_baseline = has_baseline || to->is_baseline;
      if (to->is_baseline)
        {
          const char *name = from->baseline_name != NULL ? from->baseline_name : ATTN_GRID_BASELINE;

          to->minuend_name = g_strdup (name);
          g_free (to->name);
          to->name = g_strconcat (from->name, ", ", name, NULL);
          if (from->title != NULL)
            {
              g_free (to->title);
              to->title = g_strconcat (from->title, ", ", name, NULL);
            }
        }
      for (gsize region = 0; region < from->n_regions; region++)
        attn_grid_add_region (before, i / grid->n_columns, i % grid->n_columns,
                              &from->regions[region]);
    }
  if (grid->has_operation_columns)
    head_baseline_columns (before);
  return has_baseline ? g_steal_pointer (&before) : NULL;
}
