/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-navigator.h"

/* The time within which steps of the same kind, such as those of a mouse wheel, are one step of the
 * view history. */
#define STEP_PAUSE (700 * G_TIME_SPAN_MILLISECOND)

#define MAX_STEPS 100

/* The number of cells along the longer side of the largest panel that the closest zoom still
 * shows. */
#define CLOSEST_CELLS 2.0

/* Smallest number of panels along the longer side of an atlas that stay visible at the closest
 * zoom. */
#define CLOSEST_PAGE 1.0

/* Smallest zoom rectangle in pixels. A smaller one is taken for an accident. */
#define SMALLEST_BAND 6.0

void
attn_navigator_init (AttnNavigator *navigator)
{
  *navigator = (AttnNavigator) {
    .views = attn_views_new (),
    .back = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_views_free),
    .forward = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_views_free),
  };
}

void
attn_navigator_clear (AttnNavigator *navigator)
{
  g_clear_pointer (&navigator->views, attn_views_free);
  g_clear_pointer (&navigator->back, g_ptr_array_unref);
  g_clear_pointer (&navigator->forward, g_ptr_array_unref);
}

/**
 * attn_navigator_set_views:
 * @views: (transfer full): what is to be shown
 * @step: (nullable): static string that names the kind of movement, such as "zoom"; a quick series
 *   of one kind is one step of the history
 */
gboolean
attn_navigator_set_views (AttnNavigator *navigator,
                          AttnViews     *views,
                          const char    *step)
{
  gint64 now = g_get_monotonic_time ();
  gboolean continues =
      step != NULL && g_strcmp0 (step, navigator->step) == 0 && now - navigator->time < STEP_PAUSE;

  if (attn_views_equal (views, navigator->views))
    {
      attn_views_free (views);
      return FALSE;
    }
  AttnViews *old = navigator->views;
  AttnViewport page = old->page;

  /* Only the page of an atlas has moved if nothing but its place differs. */
  old->page = views->page;
  navigator->moves_page = page.width == views->page.width && attn_views_equal (old, views);
  old->page = page;
  navigator->step = step;
  navigator->time = now;
  g_ptr_array_set_size (navigator->forward, 0);
  if (continues)
    attn_views_free (old);
  else
    g_ptr_array_add (navigator->back, old);
  if (navigator->back->len > MAX_STEPS)
    g_ptr_array_remove_index (navigator->back, 0);
  navigator->views = views;
  return TRUE;
}

/* Shows a part of a panel and, while panels are linked, the same part of all panels. */
static gboolean
show (AttnNavigator *navigator,
      int            group,
      AttnViewport   viewport,
      const char    *step)
{
  AttnViews *views = attn_views_copy (navigator->views);

  attn_views_set (views, group, &viewport);
  return attn_navigator_set_views (navigator, views, step);
}

/* Returns the start of a visible part that contains [from, to] and is as near as possible to
 * @start. */
static double
include (double start,
         double extent,
         double from,
         double to)
{
  if (from < start)
    return from;
  if (to > start + extent)
    return MIN (to - extent, from);
  return start;
}

/**
 * attn_navigator_show_cell:
 * @cell: the cell to be shown, by as little movement as it takes; if another panel is maximised,
 *   the panel of the cell is maximised in its place
 */
gboolean
attn_navigator_show_cell (AttnNavigator  *navigator,
                          const AttnGrid *grid,
                          AttnCellCursor  cell)
{
  AttnPanel *panel = attn_cell_cursor_get_panel (grid, cell.group);

  if (panel == NULL)
    return FALSE;

  double n_rows = attn_panel_get_n_rows (panel);
  double n_columns = attn_panel_get_n_columns (panel);
  AttnViews *views = attn_views_copy (navigator->views);
  AttnViewport viewport = attn_views_get (views, cell.group);
  viewport.x = include (viewport.x, viewport.width, cell.column / n_columns,
                        (cell.column + 1) / n_columns);
  viewport.y = include (viewport.y, viewport.height, cell.row / n_rows, (cell.row + 1) / n_rows);
  if (views->maximized >= 0)
    views->maximized = cell.group;
  attn_views_set (views, cell.group, &viewport);
  return attn_navigator_set_views (navigator, views, "cursor");
}

/**
 * attn_navigator_show_pixels:
 * @group: index of a panel, or a negative number for the first one
 * @cell: the cell that gets into the middle, if it is of that panel
 *
 * Zooms so that each cell has a whole number of device pixels: one pixel if there are more cells
 * than pixels.
 */
gboolean
attn_navigator_show_pixels (AttnNavigator    *navigator,
                            const AttnPlaces *places,
                            int               group,
                            AttnCellCursor    cell)
{
  AttnRectangle rectangle;

  if (group < 0)
    group = attn_cell_cursor_move_panel (ATTN_CELL_CURSOR_NONE, places->grid, 1).group;
  if (!attn_places_get_panel (places, group, &rectangle))
    return FALSE;

  AttnPanel *panel = places->grid->cells[group].panel;
  double n_rows = attn_panel_get_n_rows (panel);
  double n_columns = attn_panel_get_n_columns (panel);
  double width = rectangle.width * places->pixels / places->scale;
  double height = rectangle.height * places->pixels / places->scale;
  double pixels = MAX (ceil (width / n_columns - 1e-9), ceil (height / n_rows - 1e-9));
  AttnViewport viewport = attn_views_get (navigator->views, group);
  double x = viewport.x + viewport.width / 2;
  double y = viewport.y + viewport.height / 2;

  if (cell.group == group)
    {
      x = (cell.column + 0.5) / n_columns;
      y = (cell.row + 0.5) / n_rows;
    }
  viewport.width = MIN (width / (n_columns * pixels), 1);
  viewport.height = MIN (height / (n_rows * pixels), 1);
  viewport.x = x - viewport.width / 2;
  viewport.y = y - viewport.height / 2;
  return show (navigator, group, viewport, NULL);
}

static double
get_smallest_extent (const AttnGrid *grid)
{
  gsize most = 1;

  for (gsize i = 0; grid != NULL && i < grid->n_rows * grid->n_columns; i++)
    {
      AttnPanel *panel = grid->cells[i].panel;

      if (panel != NULL)
        most = MAX (most, MAX (attn_panel_get_n_rows (panel), attn_panel_get_n_columns (panel)));
    }
  return MIN (CLOSEST_CELLS / most, 1);
}

/* Counts the panels along the longer side of the grid. */
static double
count_panels (const AttnPlaces *places)
{
  return MAX (places->grid->n_rows, places->grid->n_columns);
}

/* Finds what is moved at a point: a panel, or in an atlas (a panel for each layer and head) the
 * page, which fills the window. Returns its index or ATTN_VIEWS_PAGE. @place: (out): where it is */
static int
find_moved (const AttnPlaces *places,
            double            x,
            double            y,
            AttnRectangle    *place)
{
  if (places->scene == NULL || !attn_views_has_atlas (places->views))
    return attn_places_find_panel (places, x, y, place);
  *place = (AttnRectangle) { 0, 0, places->window.width, places->window.height };
  return ATTN_VIEWS_PAGE;
}

/**
 * attn_navigator_zoom:
 * @from: (nullable): the visible part to start from, if not the present one
 * @factor: above 1 for closer
 *
 * The cell at the point (@x, @y) stays there, in its panel and in those that move with it; if there
 * is no panel, the middle of all panels stays.
 */
gboolean
attn_navigator_zoom (AttnNavigator      *navigator,
                     const AttnPlaces   *places,
                     const AttnViewport *from,
                     double              factor,
                     double              x,
                     double              y)
{
  double right = 0.5;
  double down = 0.5;
  AttnRectangle panel;
  int group = find_moved (places, x, y, &panel);

  if (group != ATTN_VIEWS_ALL && x >= 0 && y >= 0)
    {
      right = (x - panel.x) / panel.width;
      down = (y - panel.y) / panel.height;
    }
  AttnViewport viewport = from != NULL ? *from : attn_views_get (navigator->views, group);
  return show (navigator, group,
               attn_viewport_zoom (viewport, factor, right, down,
                                   group == ATTN_VIEWS_PAGE ? CLOSEST_PAGE / count_panels (places)
                                                            : get_smallest_extent (places->grid)),
               "zoom");
}

/**
 * attn_navigator_pan:
 * @from: (nullable): the visible part to start from, if not the present one
 * @group: index of a panel, or %ATTN_VIEWS_ALL
 * @dx: fraction of the shown part, to the right
 * @dy: fraction of the shown part, down
 */
gboolean
attn_navigator_pan (AttnNavigator      *navigator,
                    const AttnViewport *from,
                    int                 group,
                    double              dx,
                    double              dy)
{
  AttnViewport viewport = from != NULL ? *from : attn_views_get (navigator->views, group);

  return show (navigator, group, attn_viewport_pan (viewport, dx, dy), "pan");
}

/**
 * attn_navigator_look_back:
 * @n_steps: how many steps back, at least 1
 *
 * Returns: (transfer none) (nullable): what was shown then; %NULL if there are not so many
 */
const AttnViews *
attn_navigator_look_back (const AttnNavigator *navigator,
                          gsize                n_steps)
{
  const GPtrArray *back = navigator->back;

  return n_steps <= back->len ? g_ptr_array_index (back, back->len - n_steps) : NULL;
}

/**
 * attn_navigator_travel:
 * @direction: below 0 to go back to what was shown before, above 0 to go forward again
 * @n_panels: the number of panels that the figure has now
 */
gboolean
attn_navigator_travel (AttnNavigator *navigator,
                       int            direction,
                       gsize          n_panels)
{
  GPtrArray *from = direction < 0 ? navigator->back : navigator->forward;
  GPtrArray *to = direction < 0 ? navigator->forward : navigator->back;

  navigator->step = NULL;
  navigator->moves_page = FALSE;
  while (from->len > 0)
    {
      AttnViews *views = g_ptr_array_steal_index (from, from->len - 1);

      /* A motion that ended where it began is not a step of the view history. */
      if (attn_views_equal (views, navigator->views))
        {
          attn_views_free (views);
          continue;
        }
      g_ptr_array_add (to, navigator->views);
      navigator->views = views;
      attn_views_resize (views, n_panels);
      return TRUE;
    }
  return FALSE;
}

/* --- Motions with the pointer ----------------------------------------------------------------- */

/**
 * attn_navigator_grab:
 *
 * A drag begins, on a panel or beside all panels.
 *
 * Returns: whether it begins on a panel, or on the page of an atlas
 */
gboolean
attn_navigator_grab (AttnNavigator    *navigator,
                     const AttnPlaces *places,
                     double            x,
                     double            y)
{
  navigator->group = find_moved (places, x, y, &navigator->panel);
  navigator->grabbed = attn_views_get (navigator->views, navigator->group);
  return navigator->group != ATTN_VIEWS_ALL;
}

/**
 * attn_navigator_drag:
 * @dx: how far the pointer is from where the drag began: the cell stays under the pointer
 * @now: microseconds
 */
gboolean
attn_navigator_drag (AttnNavigator *navigator,
                     double         dx,
                     double         dy,
                     gint64         now)
{
  attn_kinetic_follow (&navigator->kinetic, now / 1e6, dx, dy);
  return attn_navigator_pan (navigator, &navigator->grabbed, navigator->group,
                             -dx / navigator->panel.width, -dy / navigator->panel.height);
}

/**
 * attn_navigator_coast:
 * @elapsed: seconds in which a panel moved on by itself
 * @goes_on: (out): whether the panel moves on after that: it stops at an edge
 */
gboolean
attn_navigator_coast (AttnNavigator *navigator,
                      double         elapsed,
                      gboolean      *goes_on)
{
  double dx, dy;

  *goes_on = attn_kinetic_step (&navigator->kinetic, MAX (elapsed, 0), &dx, &dy);
  gboolean has_changed =
      attn_navigator_pan (navigator, NULL, navigator->group, -dx / navigator->panel.width,
                          -dy / navigator->panel.height);
  if (elapsed > 0 && !has_changed)
    *goes_on = FALSE;
  return has_changed;
}

/**
 * attn_navigator_get_band:
 *
 * Returns: the rectangle between two points, cut off at the edges of the panel on which the drag
 *   began
 */
AttnRectangle
attn_navigator_get_band (const AttnNavigator *navigator,
                         double               x,
                         double               y,
                         double               to_x,
                         double               to_y)
{
  const AttnRectangle *panel = &navigator->panel;
  double left = MAX (MIN (x, to_x), panel->x);
  double top = MAX (MIN (y, to_y), panel->y);
  double right = MIN (MAX (x, to_x), panel->x + panel->width);
  double bottom = MIN (MAX (y, to_y), panel->y + panel->height);

  return (AttnRectangle) { left, top, MAX (right - left, 0), MAX (bottom - top, 0) };
}

/**
 * attn_navigator_zoom_to_band:
 * @band: a rectangle of the panel on which the drag began
 *
 * Shows that rectangle and no more, but at least a cell. Nothing happens if it is too small to be
 * meant.
 */
gboolean
attn_navigator_zoom_to_band (AttnNavigator       *navigator,
                             const AttnGrid      *grid,
                             const AttnRectangle *band)
{
  AttnPanel *cells = attn_cell_cursor_get_panel (grid, navigator->group);
  const AttnRectangle *panel = &navigator->panel;
  AttnViewport viewport = navigator->grabbed;

  if ((cells == NULL && navigator->group != ATTN_VIEWS_PAGE) || band->width < SMALLEST_BAND ||
      band->height < SMALLEST_BAND)
    return FALSE;

  double x_scale = viewport.width / panel->width;
  double y_scale = viewport.height / panel->height;
  viewport.x += (band->x - panel->x) * x_scale;
  viewport.y += (band->y - panel->y) * y_scale;
  if (cells == NULL)
    {
      viewport.width = MAX (band->width * x_scale, band->height * y_scale);
      viewport.width = viewport.height =
          MAX (viewport.width, CLOSEST_PAGE / MAX (grid->n_rows, grid->n_columns));
      return show (navigator, navigator->group, viewport, NULL);
    }
  viewport.width = MAX (band->width * x_scale, 1.0 / attn_panel_get_n_columns (cells));
  viewport.height = MAX (band->height * y_scale, 1.0 / attn_panel_get_n_rows (cells));
  return show (navigator, navigator->group, viewport, NULL);
}
