/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computes the region that results while a region or one of its handles is dragged. */

#pragma once

#include "attn-scene.h"

G_BEGIN_DECLS

/* Returns the region between two opposite corner cells, which may be in any order. */
static inline AttnRegion
attn_region_between (gsize row,
                     gsize column,
                     gsize other_row,
                     gsize other_column)
{
  return (AttnRegion) {
    .first_row = MIN (row, other_row),
    .last_row = MAX (row, other_row),
    .first_column = MIN (column, other_column),
    .last_column = MAX (column, other_column),
  };
}

static inline gboolean
attn_region_is_same_place (const AttnRegion *a,
                           const AttnRegion *b)
{
  return a->first_row == b->first_row && a->last_row == b->last_row &&
         a->first_column == b->first_column && a->last_column == b->last_column;
}

static inline void
attn_region_shift (gsize  *first,
                   gsize  *last,
                   gsize   from,
                   gsize   to,
                   gsize   n)
{
  gsize extent = *last - *first;
  gsize moved = *first + to > from ? *first + to - from : 0;

  *first = MIN (moved, n - 1 - MIN (extent, n - 1));
  *last = *first + extent;
}

/* Returns @region after a drag from the cell (@row, @column) to (@to_row, @to_column). Only the
 * sides in @sides are moved or, if @sides is 0, the whole region. The result stays within @n_rows x
 * @n_columns cells. A side that passes the opposite one takes its role. */
static inline AttnRegion
attn_region_drag (const AttnRegion *region,
                  AttnSides         sides,
                  gsize             row,
                  gsize             column,
                  gsize             to_row,
                  gsize             to_column,
                  gsize             n_rows,
                  gsize             n_columns)
{
  AttnRegion moved = *region;
  gboolean has_top = (sides & ATTN_SIDE_TOP) != 0;
  gboolean has_left = (sides & ATTN_SIDE_LEFT) != 0;

  moved.last_row = MIN (moved.last_row, n_rows - 1);
  moved.last_column = MIN (moved.last_column, n_columns - 1);
  moved.first_row = MIN (moved.first_row, moved.last_row);
  moved.first_column = MIN (moved.first_column, moved.last_column);
  if (sides == 0)
    {
      attn_region_shift (&moved.first_row, &moved.last_row, row, to_row, n_rows);
      attn_region_shift (&moved.first_column, &moved.last_column, column, to_column, n_columns);
      return moved;
    }
  if (has_top || (sides & ATTN_SIDE_BOTTOM) != 0)
    {
      gsize fixed = has_top ? moved.last_row : moved.first_row;

      moved.first_row = MIN (fixed, to_row);
      moved.last_row = MAX (fixed, to_row);
    }
  if (has_left || (sides & ATTN_SIDE_RIGHT) != 0)
    {
      gsize fixed = has_left ? moved.last_column : moved.first_column;

      moved.first_column = MIN (fixed, to_column);
      moved.last_column = MAX (fixed, to_column);
    }
  return moved;
}

G_END_DECLS
