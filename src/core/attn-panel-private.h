/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Members of a panel, a matrix with labels, that are private to src/core. */

#pragma once

#include "attn-panel.h"

G_BEGIN_DECLS

/* The number of levels, each half as wide and high as the one before. More than 2^20 rows or
 * columns, which would need more, exceed any memory. */
#define ATTN_PANEL_MAX_LEVELS 20

/* The number of bands (128 rows each) of a long panel that are cached for reading single cells. */
#define ATTN_PANEL_N_BANDS 4

/**
 * AttnPanel:
 *
 * A matrix with labels. Immutable except for what is computed from its values and cached, which a
 * lock guards; reference-counted. Any thread may use it.
 */
struct _AttnPanel
{
  gatomicrefcount ref_count;
  gsize n_rows;
  gsize n_columns;
  AttnTensor *values;   /* (nullable): values [n_rows, n_columns]; NULL for a long panel, whose
                         * values are not kept */
  AttnRowSource source; /* of a long panel */
  guint finest_level;   /* the finest level that a long panel keeps, above 0 */
  AttnMask mask;
  AttnSpan *spans; /* (nullable): visible columns of each row, for ATTN_MASK_SPANS */
  AttnSpan *holes; /* (nullable): columns that are masked within the visible span of each row */
  gboolean is_signed;
  char **row_labels; /* (nullable): labels of the rows; each array of labels is one block of
                      * memory */
  char **column_labels;
  gsize *row_positions; /* (nullable): positions of the rows in the input, if rows were left out */
  gsize *column_positions;

  GMutex mutex;                              /* guards the members below */
  GError *failure;                           /* (nullable): error that is set if the source of the
                                              * rows has changed */
  AttnTensor *levels[ATTN_PANEL_MAX_LEVELS]; /* reduced levels of the panel; level 0, its @values,
                                              * is not kept here */
  gboolean has_extent;
  AttnExtent extent;
  AttnTensor *bands[ATTN_PANEL_N_BANDS]; /* (nullable): cached bands of rows, the one used last
                                          * first */
  gsize band_rows[ATTN_PANEL_N_BANDS];   /* the first row of each */
  AttnPanelTile tile;                    /* values are NULL if there is none */
};

/* Returns the number of rows, or columns, at a level for @n at level 0: @n / 2^@level, rounded
 * up. */
static inline gsize
attn_panel_shift (gsize n,
                  guint level)
{
  return ((n - 1) >> level) + 1;
}

/* attn-panel-halve.c */
void attn_panel_halve     (const AttnPanel *panel,
                           guint            level,
                           gsize            first_row,
                           gsize            first_column,
                           const float     *fine,
                           gsize            n_rows,
                           gsize            n_columns,
                           gsize            stride,
                           gboolean         has_nan,
                           float           *coarse);
void attn_panel_scan_rows (const AttnPanel *panel,
                           gsize            first_row,
                           gsize            n_rows,
                           AttnSpan         columns,
                           const float     *rows,
                           AttnExtent      *extent);

/* attn-panel-rows.c */
gsize    attn_panel_get_chunk_rows (const AttnPanel  *panel);
gboolean attn_panel_for_rows       (AttnPanel        *panel,
                                    AttnSpan          rows,
                                    AttnRowsFunc      func,
                                    gpointer          user_data,
                                    GError          **error);

G_END_DECLS
