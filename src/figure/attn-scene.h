/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A figure is a scene: a short list of marks in points. The painter draws it, the SVG writer writes
 * it, and the pointer asks it what is under it. */

#pragma once

#include <cairo.h>

#include "attn-grid.h"
#include "attn-style.h"
#include "attn-viewport.h"

G_BEGIN_DECLS

typedef struct
{
  double x;
  double y;
  double width;
  double height;
} AttnRectangle;

typedef enum
{
  ATTN_MARK_HEATMAP,
  ATTN_MARK_TEXT,
  ATTN_MARK_LINE,
  ATTN_MARK_RECTANGLE,
  ATTN_MARK_COLORBAR,
} AttnMarkKind;

typedef enum
{
  ATTN_ANCHOR_START,
  ATTN_ANCHOR_MIDDLE,
  ATTN_ANCHOR_END,
} AttnAnchor;

/**
 * AttnMark:
 * @kind: which of the members below count
 * @group: index of the panel that the mark belongs to, row-major, or -1 for the whole figure
 * @role: static string that says what it is: "title", "caption", "row-label", "column-label",
 *   "tick", "value", "frame", "cells", "colorbar", "axis-label"
 * @rectangle: heatmap, rectangle and colour bar: where. Line: from (x, y) to
 *   (x + width, y + height).
 *   Text: (x, y) is the anchor point on the baseline.
 * @viewport: heatmap: the shown part of the panel
 * @markup: text: Pango markup of which only <i> occurs
 * @angle: text: degrees, counter-clockwise, around the anchor point; 0, 90 or 45
 */
typedef struct
{
  AttnMarkKind kind;
  int group;
  const char *role;
  AttnRectangle rectangle;
  AttnPanel *panel;
  AttnViewport viewport;
  char *markup;
  double font_size;
  AttnAnchor anchor;
  double angle;
  AttnRgb color;
  double line_width;
  gboolean is_filled;
} AttnMark;

typedef struct _AttnScene AttnScene;

/**
 * AttnScene:
 * @width: points
 * @height: points
 *
 * Immutable and reference-counted.
 */
AttnScene      *attn_scene_new         (double               width,
                                        double               height,
                                        const AttnStyle     *style,
                                        AttnGrid            *grid);
AttnMark       *attn_scene_add         (AttnScene           *scene,
                                        AttnMarkKind         kind,
                                        int                  group,
                                        const char          *role);
AttnScene      *attn_scene_ref         (AttnScene           *scene);
void            attn_scene_unref       (AttnScene           *scene);
double          attn_scene_get_width   (const AttnScene     *scene);
double          attn_scene_get_height  (const AttnScene     *scene);
gsize           attn_scene_get_n_marks (const AttnScene     *scene);
const AttnMark *attn_scene_get_mark    (const AttnScene     *scene,
                                        gsize                index);
const AttnStyle *attn_scene_get_style  (const AttnScene     *scene);
AttnGrid       *attn_scene_get_grid    (const AttnScene     *scene);

/**
 * AttnHit:
 * @group: index of the panel, row-major in the grid
 * @row: query index
 * @column: key index
 * @n_rows: rows under one device pixel at the given resolution: above 1, the cell is the largest of
 *   @n_rows x @n_columns
 * @n_columns: the same along the keys
 */
typedef struct
{
  int group;
  gsize row;
  gsize column;
  gsize n_rows;
  gsize n_columns;
} AttnHit;

gboolean attn_scene_hit           (const AttnScene  *scene,
                                   double            x,
                                   double            y,
                                   double            pixels_per_point,
                                   AttnHit          *hit);
gboolean attn_scene_get_heatmap   (const AttnScene  *scene,
                                   int               group,
                                   AttnRectangle    *rectangle,
                                   AttnViewport     *viewport);
int      attn_scene_find_heatmap  (const AttnScene  *scene,
                                   double            x,
                                   double            y);
gboolean attn_scene_get_cell      (const AttnScene  *scene,
                                   int               group,
                                   gsize             row,
                                   gsize             column,
                                   AttnRectangle    *rectangle);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnScene, attn_scene_unref)

G_END_DECLS
