/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Commands from keyboard, buttons and menus on the displayed figure. */

#include "config.h"

#include "attn-reading-private.h"

/* --- Parts of the figure that are shown ------------------------------------------------------- */

/* Returns the index of the panel for a command that names none: the maximised panel, the one under
 * the pointer, or that of the cursor. In an atlas, a panel for each layer and head, it is
 * ATTN_VIEWS_PAGE. */
static int
get_meant_panel (AttnReading *self)
{
  AttnPlaces places = attn_reading_get_places (self);
  AttnRectangle panel;
  int group = -1;

  if (places.views->maximized >= 0)
    return places.views->maximized;
  if (attn_views_has_atlas (places.views))
    return ATTN_VIEWS_PAGE;
  if (!self->uses_keys && self->has_pointer)
    group = attn_places_find_panel (&places, self->pointer_x, self->pointer_y, &panel);
  return group >= 0 ? group : self->cursor.group;
}

static void
zoom (AttnReading *self,
      double       factor,
      gboolean     at_pointer)
{
  AttnPlaces places = attn_reading_get_places (self);
  double x = self->has_pointer ? self->pointer_x : -1;
  double y = self->has_pointer ? self->pointer_y : -1;
  AttnRectangle cell;

  if (!at_pointer && (self->uses_keys || !self->has_hit) &&
      attn_places_get_cell (&places, self->cursor, &cell))
    {
      x = cell.x + cell.width / 2;
      y = cell.y + cell.height / 2;
    }
  attn_reading_tell_views (self,
                           attn_navigator_zoom (&self->navigator, &places, NULL, factor, x, y));
}

static void
zoom_to_pixels (AttnReading *self)
{
  AttnPlaces places = attn_reading_get_places (self);

  attn_reading_tell_views (self,
                           attn_navigator_show_pixels (&self->navigator, &places,
                                                       get_meant_panel (self), self->cursor));
}

static void
set_linked (AttnReading *self,
            gboolean     is_linked)
{
  AttnViews *views = attn_views_copy (self->navigator.views);

  if (is_linked)
    attn_views_link (views, MAX (get_meant_panel (self), ATTN_VIEWS_ALL));
  else
    attn_views_unlink (views, attn_count_panels (self->stage.grid));
  attn_reading_tell_views (self, attn_navigator_set_views (&self->navigator, views, NULL));
}

static void
toggle_maximized (AttnReading *self)
{
  int group = get_meant_panel (self);

  if (self->navigator.views->maximized >= 0)
    group = -1;
  else if (group < 0)
    group = attn_stage_step_panel (&self->stage, ATTN_CELL_CURSOR_NONE, 1).group;
  attn_reading_set_maximized (self, group);
}

static void
travel (AttnReading *self,
        int          direction)
{
  if (attn_navigator_travel (&self->navigator, direction, attn_count_panels (self->stage.grid)))
    attn_reading_tell_views (self, TRUE);
  else
    attn_reading_emit (self, ATTN_READING_VIEWPORT_CHANGED);
}

/* --- Pins and regions of the figure ----------------------------------------------------------- */

static void
toggle_pin (AttnReading *self)
{
  const AttnCellCursor cell = { self->read.group, self->read.row, self->read.column };
  AttnRegionEdit edit;

  if (!self->has_read)
    return;
  attn_region_tool_toggle_pin (self->stage.grid, cell, &edit);
  attn_reading_tell_edit (self, TRUE, &edit);
}

static void
remove_picked (AttnReading *self)
{
  AttnRegionEdit edit;

  if (!attn_region_tool_remove (&self->regions, self->stage.grid, self->cursor, &edit))
    return;
  attn_region_tool_pick (&self->regions, NULL, -1, 0);
  attn_reading_tell_edit (self, TRUE, &edit);
}

/* --- The cursor of the keyboard --------------------------------------------------------------- */

/* Moves the cursor. The first key press only shows it: in the maximised panel, under the pointer,
 * or in the first panel. */
static void
move_cursor (AttnReading *self,
             gssize       rows,
             gssize       columns,
             AttnChoice   choice)
{
  int maximized = self->navigator.views->maximized;
  AttnCellCursor cursor = self->cursor;
  gboolean is_column = choice == ATTN_CHOICE_EXTEND && columns != 0;

  /* A selection has either rows or columns: extending it in the other direction begins anew with
   * the cursor's column or row. */
  if (choice == ATTN_CHOICE_EXTEND && cursor.group >= 0 && is_column != self->selection->is_column)
    attn_selection_choose (self->selection, cursor.group, is_column,
                           is_column ? cursor.column : cursor.row, ATTN_CHOICE_ONE);

  if (cursor.group >= 0)
    cursor = attn_cell_cursor_move (cursor, self->stage.grid, rows, columns);
  else if (maximized >= 0)
    cursor = (AttnCellCursor) { maximized, 0, 0 };
  else if (self->has_hit)
    cursor = (AttnCellCursor) { self->hit.group, self->hit.row, self->hit.column };
  else
    cursor = attn_stage_step_panel (&self->stage, cursor, 1);
  attn_reading_go_to_line (self, cursor, is_column, choice);
}

static void
move_page (AttnReading *self,
           gssize       step)
{
  AttnPanel *panel = attn_cell_cursor_get_panel (self->stage.grid, self->cursor.group);
  double height = attn_views_get (self->navigator.views, self->cursor.group).height;
  gssize n = panel != NULL ? (gssize) (attn_panel_get_n_rows (panel) * height) - 1 : 0;

  move_cursor (self, step * MAX (n, 1), 0, ATTN_CHOICE_ONE);
}

/* Moves the cursor to the same cell of another panel. Returns FALSE if there is no other panel. */
static gboolean
move_panel (AttnReading *self,
            int          step)
{
  AttnCellCursor cursor = attn_stage_step_panel (&self->stage, self->cursor, step);

  if (attn_cell_cursor_equal (&cursor, &self->cursor))
    return FALSE;
  attn_reading_go_to_line (self, cursor, FALSE, ATTN_CHOICE_ONE);
  return TRUE;
}

static void
toggle_row (AttnReading *self)
{
  if (self->cursor.group < 0)
    return;
  attn_selection_choose (self->selection, self->cursor.group, FALSE, self->cursor.row,
                         ATTN_CHOICE_TOGGLE);
  attn_reading_tell_cursor (self);
}

static void
activate (AttnReading *self)
{
  AttnRegionEdit edit;

  if (self->tool == ATTN_READING_TOOL_REGION)
    attn_reading_tell_edit (self,
                            attn_region_tool_corner (&self->regions, self->stage.grid,
                                                     self->cursor, &edit),
                            &edit);
  else if (self->cursor.group >= 0)
    attn_reading_emit (self, ATTN_READING_ACTIVATED);
}

/* Opens the menu below the cursor's cell, or in the middle of the window if the cell is not
 * visible. */
static void
ask_menu (AttnReading *self)
{
  AttnPlaces places = attn_reading_get_places (self);
  double x = self->stage.screen.width / 2.0;
  double y = self->stage.screen.height / 2.0;
  AttnRectangle cell;

  if (attn_places_get_cell (&places, self->cursor, &cell))
    {
      x = cell.x + cell.width / 2;
      y = cell.y + cell.height;
    }
  g_signal_emit (self, attn_reading_signals[ATTN_READING_MENU_ASKED], 0, x, y);
}

/* Leaves the current tool, drag or maximised view. Returns FALSE if none of them is there to
 * leave. */
static gboolean
escape (AttnReading *self)
{
  if (attn_region_tool_cancel (&self->regions) || self->drag == ATTN_DRAG_ZOOM)
    {
      self->drag = ATTN_DRAG_NOTHING;
      attn_reading_emit (self, ATTN_READING_OVERLAY_CHANGED);
    }
  else if (self->tool != ATTN_READING_TOOL_MOVE)
    attn_reading_set_tool (self, ATTN_READING_TOOL_MOVE);
  else if (self->navigator.views->maximized >= 0)
    attn_reading_set_maximized (self, -1);
  else if (self->cursor.group >= 0 || self->regions.has_picked)
    attn_reading_let_go (self);
  else
    return FALSE;
  return TRUE;
}

/* --- Commands on the figure ------------------------------------------------------------------- */

/**
 * attn_reading_can:
 * @command: %ATTN_COMMAND_BACK, %ATTN_COMMAND_FORWARD or %ATTN_COMMAND_REMOVE
 *
 * Returns: whether there is a view to go to, or a pin or region to remove
 */
gboolean
attn_reading_can (AttnReading *reading,
                  AttnCommand  command)
{
  AttnRegionEdit edit;

  switch (command)
    {
    case ATTN_COMMAND_BACK:
      return reading->navigator.back->len > 0;
    case ATTN_COMMAND_FORWARD:
      return reading->navigator.forward->len > 0;
    case ATTN_COMMAND_REMOVE:
      return attn_region_tool_remove (&reading->regions, reading->stage.grid, reading->cursor,
                                      &edit);
    default:
      g_return_val_if_reached (TRUE);
    }
}

/**
 * attn_reading_do:
 * @command: what to do
 * @down: how far down, in the unit of the command, or the factor of a zoom, see #AttnCommand
 * @right: how far to the right
 *
 * Returns: %FALSE if there was nothing to do, so that another widget may use the key
 */
gboolean
attn_reading_do (AttnReading *reading,
                 AttnCommand  command,
                 double       down,
                 double       right)
{
  const AttnGrid *grid = reading->stage.order != NULL && reading->stage.arranged != NULL
                             ? reading->stage.arranged
                             : reading->stage.grid;
  int n_columns = grid != NULL ? (int) grid->n_columns : 1;

  if (command <= ATTN_COMMAND_FORWARD)
    attn_kinetic_stop (&reading->navigator.kinetic);
  switch (command)
    {
    case ATTN_COMMAND_ZOOM:
    case ATTN_COMMAND_ZOOM_AT_POINTER:
      zoom (reading, down, command == ATTN_COMMAND_ZOOM_AT_POINTER);
      break;
    case ATTN_COMMAND_PAN:
      attn_reading_tell_views (reading,
                               attn_navigator_pan (&reading->navigator, NULL,
                                                   get_meant_panel (reading), right, down));
      break;
    case ATTN_COMMAND_FIT:
      attn_reading_fit (reading);
      break;
    case ATTN_COMMAND_PIXELS:
      zoom_to_pixels (reading);
      break;
    case ATTN_COMMAND_MAXIMIZE:
      toggle_maximized (reading);
      break;
    case ATTN_COMMAND_LINK:
      set_linked (reading, down != 0);
      break;
    case ATTN_COMMAND_BACK:
    case ATTN_COMMAND_FORWARD:
      travel (reading, command == ATTN_COMMAND_BACK ? -1 : 1);
      break;
    case ATTN_COMMAND_MOVE:
    case ATTN_COMMAND_EXTEND:
      move_cursor (reading, (gssize) down, (gssize) right,
                   command == ATTN_COMMAND_EXTEND ? ATTN_CHOICE_EXTEND : ATTN_CHOICE_ONE);
      break;
    case ATTN_COMMAND_PAGE:
      move_page (reading, (gssize) down);
      break;
    case ATTN_COMMAND_PANEL:
      /* Tab moves on from the last panel to the next widget, as anywhere in GTK. */
      return reading->cursor.group >= 0 && move_panel (reading, (int) down);
    case ATTN_COMMAND_PANEL_ROW:
      move_panel (reading, (int) down * n_columns);
      break;
    case ATTN_COMMAND_TOGGLE_ROW:
      toggle_row (reading);
      break;
    case ATTN_COMMAND_PIN:
      toggle_pin (reading);
      break;
    case ATTN_COMMAND_REMOVE:
      remove_picked (reading);
      break;
    case ATTN_COMMAND_ACTIVATE:
      activate (reading);
      break;
    case ATTN_COMMAND_MENU:
      ask_menu (reading);
      break;
    case ATTN_COMMAND_ESCAPE:
      return escape (reading);
    default:
      g_return_val_if_reached (FALSE);
    }
  return TRUE;
}
