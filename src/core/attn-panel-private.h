/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Members of a panel that are private to src/core. */

#pragma once

#include "attn-panel.h"

G_BEGIN_DECLS

/* The number of levels. 2^20 cells along the longer side exceed any memory. */
#define ATTN_PANEL_MAX_LEVELS 20

/* The number of bands of a long panel that are cached for reading single cells. */
#define ATTN_PANEL_N_BANDS 4

/**
 * AttnPanel:
 *
 * Immutable but for what is remembered of the values, under a lock; reference-counted. Any thread
 * may use it.
 */
struct _AttnPanel
{
  gatomicrefcount ref_count;
  gsize n_rows;
  gsize n_columns;
  AttnTensor *values;   /* (nullable): [n_rows, n_columns]; NULL for a long panel */
  AttnRowSource source; /* of a long panel */
  guint finest_level;   /* above 0 for a long panel: the finest level kept */
  AttnMask mask;
  AttnSpan *spans; /* (nullable): visible columns of each row, for ATTN_MASK_SPANS */
  AttnSpan *holes; /* (nullable): masked columns within those */
  gboolean is_signed;
  char **row_labels; /* (nullable): one block each */
  char **column_labels;
  gsize *row_positions; /* (nullable): positions before rows were left out */
  gsize *column_positions;

  GMutex mutex;                              /* of what follows */
  GError *failure;                           /* (nullable): set if the source has changed */
  AttnTensor *levels[ATTN_PANEL_MAX_LEVELS]; /* level 0 is values and not kept here */
  gboolean has_extent;
  AttnExtent extent;
  AttnTensor *bands[ATTN_PANEL_N_BANDS]; /* (nullable): used last comes first */
  gsize band_rows[ATTN_PANEL_N_BANDS];   /* the first row of each */
  AttnPanelTile tile;                    /* values are NULL if there is none */
};

/* Returns the number of cells at a level, for @n cells at level 0. */
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
