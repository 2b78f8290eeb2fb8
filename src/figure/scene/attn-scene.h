/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A figure is a scene: a short list of marks in points. The painter draws it, the SVG writer writes
 * it, and the pointer's hit test searches it. */

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

/* The sides of a rectangle. */
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
 * @kind: which of the members below count
 * @group: index of the panel that the mark belongs to, row-major, or -1 for the whole figure, or
 *   %ATTN_GROUP_DIAGRAM
 * @role: static string that says what it is: "title", "heading", "caption", "row-label",
 *   "column-label", "tick", "value", "frame", "cells", "cell-line", "colorbar", "axis-label",
 *   "overflow", "key", "region", "pin", "pin-label", "pin-lead", "heat" or "picture"; of a diagram
 *   "head", "token", "link", "head-label", "token-label" or "note"; of a profile "bar", "baseline"
 *   or "cursor"
 * @rectangle: heatmap, rectangle, colour bar, triangle, region: where, a region as far as it is
 *   shown. Line: from (x, y) to (x + width, y + height).
 *   Text: (x, y) is the anchor point on the baseline.
 * @viewport: heatmap, picture: the shown part of the panel
 * @image: (nullable): picture: what is laid over the colours of the panel
 * @opacity: picture, text, line, curve, rectangle: 0 to 1
 * @panel: heatmap: the values that are read
 * @markup: text: Pango markup of which only <i> occurs
 * @font_size: text: points
 * @angle: text: degrees, counter-clockwise, around the anchor point; 0, 90 or 45. Triangle: 0
 *   points up, 90 to the left, 180 down, 270 to the right. Colour bar: 0 upright, its lower end at
 *   the bottom; 90 level, its lower end at the left
 * @color: text, line, curve, frame, region: the ink; a rectangle or triangle that is filled
 * @line_width: points; of a triangle 0 for no outline
 * @points: (array length=n_points) (nullable): curve: from one end to the other; where y is NaN it
 *   is interrupted
 * @dashes: line, curve: how long a dash is and the gap behind it, in points; 0 for none
 * @is_filled: rectangle: an area, not a frame, which stands outside of the rectangle
 * @drawn: (nullable): heatmap: the values on the scale where they are not those of the panel
 * @style: the scene's style, or that of differences, which has other colours
 * @scale: heatmap, colour bar: how values become positions; owns its quantiles
 * @sides: region: those that the viewport shows
 * @region: region: index among the regions of its panel; of a point, the panel of its cell
 * @id: (nullable): text, line, rectangle: the name of its object in SVG
 * @head: index among the heads of the diagram, or -1; of a point, the row of its cell
 * @token: index among its tokens, or -1; of a point, the column of its cell
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

/* The width of the white line in a pin's outline, relative to the outline. */
#define ATTN_PIN_SHARE 0.4

/* The group of the diagram's marks. */
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
 * @style: of all but differences; each mark knows its own
 * @grid: (nullable): what is shown; %NULL for a scene without panels
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
  GPtrArray *heatmaps; /* marks that are regions, for hit tests */
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
 * @is_unread: a long panel does not have the rows: the cell is the first, not the largest
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
 * @sides: one, or the two of a corner: by these it is resized; 0 inside, where it is moved
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

/* @index: below the number of marks */
static inline const AttnMark *
attn_scene_get_mark (const AttnScene *scene,
                     gsize            index)
{
  return g_ptr_array_index (scene->marks, index);
}

G_END_DECLS
