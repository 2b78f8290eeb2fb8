/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A figure on the screen: its scene, made on demand, and the rows that long panels (of more cells
 * than are kept in memory) lack for it. */

#pragma once

#include "attn-places.h"

G_BEGIN_DECLS

/**
 * AttnScreen:
 * @width: width of the figure, in widget pixels
 * @height: the same
 * @scale_factor: device pixels per widget pixel
 * @foreground: the colour of text and lines, so that the figure follows light and dark
 * @text_scale: how much larger than usual text is on the desktop; at 1 and below, text has the size
 *   of the style
 */
typedef struct
{
  int width;
  int height;
  int scale_factor;
  AttnRgb foreground;
  double text_scale;
} AttnScreen;

/**
 * AttnStage:
 * @grid: (nullable): all panels of the figure
 *
 * To be changed by the functions below.
 */
typedef struct
{
  AttnGrid *grid;

  /*< private >*/
  AttnGrid *given; /* (nullable): the original grid while @grid shows baselines */
  AttnStyle style;
  AttnScreen screen;
  AttnScene *scene;       /* (nullable) */
  GArray *order;          /* (nullable) (element-type gsize): indices of the visible panels, in
                           * their order */
  AttnGrid *arranged;     /* (nullable): a grid of the panels in @order */
  AttnGrid *alone;        /* (nullable): a grid of the maximised panel alone */
  int alone_group;        /* index of that panel in @grid */
  gboolean lacks_numbers; /* whether numbers in cells are left out, as rows of a long panel are not
                           * loaded */
} AttnStage;

void       attn_stage_clear       (AttnStage       *stage);
void       attn_stage_set_figure  (AttnStage       *stage,
                                   AttnGrid        *grid,
                                   const AttnStyle *style);
gboolean   attn_stage_show_baseline (AttnStage     *stage,
                                   gboolean         is_shown);
void       attn_stage_arrange     (AttnStage       *stage,
                                   GArray          *order);
AttnCellCursor attn_stage_step_panel (const AttnStage *stage,
                                      AttnCellCursor   cursor,
                                      int              step);
void       attn_stage_drop_scene  (AttnStage       *stage);
AttnPlaces attn_stage_get_places  (AttnStage       *stage,
                                   const AttnViews *views);
GPtrArray *attn_stage_find_rows   (const AttnStage  *stage,
                                   const AttnPlaces *places);
void       attn_stage_add_rows    (const AttnStage  *stage,
                                   const AttnPlaces *places,
                                   int               group,
                                   AttnSpan          rows,
                                   GPtrArray        *missing);

G_END_DECLS
