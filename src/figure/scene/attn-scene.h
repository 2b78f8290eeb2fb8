/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A figure is a scene: a short list of marks (the cells of a panel, a text, a line), placed in
 * points. The painter draws it, the SVG writer writes it, and the pointer's hit test searches
 * it. */

#pragma once

#include <cairo.h>

#include "attn-grid.h"
#include "attn-scale.h"
#include "attn-style.h"
#include "attn-viewport.h"

G_BEGIN_DECLS

/**
 * AttnRectangle:
 * @x: points, of the left edge
 * @y: points, of the top edge, downwards
 *
 * A rectangle of a scene, whose origin is the top left corner of the page.
 */
typedef struct
{
  double x;
  double y;
  double width;
  double height;
} AttnRectangle;

typedef struct
{
  double x;
  double y;
} AttnPoint;

typedef enum
{
  ATTN_MARK_HEATMAP,
  ATTN_MARK_TEXT,
  ATTN_MARK_LINE,
  ATTN_MARK_CURVE,
  ATTN_MARK_RECTANGLE,
  ATTN_MARK_COLORBAR,
  ATTN_MARK_TRIANGLE,
  ATTN_MARK_REGION,
  ATTN_MARK_PICTURE,
} AttnMarkKind;

/* The sides of a rectangle, as flags: a corner is the combination of two sides. */
typedef enum
{
  ATTN_SIDE_TOP = 1 << 0,
  ATTN_SIDE_RIGHT = 1 << 1,
  ATTN_SIDE_BOTTOM = 1 << 2,
  ATTN_SIDE_LEFT = 1 << 3,
  ATTN_SIDE_ALL = 0xf,
} AttnSides;

typedef enum
{
  ATTN_ANCHOR_START,
  ATTN_ANCHOR_MIDDLE,
  ATTN_ANCHOR_END,
} AttnAnchor;

/**
 * AttnMark:
 * @kind: what is drawn; it decides which of the members below count
 * @group: index of the panel that the mark belongs to, row-major, or -1 for the whole figure, or
 *   %ATTN_GROUP_DIAGRAM
 * @role: static string that says what the mark is in the figure: "title", "heading", "caption",
 *   "row-label", "column-label", "tick", "value", "frame", "cells", "cell-line", "colorbar",
 *   "axis-label", "overflow", "key", "region", "pin", "pin-label", "pin-lead", "heat" or "picture";
 *   of a diagram "head", "token", "link", "head-label", "token-label" or "note"; of a profile
 *   "bar", "baseline" or "cursor"
 * @rectangle: heatmap, rectangle, colour bar, triangle, region: where it is drawn, a region as far
 *   as the viewport shows it. Line: from (x, y) to (x + width, y + height). Text: (x, y) is the
 *   anchor point on the baseline.
 * @viewport: heatmap, picture: the shown part of the panel
 * @image: (nullable): picture: what is laid over the colours of the panel
 * @opacity: picture, text, line, curve, rectangle: 0 to 1
 * @panel: heatmap: the values that are told under the pointer
 * @markup: text: Pango markup of which only <i> occurs
 * @font_size: text: points
 * @angle: text: degrees, counter-clockwise, around the anchor point; 0, 90 or 45. Triangle: 0
 *   points up, 90 to the left, 180 down, 270 to the right. Colour bar: 0 upright, its lower end at
 *   the bottom; 90 level, its lower end at the left
 * @color: the ink of text, lines, curves, frames and regions; what a rectangle or triangle is
 *   filled with
 * @line_width: points; of a triangle 0 for no outline
 * @points: (array length=n_points) (nullable): curve: from one end to the other; where y is NaN it
 *   is interrupted
 * @dashes: line, curve: how long a dash is and the gap behind it, in points; 0 for none
 * @is_filled: rectangle: it is filled; if not, it is a frame, whose line lies outside of the
 *   rectangle
 * @drawn: (nullable): heatmap: the values that are drawn, if they are not those of @panel
 * @style: the scene's style, or that of differences, which has other colours
 * @scale: heatmap, colour bar: how values become positions; owns its quantiles
 * @sides: region: its sides that lie within the viewport
 * @region: region: index among the regions of its panel; point of a chart: index of the panel whose
 *   cell it stands for
 * @id: (nullable): text, line, rectangle: the name of its object in SVG
 * @head: index among the heads of the diagram, or -1; point of a chart: the row of its cell
 * @token: index among the tokens of the diagram, or -1; point of a chart: the column of its cell
 */
typedef struct
{
  AttnMarkKind kind;
  int group;
  const char *role;
  AttnRectangle rectangle;
  AttnPanel *panel;
  AttnViewport viewport;
  AttnImage *image;
  double opacity;
  char *markup;
  double font_size;
  AttnAnchor anchor;
  double angle;
  AttnRgb color;
  double line_width;
  AttnPoint *points;
  gsize n_points;
  double dashes[2];
  gboolean is_filled;
  AttnPanel *drawn;
  const AttnStyle *style;
  AttnScale scale;
  AttnSides sides;
  gsize region;
  char *id;
  int head;
  int token;
} AttnMark;

/* The width of the white line in the outline of a pin (a marked cell), relative to the outline. */
#define ATTN_PIN_SHARE 0.4

/* The group number of the diagram's marks, which belong to no panel. */
#define ATTN_GROUP_DIAGRAM (-2)

/* Returns the panel of the values that a mark of kind ATTN_MARK_HEATMAP draws. */
static inline AttnPanel *
attn_mark_get_drawn (const AttnMark *heatmap)
{
  return heatmap->drawn != NULL ? heatmap->drawn : heatmap->panel;
}

/**
 * AttnScene:
 * @width: of the page, in points
 * @height: of the page, in points
 * @style: the look of all panels but those of differences; each mark points to the one that it has
 * @grid: (nullable): the panels that are shown; %NULL for a scene without panels
 * @marks: element-type AttnMark: in the order in which they are drawn
 *
 * Filled by its maker, then immutable.
 */
typedef struct
{
  double width;
  double height;
  AttnStyle style;
  AttnGrid *grid;
  GPtrArray *marks;

  /*< private >*/
  AttnStyle difference_style;
  GPtrArray *heatmaps; /* the marks of kind ATTN_MARK_HEATMAP, in which cells are searched by
                        * position */
  GPtrArray *regions;
} AttnScene;

AttnScene *attn_scene_new          (double               width,
                                    double               height,
                                    const AttnStyle     *style,
                                    AttnGrid            *grid);
AttnMark  *attn_scene_add          (AttnScene           *scene,
                                    AttnMarkKind         kind,
                                    int                  group,
                                    const char          *role);
AttnMark  *attn_scene_add_values   (AttnScene           *scene,
                                    AttnMarkKind         kind,
                                    int                  group,
                                    const char          *role,
                                    const AttnScale     *scale,
                                    gboolean             is_difference);
AttnMark  *attn_scene_add_text     (AttnScene           *scene,
                                    int                  group,
                                    const char          *role,
                                    char                *markup,
                                    double               x,
                                    double               y,
                                    double               size,
                                    AttnAnchor           anchor,
                                    double               angle);
AttnMark  *attn_scene_add_line     (AttnScene           *scene,
                                    int                  group,
                                    const char          *role,
                                    double               x,
                                    double               y,
                                    double               dx,
                                    double               dy);
void       attn_scene_get_corners  (const AttnRectangle *box,
                                    AttnPoint            corners[5]);
void       attn_scene_get_triangle (const AttnRectangle *box,
                                    double               angle,
                                    AttnPoint            corners[3]);
void       attn_scene_free         (AttnScene           *scene);

/**
 * AttnHit:
 * @group: index of the panel, row-major in the grid
 * @row: query index
 * @column: key index
 * @n_rows: rows under one device pixel at the given resolution: above 1, the cell is the largest of
 *   @n_rows x @n_columns
 * @n_columns: the same along the keys
 * @first_row: the first of the @n_rows
 * @is_unread: the rows of a long panel are not in memory: the cell is the first, not the largest
 */
typedef struct
{
  int group;
  gsize row;
  gsize column;
  gsize n_rows;
  gsize n_columns;
  gsize first_row;
  gboolean is_unread;
} AttnHit;

gboolean attn_scene_hit           (const AttnScene  *scene,
                                   double            x,
                                   double            y,
                                   double            pixels_per_point,
                                   AttnHit          *hit);
const AttnMark *attn_scene_get_heatmap (const AttnScene *scene,
                                        int              group);
int      attn_scene_find_heatmap  (const AttnScene  *scene,
                                   double            x,
                                   double            y);
gboolean attn_scene_get_cells     (const AttnScene  *scene,
                                   int               group,
                                   const AttnRegion *cells,
                                   AttnRectangle    *rectangle);
gboolean attn_scene_get_cell      (const AttnScene  *scene,
                                   int               group,
                                   gsize             row,
                                   gsize             column,
                                   AttnRectangle    *rectangle);
guint    attn_mark_get_index      (const AttnMark   *heatmap,
                                   gsize             row,
                                   gsize             column);

/**
 * AttnRegionHit:
 * @group: index of the panel, row-major in the grid
 * @region: index among the regions of the panel
 * @sides: the side at the point, or the two sides of a corner, by which the region is resized; 0
 *   inside the region, where it is moved
 */
typedef struct
{
  int group;
  gsize region;
  AttnSides sides;
} AttnRegionHit;

gboolean attn_scene_hit_region    (const AttnScene  *scene,
                                   double            x,
                                   double            y,
                                   double            tolerance,
                                   AttnRegionHit    *hit);
const AttnMark *attn_scene_get_region (const AttnScene *scene,
                                       int              group,
                                       gsize            region);

gboolean attn_scene_hit_point     (const AttnScene  *scene,
                                   double            x,
                                   double            y,
                                   double            tolerance,
                                   AttnHit          *hit);
gboolean attn_scene_hit_diagram   (const AttnScene  *scene,
                                   double            x,
                                   double            y,
                                   double            tolerance,
                                   int              *head,
                                   int              *token);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnScene, attn_scene_free)

/* Returns a mark of the scene. @index: below the number of marks */
static inline const AttnMark *
attn_scene_get_mark (const AttnScene *scene,
                     gsize            index)
{
  return g_ptr_array_index (scene->marks, index);
}

G_END_DECLS
