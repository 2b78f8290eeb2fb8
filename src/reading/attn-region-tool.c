/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-region-tool.h"

#include "attn-region-drag.h"

static const AttnRegion *
get_region (const AttnGrid *grid,
            int             group,
            gsize           index)
{
  if (attn_cell_cursor_get_panel (grid, group) == NULL || index >= grid->cells[group].n_regions)
    return NULL;
  return &grid->cells[group].regions[index];
}

/**
 * attn_region_tool_set_grid:
 * @grid: (nullable): the panels of another figure
 *
 * A region that is being drawn stays over the new figure. One whose drawing has ended is no longer
 * shown: the figure has it now, or no figure will.
 */
void
attn_region_tool_set_grid (AttnRegionTool *tool,
                           const AttnGrid *grid)
{
  if (attn_cell_cursor_get_panel (grid, tool->group) == NULL)
    tool->has_corner = FALSE;
  if (tool->is_pending || (!tool->is_held && !tool->has_corner))
    tool->has_band = FALSE;
  tool->has_picked =
      tool->has_picked && get_region (grid, tool->picked.group, tool->picked.region) != NULL;
}

/**
 * attn_region_tool_grab:
 *
 * The button was pressed: the pointer takes hold of a region, which is picked, of a handle of the
 * region, or of the cell where a new region begins.
 *
 * Returns: whether the pointer holds anything
 */
gboolean
attn_region_tool_grab (AttnRegionTool   *tool,
                       const AttnPlaces *places,
                       double            x,
                       double            y)
{
  AttnRegionHit hit;
  AttnRectangle panel;

  tool->group = attn_places_find_panel (places, x, y, &panel);
  tool->has_band = tool->is_pending = tool->has_corner = FALSE;
  tool->has_picked = attn_places_hit_region (places, x, y, &hit);
  tool->is_new = !tool->has_picked;
  if (tool->has_picked)
    {
      tool->picked = hit;
      tool->group = hit.group;
      tool->sides = hit.sides;
      tool->origin = *get_region (places->grid, hit.group, hit.region);
      tool->origin.name = NULL;
    }
  tool->is_held = attn_places_find_nearest (places, tool->group, x, y, &tool->from);
  return tool->is_held;
}

/**
 * attn_region_tool_drag:
 * @x: where the pointer is now, in widget pixels
 */
void
attn_region_tool_drag (AttnRegionTool   *tool,
                       const AttnPlaces *places,
                       double            x,
                       double            y)
{
  AttnPanel *panel = attn_cell_cursor_get_panel (places->grid, tool->group);
  AttnCellCursor to;

  if (panel == NULL || !attn_places_find_nearest (places, tool->group, x, y, &to))
    return;
  tool->has_band = TRUE;
  if (tool->is_new)
    tool->band = attn_region_between (tool->from.row, tool->from.column, to.row, to.column);
  else
    tool->band = attn_region_drag (&tool->origin, tool->sides, tool->from.row,
                                   tool->from.column, to.row, to.column,
                                   attn_panel_get_n_rows (panel), attn_panel_get_n_columns (panel));
}

/**
 * attn_region_tool_cancel:
 *
 * Gives up the region that is being drawn.
 *
 * Returns: whether a region was being drawn
 */
gboolean
attn_region_tool_cancel (AttnRegionTool *tool)
{
  gboolean was_drawing = tool->is_held || tool->has_corner;

  if (was_drawing)
    tool->is_held = tool->has_corner = tool->has_band = FALSE;
  return was_drawing;
}

/**
 * attn_region_tool_release:
 * @edit: (out): how the study is to be changed
 *
 * The button was released. A region that was drawn stays in view until the figure has it.
 *
 * Returns: whether the study is to be changed
 */
gboolean
attn_region_tool_release (AttnRegionTool *tool,
                          const AttnGrid *grid,
                          AttnRegionEdit *edit)
{
  gboolean has_band = tool->has_band;

  attn_region_tool_cancel (tool);
  if (!has_band || attn_cell_cursor_get_panel (grid, tool->group) == NULL ||
      (!tool->is_new && attn_region_is_same_place (&tool->band, &tool->origin)))
    return FALSE;
  tool->has_band = tool->is_pending = TRUE;
  *edit = (AttnRegionEdit) { ATTN_REGION_EDIT_ADD, tool->group, 0, tool->band };
  if (tool->is_new)
    {
      tool->has_picked = TRUE;
      tool->picked = (AttnRegionHit) { tool->group, grid->cells[tool->group].n_regions };
      return TRUE;
    }
  edit->kind = ATTN_REGION_EDIT_CHANGE;
  edit->index = tool->picked.region;
  edit->region.is_pin = tool->origin.is_pin;
  return TRUE;
}

/**
 * attn_region_tool_corner:
 * @cursor: where the keyboard sets a corner: the first corner of a region, or the opposite one
 * @edit: (out): how the study is to be changed
 *
 * Returns: whether the study is to be changed, as the region is complete
 */
gboolean
attn_region_tool_corner (AttnRegionTool *tool,
                         const AttnGrid *grid,
                         AttnCellCursor  cursor,
                         AttnRegionEdit *edit)
{
  if (cursor.group < 0)
    return FALSE;
  if (tool->has_corner && tool->group == cursor.group)
    return attn_region_tool_release (tool, grid, edit);
  tool->has_corner = tool->is_new = TRUE;
  tool->is_pending = FALSE;
  tool->group = cursor.group;
  tool->from = cursor;
  attn_region_tool_stretch (tool, cursor);
  return FALSE;
}

/**
 * attn_region_tool_stretch:
 * @cursor: the cell up to which the region reaches that the keyboard draws
 */
void
attn_region_tool_stretch (AttnRegionTool *tool,
                          AttnCellCursor  cursor)
{
  if (!tool->has_corner || tool->group != cursor.group)
    return;
  tool->has_band = TRUE;
  tool->band =
      attn_region_between (tool->from.row, tool->from.column, cursor.row, cursor.column);
}

/**
 * attn_region_tool_drop:
 *
 * Gives up a region that was drawn and is in no figure yet, as no figure with it will come.
 *
 * Returns: whether there was such a region
 */
gboolean
attn_region_tool_drop (AttnRegionTool *tool)
{
  gboolean was_pending = tool->is_pending;

  if (was_pending)
    tool->has_band = tool->is_pending = FALSE;
  return was_pending;
}

/**
 * attn_region_tool_leave:
 *
 * Another tool is used from now on: a region that is half drawn is given up.
 */
void
attn_region_tool_leave (AttnRegionTool *tool,
                        gboolean        keeps_picked)
{
  tool->has_corner = FALSE;
  tool->has_band = tool->has_band && tool->is_pending;
  tool->has_picked = tool->has_picked && keeps_picked;
}

/**
 * attn_region_tool_pick:
 * @group: index of a panel
 * @index: index of one of its regions
 *
 * Makes that region the one that is resized or removed.
 */
void
attn_region_tool_pick (AttnRegionTool *tool,
                       const AttnGrid *grid,
                       int             group,
                       gsize           index)
{
  tool->has_picked = get_region (grid, group, index) != NULL;
  tool->picked = (AttnRegionHit) { group, index };
}

/* Finds the last region of a panel that contains a cell, among its pins or among its other
 * regions. */
static gboolean
find_region_of_cell (const AttnGrid *grid,
                     AttnCellCursor  cell,
                     gboolean        is_pin,
                     gsize          *index)
{
  const AttnRegion *region;
  gboolean has_found = FALSE;

  for (gsize i = 0; (region = get_region (grid, cell.group, i)) != NULL; i++)
    if (region->is_pin == is_pin && region->first_row <= cell.row &&
        cell.row <= region->last_row && region->first_column <= cell.column &&
        cell.column <= region->last_column)
      {
        *index = i;
        has_found = TRUE;
      }
  return has_found;
}

/**
 * attn_region_tool_remove:
 * @edit: (out): says to remove the region that is picked, or else the pin or region that holds the
 *   cursor
 *
 * Returns: whether there is such a pin or region
 */
gboolean
attn_region_tool_remove (const AttnRegionTool *tool,
                         const AttnGrid       *grid,
                         AttnCellCursor        cursor,
                         AttnRegionEdit       *edit)
{
  *edit = (AttnRegionEdit) { ATTN_REGION_EDIT_REMOVE, tool->picked.group, tool->picked.region };
  if (tool->has_picked && get_region (grid, edit->group, edit->index) != NULL)
    return TRUE;
  edit->group = cursor.group;
  return find_region_of_cell (grid, cursor, TRUE, &edit->index) ||
         find_region_of_cell (grid, cursor, FALSE, &edit->index);
}

/**
 * attn_region_tool_toggle_pin:
 * @edit: (out): says to pin a cell, or to remove its pin
 */
void
attn_region_tool_toggle_pin (const AttnGrid *grid,
                             AttnCellCursor  cell,
                             AttnRegionEdit *edit)
{
  *edit = (AttnRegionEdit) { ATTN_REGION_EDIT_REMOVE, cell.group };
  if (find_region_of_cell (grid, cell, TRUE, &edit->index))
    return;
  edit->kind = ATTN_REGION_EDIT_ADD;
  edit->index = 0;
  edit->region = attn_region_between (cell.row, cell.column, cell.row, cell.column);
  edit->region.is_pin = TRUE;
}
