/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-places.h"

#include <math.h>

#include "attn-lettering.h"

/* Distance in pixels within which a point counts as being on a region's side. */
#define HANDLE_REACH 6.0
#define POINT_REACH  8.0 /* distance in pixels within which a point counts as being on a point of a
                          * chart */

/* Distance in points within which a point counts as being on a label. */
#define LABEL_REACH 4.0

/* Distance in points within which a point counts as being on a colour bar. */
#define BAR_REACH 4.0

/* Size of the overview map of a panel in pixels, and its distance from the lower left corner of the
 * window; and the largest number of rows or columns of a panel that needs no map. */
#define MAP_SIZE   112.0
#define MAP_MARGIN 12.0
#define SHORT      48

/* Largest number of panels that are read together, with the same cell marked in all of them. */
#define MOST_PANELS 64

/* Height of a title line in multiples of the font size. */
#define LINE_HEIGHT 1.2

/**
 * attn_places_to_scene:
 * @group: index of a panel
 *
 * Returns: its index among the panels of the scene, or -1 if the scene does not show it
 */
int
attn_places_to_scene (const AttnPlaces *places,
                      int               group)
{
  if (places->shown == places->grid)
    return group;
  for (guint i = 0; places->order != NULL && i < places->order->len; i++)
    if (g_array_index (places->order, gsize, i) == (gsize) group && group >= 0)
      return (int) i;
  if (places->order != NULL)
    return -1;
  return group == places->views->maximized ? 0 : -1;
}

static int
from_scene (const AttnPlaces *places,
            int               shown)
{
  if (places->order != NULL)
    return (guint) shown < places->order->len ? (int) g_array_index (places->order, gsize, shown)
                                              : -1;
  return places->shown == places->grid ? shown : places->views->maximized;
}

static AttnRectangle
from_points (const AttnPlaces    *places,
             const AttnRectangle *box)
{
  double scale = places->scale;

  return (AttnRectangle) { box->x * scale - places->window.x, box->y * scale - places->window.y,
                           box->width * scale, box->height * scale };
}

/**
 * attn_places_get_panel:
 * @group: index of a panel
 * @panel: (out): where the cells of the panel are
 *
 * Returns: whether the panel is shown
 */
gboolean
attn_places_get_panel (const AttnPlaces *places,
                       int               group,
                       AttnRectangle    *panel)
{
  int shown = attn_places_to_scene (places, group);
  const AttnMark *heatmap = places->scene != NULL && shown >= 0
                                ? attn_scene_get_heatmap (places->scene, shown)
                                : NULL;

  if (heatmap == NULL)
    return FALSE;
  *panel = from_points (places, &heatmap->rectangle);
  return TRUE;
}

/**
 * attn_places_get_cells:
 * @group: index of a panel
 * @cells: a rectangle of its cells
 * @place: (out): where the cells are, as far as they are shown
 *
 * Returns: whether any of them is shown
 */
gboolean
attn_places_get_cells (const AttnPlaces *places,
                       int               group,
                       const AttnRegion *cells,
                       AttnRectangle    *place)
{
  int shown = attn_places_to_scene (places, group);

  if (places->scene == NULL || shown < 0 ||
      !attn_scene_get_cells (places->scene, shown, cells, place))
    return FALSE;
  *place = from_points (places, place);
  return TRUE;
}

gboolean
attn_places_get_cell (const AttnPlaces *places,
                      AttnCellCursor    cell,
                      AttnRectangle    *place)
{
  const AttnRegion cells = { .first_row = cell.row,
                             .last_row = cell.row,
                             .first_column = cell.column,
                             .last_column = cell.column };

  return attn_places_get_cells (places, cell.group, &cells, place);
}

/**
 * attn_places_find_panel:
 * @panel: (out): where the cells of the panel are
 *
 * Returns: index of the panel at the point (@x, @y), or -1
 */
int
attn_places_find_panel (const AttnPlaces *places,
                        double            x,
                        double            y,
                        AttnRectangle    *panel)
{
  int shown = places->scene != NULL ? attn_scene_find_heatmap (places->scene,
                                                               attn_places_to_x (places, x),
                                                               attn_places_to_y (places, y))
                                    : -1;
  int group = shown >= 0 ? from_scene (places, shown) : -1;

  return attn_places_get_panel (places, group, panel) ? group : -1;
}

/**
 * attn_places_find_title:
 *
 * Returns: index of the panel whose title is at the point (@x, @y), or -1
 */
int
attn_places_find_title (const AttnPlaces *places,
                        double            x,
                        double            y)
{
  gsize n_marks = places->scene != NULL ? places->scene->marks->len : 0;

  x = attn_places_to_x (places, x);
  y = attn_places_to_y (places, y);
  for (gsize i = 0; i < n_marks; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (places->scene, i);
      const AttnMark *heatmap = g_strcmp0 (mark->role, "title") == 0
                                    ? attn_scene_get_heatmap (places->scene, mark->group)
                                    : NULL;

      if (heatmap != NULL && x >= heatmap->rectangle.x &&
          x < heatmap->rectangle.x + heatmap->rectangle.width && y < heatmap->rectangle.y &&
          y >= mark->rectangle.y - LINE_HEIGHT * mark->font_size)
        return from_scene (places, mark->group);
    }
  return -1;
}

/* Returns the box of a text of the scene, in points. */
static AttnRectangle
get_text_box (const AttnScene *scene,
              const AttnMark  *text)
{
  double length =
      attn_lettering_measure (scene->style.font_family, text->markup, text->font_size);
  double shift = attn_lettering_get_shift (text->anchor);
  double height = ATTN_LETTERING_HEIGHT * text->font_size;
  double ascent = ATTN_LETTERING_ASCENT * text->font_size;

  if (text->angle == 90)
    return (AttnRectangle) { text->rectangle.x - ascent,
                             text->rectangle.y - (1 - shift) * length, height, length };
  return (AttnRectangle) { text->rectangle.x - shift * length, text->rectangle.y - ascent, length,
                           height };
}

/**
 * attn_places_list_titles:
 *
 * Returns: (transfer full) (element-type AttnRectangle): where the titles of panels and the
 *   headings of rows and columns are
 */
GArray *
attn_places_list_titles (const AttnPlaces *places)
{
  GArray *titles = g_array_new (FALSE, FALSE, sizeof (AttnRectangle));
  gsize n_marks = places->scene != NULL ? places->scene->marks->len : 0;

  for (gsize i = 0; i < n_marks; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (places->scene, i);

      if (mark->kind != ATTN_MARK_TEXT || (g_strcmp0 (mark->role, "title") != 0 &&
                                           g_strcmp0 (mark->role, "heading") != 0))
        continue;
      AttnRectangle box = get_text_box (places->scene, mark);
      box = from_points (places, &box);
      g_array_append_val (titles, box);
    }
  return titles;
}

/* Returns the panel whose middle is nearest to a heading, along the heading's row or column. */
static int
find_panel_of_heading (const AttnPlaces    *places,
                       const AttnRectangle *box,
                       gboolean             is_column)
{
  int n_panels = (int) (places->grid->n_rows * places->grid->n_columns);
  int nearest = -1;
  double least = G_MAXDOUBLE;

  for (int group = 0; group < n_panels; group++)
    {
      AttnRectangle panel;

      if (!attn_places_get_panel (places, group, &panel))
        continue;
      double distance = fabs (is_column ? panel.x + panel.width / 2 - box->x - box->width / 2
                                        : panel.y + panel.height / 2 - box->y - box->height / 2);
      if (distance >= least)
        continue;
      least = distance;
      nearest = group;
    }
  return nearest;
}

/**
 * attn_places_find_heading:
 * @is_column: (out): whether it is the heading of a column of panels, not of a row
 * @box: (out): where the heading is, in widget pixels
 *
 * Returns: index of a panel of the row or column whose heading is at the point (@x, @y), or -1
 */
int
attn_places_find_heading (const AttnPlaces *places,
                          double            x,
                          double            y,
                          gboolean         *is_column,
                          AttnRectangle    *box)
{
  gsize n_marks = places->scene != NULL ? places->scene->marks->len : 0;

  for (gsize i = 0; i < n_marks; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (places->scene, i);

      if (mark->kind != ATTN_MARK_TEXT || g_strcmp0 (mark->role, "heading") != 0)
        continue;
      AttnRectangle text = get_text_box (places->scene, mark);
      *box = from_points (places, &text);
      if (x < box->x || x >= box->x + box->width || y < box->y || y >= box->y + box->height)
        continue;
      /* Headings of rows end at the panels, or are written vertically. */
      *is_column = mark->angle == 0 && mark->anchor == ATTN_ANCHOR_MIDDLE;
      return find_panel_of_heading (places, box, *is_column);
    }
  return -1;
}

/* Tells whether a point of the scene is on a token's label, where the area from the panel to the
 * end of the label counts, too. */
static gboolean
is_on_label (const AttnMark *mark,
             const AttnMark *panel,
             const char     *family,
             gboolean        is_column,
             double          x,
             double          y)
{
  const AttnRectangle *box = &panel->rectangle;
  gboolean is_level = is_column && mark->angle == 0;
  double length = is_level ? LINE_HEIGHT * mark->font_size
                           : attn_lettering_measure (family, mark->markup, mark->font_size);
  double along = is_column ? x - box->x : y - box->y;
  double away = is_column ? MAX (box->y - y, y - box->y - box->height) : box->x - x;

  return along >= 0 && along < (is_column ? box->width : box->height) && away > 0 &&
         away < length + 2 * LABEL_REACH &&
         (!is_column || (mark->rectangle.y < box->y) == (y < box->y)) &&
         fabs (is_column ? x - mark->rectangle.x : y - mark->rectangle.y) <
             MAX (mark->font_size, LABEL_REACH) + (is_level ? length : 0);
}

/**
 * attn_places_find_label:
 * @is_column: (out): whether it is the label of a column
 *
 * Returns: index of the panel that has the label of a token at the point (@x, @y), or -1
 */
int
attn_places_find_label (const AttnPlaces *places,
                        double            x,
                        double            y,
                        gboolean         *is_column)
{
  gsize n_marks = places->scene != NULL ? places->scene->marks->len : 0;

  for (gsize i = 0; i < n_marks; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (places->scene, i);

      *is_column = g_strcmp0 (mark->role, "column-label") == 0;
      if ((*is_column || g_strcmp0 (mark->role, "row-label") == 0) &&
          is_on_label (mark, attn_scene_get_heatmap (places->scene, mark->group),
                       places->scene->style.font_family, *is_column, attn_places_to_x (places, x),
                       attn_places_to_y (places, y)))
        return from_scene (places, mark->group);
    }
  return -1;
}

static gsize
get_index (double position,
           gsize  n)
{
  return (gsize) CLAMP (floor (position * n), 0, n - 1);
}

/**
 * attn_places_find_nearest:
 * @group: index of a panel
 * @cell: (out): of the visible cells of that panel, the one nearest to the point (@x, @y)
 *
 * Returns: whether the panel is shown
 */
gboolean
attn_places_find_nearest (const AttnPlaces *places,
                          int               group,
                          double            x,
                          double            y,
                          AttnCellCursor   *cell)
{
  AttnPanel *panel = attn_cell_cursor_get_panel (places->grid, group);
  AttnViewport viewport = attn_views_get (places->views, group);
  AttnRectangle all;

  if (panel == NULL || !attn_places_get_panel (places, group, &all))
    return FALSE;

  double right = CLAMP ((x - all.x) / all.width, 0, 1 - 1e-9);
  double down = CLAMP ((y - all.y) / all.height, 0, 1 - 1e-9);
  *cell = (AttnCellCursor) {
    group,
    get_index (viewport.y + down * viewport.height, attn_panel_get_n_rows (panel)),
    get_index (viewport.x + right * viewport.width, attn_panel_get_n_columns (panel)),
  };
  return TRUE;
}

/**
 * attn_places_are_thumbnails:
 *
 * Returns: whether the panels are so many (or those of an atlas, a panel for each layer and head)
 *   that users look at one of them, not at all together
 */
gboolean
attn_places_are_thumbnails (const AttnPlaces *places)
{
  return places->shown != NULL && (attn_views_has_atlas (places->views) ||
                                   places->shown->n_rows * places->shown->n_columns > MOST_PANELS);
}

/**
 * attn_places_find_bar:
 * @position: (out): where the point is along the bar, from 0 at its lower end to 1
 *
 * Returns: (nullable): the colour bar of weights, not of differences, at the point (@x, @y)
 */
const AttnMark *
attn_places_find_bar (const AttnPlaces *places,
                      double            x,
                      double            y,
                      double           *position)
{
  gsize n_marks = places->scene != NULL ? places->scene->marks->len : 0;

  x = attn_places_to_x (places, x);
  y = attn_places_to_y (places, y);
  for (gsize i = 0; i < n_marks; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (places->scene, i);
      const AttnRectangle *box = &mark->rectangle;

      if (mark->kind != ATTN_MARK_COLORBAR || mark->style != &places->scene->style ||
          x < box->x - BAR_REACH || x > box->x + box->width + BAR_REACH || y < box->y - BAR_REACH ||
          y > box->y + box->height + BAR_REACH)
        continue;
      *position = mark->angle == 90 ? (x - box->x) / box->width
                                    : 1 - (y - box->y) / box->height;
      *position = CLAMP (*position, 0, 1);
      return mark;
    }
  return NULL;
}

/**
 * attn_places_get_map:
 * @group: (out): index of the panel that the map shows
 * @map: (out): where the map is, in a corner of the window
 *
 * Returns: whether there is an overview map: if a part of a panel with many cells is shown, and the
 *   same part of all panels
 */
gboolean
attn_places_get_map (const AttnPlaces *places,
                     int              *group,
                     AttnRectangle    *map)
{
  const AttnViews *views = places->views;

  *group = views->maximized >= 0
               ? views->maximized
               : attn_cell_cursor_move_panel (ATTN_CELL_CURSOR_NONE, places->grid, 1).group;
  AttnPanel *panel = attn_cell_cursor_get_panel (places->grid, *group);
  AttnViewport view = attn_views_get (views, *group);
  if (panel == NULL || places->scene == NULL || attn_viewport_is_fit (&view) ||
      attn_views_has_atlas (views) || (views->own != NULL && views->maximized < 0) ||
      MAX (attn_panel_get_n_rows (panel), attn_panel_get_n_columns (panel)) < SHORT)
    return FALSE;
  double aspect = (double) attn_panel_get_n_columns (panel) / attn_panel_get_n_rows (panel);
  double width = MAP_SIZE * CLAMP (aspect, 0.25, 1);
  double height = MAP_SIZE / CLAMP (aspect, 1, 4);
  *map = (AttnRectangle) { MAP_MARGIN, places->window.height - MAP_MARGIN - height, width, height };
  return TRUE;
}

gboolean
attn_places_is_on_map (const AttnPlaces *places,
                       double            x,
                       double            y)
{
  AttnRectangle map;
  int group;

  return attn_places_get_map (places, &group, &map) && x >= map.x && y >= map.y &&
         x < map.x + map.width && y < map.y + map.height;
}

gboolean
attn_places_is_on_diagram (const AttnPlaces *places,
                           double            x,
                           double            y)
{
  int head, token;

  return places->scene != NULL && places->grid->diagram != NULL &&
         attn_scene_hit_diagram (places->scene, attn_places_to_x (places, x),
                                 attn_places_to_y (places, y), ATTN_DIAGRAM_REACH, &head,
                                 &token);
}

/**
 * attn_places_hit:
 * @hit: (out): the cell at the point (@x, @y), as [func@attn_scene_hit] finds it, or the one that a
 *   point of a chart there stands for
 *
 * Returns: whether there is such a cell
 */
gboolean
attn_places_hit (const AttnPlaces *places,
                 double            x,
                 double            y,
                 AttnHit          *hit)
{
  double scene_x = attn_places_to_x (places, x);
  double scene_y = attn_places_to_y (places, y);

  if (places->scene == NULL || attn_places_is_on_map (places, x, y) ||
      (!attn_scene_hit (places->scene, scene_x, scene_y, places->pixels, hit) &&
       !attn_scene_hit_point (places->scene, scene_x, scene_y, POINT_REACH / places->scale, hit)))
    return FALSE;
  hit->group = from_scene (places, hit->group);
  return TRUE;
}

/**
 * attn_places_hit_region:
 * @hit: (out): the region at the point (@x, @y), as [func@attn_scene_hit_region] finds it
 *
 * Returns: whether there is a region
 */
gboolean
attn_places_hit_region (const AttnPlaces *places,
                        double            x,
                        double            y,
                        AttnRegionHit    *hit)
{
  if (places->scene == NULL ||
      !attn_scene_hit_region (places->scene, attn_places_to_x (places, x),
                              attn_places_to_y (places, y),
                              HANDLE_REACH / places->scale, hit))
    return FALSE;
  hit->group = from_scene (places, hit->group);
  return TRUE;
}
