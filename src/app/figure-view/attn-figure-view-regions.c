/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-figure-view-private.h"

#include <math.h>

#include "attn-region-drag.h"

/* Pixels around a region's sides that still count as them. */
#define HANDLE_REACH 6.0

static void
emit_edit (AttnFigureView     *self,
           AttnRegionEditKind  kind,
           int                 group,
           gsize               index,
           const AttnRegion   *region)
{
  AttnRegionEdit edit = { kind, group, index, { 0 } };

  if (region != NULL)
    edit.region = *region;
  edit.region.name = NULL;
  g_signal_emit (self, attn_figure_view_signals[ATTN_FIGURE_VIEW_REGION_EDITED], 0, &edit);
}

static void
emit_picked (AttnFigureView *self)
{
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, attn_figure_view_signals[ATTN_FIGURE_VIEW_CURSOR_CHANGED], 0);
}

/* The region at a point in widget pixels. */
gboolean
attn_figure_view_hit_region (AttnFigureView *self,
                             double          x,
                             double          y,
                             AttnRegionHit  *hit)
{
  AttnScene *scene = attn_figure_view_get_scene (self);

  if (scene == NULL ||
      !attn_scene_hit_region (scene, x / ATTN_FIGURE_VIEW_SCALE, y / ATTN_FIGURE_VIEW_SCALE,
                              HANDLE_REACH / ATTN_FIGURE_VIEW_SCALE, hit))
    return FALSE;
  hit->group = attn_figure_view_from_scene (self, hit->group);
  return TRUE;
}

static gsize
get_index (double position,
           gsize  n)
{
  return (gsize) CLAMP (floor (position * n), 0, n - 1);
}

/* The shown cell of a panel that is nearest to a point in widget pixels. */
gboolean
attn_figure_view_find_cell (AttnFigureView *self,
                            int             group,
                            double          x,
                            double          y,
                            gsize          *row,
                            gsize          *column)
{
  AttnPanel *panel = attn_cell_cursor_get_panel (self->grid, group);
  AttnViewport viewport = attn_views_get (&self->views, group);
  AttnRectangle rectangle;

  if (panel == NULL || !attn_figure_view_get_panel_rectangle (self, group, &rectangle))
    return FALSE;

  double x_fraction = CLAMP ((x - rectangle.x) / rectangle.width, 0, 1 - 1e-9);
  double y_fraction = CLAMP ((y - rectangle.y) / rectangle.height, 0, 1 - 1e-9);
  *column = get_index (viewport.x + x_fraction * viewport.width, attn_panel_get_n_columns (panel));
  *row = get_index (viewport.y + y_fraction * viewport.height, attn_panel_get_n_rows (panel));
  return TRUE;
}

static const AttnRegion *
get_picked_region (AttnFigureView *self)
{
  if (!self->has_picked || attn_cell_cursor_get_panel (self->grid, self->picked.group) == NULL ||
      self->picked.region >= self->grid->cells[self->picked.group].n_regions)
    return NULL;
  return &self->grid->cells[self->picked.group].regions[self->picked.region];
}

/* The hand takes hold of a region, of a handle of it, or of the cell where a new one begins. */
void
attn_figure_view_begin_region (AttnFigureView *self,
                               double          x,
                               double          y)
{
  AttnRegionHit hit;
  AttnRectangle panel;
  int group;

  self->has_band = self->is_band_pending = self->has_corner = FALSE;
  if (attn_figure_view_hit_region (self, x, y, &hit))
    {
      self->has_picked = TRUE;
      self->picked = hit;
      self->band_group = hit.group;
      self->band_handle = hit.handle;
      self->band_origin = *get_picked_region (self);
      self->is_band_new = FALSE;
    }
  else if (attn_figure_view_find_panel (self, x, y, &group, &panel))
    {
      self->has_picked = FALSE;
      self->band_group = group;
      self->is_band_new = TRUE;
    }
  else
    {
      self->drag = ATTN_FIGURE_DRAG_NOTHING;
      self->has_picked = FALSE;
      emit_picked (self);
      return;
    }
  self->drag = ATTN_FIGURE_DRAG_REGION;
  attn_figure_view_find_cell (self, self->band_group, x, y, &self->band_row, &self->band_column);
  emit_picked (self);
}

void
attn_figure_view_update_region (AttnFigureView *self,
                                double          x,
                                double          y)
{
  AttnPanel *panel = attn_cell_cursor_get_panel (self->grid, self->band_group);
  gsize row, column;

  if (panel == NULL ||
      !attn_figure_view_find_cell (self, self->band_group, x, y, &row, &column))
    return;
  self->has_band = TRUE;
  if (self->is_band_new)
    self->band = attn_region_between (self->band_row, self->band_column, row, column);
  else
    self->band = attn_region_drag (&self->band_origin, self->band_handle, self->band_row,
                                   self->band_column, row, column, attn_panel_get_n_rows (panel),
                                   attn_panel_get_n_columns (panel));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static gboolean
is_same_place (const AttnRegion *a,
               const AttnRegion *b)
{
  return a->first_row == b->first_row && a->last_row == b->last_row &&
         a->first_column == b->first_column && a->last_column == b->last_column;
}

/* The hand lets go. What was drawn stays in view until the figure has it. */
void
attn_figure_view_end_region (AttnFigureView *self,
                             gboolean        is_kept)
{
  gboolean has_band = self->has_band;
  AttnRegion band = self->band;

  self->drag = ATTN_FIGURE_DRAG_NOTHING;
  self->has_band = self->has_corner = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (!is_kept || !has_band || attn_cell_cursor_get_panel (self->grid, self->band_group) == NULL)
    return;
  if (!self->is_band_new && is_same_place (&band, &self->band_origin))
    return;
  self->has_band = self->is_band_pending = TRUE;
  if (self->is_band_new)
    {
      self->has_picked = TRUE;
      self->picked = (AttnRegionHit) { self->band_group,
                                       self->grid->cells[self->band_group].n_regions,
                                       ATTN_HANDLE_INSIDE };
      emit_edit (self, ATTN_REGION_EDIT_ADD, self->band_group, 0, &band);
    }
  else
    {
      band.is_pin = self->band_origin.is_pin;
      emit_edit (self, ATTN_REGION_EDIT_CHANGE, self->band_group, self->picked.region, &band);
    }
}

/* By keys: sets the first corner of a region at the cursor, and then the other. */
void
attn_figure_view_corner (AttnFigureView *self)
{
  if (self->cursor.group < 0)
    return;
  if (self->has_corner && self->band_group == self->cursor.group)
    {
      attn_figure_view_end_region (self, TRUE);
      return;
    }
  self->has_corner = self->is_band_new = TRUE;
  self->is_band_pending = FALSE;
  self->band_group = self->cursor.group;
  self->band_row = self->cursor.row;
  self->band_column = self->cursor.column;
  attn_figure_view_stretch (self);
}

/* The region that the keyboard draws follows the cursor. */
void
attn_figure_view_stretch (AttnFigureView *self)
{
  if (!self->has_corner || self->band_group != self->cursor.group)
    return;
  self->has_band = TRUE;
  self->band = attn_region_between (self->band_row, self->band_column, self->cursor.row,
                                    self->cursor.column);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * attn_figure_view_drop_pending:
 *
 * What was drawn and is in no figure goes: there will be none that has it.
 */
void
attn_figure_view_drop_pending (AttnFigureView *view)
{
  if (!view->is_band_pending)
    return;
  view->has_band = view->is_band_pending = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (view));
}

AttnFigureTool
attn_figure_view_get_tool (AttnFigureView *view)
{
  return view->tool;
}

/**
 * attn_figure_view_set_tool:
 * @tool: what dragging does from now on
 */
void
attn_figure_view_set_tool (AttnFigureView *view,
                           AttnFigureTool  tool)
{
  if (tool == view->tool)
    return;
  view->tool = tool;
  view->has_corner = FALSE;
  view->has_band = view->has_band && view->is_band_pending;
  if (tool != ATTN_FIGURE_TOOL_REGION)
    view->has_picked = FALSE;
  gtk_widget_set_cursor_from_name (GTK_WIDGET (view),
                                   tool == ATTN_FIGURE_TOOL_MOVE ? NULL : "crosshair");
  emit_picked (view);
  g_signal_emit (view, attn_figure_view_signals[ATTN_FIGURE_VIEW_TOOL_CHANGED], 0);
}

/**
 * attn_figure_view_get_picked:
 * @group: (out) (optional): index of its panel
 * @index: (out) (optional): index among the regions of the panel
 *
 * Returns: whether a region is picked, to be moved, resized or removed
 */
gboolean
attn_figure_view_get_picked (AttnFigureView *view,
                             int            *group,
                             gsize          *index)
{
  if (!view->has_picked)
    return FALSE;
  if (group != NULL)
    *group = view->picked.group;
  if (index != NULL)
    *index = view->picked.region;
  return TRUE;
}

/**
 * attn_figure_view_pick:
 * @group: index of a panel
 * @index: of one of its regions
 *
 * Makes it the one that is resized or removed.
 */
void
attn_figure_view_pick (AttnFigureView *view,
                       int             group,
                       gsize           index)
{
  view->has_picked = TRUE;
  view->picked = (AttnRegionHit) { group, index, ATTN_HANDLE_INSIDE };
  view->has_picked = get_picked_region (view) != NULL;
  emit_picked (view);
}

/* The last of the regions of a panel that hold a cell; pins come first. */
static gboolean
find_region_of_cell (AttnFigureView *self,
                     AttnCellCursor  cell,
                     gboolean        is_pin,
                     gsize          *index)
{
  if (attn_cell_cursor_get_panel (self->grid, cell.group) == NULL)
    return FALSE;

  const AttnGridCell *place = &self->grid->cells[cell.group];
  for (gsize i = place->n_regions; i > 0; i--)
    {
      const AttnRegion *region = &place->regions[i - 1];

      if (region->is_pin == is_pin && region->first_row <= cell.row &&
          cell.row <= region->last_row && region->first_column <= cell.column &&
          cell.column <= region->last_column)
        {
          *index = i - 1;
          return TRUE;
        }
    }
  return FALSE;
}

/* What is picked, or else the pin or region that holds the cursor. */
static gboolean
find_removable (AttnFigureView *self,
                int            *group,
                gsize          *index)
{
  if (get_picked_region (self) != NULL)
    return attn_figure_view_get_picked (self, group, index);
  *group = self->cursor.group;
  return find_region_of_cell (self, self->cursor, TRUE, index) ||
         find_region_of_cell (self, self->cursor, FALSE, index);
}

/**
 * attn_figure_view_can_remove:
 *
 * Returns: whether there is something for attn_figure_view_remove_picked() to remove
 */
gboolean
attn_figure_view_can_remove (AttnFigureView *view)
{
  int group;
  gsize index;

  return find_removable (view, &group, &index);
}

/**
 * attn_figure_view_remove_picked:
 *
 * Asks for the picked region to be removed, or the pin or region that holds the cursor.
 */
void
attn_figure_view_remove_picked (AttnFigureView *view)
{
  int group;
  gsize index;

  if (!find_removable (view, &group, &index))
    return;
  view->has_picked = FALSE;
  emit_edit (view, ATTN_REGION_EDIT_REMOVE, group, index, NULL);
}

/**
 * attn_figure_view_toggle_pin:
 *
 * Asks for the cell that is read to be pinned, or for its pin to be removed.
 */
void
attn_figure_view_toggle_pin (AttnFigureView *view)
{
  const AttnHit *read = attn_figure_view_get_hit (view);
  gsize index;

  if (read == NULL)
    return;

  AttnCellCursor cell = { read->group, read->row, read->column };
  AttnRegion pin = attn_region_between (cell.row, cell.column, cell.row, cell.column);
  pin.is_pin = TRUE;
  if (find_region_of_cell (view, cell, TRUE, &index))
    emit_edit (view, ATTN_REGION_EDIT_REMOVE, cell.group, index, NULL);
  else
    emit_edit (view, ATTN_REGION_EDIT_ADD, cell.group, 0, &pin);
}

/* Leaves what was entered last: a region that is being drawn, the tool, the maximised panel, what
 * was chosen. FALSE if there is nothing to leave. */
gboolean
attn_figure_view_escape (AttnFigureView *self)
{
  if (self->drag == ATTN_FIGURE_DRAG_REGION || self->has_corner)
    attn_figure_view_end_region (self, FALSE);
  else if (self->drag == ATTN_FIGURE_DRAG_ZOOM)
    {
      self->drag = ATTN_FIGURE_DRAG_NOTHING;
      gtk_widget_queue_draw (GTK_WIDGET (self));
    }
  else if (self->tool != ATTN_FIGURE_TOOL_MOVE)
    attn_figure_view_set_tool (self, ATTN_FIGURE_TOOL_MOVE);
  else if (self->views.maximized >= 0)
    attn_figure_view_set_maximized (self, -1);
  else if (self->cursor.group >= 0 || self->has_picked)
    attn_figure_view_clear_reading (self);
  else
    return FALSE;
  return TRUE;
}
