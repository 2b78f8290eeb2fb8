/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads a panel row by row: from memory or, if the panel is long and its values are not kept, from
 * its source, which computes a band of 128 rows at a time. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-panel-private.h"

/* The most rows of a long panel that its source is asked for at once, a chunk: enough for several
 * threads to compute bands of them, and not more than 64 MiB. */
#define MAX_CHUNK_ROWS  (8 * ATTN_PANEL_BAND_ROWS)
#define MAX_CHUNK_BYTES ((gsize) 64 << 20)

/**
 * attn_panel_is_long:
 *
 * Returns: whether the values are too many to be kept in memory, and are read from a source of rows
 *   instead
 */
gboolean
attn_panel_is_long (const AttnPanel *panel)
{
  return panel->values == NULL;
}

/**
 * attn_panel_count_bytes:
 *
 * Returns: the bytes of memory that the values take, or of a long panel its overview, the finest
 *   level that is kept
 */
gsize
attn_panel_count_bytes (const AttnPanel *panel)
{
  gsize n_rows = ((panel->n_rows - 1) >> panel->finest_level) + 1;
  gsize n_columns = ((panel->n_columns - 1) >> panel->finest_level) + 1;

  return n_rows * n_columns * sizeof (float);
}

/* Returns the number of rows of a long panel that are read at once, a multiple of the rows of a
 * band. */
gsize
attn_panel_get_chunk_rows (const AttnPanel *panel)
{
  gsize n_bytes = panel->n_columns * ATTN_PANEL_BAND_ROWS * sizeof (float);

  return CLAMP (MAX_CHUNK_BYTES / n_bytes * ATTN_PANEL_BAND_ROWS, ATTN_PANEL_BAND_ROWS,
                MAX_CHUNK_ROWS);
}

/* Returns the band that begins at @first_row from the panel's cache and makes it the most recently
 * used one, or returns NULL if it is not cached. The panel's lock must be held. */
static AttnTensor *
find_band (AttnPanel *panel,
           gsize      first_row)
{
  for (guint i = 0; i < ATTN_PANEL_N_BANDS && panel->bands[i] != NULL; i++)
    if (panel->band_rows[i] == first_row)
      {
        AttnTensor *band = panel->bands[i];

        memmove (panel->bands + 1, panel->bands, i * sizeof *panel->bands);
        memmove (panel->band_rows + 1, panel->band_rows, i * sizeof *panel->band_rows);
        panel->bands[0] = band;
        panel->band_rows[0] = first_row;
        return attn_tensor_ref (band);
      }
  return NULL;
}

/* Adds a band of rows to the panel's cache and removes the least recently used one. The panel's
 * lock must be held. */
static void
keep_band (AttnPanel  *panel,
           gsize       first_row,
           AttnTensor *band)
{
  const guint last = ATTN_PANEL_N_BANDS - 1;

  /* Another thread may have added the band of rows while this thread was computing it. */
  g_autoptr (AttnTensor) known = find_band (panel, first_row);
  if (known != NULL)
    return;
  g_clear_pointer (&panel->bands[last], attn_tensor_unref);
  memmove (panel->bands + 1, panel->bands, last * sizeof *panel->bands);
  memmove (panel->band_rows + 1, panel->band_rows, last * sizeof *panel->band_rows);
  panel->bands[0] = attn_tensor_ref (band);
  panel->band_rows[0] = first_row;
}

/* Reads rows of a long panel from its source. If the source fails because a file has changed, the
 * panel remembers the error for attn_panel_check(). */
static gboolean
ask_source (AttnPanel  *panel,
            gsize       first_row,
            gsize       n_rows,
            float      *rows,
            GError    **error)
{
  g_autoptr (GError) failure = NULL;

  if (panel->source.read (panel->source.data, first_row, n_rows, rows, &failure))
    return TRUE;
  if (g_error_matches (failure, ATTN_ERROR, ATTN_ERROR_CHANGED))
    {
      g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&panel->mutex);

      g_clear_error (&panel->failure);
      panel->failure = g_error_copy (failure);
    }
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

/**
 * attn_panel_check:
 * @error: return location for %ATTN_ERROR_CHANGED
 *
 * Drawing a long panel, or reading it cell by cell, reports no error: if its source fails, the
 * picture stays coarse and the cells are NaN. This call then tells why.
 *
 * Returns: %FALSE if the source of a long panel has failed because a file that it reads has changed
 */
gboolean
attn_panel_check (AttnPanel  *panel,
                  GError    **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&panel->mutex);

  if (panel->failure != NULL && error != NULL)
    *error = g_error_copy (panel->failure);
  return panel->failure == NULL;
}

/* Returns the band of rows that contains @row, from the panel's cache or from its source. @is_kept:
 * whether to add it to the cache */
static AttnTensor *
get_band (AttnPanel *panel,
          gsize      row,
          gboolean   is_kept)
{
  gsize first_row = row / ATTN_PANEL_BAND_ROWS * ATTN_PANEL_BAND_ROWS;
  const gsize shape[] = { MIN (ATTN_PANEL_BAND_ROWS, panel->n_rows - first_row),
                          panel->n_columns };

  g_mutex_lock (&panel->mutex);
  AttnTensor *known = find_band (panel, first_row);
  g_mutex_unlock (&panel->mutex);
  if (known != NULL)
    return known;

  g_autoptr (AttnTensor) band = attn_tensor_new_unset (2, shape, NULL);
  if (band == NULL ||
      !ask_source (panel, first_row, shape[0], band->data, NULL))
    return NULL;
  if (is_kept)
    {
      g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&panel->mutex);

      keep_band (panel, first_row, band);
    }
  return g_steal_pointer (&band);
}

/* Returns the numbers of the bands, of 128 rows each, that contain @rows. */
static AttnSpan
get_band_span (AttnSpan rows)
{
  return (AttnSpan) { rows.first / ATTN_PANEL_BAND_ROWS,
                      (rows.end - 1) / ATTN_PANEL_BAND_ROWS + 1 };
}

/**
 * attn_panel_has_rows:
 * @rows: rows of the panel, at least one
 *
 * Returns: whether the rows of a long panel are all in its cache, so that they can be read without
 *   asking its source, which can take as long as a frame; always %TRUE for any other panel
 */
gboolean
attn_panel_has_rows (AttnPanel *panel,
                     AttnSpan   rows)
{
  AttnSpan bands = get_band_span (rows);
  gsize n_found = 0;

  if (panel->values != NULL)
    return TRUE;

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&panel->mutex);
  for (guint i = 0; i < ATTN_PANEL_N_BANDS && panel->bands[i] != NULL; i++)
    {
      gsize band = panel->band_rows[i] / ATTN_PANEL_BAND_ROWS;

      n_found += band >= bands.first && band < bands.end;
    }
  return n_found == bands.end - bands.first;
}

/**
 * attn_panel_can_keep_rows:
 * @rows: rows of the panel, at least one
 *
 * Returns: whether the cache of a long panel is large enough for all these rows at a time; always
 *   %TRUE for any other panel
 */
gboolean
attn_panel_can_keep_rows (const AttnPanel *panel,
                          AttnSpan         rows)
{
  AttnSpan bands = get_band_span (rows);

  return panel->values != NULL || bands.end - bands.first <= ATTN_PANEL_N_BANDS;
}

/**
 * attn_panel_load_rows:
 * @rows: rows of the panel, at least one
 *
 * Reads these rows of a long panel from its source into its cache, where they stay until others are
 * read one by one. If they are more than the cache can hold, only the first are read.
 */
void
attn_panel_load_rows (AttnPanel *panel,
                      AttnSpan   rows)
{
  AttnSpan bands = get_band_span (rows);

  if (panel->values != NULL)
    return;
  /* Loads the first band last, so that it stays in the cache longest. */
  for (gsize band = MIN (bands.end, bands.first + ATTN_PANEL_N_BANDS); band > bands.first; band--)
    {
      g_autoptr (AttnTensor) loaded = get_band (panel, (band - 1) * ATTN_PANEL_BAND_ROWS, TRUE);

      if (loaded == NULL)
        return;
    }
}

/**
 * attn_panel_reader_get_row:
 *
 * Returns: (transfer none): the n_columns values of @row, valid until the next call; all NaN if the
 *   source fails or memory is short
 */
const float *
attn_panel_reader_get_row (AttnPanelReader *reader,
                           gsize            row)
{
  AttnPanel *panel = reader->panel;
  gsize n_columns = panel->n_columns;

  if (panel->values != NULL)
    return panel->values->data + row * n_columns;
  if (reader->band == NULL || row < reader->first_row ||
      row >= reader->first_row + reader->band->shape[0])
    {
      g_clear_pointer (&reader->band, attn_tensor_unref);
      reader->band = get_band (panel, row, !reader->passes);
      reader->first_row = row / ATTN_PANEL_BAND_ROWS * ATTN_PANEL_BAND_ROWS;
    }
  if (reader->band != NULL)
    return reader->band->data + (row - reader->first_row) * n_columns;
  if (reader->nothing == NULL)
    {
      reader->nothing = g_new (float, n_columns);
      for (gsize i = 0; i < n_columns; i++)
        reader->nothing[i] = NAN;
    }
  return reader->nothing;
}

/**
 * attn_panel_reader_clear:
 *
 * Frees the memory that the last row was read into. The reader can be used again.
 */
void
attn_panel_reader_clear (AttnPanelReader *reader)
{
  g_clear_pointer (&reader->band, attn_tensor_unref);
  g_clear_pointer (&reader->nothing, g_free);
}

/**
 * attn_panel_read_rows:
 * @first_row: any row; a multiple of %ATTN_PANEL_BAND_ROWS is quicker for a long panel
 * @rows: (out caller-allocates): [n_rows, n_columns]
 * @error: return location for the failure of the source of a long panel
 */
gboolean
attn_panel_read_rows (AttnPanel  *panel,
                      gsize       first_row,
                      gsize       n_rows,
                      float      *rows,
                      GError    **error)
{
  g_auto (AttnPanelReader) reader = { .panel = panel };
  gsize n_columns = panel->n_columns;
  gsize end = first_row + n_rows;

  g_return_val_if_fail (end <= panel->n_rows, FALSE);

  for (gsize row = first_row, n; row < end; row += n)
    {
      float *out = rows + (row - first_row) * n_columns;

      n = end == panel->n_rows ? end - row
                               : (end - row) / ATTN_PANEL_BAND_ROWS * ATTN_PANEL_BAND_ROWS;
      if (panel->values == NULL && row % ATTN_PANEL_BAND_ROWS == 0 && n > 0)
        {
          if (!ask_source (panel, row, n, out, error))
            return FALSE;
          continue;
        }
      n = 1;
      memcpy (out, attn_panel_reader_get_row (&reader, row), n_columns * sizeof (float));
    }
  return attn_panel_check (panel, error);
}

/* Calls @func for @rows only, many at a time, like attn_panel_for_each_row() for all. They must
 * begin at a multiple of the rows of a band, and end at one or at the last row. */
gboolean
attn_panel_for_rows (AttnPanel     *panel,
                     AttnSpan       rows,
                     AttnRowsFunc   func,
                     gpointer       user_data,
                     GError       **error)
{
  gsize n_chunk = MIN (attn_panel_get_chunk_rows (panel), rows.end - rows.first);
  const gsize shape[] = { n_chunk, panel->n_columns };
  g_autoptr (AttnTensor) chunk = NULL;

  if (panel->values == NULL && (chunk = attn_tensor_new_unset (2, shape, error)) == NULL)
    return FALSE;
  for (gsize row = rows.first; row < rows.end; row += n_chunk)
    {
      gsize n = MIN (n_chunk, rows.end - row);
      const float *values =
          chunk != NULL ? chunk->data : panel->values->data + row * panel->n_columns;

      if ((chunk != NULL && !ask_source (panel, row, n, chunk->data, error)) ||
          !func (row, n, values, user_data))
        return FALSE;
    }
  return TRUE;
}

/**
 * attn_panel_for_each_row:
 * @func: is given all rows, many at a time
 * @error: return location for the failure of the source of a long panel; not set where @func ends
 *   the reading
 *
 * Returns: whether all rows were read
 */
gboolean
attn_panel_for_each_row (AttnPanel     *panel,
                         AttnRowsFunc   func,
                         gpointer       user_data,
                         GError       **error)
{
  return attn_panel_for_rows (panel, (AttnSpan) { 0, panel->n_rows }, func, user_data, error);
}
