/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Cache of a panel: its levels, copies of the matrix each half as wide and high as the one before;
 * its extent, such as the smallest and largest value; and for a long panel, whose values are not
 * kept, one tile: a rectangle of cells at a finer level. */

#include "config.h"

#include <string.h>

#include "attn-panel-private.h"

/* The most cells of a tile that a long panel keeps. A screen shows fewer; for a larger picture in a
 * file, a tile at a coarser level is read. */
#define MAX_TILE_CELLS ((gsize) 1 << 26)

/* Computes the next coarser level of a panel, of half the width and height. @fine: the whole @panel
 * at @level. The panel's lock must be held. */
static AttnTensor *
halve_tensor (const AttnPanel  *panel,
              guint             level,
              const AttnTensor *fine)
{
  gsize shape[2] = { (fine->shape[0] + 1) / 2, (fine->shape[1] + 1) / 2 };
  AttnTensor *coarse = attn_tensor_new_unset (2, shape, NULL);

  if (coarse != NULL)
    attn_panel_halve (panel, level, 0, 0, fine->data, fine->shape[0], fine->shape[1],
                      fine->shape[1], !panel->has_extent || panel->extent.has_nan, coarse->data);
  return coarse;
}

/* State of reading rows of a panel and halving them in both directions @level times into @out. */
typedef struct
{
  const AttnPanel *panel;
  guint level;
  gsize first_row;        /* first row of the panel that is read: a multiple of the rows of a
                           * band */
  AttnSpan columns;       /* columns of the panel that are read, the first a multiple of 2^level */
  AttnTensor *scratch[2]; /* (nullable) */
  float *out;
  gsize n_out;
} Reduction;

static gboolean
reduction_init (Reduction  *reduction,
                GError    **error)
{
  gsize n_columns = reduction->columns.end - reduction->columns.first;
  const gsize shape[] = { attn_panel_shift (attn_panel_get_chunk_rows (reduction->panel), 1),
                          attn_panel_shift (n_columns, 1) };

  reduction->n_out = attn_panel_shift (n_columns, reduction->level);
  for (guint i = 0; i < 2 && i + 1 < reduction->level; i++)
    {
      reduction->scratch[i] = attn_tensor_new_unset (2, shape, error);
      if (reduction->scratch[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

static void
reduction_clear (Reduction *reduction)
{
  for (guint i = 0; i < 2; i++)
    g_clear_pointer (&reduction->scratch[i], attn_tensor_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Reduction, reduction_clear)

/* Halves @n_rows rows of the panel into their place in the output. @first_row: a multiple of the
 * rows of a band. @has_nan: whether a cell that is not masked may be NaN */
static void
reduce_chunk (Reduction   *reduction,
              gsize        first_row,
              gsize        n_rows,
              const float *rows,
              gboolean     has_nan)
{
  gsize stride = reduction->panel->n_columns;
  gsize n_columns = reduction->columns.end - reduction->columns.first;
  const float *from = rows + reduction->columns.first;
  float *out = reduction->out +
               ((first_row - reduction->first_row) >> reduction->level) * reduction->n_out;

  if (reduction->level == 0)
    for (gsize row = 0; row < n_rows; row++)
      memcpy (out + row * n_columns, from + row * stride, n_columns * sizeof (float));
  for (guint level = 0; level < reduction->level; level++)
    {
      float *to = level + 1 == reduction->level ? out : reduction->scratch[level % 2]->data;

      attn_panel_halve (reduction->panel, level, first_row >> level,
                        reduction->columns.first >> level, from, n_rows, n_columns, stride, has_nan,
                        to);
      from = to;
      n_rows = attn_panel_shift (n_rows, 1);
      stride = n_columns = attn_panel_shift (n_columns, 1);
    }
}

typedef struct
{
  Reduction *reduction;
  AttnExtent extent;
  AttnRowsFunc func;
  gpointer user_data;
} Load;

static gboolean
load_rows (gsize        first_row,
           gsize        n_rows,
           const float *rows,
           gpointer     user_data)
{
  Load *load = user_data;

  attn_panel_scan_rows (load->reduction->panel, first_row, n_rows, load->reduction->columns, rows,
                        &load->extent);
  reduce_chunk (load->reduction, first_row, n_rows, rows, load->extent.has_nan);
  return load->func == NULL || load->func (first_row, n_rows, rows, load->user_data);
}

/**
 * attn_panel_load:
 * @func: (nullable): is given all rows, many at a time, so that the caller sees them in the same
 *   pass; it can end the pass
 * @error: return location for the failure of the source of rows; not set where @func ends the pass
 *
 * Computes what is drawn of a panel: for a long panel its overview, the finest level that is kept,
 * and for any other all levels; and the extent. Without this call they are computed when one of
 * them is first asked for, in the thread that asks.
 *
 * Returns: whether all rows were read
 */
gboolean
attn_panel_load (AttnPanel     *panel,
                 AttnRowsFunc   func,
                 gpointer       user_data,
                 GError       **error)
{
  guint level = panel->finest_level;
  const gsize shape[] = { attn_panel_shift (panel->n_rows, level),
                          attn_panel_shift (panel->n_columns, level) };
  g_auto (Reduction) reduction = { panel, level, 0, { 0, panel->n_columns } };
  Load load = { &reduction, ATTN_EXTENT_EMPTY, func, user_data };

  if (panel->values != NULL)
    {
      if (func != NULL && !attn_panel_for_each_row (panel, func, user_data, error))
        return FALSE;
      attn_panel_get_level (panel, ATTN_PANEL_MAX_LEVELS);
      attn_panel_get_extent (panel, &load.extent);
      return TRUE;
    }

  g_autoptr (AttnTensor) overview = attn_tensor_new_unset (2, shape, error);
  if (overview == NULL || !reduction_init (&reduction, error))
    return FALSE;
  reduction.out = overview->data;
  if (!attn_panel_for_each_row (panel, load_rows, &load, error))
    return FALSE;

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&panel->mutex);
  if (panel->levels[level - 1] == NULL)
    panel->levels[level - 1] = g_steal_pointer (&overview);
  panel->extent = load.extent;
  panel->extent.has_masked = attn_panel_has_masked (panel);
  panel->has_extent = TRUE;
  return TRUE;
}

/**
 * attn_panel_has_overview:
 *
 * Returns: whether the overview of a long panel, the finest level that is kept, has been computed;
 *   always %TRUE for any other panel
 */
gboolean
attn_panel_has_overview (AttnPanel *panel)
{
  guint level = panel->finest_level;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&panel->mutex);

  return level == 0 || panel->levels[level - 1] != NULL;
}

static void
need_overview (AttnPanel *panel)
{
  if (!attn_panel_has_overview (panel))
    attn_panel_load (panel, NULL, NULL, NULL);
}

/**
 * attn_panel_get_level:
 * @level: how often to halve width and height; 0 is the matrix itself
 *
 * The matrix reduced so that each cell is the largest of 2^@level x 2^@level cells, or of a signed
 * panel the one farthest from 0. Masked cells do not count; a cell of masked ones only is 0. Levels
 * are computed on first use, which costs a pass over the matrix: call [func@attn_panel_load] in the
 * worker thread before. All levels together take a third of the matrix's memory.
 *
 * Returns: (transfer none) (nullable): the cells at @level; if there is no such level, at the
 *   coarsest of all, or at the finest that a long panel keeps. %NULL for a long panel that cannot
 *   be read.
 */
AttnTensor *
attn_panel_get_level (AttnPanel *panel,
                      guint      level)
{
  guint finest = panel->finest_level;

  need_overview (panel);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&panel->mutex);
  AttnTensor *current = finest > 0 ? panel->levels[finest - 1] : panel->values;
  for (guint i = finest; current != NULL && i < MIN (level, ATTN_PANEL_MAX_LEVELS); i++)
    {
      if (current->shape[0] == 1 && current->shape[1] == 1)
        break;
      if (panel->levels[i] == NULL)
        panel->levels[i] = halve_tensor (panel, i, current);
      if (panel->levels[i] == NULL)
        break;
      current = panel->levels[i];
    }
  return current;
}

/**
 * attn_panel_get_extent:
 * @extent: (out): the smallest and largest value and the like of the cells that are not masked
 *
 * It is computed on first use, which costs a pass over the matrix.
 */
void
attn_panel_get_extent (AttnPanel  *panel,
                       AttnExtent *extent)
{
  need_overview (panel);

  g_mutex_lock (&panel->mutex);
  gboolean has_extent = panel->has_extent;
  *extent = panel->extent;
  g_mutex_unlock (&panel->mutex);
  if (has_extent)
    return;

  /* The lock is not held while values are scanned, so that another thread can compute the levels at
   * the same time. */
  *extent = ATTN_EXTENT_EMPTY;
  extent->has_masked = attn_panel_has_masked (panel);
  if (panel->values == NULL) /* a long panel that cannot be read */
    return;
  attn_panel_scan_rows (panel, 0, panel->n_rows, (AttnSpan) { 0, panel->n_columns },
                        panel->values->data, extent);
  g_mutex_lock (&panel->mutex);
  panel->extent = *extent;
  panel->has_extent = TRUE;
  g_mutex_unlock (&panel->mutex);
}

/* Tells whether a tile has all cells of a range of rows and columns, which are counted in cells of
 * the matrix. */
static gboolean
covers (const AttnPanelTile *tile,
        AttnSpan             rows,
        AttnSpan             columns)
{
  return tile->values != NULL && rows.first >> tile->level >= tile->first_row &&
         columns.first >> tile->level >= tile->first_column &&
         attn_panel_shift (rows.end, tile->level) <= tile->first_row + tile->values->shape[0] &&
         attn_panel_shift (columns.end, tile->level) <= tile->first_column + tile->values->shape[1];
}

/**
 * attn_panel_get_tile:
 * @level: how often to halve width and height
 * @rows: rows of the panel, at least one
 * @columns: columns of the panel, at least one
 * @tile: (out caller-allocates): cells that contain these rows and columns, at @level, or else at
 *   the nearest level that has been computed. Its values are %NULL if the panel cannot be read.
 *
 * Returns: whether @tile is as fine as @level; if not, [func@attn_panel_load_tile] computes one
 */
gboolean
attn_panel_get_tile (AttnPanel     *panel,
                     guint          level,
                     AttnSpan       rows,
                     AttnSpan       columns,
                     AttnPanelTile *tile)
{
  guint finest = panel->finest_level;

  if (level < finest)
    {
      g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&panel->mutex);

      if (covers (&panel->tile, rows, columns))
        {
          *tile = panel->tile;
          attn_tensor_ref (tile->values);
          return tile->level <= level;
        }
    }

  AttnTensor *values = attn_panel_get_level (panel, level);
  *tile = (AttnPanelTile) { .level = 0 };
  if (values == NULL)
    return TRUE;
  tile->values = attn_tensor_ref (values);
  if (finest > 0)
    attn_panel_get_extent (panel, &tile->extent);
  while (attn_panel_shift (panel->n_rows, tile->level) > values->shape[0] ||
         attn_panel_shift (panel->n_columns, tile->level) > values->shape[1])
    tile->level++;
  return level >= finest;
}

/**
 * attn_panel_load_tile:
 * @level: how often to halve width and height, at least
 * @rows: rows of the panel, at least one
 * @columns: columns of the panel, at least one
 * @func: (nullable): is given the rows that are read, so that it can end the reading
 * @tile: (out caller-allocates) (optional): gets the cells; if it is given, the panel does not keep
 *   them
 * @error: return location for the failure of the source of rows; not set where @func ends the pass
 *
 * Reads these rows of a long panel from its source once more, and keeps these cells until the next
 * tile is loaded. A tile with far more cells than a screen has is halved more often than @level. A
 * panel that has all cells at @level already is not changed.
 *
 * Returns: whether the cells have been read
 */
gboolean
attn_panel_load_tile (AttnPanel      *panel,
                      guint           level,
                      AttnSpan        rows,
                      AttnSpan        columns,
                      AttnRowsFunc    func,
                      gpointer        user_data,
                      AttnPanelTile  *tile,
                      GError        **error)
{
  guint finest = panel->finest_level;

  while (attn_panel_shift (rows.end - rows.first, level) >
         MAX_TILE_CELLS / attn_panel_shift (columns.end - columns.first, level))
    level++;
  if (level >= finest)
    {
      if (tile != NULL)
        attn_panel_get_tile (panel, level, rows, columns, tile);
      return TRUE;
    }

  /* The rows are extended to whole bands of 128, since a source computes bands, and 128 is a
   * multiple of 2^level. */
  gsize first_row = rows.first / ATTN_PANEL_BAND_ROWS * ATTN_PANEL_BAND_ROWS;
  gsize end_row = MIN (((rows.end - 1) / ATTN_PANEL_BAND_ROWS + 1) * ATTN_PANEL_BAND_ROWS,
                       panel->n_rows);
  AttnSpan span = { columns.first >> level << level,
                    MIN (attn_panel_shift (columns.end, level) << level, panel->n_columns) };
  g_auto (Reduction) reduction = { panel, level, first_row, span };
  Load load = { &reduction, ATTN_EXTENT_EMPTY, func, user_data };
  const gsize shape[] = { attn_panel_shift (end_row - first_row, level),
                          attn_panel_shift (span.end - span.first, level) };
  g_autoptr (AttnTensor) values = attn_tensor_new_unset (2, shape, error);

  if (values == NULL || !reduction_init (&reduction, error))
    return FALSE;
  load.extent.has_masked = attn_panel_has_masked (panel);
  reduction.out = values->data;
  if (!attn_panel_for_rows (panel, (AttnSpan) { first_row, end_row }, load_rows, &load, error))
    return FALSE;

  const AttnPanelTile made = { level, first_row >> level, span.first >> level,
                               g_steal_pointer (&values), load.extent };
  if (tile != NULL)
    {
      *tile = made;
      return TRUE;
    }

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&panel->mutex);
  attn_panel_tile_clear (&panel->tile);
  panel->tile = made;
  return TRUE;
}
