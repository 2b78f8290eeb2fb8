/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Position of the keyboard cursor: one cell of one panel. A plain value, with functions that move
 * it. */

#pragma once

#include "attn-grid.h"

G_BEGIN_DECLS

/**
 * AttnCellCursor:
 * @group: index of the panel, row-major in the grid, or -1 for nowhere
 * @row: query index
 * @column: key index
 */
typedef struct
{
  int group;
  gsize row;
  gsize column;
} AttnCellCursor;

#define ATTN_CELL_CURSOR_NONE ((AttnCellCursor) { -1, 0, 0 })

/* Returns an index moved by @offset, which may be huge; the result is at least 0 and below @n,
 * which is at least 1. */
static inline gsize
attn_cell_cursor_add (gsize  index,
                      gssize offset,
                      gsize  n)
{
  gsize back = offset < 0 ? (gsize) - (offset + 1) + 1 : 0;

  if (offset < 0)
    return index > back ? MIN (index - back, n - 1) : 0;
  return (gsize) offset < n - MIN (index, n) ? index + (gsize) offset : n - 1;
}

/* Returns the panel with the index @group in @grid, or NULL if there is none. */
static inline AttnPanel *
attn_cell_cursor_get_panel (const AttnGrid *grid,
                            int             group)
{
  if (grid == NULL || group < 0 || (gsize) group >= grid->n_rows * grid->n_columns)
    return NULL;
  return grid->cells[group].panel;
}

/* Returns the cell of @grid that holds the panel with the index @group, or NULL if there is no such
 * panel. */
static inline const AttnGridCell *
attn_cell_cursor_get_cell (const AttnGrid *grid,
                           int             group)
{
  return attn_cell_cursor_get_panel (grid, group) != NULL ? &grid->cells[group] : NULL;
}

/* Returns the cursor moved within its panel. A cursor without a position stays without one. */
static inline AttnCellCursor
attn_cell_cursor_move (AttnCellCursor  cursor,
                       const AttnGrid *grid,
                       gssize          rows,
                       gssize          columns)
{
  AttnPanel *panel = attn_cell_cursor_get_panel (grid, cursor.group);

  if (panel == NULL)
    return ATTN_CELL_CURSOR_NONE;
  cursor.row = attn_cell_cursor_add (cursor.row, rows, attn_panel_get_n_rows (panel));
  cursor.column = attn_cell_cursor_add (cursor.column, columns, attn_panel_get_n_columns (panel));
  return cursor;
}

/* Returns the cursor moved by @step panels, then on by @step while there is no panel at that place
 * of the grid. If none is found, the cursor is unchanged. A cursor without a position moves to the
 * first or last panel. */
static inline AttnCellCursor
attn_cell_cursor_move_panel (AttnCellCursor  cursor,
                             const AttnGrid *grid,
                             int             step)
{
  int n = grid != NULL ? (int) (grid->n_rows * grid->n_columns) : 0;
  int start = cursor.group < 0 && step < 0 ? n : cursor.group;

  if (cursor.group < 0)
    step = step < 0 ? -1 : 1;
  for (int group = start + step; group >= 0 && group < n; group += step)
    if (grid->cells[group].panel != NULL)
      {
        cursor.group = group;
        return attn_cell_cursor_move (cursor, grid, 0, 0);
      }
  return cursor;
}

static inline gboolean
attn_cell_cursor_equal (const AttnCellCursor *a,
                        const AttnCellCursor *b)
{
  return a->group == b->group &&
         (a->group < 0 || (a->row == b->row && a->column == b->column));
}

G_END_DECLS
