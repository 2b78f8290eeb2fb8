/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-reading-private.h"

#include "attn-view-range.h"

/* Pixels that the pointer may move during a click. */
#define CLICK_REACH 4.0

/**
 * attn_reading_point:
 * @has_pointer: whether the pointer is on the figure
 * @x: where it is then, in widget pixels
 */
void
attn_reading_point (AttnReading *reading,
                    gboolean     has_pointer,
                    double       x,
                    double       y)
{
  reading->has_pointer = has_pointer;
  if (has_pointer)
    {
      /* If the pointer is at the same place, the figure has moved and not the pointer. */
      if (hypot (x - reading->pointer_x, y - reading->pointer_y) > 0.5)
        reading->uses_keys = FALSE;
      reading->pointer_x = x;
      reading->pointer_y = y;
    }
  attn_reading_update_hit (reading);
  if (reading->drag == ATTN_DRAG_ZOOM)
    attn_reading_emit (reading, ATTN_READING_OVERLAY_CHANGED);
}

/**
 * attn_reading_get_pointer_name:
 *
 * Returns: (nullable): how the pointer looks, as CSS names it: over a region that can be resized it
 *   shows the direction, over the diagram and labels a hand; %NULL for the usual look
 */
const char *
attn_reading_get_pointer_name (AttnReading *reading)
{
  /* Indexed by AttnSides. */
  static const char * const names[] = {
    "move", "n-resize", "e-resize", "ne-resize", "s-resize", NULL, "se-resize",
    NULL, "w-resize", "nw-resize", NULL, NULL, "sw-resize"
  };
  AttnPlaces places = attn_reading_get_places (reading);
  double x = reading->drag == ATTN_DRAG_REGION ? reading->drag_x : reading->pointer_x;
  double y = reading->drag == ATTN_DRAG_REGION ? reading->drag_y : reading->pointer_y;
  AttnRegionHit hit;
  double position;

  if (reading->drag == ATTN_DRAG_PAN && reading->has_moved)
    return "grabbing";
  const AttnMark *bar = attn_places_find_bar (&places, x, y, &position);
  if (reading->drag == ATTN_DRAG_BAR || bar != NULL)
    return bar != NULL && bar->angle == 90 ? "ew-resize" : "ns-resize";
  if (reading->tool == ATTN_READING_TOOL_REGION && attn_places_hit_region (&places, x, y, &hit))
    return names[hit.sides];
  if (reading->tool != ATTN_READING_TOOL_MOVE)
    return "crosshair";
  gboolean is_column;
  return attn_places_is_on_diagram (&places, x, y) ||
                 attn_places_find_label (&places, x, y, &is_column) >= 0
             ? "pointer"
             : NULL;
}

static void
choose_cell (AttnReading   *self,
             const AttnHit *hit,
             AttnChoice     choice)
{
  self->cursor = (AttnCellCursor) { hit->group, hit->row, hit->column };
  /* The pointer leaves the cell when a menu opens; the cell under it stays selected, as if chosen
   * by keys. */
  self->uses_keys = choice == ATTN_CHOICE_KEEP;
  attn_selection_choose (self->selection, hit->group, FALSE, hit->row, choice);
  attn_reading_tell_cursor (self);
}

/**
 * attn_reading_click:
 * @x: where the button was released, in widget pixels
 * @choice: what becomes of the chosen rows
 *
 * Nothing happens after a drag.
 */
void
attn_reading_click (AttnReading *reading,
                    double       x,
                    double       y,
                    AttnChoice   choice)
{
  AttnPlaces places = attn_reading_get_places (reading);
  AttnHit hit;

  if (reading->has_moved || places.grid == NULL)
    return;
  if (!attn_places_hit (&places, x, y, &hit))
    {
      AttnCellCursor cell;
      gboolean is_column;
      int group = attn_places_find_label (&places, x, y, &is_column);

      if (attn_places_find_nearest (&places, group, x, y, &cell))
        {
          AttnReadingState state = attn_reading_get (reading);
          AttnLine kept = attn_reading_get_kept (&state);
          AttnLine line = { group, is_column, is_column ? cell.column : cell.row };

          if (choice == ATTN_CHOICE_ONE && attn_line_equal (&line, &kept))
            attn_reading_let_go (reading);
          else
            attn_reading_choose_line (reading, group, is_column, line.index, choice);
          return;
        }
      g_signal_emit (reading, attn_reading_signals[ATTN_READING_BESIDE_CLICKED], 0,
                     attn_places_to_x (&places, x), attn_places_to_y (&places, y));
      return;
    }
  choose_cell (reading, &hit, choice);
  if (choice == ATTN_CHOICE_ONE && reading->tool == ATTN_READING_TOOL_MOVE)
    attn_reading_emit (reading, ATTN_READING_CLICKED);
}

/**
 * attn_reading_double_click:
 *
 * On the colour bar, the range of the visible values is asked for. On the title of a panel, the
 * panel is shown alone, or all panels again; on a panel, #AttnReading::double-clicked is emitted;
 * beside all panels, the whole of each is shown. On the label of a token, the second click does
 * nothing.
 */
void
attn_reading_double_click (AttnReading *reading,
                           double       x,
                           double       y)
{
  AttnPlaces places = attn_reading_get_places (reading);
  int title = attn_places_find_title (&places, x, y);
  AttnRectangle panel;

  double position;
  gboolean is_column;

  if (reading->tool == ATTN_READING_TOOL_REGION || attn_places_is_on_map (&places, x, y) ||
      (title < 0 && attn_places_find_label (&places, x, y, &is_column) >= 0))
    return;
  if (attn_places_find_bar (&places, x, y, &position) != NULL)
    {
      g_signal_emit (reading, attn_reading_signals[ATTN_READING_RANGE_ASKED], 0, 0.0, 0.0);
      return;
    }
  attn_kinetic_stop (&reading->navigator.kinetic);
  if (title >= 0)
    attn_reading_set_maximized (reading, places.views->maximized >= 0 ? -1 : title);
  else if (attn_places_find_panel (&places, x, y, &panel) >= 0)
    attn_reading_emit (reading, ATTN_READING_DOUBLE_CLICKED);
  else
    attn_reading_fit (reading);
}

/**
 * attn_reading_menu_click:
 *
 * Requests the menu of the cell at a point.
 */
void
attn_reading_menu_click (AttnReading *reading,
                         double       x,
                         double       y)
{
  AttnPlaces places = attn_reading_get_places (reading);
  AttnHit hit;

  if (attn_places_hit (&places, x, y, &hit))
    choose_cell (reading, &hit, ATTN_CHOICE_KEEP);
  g_signal_emit (reading, attn_reading_signals[ATTN_READING_MENU_ASKED], 0, x, y);
}

/* Moves the visible part of the panel so that its centre is at a point of the overview map. */
static void
point_on_map (AttnReading *self,
              double       x,
              double       y)
{
  AttnPlaces places = attn_reading_get_places (self);
  AttnRectangle map;
  int group;

  if (!attn_places_get_map (&places, &group, &map))
    return;
  AttnViewport view = attn_views_get (places.views, group);
  double right = (x - map.x) / map.width - view.x - view.width / 2;
  double down = (y - map.y) / map.height - view.y - view.height / 2;
  attn_reading_tell_views (self,
                           attn_navigator_pan (&self->navigator, NULL, group, right / view.width,
                                               down / view.height));
}

/**
 * attn_reading_press:
 * @x: where the button was pressed, in widget pixels
 * @zooms: whether dragging draws the rectangle to zoom to, unless the tool draws regions
 */
void
attn_reading_press (AttnReading *reading,
                    double       x,
                    double       y,
                    gboolean     zooms)
{
  AttnPlaces places = attn_reading_get_places (reading);
  gboolean is_column;

  attn_kinetic_stop (&reading->navigator.kinetic);
  reading->has_moved = FALSE;
  reading->drag = ATTN_DRAG_NOTHING;
  reading->drag_x = x;
  reading->drag_y = y;
  const AttnMark *bar = attn_places_find_bar (&places, x, y, &reading->bar_position);
  if (attn_places_is_on_map (&places, x, y))
    {
      reading->drag = ATTN_DRAG_MAP;
      point_on_map (reading, x, y);
    }
  else if (bar != NULL)
    {
      gboolean is_level = bar->angle == 90;

      reading->drag = ATTN_DRAG_BAR;
      reading->bar = bar->scale;
      reading->bar_length =
          (is_level ? bar->rectangle.width : -bar->rectangle.height) * places.scale;
    }
  else if (reading->tool == ATTN_READING_TOOL_MOVE &&
           attn_places_find_label (&places, x, y, &is_column) >= 0)
    reading->drag = ATTN_DRAG_LABELS;
  else if (reading->tool == ATTN_READING_TOOL_REGION)
    {
      if (attn_region_tool_grab (&reading->regions, &places, x, y))
        reading->drag = ATTN_DRAG_REGION;
      attn_reading_tell_picked (reading);
    }
  else if (!attn_navigator_grab (&reading->navigator, &places, x, y))
    return;
  else if (zooms || reading->tool == ATTN_READING_TOOL_ZOOM)
    reading->drag = ATTN_DRAG_ZOOM;
  else if (!attn_viewport_is_fit (&reading->navigator.grabbed))
    reading->drag = ATTN_DRAG_PAN;
}

/* Selects the rows or columns from the label where a drag began to the label at the pointer. */
static void
drag_labels (AttnReading      *self,
             const AttnPlaces *places,
             double            x,
             double            y)
{
  gboolean is_column;
  int group = attn_places_find_label (places, self->drag_x, self->drag_y, &is_column);
  AttnCellCursor from, to;

  if (!attn_places_find_nearest (places, group, self->drag_x, self->drag_y, &from) ||
      !attn_places_find_nearest (places, group, x, y, &to))
    return;
  attn_reading_choose_line (self, group, is_column, is_column ? from.column : from.row,
                            ATTN_CHOICE_ONE);
  attn_reading_choose_line (self, group, is_column, is_column ? to.column : to.row,
                            ATTN_CHOICE_EXTEND);
}

/**
 * attn_reading_drag:
 * @dx: how far the pointer is from where the button was pressed, in widget pixels
 */
void
attn_reading_drag (AttnReading *reading,
                   double       dx,
                   double       dy)
{
  AttnPlaces places = attn_reading_get_places (reading);
  double x = reading->drag_x + dx;
  double y = reading->drag_y + dy;

  reading->has_moved = reading->has_moved || hypot (dx, dy) > CLICK_REACH;
  if (!reading->has_moved || reading->drag == ATTN_DRAG_NOTHING)
    return;
  if (reading->drag == ATTN_DRAG_BAR)
    {
      double by = reading->bar_length > 0 ? dx : dy;
      double low, high;

      if (attn_view_range_drag (&reading->bar, reading->bar_position,
                                reading->bar_position + by / reading->bar_length, &low, &high))
        g_signal_emit (reading, attn_reading_signals[ATTN_READING_RANGE_ASKED], 0, low, high);
      return;
    }
  if (reading->drag == ATTN_DRAG_MAP)
    {
      point_on_map (reading, x, y);
      return;
    }
  if (reading->drag == ATTN_DRAG_PAN)
    {
      gint64 now = g_get_monotonic_time ();

      attn_reading_tell_views (reading, attn_navigator_drag (&reading->navigator, dx, dy, now));
      return;
    }
  if (reading->drag == ATTN_DRAG_LABELS)
    {
      drag_labels (reading, &places, x, y);
      return;
    }
  if (reading->drag == ATTN_DRAG_REGION)
    attn_region_tool_drag (&reading->regions, &places, x, y);
  else
    {
      reading->pointer_x = x;
      reading->pointer_y = y;
    }
  attn_reading_emit (reading, ATTN_READING_OVERLAY_CHANGED);
}

/**
 * attn_reading_get_band:
 * @band: (out): the rectangle to zoom to, in widget pixels
 *
 * Returns: whether such a rectangle is being drawn
 */
gboolean
attn_reading_get_band (AttnReading   *reading,
                       AttnRectangle *band)
{
  *band = attn_navigator_get_band (&reading->navigator, reading->drag_x, reading->drag_y,
                                   reading->pointer_x, reading->pointer_y);
  return reading->drag == ATTN_DRAG_ZOOM && reading->has_moved;
}

/**
 * attn_reading_release:
 * @is_kept: %TRUE if the button was released; %FALSE if the drag was canceled, so that what it was
 *   drawing is given up
 *
 * A view that the drag was moving may move on by itself, see attn_reading_is_coasting().
 */
void
attn_reading_release (AttnReading *reading,
                      gboolean     is_kept)
{
  AttnDrag drag = is_kept && reading->has_moved ? reading->drag : ATTN_DRAG_NOTHING;
  AttnRegionEdit edit;
  AttnRectangle band;

  attn_reading_get_band (reading, &band);
  reading->drag = ATTN_DRAG_NOTHING;
  switch (drag)
    {
    case ATTN_DRAG_PAN:
      attn_kinetic_release (&reading->navigator.kinetic, g_get_monotonic_time () / 1e6);
      break;
    case ATTN_DRAG_ZOOM:
      attn_reading_tell_views (
          reading,
          attn_navigator_zoom_to_band (&reading->navigator, reading->stage.grid, &band));
      attn_reading_set_tool (reading, ATTN_READING_TOOL_MOVE);
      attn_reading_emit (reading, ATTN_READING_OVERLAY_CHANGED);
      break;
    case ATTN_DRAG_REGION:
      attn_reading_tell_edit (reading,
                              attn_region_tool_release (&reading->regions,
                                                        reading->stage.grid, &edit),
                              &edit);
      break;
    case ATTN_DRAG_NOTHING:
    case ATTN_DRAG_BAR:
    case ATTN_DRAG_MAP:
    case ATTN_DRAG_LABELS:
    default:
      attn_region_tool_cancel (&reading->regions);
      attn_kinetic_stop (&reading->navigator.kinetic);
      attn_reading_emit (reading, ATTN_READING_OVERLAY_CHANGED);
      break;
    }
}

gboolean
attn_reading_is_coasting (AttnReading *reading)
{
  return attn_kinetic_is_moving (&reading->navigator.kinetic);
}

/**
 * attn_reading_coast:
 * @elapsed: seconds since the last frame in which what is shown moved on by itself
 *
 * Returns: whether the movement goes on
 */
gboolean
attn_reading_coast (AttnReading *reading,
                    double       elapsed)
{
  gboolean goes_on;

  attn_reading_tell_views (reading, attn_navigator_coast (&reading->navigator, elapsed, &goes_on));
  return goes_on;
}

/**
 * attn_reading_pinch:
 * @factor: of the zoom since two fingers were put down, above 1 for closer; 0 when they are put
 *   down
 * @x: the middle between the fingers, in widget pixels
 */
void
attn_reading_pinch (AttnReading *reading,
                    double       factor,
                    double       x,
                    double       y)
{
  AttnPlaces places = attn_reading_get_places (reading);

  if (factor > 0)
    {
      attn_reading_tell_views (reading,
                               attn_navigator_zoom (&reading->navigator, &places,
                                                    &reading->navigator.grabbed, factor, x, y));
      return;
    }
  attn_reading_release (reading, FALSE);
  attn_navigator_grab (&reading->navigator, &places, x, y);
}
