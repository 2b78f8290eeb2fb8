/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads parts of long panels, which have more cells than are kept in memory, in a thread, so that
 * drawing does not wait for them. */

#pragma once

#include "attn-panel.h"

G_BEGIN_DECLS

/**
 * AttnPartKind:
 * @ATTN_PART_ROWS: whole rows, cell by cell, see [func@attn_panel_load_rows]
 * @ATTN_PART_TILES: rectangles, at full resolution or reduced to some level, see
 *   [func@attn_panel_load_tile]
 *
 * Parts that are read of a panel. Rows are read before tiles.
 */
typedef enum
{
  ATTN_PART_ROWS,
  ATTN_PART_TILES,
  ATTN_PART_N_KINDS
} AttnPartKind;

/**
 * AttnPartsReadFunc:
 * @kind: the kind of parts that were read
 *
 * Called in the main context in which the loader was made when panels have more rows or tiles in
 * memory than before.
 */
typedef void (*AttnPartsReadFunc) (AttnPartKind kind,
                                   gpointer     user_data);

typedef struct _AttnPartLoader AttnPartLoader;

AttnPartLoader *attn_part_loader_new          (AttnPartsReadFunc  func,
                                               gpointer           user_data);
void            attn_part_loader_free         (AttnPartLoader    *loader);
void            attn_part_loader_request      (AttnPartLoader    *loader,
                                               AttnPartKind       kind,
                                               GPtrArray         *parts);
void            attn_part_loader_forget       (AttnPartLoader    *loader);
void            attn_part_loader_wait_for_all (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnPartLoader, attn_part_loader_free)

G_END_DECLS
