/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-panel-private.h"

#include <math.h>
#include <string.h>

/* The default for the most cells of a panel that are kept in memory: 4096 x 4096, or 64 MiB. */
#define DEFAULT_MAX_CELLS ((gsize) 1 << 24)

static gpointer max_cells_set; /* largest number of cells kept in memory, 0 for the default;
                                * atomic */

/**
 * attn_panel_get_max_cells:
 *
 * Returns: the most cells of a panel whose values are kept in memory. A panel with more is long: it
 *   has a source instead, which computes rows when they are needed.
 */
gsize
attn_panel_get_max_cells (void)
{
  gsize n_cells = GPOINTER_TO_SIZE (g_atomic_pointer_get (&max_cells_set));

  return n_cells > 0 ? n_cells : DEFAULT_MAX_CELLS;
}

/**
 * attn_panel_set_max_cells:
 * @n_cells: the most cells of a panel that is kept in memory, or 0 for the default, 4096 x 4096
 *
 * Changes the memory that panels made from now on take, and the time to read them, but not their
 * values. Any thread may call.
 */
void
attn_panel_set_max_cells (gsize n_cells)
{
  g_atomic_pointer_set (&max_cells_set, GSIZE_TO_POINTER (n_cells));
}

/**
 * attn_panel_is_too_long:
 * @n_rows: at least 1
 * @n_columns: at least 1
 *
 * Returns: whether a panel of that size has more cells than are kept in memory and has to be made
 *   by [func@attn_panel_new_long]
 */
gboolean
attn_panel_is_too_long (gsize n_rows,
                        gsize n_columns)
{
  return n_rows > attn_panel_get_max_cells () / n_columns;
}

/* Copies labels to a single block of memory: the nine panels of a figure can have several thousand
 * labels, and one allocation for each would be slow. */
static char **
copy_labels (const char * const *labels)
{
  gsize n = labels != NULL ? g_strv_length ((char **) labels) : 0;
  gsize n_bytes = 0;

  if (labels == NULL)
    return NULL;
  for (gsize i = 0; i < n; i++)
    n_bytes += strlen (labels[i]) + 1;

  char **copy = g_malloc ((n + 1) * sizeof *copy + n_bytes);
  char *end = (char *) (copy + n + 1);
  for (gsize i = 0; i < n; i++)
    {
      copy[i] = end;
      end = g_stpcpy (end, labels[i]) + 1;
    }
  copy[n] = NULL;
  return copy;
}

static AttnPanel *
panel_new (gsize               n_rows,
           gsize               n_columns,
           AttnMask            mask,
           const char * const *row_labels,
           const char * const *column_labels)
{
  AttnPanel *panel = g_new0 (AttnPanel, 1);

  g_atomic_ref_count_init (&panel->ref_count);
  panel->n_rows = n_rows;
  panel->n_columns = n_columns;
  panel->mask = mask;
  panel->row_labels = copy_labels (row_labels);
  panel->column_labels = copy_labels (column_labels);
  g_mutex_init (&panel->mutex);
  return panel;
}

/**
 * attn_panel_new:
 * @values: [n_rows, n_columns] float32; NaN is allowed, and is shown as "not a number"
 * @mask: which cells take part
 * @row_labels: (nullable) (array zero-terminated=1): one label a row (query token), or %NULL
 * @column_labels: (nullable) (array zero-terminated=1): one label a column (key token), or %NULL
 *
 * Labels are plain UTF-8 text; equal labels stay separate rows.
 */
AttnPanel *
attn_panel_new (AttnTensor         *values,
                AttnMask            mask,
                const char * const *row_labels,
                const char * const *column_labels)
{
  g_return_val_if_fail (values->n_dims == 2, NULL);
  g_return_val_if_fail (row_labels == NULL ||
                            g_strv_length ((char **) row_labels) == values->shape[0],
                        NULL);
  g_return_val_if_fail (column_labels == NULL ||
                            g_strv_length ((char **) column_labels) == values->shape[1],
                        NULL);

  AttnPanel *panel =
      panel_new (values->shape[0], values->shape[1], mask, row_labels, column_labels);
  panel->values = attn_tensor_ref (values);
  return panel;
}

/* Returns the simplest mask by which each row sees the columns given by @spans. */
static AttnMask
find_mask (const AttnSpan *spans,
           gsize           n_rows,
           gsize           n_columns)
{
  gboolean is_full = TRUE;
  gboolean is_causal = TRUE;

  for (gsize row = 0; row < n_rows; row++)
    {
      is_full = is_full && spans[row].first == 0 && spans[row].end == n_columns;
      is_causal = is_causal && spans[row].first == 0 && spans[row].end == MIN (row + 1, n_columns);
    }
  return is_full ? ATTN_MASK_NONE : is_causal ? ATTN_MASK_CAUSAL
                                              : ATTN_MASK_SPANS;
}

static void
set_spans (AttnPanel      *panel,
           const AttnSpan *spans)
{
  AttnSpan *copy = g_new (AttnSpan, panel->n_rows);

  for (gsize row = 0; row < panel->n_rows; row++)
    {
      copy[row].end = MIN (spans[row].end, panel->n_columns);
      copy[row].first = MIN (spans[row].first, copy[row].end);
    }
  panel->mask = find_mask (copy, panel->n_rows, panel->n_columns);
  if (panel->mask == ATTN_MASK_SPANS)
    panel->spans = g_steal_pointer (&copy);
  g_free (copy);
}

/**
 * attn_panel_new_with_visibility:
 * @values: [n_rows, n_columns] float32
 * @spans: (array): the columns that each row sees; copied. One that ends beyond the last column
 *   ends there.
 * @row_labels: (nullable) (array zero-terminated=1): one label a row, or %NULL
 * @column_labels: (nullable) (array zero-terminated=1): one label a column, or %NULL
 *
 * Makes a panel with any mask in which the columns that a row sees lie side by side.
 */
AttnPanel *
attn_panel_new_with_visibility (AttnTensor         *values,
                                const AttnSpan     *spans,
                                const char * const *row_labels,
                                const char * const *column_labels)
{
  AttnPanel *panel = attn_panel_new (values, ATTN_MASK_NONE, row_labels, column_labels);

  g_return_val_if_fail (panel != NULL, NULL);

  set_spans (panel, spans);
  return panel;
}

/**
 * attn_panel_new_long:
 * @source: computes rows of the panel when they are needed; its data is taken over
 * @mask: which cells take part; not used if @spans is given
 * @spans: (nullable) (array): the columns that each row sees; copied
 * @row_labels: (nullable) (array zero-terminated=1): one label a row, or %NULL
 * @column_labels: (nullable) (array zero-terminated=1): one label a column, or %NULL
 *
 * Makes a panel of more cells than are kept in memory. It keeps an overview, in which all cells are
 * halved several times, and, after [func@attn_panel_load_tile], a finer tile; all other cells are
 * asked of @source.
 *
 * Returns: (transfer full): the panel
 */
AttnPanel *
attn_panel_new_long (gsize                n_rows,
                     gsize                n_columns,
                     const AttnRowSource *source,
                     AttnMask             mask,
                     const AttnSpan      *spans,
                     const char * const  *row_labels,
                     const char * const  *column_labels)
{
  AttnPanel *panel = panel_new (n_rows, n_columns, mask, row_labels, column_labels);

  panel->source = *source;
  do
    panel->finest_level++;
  while (attn_panel_is_too_long (((n_rows - 1) >> panel->finest_level) + 1,
                                 ((n_columns - 1) >> panel->finest_level) + 1));
  if (spans != NULL)
    set_spans (panel, spans);
  return panel;
}

/* Two panels that are the data of a source of rows, which computes their difference. */
typedef struct
{
  AttnPanel *minuend;
  AttnPanel *subtrahend;
} Difference;

static void
free_difference (gpointer data)
{
  Difference *difference = data;

  attn_panel_unref (difference->minuend);
  attn_panel_unref (difference->subtrahend);
  g_free (difference);
}

static gboolean
read_difference (gpointer   data,
                 gsize      first_row,
                 gsize      n_rows,
                 float     *rows,
                 GError   **error)
{
  const Difference *difference = data;
  gsize n = n_rows * difference->minuend->n_columns;
  const gsize shape[] = { n_rows, difference->minuend->n_columns };
  g_autoptr (AttnTensor) other = attn_tensor_new_unset (2, shape, error);

  if (other == NULL ||
      !attn_panel_read_rows (difference->minuend, first_row, n_rows, rows, error) ||
      !attn_panel_read_rows (difference->subtrahend, first_row, n_rows, other->data, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    rows[i] -= other->data[i];
  return TRUE;
}

static AttnPanel *
new_long_difference (AttnPanel *panel,
                     AttnPanel *baseline)
{
  Difference *data = g_new (Difference, 1);

  data->minuend = attn_panel_ref (panel);
  data->subtrahend = attn_panel_ref (baseline);
  const AttnRowSource source = { read_difference, data, free_difference };
  return attn_panel_new_long (panel->n_rows, panel->n_columns, &source, panel->mask, NULL,
                              (const char * const *) panel->row_labels,
                              (const char * const *) panel->column_labels);
}

/* Computes the difference of a row. Cells that the panel masks are not read and become 0. @a, @b,
 * @difference: [n_rows, n_columns] */
static void
subtract_row (const AttnPanel *panel,
              gsize            row,
              const float     *a,
              const float     *b,
              float           *difference)
{
  AttnSpan span = attn_panel_get_visible (panel, row);
  gsize n_columns = panel->n_columns;
  float *out = difference + row * n_columns;

  a += row * n_columns;
  b += row * n_columns;
  memset (out, 0, span.first * sizeof *out);
  for (gsize i = span.first; i < span.end; i++)
    out[i] = a[i] - b[i];
  memset (out + span.end, 0, (n_columns - span.end) * sizeof *out);
}

/**
 * attn_panel_new_difference:
 * @panel: [n_rows, n_columns]
 * @baseline: a panel of the same size; the cells that it masks must be masked in @panel too
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Returns: (transfer full) (nullable): @panel - @baseline with the mask and the labels of @panel.
 *   It is signed: where one pixel stands for several cells, the one farthest from 0 is shown.
 *   Masked cells are 0, unless the panel is long.
 */
AttnPanel *
attn_panel_new_difference (AttnPanel  *panel,
                           AttnPanel  *baseline,
                           GError    **error)
{
  const AttnTensor *a = panel->values;
  const AttnTensor *b = baseline->values;
  AttnPanel *difference;

  g_return_val_if_fail (panel->n_rows == baseline->n_rows &&
                            panel->n_columns == baseline->n_columns,
                        NULL);

  if (a == NULL || b == NULL)
    difference = new_long_difference (panel, baseline);
  else
    {
      g_autoptr (AttnTensor) values = attn_tensor_new_unset (2, a->shape, error);

      if (values == NULL)
        return NULL;
      for (gsize row = 0; row < panel->n_rows; row++)
        subtract_row (panel, row, a->data, b->data, values->data);
      difference = attn_panel_new (values, panel->mask, (const char * const *) panel->row_labels,
                                   (const char * const *) panel->column_labels);
    }
  if (panel->spans != NULL)
    difference->spans = g_memdup2 (panel->spans, panel->n_rows * sizeof *panel->spans);
  attn_panel_copy_holes (difference, panel);
  difference->is_signed = TRUE;
  attn_panel_set_positions (difference, panel->row_positions, panel->column_positions);
  return difference;
}

/**
 * attn_panel_set_positions:
 * @panel: a panel that no other thread has yet
 * @rows: (nullable) (array): the position in the input of each row's token, if rows were left out;
 *   %NULL if none were
 * @columns: (nullable) (array): the same for each column, or %ATTN_PANEL_NO_POSITION
 */
void
attn_panel_set_positions (AttnPanel   *panel,
                          const gsize *rows,
                          const gsize *columns)
{
  g_clear_pointer (&panel->row_positions, g_free);
  g_clear_pointer (&panel->column_positions, g_free);
  if (rows != NULL)
    panel->row_positions = g_memdup2 (rows, panel->n_rows * sizeof *rows);
  if (columns != NULL)
    panel->column_positions = g_memdup2 (columns, panel->n_columns * sizeof *columns);
}

/**
 * attn_panel_has_positions:
 *
 * Returns: whether the position in the input of a row's or column's token can differ from the
 *   number of the row or column, because others were left out
 */
gboolean
attn_panel_has_positions (const AttnPanel *panel)
{
  return panel->row_positions != NULL || panel->column_positions != NULL;
}

/**
 * attn_panel_get_row_position:
 * @row: below the number of rows
 *
 * Returns: the position of the row's token in the input: @row, unless rows before it were left out
 */
gsize
attn_panel_get_row_position (const AttnPanel *panel,
                             gsize            row)
{
  return panel->row_positions != NULL ? panel->row_positions[row] : row;
}

/**
 * attn_panel_get_column_position:
 * @column: below the number of columns
 *
 * Returns: the position of the column's token in the input: @column, unless columns before it were
 *   left out; %ATTN_PANEL_NO_POSITION for one that is no token
 */
gsize
attn_panel_get_column_position (const AttnPanel *panel,
                                gsize            column)
{
  return panel->column_positions != NULL ? panel->column_positions[column] : column;
}

/**
 * attn_panel_ref:
 *
 * Returns: (transfer full): @panel. Any thread may call.
 */
AttnPanel *
attn_panel_ref (AttnPanel *panel)
{
  g_atomic_ref_count_inc (&panel->ref_count);
  return panel;
}

/**
 * attn_panel_tile_clear:
 *
 * Releases the values of @tile, if it has any. The structure itself is the caller's.
 */
void
attn_panel_tile_clear (AttnPanelTile *tile)
{
  g_clear_pointer (&tile->values, attn_tensor_unref);
}

/**
 * attn_panel_part_free:
 * @part: (transfer full)
 */
void
attn_panel_part_free (AttnPanelPart *part)
{
  attn_panel_unref (part->panel);
  g_free (part);
}

/**
 * attn_panel_unref:
 * @panel: (transfer full)
 *
 * Releases a reference, and frees the panel with the last one. Any thread may call.
 */
void
attn_panel_unref (AttnPanel *panel)
{
  if (!g_atomic_ref_count_dec (&panel->ref_count))
    return;
  for (guint i = 0; i < ATTN_PANEL_MAX_LEVELS; i++)
    g_clear_pointer (&panel->levels[i], attn_tensor_unref);
  for (guint i = 0; i < ATTN_PANEL_N_BANDS; i++)
    g_clear_pointer (&panel->bands[i], attn_tensor_unref);
  attn_panel_tile_clear (&panel->tile);
  g_clear_error (&panel->failure);
  g_clear_pointer (&panel->values, attn_tensor_unref);
  if (panel->source.free != NULL)
    panel->source.free (panel->source.data);
  g_free (panel->spans);
  g_free (panel->holes);
  g_free (panel->row_labels);
  g_free (panel->column_labels);
  g_free (panel->row_positions);
  g_free (panel->column_positions);
  g_mutex_clear (&panel->mutex);
  g_free (panel);
}

/**
 * attn_panel_get_values:
 *
 * Returns: (transfer none) (nullable): [n_rows, n_columns] float32, immutable; %NULL for a long
 *   panel, whose rows [func@attn_panel_read_rows] gives
 */
AttnTensor *
attn_panel_get_values (AttnPanel *panel)
{
  return panel->values;
}

/**
 * attn_panel_get_n_rows:
 *
 * Returns: the number of rows, one for each query token; at least 1
 */
gsize
attn_panel_get_n_rows (const AttnPanel *panel)
{
  return panel->n_rows;
}

/**
 * attn_panel_get_n_columns:
 *
 * Returns: the number of columns, one for each key token; at least 1
 */
gsize
attn_panel_get_n_columns (const AttnPanel *panel)
{
  return panel->n_columns;
}

/**
 * attn_panel_get_value:
 *
 * Returns: the value of a cell. For many cells of one row of a long panel,
 *   [func@attn_panel_reader_get_row] is quicker.
 */
float
attn_panel_get_value (const AttnPanel *panel,
                      gsize            row,
                      gsize            column)
{
  if (panel->values != NULL)
    return panel->values->data[row * panel->n_columns + column];

  g_auto (AttnPanelReader) reader = { .panel = (AttnPanel *) panel };
  return attn_panel_reader_get_row (&reader, row)[column];
}

/**
 * attn_panel_is_visible:
 * @row: below the number of rows
 * @column: any; one beyond the last is not visible
 *
 * Returns: whether the cell is not masked: the query token can attend to the key token
 */
gboolean
attn_panel_is_visible (const AttnPanel *panel,
                       gsize            row,
                       gsize            column)
{
  AttnSpan span = attn_panel_get_visible (panel, row);
  AttnSpan hole = panel->holes != NULL ? panel->holes[row] : (AttnSpan) { 0, 0 };

  return column >= span.first && column < span.end &&
         (column < hole.first || column >= hole.end);
}

/**
 * attn_panel_set_holes:
 * @holes: (array): for each row the columns that are masked although the row sees columns on both
 *   sides of them; their values are 0, and count as 0 where several cells are reduced to one;
 *   copied
 *
 * To be called before another thread has the panel.
 */
void
attn_panel_set_holes (AttnPanel      *panel,
                      const AttnSpan *holes)
{
  g_free (panel->holes);
  panel->holes = g_memdup2 (holes, panel->n_rows * sizeof *holes);
}

/**
 * attn_panel_copy_holes:
 * @from: a panel of as many rows and columns, with or without holes
 *
 * To be called before another thread has the panel.
 */
void
attn_panel_copy_holes (AttnPanel       *panel,
                       const AttnPanel *from)
{
  if (from->holes != NULL)
    attn_panel_set_holes (panel, from->holes);
}

/**
 * attn_panel_get_hole_at:
 * @level: how often width and height are halved
 * @rows: rows of the panel, in cells of @level; at least one
 *
 * Returns: the columns, in cells of @level, that lie in the holes of all of @rows, so that each
 *   cell is masked between visible ones; empty if there are no such columns
 */
AttnSpan
attn_panel_get_hole_at (const AttnPanel *panel,
                        guint            level,
                        AttnSpan         rows)
{
  gsize end_row = MIN (rows.end << level, panel->n_rows);
  AttnSpan hole = { 0, panel->holes != NULL ? panel->n_columns : 0 };

  for (gsize row = rows.first << level; row < end_row && hole.first < hole.end; row++)
    {
      hole.first = MAX (hole.first, panel->holes[row].first);
      hole.end = MIN (hole.end, panel->holes[row].end);
    }
  hole.first = hole.first > 0 ? attn_panel_shift (hole.first, level) : 0;
  hole.end >>= level;
  return hole.first < hole.end ? hole : (AttnSpan) { 0, 0 };
}

/**
 * attn_panel_get_visible:
 *
 * Returns: the columns that @row sees, from the first to the last; holes between them are not left
 *   out
 */
AttnSpan
attn_panel_get_visible (const AttnPanel *panel,
                        gsize            row)
{
  gsize n_columns = panel->n_columns;

  switch (panel->mask)
    {
    case ATTN_MASK_CAUSAL:
      return (AttnSpan) { 0, MIN (row + 1, n_columns) };
    case ATTN_MASK_SPANS:
      return panel->spans[row];
    case ATTN_MASK_NONE:
    default:
      return (AttnSpan) { 0, n_columns };
    }
}

/**
 * attn_panel_get_visible_at:
 * @level: how often width and height are halved
 * @row: a row of the panel, in cells of @level
 *
 * Returns: the columns, in cells of @level and from the first to the last, that any of the rows of
 *   the panel in @row sees; empty where all these rows are masked
 */
AttnSpan
attn_panel_get_visible_at (const AttnPanel *panel,
                           guint            level,
                           gsize            row)
{
  gsize end_row = MIN ((row + 1) << level, panel->n_rows);
  AttnSpan seen = { panel->n_columns, 0 };

  /* Without a mask, and with a causal one, the last row sees all columns that the rows above it
   * see. */
  for (gsize i = panel->mask == ATTN_MASK_SPANS ? row << level : end_row - 1; i < end_row; i++)
    {
      AttnSpan span = attn_panel_get_visible (panel, i);

      if (span.first == span.end)
        continue;
      seen.first = MIN (seen.first, span.first);
      seen.end = MAX (seen.end, span.end);
    }
  return seen.first < seen.end
             ? (AttnSpan) { seen.first >> level, attn_panel_shift (seen.end, level) }
             : (AttnSpan) { 0, 0 };
}

/**
 * attn_panel_is_any_visible:
 * @end_row: the row behind the last one, above @first_row
 * @end_column: the column behind the last one, above @first_column
 *
 * Returns: whether at least one cell of these rows and columns is not masked
 */
gboolean
attn_panel_is_any_visible (const AttnPanel *panel,
                           gsize            first_row,
                           gsize            end_row,
                           gsize            first_column,
                           gsize            end_column)
{
  AttnSpan hole = attn_panel_get_hole_at (panel, 0, (AttnSpan) { first_row, end_row });

  if (first_column >= hole.first && end_column <= hole.end)
    return FALSE;
  if (panel->mask == ATTN_MASK_NONE)
    return TRUE;
  if (panel->mask == ATTN_MASK_CAUSAL)
    return first_column < end_row;
  for (gsize row = first_row; row < end_row; row++)
    if (MAX (first_column, panel->spans[row].first) < MIN (end_column, panel->spans[row].end))
      return TRUE;
  return FALSE;
}

/**
 * attn_panel_has_masked:
 *
 * Returns: whether at least one cell of the panel is masked
 */
gboolean
attn_panel_has_masked (const AttnPanel *panel)
{
  return panel->mask == ATTN_MASK_SPANS || panel->holes != NULL ||
         (panel->mask == ATTN_MASK_CAUSAL && panel->n_columns > 1);
}

/**
 * attn_panel_is_signed:
 *
 * Returns: whether the values are differences, which can be negative: where one pixel stands for
 *   several cells, the one farthest from 0 is shown, not the largest
 */
gboolean
attn_panel_is_signed (const AttnPanel *panel)
{
  return panel->is_signed;
}

/**
 * attn_panel_get_rank:
 *
 * Returns: the rank of a cell within its row: 1 for the largest value that is not masked, 2 for the
 *   next; equal values share the better rank. 0 for a masked cell and for NaN.
 */
gsize
attn_panel_get_rank (const AttnPanel *panel,
                     gsize            row,
                     gsize            column)
{
  g_auto (AttnPanelReader) reader = { .panel = (AttnPanel *) panel };
  AttnSpan visible = attn_panel_get_visible (panel, row);
  const float *values = attn_panel_reader_get_row (&reader, row);
  float value = values[column];
  gsize rank = 1;

  if (!attn_panel_is_visible (panel, row, column) || isnan (value))
    return 0;
  for (gsize other = visible.first; other < visible.end; other++)
    rank += values[other] > value;
  return rank;
}

/**
 * attn_panel_get_mask:
 *
 * Returns: the mask, which says which cells are visible
 */
AttnMask
attn_panel_get_mask (const AttnPanel *panel)
{
  return panel->mask;
}

/**
 * attn_panel_get_row_labels:
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1): the labels of the rows, the text
 *   of the query tokens
 */
const char * const *
attn_panel_get_row_labels (AttnPanel *panel)
{
  return (const char * const *) panel->row_labels;
}

/**
 * attn_panel_get_column_labels:
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1): the labels of the columns, the
 *   text of the key tokens
 */
const char * const *
attn_panel_get_column_labels (AttnPanel *panel)
{
  return (const char * const *) panel->column_labels;
}
