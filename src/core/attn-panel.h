/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A panel: one matrix of attention, with a row for each query token and a column for each key
 * token, and their labels. A panel with too many cells to keep is long: a source computes its rows
 * when they are needed. For drawing, cells are halved: each 2 x 2 block becomes one cell of the
 * next level. */

#pragma once

#include "attn-extent.h"
#include "attn-tensor.h"

G_BEGIN_DECLS

/**
 * AttnMask:
 * @ATTN_MASK_NONE: every key is visible to every query
 * @ATTN_MASK_CAUSAL: row i sees columns 0 to i
 * @ATTN_MASK_SPANS: each row sees a span of columns of its own, such as a sliding window, or the
 *   rest of a causal mask after rows or columns were taken out
 *
 * The cells of a panel that are visible: they take part in statistics and drawing. A masked cell
 * holds exactly 0 and is not counted.
 */
typedef enum
{
  ATTN_MASK_NONE,
  ATTN_MASK_CAUSAL,
  ATTN_MASK_SPANS,
} AttnMask;

/**
 * AttnSpan:
 * @first: the first column (or row)
 * @end: the number behind the last one; equal to @first if the span is empty
 */
typedef struct
{
  gsize first;
  gsize end;
} AttnSpan;

/* The position of a column that belongs to no token. It holds the part of the attention that a head
 * gives to no key. */
#define ATTN_PANEL_NO_POSITION G_MAXSIZE

typedef struct _AttnPanel AttnPanel;
typedef struct _AttnPanelScan AttnPanelScan;

/* The number of rows of a long panel that are computed together, a band. */
#define ATTN_PANEL_BAND_ROWS ((gsize) 128)

/* The number of rows that are scanned together, a stripe. With a thousand columns they take a
 * quarter of a core's cache. */
#define ATTN_PANEL_STRIPE_ROWS ((gsize) 64)

/**
 * AttnReadRowsFunc:
 * @first_row: a multiple of %ATTN_PANEL_BAND_ROWS
 * @n_rows: a multiple of %ATTN_PANEL_BAND_ROWS too, or the rows up to the last
 * @rows: (out caller-allocates): [n_rows, n_columns]
 *
 * Computes rows of the matrix of a long panel. The same rows must come out with the same bits each
 * time. Any thread may call, several at a time.
 */
typedef gboolean (*AttnReadRowsFunc) (gpointer   data,
                                      gsize      first_row,
                                      gsize      n_rows,
                                      float     *rows,
                                      GError   **error);

/**
 * AttnRowSource:
 * @read: computes rows
 * @data: given to @read
 * @free: (nullable): frees @data
 *
 * The source of a long panel's values, which are not kept in memory.
 */
typedef struct
{
  AttnReadRowsFunc read;
  gpointer data;
  GDestroyNotify free;
} AttnRowSource;

/**
 * AttnRowsFunc:
 * @rows: [n_rows, n_columns]
 *
 * A callback that is given the rows of a panel from the first to the last, some at a time.
 *
 * Returns: %TRUE to be given the next rows, %FALSE to end the reading
 */
typedef gboolean (*AttnRowsFunc) (gsize        first_row,
                                  gsize        n_rows,
                                  const float *rows,
                                  gpointer     user_data);

/**
 * AttnPanelTile:
 * @level: how often width and height are halved
 * @first_row: where the rectangle begins in the panel, in cells of @level
 * @first_column: the same for its columns
 * @values: [n_rows, n_columns], owned
 * @extent: for a long panel, the smallest and largest value and the like of the cells that the tile
 *   was made from, without masked ones
 *
 * A rectangle of cells of a panel, halved some number of times.
 */
typedef struct
{
  guint level;
  gsize first_row;
  gsize first_column;
  AttnTensor *values;
  AttnExtent extent;
} AttnPanelTile;

/**
 * AttnPanelPart:
 * @panel: a long panel, owned
 * @level: how often width and height are to be halved
 * @rows: rows of the panel, at least one
 * @columns: columns of the panel, at least one
 *
 * A request for a tile: the rectangle of a panel that is to be read, and how fine.
 */
typedef struct
{
  AttnPanel *panel;
  guint level;
  AttnSpan rows;
  AttnSpan columns;
} AttnPanelPart;

/**
 * AttnPanelReader:
 * @panel: to be set by the caller; the rest is 0 to begin with
 * @passes: whether all rows are read in turn; the cache of a long panel is then left as it is,
 *   since each row is needed only once
 *
 * Reads a panel row by row. Used by one thread.
 */
typedef struct
{
  AttnPanel *panel;
  gboolean passes;

  /*< private >*/
  AttnTensor *band;
  gsize first_row;
  float *nothing;
} AttnPanelReader;

gsize              attn_panel_get_max_cells    (void);
void               attn_panel_set_max_cells    (gsize               n_cells);
gboolean           attn_panel_is_too_long      (gsize               n_rows,
                                                gsize               n_columns);

AttnPanel         *attn_panel_new             (AttnTensor         *values,
                                               AttnMask            mask,
                                               const char * const *row_labels,
                                               const char * const *column_labels);
AttnPanel         *attn_panel_new_with_visibility (AttnTensor     *values,
                                               const AttnSpan     *spans,
                                               const char * const *row_labels,
                                               const char * const *column_labels);
AttnPanel         *attn_panel_new_long         (gsize               n_rows,
                                               gsize               n_columns,
                                               const AttnRowSource *source,
                                               AttnMask            mask,
                                               const AttnSpan     *spans,
                                               const char * const *row_labels,
                                               const char * const *column_labels);
AttnPanel         *attn_panel_new_difference  (AttnPanel          *panel,
                                               AttnPanel          *baseline,
                                               GError            **error);
void               attn_panel_set_positions   (AttnPanel          *panel,
                                               const gsize        *rows,
                                               const gsize        *columns);
AttnPanel         *attn_panel_ref             (AttnPanel          *panel);
void               attn_panel_unref           (AttnPanel          *panel);

AttnTensor        *attn_panel_get_values      (AttnPanel          *panel);
gsize              attn_panel_get_n_rows      (const AttnPanel    *panel);
gsize              attn_panel_get_n_columns   (const AttnPanel    *panel);
float              attn_panel_get_value       (const AttnPanel    *panel,
                                               gsize               row,
                                               gsize               column);
gboolean           attn_panel_is_visible      (const AttnPanel    *panel,
                                               gsize               row,
                                               gsize               column);
AttnSpan           attn_panel_get_visible     (const AttnPanel    *panel,
                                               gsize               row);
void               attn_panel_set_holes       (AttnPanel          *panel,
                                               const AttnSpan     *holes);
void               attn_panel_copy_holes      (AttnPanel          *panel,
                                               const AttnPanel    *from);
AttnSpan           attn_panel_get_hole_at     (const AttnPanel    *panel,
                                               guint               level,
                                               AttnSpan            rows);
AttnSpan           attn_panel_get_visible_at  (const AttnPanel    *panel,
                                               guint               level,
                                               gsize               row);
gboolean           attn_panel_is_any_visible  (const AttnPanel    *panel,
                                               gsize               first_row,
                                               gsize               end_row,
                                               gsize               first_column,
                                               gsize               end_column);
gboolean           attn_panel_has_masked      (const AttnPanel    *panel);
gboolean           attn_panel_is_signed       (const AttnPanel    *panel);
gsize              attn_panel_get_rank        (const AttnPanel    *panel,
                                               gsize               row,
                                               gsize               column);
AttnMask           attn_panel_get_mask        (const AttnPanel    *panel);
gboolean           attn_panel_has_positions   (const AttnPanel    *panel);
gsize              attn_panel_get_row_position (const AttnPanel   *panel,
                                               gsize               row);
gsize              attn_panel_get_column_position (const AttnPanel *panel,
                                               gsize               column);
const char * const *attn_panel_get_row_labels (AttnPanel          *panel);
const char * const *attn_panel_get_column_labels (AttnPanel       *panel);
gboolean           attn_panel_is_long         (const AttnPanel    *panel);
gsize              attn_panel_count_bytes     (const AttnPanel    *panel);
gboolean           attn_panel_read_rows       (AttnPanel          *panel,
                                               gsize               first_row,
                                               gsize               n_rows,
                                               float              *rows,
                                               GError            **error);
gboolean           attn_panel_check           (AttnPanel          *panel,
                                               GError            **error);
gboolean           attn_panel_has_rows        (AttnPanel          *panel,
                                               AttnSpan            rows);
gboolean           attn_panel_can_keep_rows   (const AttnPanel    *panel,
                                               AttnSpan            rows);
void               attn_panel_load_rows       (AttnPanel          *panel,
                                               AttnSpan            rows);
const float       *attn_panel_reader_get_row  (AttnPanelReader    *reader,
                                               gsize               row);
void               attn_panel_reader_clear    (AttnPanelReader    *reader);
gboolean           attn_panel_for_each_row    (AttnPanel          *panel,
                                               AttnRowsFunc        func,
                                               gpointer            user_data,
                                               GError            **error);

AttnTensor        *attn_panel_get_level       (AttnPanel          *panel,
                                               guint               level);
gboolean           attn_panel_has_overview    (AttnPanel          *panel);
gboolean           attn_panel_load            (AttnPanel          *panel,
                                               AttnRowsFunc        func,
                                               gpointer            user_data,
                                               GError            **error);
void               attn_panel_get_extent      (AttnPanel          *panel,
                                               AttnExtent         *extent);
gboolean           attn_panel_get_tile        (AttnPanel          *panel,
                                               guint               level,
                                               AttnSpan            rows,
                                               AttnSpan            columns,
                                               AttnPanelTile      *tile);
gboolean           attn_panel_load_tile       (AttnPanel          *panel,
                                               guint               level,
                                               AttnSpan            rows,
                                               AttnSpan            columns,
                                               AttnRowsFunc        func,
                                               gpointer            user_data,
                                               AttnPanelTile      *tile,
                                               GError            **error);
void               attn_panel_tile_clear      (AttnPanelTile      *tile);
void               attn_panel_part_free       (AttnPanelPart      *part);

AttnPanelScan     *attn_panel_scan_new        (AttnPanel          *panel);
gsize              attn_panel_scan_count_stripes (const AttnPanelScan *scan);
void               attn_panel_scan_stripe     (AttnPanelScan      *scan,
                                               gsize               stripe);
void               attn_panel_scan_finish     (AttnPanelScan      *scan);
void               attn_panel_scan_free       (AttnPanelScan      *scan);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnPanel, attn_panel_unref)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AttnPanelReader, attn_panel_reader_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AttnPanelTile, attn_panel_tile_clear)

/* Returns the value that is farther from 0. If both are equally far, returns the positive one; if
 * one is NaN, the other. */
static inline float
attn_panel_pick_farther (float a,
                         float b)
{
  float a_size = a < 0 ? -a : a;
  float b_size = b < 0 ? -b : b;

  return a != a || b_size > a_size || (b_size == a_size && b > a) ? b : a;
}

G_END_DECLS
