/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Places of the panels, cells and regions of a figure on the screen, and the object at a point. */

#pragma once

#include "attn-cell-cursor.h"
#include "attn-scene.h"
#include "attn-views.h"

G_BEGIN_DECLS

/* Distance in points within which a click counts as being on a line of the diagram. */
#define ATTN_DIAGRAM_REACH 4.0

/**
 * AttnPlaces:
 * @grid: (nullable): all panels of the figure
 * @shown: (nullable): the panels of the scene: @grid, some of its panels in another order, or the
 *   maximised panel alone
 * @order: (nullable) (element-type gsize): for each panel of the scene, its index in @grid
 * @views: the part of each panel that is shown
 * @scene: (nullable): the scene that is drawn, in points
 * @scale: widget pixels per point
 * @pixels: device pixels per point
 * @window: the part of the scene that is on the screen, in widget pixels
 *
 * A value that borrows its members. Panels are named by their index in @grid, row-major; points and
 * rectangles are in widget pixels.
 */
typedef struct
{
  AttnGrid *grid;
  AttnGrid *shown;
  const GArray *order;
  const AttnViews *views;
  const AttnScene *scene;
  double scale;
  double pixels;
  AttnRectangle window;
} AttnPlaces;

/* Converts an x or a y from widget pixels to points in the scene. */
static inline double
attn_places_to_x (const AttnPlaces *places,
                        double            x)
{
  return (x + places->window.x) / places->scale;
}

static inline double
attn_places_to_y (const AttnPlaces *places,
                        double            y)
{
  return (y + places->window.y) / places->scale;
}

int      attn_places_to_scene     (const AttnPlaces *places,
                                   int               group);
gboolean attn_places_get_panel    (const AttnPlaces *places,
                                   int               group,
                                   AttnRectangle    *panel);
gboolean attn_places_get_cells    (const AttnPlaces *places,
                                   int               group,
                                   const AttnRegion *cells,
                                   AttnRectangle    *place);
gboolean attn_places_get_cell     (const AttnPlaces *places,
                                   AttnCellCursor    cell,
                                   AttnRectangle    *place);
int      attn_places_find_panel   (const AttnPlaces *places,
                                   double            x,
                                   double            y,
                                   AttnRectangle    *panel);
int      attn_places_find_title   (const AttnPlaces *places,
                                   double            x,
                                   double            y);
GArray  *attn_places_list_titles  (const AttnPlaces *places);
int      attn_places_find_heading (const AttnPlaces *places,
                                   double            x,
                                   double            y,
                                   gboolean         *is_column,
                                   AttnRectangle    *box);
int      attn_places_find_label   (const AttnPlaces *places,
                                   double            x,
                                   double            y,
                                   gboolean         *is_column);
gboolean attn_places_find_nearest (const AttnPlaces *places,
                                   int               group,
                                   double            x,
                                   double            y,
                                   AttnCellCursor   *cell);
gboolean attn_places_are_thumbnails (const AttnPlaces *places);
const AttnMark *attn_places_find_bar (const AttnPlaces *places,
                                   double            x,
                                   double            y,
                                   double           *position);
gboolean attn_places_get_map      (const AttnPlaces *places,
                                   int              *group,
                                   AttnRectangle    *map);
gboolean attn_places_is_on_map    (const AttnPlaces *places,
                                   double            x,
                                   double            y);
gboolean attn_places_is_on_diagram (const AttnPlaces *places,
                                   double            x,
                                   double            y);
gboolean attn_places_hit          (const AttnPlaces *places,
                                   double            x,
                                   double            y,
                                   AttnHit          *hit);
gboolean attn_places_hit_region   (const AttnPlaces *places,
                                   double            x,
                                   double            y,
                                   AttnRegionHit    *hit);

G_END_DECLS
