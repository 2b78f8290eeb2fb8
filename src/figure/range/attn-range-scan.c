/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Finds the smallest and the largest value within the visible part of a panel. */

#include "config.h"

#include "attn-range.h"

#include "attn-visible.h"

/* Part of a panel, given by a span of rows and one of columns. */
typedef struct
{
  AttnSpan rows;
  AttnSpan columns;
} Part;

/* Returns the columns of a row that are in @part and not masked, in reduced cells of @level, as
 * @part is. */
static AttnSpan
get_span (AttnPanel  *panel,
          const Part *part,
          guint       level,
          gsize       row)
{
  AttnSpan span = attn_panel_get_visible_at (panel, level, row);

  span.first = MAX (span.first, part->columns.first);
  span.end = MAX (MIN (span.end, part->columns.end), span.first);
  return span;
}

/* Scans a part of a long panel, which keeps only some of its cells in memory, as far as it can be
 * drawn. If the cells themselves are not in memory, the largest value is that of the reduced cells
 * in @part, and the smallest that of all values read for the tile: a reduced cell only has the
 * largest of its values. */
static void
scan_long_part (AttnPanel  *panel,
                const Part *part,
                AttnExtent *extent)
{
  g_auto (AttnPanelTile) tile = { 0 };
  AttnExtent own = ATTN_EXTENT_EMPTY;

  attn_panel_get_tile (panel, 0, part->rows, part->columns, &tile);
  if (tile.values == NULL)
    return;

  gsize width = tile.values->shape[1];
  gsize end_row = ((part->rows.end - 1) >> tile.level) + 1;
  const Part shown = { .columns = { part->columns.first >> tile.level,
                                    ((part->columns.end - 1) >> tile.level) + 1 } };

  for (gsize row = part->rows.first >> tile.level; row < end_row; row++)
    {
      AttnSpan span = get_span (panel, &shown, tile.level, row);

      attn_extent_add (&own,
                       tile.values->data + (row - tile.first_row) * width + span.first -
                           tile.first_column,
                       span.end - span.first);
    }
  if (tile.level > 0)
    {
      double highest = own.highest;

      own = tile.extent;
      if (!attn_panel_is_signed (panel) && highest >= own.lowest)
        own.highest = MIN (own.highest, highest);
    }
  own.has_masked = attn_panel_has_masked (panel);
  attn_extent_merge (extent, &own);
}

/**
 * attn_range_scan_view:
 * @viewport: the part of @panel that is shown
 * @extent: (inout): the smallest and largest value of other panels, to begin with
 *   %ATTN_EXTENT_EMPTY
 *
 * Adds the values that are shown and not masked. Of a long panel it takes what is in memory to be
 * drawn, if need be reduced, and reads nothing.
 */
void
attn_range_scan_view (AttnPanel          *panel,
                      const AttnViewport *viewport,
                      AttnExtent         *extent)
{
  const AttnTensor *values = attn_panel_get_values (panel);
  const Part part = {
    attn_visible_get_span (viewport->y, viewport->height, attn_panel_get_n_rows (panel)),
    attn_visible_get_span (viewport->x, viewport->width, attn_panel_get_n_columns (panel)),
  };

  if (attn_viewport_is_fit (viewport))
    {
      AttnExtent own;

      attn_panel_get_extent (panel, &own);
      attn_extent_merge (extent, &own);
      return;
    }
  if (values == NULL)
    {
      scan_long_part (panel, &part, extent);
      return;
    }
  for (gsize row = part.rows.first; row < part.rows.end; row++)
    {
      AttnSpan span = get_span (panel, &part, 0, row);

      attn_extent_add (extent, values->data + row * values->shape[1] + span.first,
                       span.end - span.first);
    }
  extent->has_masked |= attn_panel_has_masked (panel);
}
